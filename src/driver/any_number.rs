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
use super::system::{LANGUAGE, SystemSession, unsupported_model};
use crate::check::outcome::Verdict;
use crate::commands::strength::BufferModel;
use crate::parameterize::instance::with_threads;
use crate::parameterize::parameterize;
use base::diag::Diag;
use base::source::{SourceMap, Span};
use cat::model::Model;
use ir::bounds::Bounds;
use ir::program::PropertyKind;
use std::time::Instant;
use systems::answer::Brab;

/// What can be checked.
const CHECKED: [PropertyKind; 3] = [
    PropertyKind::Assertion,
    PropertyKind::Memory,
    PropertyKind::Misuse,
];
/// The fewest and the most threads whose states guesses are made from; otherwise as many as there are kinds.
const FEWEST: u8 = 2;
const MOST: u8 = 4;
/// How far loops are unwound at most to find the execution of a run.
const MOST_UNWOUND: u32 = 8;

/// The system of a program, and the model on which it is looked at.
pub struct AnyNumber {
    /// The system.
    pub system: SystemSession,
    /// The short name of a model on which the program does what it does on the one that was asked for.
    pub model: &'static str,
    /// Kinds of threads.
    kinds: usize,
    /// Where an atomic access is not sequentially consistent.
    weak: Option<Span>,
    /// What is taken for granted of the program, beyond what bounded checking does.
    assumptions: Vec<String>,
}

/// The system of a program for a model, by its name.
///
/// # Errors
/// What does not fit, or another model.
pub fn system(
    program: &LoweredProgram,
    model: &str,
    sources: &SourceMap,
) -> Result<AnyNumber, Error> {
    let refused = |diag| Error::refused(sources, vec![diag]);
    let promise = LANGUAGE.iter().find(|name| **name == model);
    let buffers = match promise {
        Some(_) => Some(BufferModel::Sc),
        None => BufferModel::named(model),
    };
    let Some(buffers) = buffers else {
        return Err(refused(unsupported_model(model)));
    };
    let mut kinds = program.checks.of_all().iter();
    if let Some(kind) = kinds.find(|kind| !CHECKED.contains(kind)) {
        let message = format!(
            "`{}` cannot be checked for any number of threads",
            kind.name()
        );
        let note = "assertions, memory, and misuse of the thread library can: --check assert,memory,misuse";
        return Err(refused(Diag::bare(message).note(note)));
    }
    let system = parameterize(&program.program, sources, buffers).map_err(refused)?;
    let weak = system.weak.filter(|_| promise.is_some());
    let language = promise.copied().filter(|_| weak.is_none());
    Ok(AnyNumber {
        model: language.unwrap_or_else(|| system.model.name()),
        kinds: system.kinds,
        weak,
        assumptions: system.assumptions.clone(),
        system: SystemSession::of_program(&program.name, system),
    })
}

/// The same, where a certificate of the system is one of the program.
///
/// # Errors
/// Besides, an atomic access of which the language promises nothing.
pub fn certifiable(
    program: &LoweredProgram,
    model: &str,
    sources: &SourceMap,
) -> Result<AnyNumber, Error> {
    let any = system(program, model, sources)?;
    match any.weak {
        None => Ok(any),
        Some(span) => {
            let what = "an atomic access that is not sequentially consistent";
            let message =
                format!("on `{model}` a proof for any number of threads does not support {what}");
            Err(Error::refused(
                sources,
                vec![Diag::unsupported(span, message)],
            ))
        }
    }
}

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

/// What mutual exclusion rests on is not among the properties, so it is guessed from the beginning.
fn guessing(options: &SystemOptions, of: &AnyNumber) -> SystemOptions {
    let procs = u8::try_from(of.kinds).unwrap_or(MOST).clamp(FEWEST, MOST);
    SystemOptions {
        brab: match options.brab {
            Brab::Late => Brab::Early(procs),
            brab => brab,
        },
        ..options.clone()
    }
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
