//! Accesses and fences of a replayed thread: its next events, or its private memory.

use super::{Goal, Replay, Stop, Walk};
use crate::base::source::Span;
use crate::check::decode::Mismatch;
use crate::ir::program::*;
use crate::unroll::event::*;
use crate::unroll::lifetime::{ALIVE, FREEABLE};
use std::collections::BTreeMap;

/// Where an access goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
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
    pub order: Order,
    pub span: Span,
}

impl Replay<'_> {
    pub(super) fn load(&mut self, walk: &mut Walk, at: Access) -> Result<u64, Stop> {
        if let Some(tag) = FenceTag::before_load(at.order) {
            self.fence(walk, tag, at.span)?;
        }
        let mut place = self.place(walk, at)?;
        if place == Place::Event && self.is_forwarded(walk, at)? {
            place = Place::Private;
        }
        let (value, _) = self.read(walk, at, place)?;
        if let Some(tag) = FenceTag::after_load(at.order) {
            self.fence(walk, tag, at.span)?;
        }
        Ok(value)
    }

    pub(super) fn store(&mut self, walk: &mut Walk, at: Access, value: u64) -> Result<(), Stop> {
        if let Some(tag) = FenceTag::before_store(at.order) {
            self.fence(walk, tag, at.span)?;
        }
        let place = self.place(walk, at)?;
        self.write(walk, at, place, value, None)?;
        if let Some(tag) = FenceTag::after_store(at.order) {
            self.fence(walk, tag, at.span)?;
        }
        Ok(())
    }

    /// Reads, writes what `update` makes of it, and returns what was read.
    pub(super) fn rmw(
        &mut self,
        walk: &mut Walk,
        at: Access,
        update: &dyn Fn(u64) -> u64,
    ) -> Result<u64, Stop> {
        if let Some(tag) = FenceTag::before_rmw(at.order) {
            self.fence(walk, tag, at.span)?;
        }
        let place = self.place(walk, at)?;
        let (old, event) = self.read(walk, at, place)?;
        self.write(walk, at, place, update(old), event)?;
        if let Some(tag) = FenceTag::after_rmw(at.order) {
            self.fence(walk, tag, at.span)?;
        }
        Ok(old)
    }

    /// Reads, and writes what `update` answers, if anything; what was read, and whether it wrote.
    /// The access has the order of success. Which fence the execution has before the read says what
    /// it takes the outcome for, and that has to come true.
    pub(super) fn compare_exchange(
        &mut self,
        walk: &mut Walk,
        at: Access,
        failure: Order,
        update: &dyn Fn(u64) -> Option<u64>,
    ) -> Result<(u64, bool), Stop> {
        let begun = self.is_event(walk)?;
        let tags = FenceTag::before_cas(at.order, failure);
        let came = |walk: &Walk, tag: &FenceTag| {
            let next = walk.events.front().map(|(_, e)| &self.run.graph.events[*e]);
            next.is_some_and(|e| e.kind == EventKind::Fence(*tag) && e.span == at.span)
        };
        let fence = tags.into_iter().flatten().find(|tag| came(walk, tag));
        if let Some(tag) = fence {
            self.next(walk, EventKind::Fence(tag), Order::Plain, at.span)?;
        }
        let place = self.place(walk, at)?;
        let reads = Access {
            order: Order::of_failing_read(at.order, failure),
            ..at
        };
        let (old, event) = self.read(walk, reads, place)?;
        let new = update(old);
        let outcome = usize::from(new.is_none());
        if begun && fence != tags[outcome] {
            let text = format!("{} has {fence:?} before a compare-exchange", walk.id);
            return Err(Mismatch(text).into());
        }
        if let Some(new) = new {
            self.write(walk, at, place, new, event)?;
        }
        if let Some(tag) = FenceTag::after_cas(at.order, failure)[outcome] {
            self.fence(walk, tag, at.span)?;
        }
        Ok((old, new.is_some()))
    }

    pub(super) fn load_linked(&mut self, walk: &mut Walk, at: Access) -> Result<u64, Stop> {
        let place = self.place(walk, at)?;
        let (value, event) = self.read(walk, at, place)?;
        walk.reservation = Some((at.addr, event));
        Ok(value)
    }

    /// Whether the store was done: that is drawn, and needs a reservation.
    pub(super) fn store_conditional(
        &mut self,
        walk: &mut Walk,
        at: Access,
        value: u64,
    ) -> Result<bool, Stop> {
        let attempt = walk.choice(self.run, 1)? == 1;
        match walk.reservation.take() {
            Some((addr, read)) if attempt && addr == at.addr => {
                let place = self.place(walk, at)?;
                self.write(walk, at, place, value, read)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    pub(super) fn fence(&mut self, walk: &mut Walk, tag: FenceTag, span: Span) -> Result<(), Stop> {
        if self.is_event(walk)? {
            self.next(walk, EventKind::Fence(tag), Order::Plain, span)?;
        }
        Ok(())
    }

    pub(super) fn free(&mut self, walk: &mut Walk, addr: u64, span: Span) -> Result<(), Stop> {
        if addr == 0 {
            return Ok(());
        }
        if !self.heap.contains_key(&addr) || walk.dead.contains(&addr) {
            self.violation(walk, PropertyKind::Memory, FREEABLE, span);
        }
        self.bounds_life(walk, Lifetime::Free, addr, span)?;
        walk.dead.insert(addr);
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
        walk: &mut Walk,
        life: Lifetime,
        object: u64,
        span: Span,
    ) -> Result<(), Stop> {
        if !self.is_event(walk)? {
            return Ok(());
        }
        let run = self.run;
        let inside = |e: &EventId| {
            let addr = run.addr.get(e).copied().unwrap_or(0);
            self.objects.base(addr) == Some(object)
        };
        while let Some((position, e)) = walk.events.front().copied()
            && run.graph.events[e].kind == EventKind::Lifetime(life)
            && run.graph.events[e].span == span
            && inside(&e)
        {
            walk.events.pop_front();
            walk.position = position + 1;
        }
        Ok(())
    }

    /// The objects of a procedure end with it, those of main excepted.
    pub(super) fn end_of_activation(
        &mut self,
        walk: &mut Walk,
        objects: Vec<u64>,
        span: Span,
    ) -> Result<(), Stop> {
        if walk.id == ThreadId(0) && walk.frames.is_empty() {
            return Ok(());
        }
        self.end_on_stack(walk, objects, span)
    }

    /// Objects of procedures end, where they have not before.
    pub(super) fn end_on_stack(
        &mut self,
        walk: &mut Walk,
        objects: Vec<u64>,
        span: Span,
    ) -> Result<(), Stop> {
        for object in objects {
            if walk.dead.insert(object) {
                self.bounds_life(walk, Lifetime::End, object, span)?;
            }
        }
        Ok(())
    }

    /// Whether what the thread does now is an event; main may have to begin with them here.
    fn is_event(&mut self, walk: &mut Walk) -> Result<bool, Stop> {
        if !self.concurrent && self.passed == self.begin {
            self.begin(walk)?;
        } else if !self.concurrent {
            self.passed += 1;
        }
        Ok(self.concurrent)
    }

    fn place(&mut self, walk: &mut Walk, at: Access) -> Result<Place, Stop> {
        if self
            .objects
            .base(at.addr)
            .is_some_and(|o| walk.dead.contains(&o))
        {
            self.violation(walk, PropertyKind::Memory, ALIVE, at.span);
        }
        if let Some(cell) = self.cells.get(&at.addr).copied()
            && self.is_event(walk)?
        {
            // An access of another width has no meaning in the event graph.
            let fits = self.run.graph.cells[cell].width == at.width;
            return if fits {
                Ok(Place::Event)
            } else {
                Err(Stop::Stuck)
            };
        }
        if self.objects.contains(at.addr, at.width) {
            return Ok(Place::Private);
        }
        self.violation(
            walk,
            PropertyKind::Memory,
            "the address is that of an object",
            at.span,
        );
        Ok(Place::OutOfBounds)
    }

    /// Whether a load is no event because the thread is the only one that writes the cell: it
    /// returns what the thread wrote last. Where the execution has an event for it nevertheless, that
    /// is taken; coherence gives both the same value.
    fn is_forwarded(&self, walk: &Walk, at: Access) -> Result<bool, Stop> {
        let run = self.run;
        let owner = self
            .cells
            .get(&at.addr)
            .and_then(|c| run.graph.cells[*c].owner);
        let event = walk.events.front().is_some_and(|(_, e)| {
            let event = &run.graph.events[*e];
            (event.kind, event.span) == (EventKind::Read, at.span)
                && run.addr.get(e) == Some(&at.addr)
        });
        if at.order != Order::Plain || owner != Some(walk.id) || event {
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
            Some(e) => Err(self.differs(walk, *e, "is the only one to write a cell")),
        }
    }

    /// Notes that a property is violated here.
    pub(super) fn violation(&mut self, walk: &Walk, kind: PropertyKind, text: &str, span: Span) {
        let Goal::Check(check) = self.goal else {
            return;
        };
        self.violated |= check.thread == walk.id
            && check.span == span
            && check.property.kind == kind
            && check.property.text == text
            && walk.is_at(check.position);
    }

    fn read(
        &mut self,
        walk: &mut Walk,
        at: Access,
        place: Place,
    ) -> Result<(u64, Option<EventId>), Stop> {
        match place {
            Place::Private => {
                let value = self.objects.load(&walk.store, at.addr, at.width);
                Ok((value.ok_or(Stop::Stuck)?, None))
            }
            Place::OutOfBounds => Ok((walk.choice(self.run, at.width)?, None)),
            Place::Event => {
                let e = self.next(walk, EventKind::Read, at.order, at.span)?;
                let run = self.run;
                let from = run.source.get(&e);
                let written = from.and_then(|w| run.value.get(w));
                let same_place = from.and_then(|w| run.addr.get(w)) == Some(&at.addr);
                match run.value.get(&e) {
                    Some(value)
                        if run.addr.get(&e) == Some(&at.addr)
                            && same_place
                            && written == Some(value) =>
                    {
                        Ok((*value, Some(e)))
                    }
                    _ => Err(self.differs(walk, e, &format!("reads {:#x}", at.addr))),
                }
            }
        }
    }

    fn write(
        &mut self,
        walk: &mut Walk,
        at: Access,
        place: Place,
        value: u64,
        read: Option<EventId>,
    ) -> Result<(), Stop> {
        match place {
            Place::Private => {
                self.objects
                    .store(&mut walk.store, at.addr, at.width, value);
            }
            Place::OutOfBounds => {}
            Place::Event => {
                let e = self.next(walk, EventKind::Write, at.order, at.span)?;
                let (addr, wrote) = (self.run.addr.get(&e), self.run.value.get(&e));
                let same = (addr, wrote) == (Some(&at.addr), Some(&value));
                if !same || self.run.graph.events[e].rmw_read != read {
                    let does = format!("writes {value} to {:#x}", at.addr);
                    return Err(self.differs(walk, e, &does));
                }
                let bytes = &mut walk.store;
                self.objects.store(bytes, at.addr, at.width, value);
            }
        }
        Ok(())
    }

    /// The next event of the thread, which must be of this kind.
    fn next(
        &mut self,
        walk: &mut Walk,
        kind: EventKind,
        order: Order,
        span: Span,
    ) -> Result<EventId, Stop> {
        let (position, e) = walk.events.pop_front().ok_or(Stop::Stuck)?;
        let event = &self.run.graph.events[e];
        let (depth, group) = walk.atomic;
        let group_fits = match group {
            Some(group) => event.group == Some(group),
            None => event.group.is_some() == (depth > 0),
        };
        if (event.kind, event.order, event.span) != (kind, order, span) || !group_fits {
            return Err(self.differs(walk, e, &format!("comes to {kind:?} at {span:?}")));
        }
        walk.atomic.1 = event.group;
        walk.position = position + 1;
        Ok(e)
    }

    fn differs(&self, walk: &Walk, e: EventId, does: &str) -> Stop {
        let event = &self.run.graph.events[e];
        Stop::Wrong(Mismatch(format!(
            "{} {does}, but {e} is {:?} at {:?} of {:?} at {:?}",
            walk.id,
            event.kind,
            event.span,
            self.run.value.get(&e),
            self.run.addr.get(&e)
        )))
    }

    /// From here on accesses to cells are events. The cells contain initially what main's memory
    /// contains now; what differs on this path is written by events of its own.
    pub(super) fn begin(&mut self, walk: &mut Walk) -> Result<(), Stop> {
        self.concurrent = true;
        let run = self.run;
        let mut carried: BTreeMap<u64, Option<u64>> = BTreeMap::new();
        while let Some((position, e)) = walk.events.front().copied()
            && run.graph.carried.binary_search(&e).is_ok()
        {
            walk.events.pop_front();
            walk.position = position + 1;
            carried.insert(
                run.addr.get(&e).copied().unwrap_or(0),
                run.value.get(&e).copied(),
            );
        }
        for cell in run.graph.cells.iter() {
            let initial = run.value.get(&cell.init).copied();
            let theirs = carried.get(&cell.addr).copied().unwrap_or(initial);
            // Cells of objects that only other executions have are of no interest.
            let mine = self.objects.load(&walk.store, cell.addr, cell.width);
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
