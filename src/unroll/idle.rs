//! Iterations that change nothing, and so need not be followed.
//!
//! An iteration may be left out of an execution when the thread is afterwards where it was, with the
//! same live registers and the same private memory, and when others do not miss what it wrote. The
//! iteration that leaves the loop then stands for all. Leaving events out only takes order away; what
//! has to be shown is that the reads of what was written find the same value elsewhere, and that the
//! order this brings was there before. In five ways:
//!
//! - **It wrote nothing**: a spin loop that looks. Where a write is conditional these are the
//!   executions in which it does not happen: a compare-exchange of a queue that helps another thread,
//!   but comes too late.
//! - **It wrote what the next one overwrites** before another thread can look at it
//!   ([`super::unpublished`]).
//! - **It wrote back what it read** ([`WriteBacks::All`], [`WriteBacks::Leading`]): the failed
//!   iteration of a test-and-set. Of a read-modify-write (r, w) nothing writes between r's source w0 and
//!   w (atomicity and coherence), so who reads from w may read from w0: the value is the same, and so
//!   is everything that comes after it in coherence. That a reader r' now has its value from w0 was
//!   so before: w0 –co→ w –rf→ r', and w0 –rf→ r –po→ r' where r' is of the same thread. `relations::idle`
//!   says for each model why that suffices there.
//! - **It gave a mutex back and took it again** ([`WriteBacks::Sections`]): a wait for a condition
//!   that was woken too early. Let the thread take the mutex (T0), find the condition false, give it
//!   back (G), and take it again (T). T0 to G is a critical section that changes nothing. It is left
//!   out: T takes the place of T0, in the same state and with the same value read, and who reads from
//!   G reads from the source of T0, the release before. Full fences stand between all of them, so
//!   release –rf→ T0 –fence→ G –rf→ reader orders whatever the shorter way does. T0 may be the lock
//!   before the loop, so that no iteration at all is left.
//!   That no other thread writes the mutex between T0 and G, and that none looks at T0's write but to
//!   wait (a waiter may as well wait for T), is how mutexes are used, but it cannot be seen here: it
//!   is a query to the solver ([`Section`]), and where it is not so the bound of the loop is reached.
//!
//! - **It took a mutex and gave it back**, and wrote nothing else: a thread that polls under a lock. Let T
//!   take it, with G0 the release that T reads from, and G give it back. Who reads from G reads from G0,
//!   which has written the same; G0 –rf→ T –fence→ G –rf→ reader orders whatever the shorter way does. That
//!   nobody else comes in between is the same query.
//!
//! Who looks for violations *in* an iteration may not leave out all of them. Where dependencies do
//! not keep a read before later writes of its thread, what goes wrong in an iteration may need what
//! the thread does behind the loop: a check that fails, an access to what another thread makes or
//! frees. And an access of an iteration may race with something that happens only after the loop. So
//! an iteration is followed once more in executions in which such a thing happens in it ([`shows`]);
//! one is enough, as all others may be left out. Of a check it is known on the path whether it
//! fails; a race, or an access to what does not exist, is known only when all threads are there, so
//! that whether an iteration with such an access is followed is arbitrary ([`Followed`]). Of a write to an
//! object that no other thread knows yet, which the next iteration overwrites, that need not be asked: who
//! comes to it later is ordered behind it if it is ordered behind the one that overwrites it. Nor of what a mutex
//! guards ([`super::guarded`]).
//!
//! [`shows`]: Executor::shows

use super::event::*;
use super::executor::Executor;
use super::memory::*;
use super::options::{Reading, WriteBacks};
use super::state::*;
use super::term::{Term, TermId};
use base::idx::Id;
use ir::program::*;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::collections::BTreeSet;

/// Numbers a slot may hold before more of them count as anything.
const MAX_VALUES: usize = 8;

/// What becomes of critical sections that iterations consist of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sections {
    Followed,
    LeftOut,
}

/// An iteration that a path has come to the end of.
pub(super) struct EndedIteration<'a> {
    /// The procedure and the head of the loop.
    pub(super) head: (ProcId, usize),
    /// What was so when it began.
    pub(super) begun: &'a LoopState,
    /// What is so now.
    pub(super) frame: &'a Frame,
    /// The parts of the path's guard now.
    pub(super) known: Vec<TermId>,
}

/// An iteration changed nothing.
pub(super) struct Idle {
    /// If this holds.
    pub cond: TermId,
    /// It is left out together with this critical section.
    pub section: Option<Section>,
    /// The next iteration does the same again where it reads the same.
    pub repeats: bool,
}

