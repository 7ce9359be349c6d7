//! The final states of a program: whether a condition on them is reachable, and all of them.
//!
//! One formula and one solver per program and model, asked incrementally. Whether a condition can
//! hold and whether it can fail are two questions with assumptions; all states come from asking
//! again and again, each answer excluded by a clause over what a state shows. Every execution the
//! solver answers with is judged by the model's axioms, replayed by the program, and its final
//! state computed from that replay and the coherence order, before it counts.

use super::bmc::{CheckError, Env, analyse, encoding};
use super::consistent::Consistent;
use super::decode::{Mismatch, Run};
use super::outcome::{LoopAtBound, Stats, Trace, UnknownReason};
use super::reach::{self, Reached};
use super::replay::observe;
use super::trace::trace;
use super::violation::is_robust;
use crate::encode::Encoding;
use crate::encode::Reductions;
use crate::encode::finals::Finals;
use crate::encode::order::Backend;
use crate::unroll::event::{EventGraph, Final};
use base::idx::Id;
use base::source::{SourceMap, Span};
use cat::eval::Evaluator;
use cat::execution::Execution;
use cat::model::{Flag, Model};
use enumerate::Enumeration;
use ir::litmus::{Condition, FinalCondition, Operand, Quantifier};
use ir::program::{ObservableId, Op, Proc, Program, PropertyKind};
use smt::sat::cnf::{Cnf, Lit};
use smt::sat::{Cadical, SatResult, Solver};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Values of observables, in the order in which they are shown.
pub type FinalState = Vec<u64>;

/// A program, unwound, and a model.
#[derive(Clone, Copy)]
pub struct LitmusTask<'a> {
    /// The program, to replay executions.
    pub program: &'a Program,
    /// The program unwound.
    pub graph: &'a EventGraph,
    /// The memory model.
    pub model: &'a Model,
    /// How orders are encoded.
    pub order: Backend,
    /// What makes the formula smaller.
    pub reductions: Reductions,
    /// A witness is wanted; it takes longer to show than most tests to answer.
    pub witness: bool,
}

/// How much is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Depth {
    /// Whether the condition can hold, and whether it can fail.
    Condition,
    /// All final states.
    States,
}

/// A final state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Seen {
    /// The condition holds.
    pub holds: bool,
    /// How many executions end so, where they were counted.
    pub executions: Option<u64>,
}

/// The answer to a question under one model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The model's short name.
    pub model: String,
    /// The condition can hold.
    pub holds: bool,
    /// The condition can fail.
    pub fails: bool,
    /// All final states; `None` when they were not asked for.
    pub states: Option<BTreeMap<FinalState, Seen>>,
    /// Marks that the model gives to some execution, in the order of its text.
    pub flags: Vec<String>,
    /// A limit that was passed, or unsupported constructs that are reachable; what was found
    /// stands.
    pub unknown: Option<UnknownReason>,
    /// Loops whose bound was reached: there may be more states.
    pub loops_at_bound: Vec<LoopAtBound>,
    /// An execution in which the condition holds, or for `forall` one in which it fails; none where
    /// none is wanted.
    pub witness: Option<Trace>,
    /// Whether the executions and the states are those of sequential consistency, where that is asked for.
    pub robust: Option<Robustness>,
    /// Measurements.
    pub stats: Stats,
}

/// Whether a test is robust: its executions are those of sequential consistency (trace robustness), or its final
/// states (state robustness); `None` where that is not decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Robustness {
    /// No execution has a cycle of program order and communications.
    pub executions: Option<bool>,
    /// Each final state is one on SC, too.
    pub states: Option<bool>,
}

impl Finding {
    fn nothing(model: &Model) -> Finding {
        Finding {
            model: model.name.clone(),
            holds: false,
            fails: false,
            states: None,
            flags: Vec::new(),
            unknown: None,
            loops_at_bound: Vec::new(),
            witness: None,
            robust: None,
            stats: Stats::default(),
        }
    }

