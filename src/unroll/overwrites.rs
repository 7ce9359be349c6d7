//! Which scalars a pass has stored to, read, and left out writes to; see [`super::unpublished`].

use super::id::ThreadId;
use super::memory::SlotId;
use super::term::TermId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What is known of the accesses of a pass, for this.
#[derive(Default)]
pub(super) struct Overwrites {
    /// Stores to one scalar, with their guards, in the order of execution.
    pub(super) stores: Vec<(ThreadId, SlotId, u64, TermId)>,
    /// When a thread last read a scalar.
    pub(super) reads: FxHashMap<(ThreadId, SlotId), u64>,
    /// Scalars whose writes were left out, of an object that its thread publishes later.
    pub(super) left_out: BTreeSet<(ThreadId, SlotId)>,
}
