//! Which mutexes paths hold, and what a pass has seen of them; see [`super::guarded`].

use super::id::EventId;
use super::memory::SlotId;
use super::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Mutexes that a path may hold, with the guard of the write that acquired each.
pub type Held = Rc<BTreeMap<SlotId, TermId>>;

/// What a pass has seen of mutexes.
#[derive(Default)]
pub(super) struct Mutexes {
    held: FxHashMap<EventId, Held>,
    proper: FxHashSet<EventId>,
}

impl Mutexes {
    /// What a path holds at an event.
    pub(super) fn note_held(&mut self, event: EventId, held: &Held) {
        if !held.is_empty() {
            self.held.insert(event, held.clone());
        }
    }

    pub(super) fn held(&self, event: EventId) -> impl Iterator<Item = (SlotId, TermId)> + '_ {
        let held = self.held.get(&event).into_iter();
        held.flat_map(|held| held.iter().map(|(slot, guard)| (*slot, *guard)))
    }

    /// A write acquires a mutex, or releases one that the thread holds.
    pub(super) fn note_proper(&mut self, write: EventId) {
        self.proper.insert(write);
    }

    pub(super) fn is_proper(&self, write: EventId) -> bool {
        self.proper.contains(&write)
    }
}
