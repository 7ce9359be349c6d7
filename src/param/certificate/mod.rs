//! Certificates of safety: the visited cubes as text, read back and checked by other code.
//!
//! A certificate proves that no number of processes reaches an unsafe state if (1) every unsafe
//! formula is covered by its cubes, (2) no cube meets an initial state, and (3) every pre-image of a
//! cube, by every transition and choice of processes, is covered by one of them. [`check`] decides
//! the three again. It shares with the engine the reading of the file ([`super::system`]) and the
//! instances of formulas; it has its own pre-image, by a graph of events in which cycles are looked
//! for, its own coverage, by trying all assignments, and the SMT solver ([`super::theory::query`]) for
//! what follows from literals. It neither drops events and processes nor leaves out instances
//! because they seem not to matter.

mod checker;
mod cover;
mod format;

pub use checker::{Flaw, check};
pub use format::{read, write};
