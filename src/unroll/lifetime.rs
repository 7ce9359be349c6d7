//! How long objects exist: on the heap until they are freed, on the stack until their block, their
//! function or their thread ends.
//!
//! What a path has ended itself, or its creator before it, is known on the path: an access there is
//! a check like any other. For other threads the end is a write to each scalar of the object that
//! they may look at, and so is the beginning of an object that is made while they run
//! ([`EventKind::Lifetime`]). No instruction makes these writes, and nothing may read their values: who
//! reads from the end, or writes after it, comes too late, and who reads what was there before the
//! beginning comes too early. The memory model decides who can (`cat::query`).
//!
//! The values of `free`'s argument are a *data* dependency: the end comes after the reads it depends
//! on, and nothing is said of what comes after it. Where all that other threads do to an object is
//! before its end by creation or join, or after its beginning by creation, there is no event; which
//! scalars need one is assumed and checked like what is shared ([`Facts`]).

use super::allocation::{Allocation, Deallocation};
use super::deps::{DepId, DepSets};
use super::event::*;
use super::executor::Executor;
use super::memory::*;
use super::points_to::PointsTo;
use super::state::*;
use super::term::TermId;
use base::idx::Id;
use base::source::Span;
use ir::program::*;
use ir::read_only::WRITABLE;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// The rule of every access.
pub const ALIVE: &str = "the object still exists";
/// The rule of `free`.
pub const FREEABLE: &str = "what is freed is an object on the heap that still exists";
/// The rule of the end of the program.
pub const FREED: &str = "the memory allocated here is freed";

/// A condition, and the reads that it depends on.
#[derive(Clone, Copy)]
struct When {
    cond: TermId,
    deps: DepId,
}

impl When {
    fn on(cond: TermId) -> When {
        let deps = DepSets::EMPTY;
        When { cond, deps }
    }
}

