//! How long objects exist: on the heap until they are freed, on the stack until their function
//! returns, main's as long as the program runs.
//!
//! What a path has freed itself, or its creator before it, is known on the path: an access there is
//! a check like any other. What other threads free is an event, [`FenceTag::Free`], for the model's
//! happens-before to decide (`mm::race`). So a thread that frees an object touches all of its
//! scalars: those that another thread looks at are shared then.

use super::deps::DepSets;
use super::event::*;
use super::machine::Machine;
use super::memory::*;
use super::state::*;
use super::term::TermId;
use crate::front::source::Span;
use crate::idx::Id;
use crate::ir::program::*;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The rule of every access.
pub const ALIVE: &str = "the object still exists";
/// The rule of `free`.
pub const FREEABLE: &str = "what is freed is an object on the heap that still exists";
/// The rule of the end of the program.
pub const FREED: &str = "the memory allocated here is freed";

/// An allocation that was executed.
pub(super) struct Made {
    heap: bool,
    time: u64,
    guard: TermId,
    span: Span,
}

/// An object that was freed, or that ended with its function.
pub(super) struct Freed {
    object: ObjId,
    thread: ThreadId,
    time: u64,
    cond: TermId,
    /// Threads that had surely ended before.
    joined: BTreeSet<ThreadId>,
}

