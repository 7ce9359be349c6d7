//! How other threads come to know an object: by a write that publishes its address.
//!
//! Let T allocate an object and write to one of its scalars (W'). Another thread has the address from
//! a write P of T, directly or through writes that are computed from a read of P; and an access r' of
//! the scalar has it in its address. Let W' come before every such P in program order and happen
//! whenever the object exists. Then r' reads nothing that coherence has before W': r' –fr→ W' would close a cycle.
//!
//! - **SC, TSO** ([`Publishing::Ordered`]): W' –po→ P is kept, and so is P –rfe→ r –po→ r', however often
//!   repeated, as reads stay before what follows them. In T itself r' comes after W', so that coherence
//!   says it.
//! - **Power** ([`Publishing::Fenced`]): a fence between W' and P makes it a pair of `prop`. From P to
//!   r' lead reads-from and, in a thread, what the address is computed from: dependencies and `rfi`,
//!   that is `hb`. So fre; prop; hb* has a cycle, which *observation* forbids.
//! - **ARMv8, RISC-V** ([`Publishing::Fenced`]): a fence between W' and P, or that P releases, makes the two
//!   a pair of `bob` (rules 4 and 6). From P to r' lead the same steps as on Power, which are in `obs` and
//!   `dob` (rules 9, 10 and 12), and r' –fre→ W'. That another write between the two releases does not.
//! - **PSO** ([`Publishing::Fenced`]): the same makes them a pair of `ab`; from P to r' as on SC.
//! - **RC11** ([`Publishing::Ordered`], [`Awaits::publishes_plain`]): addresses order nothing, but if W' is not
//!   atomic and does not happen before r', the two race: r' does not happen before W', as W' –po→ P leads to r'
//!   by `po | rf`. Up to r' the execution is one in which r' reads from W', too, and it has that race. So
//!   nothing is lost where races are looked for.
//!
//! Elsewhere addresses may go before the writes to what they point to; nothing is said there.
//!
//! [`Awaits::publishes_plain`]: super::options::Awaits::publishes_plain
//!
//! **Guessed addresses.** An arbitrary number that is used as an address may be that of the object by
//! chance. Then it may be another one, too, the access is unresolved, and the program is not safe
//! anyway. Only a comparison with an address that was published makes sure that the guess is right.
//! On SC and TSO the access comes after the read of that one. On Power it need not, so nothing is
//! concluded from fences in programs in which arbitrary numbers become pointers.
//!
//! A thread that creates threads may hand over addresses that way; it has no such objects here. Who
//! has the address from a join comes after W' in program order.

use super::event::*;
use super::executor::Executor;
use super::memory::{ObjId, ObjKind, SlotId};
use super::options::Publishing;
use super::state::is_implied;
use super::term::{Term, TermId, operands};
use ir::program::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

