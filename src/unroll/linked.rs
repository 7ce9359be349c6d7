//! Linked loads and conditional stores (`lwarx`, `stwcx.`).

use super::access::Writing;
use super::deps::DepSets;
use super::event::*;
use super::executor::Executor;
use super::ordering::Ordering;
use super::state::*;
use base::idx::Id;
use base::source::Span;
use ir::program::*;
use std::rc::Rc;

impl Executor<'_> {
    /// A load that makes a reservation.
    pub(super) fn load_linked(
        &mut self,
        state: &mut State,
        addr: SymbolicValue,
        width: Width,
        order: MemoryOrder,
        span: Span,
    ) -> SymbolicValue {
        let targets = self.targets(state, addr, width, order, span);
        let ordering = Ordering::fixed(order);
        let reads = self.read_events(state, &targets, &ordering, span);
        let cond = self.graph.terms.bool(true);
        let reservation = Reservation {
            cond,
            reads: reads.clone().into(),
            addr: addr.term,
        };
        state.reservation = Rc::new([reservation]);
        let value = self.read_value(state, &targets, &reads);
        if let Some(tag) = FenceTag::after_load(order) {
            self.fence(state, tag, span, &reads);
        }
        value
    }

    /// A store that a reservation of its location may let happen; whether it did. Each load that
    /// may have made the reservation has write events of its own.
    pub(super) fn store_conditional(
        &mut self,
        state: &mut State,
        addr: SymbolicValue,
        value: SymbolicValue,
        order: MemoryOrder,
        span: Span,
    ) -> SymbolicValue {
        if let Some(tag) = FenceTag::before_store(order) {
            self.fence(state, tag, span, &[]);
        }
        let width = self.graph.terms.width(value.term);
        let attempt = self.choice(state.guard, 1);
        let mut done = self.graph.terms.bool(false);
        let mut deps = DepSets::EMPTY;
        let reservations = std::mem::take(&mut state.reservation);
        for r in reservations.iter() {
            let here = self.graph.terms.eq(addr.term, r.addr);
            let held = self.graph.terms.and(r.cond, here);
            let stored = self.graph.terms.and(attempt.term, held);
            if self.graph.terms.is_false(stored) {
                continue;
            }
            let mut path = state.clone();
            path.guard = self.graph.terms.and(state.guard, stored);
            let targets = self.targets(&path, addr, width, order, span);
            if r.reads.len() != targets.pieces.len() {
                let reason = "a conditional store of another size than the load it belongs to";
                self.unsupported(path.guard, span, reason.to_string());
                continue;
            }
            let always = self.graph.terms.bool(true);
            self.check_writable(&path, addr, always, span);
            let first = self.graph.events.next_id().index();
            let write = Writing {
                order: Ordering::fixed(order),
                span,
                cond: always,
            };
            self.write_events(&mut path, &targets, &[value], &r.reads, write);
            for write in first..self.graph.events.next_id().index() {
                self.graph.events[EventId::from_index(write)].conditional = true;
            }
            // What is said of success may depend on the store: the model decides.
            if matches!(order, MemoryOrder::Annotated(_)) {
                for write in first..self.graph.events.next_id().index() {
                    let from = EventId::from_index(write);
                    let from = self.deps.read(from, &mut self.graph.terms);
                    deps = self.deps.union(deps, from, &mut self.graph.terms);
                }
            }
            self.write_private(state, &targets, stored, &[value]);
            done = self.graph.terms.or(done, stored);
        }
        SymbolicValue {
            term: done,
            deps,
            shadow: None,
        }
    }
}
