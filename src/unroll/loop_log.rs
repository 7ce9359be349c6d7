//! What a pass has found of loops and recursion, beside what it hands on, and which way paths have gone in
//! iterations that are compared.

use super::id::ThreadId;
use super::term::TermId;
use ir::bounds::Trips;
use ir::program::ProcId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A back edge: a procedure, and the place of the jump.
pub(super) type BackEdge = (ProcId, usize);

/// A condition that a thread has branched on, or an instruction by which its path may depend on more than
/// such conditions.
pub(super) struct Branch {
    /// When.
    pub(super) time: u64,
    /// How many events the thread had then.
    pub(super) position: usize,
    /// The condition; `None` for another instruction.
    pub(super) cond: Option<TermId>,
}

/// A compare-exchange that may fail for no reason.
pub(super) struct Failure {
    pub(super) thread: ThreadId,
    pub(super) time: u64,
    /// When it does.
    pub(super) fails: TermId,
    /// The arbitrary truth value that it depends on.
    pub(super) attempt: TermId,
}

#[derive(Default)]
pub(super) struct LoopLog {
    cut: FxHashMap<BackEdge, Trips>,
    undetermined: FxHashMap<BackEdge, u32>,
    events: BTreeMap<BackEdge, usize>,
    returning: Vec<ProcId>,
    branches: FxHashMap<ThreadId, Vec<Branch>>,
    failures: Vec<Failure>,
}

impl LoopLog {
    /// How often a loop that was cut goes on by itself, where that is known.
    pub(super) fn trips_of_cut(&self, at: BackEdge) -> Option<Trips> {
        self.cut.get(&at).copied()
    }

    pub(super) fn note_cut(&mut self, at: BackEdge, trips: Trips) {
        self.cut.insert(at, trips);
    }

    /// How often the trip count of a loop was not determined.
    pub(super) fn undetermined(&self, at: BackEdge) -> u32 {
        self.undetermined.get(&at).copied().unwrap_or(0)
    }

    pub(super) fn note_undetermined(&mut self, at: BackEdge) {
        *self.undetermined.entry(at).or_default() += 1;
    }

    /// An iteration has made so many events.
    pub(super) fn note_events(&mut self, at: BackEdge, made: usize) {
        *self.events.entry(at).or_default() += made;
    }

    /// The loop whose iterations have made the most events, and how many.
    pub(super) fn largest(&self) -> Option<(BackEdge, usize)> {
        let largest = self.events.iter().max_by_key(|(_, events)| **events);
        largest.map(|(at, events)| (*at, *events))
    }

    /// A call recurs beyond the bound, as it returns by itself.
    pub(super) fn begin_returning(&mut self, proc: ProcId) {
        self.returning.push(proc);
    }

    pub(super) fn end_returning(&mut self) {
        self.returning.pop();
    }

    pub(super) fn is_returning(&self, proc: ProcId) -> bool {
        self.returning.contains(&proc)
    }

    pub(super) fn note_branch(&mut self, thread: ThreadId, branch: Branch) {
        self.branches.entry(thread).or_default().push(branch);
    }

    /// What a thread has branched on, the last first.
    pub(super) fn branches(&self, thread: ThreadId) -> impl Iterator<Item = &Branch> {
        let branches = self.branches.get(&thread).into_iter();
        branches.flat_map(|branches| branches.iter().rev())
    }

    /// A compare-exchange may fail for no reason; when it does.
    pub(super) fn note_failure(&mut self, failure: Failure) {
        self.failures.push(failure);
    }

    /// When those of a thread fail that it has come to since, the last first.
    pub(super) fn failures_since(
        &self,
        thread: ThreadId,
        time: u64,
    ) -> impl Iterator<Item = &Failure> {
        let recent = self.failures.iter().rev();
        let recent = recent.take_while(move |failure| failure.time >= time);
        recent.filter(move |failure| failure.thread == thread)
    }
}
