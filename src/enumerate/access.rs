//! Accesses to memory: events where other threads may look, else the thread's own memory.
//!
//! Until main creates the first thread nothing is an event; what its memory contains then is what
//! memory contains initially. Afterwards an access is an event when it is atomic, when its address
//! depends on a read, when the object has static storage, and when several threads touch the
//! location; all other memory passes values on with their dependencies, like registers.
//!
//! A read that is an event returns any value that the location may hold. Where every model asks for
//! coherence, a thread that has written a location reads that or what others write.

use super::explore::{Explorer, Flow};
use super::lifetime::ALIVE;
use super::thread_state::ThreadState;
use super::trace::*;
use super::value::{ConcreteValue, Deps, join};
use crate::base::source::Span;
use crate::ir::program::*;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// An access.
#[derive(Clone)]
pub(super) struct At {
    pub addr: ConcreteValue,
    pub width: Width,
    pub order: MemoryOrder,
    pub span: Span,
    /// The read of a read-modify-write.
    pub updates: bool,
}

/// A compare-exchange, but for its access.
pub(super) struct Swap {
    pub dst: LocalId,
    pub expected: ConcreteValue,
    pub desired: ConcreteValue,
    /// The order of a failure.
    pub failure: MemoryOrder,
    /// Receives whether it stored.
    pub done: Option<LocalId>,
    /// It may fail for no reason; true: on machines with a linked pair alone.
    pub spurious: Option<bool>,
}

/// A fence that no machine has.
const NOTHING: FenceTag = FenceTag::BeforeLoad(MemoryOrder::Relaxed);

/// Where an access goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Event,
    Private,
}

/// What happens once a value is read: the thread, the value, its event if it is one.
pub(super) type Then<'f> = &'f dyn Fn(&mut ThreadState, ConcreteValue, Option<usize>);