impl Executor<'_> {
    pub(super) fn make(&mut self, object: ObjId, storage: &Storage, state: &State, span: Span) {
        let heap = *storage == Storage::Heap;
        let made = Allocation {
            heap,
            thread: self.threads.current(),
            time: self.progress.now(),
            position: self.position(),
            guard: state.guard,
            concurrent: self.threads.is_concurrent(),
            span,
        };
        self.allocations.note_made(object, made);
        if matches!(storage, Storage::Stack(_)) {
            self.threads.calls_mut().note_object(object);
        }
        self.bounds_life(state, Lifetime::Begin, object, When::on(state.guard), span);
    }

    /// `free(addr)`
    pub(super) fn free(&mut self, state: &mut State, addr: SymbolicValue, span: Span) {
        let pointers = self.points_to(addr.term);
        let width = self.program.data_model.pointer_width();
        let null = self.graph.terms.constant(0, width);
        let is_null = self.graph.terms.eq(addr.term, null);
        let mut good = vec![is_null];
        let mut objects = Vec::new();
        for (object, offsets) in &pointers.objects {
            if !self.is_on_heap(*object) || !offsets.may_be(0) {
                continue;
            }
            let here = self.is_at(addr, *object);
            if self.graph.terms.is_false(here) {
                continue;
            }
            let dead = self.is_dead(state, *object);
            let alive = self.graph.terms.not(dead);
            good.push(self.graph.terms.and(here, alive));
            objects.push((*object, here));
        }
        let good = self.graph.terms.any(&good);
        self.lifetime_check(state, good, Rule::Free, span);
        for (object, here) in objects {
            let when = When {
                cond: here,
                deps: addr.deps,
            };
            self.end(state, object, when, Lifetime::Free, span);
        }
    }

    /// The object on the stack at this address ends with its block; a path that has not come to its
    /// declaration has no address.
    pub(super) fn leave_scope(&mut self, state: &mut State, addr: SymbolicValue, span: Span) {
        let pointers = self.points_to(addr.term);
        let objects: Vec<ObjId> = pointers.objects.keys().copied().collect();
        for object in objects {
            let here = self.is_at(addr, object);
            self.end_on_stack(state, object, here, span);
        }
    }

    /// The objects of a procedure's locals end when it returns. Those of main stay: no thread is
    /// there afterwards.
    pub(super) fn end_of_activation(&mut self, state: &mut State, objects: &[ObjId], span: Span) {
        if self.threads.current() == ThreadId(0) && self.threads.calls().innermost().is_none() {
            return;
        }
        let always = self.graph.terms.bool(true);
        for object in objects {
            self.end_on_stack(state, *object, always, span);
        }
    }

    /// With a thread end all procedures it is in, main and its own when it is the first, and what it
    /// has for itself: the others go on.
    pub(super) fn end_of_thread(&mut self, state: &mut State, span: Span) {
        let always = self.graph.terms.bool(true);
        for object in self.threads.calls().objects() {
            self.end_on_stack(state, object, always, span);
        }
        self.end_of_thread_locals(state, span);
    }

    /// With a thread ends what it has of the objects that each thread has for itself.
    pub(super) fn end_of_thread_locals(&mut self, state: &mut State, span: Span) {
        let own = self
            .graph
            .thread_locals
            .iter()
            .filter(|(t, ..)| *t == self.threads.current());
        let mut own: Vec<(GlobalId, u64)> = own.map(|(_, g, addr)| (*g, *addr)).collect();
        own.sort_unstable();
        let always = self.graph.terms.bool(true);
        for (_, addr) in own {
            if let Some((object, _)) = self.facts.locate(addr) {
                self.end(state, object, When::on(always), Lifetime::End, span);
            }
        }
    }

    /// An object of a procedure ends where `cond` holds, unless this path has no such object.
    fn end_on_stack(&mut self, state: &mut State, object: ObjId, cond: TermId, span: Span) {
        let Some(made) = self.allocations.of(object) else {
            return;
        };
        let cond = self.graph.terms.and(made.guard, cond);
        let dead = self.is_dead(state, object);
        let alive = self.graph.terms.not(dead);
        let cond = self.graph.terms.and(cond, alive);
        self.end(state, object, When::on(cond), Lifetime::End, span);
    }

    /// From here on the object does not exist, where a condition holds.
    fn end(&mut self, state: &mut State, object: ObjId, when: When, how: Lifetime, span: Span) {
        let guard = self.graph.terms.and(state.guard, when.cond);
        if self.graph.terms.is_false(guard) {
            return;
        }
        let deps = when.deps;
        self.bounds_life(state, how, object, When { cond: guard, deps }, span);
        let before = self.is_dead(state, object);
        let dead = self.graph.terms.or(before, when.cond);
        Rc::make_mut(&mut state.dead).insert(object, dead);
        let joined = self.surely_joined(state);
        self.allocations.note_ended(Deallocation {
            object,
            thread: self.threads.current(),
            time: self.progress.now(),
            cond: guard,
            joined,
        });
    }

    /// The writes that an object begins or ends with, for those of its scalars for which it matters.
    fn bounds_life(
        &mut self,
        state: &State,
        life: Lifetime,
        object: ObjId,
        when: When,
        span: Span,
    ) {
        if !self.threads.is_concurrent() {
            return;
        }
        for slot in self.facts.slots_of(object) {
            if !self.facts.matters(life, slot) {
                continue;
            }
            let cell = self.cell(slot, span);
            let value = match life {
                Lifetime::Begin => self.initial_value(slot).term,
                Lifetime::End | Lifetime::Free => {
                    let width = self.facts.slots[slot].width;
                    self.graph.terms.constant(0, width)
                }
            };
            let key = self.threads.key();
            self.accesses.note_writer(slot, key);
            let width = self.program.data_model.pointer_width();
            let addr = self.facts.slot_address(slot);
            let addr = self.graph.terms.constant(addr, width);
            let none = self.deps.get(DepSets::EMPTY);
            let event = Event {
                kind: EventKind::Lifetime(life),
                thread: Some(self.threads.current()),
                guard: when.cond,
                order: MemoryOrder::Plain,
                alternatives: Arc::new([]),
                addr,
                cells: vec![cell],
                value,
                addr_deps: none,
                data_deps: self.deps.get(when.deps),
                ctrl_deps: self.deps.get(state.ctrl),
                rmw_read: None,
                conditional: false,
                group: state.group.map(|(g, _)| g),
                span,
            };
            let id = self.emit(event);
            if life == Lifetime::Begin {
                let shadow = self.initial_value(slot).shadow;
                self.taint(id, shadow);
            }
        }
    }

    /// Whoever allocates it, and whether that has been executed yet.
    pub(super) fn is_on_heap(&self, object: ObjId) -> bool {
        let ObjKind::Alloc { site, .. } = self.facts.objects[object].kind else {
            return false;
        };
        let op = &self.program.procs[site.0].body[site.1].op;
        matches!(
            op,
            Op::Alloc {
                storage: Storage::Heap,
                ..
            }
        )
    }

    pub(super) fn is_at(&mut self, addr: SymbolicValue, object: ObjId) -> TermId {
        let width = self.program.data_model.pointer_width();
        let number = self.facts.address(object, 0);
        let number = self.graph.terms.constant(number, width);
        self.graph.terms.eq(addr.term, number)
    }

    fn is_dead(&mut self, state: &State, object: ObjId) -> TermId {
        let no = self.graph.terms.bool(false);
        state.dead.get(&object).copied().unwrap_or(no)
    }

    /// An access through these pointers must not be one to an object that this path has freed.
    pub(super) fn check_alive(
        &mut self,
        state: &State,
        pointers: &PointsTo,
        addr: SymbolicValue,
        span: Span,
    ) {
        let mut bad = Vec::new();
        for (object, dead) in state.dead.iter() {
            if !pointers.objects.contains_key(object) {
                continue;
            }
            let inside = self.is_inside(addr, *object);
            bad.push(self.graph.terms.and(inside, *dead));
        }
        let bad = self.graph.terms.any(&bad);
        let good = self.graph.terms.not(bad);
        self.lifetime_check(state, good, Rule::Access, span);
    }

    /// A write where `cond` holds must not be one to an object that is read-only.
    pub(super) fn check_writable(
        &mut self,
        state: &State,
        addr: SymbolicValue,
        cond: TermId,
        span: Span,
    ) {
        let read_only = self.analysis.read_only();
        if read_only.is_empty() {
            return;
        }
        let mut bad = Vec::new();
        let pointers = self.points_to(addr.term);
        for object in pointers.objects.keys() {
            let is_read_only = match self.facts.objects[*object].kind {
                ObjKind::Null | ObjKind::Proc(_) => false,
                ObjKind::Global(g, _) => read_only.is_static(g),
                ObjKind::Alloc { site, .. } => read_only.is_local(site, self.progress.at()),
            };
            if is_read_only {
                bad.push(self.is_inside(addr, *object));
            }
        }
        let bad = self.graph.terms.any(&bad);
        let bad = self.graph.terms.and(cond, bad);
        let good = self.graph.terms.not(bad);
        self.lifetime_check(state, good, Rule::Constant, span);
    }

    /// The address is one of an object: the number of the object is in its high bits.
    pub(super) fn is_inside(&mut self, addr: SymbolicValue, object: ObjId) -> TermId {
        let width = self.program.data_model.pointer_width();
        let shift = u64::from(self.program.data_model.offset_bits());
        let shift = self.graph.terms.constant(shift, width);
        let number = self.graph.terms.binary(BinOp::Lshr, addr.term, shift);
        let wanted = self.graph.terms.constant(object.index() as u64, width);
        self.graph.terms.eq(number, wanted)
    }

    fn lifetime_check(&mut self, state: &State, cond: TermId, rule: Rule, span: Span) {
        let bad = self.graph.terms.not(cond);
        let bad = self.graph.terms.and(state.guard, bad);
        if self.graph.terms.is_false(bad) {
            return;
        }
        let text = match rule {
            Rule::Free => FREEABLE,
            Rule::Constant => WRITABLE,
            _ => ALIVE,
        };
        self.graph.checks.push(Check {
            property: Property::new(rule, text),
            span,
            thread: self.threads.current(),
            position: self.position(),
            choices: self.graph.choices.len(),
            guard: state.guard,
            cond,
        });
    }

    /// Threads that the current one has joined on this path.
    fn surely_joined(&self, state: &State) -> BTreeSet<ThreadId> {
        let known = conjuncts(&self.graph.terms, state.guard);
        let mut out = BTreeSet::new();
        for join in self
            .graph
            .joins
            .iter()
            .filter(|j| j.thread == self.threads.current())
        {
            let cond = conjuncts(&self.graph.terms, join.cond);
            let sure = |c: &TermId| known.contains(c) || self.graph.terms.is_true(*c);
            if cond.iter().all(sure) {
                out.insert(join.joined);
            }
        }
        out
    }

    /// Notes for which scalars it matters to other threads when their object begins or ends. What
    /// they do before a join, or inherit, is in order.
    pub(super) fn lifetimes_that_matter(&mut self) {
        let mut users: BTreeMap<SlotId, BTreeSet<ThreadId>> = BTreeMap::new();
        for (slot, by) in self.accesses.by_thread() {
            users.entry(slot).or_default().extend(by.keys());
        }
        for event in self.graph.events.iter() {
            let access = matches!(event.kind, EventKind::Read | EventKind::Write);
            let Some(thread) = event.thread.filter(|_| access) else {
                continue;
            };
            for cell in &event.cells {
                users
                    .entry(self.cells.slot(*cell))
                    .or_default()
                    .insert(thread);
            }
        }
        let mut others = BTreeSet::new();
        let mut ends = Vec::new();
        for freed in self.allocations.ended() {
            let late = |t: &ThreadId| {
                *t != freed.thread
                    && !freed.joined.contains(t)
                    && !self.threads.has_inherited(freed.thread, freed.time, *t)
            };
            let of_object = self.facts.slots_of(freed.object);
            let used = |s: &SlotId| users.get(s).is_some_and(|by| by.iter().any(late));
            let before = ends.len();
            ends.extend(of_object.iter().copied().filter(used));
            let again = |f: &Deallocation| f.object == freed.object && late(&f.thread);
            if ends.len() == before && self.allocations.ended().iter().any(again) {
                match of_object.first() {
                    Some(slot) => ends.push(*slot),
                    None => _ = others.insert(freed.object),
                }
            }
        }
        for object in others {
            // No thread looks at it, but two threads free it: they do behind its last byte.
            let size = self.facts.objects[object].size;
            ends.push(self.facts.slot(object, size, 8));
        }
        let mut begins = Vec::new();
        for (object, made) in self.allocations.made().filter(|(_, m)| m.concurrent) {
            let early = |t: &ThreadId| {
                *t != made.thread && !self.threads.has_inherited(made.thread, made.time, *t)
            };
            let used = |s: &SlotId| users.get(s).is_some_and(|by| by.iter().any(early));
            begins.extend(self.facts.slots_of(object).into_iter().filter(used));
        }
        for slot in ends {
            self.facts.note_that_end_matters(slot);
        }
        for slot in begins {
            self.facts.note_that_begin_matters(slot);
        }
    }

    /// True when an iteration has ended no object that existed before it.
    pub(super) fn freed_nothing_older(&self, iteration: &LoopState, frame: &Frame) -> bool {
        Rc::ptr_eq(&iteration.dead, &frame.state.dead)
            || frame.state.dead.iter().all(|(object, dead)| {
                iteration.dead.get(object) == Some(dead)
                    || self.graph.terms.is_false(*dead)
                    || self
                        .allocations
                        .of(*object)
                        .is_some_and(|m| m.time > iteration.time)
            })
    }

    /// Memory on the heap that no thread has freed when main has returned and all threads have ended.
    pub(super) fn leaks(&mut self) {
        let mut ended = vec![self.graph.threads[ThreadId(0)].ended];
        for thread in self.graph.threads.ids().skip(1) {
            let runs = self.graph.threads[thread].guard;
            let idle = self.graph.terms.not(runs);
            let done = self.graph.threads[thread].ended;
            ended.push(self.graph.terms.or(idle, done));
        }
        let ended = self.graph.terms.all(&ended);
        let position = self.graph.threads[ThreadId(0)].events.len();
        let objects: Vec<(ObjId, TermId, Span)> = self
            .allocations
            .made()
            .filter(|(_, m)| m.heap)
            .map(|(o, m)| (o, m.guard, m.span))
            .collect();
        for (object, guard, span) in objects {
            let freed = self
                .allocations
                .ended()
                .iter()
                .filter(|f| f.object == object);
            let freed: Vec<TermId> = freed.map(|f| f.cond).collect();
            let cond = self.graph.terms.any(&freed);
            let guard = self.graph.terms.and(ended, guard);
            if self.graph.terms.is_true(cond) || self.graph.terms.is_false(guard) {
                continue;
            }
            self.graph.checks.push(Check {
                property: Property::new(Rule::Leak, FREED),
                span,
                thread: ThreadId(0),
                position,
                choices: self.graph.choices.len(),
                guard,
                cond,
            });
        }
    }
}
