//! Writes of an iteration that are overwritten before another thread can look: `new->next = top` of a
//! push whose compare-exchange fails.
//!
//! The iteration that wrote them changed nothing else, so the next one does the same up to the store
//! of its own (W') to the same scalar, if that store is unconditional: its guard is that of the
//! iteration's head, and its address a constant. If no read of the iteration looks at the scalar,
//! its content does not matter at the loop's head, and the iteration may be left out with the
//! write (W). For memory that this thread alone touches this is all there is to it.
//!
//! **Memory that others touch when this thread has ended**, as those do that have joined it. They come to
//! what it wrote last, which is not W. That there are no other accesses is assumed, and checked at the end of
//! the pass ([`Facts::is_accessed_beside`]).
//!
//! **Memory that others touch later.** Let the object be one that this thread has allocated, before
//! the iteration began, and whose address it has neither written to memory that others touch nor
//! given to a thread that it created ([`is_unpublished`]). Every write that publishes the address comes
//! after W' then, and what other threads read comes from W' or what coherence has behind it
//! ([`super::publication`]), so not from W; nor does this thread read W, as it comes to W' first. No
//! execution reads W, and without the iteration it loses order alone. Where a fence is needed between
//! W' and each write that publishes, that it is there is assumed and checked at the end of the pass
//! ([`Facts::is_published_early`]).
//!
//! [`Facts::is_accessed_beside`]: super::memory::Facts::is_accessed_beside
//! [`Facts::is_published_early`]: super::memory::Facts::is_published_early
//! [`is_unpublished`]: Executor::is_unpublished

use super::access_log::Stored;
use super::event::*;
use super::executor::Executor;
use super::memory::{ObjKind, SlotId};
use super::options::Publishing;
use super::state::LoopState;
use super::term::TermId;
use std::collections::BTreeSet;

impl Executor<'_> {
    /// Notes a read of a scalar.
    pub(super) fn note_read(&mut self, slot: SlotId) {
        let (thread, now) = (self.threads.current(), self.progress.now());
        self.accesses.note_read(slot, thread, now);
    }

    /// Notes a store to this scalar and no other.
    pub(super) fn note_store(&mut self, slot: SlotId, guard: TermId, is_atomic: bool) {
        self.accesses.note_store(Stored {
            thread: self.threads.current(),
            slot,
            time: self.progress.now(),
            guard,
            is_atomic,
        });
    }

    /// The scalars that each iteration overwrites before this thread or another one reads them.
    pub(super) fn overwritten(&mut self, iteration: &LoopState, guard: TermId) -> BTreeSet<SlotId> {
        let thread = self.threads.current();
        let stores = self.accesses.stores_since(thread, iteration.time);
        let stores = stores.filter(|s| s.guard == iteration.guard);
        let stores: Vec<Stored> = stores.copied().collect();
        let mut slots: BTreeSet<SlotId> = stores.iter().map(|s| s.slot).collect();
        let atomic = stores.iter().filter(|s| s.is_atomic).map(|s| s.slot);
        let atomic: BTreeSet<SlotId> = atomic.collect();
        slots.retain(|slot| {
            let object = self.facts.slots[*slot].object;
            let made = self.allocations.of(object);
            !self.accesses.is_read_since(*slot, thread, iteration.time)
                && made.is_none_or(|made| made.time < iteration.time)
        });
        let plain_alone = self.options.awaits.publishes_plain;
        slots.retain(|slot| {
            !self.facts.is_shared(*slot)
                || !(plain_alone && atomic.contains(slot)) && self.is_unpublished(*slot, guard)
        });
        slots
    }

    /// Whether no other thread has the address of what a scalar is in, on a path, and whether that
    /// one is published after it is written to.
    pub(super) fn is_unpublished(&mut self, slot: SlotId, guard: TermId) -> bool {
        let object = self.facts.slots[slot].object;
        let kind = &self.facts.objects[object].kind;
        let own = matches!(kind, ObjKind::Alloc { thread, .. } if *thread == self.threads.key());
        if matches!(kind, ObjKind::Global(..)) {
            return self.is_alone_with(slot);
        }
        if !own
            || self.publishing() == Publishing::Unknown
            || self.facts.is_published_early(object)
            || self.threads.is_parent(self.threads.current())
        {
            return false;
        }
        let Some(made) = self.allocations.of(object) else {
            return false;
        };
        let since = self.events()[made.position..].to_vec();
        let published = since
            .into_iter()
            .any(|e| self.publishes(e, object) && self.is_on(e, guard));
        if !published && self.publishing() == Publishing::Fenced {
            let thread = self.threads.current();
            self.assumed.note_published_later(thread, slot);
        }
        !published
    }

    /// Whether no thread accesses a scalar beside this one, but those that have joined it.
    fn is_alone_with(&mut self, slot: SlotId) -> bool {
        let alone = !self.facts.is_accessed_beside(self.threads.key(), slot);
        if alone {
            let thread = self.threads.current();
            self.assumed.note_accessed_alone(thread, slot);
        }
        alone
    }

    /// Finds scalars with which a thread was taken to be alone though it is not.
    pub(super) fn find_accessed_beside(&mut self) {
        for (thread, slot) in self.assumed.take_accessed_alone() {
            let graph = &self.graph;
            let is_alone = graph.threads.ids().filter(|t| *t != thread).all(|other| {
                let mut events = graph.threads[other].events.iter().enumerate();
                events.all(|(position, e)| {
                    let event = &graph.events[*e];
                    let here = event.cells.iter().any(|c| self.cells.slot(*c) == slot);
                    !here || self.has_joined(thread, other, position)
                })
            });
            let key = self.threads.key_of(thread);
            if !is_alone {
                self.facts.note_accessed_beside(key, slot);
            }
        }
    }

    /// Whether a thread has surely waited for the end of another one before it makes its event at a position.
    pub(super) fn has_joined(&self, joined: ThreadId, thread: ThreadId, position: usize) -> bool {
        let event = self.graph.threads[thread].events[position];
        let guard = self.graph.events[event].guard;
        self.graph.joins.iter().any(|j| {
            (j.joined, j.thread) == (joined, thread)
                && j.position <= position
                && self.is_implied(j.cond, guard)
        })
    }

    /// Finds objects to which a write was left out though there is no fence between the one that stands for
    /// it and one that publishes the object.
    pub(super) fn find_published_early(&mut self) {
        let left_out = self.assumed.take_published_later();
        let guesses = !left_out.is_empty() && self.may_guess(&self.graph.initialising);
        for (thread, slot) in left_out {
            let object = self.facts.slots[slot].object;
            if guesses {
                self.facts.note_published_early(object);
                continue;
            }
            let events = self.graph.threads[thread].events.clone();
            let mut last: Option<usize> = None;
            for (i, e) in events.iter().enumerate() {
                let event = &self.graph.events[*e];
                if event.kind != EventKind::Write {
                    continue;
                }
                if event.cells.iter().any(|c| self.cells.slot(*c) == slot) {
                    last = Some(i);
                } else if let Some(last) = last
                    && self.publishes(*e, object)
                    && !self.stays_before(&events[last..i], *e)
                {
                    self.facts.note_published_early(object);
                }
            }
        }
    }
}