impl Explorer<'_> {
    /// Where an access goes; `None` when the thread has come to its end with it.
    pub(super) fn place(
        &mut self,
        state: &mut ThreadState,
        at: &At,
        writes: bool,
    ) -> Option<Place> {
        let addr = at.addr.number;
        if !self.objects.contains(addr, at.width) {
            let text = "the address is that of an object";
            state.violate(PropertyKind::Memory, at.span, text);
            state.end = Some(End::Blocked);
            return None;
        }
        let base = self.objects.base(addr);
        if state.dead.contains(&base) {
            state.violate(PropertyKind::Memory, at.span, ALIVE);
        }
        if let Err(reason) = self.value_sets.width(addr, at.width) {
            state.end = Some(End::Unsupported(reason, at.span));
            return None;
        }
        if !state.concurrent {
            return Some(Place::Private);
        }
        let known = self.value_sets.shared.contains(&addr);
        let by_rule = at.order != MemoryOrder::Plain || !at.addr.deps.is_empty();
        if by_rule && !known {
            self.value_sets.share(addr);
        }
        let foreign = self.objects.maker(base).is_some_and(|by| by != state.key);
        if !known && foreign && self.value_sets.has_begun(base) {
            // It may be too early.
            self.value_sets.share(addr);
            return Some(Place::Event);
        }
        if known || by_rule || self.objects.is_static(addr) {
            return Some(Place::Event);
        }
        let unset = self.initially(state, addr, at.width).is_none();
        self.value_sets
            .touch((addr, base), state.key, writes || unset);
        Some(Place::Private)
    }

    /// What memory contains for a thread that has neither written nor looked; `None`: anything.
    fn initially(&self, state: &ThreadState, addr: u64, width: Width) -> Option<ConcreteValue> {
        let before = state
            .snapshot
            .and_then(|s| self.snapshots[s].get(&addr).cloned());
        before.or_else(|| self.objects.initial_value(addr, width))
    }

    /// Reads, and goes on with every value there may be.
    pub(super) fn read(
        &mut self,
        state: &mut ThreadState,
        at: &At,
        place: Place,
        then: Then,
    ) -> Flow {
        let addr = at.addr.number;
        let initial = self.initially(state, addr, at.width);
        if place == Place::Private {
            if let Some(value) = state.store.get(&addr).cloned().or(initial) {
                then(state, value, None);
                return Flow::On;
            }
            let (numbers, all) = self.chosen(at.width);
            return self.fork(state, &numbers, &|state, number| {
                let value = ConcreteValue::any(number, at.width);
                if !all {
                    state.notes.push(Self::arbitrary(at.width, at.span));
                }
                state.store.insert(addr, value.clone());
                then(state, value, None);
            });
        }
        let mut numbers = BTreeSet::new();
        let mine = state.own.get(&addr).filter(|_| self.coherent);
        match (mine, initial) {
            (Some(mine), _) => _ = numbers.insert(*mine),
            (None, Some(value)) => _ = numbers.insert(value.number),
            (None, None) => numbers.extend(self.chosen(at.width).0),
        }
        let foreign = |by: &BTreeSet<_>| !self.coherent || by.iter().any(|k| *k != state.key);
        for (number, by) in self.value_sets.values.get(&addr).into_iter().flatten() {
            if foreign(by) {
                numbers.insert(*number);
            }
        }
        let numbers: Vec<u64> = numbers.into_iter().collect();
        self.fork(state, &numbers, &|state, number| {
            let position = state.events.len();
            let ctrl_deps = state.ctrl.clone();
            state.events.push(Event {
                kind: ActionKind::Read,
                addr,
                width: at.width,
                value: number,
                order: at.order,
                addr_deps: at.addr.deps.clone(),
                data_deps: Deps::default(),
                ctrl_deps,
                rmw: None,
                updates: at.updates,
                group: state.group.map(|(group, _)| group),
                span: at.span,
            });
            let value = ConcreteValue {
                deps: Deps::one(position),
                ..ConcreteValue::any(number, at.width)
            };
            then(state, value, Some(position));
        })
    }

    pub(super) fn load(&mut self, state: &mut ThreadState, at: &At, dst: LocalId) -> Flow {
        if at.order == MemoryOrder::SeqCst {
            state.fence(FenceTag::BeforeLoad(at.order), at.span, None);
        }
        let Some(place) = self.place(state, at, false) else {
            return Flow::On;
        };
        self.read(state, at, place, &|state, value, event| {
            state.set(dst, Some(value));
            if matches!(at.order, MemoryOrder::Acquire | MemoryOrder::SeqCst) {
                state.fence(FenceTag::AfterLoad(at.order), at.span, event);
            }
        })
    }

    pub(super) fn store(&mut self, state: &mut ThreadState, at: &At, value: ConcreteValue) {
        if matches!(at.order, MemoryOrder::Release | MemoryOrder::SeqCst) {
            state.fence(FenceTag::BeforeStore(at.order), at.span, None);
        }
        let Some(place) = self.place(state, at, true) else {
            return;
        };
        write(state, at, place, value, None);
        if at.order == MemoryOrder::SeqCst {
            state.fence(FenceTag::AfterStore(at.order), at.span, None);
        }
    }

    /// A read-modify-write that stores what `update` says.
    pub(super) fn rmw(
        &mut self,
        state: &mut ThreadState,
        at: &At,
        dst: LocalId,
        update: &dyn Fn(&ConcreteValue) -> ConcreteValue,
    ) -> Flow {
        if let Some(tag) = FenceTag::before_rmw(at.order) {
            state.fence(tag, at.span, None);
        }
        let Some(place) = self.place(state, at, true) else {
            return Flow::On;
        };
        self.read(state, at, place, &|state, old, event| {
            write(state, at, place, update(&old), event);
            if let Some(tag) = FenceTag::after_rmw(at.order) {
                state.fence(tag, at.span, event);
            }
            state.set(dst, Some(old));
        })
    }

    /// A compare-exchange with the order of success. The fence before it is that of the outcome,
    /// which is known only behind the read.
    pub(super) fn compare_exchange(
        &mut self,
        state: &mut ThreadState,
        at: &At,
        swap: &Swap,
    ) -> Flow {
        let before = FenceTag::before_cas(at.order, swap.failure);
        let fence = before.iter().any(Option::is_some) && state.concurrent;
        let position = state.events.len();
        if fence {
            state.fence(NOTHING, at.span, None);
        }
        let Some(place) = self.place(state, at, true) else {
            return Flow::On;
        };
        let reads = At {
            order: MemoryOrder::of_failing_read(at.order, swap.failure),
            ..at.clone()
        };
        let ends =
            |state: &mut ThreadState, old: &ConcreteValue, event: Option<usize>, stores: bool| {
                // The store happens behind a comparison of what was read.
                state.branch(old);
                let outcome = usize::from(!stores);
                if fence && let Some(tag) = before[outcome] {
                    state.events[position].kind = ActionKind::Fence(tag);
                }
                if stores {
                    write(state, at, place, swap.desired.clone(), event);
                }
                if let Some(tag) = FenceTag::after_cas(at.order, swap.failure)[outcome] {
                    state.fence(tag, at.span, event);
                }
                state.ctrl.add(&swap.expected.deps);
                if let Some(done) = swap.done {
                    let sides = [old.clone(), swap.expected.clone()];
                    let mut value = join(u64::from(stores), 1, sides);
                    value.fixed &= swap.spurious.is_none();
                    state.set(done, Some(value));
                }
                state.set(swap.dst, Some(old.clone()));
            };
        let equal = |old: &ConcreteValue| old.number == swap.expected.number;
        let failed = RefCell::new(Vec::new());
        let flow = self.read(state, &reads, place, &|state, old, event| {
            let stores = equal(&old);
            if stores && let Some(machine) = swap.spurious {
                let mut other = state.clone();
                other.spurious |= machine;
                ends(&mut other, &old, event, false);
                failed.borrow_mut().push(other);
            }
            ends(state, &old, event, stores);
        });
        let mut failed = failed.into_inner();
        match flow {
            Flow::On if failed.is_empty() => Flow::On,
            Flow::On => Flow::Also(failed),
            Flow::Fork(mut ways) => {
                ways.append(&mut failed);
                Flow::Fork(ways)
            }
            Flow::Also(mut ways) => {
                ways.append(&mut failed);
                Flow::Also(ways)
            }
        }
    }

    pub(super) fn load_linked(&mut self, state: &mut ThreadState, at: &At, dst: LocalId) -> Flow {
        let Some(place) = self.place(state, at, false) else {
            return Flow::On;
        };
        self.read(state, at, place, &|state, value, event| {
            state.reservation = Some((at.addr.number, event));
            state.set(dst, Some(value));
        })
    }

    /// A store that needs a reservation of its location, and may fail although there is one.
    pub(super) fn store_conditional(
        &mut self,
        state: &mut ThreadState,
        at: &At,
        dst: LocalId,
        value: &ConcreteValue,
    ) -> Flow {
        let held = state.reservation.take();
        let held = held.filter(|(addr, _)| *addr == at.addr.number);
        let Some((_, read)) = held else {
            state.set(dst, Some(ConcreteValue::any(0, 1)));
            return Flow::On;
        };
        let mut done = state.clone();
        state.set(dst, Some(ConcreteValue::any(0, 1)));
        if let Some(place) = self.place(&mut done, at, true) {
            done.set(dst, Some(ConcreteValue::any(1, 1)));
            write(&mut done, at, place, value.clone(), read);
        }
        Flow::Also(vec![done])
    }
}

/// Writes.
fn write(state: &mut ThreadState, at: &At, place: Place, value: ConcreteValue, rmw: Option<usize>) {
    let addr = at.addr.number;
    if place == Place::Private {
        state.store.insert(addr, value);
        return;
    }
    state.own.insert(addr, value.number);
    let ctrl_deps = state.ctrl.clone();
    state.events.push(Event {
        kind: ActionKind::Write,
        addr,
        width: at.width,
        value: value.number,
        order: at.order,
        addr_deps: at.addr.deps.clone(),
        data_deps: value.deps,
        ctrl_deps,
        rmw,
        updates: false,
        group: state.group.map(|(group, _)| group),
        span: at.span,
    });
}
