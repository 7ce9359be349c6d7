//! One instruction of a replayed thread.

use super::{Replay, Stop, Walk};
use crate::base::idx::Id;
use crate::base::source::Span;
use crate::check::decode::Mismatch;
use crate::ir::program::*;
use crate::ir::program::{FenceTag, Lifetime};
use crate::unroll::event::ChoiceKind;

impl Replay<'_> {
    /// Executes the next instruction; answers the value of the thread when that ends it.
    pub(super) fn step(&mut self, walk: &mut Walk) -> Result<Option<u64>, Stop> {
        let program = self.program;
        let frame = walk.frames.last_mut().ok_or(Stop::Stuck)?;
        let (id, pc) = (frame.proc, frame.pc);
        let proc = &program.procs[id];
        let Some(Instr { span, op }) = proc.body.get(pc) else {
            return self.give_back(walk, None);
        };
        let span = *span;
        frame.pc += 1;
        let pointer = program.data_model.pointer_width();
        let mut result = None;
        match op {
            Op::Assign { dst, value } => result = Some((*dst, self.value(walk, value)?)),
            Op::Havoc { dst } => {
                result = Some((*dst, walk.choice(self.run, proc.locals[*dst].width)?))
            }
            Op::ThreadSelf { dst } => result = Some((*dst, self.run.graph.threads[walk.id].handle)),
            access @ (Op::Load { .. }
            | Op::Store { .. }
            | Op::Rmw { .. }
            | Op::Cas { .. }
            | Op::LoadLinked { .. }
            | Op::StoreConditional { .. }
            | Op::Fence(_)
            | Op::OneOf(_)
            | Op::Unknown(_)) => self.access(walk, access, span)?,
            Op::Observe { what, value } => {
                let value = self.value(walk, value)?;
                self.observed.insert(*what, value);
            }
            Op::Goto { cond, target } => {
                let taken = match cond {
                    Some(cond) => self.value(walk, cond)? == 1,
                    None => true,
                };
                if taken {
                    self.jump(walk, *target);
                }
            }
            Op::Call { dst, callee, args } => {
                let args: Result<Vec<u64>, Stop> =
                    args.iter().map(|a| self.value(walk, a)).collect();
                let callee = self.callee(walk, callee, span)?;
                let args = self.arguments(walk, callee, &args?)?;
                walk.enter(program, self.run, callee, args, *dst)?;
            }
            Op::Return(value) => {
                let value = value.as_ref().map(|v| self.value(walk, v)).transpose()?;
                return self.give_back(walk, value);
            }
            Op::Alloc {
                dst, size, storage, ..
            } => {
                let size = self.value(walk, size)?;
                let addr = self.alloc(walk, (id, pc), size)?;
                self.bounds_life(walk, Lifetime::Begin, addr, span)?;
                match (storage, walk.frames.last_mut()) {
                    (Storage::Stack(_), Some(frame)) => frame.objects.push(addr),
                    _ => drop(self.heap.insert(addr, span)),
                }
                result = Some((*dst, addr));
            }
            Op::LeaveScope { addr } => {
                let addr = self.value(walk, addr)?;
                let here = walk.frames.last().map_or(&[][..], |f| &f.objects);
                if here.contains(&addr) {
                    self.end_on_stack(walk, vec![addr], span)?;
                }
            }
            Op::Free { addr } => {
                let addr = self.value(walk, addr)?;
                self.free(walk, addr, span)?;
            }
            Op::Spawn { dst, callee, arg } => {
                let arg = self.value(walk, arg)?;
                result = Some((*dst, self.spawn(walk, callee, arg, span)?));
            }
            Op::Join { handle, dst } => {
                let handle = self.value(walk, handle)?;
                let Some(value) = self.returned.get(&handle).copied() else {
                    return Err(self.waits(walk, span));
                };
                self.fence(walk, FenceTag::Explicit(Fence::Posix), span)?;
                result = dst.map(|d| (d, value));
            }
            Op::Assume(cond) => {
                if self.value(walk, cond)? != 1 {
                    return Err(Stop::Stuck);
                }
            }
            Op::Wait { cond, .. } => {
                if self.value(walk, cond)? != 1 {
                    return Err(self.waits(walk, span));
                }
            }
            Op::Assert { cond, property } => {
                if self.value(walk, cond)? != 1 {
                    self.violation(walk, property.kind, &property.text, span);
                }
            }
            Op::Remember { key, value, when } => {
                let (key, value) = (self.value(walk, key)?, self.value(walk, value)?);
                if self.value(walk, when)? == 1 {
                    walk.notes.insert(key, value);
                }
            }
            Op::Recall { dst, key } => {
                let key = self.value(walk, key)?;
                result = Some((*dst, walk.notes.get(&key).copied().unwrap_or(0)));
            }
            Op::Claim {
                key,
                what,
                property,
            } => {
                let key = self.value(walk, key)?;
                self.claims(walk)?;
                let own = self.run.graph.threads[walk.id].handle;
                let itself = *what == Claimed::Awaited && key == own;
                if *what != Claimed::Object && !self.names_a_thread(key) {
                    self.violation(walk, PropertyKind::Misuse, NO_THREAD, span);
                }
                if !itself && !self.claimed.insert(key) {
                    self.violation(walk, property.kind, &property.text, span);
                }
            }
            Op::Release(key) => {
                let key = self.value(walk, key)?;
                self.claims(walk)?;
                self.claimed.remove(&key);
            }
            Op::AtomicBegin => {
                if walk.atomic.0 == 0 {
                    self.fence(walk, FenceTag::Group, span)?;
                }
                walk.atomic.0 += 1;
            }
            Op::AtomicEnd => {
                walk.atomic.0 = walk.atomic.0.checked_sub(1).ok_or(Stop::Stuck)?;
                if walk.atomic.0 == 0 {
                    walk.atomic.1 = None;
                    self.fence(walk, FenceTag::Group, span)?;
                }
            }
            Op::ThreadExit(value) => {
                let value = match value {
                    Some(value) => self.value(walk, value)?,
                    None => walk.choice(self.run, pointer)?,
                };
                let objects = walk.frames.iter().flat_map(|f| f.objects.clone());
                self.end_on_stack(walk, objects.collect(), span)?;
                return Ok(Some(value & mask(pointer)));
            }
            Op::Halt => return Err(Stop::Stuck),
        }
        if let Some((dst, value)) = result {
            self.set(walk, dst, value);
        }
        Ok(None)
    }

    /// The execution has a claim or a release here, too.
    fn claims(&self, walk: &mut Walk) -> Result<(), Stop> {
        match walk.choices.pop_front() {
            None => Err(Stop::Stuck),
            Some(ChoiceKind::Claim) => Ok(()),
            Some(other) => {
                let text = format!("{} claims, the execution has {other:?}", walk.id);
                Err(Mismatch(text).into())
            }
        }
    }

    fn names_a_thread(&self, handle: u64) -> bool {
        let mut threads = self.run.graph.threads.iter();
        threads.any(|t| t.handle == handle && self.run.holds(t.guard))
    }

    /// The thread goes no further, and waits if it has done all that it does.
    fn waits(&mut self, walk: &Walk, span: Span) -> Stop {
        if walk.is_done() {
            self.waiting.insert(walk.id, span);
        }
        Stop::Stuck
    }

    fn jump(&self, walk: &mut Walk, target: usize) {
        if let Some(frame) = walk.frames.last_mut() {
            frame.pc = target;
        }
    }

    /// Sets a register of the running procedure; what does not fit is cut off.
    pub(super) fn set(&self, walk: &mut Walk, dst: LocalId, value: u64) {
        if let Some(frame) = walk.frames.last_mut() {
            let width = self.program.procs[frame.proc].locals[dst].width;
            frame.registers[dst.index()] = Some(value & mask(width));
        }
    }

    pub(super) fn value(&self, walk: &Walk, e: &Expr) -> Result<u64, Stop> {
        let frame = walk.frames.last().ok_or(Stop::Stuck)?;
        let proc = &self.program.procs[frame.proc];
        let register = |l: LocalId| {
            let value = frame.registers[l.index()]?;
            Some((value, proc.locals[l].width))
        };
        let value = self.objects.eval(e, walk.id, &register);
        value.map(|(value, _)| value).ok_or(Stop::Stuck)
    }

    /// Ends the running procedure; answers the value of the thread when it was the first.
    fn give_back(&mut self, walk: &mut Walk, value: Option<u64>) -> Result<Option<u64>, Stop> {
        let program = self.program;
        let pointer = program.data_model.pointer_width();
        let frame = walk.frames.pop().ok_or(Stop::Stuck)?;
        let value = match program.procs[frame.proc].returns {
            Some(width) => Some(match value {
                Some(value) => value,
                None => walk.choice(self.run, width)?,
            }),
            None => None,
        };
        self.end_of_activation(walk, frame.objects, program.procs[frame.proc].span)?;
        let Some(caller) = walk.frames.last() else {
            let value = match value {
                Some(value) => value,
                None => walk.choice(self.run, pointer)?,
            };
            return Ok(Some(value & mask(pointer)));
        };
        if let Some(dst) = frame.dst {
            let width = program.procs[caller.proc].locals[dst].width;
            let value = match value {
                Some(value) => value,
                None => walk.choice(self.run, width)?,
            };
            self.set(walk, dst, value);
        }
        Ok(None)
    }

    fn callee(&mut self, walk: &mut Walk, callee: &Callee, span: Span) -> Result<ProcId, Stop> {
        match callee {
            Callee::Proc(p) => Ok(*p),
            Callee::Pointer(e) => {
                let addr = self.value(walk, e)?;
                self.objects.procedure(addr).ok_or_else(|| {
                    let text = "the called address is that of a function";
                    self.violation(walk, PropertyKind::Memory, text, span);
                    Stop::Stuck
                })
            }
        }
    }

    fn alloc(&self, walk: &mut Walk, here: (ProcId, usize), size: u64) -> Result<u64, Stop> {
        match walk.choices.pop_front() {
            None => Err(Stop::Stuck),
            Some(ChoiceKind::Object { site, addr, bytes }) if (site, bytes) == (here, size) => {
                Ok(addr)
            }
            Some(other) => Err(Mismatch(format!(
                "{} allocates {size} bytes at {here:?}, the execution has {other:?}",
                walk.id
            ))
            .into()),
        }
    }

    /// Whether the event graph has an event before the thread that is created next; otherwise its
    /// creation has no fence. Where none is created, whether there is an event left.
    fn has_past(&self, walk: &Walk) -> bool {
        let Some(child) = walk.children.front() else {
            return !walk.events.is_empty();
        };
        let threads = &self.run.graph.threads;
        let mut line = std::iter::successors(Some(*child), |t| threads[*t].parent);
        line.any(|t| threads[t].created_after > 0)
    }

    fn spawn(
        &mut self,
        walk: &mut Walk,
        callee: &Callee,
        arg: u64,
        span: Span,
    ) -> Result<u64, Stop> {
        if !self.concurrent {
            self.begin(walk)?;
        }
        if self.has_past(walk) {
            self.fence(walk, FenceTag::Explicit(Fence::Posix), span)?;
        }
        let callee = self.callee(walk, callee, span)?;
        let args = self.arguments(walk, callee, &[arg]);
        let id = walk.children.pop_front().ok_or(Stop::Stuck)?;
        let child = &self.run.graph.threads[id];
        if !walk.is_at(child.created_after) || child.name != self.program.procs[callee].name {
            let name = &self.program.procs[callee].name;
            return Err(Mismatch(format!("{} creates `{name}` instead of {id}", walk.id)).into());
        }
        let mut own = Walk::new(self.run, id, walk.store.clone());
        own.dead = walk.dead.clone();
        self.thread(&mut own, callee, args)?;
        Ok(child.handle)
    }
}
