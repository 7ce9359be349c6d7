//! Store buffers as variables: from a program on TSO or PSO to one on SC.
//!
//! Sec. 3 of the paper, Fig. 5 (PSO) and Fig. 12 (TSO), for a bound `k` on the entries of a buffer. On
//! PSO each thread has for each variable that it stores `k` cells `x_1.t … x_k.t` and a counter
//! `x_cnt.t`; on TSO it has one buffer of `k` cells `lhs_i.t` (which variable) and `rhs_i.t` (its value)
//! and a counter `cnt.t`. A store appends, and fails as an overflow where the buffer is full; a load
//! takes the newest entry of its variable, or memory; a fence waits until the buffer is empty; a flush
//! moves the oldest entry to memory.
//!
//! The paper puts flushes after every statement. Here they are steps of their own that are possible
//! whenever no thread is in an atomic section: the same runs. As in the paper, a proof covers buffers of
//! every size, as it includes that none ever holds more than `k`.
//!
//! Atomic sections, starting and joining a thread, and read-modify-writes on TSO wait for empty
//! buffers and access memory directly, as they do in the bounded checker. What orders stores
//! without emptying the buffers (release order on PSO) would need buffers with marks; it is refused.

use crate::commands::arith::{Cond, Linear, Valuation, VarId};
use crate::commands::program::*;
use crate::commands::strength::{BufferModel, Strength, strength};
use base::diag::Diag;
use base::idx::{Id, IdVec};
use base::source::Span;
use ir::program::Fence;
use std::collections::BTreeSet;

/// Makes the buffers of a model, each of at most `bound` entries, variables of the program.
///
/// # Errors
/// What the buffers cannot express.
pub fn reduce(program: &Program, model: BufferModel, bound: u32) -> Result<Program, Diag> {
    let mut reduced = program.clone();
    if model == BufferModel::Sc {
        return Ok(reduced);
    }
    let overflow = buffer_variable(&mut reduced, ThreadId(0), "overflow".into());
    for t in program.threads.ids() {
        make_buffers(program, &mut reduced, t, model, bound)?;
    }
    let reducer = Reducer {
        program,
        model,
        buffers: reduced.buffers.clone(),
        overflow,
    };
    for t in program.threads.ids() {
        let thread = &program.threads[t];
        let mut steps = Vec::new();
        for step in &thread.steps {
            steps.extend(reducer.step(t, step)?);
        }
        reduced.threads[t].steps = steps;
    }
    for buffer in &reducer.buffers {
        let span = program.threads[buffer.thread].locations[LocId(0)].span;
        let flushes = flush(buffer, span);
        reduced
            .flushes
            .extend(flushes.into_iter().map(|s| (buffer.thread, s)));
    }
    Ok(reduced)
}

fn buffer_variable(program: &mut Program, t: ThreadId, name: String) -> VarId {
    program.vars.push(Variable {
        name,
        kind: VariableKind::Buffer(t),
        initial: Some(0),
    })
}

/// The shared variables that a thread stores through its buffer.
fn stored(program: &Program, t: ThreadId) -> Vec<VarId> {
    let thread = &program.threads[t];
    let buffered = thread
        .steps
        .iter()
        .filter(|s| !thread.locations[s.from].atomic && !matches!(s.effect, Effect::Rmw(_)));
    let stores = buffered.flat_map(|s| s.updates.iter().map(|(x, _)| *x));
    let shared: BTreeSet<VarId> = stores.filter(|x| program.is_shared(*x)).collect();
    shared.into_iter().collect()
}

fn make_buffers(
    program: &Program,
    reduced: &mut Program,
    t: ThreadId,
    model: BufferModel,
    bound: u32,
) -> Result<(), Diag> {
    let stores = stored(program, t);
    let fenced = is_fenced(program, t, model)?;
    let owner = program.threads[t].name.clone();
    let groups: Vec<Vec<VarId>> = match model {
        BufferModel::Pso => stores.into_iter().map(|x| vec![x]).collect(),
        _ if stores.is_empty() => Vec::new(),
        _ => vec![stores],
    };
    for stores in groups {
        let prefix = match (model, &stores[..]) {
            (BufferModel::Pso, [x]) => format!("{}_", program.vars[*x].name),
            _ => String::new(),
        };
        let count = buffer_variable(reduced, t, format!("{prefix}cnt.{owner}"));
        let mut cells = Vec::new();
        for i in 1..=bound {
            let (target, value) = match model {
                BufferModel::Pso => (None, format!("{prefix}{i}.{owner}")),
                _ => {
                    let target = buffer_variable(reduced, t, format!("lhs_{i}.{owner}"));
                    (Some(target), format!("rhs_{i}.{owner}"))
                }
            };
            let value = buffer_variable(reduced, t, value);
            cells.push(BufferCell { target, value });
        }
        reduced.buffers.push(Buffer {
            thread: t,
            count,
            cells,
            stores,
            fenced,
        });
    }
    Ok(())
}

