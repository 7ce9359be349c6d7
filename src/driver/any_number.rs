//! A C program with any number of threads: the system that it is made for a model, and what bounded model
//! checking of the program says of a run of that system.
//!
//! A proof of the system is one of the program. A run of the system is none of the program before the ordinary
//! check of the program, with as many threads, has found an execution: that is the answer then, and otherwise
//! there is none.

use super::cross::{CrossOptions, CrossOutcome, CrossProgram};
use super::error::Error;
use super::limits::Limits;
use super::options::{BoundedOptions, ProgramOptions, SessionOptions, SystemOptions};
use super::outcome::{Outcome, ProgramOutcome, SystemRun, SystemVerdict};
use super::parsed::LoweredProgram;
use super::program::{Context, ProgramSession};
use super::program_system::{FEWEST, guessing, system};
use super::system::{LANGUAGE, unsupported_model};
use crate::check::outcome::Verdict;
use crate::parameterize::instance::with_threads;
use base::source::{SourceMap, Span};
use cat::model::Model;
use ir::bounds::Bounds;
use std::time::Instant;

/// How far loops are unwound at most to find the execution of a run.
const MOST_UNWOUND: u32 = 8;

/// Checks a program on a model.
///
/// # Errors
/// What does not fit, another model, or a bug of this tool.
pub fn check(
    program: &LoweredProgram,
    model: &Model,
    options: &SessionOptions,
    context: &Context,
) -> Result<Outcome, Error> {
    let start = Instant::now();
    let any = system(program, &model.name, context.sources)?;
    let options = guessing(&options.system, &any);
    let checked = any
        .system
        .check(any.model, context.sources, &options, context.limits);
    let mut outcome = checked?;
    outcome.model.clone_from(&model.name);
    outcome.assumptions.clone_from(&program.program.assumptions);
    outcome.assumptions.extend(any.assumptions.iter().cloned());
    let spent = start.elapsed().as_secs_f64();
    let limits = Limits {
        timeout: context.limits.timeout.map(|s| (s - spent).max(0.0)),
        ..context.limits
    };
    let context = &Context { limits, ..*context };
    let (found, otherwise) = match (&outcome.verdict, any.weak) {
        // Few threads may show what the weak access allows.
        (SystemVerdict::Safe, Some(span)) => (
            with_few(program, model, FEWEST, FEWEST.into(), context)?,
            weak(span, context.sources),
        ),
        (SystemVerdict::Unsafe(run), _) => {
            let most = run.repeated().unwrap_or(1).max(run.processes.into());
            let found = with_few(program, model, run.processes, most, context)?;
            (found, refuted(run))
        }
        _ => return Ok(Outcome::System(Box::new(outcome))),
    };
    if let Some(found) = found {
        return Ok(Outcome::Program(Box::new(found)));
    }
    outcome.certificate = None;
    outcome.verdict = otherwise;
    Ok(Outcome::System(Box::new(outcome)))
}

/// Asks all engines about the system of a program, and about the program itself.
///
/// # Errors
/// What does not fit, another model, or a bug of this tool.
pub fn cross(
    program: &LoweredProgram,
    model: &str,
    sources: &SourceMap,
    options: &SystemOptions,
    cross: &CrossOptions,
    limits: Limits,
) -> Result<CrossOutcome, Error> {
    if LANGUAGE.contains(&model) {
        return Err(Error::refused(sources, vec![unsupported_model(model)]));
    }
    let any = system(program, model, sources)?;
    let missing = || Error::Internal(format!("there is no model `{model}`"));
    let model = cat::builtin(model).ok_or_else(missing)?;
    let program = CrossProgram {
        program: &program.program,
        model: &model,
    };
    let options = guessing(options, &any);
    let outcome = any
        .system
        .cross(any.model, sources, &options, cross, limits, Some(program))?;
    Ok(CrossOutcome {
        model: model.name.clone(),
        ..outcome
    })
}

/// An execution of the program with so many threads, its loops unwound so often at most, that violates something.
fn with_few(
    program: &LoweredProgram,
    model: &Model,
    threads: u8,
    most: u32,
    context: &Context,
) -> Result<Option<ProgramOutcome>, Error> {
    let instance = LoweredProgram {
        program: with_threads(&program.program, threads.into()),
        ..program.clone()
    };
    let options = ProgramOptions {
        bounded: BoundedOptions {
            bounds: Bounds::all(1),
            incremental: Some(most.clamp(2, MOST_UNWOUND)),
            ..context.options.bounded.clone()
        },
        ..context.options.clone()
    };
    let mut session = ProgramSession::new(instance, &options);
    let outcome = session.check(
        model,
        &Context {
            options: &options,
            ..*context
        },
    )?;
    let found = matches!(outcome.result.verdict, Verdict::Unsafe(_));
    Ok(found.then_some(outcome))
}

/// The answer for a program that is safe on SC and has a weak atomic access.
fn weak(span: Span, sources: &SourceMap) -> SystemVerdict {
    let place = sources.location(span);
    SystemVerdict::Unknown {
        reason: format!(
            "it is safe on `sc`, but the atomic access at {place} is not sequentially consistent, which may allow more; \
             bounded checking with {FEWEST} threads finds no violation"
        ),
        blocked: Vec::new(),
    }
}

/// The answer where a run is none of the program, as far as was looked.
fn refuted(run: &SystemRun) -> SystemVerdict {
    SystemVerdict::Unknown {
        reason: format!(
            "in the system that the program is made `{}` holds after {} transitions of {} threads, \
             and bounded checking of the program with as many threads does not find that; \
             the system does not wait for threads to end",
            run.property, run.transitions, run.processes
        ),
        blocked: run.calls(),
    }
}
