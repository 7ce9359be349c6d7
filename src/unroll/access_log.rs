//! Who touched a slot that is not contended, and who wrote to shared ones.

use super::id::ThreadId;
use super::memory::{SlotId, ThreadKey};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub(super) struct AccessLog {
    by_thread: BTreeMap<SlotId, BTreeMap<ThreadId, Option<u64>>>,
    writers: BTreeMap<SlotId, BTreeSet<ThreadKey>>,
}

impl AccessLog {
    /// A thread reads or writes a slot that is not contended.
    pub(super) fn note_access(&mut self, slot: SlotId, thread: ThreadId, writes_at: Option<u64>) {
        let by = self.by_thread.entry(slot).or_default();
        let last = by.entry(thread).or_default();
        *last = writes_at.or(*last);
    }

    /// By slot that is not contended, and by thread that touched it: when it last wrote.
    pub(super) fn by_thread(
        &self,
    ) -> impl Iterator<Item = (SlotId, &BTreeMap<ThreadId, Option<u64>>)> {
        self.by_thread.iter().map(|(slot, by)| (*slot, by))
    }

    /// When a thread last wrote to a slot that is not contended.
    pub(super) fn written(&self, slot: SlotId, thread: ThreadId) -> Option<u64> {
        self.by_thread.get(&slot)?.get(&thread).copied().flatten()
    }

    /// A thread writes to a shared slot.
    pub(super) fn note_writer(&mut self, slot: SlotId, thread: ThreadKey) {
        self.writers.entry(slot).or_default().insert(thread);
    }

    /// The threads that wrote to shared slots.
    pub(super) fn writers(&self) -> impl Iterator<Item = (SlotId, &BTreeSet<ThreadKey>)> {
        self.writers.iter().map(|(slot, by)| (*slot, by))
    }
}
