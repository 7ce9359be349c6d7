//! What a pass has found of loops and recursion, beside what it hands on.

use ir::bounds::Trips;
use ir::program::ProcId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A back edge: a procedure, and the place of the jump.
pub(super) type BackEdge = (ProcId, usize);

#[derive(Default)]
pub(super) struct LoopLog {
    cut: FxHashMap<BackEdge, Trips>,
    undetermined: FxHashMap<BackEdge, u32>,
    events: BTreeMap<BackEdge, usize>,
    returning: Vec<ProcId>,
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
}
