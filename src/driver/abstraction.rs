//! Predicate abstraction of a C program, from its text to an outcome.
//!
//! The program is lowered as for bounded checking, made a program of guarded commands, and on TSO and
//! PSO reduced to one with buffers of a bound; the predicates for SC are extrapolated to it. A proof holds
//! for every buffer size. A violation is reported only after it was executed on numbers. Fences are
//! searched over the same program with other fences, and put into its text.

mod certificate;
mod check;
mod discover;
mod fences;
mod options;
mod outcome;
mod session;

pub use certificate::{AbstractionCertificate, ValidCertificate};
pub use fences::{FenceOutcome, FencePlacement, Minimality, PlacedFence};
pub use options::{AbstractionMethod, AbstractionOptions, BufferBound, MAX_BUFFER};
pub use outcome::{AbstractionOutcome, AbstractionStep, AbstractionVerdict, NoCertificate};
pub use session::Abstraction;
