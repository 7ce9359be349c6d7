//! One instruction of a thread.

use super::access::{At, Swap};
use super::interpreter::{Flow, Interpreter};
use super::objects::{MAIN, Made, Objects};
use super::script::ThreadQuestion;
use super::section::begin_group;
use super::thread_state::ThreadState;
use super::trace::*;
use super::value::{ConcreteValue, eval, join, outcome, plain};
use super::value_set::Ending;
use base::idx::Id;
use base::source::Span;
use ir::kernel::{GRACE_PERIOD_ORDER, is_sync_rcu};
use ir::pair::{PAIR_WIDTH, PairAccess};
use ir::program::*;
use ir::shadow::shadow_rmw;
use ir::trip_count::Threads;

impl Interpreter<'_> {
    /// Executes the next instruction.
    pub(super) fn step(&mut self, state: &mut ThreadState) -> Flow {
        if state.end.is_some() {
            return Flow::On;
        }
        let program = self.program;
        let Some(frame) = state.frames.last_mut() else {
            state.end = Some(End::Ended(None));
            return Flow::On;
        };
        let (id, pc) = (frame.proc, frame.pc);
        let proc = &program.procs[id];
        frame.loops.retain(|back, _| {
            pc <= *back && matches!(proc.body[*back].op, Op::Goto { target, .. } if target <= pc)
        });
        let Some(Instr { span, op }) = proc.body.get(pc) else {
            self.give_back(state, None);
            return Flow::On;
        };
        let unset = self.code[id].uses[pc].iter().copied();
        let unset = unset.filter(|l| frame.locals[l.index()].is_none());
        let unset = unset.min();
        if let Some(local) = unset {
            let width = proc.locals[local].width;
            let known = frame.havocked.contains(&local);
            return self.choice(state, (local, width), known, *span);
        }
        if let Some(ways) = self.decide(state, op) {
            return ways;
        }
        self.begin_iterations(state);
        if let Some(frame) = state.frames.last_mut() {
            frame.pc += 1;
        }
        self.execute(state, (id, pc), *span, op)
    }

    /// Gives a register an arbitrary value, which is indeterminate unless the program asks for it.
    fn choice(
        &self,
        state: &mut ThreadState,
        (local, width): (LocalId, Width),
        known: bool,
        span: Span,
    ) -> Flow {
        let shadow = if known { 0 } else { self.shadow(width) };
        let (numbers, all) = self.unwritten(width, shadow);
        self.fork(state, &numbers, &|state, number| {
            if !all {
                state.notes.push(Self::arbitrary(width, span));
            }
            state.choose(local, number);
            let value = ConcreteValue::any(number, width).with_shadow(shadow);
            state.set(local, Some(value));
        })
    }

    fn value(&self, state: &ThreadState, e: &Expr) -> ConcreteValue {
        let frame = state.frames.last();
        let register = |l: LocalId| frame.and_then(|f| f.locals[l.index()].as_ref());
        let address = |g| self.objects.address(state.key, g);
        // What is not known is decided before the instruction.
        let binary = |op, a, b, width| {
            let found = self.compared(state, op, a, b, width);
            found.unwrap_or_else(|_| plain(op, a, b, width))
        };
        eval(e, self.program, &register, &address, &binary)
    }

    /// An access of two words.
    fn pair(&mut self, state: &mut ThreadState, at: &At, access: &PairAccess) -> Flow {
        let both = |state: &ThreadState, words: &[Expr; 2]| -> Vec<ConcreteValue> {
            words.iter().map(|e| self.value(state, e)).collect()
        };
        match access {
            PairAccess::Load { dst, .. } => self.load(state, at, dst),
            PairAccess::Store { value, .. } => {
                let words = both(state, value);
                self.store(state, at, &words);
                Flow::On
            }
            PairAccess::Exchange { dst, value, .. } => {
                let words = both(state, value);
                self.rmw(state, at, dst, &|word, _| words[word].clone())
            }
            PairAccess::Cas {
                dst,
                expected,
                desired,
                failure,
                weak,
                ..
            } => {
                let when = |w: &Weak| self.value(state, &w.when).number == 1;
                let swap = Swap {
                    dst: dst.to_vec(),
                    expected: both(state, expected),
                    desired: both(state, desired),
                    failure: *failure,
                    done: weak.as_ref().map(|w| w.done),
                    spurious: weak.as_ref().filter(|w| when(w)).map(|w| w.machine),
                };
                self.compare_exchange(state, at, &swap)
            }
        }
    }

    fn execute(
        &mut self,
        state: &mut ThreadState,
        at: (ProcId, usize),
        span: Span,
        op: &Op,
    ) -> Flow {
        let program = self.program;
        let proc = &program.procs[at.0];
        let pointer = program.data_model.pointer_width();
        let width = |local: &LocalId| proc.locals[*local].width;
        let access = |addr, width, order| At {
            addr,
            width,
            order,
            span,
            updates: false,
        };
        self.uses(state, op, span);
        match op {
            Op::Assign { dst, value } => {
                let value = self.value(state, value);
                state.set(*dst, Some(value));
            }
            // Chosen when it is first used.
            Op::Havoc { dst } => {
                state.take_value(*dst, width(dst), span);
                state.havoc(*dst);
            }
            Op::Indeterminate { dst } => {
                state.take_value(*dst, width(dst), span);
                state.set(*dst, None);
            }
            Op::Use(_) => {}
            Op::Load { dst, addr, order } => {
                let addr = self.value(state, addr);
                return self.load(state, &access(addr, width(dst), *order), &[*dst]);
            }
            Op::Store { addr, value, order } => {
                let (addr, value) = (self.value(state, addr), self.value(state, value));
                self.store(state, &access(addr, value.width, *order), &[value]);
            }
            Op::Rmw {
                dst,
                addr,
                op,
                operand,
                order,
            } => {
                let (addr, operand) = (self.value(state, addr), self.value(state, operand));
                let mut at = access(addr, width(dst), *order);
                at.updates = true;
                return self.rmw(state, &at, &[*dst], &|_, old| updated(*op, old, &operand));
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
                let addr = self.value(state, addr);
                let mut at = access(addr, width(dst), *success);
                at.updates = true;
                let when = |w: &Weak| self.value(state, &w.when).number == 1;
                let swap = Swap {
                    dst: vec![*dst],
                    expected: vec![self.value(state, expected)],
                    desired: vec![self.value(state, desired)],
                    failure: *failure,
                    done: weak.as_ref().map(|w| w.done),
                    spurious: weak.as_ref().filter(|w| when(w)).map(|w| w.machine),
                };
                return self.compare_exchange(state, &at, &swap);
            }
            Op::Pair(pair) => {
                let addr = self.value(state, &pair.addr);
                let mut at = access(addr, PAIR_WIDTH, pair.access.order());
                at.updates = pair.access.read().is_some() && pair.access.written().is_some();
                return self.pair(state, &at, &pair.access);
            }
            Op::OneOf(ways) => {
                // A choice, but no branch: nothing depends on what the conditions look at.
                for (cond, way) in ways {
                    if self.value(state, cond).number == 1 {
                        return self.execute(state, at, span, way);
                    }
                }
            }
            Op::LoadLinked { dst, addr, order } => {
                let addr = self.value(state, addr);
                let at = access(addr, width(dst), *order);
                return self.load_linked(state, &at, *dst);
            }
            Op::StoreConditional {
                dst,
                addr,
                value,
                order,
            } => {
                let (addr, value) = (self.value(state, addr), self.value(state, value));
                let at = access(addr, value.width, *order);
                return self.store_conditional(state, &at, *dst, &value);
            }
            Op::Fence(fence) => {
                let mut flow = Flow::On;
                if is_sync_rcu(*fence) {
                    flow = self.begin_grace_period(state, None, span);
                }
                if state.end.is_none() {
                    state.fence(FenceTag::Explicit(*fence), span, &[]);
                }
                return flow;
            }
            Op::GracePeriod { addr, width } => {
                let addr = self.value(state, addr);
                let flow = self.begin_grace_period(state, Some(addr.number), span);
                self.grace_period(state, &access(addr, *width, GRACE_PERIOD_ORDER));
                return flow;
            }
            Op::Observe { what, value } => {
                let value = self.value(state, value);
                state.observed.insert(*what, value.number);
            }
            Op::Goto { cond, target } => {
                let cond = match cond {
                    Some(cond) => self.value(state, cond),
                    None => ConcreteValue::fixed(1, 1),
                };
                state.branch(&cond);
                if cond.number == 1 {
                    self.jump(state, at, *target, span);
                }
            }
            Op::Call { dst, callee, args } => {
                let args = args.iter().map(|a| self.value(state, a)).collect();
                if let Some(callee) = self.callee(state, callee, span) {
                    self.call(state, callee, args, *dst, span);
                }
            }
            Op::Return(value) => {
                let value = value.as_ref().map(|v| self.value(state, v));
                self.give_back(state, value);
            }
            Op::Alloc {
                dst,
                size,
                zeroed,
                storage,
                layout,
                replaces,
            } => {
                let size = self.value(state, size).number;
                if size >= program.data_model.largest_object() {
                    let text = format!("an allocation of {size} bytes, which is too large");
                    state.end = Some(End::Unsupported(text, span));
                    return Flow::On;
                }
                let time = state.time(at);
                let how = Made {
                    heap: *storage == Storage::Heap,
                    zeroed: *zeroed,
                    process: matches!(storage, Storage::Process(_)),
                    align: program.alignment_of(storage, *layout),
                };
                let address = self.objects.alloc(state.key, at, time, size, how);
                state.take(TakenKind::Object {
                    site: at,
                    addr: address,
                    bytes: size,
                });
                state.allocated.push(address);
                if *storage == Storage::Heap {
                    let replaced = replaces.as_ref().map(|e| self.value(state, e).number);
                    self.is_made(state, address, replaced);
                }
                self.begin(state, address, span);
                match (storage, state.frames.last_mut()) {
                    (Storage::Stack(_), Some(frame)) => frame.objects.push(address),
                    (Storage::Process(_), _) => {}
                    _ => state.heap.push((address, span)),
                }
                state.set(*dst, Some(ConcreteValue::fixed(address, pointer)));
            }
            Op::Constant { .. } => {}
            Op::Free { addr } => {
                let addr = self.value(state, addr);
                self.free(state, &addr, span);
            }
            Op::LeaveScope { addr } => {
                let frame = state.frames.last();
                let set = |l: &LocalId| frame.is_some_and(|f| f.locals[l.index()].is_some());
                if matches!(addr, Expr::Local(l) if set(l)) {
                    let object = self.value(state, addr).number;
                    if frame.is_some_and(|f| f.objects.contains(&object)) {
                        self.end_on_stack(state, object, span);
                    }
                }
            }
            Op::ThreadSelf { dst } => {
                let handle = Objects::handle(state.key);
                state.set(*dst, Some(ConcreteValue::fixed(handle, pointer)));
            }
            Op::SameThread { dst, a, b } => {
                let sides = [self.value(state, a), self.value(state, b)];
                let same = self.same_thread(state, sides[0].number, sides[1].number);
                let found = (u64::from(same == Ok(true)), false);
                state.set(*dst, Some(outcome(found, sides, 1)));
            }
            Op::Spawn { dst, callee, arg } => {
                let arg = self.value(state, arg);
                self.spawn(state, at, span, callee, arg, *dst);
            }
            Op::Join { handle, dst } => {
                let handle = self.value(state, handle);
                return self.join(state, &handle, *dst, span);
            }
            Op::Wait { cond, value } => {
                let (cond, value) = (self.value(state, cond), self.value(state, value));
                state.branch(&cond);
                if cond.number != 1 {
                    state.end = Some(End::Waits(value.deps.iter().collect(), span));
                }
            }
            Op::Assume(cond) => {
                let cond = self.value(state, cond);
                state.branch(&cond);
                if cond.number != 1 {
                    state.end = Some(End::Blocked("an assumption fails here", span));
                }
            }
            Op::Assert { cond, property } => {
                if self.value(state, cond).number != 1 {
                    state.violate(property.kind, span, &property.text);
                }
            }
            Op::SetNote { key, value, when } => {
                if self.value(state, when).number == 1 {
                    let (key, value) = (self.value(state, key), self.value(state, value));
                    state.remember(key.number, value.number);
                }
            }
            Op::GetNote { dst, key } => {
                let key = self.value(state, key);
                let number = state.remembered.get(&key.number).copied().unwrap_or(0);
                let fixed = ConcreteValue::fixed(number, NOTE_WIDTH);
                state.set(*dst, Some(join(number, NOTE_WIDTH, [key, fixed])));
            }
            Op::Claim {
                key,
                what,
                property,
            } => {
                let key = self.value(state, key).number;
                state.take(TakenKind::Claim);
                state.claim(key, Some((*what, property)), span);
            }
            Op::Release(key) => {
                let key = self.value(state, key).number;
                state.take(TakenKind::Claim);
                state.claim(key, None, span);
            }
            Op::AtomicBegin(kind) => return begin_group(state, *kind, span),
            Op::ControlBegin(ControlScope::Kernel) | Op::ControlEnd(ControlScope::Kernel)
                if !self.kernel => {}
            Op::ControlBegin(_) => state.scopes.push(state.ctrl.clone()),
            Op::ControlEnd(_) => {
                if let Some(ctrl) = state.scopes.pop() {
                    state.ctrl = ctrl;
                }
            }
            Op::AtomicEnd => match &mut state.group {
                Some(open) if open.depth > 1 => open.depth -= 1,
                Some(open) => {
                    let kind = open.kind;
                    state.group = None;
                    if kind == Atomicity::Section {
                        state.fence(FenceTag::Group, span, &[]);
                    }
                }
                None => {
                    let text = "the end of an atomic section that was not begun".to_string();
                    state.end = Some(End::Unsupported(text, span));
                }
            },
            Op::ThreadExit(value) => {
                let value = value.as_ref().map(|v| self.value(state, v));
                self.end_of_thread(state, span);
                self.exit(state, value);
            }
            Op::Halt => state.end = Some(End::Halted),
            Op::Unknown(reason) => state.end = Some(End::Unsupported(reason.clone(), span)),
        }
        Flow::On
    }

    /// Notes that what an instruction is about to use is indeterminate.
    fn uses(&self, state: &mut ThreadState, op: &Op, span: Span) {
        if self.shadow(1) == 0 {
            return;
        }
        for (value, rule) in op.uses() {
            if self.value(state, value).shadow != 0 {
                state.violate(PropertyKind::Uninitialised, span, rule);
            }
        }
    }

    fn exit(&self, state: &mut ThreadState, value: Option<ConcreteValue>) {
        let pointer = self.program.data_model.pointer_width();
        let value = value.map(|v| v.resized(pointer));
        state.end = Some(End::Ended(value.map(|v| (v.word(), v.fixed))));
    }

    /// Ends the running procedure; a value that is missing is arbitrary.
    fn give_back(&mut self, state: &mut ThreadState, value: Option<ConcreteValue>) {
        let Some(frame) = state.frames.pop() else {
            return;
        };
        let proc = &self.program.procs[frame.proc];
        let pointer = self.program.data_model.pointer_width();
        // What is missing is arbitrary.
        let missing = |width| TakenKind::Value {
            number: 0,
            width,
            span: proc.span,
        };
        if let (Some(width), None) = (proc.returns, &value) {
            state.take(missing(width));
        }
        self.end_of_activation(state, &frame.objects, proc.span);
        let value = proc
            .returns
            .and_then(|width| value.map(|v| v.resized(width)));
        if proc.returns.is_none() {
            match (state.frames.last(), frame.dst) {
                (None, _) => state.take(missing(pointer)),
                (Some(caller), Some(dst)) => {
                    let width = self.program.procs[caller.proc].locals[dst].width;
                    state.take(missing(width));
                }
                (Some(_), None) => {}
            }
        }
        let Some(caller) = state.frames.last() else {
            if state.key != MAIN {
                self.end_of_thread_locals(state, proc.span);
            }
            state.returned = true;
            self.exit(state, value);
            return;
        };
        if let Some(dst) = frame.dst {
            let width = self.program.procs[caller.proc].locals[dst].width;
            state.set(dst, value.map(|v| v.resized(width)));
        }
    }

    fn callee(&self, state: &mut ThreadState, callee: &Callee, span: Span) -> Option<ProcId> {
        let e = match callee {
            Callee::Proc(p) => return Some(*p),
            Callee::Pointer(e) => e,
        };
        let found = self.objects.procedure(self.value(state, e).number);
        if found.is_none() {
            let text = "the called address is that of a function";
            state.violate(PropertyKind::Memory, span, text);
            state.end = Some(End::Blocked("a call fails here", span));
        }
        found
    }

    fn call(
        &self,
        state: &mut ThreadState,
        callee: ProcId,
        args: Vec<ConcreteValue>,
        dst: Option<LocalId>,
        span: Span,
    ) {
        let proc = &self.program.procs[callee];
        let depth = state.frames.iter().filter(|f| f.proc == callee).count() as u32;
        if !self.recurs(state, (callee, depth), &args, Threads::Ignored) {
            state
                .notes
                .push((format!("the recursion of `{}`", proc.name), span));
            state.end = Some(End::BoundReached);
            return;
        }
        state.enter(callee, proc, args, dst);
    }

    fn spawn(
        &mut self,
        state: &mut ThreadState,
        at: (ProcId, usize),
        span: Span,
        callee: &Callee,
        arg: ConcreteValue,
        dst: LocalId,
    ) {
        let pointer = self.program.data_model.pointer_width();
        if !state.concurrent {
            state.concurrent = true;
            state.snapshot = Some(self.snapshot(&state.store));
        }
        // Main has nothing to order as long as it has no events.
        if state.key != MAIN || !state.events.is_empty() {
            state.fence(FenceTag::Explicit(Fence::Posix), span, &[]);
        }
        let Some(proc) = self.callee(state, callee, span) else {
            return;
        };
        let depth = self.objects.generations(state.key, proc);
        if !self.recurs(
            state,
            (proc, depth),
            std::slice::from_ref(&arg),
            Threads::Called,
        ) {
            let name = &self.program.procs[proc].name;
            let text = format!("threads of `{name}` that create each other");
            state.notes.push((text, span));
            state.end = Some(End::BoundReached);
            return;
        }
        let time = state.time(at);
        let key = self.objects.thread((Some(state.key), at, time, proc));
        let mut gone = state.gone.clone();
        if self.program.reuses_addresses {
            gone.extend(state.joined.iter().map(|j| j.key));
        }
        let takes = !self.program.procs[proc].params.is_empty();
        let child = self.instance(Instance {
            key,
            proc,
            arg: takes.then_some((arg.word(), arg.fixed)),
            dead: state.dead.clone(),
            gone,
            snapshot: state.snapshot,
        });
        self.is_made(state, Objects::handle(key), None);
        let position = state.events.len();
        state.spawned.push(Spawned {
            child,
            position,
            span,
        });
        state.set(
            dst,
            Some(ConcreteValue::fixed(Objects::handle(key), pointer)),
        );
    }

    /// Waits for a thread: goes on with each value that it may return, and stays where it may not
    /// end.
    fn join(
        &mut self,
        state: &mut ThreadState,
        handle: &ConcreteValue,
        dst: Option<LocalId>,
        span: Span,
    ) -> Flow {
        let pointer = self.program.data_model.pointer_width();
        state.ctrl.add(&handle.deps);
        state.branches += 1;
        let Some(key) = self.objects.by_handle(handle.number) else {
            state.end = Some(End::Blocked("no thread is joined here", span));
            return Flow::On;
        };
        let position = state.events.len();
        let ends: Vec<Ending> = match &self.script {
            Some(script) => match script.ending {
                Some(ending) => vec![ending],
                None => {
                    state.asks = Some(ThreadQuestion::Ending(key));
                    return Flow::On;
                }
            },
            None => {
                let known = self.value_sets.endings.get(&key).into_iter().flatten();
                // It may be this very thread, or one that waits for it: so at first, it does not end.
                let unknown = (!self.value_sets.endings.contains_key(&key)).then_some(&None);
                known.chain(unknown).copied().collect()
            }
        };
        let mut ways = Vec::new();
        for end in &ends {
            let mut way = state.clone();
            way.joined.push(Joined {
                key,
                position,
                end: *end,
            });
            match end {
                None => way.end = Some(End::Waits(Vec::new(), span)),
                Some(value) => {
                    way.fence(FenceTag::Explicit(Fence::Posix), span, &[]);
                    let value = value.map(|(word, fixed)| ConcreteValue {
                        fixed,
                        shadow: word.shadow,
                        ..ConcreteValue::fixed(word.number, pointer)
                    });
                    if let Some(dst) = dst {
                        way.set(dst, value);
                    }
                }
            }
            ways.push(way);
        }
        Flow::Fork(ways)
    }
}

/// What a read-modify-write stores.
fn updated(op: RmwOp, old: &ConcreteValue, operand: &ConcreteValue) -> ConcreteValue {
    let width = old.width;
    let by = |op| eval_binary(op, old.number, operand.number, width);
    let number = match op {
        RmwOp::Exchange => return operand.clone(),
        RmwOp::Add => by(BinOp::Add),
        RmwOp::Sub => by(BinOp::Sub),
        RmwOp::And => by(BinOp::And),
        RmwOp::Or => by(BinOp::Or),
        RmwOp::Xor => by(BinOp::Xor),
        RmwOp::Nand => !by(BinOp::And),
    };
    let shadow = shadow_rmw(
        op,
        (old.number, old.shadow),
        (operand.number, operand.shadow),
        width,
    );
    join(number, width, [old.clone(), operand.clone()]).with_shadow(shadow)
}
