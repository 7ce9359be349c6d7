//! One C program by two front ends, our own and clang, and whether what they say can both be true.
//!
//! Our engines share the front end for C, so they agree on what it reads wrongly. clang reads the same text
//! without it. What clang has made of a program at a level of optimisation is one more reading, with one
//! restriction: a program that is undefined may have become one that is not. So a violation that makes a
//! program undefined, a data race say, contradicts no optimised reading that is safe.

use super::error::Error;
use super::input::Input;
use super::limits::Limits;
use super::model::ModelName;
use super::options::SessionOptions;
use super::outcome::{Outcome, ProgramOutcome};
use super::session::Session;
use crate::check::outcome::Verdict;
use crate::front::c::Reader;
use ir::program::PropertyKind;
use std::time::Instant;

/// Who has read a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// The front end for C.
    Own,
    /// clang, at a level of optimisation (`-O`).
    Clang(u8),
}

impl Reading {
    /// What is true of the source holds of what was read, whether the source is defined or not.
    fn keeps_what_is_undefined(self) -> bool {
        matches!(self, Reading::Own | Reading::Clang(0))
    }
}

/// What is said of a program after one reading of it.
pub struct FrontAnswer {
    /// Who has read it.
    pub reading: Reading,
    /// The program and the outcome; or why there is none.
    pub found: Result<(Session, ProgramOutcome), Error>,
    /// Seconds of everything.
    pub seconds: f64,
}

impl FrontAnswer {
    /// The verdict, if there is one.
    pub fn verdict(&self) -> Option<&Verdict> {
        let (_, outcome) = self.found.as_ref().ok()?;
        Some(&outcome.result.verdict)
    }

    fn is_decided(&self) -> bool {
        self.verdict()
            .is_some_and(|verdict| !matches!(verdict, Verdict::Unknown(_)))
    }
}

/// What is said of a program after each reading.
pub struct FrontsOutcome {
    /// The model's short name.
    pub model: String,
    /// The answers, our own front end's first.
    pub answers: Vec<FrontAnswer>,
    /// Pairs of them that are not both true, by their positions: one that is safe, and one with a violation.
    pub disagreements: Vec<(usize, usize)>,
}

impl FrontsOutcome {
    /// Every reading has a verdict, and none has a violation where another one has a bound.
    pub fn is_decided(&self) -> bool {
        let unsafe_ = |a: &FrontAnswer| matches!(a.verdict(), Some(Verdict::Unsafe(_)));
        let bounded = |a: &FrontAnswer| matches!(a.verdict(), Some(Verdict::SafeUpToBound(_)));
        self.answers.iter().all(FrontAnswer::is_decided)
            && !(self.answers.iter().any(unsafe_) && self.answers.iter().any(bounded))
    }
}

/// Reads a program by our own front end and by clang at each of these levels, and checks each on a model.
///
/// # Errors
/// The model does not exist, or a bug of this tool. That a front end refuses the program is an answer.
pub fn fronts(
    input: &Input,
    model: &ModelName,
    levels: &[u8],
    options: &SessionOptions,
    limits: Limits,
) -> Result<FrontsOutcome, Error> {
    let clang = levels.iter().map(|level| Reading::Clang(*level));
    let readings = std::iter::once(Reading::Own).chain(clang);
    let answers = readings.map(|reading| {
        let begun = Instant::now();
        let found = checked(input, model, reading, options, limits);
        if let Err(error @ Error::Internal(_)) = found {
            return Err(error);
        }
        Ok(FrontAnswer {
            reading,
            found,
            seconds: begun.elapsed().as_secs_f64(),
        })
    });
    let answers = answers.collect::<Result<Vec<_>, _>>()?;
    let mut disagreements = Vec::new();
    for (i, one) in answers.iter().enumerate() {
        for (j, other) in answers.iter().enumerate() {
            if contradict(one, other) {
                disagreements.push((i, j));
            }
        }
    }
    Ok(FrontsOutcome {
        model: model.text(),
        answers,
        disagreements,
    })
}

fn checked(
    input: &Input,
    model: &ModelName,
    reading: Reading,
    options: &SessionOptions,
    limits: Limits,
) -> Result<(Session, ProgramOutcome), Error> {
    let mut options = options.clone();
    let c = &mut options.program.c;
    match reading {
        Reading::Own => {
            c.reader = Reader::Own;
            c.compiler_flags.clear();
        }
        Reading::Clang(level) => {
            c.reader = Reader::Clang;
            // Without a flag that begins so, it is compiled in the way that keeps the most of the source.
            if level > 0 {
                c.compiler_flags.push(format!("-O{level}"));
            }
        }
    }
    let mut session = Session::read(input, &options)?;
    let model = session.load_model(model)?;
    match session.check(&model, limits)? {
        Outcome::Program(outcome) => Ok((session, *outcome)),
        Outcome::Litmus(_) | Outcome::System(_) => Err(Error::Internal(
            "a C program has become another input".to_string(),
        )),
    }
}

/// The first is safe, and the second has a violation that the first should have, too.
fn contradict(safe: &FrontAnswer, violated: &FrontAnswer) -> bool {
    match (safe.verdict(), violated.verdict()) {
        (Some(Verdict::Safe), Some(Verdict::Unsafe(found))) => {
            let both_keep = [safe.reading, violated.reading]
                .iter()
                .all(|reading| reading.keeps_what_is_undefined());
            both_keep || is_defined(found.property.kind)
        }
        _ => false,
    }
}

/// A program that violates this has a meaning all the same, and a compiler must keep the violation.
fn is_defined(kind: PropertyKind) -> bool {
    match kind {
        PropertyKind::Assertion | PropertyKind::Deadlock | PropertyKind::Termination => true,
        PropertyKind::Memory
        | PropertyKind::Misuse
        | PropertyKind::Race
        | PropertyKind::Overflow
        | PropertyKind::DivisionByZero
        | PropertyKind::Uninitialised => false,
        // An allocation that is not used may be gone, and accesses may have become one.
        PropertyKind::Leak | PropertyKind::Robust => false,
        PropertyKind::Linearizable | PropertyKind::Sequential | PropertyKind::Quiescent => true,
    }
}
