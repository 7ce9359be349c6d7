//! One instruction of a replayed thread.

use super::{OpenGroup, Replay, ReplayThread, Stop};
use crate::check::decode::Mismatch;
use crate::unroll::event::{ChoiceKind, ThreadId};
use base::idx::Id;
use base::source::Span;
use ir::program::*;
use ir::program::{FenceTag, Lifetime};
use ir::shadow::Word;

/// The low bits of a word.
fn fitted(value: Word, width: Width) -> Word {
    Word {
        number: value.number & mask(width),
        shadow: value.shadow & mask(width),
    }
}

impl Replay<'_> {
    /// Executes the next instruction; answers the value of the thread when that ends it.
    pub(super) fn instruction(&mut self, state: &mut ReplayThread) -> Result<Option<Word>, Stop> {
        let program = self.program;
        let frame = state.frames.last_mut().ok_or(Stop::Stuck)?;
        let (id, pc) = (frame.proc, frame.pc);
        let proc = &program.procs[id];
        let Some(instr) = proc.body.get(pc) else {
            return self.give_back(state, None);
        };
        let (span, op) = (instr.span, &instr.op);
        self.comes_to(state, (id, pc));
        let frame = state.frames.last_mut().ok_or(Stop::Stuck)?;
        self.recorder.begin(program, state.id, pc, instr);
        frame.pc += 1;
        state.span = span;
        if let Op::Call { .. } = op {
            state.passed.insert(span);
        }
        let pointer = program.data_model.pointer_width();
        self.uses(state, op, span)?;
        let mut result = None;
        match op {
            Op::Assign { dst, value } => result = Some((*dst, self.word(state, value)?)),
            Op::Havoc { dst } => {
                let number = state.choice(self.run, proc.locals[*dst].width)?;
                result = Some((*dst, Word::known(number)));
            }
            Op::Indeterminate { dst } => {
                let any = state.indeterminate(self.run, proc.locals[*dst].width)?;
                result = Some((*dst, any));
            }
            Op::Use(_) => {}
            Op::ThreadSelf { dst } => {
                let handle = self.run.graph.threads[state.id].handle;
                result = Some((*dst, Word::known(handle)));
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
            | Op::Unknown(_)) => self.access(state, access, span)?,
            Op::Observe { what, value } => {
                let value = self.value(state, value)?;
                self.observed.insert(*what, value);
            }
            Op::Goto { cond, target } => {
                let taken = match cond {
                    Some(cond) => self.value(state, cond)? == 1,
                    None => true,
                };
                if taken {
                    self.jump(state, *target);
                }
            }
            Op::Call { dst, callee, args } => {
                let args: Result<Vec<Word>, Stop> =
                    args.iter().map(|a| self.word(state, a)).collect();
                let callee = self.callee(state, callee, span)?;
                let args = self.arguments(state, callee, &args?)?;
                state.enter(program, self.run, callee, args, *dst)?;
            }
            Op::Return(value) => {
                let value = value.as_ref().map(|v| self.word(state, v)).transpose()?;
                return self.give_back(state, value);
            }
            Op::SameThread { dst, a, b } => {
                let (a, b) = (self.value(state, a)?, self.value(state, b)?);
                let placement = &self.objects.placement;
                let same = placement.handle(a) == placement.handle(b);
                result = Some((*dst, Word::known(u64::from(same))));
            }
            Op::Alloc {
                dst,
                size,
                storage,
                replaces,
                ..
            } => {
                let size = self.value(state, size)?;
                let addr = self.alloc(state, (id, pc), size)?;
                self.bounds_life(state, Lifetime::Begin, addr, span)?;
                match (storage, state.frames.last_mut()) {
                    (Storage::Stack(_), Some(frame)) => frame.objects.push(addr),
                    (Storage::Process(_), _) => {}
                    _ => drop(self.heap.insert(addr, span)),
                }
                let replaced = replaces.as_ref().map(|e| self.value(state, e));
                let replaced = replaced.transpose()?;
                if *storage == Storage::Heap
                    && let Some(other) = self.objects.placement.taken(addr)
                    && replaced != Some(other)
                    && !(state.dead.contains(&other) || state.gone.contains(&other))
                {
                    return Err(Stop::Blocked);
                }
                result = Some((*dst, Word::known(addr)));
            }
            Op::LeaveScope { addr } => {
                let addr = self.value(state, addr)?;
                let here = state.frames.last().map_or(&[][..], |f| &f.objects);
                if here.contains(&addr) {
                    self.end_on_stack(state, vec![addr], span)?;
                }
            }
            Op::Constant { .. } => {}
            Op::Free { addr } => {
                let addr = self.value(state, addr)?;
                self.free(state, addr, span)?;
            }
            Op::Spawn { dst, callee, arg } => {
                let arg = self.word(state, arg)?;
                let handle = self.spawn(state, callee, arg, span)?;
                result = Some((*dst, Word::known(handle)));
            }
            Op::Join { handle, dst } => {
                let handle = self.value(state, handle)?;
                let Some(value) = self.returned.get(&handle).copied() else {
                    return Err(self.waits(state, span));
                };
                state.gone.insert(handle);
                state
                    .gone
                    .extend(self.left.get(&handle).into_iter().flatten());
                self.fence(state, FenceTag::Explicit(Fence::Posix), span)?;
                result = dst.map(|d| (d, value));
            }
            Op::Assume(cond) => {
                if self.value(state, cond)? != 1 {
                    return Err(Stop::Blocked);
                }
            }
            Op::Wait { cond, .. } => {
                if self.value(state, cond)? != 1 {
                    return Err(self.waits(state, span));
                }
            }
            Op::Assert { cond, property } => {
                if self.value(state, cond)? != 1 {
                    self.violation(state, property.kind, &property.text, span);
                }
            }
            Op::SetNote { key, value, when } => {
                let (key, value) = (self.value(state, key)?, self.value(state, value)?);
                if self.value(state, when)? == 1 {
                    // What is not remembered is 0.
                    match value {
                        0 => state.notes.remove(&key),
                        value => state.notes.insert(key, value),
                    };
                }
            }
            Op::GetNote { dst, key } => {
                let key = self.value(state, key)?;
                let note = state.notes.get(&key).copied().unwrap_or(0);
                result = Some((*dst, Word::known(note)));
            }
            Op::Claim {
                key,
                what,
                property,
            } => {
                let key = self.value(state, key)?;
                self.claims(state)?;
                let own = self.run.graph.threads[state.id].handle;
                let itself = *what == Claimed::Awaited && key == own;
                if *what != Claimed::Object && !self.names_a_thread(key) {
                    self.violation(state, PropertyKind::Misuse, NO_THREAD, span);
                }
                if !itself && !self.claimed.insert(key) {
                    self.violation(state, property.kind, &property.text, span);
                }
            }
            Op::Release(key) => {
                let key = self.value(state, key)?;
                self.claims(state)?;
                self.claimed.remove(&key);
            }
            Op::AtomicBegin(kind) => match &mut state.atomic {
                Some(open) => open.depth += 1,
                None => {
                    if *kind == Atomicity::Section {
                        self.fence(state, FenceTag::Group, span)?;
                    }
                    state.atomic = Some(OpenGroup {
                        kind: *kind,
                        depth: 1,
                        id: None,
                    });
                }
            },
            // An interpreter has no dependencies.
            Op::ControlBegin(_) | Op::ControlEnd(_) => {}
            Op::AtomicEnd => {
                let open = state.atomic.as_mut().ok_or(Stop::Stuck)?;
                open.depth -= 1;
                if open.depth == 0 {
                    let kind = open.kind;
                    state.atomic = None;
                    if kind == Atomicity::Section {
                        self.fence(state, FenceTag::Group, span)?;
                    }
                }
            }
            Op::ThreadExit(value) => {
                let value = match value {
                    Some(value) => self.word(state, value)?,
                    None => state.indeterminate(self.run, pointer)?,
                };
                let objects = state.frames.iter().flat_map(|f| f.objects.clone());
                self.end_on_stack(state, objects.collect(), span)?;
                self.end_on_stack(state, self.objects.thread_locals(state.id), span)?;
                return Ok(Some(fitted(value, pointer)));
            }
            Op::Halt => return Err(Stop::Blocked),
        }
        if let Some((dst, value)) = result {
            self.set(state, dst, value);
        }
        Ok(None)
    }

    /// The execution has a claim or a release here, too.
    fn claims(&self, state: &mut ReplayThread) -> Result<(), Stop> {
        match state.choices.pop_front() {
            None => Err(Stop::Stuck),
            Some(ChoiceKind::Claim) => Ok(()),
            Some(other) => {
                let text = format!("{} claims, the execution has {other:?}", state.id);
                Err(Mismatch(text).into())
            }
        }
    }

    fn names_a_thread(&self, handle: u64) -> bool {
        let mut threads = self.run.graph.threads.iter();
        threads.any(|t| t.handle == handle && self.run.holds(t.guard))
    }

    /// The thread goes no further, and waits if it has done all that it does.
    pub(super) fn waits(&mut self, state: &ReplayThread, span: Span) -> Stop {
        if state.is_done() {
            self.waiting.insert(state.id, span);
        }
        Stop::Blocked
    }

    fn jump(&self, state: &mut ReplayThread, target: usize) {
        if let Some(frame) = state.frames.last_mut() {
            state.heads.jumps_back = target < frame.pc;
            frame.pc = target;
            if state.heads.jumps_back {
                state.passed.insert(state.span);
            }
        }
    }

    /// Sets a register of the running procedure; the value is truncated to its width.
    pub(super) fn set(&mut self, state: &mut ReplayThread, dst: LocalId, value: Word) {
        if let Some(frame) = state.frames.last_mut() {
            let local = &self.program.procs[frame.proc].locals[dst];
            let value = fitted(value, local.width);
            frame.registers[dst.index()] = Some(value);
            self.recorder
                .sets(state.id, &local.name, value.number, local.width);
        }
    }

    /// What an instruction is about to use must be determined.
    fn uses(&mut self, state: &ReplayThread, op: &Op, span: Span) -> Result<(), Stop> {
        if !self.run.graph.shadowed {
            return Ok(());
        }
        for (value, rule) in op.uses() {
            if self.word(state, value)?.shadow != 0 {
                let before = self.violated;
                self.violation(state, PropertyKind::Uninitialised, rule, span);
                if self.violated && !before {
                    self.recorder.recording.unwritten = self.unwritten_in(state, value);
                }
            }
        }
        Ok(())
    }

    pub(super) fn value(&self, state: &ReplayThread, e: &Expr) -> Result<u64, Stop> {
        self.word(state, e).map(|word| word.number)
    }

    pub(super) fn word(&self, state: &ReplayThread, e: &Expr) -> Result<Word, Stop> {
        let frame = state.frames.last().ok_or(Stop::Stuck)?;
        let proc = &self.program.procs[frame.proc];
        let register = |l: LocalId| {
            let value = frame.registers[l.index()]?;
            Some((value, proc.locals[l].width))
        };
        let value = self.objects.eval(e, state.id, &register);
        value.map(|(value, _)| value).ok_or(Stop::Stuck)
    }

    /// Ends the running procedure; answers the value of the thread when it was the first.
    fn give_back(
        &mut self,
        state: &mut ReplayThread,
        value: Option<Word>,
    ) -> Result<Option<Word>, Stop> {
        let program = self.program;
        let pointer = program.data_model.pointer_width();
        let frame = state.frames.pop().ok_or(Stop::Stuck)?;
        state.heads.leave(state.frames.len());
        let value = match program.procs[frame.proc].returns {
            Some(width) => Some(match value {
                Some(value) => value,
                None => state.indeterminate(self.run, width)?,
            }),
            None => None,
        };
        self.end_of_activation(state, frame.objects, program.procs[frame.proc].span)?;
        let Some(caller) = state.frames.last() else {
            if state.id != ThreadId(0) {
                let own = self.objects.thread_locals(state.id);
                self.end_on_stack(state, own, program.procs[frame.proc].span)?;
            }
            let value = match value {
                Some(value) => value,
                None => state.indeterminate(self.run, pointer)?,
            };
            return Ok(Some(fitted(value, pointer)));
        };
        if let Some(dst) = frame.dst {
            let width = program.procs[caller.proc].locals[dst].width;
            let value = match value {
                Some(value) => value,
                None => state.indeterminate(self.run, width)?,
            };
            self.set(state, dst, value);
        }
        Ok(None)
    }

    fn callee(
        &mut self,
        state: &mut ReplayThread,
        callee: &Callee,
        span: Span,
    ) -> Result<ProcId, Stop> {
        match callee {
            Callee::Proc(p) => Ok(*p),
            Callee::Pointer(e) => {
                let addr = self.value(state, e)?;
                self.objects.procedure(addr).ok_or_else(|| {
                    let text = "the called address is that of a function";
                    self.violation(state, PropertyKind::Memory, text, span);
                    Stop::Blocked
                })
            }
        }
    }

    fn alloc(
        &self,
        state: &mut ReplayThread,
        here: (ProcId, usize),
        size: u64,
    ) -> Result<u64, Stop> {
        // There is no such object, so no execution goes on here.
        if size >= self.program.data_model.largest_object() {
            return Err(Stop::Blocked);
        }
        match state.choices.pop_front() {
            None => Err(Stop::Stuck),
            Some(ChoiceKind::Object { site, addr, bytes })
                if (site, self.run.eval(bytes)) == (here, size) =>
            {
                Ok(addr)
            }
            Some(other) => Err(Mismatch(format!(
                "{} allocates {size} bytes at {here:?}, the execution has {other:?}",
                state.id
            ))
            .into()),
        }
    }

    /// Whether the event graph has an event before the thread that is created next; otherwise its
    /// creation has no fence. Where none is created, whether there is an event left.
    fn has_past(&self, state: &ReplayThread) -> bool {
        let Some(child) = state.children.front() else {
            return !state.events.is_empty();
        };
        let threads = &self.run.graph.threads;
        let mut line = std::iter::successors(Some(*child), |t| threads[*t].parent);
        line.any(|t| threads[t].created_after > 0)
    }

    /// Whether the thread that is created next has a handle of its own, or that of one that has ended.
    fn may_create(&self, state: &ReplayThread, callee: ProcId) -> bool {
        let threads = &self.run.graph.threads;
        let may_be = |handle: u64| {
            let other = self.objects.placement.taken(handle);
            other.is_none_or(|other| state.gone.contains(&other))
        };
        match state.children.front() {
            Some(child) => may_be(threads[*child].handle),
            // One that the event graph has under a condition that does not hold.
            None => threads.iter().all(|t| {
                let is_it = t.parent == Some(state.id) && t.name == self.program.procs[callee].name;
                !is_it || self.run.holds(t.guard) || may_be(t.handle)
            }),
        }
    }

    fn spawn(
        &mut self,
        state: &mut ReplayThread,
        callee: &Callee,
        arg: Word,
        span: Span,
    ) -> Result<u64, Stop> {
        if !self.concurrent {
            self.begin(state)?;
        }
        if self.has_past(state) {
            self.fence(state, FenceTag::Explicit(Fence::Posix), span)?;
        }
        let callee = self.callee(state, callee, span)?;
        let args = self.arguments(state, callee, &[arg]);
        if !self.may_create(state, callee) {
            return Err(Stop::Blocked);
        }
        let id = state.children.pop_front().ok_or(Stop::Stuck)?;
        let child = &self.run.graph.threads[id];
        if !state.is_at(child.created_after) || child.name != self.program.procs[callee].name {
            let name = &self.program.procs[callee].name;
            return Err(Mismatch(format!("{} creates `{name}` instead of {id}", state.id)).into());
        }
        let mut own = ReplayThread::new(self.run, id, state.store.clone());
        own.dead = state.dead.clone();
        own.gone = state.gone.clone();
        self.thread(&mut own, callee, args)?;
        Ok(child.handle)
    }
}
