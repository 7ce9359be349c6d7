//! Programs whose check is hard, in parts: a formula is split into cubes once, and each is checked by a
//! session of its own, maybe elsewhere and much later.
//!
//! All parts are checked with the bounds that the split was made with, in one attempt each: loops are
//! not unwound further step by step. Where critical sections were left out that other threads might
//! disturb, that is found out before the split.

use super::error::Error;
use super::limits::{self, reason};
use super::outcome::ProgramOutcome;
use super::program::{Context, ProgramSession};
use crate::check::bmc::{self, CheckOptions, CheckTask, Env, Part};
use crate::check::cube::Split;
use crate::check::outcome::{CheckResult, UnknownReason, sections};
use crate::check::split::Splitting;
use crate::unroll::UnrollError;
use crate::unroll::event::EventGraph;
use cat::model::Model;
use ir::bounds::Bounds;

/// A check that was split.
#[derive(Clone, Debug)]
pub struct SplitCheck {
    /// The cubes.
    pub split: Split,
    /// How far loops are unwound.
    pub bounds: Bounds,
    /// The formula with the cubes, in the format of incremental solvers, where that is wanted.
    pub formula: Option<String>,
}

/// What was found of a part.
#[derive(Clone, Debug)]
pub struct PartOutcome {
    /// As of the whole.
    pub outcome: ProgramOutcome,
    /// Of a violation: the assignment that it comes from.
    pub assignment: Option<Vec<i32>>,
}

/// Whether the check is to be split, and how.
///
/// # Errors
/// The model cannot be used with the program, or a bug of this tool.
pub(super) fn split(
    session: &ProgramSession,
    model: &Model,
    context: &Context,
    wanted: Splitting,
    formula: bool,
) -> Result<Option<SplitCheck>, Error> {
    session.known_loops(context.options)?;
    session.has_moments(model, context)?;
    let env = limits::env(context.limits, session.spent());
    let of_check = |e| Error::of_check(context.sources, e);
    let options = options(session, model, context, formula);
    let mut bounds = context.options.bounded.bounds.clone();
    loop {
        let (program, sources) = (&session.lowered().program, context.sources);
        let graph = session
            .unrolled_whole(model, &bounds, &env)
            .map_err(of_check)?;
        let Ok(graph) = graph else {
            return Ok(None);
        };
        let task = CheckTask {
            program,
            graph: &graph,
            model,
            sources,
        };
        if let Some(next) = without_disturbed(&task, &options, &bounds, &env).map_err(of_check)? {
            bounds = next;
            continue;
        }
        let split = bmc::split(&graph, model, &options, wanted, &env).map_err(of_check)?;
        let Some(split) = split else {
            return Ok(None);
        };
        let formula = match formula {
            false => None,
            true => bmc::dimacs_with_cubes(&graph, model, &options, Some(&split), &env)
                .map_err(of_check)?,
        };
        return Ok(Some(SplitCheck {
            split,
            bounds,
            formula,
        }));
    }
}

/// Bounds with which no section is left out that others may disturb, where these leave out some.
fn without_disturbed(
    task: &CheckTask,
    options: &CheckOptions,
    bounds: &Bounds,
    env: &Env,
) -> Result<Option<Bounds>, bmc::CheckError> {
    let graph: &EventGraph = task.graph;
    if graph.bounds_reached.iter().all(|b| b.section.is_none()) {
        return Ok(None);
    }
    // Only whether bounds are reached is asked.
    let options = CheckOptions {
        checks: Vec::new(),
        ..options.clone()
    };
    let checked = bmc::reached(task, &options, env)?;
    Ok(bounds.without_sections(sections(&checked)))
}

/// Checks a part. Of a violation that is known by its assignment the execution is decoded and replayed.
///
/// # Errors
/// The formula is another one than that which was split, or what another solver says is no answer.
pub(super) fn check(
    session: &ProgramSession,
    model: &Model,
    context: &Context,
    bounds: &Bounds,
    part: &Part,
    complete_formula: bool,
) -> Result<PartOutcome, Error> {
    let env = limits::env(context.limits, session.spent());
    let of_check = |e| Error::of_check(context.sources, e);
    let options = options(session, model, context, complete_formula);
    let start = (env.now)();
    let graph = session
        .unrolled_whole(model, bounds, &env)
        .map_err(of_check)?;
    let unrolled = (env.now)() - start;
    let (mut result, assignment) = match &graph {
        Err(error) => (limited(error, model, &options, context, &env), None),
        Ok(graph) => {
            let task = CheckTask {
                program: &session.lowered().program,
                graph,
                model,
                sources: context.sources,
            };
            let found = bmc::check_part(&task, &options, part, &env).map_err(of_check)?;
            (found.result, found.assignment)
        }
    };
    result.stats.seconds.insert(0, ("unroll", unrolled));
    let outcome = session.outcome(model, result, bounds.clone(), None, context);
    Ok(PartOutcome {
        outcome,
        assignment,
    })
}

fn limited(
    error: &UnrollError,
    model: &Model,
    options: &CheckOptions,
    context: &Context,
    env: &Env,
) -> CheckResult {
    let why: UnknownReason = reason(error, context.limits, env);
    CheckResult::unknown(&model.name, &options.checks, why)
}

/// How a part is checked. A formula for other solvers has to be complete by itself.
fn options(
    session: &ProgramSession,
    model: &Model,
    context: &Context,
    complete_formula: bool,
) -> CheckOptions {
    let options = session.bmc_options(model, context, false);
    CheckOptions {
        order: match complete_formula {
            true => options.order.eager(),
            false => options.order,
        },
        ..options
    }
}
