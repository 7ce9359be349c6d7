//! Memory that a mutex guards, found while threads are executed: the locksets of Eraser (Savage, Burrows,
//! Nelson, Sobalvarro and Anderson, TOCS 1997), by path.
//!
//! What is accessed under one mutex does not race, so an iteration that changed nothing need not be followed for
//! the sake of such accesses ([`super::idle`]). That the other accesses of the memory are under the mutex, too, is
//! assumed, and checked at the end of the pass ([`Facts::is_unguarded`]): accesses of other threads that do not come
//! before the thread was created or after it was joined.
//!
//! **What is left out is under it, too.** An iteration that is left out begins with the mutexes held with which
//! the one begins that is in the graph, and accesses what that one does; and where it gave a mutex back and took it
//! again, the accesses behind it have the later acquisition in the place of the earlier one.
//!
//! **Mutual exclusion.** An *acquisition* is a read-modify-write of the library that happens only where it reads 0
//! and writes another number; a *release* writes 0 where the thread surely holds the mutex, by its path. All other
//! writes to the mutex come before any thread is created, or write some other number than 0. Let the model be
//! coherent and its read-modify-writes atomic. An acquisition comes immediately behind a 0 in coherence, so, but
//! for the first one, there is a release between two acquisitions; and the first release behind an acquisition `L`
//! is by its own thread. Let `L` be the first of which it is another thread's `U'`, of the acquisition `L'`. `L'`
//! is before `U'`, so it is before `L`; the first release behind `L'` is its own, `U'`, but one stands between `L'`
//! and `L`: no. So from what is under one acquisition to what is under a later one lead program order and pairs of
//! a release that an acquisition reads from, which order what races (C11 7.26.4; POSIX 4.12) by the definitions
//! that [`Awaits::mutexes`] stands for.
//!
//! [`Facts::is_unguarded`]: super::memory::Facts::is_unguarded
//! [`Awaits::mutexes`]: super::options::Awaits::mutexes

use super::event::*;
use super::executor::Executor;
use super::memory::SlotId;
use super::state::{State, conjuncts, is_implied};
use super::targets::Targets;
use super::term::{Term, TermId};
use ir::program::{BinOp, MemoryOrder, Role};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

