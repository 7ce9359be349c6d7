//! Where indeterminate values come from, for who reads a counterexample: a register is followed back to
//! the declaration, the memory or the function that its value was taken from. Nothing is judged here; of
//! what is not followed nothing is said.

use super::record::Unwritten;
use super::{Replay, ReplayThread, Stop};
use base::idx::Id;
use ir::program::*;
use ir::shadow::Word;

impl Replay<'_> {
    /// Executes the next instruction; answers the value of the thread when that ends it.
    pub(super) fn step(&mut self, state: &mut ReplayThread) -> Result<Option<Word>, Stop> {
        let origins = match self.run.graph.shadowed {
            true => self.origins(state),
            false => Vec::new(),
        };
        let ended = self.instruction(state)?;
        if let Some(frame) = state.frames.last() {
            let depth = state.frames.len();
            for (local, origin) in origins {
                let value = frame.registers.get(local.index()).copied().flatten();
                if value.is_some_and(|word| word.shadow != 0) {
                    self.unwritten.insert((state.id, depth, local), origin);
                }
            }
        }
        Ok(ended)
    }

    /// The registers that the next instruction may set, in the procedure that then runs, with what their
    /// indeterminate bits come from.
    fn origins(&self, state: &ReplayThread) -> Vec<(LocalId, Unwritten)> {
        let Some(frame) = state.frames.last() else {
            return Vec::new();
        };
        let proc = &self.program.procs[frame.proc];
        let to_caller = |origin: Option<Unwritten>| frame.dst.zip(origin).into_iter().collect();
        let nothing = Some(Unwritten::Result(frame.proc));
        let Some(Instr { span, op }) = proc.body.get(frame.pc) else {
            return to_caller(nothing);
        };
        match op {
            Op::Return(Some(value)) => to_caller(self.unwritten_in(state, value)),
            Op::Return(None) => to_caller(nothing),
            Op::Assign { dst, value } => {
                let origin = self.unwritten_in(state, value);
                origin.map(|origin| (*dst, origin)).into_iter().collect()
            }
            Op::Indeterminate { dst } => {
                vec![(*dst, Unwritten::Register(frame.proc, *dst, *span))]
            }
            Op::Call {
                callee: Callee::Proc(callee),
                args,
                ..
            } => {
                let params = self.program.procs[*callee].params.iter().zip(args);
                let origins = params.map(|(param, arg)| (*param, self.unwritten_in(state, arg)));
                let known = origins.filter_map(|(param, origin)| Some((param, origin?)));
                known.collect()
            }
            Op::Load { dst, addr, .. } | Op::Rmw { dst, addr, .. } | Op::Cas { dst, addr, .. } => {
                let addr = self.value(state, addr).ok();
                let origin = addr.map(|addr| (*dst, Unwritten::Memory(addr)));
                origin.into_iter().collect()
            }
            Op::Pair(pair) => {
                let addr = self.value(state, &pair.addr).ok();
                let dst = pair.access.read().into_iter().flatten();
                let words = dst.zip([0, 8]);
                let origin = |(dst, by)| Some((dst, Unwritten::Memory(addr?.wrapping_add(by))));
                words.filter_map(origin).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What the indeterminate bits of an expression come from: those of the first register that has some.
    pub(super) fn unwritten_in(&self, state: &ReplayThread, e: &Expr) -> Option<Unwritten> {
        let frame = state.frames.last()?;
        let mut work = vec![e];
        while let Some(e) = work.pop() {
            match e {
                Expr::Local(l) => {
                    let word = frame.registers[l.index()]?;
                    let known = self.unwritten.get(&(state.id, state.frames.len(), *l));
                    match known {
                        Some(origin) if word.shadow != 0 => return Some(*origin),
                        _ => {}
                    }
                }
                Expr::Const { .. } | Expr::Global(_) | Expr::Proc(_) => {}
                Expr::Unary(_, a) | Expr::Cast(_, _, a) => work.push(a),
                Expr::Binary(_, a, b) => work.extend([&**b, &**a]),
                Expr::Ite(c, a, b) => work.extend([&**b, &**a, &**c]),
            }
        }
        None
    }
}
