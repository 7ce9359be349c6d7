//! One thread: its procedures inlined into one graph.

use super::extraction::{Argument, Extraction, Start};
use super::graph::{is_in_loop, mark_sections};
use super::memory::AccessTarget;
use super::registers::is_assigned;
use super::unsupported::{Unsupported, unsupported};
use super::value::{Binding, Cases, Reader};
use crate::commands::arith::{Cond, Linear, VarId};
use crate::commands::program::*;
use ::ir::kernel::{self, OnMachines};
use ::ir::program::{self as ir, Atomicity, Fence, MemoryOrder, Op};
use base::idx::IdVec;
use base::source::Span;
use std::collections::BTreeMap;

/// Instructions of a thread at most, all calls inlined.
const MAX_LOCATIONS: usize = 20_000;

/// A graph that is being built.
pub struct Builder<'a, 'b> {
    pub(super) all: &'b mut Extraction<'a>,
    pub(super) id: ThreadId,
    locations: IdVec<LocId, Location>,
    steps: Vec<Step>,
    /// Steps that begin (1) or end (-1) an atomic section.
    sections: BTreeMap<usize, i32>,
    end: LocId,
    halted: LocId,
    calls: Vec<ir::ProcId>,
    /// What the thread has noted of an object, by its address.
    notes: BTreeMap<(ir::GlobalId, i128), VarId>,
    /// The scalars of thread-local objects, by object and offset.
    pub(super) thread_locals: BTreeMap<(ir::GlobalId, u64), VarId>,
    /// The registers with the numbers of the elements that an instruction accesses, by array.
    elements: BTreeMap<VarId, VarId>,
}

/// A procedure on its way.
pub(super) struct Frame<'a> {
    id: ir::ProcId,
    proc: &'a ir::Proc,
    bindings: Vec<Binding>,
    at: Vec<LocId>,
    /// What receives the returned value.
    result: Option<VarId>,
    /// Threads that registers are the handles of.
    handles: BTreeMap<ir::LocalId, ThreadId>,
}

