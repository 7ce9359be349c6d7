//! Bounded model checking of one event graph under one model.
//!
//! One formula, asked in this order, each question with assumptions of its own:
//!
//! 1. Is a property of a checked kind violated, in an execution without gaps? The execution found
//!    is re-validated ([`super::decode`]) and replayed ([`super::replay`]) before it is believed:
//!    `UNSAFE`.
//!    A violation may also be a *stray*: the access or call has a meaning that the event graph
//!    lacks. Strays are rare, so they are excluded only when one is found.
//! 2. Is a gap, a stray, or a violation of a kind that is not checked, reachable? `UNKNOWN`: beyond it the
//!    program has no meaning here.
//! 3. Is a cut reachable? Then the bound was too small for a proof: `SAFE up to bound`.
//! 4. `SAFE`.

use super::outcome::*;
use super::violation;
use crate::encode::cnf::Lit;
use crate::encode::order::Backend;
use crate::encode::{EncodeError, Encoding, encode};
use crate::front::diag::Diag;
use crate::front::source::{SourceMap, Span};
use crate::ir::program::{Program, PropertyKind};
use crate::mm;
use crate::mm::bounds::{Analysis, AnalysisError};
use crate::mm::model::{BaseRel, Model};
use crate::sat::{Answer, Cadical, Solver};
use crate::unroll::event::{Event, EventGraph, EventId, Gap, ThreadId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What the check needs from outside: the clock and the limits.
#[derive(Clone)]
pub struct Env {
    /// Seconds since some moment.
    pub now: Rc<dyn Fn() -> f64>,
    /// The limit that has been passed, if one has.
    pub limit: Rc<dyn Fn() -> Option<UnknownReason>>,
}

/// What is checked.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The program, to replay counterexamples.
    pub program: &'a Program,
    /// The program unwound.
    pub graph: &'a EventGraph,
    /// The memory model.
    pub model: &'a Model,
    /// The program's text.
    pub sources: &'a SourceMap,
}

/// What to check and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// Kinds of property.
    pub checks: Vec<PropertyKind>,
    /// How orders are encoded.
    pub order: Backend,
    /// Find the loops that were cut where the answer is about gaps, too.
    pub cuts: bool,
}

/// Why there is no outcome.
#[derive(Clone, Debug)]
pub enum CheckError {
    /// The model cannot be used with this program.
    Refused(Diag),
    /// A bug of this tool.
    Internal(String),
}

/// Checks the event graph of a program under a model.
///
/// # Errors
/// See [`CheckError`].
pub fn check(task: &Task, options: &Options, env: &Env) -> Result<Outcome, CheckError> {
    let asked = asked_of(task.model, task.graph, options);
    let model = asked.as_ref().unwrap_or(task.model);
    let (task, graph) = (&Task { model, ..*task }, task.graph);
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
            encoding(analysis, options.order, &options.checks, &*stop)?
        }
        None => None,
    };
    let encoded = (env.now)();
    stats.seconds.push(("encode", encoded - analysed));
    let Some(encoding) = encoding else {
        let open = |k: &PropertyKind| (*k, PropertyStatus::Unknown);
        let properties = options.checks.iter().map(open).collect();
        let (model, verdict) = (model.name.clone(), limited(env));
        return Ok(Outcome {
            model,
            verdict,
            properties,
            stats,
            cuts: Vec::new(),
            stopped: None,
        });
    };
    stats.variables = u64::from(encoding.cnf.num_vars());
    stats.clauses = encoding.cnf.num_clauses();
    let mut solver = Cadical::new(stop);
    let answer = questions(task, options, env, encoding, &mut solver);
    stats.seconds.push(("solve", (env.now)() - encoded));
    stats.conflicts = solver.conflicts();
    let (verdict, properties, cuts) = answer?;
    Ok(Outcome {
        model: model.name.clone(),
        verdict,
        properties,
        stats,
        cuts,
        stopped: None,
    })
}

