//! Certificates of safety: an inductive invariant over predicates as text, checked by other code.
//!
//! A certificate is a set of states, each a vector of locations and a cube over predicates; what it claims
//! is that the program is always in one of them. [`check`] decides that again, by three conditions: (1)
//! the initial values imply a cube of the initial locations; (2) from each state, each step that the
//! locations allow is impossible or leads into a state, for all values; (3) none of the possible
//! steps is one that fails. Every interleaving is looked at, flushes of buffers included: there is no
//! partial-order reduction. All that is asked about values are implications `cube ∧ guard ⇒ cube after
//! the step`, or that a step is impossible. Those that the answer relies on are its [`Claim`]s, and
//! [`script`] writes them for other solvers.
//!
//! # What is trusted
//!
//! Of the abstraction (`boolean`, `implicants`, `on_demand`, `extrapolate`, `search`, `closure`) the checker uses
//! nothing: where predicates and cubes come from does not matter. It gets the program as `extract` and
//! `reduce` make it of the source, so these are trusted, as is the front end. Of this stage and of
//! `commands` it uses the following modules, and a test keeps the list complete:
//!
//! | module | why |
//! |---|---|
//! | `commands::program` | the data of a program: what steps, locations and effects mean is said there |
//! | `commands::arith` | conditions: their normal form, substitution, and how they become formulas of `smt` |
//! | `predabs::cube` | the data of a cube |
//! | `predabs::predicates` | how the text of a condition is read |
//!
//! And of the other stages `smt`, whose answers can be compared with those of any solver, and `base`.

mod checker;
mod format;
mod implication;
mod interleaving;

pub use checker::{Checked, Flaw, FlawKind, check};
pub use format::{AmbiguousNames, Certificate, Header, is_certificate, read, read_header, write};
pub use implication::{Claim, script};
pub use interleaving::{Interleavings, Locations};

#[cfg(test)]
mod tests;
