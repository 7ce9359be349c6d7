//! What unrolling needs to know of a procedure's control flow: live registers and loop names.

use base::idx::Id;
use ir::bounds::loop_name;
use ir::program::{LocalId, Op, Proc};

/// Liveness and loops of one procedure.
#[derive(Clone, Debug)]
pub struct Flow {
    /// By instruction (and one past the last): which registers are read later before being set,
    /// ascending. Most are temporaries that live shortly, so these lists are short.
    live: Vec<Vec<LocalId>>,
    /// The same where no caller uses what the procedure returns.
    live_without_result: Vec<Vec<LocalId>>,
    /// By instruction: the name of the loop whose back edge it is.
    pub names: Vec<Option<String>>,
    /// By instruction: back edges that lead here.
    pub head_of: Vec<Vec<usize>>,
    /// By instruction: back edges of loops that begin with a test and go on here when it says so.
    pub tested: Vec<Vec<usize>>,
}

impl Flow {
    /// Finds the live registers and the back edges.
    pub fn of(proc: &Proc) -> Flow {
        let n = proc.body.len();
        let mut names = vec![None; n];
        let mut head_of = vec![Vec::new(); n + 1];
        let mut tested = vec![Vec::new(); n + 1];
        for (pc, instr) in proc.body.iter().enumerate() {
            if let Op::Goto { target, .. } = instr.op
                && target <= pc
            {
                names[pc] = Some(loop_name(proc, pc));
                head_of[target].push(pc);
                if let Some(inside) = behind_test(proc, target, pc) {
                    tested[inside].push(pc);
                }
            }
        }
        Flow {
            live: live(proc, true),
            live_without_result: live(proc, false),
            names,
            head_of,
            tested,
        }
    }

    /// True when the register is live before the instruction.
    pub fn is_live(&self, pc: usize, local: LocalId) -> bool {
        self.live[pc].binary_search(&local).is_ok()
    }

    /// The same where no caller uses what the procedure returns.
    pub fn is_live_without_result(&self, pc: usize, local: LocalId) -> bool {
        self.live_without_result[pc].binary_search(&local).is_ok()
    }

    /// The registers that are live before the instruction, ascending.
    pub fn live(&self, pc: usize) -> &[LocalId] {
        &self.live[pc]
    }
}

/// The live registers by instruction: each is followed backwards from where it is read to where it
/// is set. `result`: a caller uses what the procedure returns.
fn live(proc: &Proc, result: bool) -> Vec<Vec<LocalId>> {
    let n = proc.body.len();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); n + 1];
    let mut uses: Vec<Vec<usize>> = vec![Vec::new(); proc.locals.len()];
    let sets: Vec<Vec<LocalId>> = proc.body.iter().map(|i| i.op.results()).collect();
    for (pc, instr) in proc.body.iter().enumerate() {
        if result || !matches!(instr.op, Op::Return(_)) {
            for e in instr.op.operands() {
                e.each_local(&mut |l| uses[l.index()].push(pc));
            }
        }
        for next in instr.op.successors(pc) {
            before[next].push(pc);
        }
    }
    let mut live: Vec<Vec<LocalId>> = vec![Vec::new(); n + 1];
    for (local, uses) in proc.locals.ids().zip(uses) {
        let mut work = uses;
        while let Some(pc) = work.pop() {
            if live[pc].last() == Some(&local) {
                continue;
            }
            live[pc].push(local);
            let before = before[pc].iter().copied();
            work.extend(before.filter(|p| !sets[*p].contains(&local)));
        }
    }
    live
}

/// The instruction behind the test that a loop begins with, if it begins with one.
fn behind_test(proc: &Proc, head: usize, back: usize) -> Option<usize> {
    let mut body = proc.body.iter().enumerate().take(back).skip(head);
    let (pc, instr) = body.find(|(_, i)| !matches!(i.op, Op::Assign { .. }))?;
    let leaves = |target: usize| target < head || target > back;
    match instr.op {
        Op::Goto {
            cond: Some(_),
            target,
        } if leaves(target) => Some(pc + 1),
        _ => None,
    }
}
