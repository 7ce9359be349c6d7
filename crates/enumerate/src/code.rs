//! What the interpreter knows of a procedure before it runs it: which registers an instruction
//! uses, which are live, and where loops begin.
//!
//! Liveness is for awaits alone: an iteration may be left out only if it changed nothing that is
//! still looked at.

use base::idx::Id;
use ir::program::*;

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
                for next in op.successors(pc) {
                    let later = live[next].iter().zip(&mut now);
                    later.for_each(|(there, here)| *here |= there);
                }
                for dst in op.results() {
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

/// The expressions whose values an instruction looks at.
pub(super) fn operands(op: &Op) -> Vec<&Expr> {
    match op {
        // A path that has not come to the declaration has no address, and nothing ends.
        Op::LeaveScope { .. } => Vec::new(),
        _ => op.operands(),
    }
}

fn used(op: &Op) -> Vec<LocalId> {
    let mut out = Vec::new();
    for e in operands(op) {
        e.each_local(&mut |l| out.push(l));
    }
    out.sort_unstable();
    out.dedup();
    out
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
            if let Expr::Const { value, .. } = e {
                out.insert(*value);
            }
            work.extend(e.operands());
        }
    }
    out.into_iter().take(limit).collect()
}
