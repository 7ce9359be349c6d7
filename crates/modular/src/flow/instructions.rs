//! What each instruction does to what is known.

use super::{Flow, returned};
use crate::answer::Unproved;
use crate::graph::{FrameId, NodeId, Place, Step};
use crate::state::{Handles, Started, State, Via};
use crate::threads::{Access, Allocation, Change, Source};
use crate::value::{KindId, Operator, Sym, ValId};
use base::idx::Id;
use base::source::Span;
use ir::program::{
    Atomicity, Callee, Claimed, MemoryOrder, Op, PropertyKind, RmwOp, Role, Storage, Width, mask,
    sign_extend,
};
use std::rc::Rc;

impl Flow<'_> {
    /// What there is behind a point: by which of its steps, and what is known then.
    pub(super) fn execute(
        &mut self,
        node: NodeId,
        mut state: State,
    ) -> Result<Vec<(usize, State)>, Unproved> {
        let graph = self.graph.clone();
        let all = |state: State| -> Vec<(usize, State)> {
            (0..graph.next[node].len())
                .map(|i| (i, state.clone()))
                .collect()
        };
        let (frame, pc) = match graph.places[node] {
            Place::Before(frame, pc) => (frame, pc),
            Place::Exit(frame) => {
                let value = state.locals.get(&returned(frame)).copied();
                state.locals.retain(|(f, _), _| *f != frame);
                self.ends.push((node, frame, state.clone()));
                let Some(call) = graph.frames[frame].caller else {
                    self.conduct.returns.extend(value);
                    return Ok(Vec::new());
                };
                let Place::Before(outer, pc) = graph.places[call] else {
                    unreachable!("a call is an instruction");
                };
                let body = &self.program.procs[graph.frames[outer].proc].body;
                if let Op::Call { dst: Some(dst), .. } = &body[pc].op {
                    match value {
                        Some(value) => state.locals.insert((outer, *dst), value),
                        None => state.locals.remove(&(outer, *dst)),
                    };
                }
                return Ok(all(state));
            }
        };
        let program = self.program;
        let proc = &program.procs[graph.frames[frame].proc];
        let instr = &proc.body[pc];
        match &instr.op {
            Op::Goto {
                cond: Some(cond), ..
            } => {
                let condition = self.eval(&state, frame, cond);
                self.conduct.conditions.insert(condition);
                let mut out = Vec::new();
                for (i, (step, _)) in graph.next[node].iter().enumerate() {
                    let Step::Branch(value) = step else {
                        unreachable!("a branch has two steps");
                    };
                    let mut state = state.clone();
                    if self.assume(&mut state, condition, *value) {
                        out.push((i, state));
                    }
                }
                return Ok(out);
            }
            Op::Call { callee, args, .. } => {
                if let Callee::Pointer(pointer) = callee {
                    let pointer = self.eval(&state, frame, pointer);
                    self.conduct
                        .calls
                        .push(((graph.frames[frame].proc, pc), pointer, instr.span));
                }
                let args: Vec<ValId> = args.iter().map(|a| self.eval(&state, frame, a)).collect();
                let mut out = Vec::new();
                for (i, (step, _)) in graph.next[node].iter().enumerate() {
                    let Step::Enter(inner) = step else {
                        unreachable!("a call enters what it calls");
                    };
                    let mut state = state.clone();
                    state.locals.retain(|(f, _), _| f != inner);
                    let callee = &program.procs[graph.frames[*inner].proc];
                    for (param, value) in callee.params.iter().zip(&args) {
                        state.locals.insert((*inner, *param), *value);
                    }
                    out.push((i, state));
                }
                return Ok(out);
            }
            Op::Return(value) => {
                if let Some(value) = value {
                    let value = self.eval(&state, frame, value);
                    state.locals.insert(returned(frame), value);
                }
                return Ok(all(state));
            }
            Op::ThreadExit(value) => {
                if let Some(value) = value {
                    let value = self.eval(&state, frame, value);
                    self.conduct.returns.insert(value);
                }
                self.ends.push((node, FrameId(0), state));
                return Ok(Vec::new());
            }
            Op::Halt => return Ok(Vec::new()),
            Op::Unknown(text) => {
                let Some(lock) = self.beyond_permits(&state) else {
                    return Err(Unproved::Unsupported(instr.span, text.clone()));
                };
                self.conduct.permits.push((lock, instr.span, text.clone()));
                return Ok(Vec::new());
            }
            Op::Assume(cond) | Op::Wait { cond, .. } => {
                let condition = self.eval(&state, frame, cond);
                self.conduct.conditions.insert(condition);
                if !self.assume(&mut state, condition, true) {
                    return Ok(Vec::new());
                }
            }
            Op::Assert { cond, property } => {
                let condition = self.eval(&state, frame, cond);
                self.conduct.conditions.insert(condition);
                let granted = matches!(property.kind, PropertyKind::Memory | PropertyKind::Misuse);
                if granted && !self.assume(&mut state, condition, true) {
                    return Ok(Vec::new());
                }
            }
            op => self.operate(node, frame, instr.span, op, &mut state)?,
        }
        Ok(all(state))
    }

    /// The location that is known to have had a number that a semaphore with one permit never has, when one was
    /// added there.
    fn beyond_permits(&mut self, state: &State) -> Option<ValId> {
        let values = &self.threads.values;
        state.known.iter().find_map(|(condition, value)| {
            let Some(Sym::Term(Operator::IsZero, operands)) = values.single(*condition) else {
                return None;
            };
            let sum = values.of(operands[0]);
            let [(sym, factor)] = sum.terms[..] else {
                return None;
            };
            let number = match sign_extend(factor, sum.width) {
                1 => sum.constant.wrapping_neg() & mask(sum.width),
                -1 => sum.constant,
                _ => return None,
            };
            match self.conduct.sources.get(&sym) {
                Some(Source::Memory(addr, _)) if *value && number > 1 => Some(*addr),
                _ => None,
            }
        })
    }

    /// Where a thread ends, all its objects on the stack do.
    pub(super) fn end_of_frame(&mut self, node: NodeId, frame: FrameId, state: &State) {
        let graph = self.graph.clone();
        let span = self.program.procs[graph.frames[frame].proc].span;
        let stack: Vec<NodeId> = self
            .conduct
            .allocations
            .iter()
            .filter(|(at, a)| {
                let Place::Before(of, _) = graph.places[**at] else {
                    unreachable!("an allocation is an instruction");
                };
                a.stack && (of == frame || frame.index() == 0)
            })
            .map(|(at, _)| *at)
            .collect();
        let width = self.program.data_model.pointer_width();
        let mut ending: Vec<Sym> = stack
            .into_iter()
            .map(|object| Sym::Object((self.kind, object)))
            .collect();
        if frame.index() == 0 {
            let globals = self.program.globals.iter_enumerated();
            let own = globals.filter(|(_, global)| global.thread_local);
            ending.extend(own.map(|(g, _)| Sym::ThreadLocal(self.kind, g)));
        }
        for object in ending {
            let addr = self.threads.values.symbol(object, width);
            self.end_of_object(node, span, addr, state);
        }
    }

    /// The end of an object is a write to all of it.
    fn end_of_object(&mut self, node: NodeId, span: Span, object: ValId, state: &State) {
        let write = Some((Change::Any, false));
        self.access(node, span, object, None, write, false, state);
    }

    #[allow(clippy::too_many_arguments)]
    fn access(
        &mut self,
        node: NodeId,
        span: Span,
        addr: ValId,
        size: Option<u64>,
        write: Option<(Change, bool)>,
        atomic: bool,
        state: &State,
    ) {
        self.conduct.accesses.push(Access {
            at: (self.kind, node),
            span,
            addr,
            size,
            scope: false,
            write,
            atomic,
            section: state.section,
            held: state.held.clone(),
            seen: state.seen.clone(),
            joined: state.joined.clone(),
            started: Rc::new(state.started.clone()),
        });
    }

    /// Notes how a thread reads an object with static storage.
    fn reads(&mut self, value: ValId, (addr, size): (ValId, u64), acquires: bool, state: &State) {
        let values = &self.threads.values;
        if let (Some(Sym::Result(_)), Some(bytes)) =
            (values.single(value), values.static_bytes(addr, size))
        {
            let sym = values.of(value).terms[0].0;
            let locks = state.held.iter().map(|lock| Via::Lock(*lock));
            let ways = locks.chain(acquires.then_some(Via::Acquire)).collect();
            self.reads.insert(sym, (bytes, ways));
        }
    }

    /// A thread that has stored a number knows what it has done itself, as if it had read that in any way.
    fn raises(&mut self, (addr, size): (ValId, u64), value: ValId, state: &mut State) {
        let values = &self.threads.values;
        if let (Some(number), Some(bytes)) =
            (values.constant(value), values.static_bytes(addr, size))
        {
            let locks = state.held.iter().map(|lock| Via::Lock(*lock));
            let ways: Vec<Via> = locks.chain([Via::Acquire]).collect();
            let not = (0..8)
                .filter(|n| *n != number)
                .fold(0, |not, n| not | 1 << n);
            self.has_seen(state, bytes, not, &ways);
        }
    }

    /// Forgets what a write may change.
    fn overwrite(&mut self, addr: ValId, size: Option<u64>, state: &mut State) {
        let (points_to, threads) = (self.points_to, &mut *self.threads);
        let mut overlaps = |other: ValId, bytes: Option<u64>| {
            points_to.may_overlap(&mut threads.values, (addr, size), (other, bytes))
        };
        state
            .memory
            .retain(|(other, width), _| !overlaps(*other, Some(u64::from(*width) / 8)));
        state.held.retain(|lock| !overlaps(*lock, Some(8)));
        let attempts = &self.attempts;
        state
            .pending
            .retain(|p| attempts.get(p).is_some_and(|a| !overlaps(*a, Some(8))));
        for started in state.started.values_mut() {
            if let Some(handles) = &started.handles
                && overlaps(handles.addr, None)
            {
                started.handles = None;
            }
        }
    }

    /// Whether another thread may write there.
    pub(super) fn is_shared(&mut self, addr: ValId, size: u64) -> bool {
        self.points_to
            .others_write(&self.threads.values, self.kind, addr, size)
    }

    /// What a load gives.
    fn load(&mut self, node: NodeId, addr: ValId, width: Width, state: &mut State) -> ValId {
        let cell = (addr, width);
        if let Some(value) = state.memory.get(&cell) {
            return *value;
        }
        if let Some(number) = self
            .points_to
            .constant_at(&self.threads.values, addr, width)
        {
            return self.threads.values.number(number, width);
        }
        let value = match self.handle_at(node, addr, width, state) {
            Some(handle) => handle,
            None => self.result(
                node,
                width,
                Some(Source::Memory(addr, u64::from(width) / 8)),
            ),
        };
        if !self.is_shared(addr, u64::from(width) / 8) {
            state.memory.insert(cell, value);
        }
        value
    }

    fn result(&mut self, node: NodeId, width: Width, source: Option<Source>) -> ValId {
        let sym = Sym::Result((self.kind, node));
        let id = self.threads.values.sym(sym.clone());
        if let Some(source) = source {
            self.conduct.sources.insert(id, source);
        }
        self.threads.values.symbol(sym, width)
    }

    /// Every other instruction.
    fn operate(
        &mut self,
        node: NodeId,
        frame: FrameId,
        span: Span,
        op: &Op,
        state: &mut State,
    ) -> Result<(), Unproved> {
        let bytes = |width: Width| u64::from(width) / 8;
        match op {
            Op::Assign { dst, value } => {
                let value = self.eval(state, frame, value);
                state.locals.insert((frame, *dst), value);
            }
            Op::Havoc { dst } | Op::GetNote { dst, .. } | Op::SameThread { dst, .. } => {
                let width = self.width((frame, *dst));
                let value = self.result(node, width, None);
                state.locals.insert((frame, *dst), value);
            }
            Op::Indeterminate { dst } => {
                state.locals.remove(&(frame, *dst));
            }
            Op::Load { dst, addr, order } => {
                self.knows(*order, span)?;
                let width = self.width((frame, *dst));
                let addr = self.eval(state, frame, addr);
                self.access(
                    node,
                    span,
                    addr,
                    Some(bytes(width)),
                    None,
                    order.is_atomic(),
                    state,
                );
                let value = self.load(node, addr, width, state);
                self.reads(value, (addr, bytes(width)), acquires(*order), state);
                state.locals.insert((frame, *dst), value);
            }
            Op::Store { addr, value, order } => {
                self.knows(*order, span)?;
                let addr = self.eval(state, frame, addr);
                let value = self.eval(state, frame, value);
                let width = self.threads.values.of(value).width;
                let change = self.change(state, value);
                self.conduct.stored.insert(node, value);
                let write = Some((change, releases(*order)));
                self.access(
                    node,
                    span,
                    addr,
                    Some(bytes(width)),
                    write,
                    order.is_atomic(),
                    state,
                );
                self.raises((addr, bytes(width)), value, state);
                self.store(addr, width, value, state);
            }
            Op::Rmw {
                dst,
                addr,
                op,
                operand,
                order,
            } => {
                self.knows(*order, span)?;
                let width = self.width((frame, *dst));
                let addr = self.eval(state, frame, addr);
                let operand = self.eval(state, frame, operand);
                let mut change = match (op, self.threads.values.constant(operand)) {
                    (RmwOp::Exchange, _) => self.change(state, operand),
                    (RmwOp::Add, Some(1)) => Change::Add,
                    _ => Change::Any,
                };
                let takes = *op == RmwOp::Exchange
                    && acquires(*order)
                    && matches!(change, Change::Number(1..) | Change::NotZero);
                if takes {
                    change = Change::Take(self.threads.values.constant(operand));
                }
                let write = Some((change, releases(*order)));
                self.access(node, span, addr, Some(bytes(width)), write, true, state);
                self.conduct.stores.push((addr, bytes(width), operand));
                self.overwrite(addr, Some(bytes(width)), state);
                let source = Source::Memory(addr, bytes(width));
                let old = self.result(node, width, Some(source));
                if takes {
                    let success = self.threads.values.is_zero(old);
                    self.attempt(success, addr, state);
                }
                state.locals.insert((frame, *dst), old);
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
                self.knows(*success, span)?;
                self.knows(*failure, span)?;
                let width = self.width((frame, *dst));
                let addr = self.eval(state, frame, addr);
                let expected = self.eval(state, frame, expected);
                let desired = self.eval(state, frame, desired);
                let change = self.exchange(state, expected, desired, *success);
                let write = Some((change, releases(*success)));
                self.access(node, span, addr, Some(bytes(width)), write, true, state);
                self.conduct.stores.push((addr, bytes(width), desired));
                self.overwrite(addr, Some(bytes(width)), state);
                let source = Source::Memory(addr, bytes(width));
                let old = self.result(node, width, Some(source));
                state.locals.insert((frame, *dst), old);
                let stored = match weak {
                    None => {
                        let difference = self.threads.values.add(old, expected, u64::MAX);
                        self.threads.values.is_zero(difference)
                    }
                    Some(weak) => {
                        let sym = Sym::Done((self.kind, node));
                        let done = self.threads.values.symbol(sym, 1);
                        state.locals.insert((frame, weak.done), done);
                        done
                    }
                };
                if matches!(change, Change::Take(_) | Change::TakePermit) {
                    self.attempt(stored, addr, state);
                }
            }
            Op::OneOf(ways) => {
                let before = state.clone();
                for (_, op) in ways {
                    let mut way = before.clone();
                    self.operate(node, frame, span, op, &mut way)?;
                    way.held = before.held.clone();
                    state
                        .memory
                        .retain(|cell, value| way.memory.get(cell) == Some(value));
                    for result in op.results() {
                        let width = self.width((frame, result));
                        let sym = Sym::Phi((self.kind, node), frame, result, false);
                        let value = self.threads.values.symbol(sym, width);
                        let of = way.locals.get(&(frame, result)).copied();
                        self.phi(node, (frame, result), false, of);
                        state.locals.insert((frame, result), value);
                    }
                    if let Some(addr) = op.address() {
                        let addr = self.eval(&before, frame, addr);
                        if !matches!(op, Op::Load { .. }) {
                            self.overwrite(addr, Some(8), state);
                        }
                    }
                }
            }
            Op::Alloc {
                dst,
                storage,
                layout,
                replaces,
                ..
            } => {
                let replaces = replaces.as_ref().map(|r| self.eval(state, frame, r));
                if let Some(old) = replaces {
                    self.end_of_object(node, span, old, state);
                }
                let name = match (storage, layout) {
                    (Storage::Stack(name) | Storage::Process(name), Some(layout)) => {
                        Some((name.clone(), *layout))
                    }
                    _ => None,
                };
                let allocation = Allocation {
                    stack: matches!(storage, Storage::Stack(_)),
                    name,
                    replaces,
                };
                self.conduct.allocations.insert(node, allocation);
                let width = self.width((frame, *dst));
                let object = Sym::Object((self.kind, node));
                let object = self.threads.values.symbol(object, width);
                state.locals.insert((frame, *dst), object);
            }
            Op::LeaveScope { addr } | Op::Free { addr } => {
                let addr = self.eval(state, frame, addr);
                self.end_of_object(node, span, addr, state);
                let access = self.conduct.accesses.last_mut().expect("just added");
                access.scope = matches!(op, Op::LeaveScope { .. });
                self.overwrite(addr, None, state);
            }
            Op::SetNote { key, .. } => {
                let key = self.eval(state, frame, key);
                self.conduct.notes.insert(node, key);
            }
            Op::Claim {
                key,
                what: Claimed::Thread | Claimed::Awaited,
                ..
            } => {
                let handle = self.eval(state, frame, key);
                self.conduct.claims.insert(node, handle);
                if self.is_of_created(handle, state) {
                    self.conduct.covered.insert(node);
                }
            }
            Op::ThreadSelf { dst } => {
                let width = self.width((frame, *dst));
                let value = self.threads.values.symbol(Sym::Itself(self.kind), width);
                state.locals.insert((frame, *dst), value);
            }
            Op::Spawn { dst, callee, arg } => {
                self.spawn(node, frame, span, (*dst, callee, arg), state)?
            }
            Op::Join { handle, dst } => {
                let handle = self.eval(state, frame, handle);
                self.join_thread(handle, state);
                if let Some(dst) = dst {
                    let width = self.width((frame, *dst));
                    let value = self.result(node, width, Some(Source::Returned));
                    state.locals.insert((frame, *dst), value);
                }
            }
            Op::LoadLinked { .. } | Op::StoreConditional { .. } => {
                let text = "a linked load, or a conditional store".to_string();
                return Err(Unproved::Unsupported(span, text));
            }
            Op::Pair(_) => {
                let text = "an access of 16 bytes".to_string();
                return Err(Unproved::Unsupported(span, text));
            }
            Op::GracePeriod { .. } => {
                return Err(Unproved::Unsupported(span, "a grace period".to_string()));
            }
            Op::AtomicBegin(what) => {
                if state.groups == 0 {
                    state.section = *what == Atomicity::Section;
                }
                state.groups += 1;
            }
            Op::AtomicEnd => {
                state.groups = state.groups.saturating_sub(1);
                state.section &= state.groups > 0;
            }
            Op::Use(_)
            | Op::Fence(_)
            | Op::Observe { .. }
            | Op::Constant { .. }
            | Op::Claim {
                what: Claimed::Object,
                ..
            }
            | Op::Release(_)
            | Op::ControlBegin(_)
            | Op::ControlEnd(_) => {}
            Op::Goto { cond: None, .. } => {}
            Op::Unknown(text) => return Err(Unproved::Unsupported(span, text.clone())),
            Op::Goto { .. }
            | Op::Call { .. }
            | Op::Return(_)
            | Op::ThreadExit(_)
            | Op::Halt
            | Op::Assume(_)
            | Op::Wait { .. }
            | Op::Assert { .. } => unreachable!("these are executed apart"),
        }
        Ok(())
    }

    /// What the kernel's models and machines know by sets of their own is not looked at.
    fn knows(&self, order: MemoryOrder, span: Span) -> Result<(), Unproved> {
        match order {
            MemoryOrder::Annotated(a) => Err(Unproved::Unsupported(span, a.name.to_string())),
            _ => Ok(()),
        }
    }

    /// What it does to a lock that a value is written.
    fn change(&mut self, state: &State, value: ValId) -> Change {
        if let Some(number) = self.threads.values.constant(value) {
            return Change::Number(number);
        }
        match self.is_not_zero(state, value) {
            true => Change::NotZero,
            false => Change::Any,
        }
    }

    /// Whether a value is known not to be 0: the handle of a thread is none.
    fn is_not_zero(&mut self, state: &State, value: ValId) -> bool {
        let values = &mut self.threads.values;
        if let Some(number) = values.constant(value) {
            return number != 0;
        }
        if let Some(Sym::Itself(_) | Sym::Thread(_)) = values.single(value) {
            return true;
        }
        let zero = values.is_zero(value);
        state.known.get(&zero) == Some(&false)
    }

    /// What a compare-exchange does to a lock where it stores.
    fn exchange(
        &mut self,
        state: &State,
        expected: ValId,
        desired: ValId,
        order: MemoryOrder,
    ) -> Change {
        let not_zero = self.is_not_zero(state, desired);
        let is_free = self.threads.values.constant(expected) == Some(0);
        let less = self.threads.values.add(expected, desired, u64::MAX);
        let is_one_less = self.threads.values.constant(less) == Some(1);
        if acquires(order) && is_free && not_zero {
            Change::Take(self.threads.values.constant(desired))
        } else if acquires(order) && is_one_less && self.is_not_zero(state, expected) {
            Change::TakePermit
        } else if not_zero {
            Change::NotZero
        } else {
            Change::Any
        }
    }

    fn attempt(&mut self, success: ValId, addr: ValId, state: &mut State) {
        self.attempts.insert(success, addr);
        state.known.remove(&success);
        state.pending.insert(success);
    }

    fn store(&mut self, addr: ValId, width: Width, value: ValId, state: &mut State) {
        let size = u64::from(width) / 8;
        self.conduct.stores.push((addr, size, value));
        let keeps = self.keeps_handle(addr, value, state);
        let before: Vec<(KindId, Started)> = match &keeps {
            Some((kinds, _)) => {
                let of = |k: &KindId| Some((*k, state.started.get(k)?.clone()));
                kinds.iter().filter_map(of).collect()
            }
            None => Vec::new(),
        };
        self.overwrite(addr, Some(size), state);
        if let Some((_, handles)) = keeps {
            for (kind, before) in before {
                let now = state.started.get_mut(&kind).expect("it was started");
                let is_same =
                    |b: &Rc<Handles>| (b.addr, b.header) == (handles.addr, handles.header);
                let same = before.handles.filter(is_same);
                now.handles = match same {
                    Some(same) => {
                        let tests = same.tests.intersection(&handles.tests).copied().collect();
                        Some(Rc::new(Handles {
                            tests,
                            ..handles.clone()
                        }))
                    }
                    None if !now.earlier => Some(Rc::new(handles.clone())),
                    None => None,
                };
                now.complete = now.handles.is_some();
            }
        }
        if !self.is_shared(addr, size) {
            state.memory.insert((addr, width), value);
        }
    }
}

fn acquires(order: MemoryOrder) -> bool {
    use MemoryOrder::{AcqRel, Acquire, Library, SeqCst};
    matches!(
        order,
        Acquire | AcqRel | SeqCst | Library(Role::Lock | Role::AcquirePermit | Role::Wait)
    )
}

fn releases(order: MemoryOrder) -> bool {
    use MemoryOrder::{AcqRel, Library, Release, SeqCst};
    matches!(order, Release | AcqRel | SeqCst | Library(Role::Release))
}
