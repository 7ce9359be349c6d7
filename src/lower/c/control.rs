//! Where control dependencies of the Linux kernel end.
//!
//! On a machine all that stands behind a branch depends on it. In the kernel's memory model, which speaks of
//! what compilers may do, too, only what an `if` decides about does: what comes behind both of its branches
//! does not (`explanation.txt` of the kernel's `tools/memory-model`, on control dependencies). So programs
//! with accesses or barriers of the kernel have marks where the ways of a branch meet again
//! ([`ControlScope::Kernel`]), which other models pass over.
//!
//! A branch has such a place where it leads forward, and the instructions from it up to there have no other
//! entry and no other way out. What leaves a loop has none: it is executed only because of what was
//! read, which the kernel's `smp_cond_load_acquire` is built on. Neither has a branch one way of which ends
//! the thread. Of a compare-exchange, which is one instruction, what it compares decides whether it stores, and
//! nothing behind it.

use ir::program::{ControlScope, Fence, Instr, MemoryOrder, Op, Proc, Program};
use std::collections::BTreeMap;

/// Marks the places in all procedures of a program of the kernel.
pub fn mark(program: &mut Program) {
    let mut bodies = program.procs.iter().flat_map(|p| p.body.iter());
    if bodies.any(|i| is_of_kernel(&i.op)) {
        for id in program.procs.ids() {
            mark_procedure(&mut program.procs[id]);
        }
    }
}

fn is_of_kernel(op: &Op) -> bool {
    let annotated =
        |order: &MemoryOrder| matches!(order, MemoryOrder::Annotated(a) if a.c11.is_some());
    match op {
        Op::Fence(Fence::Annotated(_)) | Op::GracePeriod { .. } => true,
        Op::Load { order, .. } | Op::Store { order, .. } | Op::Rmw { order, .. } => {
            annotated(order)
        }
        Op::Cas { success, .. } => annotated(success),
        Op::Pair(pair) => annotated(&pair.access.order()),
        _ => false,
    }
}

/// A branch, and the first instruction that it does not decide about.
#[derive(Clone, Copy)]
struct Region {
    branch: usize,
    end: usize,
}

impl Region {
    fn contains(self, pc: usize) -> bool {
        self.branch <= pc && pc < self.end
    }
}

/// The region of a branch, if it has one.
fn region(jumps: &BTreeMap<usize, usize>, body: &[Instr], branch: usize) -> Option<Region> {
    let mut end = *jumps.get(&branch)?;
    let mut pc = branch + 1;
    while pc < end {
        if matches!(body[pc].op, Op::Return(_) | Op::ThreadExit(_) | Op::Halt) {
            return None;
        }
        match jumps.get(&pc) {
            Some(target) if *target <= branch => return None,
            Some(target) => end = end.max(*target),
            None => {}
        }
        pc += 1;
    }
    let region = Region { branch, end };
    let inside = |target: usize| branch < target && target < end;
    let mut entries = jumps
        .iter()
        .filter(|(from, to)| inside(**to) && !region.contains(**from));
    (end > branch + 1 && entries.next().is_none()).then_some(region)
}

fn mark_procedure(proc: &mut Proc) {
    let targets = proc.body.iter().enumerate();
    let jumps: BTreeMap<usize, usize> = targets
        .filter_map(|(pc, i)| match i.op {
            Op::Goto { target, .. } => Some((pc, target)),
            _ => None,
        })
        .collect();
    let branches = jumps.keys().copied().filter(
        |pc| matches!(proc.body[*pc].op, Op::Goto { cond: Some(_), target } if target > *pc),
    );
    let regions: Vec<Region> = branches
        .filter_map(|pc| region(&jumps, &proc.body, pc))
        .collect();
    // Regions are nested: those that end at one place are listed from the outermost on, and end in reverse.
    let mut ends: BTreeMap<usize, Vec<Region>> = BTreeMap::new();
    for region in regions.iter().rev() {
        ends.entry(region.end).or_default().push(*region);
    }
    let is_cas: Vec<bool> = proc
        .body
        .iter()
        .map(|i| matches!(i.op, Op::Cas { .. }))
        .collect();
    let begins =
        |pc: usize| regions.iter().any(|r| r.branch == pc) || is_cas.get(pc) == Some(&true);
    let ends_at = |pc: usize| ends.get(&pc).map_or(&[][..], Vec::as_slice);
    let mut place = Vec::new();
    let mut at = 0;
    for pc in 0..=proc.body.len() {
        at += ends_at(pc).len();
        place.push(at);
        at += usize::from(begins(pc)) + 1 + usize::from(is_cas.get(pc) == Some(&true));
    }
    // Where a jump from one old place to another leads: to the ends of the regions that it leaves.
    let led = |from: usize, to: usize| {
        let left = ends_at(to).iter().filter(|r| r.contains(from)).count();
        place[to] - left
    };
    let mark = |op: Op, span| Instr { span, op };
    let mut body = Vec::new();
    let old = std::mem::take(&mut proc.body);
    let last = old.last().map(|i| i.span);
    for (pc, mut instr) in old.into_iter().enumerate() {
        for _ in ends_at(pc) {
            body.push(mark(Op::ControlEnd(ControlScope::Kernel), instr.span));
        }
        if begins(pc) {
            body.push(mark(Op::ControlBegin(ControlScope::Kernel), instr.span));
        }
        if let Op::Goto { target, .. } = &mut instr.op {
            *target = led(pc, *target);
        }
        let span = instr.span;
        body.push(instr);
        if is_cas[pc] {
            body.push(mark(Op::ControlEnd(ControlScope::Kernel), span));
        }
    }
    if let Some(span) = last {
        for _ in ends_at(place.len() - 1) {
            body.push(mark(Op::ControlEnd(ControlScope::Kernel), span));
        }
    }
    proc.body = body;
}
