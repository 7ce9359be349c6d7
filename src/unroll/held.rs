//! Which mutexes paths hold, and what a pass has seen of them; see [`super::guarded`].

use super::id::EventId;
use super::memory::SlotId;
use super::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Mutexes that a path may hold, with the guard of the write that acquired each.
pub type Held = Rc<BTreeMap<SlotId, TermId>>;

/// What a pass has seen of mutexes.
#[derive(Default)]
pub(super) struct Mutexes {
    /// What paths held at events.
    pub(super) held: FxHashMap<EventId, Held>,
    /// Writes that acquire a mutex, or release one that the thread holds.
    pub(super) proper: FxHashSet<EventId>,
    /// Accesses that a mutex is assumed to guard.
    pub(super) excused: BTreeSet<(EventId, SlotId)>,
}
