//! Loops that only try a conditional store. One that fails changes nothing, so the iterations in which it
//! does are left out.

use ir::program::{Expr, Instr, LocalId, Op, UnOp, Width, eval_binary, eval_cast, eval_unary};
use std::collections::{BTreeMap, BTreeSet};

/// Leaves out the iterations: where such a loop would begin again, its store is assumed to be done.
pub fn leave_out_failures(instrs: &mut [Instr]) {
    for at in 0..instrs.len() {
        let Op::Goto {
            cond: Some(cond),
            target,
        } = &instrs[at].op
        else {
            continue;
        };
        let is_retry = *target <= at
            && changes_nothing(&instrs[..at], *target)
            && asks_for_failure(&instrs[*target..at], cond);
        if is_retry {
            let done = Expr::Unary(UnOp::Not, Box::new(cond.clone()));
            instrs[at].op = Op::Assume(done);
        }
    }
}

/// Whether the instructions from one on write nothing but by a conditional store, and read no register
/// that they have set in an earlier iteration.
fn changes_nothing(instrs: &[Instr], start: usize) -> bool {
    let code = &instrs[start..];
    let set: BTreeSet<LocalId> = code.iter().flat_map(|i| i.op.results()).collect();
    let mut fresh = BTreeSet::new();
    // What a jump may pass over is not set for sure.
    let mut passed = start;
    for (at, instr) in (start..).zip(code) {
        match &instr.op {
            Op::Goto { target, .. } if *target <= instrs.len() => passed = passed.max(*target),
            Op::Goto { .. }
            | Op::Assign { .. }
            | Op::Load { .. }
            | Op::LoadLinked { .. }
            | Op::StoreConditional { .. }
            | Op::Assume(_)
            | Op::Fence(_) => {}
            _ => return false,
        }
        let mut is_stale = false;
        for operand in instr.op.operands() {
            operand.each_local(&mut |l| is_stale |= set.contains(&l) && !fresh.contains(&l));
        }
        if is_stale {
            return false;
        }
        if at >= passed {
            fresh.extend(instr.op.results());
        }
    }
    true
}

/// Whether the condition holds behind these instructions if the last conditional store of them has
/// failed, and only then.
fn asks_for_failure(instrs: &[Instr], cond: &Expr) -> bool {
    let is_store = |i: &Instr| matches!(i.op, Op::StoreConditional { .. });
    let Some(store) = instrs.iter().rposition(is_store) else {
        return false;
    };
    let holds = |done: u64| {
        let mut known = BTreeMap::new();
        for instr in &instrs[store..] {
            match &instr.op {
                Op::StoreConditional { dst, .. } => {
                    known.insert(*dst, (done, 1));
                }
                Op::Assign { dst, value } => match evaluate(value, &known) {
                    Some(value) => {
                        known.insert(*dst, value);
                    }
                    None => {
                        known.remove(dst);
                    }
                },
                Op::Fence(_) => {}
                _ => return None,
            }
        }
        evaluate(cond, &known)
    };
    holds(0) == Some((1, 1)) && holds(1) == Some((0, 1))
}

/// The value of an expression and its bits, if the values of its registers are known.
fn evaluate(e: &Expr, known: &BTreeMap<LocalId, (u64, Width)>) -> Option<(u64, Width)> {
    match e {
        Expr::Const { value, width } => Some((*value, *width)),
        Expr::Local(local) => known.get(local).copied(),
        Expr::Unary(op, a) => {
            let (a, width) = evaluate(a, known)?;
            Some((eval_unary(*op, a, width), width))
        }
        Expr::Binary(op, a, b) => {
            let ((a, width), (b, _)) = (evaluate(a, known)?, evaluate(b, known)?);
            let result = if op.is_comparison() { 1 } else { width };
            Some((eval_binary(*op, a, b, width), result))
        }
        Expr::Cast(cast, to, a) => {
            let (a, from) = evaluate(a, known)?;
            Some((eval_cast(*cast, a, from, *to), *to))
        }
        _ => None,
    }
}
