//! Follows an abstract run on the program itself.
//!
//! The run fixes which step comes when. What is open is what undetermined variables hold at the
//! beginning and what is chosen on the way; each of these is a symbol, every variable is a linear term
//! over symbols, and the guards are conditions on them. If they can hold together, numbers are taken
//! for the symbols and the run is executed once more on numbers, by plain code that knows nothing of
//! the solver. If not, the shortest part that cannot be followed is found.

use crate::commands::arith::{Cond, Linear, Valuation, VarId};
use crate::commands::program::{Effect, Move, Program, Update, VariableKind};
use base::idx::IdVec;
use num::ToPrimitive;
use smt::{Limits, SmtResult, SmtValue, Solver, Sort, Var};

/// A run on numbers.
#[derive(Clone, Debug)]
pub struct Run {
    /// The values at the beginning.
    pub start: Valuation,
    /// Each move, and the values after it.
    pub steps: Vec<(Move, Valuation)>,
}

/// What came of following a run.
#[derive(Clone, Debug)]
pub enum Replay {
    /// It is a run of the program.
    Real(Run),
    /// The step at this position cannot follow the ones before.
    Spurious(usize),
    /// The solver does not know.
    Unclear,
}

/// Where a run that is followed begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beginning {
    /// Where the program does.
    Initial,
    /// Anywhere: nothing is known of the values.
    Anywhere,
}

/// A run over symbols, each of which stands for a number that is not determined.
#[derive(Clone, Debug)]
pub struct SymbolicRun {
    /// How many symbols there are; they are called by their numbers.
    pub symbols: u32,
    /// The values before each step, and after the last.
    pub values: Vec<IdVec<VarId, Linear>>,
    /// The guard of each step.
    pub guards: Vec<Cond>,
    /// The symbols that each step chooses.
    choices: Vec<Vec<(VarId, Linear)>>,
}

impl SymbolicRun {
    /// Follows steps, whether their guards hold or not.
    pub fn new(program: &Program, run: &[Move], from: Beginning) -> SymbolicRun {
        let mut symbols: u32 = 0;
        let mut fresh = || {
            symbols += 1;
            Linear::var(VarId(symbols - 1))
        };
        let start = program.vars.iter().map(|v| match (from, v.initial) {
            (Beginning::Initial, Some(n)) => Linear::constant(n),
            _ => fresh(),
        });
        let mut values: Vec<IdVec<VarId, Linear>> = vec![start.collect()];
        let mut guards = Vec::new();
        let mut choices = Vec::new();
        for (i, m) in run.iter().enumerate() {
            let step = program.step(*m);
            let now = |x: VarId| Some(values[i][x].clone());
            guards.push(step.guard.replace(&now));
            let mut after = values[i].clone();
            let mut chosen = Vec::new();
            for (x, u) in &step.updates {
                after[*x] = match u {
                    Update::Set(v) => v.replace(&now),
                    Update::Any => {
                        let symbol = fresh();
                        chosen.push((*x, symbol.clone()));
                        symbol
                    }
                };
            }
            choices.push(chosen);
            values.push(after);
        }
        SymbolicRun {
            symbols,
            values,
            guards,
            choices,
        }
    }
}

/// Numbers before each step of a run, and after the last, with which all its steps are possible.
pub fn numbers(program: &Program, run: &[Move]) -> Option<Vec<Valuation>> {
    let symbolic = SymbolicRun::new(program, run, Beginning::Initial);
    let numbers = solve(symbolic.symbols, &symbolic.guards)??;
    let all = symbolic.values.iter();
    all.map(|values| values.iter().map(|v| v.value(&numbers)).collect())
        .collect()
}

/// Follows a run.
pub fn replay(program: &Program, run: &[Move]) -> Replay {
    let symbolic = SymbolicRun::new(program, run, Beginning::Initial);
    let Some(answer) = solve(symbolic.symbols, &symbolic.guards) else {
        return shortest(symbolic.symbols, &symbolic.guards);
    };
    let Some(numbers) = answer else {
        return Replay::Unclear;
    };
    let number = |sum: &Linear| sum.value(&numbers);
    let first: Option<Vec<i128>> = symbolic.values[0].iter().map(number).collect();
    let chosen: Option<Vec<Vec<(VarId, i128)>>> = symbolic
        .choices
        .iter()
        .map(|all| all.iter().map(|(x, s)| Some((*x, number(s)?))).collect())
        .collect();
    let (Some(first), Some(chosen)) = (first, chosen) else {
        return Replay::Unclear;
    };
    match execute(program, run, first.into_iter().collect(), &chosen) {
        Some(run) => Replay::Real(run),
        None => Replay::Unclear,
    }
}