impl Executor<'_> {
    /// Whether a write may put an address of an object anywhere else than into that object itself.
    pub(super) fn publishes(&mut self, e: EventId, object: ObjId) -> bool {
        let value = self.graph.events[e].value;
        self.may_publish(e) && {
            let outside = self.is_outside(e, object);
            outside && self.points_to(value).objects.contains_key(&object)
        }
    }

    /// How addresses are published. That pieces of one are is not looked for.
    pub(super) fn publishing(&self) -> Publishing {
        match self.facts.has_pieces() {
            true => Publishing::Unknown,
            false => self.options.awaits.publishing,
        }
    }

    fn may_publish(&self, e: EventId) -> bool {
        let (kind, value) = (self.graph.events[e].kind, self.graph.events[e].value);
        let pointer = self.program.data_model.pointer_width();
        kind == EventKind::Write && self.graph.terms.width(value) == pointer
    }

    fn is_outside(&self, e: EventId, object: ObjId) -> bool {
        let mut cells = self.graph.events[e].cells.iter();
        cells.any(|c| self.facts.slots[self.cells.slot(*c)].object != object)
    }

    /// Whether all that a guard says is said by another one.
    pub(super) fn is_implied(&self, guard: TermId, by: TermId) -> bool {
        is_implied(&self.graph.terms, guard, by)
    }

    /// The writes that come before whatever other threads do to their cells, as far as is known.
    pub(super) fn initialising(&mut self) -> Vec<EventId> {
        let publishing = self.publishing();
        let mut found = Vec::new();
        if publishing == Publishing::Unknown {
            return found;
        }
        for thread in self.graph.threads.ids() {
            if self.threads.is_parent(thread) {
                continue;
            }
            let key = self.threads.key_of(thread);
            let events = self.graph.threads[thread].events.clone();
            // By object: where its address is published.
            let mut published: BTreeMap<ObjId, Vec<usize>> = BTreeMap::new();
            for (i, e) in events.iter().enumerate() {
                if !self.may_publish(*e) {
                    continue;
                }
                let value = self.graph.events[*e].value;
                for &object in self.points_to(value).objects.keys() {
                    let made = self.allocations.of(object);
                    let since = made.is_some_and(|m| m.thread == thread && m.position <= i);
                    if since && self.is_outside(*e, object) {
                        published.entry(object).or_default().push(i);
                    }
                }
            }
            for (object, at) in published {
                let kind = &self.facts.objects[object].kind;
                let own = matches!(kind, ObjKind::Alloc { thread, .. } if *thread == key);
                let made = self.allocations.of(object);
                if own && made.is_some_and(|made| made.concurrent) {
                    self.initialised_before(&events, object, &at, &mut found);
                }
            }
        }
        if publishing == Publishing::Fenced && self.may_guess(&found) {
            found.clear();
        }
        found
    }

    /// The last writes to the scalars of an object before its address is published, at some places.
    fn initialised_before(
        &self,
        events: &[EventId],
        object: ObjId,
        published: &[usize],
        found: &mut Vec<EventId>,
    ) {
        let Some(made) = self.allocations.of(object) else {
            return;
        };
        let mut last: BTreeMap<SlotId, EventId> = BTreeMap::new();
        for i in made.position..published[0] {
            let event = &self.graph.events[events[i]];
            let [cell] = event.cells[..] else {
                continue;
            };
            let slot = self.cells.slot(cell);
            let of_object = self.facts.slots[slot].object == object;
            let stays = self.publishing() == Publishing::Ordered
                || published
                    .iter()
                    .all(|p| self.stays_before(&events[i..*p], events[*p]));
            let always = self.is_implied(event.guard, made.guard);
            let plain_alone = self.options.awaits.publishes_plain;
            let known = !(plain_alone && event.may_be_atomic());
            if event.kind == EventKind::Write && of_object && always && stays && known {
                last.insert(slot, events[i]);
            }
        }
        found.extend(last.into_values());
    }

    /// Whether writes in front of some events stay before a write behind these.
    pub(super) fn stays_before(&self, between: &[EventId], write: EventId) -> bool {
        let write = &self.graph.events[write];
        let is_fence = |e: &EventId| {
            let event = &self.graph.events[*e];
            is_releasing_fence(event.kind) && self.is_implied(event.guard, write.guard)
        };
        is_releasing_write(write) || between.iter().any(is_fence)
    }

    /// Whether the thread that writes may have looked at the cell before.
    fn is_read_before(&self, write: EventId) -> bool {
        let event = &self.graph.events[write];
        let own = event.thread.map(|t| self.graph.threads[t].events.iter());
        let mut before = own.into_iter().flatten().take_while(|e| **e != write);
        before.any(|e| {
            let other = &self.graph.events[*e];
            other.kind == EventKind::Read && other.cells.iter().any(|c| event.cells.contains(c))
        })
    }

    /// Whether arbitrary numbers may become addresses, when what was in memory before some writes is
    /// not read.
    pub(super) fn may_guess(&self, initialising: &[EventId]) -> bool {
        let pointer = self.program.data_model.pointer_width();
        let written: FxHashSet<CellId> = initialising
            .iter()
            .filter(|e| !self.is_read_before(**e))
            .flat_map(|e| self.graph.events[*e].cells.iter().copied())
            .collect();
        let terms = &self.graph.terms;
        let (mut work, mut seen) = (Vec::new(), FxHashSet::default());
        for event in self.graph.events.iter() {
            let before = matches!(event.kind, EventKind::Init | EventKind::Lifetime(_));
            if before && event.cells.iter().all(|c| written.contains(c)) {
                continue;
            }
            work.extend([event.guard, event.addr, event.value]);
        }
        while let Some(term) = work.pop() {
            if seen.insert(term) {
                let is_any = matches!(terms.get(term), Term::Nondet(_));
                if is_any && terms.width(term) == pointer {
                    return true;
                }
                work.extend(operands(terms.get(term)).into_iter().flatten());
            }
        }
        false
    }
}

/// The fences that keep writes before writes on all machines that have them and where program order does not.
/// That those of a model do is tested where what may be left out under it is said.
pub const RELEASING_FENCES: [Fence; 6] = [
    Fence::Posix,
    Fence::Sync,
    Fence::Lwsync,
    Fence::C11(MemoryOrder::Release),
    Fence::C11(MemoryOrder::AcqRel),
    Fence::C11(MemoryOrder::SeqCst),
];

fn is_releasing_fence(kind: EventKind) -> bool {
    matches!(kind, EventKind::Fence(FenceTag::Explicit(fence)) if RELEASING_FENCES.contains(&fence))
}

/// Whether what its thread has written stays before a write. What else a machine has for a write that releases
/// may order nothing with later ones: `stlr` of ARMv8, or the fence of a compare-exchange that fails.
fn is_releasing_write(write: &Event) -> bool {
    let fence = match write.rmw_read {
        Some(_) => FenceTag::before_rmw(write.order),
        None => FenceTag::before_store(write.order),
    };
    fence.is_some()
}
