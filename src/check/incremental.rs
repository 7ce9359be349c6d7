//! Unwinding further and further, until an answer is complete or a limit is passed.
//!
//! Each attempt unwinds the program anew. The loops whose cut was reachable go deeper in the next
//! one, all others stay: awaits and loops that end by themselves never get there. What is left when
//! time or memory run out is the answer of the last attempt that was finished.

use super::bmc::{self, CheckError, Env, Task};
use super::outcome::{CutLoop, Outcome, Stats, UnknownReason, Verdict};
use crate::base::diag::Diag;
use crate::base::source::SourceMap;
use crate::ir::bounds::Bounds;
use crate::ir::program::Program;
use crate::mm::dependencies::unwinding;
use crate::mm::model::Model;
use crate::unroll::event::EventGraph;
use crate::unroll::{UnrollError, unroll};

/// What is checked.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The program.
    pub program: &'a Program,
    /// The memory model.
    pub model: &'a Model,
    /// The program's text.
    pub sources: &'a SourceMap,
}

/// Checks a program with deeper and deeper bounds, none above `most`; returns the bounds of the
/// answer, too. `attempt` is told of each.
///
/// # Errors
/// See [`CheckError`].
pub fn check(
    subject: &Subject,
    options: &bmc::Options,
    most: u32,
    mut bounds: Bounds,
    env: &Env,
    attempt: &dyn Fn(&Bounds),
) -> Result<(Outcome, Bounds), CheckError> {
    let options = bmc::Options {
        cuts: true,
        ..options.clone()
    };
    let mut last: Option<(Outcome, Bounds)> = None;
    loop {
        attempt(&bounds);
        let answer = attempted(subject, &options, &bounds, env)?;
        let mut outcome = match answer {
            Ok(outcome) => outcome,
            Err(reason) => {
                return Ok(match last {
                    Some((outcome, bounds)) => (stopped(outcome, reason), bounds),
                    None => (undecided(subject, &options, reason), bounds),
                });
            }
        };
        if let Some((before, _)) = &last {
            add(&mut outcome.stats, &before.stats);
        }
        let passed = (env.limit)();
        let cuts: &[CutLoop] = match &outcome.verdict {
            Verdict::SafeUpToBound(cuts) => cuts,
            Verdict::Unknown(_) => &outcome.cuts,
            Verdict::Safe | Verdict::Unsafe(_) => return Ok((outcome, bounds)),
        };
        let next = bounds.after(cuts.iter().map(|c| c.name.as_str()), most);
        let next = next.or_else(|| bounds.without_sections(cuts_of_sections(cuts)));
        match (next, passed) {
            (_, Some(reason)) => return Ok((stopped(outcome, reason), bounds)),
            (None, None) => return Ok((outcome, bounds)),
            (Some(next), None) => {
                last = Some((outcome, bounds));
                bounds = next;
            }
        }
    }
}

/// The loops among these that were not followed because of a critical section that others disturb.
pub fn cuts_of_sections(cuts: &[CutLoop]) -> impl Iterator<Item = &str> {
    let sections = cuts.iter().filter(|c| c.section);
    sections.map(|c| c.name.as_str())
}

/// The outcome within some bounds, or the limit that was passed.
fn attempted(
    subject: &Subject,
    options: &bmc::Options,
    bounds: &Bounds,
    env: &Env,
) -> Result<Result<Outcome, UnknownReason>, CheckError> {
    let Subject {
        program,
        model,
        sources,
    } = *subject;
    let start = (env.now)();
    let graph = match unwound(program, model, options, bounds, env) {
        Ok(graph) => graph,
        Err(UnrollError::NoMain) => {
            let diag = Diag::bare("the program has no function `main`");
            return Err(CheckError::Refused(diag));
        }
        Err(error) => return Ok(Err(reason(&error, env))),
    };
    let seconds = (env.now)() - start;
    let task = Task {
        program,
        graph: &graph,
        model,
        sources,
    };
    let mut outcome = bmc::check(&task, options, env)?;
    outcome.stats.seconds.insert(0, ("unroll", seconds));
    Ok(match outcome.verdict {
        Verdict::Unknown(reason @ (UnknownReason::Timeout(_) | UnknownReason::Memory(_))) => {
            Err(reason)
        }
        _ => Ok(outcome),
    })
}

fn unwound(
    program: &Program,
    model: &Model,
    options: &bmc::Options,
    bounds: &Bounds,
    env: &Env,
) -> Result<EventGraph, UnrollError> {
    let options = unwinding(bounds.clone(), [model], &options.checks);
    unroll(program, &options, &|| (env.limit)().is_some())
}

/// Why a program that has a `main` could not be unwound.
pub fn reason(error: &UnrollError, env: &Env) -> UnknownReason {
    match error {
        UnrollError::TooLarge { limit, span } => UnknownReason::Gaps(vec![(
            format!("the program has more than {limit} events"),
            *span,
        )]),
        UnrollError::Interrupted | UnrollError::NoMain => {
            (env.limit)().unwrap_or(UnknownReason::Timeout(0.0))
        }
    }
}

fn stopped(outcome: Outcome, reason: UnknownReason) -> Outcome {
    Outcome {
        stopped: Some(reason),
        ..outcome
    }
}

/// The outcome when not even the first attempt was finished.
fn undecided(subject: &Subject, options: &bmc::Options, reason: UnknownReason) -> Outcome {
    Outcome::unknown(&subject.model.name, &options.checks, reason)
}

/// Adds the seconds of an earlier attempt.
fn add(stats: &mut Stats, before: &Stats) {
    for (stage, seconds) in &before.seconds {
        match stats.seconds.iter_mut().find(|(s, _)| s == stage) {
            Some((_, sum)) => *sum += seconds,
            None => stats.seconds.push((stage, *seconds)),
        }
    }
    stats.conflicts += before.conflicts;
}