/// On every path of a thread between two stores there is something that empties the buffers.
fn is_fenced(program: &Program, t: ThreadId, model: BufferModel) -> Result<bool, Diag> {
    let thread = &program.threads[t];
    let mut buffered = vec![false; thread.locations.len()];
    loop {
        let before = buffered.clone();
        for step in &thread.steps {
            let empties = match &step.effect {
                Effect::Fence(fence) => empties(model, *fence, step.span)?,
                Effect::Rmw(_) | Effect::Spawn(_) | Effect::Join(_) => true,
                Effect::None | Effect::Fail(_) => false,
            };
            let stores = !matches!(step.effect, Effect::Rmw(_))
                && !thread.locations[step.from].atomic
                && step.updates.iter().any(|(x, _)| program.is_shared(*x));
            if stores && buffered[step.from.index()] {
                return Ok(false);
            }
            buffered[step.to.index()] |= stores || buffered[step.from.index()] && !empties;
        }
        if buffered == before {
            return Ok(true);
        }
    }
}

impl Buffer {
    /// The number of a variable in this buffer.
    pub fn number(&self, x: VarId) -> Option<i128> {
        let at = self.stores.iter().position(|y| *y == x)?;
        i128::try_from(at).ok()
    }

    /// It has this many entries.
    fn holds(&self, entries: usize) -> Cond {
        Cond::is(self.count, number(entries))
    }

    /// An entry is of a variable.
    fn is_of(&self, cell: &BufferCell, x: VarId) -> Cond {
        match (cell.target, self.number(x)) {
            (Some(target), Some(n)) => Cond::is(target, n),
            (None, Some(_)) => Cond::Const(true),
            (_, None) => Cond::Const(false),
        }
    }
}

fn number(n: usize) -> i128 {
    i128::try_from(n).expect("a bound of a buffer is small")
}

struct Reducer<'a> {
    program: &'a Program,
    model: BufferModel,
    buffers: Vec<Buffer>,
    overflow: VarId,
}

impl Reducer<'_> {
    fn of(&self, t: ThreadId) -> impl Iterator<Item = &Buffer> {
        self.buffers.iter().filter(move |b| b.thread == t)
    }

    /// All buffers of a thread are empty.
    fn empty(&self, t: ThreadId) -> Cond {
        Cond::and(self.of(t).map(|b| b.holds(0)))
    }

    fn step(&self, t: ThreadId, step: &Step) -> Result<Vec<Step>, Diag> {
        let program = self.program;
        let mut step = step.clone();
        if program.threads[t].locations[step.from].atomic {
            // The buffer is empty since the section began.
            if matches!(step.effect, Effect::Fence(_) | Effect::Rmw(_)) {
                step.effect = Effect::None;
            }
            return Ok(vec![step]);
        }
        let waits = match &step.effect {
            Effect::Fence(fence) => match empties(self.model, *fence, step.span)? {
                false => Cond::Const(true),
                true => self.empty(t),
            },
            Effect::Rmw(_) if self.model == BufferModel::Pso => {
                let message = "predicate abstraction does not support read-modify-writes on `pso`";
                return Err(Diag::error(step.span, message));
            }
            Effect::Rmw(_) | Effect::Spawn(_) => self.empty(t),
            Effect::Join(other) => Cond::and([self.empty(t), self.empty(*other)]),
            Effect::None | Effect::Fail(_) => Cond::Const(true),
        };
        let is_rmw = matches!(step.effect, Effect::Rmw(_));
        if matches!(step.effect, Effect::Fence(_) | Effect::Rmw(_)) {
            step.effect = Effect::None;
        }
        step.guard = Cond::and([step.guard, waits]);
        if is_rmw {
            return Ok(vec![step]);
        }
        // Counters of buffers are no variables of the program that is reduced.
        let shared = |x: &VarId| {
            program
                .vars
                .get(*x)
                .is_some_and(|v| v.kind == VariableKind::Shared)
        };
        let loads: Vec<VarId> = step.reads().into_iter().filter(shared).collect();
        let store = step.updates.iter().position(|(x, _)| shared(x));
        match (store, &loads[..]) {
            (None, []) => Ok(vec![step]),
            (None, [x]) => Ok(self.load(t, &step, *x)),
            (Some(at), []) => Ok(self.store(t, &step, at)),
            _ => Err(Diag::error(
                step.span,
                "predicate abstraction does not support a step that accesses memory twice",
            )),
        }
    }

    fn load(&self, t: ThreadId, step: &Step, x: VarId) -> Vec<Step> {
        let Some(buffer) = self.of(t).find(|b| b.stores.contains(&x)) else {
            return vec![step.clone()];
        };
        let mut steps = Vec::new();
        for entries in 0..=buffer.cells.len() {
            let mut older = buffer.holds(entries);
            for cell in buffer.cells[..entries].iter().rev() {
                let here = buffer.is_of(cell, x);
                let guard = Cond::and([older.clone(), here.clone()]);
                steps.push(reading(step, x, Some(cell.value), guard));
                older = Cond::and([older, here.negate()]);
            }
            steps.push(reading(step, x, None, older));
        }
        steps.retain(|s| s.guard != Cond::Const(false));
        steps
    }

    fn store(&self, t: ThreadId, step: &Step, at: usize) -> Vec<Step> {
        let (x, value) = step.updates[at].clone();
        let buffer = self.of(t).find(|b| b.stores.contains(&x));
        let buffer = buffer.expect("a thread has a buffer for what it stores");
        let mut steps = Vec::new();
        for (entries, cell) in buffer.cells.iter().enumerate() {
            let mut appended = step.clone();
            appended.guard = Cond::and([step.guard.clone(), buffer.holds(entries)]);
            appended.updates.remove(at);
            appended.updates.push((cell.value, value.clone()));
            if let (Some(target), Some(n)) = (cell.target, buffer.number(x)) {
                appended
                    .updates
                    .push((target, Update::Set(Linear::constant(n))));
            }
            let count = Update::Set(Linear::constant(number(entries + 1)));
            appended.updates.push((buffer.count, count));
            steps.push(appended);
        }
        let mut full = step.clone();
        full.guard = Cond::and([step.guard.clone(), buffer.holds(buffer.cells.len())]);
        full.updates = vec![(self.overflow, Update::Set(Linear::constant(1)))];
        full.effect = Effect::Fail(Failure::Overflow);
        steps.push(full);
        steps
    }
}