impl Executor<'_> {
    /// Whether the iteration that ends here changed nothing.
    pub(super) fn idle(
        &mut self,
        head: (ProcId, usize),
        iteration: &LoopState,
        frame: &Frame,
        sections: Sections,
    ) -> Option<Idle> {
        if self.options.awaits.robustness {
            return None;
        }
        let guard = frame.state.guard;
        let overwritten = match frame.state.group {
            None => self.overwritten(iteration, guard),
            Some(_) => BTreeSet::new(),
        };
        let mut writes = Vec::new();
        for i in iteration.events..self.position() {
            let e = self.events()[i];
            if self.graph.events[e].kind == EventKind::Write && self.is_on(e, guard) {
                let cells = &self.graph.events[e].cells;
                let mut slots = cells.iter().map(|c| self.cells.slot(*c));
                if slots.all(|slot| overwritten.contains(&slot)) {
                    continue;
                }
                let awaits = &self.options.awaits;
                let seen_in_sections =
                    self.analysis.has_atomic_sections() && !awaits.atomic_sections;
                if awaits.writes == WriteBacks::None || seen_in_sections {
                    return None;
                }
                writes.push(e);
            }
        }
        let ended = EndedIteration {
            head,
            begun: iteration,
            frame,
            known: conjuncts(&self.graph.terms, guard),
        };
        let known = &ended.known[..];
        let same = self.is_where_it_was(&ended, &overwritten)?;
        let (cond, section) = if writes.is_empty() {
            (self.graph.terms.bool(true), None)
        } else if frame.state.group.is_some() {
            return None;
        } else if let Some(cond) = self.wrote_back(iteration, guard, known, &writes) {
            (cond, None)
        } else {
            let found = (sections == Sections::LeftOut).then(|| {
                let whole = self.whole_section(guard, known, &writes);
                whole.or_else(|| self.section(iteration, guard, known))
            });
            match found.flatten() {
                Some((cond, section)) => (cond, Some(section)),
                None => (self.wrote_nothing(known, &writes), None),
            }
        };
        let cond = self.graph.terms.and(cond, same);
        let some = self.graph.terms.and(guard, cond);
        let own = &self.events()[iteration.events..];
        let repeats = section.is_none_or(|section| own.contains(&section.taken));
        (!self.graph.terms.is_false(some)).then_some(Idle {
            cond,
            section,
            repeats,
        })
    }

    /// When something goes wrong in an iteration that has to be looked at together with what comes
    /// behind the loop; see the head of this file.
    /// Memory that is `quiet` no other thread knows yet, and what the thread does there stays.
    pub(super) fn shows(
        &mut self,
        iteration: &LoopState,
        guard: TermId,
        quiet: &BTreeSet<SlotId>,
    ) -> TermId {
        let awaits = self.options.awaits;
        let in_order = awaits.reading == Reading::InOrder;
        let overwritten = self.overwritten(iteration, guard);
        let own = self.events();
        let mut accesses = own[iteration.events..].to_vec();
        accesses.retain(|e| {
            let event = &self.graph.events[*e];
            let slots: Vec<SlotId> = event.cells.iter().map(|c| self.cells.slot(*c)).collect();
            let again = event.kind == EventKind::Write;
            if again && slots.iter().all(|slot| overwritten.contains(slot))
                || !slots.is_empty() && slots.iter().all(|slot| quiet.contains(slot))
            {
                return false;
            }
            let is_seen = slots.into_iter().any(|slot| {
                let lives = self.facts.matters(Lifetime::Begin, slot)
                    || self.facts.matters(Lifetime::End, slot);
                let races = awaits.races && self.facts.is_plain(slot);
                lives && !in_order || races && !self.is_guarded(*e, slot)
            });
            is_seen && self.is_on(*e, guard)
        });
        let mut wrong = Vec::new();
        if !accesses.is_empty() {
            let when = self.graph.terms.nondet(1);
            self.graph.followed.push(Followed { when, accesses });
            wrong.push(when);
        }
        // Where every read stays before what it could cause, no check in an iteration needs what comes later.
        if awaits.reading >= Reading::Causal {
            return self.graph.terms.any(&wrong);
        }
        let graph = &mut self.graph;
        for check in &graph.checks[iteration.checks..] {
            if check.thread == self.threads.current() {
                let fails = graph.terms.not(check.cond);
                wrong.push(graph.terms.and(check.guard, fails));
            }
        }
        let unsupported = &graph.unsupported[iteration.unsupported..];
        let unresolved = &graph.unresolved[iteration.unresolved..];
        wrong.extend(unsupported.iter().chain(unresolved).map(|what| what.guard));
        let here = |wrong| graph.terms.and(guard, wrong);
        let wrong: Vec<TermId> = wrong.into_iter().map(here).collect();
        graph.terms.any(&wrong)
    }

    /// Whether an event of this thread may happen on a path.
    pub(super) fn is_on(&mut self, e: EventId, guard: TermId) -> bool {
        let both = self.graph.terms.and(guard, self.graph.events[e].guard);
        !self.graph.terms.is_false(both)
    }

    /// When live registers and private memory are as they were, but for what is overwritten first,
    /// and no thread was created.
    ///
    /// What was computed anew may happen to have its old number: the value that a compare-exchange returned
    /// which failed for no reason. What depends on it depends on the earlier reads then, see [`Self::is_same`].
    fn is_where_it_was(
        &mut self,
        ended: &EndedIteration,
        overwritten: &BTreeSet<SlotId>,
    ) -> Option<TermId> {
        let (iteration, frame, known) = (ended.begun, ended.frame, &ended.known[..]);
        if self.threads.has_created_since(iteration.time) {
            return None;
        }
        let mut same = self.graph.terms.bool(true);
        for local in self.program.procs[ended.head.0].locals.ids() {
            let (before, now) = (iteration.locals[local.index()], frame.locals[local.index()]);
            if !self.is_live(ended.head, local) || before == now {
                continue;
            }
            let (before, now) = (before?, now?);
            let again = self.is_same(known, before, now)?;
            same = self.graph.terms.and(same, again);
            // A counter has another value: the memory, which may be large, need not be compared.
            if self.graph.terms.is_false(same) {
                return None;
            }
        }
        if !self.freed_nothing_older(iteration, frame)
            || !self.remembers_the_same(iteration, frame, known)
        {
            return None;
        }
        let slots = frame.state.memory.unshared(&iteration.memory);
        for slot in slots.into_iter().filter(|s| !overwritten.contains(s)) {
            let Some(now) = frame.state.memory.get(slot) else {
                continue;
            };
            let before = match iteration.memory.get(slot) {
                Some(before) => before,
                None => self.initial_value(slot),
            };
            if self.fresh(slot, iteration) {
                continue;
            }
            let again = self.is_same(known, before, now)?;
            same = self.graph.terms.and(same, again);
        }
        Some(same)
    }

    /// When a value is what it was, on a path; `None` where that is not known.
    ///
    /// Of numbers that are equal by chance the old one must not depend on reads that the new one does not depend
    /// on: that would be new order where dependencies matter. Of those that are equal by their look this is not
    /// asked: a loop of weak compare-exchanges compares with the old one, so that later writes depend on it
    /// anyway. (An address that a later read takes from it need not.)
    fn is_same(
        &mut self,
        known: &[TermId],
        before: SymbolicValue,
        now: SymbolicValue,
    ) -> Option<TermId> {
        if before.shadow != now.shadow {
            return None;
        }
        let term = under(&mut self.graph.terms, known, now.term);
        if term == before.term {
            return Some(self.graph.terms.bool(true));
        }
        let (old, new) = (self.deps.get(before.deps), self.deps.get(now.deps));
        let depends = self.options.awaits.reading < Reading::Causal;
        if depends && !old.iter().all(|d| new.contains(d)) {
            return None;
        }
        Some(self.graph.terms.eq(term, before.term))
    }

    /// True for memory of an object that the current iteration made: nothing from before refers
    /// to it.
    fn fresh(&self, slot: SlotId, iteration: &LoopState) -> bool {
        let written = self.accesses.written(slot, self.threads.current());
        let object = &self.facts.objects[self.facts.slots[slot].object];
        matches!(object.kind, ObjKind::Alloc { .. })
            && iteration.memory.get(slot).is_none()
            && written.is_some_and(|t| t > iteration.time)
    }

    // ---- read-modify-writes that write back what they read --------------------------------------

    /// When all writes of an iteration are of read-modify-writes that changed nothing.
    fn wrote_back(
        &mut self,
        iteration: &LoopState,
        guard: TermId,
        known: &[TermId],
        writes: &[EventId],
    ) -> Option<TermId> {
        let first = self.events()[iteration.events..]
            .iter()
            .copied()
            .find(|e| !matches!(self.graph.events[*e].kind, EventKind::Fence(_)));
        let mut all = Vec::new();
        for w in writes {
            let event = self.graph.events[*w].clone();
            let read = event.rmw_read.filter(|_| event.group.is_none())?;
            let own = &self.events()[iteration.events..];
            let cells = &event.cells;
            let is_plain = |c: &CellId| self.facts.is_plain(self.cells.slot(*c));
            if !own.contains(&read)
                || self.graph.events[read].addr != event.addr
                || self.options.awaits.writes_atomic && cells.iter().any(is_plain)
            {
                return None;
            }
            let leads = first == Some(read) && self.leads((read, *w), iteration, guard);
            match self.options.awaits.writes {
                WriteBacks::All => {}
                WriteBacks::Acquiring if acquires(self.graph.events[read].order) => {}
                WriteBacks::Leading | WriteBacks::Acquiring
                    if leads || self.is_fenced_after(*w, guard) => {}
                _ => return None,
            }
            let old = self.graph.events[read].value;
            let same = self.graph.terms.eq(event.value, old);
            if self.holds_for_all(guard, read, same) {
                continue;
            }
            // What adds to a number never writes it back.
            let may_be_same = match self.graph.terms.get(event.value) {
                Term::Const(_) => true,
                Term::Binary(op, ..) => matches!(op, BinOp::And | BinOp::Or),
                _ => false,
            };
            if !may_be_same {
                return None;
            }
            let happens = self.under_known(known, event.guard);
            let not = self.graph.terms.not(happens);
            all.push(self.graph.terms.or(not, same));
        }
        Some(self.graph.terms.all(&all))
    }

    /// When none of some writes happened: an attempt to help others came too late.
    fn wrote_nothing(&mut self, known: &[TermId], writes: &[EventId]) -> TermId {
        let mut none = Vec::new();
        for w in writes {
            let guard = self.graph.events[*w].guard;
            let happens = self.under_known(known, guard);
            none.push(self.graph.terms.not(happens));
        }
        self.graph.terms.all(&none)
    }

    /// True when a read-modify-write is what every iteration begins with, depends on nothing but what
    /// it read itself, and the next one does not read from it unless it changes nothing either.
    fn leads(&self, (read, w): (EventId, EventId), iteration: &LoopState, guard: TermId) -> bool {
        let (r, write) = (&self.graph.events[read], &self.graph.events[w]);
        let simple = r.guard == iteration.guard
            && r.cells.len() == 1
            && r.addr_deps.is_empty()
            && write.addr_deps.is_empty()
            && write.data_deps.iter().all(|(e, _)| *e == read);
        if !simple {
            return false;
        }
        let before = conjuncts(&self.graph.terms, iteration.guard);
        let parts = conjuncts(&self.graph.terms, guard);
        let mut branches = parts.iter().filter(|p| !before.contains(p));
        // The next one goes the same way when it reads the same.
        if branches.all(|p| self.decided(*p, read, 0).is_some()) {
            return true;
        }
        // A later read of the iteration has seen another value already.
        let Some(value) = self.graph.terms.as_const(write.value) else {
            return false;
        };
        let own = &self.events()[iteration.events..];
        let later = own.iter().filter(|e| **e > w).copied();
        let mut later = later.filter(|e| {
            let other = &self.graph.events[*e];
            other.kind == EventKind::Read && other.cells == r.cells
        });
        later.any(|other| {
            let mut parts = parts.iter();
            parts.any(|p| self.decided(*p, other, value) == Some(0))
        })
    }

    /// True when a full fence surely comes after an event, before the next iteration.
    fn is_fenced_after(&self, e: EventId, guard: TermId) -> bool {
        let known = conjuncts(&self.graph.terms, guard);
        let own = self.events().iter().rev();
        own.take_while(|other| **other != e).any(|other| {
            let event = &self.graph.events[*other];
            event.kind == EventKind::Fence(FenceTag::Explicit(Fence::Posix))
                && is_subset(&conjuncts(&self.graph.terms, event.guard), &known)
        })
    }

    /// What is left of a condition where some others hold.
    fn under_known(&mut self, known: &[TermId], cond: TermId) -> TermId {
        let open: Vec<TermId> = conjuncts(&self.graph.terms, cond)
            .into_iter()
            .filter(|c| !known.contains(c))
            .collect();
        self.graph.terms.all(&open)
    }

    /// Whether a condition on a path holds for every number that some thread ever writes where the
    /// read reads.
    fn holds_for_all(&mut self, guard: TermId, read: EventId, cond: TermId) -> bool {
        let slots = self.pointees.slots_of_read(read).to_vec();
        let mut values = BTreeSet::new();
        for slot in slots {
            let Some(some) = self.values_of(slot) else {
                return false;
            };
            values.extend(some);
        }
        let parts = conjuncts(&self.graph.terms, guard);
        values.into_iter().all(|value| {
            let mut parts = parts.iter();
            self.decided(cond, read, value) == Some(1)
                || parts.any(|part| self.decided(*part, read, value) == Some(0))
        })
    }

    /// The value of a term that is made of one read alone, when that returns `value`.
    fn decided(&self, term: TermId, read: EventId, value: u64) -> Option<u64> {
        let others = Cell::new(false);
        let leaf = |t: Term| match t {
            Term::Read(e) if e == read => value,
            _ => {
                others.set(true);
                0
            }
        };
        let found = self
            .graph
            .terms
            .eval(term, &mut FxHashMap::default(), &leaf);
        (!others.get()).then_some(found)
    }

    /// The numbers that a shared slot may hold, as far as is known; `None` when there are others.
    fn values_of(&mut self, slot: SlotId) -> Option<BTreeSet<u64>> {
        let known = self.facts.values(slot);
        self.assumed.note_values(slot, known.clone());
        let initial = self.initial_value(slot).term;
        let mut values = known?;
        values.insert(self.graph.terms.as_const(initial)?);
        Some(values)
    }

    /// Notes what a write may leave in a slot.
    pub(super) fn note_value(&mut self, slot: SlotId, value: TermId, rmw_read: Option<EventId>) {
        let known = self.facts.take_values(slot);
        let values = known.and_then(|some| self.with_value(some, slot, value, rmw_read));
        self.facts.set_values(slot, values);
    }

    /// Some numbers, and those that a write makes of them; `None` when there are too many.
    fn with_value(
        &mut self,
        mut some: BTreeSet<u64>,
        slot: SlotId,
        value: TermId,
        rmw_read: Option<EventId>,
    ) -> Option<BTreeSet<u64>> {
        let mut work = Vec::new();
        match self.graph.terms.as_const(value) {
            Some(number) => _ = some.insert(number),
            None => {
                // What comes of the numbers that may be read, again and again.
                let initial = self.initial_value(slot).term;
                work.push(self.graph.terms.as_const(initial)?);
                work.extend(&some);
            }
        }
        while let Some(old) = work.pop() {
            let new = self.decided(value, rmw_read?, old)?;
            if some.insert(new) {
                work.push(new);
            }
            if some.len() > MAX_VALUES {
                return None;
            }
        }
        Some(some).filter(|some| some.len() <= MAX_VALUES)
    }

    // ---- critical sections ----------------------------------------------------------------------

    /// The critical section that is all that an iteration writes, and when it is.
    fn whole_section(
        &mut self,
        guard: TermId,
        known: &[TermId],
        writes: &[EventId],
    ) -> Option<(TermId, Section)> {
        let [taken, given] = *writes else {
            return None;
        };
        let [x, y] = [taken, given].map(|e| self.graph.events[e].clone());
        let free = y.value;
        let locks = x.order == MemoryOrder::Library(Role::Lock)
            && y.order == MemoryOrder::Library(Role::Release);
        let one_place =
            x.group.is_none() && y.group.is_none() && x.cells.len() == 1 && x.cells == y.cells;
        if !locks || !one_place || x.value == free {
            return None;
        }
        self.graph.terms.as_const(free)?;
        self.graph.terms.as_const(x.value)?;
        let old = self.graph.events[x.rmw_read?].value;
        let was_free = self.graph.terms.eq(old, free);
        if !conjuncts(&self.graph.terms, x.guard).contains(&was_free) {
            return None;
        }
        let own = self.events();
        let [from, to] = [taken, given].map(|e| own.iter().position(|other| *other == e));
        if !self.has_fence(from?, to?, known) {
            return None;
        }
        let conds = [x.guard, y.guard].map(|g| self.under_known(known, g));
        let cond = self.graph.terms.all(&conds);
        let some = self.graph.terms.and(guard, cond);
        (!self.graph.terms.is_false(some)).then_some((cond, Section { taken, given }))
    }

    /// The critical section that may be left out together with an iteration which gave its mutex back
    /// and took it again, and when.
    fn section(
        &mut self,
        iteration: &LoopState,
        guard: TermId,
        known: &[TermId],
    ) -> Option<(TermId, Section)> {
        let mut at = self.position();
        let mut conds = Vec::new();
        let (again, again_at) = self.written_before(&mut at, guard, 0, known, &mut conds)?;
        let (given, given_at) = self.written_before(&mut at, guard, 0, known, &mut conds)?;
        // Between the lock and the iteration nothing may be read.
        let from = iteration.events;
        let (taken, taken_at) = self.written_before(&mut at, guard, from, known, &mut conds)?;
        let is = |e: EventId, role: Role| self.graph.events[e].order == MemoryOrder::Library(role);
        let outside = taken_at < iteration.events && iteration.events <= given_at;
        if !is(again, Role::Lock) || !is(given, Role::Release) || !is(taken, Role::Lock) || !outside
        {
            return None;
        }
        let end = self.position();
        let fenced = [(taken_at, given_at), (given_at, again_at), (again_at, end)];
        if !fenced.iter().all(|(a, b)| self.has_fence(*a, *b, known)) {
            return None;
        }
        let free = self.graph.events[given].value;
        self.graph.terms.as_const(free)?;
        let [x, y, z] = [taken, given, again].map(|e| self.graph.events[e].clone());
        let one_place = x.group.is_none()
            && y.group.is_none()
            && x.cells.len() == 1
            && x.cells == y.cells
            && y.cells == z.cells;
        let one_state = x.value == z.value && x.value != free;
        self.graph.terms.as_const(x.value)?;
        if !one_place || !one_state {
            return None;
        }
        for lock in [&x, &z] {
            let read = lock.rmw_read?;
            let old = self.graph.events[read].value;
            let was_free = self.graph.terms.eq(old, free);
            if !conjuncts(&self.graph.terms, lock.guard).contains(&was_free) {
                return None;
            }
        }
        let guards = [x.guard, y.guard, z.guard];
        conds.extend(guards.map(|g| self.under_known(known, g)));
        let cond = self.graph.terms.all(&conds);
        if self.graph.terms.is_false(cond) {
            return None;
        }
        Some((cond, Section { taken, given }))
    }

    /// The last write to a mutex on a path before a position, when there are but fences and reads
    /// behind it, no reads before `reads_from`, and other writes only if they do not happen (`conds`);
    /// the position moves in front of it and what it has read.
    fn written_before(
        &mut self,
        at: &mut usize,
        guard: TermId,
        reads_from: usize,
        known: &[TermId],
        conds: &mut Vec<TermId>,
    ) -> Option<(EventId, usize)> {
        let is_last = *at == self.position();
        while *at > 0 {
            *at -= 1;
            let e = self.events()[*at];
            if !self.is_on(e, guard) {
                continue;
            }
            let event = &self.graph.events[e];
            let (event_guard, rmw_read) = (event.guard, event.rmw_read);
            match (event.kind, event.order) {
                (EventKind::Fence(_), _) => {}
                // Behind the lock that ends the iteration the thread looks at nothing.
                (EventKind::Read, _) if !is_last && *at >= reads_from => {}
                (EventKind::Write, MemoryOrder::Library(Role::Lock | Role::Release)) => {
                    let found = *at;
                    if let Some(read) = rmw_read {
                        let own = self.events();
                        *at = own.iter().position(|other| *other == read)?;
                    }
                    return Some((e, found));
                }
                (EventKind::Write, _) if *at >= reads_from => {
                    let happens = self.under_known(known, event_guard);
                    let not = self.graph.terms.not(happens);
                    if self.graph.terms.is_false(not) {
                        return None;
                    }
                    conds.push(not);
                }
                _ => return None,
            }
        }
        None
    }

    /// Whether a full fence surely stands between two events of the thread.
    fn has_fence(&self, after: usize, before: usize, known: &[TermId]) -> bool {
        let own = &self.events()[after + 1..before];
        own.iter().any(|e| {
            let event = &self.graph.events[*e];
            event.kind == EventKind::Fence(FenceTag::Explicit(Fence::Posix))
                && is_subset(&conjuncts(&self.graph.terms, event.guard), known)
        })
    }
}

fn acquires(order: MemoryOrder) -> bool {
    matches!(
        order.compiled(),
        MemoryOrder::Acquire | MemoryOrder::AcqRel | MemoryOrder::SeqCst
    )
}

fn is_subset(some: &[TermId], all: &[TermId]) -> bool {
    some.iter().all(|c| all.contains(c))
}
