//! The numbers of threads.
//!
//! A loop of `main` may hand each thread that it starts its number: the loop counts from 0 to the number of threads, and
//! the argument is what it counts with. So no two threads have the same number, and it is smaller than how many there
//! are. What a thread has at its own number in an array is that thread's element.

use ir::program::{BinOp, Cast, Expr, GlobalId, LocalId, Op, Proc, ProcId, Program, UnOp, Width};
use std::collections::{BTreeMap, BTreeSet};

/// What has to do with the numbers of threads.
pub struct Numbering {
    /// The instruction of `main` that starts a thread with its number.
    pub spawn: usize,
    /// The bits of what is counted with.
    pub width: Width,
    /// Holds how many of these threads there are, before the first one is started and ever after.
    pub count: Option<GlobalId>,
    /// Arrays that threads access at their own number.
    pub arrays: BTreeSet<GlobalId>,
}

impl Numbering {
    /// Finds it, if a single loop starts threads with numbers.
    pub fn new(ir: &Program) -> Option<Numbering> {
        let main = &ir.procs[ir.main?];
        let numbered = (0..main.body.len()).filter_map(|at| Some((at, numbered(main, at)?)));
        let numbered: Vec<(usize, Comparison)> = numbered.collect();
        let [(spawn, comparison)] = &numbered[..] else {
            return None;
        };
        Some(Numbering {
            spawn: *spawn,
            width: comparison.width,
            count: count(ir, main, *spawn, comparison),
            arrays: arrays(ir, &main.body[*spawn].op),
        })
    }
}

/// Where a loop compares what it counts with, and with what.
struct Comparison {
    at: usize,
    /// The bits of the two.
    width: Width,
    bound: Expr,
}

/// The comparison of the loop that starts a thread here with what the loop counts with.
fn numbered(main: &Proc, spawn: usize) -> Option<Comparison> {
    let Op::Spawn { arg, .. } = &main.body[spawn].op else {
        return None;
    };
    let Expr::Local(i) = extended(arg) else {
        return None;
    };
    let (mut begins, mut counts) = (Vec::new(), Vec::new());
    for (at, instr) in main.body.iter().enumerate() {
        match &instr.op {
            Op::Assign { dst, value } if dst == i => match value {
                Expr::Const { value: 0, .. } => begins.push(at),
                value if is_next(value, *i) => counts.push(at),
                _ => return None,
            },
            op if op.results().contains(i) => return None,
            _ => {}
        }
    }
    let flow = Flow(main);
    // It counts between any two threads, and does not begin again.
    let after = flow.after(spawn);
    let again = flow.reachable(after.clone(), &|from, _| counts.contains(&from));
    let later = flow.reachable(after, &|_, _| false);
    let restarts = begins.iter().filter(|at| later.contains(at));
    let mut restarts = restarts.flat_map(|at| flow.after(*at));
    let begins_again = |at: usize| flow.reachable(vec![at], &|_, _| false).contains(&spawn);
    if again.contains(&spawn) || restarts.any(begins_again) {
        return None;
    }
    // It is below the bound, as last compared.
    (0..main.body.len()).find_map(|at| {
        let Op::Goto {
            cond: Some(cond),
            target,
        } = &main.body[at].op
        else {
            return None;
        };
        let (holds, bound) = below(cond, *i)?;
        let way = (at, if holds { *target } else { at + 1 });
        let mut from = vec![0];
        from.extend(begins.iter().chain(&counts).flat_map(|at| flow.after(*at)));
        let otherwise = flow.reachable(from, &|from, to| (from, to) == way);
        let is_last = !otherwise.contains(&spawn) && *target != at + 1;
        is_last.then(|| Comparison {
            at,
            width: main.locals[*i].width,
            bound: bound.clone(),
        })
    })
}

/// The object that holds the bound: stored before the loop, by one instruction.
fn count(ir: &Program, main: &Proc, spawn: usize, compared: &Comparison) -> Option<GlobalId> {
    let Expr::Local(bound) = &compared.bound else {
        return None;
    };
    let sets = main.body.iter().enumerate();
    let sets = sets.filter(|(_, i)| i.op.results().contains(bound));
    let sets: Vec<(usize, &Op)> = sets.map(|(at, i)| (at, &i.op)).collect();
    let flow = Flow(main);
    ir.globals.ids().find(|g| {
        let is_object = |e: &Expr| matches!(e, Expr::Global(o) if o == g);
        let mentions = |op: &Op| op.operands().into_iter().any(|e| mentions(e, *g));
        let mut stores = ir.procs.iter().flat_map(|p| &p.body).filter(|i| {
            mentions(&i.op) && !matches!(&i.op, Op::Load { addr, .. } if is_object(addr))
        });
        let (Some(_), None) = (stores.next(), stores.next()) else {
            return false;
        };
        let store = main
            .body
            .iter()
            .enumerate()
            .find_map(|(at, i)| match &i.op {
                Op::Store { addr, value, .. } if is_object(addr) => Some((at, value)),
                _ => None,
            });
        let Some((store, value)) = store else {
            return false;
        };
        let never = |from: Vec<usize>, past: &[usize], to: usize| {
            let reached = flow.reachable(from, &|at, _| past.contains(&at));
            !reached.contains(&to)
        };
        let loads: Vec<usize> = sets.iter().map(|(at, _)| *at).collect();
        let is_load = |op: &Op| matches!(op, Op::Load { addr, .. } if is_object(addr));
        let is_loaded = !sets.is_empty()
            && sets.iter().all(|(_, op)| is_load(op))
            && never(flow.after(store), &loads, spawn);
        let is_stored = matches!(value, Expr::Local(l) if l == bound)
            && matches!(sets[..], [(set, _)] if never(flow.after(set), &[store], spawn));
        never(vec![0], &[store], spawn)
            && never(flow.after(spawn), &[], store)
            && never(flow.after(compared.at), &[], store)
            && (is_loaded || is_stored)
    })
}

