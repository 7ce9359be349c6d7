//! Which objects were allocated, and which ended, by whom and when.

use super::id::ThreadId;
use super::memory::ObjId;
use super::term::TermId;
use crate::base::source::Span;
use std::collections::BTreeSet;

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
