//! The final states of a litmus test under sequential consistency, by trying all interleavings of
//! its instructions. Shares nothing with the stages that come after the lowering.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use wmbmc::base::idx::Id;
use wmbmc::ir::litmus::LitmusTest;
use wmbmc::ir::program::*;

/// More states are left to the tests of the whole pipeline.
const MAX_STATES: usize = 1_000;

/// A final state: the value of each observable.
pub type Final = BTreeMap<ObservableId, u64>;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Thread {
    pc: usize,
    locals: Vec<u64>,
    /// The address that the last linked load has reserved.
    reserved: Option<u64>,
    observed: Vec<(ObservableId, u64)>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    threads: Vec<Thread>,
    memory: BTreeMap<u64, u64>,
}

/// All final states.
///
/// `None` when there are too many states on the way.
///
/// # Errors
/// An instruction that is not known here, or an access outside of all cells.
pub fn final_states(test: &LitmusTest) -> Result<Option<BTreeSet<Final>>, String> {
    let program = &test.program;
    let main = &program.procs[program.main.ok_or("no main")?];
    let mut procs = Vec::new();
    for instr in &main.body {
        match &instr.op {
            Op::Spawn {
                callee: Callee::Proc(p),
                ..
            } => procs.push(&program.procs[*p]),
            other => return Err(format!("main does {other:?}")),
        }
    }
    let start = State {
        threads: procs
            .iter()
            .map(|p| Thread {
                pc: 0,
                locals: vec![0; p.locals.len()],
                reserved: None,
                observed: Vec::new(),
            })
            .collect(),
        memory: initial(program, main)?,
    };
    let (mut seen, mut todo, mut finals) = (HashSet::new(), vec![start], BTreeSet::new());
    while let Some(state) = todo.pop() {
        if seen.len() > MAX_STATES {
            return Ok(None);
        }
        let mut ended = true;
        for (i, proc) in procs.iter().enumerate() {
            if state.threads[i].pc >= proc.body.len() {
                continue;
            }
            ended = false;
            for choice in [true, false] {
                let mut next = state.clone();
                let chose = step(program, proc, &mut next, i, choice)?;
                // What no other thread sees need not be interleaved.
                while let Some(instr) = proc.body.get(next.threads[i].pc) {
                    if touches_memory(&instr.op) {
                        break;
                    }
                    step(program, proc, &mut next, i, true)?;
                }
                if seen.insert(next.clone()) {
                    todo.push(next);
                }
                if !chose {
                    break;
                }
            }
        }
        if ended {
            finals.insert(final_state(program, &state));
        }
    }
    Ok(Some(finals))
}

fn address(program: &Program, global: GlobalId) -> u64 {
    (global.index() as u64 + 1) << program.data_model.offset_bits()
}

fn initial(program: &Program, proc: &Proc) -> Result<BTreeMap<u64, u64>, String> {
    let mut memory = BTreeMap::new();
    for (id, global) in program.globals.iter_enumerated() {
        for (offset, _) in program.scalars(global.layout) {
            memory.insert(address(program, id) + offset, 0);
        }
        for (offset, _, value) in &global.init {
            let value = eval(program, proc, &[], value);
            memory.insert(address(program, id) + offset, value);
        }
    }
    Ok(memory)
}

fn final_state(program: &Program, state: &State) -> Final {
    let mut values: Final = state
        .threads
        .iter()
        .flat_map(|t| t.observed.clone())
        .collect();
    for (id, observable) in program.observables.iter_enumerated() {
        if let Observable::Memory { global, offset, .. } = observable {
            values.insert(id, state.memory[&(address(program, *global) + offset)]);
        }
    }
    values
}

/// The address of an object as conditions see it.
pub fn address_of(program: &Program) -> impl Fn(GlobalId) -> u64 {
    |global| address(program, global)
}

fn touches_memory(op: &Op) -> bool {
    !matches!(
        op,
        Op::Assign { .. } | Op::Goto { .. } | Op::Fence(_) | Op::Observe { .. }
    )
}