    /// Whether nothing stands between this and a complete answer.
    pub fn is_complete(&self) -> bool {
        self.unknown.is_none() && self.loops_at_bound.is_empty()
    }

    /// In how many final states, or executions where they were counted, the condition holds and
    /// fails; `None` when the states were not asked for.
    pub fn counts(&self) -> Option<(u64, u64)> {
        let states = self.states.as_ref()?.values();
        let count = |wanted: bool| {
            let wanted = states.clone().filter(|s| s.holds == wanted);
            wanted.map(|s| s.executions.unwrap_or(1)).sum()
        };
        Some((count(true), count(false)))
    }
}

/// Answers a question about the final states of a program.
///
/// # Errors
/// The model cannot be used with this program, or an execution found does not stand up to
/// validation.
pub fn answer(
    task: &LitmusTask,
    final_condition: &FinalCondition,
    depth: Depth,
    env: &Env,
    sources: &SourceMap,
) -> Result<Finding, CheckError> {
    let mut finding = Finding::nothing(task.model);
    let Some(mut search) = LitmusSearch::new(task, env, &mut finding.stats)? else {
        finding.unknown = Some(limit(env));
        return Ok(finding);
    };
    let start = (env.now)();
    let condition = search.literal(&final_condition.condition);
    if let Some(filter) = &final_condition.filter {
        let filter = search.literal(filter);
        search.within = search.encoding.cnf.and(search.within, filter);
    }
    let refutes = final_condition.quantifier == Quantifier::Forall;
    let found = |search: &LitmusSearch, state: &Last, wanted: &mut Finding| {
        let holds = state.satisfies(&final_condition.condition, task);
        wanted.holds |= holds;
        wanted.fails |= !holds;
        if task.witness && holds != refutes && wanted.witness.is_none() {
            wanted.witness = Some(search.show(state, sources));
        }
        holds
    };
    // Before the states, which are found no more once they are known.
    for (at, flag) in task.model.flags.iter().enumerate() {
        if finding.flags.contains(&flag.name) {
            continue;
        }
        match search.is_marked(at, flag)? {
            Some(true) => finding.flags.push(flag.name.clone()),
            Some(false) => {}
            None => finding.unknown = Some(limit(env)),
        }
    }
    match depth {
        Depth::Condition => {
            for goal in [condition, !condition] {
                match search.find(&[goal])? {
                    SolverAnswer::State(state) => {
                        found(&search, &state, &mut finding);
                    }
                    SolverAnswer::Nothing => {}
                    SolverAnswer::Limit => finding.unknown = Some(limit(env)),
                }
            }
        }
        Depth::States => {
            let mut states = BTreeMap::new();
            loop {
                match search.find(&[])? {
                    SolverAnswer::State(state) => {
                        let shown = final_condition
                            .shown
                            .iter()
                            .map(|o| state.values[o])
                            .collect();
                        let holds = found(&search, &state, &mut finding);
                        let seen = Seen {
                            holds,
                            executions: None,
                        };
                        states.insert(shown, seen);
                        search.exclude(&state, &final_condition.shown);
                    }
                    SolverAnswer::Nothing => break,
                    SolverAnswer::Limit => {
                        finding.unknown = Some(limit(env));
                        break;
                    }
                }
            }
            finding.states = Some(states);
        }
    }
    if finding.unknown.is_none() {
        let Incomplete {
            unsupported,
            loops_at_bound,
        } = search.incomplete();
        if !unsupported.certain.is_empty() {
            finding.unknown = Some(UnknownReason::Unsupported(unsupported.certain));
        } else if !unsupported.open.is_empty() || !loops_at_bound.open.is_empty() {
            finding.unknown = Some(limit(env));
        }
        finding.loops_at_bound = loops_at_bound.possible();
    }
    finding.stats.conflicts = search.solver.conflicts();
    finding.stats.judged = search.solver.judged;
    finding.stats.learnt = search.solver.learnt;
    let solved = (env.now)() - start;
    finding.stats.seconds.push(("solve", solved));
    Ok(finding)
}

