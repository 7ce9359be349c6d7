//! Which objects were allocated, and which ended, by whom and when.

use super::id::ThreadId;
use super::memory::ObjId;
use super::term::TermId;
use base::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// An allocation that was executed.
pub(super) struct Allocation {
    pub(super) heap: bool,
    pub(super) thread: ThreadId,
    pub(super) time: u64,
    /// How many events the thread had then.
    pub(super) position: usize,
    pub(super) guard: TermId,
    /// There may have been other threads.
    pub(super) concurrent: bool,
    pub(super) span: Span,
}

/// An object that was freed, or that ended with its block, its function or its thread.
pub(super) struct Deallocation {
    pub(super) object: ObjId,
    pub(super) thread: ThreadId,
    pub(super) time: u64,
    pub(super) cond: TermId,
    /// Threads that had surely ended before.
    pub(super) joined: BTreeSet<ThreadId>,
}

/// What a pass has seen of them.
#[derive(Default)]
pub(super) struct Allocations {
    made: BTreeMap<ObjId, Allocation>,
    sizes: BTreeMap<ObjId, TermId>,
    ended: Vec<Deallocation>,
}

impl Allocations {
    pub(super) fn note_made(&mut self, object: ObjId, made: Allocation) {
        self.made.insert(object, made);
    }

    pub(super) fn note_size(&mut self, object: ObjId, bytes: TermId) {
        self.sizes.insert(object, bytes);
    }

    /// The size of an object that is not a constant.
    pub(super) fn size_of(&self, object: ObjId) -> Option<TermId> {
        self.sizes.get(&object).copied()
    }

    pub(super) fn note_ended(&mut self, ended: Deallocation) {
        self.ended.push(ended);
    }

    /// That of an object, if it was allocated.
    pub(super) fn of(&self, object: ObjId) -> Option<&Allocation> {
        self.made.get(&object)
    }

    pub(super) fn made(&self) -> impl Iterator<Item = (ObjId, &Allocation)> {
        self.made.iter().map(|(object, made)| (*object, made))
    }

    pub(super) fn ended(&self) -> &[Deallocation] {
        &self.ended
    }
}