impl Machine<'_> {
    pub(super) fn make(&mut self, object: ObjId, storage: &Storage, guard: TermId, span: Span) {
        let heap = *storage == Storage::Heap;
        let time = self.clock;
        let made = Made {
            heap,
            time,
            guard,
            span,
        };
        self.made.insert(object, made);
        if let (false, Some(activation)) = (heap, self.activations.last_mut()) {
            activation.push(object);
        }
    }

    /// `free(addr)`
    pub(super) fn free(&mut self, state: &mut State, addr: Value, span: Span) {
        let pointers = {
            let mut p = Pointers {
                facts: self.facts,
                read_slots: &self.read_slots,
                memo: &mut self.points_to,
            };
            p.of(&self.graph.terms, addr.term)
        };
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
        let freed: Vec<ObjId> = objects.iter().map(|(o, _)| *o).collect();
        let something = self.graph.terms.not(is_null);
        self.free_event(state, addr.term, something, &freed, span);
        for (object, here) in objects {
            self.end(state, object, here);
        }
    }

    /// The objects of a procedure's locals end when it returns. Those of main stay: nobody is
    /// there afterwards.
    pub(super) fn end_of_activation(&mut self, state: &mut State, objects: &[ObjId], span: Span) {
        if self.thread == ThreadId(0) && self.stack.is_empty() {
            return;
        }
        let width = self.program.data_model.pointer_width();
        let always = self.graph.terms.bool(true);
        for object in objects {
            let slots = self.facts.slots_of(*object);
            if slots.iter().any(|s| self.is_shared(*s)) {
                let addr = self.facts.address(*object, 0);
                let addr = self.graph.terms.constant(addr, width);
                self.free_event(state, addr, always, &[*object], span);
            }
            self.end(state, *object, always);
        }
    }

    /// From here on the object does not exist, where `cond` holds.
    fn end(&mut self, state: &mut State, object: ObjId, cond: TermId) {
        let before = self.is_dead(state, object);
        let dead = self.graph.terms.or(before, cond);
        Rc::make_mut(&mut state.dead).insert(object, dead);
        let guarded = self.graph.terms.and(state.guard, cond);
        let joined = self.surely_joined(state);
        self.freed.push(Freed {
            object,
            thread: self.thread,
            time: self.clock,
            cond: guarded,
            joined,
        });
    }

    fn free_event(
        &mut self,
        state: &State,
        addr: TermId,
        cond: TermId,
        objects: &[ObjId],
        span: Span,
    ) {
        let guard = self.graph.terms.and(state.guard, cond);
        if !self.concurrent || self.graph.terms.is_false(guard) {
            return;
        }
        let none = self.deps.get(DepSets::EMPTY);
        let zero = self.graph.terms.constant(0, 1);
        let event = self.emit(Event {
            kind: EventKind::Fence(FenceTag::Free),
            thread: Some(self.thread),
            guard,
            order: Order::Plain,
            addr,
            cells: Vec::new(),
            value: zero,
            addr_deps: none.clone(),
            data_deps: none.clone(),
            ctrl_deps: none,
            rmw_read: None,
            group: state.group.map(|(g, _)| g),
            span,
        });
        let objects = objects.iter().map(|o| self.facts.address(*o, 0));
        self.graph.frees.insert(event, objects.collect());
    }

    /// Whoever allocates it, and whether that has been executed yet.
    fn is_on_heap(&self, object: ObjId) -> bool {
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

    fn is_at(&mut self, addr: Value, object: ObjId) -> TermId {
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
        addr: Value,
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

    /// The address is one of an object: the number of the object is in its high bits.
    pub(super) fn is_inside(&mut self, addr: Value, object: ObjId) -> TermId {
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
            _ => ALIVE,
        };
        self.graph.checks.push(Check {
            property: Property::new(rule, text),
            span,
            thread: self.thread,
            position: self.graph.threads[self.thread].events.len(),
            guard: state.guard,
            cond,
        });
    }

    /// Threads that the current one has joined on this path.
    fn surely_joined(&self, state: &State) -> BTreeSet<ThreadId> {
        let known = conjuncts(&self.graph.terms, state.guard);
        let mut out = BTreeSet::new();
        for join in self.graph.joins.iter().filter(|j| j.thread == self.thread) {
            let cond = conjuncts(&self.graph.terms, join.cond);
            let sure = |c: &TermId| known.contains(c) || self.graph.terms.is_true(*c);
            if cond.iter().all(sure) {
                out.insert(join.joined);
            }
        }
        out
    }

    /// Who frees an object touches what is in it.
    pub(super) fn freeing_touches(&mut self) {
        for freed in std::mem::take(&mut self.freed) {
            let key = self.lives[freed.thread.index()].key;
            let ended = |t: &ThreadId| *t == freed.thread || freed.joined.contains(t);
            for slot in self.facts.slots_of(freed.object) {
                let by = self.touched.get(&slot);
                let others = by.into_iter().flat_map(|by| by.keys());
                let conflict = others
                    .filter(|t| !ended(t))
                    .any(|t| !self.inherited(freed.thread, freed.time, *t));
                if conflict && self.facts.shared.insert(slot) {
                    self.changed = true;
                }
                if let Some(writers) = self.writers.get_mut(&slot) {
                    let lives = &self.lives;
                    let foreign = |w: &ThreadKey| {
                        let of = lives.iter().position(|l| l.key == *w);
                        !of.is_some_and(|i| ended(&ThreadId::from_index(i)))
                    };
                    if writers.iter().any(foreign) {
                        writers.insert(key);
                    }
                }
            }
        }
    }

    /// True when an iteration has ended no object that existed before it.
    pub(super) fn freed_nothing_older(&self, iteration: &LoopState, frame: &Frame) -> bool {
        Rc::ptr_eq(&iteration.dead, &frame.state.dead)
            || frame.state.dead.iter().all(|(object, dead)| {
                iteration.dead.get(object) == Some(dead)
                    || self.graph.terms.is_false(*dead)
                    || self
                        .made
                        .get(object)
                        .is_some_and(|m| m.time > iteration.time)
            })
    }

    /// Memory on the heap that nobody has freed when main has returned and all threads have ended.
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
            .made
            .iter()
            .filter(|(_, m)| m.heap)
            .map(|(o, m)| (*o, m.guard, m.span))
            .collect();
        for (object, guard, span) in objects {
            let freed = self.freed.iter().filter(|f| f.object == object);
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
                guard,
                cond,
            });
        }
    }
}
