//! Guarded symbolic execution of one pass: every thread once, all of its paths together.
//!
//! Within a procedure the path with the smallest instruction index always moves next, and paths
//! that reach the same instruction are joined there. So branches are executed one after the other
//! and joined behind them, a jump back is followed before anything behind the loop, and the order
//! in which a thread emits its events is program order on each of its paths. A new thread is
//! executed where it is created, its parent goes on afterwards.
//!
//! **Awaits.** A jump back is not followed, and no bound is spent on it, when the iteration that
//! ends there changed nothing: it wrote nothing on that path, and live registers and private
//! memory are what they were at the head. Such an iteration may be left out of any execution, and
//! the iteration that leaves the loop stands for all (the paper's spin loops; a failed
//! compare-exchange writes nothing, so locks built from it qualify).

use super::deps::DepSets;
use super::event::*;
use super::flow::{Flow, operands};
use super::memory::*;
use super::state::*;
use super::term::{TermId, Terms};
use super::{Options, UnrollError};
use crate::front::source::Span;
use crate::idx::{Id, IdVec};
use crate::ir::program::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Events of one program; more than this would not be solved anyway.
const MAX_EVENTS: usize = 200_000;
/// How often a loop without an exit on the way is followed before it counts as endless.
const MAX_FORCED: u32 = 600;

/// One execution of all threads under the assumptions in `facts`; true when it contradicts them,
/// in which case they have been widened.
///
/// # Errors
/// See [`UnrollError`].
pub fn run(
    program: &Program,
    main: ProcId,
    flows: &IdVec<ProcId, Flow>,
    options: &Options,
    facts: &mut Facts,
    interrupt: &dyn Fn() -> bool,
) -> Result<(EventGraph, bool), UnrollError> {
    let mut m = Machine {
        program,
        flows,
        options,
        interrupt,
        changed: false,
        graph: EventGraph::default(),
        deps: DepSets::new(),
        cells: FxHashMap::default(),
        slot_of: FxHashMap::default(),
        initial: FxHashMap::default(),
        read_slots: FxHashMap::default(),
        points_to: FxHashMap::default(),
        touched: BTreeMap::new(),
        occurrences: FxHashMap::default(),
        lives: Vec::new(),
        stack: Vec::new(),
        exits: Vec::new(),
        thread: ThreadId(0),
        concurrent: false,
        clock: 0,
        facts,
    };
    let guard = m.graph.terms.bool(true);
    let key = m.facts.thread(None, (main, 0), 0, main);
    let state = State { guard, memory: Rc::default(), ctrl: DepSets::EMPTY, group: None, flushed: false };
    let params = &program.procs[main].params;
    let args = params.iter().map(|p| program.procs[main].locals[*p].width).collect::<Vec<_>>();
    let args = args.into_iter().map(|w| Value { term: m.graph.terms.nondet(w), deps: DepSets::EMPTY }).collect();
    m.run_thread(key, main, args, state, None, program.procs[main].span)?;
    m.widen();
    Ok((m.graph, m.changed))
}

/// A thread of this pass.
struct Life {
    key: ThreadKey,
    parent: Option<ThreadId>,
    /// When it was created.
    born: u64,
    /// Whether it has been executed to its end.
    done: bool,
    returned: Option<TermId>,
}

/// Who touched a private slot: by thread, when it last wrote.
type Touched = BTreeMap<SlotId, BTreeMap<ThreadId, Option<u64>>>;

struct Machine<'a> {
    program: &'a Program,
    flows: &'a IdVec<ProcId, Flow>,
    options: &'a Options,
    facts: &'a mut Facts,
    interrupt: &'a dyn Fn() -> bool,
    changed: bool,
    graph: EventGraph,
    deps: DepSets,
    cells: FxHashMap<SlotId, CellId>,
    slot_of: FxHashMap<CellId, SlotId>,
    /// Values before the first thread was created.
    initial: FxHashMap<SlotId, Value>,
    read_slots: FxHashMap<EventId, Vec<SlotId>>,
    points_to: FxHashMap<TermId, PointsTo>,
    touched: Touched,
    occurrences: FxHashMap<(ThreadKey, (ProcId, usize)), u32>,
    lives: Vec<Life>,
    stack: Vec<ProcId>,
    /// Paths of the current thread that ended by `pthread_exit`.
    exits: Vec<(State, Value)>,
    thread: ThreadId,
    /// A second thread may exist.
    concurrent: bool,
    clock: u64,
}

/// The scalars an access may touch, each with the condition that it is the one.
struct Targets {
    private: Vec<(SlotId, TermId)>,
    shared: Vec<(SlotId, TermId)>,
    /// The address is one of them.
    covered: TermId,
}

