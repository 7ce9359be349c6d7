//! When the registers of a procedure are set.

use ::ir::program::{self as ir, Op};

/// Wherever the register is used, what it was set to here has the same value: that is on the straight way from here, and
/// none of the parts that the value comes of, perhaps by other registers, is set on it.
pub fn is_stable(
    proc: &ir::Proc,
    set: usize,
    l: ir::LocalId,
    is_part: &dyn Fn(ir::LocalId) -> bool,
) -> bool {
    let reads = |op: &Op, x: ir::LocalId| {
        let mut reads = false;
        for e in op.operands() {
            e.each_local(&mut |y| reads |= y == x);
        }
        reads
    };
    let mut uses = (0..proc.body.len()).filter(|at| reads(&proc.body[*at].op, l));
    uses.all(|at| {
        let is_joined = |i: usize| {
            let mut gotos = proc.body.iter().map(|g| &g.op);
            gotos.any(|op| matches!(op, Op::Goto { target, .. } if *target == i))
        };
        let between = set + 1..at;
        let is_set = |i: usize| {
            let results = proc.body[i].op.results();
            results.into_iter().any(is_part)
        };
        set < at && !(set + 1..=at).any(is_joined) && !between.into_iter().any(is_set)
    })
}

/// Whether some instruction sets the register.
pub fn is_assigned(proc: &ir::Proc, l: ir::LocalId) -> bool {
    proc.body.iter().any(|i| i.op.results().contains(&l))
}
