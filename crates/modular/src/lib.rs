//! Proofs thread by thread: for any number of threads, any sizes, loops without bounds.
//!
//! Each kind of thread is looked at alone, once, by what its own code says: which object and offset an access
//! has, which locks the thread has, which threads may run beside it. Of what other threads write nothing is
//! assumed but that it is one of the values that somebody stores there. So the result holds on any model on which a
//! read reads what some write has written, no value comes out of thin air, and on which locks and the creation and
//! join of threads order what they order in the language.
//!
//! - `graph`: the control flow of a kind of thread, calls inlined.
//! - `value`: what registers hold, as sums of symbols.
//! - `state`: what is known at a point, and what is left of it where ways come together.
//! - `threads`: what a kind of thread does.
//! - `flow`: how that is found, round by round, and instruction by instruction.
//! - `points_to`: which objects a value may be the address of, over all kinds of threads (Andersen's analysis).
//! - `analysis`: all of that for a whole program, and which threads may run side by side.
//! - `locks`: which locations are locks.
//! - `pairs`: no two accesses race: locksets (Savage and others, Eraser, TOCS 1997; Voung, Jhala and Lerner,
//!   RELAY, FSE 2007), locks that belong to the object (Vojdani and others, Goblint, ASE 2016), objects of
//!   one thread each, threads that are not started yet or joined.
//! - `tickets`: numbers that no two threads have.
//! - `deadlocks`: no threads wait for each other.
//! - `cells`: scalars whose values are followed, what guards them, and where no other thread can write them.
//! - `liveness`: registers that are still read.
//! - `candidates`: conditions that may be invariants.
//! - `conditions`: under which conditions all properties hold with these invariants, as a sequential program.

mod analysis;
mod answer;
mod candidates;
mod cells;
mod conditions;
mod deadlocks;
mod flow;
mod graph;
mod joined;
mod liveness;
mod locks;
mod messages;
mod pairs;
mod points_to;
mod state;
mod threads;
mod tickets;
mod value;

pub use analysis::Analysis;
pub use answer::{Unproved, assumptions};
pub use conditions::{Invariants, Obligations, ProofQuestion};
pub use deadlocks::deadlock_freedom;
pub use pairs::race_freedom;
