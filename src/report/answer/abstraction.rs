//! The answer of predicate abstraction about a program on a model.

use super::place::SourceRange;
use super::word::{AnswerVerdict, TOOL, VERSION, Word};
use crate::driver::abstraction::{
    AbstractionMethod, AbstractionOutcome, AbstractionStep, AbstractionVerdict,
};
use base::code::Code;
use base::source::SourceMap;
use serde::Serialize;

/// The answer of predicate abstraction.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AbstractionAnswer {
    /// `wmbmc`.
    pub tool: Word,
    /// Its version.
    pub version: Word,
    /// The path as given.
    pub input: String,
    /// Short name of the memory model.
    pub model: String,
    /// `SAFE`, `UNSAFE` or `UNKNOWN`.
    pub verdict: AnswerVerdict,
    /// What the process would return for this alone.
    pub exit_code: u8,
    /// On TSO and PSO: entries of a store buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<u32>,
    /// How the abstraction was made: `auto`, `predicates`, `search` or `cubes`.
    pub method: AbstractionMethod,
    /// The predicates, extrapolated, as text.
    pub predicates: Vec<String>,
    /// Those that were found by refinement; the ones over buffers come after those for SC.
    pub discovered: Vec<String>,
    /// Of `SAFE` with `--certificate`: `written`, or why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
    /// What the verdict rests on.
    #[serde(flatten)]
    pub evidence: AbstractionEvidence,
    /// The measurements.
    pub stats: AbstractionCounts,
}

/// What a verdict of predicate abstraction rests on.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct AbstractionEvidence {
    /// The kind of what is reported; none of `SAFE`.
    pub code: Option<Code>,
    /// Of `UNSAFE`: what is violated, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// Of `UNSAFE`: what happens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<BufferedStep>>,
    /// Of `UNKNOWN`: why, a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Of `UNKNOWN`, where it is due to the predicates: the first step of an abstract counterexample that
    /// cannot follow the ones before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
}

/// A step of an execution with store buffers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BufferedStep {
    /// The thread.
    pub thread: String,
    /// It is the store buffer of the thread that moves.
    pub flush: bool,
    /// What the thread does.
    pub text: String,
    /// The variables that have another value after the step.
    pub changes: Vec<NamedNumber>,
    /// The store buffers after it.
    pub buffers: Vec<StoreBuffer>,
    /// Where in the source.
    pub span: SourceRange,
}

/// The store buffer of a thread.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct StoreBuffer {
    /// The thread.
    pub thread: String,
    /// What is buffered, the oldest first.
    pub entries: Vec<NamedNumber>,
}

/// A variable and its value, a number as text: integers have no bounds here.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NamedNumber {
    /// The variable.
    pub name: String,
    /// The value.
    pub value: String,
}

/// The measurements of predicate abstraction.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AbstractionCounts {
    /// Predicates that were given.
    pub given: usize,
    /// Predicates in the end.
    pub predicates: usize,
    /// Cubes that were extrapolated; none when they were looked for.
    pub lifted: Option<usize>,
    /// Cubes of several literals.
    pub cubes: usize,
    /// The literals of the largest.
    pub cube_size: u32,
    /// Questions to the solver.
    pub queries: u64,
    /// Questions that had been answered before.
    pub cached: u64,
    /// Questions that the solver did not decide.
    pub unclear: u64,
    /// States of the abstraction.
    pub states: usize,
    /// How long it took.
    pub seconds: AbstractionSeconds,
}

/// Seconds of predicate abstraction.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AbstractionSeconds {
    /// Of building the abstraction.
    pub build: f64,
    /// Of exploring it.
    pub search: f64,
}

impl AbstractionAnswer {
    /// The answer that an outcome is.
    pub fn new(
        sources: &SourceMap,
        input: &str,
        outcome: &AbstractionOutcome,
        exit_code: u8,
    ) -> AbstractionAnswer {
        AbstractionAnswer {
            tool: TOOL,
            version: VERSION,
            input: input.to_string(),
            model: outcome.model.clone(),
            verdict: AnswerVerdict::from(&outcome.verdict),
            exit_code,
            buffer: outcome.buffer,
            method: outcome.method,
            predicates: outcome.predicates.clone(),
            discovered: outcome.discovered.clone(),
            certificate: outcome.certificate.as_ref().map(|written| match written {
                Ok(_) => "written".to_string(),
                Err(reason) => reason.to_string(),
            }),
            evidence: AbstractionEvidence::of(sources, &outcome.verdict),
            stats: AbstractionCounts {
                given: outcome.given,
                predicates: outcome.predicates.len(),
                lifted: outcome.lifted,
                cubes: outcome.cubes,
                cube_size: outcome.cube_size,
                queries: outcome.counts.queries,
                cached: outcome.counts.cached,
                unclear: outcome.counts.unclear,
                states: outcome.states,
                seconds: AbstractionSeconds {
                    build: outcome.build_seconds,
                    search: outcome.search_seconds,
                },
            },
        }
    }
}

impl From<&AbstractionVerdict> for AnswerVerdict {
    fn from(verdict: &AbstractionVerdict) -> AnswerVerdict {
        match verdict {
            AbstractionVerdict::Safe => AnswerVerdict::Safe,
            AbstractionVerdict::Unsafe { .. } => AnswerVerdict::Unsafe,
            AbstractionVerdict::Unknown { .. } => AnswerVerdict::Unknown,
        }
    }
}

impl AbstractionEvidence {
    /// What a verdict rests on.
    pub(super) fn of(sources: &SourceMap, verdict: &AbstractionVerdict) -> AbstractionEvidence {
        match verdict {
            AbstractionVerdict::Safe => AbstractionEvidence::default(),
            AbstractionVerdict::Unsafe { property, steps } => AbstractionEvidence {
                code: Some(Code::Assertion),
                property: Some(property.clone()),
                steps: Some(steps.iter().map(|s| step(sources, s)).collect()),
                ..AbstractionEvidence::default()
            },
            AbstractionVerdict::Unknown { reason, step } => AbstractionEvidence {
                code: Some(Code::SearchGivesUp),
                reason: Some(reason.clone()),
                step: step.clone(),
                ..AbstractionEvidence::default()
            },
        }
    }
}

fn step(sources: &SourceMap, step: &AbstractionStep) -> BufferedStep {
    let buffers = step.buffers.iter().map(|(thread, entries)| StoreBuffer {
        thread: thread.clone(),
        entries: named(entries),
    });
    BufferedStep {
        thread: step.thread.clone(),
        flush: step.flush,
        text: step.text.clone(),
        changes: named(&step.changes),
        buffers: buffers.collect(),
        span: SourceRange::of(sources, step.span),
    }
}

fn named(values: &[(String, String)]) -> Vec<NamedNumber> {
    let each = values.iter().map(|(name, value)| NamedNumber {
        name: name.clone(),
        value: value.clone(),
    });
    each.collect()
}