/// One instruction; true when it could have gone another way.
fn step(
    program: &Program,
    proc: &Proc,
    state: &mut State,
    thread: usize,
    choice: bool,
) -> Result<bool, String> {
    let at = state.threads[thread].pc;
    let op = &proc.body[at].op;
    let locals = state.threads[thread].locals.clone();
    let value = |e: &Expr| eval(program, proc, &locals, e);
    let width = |l: &LocalId| proc.locals[*l].width;
    let cell = |state: &State, addr: u64| {
        let found = state.memory.get(&addr).copied();
        found.ok_or_else(|| format!("{}: an access at {addr:#x}", proc.name))
    };
    let mut next = at + 1;
    let mut set = None;
    let mut chose = false;
    match op {
        Op::Assign { dst, value: v } => set = Some((*dst, value(v))),
        Op::Load { dst, addr, .. } => set = Some((*dst, cell(state, value(addr))?)),
        Op::LoadLinked { dst, addr, .. } => {
            set = Some((*dst, cell(state, value(addr))?));
            state.threads[thread].reserved = Some(value(addr));
        }
        Op::Store { addr, value: v, .. } => {
            cell(state, value(addr))?;
            write(state, thread, value(addr), value(v));
        }
        Op::StoreConditional {
            dst,
            addr,
            value: v,
            ..
        } => {
            cell(state, value(addr))?;
            let held = state.threads[thread].reserved.take() == Some(value(addr));
            chose = held;
            if held && choice {
                write(state, thread, value(addr), value(v));
            }
            set = Some((*dst, u64::from(held && choice)));
        }
        Op::Rmw {
            dst,
            addr,
            op,
            operand,
            ..
        } => {
            let old = cell(state, value(addr))?;
            let x = value(operand);
            let new = match op {
                RmwOp::Exchange => x,
                RmwOp::Add => old.wrapping_add(x),
                RmwOp::Sub => old.wrapping_sub(x),
                RmwOp::And => old & x,
                RmwOp::Or => old | x,
                RmwOp::Xor => old ^ x,
                RmwOp::Nand => !(old & x),
            };
            write(state, thread, value(addr), new & mask(width(dst)));
            set = Some((*dst, old));
        }
        Op::Cas {
            dst,
            addr,
            expected,
            desired,
            ..
        } => {
            let old = cell(state, value(addr))?;
            if old == value(expected) {
                write(state, thread, value(addr), value(desired));
            }
            set = Some((*dst, old));
        }
        Op::Fence(_) => {}
        Op::Observe { what, value: v } => state.threads[thread].observed.push((*what, value(v))),
        Op::Goto { cond, target } => {
            if cond.as_ref().is_none_or(|c| value(c) == 1) {
                next = *target;
            }
        }
        other => return Err(format!("{}: {other:?}", proc.name)),
    }
    let thread = &mut state.threads[thread];
    if let Some((dst, v)) = set {
        thread.locals[dst.index()] = v;
    }
    thread.pc = next;
    Ok(chose)
}

/// A write ends the reservations of the other threads.
fn write(state: &mut State, thread: usize, addr: u64, value: u64) {
    for (i, other) in state.threads.iter_mut().enumerate() {
        if i != thread && other.reserved == Some(addr) {
            other.reserved = None;
        }
    }
    state.memory.insert(addr, value);
}

fn eval(program: &Program, proc: &Proc, locals: &[u64], e: &Expr) -> u64 {
    let sub = |e: &Expr| eval(program, proc, locals, e);
    let width = e.width(program, proc);
    let value = match e {
        Expr::Const { value, .. } => *value,
        Expr::Local(l) => locals[l.index()],
        Expr::Global(g) => address(program, *g),
        Expr::Proc(_) => 0,
        Expr::Unary(op, a) => eval_unary(*op, sub(a), width),
        Expr::Binary(op, a, b) => eval_binary(*op, sub(a), sub(b), a.width(program, proc)),
        Expr::Ite(c, a, b) => sub(if sub(c) == 1 { a } else { b }),
        Expr::Cast(cast, to, a) => eval_cast(*cast, sub(a), a.width(program, proc), *to),
    };
    value & mask(width)
}