/// The arrays that the threads started so access at their own number.
fn arrays(ir: &Program, spawn: &Op) -> BTreeSet<GlobalId> {
    let mut own: BTreeMap<ProcId, BTreeSet<LocalId>> = BTreeMap::new();
    let mut arrays = BTreeSet::new();
    let mut work: Vec<(ProcId, LocalId)> = Vec::new();
    if let Op::Spawn { callee, .. } = spawn
        && let ir::program::Callee::Proc(p) = callee
    {
        work.extend(ir.procs[*p].params.first().map(|param| (*p, *param)));
    }
    while let Some((p, l)) = work.pop() {
        if !own.entry(p).or_default().insert(l) {
            continue;
        }
        let is_own = |e: &Expr| matches!(without_casts(e), Expr::Local(x) if *x == l);
        for instr in &ir.procs[p].body {
            match &instr.op {
                Op::Assign { dst, value } if is_own(value) => work.push((p, *dst)),
                Op::Call {
                    callee: ir::program::Callee::Proc(q),
                    args,
                    ..
                } => {
                    let params = ir.procs[*q].params.iter();
                    let handed = params.zip(args).filter(|(_, arg)| is_own(arg));
                    work.extend(handed.map(|(param, _)| (*q, *param)));
                }
                op => {
                    let address = match op {
                        Op::Assign { value, .. } => Some(value),
                        op => op.address(),
                    };
                    let mut names_own = false;
                    if let Some(address) = address {
                        address.each_local(&mut |x| names_own |= x == l);
                        arrays.extend(object(address).filter(|_| names_own));
                    }
                }
            }
        }
    }
    arrays
}

/// Whether `i < bound` where the condition holds (true) or where it does not.
fn below(cond: &Expr, i: LocalId) -> Option<(bool, &Expr)> {
    let is_i = |e: &Expr| matches!(e, Expr::Local(l) if *l == i);
    match cond {
        Expr::Unary(UnOp::Not, inner) => below(inner, i).map(|(holds, bound)| (!holds, bound)),
        Expr::Binary(BinOp::Slt | BinOp::Ult, a, b) if is_i(a) => Some((true, b)),
        Expr::Binary(BinOp::Sle | BinOp::Ule, a, b) if is_i(b) => Some((false, a)),
        _ => None,
    }
}

fn is_next(e: &Expr, i: LocalId) -> bool {
    match e {
        Expr::Binary(BinOp::Add, a, b) => {
            matches!(**a, Expr::Local(l) if l == i) && matches!(**b, Expr::Const { value: 1, .. })
        }
        _ => false,
    }
}

/// What has the same value in fewer bits, as far as no number is negative.
fn extended(e: &Expr) -> &Expr {
    match e {
        Expr::Cast(Cast::Sign | Cast::Zero, _, inner) => extended(inner),
        e => e,
    }
}

fn without_casts(e: &Expr) -> &Expr {
    match e {
        Expr::Cast(_, _, inner) => without_casts(inner),
        e => e,
    }
}

fn mentions(e: &Expr, g: GlobalId) -> bool {
    matches!(e, Expr::Global(o) if *o == g) || e.operands().any(|e| mentions(e, g))
}

/// The object that an address is in.
fn object(e: &Expr) -> Option<GlobalId> {
    match e {
        Expr::Global(g) => Some(*g),
        Expr::Binary(BinOp::Add, a, b) => object(a).or_else(|| object(b)),
        _ => None,
    }
}

/// The control flow of a procedure; its end is behind its last instruction.
struct Flow<'a>(&'a Proc);

impl Flow<'_> {
    fn after(&self, at: usize) -> Vec<usize> {
        match &self.0.body[at].op {
            Op::Goto { cond: None, target } => vec![*target],
            Op::Goto { target, .. } => vec![at + 1, *target],
            Op::Return(_) | Op::ThreadExit(_) | Op::Halt => Vec::new(),
            _ => vec![at + 1],
        }
    }

    /// What is reached from some instructions, these included, on ways that are not closed.
    fn reachable(
        &self,
        from: Vec<usize>,
        closed: &dyn Fn(usize, usize) -> bool,
    ) -> BTreeSet<usize> {
        let mut seen: BTreeSet<usize> = BTreeSet::new();
        let mut work = from;
        while let Some(at) = work.pop() {
            if at < self.0.body.len() && seen.insert(at) {
                let after = self.after(at).into_iter();
                work.extend(after.filter(|to| !closed(at, *to)));
            }
        }
        seen
    }
}
