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
//! 4. `SAFE`.
//!
//! A limit may pass at any query. One that was not answered counts as neither yes nor no.

pub use super::task::{CheckError, CheckOptions, CheckTask, Env};

use super::consistent::Consistent;
use super::goals::{Goal, goals};
use super::outcome::*;
use super::{reach, violation};
use crate::base::diag::Diag;
use crate::encode::order::Backend;
use crate::encode::{EncodeError, Encoding, Reductions, encode};
use crate::ir::program::PropertyKind;
use crate::mm;
use crate::mm::bounds::{Analysis, AnalysisError, Bounds};
use crate::mm::model::{BaseRel, Model};
use crate::sat::cnf::Lit;
use crate::sat::{Cadical, SatResult, Solver};
use crate::unroll::event::{EventGraph, EventKind};
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
    let model = &*with_queries(task.model, task.graph, options);
    let (task, graph) = (&CheckTask { model, ..*task }, task.graph);
    let mut stats = Stats {
        threads: graph.threads.len(),
        events: graph.events.len(),
        cells: graph.cells.len(),
        ..Stats::default()
    };
    let start = (env.now)();
    let limit = env.limit.clone();
    let stop = Rc::new(move || limit().is_some());
    let analysis = analyse(graph, model, &*stop)?;
    let analysed = (env.now)();
    stats.seconds.push(("analyse", analysed - start));
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
    stats.seconds.push(("encode", encoded - analysed));
    let Some(mut encoding) = encoding else {
        let open = |k: &PropertyKind| (*k, PropertyStatus::Unknown);
        let properties = options.checks.iter().map(open).collect();
        let (model, verdict) = (model.name.clone(), limited(env));
        return Ok(CheckResult {
            model,
            verdict,
            properties,
            stats,
            loops_at_bound: Vec::new(),
            stopped: None,
        });
    };
    stats.variables = u64::from(encoding.cnf.num_vars());
    stats.clauses = encoding.cnf.num_clauses();
    stats.reduced = encoding.reduced;
    let axioms = encoding.lazy.take();
    let solver = Cadical::new(stop.clone()).with_seed(options.seed);
    let mut solver = Consistent::new(solver, axioms, stop);
    let answer = queries(task, options, env, encoding, &mut solver);
    stats.seconds.push(("solve", (env.now)() - encoded));
    stats.conflicts = solver.conflicts();
    (stats.judged, stats.learnt) = (solver.judged, solver.learnt);
    let (verdict, properties, loops_at_bound) = answer?;
    Ok(CheckResult {
        model: model.name.clone(),
        verdict,
        properties,
        stats,
        loops_at_bound,
        stopped: None,
    })
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
    let model = with_queries(model, graph, options);
    let stop = || (env.limit)().is_some();
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
    let goals = goals(graph, &options.checks, &mut encoding);
    let mut counted = |goal: &Goal| {
        let parts = [goal.violated, !goal.excluded, !goals.unresolved];
        (goal.kind, encoding.cnf.all(&parts))
    };
    let queries: Vec<(PropertyKind, Lit)> = goals.kinds.iter().map(&mut counted).collect();
    Ok(Some(encoding.dimacs(&analysis, &queries)))
}

/// The bounds of the model's relations as text, a line a relation: its name, and how many pairs every
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
    let model = with_queries(model, graph, options);
    let stop = || (env.limit)().is_some();
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
fn with_queries<'m>(
    model: &'m Model,
    graph: &EventGraph,
    options: &CheckOptions,
) -> Cow<'m, Model> {
    let race = options.checks.contains(&PropertyKind::Race);
    let mut events = graph.events.iter();
    let lifetime = events.any(|e| matches!(e.kind, EventKind::Lifetime(_)));
    match race || lifetime {
        true => Cow::Owned(mm::with_queries(model, race, lifetime)),
        false => Cow::Borrowed(model),
    }
}

/// What is known of the model's relations; `None` when `stop` has answered true.
pub(super) fn analyse<'a>(
    graph: &'a EventGraph,
    model: &'a Model,
    stop: &'a dyn Fn() -> bool,
) -> Result<Option<Analysis<'a>>, CheckError> {
    match Analysis::new(graph, model, stop) {
        Ok(analysis) => Ok(Some(analysis)),
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
    match encode(analysis, order, reductions, enabled, stop) {
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
            let mut answer = solver.solve(&[violated, !goal.excluded]);
            if kind == PropertyKind::Memory && answer == SatResult::Unsat {
                unresolved_is_possible = false;
            }
            if answer == SatResult::Sat && encoding.unresolved.iter().any(|s| holds(solver, *s)) {
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
                SatResult::Unsat => PropertyStatus::Holds,
                SatResult::Sat => {
                    let found = violation_found(task, &encoding, solver, kind)?;
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
            SatResult::Unsat => continue,
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
        return Ok((
            Verdict::SafeUpToBound(reach::bounds_reached(graph, &encoding, solver).possible()),
            properties,
            Vec::new(),
        ));
    }
    let verdict = violation.unwrap_or(Verdict::Safe);
    Ok((verdict, properties, Vec::new()))
}

/// The value of a literal in the execution found.
fn holds(solver: &mut Consistent, lit: Lit) -> bool {
    let variable = Lit(lit.var() as i32);
    solver.value(variable) == (lit.0 > 0)
}

/// Decodes, validates and replays the execution the solver has found.
fn violation_found(
    task: &CheckTask,
    encoding: &Encoding,
    solver: &mut Consistent,
    kind: PropertyKind,
) -> Result<Counterexample, CheckError> {
    let vars = encoding.cnf.num_vars();
    let values: Vec<bool> = std::iter::once(false)
        .chain((1..=vars).map(|v| solver.value(Lit(v as i32))))
        .collect();
    let value = |l: Lit| values[l.var() as usize] == (l.0 > 0);
    violation::found(task, encoding, &value, kind)
}
