//! Bounded model checking of one event graph under one model.
//!
//! One formula and several queries, in this order, each with assumptions of its own:
//!
//! 1. Is a property of a checked kind violated, in an execution without unsupported constructs? The
//!    execution found is re-validated ([`super::decode`]) and replayed ([`super::replay`]) before it
//!    is believed: `UNSAFE`. A violation may also be an *unresolved access*: the access or call is
//!    outside of its points-to set. Unresolved accesses are rare, so they are excluded only when one
//!    is found.
//! 2. Is an unsupported construct, an unresolved access, or a violation of a kind that is not checked,
//!    reachable? `UNKNOWN`: what the program does beyond it is not known.
//! 3. Is the bound of a loop reached? Then it was too small for a proof: `SAFE up to bound`.
//! 4. Does any execution come to its end? Where none does, that nothing is violated says nothing of
//!    what is behind the place where threads stop: `UNKNOWN`.
//! 5. `SAFE`.
//!
//! A limit may pass at any query. One that was not answered counts as neither yes nor no.

pub use super::task::{CheckError, CheckOptions, CheckTask, Env, Part};

use super::consistent::Consistent;
use super::cube::{self, Split};
use super::foreign::{self, Foreign};
use super::goals::{Goal, goals};
use super::outcome::*;
use super::split::{self, Splitting};
use super::{ending, reach, violation};
use crate::encode::order::Backend;
use crate::encode::{EncodeError, Encoding, Queries, Reductions, encode};
use crate::relations::bounds::{Analysis, AnalysisError, Bounds};
use crate::unroll::event::{EventGraph, EventKind};
use base::diag::Diag;
use cat::model::{BaseRel, FlagKind, Model};
use ir::program::PropertyKind;
use smt::sat::cnf::Lit;
use smt::sat::{Cadical, SatResult, Solver};
use std::borrow::Cow;
use std::rc::Rc;

/// Checks the event graph of a program under a model.
///
/// # Errors
/// See [`CheckError`].
pub fn check(
    task: &CheckTask,
    options: &CheckOptions,
    env: &Env,
) -> Result<CheckResult, CheckError> {
    let checked = check_part(task, options, &Part::default(), env)?;
    Ok(checked.result)
}

/// What was found of a part.
pub struct PartResult {
    /// The answer for its executions.
    pub result: CheckResult,
    /// Of a violation: the literals of the satisfying assignment that it comes from.
    pub assignment: Option<Vec<i32>>,
}

/// Checks the executions of one cube. Each of the queries is asked of these alone.
///
/// # Errors
/// See [`CheckError`]; the formula is another one than that which was split, or what another solver
/// says is no answer.
pub fn check_part(
    task: &CheckTask,
    options: &CheckOptions,
    part: &Part,
    env: &Env,
) -> Result<PartResult, CheckError> {
    let model = &*with_queries(task.model, task.graph, &options.checks);
    let (task, graph) = (&CheckTask { model, ..*task }, task.graph);
    let mut stats = Stats {
        threads: graph.threads.len(),
        events: graph.events.len(),
        cells: graph.cells.len(),
        ..Stats::default()
    };
    let start = (env.now)();
    let stop = Rc::new(env.interrupt());
    (env.begins)("analyse");
    let analysis = analyse(graph, model, &*stop)?;
    let analysed = (env.now)();
    stats.seconds.push(("analyse", analysed - start));
    (env.begins)("encode");
    let encoding = match &analysis {
        Some(analysis) => {
            stats.rf = analysis.base[&BaseRel::Rf].may.count();
            encoding(
                analysis,
                options.order,
                options.reductions,
                &options.checks,
                &*stop,
            )?
        }
        None => None,
    };
    let encoded = (env.now)();
    if analysis.is_some() {
        stats.seconds.push(("encode", encoded - analysed));
    }
    (env.begins)("solve");
    let Some(mut encoding) = encoding else {
        let open = |k: &PropertyKind| (*k, PropertyStatus::Unknown);
        let properties = options.checks.iter().map(open).collect();
        let (model, verdict) = (model.name.clone(), limited(env));
        return Ok(PartResult {
            result: CheckResult {
                model,
                verdict,
                properties,
                stats,
                loops_at_bound: Vec::new(),
                stopped: None,
                argument: Argument::Executions,
                assumed: Vec::new(),
            },
            assignment: None,
        });
    };
    stats.variables = u64::from(encoding.cnf.num_vars());
    stats.clauses = encoding.cnf.num_clauses();
    stats.parts = encoding.parts.clone();
    stats.reduced = encoding.reduced;
    let cube = in_cube(&mut encoding, part)?;
    let axioms = encoding.lazy.take();
    let solver = Cadical::new(stop.clone()).with_seed(options.seed);
    let mut solver = Consistent::new(solver, axioms, stop);
    let mut assignment = None;
    let answer = match &part.foreign {
        Some(Foreign::Sat(literals)) => {
            foreign_violation(task, options, encoding, (&cube, literals))
        }
        foreign => {
            let refuted = foreign.is_some();
            queries(
                task,
                options,
                env,
                encoding,
                &mut solver,
                (refuted, &mut assignment),
            )
        }
    };
    stats.seconds.push(("solve", (env.now)() - encoded));
    stats.conflicts = solver.conflicts();
    (stats.judged, stats.learnt) = (solver.judged, solver.learnt);
    let (verdict, properties, loops_at_bound) = answer?;
    if let Some(Foreign::Sat(literals)) = &part.foreign {
        assignment = Some(literals.clone());
    }
    Ok(PartResult {
        result: CheckResult {
            model: model.name.clone(),
            verdict,
            properties,
            stats,
            loops_at_bound,
            stopped: None,
            argument: Argument::Executions,
            assumed: Vec::new(),
        },
        assignment,
    })
}

