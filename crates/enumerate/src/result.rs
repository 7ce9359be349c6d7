//! What an enumeration finds, and why there may be none.

use base::source::Span;
use ir::program::PropertyKind;
use std::collections::{BTreeMap, BTreeSet};

/// The values of [`Program::observables`](ir::program::Program::observables), when all
/// threads have ended.
pub type FinalState = Vec<u64>;

/// A property that some execution violates: what kind, where, and its text.
pub type Violated = (PropertyKind, Span, String);

/// All executions of a program that a model allows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Enumeration {
    /// Final states of executions in which all threads end, each with the number of executions.
    pub states: BTreeMap<FinalState, u64>,
    /// Violations in executions without unsupported constructs, each with the number of executions.
    pub violations: BTreeMap<Violated, u64>,
    /// Unsupported constructs that some execution reaches.
    pub unsupported: BTreeSet<(String, Span)>,
    /// Marks that the model gives to some execution ([`cat::model::Flag`]), by name, each with the
    /// final states of those executions.
    pub flags: BTreeMap<String, BTreeSet<FinalState>>,
    /// All threads end in some execution, or the process does.
    pub ends: bool,
    /// Where threads stop before their end, as sentences.
    pub stops: BTreeSet<(String, Span)>,
    /// What was beyond a bound or not tried: the enumeration is complete when this is empty.
    pub limits_reached: BTreeSet<(String, Span)>,
    /// Executions that were judged.
    pub candidates: u64,
    /// Those that the model allows.
    pub allowed: u64,
}

impl Enumeration {
    /// Whether nothing was left out.
    pub fn is_complete(&self) -> bool {
        self.limits_reached.is_empty()
    }
}

/// Why there is no enumeration.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EnumerateError {
    /// The program has no `main`.
    #[error("the program has no function `main`")]
    NoMain,
    /// A model gives no meaning to a fence of the program, or to one that an access needs.
    #[error("{reason}")]
    UnknownFence {
        /// A sentence that names both.
        reason: String,
        /// The fence, or the access.
        span: Span,
    },
    /// `interrupt` answered true.
    #[error("interrupted")]
    Interrupted,
}
