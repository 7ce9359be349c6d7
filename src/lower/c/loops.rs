//! One back edge a loop.
//!
//! The unroller joins the states that reach an instruction before it executes it, as long as
//! every jump but one a loop leads forwards. `do … while (a || b)` and `goto` make loops with
//! several back edges; here all of them lead forwards to the last, which alone leads back.

use ir::program::{Instr, Op, Proc};
use std::collections::BTreeMap;

/// Gives every loop head one back edge. Targets are instruction indices already.
pub fn join(proc: &mut Proc) {
    let mut back: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, instr) in proc.body.iter().enumerate() {
        if let Op::Goto { target, .. } = instr.op
            && target <= at
        {
            back.entry(target).or_default().push(at);
        }
    }
    // By a conditional last jump: the head. The jump that all share comes right behind it.
    let mut shared = BTreeMap::new();
    for (head, jumps) in back {
        let Some((last, others)) = jumps.split_last().filter(|(_, others)| !others.is_empty())
        else {
            continue;
        };
        let always = matches!(proc.body[*last].op, Op::Goto { cond: None, .. });
        let join = if always {
            *last
        } else {
            proc.body.len() + 1 + last
        };
        if !always {
            shared.insert(*last, head);
            retarget(&mut proc.body[*last], join);
        }
        others
            .iter()
            .for_each(|at| retarget(&mut proc.body[*at], join));
    }
    if !shared.is_empty() {
        insert(proc, &shared);
    }
}

fn retarget(instr: &mut Instr, to: usize) {
    if let Op::Goto { target, .. } = &mut instr.op {
        *target = to;
    }
}

/// Puts `goto next; goto head; next:` behind each jump of `shared`. Targets beyond the end of the
/// body mean the second of these.
fn insert(proc: &mut Proc, shared: &BTreeMap<usize, usize>) {
    let old = std::mem::take(&mut proc.body);
    let end = old.len();
    let moved = |at: usize| at + 2 * shared.range(..at).count();
    let place = |target: usize| match target.checked_sub(end + 1) {
        Some(last) => moved(last) + 2,
        None => moved(target),
    };
    for (at, mut instr) in old.into_iter().enumerate() {
        if let Op::Goto { target, .. } = &mut instr.op {
            *target = place(*target);
        }
        let span = instr.span;
        proc.body.push(instr);
        if let Some(head) = shared.get(&at) {
            for target in [moved(at + 1), moved(*head)] {
                let op = Op::Goto { cond: None, target };
                proc.body.push(Instr { span, op });
            }
        }
    }
}
