//! Who touched which scalars, and when.

use super::id::ThreadId;
use super::memory::{ObjId, SlotId, ThreadKey};
use super::term::TermId;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A store to one scalar and no other.
#[derive(Clone, Copy)]
pub(super) struct Stored {
    pub(super) thread: ThreadId,
    pub(super) slot: SlotId,
    pub(super) time: u64,
    pub(super) guard: TermId,
    pub(super) is_atomic: bool,
}

/// An access at one of many places of an object.
pub(super) struct WideAccess {
    /// Its address.
    pub(super) addr: TermId,
    /// It happens when this holds.
    pub(super) guard: TermId,
    /// The object.
    pub(super) object: ObjId,
    /// How many places there are.
    pub(super) count: usize,
    /// Their offsets, where these are few.
    pub(super) places: Vec<u64>,
}

#[derive(Default)]
pub(super) struct AccessLog {
    by_thread: BTreeMap<SlotId, BTreeMap<ThreadId, Option<u64>>>,
    writers: BTreeMap<SlotId, BTreeSet<ThreadKey>>,
    reads: FxHashMap<(ThreadId, SlotId), u64>,
    stores: Vec<Stored>,
    wide: Vec<WideAccess>,
    outside: Vec<TermId>,
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

    pub(super) fn note_read(&mut self, slot: SlotId, thread: ThreadId, time: u64) {
        self.reads.insert((thread, slot), time);
    }

    pub(super) fn is_read_since(&self, slot: SlotId, thread: ThreadId, time: u64) -> bool {
        let last = self.reads.get(&(thread, slot));
        last.is_some_and(|last| *last >= time)
    }

    pub(super) fn note_store(&mut self, stored: Stored) {
        self.stores.push(stored);
    }

    /// The stores of a thread since, the last first.
    pub(super) fn stores_since(
        &self,
        thread: ThreadId,
        time: u64,
    ) -> impl Iterator<Item = &Stored> {
        let recent = self.stores.iter().rev();
        let recent = recent.take_while(move |stored| stored.time >= time);
        recent.filter(move |stored| stored.thread == thread)
    }

    pub(super) fn note_wide(&mut self, access: WideAccess) {
        self.wide.push(access);
    }

    pub(super) fn take_wide(&mut self) -> Vec<WideAccess> {
        std::mem::take(&mut self.wide)
    }

    /// A read that is at none of the places that it may be at returns this.
    pub(super) fn note_outside(&mut self, value: TermId) {
        self.outside.push(value);
    }

    pub(super) fn outside(&self) -> &[TermId] {
        &self.outside
    }
}