/// Leaves the executions of a cube; its literals.
fn in_cube(encoding: &mut Encoding, part: &Part) -> Result<Vec<Lit>, CheckError> {
    let refused = |why: String| CheckError::Refused(Diag::bare(why));
    if let Some(expected) = &part.fingerprint
        && *expected != cube::fingerprint(encoding)
    {
        let why = "the formula is not the one that was split: the program, the model, the options \
                   or the version of the tool is another one";
        return Err(refused(why.to_string()));
    }
    let lits = cube::literals(encoding, &part.cube).map_err(refused)?;
    lits.iter().for_each(|lit| encoding.cnf.clause(&[*lit]));
    Ok(lits)
}

/// Splits the formula for a model into cubes; `None` when it is not hard, or a limit was passed.
///
/// # Errors
/// See [`CheckError`].
pub fn split(
    graph: &EventGraph,
    model: &Model,
    options: &CheckOptions,
    wanted: Splitting,
    env: &Env,
) -> Result<Option<Split>, CheckError> {
    let model = with_queries(model, graph, &options.checks);
    let stop = env.interrupt();
    let Some(analysis) = analyse(graph, &model, &stop)? else {
        return Ok(None);
    };
    let (order, reductions) = (options.order, options.reductions);
    match encoding(&analysis, order, reductions, &options.checks, &stop)? {
        Some(encoding) => split::split(graph, encoding, options, wanted, env),
        None => Ok(None),
    }
}

/// The loops whose bound is reached.
///
/// # Errors
/// See [`CheckError`].
pub fn reached(
    task: &CheckTask,
    options: &CheckOptions,
    env: &Env,
) -> Result<Vec<LoopAtBound>, CheckError> {
    let model = with_queries(task.model, task.graph, &options.checks);
    let stop = Rc::new(env.interrupt());
    let Some(analysis) = analyse(task.graph, &model, &*stop)? else {
        return Ok(Vec::new());
    };
    let (order, reductions) = (options.order, options.reductions);
    let Some(mut encoding) = encoding(&analysis, order, reductions, &options.checks, &*stop)?
    else {
        return Ok(Vec::new());
    };
    let axioms = encoding.lazy.take();
    let mut solver = Consistent::new(Cadical::new(stop.clone()), axioms, stop.clone());
    solver.add(&encoding.cnf.flat);
    Ok(reach::bounds_reached(task.graph, &encoding, &mut solver).possible())
}

/// The formula in DIMACS format, with the meaning of its literals: it is satisfiable if and only if
/// a property of a checked kind is violated. `None` when a limit has been passed.
///
/// # Errors
/// See [`CheckError`].
pub fn dimacs(
    graph: &EventGraph,
    model: &Model,
    options: &CheckOptions,
    env: &Env,
) -> Result<Option<String>, CheckError> {
    dimacs_with_cubes(graph, model, options, None, env)
}