/// Whether a program is robust; the execution that shows that it is not takes the place of the witness.
///
/// # Errors
/// As [`answer`].
pub fn robustness(
    task: &LitmusTask,
    finding: &mut Finding,
    env: &Env,
    sources: &SourceMap,
) -> Result<Robustness, CheckError> {
    let model = cat::with_robustness(task.model);
    let asking = LitmusTask {
        model: &model,
        ..*task
    };
    let mut executions = None;
    if let Some(mut search) = LitmusSearch::new(&asking, env, &mut Stats::default())? {
        let goal = search.encoding.not_robust;
        executions = match search.find(&[goal])? {
            SolverAnswer::State(last) if is_robust(&model, &last.execution) == Some(false) => {
                if task.witness {
                    finding.witness = Some(search.show(&last, sources));
                }
                Some(false)
            }
            SolverAnswer::State(_) => {
                let text = "the execution found is sequentially consistent";
                return Err(CheckError::Internal(text.to_string()));
            }
            SolverAnswer::Nothing => search.incomplete().has_nothing().then_some(true),
            SolverAnswer::Limit => None,
        };
    }
    if executions == Some(true) {
        let states = executions;
        return Ok(Robustness { executions, states });
    }
    let on_sc = LitmusTask {
        model: &sequential(),
        ..*task
    };
    let states = match (final_states(task, env)?, final_states(&on_sc, env)?) {
        (Some(states), Some(sc)) => Some(states.iter().all(|state| sc.contains(state))),
        _ => None,
    };
    Ok(Robustness { executions, states })
}

/// The same, as enumerations on the model, [marked](cat::with_robustness_mark), and on SC give it.
pub fn robustness_enumerated(on_model: &Enumeration, on_sc: &Enumeration) -> Robustness {
    let is_robust = |(kind, ..): &(PropertyKind, Span, String)| *kind == PropertyKind::Robust;
    let is_complete = |all: &Enumeration| {
        let others = all
            .violations
            .keys()
            .filter(|violated| !is_robust(violated));
        all.unsupported.is_empty() && all.limits_reached.is_empty() && others.count() == 0
    };
    let is_known = is_complete(on_model);
    let executions = match on_model.flags.contains_key(cat::NOT_ROBUST) {
        true => Some(false),
        false => is_known.then_some(true),
    };
    let mut states = on_model.states.keys();
    let states = (is_known && is_complete(on_sc))
        .then(|| states.all(|state| on_sc.states.contains_key(state)));
    Robustness { executions, states }
}

/// Sequential consistency.
pub fn sequential() -> Model {
    cat::builtin("sc").expect("the model is built in")
}

/// The answer when a limit has been passed.
pub fn undecided(model: &Model, env: &Env) -> Finding {
    unknown(model, limit(env))
}

/// The answer when nothing is known.
pub fn unknown(model: &Model, reason: UnknownReason) -> Finding {
    Finding {
        unknown: Some(reason),
        ..Finding::nothing(model)
    }
}

