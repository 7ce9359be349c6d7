//! Guarded symbolic execution of one pass: every thread once, all of its paths together.
//!
//! Within a procedure the path with the smallest instruction index always moves next, and paths
//! that reach the same instruction are joined there. So branches are executed one after the other
//! and joined behind them, a back edge is followed before anything behind the loop, and the order
//! in which a thread emits its events is program order on each of its paths. A new thread is
//! executed where it is created, its parent goes on afterwards.

use super::analysis::Analysis;
use super::calls::{Activation, Called};
use super::deps::DepSets;
use super::event::*;
use super::executor::Executor;
use super::memory::*;
use super::notes::Notes;
use super::options::{UnrollError, UnrollOptions};
use super::slot_map::SlotMap;
use super::state::*;
use base::idx::Id;
use base::source::Span;
use ir::program::*;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What an allocation makes.
struct NewObject<'a> {
    storage: &'a Storage,
    layout: Option<LayoutId>,
    size: SymbolicValue,
    zeroed: bool,
}

/// One execution of all threads under the assumptions in `facts`; where it contradicts them they are
/// refined.
///
/// # Errors
/// See [`UnrollError`].
pub(super) fn run(
    program: &Program,
    main: ProcId,
    analysis: &Analysis,
    options: &UnrollOptions,
    facts: &mut Facts,
    interrupt: &dyn Fn() -> bool,
) -> Result<EventGraph, UnrollError> {
    let mut m = Executor::new(program, main, analysis, options, facts, interrupt);
    m.graph.shadowed = options.uninitialised;
    let guard = m.graph.terms.bool(true);
    let key = m.facts.thread(None, (main, 0), 0, main);
    let state = State {
        guard,
        memory: SlotMap::default(),
        ctrl: DepSets::EMPTY,
        scopes: Rc::default(),
        group: None,
        reservation: Rc::default(),
        dead: Rc::default(),
        gone: Rc::default(),
        notes: Notes::default(),
        held: Rc::default(),
        flushed: false,
    };
    m.choose_placements();
    m.choose_order();
    let params = &program.procs[main].params;
    let widths = params.iter().map(|p| program.procs[main].locals[*p].width);
    let args = widths.map(|w| m.choice(guard, w)).collect();
    m.run_thread(key, main, args, state, None, program.procs[main].span)?;
    m.graph.statics = m.facts.statics(program);
    m.finals();
    m.unfinished_sections();
    m.joins_that_wait();
    m.grace_periods_that_wait();
    m.judge_claims();
    m.leaks();
    m.placements_that_matter();
    m.orders_that_matter();
    m.refine_assumptions();
    if m.progress.has_stopped() {
        return Err(UnrollError::Interrupted);
    }
    if !m.facts.is_contradicted() {
        m.select_more();
    }
    // What follows needs to know all that is in memory.
    if !m.facts.is_contradicted() {
        m.graph.initialising = m.initialising();
        m.find_accessed_beside();
    }
    if !m.facts.is_contradicted() {
        m.find_published_early();
    }
    if !m.facts.is_contradicted() {
        m.find_unguarded();
    }
    Ok(m.graph)
}