impl Machine<'_> {
    fn terms(&mut self) -> &mut Terms {
        &mut self.graph.terms
    }

    fn key(&self) -> ThreadKey {
        self.lives[self.thread.index()].key
    }

    fn constant(&mut self, value: u64, width: Width) -> Value {
        Value { term: self.graph.terms.constant(value, width), deps: DepSets::EMPTY }
    }

    fn nondet(&mut self, width: Width) -> Value {
        Value { term: self.graph.terms.nondet(width), deps: DepSets::EMPTY }
    }

    fn occurrence(&mut self, site: (ProcId, usize)) -> u32 {
        let count = self.occurrences.entry((self.lives[self.thread.index()].key, site)).or_default();
        *count += 1;
        *count - 1
    }

    fn gap(&mut self, guard: TermId, span: Span, reason: String) {
        if !self.graph.terms.is_false(guard) {
            self.graph.gaps.push(Gap { reason, span, guard });
        }
    }

    // ---- threads -------------------------------------------------------------------------

    fn run_thread(
        &mut self,
        key: ThreadKey,
        proc: ProcId,
        args: Vec<Value>,
        state: State,
        parent: Option<ThreadId>,
        span: Span,
    ) -> Result<ThreadId, UnrollError> {
        let no = self.graph.terms.bool(false);
        let created_after = parent.map_or(0, |p| self.graph.threads[p].events.len());
        let id = self.graph.threads.push(Thread {
            name: self.program.procs[proc].name.clone(),
            parent,
            created_after,
            guard: state.guard,
            ended: no,
            events: Vec::new(),
            span,
        });
        self.lives.push(Life { key, parent, born: self.clock, done: false, returned: None });
        let outer_thread = std::mem::replace(&mut self.thread, id);
        let outer_stack = std::mem::take(&mut self.stack);
        let outer_exits = std::mem::take(&mut self.exits);
        let width = self.program.data_model.pointer_width();
        let mut ends = Vec::new();
        if let Some((state, value)) = self.run_proc(proc, args, state)? {
            let value = match value {
                Some(v) => self.resize(v, width),
                None => self.nondet(width),
            };
            ends.push((state, value));
        }
        ends.append(&mut self.exits);
        let mut joined: Option<(State, Value)> = None;
        for (state, value) in ends {
            joined = Some(match joined {
                None => (state, value),
                Some((s, v)) => {
                    let (s, cond) = self.merge(s, state);
                    (s, choose(&mut self.graph.terms, &mut self.deps, cond, v, value))
                }
            });
        }
        if let Some((state, value)) = joined {
            self.graph.threads[id].ended = state.guard;
            self.lives[id.index()].returned = Some(value.term);
        }
        self.lives[id.index()].done = true;
        self.thread = outer_thread;
        self.stack = outer_stack;
        self.exits = outer_exits;
        Ok(id)
    }

    fn resize(&mut self, v: Value, width: Width) -> Value {
        let term = self.graph.terms.truncate(v.term, width);
        Value { term: self.graph.terms.extend(term, width, false), ..v }
    }

    fn handle_of(key: ThreadKey) -> u64 {
        key.index() as u64 + 1
    }

    fn spawn(&mut self, at: (ProcId, usize), span: Span, frame: &mut Frame, callee: &Callee, arg: Value) -> Result<Value, UnrollError> {
        if !self.concurrent {
            self.concurrent = true;
            self.initial.extend(frame.state.memory.iter().map(|(s, v)| (*s, *v)));
            frame.state.flushed = true;
        }
        self.flush(&mut frame.state, span);
        self.fence(&mut frame.state, FenceTag::Explicit(Fence::Posix), span, None);
        let occurrence = self.occurrence(at);
        let width = self.program.data_model.pointer_width();
        let mut handle = self.constant(0, width);
        for (proc, cond) in self.callees(callee, frame, span) {
            let guard = self.graph.terms.and(frame.state.guard, cond);
            if self.graph.terms.is_false(guard) {
                continue;
            }
            self.clock += 1;
            let key = self.facts.thread(Some(self.key()), at, occurrence, proc);
            let params = &self.program.procs[proc].params;
            let mut args = Vec::new();
            for (i, p) in params.iter().enumerate() {
                let width = self.program.procs[proc].locals[*p].width;
                args.push(if i == 0 {
                    let plain = Value { deps: DepSets::EMPTY, ..arg };
                    self.resize(plain, width)
                } else {
                    self.nondet(width)
                });
            }
            let state = State {
                guard,
                memory: frame.state.memory.clone(),
                ctrl: DepSets::EMPTY,
                group: None,
                flushed: true,
            };
            self.run_thread(key, proc, args, state, Some(self.thread), span)?;
            let this = self.constant(Self::handle_of(key), width);
            handle = choose(&mut self.graph.terms, &mut self.deps, cond, this, handle);
        }
        self.clock += 1;
        Ok(handle)
    }

    fn join(&mut self, span: Span, frame: &mut Frame, handle: Value) -> Value {
        let width = self.program.data_model.pointer_width();
        let reached = frame.state.guard;
        let waited = self.deps.union(frame.state.ctrl, handle.deps, &mut self.graph.terms);
        frame.state.ctrl = waited;
        let position = self.graph.threads[self.thread].events.len();
        let mut options = Vec::new();
        let mut result = self.nondet(width);
        let known = self.graph.terms.as_const(handle.term);
        let candidates: Vec<ThreadId> = self.graph.threads.ids().collect();
        for thread in candidates {
            let life = &self.lives[thread.index()];
            if !life.done || known.is_some_and(|h| h != Self::handle_of(life.key)) {
                continue;
            }
            let (returned, number) = (life.returned, Self::handle_of(life.key));
            let number = self.graph.terms.constant(number, width);
            let this = self.graph.terms.eq(handle.term, number);
            let ended = self.graph.threads[thread].ended;
            let passed = self.graph.terms.and(this, ended);
            if self.graph.terms.is_false(passed) {
                continue;
            }
            options.push(passed);
            let cond = self.graph.terms.and(reached, this);
            self.graph.joins.push(JoinEdge { joined: thread, thread: self.thread, position, cond });
            if let Some(value) = returned {
                let value = Value { term: value, deps: DepSets::EMPTY };
                result = choose(&mut self.graph.terms, &mut self.deps, this, value, result);
            }
        }
        let passed = self.graph.terms.any(&options);
        if known.is_none() {
            // A handle from shared memory may also name a thread that is executed later here.
            let mut all = vec![passed];
            for life in self.lives.iter().filter(|l| l.done) {
                let number = self.graph.terms.constant(Self::handle_of(life.key), width);
                all.push(self.graph.terms.eq(handle.term, number));
            }
            let covered = self.graph.terms.any(&all);
            let missed = self.graph.terms.not(covered);
            let guard = self.graph.terms.and(reached, missed);
            self.gap(guard, span, "a join whose thread could not be determined".to_string());
        }
        frame.state.guard = self.graph.terms.and(reached, passed);
        self.fence(&mut frame.state, FenceTag::Explicit(Fence::Posix), span, None);
        result
    }

    // ---- events --------------------------------------------------------------------------

    fn emit(&mut self, event: Event) -> EventId {
        let id = self.graph.events.push(event);
        self.graph.threads[self.thread].events.push(id);
        if let Some(group) = self.graph.events[id].group {
            self.graph.groups[group].push(id);
        }
        id
    }

    /// A fence; `after` is the read it has a control dependency from.
    fn fence(&mut self, state: &mut State, tag: FenceTag, span: Span, after: Option<EventId>) -> Option<EventId> {
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
            order: Order::Plain,
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

    fn cell(&mut self, slot: SlotId, span: Span) -> CellId {
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
        let addr_term = self.graph.terms.constant(addr, self.program.data_model.pointer_width());
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
            order: Order::Plain,
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
        self.graph.cells.push(Cell { name, addr, width, init });
        self.cells.insert(slot, cell);
        self.slot_of.insert(cell, slot);
        cell
    }

    /// The value a slot has before the program runs.
    fn static_value(&mut self, slot: SlotId) -> TermId {
        let s = self.facts.slots[slot].clone();
        let object = &self.facts.objects[s.object];
        if let ObjKind::Global(g, _) = object.kind {
            let init = &self.program.globals[g].init;
            if let Some((_, _, e)) = init.iter().find(|(o, w, _)| *o == s.offset && *w == s.width) {
                let e = e.clone();
                return self.eval_static(&e).term;
            }
            return self.graph.terms.constant(0, s.width);
        }
        if object.zeroed {
            return self.graph.terms.constant(0, s.width);
        }
        let any = self.nondet(s.width);
        self.initial.insert(slot, any);
        any.term
    }

    fn initial_value(&mut self, slot: SlotId) -> Value {
        if let Some(v) = self.initial.get(&slot) {
            return *v;
        }
        Value { term: self.static_value(slot), deps: DepSets::EMPTY }
    }

    /// Turns what a path wrote before other threads existed into write events, unless it is the
    /// path whose values became the initial ones.
    fn flush(&mut self, state: &mut State, span: Span) {
        if !self.concurrent || state.flushed {
            return;
        }
        state.flushed = true;
        let mut slots: Vec<SlotId> = state.memory.keys().copied().collect();
        slots.sort_unstable();
        for slot in slots {
            if !self.is_shared(slot) || state.memory[&slot].term == self.initial_value(slot).term {
                continue;
            }
            let addr = self.facts.slot_address(slot);
            let addr = self.constant(addr, self.program.data_model.pointer_width());
            let always = self.graph.terms.bool(true);
            let targets = Targets { private: Vec::new(), shared: vec![(slot, always)], covered: always };
            self.write_event(state, &targets, addr, state.memory[&slot], Order::Plain, span, None, state.guard);
        }
    }

    fn is_shared(&self, slot: SlotId) -> bool {
        let object = self.facts.slots[slot].object;
        self.facts.shared.contains(&slot)
            || (self.facts.coarse && !matches!(self.facts.objects[object].kind, ObjKind::Global(_, Some(_))))
    }

    // ---- memory --------------------------------------------------------------------------

    fn targets(&mut self, state: &State, addr: Value, width: Width, span: Span) -> Targets {
        let pointers = {
            let mut p = Pointers {
                facts: self.facts,
                read_slots: &self.read_slots,
                memo: &mut self.points_to,
            };
            p.of(&self.graph.terms, addr.term)
        };
        let bytes = u64::from(width) / 8;
        let mut targets =
            Targets { private: Vec::new(), shared: Vec::new(), covered: self.graph.terms.bool(false) };
        let mut covered = Vec::new();
        for (object, offsets) in &pointers.objects {
            let o = &self.facts.objects[*object];
            if matches!(o.kind, ObjKind::Proc(_) | ObjKind::Null) {
                continue;
            }
            let size = o.size;
            let places: Vec<u64> = match offsets {
                Offsets::Exact(all) => all
                    .iter()
                    .filter_map(|o| u64::try_from(*o).ok())
                    .filter(|o| o + bytes <= size)
                    .collect(),
                Offsets::Stride { .. } => {
                    let mut all = self.facts.places(self.program, *object, width);
                    all.retain(|o| offsets.may_be(*o));
                    all
                }
            };
            for place in places {
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
                        if self.concurrent && self.is_shared(slot) {
                            targets.shared.push((slot, here));
                        } else {
                            targets.private.push((slot, here));
                        }
                    }
                    Err(reason) => {
                        let guard = self.graph.terms.and(state.guard, here);
                        self.gap(guard, span, reason);
                        covered.push(here);
                    }
                }
            }
        }
        targets.covered = self.graph.terms.any(&covered);
        let bad = self.graph.terms.not(targets.covered);
        let bad = self.graph.terms.and(state.guard, bad);
        if !self.graph.terms.is_false(bad) {
            self.graph.checks.push(Check {
                property: Property {
                    kind: PropertyKind::Memory,
                    text: "the address is that of a live object".to_string(),
                },
                span,
                thread: self.thread,
                position: self.graph.threads[self.thread].events.len(),
                guard: state.guard,
                cond: targets.covered,
            });
        }
        targets
    }

    fn touch(&mut self, slot: SlotId, writes: bool) {
        self.clock += 1;
        let now = self.clock;
        let last = self.touched.entry(slot).or_default().entry(self.thread).or_default();
        if writes {
            *last = Some(now);
        }
    }

    fn private_value(&mut self, state: &State, slot: SlotId) -> Value {
        match state.memory.get(&slot) {
            Some(v) => *v,
            None => self.initial_value(slot),
        }
    }

    /// The guard of an event on the shared targets of a path.
    fn event_guard(&mut self, state: &State, targets: &Targets) -> TermId {
        let shared: Vec<TermId> = targets.shared.iter().map(|(_, c)| *c).collect();
        let here = self.graph.terms.any(&shared);
        self.graph.terms.and(state.guard, here)
    }

    fn read_event(&mut self, state: &State, targets: &Targets, addr: Value, width: Width, order: Order, span: Span) -> Option<EventId> {
        if targets.shared.is_empty() {
            return None;
        }
        let guard = self.event_guard(state, targets);
        let cells = targets.shared.iter().map(|(s, _)| self.cell(*s, span)).collect();
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
        self.read_slots.insert(id, targets.shared.iter().map(|(s, _)| *s).collect());
        Some(self.emit(event))
    }

    #[allow(clippy::too_many_arguments)]
    fn write_event(
        &mut self,
        state: &State,
        targets: &Targets,
        addr: Value,
        value: Value,
        order: Order,
        span: Span,
        rmw_read: Option<EventId>,
        guard: TermId,
    ) {
        if targets.shared.is_empty() || self.graph.terms.is_false(guard) {
            return;
        }
        let cells = targets.shared.iter().map(|(s, _)| self.cell(*s, span)).collect();
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

    /// The value of a read: that of the event on shared memory, else that of the private slot.
    fn read_value(&mut self, state: &State, targets: &Targets, addr: Value, width: Width, event: Option<EventId>) -> Value {
        let mut result = match event {
            Some(e) => {
                let deps = self.deps.read(e, &mut self.graph.terms);
                Value { term: self.graph.terms.read(e, width), deps }
            }
            None => Value { term: self.graph.terms.nondet(width), deps: DepSets::EMPTY },
        };
        // Conditions exclude each other, so when the address surely is one of the private slots
        // the last of them needs no test.
        let always = event.is_none() && self.graph.terms.is_true(targets.covered);
        for (i, (slot, here)) in targets.private.iter().enumerate() {
            self.touch(*slot, false);
            let stored = self.private_value(state, *slot);
            result = if i == 0 && always {
                stored
            } else {
                choose(&mut self.graph.terms, &mut self.deps, *here, stored, result)
            };
        }
        if !targets.private.is_empty() {
            result.deps = self.deps.union(result.deps, addr.deps, &mut self.graph.terms);
        }
        result
    }

    /// Stores into private slots on this path, where `cond` holds.
    fn write_private(&mut self, state: &mut State, targets: &Targets, cond: TermId, addr: Value, value: Value) {
        for (slot, here) in &targets.private {
            self.touch(*slot, true);
            let when = self.graph.terms.and(*here, cond);
            let old = self.private_value(state, *slot);
            let mut new = choose(&mut self.graph.terms, &mut self.deps, when, value, old);
            if !self.graph.terms.is_true(*here) {
                new.deps = self.deps.union(new.deps, addr.deps, &mut self.graph.terms);
            }
            Rc::make_mut(&mut state.memory).insert(*slot, new);
        }
    }

    fn load(&mut self, state: &mut State, addr: Value, width: Width, order: Order, span: Span) -> Value {
        if order == Order::SeqCst {
            self.fence(state, FenceTag::BeforeLoad(order), span, None);
        }
        let targets = self.targets(state, addr, width, span);
        let event = self.read_event(state, &targets, addr, width, order, span);
        let value = self.read_value(state, &targets, addr, width, event);
        if matches!(order, Order::Acquire | Order::SeqCst) {
            self.fence(state, FenceTag::AfterLoad(order), span, event);
        }
        value
    }

    fn store(&mut self, state: &mut State, addr: Value, value: Value, order: Order, span: Span) {
        if matches!(order, Order::Release | Order::SeqCst) {
            self.fence(state, FenceTag::BeforeStore(order), span, None);
        }
        let width = self.graph.terms.width(value.term);
        let targets = self.targets(state, addr, width, span);
        let guard = self.event_guard(state, &targets);
        self.write_event(state, &targets, addr, value, order, span, None, guard);
        let always = self.graph.terms.bool(true);
        self.write_private(state, &targets, always, addr, value);
        if order == Order::SeqCst {
            self.fence(state, FenceTag::AfterStore(order), span, None);
        }
    }

    /// A read-modify-write: `update` gives the stored value and the condition of storing;
    /// `on_failure` is the fence it is when it does not store.
    #[allow(clippy::too_many_arguments)]
    fn rmw(
        &mut self,
        state: &mut State,
        addr: Value,
        width: Width,
        order: Order,
        span: Span,
        on_failure: Option<FenceTag>,
        update: &mut dyn FnMut(&mut Self, Value) -> (Value, Option<TermId>),
    ) -> Value {
        if matches!(order, Order::Release | Order::AcqRel | Order::SeqCst) {
            self.fence(state, FenceTag::BeforeRmw(order), span, None);
        }
        let targets = self.targets(state, addr, width, span);
        let failing = match on_failure {
            Some(tag) if !targets.shared.is_empty() => self.fence(state, tag, span, None),
            _ => None,
        };
        let event = self.read_event(state, &targets, addr, width, order, span);
        let old = self.read_value(state, &targets, addr, width, event);
        let (new, cond) = update(self, old);
        if let Some(cond) = cond {
            // The store happens behind a comparison of what was read.
            state.ctrl = self.deps.union(state.ctrl, old.deps, &mut self.graph.terms);
            if let Some(fence) = failing {
                let fails = self.graph.terms.not(cond);
                self.graph.events[fence].guard = self.graph.terms.and(state.guard, fails);
            }
        }
        let cond = cond.unwrap_or_else(|| self.graph.terms.bool(true));
        let guard = self.event_guard(state, &targets);
        let guard = self.graph.terms.and(guard, cond);
        self.write_event(state, &targets, addr, new, order, span, event, guard);
        self.write_private(state, &targets, cond, addr, new);
        if matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst) {
            self.fence(state, FenceTag::AfterRmw(order), span, event);
        }
        old
    }

    // ---- expressions ---------------------------------------------------------------------

    fn eval_static(&mut self, e: &Expr) -> Value {
        let none = Rc::new(Vec::new());
        self.eval(e, &none)
    }

    fn eval(&mut self, e: &Expr, locals: &Rc<Vec<Option<Value>>>) -> Value {
        let pointer = self.program.data_model.pointer_width();
        match e {
            Expr::Const { value, width } => self.constant(*value, *width),
            Expr::Local(l) => locals
                .get(l.index())
                .copied()
                .flatten()
                .unwrap_or_else(|| Value { term: self.graph.terms.constant(0, 1), deps: DepSets::EMPTY }),
            Expr::Global(g) => {
                let object = self.global_object(*g);
                let address = self.facts.address(object, 0);
                self.constant(address, pointer)
            }
            Expr::Proc(p) => {
                let object = self.facts.find(&ObjKind::Proc(*p)).expect("procedures are interned first");
                let address = self.facts.address(object, 0);
                self.constant(address, pointer)
            }
            Expr::Unary(op, a) => {
                let a = self.eval(a, locals);
                let term = match op {
                    UnOp::Not => self.terms().not(a.term),
                    UnOp::Neg => {
                        let width = self.terms().width(a.term);
                        let zero = self.terms().constant(0, width);
                        self.terms().binary(BinOp::Sub, zero, a.term)
                    }
                };
                Value { term, ..a }
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.eval(a, locals), self.eval(b, locals));
                let deps = self.deps.union(a.deps, b.deps, &mut self.graph.terms);
                Value { term: self.terms().binary(*op, a.term, b.term), deps }
            }
            Expr::Ite(c, a, b) => {
                let (c, a, b) = (self.eval(c, locals), self.eval(a, locals), self.eval(b, locals));
                let deps = self.deps.union(a.deps, b.deps, &mut self.graph.terms);
                let deps = self.deps.union(deps, c.deps, &mut self.graph.terms);
                Value { term: self.terms().ite(c.term, a.term, b.term), deps }
            }
            Expr::Cast(cast, width, a) => {
                let a = self.eval(a, locals);
                let term = match cast {
                    Cast::Zero => self.terms().extend(a.term, *width, false),
                    Cast::Sign => self.terms().extend(a.term, *width, true),
                    Cast::Truncate => self.terms().truncate(a.term, *width),
                };
                Value { term, ..a }
            }
        }
    }

    fn global_object(&mut self, g: GlobalId) -> ObjId {
        let shared = self.facts.find(&ObjKind::Global(g, None)).expect("static objects are interned first");
        if !self.program.globals[g].thread_local {
            return shared;
        }
        let object = self.facts.objects[shared].clone();
        let kind = ObjKind::Global(g, Some(self.key()));
        self.facts.intern(Object { kind, ..object })
    }

    /// Registers never set have an arbitrary value, drawn when they are first read.
    fn define_used(&mut self, frame: &mut Frame, proc: &Proc, pc: usize) {
        let mut unset = Vec::new();
        operands(&proc.body[pc].op, &mut |l| {
            if frame.locals[l.index()].is_none() {
                unset.push(l);
            }
        });
        for local in unset {
            let any = self.nondet(proc.locals[local].width);
            Rc::make_mut(&mut frame.locals)[local.index()] = Some(any);
        }
    }

    /// The procedures a call may run, each with the condition that it is the one.
    fn callees(&mut self, callee: &Callee, frame: &Frame, span: Span) -> Vec<(ProcId, TermId)> {
        match callee {
            Callee::Proc(p) => vec![(*p, self.graph.terms.bool(true))],
            Callee::Pointer(e) => {
                let target = self.eval(e, &frame.locals);
                let mut pointers =
                    Pointers { facts: self.facts, read_slots: &self.read_slots, memo: &mut self.points_to };
                let objects = pointers.of(&self.graph.terms, target.term);
                let mut out = Vec::new();
                for object in objects.objects.keys() {
                    if let ObjKind::Proc(p) = self.facts.objects[*object].kind {
                        let address = self.facts.address(*object, 0);
                        let width = self.program.data_model.pointer_width();
                        let address = self.graph.terms.constant(address, width);
                        let here = self.graph.terms.eq(target.term, address);
                        if !self.graph.terms.is_false(here) {
                            out.push((p, here));
                        }
                    }
                }
                let conds: Vec<TermId> = out.iter().map(|(_, c)| *c).collect();
                let covered = self.graph.terms.any(&conds);
                if !self.graph.terms.is_true(covered) {
                    self.graph.checks.push(Check {
                        property: Property {
                            kind: PropertyKind::Memory,
                            text: "the called address is that of a function".to_string(),
                        },
                        span,
                        thread: self.thread,
                        position: self.graph.threads[self.thread].events.len(),
                        guard: frame.state.guard,
                        cond: covered,
                    });
                }
                out
            }
        }
    }

    fn merge(&mut self, mut a: State, mut b: State) -> (State, TermId) {
        let span = self.graph.threads[self.thread].span;
        if a.flushed != b.flushed {
            self.flush(&mut a, span);
            self.flush(&mut b, span);
        }
        if a.group != b.group {
            let guard = self.graph.terms.or(a.guard, b.guard);
            self.gap(guard, span, "an atomic section that is open on only one of two joining paths".to_string());
        }
        // The initial values are needed for slots that one path has not written.
        let mut slots: Vec<SlotId> = a.memory.keys().chain(b.memory.keys()).copied().collect();
        slots.sort_unstable();
        slots.dedup();
        let missing: Vec<SlotId> =
            slots.into_iter().filter(|s| !a.memory.contains_key(s) || !b.memory.contains_key(s)).collect();
        let values: FxHashMap<SlotId, Value> = missing.into_iter().map(|s| (s, self.initial_value(s))).collect();
        merge_states(&mut self.graph.terms, &mut self.deps, a, b, &mut |_, s| values[&s])
    }

    // ---- procedures ----------------------------------------------------------------------

    fn limit(&self, name: &str) -> (u32, bool) {
        match self.options.unwindset.iter().rev().find(|(n, _)| n == name) {
            Some((_, limit)) => (*limit, true),
            None => (self.options.unwind, false),
        }
    }

    fn run_proc(&mut self, id: ProcId, args: Vec<Value>, state: State) -> Result<Option<(State, Option<Value>)>, UnrollError> {
        let (program, flows) = (self.program, self.flows);
        let (proc, flow) = (&program.procs[id], &flows[id]);
        let mut locals = vec![None; proc.locals.len()];
        for (param, arg) in proc.params.iter().zip(args) {
            locals[param.index()] = Some(arg);
        }
        self.stack.push(id);
        let mut pending: BTreeMap<usize, Frame> = BTreeMap::new();
        pending.insert(0, Frame { state, locals: Rc::new(locals), loops: BTreeMap::new() });
        let mut returned: Option<(State, Option<Value>)> = None;
        while let Some((pc, mut frame)) = pending.pop_first() {
            if self.graph.terms.is_false(frame.state.guard) {
                continue;
            }
            self.clock += 1;
            let span = proc.body.get(pc).map_or(proc.span, |i| i.span);
            if self.clock % 512 == 0 && (self.interrupt)() {
                return Err(UnrollError::Interrupted);
            }
            if self.graph.events.len() > MAX_EVENTS {
                return Err(UnrollError::TooLarge { limit: MAX_EVENTS, span });
            }
            self.flush(&mut frame.state, span);
            if pc == proc.body.len() {
                self.finish(proc, &mut returned, frame.state, None);
                continue;
            }
            frame.loops.retain(|back, _| pc <= *back && matches!(proc.body[*back].op, Op::Goto { target, .. } if target <= pc));
            for back in &flow.head_of[pc] {
                let count = frame.loops.get(back).map_or(0, |l| l.count);
                frame.loops.insert(*back, LoopState {
                    count,
                    guard: frame.state.guard,
                    locals: frame.locals.clone(),
                    memory: frame.state.memory.clone(),
                    events: self.graph.threads[self.thread].events.len(),
                    time: self.clock,
                });
            }
            self.define_used(&mut frame, proc, pc);
            self.step((id, pc), span, frame, &mut pending, &mut returned)?;
        }
        self.stack.pop();
        Ok(returned)
    }

    /// Adds a returning path.
    fn finish(&mut self, proc: &Proc, returned: &mut Option<(State, Option<Value>)>, state: State, value: Option<Value>) {
        let Some(width) = proc.returns else {
            *returned = Some(match returned.take() {
                None => (state, None),
                Some((s, _)) => (self.merge(s, state).0, None),
            });
            return;
        };
        let value = value.unwrap_or_else(|| self.nondet(width));
        *returned = Some(match returned.take() {
            None => (state, Some(value)),
            Some((s, v)) => {
                let (s, cond) = self.merge(s, state);
                let v = v.unwrap_or(value);
                (s, Some(choose(&mut self.graph.terms, &mut self.deps, cond, v, value)))
            }
        });
    }

    /// Puts a path before instruction `pc`, joining it with one that waits there.
    fn arrive(&mut self, id: ProcId, pending: &mut BTreeMap<usize, Frame>, pc: usize, frame: Frame) {
        if self.graph.terms.is_false(frame.state.guard) {
            return;
        }
        let Some(other) = pending.remove(&pc) else {
            pending.insert(pc, frame);
            return;
        };
        let (program, flows) = (self.program, self.flows);
        let (locals_a, locals_b) = (other.locals, frame.locals);
        let (state, cond) = self.merge(other.state, frame.state);
        let locals = merge_locals(
            &mut self.graph.terms,
            &mut self.deps,
            &program.procs[id],
            &flows[id],
            pc,
            cond,
            &locals_a,
            &locals_b,
        );
        let mut loops = other.loops;
        for (back, l) in frame.loops {
            let count = loops.get(&back).map_or(0, |o| o.count);
            loops.insert(back, LoopState { count: l.count.max(count), ..l });
        }
        pending.insert(pc, Frame { state, locals, loops });
    }

    fn step(
        &mut self,
        at: (ProcId, usize),
        span: Span,
        mut frame: Frame,
        pending: &mut BTreeMap<usize, Frame>,
        returned: &mut Option<(State, Option<Value>)>,
    ) -> Result<(), UnrollError> {
        let program = self.program;
        let (id, pc) = at;
        let proc = &program.procs[id];
        let mut result: Option<(LocalId, Value)> = None;
        match &proc.body[pc].op {
            Op::Assign { dst, value } => result = Some((*dst, self.eval(value, &frame.locals))),
            Op::Havoc { dst } => result = Some((*dst, self.nondet(proc.locals[*dst].width))),
            Op::Load { dst, addr, order } => {
                let addr = self.eval(addr, &frame.locals);
                let value = self.load(&mut frame.state, addr, proc.locals[*dst].width, *order, span);
                result = Some((*dst, value));
            }
            Op::Store { addr, value, order } => {
                let addr = self.eval(addr, &frame.locals);
                let value = self.eval(value, &frame.locals);
                self.store(&mut frame.state, addr, value, *order, span);
            }
            Op::Rmw { dst, addr, op, operand, order } => {
                let addr = self.eval(addr, &frame.locals);
                let operand = self.eval(operand, &frame.locals);
                let width = proc.locals[*dst].width;
                let old = self.rmw(&mut frame.state, addr, width, *order, span, None, &mut |m, old| {
                    (m.rmw_result(*op, old, operand), None)
                });
                result = Some((*dst, old));
            }
            Op::Cas { dst, addr, expected, desired, success, failure } => {
                let addr = self.eval(addr, &frame.locals);
                let expected = self.eval(expected, &frame.locals);
                let desired = self.eval(desired, &frame.locals);
                let width = proc.locals[*dst].width;
                let order = match (*success, *failure) {
                    (Order::Release, Order::Acquire) => Order::AcqRel,
                    (success, failure) => success.max(failure),
                };
                let old = self.rmw(&mut frame.state, addr, width, order, span, Some(FenceTag::FailedCas), &mut |m, old| {
                    (desired, Some(m.graph.terms.eq(old.term, expected.term)))
                });
                frame.state.ctrl = self.deps.union(frame.state.ctrl, expected.deps, &mut self.graph.terms);
                result = Some((*dst, old));
            }
            Op::Fence(fence) => {
                self.fence(&mut frame.state, FenceTag::Explicit(*fence), span, None);
            }
            Op::Goto { cond, target } => {
                self.jump(at, span, frame, cond.as_ref(), *target, pending);
                return Ok(());
            }
            Op::Call { dst, callee, args } => {
                let args: Vec<Value> = args.iter().map(|a| self.eval(a, &frame.locals)).collect();
                match self.call(span, &mut frame, callee, &args)? {
                    None => return Ok(()),
                    Some(value) => {
                        if let Some(dst) = dst {
                            let width = proc.locals[*dst].width;
                            let value = value.unwrap_or_else(|| self.nondet(width));
                            let value = self.resize(value, width);
                            result = Some((*dst, value));
                        }
                    }
                }
            }
            Op::Return(value) => {
                let value = value.as_ref().map(|v| self.eval(v, &frame.locals));
                self.finish(proc, returned, frame.state, value);
                return Ok(());
            }
            Op::Alloc { dst, storage, layout, size, zeroed } => {
                let size = self.eval(size, &frame.locals);
                let value = self.alloc(at, span, &frame, storage, *layout, size, *zeroed);
                result = Some((*dst, value));
            }
            Op::Free { .. } => {}
            Op::Spawn { dst, callee, arg } => {
                let arg = self.eval(arg, &frame.locals);
                let handle = self.spawn(at, span, &mut frame, callee, arg)?;
                result = Some((*dst, handle));
            }
            Op::Join { handle, dst } => {
                let handle = self.eval(handle, &frame.locals);
                let value = self.join(span, &mut frame, handle);
                result = dst.map(|d| (d, value));
            }
            Op::Assume(cond) => {
                let cond = self.eval(cond, &frame.locals);
                frame.state.ctrl = self.deps.union(frame.state.ctrl, cond.deps, &mut self.graph.terms);
                frame.state.guard = self.graph.terms.and(frame.state.guard, cond.term);
            }
            Op::Assert { cond, property } => {
                let cond = self.eval(cond, &frame.locals);
                if !self.graph.terms.is_true(cond.term) {
                    self.graph.checks.push(Check {
                        property: property.clone(),
                        span,
                        thread: self.thread,
                        position: self.graph.threads[self.thread].events.len(),
                        guard: frame.state.guard,
                        cond: cond.term,
                    });
                }
            }
            Op::AtomicBegin => match &mut frame.state.group {
                Some((_, depth)) => *depth += 1,
                None => {
                    self.fence(&mut frame.state, FenceTag::Group, span, None);
                    let group = self.graph.groups.push(Vec::new());
                    frame.state.group = Some((group, 1));
                }
            },
            Op::AtomicEnd => match frame.state.group {
                Some((group, depth)) if depth > 1 => frame.state.group = Some((group, depth - 1)),
                Some(_) => {
                    frame.state.group = None;
                    self.fence(&mut frame.state, FenceTag::Group, span, None);
                }
                None => self.gap(frame.state.guard, span, "the end of an atomic section that was not begun".to_string()),
            },
            Op::ThreadExit(value) => {
                let width = program.data_model.pointer_width();
                let value = match value {
                    Some(v) => {
                        let v = self.eval(v, &frame.locals);
                        self.resize(v, width)
                    }
                    None => self.nondet(width),
                };
                self.exits.push((frame.state, value));
                return Ok(());
            }
            Op::Halt => return Ok(()),
            Op::Unknown(reason) => self.gap(frame.state.guard, span, reason.clone()),
        }
        if let Some((dst, value)) = result {
            Rc::make_mut(&mut frame.locals)[dst.index()] = Some(value);
        }
        self.arrive(id, pending, pc + 1, frame);
        Ok(())
    }

    fn rmw_result(&mut self, op: RmwOp, old: Value, operand: Value) -> Value {
        if op == RmwOp::Exchange {
            return operand;
        }
        let binary = match op {
            RmwOp::Add => BinOp::Add,
            RmwOp::Sub => BinOp::Sub,
            RmwOp::Or => BinOp::Or,
            RmwOp::Xor => BinOp::Xor,
            RmwOp::And | RmwOp::Nand | RmwOp::Exchange => BinOp::And,
        };
        let deps = self.deps.union(old.deps, operand.deps, &mut self.graph.terms);
        let mut term = self.graph.terms.binary(binary, old.term, operand.term);
        if op == RmwOp::Nand {
            term = self.graph.terms.not(term);
        }
        Value { term, deps }
    }

    #[allow(clippy::too_many_arguments)]
    fn alloc(
        &mut self,
        site: (ProcId, usize),
        span: Span,
        frame: &Frame,
        storage: &Storage,
        layout: Option<LayoutId>,
        size: Value,
        zeroed: bool,
    ) -> Value {
        let width = self.program.data_model.pointer_width();
        let limit = 1 << self.program.data_model.offset_bits();
        let bytes = match self.graph.terms.as_const(size.term) {
            Some(bytes) if bytes < limit => bytes,
            Some(bytes) => {
                self.gap(frame.state.guard, span, format!("an allocation of {bytes} bytes, which is too large"));
                return self.nondet(width);
            }
            None => {
                let reason = "an allocation whose size is not a constant after unwinding";
                self.gap(frame.state.guard, span, reason.to_string());
                return self.nondet(width);
            }
        };
        let occurrence = self.occurrence(site);
        let proc = &self.program.procs[site.0].name;
        let name = match (storage, occurrence) {
            (Storage::Stack(name), 0) => name.clone(),
            (Storage::Stack(name), n) => format!("{name}#{n}"),
            (Storage::Heap, n) => format!("{proc}:heap#{n}"),
        };
        let kind = ObjKind::Alloc { thread: self.key(), site, occurrence };
        let object = self.facts.intern(Object { kind, name, layout, size: bytes, zeroed });
        let address = self.facts.address(object, 0);
        self.constant(address, width)
    }

    fn call(&mut self, span: Span, frame: &mut Frame, callee: &Callee, args: &[Value]) -> Result<Option<Option<Value>>, UnrollError> {
        let mut result: Option<(State, Option<Value>)> = None;
        for (proc, cond) in self.callees(callee, frame, span) {
            let mut state = frame.state.clone();
            state.guard = self.graph.terms.and(state.guard, cond);
            if self.graph.terms.is_false(state.guard) {
                continue;
            }
            let depth = self.stack.iter().filter(|p| **p == proc).count() as u32;
            let name = &self.program.procs[proc].name;
            let (limit, _) = self.limit(name);
            if depth > limit {
                self.graph.cuts.push(Cut { name: name.clone(), span, bound: limit, guard: state.guard });
                continue;
            }
            let params = &self.program.procs[proc].params;
            let mut fitted = Vec::new();
            for (i, p) in params.iter().enumerate() {
                let width = self.program.procs[proc].locals[*p].width;
                fitted.push(match args.get(i) {
                    Some(v) => self.resize(*v, width),
                    None => self.nondet(width),
                });
            }
            if let Some((s, v)) = self.run_proc(proc, fitted, state)? {
                result = Some(match result {
                    None => (s, v),
                    Some((s0, v0)) => {
                        let (s, cond) = self.merge(s0, s);
                        let v = match (v0, v) {
                            (Some(a), Some(b)) => {
                                let width = self.graph.terms.width(a.term);
                                let b = self.resize(b, width);
                                Some(choose(&mut self.graph.terms, &mut self.deps, cond, a, b))
                            }
                            (a, b) => a.or(b),
                        };
                        (s, v)
                    }
                });
            }
        }
        Ok(result.map(|(state, value)| {
            frame.state = state;
            value
        }))
    }

    // ---- jumps and loops -----------------------------------------------------------------

    fn jump(&mut self, at: (ProcId, usize), span: Span, frame: Frame, cond: Option<&Expr>, target: usize, pending: &mut BTreeMap<usize, Frame>) {
        let (id, pc) = at;
        let cond = match cond {
            Some(c) => self.eval(c, &frame.locals),
            None => self.constant(1, 1),
        };
        let ctrl = self.deps.union(frame.state.ctrl, cond.deps, &mut self.graph.terms);
        let not_cond = self.graph.terms.not(cond.term);
        let mut taken = frame.clone();
        taken.state.guard = self.graph.terms.and(frame.state.guard, cond.term);
        taken.state.ctrl = ctrl;
        let mut falls = frame;
        falls.state.guard = self.graph.terms.and(falls.state.guard, not_cond);
        falls.state.ctrl = ctrl;
        self.arrive(id, pending, pc + 1, falls);
        if self.graph.terms.is_false(taken.state.guard) {
            return;
        }
        if target <= pc && !self.jump_back(at, span, &mut taken) {
            return;
        }
        self.arrive(id, pending, target, taken);
    }

    /// Whether a path goes round a loop once more; counts it.
    fn jump_back(&mut self, at: (ProcId, usize), span: Span, frame: &mut Frame) -> bool {
        let (id, pc) = at;
        let program = self.program;
        let Some(iteration) = frame.loops.get(&pc).cloned() else {
            // Jumped into the middle of the loop: there is no iteration to compare with.
            return self.spend(at, span, frame, 0, false);
        };
        let flow = &self.flows[id];
        let head = match program.procs[id].body[pc].op {
            Op::Goto { target, .. } => target,
            _ => return false,
        };
        if self.changed_nothing(id, head, flow, &iteration, frame) {
            return false;
        }
        let forced = frame.state.guard == iteration.guard && !self.facts.endless.contains(&at);
        if !self.spend(at, span, frame, iteration.count, forced) {
            return false;
        }
        if let Some(l) = frame.loops.get_mut(&pc) {
            l.count += 1;
        }
        true
    }

    /// Whether the bound allows another iteration; a loop that no path has left yet goes on
    /// regardless, until it proves endless.
    fn spend(&mut self, at: (ProcId, usize), span: Span, frame: &Frame, count: u32, forced: bool) -> bool {
        let proc = &self.program.procs[at.0];
        let ordinal = self.flows[at.0].back_edge[at.1].unwrap_or(0);
        let name = format!("{}.{ordinal}", proc.name);
        let (limit, explicit) = self.limit(&name);
        if count < limit {
            return true;
        }
        if forced && !explicit {
            if count < MAX_FORCED {
                return true;
            }
            self.facts.endless.insert(at);
            self.changed = true;
        }
        self.graph.cuts.push(Cut { name, span, bound: limit, guard: frame.state.guard });
        false
    }

    /// True when the iteration that ends here left live registers and private memory as they were
    /// and wrote nothing on this path.
    fn changed_nothing(&mut self, id: ProcId, head: usize, flow: &Flow, iteration: &LoopState, frame: &Frame) -> bool {
        let guard = frame.state.guard;
        let known = conjuncts(&self.graph.terms, guard);
        let events = self.graph.threads[self.thread].events[iteration.events..].to_vec();
        for e in events {
            if self.graph.events[e].kind == EventKind::Write {
                let both = self.graph.terms.and(guard, self.graph.events[e].guard);
                if !self.graph.terms.is_false(both) {
                    return false;
                }
            }
        }
        if self.lives.iter().any(|l| l.parent == Some(self.thread) && l.born > iteration.time) {
            return false;
        }
        for local in self.program.procs[id].locals.ids() {
            let (before, now) = (iteration.locals[local.index()], frame.locals[local.index()]);
            if !flow.is_live(head, local) || before == now {
                continue;
            }
            let same = match (before, now) {
                (Some(b), Some(n)) => under(&mut self.graph.terms, &known, n.term) == b.term,
                _ => false,
            };
            if !same {
                return false;
            }
        }
        if Rc::ptr_eq(&iteration.memory, &frame.state.memory) {
            return true;
        }
        let mut slots: Vec<SlotId> = frame.state.memory.keys().copied().collect();
        slots.sort_unstable();
        for slot in slots {
            let now = frame.state.memory[&slot];
            let before = match iteration.memory.get(&slot) {
                Some(b) => b.term,
                None => self.initial_value(slot).term,
            };
            if under(&mut self.graph.terms, &known, now.term) != before && !self.fresh(slot, iteration) {
                return false;
            }
        }
        true
    }

    /// True for memory of an object that the current iteration made: nothing from before refers
    /// to it.
    fn fresh(&self, slot: SlotId, iteration: &LoopState) -> bool {
        let touched = self.touched.get(&slot).and_then(|t| t.get(&self.thread)).copied().flatten();
        let object = &self.facts.objects[self.facts.slots[slot].object];
        matches!(object.kind, ObjKind::Alloc { .. })
            && !iteration.memory.contains_key(&slot)
            && touched.is_some_and(|t| t > iteration.time)
    }

    // ---- assumptions ---------------------------------------------------------------------

    /// Compares what happened with what was assumed, and widens the assumptions.
    fn widen(&mut self) {
        for (slot, by) in &self.touched {
            let conflict = by.iter().any(|(writer, wrote)| {
                wrote.is_some_and(|when| by.keys().any(|other| other != writer && !self.inherited(*writer, when, *other)))
            });
            if conflict && self.facts.shared.insert(*slot) {
                self.changed = true;
            }
        }
        let pointer = self.program.data_model.pointer_width();
        for event in self.graph.events.iter() {
            if !matches!(event.kind, EventKind::Write | EventKind::Init) || self.graph.terms.width(event.value) != pointer {
                continue;
            }
            let value = {
                let mut p = Pointers { facts: self.facts, read_slots: &self.read_slots, memo: &mut self.points_to };
                p.of(&self.graph.terms, event.value)
            };
            for cell in &event.cells {
                let contents = self.facts.contents.entry(self.slot_of[cell]).or_default();
                self.changed |= contents.join(&value);
            }
        }
    }

    /// True when `other` was created by `writer`, or by a descendant of it, after `when`: it has
    /// inherited what was written then.
    fn inherited(&self, writer: ThreadId, when: u64, other: ThreadId) -> bool {
        let mut thread = other;
        while let Some(parent) = self.lives[thread.index()].parent {
            if parent == writer {
                return self.lives[thread.index()].born > when;
            }
            thread = parent;
        }
        false
    }
}