/// The answer as an enumeration of executions gives it.
pub fn from_enumeration(
    program: &Program,
    final_condition: &FinalCondition,
    model: &Model,
    enumeration: &Enumeration,
) -> Finding {
    let mut finding = Finding::nothing(model);
    let address = |g| program.static_address(g);
    // An iteration of a loop that changes nothing may be left out or not, so there is no one number.
    let counted = !program.procs.iter().any(has_loop);
    let mut states: BTreeMap<FinalState, Seen> = BTreeMap::new();
    let holds = |state: &Vec<u64>, c: &Condition| {
        let value = |o: ObservableId| state[o.index()];
        c.holds(&value, &address, program)
    };
    let is_within = |state: &Vec<u64>| {
        let mut filter = final_condition.filter.iter();
        filter.all(|filter| holds(state, filter))
    };
    for (state, executions) in &enumeration.states {
        if !is_within(state) {
            continue;
        }
        let holds = holds(state, &final_condition.condition);
        finding.holds |= holds;
        finding.fails |= !holds;
        let shown = final_condition
            .shown
            .iter()
            .map(|o| state[o.index()])
            .collect();
        let seen = states.entry(shown).or_insert(Seen {
            holds,
            executions: counted.then_some(0),
        });
        seen.executions = seen.executions.map(|n| n + executions);
    }
    finding.states = Some(states);
    let marked = model.flags.iter().map(|f| &f.name);
    let is_marked = |name: &&String| {
        let states = enumeration.flags.get(*name);
        states.is_some_and(|states| states.iter().any(is_within))
    };
    let marked = marked.filter(is_marked);
    for name in marked {
        if !finding.flags.contains(name) {
            finding.flags.push(name.clone());
        }
    }
    let unsupported = enumeration
        .unsupported
        .iter()
        .chain(&enumeration.limits_reached);
    let unsupported: Vec<(String, Span)> = unsupported.cloned().collect();
    let violated = enumeration.violations.keys();
    let violated = violated.filter(|(kind, ..)| *kind != PropertyKind::Robust);
    let violated = violated.map(|(_, span, text)| (text.clone(), *span));
    let unsupported: Vec<(String, Span)> = unsupported.into_iter().chain(violated).collect();
    if !unsupported.is_empty() {
        finding.unknown = Some(UnknownReason::Unsupported(unsupported));
    }
    finding
}

fn has_loop(proc: &Proc) -> bool {
    let mut body = proc.body.iter().enumerate();
    body.any(|(pc, i)| matches!(i.op, Op::Goto { target, .. } if target <= pc))
}

/// All final states, as the values of all observables; `None` when a limit was passed or the
/// program is not completely unwound.
///
/// # Errors
/// As [`answer`].
pub fn final_states(task: &LitmusTask, env: &Env) -> Result<Option<Vec<FinalState>>, CheckError> {
    let Some(mut search) = LitmusSearch::new(task, env, &mut Stats::default())? else {
        return Ok(None);
    };
    let shown: Vec<ObservableId> = task.program.observables.ids().collect();
    let mut states = Vec::new();
    loop {
        match search.find(&[])? {
            SolverAnswer::State(state) => {
                states.push(shown.iter().map(|o| state.values[o]).collect());
                search.exclude(&state, &shown);
            }
            SolverAnswer::Nothing => break,
            SolverAnswer::Limit => return Ok(None),
        }
    }
    states.sort_unstable();
    Ok(search.incomplete().has_nothing().then_some(states))
}

fn limit(env: &Env) -> UnknownReason {
    (env.limit)().unwrap_or(UnknownReason::Timeout(0.0))
}

/// A formula and its solver.
struct LitmusSearch<'a> {
    task: LitmusTask<'a>,
    evaluator: Evaluator<'a>,
    encoding: Encoding,
    finals: Finals,
    /// What every state has to satisfy.
    within: Lit,
    solver: Consistent,
    /// Variables when the formula was complete; those after it are of questions.
    vars: u32,
}

/// What is missing.
struct Incomplete {
    unsupported: Reached<(String, Span)>,
    loops_at_bound: Reached<LoopAtBound>,
}

impl Incomplete {
    /// Nothing is missing.
    fn has_nothing(self) -> bool {
        self.unsupported.possible().is_empty() && self.loops_at_bound.possible().is_empty()
    }
}

/// What the solver found.
enum SolverAnswer<'a> {
    State(Box<Last<'a>>),
    Nothing,
    Limit,
}

/// The end of a validated execution.
struct Last<'a> {
    run: Run<'a>,
    execution: Execution,
    values: BTreeMap<ObservableId, u64>,
}

impl Last<'_> {
    fn satisfies(&self, condition: &Condition, task: &LitmusTask) -> bool {
        let address = |g| task.graph.statics[g];
        condition.holds(&|o| self.values[&o], &address, task.program)
    }
}