/// The formula in DIMACS format, with the meaning of its literals.
///
/// # Errors
/// See [`CheckError`].
pub fn dimacs(graph: &EventGraph, model: &Model, options: &Options) -> Result<String, CheckError> {
    let asked = asked_of(model, graph, options);
    let Some(analysis) = analyse(graph, asked.as_ref().unwrap_or(model), &|| false)? else {
        return Ok(String::new());
    };
    let encoding = encoding(&analysis, options.order, &options.checks, &|| false)?;
    Ok(encoding.map_or(String::new(), |e| e.dimacs(&analysis)))
}

/// The model with the questions that are asked of it, if there are any.
fn asked_of(model: &Model, graph: &EventGraph, options: &Options) -> Option<Model> {
    let race = options.checks.contains(&PropertyKind::Race);
    let lifetime = options.checks.contains(&PropertyKind::Memory) && frees_of_others(graph);
    (race || lifetime).then(|| {
        let mut model = mm::with_races(model);
        model.race = model.race.filter(|_| race);
        model.lifetime = model.lifetime.filter(|_| lifetime);
        model
    })
}

/// Whether a thread may free what another one uses.
fn frees_of_others(graph: &EventGraph) -> bool {
    graph.frees.iter().any(|(free, objects)| {
        let used = |e: &Event| {
            let mut cells = e.cells.iter().map(|c| graph.cells[*c].object);
            cells.any(|o| objects.contains(&o))
        };
        let thread = graph.events[*free].thread;
        let others = graph.events.iter_enumerated();
        let mut others = others.filter(|(_, e)| e.thread.is_some() && e.thread != thread);
        others.any(|(id, e)| {
            let freed = graph.frees.get(&id).into_iter().flatten();
            used(e) || freed.into_iter().any(|o| objects.contains(o))
        })
    })
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
    asked: &[PropertyKind],
    stop: &dyn Fn() -> bool,
) -> Result<Option<Encoding>, CheckError> {
    match encode(analysis, order, asked, stop) {
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

/// The verdict, what was found of each property, and of `Unknown` the loops that were cut.
type Answers = (Verdict, Vec<(PropertyKind, PropertyStatus)>, Vec<CutLoop>);

fn questions(
    task: &Task,
    options: &Options,
    env: &Env,
    mut encoding: Encoding,
    solver: &mut Cadical,
) -> Result<Answers, CheckError> {
    let graph = task.graph;
    let gap = encoding.cnf.any(&encoding.gaps.clone());
    let of_kind = |encoding: &Encoding, wanted: &dyn Fn(PropertyKind) -> bool| -> Vec<Lit> {
        let all = graph.checks.iter().zip(&encoding.violated);
        all.filter(|(c, _)| wanted(c.property.kind))
            .map(|(_, l)| *l)
            .collect()
    };
    // An execution ends where an assertion fails: what comes before is looked at nevertheless.
    let unchecked = |k: PropertyKind| !options.checks.contains(&k);
    let undefined = of_kind(&encoding, &|k| unchecked(k) && is_undefined(k));
    let undefined = encoding.cnf.any(&undefined);
    let undefined = encoding.cnf.or(gap, undefined);
    let failed = of_kind(&encoding, &|k| unchecked(k) && k == PropertyKind::Assertion);
    let failed = encoding.cnf.any(&failed);
    let any_failed = of_kind(&encoding, &|k| k == PropertyKind::Assertion);
    let any_failed = encoding.cnf.any(&any_failed);
    let meaningless = if options.checks.iter().all(|k| looks_before_failures(*k)) {
        undefined
    } else {
        encoding.cnf.or(undefined, failed)
    };
    let stray = encoding.cnf.any(&encoding.strays.clone());
    let cut = encoding.cnf.any(&encoding.cuts.clone());
    let mut goals = Vec::new();
    for kind in &options.checks {
        let goal = match kind {
            PropertyKind::Race => real_races(graph, &mut encoding),
            PropertyKind::Deadlock => vec![encoding.cnf.and(encoding.deadlock, !any_failed)],
            PropertyKind::Memory => {
                let mut goal = of_kind(&encoding, &|k| k == *kind);
                goal.extend(encoding.uses.iter().map(|(_, l)| *l));
                goal
            }
            _ => of_kind(&encoding, &|k| k == *kind),
        };
        goals.push((*kind, encoding.cnf.any(&goal)));
    }
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
    let mut properties: Vec<(PropertyKind, PropertyStatus)> = Vec::new();
    let mut violation = None;
    // Every stray is a violation of this kind; where it is not checked, they are meaningless.
    let mut strays_are_possible = options.checks.contains(&PropertyKind::Memory);
    for (kind, goal) in &goals {
        let status = if *goal == Lit::FALSE {
            PropertyStatus::Holds
        } else {
            let excluded = if looks_before_failures(*kind) {
                undefined
            } else {
                meaningless
            };
            let mut answer = solver.solve(&[*goal, !excluded]);
            if *kind == PropertyKind::Memory && answer == Answer::Unsat {
                strays_are_possible = false;
            }
            if answer == Answer::Sat && encoding.strays.iter().any(|s| holds(solver, *s)) {
                answer = solver.solve(&[*goal, !excluded, !stray]);
            }
            match answer {
                Answer::Interrupted => {
                    let known = properties.len();
                    properties.extend(unknown(known));
                    return Ok((
                        violation.unwrap_or_else(|| limited(env)),
                        properties,
                        Vec::new(),
                    ));
                }
                Answer::Unsat => PropertyStatus::Holds,
                Answer::Sat => {
                    let found = violation_found(task, &encoding, solver, *kind)?;
                    violation.get_or_insert(Verdict::Unsafe(Box::new(found)));
                    PropertyStatus::Violated
                }
            }
        };
        properties.push((*kind, status));
    }
    // What is left of each property depends on gaps and cuts.
    let weaken = |properties: &mut Vec<(PropertyKind, PropertyStatus)>, to: PropertyStatus| {
        properties
            .iter_mut()
            .filter(|(_, s)| *s == PropertyStatus::Holds)
            .for_each(|(_, s)| *s = to);
    };
    let stray = if strays_are_possible {
        stray
    } else {
        Lit::FALSE
    };
    for (question, status) in [
        (meaningless, PropertyStatus::Unknown),
        (stray, PropertyStatus::Unknown),
        (cut, PropertyStatus::HoldsUpToBound),
    ] {
        if question == Lit::FALSE {
            continue;
        }
        match solver.solve(&[question]) {
            Answer::Unsat => continue,
            Answer::Interrupted => {
                weaken(&mut properties, PropertyStatus::Unknown);
                return Ok((
                    violation.unwrap_or_else(|| limited(env)),
                    properties,
                    Vec::new(),
                ));
            }
            Answer::Sat => {}
        }
        weaken(&mut properties, status);
        if let Some(violation) = violation {
            return Ok((violation, properties, Vec::new()));
        }
        if status == PropertyStatus::Unknown {
            let reasons = if question == stray {
                reachable(&graph.strays, &encoding.strays, solver)
            } else {
                reachable_gaps(graph, &options.checks, &encoding, solver)
            };
            let cuts = match options.cuts {
                true => reachable_cuts(graph, &encoding, solver),
                false => Vec::new(),
            };
            let verdict = Verdict::Unknown(UnknownReason::Gaps(reasons));
            return Ok((verdict, properties, cuts));
        }
        return Ok((
            Verdict::SafeUpToBound(reachable_cuts(graph, &encoding, solver)),
            properties,
            Vec::new(),
        ));
    }
    let verdict = violation.unwrap_or(Verdict::Safe);
    Ok((verdict, properties, Vec::new()))
}

/// The value of a literal in the execution found.
fn holds(solver: &mut Cadical, lit: Lit) -> bool {
    let variable = Lit(lit.var() as i32);
    solver.value(variable) == (lit.0 > 0)
}

/// Decodes, validates and replays the execution the solver has found.
fn violation_found(
    task: &Task,
    encoding: &Encoding,
    solver: &mut Cadical,
    kind: PropertyKind,
) -> Result<Counterexample, CheckError> {
    let vars = encoding.cnf.num_vars();
    let values: Vec<bool> = std::iter::once(false)
        .chain((1..=vars).map(|v| solver.value(Lit(v as i32))))
        .collect();
    let value = |l: Lit| values[l.var() as usize] == (l.0 > 0);
    violation::found(task, encoding, &value, kind)
}

/// True for kinds of property without which the rest of an execution has no meaning here.
fn is_undefined(kind: PropertyKind) -> bool {
    kind == PropertyKind::Memory
}

/// True for kinds of property that make sense of an execution up to where an assertion fails.
fn looks_before_failures(kind: PropertyKind) -> bool {
    matches!(kind, PropertyKind::Race | PropertyKind::Deadlock)
}

/// The races, without those behind an assertion that fails: the thread does not come there.
fn real_races(graph: &EventGraph, encoding: &mut Encoding) -> Vec<Lit> {
    let mut failing: BTreeMap<ThreadId, Vec<(usize, Lit)>> = BTreeMap::new();
    for (check, lit) in graph.checks.iter().zip(&encoding.violated) {
        if check.property.kind == PropertyKind::Assertion {
            let of_thread = failing.entry(check.thread).or_default();
            of_thread.push((check.position, *lit));
        }
    }
    let mut position: FxHashMap<EventId, usize> = FxHashMap::default();
    for thread in graph.threads.iter() {
        position.extend(thread.events.iter().enumerate().map(|(i, e)| (*e, i)));
    }
    let mut races = Vec::new();
    for ((a, b), lit) in &mut encoding.races {
        let mut parts = vec![*lit];
        for e in [*a, *b] {
            let thread = graph.events[e].thread;
            let failing = thread.and_then(|t| failing.get(&t)).into_iter().flatten();
            let before = failing.filter(|(p, _)| position.get(&e).is_some_and(|at| p <= at));
            parts.extend(before.map(|(_, failed)| !*failed));
        }
        *lit = encoding.cnf.all(&parts);
        races.push(*lit);
    }
    races
}

/// Those of some gaps that the solver can reach, each once.
fn reachable(gaps: &[Gap], reached: &[Lit], solver: &mut Cadical) -> Vec<(String, Span)> {
    let mut out = Vec::new();
    for (gap, lit) in gaps.iter().zip(reached) {
        let entry = (gap.reason.clone(), gap.span);
        if *lit != Lit::FALSE && !out.contains(&entry) && solver.solve(&[*lit]) == Answer::Sat {
            out.push(entry);
        }
    }
    out
}

/// The gaps the solver can reach, and the properties that are not checked.
pub(super) fn reachable_gaps(
    graph: &EventGraph,
    checked: &[PropertyKind],
    encoding: &Encoding,
    solver: &mut Cadical,
) -> Vec<(String, Span)> {
    let mut out = reachable(&graph.gaps, &encoding.gaps, solver);
    if !checked.contains(&PropertyKind::Memory) {
        out.extend(reachable(&graph.strays, &encoding.strays, solver));
    }
    for (check, lit) in graph.checks.iter().zip(&encoding.violated) {
        let kind = check.property.kind;
        let stops = kind == PropertyKind::Assertion
            && (checked.is_empty() || !checked.iter().all(|k| looks_before_failures(*k)));
        let matters = is_undefined(kind) || stops;
        let unchecked = matters && !checked.contains(&kind);
        let entry = (
            format!(
                "not checked, but reachable: the property that {}",
                check.property.text
            ),
            check.span,
        );
        if unchecked
            && *lit != Lit::FALSE
            && !out.contains(&entry)
            && solver.solve(&[*lit]) == Answer::Sat
        {
            out.push(entry);
        }
    }
    out
}

/// The loops whose cut the solver can reach, or may when it has no time left, each once, sorted.
pub(super) fn reachable_cuts(
    graph: &EventGraph,
    encoding: &Encoding,
    solver: &mut Cadical,
) -> Vec<CutLoop> {
    let mut out: Vec<CutLoop> = Vec::new();
    for (cut, lit) in graph.cuts.iter().zip(&encoding.cuts) {
        let entry = CutLoop {
            name: cut.name.clone(),
            span: cut.span,
            bound: cut.bound,
            section: cut.section.is_some(),
        };
        if *lit != Lit::FALSE && !out.contains(&entry) && solver.solve(&[*lit]) != Answer::Unsat {
            out.push(entry);
        }
    }
    out.sort();
    out
}
