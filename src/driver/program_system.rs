//! The system that a C program is made for a model, whose processes are its threads: any number of them.
//!
//! A proof of the system is one of the program. [`prove`] looks for one beside bounded model checking, where
//! loops and threads go on behind every bound; where it finds none it says nothing.

use super::error::Error;
use super::limits::Limits;
use super::options::SystemOptions;
use super::outcome::SystemVerdict;
use super::parsed::LoweredProgram;
use super::system::{LANGUAGE, SystemSession, unsupported_model};
use crate::commands::strength::BufferModel;
use crate::parameterize::parameterize;
use base::diag::Diag;
use base::source::{SourceMap, Span};
use ir::program::{Expr, Op, ProcId, Program, PropertyKind, RmwOp};
use systems::answer::Brab;

/// What can be checked.
const CHECKED: [PropertyKind; 3] = [
    PropertyKind::Assertion,
    PropertyKind::Memory,
    PropertyKind::Misuse,
];
/// The fewest and the most threads whose states guesses are made from; otherwise as many as there are kinds.
pub(super) const FEWEST: u8 = 2;
const MOST: u8 = 4;
/// Seconds that a proof is looked for at least.
const FIRST_PROOF: f64 = 0.5;

/// The system of a program, and the model on which it is looked at.
pub struct AnyNumber {
    /// The system.
    pub system: SystemSession,
    /// The short name of a model on which the program does what it does on the one that was asked for.
    pub model: &'static str,
    /// Kinds of threads.
    kinds: usize,
    /// Where an atomic access is not sequentially consistent.
    pub(super) weak: Option<Span>,
    /// Some variable is an integer without bounds.
    has_integers: bool,
    /// What is taken for granted of the program, beyond what bounded checking does.
    pub(super) assumptions: Vec<String>,
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
        has_integers: system.has_integers,
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

/// What mutual exclusion rests on is not among the properties, so it is guessed from the beginning.
pub(super) fn guessing(options: &SystemOptions, of: &AnyNumber) -> SystemOptions {
    let procs = u8::try_from(of.kinds).unwrap_or(MOST).clamp(FEWEST, MOST);
    SystemOptions {
        brab: match options.brab {
            Brab::Late => Brab::Early(procs),
            brab => brab,
        },
        ..options.clone()
    }
}

/// When a proof for any number of threads is looked for, beside larger and larger bounds.
#[derive(Default)]
pub(super) struct ProofSearch {
    /// Seconds that had passed at its end at the latest.
    last: Option<f64>,
}

impl ProofSearch {
    /// Whether it is worth a try when so many seconds have passed, and the limits: half of that time, or a sixth
    /// of the limit, and not again before four times as many have passed as at the end of the last try.
    pub(super) fn is_due(&mut self, spent: f64, limits: Limits) -> Option<Limits> {
        if self.last.is_some_and(|last| spent < 4.0 * last) {
            return None;
        }
        let share = limits.timeout.map_or(0.0, |all| all / 6.0);
        let most = (spent / 2.0).max(share).max(FIRST_PROOF);
        self.last = Some(spent + most);
        let left = limits
            .timeout
            .map_or(f64::INFINITY, |all| (all - spent).max(0.0));
        Some(Limits {
            timeout: Some(most.min(left)),
            ..limits
        })
    }
}

/// What a proof of a program for any number of threads takes for granted, a sentence each; `None` where there
/// is no proof within the limits, or the program does not fit.
pub(super) fn prove(
    program: &LoweredProgram,
    kinds: &[PropertyKind],
    (model, sources): (&str, &SourceMap),
    limits: Limits,
) -> Option<Vec<String>> {
    let (any, left_out) = provable(program, kinds, (model, sources))?;
    let options = guessing(&SystemOptions::default(), &any);
    let outcome = any
        .system
        .check(any.model, sources, &options, limits)
        .ok()?;
    if outcome.vacuous || !matches!(outcome.verdict, SystemVerdict::Safe) {
        return None;
    }
    let mut assumptions = Vec::new();
    if any.has_integers {
        assumptions.push("signed integers do not overflow".to_string());
    }
    if left_out {
        assumptions.push("a subscript is that of an element of its array".to_string());
    }
    Some(assumptions)
}

/// The system of a program whose proof is one of the program, and whether something that it asserts is left out.
pub(super) fn provable(
    program: &LoweredProgram,
    kinds: &[PropertyKind],
    (model, sources): (&str, &SourceMap),
) -> Option<(AnyNumber, bool)> {
    let (stripped, left_out) = without_unchecked(&program.program, kinds);
    let stripped = LoweredProgram {
        program: stripped,
        ..program.clone()
    };
    let any = system(&stripped, model, sources).ok()?;
    // That an array has an element for each thread is taken for granted with `--threads any` alone.
    let is_open = any.weak.is_some() || !any.assumptions.is_empty();
    let wraps = any.has_integers && may_wrap(&stripped.program);
    (!is_open && !wraps).then_some((any, left_out))
}

/// The program without what it asserts of memory, where that is not asked for, and whether that was anything.
fn without_unchecked(program: &Program, kinds: &[PropertyKind]) -> (Program, bool) {
    let mut program = program.clone();
    let mut left_out = false;
    let ids: Vec<ProcId> = program.procs.ids().collect();
    for id in ids {
        for instr in &mut program.procs[id].body {
            if let Op::Assert { cond, property } = &mut instr.op
                && property.kind == PropertyKind::Memory
                && !kinds.contains(&property.kind)
            {
                *cond = Expr::constant(1, 1);
                left_out = true;
            }
        }
    }
    (program, left_out)
}

/// Whether numbers may wrap around by the rules of the language: unsigned ones, and atomic ones, which are no
/// undefined behaviour where they overflow (C11 7.17.7.5p3).
fn may_wrap(program: &Program) -> bool {
    let mut ops = program.procs.iter().flat_map(|proc| &proc.body);
    let counts = |op: &Op| matches!(op, Op::Rmw { op, .. } if !matches!(op, RmwOp::Exchange));
    program.wraps || ops.any(|instr| counts(&instr.op))
}