/// Whether a fence empties the buffers.
fn empties(model: BufferModel, fence: Fence, span: Span) -> Result<bool, Diag> {
    match strength(model, fence) {
        Some(Strength::Nothing) => Ok(false),
        Some(Strength::Empties) => Ok(true),
        Some(Strength::OrdersStores) => Err(Diag::error(
            span,
            "predicate abstraction does not support release order on `pso`",
        )
        .note("a full fence is `atomic_thread_fence(memory_order_seq_cst)`")),
        None => Err(Diag::error(
            span,
            "predicate abstraction does not support this fence",
        )),
    }
}

/// A load from a cell or from memory.
fn reading(step: &Step, x: VarId, cell: Option<VarId>, when: Cond) -> Step {
    let by = |y: VarId| cell.filter(|_| y == x).map(Linear::var);
    let mut read = step.clone();
    read.guard = Cond::and([when, step.guard.replace(&by)]);
    for (_, u) in &mut read.updates {
        if let Update::Set(v) = u {
            *v = v.replace(&by);
        }
    }
    read
}

/// The oldest entry goes to memory.
fn flush(buffer: &Buffer, span: Span) -> Vec<Step> {
    let mut steps = Vec::new();
    for entries in 1..=buffer.cells.len() {
        for x in &buffer.stores {
            let oldest = &buffer.cells[0];
            let guard = Cond::and([buffer.holds(entries), buffer.is_of(oldest, *x)]);
            let set = |to: VarId, from: VarId| (to, Update::Set(Linear::var(from)));
            let mut updates = vec![set(*x, oldest.value)];
            for pair in buffer.cells[..entries].windows(2) {
                updates.push(set(pair[0].value, pair[1].value));
                if let (Some(to), Some(from)) = (pair[0].target, pair[1].target) {
                    updates.push(set(to, from));
                }
            }
            let count = Update::Set(Linear::constant(number(entries - 1)));
            updates.push((buffer.count, count));
            steps.push(Step {
                guard,
                updates,
                ..Step::new(LocId(0), LocId(0), span)
            });
        }
    }
    steps
}

/// What is buffered, by thread, the oldest first; threads without entries are left out.
pub fn contents(program: &Program, values: &Valuation) -> Vec<(String, Vec<(String, i128)>)> {
    let mut all: IdVec<ThreadId, Vec<(String, i128)>> =
        program.threads.iter().map(|_| Vec::new()).collect();
    for buffer in &program.buffers {
        let entries = usize::try_from(values[buffer.count]).unwrap_or_default();
        for cell in buffer.cells.iter().take(entries) {
            let at = cell.target.map_or(0, |x| values[x]);
            let variable = usize::try_from(at).ok().and_then(|i| buffer.stores.get(i));
            if let Some(x) = variable {
                all[buffer.thread].push((program.name(*x), values[cell.value]));
            }
        }
    }
    let named = all
        .iter_enumerated()
        .filter(|(_, entries)| !entries.is_empty());
    named
        .map(|(t, entries)| (program.threads[t].name.clone(), entries.clone()))
        .collect()
}