/// The same with cubes, in the format of incremental solvers (iCNF): behind the clauses a line
/// `a LITERALS 0` for each cube. The formula is satisfiable if and only if it is so in one of them.
///
/// # Errors
/// See [`CheckError`].
pub fn dimacs_with_cubes(
    graph: &EventGraph,
    model: &Model,
    options: &CheckOptions,
    cubes: Option<&Split>,
    env: &Env,
) -> Result<Option<String>, CheckError> {
    let model = with_queries(model, graph, &options.checks);
    let stop = env.interrupt();
    let Some(analysis) = analyse(graph, &model, &stop)? else {
        return Ok(None);
    };
    let Some(mut encoding) = encoding(
        &analysis,
        options.order.eager(),
        options.reductions,
        &options.checks,
        &stop,
    )?
    else {
        return Ok(None);
    };
    if let Some(fingerprint) = cubes.map(|split| &split.fingerprint)
        && *fingerprint != cube::fingerprint(&encoding)
    {
        let message = "the formula is not the one that was split".to_string();
        return Err(CheckError::Internal(message));
    }
    let leaves = cubes.map_or(&[][..], |split| &split.leaves);
    let cubes = leaves
        .iter()
        .map(|leaf| cube::literals(&encoding, &leaf.cube));
    let cubes: Result<Vec<_>, _> = cubes.collect();
    let cubes = cubes.map_err(CheckError::Internal)?;
    let goals = goals(graph, &options.checks, &mut encoding);
    let mut counted = |goal: &Goal| {
        let parts = [goal.violated, !goal.excluded, !goals.unresolved];
        (goal.kind, encoding.cnf.all(&parts))
    };
    let queries: Vec<(PropertyKind, Lit)> = goals.kinds.iter().map(&mut counted).collect();
    let cubes = (!leaves.is_empty()).then_some(&cubes[..]);
    Ok(Some(encoding.dimacs(&analysis, &queries, cubes)))
}

/// The bounds of the model's relations as text, a line per relation: its name, and how many pairs every
/// execution relates (`must`) and some execution may relate (`may`). `None` when a limit has been
/// passed.
///
/// # Errors
/// See [`CheckError`].
pub fn relation_bounds(
    graph: &EventGraph,
    model: &Model,
    options: &CheckOptions,
    env: &Env,
) -> Result<Option<String>, CheckError> {
    let model = with_queries(model, graph, &options.checks);
    let stop = env.interrupt();
    let Some(analysis) = analyse(graph, &model, &stop)? else {
        return Ok(None);
    };
    let base = analysis.base.iter();
    let base = base.map(|(rel, bounds)| (format!("{rel:?}").to_lowercase(), bounds));
    let named = analysis.model.names.iter();
    let named = named.map(|(name, rel)| (name.clone(), &analysis.rels[*rel]));
    let line = |(name, bounds): (String, &Rc<Bounds>)| {
        let (must, may) = (bounds.must.count(), bounds.may.count());
        format!("{name}: must {must}, may {may}\n")
    };
    Ok(Some(base.chain(named).map(line).collect()))
}

/// The model with its queries, if there are any. Whether objects exist is a query in any case: where
/// that is not checked, an access to one that does not is unsupported.
pub(super) fn with_queries<'m>(
    model: &'m Model,
    graph: &EventGraph,
    checks: &[PropertyKind],
) -> Cow<'m, Model> {
    let race = checks.contains(&PropertyKind::Race);
    let mut events = graph.events.iter();
    let lifetime = events.any(|e| matches!(e.kind, EventKind::Lifetime(_)));
    let queried = match race || lifetime || !model.flags.is_empty() {
        true => Cow::Owned(cat::with_queries(model, race, lifetime)),
        false => Cow::Borrowed(model),
    };
    match checks.contains(&PropertyKind::Robust) {
        true => Cow::Owned(cat::with_robustness(&queried)),
        false => queried,
    }
}

/// What the model asks of itself, and perhaps does not hold for this program.
fn wrong_flag(analysis: &Analysis) -> Option<Diag> {
    let model = analysis.model;
    let mut flags = model.flags.iter().filter(|f| f.kind == FlagKind::Wrong);
    let flag = flags.find(|f| !analysis.rels[f.rel].may.is_none())?;
    let message = format!(
        "what the model `{}` asserts may fail for this program: {}",
        model.name, flag.name
    );
    Some(Diag::bare(message))
}

/// What is known of the model's relations; `None` when `stop` has answered true.
pub(super) fn analyse<'a>(
    graph: &'a EventGraph,
    model: &'a Model,
    stop: &'a dyn Fn() -> bool,
) -> Result<Option<Analysis<'a>>, CheckError> {
    match Analysis::new(graph, model, stop) {
        Ok(analysis) => match wrong_flag(&analysis) {
            Some(diag) => Err(CheckError::Refused(diag)),
            None => Ok(Some(analysis)),
        },
        Err(AnalysisError::Interrupted) => Ok(None),
        Err(AnalysisError::Fence(unknown)) => {
            let diag = Diag::error(unknown.span, unknown.reason);
            Err(CheckError::Refused(diag))
        }
    }
}

