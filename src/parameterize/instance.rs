//! The program with a fixed number of threads: inputs that decide how often a loop of `main` starts a thread
//! are that number. Every execution of it is one of the program.

use ir::program::{Expr, LocalId, Op, Proc, Program, Width};
use std::collections::BTreeSet;

/// The program where each loop of `main` that starts threads starts so many, as far as it asks a register that
/// is an input.
pub fn with_threads(program: &Program, threads: u32) -> Program {
    let mut instance = program.clone();
    let Some(main) = program.main else {
        return instance;
    };
    let proc = &mut instance.procs[main];
    let counts = counts(proc);
    for instr in &mut proc.body {
        if let Op::Havoc { dst } = instr.op
            && counts.contains(&dst)
        {
            let width: Width = proc.locals[dst].width;
            instr.op = Op::Assign {
                dst,
                value: Expr::constant(threads.into(), width),
            };
        }
    }
    instance
}

/// The registers that are stored to an object.
fn stored(proc: &Proc, object: &Expr, found: &mut BTreeSet<LocalId>) {
    for instr in &proc.body {
        if let Op::Store { addr, value, .. } = &instr.op
            && matches!(object, Expr::Global(_))
            && addr == object
        {
            value.each_local(&mut |l| {
                found.insert(l);
            });
        }
    }
}

/// The registers that what leaves a loop with a thread depends on.
fn counts(proc: &Proc) -> BTreeSet<LocalId> {
    let mut found = BTreeSet::new();
    for (end, instr) in proc.body.iter().enumerate() {
        let Op::Goto { target: begin, .. } = instr.op else {
            continue;
        };
        if begin > end {
            continue;
        }
        let body = &proc.body[begin..=end];
        if !body.iter().any(|i| matches!(i.op, Op::Spawn { .. })) {
            continue;
        }
        for i in body {
            if let Op::Goto { cond: Some(c), .. } = &i.op {
                c.each_local(&mut |l| {
                    found.insert(l);
                });
            }
        }
    }
    loop {
        let before = found.len();
        for instr in &proc.body {
            match &instr.op {
                Op::Assign { dst, value } if found.contains(dst) => value.each_local(&mut |l| {
                    found.insert(l);
                }),
                Op::Load {
                    dst, addr: from, ..
                } if found.contains(dst) => {
                    stored(proc, from, &mut found);
                }
                _ => {}
            }
        }
        if found.len() == before {
            return found;
        }
    }
}
