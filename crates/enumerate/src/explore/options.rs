//! What an exploration is told, and what it tells.

/// What an exploration looks for, and what it passes over.
#[derive(Clone, Copy)]
pub struct ExploreOptions {
    /// It ends after an execution that violates a property, and about as many again, which may violate others.
    pub first: bool,
    /// On the model, iterations may be left out in which a thread writes back what it has read, or that are
    /// one critical section (`unroll::idle` has the reasons).
    pub leaves_out_writes: bool,
    /// So many parts of threads are kept although no execution that is looked at has them.
    pub kept: usize,
}

impl Default for ExploreOptions {
    /// All executions, with nothing left out.
    fn default() -> ExploreOptions {
        ExploreOptions {
            first: false,
            leaves_out_writes: false,
            kept: 1 << 14,
        }
    }
}

/// How far an exploration has come.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Progress {
    /// Executions so far in which all threads come to their end.
    pub complete: u64,
    /// Executions so far in which some thread does not.
    pub blocked: u64,
    /// The part of all executions that these are, between 0 and 1, if each way in which a graph goes on led to
    /// as many (Knuth: Estimating the efficiency of backtrack programs, Mathematics of Computation 1975).
    pub share: f64,
}

/// Watches an exploration.
pub trait Watch {
    /// Is called now and then: whether to give up.
    fn gives_up(&self) -> bool;

    /// Is told after each execution how far it has come.
    fn sees(&self, _progress: Progress) {}
}

impl<F: Fn() -> bool> Watch for F {
    fn gives_up(&self) -> bool {
        self()
    }
}