impl Executor<'_> {
    pub(super) fn run_proc(
        &mut self,
        called: Called,
        args: Vec<SymbolicValue>,
        state: State,
    ) -> Result<Option<(State, Option<SymbolicValue>)>, UnrollError> {
        let program = self.program;
        let id = called.proc;
        let proc = &program.procs[id];
        let locals = self.registers(id, args, state.guard);
        let events = self.position();
        self.threads
            .calls_mut()
            .enter(Activation { called, events });
        let mut pending: BTreeMap<usize, Frame> = BTreeMap::new();
        pending.insert(
            0,
            Frame {
                state,
                locals: Rc::new(locals),
                loops: BTreeMap::new(),
            },
        );
        let mut returned: Option<(State, Option<SymbolicValue>)> = None;
        while let Some((pc, mut frame)) = pending.pop_first() {
            if self.graph.terms.is_false(frame.state.guard) {
                continue;
            }
            self.progress.advance();
            let span = proc.body.get(pc).map_or(proc.span, |i| i.span);
            if self.progress.is_to_stop() {
                return Err(UnrollError::Interrupted);
            }
            if self.graph.events.len() > self.options.max_events {
                return Err(UnrollError::TooLarge {
                    limit: self.options.max_events,
                    span,
                    largest: Box::new(self.largest()),
                });
            }
            self.flush(&mut frame.state, span);
            if pc == proc.body.len() {
                self.finish(proc, &mut returned, frame.state, None);
                continue;
            }
            frame.loops.retain(|back, _| {
                pc <= *back
                    && matches!(proc.body[*back].op, Op::Goto { target, .. } if target <= pc)
            });
            if !self.begin_iterations(id, pc, &mut frame) {
                continue;
            }
            self.step((id, pc), span, frame, &mut pending, &mut returned)?;
        }
        let objects = self.threads.calls_mut().leave();
        if let Some((state, _)) = &mut returned {
            self.end_of_activation(state, &objects, proc.span);
        }
        Ok(returned)
    }

    /// Adds a returning path.
    pub(super) fn finish(
        &mut self,
        proc: &Proc,
        returned: &mut Option<(State, Option<SymbolicValue>)>,
        state: State,
        value: Option<SymbolicValue>,
    ) {
        let Some(width) = proc.returns else {
            *returned = Some(match returned.take() {
                None => (state, None),
                Some((s, _)) => (self.merge(s, state).0, None),
            });
            return;
        };
        let value = value.unwrap_or_else(|| self.indeterminate(state.guard, width));
        *returned = Some(match returned.take() {
            None => (state, Some(value)),
            Some((s, v)) => {
                let (s, cond) = self.merge(s, state);
                let v = v.unwrap_or(value);
                (
                    s,
                    Some(choose(
                        &mut self.graph.terms,
                        &mut self.deps,
                        cond,
                        v,
                        value,
                    )),
                )
            }
        });
    }

    /// Puts a path before instruction `pc`, joining it with one that waits there.
    pub(super) fn arrive(
        &mut self,
        id: ProcId,
        pending: &mut BTreeMap<usize, Frame>,
        pc: usize,
        frame: Frame,
    ) {
        if self.graph.terms.is_false(frame.state.guard) {
            return;
        }
        let Some(other) = pending.remove(&pc) else {
            pending.insert(pc, frame);
            return;
        };
        let proc = &self.program.procs[id];
        let (locals_a, locals_b) = (other.locals, frame.locals);
        let (state, cond) = self.merge(other.state, frame.state);
        let locals = merge_locals(
            &mut self.graph.terms,
            &mut self.deps,
            proc,
            self.analysis.flow(id).live(pc),
            cond,
            &locals_a,
            &locals_b,
        );
        let mut loops = other.loops;
        for (back, l) in frame.loops {
            let joined = match loops.remove(&back) {
                Some(other) => l.joined(other),
                None => l,
            };
            loops.insert(back, joined);
        }
        pending.insert(
            pc,
            Frame {
                state,
                locals,
                loops,
            },
        );
    }

    pub(super) fn step(
        &mut self,
        at: (ProcId, usize),
        span: Span,
        mut frame: Frame,
        pending: &mut BTreeMap<usize, Frame>,
        returned: &mut Option<(State, Option<SymbolicValue>)>,
    ) -> Result<(), UnrollError> {
        let program = self.program;
        let (id, pc) = at;
        let proc = &program.procs[id];
        let mut result: Option<(LocalId, SymbolicValue)> = None;
        self.uses(&proc.body[pc].op, &frame, span);
        self.note_instruction(&proc.body[pc].op);
        self.progress.come_to(at);
        match &proc.body[pc].op {
            Op::Assign { dst, value } => result = Some((*dst, self.eval(value, &frame.locals))),
            Op::Havoc { dst } => {
                let any = self.choice_at(frame.state.guard, proc.locals[*dst].width, span);
                result = Some((*dst, any));
            }
            Op::Indeterminate { dst } => {
                let width = proc.locals[*dst].width;
                result = Some((*dst, self.indeterminate(frame.state.guard, width)));
            }
            Op::Use(_) => {}
            Op::ThreadSelf { dst } => {
                let handle = Self::handle_of(self.threads.key());
                result = Some((*dst, self.constant(handle, proc.locals[*dst].width)));
            }
            Op::SameThread { dst, a, b } => {
                let (a, b) = (self.eval(a, &frame.locals), self.eval(b, &frame.locals));
                let deps = self.deps.union(a.deps, b.deps, &mut self.graph.terms);
                let term = self.same_thread(a.term, b.term);
                let shadow = None;
                result = Some((*dst, SymbolicValue { term, deps, shadow }));
            }
            access @ (Op::Load { .. }
            | Op::Store { .. }
            | Op::Rmw { .. }
            | Op::Cas { .. }
            | Op::Pair(_)
            | Op::LoadLinked { .. }
            | Op::StoreConditional { .. }
            | Op::Fence(_)
            | Op::GracePeriod { .. }
            | Op::OneOf(_)
            | Op::Unknown(_)) => {
                let set = self.access(proc, access, &mut frame.state, &frame.locals, span);
                let locals = Rc::make_mut(&mut frame.locals);
                for (dst, value) in set {
                    locals[dst.index()] = Some(value);
                }
            }
            Op::Observe { what, value } => {
                let value = self.eval(value, &frame.locals).term;
                let before = self.observed(*what);
                let last = self.graph.terms.ite(frame.state.guard, value, before);
                self.deferred.observe(*what, last);
            }
            Op::Goto { cond, target } => {
                self.jump(at, span, frame, cond.as_ref(), *target, pending);
                return Ok(());
            }
            Op::Call { dst, callee, args } => {
                let args: Vec<SymbolicValue> =
                    args.iter().map(|a| self.eval(a, &frame.locals)).collect();
                let dst = dst.filter(|d| self.is_live((at.0, at.1 + 1), *d));
                let wanted = dst.map(|d| proc.locals[d].width);
                match self.call(span, &mut frame, callee, &args, wanted)? {
                    None => return Ok(()),
                    Some(value) => result = dst.zip(value),
                }
            }
            Op::Return(value) => {
                let value = value.as_ref().map(|v| self.eval(v, &frame.locals));
                self.finish(proc, returned, frame.state, value);
                return Ok(());
            }
            Op::Alloc {
                dst,
                storage,
                layout,
                size,
                zeroed,
                replaces,
            } => {
                let size = self.eval(size, &frame.locals);
                let new = NewObject {
                    storage,
                    layout: *layout,
                    size,
                    zeroed: *zeroed,
                };
                let value = self.alloc(at, span, &mut frame, &new);
                if *storage == Storage::Heap {
                    let replaced = replaces.as_ref().map(|e| self.eval(e, &frame.locals));
                    self.object_is_made(&mut frame.state, value.term, replaced);
                }
                result = Some((*dst, value));
            }
            Op::LeaveScope { addr } => {
                let addr = self.eval(addr, &frame.locals);
                self.leave_scope(&mut frame.state, addr, span);
            }
            Op::Constant { .. } => {}
            Op::Free { addr } => {
                let addr = self.eval(addr, &frame.locals);
                self.free(&mut frame.state, addr, span);
            }
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
                self.note_branch(cond.term);
                let fails = self.graph.terms.not(cond.term);
                let fails = self.graph.terms.and(frame.state.guard, fails);
                self.stop(fails, span, StopReason::Assumption);
                frame.state.ctrl =
                    self.deps
                        .union(frame.state.ctrl, cond.deps, &mut self.graph.terms);
                frame.state.guard = self.graph.terms.and(frame.state.guard, cond.term);
            }
            Op::Wait { cond, value } => {
                let cond = self.eval(cond, &frame.locals);
                let value = self.eval(value, &frame.locals);
                self.wait(&mut frame.state, cond, value, span);
            }
            Op::Assert { cond, property } => {
                let cond = self.eval(cond, &frame.locals);
                if !self.graph.terms.is_true(cond.term) {
                    self.graph.checks.push(Check {
                        property: property.clone(),
                        span,
                        thread: self.threads.current(),
                        position: self.position(),
                        choices: self.graph.choices.len(),
                        guard: frame.state.guard,
                        cond: cond.term,
                    });
                }
            }
            Op::SetNote { key, value, when } => {
                let [key, value, when] =
                    [key, value, when].map(|e| self.eval(e, &frame.locals).term);
                self.set_note(&mut frame.state, key, value, when);
            }
            Op::GetNote { dst, key } => {
                let key = self.eval(key, &frame.locals);
                let term = self.get_note(&frame.state, key.term);
                result = Some((
                    *dst,
                    SymbolicValue {
                        term,
                        shadow: None,
                        ..key
                    },
                ));
            }
            Op::Claim {
                key,
                what,
                property,
            } => {
                let key = self.eval(key, &frame.locals).term;
                let claims = Some((*what, property.clone()));
                self.claim(&frame.state, key, claims, span);
            }
            Op::Release(key) => {
                let key = self.eval(key, &frame.locals).term;
                self.claim(&frame.state, key, None, span);
            }
            Op::AtomicBegin(kind) => self.begin_group(&mut frame.state, *kind, at, span),
            Op::ControlBegin(ControlScope::Kernel) | Op::ControlEnd(ControlScope::Kernel)
                if !self.options.kernel => {}
            Op::ControlBegin(_) => {
                let ctrl = frame.state.ctrl;
                Rc::make_mut(&mut frame.state.scopes).push(ctrl);
            }
            Op::ControlEnd(_) => {
                if let Some(ctrl) = Rc::make_mut(&mut frame.state.scopes).pop() {
                    frame.state.ctrl = ctrl;
                }
            }
            Op::AtomicEnd => self.end_group(&mut frame.state, span),
            Op::ThreadExit(value) => {
                let width = program.data_model.pointer_width();
                let value = match value {
                    Some(v) => {
                        let v = self.eval(v, &frame.locals);
                        self.resize(v, width)
                    }
                    None => self.indeterminate(frame.state.guard, width),
                };
                self.end_of_thread(&mut frame.state, span);
                self.threads.calls_mut().exit(frame.state, value);
                return Ok(());
            }
            Op::Halt => {
                self.graph.halts.push(frame.state.guard);
                return Ok(());
            }
        }
        if let Some((dst, value)) = result {
            Rc::make_mut(&mut frame.locals)[dst.index()] = Some(value);
        }
        self.arrive(id, pending, pc + 1, frame);
        Ok(())
    }

    /// The address of a new object.
    fn alloc(
        &mut self,
        site: (ProcId, usize),
        span: Span,
        frame: &mut Frame,
        new: &NewObject,
    ) -> SymbolicValue {
        let NewObject {
            storage,
            layout,
            size,
            zeroed,
        } = *new;
        let width = self.program.data_model.pointer_width();
        let limit = self.program.data_model.largest_object();
        let bytes = match self.graph.terms.as_const(size.term) {
            Some(bytes) if bytes < limit => bytes,
            Some(bytes) => {
                self.unsupported(
                    frame.state.guard,
                    span,
                    format!("an allocation of {bytes} bytes, which is too large"),
                );
                return self.nondet(width);
            }
            None => {
                let small = self.has_size_below(size.term, limit);
                frame.state.guard = self.graph.terms.and(frame.state.guard, small);
                self.room(layout)
            }
        };
        let occurrence = self.threads.count_occurrence(site);
        let proc = &self.program.procs[site.0].name;
        let name = match (storage, occurrence) {
            (Storage::Stack(name) | Storage::Process(name), 0) => name.clone(),
            (Storage::Stack(name) | Storage::Process(name), n) => format!("{name}#{n}"),
            (Storage::Heap, n) => format!("{proc}:heap#{n}"),
        };
        let kind = ObjKind::Alloc {
            thread: self.threads.key(),
            site,
            occurrence,
        };
        let object = self.facts.intern(Object {
            kind,
            name,
            layout,
            size: bytes,
            align: self.program.alignment_of(storage, layout),
            zeroed,
        });
        let addr = self.facts.address(object, 0);
        if self.graph.terms.as_const(size.term).is_none() {
            self.allocations.note_size(object, size.term);
        }
        let of_object = ChoiceKind::Object {
            site,
            addr,
            bytes: size.term,
        };
        self.record_choice(frame.state.guard, of_object);
        if let Storage::Process(name) = storage {
            self.graph.arguments.push((name.clone(), addr, bytes));
        }
        self.make(object, storage, &frame.state, span);
        self.constant(addr, width)
    }

    /// Runs what a call may run. `wanted` is the width of the value the caller takes, if it takes
    /// one; `None` when no path returns.
    pub(super) fn call(
        &mut self,
        span: Span,
        frame: &mut Frame,
        callee: &Callee,
        args: &[SymbolicValue],
        wanted: Option<Width>,
    ) -> Result<Option<Option<SymbolicValue>>, UnrollError> {
        let mut result: Option<(State, Option<SymbolicValue>)> = None;
        for (proc, cond) in self.callees(callee, frame, span) {
            let mut state = frame.state.clone();
            state.guard = self.graph.terms.and(state.guard, cond);
            if self.graph.terms.is_false(state.guard) {
                continue;
            }
            let Some(returning) = self.recurs(proc, args, &state, span) else {
                continue;
            };
            let params = &self.program.procs[proc].params;
            let mut fitted = Vec::new();
            for (i, p) in params.iter().enumerate() {
                let width = self.program.procs[proc].locals[*p].width;
                fitted.push(match args.get(i) {
                    Some(v) => self.resize(*v, width),
                    None => self.choice(state.guard, width),
                });
            }
            if let Some(proc) = returning {
                self.loops.begin_returning(proc);
            }
            let called = Called {
                proc,
                is_result_used: wanted.is_some(),
            };
            let ran = self.run_proc(called, fitted, state)?;
            if returning.is_some() {
                self.loops.end_returning();
            }
            if let Some((s, v)) = ran {
                let v = wanted.map(|width| match v {
                    Some(v) => self.resize(v, width),
                    None => self.indeterminate(s.guard, width),
                });
                result = Some(match result {
                    None => (s, v),
                    Some((s0, v0)) => {
                        let (s, cond) = self.merge(s0, s);
                        let v = match (v0, v) {
                            (Some(a), Some(b)) => {
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

    /// Whether a register is used behind an instruction of the current activation.
    pub(super) fn is_live(&self, (id, pc): (ProcId, usize), local: LocalId) -> bool {
        let flow = self.analysis.flow(id);
        match self.threads.calls().innermost() {
            Some(activation) if !activation.called.is_result_used => {
                flow.is_live_without_result(pc, local)
            }
            _ => flow.is_live(pc, local),
        }
    }

    pub(super) fn jump(
        &mut self,
        at: (ProcId, usize),
        span: Span,
        frame: Frame,
        cond: Option<&Expr>,
        target: usize,
        pending: &mut BTreeMap<usize, Frame>,
    ) {
        let (id, pc) = at;
        let cond = match cond {
            Some(c) => self.eval(c, &frame.locals),
            None => self.constant(1, 1),
        };
        self.note_branch(cond.term);
        let ctrl = self
            .deps
            .union(frame.state.ctrl, cond.deps, &mut self.graph.terms);
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
        if target <= pc && !self.back_edge(at, span, &mut taken) {
            return;
        }
        self.arrive(id, pending, target, taken);
    }
}
