//! What instructions set, and what they and expressions are made of: for all who follow registers.

use super::program::{Callee, Expr, LocalId, Op};

impl Op {
    /// The registers that the instruction sets.
    pub fn results(&self) -> Vec<LocalId> {
        match self {
            Op::Assign { dst, .. }
            | Op::Havoc { dst }
            | Op::Indeterminate { dst }
            | Op::Load { dst, .. }
            | Op::LoadLinked { dst, .. }
            | Op::StoreConditional { dst, .. }
            | Op::Rmw { dst, .. }
            | Op::Alloc { dst, .. }
            | Op::ThreadSelf { dst }
            | Op::SameThread { dst, .. }
            | Op::GetNote { dst, .. }
            | Op::Spawn { dst, .. } => vec![*dst],
            Op::Cas { dst, weak, .. } => {
                let done = weak.iter().map(|w| w.done);
                std::iter::once(*dst).chain(done).collect()
            }
            Op::Pair(pair) => pair.access.results(),
            Op::Call { dst, .. } | Op::Join { dst, .. } => dst.iter().copied().collect(),
            Op::OneOf(ways) => {
                let mut all: Vec<LocalId> = ways.iter().flat_map(|(_, op)| op.results()).collect();
                all.sort_unstable();
                all.dedup();
                all
            }
            Op::Use(_)
            | Op::Store { .. }
            | Op::Fence(_)
            | Op::GracePeriod { .. }
            | Op::Observe { .. }
            | Op::Goto { .. }
            | Op::Return(_)
            | Op::LeaveScope { .. }
            | Op::Constant { .. }
            | Op::Free { .. }
            | Op::Assume(_)
            | Op::Wait { .. }
            | Op::Assert { .. }
            | Op::SetNote { .. }
            | Op::Claim { .. }
            | Op::Release(_)
            | Op::AtomicBegin(_)
            | Op::AtomicEnd
            | Op::ControlBegin(_)
            | Op::ControlEnd(_)
            | Op::ThreadExit(_)
            | Op::Halt
            | Op::Unknown(_) => Vec::new(),
        }
    }

    /// The expressions that the instruction evaluates.
    pub fn operands(&self) -> Vec<&Expr> {
        match self {
            Op::Assign { value: e, .. }
            | Op::Observe { value: e, .. }
            | Op::Use(e)
            | Op::Load { addr: e, .. }
            | Op::LoadLinked { addr: e, .. }
            | Op::GracePeriod { addr: e, .. }
            | Op::LeaveScope { addr: e }
            | Op::Free { addr: e }
            | Op::Assume(e)
            | Op::Assert { cond: e, .. }
            | Op::Join { handle: e, .. }
            | Op::GetNote { key: e, .. }
            | Op::Claim { key: e, .. }
            | Op::Release(e) => vec![e],
            Op::Store { addr, value, .. } | Op::StoreConditional { addr, value, .. } => {
                vec![addr, value]
            }
            Op::Rmw { addr, operand, .. } => vec![addr, operand],
            Op::Cas {
                addr,
                expected,
                desired,
                weak,
                ..
            } => {
                let when = weak.iter().map(|w| &w.when);
                [addr, expected, desired].into_iter().chain(when).collect()
            }
            Op::Pair(pair) => {
                let values = pair.access.operands();
                std::iter::once(&pair.addr).chain(values).collect()
            }
            Op::OneOf(ways) => {
                let each = ways.iter();
                each.flat_map(|(cond, op)| std::iter::once(cond).chain(op.operands()))
                    .collect()
            }
            Op::Wait { cond, value } => vec![cond, value],
            Op::Goto { cond: value, .. } | Op::Return(value) | Op::ThreadExit(value) => {
                value.iter().collect()
            }
            Op::Call { callee, args, .. } => callee.pointer().into_iter().chain(args).collect(),
            Op::Spawn { callee, arg, .. } => callee.pointer().into_iter().chain([arg]).collect(),
            Op::Alloc { size, replaces, .. } => [size].into_iter().chain(replaces).collect(),
            Op::SameThread { a, b, .. } => vec![a, b],
            Op::SetNote { key, value, when } => vec![key, value, when],
            Op::Havoc { .. }
            | Op::Indeterminate { .. }
            | Op::ThreadSelf { .. }
            | Op::Fence(_)
            | Op::Constant { .. }
            | Op::AtomicBegin(_)
            | Op::AtomicEnd
            | Op::ControlBegin(_)
            | Op::ControlEnd(_)
            | Op::Halt
            | Op::Unknown(_) => Vec::new(),
        }
    }

    /// The address of the memory that the instruction accesses.
    pub fn address(&self) -> Option<&Expr> {
        match self {
            Op::Load { addr, .. }
            | Op::Store { addr, .. }
            | Op::Rmw { addr, .. }
            | Op::Cas { addr, .. }
            | Op::LoadLinked { addr, .. }
            | Op::StoreConditional { addr, .. }
            | Op::GracePeriod { addr, .. } => Some(addr),
            Op::Pair(pair) => Some(&pair.addr),
            _ => None,
        }
    }

    /// The instructions that may come next, by index, when this one is at `pc`.
    pub fn successors(&self, pc: usize) -> Vec<usize> {
        match self {
            Op::Return(_) | Op::ThreadExit(_) | Op::Halt => Vec::new(),
            Op::Goto { cond: None, target } => vec![*target],
            Op::Goto { target, .. } => vec![pc + 1, *target],
            _ => vec![pc + 1],
        }
    }
}

impl Callee {
    /// The pointer that says who is called.
    pub fn pointer(&self) -> Option<&Expr> {
        match self {
            Callee::Proc(_) => None,
            Callee::Pointer(e) => Some(e),
        }
    }
}

impl Expr {
    /// What its operator is applied to.
    pub fn operands(&self) -> impl Iterator<Item = &Expr> + use<'_> {
        let operands: [Option<&Expr>; 3] = match self {
            Expr::Const { .. } | Expr::Local(_) | Expr::Global(_) | Expr::Proc(_) => [None; 3],
            Expr::Unary(_, a) | Expr::Cast(_, _, a) => [Some(a), None, None],
            Expr::Binary(_, a, b) => [Some(a), Some(b), None],
            Expr::Ite(c, a, b) => [Some(c), Some(a), Some(b)],
        };
        operands.into_iter().flatten()
    }

    /// Calls `f` for every register that the expression reads, once for each time.
    pub fn each_local(&self, f: &mut dyn FnMut(LocalId)) {
        match self {
            Expr::Local(l) => f(*l),
            _ => self.operands().for_each(|e| e.each_local(f)),
        }
    }
}
