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
use super::ordering::Ordering;
use super::state::*;
use super::targets::{Piece, Targets};
use super::term::TermId;
use base::source::Span;
use ir::kernel::{GRACE_PERIOD_ORDER, SYNC_SRCU};
use ir::pair::PAIR_WIDTH;
use ir::program::*;
use ir::sites::SiteKind;
use std::sync::Arc;

impl Executor<'_> {
    pub(super) fn emit(&mut self, event: Event) -> EventId {
        let id = self.graph.events.push(event);
        self.graph.threads[self.threads.current()].events.push(id);
        if let Some(group) = self.graph.events[id].group {
            self.graph.groups[group].events.push(id);
        }
        id
    }

    /// A fence; `after` are the reads it has a control dependency from.
    pub(super) fn fence(
        &mut self,
        state: &mut State,
        tag: FenceTag,
        span: Span,
        after: &[Option<EventId>],
    ) -> Option<EventId> {
        if !self.threads.is_concurrent() || self.graph.terms.is_false(state.guard) {
            return None;
        }
        let zero = self.graph.terms.constant(0, 1);
        let mut ctrl = state.ctrl;
        for read in after.iter().flatten() {
            let from = self.deps.read(*read, &mut self.graph.terms);
            ctrl = self.deps.union(ctrl, from, &mut self.graph.terms);
        }
        let none = self.deps.get(DepSets::EMPTY);
        let ctrl_deps = self.deps.get(ctrl);
        let event = Event {
            kind: EventKind::Fence(tag),
            thread: Some(self.threads.current()),
            guard: state.guard,
            order: MemoryOrder::Plain,
            alternatives: Arc::new([]),
            addr: zero,
            cells: Vec::new(),
            value: zero,
            addr_deps: none.clone(),
            data_deps: none,
            ctrl_deps,
            rmw_read: None,
            conditional: false,
            group: state.group.map(|(g, _)| g),
            span,
        };
        Some(self.emit(event))
    }

    /// A fence that has a location.
    pub(super) fn grace_period(
        &mut self,
        state: &mut State,
        addr: SymbolicValue,
        width: Width,
        span: Span,
    ) {
        let targets = self.targets(state, addr, width, GRACE_PERIOD_ORDER, span);
        let tag = FenceTag::Explicit(Fence::Annotated(SYNC_SRCU));
        let Some(id) = self.fence(state, tag, span, &[]) else {
            return;
        };
        let [piece] = &targets.pieces[..] else {
            let reason = "a grace period of a location that is accessed in pieces";
            self.unsupported(state.guard, span, reason.to_string());
            return;
        };
        let shared = piece.shared.iter();
        let cells = shared.map(|(slot, _)| self.cell(*slot, span)).collect();
        let addr_deps = self.deps.get(piece.addr.deps);
        let event = &mut self.graph.events[id];
        event.addr = piece.addr.term;
        event.cells = cells;
        event.addr_deps = addr_deps;
    }

    pub(super) fn cell(&mut self, slot: SlotId, span: Span) -> CellId {
        if let Some(cell) = self.cells.find(slot) {
            return cell;
        }
        let (object, offset, width) = {
            let s = &self.facts.slots[slot];
            (s.object, s.offset, s.width)
        };
        let initial = self.initial_value(slot);
        let value = initial.term;
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
            alternatives: Arc::new([]),
            addr: addr_term,
            cells: vec![cell],
            value,
            addr_deps: none.clone(),
            data_deps: none.clone(),
            ctrl_deps: none,
            rmw_read: None,
            conditional: false,
            group: None,
            span,
        });
        let name = self.facts.describe(self.program, object, offset);
        self.graph.cells.push(Cell {
            name,
            addr,
            width,
            kind: self.facts.scalar_kind(self.program, object, offset),
            init,
            owner: None,
        });
        self.cells.add(slot);
        self.taint(init, initial.shadow);
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
        let any = match self.is_uninitialised(s.object) {
            true => self.tainted(any),
            false => any,
        };
        self.cells.set_initial(slot, any);
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
        if let Some(value) = self.cells.initial(slot) {
            return value;
        }
        let term = self.static_value(slot);
        let initial = self.cells.initial(slot);
        initial.unwrap_or(SymbolicValue {
            term,
            deps: DepSets::EMPTY,
            shadow: None,
        })
    }

    /// Turns what a path wrote before other threads existed into write events, unless it is the
    /// path whose values became the initial ones.
    pub(super) fn flush(&mut self, state: &mut State, span: Span) {
        if !self.threads.is_concurrent() || state.flushed {
            return;
        }
        state.flushed = true;
        for (slot, value) in self.cells.replaced() {
            if state.memory.get(slot).is_none() {
                state.memory.insert(slot, value);
            }
        }
        let written: Vec<(SlotId, SymbolicValue)> = state.memory.iter().collect();
        for (slot, value) in written {
            let initial = self.initial_value(slot);
            let same = (value.term, value.shadow) == (initial.term, initial.shadow);
            if !self.facts.is_shared(slot) || same {
                continue;
            }
            let addr = self.facts.slot_address(slot);
            let addr = self.constant(addr, self.program.data_model.pointer_width());
            let always = self.graph.terms.bool(true);
            let piece = Piece {
                addr,
                private: Vec::new(),
                shared: vec![(slot, always)],
            };
            let next = self.graph.events.next_id();
            let group = state.group.map(|(g, _)| g);
            let write = Writing {
                order: Ordering::fixed(MemoryOrder::Plain),
                span,
                cond: always,
            };
            self.write_piece(state, &piece, value, &write, group, None);
            if self.graph.events.next_id() != next {
                self.graph.carried.push(next);
            }
        }
    }

    pub(super) fn is_static(&self, object: ObjId) -> bool {
        matches!(self.facts.objects[object].kind, ObjKind::Global(_, None))
    }

    /// True when this thread is assumed to be the only one to write a shared slot.
    fn writes_alone(&self, slot: SlotId) -> bool {
        self.facts.only_writer(slot) == Some(self.threads.key())
    }

    /// True when a read of a shared slot by this thread must return what is last on its path.
    pub(super) fn is_known(&self, slot: SlotId) -> bool {
        self.options.coherent && (!self.facts.is_contended(slot) || self.writes_alone(slot))
    }

    fn log_read(&mut self, slot: SlotId) {
        self.note_read(slot);
        if !self.is_contended_now(slot) {
            self.progress.advance();
            self.accesses
                .note_access(slot, self.threads.current(), None);
        }
    }

    fn log_write(&mut self, slot: SlotId) {
        if !self.is_contended_now(slot) {
            self.progress.advance();
            let now = Some(self.progress.now());
            self.accesses.note_access(slot, self.threads.current(), now);
        }
    }

    fn is_contended_now(&self, slot: SlotId) -> bool {
        self.threads.is_concurrent() && self.facts.is_contended(slot)
    }

    pub(super) fn private_value(&mut self, state: &State, slot: SlotId) -> SymbolicValue {
        match state.memory.get(slot) {
            Some(value) => value,
            None => self.initial_value(slot),
        }
    }

    /// The guard of an event on the shared scalars of a path.
    fn event_guard(&mut self, state: &State, piece: &Piece) -> TermId {
        let shared: Vec<TermId> = piece.shared.iter().map(|(_, c)| *c).collect();
        let here = self.graph.terms.any(&shared);
        self.graph.terms.and(state.guard, here)
    }

    /// The read events of an access, one a piece that may be shared.
    pub(super) fn read_events(
        &mut self,
        state: &State,
        targets: &Targets,
        order: &Ordering,
        span: Span,
    ) -> Vec<Option<EventId>> {
        let group = self.group_of_pieces(state, targets, span);
        let mut events = Vec::new();
        for piece in &targets.pieces {
            if piece.shared.is_empty() {
                events.push(None);
                continue;
            }
            let guard = self.event_guard(state, piece);
            let cells = piece
                .shared
                .iter()
                .map(|(s, _)| self.cell(*s, span))
                .collect();
            let id = self.graph.events.next_id();
            let value = self.graph.terms.read(id, targets.width);
            let none = self.deps.get(DepSets::EMPTY);
            let event = Event {
                kind: EventKind::Read,
                thread: Some(self.threads.current()),
                guard,
                order: order.weakest,
                alternatives: order.alternatives(EventKind::Read),
                addr: piece.addr.term,
                cells,
                value,
                addr_deps: self.deps.get(piece.addr.deps),
                data_deps: none,
                ctrl_deps: self.deps.get(state.ctrl),
                rmw_read: None,
                conditional: false,
                group,
                span,
            };
            self.note_plain(piece, order.weakest);
            let slots: Vec<SlotId> = piece.shared.iter().map(|(s, _)| *s).collect();
            self.emit(event);
            self.mutexes.note_held(id, &state.held);
            self.read_taint(id, &slots);
            self.pointees.note_read(id, slots);
            events.push(Some(id));
        }
        events
    }

    /// Notes which slots have accesses that are not atomic.
    fn note_plain(&mut self, piece: &Piece, order: MemoryOrder) {
        if !order.is_atomic() {
            for (slot, _) in &piece.shared {
                let awaits = &self.options.awaits;
                if self.facts.note_plain(*slot) && (awaits.races || awaits.writes_atomic) {
                    self.facts.contradict();
                }
            }
        }
    }

    /// The write events of an access, one per piece that may be shared, of a value of one word or two;
    /// `reads` are those of a read-modify-write.
    pub(super) fn write_events(
        &mut self,
        state: &mut State,
        targets: &Targets,
        words: &[SymbolicValue],
        reads: &[Option<EventId>],
        write: Writing,
    ) {
        let group = self.group_of_pieces(state, targets, write.span);
        let pointer = self.program.data_model.pointer_width();
        let in_word = targets.pieces.len() / words.len();
        let contents: Vec<_> = words
            .iter()
            .map(|word| {
                let is_pointer = in_word > 1 && self.graph.terms.width(word.term) == pointer;
                is_pointer.then(|| self.points_to(word.term))
            })
            .collect();
        let first = self.graph.events.next_id();
        for (i, piece) in targets.pieces.iter().enumerate() {
            let part = targets.part_of(&mut self.graph.terms, words, i);
            let read = reads.get(i).copied().flatten();
            self.write_piece(state, piece, part, &write, group, read);
            for (slot, _) in &piece.shared {
                if let Some(contents) = &contents[i / in_word] {
                    self.facts.note_contents(*slot, contents);
                }
            }
        }
        self.acquire_or_release(state, targets, first);
    }

    fn write_piece(
        &mut self,
        state: &State,
        piece: &Piece,
        value: SymbolicValue,
        write: &Writing,
        group: Option<GroupId>,
        rmw_read: Option<EventId>,
    ) {
        let guard = self.event_guard(state, piece);
        let guard = self.graph.terms.and(guard, write.cond);
        if piece.shared.is_empty() || self.graph.terms.is_false(guard) {
            return;
        }
        let cells = piece
            .shared
            .iter()
            .map(|(s, _)| self.cell(*s, write.span))
            .collect();
        let key = self.threads.key();
        for (slot, _) in &piece.shared {
            self.accesses.note_writer(*slot, key);
            self.note_value(*slot, value.term, rmw_read);
        }
        self.note_plain(piece, write.order.weakest);
        let event = Event {
            kind: EventKind::Write,
            thread: Some(self.threads.current()),
            guard,
            order: write.order.weakest,
            alternatives: write.order.alternatives(EventKind::Write),
            addr: piece.addr.term,
            cells,
            value: value.term,
            addr_deps: self.deps.get(piece.addr.deps),
            data_deps: self.deps.get(value.deps),
            ctrl_deps: self.deps.get(state.ctrl),
            rmw_read,
            conditional: false,
            group,
            span: write.span,
        };
        let written = self.emit(event);
        self.mutexes.note_held(written, &state.held);
        self.taint(written, value.shadow);
    }

    /// The value of an access of one word that reads.
    pub(super) fn read_value(
        &mut self,
        state: &State,
        targets: &Targets,
        events: &[Option<EventId>],
    ) -> SymbolicValue {
        self.read_words(state, targets, events, 1)[0]
    }

    /// The words of the value of an access that reads: those of its pieces, one after the other.
    pub(super) fn read_words(
        &mut self,
        state: &State,
        targets: &Targets,
        events: &[Option<EventId>],
        words: usize,
    ) -> Vec<SymbolicValue> {
        let outside = self.graph.terms.not(targets.covered);
        let outside = self.graph.terms.and(state.guard, outside);
        let pieces: Vec<SymbolicValue> = targets
            .pieces
            .iter()
            .zip(events)
            .map(|(piece, event)| self.read_piece(state, targets, piece, *event, outside))
            .collect();
        if pieces.len() == 1 {
            return pieces;
        }
        let each = pieces.chunks(pieces.len() / words);
        each.map(|word| self.read_word(targets, word, outside))
            .collect()
    }

    /// A word of several that an access reads, or of several pieces.
    fn read_word(
        &mut self,
        targets: &Targets,
        pieces: &[SymbolicValue],
        outside: TermId,
    ) -> SymbolicValue {
        let mut value = match pieces {
            [whole] => *whole,
            _ => self.joined(pieces),
        };
        if !self.graph.terms.is_false(outside) {
            let any = self.nondet(self.graph.terms.width(value.term));
            self.accesses.note_outside(any.term);
            self.record_choice(outside, ChoiceKind::Value(any.term));
            value = choose(
                &mut self.graph.terms,
                &mut self.deps,
                targets.covered,
                value,
                SymbolicValue {
                    deps: value.deps,
                    ..any
                },
            );
        }
        value
    }

    /// The value of a read: that of the event on shared memory, else that of the private slot. Of
    /// a shared slot that this thread alone writes it is what is last on the path; it went through
    /// memory, so it depends on the read and not on what the write depended on.
    fn read_piece(
        &mut self,
        state: &State,
        targets: &Targets,
        piece: &Piece,
        event: Option<EventId>,
        outside: TermId,
    ) -> SymbolicValue {
        let mut result = match event {
            Some(e) => {
                let deps = self.deps.read(e, &mut self.graph.terms);
                SymbolicValue {
                    term: self.graph.terms.read(e, targets.width),
                    deps,
                    shadow: self.graph.shadows.get(&e).copied(),
                }
            }
            None => {
                let any = self.nondet(targets.width);
                self.accesses.note_outside(any.term);
                any
            }
        };
        if targets.pieces.len() == 1 {
            self.record_choice(outside, ChoiceKind::Value(result.term));
        }
        // Conditions exclude each other, so when the address surely is one of the private slots
        // the last of them needs no test.
        let always = event.is_none() && self.graph.terms.is_true(targets.covered);
        for (i, (slot, here)) in piece.private.iter().enumerate() {
            self.log_read(*slot);
            let stored = self.private_value(state, *slot);
            result = if i == 0 && always {
                stored
            } else {
                choose(&mut self.graph.terms, &mut self.deps, *here, stored, result)
            };
        }
        if !piece.private.is_empty() {
            result.deps = self
                .deps
                .union(result.deps, piece.addr.deps, &mut self.graph.terms);
        }
        let known = |m: &Self| piece.shared.iter().all(|(s, _)| m.is_known(*s));
        let always = self.graph.terms.is_true(targets.covered);
        let always = always && piece.private.is_empty() && known(self);
        for (i, (slot, here)) in piece.shared.iter().enumerate() {
            self.log_read(*slot);
            if self.is_known(*slot) {
                let stored = SymbolicValue {
                    deps: result.deps,
                    ..self.private_value(state, *slot)
                };
                result = if i == 0 && always {
                    stored
                } else {
                    choose(&mut self.graph.terms, &mut self.deps, *here, stored, result)
                };
            }
        }
        if let (Some(e), true) = (event, always) {
            self.graph.events[e].value = result.term;
            self.graph.shadows.remove(&e);
            self.taint(e, result.shadow);
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
        words: &[SymbolicValue],
    ) {
        for (i, piece) in targets.pieces.iter().enumerate() {
            let value = targets.part_of(&mut self.graph.terms, words, i);
            let alone = piece
                .shared
                .iter()
                .filter(|(s, _)| !self.facts.is_contended(*s) || self.writes_alone(*s))
                .copied();
            let alone: Vec<(SlotId, TermId)> = alone.collect();
            for (slot, here) in piece.private.iter().chain(&alone) {
                self.log_write(*slot);
                let when = self.graph.terms.and(*here, cond);
                let old = self.private_value(state, *slot);
                let mut new = choose(&mut self.graph.terms, &mut self.deps, when, value, old);
                if !self.graph.terms.is_true(*here) {
                    let deps = piece.addr.deps;
                    new.deps = self.deps.union(new.deps, deps, &mut self.graph.terms);
                }
                state.memory.insert(*slot, new);
            }
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
        let ordering = self.ordering(span, SiteKind::Load, order);
        let order = ordering.of_access(order);
        self.fence_of(state, &ordering, FenceTag::before_load, span, &[]);
        let targets = match order {
            MemoryOrder::Plain => self.load_targets(state, addr, width, span),
            _ => self.targets(state, addr, width, order, span),
        };
        if let [piece] = &targets.pieces[..]
            && let ([], [(slot, here)]) = (&piece.private[..], &piece.shared[..])
            && order == MemoryOrder::Plain
            && !self.options.address_dependencies
            && self.graph.terms.is_true(*here)
            && self.writes_alone(*slot)
        {
            self.note_read(*slot);
            return self.private_value(state, *slot);
        }
        let events = self.read_events(state, &targets, &ordering, span);
        let mut value = self.read_value(state, &targets, &events);
        if self.options.loads_outside && !self.graph.terms.is_true(targets.covered) {
            // What is known of values that are read is known of those in objects.
            let any = self.choice(state.guard, width);
            let deps = value.deps;
            let any = SymbolicValue { deps, ..any };
            let covered = targets.covered;
            value = choose(&mut self.graph.terms, &mut self.deps, covered, value, any);
        }
        self.fence_of(state, &ordering, FenceTag::after_load, span, &events);
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
        self.store_words(state, addr, &[value], order, span);
    }

    /// A store of one word or two.
    pub(super) fn store_words(
        &mut self,
        state: &mut State,
        addr: SymbolicValue,
        words: &[SymbolicValue],
        order: MemoryOrder,
        span: Span,
    ) {
        let ordering = self.ordering(span, SiteKind::Store, order);
        let order = ordering.of_access(order);
        self.fence_of(state, &ordering, FenceTag::before_store, span, &[]);
        let width = words.iter().map(|w| self.graph.terms.width(w.term)).sum();
        let targets = self.targets(state, addr, width, order, span);
        let always = self.graph.terms.bool(true);
        self.check_writable(state, addr, always, span);
        let write = Writing {
            order: ordering.clone(),
            span,
            cond: always,
        };
        self.write_events(state, &targets, words, &[], write);
        self.write_private(state, &targets, always, words);
        for piece in &targets.pieces {
            let mut all = piece.private.iter().chain(&piece.shared);
            if let (Some((slot, here)), None) = (all.next(), all.next())
                && self.graph.terms.is_true(*here)
            {
                self.note_store(*slot, state.guard, ordering.may_be_atomic());
            }
        }
        self.fence_of(state, &ordering, FenceTag::after_store, span, &[]);
    }

    /// A load of two words.
    pub(super) fn load_pair(
        &mut self,
        state: &mut State,
        addr: SymbolicValue,
        order: MemoryOrder,
        span: Span,
    ) -> Vec<SymbolicValue> {
        let ordering = self.ordering(span, SiteKind::Load, order);
        self.fence_of(state, &ordering, FenceTag::before_load, span, &[]);
        let order = ordering.of_access(order);
        let targets = self.targets(state, addr, PAIR_WIDTH, order, span);
        let events = self.read_events(state, &targets, &ordering, span);
        let words = self.read_words(state, &targets, &events, 2);
        self.fence_of(state, &ordering, FenceTag::after_load, span, &events);
        words
    }
}

/// What the write events of an access have in common.
pub(super) struct Writing {
    pub(super) order: Ordering,
    pub(super) span: Span,
    /// They happen if this holds.
    pub(super) cond: TermId,
}
