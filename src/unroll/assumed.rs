//! What a pass has concluded something from before it could be known, to be compared with what there
//! is at its end.

use super::id::{EventId, ThreadId};
use super::memory::{Facts, SlotId};
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct Assumed {
    objects: usize,
    /// Something depends on the number of objects.
    is_numbered: bool,
    values: BTreeMap<SlotId, Option<BTreeSet<u64>>>,
    published_later: BTreeSet<(ThreadId, SlotId)>,
    accessed_alone: BTreeSet<(ThreadId, SlotId)>,
    guarded: BTreeSet<(EventId, SlotId)>,
}

impl Assumed {
    pub(super) fn new(facts: &Facts) -> Assumed {
        Assumed {
            objects: facts.objects.len(),
            is_numbered: false,
            values: BTreeMap::new(),
            published_later: BTreeSet::new(),
            accessed_alone: BTreeSet::new(),
            guarded: BTreeSet::new(),
        }
    }

    /// How many objects there are after this pass, as far as earlier ones know.
    pub(super) fn objects(&mut self) -> usize {
        self.is_numbered = true;
        self.objects
    }

    /// These are all numbers that threads write to a slot; `None` stands for any.
    pub(super) fn note_values(&mut self, slot: SlotId, values: Option<BTreeSet<u64>>) {
        self.values.insert(slot, values);
    }

    /// Whether something was concluded from a number of objects, or from values, that are not all.
    pub(super) fn is_contradicted(&self, facts: &Facts) -> bool {
        let mut values = self.values.iter();
        values.any(|(slot, then)| facts.values(*slot) != *then)
            || self.is_numbered && self.objects != facts.objects.len()
    }

    /// A write to a scalar was left out, of an object that its thread publishes later, behind a fence.
    pub(super) fn note_published_later(&mut self, thread: ThreadId, slot: SlotId) {
        self.published_later.insert((thread, slot));
    }

    pub(super) fn take_published_later(&mut self) -> BTreeSet<(ThreadId, SlotId)> {
        std::mem::take(&mut self.published_later)
    }

    /// A scalar of a static object is accessed by one thread alone, and by those that have joined it.
    pub(super) fn note_accessed_alone(&mut self, thread: ThreadId, slot: SlotId) {
        self.accessed_alone.insert((thread, slot));
    }

    pub(super) fn take_accessed_alone(&mut self) -> BTreeSet<(ThreadId, SlotId)> {
        std::mem::take(&mut self.accessed_alone)
    }

    /// A mutex guards an access.
    pub(super) fn note_guarded(&mut self, event: EventId, slot: SlotId) {
        self.guarded.insert((event, slot));
    }

    pub(super) fn take_guarded(&mut self) -> BTreeSet<(EventId, SlotId)> {
        std::mem::take(&mut self.guarded)
    }
}