impl<'a> LitmusSearch<'a> {
    /// Encodes the program; `None` when a limit was passed.
    fn new(
        task: &LitmusTask<'a>,
        env: &Env,
        stats: &mut Stats,
    ) -> Result<Option<Self>, CheckError> {
        stats.threads = task.graph.threads.len();
        stats.events = task.graph.events.len();
        stats.cells = task.graph.cells.len();
        let start = (env.now)();
        let stop = Rc::new(env.interrupt());
        (env.begins)("analyse");
        let analysis = analyse(task.graph, task.model, &*stop)?;
        let analysed = (env.now)();
        stats.seconds.push(("analyse", analysed - start));
        (env.begins)("encode");
        let Some(analysis) = analysis else {
            return Ok(None);
        };
        let encoding = encoding(&analysis, task.order, task.reductions, &[], &*stop)?;
        stats.seconds.push(("encode", (env.now)() - analysed));
        (env.begins)("solve");
        let Some(mut encoding) = encoding else {
            return Ok(None);
        };
        stats.variables = u64::from(encoding.cnf.num_vars());
        stats.clauses = encoding.cnf.num_clauses();
        stats.parts = encoding.parts.clone();
        stats.reduced = encoding.reduced;
        let axioms = encoding.lazy.take();
        let mut search = LitmusSearch {
            task: *task,
            evaluator: Evaluator::new(task.model),
            finals: encoding.finals.clone(),
            vars: encoding.cnf.num_vars(),
            within: Lit::TRUE,
            solver: Consistent::new(Cadical::new(stop.clone()), axioms, stop),
            encoding,
        };
        let mut regular = vec![search.finals.ended];
        let undefined = search
            .encoding
            .unsupported
            .iter()
            .chain(&search.encoding.violated);
        regular.extend(undefined.map(|l| !*l));
        search.within = search.encoding.cnf.all(&regular);
        Ok(Some(search))
    }

    fn cnf(&mut self) -> &mut Cnf {
        &mut self.encoding.cnf
    }

    /// A condition as a literal.
    fn literal(&mut self, condition: &Condition) -> Lit {
        match condition {
            Condition::Constant(truth) => Lit::constant(*truth),
            Condition::Equal(what, operand) => {
                let bits = self.finals.values[*what].clone();
                let others = match operand {
                    Operand::Observable(other) => self.finals.values[*other].clone(),
                    Operand::Number(n) => constant(*n, bits.len()),
                    Operand::Address(global, offset) => {
                        let address = self.task.graph.statics[*global].wrapping_add(*offset);
                        constant(address, bits.len())
                    }
                };
                let mut same = Vec::new();
                for (a, b) in bits.iter().zip(&others) {
                    same.push(self.cnf().iff(*a, *b));
                }
                self.cnf().all(&same)
            }
            Condition::Not(c) => !self.literal(c),
            Condition::And(all) => {
                let all: Vec<Lit> = all.iter().map(|c| self.literal(c)).collect();
                self.cnf().all(&all)
            }
            Condition::Or(any) => {
                let any: Vec<Lit> = any.iter().map(|c| self.literal(c)).collect();
                self.cnf().any(&any)
            }
            Condition::Implies(a, b) => {
                let (a, b) = (self.literal(a), self.literal(b));
                self.cnf().or(!a, b)
            }
        }
    }

    fn solve(&mut self, goals: &[Lit]) -> SatResult {
        self.solver.add(&self.encoding.cnf.flat);
        self.encoding.cnf.flat.clear();
        self.solver.solve(goals)
    }

