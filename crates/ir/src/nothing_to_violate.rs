//! Programs in whose text nothing can be violated, whatever values memory returns: no bound of a loop
//! matters to them.
//!
//! The argument looks at each instruction by itself, as if each were executed, so it neither follows
//! loops nor knows a memory model. It covers the programs that have no more than this: no check that
//! might fail; accesses to static objects at known places alone, each place in one size; threads whose
//! functions are known; no waiting. Everything else is left to those who look at executions. Where races
//! are asked for, conflicting accesses of two threads must both be atomic (C11 5.1.2.4).

use super::pair::PAIR_WIDTH;
use super::program::*;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// An access to a static object.
struct StaticAccess {
    thread: ProcId,
    width: Width,
    writes: bool,
    atomic: bool,
}

/// What is known of a program so far.
struct Text<'p> {
    program: &'p Program,
    kinds: &'p [PropertyKind],
    /// By object and offset.
    accesses: BTreeMap<(GlobalId, u64), Vec<StaticAccess>>,
    /// Functions that threads begin with, and how many threads do; two stand for any number.
    threads: BTreeMap<ProcId, u32>,
}

/// True when no execution of the program violates a property of these kinds, nor comes to anything that
/// is not supported.
pub fn nothing_to_violate(program: &Program, kinds: &[PropertyKind]) -> bool {
    let Some(main) = program.main else {
        return false;
    };
    let others = [PropertyKind::Robust, PropertyKind::Termination];
    if others.iter().any(|kind| kinds.contains(kind)) {
        return false;
    }
    let mut text = Text {
        program,
        kinds,
        accesses: BTreeMap::new(),
        threads: BTreeMap::from([(main, 1)]),
    };
    let mut seen = FxHashSet::default();
    while let Some(next) = text.threads.keys().copied().find(|p| !seen.contains(p)) {
        seen.insert(next);
        if !text.looks_right(next) {
            return false;
        }
    }
    text.keeps_sizes_apart() && (!kinds.contains(&PropertyKind::Race) || text.is_race_free())
}

