//! Parameterized systems: safe for every number of processes, or not.
//!
//! The search goes backwards from the unsafe formulas over *cubes*, sets of states of some
//! processes closed under adding processes and memory events. Rooms, each of which uses only those
//! above it:
//!
//! | room | what it is |
//! |---|---|
//! | [`system`] | a `.cub` file resolved and typed; history variables; counts; tuples of processes; what needs no buffers |
//! | [`cube`] | literals, cubes of the two domains (TSO and events), their canonical form and text |
//! | [`theory`] | what follows from literals: the built-in closure, and entailment queries to the SMT solver |
//! | [`init`] | initial states: are there any, and does a cube meet them? |
//! | [`preimage`] | what must hold before a transition so that a cube holds after it, in both domains |
//! | [`subsume`] | is every state of one cube also one of another? |
//! | [`search`] | backward reachability: queue, expansion, generalization, certificates made minimal |
//! | [`concrete`] | the machine with buffers for a fixed number of processes; shares only [`system`] |
//! | [`instance`] | a fixed number of processes as a program, for bounded model checking; shares only [`system`] |
//! | [`approx`] | BRAB: larger cubes guessed from finite instances |
//! | [`invariants`] | proofs by invariants guessed from a few processes: Houdini |
//! | [`refine`] | history variables against spurious traces |
//! | [`certificate`] | proofs of safety as text, and their checker |
//! | [`answer`] | the answer for a system |
#![forbid(unsafe_code)]
#![warn(missing_docs)]
// The heads of files are for readers of the code, too, and link to private neighbours.
#![allow(rustdoc::private_intra_doc_links)]
// A number that no longer fits would be another one, and the answer wrong.
#![cfg_attr(not(test), deny(clippy::cast_possible_truncation))]

pub mod answer;
pub mod approx;
pub mod certificate;
pub mod concrete;
pub mod cub;
pub mod cube;
pub mod init;
pub mod instance;
pub mod invariants;
pub mod preimage;
pub mod refine;
pub mod search;
pub mod subsume;
pub mod system;
pub mod theory;