    /// A final state of an execution in which the goals hold.
    fn find(&mut self, goals: &[Lit]) -> Result<SolverAnswer<'a>, CheckError> {
        let mut goals = goals.to_vec();
        goals.push(self.within);
        if goals.contains(&Lit::FALSE) {
            return Ok(SolverAnswer::Nothing);
        }
        match self.solve(&goals) {
            SatResult::Unsat => Ok(SolverAnswer::Nothing),
            SatResult::Interrupted => Ok(SolverAnswer::Limit),
            SatResult::Sat => self.last().map(|last| SolverAnswer::State(Box::new(last))),
        }
    }

    /// The end of the execution found last, validated.
    fn last(&mut self) -> Result<Last<'a>, CheckError> {
        let values: Vec<bool> = std::iter::once(false)
            .chain((1..=self.vars).map(|v| self.solver.value(Lit(v as i32))))
            .collect();
        let literal = |l: Lit| values[l.var() as usize] == (l.0 > 0);
        let LitmusTask { graph, program, .. } = self.task;
        let checked = || {
            let run = Run::new(graph, &self.encoding, &literal)?;
            let execution = run.validate(&self.evaluator)?;
            let registers = observe(program, &run)?;
            Ok((run, execution, registers))
        };
        let (run, execution, registers) =
            checked().map_err(|m: Mismatch| CheckError::Internal(m.0))?;
        let mut values = BTreeMap::new();
        for (id, last) in graph.finals.iter_enumerated() {
            let value = match last {
                Final::Value(_) => registers.get(&id).copied().unwrap_or(0),
                Final::Cell(cell) => {
                    let writes = run.coherence.get(&graph.cells[*cell].addr);
                    let last = writes.and_then(|w| w.last());
                    last.map_or(0, |e| run.value[e])
                }
            };
            let bits = self.finals.values[id].iter().rev();
            let decoded = bits.fold(0, |bits, l| bits << 1 | u64::from(literal(*l)));
            if decoded != value {
                let what = &self.task.program.observables[id];
                return Err(CheckError::Internal(format!(
                    "the final value of {what:?} is {value}, not {decoded} as found"
                )));
            }
            values.insert(id, value);
        }
        Ok(Last {
            run,
            execution,
            values,
        })
    }

    /// Whether the model marks some execution with a flag, the `at`-th of the model; `None` when a limit was
    /// passed.
    fn is_marked(&mut self, at: usize, flag: &Flag) -> Result<Option<bool>, CheckError> {
        let pairs: Vec<Lit> = self.encoding.flags[at].iter().map(|(_, l)| *l).collect();
        let goal = self.cnf().any(&pairs);
        match self.find(&[goal])? {
            SolverAnswer::State(last) => {
                let pairs = self.evaluator.edges(&last.execution, flag.rel);
                match pairs.is_none() {
                    false => Ok(Some(true)),
                    true => Err(CheckError::Internal(format!(
                        "the execution found has no pair for the flag `{}`",
                        flag.name
                    ))),
                }
            }
            SolverAnswer::Nothing => Ok(Some(false)),
            SolverAnswer::Limit => Ok(None),
        }
    }

    fn show(&self, last: &Last, sources: &SourceMap) -> Trace {
        let language = self.task.program.language;
        trace(
            &last.run,
            self.task.model,
            &last.execution,
            sources,
            language,
        )
    }

    /// States that show the same are found no more.
    fn exclude(&mut self, last: &Last, shown: &[ObservableId]) {
        let mut differs = Vec::new();
        for o in shown {
            let value = last.values[o];
            for (i, bit) in self.finals.values[*o].iter().enumerate() {
                differs.push(if value >> i & 1 == 1 { !*bit } else { *bit });
            }
        }
        self.cnf().clause(&differs);
    }

    /// Why the states found may not be all: unsupported constructs, or loops at their bound.
    fn incomplete(&mut self) -> Incomplete {
        let (graph, encoding) = (self.task.graph, &self.encoding);
        self.solver.add(&encoding.cnf.flat);
        let unsupported = reach::undefined(graph, &[], encoding, &mut self.solver);
        let loops_at_bound = reach::bounds_reached(graph, encoding, &mut self.solver);
        self.encoding.cnf.flat.clear();
        Incomplete {
            unsupported,
            loops_at_bound,
        }
    }
}

fn constant(value: u64, width: usize) -> Vec<Lit> {
    (0..width)
        .map(|i| Lit::constant(value >> i & 1 == 1))
        .collect()
}