impl<'a> Builder<'a, '_> {
    /// The thread.
    pub(super) fn thread(
        all: &mut Extraction<'a>,
        id: ThreadId,
        start: &Start,
    ) -> Result<Thread, Unsupported> {
        let proc = &all.ir.procs[start.proc];
        let name = proc.name.clone();
        let mut locations = IdVec::new();
        let location = |atomic| Location {
            span: proc.span,
            atomic,
        };
        let entry = locations.push(location(false));
        let end = locations.push(location(false));
        let halted = locations.push(location(true));
        let mut builder = Builder {
            all,
            id,
            locations,
            steps: Vec::new(),
            sections: BTreeMap::new(),
            end,
            halted,
            calls: Vec::new(),
            notes: BTreeMap::new(),
            thread_locals: BTreeMap::new(),
            elements: BTreeMap::new(),
        };
        let args: Vec<Argument> = proc.params.iter().map(|_| start.arg.clone()).collect();
        let begin = builder.procedure(start.proc, &args, end, None, start.span)?;
        builder.steps.push(Step::new(entry, begin, proc.span));
        let Builder {
            locations,
            steps,
            sections,
            ..
        } = &mut builder;
        mark_sections(locations, steps, sections, end)?;
        builder.spawns_in_loops()?;
        Ok(Thread {
            name,
            locations: builder.locations,
            end,
            steps: builder.steps,
            instances: Instances::One,
        })
    }

    fn location(&mut self, span: Span) -> Result<LocId, Unsupported> {
        if self.locations.len() > MAX_LOCATIONS {
            return Err(unsupported(span, "a thread of this size"));
        }
        Ok(self.locations.push(Location {
            span,
            atomic: false,
        }))
    }

    pub(super) fn variable(&mut self, name: String, kind: VariableKind) -> VarId {
        self.all.program.vars.push(Variable {
            name,
            kind,
            initial: None,
        })
    }

    /// A name that no other local of the thread has.
    pub(super) fn fresh_name(&self, name: &str) -> String {
        let inlined = match &self.calls[..] {
            [_, .., inner] => format!("{}.{name}", self.all.ir.procs[*inner].name),
            _ => name.to_string(),
        };
        let numbered = (2..).map(|n| format!("{inlined}.{n}"));
        let mut names = std::iter::once(inlined.clone()).chain(numbered);
        let free = names.find(|n| !self.all.has_name(self.id, n));
        free.unwrap_or(inlined)
    }

    /// Inlines a procedure; the location where it begins.
    fn procedure(
        &mut self,
        id: ir::ProcId,
        args: &[Argument],
        exit: LocId,
        result: Option<VarId>,
        span: Span,
    ) -> Result<LocId, Unsupported> {
        if self.calls.contains(&id) {
            return Err(unsupported(span, "recursion"));
        }
        self.calls.push(id);
        let proc = &self.all.ir.procs[id];
        let mut bindings = Vec::new();
        for l in proc.locals.ids() {
            bindings.push(self.binding(id, l, args, span)?);
        }
        self.find_addresses(proc, &mut bindings);
        let mut at = Vec::new();
        for i in &proc.body {
            at.push(self.location(i.span)?);
        }
        at.push(exit);
        let mut frame = Frame {
            id,
            proc,
            bindings,
            at,
            result,
            handles: BTreeMap::new(),
        };
        let mut begin = frame.at[0];
        for (p, arg) in proc.params.iter().zip(args) {
            let binding = frame.bindings[p.0 as usize].clone();
            if let (Argument::Any, Binding::Var(x)) = (arg, &binding) {
                self.all.naturals.open.insert(*x);
            }
            if let (Argument::Own, Binding::Var(x)) = (arg, &binding)
                && !is_assigned(proc, *p)
            {
                self.all.program.own_numbers.insert(*x);
            }
            if let (Argument::Number(cases), Binding::Var(x)) = (arg, &binding) {
                if !is_assigned(proc, *p) && self.is_own_number(cases) {
                    self.all.program.own_numbers.insert(*x);
                }
                let before = self.location(span)?;
                self.assign((before, begin, span), &binding, cases.clone());
                begin = before;
            }
        }
        for (i, instr) in proc.body.iter().enumerate() {
            let first = self.steps.len();
            self.instruction(&mut frame, i, &instr.op, instr.span)?;
            self.mark_elements(first);
        }
        self.calls.pop();
        Ok(begin)
    }

    pub(super) fn reader<'f>(&'f self, frame: &'f Frame<'a>, span: Span) -> Reader<'f> {
        Reader {
            ir: self.all.ir,
            proc: frame.proc,
            bindings: &frame.bindings,
            any_threads: self.all.handles.is_some(),
            own: self.own_numbers(),
            arrays: self.all.numbering.as_ref().map(|n| &n.arrays),
            naturals: Some(&self.all.naturals).filter(|_| !self.is_spawner(frame)),
            span,
        }
    }

    fn push(
        &mut self,
        (from, to, span): (LocId, LocId, Span),
        guard: Cond,
        updates: Vec<(VarId, Update)>,
        effect: Effect,
    ) {
        if guard != Cond::Const(false) {
            self.steps.push(Step {
                guard,
                updates,
                effect,
                ..Step::new(from, to, span)
            });
        }
    }

    /// Says of the steps of an instruction, from the first one on, which elements they access.
    fn mark_elements(&mut self, first: usize) {
        for (array, number) in std::mem::take(&mut self.elements) {
            for step in &mut self.steps[first..] {
                if step.reads().contains(&array) || step.update(array).is_some() {
                    step.elements.insert(array, number);
                }
            }
        }
    }

    fn assign(&mut self, edge: (LocId, LocId, Span), dst: &Binding, cases: Cases) {
        for (c, value) in cases {
            let updates = match dst {
                Binding::Var(x) => vec![(*x, Update::Set(value))],
                Binding::Fixed(_) | Binding::Handle | Binding::Address(..) => Vec::new(),
            };
            self.push(edge, c, updates, Effect::None);
        }
    }

    /// What an access of some width and memory order may touch.
    fn target(
        &mut self,
        frame: &Frame<'a>,
        (addr, from): (&ir::Expr, LocId),
        (width, order): (u8, MemoryOrder),
        span: Span,
    ) -> Result<AccessTarget, Unsupported> {
        let address = self.reader(frame, span).address(addr)?;
        self.keeps_to_itself(address.0, span)?;
        let memory = &self.all.memory;
        let target = memory.target(self.all.ir, &address, (width, order), span)?;
        let arrays = target.cells.iter().map(|(_, x)| *x);
        self.elements.extend(
            target
                .element
                .iter()
                .flat_map(|number| arrays.clone().map(|x| (x, *number))),
        );
        let vars = &self.all.program.vars;
        if matches!(target.cells[..], [(_, x)] if vars[x].kind == VariableKind::Count) {
            return Ok(target);
        }
        self.all.program.accesses.push(Access {
            thread: self.id,
            at: from,
            variables: target.cells.iter().map(|(_, x)| *x).collect(),
            order,
            span,
        });
        Ok(target)
    }

    /// What a step outside of an array does.
    fn outside(&mut self, edge: (LocId, LocId, Span), target: &AccessTarget) {
        let failure = Failure::Bounds(format!("the index is one of `{}`", target.object));
        let fail = Effect::Fail(failure);
        self.push(edge, target.outside.clone(), Vec::new(), fail);
    }

    /// A fence on the way to an access, or after it.
    fn fence(&mut self, from: LocId, to: LocId, span: Span, fence: Fence) {
        self.push(
            (from, to, span),
            Cond::Const(true),
            Vec::new(),
            Effect::Fence(fence),
        );
    }

    fn instruction(
        &mut self,
        frame: &mut Frame<'a>,
        i: usize,
        op: &'a Op,
        span: Span,
    ) -> Result<(), Unsupported> {
        let (from, next) = (frame.at[i], frame.at[i + 1]);
        let edge = (from, next, span);
        let always = || Cond::Const(true);
        let binding = |l: ir::LocalId| frame.bindings[l.0 as usize].clone();
        let handles = self.all.handles.as_ref();
        if handles.is_some_and(|h| h.is_all_of(frame.id, op)) {
            if let Op::Goto { target, .. } = op {
                let edge = (from, frame.at[*target], span);
                self.push(edge, always(), Vec::new(), Effect::None);
            }
            let set = op.results().into_iter().filter_map(|l| match binding(l) {
                Binding::Var(x) => Some((x, Update::Any)),
                _ => None,
            });
            self.push(edge, always(), set.collect(), Effect::None);
            return Ok(());
        }
        match op {
            Op::Assign { dst, value } => {
                if let ir::Expr::Local(l) = value
                    && let Some(t) = frame.handles.get(l).copied()
                {
                    if frame
                        .handles
                        .insert(*dst, t)
                        .is_some_and(|other| other != t)
                    {
                        return Err(unsupported(span, "a handle of several threads"));
                    }
                    self.push(edge, always(), Vec::new(), Effect::None);
                    return Ok(());
                }
                if let Binding::Address(..) = binding(*dst) {
                    self.push(edge, always(), Vec::new(), Effect::None);
                    return Ok(());
                }
                match self.reader(frame, span).number(value) {
                    Err(_) if self.is_spawner(frame) => {
                        let set = match binding(*dst) {
                            Binding::Var(x) => vec![(x, Update::Any)],
                            Binding::Fixed(_) | Binding::Handle | Binding::Address(..) => vec![],
                        };
                        self.push(edge, always(), set, Effect::None);
                    }
                    cases => {
                        let cases = cases?;
                        let sets = |i: &&ir::Instr| i.op.results().contains(dst);
                        if let Binding::Var(x) = binding(*dst)
                            && self.is_own_number(&cases)
                            && frame.proc.body.iter().filter(sets).count() == 1
                        {
                            self.all.program.own_numbers.insert(x);
                        }
                        self.assign(edge, &binding(*dst), cases);
                    }
                }
            }
            Op::Havoc { dst } | Op::Indeterminate { dst } => {
                match (binding(*dst), frame.proc.locals[*dst].width) {
                    (Binding::Var(x), 1) => {
                        for n in [0, 1] {
                            let set = vec![(x, Update::Set(Linear::constant(n)))];
                            self.push(edge, always(), set, Effect::None);
                        }
                    }
                    // As a mathematical integer it would have more values than there are.
                    (Binding::Var(_), 2..32) => {
                        let what = "a nondeterministic value of fewer than 32 bits";
                        return Err(unsupported(span, what));
                    }
                    (Binding::Var(x), _) => {
                        self.push(edge, always(), vec![(x, Update::Any)], Effect::None);
                    }
                    (Binding::Fixed(_) | Binding::Handle | Binding::Address(..), _) => {
                        self.push(edge, always(), Vec::new(), Effect::None)
                    }
                }
            }
            Op::Use(_) => self.push(edge, always(), Vec::new(), Effect::None),
            Op::Load { dst, addr, order } => {
                self.known_order(*order, span)?;
                let width = frame.proc.locals[*dst].width;
                if let Some(x) = self.thread_local(frame, addr, width, span)? {
                    let value = vec![(always(), Linear::var(x))];
                    self.assign(edge, &binding(*dst), value);
                    return Ok(());
                }
                let target = self.target(frame, (addr, from), (width, *order), span)?;
                self.outside(edge, &target);
                for (c, cell) in target.cells {
                    self.assign(edge, &binding(*dst), vec![(c, Linear::var(cell))]);
                }
            }
            Op::Store { addr, value, order } => {
                self.known_order(*order, span)?;
                let reader = self.reader(frame, span);
                let width = value.width(self.all.ir, frame.proc);
                let cases = reader.number(value)?;
                if let Some(x) = self.thread_local(frame, addr, width, span)? {
                    self.assign(edge, &Binding::Var(x), cases);
                    return Ok(());
                }
                let target = self.target(frame, (addr, from), (width, *order), span)?;
                let (mut first, mut last) = (from, next);
                let order = order.compiled();
                if matches!(order, MemoryOrder::Release | MemoryOrder::SeqCst) {
                    first = self.location(span)?;
                    self.fence(from, first, span, Fence::C11(MemoryOrder::Release));
                }
                if order == MemoryOrder::SeqCst {
                    last = self.location(span)?;
                    self.fence(last, next, span, Fence::C11(MemoryOrder::SeqCst));
                }
                let edge = (first, last, span);
                self.outside(edge, &target);
                for (c, cell) in &target.cells {
                    for (d, value) in &cases {
                        let guard = Cond::and([c.clone(), d.clone()]);
                        let set = vec![(*cell, Update::Set(value.clone()))];
                        self.push(edge, guard, set, Effect::None);
                    }
                }
            }
            Op::Rmw {
                dst,
                addr,
                op,
                operand,
                order,
            } => {
                self.known_order(*order, span)?;
                let width = frame.proc.locals[*dst].width;
                let cases = self.reader(frame, span).number(operand)?;
                let target = self.target(frame, (addr, from), (width, *order), span)?;
                self.outside(edge, &target);
                for (c, cell) in &target.cells {
                    for (d, value) in &cases {
                        let old = Linear::var(*cell);
                        let new = match op {
                            ir::RmwOp::Exchange => value.clone(),
                            ir::RmwOp::Add => old.clone().plus(1, value),
                            ir::RmwOp::Sub => old.clone().plus(-1, value),
                            _ => return Err(unsupported(span, "bitwise operators on numbers")),
                        };
                        let mut updates = vec![(*cell, Update::Set(new))];
                        if let Binding::Var(x) = binding(*dst) {
                            updates.push((x, Update::Set(old)));
                        }
                        let guard = Cond::and([c.clone(), d.clone()]);
                        self.push(edge, guard, updates, Effect::Rmw(*order));
                    }
                }
            }
            Op::Cas {
                dst,
                addr,
                expected,
                desired,
                success,
                failure,
                weak,
            } => {
                self.known_order(*success, span)?;
                self.known_order(*failure, span)?;
                let width = frame.proc.locals[*dst].width;
                let reader = self.reader(frame, span);
                let (expected, desired) = (reader.number(expected)?, reader.number(desired)?);
                let lucky = match weak {
                    Some(w) if !w.machine => Cond::and([reader.cond(&w.when)?]),
                    _ => Cond::Const(false),
                };
                let target = self.target(frame, (addr, from), (width, *success), span)?;
                let failing = MemoryOrder::of_failing_read(*success, *failure);
                self.target(frame, (addr, from), (width, failing), span)?;
                self.outside(edge, &target);
                let result = |cell: VarId, done: i128| {
                    let mut updates = Vec::new();
                    if let Binding::Var(x) = binding(*dst) {
                        updates.push((x, Update::Set(Linear::var(cell))));
                    }
                    if let Some(Binding::Var(x)) = weak.as_ref().map(|w| binding(w.done)) {
                        updates.push((x, Update::Set(Linear::constant(done))));
                    }
                    updates
                };
                for (c, cell) in &target.cells {
                    for (d, old) in &expected {
                        let same = Cond::equal(&Linear::var(*cell), old);
                        let here = Cond::and([c.clone(), d.clone()]);
                        let fails = Cond::or([same.negate(), lucky.clone()]);
                        let fails = Cond::and([here.clone(), fails]);
                        self.push(edge, fails, result(*cell, 0), Effect::Rmw(failing));
                        for (e, new) in &desired {
                            let guard = Cond::and([here.clone(), e.clone(), same.clone()]);
                            let mut updates = result(*cell, 1);
                            updates.push((*cell, Update::Set(new.clone())));
                            self.push(edge, guard, updates, Effect::Rmw(*success));
                        }
                    }
                }
            }
            Op::Fence(Fence::Annotated(sets)) => match kernel::on_machines(sets) {
                Some(OnMachines::Fence(fence)) => self.fence(from, next, span, fence),
                Some(OnMachines::Nothing) => self.push(edge, always(), Vec::new(), Effect::None),
                Some(OnMachines::Unknown) | None => {
                    return Err(unsupported(span, "a grace period of RCU"));
                }
            },
            Op::Fence(fence) => self.fence(from, next, span, *fence),
            Op::GracePeriod { .. } => return Err(unsupported(span, "a grace period of SRCU")),
            Op::Goto { cond, target } => {
                let to = frame.at[*target];
                let c = match cond {
                    Some(c) => self.reader(frame, span).cond(c),
                    None => Ok(Cond::Const(true)),
                };
                if c.is_err() && self.is_spawner(frame) {
                    self.push(edge, always(), Vec::new(), Effect::None);
                    self.push((from, to, span), always(), Vec::new(), Effect::None);
                    return Ok(());
                }
                let c = c?;
                self.push(edge, c.negate(), Vec::new(), Effect::None);
                self.push((from, to, span), c, Vec::new(), Effect::None);
            }
            Op::Assume(cond) | Op::Wait { cond, .. } => {
                let c = self.reader(frame, span).cond(cond)?;
                self.push(edge, c, Vec::new(), Effect::None);
            }
            Op::Assert { cond, property } => {
                let c = self.reader(frame, span).cond(cond)?;
                let failure = Failure::Assertion(property.text.clone());
                let fail = Effect::Fail(failure);
                self.push((from, self.halted, span), c.negate(), Vec::new(), fail);
                self.push(edge, c, Vec::new(), Effect::None);
            }
            Op::Call { dst, callee, args } => {
                let result = match dst.map(binding) {
                    Some(Binding::Var(x)) => Some(x),
                    _ => None,
                };
                self.call(frame, edge, callee, args, result)?;
            }
            Op::Return(value) => {
                let exit = frame.at[frame.proc.body.len()];
                let edge = (from, exit, span);
                match (frame.result, value) {
                    (Some(x), Some(value)) => {
                        let cases = self.reader(frame, span).number(value)?;
                        self.assign(edge, &Binding::Var(x), cases);
                    }
                    (Some(x), None) => {
                        self.push(edge, always(), vec![(x, Update::Any)], Effect::None);
                    }
                    // What a thread returns is not looked at.
                    (None, _) => self.push(edge, always(), Vec::new(), Effect::None),
                }
            }
            Op::Spawn { dst, callee, arg } => {
                let ir::Callee::Proc(proc) = callee else {
                    return Err(unsupported(
                        span,
                        "a thread of a procedure that is not constant",
                    ));
                };
                let numbering = self.all.numbering.as_ref();
                let has_number = self.is_spawner(frame) && numbering.is_some_and(|n| n.spawn == i);
                let arg = match self.argument(frame, arg, span) {
                    _ if has_number => Argument::Own,
                    Err(_) if self.is_spawner(frame) => Argument::Any,
                    Ok(Argument::Number(cases)) if !is_constant(&cases) => Argument::Any,
                    arg => arg?,
                };
                if matches!(arg, Argument::Any) && self.all.handles.is_none() {
                    return Err(unsupported(
                        span,
                        "an argument of a thread that is not constant",
                    ));
                }
                if let Argument::Address(object, _) = arg {
                    self.keeps_to_itself(object, span)?;
                }
                let t = self.all.start(Start {
                    proc: *proc,
                    arg,
                    span,
                })?;
                frame.handles.insert(*dst, t);
                self.push(edge, always(), Vec::new(), Effect::Spawn(t));
            }
            Op::Join { handle, dst } => {
                let thread = match handle {
                    ir::Expr::Local(l) => frame.handles.get(l).copied(),
                    _ => None,
                };
                let Some(t) = thread else {
                    return Err(unsupported(
                        span,
                        "a handle of a thread that is not constant",
                    ));
                };
                let updates = match dst.map(binding) {
                    Some(Binding::Var(x)) => vec![(x, Update::Any)],
                    _ => Vec::new(),
                };
                self.push(edge, always(), updates, Effect::Join(t));
            }
            Op::AtomicBegin(Atomicity::Section) => {
                self.sections.insert(self.steps.len(), 1);
                self.fence(from, next, span, Fence::Posix);
            }
            Op::ControlBegin(_) | Op::ControlEnd(_) => {}
            Op::AtomicEnd => {
                self.sections.insert(self.steps.len(), -1);
                self.push(edge, always(), Vec::new(), Effect::None);
            }
            Op::ThreadExit(_) => {
                let edge = (from, self.end, span);
                self.push(edge, always(), Vec::new(), Effect::None);
            }
            Op::Halt => {
                let edge = (from, self.halted, span);
                self.push(edge, always(), Vec::new(), Effect::None);
            }
            // That a thread is joined once is not what is asked.
            Op::Observe { .. } | Op::Claim { .. } | Op::Release(_) => {
                self.push(edge, always(), Vec::new(), Effect::None);
            }
            Op::OneOf(_) => return Err(unsupported(span, "a memory order that is not constant")),
            Op::LoadLinked { .. } | Op::StoreConditional { .. } => {
                return Err(unsupported(span, "linked loads and conditional stores"));
            }
            Op::Alloc { .. } | Op::LeaveScope { .. } | Op::Constant { .. } | Op::Free { .. } => {
                return Err(unsupported(
                    span,
                    "objects that are allocated, and locals whose address is taken",
                ));
            }
            Op::ThreadSelf { .. } | Op::SameThread { .. } => {
                return Err(unsupported(span, "the handle of a thread"));
            }
            Op::SetNote { key, value, when } => {
                let note = self.note(frame, key, span)?;
                let reader = self.reader(frame, span);
                let (c, cases) = (reader.cond(when)?, reader.number(value)?);
                self.push(edge, c.negate(), Vec::new(), Effect::None);
                for (d, value) in cases {
                    let set = vec![(note, Update::Set(value))];
                    self.push(edge, Cond::and([c.clone(), d]), set, Effect::None);
                }
            }
            Op::GetNote { dst, key } => {
                let note = self.note(frame, key, span)?;
                let cases = vec![(Cond::Const(true), Linear::var(note))];
                self.assign(edge, &binding(*dst), cases);
            }
            Op::Unknown(what) => return Err(unsupported(span, what)),
            _ => return Err(unsupported(span, "this operation of the library")),
        }
        Ok(())
    }

    /// It is `main` of a program with any number of threads, where what does not fit may be anything: it decides how
    /// many threads there are.
    fn is_spawner(&self, frame: &Frame<'a>) -> bool {
        self.all.handles.is_some() && self.all.ir.main == Some(frame.id)
    }

    /// What is handed to a procedure.
    fn argument(
        &self,
        frame: &Frame<'a>,
        e: &ir::Expr,
        span: Span,
    ) -> Result<Argument, Unsupported> {
        let reader = self.reader(frame, span);
        Ok(match reader.fixed_address(e) {
            Some((object, offset)) => Argument::Address(object, offset),
            None => Argument::Number(reader.number(e)?),
        })
    }

    fn call(
        &mut self,
        frame: &Frame<'a>,
        (from, next, span): (LocId, LocId, Span),
        callee: &ir::Callee,
        args: &[ir::Expr],
        result: Option<VarId>,
    ) -> Result<(), Unsupported> {
        let ir::Callee::Proc(proc) = callee else {
            return Err(unsupported(span, "a call through a pointer"));
        };
        let mut given = Vec::new();
        for arg in args {
            given.push(self.argument(frame, arg, span)?);
        }
        let begin = self.procedure(*proc, &given, next, result, span)?;
        self.push(
            (from, begin, span),
            Cond::Const(true),
            Vec::new(),
            Effect::None,
        );
        Ok(())
    }

    /// The variable of what the thread has noted of an object.
    fn note(
        &mut self,
        frame: &Frame<'a>,
        key: &ir::Expr,
        span: Span,
    ) -> Result<VarId, Unsupported> {
        if self.all.handles.is_none() {
            return Err(unsupported(span, "the locks of the thread library"));
        }
        let reader = self.reader(frame, span);
        let (global, offset) = reader.address(key)?;
        let Some(offset) = offset.as_constant() else {
            return Err(unsupported(span, "an array of locks of the thread library"));
        };
        if let Some(x) = self.notes.get(&(global, offset)) {
            return Ok(*x);
        }
        let name = format!("note_{}", self.all.ir.globals[global].name);
        let name = self.fresh_name(&name);
        let x = self.variable(name, VariableKind::Temporary(self.id));
        self.all.program.vars[x].initial = Some(0);
        self.notes.insert((global, offset), x);
        Ok(x)
    }

    fn known_order(&self, order: MemoryOrder, span: Span) -> Result<(), Unsupported> {
        match order {
            MemoryOrder::Library(_) if self.all.handles.is_none() => {
                Err(unsupported(span, "the locks of the thread library"))
            }
            _ => Ok(()),
        }
    }

    /// Finds the threads that are started in a loop.
    fn spawns_in_loops(&mut self) -> Result<(), Unsupported> {
        let spawns = self.steps.iter().filter_map(|s| match s.effect {
            Effect::Spawn(t) => Some((s, t)),
            _ => None,
        });
        for (spawn, t) in spawns {
            if !is_in_loop(&self.steps, spawn) {
                continue;
            }
            if self.all.handles.is_none() {
                let what = "threads that are started in a loop";
                return Err(unsupported(spawn.span, what));
            }
            self.all.repeated.insert(t);
        }
        Ok(())
    }
}

fn is_constant(cases: &Cases) -> bool {
    matches!(&cases[..], [(_, value)] if value.as_constant().is_some())
}
