//! Certificates of safety: the visited cubes as text, read back and checked by other code.
//!
//! A certificate proves that no number of processes reaches an unsafe state if (1) every unsafe
//! formula is covered by its cubes, (2) no cube meets an initial state, and (3) every pre-image of
//! a cube, by every transition and choice of processes, is covered by one of them. [`check`]
//! decides the three again. It has its own pre-images, by a graph of events in which cycles are
//! looked for, its own subsumption, by trying all assignments, and asks the SMT solver what follows
//! from literals. It neither drops events and processes nor leaves out instances because they seem
//! not to matter, but for transitions on PSO that no known event reads from and that change nothing
//! the literals mention (`events` says why).
//!
//! There are two kinds of cubes, as there are two strategies: those for TSO and flat memory, and those
//! over events, for SC, TSO and PSO. What they have in common is checked by the same code.
//!
//! # What is trusted
//!
//! Of the engine (`preimage`, `subsume`, `search`, `approx`, `refine`, the canonical form of cubes,
//! the incompleteness test of the theory) the checker uses nothing. It trusts these modules, and a
//! test keeps the list complete:
//!
//! | module | why |
//! |---|---|
//! | `system` | it says what the file means, counts and history variables included; the machine with buffers of `concrete` reads the same system, and is compared with verdicts on random programs |
//! | `cub::ast` | which kinds of symbols a file has |
//! | `cube::event` | the data of a cube over events; its head says what it means |
//! | `cube::rules` | which rules a memory model has; its head says why they are enough |
//! | `cube::any` | the names of a cube's parts, by which the format writes it |
//! | `cube::literals` | the data of literals, and how they are renamed |
//! | `cube::timestamp` | the data of pending reads, and sets of their timestamps |
//! | `cube::tso` | the data of a cube; its head says what it means |
//! | `cube::text` | the names that a certificate is written with |
//! | `cube::formula` | substitution and disjunctive normal form; both are short, and the engine's only means to state a pre-image as well |
//! | `cube::instantiate` | formulas of the file about the processes of a cube |
//! | `theory::context` | which constructors a cell can ever hold (`system::values`), and that another process is there where more are counted, taken as known |
//! | `theory::query` | entailment, by the SMT solver; compared with the closure of the theory on random literals |
//! | `init` | a cube meets `init`: a formula for the same SMT solver. Only for a certificate without cubes the closure of the theory says that `init` contradicts itself |

mod certified;
mod checker;
mod cover;
mod event_format;
mod events;
mod format;
mod goals;
mod tso;

pub use certified::{Certified, Flaw};
pub use checker::check;
pub use event_format::{is_of_events, read_events, write_events};
pub use format::{model_of, read, write};
pub use goals::goals;
