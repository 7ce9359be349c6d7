//! One thread: its procedures inlined into one graph.

use super::extraction::{Extraction, Start};
use super::memory::{AccessTarget, address};
use super::unsupported::unsupported;
use super::value::{Binding, Cases, Reader};
use crate::predabs::arith::{Cond, Linear, VarId};
use crate::predabs::program::*;
use ::ir::kernel::{self, OnMachines};
use ::ir::program::{self as ir, Atomicity, Fence, MemoryOrder, Op};
use base::diag::Diag;
use base::idx::IdVec;
use base::source::Span;
use std::collections::BTreeMap;

/// Instructions of a thread at most, all calls inlined.
const MAX_LOCATIONS: usize = 20_000;

/// A graph that is being built.
pub struct Builder<'a, 'b> {
    all: &'b mut Extraction<'a>,
    id: ThreadId,
    locations: IdVec<LocId, Location>,
    steps: Vec<Step>,
    /// Steps that begin (1) or end (-1) an atomic section.
    sections: BTreeMap<usize, i32>,
    end: LocId,
    halted: LocId,
    calls: Vec<ir::ProcId>,
}

/// A procedure on its way.
struct Frame<'a> {
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
    ) -> Result<Thread, Diag> {
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
        };
        let args: Vec<Option<i128>> = proc.params.iter().map(|_| start.arg).collect();
        let begin = builder.procedure(start.proc, &args, end, None, start.span)?;
        builder.steps.push(Step::new(entry, begin, proc.span));
        builder.mark_sections()?;
        builder.no_spawn_in_a_loop()?;
        Ok(Thread {
            name,
            locations: builder.locations,
            end,
            steps: builder.steps,
        })
    }

    fn location(&mut self, span: Span) -> Result<LocId, Diag> {
        if self.locations.len() > MAX_LOCATIONS {
            return Err(unsupported(span, "a thread of this size"));
        }
        Ok(self.locations.push(Location {
            span,
            atomic: false,
        }))
    }

    fn variable(&mut self, name: String, kind: VariableKind) -> VarId {
        self.all.program.vars.push(Variable {
            name,
            kind,
            initial: None,
        })
    }

    /// A name that no other local of the thread has.
    fn fresh_name(&self, name: &str) -> String {
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
        args: &[Option<i128>],
        exit: LocId,
        result: Option<VarId>,
        span: Span,
    ) -> Result<LocId, Diag> {
        if self.calls.contains(&id) {
            return Err(unsupported(span, "recursion"));
        }
        self.calls.push(id);
        let proc = &self.all.ir.procs[id];
        let mut bindings = Vec::new();
        for (l, local) in proc.locals.iter_enumerated() {
            let param = proc.params.iter().position(|p| *p == l);
            let fixed = param.and_then(|i| *args.get(i)?);
            let binding = match fixed.filter(|_| !is_assigned(proc, l)) {
                Some(n) => Binding::Fixed(n),
                None if local.name.is_empty() => {
                    let name = format!("${}", self.all.program.vars.len());
                    Binding::Var(self.variable(name, VariableKind::Temporary(self.id)))
                }
                None => {
                    let name = self.fresh_name(&local.name);
                    Binding::Var(self.variable(name, VariableKind::Local(self.id)))
                }
            };
            bindings.push(binding);
        }
        let mut at = Vec::new();
        for i in &proc.body {
            at.push(self.location(i.span)?);
        }
        at.push(exit);
        // Parameters that are no constants of this copy are assigned by the caller.
        let mut frame = Frame {
            proc,
            bindings,
            at,
            result,
            handles: BTreeMap::new(),
        };
        let mut begin = frame.at[0];
        for (p, arg) in proc.params.iter().zip(args) {
            if let (Some(n), Binding::Var(x)) = (arg, &frame.bindings[p.0 as usize]) {
                let before = self.location(span)?;
                let mut step = Step::new(before, begin, span);
                step.updates.push((*x, Update::Set(Linear::constant(*n))));
                self.steps.push(step);
                begin = before;
            }
        }
        for (i, instr) in proc.body.iter().enumerate() {
            self.instruction(&mut frame, i, &instr.op, instr.span)?;
        }
        self.calls.pop();
        Ok(begin)
    }

    fn reader<'f>(&'f self, frame: &'f Frame<'a>, span: Span) -> Reader<'f> {
        Reader {
            ir: self.all.ir,
            proc: frame.proc,
            bindings: &frame.bindings,
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

    fn assign(&mut self, edge: (LocId, LocId, Span), dst: &Binding, cases: Cases) {
        for (c, value) in cases {
            let updates = match dst {
                Binding::Var(x) => vec![(*x, Update::Set(value))],
                Binding::Fixed(_) => Vec::new(),
            };
            self.push(edge, c, updates, Effect::None);
        }
    }

    fn target(
        &self,
        frame: &Frame<'a>,
        addr: &ir::Expr,
        width: u8,
        span: Span,
    ) -> Result<AccessTarget, Diag> {
        let reader = self.reader(frame, span);
        let (base, offset) = address(addr, span, &mut |e| reader.linear(e))?;
        Ok(self.all.memory.target(self.all.ir, base, &offset, width))
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
    ) -> Result<(), Diag> {
        let (from, next) = (frame.at[i], frame.at[i + 1]);
        let edge = (from, next, span);
        let always = || Cond::Const(true);
        let binding = |l: ir::LocalId| frame.bindings[l.0 as usize].clone();
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
                let cases = self.reader(frame, span).number(value)?;
                self.assign(edge, &binding(*dst), cases);
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
                    (Binding::Fixed(_), _) => self.push(edge, always(), Vec::new(), Effect::None),
                }
            }
            Op::Use(_) => self.push(edge, always(), Vec::new(), Effect::None),
            Op::Load { dst, addr, order } => {
                self.known_order(*order, span)?;
                let width = frame.proc.locals[*dst].width;
                let target = self.target(frame, addr, width, span)?;
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
                let target = self.target(frame, addr, width, span)?;
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
                let target = self.target(frame, addr, width, span)?;
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
                        self.push(edge, guard, updates, Effect::Rmw);
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
                let target = self.target(frame, addr, width, span)?;
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
                        self.push(edge, fails, result(*cell, 0), Effect::Rmw);
                        for (e, new) in &desired {
                            let guard = Cond::and([here.clone(), e.clone(), same.clone()]);
                            let mut updates = result(*cell, 1);
                            updates.push((*cell, Update::Set(new.clone())));
                            self.push(edge, guard, updates, Effect::Rmw);
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
                    Some(c) => self.reader(frame, span).cond(c)?,
                    None => Cond::Const(true),
                };
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
                let arg = self.reader(frame, span).linear(arg)?;
                let Some(arg) = arg.as_constant() else {
                    return Err(unsupported(
                        span,
                        "an argument of a thread that is not constant",
                    ));
                };
                let t = self.all.start(Start {
                    proc: *proc,
                    arg: Some(arg),
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
            Op::SetNote { .. } | Op::GetNote { .. } => {
                return Err(unsupported(span, "the locks of the thread library"));
            }
            Op::Unknown(what) => return Err(unsupported(span, what)),
            _ => return Err(unsupported(span, "this operation of the library")),
        }
        Ok(())
    }

    fn call(
        &mut self,
        frame: &Frame<'a>,
        (from, next, span): (LocId, LocId, Span),
        callee: &ir::Callee,
        args: &[ir::Expr],
        result: Option<VarId>,
    ) -> Result<(), Diag> {
        let ir::Callee::Proc(proc) = callee else {
            return Err(unsupported(span, "a call through a pointer"));
        };
        let mut values = Vec::new();
        for arg in args {
            values.push(self.reader(frame, span).number(arg)?);
        }
        let constant = |cases: &Cases| match &cases[..] {
            [(_, v)] => v.as_constant(),
            _ => None,
        };
        let fixed: Vec<Option<i128>> = values.iter().map(constant).collect();
        let before = self.all.program.vars.len();
        let mut begin = self.procedure(*proc, &fixed, next, result, span)?;
        // The registers of the copy are the next variables, in order, without the fixed ones.
        let callee = &self.all.ir.procs[*proc];
        let mut number = before;
        let mut registers = BTreeMap::new();
        for l in callee.locals.ids() {
            let param = callee.params.iter().position(|p| *p == l);
            let is_fixed = param.is_some_and(|i| fixed.get(i).is_some_and(Option::is_some));
            if !is_fixed || is_assigned(callee, l) {
                registers.insert(l, VarId(base::idx::position(number)));
                number += 1;
            }
        }
        let variable = callee.params.iter().zip(values.iter().zip(&fixed));
        for (p, (cases, _)) in variable.filter(|(_, (_, fixed))| fixed.is_none()) {
            let at = self.location(span)?;
            self.assign(
                (at, begin, span),
                &Binding::Var(registers[p]),
                cases.clone(),
            );
            begin = at;
        }
        self.push(
            (from, begin, span),
            Cond::Const(true),
            Vec::new(),
            Effect::None,
        );
        Ok(())
    }

    fn known_order(&self, order: MemoryOrder, span: Span) -> Result<(), Diag> {
        match order {
            MemoryOrder::Library(_) => Err(unsupported(span, "the locks of the thread library")),
            _ => Ok(()),
        }
    }

    /// Marks the locations inside of atomic sections.
    fn mark_sections(&mut self) -> Result<(), Diag> {
        let mut depth: IdVec<LocId, Option<i32>> = self.locations.iter().map(|_| None).collect();
        depth[LocId(0)] = Some(0);
        let mut work = vec![LocId(0)];
        while let Some(at) = work.pop() {
            let here = depth[at].unwrap_or_default();
            for (i, s) in self.steps.iter().enumerate().filter(|(_, s)| s.from == at) {
                let after = here + self.sections.get(&i).copied().unwrap_or_default();
                match depth[s.to] {
                    _ if s.to == self.halted => {}
                    None => {
                        depth[s.to] = Some(after);
                        work.push(s.to);
                    }
                    Some(other) if other != after => {
                        return Err(unsupported(
                            s.span,
                            "an atomic section that begins on one way alone",
                        ));
                    }
                    Some(_) => {}
                }
            }
        }
        for (l, d) in depth.iter_enumerated() {
            if d.is_some_and(|d| d < 0 || d > 0 && l == self.end) {
                let span = self.locations[l].span;
                return Err(unsupported(
                    span,
                    "an atomic section that does not begin and end here",
                ));
            }
            if d.is_some_and(|d| d > 0) {
                self.locations[l].atomic = true;
            }
        }
        Ok(())
    }

    fn no_spawn_in_a_loop(&self) -> Result<(), Diag> {
        let spawns = self
            .steps
            .iter()
            .filter(|s| matches!(s.effect, Effect::Spawn(_)));
        for spawn in spawns {
            let mut seen = vec![spawn.to];
            let mut at = 0;
            while let Some(here) = seen.get(at).copied() {
                for s in self.steps.iter().filter(|s| s.from == here) {
                    if !seen.contains(&s.to) {
                        seen.push(s.to);
                    }
                }
                at += 1;
            }
            if seen.contains(&spawn.from) {
                return Err(unsupported(
                    spawn.span,
                    "threads that are started in a loop",
                ));
            }
        }
        Ok(())
    }
}

/// Whether some instruction sets the register.
fn is_assigned(proc: &ir::Proc, l: ir::LocalId) -> bool {
    proc.body.iter().any(|i| i.op.results().contains(&l))
}
