//! Accesses to memory: the cells an address may be that of, events on shared cells, and SSA for
//! cells of one thread.
//!
//! An access through a pointer is one event with a symbolic address and the cells it may touch.
//! Where some of the cells are private to the thread, the access is split by the address: an event
//! for the shared ones, a choice between values for the others. Atomic accesses are surrounded by
//! the fence events their memory order may need on some machine; which machine needs which is not
//! known here.
//!
//! A plain read by the only thread that ever writes a cell is not an event either: it returns what
//! that thread wrote last. Where dependencies order accesses it is one, because then it counts
//! that the value went through memory: a read of the thread's own write has no dependency from
//! what the write depended on, and may be ordered behind the write itself. Volatile and atomic
//! accesses are always accesses of the machine.
//!
//! An access that is an event only because the machine must see it, of a cell that no other thread
//! touches or writes, has a known value all the same: where a model is coherent, a read returns what
//! precedes it last in program order, which is what SSA has. So pointers, bounds of loops and
//! numbers of threads stay constants on every model, and the event is there for the order alone.

use super::deps::DepSets;
use super::event::*;
use super::executor::Executor;
use super::memory::*;
use super::state::*;
use super::term::TermId;
use super::unresolved::UnresolvedAccess;
use crate::base::source::Span;
use crate::ir::program::*;
use std::rc::Rc;

/// The scalars an access may touch, each with the condition that it is the one.
pub(super) struct Targets {
    pub(super) private: Vec<(SlotId, TermId)>,
    pub(super) shared: Vec<(SlotId, TermId)>,
    /// The address is one of them.
    pub(super) covered: TermId,
}

