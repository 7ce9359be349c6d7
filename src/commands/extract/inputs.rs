//! Whether a program has nondeterministic values. As mathematical integers they may be negative, so no number of
//! such a program is taken for an unsigned one.
//!
//! With any number of threads an input of `main` that decides how many there are, and goes nowhere else, is none
//! of them.

use ir::program::{Expr, LocalId, Op, Proc, ProcId, Program};
use std::collections::BTreeSet;

/// The program has nondeterministic values that somebody may take for numbers.
/// `spawner` is `main` where there is any number of threads.
pub fn choose_values(program: &Program, spawner: Option<ProcId>) -> bool {
    let is_chosen = |op: &Op| matches!(op, Op::Havoc { .. } | Op::Indeterminate { .. });
    let mut procs = program.procs.iter_enumerated();
    procs.any(|(id, p)| match Some(id) == spawner {
        true => leave(p, is_chosen),
        false => p.body.iter().any(|i| is_chosen(&i.op)),
    })
}

/// What the procedure chooses leaves its registers for something else than a branch.
fn leave(proc: &Proc, is_chosen: impl Fn(&Op) -> bool) -> bool {
    let mut from: BTreeSet<LocalId> = BTreeSet::new();
    let mentions = |e: &Expr, from: &BTreeSet<LocalId>| {
        let mut found = false;
        e.each_local(&mut |l| found |= from.contains(&l));
        found
    };
    loop {
        let before = from.len();
        for instr in &proc.body {
            let reads = instr.op.operands().into_iter().any(|e| mentions(e, &from));
            if is_chosen(&instr.op) || reads {
                from.extend(instr.op.results());
            }
        }
        if from.len() == before {
            break;
        }
    }
    let mut code = proc.body.iter().map(|i| &i.op);
    code.any(|op| match op {
        Op::Assign { .. }
        | Op::Goto { .. }
        | Op::Alloc { .. }
        | Op::Assume(_)
        | Op::Join { .. } => false,
        // Which handle goes where does not matter.
        Op::Store { value, .. } => mentions(value, &from),
        Op::Load { .. }
        | Op::Free { .. }
        | Op::LeaveScope { .. }
        | Op::Claim { .. }
        | Op::Release(_) => false,
        _ => op.operands().into_iter().any(|e| mentions(e, &from)),
    })
}
