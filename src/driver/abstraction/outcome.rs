//! What was found.

use super::options::AbstractionMethod;
use crate::predabs::certificate::AmbiguousNames;
use crate::predabs::closure::NotClosed;
use crate::predabs::implicants::Counts;
use base::source::Span;

/// What was found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AbstractionOutcome {
    /// The model's short name.
    pub model: String,
    /// Entries of a store buffer; none on SC.
    pub buffer: Option<u32>,
    /// Nothing was decided because more entries are possible.
    pub overflows: bool,
    /// The answer.
    pub verdict: AbstractionVerdict,
    /// How the abstraction was made.
    pub method: AbstractionMethod,
    /// Predicates that were given.
    pub given: usize,
    /// Predicates that were found by refinement, as text.
    pub discovered: Vec<String>,
    /// The predicates for the model, as text.
    pub predicates: Vec<String>,
    /// Cubes that were extrapolated from SC; none when they were looked for.
    pub lifted: Option<usize>,
    /// Cubes of several literals in it.
    pub cubes: usize,
    /// The literals of the largest.
    pub cube_size: u32,
    /// The work to build it.
    pub counts: Counts,
    /// Seconds to build it.
    pub build_seconds: f64,
    /// States of it.
    pub states: usize,
    /// Seconds to explore it.
    pub search_seconds: f64,
    /// The certificate, where it was asked for and the answer is safe.
    pub certificate: Option<Result<String, NoCertificate>>,
}

/// Why there is no certificate of a safe answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoCertificate {
    /// There is no closed set of states.
    #[error(transparent)]
    NotClosed(#[from] NotClosed),
    /// It cannot be written.
    #[error(transparent)]
    Ambiguous(#[from] AmbiguousNames),
}

/// The answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AbstractionVerdict {
    /// No execution violates a property, whatever the size of the buffers.
    Safe,
    /// An execution does.
    Unsafe {
        /// Which.
        property: String,
        /// What happens.
        steps: Vec<AbstractionStep>,
    },
    /// Not decided.
    Unknown {
        /// Why, a sentence.
        reason: String,
        /// The first step of an abstract counterexample that cannot be followed.
        step: Option<String>,
    },
}

/// A step of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct AbstractionStep {
    /// The thread.
    pub thread: String,
    /// It is the store buffer of the thread that moves.
    pub flush: bool,
    /// Where.
    pub span: Span,
    /// What stands there.
    pub text: String,
    /// New values.
    pub changes: Vec<(String, String)>,
    /// What is buffered after it, by thread, the oldest first.
    pub buffers: Vec<(String, Vec<(String, String)>)>,
}