impl Executor<'_> {
    pub(super) fn emit(&mut self, event: Event) -> EventId {
        let id = self.graph.events.push(event);
        self.graph.threads[self.thread].events.push(id);
        if let Some(group) = self.graph.events[id].group {
            self.graph.groups[group].events.push(id);
        }
        id
    }

    /// A fence; `after` is the read it has a control dependency from.
    pub(super) fn fence(
        &mut self,
        state: &mut State,
        tag: FenceTag,
        span: Span,
        after: Option<EventId>,
    ) -> Option<EventId> {
        if !self.concurrent || self.graph.terms.is_false(state.guard) {
            return None;
        }
        let zero = self.graph.terms.constant(0, 1);
        let mut ctrl = state.ctrl;
        if let Some(read) = after {
            let from = self.deps.read(read, &mut self.graph.terms);
            ctrl = self.deps.union(ctrl, from, &mut self.graph.terms);
        }
        let none = self.deps.get(DepSets::EMPTY);
        let ctrl_deps = self.deps.get(ctrl);
        let event = Event {
            kind: EventKind::Fence(tag),
            thread: Some(self.thread),
            guard: state.guard,
            order: MemoryOrder::Plain,
            addr: zero,
            cells: Vec::new(),
            value: zero,
            addr_deps: none.clone(),
            data_deps: none,
            ctrl_deps,
            rmw_read: None,
            group: state.group.map(|(g, _)| g),
            span,
        };
        Some(self.emit(event))
    }

    pub(super) fn cell(&mut self, slot: SlotId, span: Span) -> CellId {
        if let Some(cell) = self.cells.get(&slot) {
            return *cell;
        }
        let (object, offset, width) = {
            let s = &self.facts.slots[slot];
            (s.object, s.offset, s.width)
        };
        let value = self.initial.get(&slot).map(|v| v.term);
        let value = value.unwrap_or_else(|| self.static_value(slot));
        let addr = self.facts.slot_address(slot);
        let addr_term = self
            .graph
            .terms
            .constant(addr, self.program.data_model.pointer_width());
        let cell = self.graph.cells.next_id();
        let guard = self.graph.terms.bool(true);
        let none = self.deps.get(DepSets::EMPTY);
        let span = match self.facts.objects[object].kind {
            ObjKind::Global(g, _) => self.program.globals[g].span,
            _ => span,
        };
        let init = self.graph.events.push(Event {
            kind: EventKind::Init,
            thread: None,
            guard,
            order: MemoryOrder::Plain,
            addr: addr_term,
            cells: vec![cell],
            value,
            addr_deps: none.clone(),
            data_deps: none.clone(),
            ctrl_deps: none,
            rmw_read: None,
            group: None,
            span,
        });
        let name = self.facts.describe(self.program, object, offset);
        self.graph.cells.push(Cell {
            name,
            addr,
            width,
            float: self.facts.is_float(self.program, object, offset),
            init,
            owner: None,
        });
        self.cells.insert(slot, cell);
        self.slot_of.insert(cell, slot);
        cell
    }

    /// The value a slot has before the program runs.
    pub(super) fn static_value(&mut self, slot: SlotId) -> TermId {
        let s = self.facts.slots[slot].clone();
        let object = &self.facts.objects[s.object];
        if let ObjKind::Global(g, _) = object.kind {
            let value = self.static_bytes(g, s.offset, s.width);
            return self.graph.terms.constant(value, s.width);
        }
        if object.zeroed {
            return self.graph.terms.constant(0, s.width);
        }
        let any = self.nondet(s.width);
        self.initial.insert(slot, any);
        let addr = self.facts.slot_address(slot);
        self.graph.uninitialised.push((addr, s.width, any.term));
        any.term
    }

    /// What initialisers put into some bytes of a static object, little-endian; they may have been
    /// written as another member of a union.
    fn static_bytes(&mut self, g: GlobalId, offset: u64, width: Width) -> u64 {
        let program = self.program;
        let end = offset + u64::from(width) / 8;
        let mut value = 0;
        for (start, bits, e) in program.globals[g].initial(offset, end) {
            let stop = start + u64::from(*bits) / 8;
            if *start >= end || stop <= offset {
                continue;
            }
            let term = self.eval_static(e).term;
            let number = self.graph.terms.as_const(term);
            let number = number.expect("initialisers are constant expressions");
            for byte in offset.max(*start)..end.min(stop) {
                value |= (number >> (8 * (byte - start)) & 0xff) << (8 * (byte - offset));
            }
        }
        value
    }

    pub(super) fn initial_value(&mut self, slot: SlotId) -> SymbolicValue {
        if let Some(v) = self.initial.get(&slot) {
            return *v;
        }
        SymbolicValue {
            term: self.static_value(slot),
            deps: DepSets::EMPTY,
        }
    }

    /// Turns what a path wrote before other threads existed into write events, unless it is the
    /// path whose values became the initial ones.
    pub(super) fn flush(&mut self, state: &mut State, span: Span) {
        if !self.concurrent || state.flushed {
            return;
        }
        state.flushed = true;
        let memory = Rc::make_mut(&mut state.memory);
        for (slot, value) in &self.before {
            memory.entry(*slot).or_insert(*value);
        }
        let mut slots: Vec<SlotId> = state.memory.keys().copied().collect();
        slots.sort_unstable();
        for slot in slots {
            if !self.is_shared(slot) || state.memory[&slot].term == self.initial_value(slot).term {
                continue;
            }
            let addr = self.facts.slot_address(slot);
            let addr = self.constant(addr, self.program.data_model.pointer_width());
            let always = self.graph.terms.bool(true);
            let targets = Targets {
                private: Vec::new(),
                shared: vec![(slot, always)],
                covered: always,
            };
            let next = self.graph.events.next_id();
            self.write_event(
                state,
                &targets,
                addr,
                state.memory[&slot],
                MemoryOrder::Plain,
                span,
                None,
                state.guard,
            );
            if self.graph.events.next_id() != next {
                self.graph.carried.push(next);
            }
        }
    }

    fn is_static(&self, object: ObjId) -> bool {
        matches!(self.facts.objects[object].kind, ObjKind::Global(_, None))
    }

    /// True when this thread is assumed to be the only one to write a shared slot.
    fn writes_alone(&self, slot: SlotId) -> bool {
        let key = self.key();
        self.facts
            .writers
            .get(&slot)
            .is_some_and(|w| w.len() == 1 && w.contains(&key))
    }

    pub(super) fn is_shared(&self, slot: SlotId) -> bool {
        self.facts.shared.contains(&slot) || self.is_given_up(slot)
    }

    fn is_contended(&self, slot: SlotId) -> bool {
        self.facts.contended.contains(&slot) || self.is_given_up(slot)
    }

    fn is_given_up(&self, slot: SlotId) -> bool {
        let object = self.facts.slots[slot].object;
        let of_one_thread = matches!(self.facts.objects[object].kind, ObjKind::Global(_, Some(_)));
        self.facts.coarse && !of_one_thread || self.facts.given_up.contains(&object)
    }

    /// True when a read of a shared slot by this thread must return what is last on its path.
    pub(super) fn is_known(&self, slot: SlotId) -> bool {
        self.options.coherent && (!self.is_contended(slot) || self.writes_alone(slot))
    }

    pub(super) fn targets(
        &mut self,
        state: &State,
        addr: SymbolicValue,
        width: Width,
        order: MemoryOrder,
        span: Span,
    ) -> Targets {
        let pointers = self.points_to(addr.term);
        let bytes = u64::from(width) / 8;
        let dependent = self.options.address_dependencies && addr.deps != DepSets::EMPTY;
        let mut targets = Targets {
            private: Vec::new(),
            shared: Vec::new(),
            covered: self.graph.terms.bool(false),
        };
        let mut covered = Vec::new();
        let mut mixed = Vec::new();
        for (object, offsets) in &pointers.objects {
            let o = &self.facts.objects[*object];
            if matches!(o.kind, ObjKind::Proc(_) | ObjKind::Null) {
                continue;
            }
            let size = o.size;
            let Some(places) = self.facts.places(self.program, *object, offsets, width) else {
                let inside = self.is_inside(addr, *object);
                let guard = self.graph.terms.and(state.guard, inside);
                let name = &self.facts.objects[*object].name;
                let reason = format!(
                    "access of {bytes} bytes to `{name}` of {size} bytes, at a place that is not \
                     known"
                );
                self.unsupported(guard, span, reason);
                covered.push(inside);
                continue;
            };
            if let Offsets::Stride { .. } = offsets
                && offsets.below((size + 1).saturating_sub(bytes)) > places.len() as u64
            {
                mixed.push(*object);
            }
            for (i, place) in places.into_iter().enumerate() {
                if i % 256 == 255 && self.is_stopped() {
                    break;
                }
                let number = self.facts.address(*object, place);
                let width_p = self.program.data_model.pointer_width();
                let number = self.graph.terms.constant(number, width_p);
                let here = self.graph.terms.eq(addr.term, number);
                if self.graph.terms.is_false(here) {
                    continue;
                }
                match self.facts.slot(self.program, *object, place, width) {
                    Ok(slot) => {
                        covered.push(here);
                        let performed = order != MemoryOrder::Plain
                            || dependent
                            || (self.options.address_dependencies && self.is_static(*object));
                        if self.concurrent && performed {
                            // The machine performs it, whoever else looks.
                            self.changed |= self.facts.shared.insert(slot);
                        }
                        if self.concurrent && self.is_shared(slot) {
                            targets.shared.push((slot, here));
                        } else {
                            targets.private.push((slot, here));
                        }
                    }
                    Err(reason) => {
                        let guard = self.graph.terms.and(state.guard, here);
                        self.unsupported(guard, span, reason);
                        covered.push(here);
                    }
                }
            }
        }
        self.check_alive(state, &pointers, addr, span);
        targets.covered = self.graph.terms.any(&covered);
        let bad = self.graph.terms.not(targets.covered);
        let bad = self.graph.terms.and(state.guard, bad);
        if !self.graph.terms.is_false(bad) {
            let access = UnresolvedAccess {
                addr: addr.term,
                bytes,
                pointers: &pointers,
                mixed: &mixed,
            };
            self.unresolved_access(bad, &access, span);
            self.graph.checks.push(Check {
                property: Property::new(Rule::Access, "the address is that of an object"),
                span,
                thread: self.thread,
                position: self.graph.threads[self.thread].events.len(),
                guard: state.guard,
                cond: targets.covered,
            });
        }
        targets
    }

    fn log_access(&mut self, slot: SlotId, writes: bool) {
        if !writes {
            self.note_read(slot);
        }
        if self.concurrent && self.is_contended(slot) {
            return;
        }
        self.clock += 1;
        let now = self.clock;
        let last = self
            .access_log
            .entry(slot)
            .or_default()
            .entry(self.thread)
            .or_default();
        if writes {
            *last = Some(now);
        }
    }

    pub(super) fn private_value(&mut self, state: &State, slot: SlotId) -> SymbolicValue {
        match state.memory.get(&slot) {
            Some(v) => *v,
            None => self.initial_value(slot),
        }
    }

    /// The guard of an event on the shared targets of a path.
    pub(super) fn event_guard(&mut self, state: &State, targets: &Targets) -> TermId {
        let shared: Vec<TermId> = targets.shared.iter().map(|(_, c)| *c).collect();
        let here = self.graph.terms.any(&shared);
        self.graph.terms.and(state.guard, here)
    }

    pub(super) fn read_event(
        &mut self,
        state: &State,
        targets: &Targets,
        addr: SymbolicValue,
        width: Width,
        order: MemoryOrder,
        span: Span,
    ) -> Option<EventId> {
        if targets.shared.is_empty() {
            return None;
        }
        let guard = self.event_guard(state, targets);
        let cells = targets
            .shared
            .iter()
            .map(|(s, _)| self.cell(*s, span))
            .collect();
        let id = self.graph.events.next_id();
        let value = self.graph.terms.read(id, width);
        let none = self.deps.get(DepSets::EMPTY);
        let event = Event {
            kind: EventKind::Read,
            thread: Some(self.thread),
            guard,
            order,
            addr: addr.term,
            cells,
            value,
            addr_deps: self.deps.get(addr.deps),
            data_deps: none,
            ctrl_deps: self.deps.get(state.ctrl),
            rmw_read: None,
            group: state.group.map(|(g, _)| g),
            span,
        };
        self.note_plain(targets, order);
        self.read_slots
            .insert(id, targets.shared.iter().map(|(s, _)| *s).collect());
        Some(self.emit(event))
    }

    /// Notes which slots have accesses that are not atomic.
    fn note_plain(&mut self, targets: &Targets, order: MemoryOrder) {
        if !order.is_atomic() {
            for (slot, _) in &targets.shared {
                let new = self.facts.plain.insert(*slot);
                self.changed |= new && self.options.awaits.races;
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn write_event(
        &mut self,
        state: &State,
        targets: &Targets,
        addr: SymbolicValue,
        value: SymbolicValue,
        order: MemoryOrder,
        span: Span,
        rmw_read: Option<EventId>,
        guard: TermId,
    ) {
        if targets.shared.is_empty() || self.graph.terms.is_false(guard) {
            return;
        }
        let cells = targets
            .shared
            .iter()
            .map(|(s, _)| self.cell(*s, span))
            .collect();
        let key = self.key();
        for (slot, _) in &targets.shared {
            self.writers.entry(*slot).or_default().insert(key);
            self.note_value(*slot, value.term, rmw_read);
        }
        self.note_plain(targets, order);
        let event = Event {
            kind: EventKind::Write,
            thread: Some(self.thread),
            guard,
            order,
            addr: addr.term,
            cells,
            value: value.term,
            addr_deps: self.deps.get(addr.deps),
            data_deps: self.deps.get(value.deps),
            ctrl_deps: self.deps.get(state.ctrl),
            rmw_read,
            group: state.group.map(|(g, _)| g),
            span,
        };
        self.emit(event);
    }

    /// The value of a read: that of the event on shared memory, else that of the private slot. Of
    /// a shared slot that this thread alone writes it is what is last on the path; it went through
    /// memory, so it depends on the read and not on what the write depended on.
    pub(super) fn read_value(
        &mut self,
        state: &State,
        targets: &Targets,
        addr: SymbolicValue,
        width: Width,
        event: Option<EventId>,
    ) -> SymbolicValue {
        let mut result = match event {
            Some(e) => {
                let deps = self.deps.read(e, &mut self.graph.terms);
                SymbolicValue {
                    term: self.graph.terms.read(e, width),
                    deps,
                }
            }
            None => self.nondet(width),
        };
        let outside = self.graph.terms.not(targets.covered);
        let outside = self.graph.terms.and(state.guard, outside);
        self.record_choice(outside, ChoiceKind::Value(result.term));
        // Conditions exclude each other, so when the address surely is one of the private slots
        // the last of them needs no test.
        let always = event.is_none() && self.graph.terms.is_true(targets.covered);
        for (i, (slot, here)) in targets.private.iter().enumerate() {
            self.log_access(*slot, false);
            let stored = self.private_value(state, *slot);
            result = if i == 0 && always {
                stored
            } else {
                choose(&mut self.graph.terms, &mut self.deps, *here, stored, result)
            };
        }
        if !targets.private.is_empty() {
            result.deps = self
                .deps
                .union(result.deps, addr.deps, &mut self.graph.terms);
        }
        let known = |m: &Self| targets.shared.iter().all(|(s, _)| m.is_known(*s));
        let always = self.graph.terms.is_true(targets.covered);
        let always = always && targets.private.is_empty() && known(self);
        for (i, (slot, here)) in targets.shared.iter().enumerate() {
            self.log_access(*slot, false);
            if self.is_known(*slot) {
                let stored = self.private_value(state, *slot).term;
                result.term = if i == 0 && always {
                    stored
                } else {
                    self.graph.terms.ite(*here, stored, result.term)
                };
            }
        }
        if let (Some(e), true) = (event, always) {
            self.graph.events[e].value = result.term;
        }
        result
    }

    /// Stores, on this path, into private slots and those that no other thread writes, where `cond`
    /// holds. What is private to a thread may be shared all the same, where the machine must see it.
    pub(super) fn write_private(
        &mut self,
        state: &mut State,
        targets: &Targets,
        cond: TermId,
        addr: SymbolicValue,
        value: SymbolicValue,
    ) {
        let alone = targets
            .shared
            .iter()
            .filter(|(s, _)| !self.is_contended(*s) || self.writes_alone(*s))
            .copied();
        let alone: Vec<(SlotId, TermId)> = alone.collect();
        for (slot, here) in targets.private.iter().chain(&alone) {
            self.log_access(*slot, true);
            let when = self.graph.terms.and(*here, cond);
            let old = self.private_value(state, *slot);
            let mut new = choose(&mut self.graph.terms, &mut self.deps, when, value, old);
            if !self.graph.terms.is_true(*here) {
                new.deps = self.deps.union(new.deps, addr.deps, &mut self.graph.terms);
            }
            Rc::make_mut(&mut state.memory).insert(*slot, new);
        }
    }

    pub(super) fn load(
        &mut self,
        state: &mut State,
        addr: SymbolicValue,
        width: Width,
        order: MemoryOrder,
        span: Span,
    ) -> SymbolicValue {
        if let Some(tag) = FenceTag::before_load(order) {
            self.fence(state, tag, span, None);
        }
        let targets = self.targets(state, addr, width, order, span);
        if let ([], [(slot, here)]) = (&targets.private[..], &targets.shared[..])
            && order == MemoryOrder::Plain
            && !self.options.address_dependencies
            && self.graph.terms.is_true(*here)
            && self.writes_alone(*slot)
        {
            self.note_read(*slot);
            return self.private_value(state, *slot);
        }
        let event = self.read_event(state, &targets, addr, width, order, span);
        let value = self.read_value(state, &targets, addr, width, event);
        if let Some(tag) = FenceTag::after_load(order) {
            self.fence(state, tag, span, event);
        }
        value
    }

    pub(super) fn store(
        &mut self,
        state: &mut State,
        addr: SymbolicValue,
        value: SymbolicValue,
        order: MemoryOrder,
        span: Span,
    ) {
        if let Some(tag) = FenceTag::before_store(order) {
            self.fence(state, tag, span, None);
        }
        let width = self.graph.terms.width(value.term);
        let targets = self.targets(state, addr, width, order, span);
        let guard = self.event_guard(state, &targets);
        self.write_event(state, &targets, addr, value, order, span, None, guard);
        let always = self.graph.terms.bool(true);
        self.write_private(state, &targets, always, addr, value);
        let mut all = targets.private.iter().chain(&targets.shared);
        if let (Some((slot, here)), None) = (all.next(), all.next())
            && self.graph.terms.is_true(*here)
        {
            self.note_store(*slot, state.guard);
        }
        if let Some(tag) = FenceTag::after_store(order) {
            self.fence(state, tag, span, None);
        }
    }

    /// A load that makes a reservation.
    pub(super) fn load_linked(
        &mut self,
        state: &mut State,
        addr: SymbolicValue,
        width: Width,
        span: Span,
    ) -> SymbolicValue {
        let targets = self.targets(state, addr, width, MemoryOrder::Plain, span);
        let read = self.read_event(state, &targets, addr, width, MemoryOrder::Plain, span);
        let cond = self.graph.terms.bool(true);
        let reservation = Reservation {
            cond,
            read,
            addr: addr.term,
        };
        state.reservation = Rc::new([reservation]);
        self.read_value(state, &targets, addr, width, read)
    }

    /// A store that a reservation of its location may let happen; whether it did. Each load that
    /// may have made the reservation has a write event of its own.
    pub(super) fn store_conditional(
        &mut self,
        state: &mut State,
        addr: SymbolicValue,
        value: SymbolicValue,
        span: Span,
    ) -> SymbolicValue {
        let width = self.graph.terms.width(value.term);
        let attempt = self.choice(state.guard, 1);
        let mut done = self.graph.terms.bool(false);
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
            let targets = self.targets(&path, addr, width, MemoryOrder::Plain, span);
            let guard = self.event_guard(&path, &targets);
            self.write_event(
                &path,
                &targets,
                addr,
                value,
                MemoryOrder::Plain,
                span,
                r.read,
                guard,
            );
            self.write_private(state, &targets, stored, addr, value);
            done = self.graph.terms.or(done, stored);
        }
        SymbolicValue {
            term: done,
            deps: DepSets::EMPTY,
        }
    }
}
