//! What the interpreter knows of a procedure before it runs it: which registers an instruction
//! uses, which are live, and where loops begin.
//!
//! Liveness is for awaits alone: an iteration may be left out only if it changed nothing that is
//! still looked at.

use crate::base::idx::Id;
use crate::ir::program::*;

/// One procedure.
pub struct Code {
    /// By instruction: registers it reads.
    pub uses: Vec<Vec<LocalId>>,
    /// By instruction: back edges that lead here.
    pub heads: Vec<Vec<usize>>,
    /// By instruction: registers whose value matters here.
    live: Vec<Vec<bool>>,
}

impl Code {
    /// Looks at a procedure.
    pub fn of(proc: &Proc) -> Code {
        let len = proc.body.len();
        let uses: Vec<Vec<LocalId>> = proc.body.iter().map(|i| used(&i.op)).collect();
        let mut heads = vec![Vec::new(); len + 1];
        for (pc, instr) in proc.body.iter().enumerate() {
            match instr.op {
                Op::Goto { target, .. } if target <= pc => heads[target].push(pc),
                _ => {}
            }
        }
        let mut live = vec![vec![false; proc.locals.len()]; len + 1];
        let mut grown = true;
        while grown {
            grown = false;
            for pc in (0..len).rev() {
                let op = &proc.body[pc].op;
                let mut now = vec![false; proc.locals.len()];
                for next in successors(pc, op) {
                    let later = live[next].iter().zip(&mut now);
                    later.for_each(|(there, here)| *here |= there);
                }
                for dst in set_by(op) {
                    now[dst.index()] = false;
                }
                uses[pc].iter().for_each(|l| now[l.index()] = true);
                grown |= now != live[pc];
                live[pc] = now;
            }
        }
        Code { uses, heads, live }
    }

    /// Whether the value a register has before an instruction may be looked at.
    pub fn is_live(&self, pc: usize, local: usize) -> bool {
        self.live[pc][local]
    }
}

fn successors(pc: usize, op: &Op) -> Vec<usize> {
    match op {
        Op::Return(_) | Op::ThreadExit(_) | Op::Halt => Vec::new(),
        Op::Goto { cond: None, target } => vec![*target],
        Op::Goto { target, .. } => vec![pc + 1, *target],
        _ => vec![pc + 1],
    }
}

fn set_by(op: &Op) -> Vec<LocalId> {
    match op {
        Op::Assign { dst, .. }
        | Op::Havoc { dst }
        | Op::Indeterminate { dst }
        | Op::Alloc { dst, .. }
        | Op::ThreadSelf { dst }
        | Op::SameThread { dst, .. }
        | Op::GetNote { dst, .. }
        | Op::Spawn { dst, .. } => vec![*dst],
        Op::Call { dst, .. } | Op::Join { dst, .. } => dst.iter().copied().collect(),
        access => access.results(),
    }
}

/// The expressions that an instruction evaluates.
pub(super) fn operands(op: &Op) -> Vec<&Expr> {
    let mut exprs: Vec<&Expr> = Vec::new();
    match op {
        Op::Assign { value, .. } | Op::Observe { value, .. } => exprs.push(value),
        Op::Load { addr, .. } | Op::LoadLinked { addr, .. } | Op::GracePeriod { addr, .. } => {
            exprs.push(addr);
        }
        Op::Store { addr, value, .. } | Op::StoreConditional { addr, value, .. } => {
            exprs.extend([addr, value]);
        }
        Op::Rmw { addr, operand, .. } => exprs.extend([addr, operand]),
        Op::Cas {
            addr,
            expected,
            desired,
            weak,
            ..
        } => {
            exprs.extend([addr, expected, desired]);
            exprs.extend(weak.iter().map(|w| &w.when));
        }
        Op::OneOf(ways) => ways.iter().for_each(|(cond, op)| {
            exprs.push(cond);
            exprs.extend(operands(op));
        }),
        Op::Goto { cond, .. } => exprs.extend(cond),
        Op::Call { callee, args, .. } => {
            exprs.extend(callee_expr(callee));
            exprs.extend(args);
        }
        Op::Return(value) | Op::ThreadExit(value) => exprs.extend(value),
        Op::Alloc { size, replaces, .. } => exprs.extend([size].into_iter().chain(replaces)),
        Op::SameThread { a, b, .. } => exprs.extend([a, b]),
        Op::Spawn { callee, arg, .. } => {
            exprs.extend(callee_expr(callee));
            exprs.push(arg);
        }
        Op::Join { handle: e, .. }
        | Op::GetNote { key: e, .. }
        | Op::Claim { key: e, .. }
        | Op::Release(e) => exprs.push(e),
        Op::SetNote { key, value, when } => exprs.extend([key, value, when]),
        Op::Assume(cond) | Op::Assert { cond, .. } => exprs.push(cond),
        Op::Wait { cond, value } => exprs.extend([cond, value]),
        Op::Free { addr } => exprs.push(addr),
        Op::Use(value) => exprs.push(value),
        // A path that has not come to the declaration has no address, and nothing ends.
        Op::LeaveScope { .. }
        | Op::Constant { .. }
        | Op::Havoc { .. }
        | Op::Indeterminate { .. }
        | Op::Fence(_)
        | Op::ThreadSelf { .. }
        | Op::AtomicBegin(_)
        | Op::AtomicEnd
        | Op::ControlBegin(_)
        | Op::ControlEnd(_)
        | Op::Halt
        | Op::Unknown(_) => {}
    }
    exprs
}

fn used(op: &Op) -> Vec<LocalId> {
    let mut exprs = operands(op);
    let mut out = Vec::new();
    while let Some(e) = exprs.pop() {
        match e {
            Expr::Local(l) => out.push(*l),
            Expr::Const { .. } | Expr::Global(_) | Expr::Proc(_) => {}
            Expr::Unary(_, a) | Expr::Cast(_, _, a) => exprs.push(a),
            Expr::Binary(_, a, b) => exprs.extend([&**a, &**b]),
            Expr::Ite(c, a, b) => exprs.extend([&**c, &**a, &**b]),
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

fn callee_expr(callee: &Callee) -> Option<&Expr> {
    match callee {
        Callee::Proc(_) => None,
        Callee::Pointer(e) => Some(e),
    }
}

/// Numbers that the instructions of a program speak of, at most `limit` of them: what is tried for
/// a value that nothing determines.
pub(super) fn numbers(program: &Program, limit: usize) -> Vec<u64> {
    let mut out = std::collections::BTreeSet::from([0, 1]);
    for instr in program.procs.iter().flat_map(|p| &p.body) {
        let e = match &instr.op {
            Op::Assign { value: e, .. }
            | Op::Store { value: e, .. }
            | Op::Goto { cond: Some(e), .. }
            | Op::Assume(e)
            | Op::Wait { cond: e, .. }
            | Op::Assert { cond: e, .. } => e,
            _ => continue,
        };
        let mut work = vec![e];
        while let Some(e) = work.pop() {
            match e {
                Expr::Const { value, .. } => _ = out.insert(*value),
                Expr::Local(_) | Expr::Global(_) | Expr::Proc(_) => {}
                Expr::Unary(_, a) | Expr::Cast(_, _, a) => work.push(a),
                Expr::Binary(_, a, b) => work.extend([&**a, &**b]),
                Expr::Ite(c, a, b) => work.extend([&**c, &**a, &**b]),
            }
        }
    }
    out.into_iter().take(limit).collect()
}