/// The formula; `None` when `stop` has answered true.
pub(super) fn encoding(
    analysis: &Analysis,
    order: Backend,
    reductions: Reductions,
    enabled: &[PropertyKind],
    stop: &dyn Fn() -> bool,
) -> Result<Option<Encoding>, CheckError> {
    let queries = Queries {
        kinds: enabled,
        endings: !ending::is_found(analysis.graph, analysis.model, stop),
    };
    match encode(analysis, order, reductions, queries, stop) {
        Ok(encoding) => Ok(Some(encoding)),
        Err(EncodeError::Interrupted) => Ok(None),
        Err(EncodeError::NotStatic(rel)) => {
            let model = analysis.model;
            let name = model.names.iter().find(|(_, r)| *r == rel);
            let name = name.map_or("a recursive relation", |(n, _)| n);
            Err(CheckError::Refused(Diag::bare(format!(
                "the model `{}` subtracts or takes the complement of `{name}`, which is recursive \
                 and depends on the execution; this is supported only for relations known before \
                 solving",
                model.name
            ))))
        }
    }
}

/// The verdict when a limit has been passed.
fn limited(env: &Env) -> Verdict {
    Verdict::Unknown((env.limit)().unwrap_or(UnknownReason::Timeout(0.0)))
}

/// The verdict, what was found of each property, and of `Unknown` the loops at their bound.
type Answers = (
    Verdict,
    Vec<(PropertyKind, PropertyStatus)>,
    Vec<LoopAtBound>,
);

fn queries(
    task: &CheckTask,
    options: &CheckOptions,
    env: &Env,
    mut encoding: Encoding,
    solver: &mut Consistent,
    (refuted, assignment): (bool, &mut Option<Vec<i32>>),
) -> Result<Answers, CheckError> {
    let graph = task.graph;
    let goals = goals(graph, &options.checks, &mut encoding);
    solver.add(&encoding.cnf.flat);
    encoding.cnf.flat = Vec::new();

    let unknown = |upto: usize| -> Vec<(PropertyKind, PropertyStatus)> {
        options
            .checks
            .iter()
            .skip(upto)
            .map(|k| (*k, PropertyStatus::Unknown))
            .collect()
    };
    // What is left of each property depends on unsupported constructs and bounds reached.
    let weaken = |properties: &mut Vec<(PropertyKind, PropertyStatus)>, to: PropertyStatus| {
        properties
            .iter_mut()
            .filter(|(_, s)| *s == PropertyStatus::Holds)
            .for_each(|(_, s)| *s = to);
    };
    let depends = [goals.undefined, goals.unresolved, goals.bound_reached];
    let depends = depends.iter().any(|query| *query != Lit::FALSE);
    let mut properties: Vec<(PropertyKind, PropertyStatus)> = Vec::new();
    let mut violation = None;
    // Every unresolved access is a violation of this kind; where that is not checked, it is
    // undefined.
    let mut unresolved_is_possible = options.checks.contains(&PropertyKind::Memory);
    for goal in &goals.kinds {
        let (kind, violated) = (goal.kind, goal.violated);
        let status = if violated == Lit::FALSE {
            PropertyStatus::Holds
        } else {
            let mut answer = match refuted {
                true => SatResult::Unsat,
                false => solver.solve(&[violated, !goal.excluded]),
            };
            if !refuted && kind == PropertyKind::Memory && answer == SatResult::Unsat {
                unresolved_is_possible = false;
            }
            if answer == SatResult::Sat && encoding.unresolved.iter().any(|s| solver.holds(*s)) {
                answer = solver.solve(&[violated, !goal.excluded, !goals.unresolved]);
            }
            match answer {
                SatResult::Interrupted => {
                    if depends {
                        weaken(&mut properties, PropertyStatus::Unknown);
                    }
                    let known = properties.len();
                    properties.extend(unknown(known));
                    return Ok((
                        violation.unwrap_or_else(|| limited(env)),
                        properties,
                        Vec::new(),
                    ));
                }
                SatResult::Unsat => {
                    // What was found out of the search for one answer is known to the next.
                    solver.add(&[-violated.0, goal.excluded.0, goals.unresolved.0, 0]);
                    PropertyStatus::Holds
                }
                SatResult::Sat if options.loads_outside => {
                    let known = properties.len();
                    properties.extend(unknown(known));
                    let reasons = UnknownReason::Unsupported(Vec::new());
                    return Ok((Verdict::Unknown(reasons), properties, Vec::new()));
                }
                SatResult::Sat => {
                    let found = violation_found(task, &encoding, solver, kind)?;
                    if violation.is_none() {
                        *assignment = Some(literals(&encoding, solver));
                    }
                    violation.get_or_insert(Verdict::Unsafe(Box::new(found)));
                    PropertyStatus::Violated
                }
            }
        };
        properties.push((kind, status));
    }
    let unresolved = if unresolved_is_possible {
        goals.unresolved
    } else {
        Lit::FALSE
    };
    for (query, status) in [
        (goals.undefined, PropertyStatus::Unknown),
        (unresolved, PropertyStatus::Unknown),
        (goals.bound_reached, PropertyStatus::HoldsUpToBound),
    ] {
        if query == Lit::FALSE {
            continue;
        }
        match solver.solve(&[query]) {
            SatResult::Unsat => {
                solver.add(&[-query.0, 0]);
                continue;
            }
            SatResult::Interrupted => {
                weaken(&mut properties, PropertyStatus::Unknown);
                return Ok((
                    violation.unwrap_or_else(|| limited(env)),
                    properties,
                    Vec::new(),
                ));
            }
            SatResult::Sat => {}
        }
        weaken(&mut properties, status);
        if let Some(violation) = violation {
            return Ok((violation, properties, Vec::new()));
        }
        if status == PropertyStatus::Unknown {
            // Something is reached; what a limit kept from being asked is not claimed to be.
            let reasons = if query == unresolved {
                reach::unsupported(&graph.unresolved, &encoding.unresolved, solver)
            } else {
                reach::undefined(graph, &options.checks, &encoding, solver)
            };
            let loops_at_bound = match options.loops_at_bound {
                true => reach::bounds_reached(graph, &encoding, solver).possible(),
                false => Vec::new(),
            };
            let verdict = Verdict::Unknown(UnknownReason::Unsupported(reasons.certain));
            return Ok((verdict, properties, loops_at_bound));
        }
        let mut loops = reach::bounds_reached(graph, &encoding, solver).possible();
        reach::mark_blocking(&mut loops, graph, &encoding, solver);
        return Ok((Verdict::SafeUpToBound(loops), properties, Vec::new()));
    }
    let verdict = match violation {
        Some(violation) => violation,
        None => match reach::no_end(graph, &encoding, solver) {
            Ok(None) => Verdict::Safe,
            Ok(Some(places)) => Verdict::Unknown(UnknownReason::NoEnd(places)),
            Err(reach::Interrupted) => limited(env),
        },
    };
    Ok((verdict, properties, Vec::new()))
}

