//! Which scalars a pass has stored to, read, and left out writes to; see [`super::unpublished`].

use super::id::ThreadId;
use super::memory::SlotId;
use super::term::TermId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A store to one scalar.
#[derive(Clone, Copy)]
pub(super) struct Stored {
    pub(super) thread: ThreadId,
    pub(super) slot: SlotId,
    /// When.
    pub(super) time: u64,
    pub(super) guard: TermId,
    pub(super) is_atomic: bool,
}

/// What is known of the accesses of a pass, for this.
#[derive(Default)]
pub(super) struct Overwrites {
    /// Stores to one scalar, in the order of execution.
    pub(super) stores: Vec<Stored>,
    /// When a thread last read a scalar.
    pub(super) reads: FxHashMap<(ThreadId, SlotId), u64>,
    /// Scalars whose writes were left out, of an object that its thread publishes later.
    pub(super) left_out: BTreeSet<(ThreadId, SlotId)>,
    /// Scalars of static objects with which a thread is taken to be alone.
    pub(super) alone: BTreeSet<(ThreadId, SlotId)>,
}