impl Executor<'_> {
    /// What a path holds behind its last access, a write, whose events are those from `first` on.
    pub(super) fn acquire_or_release(
        &mut self,
        state: &mut State,
        targets: &Targets,
        first: EventId,
    ) {
        let written = self.graph.events.next_id();
        if !self.options.awaits.mutexes || written == first {
            return;
        }
        let slots = targets.pieces.iter().flat_map(|p| &p.shared);
        let slots: Vec<SlotId> = slots.map(|(slot, _)| *slot).collect();
        let event = &self.graph.events[first];
        let order = event.order;
        let (guard, is_zero) = (
            event.guard,
            self.graph.terms.as_const(event.value) == Some(0),
        );
        if let [slot] = slots[..] {
            let is_proper = match order {
                MemoryOrder::Library(Role::Lock) => self.acquires_mutex(first),
                MemoryOrder::Library(Role::Release) => {
                    let acquired = state.held.get(&slot);
                    let surely = |by: &TermId| is_implied(&self.graph.terms, *by, guard);
                    is_zero && event.group.is_none() && acquired.is_some_and(surely)
                }
                _ => false,
            };
            if is_proper {
                self.mutexes.note_proper(first);
            }
            if is_proper && !is_zero {
                Rc::make_mut(&mut state.held).insert(slot, guard);
                return;
            }
        }
        if slots.iter().any(|slot| state.held.contains_key(slot)) {
            Rc::make_mut(&mut state.held).retain(|slot, _| !slots.contains(slot));
        }
    }

    /// Whether a write is that of a read-modify-write which happens only where it reads 0, and writes another
    /// number.
    fn acquires_mutex(&self, w: EventId) -> bool {
        let (event, terms) = (&self.graph.events[w], &self.graph.terms);
        let Some(read) = event.rmw_read.map(|r| &self.graph.events[r]) else {
            return false;
        };
        let is_free = |part: &TermId| match terms.get(*part) {
            Term::Binary(BinOp::Eq, x, y) => x == read.value && terms.as_const(y) == Some(0),
            _ => false,
        };
        let new = terms.as_const(event.value);
        event.group.is_none()
            && read.cells == event.cells
            && new.is_some_and(|new| new != 0)
            && conjuncts(terms, event.guard).iter().any(is_free)
    }

    /// The mutexes that are surely held at an event.
    fn held_at(&self, e: EventId) -> impl Iterator<Item = SlotId> + '_ {
        let guard = self.graph.events[e].guard;
        self.mutexes.held(e).filter_map(move |(slot, acquired)| {
            is_implied(&self.graph.terms, acquired, guard).then_some(slot)
        })
    }

    /// Whether a mutex guards an access, as far as is known; notes that this was assumed.
    pub(super) fn is_guarded(&mut self, e: EventId, slot: SlotId) -> bool {
        let guarded = !self.facts.is_unguarded(slot) && self.held_at(e).next().is_some();
        if guarded {
            self.assumed.note_guarded(e, slot);
        }
        guarded
    }

    /// Finds memory that a mutex was assumed to guard and does not.
    pub(super) fn find_unguarded(&mut self) {
        let excused = self.assumed.take_guarded();
        if excused.is_empty() {
            return;
        }
        let broken = self.broken_mutexes();
        let mut accesses: FxHashMap<SlotId, Vec<(ThreadId, usize)>> = FxHashMap::default();
        for thread in self.graph.threads.ids() {
            for (position, e) in self.graph.threads[thread].events.iter().enumerate() {
                for cell in &self.graph.events[*e].cells {
                    let of_slot = accesses.entry(self.cells.slot(*cell)).or_default();
                    of_slot.push((thread, position));
                }
            }
        }
        for (e, slot) in excused {
            let mutexes: BTreeSet<SlotId> =
                self.held_at(e).filter(|m| !broken.contains(m)).collect();
            let thread = self.graph.events[e].thread;
            let kept_apart = |(other, position): &(ThreadId, usize)| {
                let f = self.graph.threads[*other].events[*position];
                thread == Some(*other)
                    || self.held_at(f).any(|m| mutexes.contains(&m))
                    || thread.is_some_and(|t| self.is_before_or_behind(t, *other, *position))
            };
            if !accesses[&slot].iter().all(kept_apart) {
                self.facts.note_unguarded(slot);
            }
        }
    }

    /// Cells that are written to otherwise than mutexes are.
    fn broken_mutexes(&self) -> FxHashSet<SlotId> {
        let graph = &self.graph;
        let mut broken = FxHashSet::default();
        let created = graph.threads.iter().filter(|t| t.parent.is_some());
        let alone = created.map(|t| t.created_after).min();
        for thread in graph.threads.ids() {
            let is_main = graph.threads[thread].parent.is_none();
            for (position, e) in graph.threads[thread].events.iter().enumerate() {
                let event = &graph.events[*e];
                let is_alone = is_main && alone.is_none_or(|end| position < end);
                let is_other = graph
                    .terms
                    .as_const(event.value)
                    .is_some_and(|new| new != 0);
                if event.kind.writes() && !(is_alone || is_other || self.mutexes.is_proper(*e)) {
                    broken.extend(event.cells.iter().map(|cell| self.cells.slot(*cell)));
                }
            }
        }
        broken
    }

    /// Whether what `other` does at a position comes before a thread is created, or after it was joined.
    fn is_before_or_behind(&self, thread: ThreadId, other: ThreadId, position: usize) -> bool {
        let graph = &self.graph;
        let mut child = thread;
        while let Some(parent) = graph.threads[child].parent {
            if parent == other {
                return position < graph.threads[child].created_after
                    || self.has_joined(thread, other, position);
            }
            child = parent;
        }
        self.has_joined(thread, other, position)
    }
}
