//! The threads of a pass: which one is executed, in which calls it is, and what has become of the others.

use super::calls::Calls;
use super::id::ThreadId;
use super::memory::{ObjId, ThreadKey};
use super::placed::Name;
use super::state::{State, SymbolicValue};
use super::term::TermId;
use base::idx::IdVec;
use ir::program::ProcId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Objects, and threads by their handles, that have ended when the conditions hold.
#[derive(Clone)]
pub(super) struct Ended {
    pub(super) objects: Rc<BTreeMap<ObjId, TermId>>,
    pub(super) names: Rc<BTreeMap<Name, TermId>>,
}

/// How a thread ends.
pub(super) struct End {
    pub(super) returned: SymbolicValue,
    /// What had ended when it did.
    pub(super) left: Ended,
}

/// A thread by who made it.
pub(super) struct Birth {
    pub(super) key: ThreadKey,
    pub(super) parent: Option<ThreadId>,
    /// The procedure it begins with.
    pub(super) runs: ProcId,
    pub(super) time: u64,
}

struct Instance {
    birth: Birth,
    calls: Calls,
    /// Whether it has been executed to its end.
    is_done: bool,
    /// `None` where no path comes to an end.
    end: Option<End>,
}

/// In the order of [`EventGraph::threads`](super::event::EventGraph::threads).
pub(super) struct Threads {
    all: IdVec<ThreadId, Instance>,
    current: ThreadId,
    is_concurrent: bool,
    occurrences: FxHashMap<(ThreadKey, (ProcId, usize)), u32>,
}

impl Default for Threads {
    fn default() -> Threads {
        Threads {
            all: IdVec::new(),
            current: ThreadId(0),
            is_concurrent: false,
            occurrences: FxHashMap::default(),
        }
    }
}

impl Threads {
    /// The thread that is executed.
    pub(super) fn current(&self) -> ThreadId {
        self.current
    }

    /// A new thread is executed from now on; the one that was before.
    pub(super) fn begin(&mut self, birth: Birth) -> ThreadId {
        let new = self.all.push(Instance {
            birth,
            calls: Calls::default(),
            is_done: false,
            end: None,
        });
        std::mem::replace(&mut self.current, new)
    }

    /// The thread has been executed, and `outer` goes on.
    pub(super) fn finish(&mut self, end: Option<End>, outer: ThreadId) {
        let instance = &mut self.all[self.current];
        instance.end = end;
        instance.is_done = true;
        self.current = outer;
    }

    pub(super) fn key(&self) -> ThreadKey {
        self.key_of(self.current)
    }

    pub(super) fn key_of(&self, thread: ThreadId) -> ThreadKey {
        self.all[thread].birth.key
    }

    pub(super) fn find(&self, key: ThreadKey) -> Option<ThreadId> {
        self.all.ids().find(|t| self.key_of(*t) == key)
    }

    /// The procedure that a thread began with.
    pub(super) fn runs(&self, thread: ThreadId) -> ProcId {
        self.all[thread].birth.runs
    }

    /// Those that have been executed to their end.
    pub(super) fn done(&self) -> impl Iterator<Item = ThreadId> + '_ {
        let all = self.all.iter_enumerated();
        all.filter(|(_, t)| t.is_done).map(|(id, _)| id)
    }

    pub(super) fn end_of(&self, thread: ThreadId) -> Option<&End> {
        self.all[thread].end.as_ref()
    }

    /// The calls that the current thread is in.
    pub(super) fn calls(&self) -> &Calls {
        &self.all[self.current].calls
    }

    pub(super) fn calls_mut(&mut self) -> &mut Calls {
        &mut self.all[self.current].calls
    }

    /// The paths of the current thread that have left all its calls.
    pub(super) fn take_exits(&mut self) -> Vec<(State, SymbolicValue)> {
        std::mem::take(self.calls_mut()).exits()
    }

    /// Whether a second thread may exist.
    pub(super) fn is_concurrent(&self) -> bool {
        self.is_concurrent
    }

    pub(super) fn become_concurrent(&mut self) {
        self.is_concurrent = true;
    }

    /// Whether a thread created others.
    pub(super) fn is_parent(&self, thread: ThreadId) -> bool {
        self.all.iter().any(|t| t.birth.parent == Some(thread))
    }

    /// Whether the current thread has created others since.
    pub(super) fn has_created_since(&self, time: u64) -> bool {
        let own = self.all.iter().map(|t| &t.birth);
        let mut own = own.filter(|birth| birth.parent == Some(self.current));
        own.any(|birth| birth.time > time)
    }

    /// True when `other` was created by `writer`, or by a descendant of it, after `when`: it has
    /// inherited what was written then.
    pub(super) fn has_inherited(&self, writer: ThreadId, when: u64, other: ThreadId) -> bool {
        let mut birth = &self.all[other].birth;
        while let Some(parent) = birth.parent {
            if parent == writer {
                return birth.time > when;
            }
            birth = &self.all[parent].birth;
        }
        false
    }

    /// How often the current thread has executed an instruction before, counted by this call.
    pub(super) fn count_occurrence(&mut self, site: (ProcId, usize)) -> u32 {
        let count = self.occurrences.entry((self.key(), site)).or_default();
        *count += 1;
        *count - 1
    }
}