/// Executes a run on numbers; nothing when some guard does not hold.
fn execute(
    program: &Program,
    run: &[Move],
    start: Valuation,
    chosen: &[Vec<(VarId, i128)>],
) -> Option<Run> {
    let mut values = start.clone();
    let mut steps = Vec::new();
    for (m, chosen) in run.iter().zip(chosen) {
        let step = program.step(*m);
        if step.guard.holds(&values) != Some(true) {
            return None;
        }
        let mut after = values.clone();
        for (x, u) in &step.updates {
            after[*x] = match u {
                Update::Set(v) => v.value(&values)?,
                Update::Any => chosen.iter().find(|(y, _)| y == x)?.1,
            };
        }
        values = after;
        steps.push((*m, values.clone()));
    }
    let fails = run
        .last()
        .is_some_and(|m| matches!(program.step(*m).effect, Effect::Fail(_)));
    fails.then_some(Run { start, steps })
}

/// Numbers for the symbols; `None` when the conditions contradict each other, `Some(None)` when the
/// solver does not know.
fn solve(symbols: u32, conds: &[Cond]) -> Option<Option<Valuation>> {
    let mut solver = Solver::new(Limits::default());
    let vars: Vec<Var> = (0..symbols).map(|_| solver.variable(Sort::Int)).collect();
    for c in conds {
        solver.assert(c.formula(&mut |x| vars[x.0 as usize]));
    }
    match solver.check() {
        SmtResult::Sat(assignment) => {
            let number = |x: &Var| match &assignment.values[*x] {
                SmtValue::Number(n) if n.is_integer() => n.to_integer().to_i128(),
                _ => None,
            };
            Some(vars.iter().map(number).collect())
        }
        SmtResult::Unsat(_) => None,
        SmtResult::Unknown(_) => Some(None),
    }
}

/// The first step that cannot follow those before it, by bisection.
fn shortest(symbols: u32, guards: &[Cond]) -> Replay {
    let (mut possible, mut impossible) = (0, guards.len());
    while possible + 1 < impossible {
        let middle = (possible + impossible) / 2;
        match solve(symbols, &guards[..middle]) {
            Some(_) => possible = middle,
            None => impossible = middle,
        }
    }
    Replay::Spurious(impossible - 1)
}

/// A step of a run, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Described {
    /// Who does it.
    pub who: String,
    /// It is the buffer of the thread, by itself.
    pub flush: bool,
    /// Where it is in the source.
    pub span: base::source::Span,
    /// What has another value than before.
    pub changes: Vec<(String, i128)>,
    /// What is buffered after it, by thread.
    pub buffers: Vec<(String, Vec<(String, i128)>)>,
}

/// A run for people: temporaries and what changes nothing are left out.
pub fn describe(program: &Program, run: &Run) -> Vec<Described> {
    let mut described = Vec::new();
    let mut before = &run.start;
    for (i, (m, after)) in run.steps.iter().enumerate() {
        let (who, flush) = match m {
            Move::Thread(t, _) => (program.threads[*t].name.clone(), false),
            Move::Flush(i) => (program.threads[program.flushes[*i].0].name.clone(), true),
            Move::Invariant(_) => (String::new(), false),
        };
        let step = program.step(*m);
        let changed = step.updates.iter().filter(|(x, u)| {
            let quiet = matches!(
                program.vars[*x].kind,
                VariableKind::Temporary(_) | VariableKind::Buffer(_)
            );
            !quiet && (before[*x] != after[*x] || *u != Update::Any && !flush)
        });
        let changes: Vec<(String, i128)> = changed
            .map(|(x, _)| (program.name(*x), after[*x]))
            .collect();
        let buffered = step
            .updates
            .iter()
            .any(|(x, _)| matches!(program.vars[*x].kind, VariableKind::Buffer(_)));
        if !changes.is_empty() || buffered || i + 1 == run.steps.len() {
            described.push(Described {
                who,
                flush,
                span: step.span,
                changes,
                buffers: super::reduce::contents(program, after),
            });
        }
        before = after;
    }
    described
}