/// The satisfying assignment that the solver has found.
fn literals(encoding: &Encoding, solver: &mut Consistent) -> Vec<i32> {
    let variables = (1..=encoding.cnf.num_vars()).map(|v| v as i32);
    variables
        .map(|v| if solver.value(Lit(v)) { v } else { -v })
        .collect()
}

/// The violation of an assignment that comes from elsewhere; of what else is violated nothing is known.
fn foreign_violation(
    task: &CheckTask,
    options: &CheckOptions,
    mut encoding: Encoding,
    (cube, literals): (&[Lit], &[i32]),
) -> Result<Answers, CheckError> {
    let refused = |why: String| CheckError::Refused(Diag::bare(why));
    let goals = goals(task.graph, &options.checks, &mut encoding);
    let values = foreign::assignment(&encoding, cube, literals).map_err(refused)?;
    let value = |l: Lit| values[l.var() as usize] == (l.0 > 0);
    let counts =
        |goal: &&Goal| value(goal.violated) && !value(goal.excluded) && !value(goals.unresolved);
    let Some(kind) = goals.kinds.iter().find(counts).map(|goal| goal.kind) else {
        let why = "its assignment is an execution that violates nothing";
        return Err(refused(why.to_string()));
    };
    let found = violation::found(task, &encoding, &value, kind)?;
    let status = |k: PropertyKind| match k == kind {
        true => PropertyStatus::Violated,
        false => PropertyStatus::Unknown,
    };
    let properties = options.checks.iter().map(|k| (*k, status(*k))).collect();
    Ok((Verdict::Unsafe(Box::new(found)), properties, Vec::new()))
}

/// Decodes, validates and replays the execution the solver has found.
fn violation_found(
    task: &CheckTask,
    encoding: &Encoding,
    solver: &mut Consistent,
    kind: PropertyKind,
) -> Result<Counterexample, CheckError> {
    let values = solver.values(encoding.cnf.num_vars());
    let value = |l: Lit| values[l.var() as usize] == (l.0 > 0);
    violation::found(task, encoding, &value, kind)
}
