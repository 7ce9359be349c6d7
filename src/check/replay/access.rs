//! Accesses and fences of a replayed thread: its next events, or its private memory.

use super::{Goal, Replay, ReplayThread, Stop, Unwritten};
use crate::check::decode::Mismatch;
use crate::unroll::event::*;
use crate::unroll::lifetime::{ALIVE, FREEABLE};
use base::source::Span;
use ir::kernel::SYNC_SRCU;
use ir::pair::WORD;
use ir::program::*;
use ir::read_only::WRITABLE;
use ir::shadow::{DECIDES, Word, shadow_binary};
use std::collections::BTreeMap;

/// Where an access goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AccessTarget {
    Event,
    Private,
    /// Outside of all objects.
    OutOfBounds,
}

/// An access.
#[derive(Clone, Copy)]
pub(super) struct Access {
    pub addr: u64,
    pub width: Width,
    pub order: MemoryOrder,
    pub span: Span,
}

impl Replay<'_> {
    /// The words of the value.
    pub(super) fn load(&mut self, state: &mut ReplayThread, at: Access) -> Result<Vec<Word>, Stop> {
        if let Some(tag) = FenceTag::before_load(at.order) {
            self.fence(state, tag, at.span)?;
        }
        let mut places = self.places(state, at)?;
        for (piece, place) in &mut places {
            if *place == AccessTarget::Event && self.is_forwarded(state, *piece)? {
                *place = AccessTarget::Private;
            }
        }
        let (value, _) = self.read_all(state, &places)?;
        if let Some(tag) = FenceTag::after_load(at.order) {
            self.fence(state, tag, at.span)?;
        }
        Ok(value)
    }

    pub(super) fn store(
        &mut self,
        state: &mut ReplayThread,
        at: Access,
        words: &[Word],
    ) -> Result<(), Stop> {
        if let Some(tag) = FenceTag::before_store(at.order) {
            self.fence(state, tag, at.span)?;
        }
        let places = self.places(state, at)?;
        self.writes(state, at);
        self.write_all(state, &places, words, &[])?;
        if let Some(tag) = FenceTag::after_store(at.order) {
            self.fence(state, tag, at.span)?;
        }
        Ok(())
    }

    /// Reads, writes what `update` makes of each word, and returns what was read.
    pub(super) fn rmw(
        &mut self,
        state: &mut ReplayThread,
        at: Access,
        update: &dyn Fn(usize, Word) -> Word,
    ) -> Result<Vec<Word>, Stop> {
        if let Some(tag) = FenceTag::before_rmw(at.order) {
            self.fence(state, tag, at.span)?;
        }
        let places = self.places(state, at)?;
        self.writes(state, at);
        let (old, events) = self.read_all(state, &places)?;
        let new = old.iter().enumerate().map(|(i, old)| update(i, *old));
        self.write_all(state, &places, &new.collect::<Vec<_>>(), &events)?;
        if let Some(tag) = FenceTag::after_rmw(at.order) {
            self.fence(state, tag, at.span)?;
        }
        Ok(old)
    }

    /// Reads, and writes what `update` answers, if anything; what was read, and whether it wrote.
    /// The access has the order of success. Which fence the execution has before the read says what
    /// it takes the outcome for, and that has to come true.
    pub(super) fn compare_exchange(
        &mut self,
        state: &mut ReplayThread,
        at: Access,
        (failure, expected): (MemoryOrder, &[Word]),
        update: &dyn Fn(&[Word]) -> Option<Vec<Word>>,
    ) -> Result<(Vec<Word>, bool), Stop> {
        let begun = self.is_event(state)?;
        let tags = FenceTag::before_cas(at.order, failure);
        let came = |state: &ReplayThread, tag: &FenceTag| {
            let next = state
                .events
                .front()
                .map(|(_, e)| &self.run.graph.events[*e]);
            next.is_some_and(|e| e.kind == EventKind::Fence(*tag) && e.span == at.span)
        };
        let mut tried = tags.into_iter().flatten().filter(|_| begun);
        let fence = tried.find(|tag| came(state, tag));
        if let Some(tag) = fence {
            self.next(state, EventKind::Fence(tag), MemoryOrder::Plain, at.span)?;
        }
        let places = self.places(state, at)?;
        let order = MemoryOrder::of_failing_read(at.order, failure);
        let reads = places
            .iter()
            .map(|(p, place)| (Access { order, ..*p }, *place));
        let (old, events) = self.read_all(state, &reads.collect::<Vec<_>>())?;
        for (old, expected) in old.iter().zip(expected) {
            let sides = [old, expected].map(|w| (w.number, w.shadow));
            if shadow_binary(BinOp::Eq, sides[0], sides[1], at.width.min(WORD)) != 0 {
                let before = self.violated;
                self.violation(state, PropertyKind::Uninitialised, DECIDES, at.span);
                if self.violated && !before && old.shadow != 0 {
                    self.recorder.recording.unwritten = Some(Unwritten::Memory(at.addr));
                }
            }
        }
        let new = update(&old);
        let outcome = usize::from(new.is_none());
        if begun && fence != tags[outcome] {
            let text = format!("{} has {fence:?} before a compare-exchange", state.id);
            return Err(Mismatch(text).into());
        }
        if let Some(new) = &new {
            self.writes(state, at);
            self.write_all(state, &places, new, &events)?;
        }
        if let Some(tag) = FenceTag::after_cas(at.order, failure)[outcome] {
            self.fence(state, tag, at.span)?;
        }
        Ok((old, new.is_some()))
    }

    pub(super) fn load_linked(
        &mut self,
        state: &mut ReplayThread,
        at: Access,
    ) -> Result<Vec<Word>, Stop> {
        let places = self.places(state, at)?;
        let (value, events) = self.read_all(state, &places)?;
        state.reservation = Some((at.addr, events));
        if let Some(tag) = FenceTag::after_load(at.order) {
            self.fence(state, tag, at.span)?;
        }
        Ok(value)
    }

    /// Whether the store was done: that is a nondeterministic choice, and needs a reservation.
    pub(super) fn store_conditional(
        &mut self,
        state: &mut ReplayThread,
        at: Access,
        value: Word,
    ) -> Result<bool, Stop> {
        if let Some(tag) = FenceTag::before_store(at.order) {
            self.fence(state, tag, at.span)?;
        }
        let attempt = state.choice(self.run, 1)? == 1;
        match state.reservation.take() {
            Some((addr, reads)) if attempt && addr == at.addr => {
                let places = self.places(state, at)?;
                self.writes(state, at);
                self.write_all(state, &places, &[value], &reads)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    pub(super) fn fence(
        &mut self,
        state: &mut ReplayThread,
        tag: FenceTag,
        span: Span,
    ) -> Result<(), Stop> {
        if self.is_event(state)? {
            self.next(state, EventKind::Fence(tag), MemoryOrder::Plain, span)?;
        }
        Ok(())
    }

    /// A fence that has a location.
    pub(super) fn grace_period(
        &mut self,
        state: &mut ReplayThread,
        at: Access,
    ) -> Result<(), Stop> {
        self.places(state, at)?;
        if self.is_event(state)? {
            let kind = EventKind::Fence(FenceTag::Explicit(Fence::Annotated(SYNC_SRCU)));
            let e = self.next(state, kind, MemoryOrder::Plain, at.span)?;
            if self.run.addr.get(&e) != Some(&at.addr) {
                return Err(self.differs(state, e, &format!("waits at {}", at.addr)));
            }
        }
        Ok(())
    }

    pub(super) fn free(
        &mut self,
        state: &mut ReplayThread,
        addr: u64,
        span: Span,
    ) -> Result<(), Stop> {
        if addr == 0 {
            return Ok(());
        }
        if !self.heap.contains_key(&addr) || state.dead.contains(&addr) {
            self.violation(state, PropertyKind::Memory, FREEABLE, span);
        }
        self.bounds_life(state, Lifetime::Free, addr, span)?;
        state.dead.insert(addr);
        self.freed.insert(addr);
        Ok(())
    }

    /// Takes the writes that an object begins or ends with here; for which scalars there are some,
    /// only the event graph knows.
    ///
    /// # Errors
    /// Main's memory does not fit what cells contain initially.
    pub(super) fn bounds_life(
        &mut self,
        state: &mut ReplayThread,
        life: Lifetime,
        object: u64,
        span: Span,
    ) -> Result<(), Stop> {
        if !self.is_event(state)? {
            return Ok(());
        }
        let run = self.run;
        let inside = |e: &EventId| {
            let addr = run.addr.get(e).copied().unwrap_or(0);
            self.objects.base(addr) == Some(object)
        };
        while let Some((position, e)) = state.events.front().copied()
            && run.graph.events[e].kind == EventKind::Lifetime(life)
            && run.graph.events[e].span == span
            && inside(&e)
        {
            state.events.pop_front();
            state.position = position + 1;
        }
        Ok(())
    }

    /// The objects of a procedure end with it, those of main excepted.
    pub(super) fn end_of_activation(
        &mut self,
        state: &mut ReplayThread,
        objects: Vec<u64>,
        span: Span,
    ) -> Result<(), Stop> {
        if state.id == ThreadId(0) && state.frames.is_empty() {
            return Ok(());
        }
        self.end_on_stack(state, objects, span)
    }

    /// Objects of procedures end, where they have not before.
    pub(super) fn end_on_stack(
        &mut self,
        state: &mut ReplayThread,
        objects: Vec<u64>,
        span: Span,
    ) -> Result<(), Stop> {
        for object in objects {
            if state.dead.insert(object) {
                self.bounds_life(state, Lifetime::End, object, span)?;
            }
        }
        Ok(())
    }

    /// Whether what the thread does now is an event; main may have to begin with them here.
    fn is_event(&mut self, state: &mut ReplayThread) -> Result<bool, Stop> {
        if !self.concurrent && self.passed == self.begin {
            self.begin(state)?;
        } else if !self.concurrent {
            self.passed += 1;
        }
        Ok(self.concurrent)
    }

    /// The pieces of an access, lowest first, as the cells of the graph have them, and where each
    /// goes.
    fn places(
        &mut self,
        state: &mut ReplayThread,
        at: Access,
    ) -> Result<Vec<(Access, AccessTarget)>, Stop> {
        let bytes = u64::from(at.width) / 8;
        let cells =
            (at.addr..at.addr.saturating_add(bytes)).filter_map(|addr| self.cells.get(&addr));
        let widths = cells.map(|cell| self.run.graph.cells[*cell].width);
        let is_inside = self.objects.contains(at.addr, at.width);
        let width = widths.min().filter(|_| is_inside).unwrap_or(at.width);
        let width = width.min(at.width).min(WORD);
        let pieces = (0..bytes).step_by(usize::from(width) / 8);
        let pieces = pieces.map(|by| Access {
            addr: at.addr.wrapping_add(by),
            width,
            ..at
        });
        if is_inside {
            return pieces
                .map(|piece| Ok((piece, self.place(state, piece)?)))
                .collect();
        }
        let place = self.place(state, at)?;
        Ok(pieces.map(|piece| (piece, place)).collect())
    }

    /// An access writes here.
    fn writes(&mut self, state: &ReplayThread, at: Access) {
        let site = state
            .frames
            .last()
            .map(|f| (f.proc, f.pc.saturating_sub(1)));
        if site.is_some_and(|site| self.objects.is_read_only(at.addr, site)) {
            self.violation(state, PropertyKind::Memory, WRITABLE, at.span);
        }
    }

    fn place(&mut self, state: &mut ReplayThread, at: Access) -> Result<AccessTarget, Stop> {
        if self
            .objects
            .base(at.addr)
            .is_some_and(|o| state.dead.contains(&o))
        {
            self.violation(state, PropertyKind::Memory, ALIVE, at.span);
        }
        let is_inside = self.objects.contains(at.addr, at.width);
        // A cell of an object whose size is not a constant may be behind its end.
        if is_inside
            && let Some(cell) = self.cells.get(&at.addr).copied()
            && self.is_event(state)?
        {
            // An access of another width is no event of the graph.
            let fits = self.run.graph.cells[cell].width == at.width;
            return if fits {
                Ok(AccessTarget::Event)
            } else {
                Err(Stop::Stuck)
            };
        }
        if is_inside {
            return Ok(AccessTarget::Private);
        }
        let before = self.violated;
        self.violation(
            state,
            PropertyKind::Memory,
            "the address is that of an object",
            at.span,
        );
        if self.violated && !before {
            self.recorder.recording.outside = Some(at.addr);
        }
        Ok(AccessTarget::OutOfBounds)
    }

    /// Whether a load is no event because the thread is the only one that writes the cell: it
    /// returns what the thread wrote last. Where the execution has an event for it nevertheless, that
    /// is taken; coherence gives both the same value.
    fn is_forwarded(&self, state: &ReplayThread, at: Access) -> Result<bool, Stop> {
        let run = self.run;
        let owner = self
            .cells
            .get(&at.addr)
            .and_then(|c| run.graph.cells[*c].owner);
        let event = self.is_coming(state, at);
        if at.order != MemoryOrder::Plain || owner != Some(state.id) || event {
            return Ok(false);
        }
        let foreign = run.events.iter().find(|e| {
            let event = &run.graph.events[**e];
            event.kind.writes()
                && event.thread.is_some()
                && event.thread != owner
                && run.addr.get(e) == Some(&at.addr)
        });
        match foreign {
            None => Ok(true),
            Some(e) => Err(self.differs(state, *e, "is the only one to write a cell")),
        }
    }

    /// Whether the execution has a read of this piece in the access that comes next. Pieces come one
    /// after another, lowest first.
    fn is_coming(&self, state: &ReplayThread, piece: Access) -> bool {
        let mut last = None;
        for (_, e) in &state.events {
            let event = &self.run.graph.events[*e];
            let addr = self.run.addr.get(e).copied();
            if (event.kind, event.span) != (EventKind::Read, piece.span)
                || addr <= last
                || addr > Some(piece.addr)
            {
                return false;
            }
            if addr == Some(piece.addr) {
                return true;
            }
            last = addr;
        }
        false
    }

    /// Notes that a property is violated here.
    pub(super) fn violation(
        &mut self,
        state: &ReplayThread,
        kind: PropertyKind,
        text: &str,
        span: Span,
    ) {
        let check = match self.goal {
            Goal::Check(check) => check,
            // What threads have allocated, freed and claimed depends on the order in which they do.
            Goal::All(kinds, _) => {
                let known = kind != PropertyKind::Misuse && text != FREEABLE;
                if known && kinds.contains(&kind) && !self.is_beyond_bounds(state) {
                    self.found.push((state.id, kind, text.to_string(), span));
                }
                return;
            }
            Goal::Waits { .. } | Goal::End => return,
        };
        let violated = check.thread == state.id
            && check.span == span
            && check.property.kind == kind
            && check.property.text == text
            && state.is_at(check.position);
        if violated {
            self.violated = true;
            self.recorder.violates(state.id);
        }
    }

    /// Reads all pieces of an access: the words of the value, and the events.
    fn read_all(
        &mut self,
        state: &mut ReplayThread,
        places: &[(Access, AccessTarget)],
    ) -> Result<(Vec<Word>, Vec<Option<EventId>>), Stop> {
        let (mut words, mut low) = (vec![Word::known(0)], 0);
        let mut events = Vec::new();
        let is_open = state.open_access(places.len());
        for (piece, place) in places {
            let (part, event) = self.read(state, *piece, *place)?;
            if low == WORD {
                words.push(Word::known(0));
                low = 0;
            }
            if let Some(word) = words.last_mut() {
                word.number |= part.number << low;
                word.shadow |= part.shadow << low;
            }
            low += piece.width;
            events.push(event);
        }
        state.atomic.take_if(|_| is_open);
        Ok((words, events))
    }

    /// Writes all pieces of an access of one word or two; `reads` are those of a read-modify-write.
    fn write_all(
        &mut self,
        state: &mut ReplayThread,
        places: &[(Access, AccessTarget)],
        words: &[Word],
        reads: &[Option<EventId>],
    ) -> Result<(), Stop> {
        let is_open = state.open_access(places.len());
        let in_word = places.len() / words.len();
        for (i, (piece, place)) in places.iter().enumerate() {
            let low = (i % in_word) as Width * piece.width;
            let bits = |of: u64| of >> low & mask(piece.width);
            let value = words[i / in_word];
            let part = Word {
                number: bits(value.number),
                shadow: bits(value.shadow),
            };
            let read = reads.get(i).copied().flatten();
            self.write(state, *piece, *place, part, read)?;
        }
        state.atomic.take_if(|_| is_open);
        Ok(())
    }

    fn read(
        &mut self,
        state: &mut ReplayThread,
        at: Access,
        place: AccessTarget,
    ) -> Result<(Word, Option<EventId>), Stop> {
        match place {
            AccessTarget::Private => {
                let value = self.objects.load(&state.store, at.addr, at.width);
                Ok((value.ok_or(Stop::Stuck)?, None))
            }
            AccessTarget::OutOfBounds => {
                let number = state.choice(self.run, at.width)?;
                Ok((Word::known(number), None))
            }
            AccessTarget::Event => {
                let e = self.next(state, EventKind::Read, at.order, at.span)?;
                let run = self.run;
                let from = run.source.get(&e);
                let written = from.and_then(|w| run.value.get(w));
                let shadow = run.shadow_of(e);
                let same_shadow = from.is_some_and(|w| run.shadow_of(*w) == shadow);
                let same_place = from.and_then(|w| run.addr.get(w)) == Some(&at.addr);
                match run.value.get(&e) {
                    Some(value)
                        if run.addr.get(&e) == Some(&at.addr)
                            && same_place
                            && same_shadow
                            && written == Some(value) =>
                    {
                        let number = *value;
                        Ok((Word { number, shadow }, Some(e)))
                    }
                    _ => Err(self.differs(state, e, &format!("reads {:#x}", at.addr))),
                }
            }
        }
    }

    fn write(
        &mut self,
        state: &mut ReplayThread,
        at: Access,
        place: AccessTarget,
        value: Word,
        read: Option<EventId>,
    ) -> Result<(), Stop> {
        match place {
            AccessTarget::Private => {
                self.objects
                    .store(&mut state.store, at.addr, at.width, value);
                if let Some(name) = self.objects.thread_local(at.addr) {
                    self.recorder.sets(state.id, name, value.number, at.width);
                }
            }
            AccessTarget::OutOfBounds => {}
            AccessTarget::Event => {
                let e = self.next(state, EventKind::Write, at.order, at.span)?;
                let (addr, wrote) = (self.run.addr.get(&e), self.run.value.get(&e));
                let same = (addr, wrote) == (Some(&at.addr), Some(&value.number))
                    && self.run.shadow_of(e) == value.shadow;
                if !same || self.run.graph.events[e].rmw_read != read {
                    let does = format!("writes {value:?} to {:#x}", at.addr);
                    return Err(self.differs(state, e, &does));
                }
                let bytes = &mut state.store;
                self.objects.store(bytes, at.addr, at.width, value);
            }
        }
        Ok(())
    }

    /// The next event of the thread, which must be of this kind.
    fn next(
        &mut self,
        state: &mut ReplayThread,
        kind: EventKind,
        order: MemoryOrder,
        span: Span,
    ) -> Result<EventId, Stop> {
        let (position, e) = state.events.pop_front().ok_or(Stop::Stuck)?;
        let event = &self.run.graph.events[e];
        let groups = &self.run.graph.groups;
        let group_fits = match (&mut state.atomic, event.group) {
            (None, group) => group.is_none(),
            // Pieces of an access that tears are none.
            (Some(open), None) => open.kind == Atomicity::Access,
            (Some(open), Some(id)) => {
                open.kind == groups[id].kind && *open.id.get_or_insert(id) == id
            }
        };
        // An event whose order is open has the weakest one.
        let mut open = self.run.graph.open_orders.keys();
        let order_fits = event.order == order || open.any(|site| site.span == span);
        let fits = (event.kind, event.span) == (kind, span) && order_fits && group_fits;
        if !fits {
            return Err(self.differs(state, e, &format!("comes to {kind:?} at {span:?}")));
        }
        state.position = position + 1;
        self.recorder.event(state.id, e);
        Ok(e)
    }

    fn differs(&self, state: &ReplayThread, e: EventId, does: &str) -> Stop {
        let event = &self.run.graph.events[e];
        Stop::Wrong(Mismatch(format!(
            "{} {does}, but {e} is {:?} at {:?} of {:?} at {:?}",
            state.id,
            event.kind,
            event.span,
            self.run.value.get(&e),
            self.run.addr.get(&e)
        )))
    }

    /// From here on accesses to cells are events. The cells contain initially what main's memory
    /// contains now; what differs on this path is written by events of its own.
    pub(super) fn begin(&mut self, state: &mut ReplayThread) -> Result<(), Stop> {
        self.concurrent = true;
        let run = self.run;
        let mut carried: BTreeMap<u64, Option<Word>> = BTreeMap::new();
        let word = |e: EventId| {
            let number = run.value.get(&e).copied()?;
            let shadow = run.shadow_of(e);
            Some(Word { number, shadow })
        };
        while let Some((position, e)) = state.events.front().copied()
            && run.graph.carried.binary_search(&e).is_ok()
        {
            state.events.pop_front();
            state.position = position + 1;
            carried.insert(run.addr.get(&e).copied().unwrap_or(0), word(e));
        }
        for cell in run.graph.cells.iter() {
            let initial = word(cell.init);
            let theirs = carried.get(&cell.addr).copied().unwrap_or(initial);
            // Cells of objects that only other executions have are of no interest.
            let mine = self.objects.load(&state.store, cell.addr, cell.width);
            if mine.is_some() && mine != theirs {
                return Err(Mismatch(format!(
                    "`{}` contains {mine:?} when the first thread is created, not {theirs:?}",
                    cell.name
                ))
                .into());
            }
        }
        Ok(())
    }
}
