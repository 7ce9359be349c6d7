//! Loops that may wait for other threads: whether they are left depends on memory that is read in them.

use crate::program::{Callee, Op, Proc, ProcId, Program};
use base::idx::Id;
use base::source::Span;
use std::collections::BTreeSet;

/// The end of some loop of a program that may wait for other threads.
pub fn waiting_loop(program: &Program) -> Option<Span> {
    program.procs.iter().find_map(|proc| {
        let back = (0..proc.body.len()).find(|back| may_wait(proc, *back))?;
        Some(proc.body[back].span)
    })
}

/// Whether the loop with this back edge is left by a branch on what was read in it.
pub fn may_wait(proc: &Proc, back: usize) -> bool {
    is_left_by(proc, back, &|op| {
        !matches!(
            op,
            Op::Havoc { .. } | Op::Indeterminate { .. } | Op::Constant { .. }
        )
    })
}

/// The ends of the loops of a program that are left by a branch on an arbitrary value that is taken in them: by an input,
/// or by a time limit.
pub fn loops_with_inputs(program: &Program) -> BTreeSet<Span> {
    let mut taking: BTreeSet<ProcId> = BTreeSet::new();
    let takes = |op: &Op, taking: &BTreeSet<ProcId>| match op {
        Op::Havoc { .. } => true,
        Op::Call {
            callee: Callee::Proc(proc),
            ..
        } => taking.contains(proc),
        _ => false,
    };
    loop {
        let procs = program.procs.iter_enumerated();
        let found = procs.filter(|(_, proc)| proc.body.iter().any(|i| takes(&i.op, &taking)));
        let found: BTreeSet<ProcId> = found.map(|(id, _)| id).collect();
        if found == taking {
            break;
        }
        taking = found;
    }
    let loops = program.procs.iter().flat_map(|proc| {
        let backs = 0..proc.body.len();
        let backs = backs.filter(|back| is_left_by(proc, *back, &|op| takes(op, &taking)));
        backs.map(|back| proc.body[back].span)
    });
    loops.collect()
}

/// Whether the loop with this back edge is left by a branch on what some instructions in it give.
fn is_left_by(proc: &Proc, back: usize, gives: &dyn Fn(&Op) -> bool) -> bool {
    let Op::Goto { target, .. } = proc.body[back].op else {
        return false;
    };
    if target > back {
        return false;
    }
    let range = target..=back;
    let body = &proc.body;
    let mut read = vec![false; proc.locals.len()];
    let mut grown = true;
    while grown {
        grown = false;
        for op in body[range.clone()].iter().map(|instr| &instr.op) {
            let depends = match op {
                Op::Assign { value, .. } => {
                    let mut depends = false;
                    value.each_local(&mut |local| depends |= read[local.index()]);
                    depends
                }
                op => gives(op),
            };
            for local in op.results().into_iter().filter(|_| depends) {
                grown |= !std::mem::replace(&mut read[local.index()], true);
            }
        }
    }
    // From where the loop goes on.
    let mut returns = vec![false; body.len()];
    returns[*range.end()] = true;
    let mut grown = true;
    while grown {
        grown = false;
        for pc in range.clone().rev().filter(|pc| *pc < *range.end()) {
            let next = body[pc].op.successors(pc);
            let mut within = next.into_iter().filter(|next| range.contains(next));
            let now = within.any(|next| returns[next]);
            grown |= now && !std::mem::replace(&mut returns[pc], true);
        }
    }
    range.clone().any(|pc| match &body[pc].op {
        Op::Goto {
            cond: Some(cond), ..
        } => {
            let mut depends = false;
            cond.each_local(&mut |local| depends |= read[local.index()]);
            let goes_on = |next: &usize| range.contains(next) && returns[*next];
            // Behind the last instruction the loop is left.
            let next = body[pc].op.successors(pc);
            depends
                && next
                    .iter()
                    .any(|next| !goes_on(next) && *next != *range.start())
        }
        _ => false,
    })
}