impl Text<'_> {
    /// Looks at all that a thread may execute which begins with a function.
    fn looks_right(&mut self, thread: ProcId) -> bool {
        let mut seen = FxHashSet::from_iter([thread]);
        let mut work = vec![thread];
        while let Some(id) = work.pop() {
            let program = self.program;
            for (pc, instr) in program.procs[id].body.iter().enumerate() {
                if let Op::Call { callee, .. } = &instr.op {
                    match callee {
                        Callee::Proc(p) if seen.insert(*p) => work.push(*p),
                        Callee::Proc(_) => {}
                        Callee::Pointer(_) => return false,
                    }
                } else if let Op::Spawn { callee, .. } = &instr.op {
                    let Callee::Proc(p) = callee else {
                        return false;
                    };
                    // Only what `main` itself does outside of loops happens once.
                    let once = Some(id) == program.main && !self.is_in_loop(id, pc);
                    *self.threads.entry(*p).or_default() += if once { 1 } else { 2 };
                } else if !self.is_right(thread, id, &instr.op) {
                    return false;
                }
            }
        }
        true
    }

    fn is_in_loop(&self, proc: ProcId, pc: usize) -> bool {
        let body = self.program.procs[proc].body.iter().enumerate();
        let mut jumps = body.filter(|(at, _)| *at >= pc);
        jumps.any(|(_, i)| matches!(i.op, Op::Goto { target, .. } if target <= pc))
    }

    /// Whether an instruction violates nothing, whatever its operands are.
    fn is_right(&mut self, thread: ProcId, proc: ProcId, op: &Op) -> bool {
        let width = |l: &LocalId| self.program.procs[proc].locals[*l].width;
        match op {
            Op::Assign { .. }
            | Op::Havoc { .. }
            | Op::Fence(_)
            | Op::Goto { .. }
            | Op::Return(_)
            | Op::Assume(_)
            | Op::ThreadSelf { .. }
            | Op::ControlBegin(_)
            | Op::ControlEnd(_)
            | Op::ThreadExit(_)
            | Op::Halt => true,
            Op::Indeterminate { .. } | Op::Use(_) => {
                !self.kinds.contains(&PropertyKind::Uninitialised)
            }
            Op::Assert { cond, .. } => matches!(cond, Expr::Const { value: 1, .. }),
            Op::Load { dst, addr, order } => {
                let width = width(dst);
                self.access((thread, proc), addr, width, *order, false)
            }
            Op::Rmw {
                dst, addr, order, ..
            } => {
                let width = width(dst);
                self.access((thread, proc), addr, width, *order, true)
            }
            Op::Cas {
                dst, addr, success, ..
            } => {
                let width = width(dst);
                self.access((thread, proc), addr, width, *success, true)
            }
            Op::Store { addr, value, order } => {
                let width = value.width(self.program, &self.program.procs[proc]);
                self.access((thread, proc), addr, width, *order, true)
            }
            Op::Pair(pair) => {
                let (order, writes) = (pair.access.order(), pair.access.written().is_some());
                self.access((thread, proc), &pair.addr, PAIR_WIDTH, order, writes)
            }
            Op::OneOf(ways) => ways.iter().all(|(_, op)| self.is_right(thread, proc, op)),
            _ => false,
        }
    }

    /// Notes an access; false if it may be to no object, or to one that must not be written.
    fn access(
        &mut self,
        (thread, proc): (ProcId, ProcId),
        addr: &Expr,
        width: Width,
        order: MemoryOrder,
        writes: bool,
    ) -> bool {
        let Some((global, offset)) = self.place(proc, addr) else {
            return false;
        };
        let object = &self.program.globals[global];
        let bytes = u64::from(width) / 8;
        let end = offset.checked_add(bytes);
        if end.is_none_or(|end| end > self.program.size_of(object.layout))
            || !offset.is_multiple_of(bytes)
            || object.thread_local
            || writes && self.program.read_only.contains(&global)
        {
            return false;
        }
        let of_place = self.accesses.entry((global, offset)).or_default();
        of_place.push(StaticAccess {
            thread,
            width,
            writes,
            atomic: order.is_atomic(),
        });
        true
    }

    /// Whether no two accesses overlap but those of one place and one size.
    fn keeps_sizes_apart(&self) -> bool {
        let mut end = None;
        self.accesses.iter().all(|((global, offset), all)| {
            let width = all[0].width;
            let is_free = end.is_none_or(|(other, end)| other != *global || end <= *offset);
            end = Some((*global, offset + u64::from(width) / 8));
            is_free && all.iter().all(|access| access.width == width)
        })
    }

    /// Whether no place has two accesses of different threads that conflict and are not both atomic.
    fn is_race_free(&self) -> bool {
        self.accesses.values().all(|all| {
            let threads: BTreeSet<ProcId> = all.iter().map(|access| access.thread).collect();
            let several = threads.len() > 1 || threads.iter().any(|t| self.threads[t] > 1);
            let written = all.iter().any(|access| access.writes);
            !several || !written || all.iter().all(|access| access.atomic)
        })
    }

    /// The place in a static object that an address is, if it is the same in each execution.
    fn place(&self, proc: ProcId, addr: &Expr) -> Option<(GlobalId, u64)> {
        match addr {
            Expr::Global(global) => Some((*global, 0)),
            Expr::Local(register) => self.place(proc, self.only_value(proc, *register)?),
            Expr::Binary(BinOp::Add, base, by) => match (self.place(proc, base)?, &**by) {
                ((global, offset), Expr::Const { value, .. }) => {
                    Some((global, offset.checked_add(*value)?))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// What a register is set to, if one instruction alone sets it.
    fn only_value(&self, proc: ProcId, register: LocalId) -> Option<&Expr> {
        let proc = &self.program.procs[proc];
        let mut sets = proc
            .body
            .iter()
            .filter(|i| i.op.results().contains(&register));
        match (sets.next().map(|i| &i.op), sets.next()) {
            (Some(Op::Assign { value, .. }), None) if !proc.params.contains(&register) => {
                Some(value).filter(|value| !matches!(value, Expr::Local(_)))
            }
            _ => None,
        }
    }
}
