//! The answer about a system of any number of processes on a model.
//!
//! Processes are counted from 1, and cells and values are named as in the file.

use super::place::Diagnostic;
use super::word::{AnswerVerdict, TOOL, VERSION, Word};
use crate::driver::outcome::{
    NamedCell, Processes, SystemAction, SystemOutcome, SystemRun, SystemStep, SystemVerdict,
};
use crate::report::words::counted;
use base::code::Code;
use base::source::SourceMap;
use serde::{Deserialize, Serialize};

/// The largest number of 32 bits: a run of an x86 program with no larger one is a run of the machine.
const MOST: u64 = (1 << 31) - 1;

/// The answer about a system.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SystemAnswer {
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
    /// The kind of what is reported; none of `SAFE`.
    pub code: Option<Code>,
    /// What the process would return for this alone.
    pub exit_code: u8,
    /// What the author probably did not mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Diagnostic>,
    /// What the verdict is about, or why there is none: a sentence.
    pub reason: String,
    /// Of a C program: what is taken for granted, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// No state is initial.
    pub vacuous: bool,
    /// The exploration in numbers.
    pub stats: ExplorationCounts,
    /// Of `UNKNOWN`: the transitions of a trace that no run follows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked_trace: Vec<String>,
    /// Of `UNSAFE`: the unsafe formula that holds at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// Of `UNSAFE`: how many processes there are in the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u8>,
    /// Of `UNSAFE`: how many steps of the run are transitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transitions: Option<usize>,
    /// Of `UNSAFE`: the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Vec<RunStep>>,
    /// Of `UNSAFE`: memory at the end.
    #[serde(rename = "final", skip_serializing_if = "Option::is_none")]
    pub end: Option<Vec<NamedCell>>,
}

/// An exploration in numbers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExplorationCounts {
    /// Nodes that were visited.
    pub visited: usize,
    /// Those of them that no other one covers.
    pub remaining: usize,
    /// Nodes that were made.
    pub nodes: usize,
    /// How long it took.
    pub seconds: f64,
}

/// A step of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case", deny_unknown_fields)]
pub enum RunStep {
    /// A transition of these processes.
    Transition {
        /// Its name.
        name: String,
        /// Its processes, the performing one first.
        processes: Vec<u8>,
        /// Of an x86 program: the line of the instruction.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
        /// Of an x86 program: the instruction.
        #[serde(skip_serializing_if = "Option::is_none")]
        instruction: Option<String>,
        /// The cells that have another value after the step.
        changes: Vec<NamedCell>,
        /// By process: the updates that are still buffered, the oldest first.
        buffers: Vec<Vec<Vec<NamedCell>>>,
    },
    /// The oldest update of a process reaches memory.
    Flush {
        /// The process.
        process: u8,
        /// The update.
        writes: Vec<NamedCell>,
        /// The cells that have another value after the step.
        changes: Vec<NamedCell>,
        /// By process: the updates that are still buffered, the oldest first.
        buffers: Vec<Vec<Vec<NamedCell>>>,
    },
    /// A cell that the initial formula leaves open has this value.
    Initially {
        /// The cell.
        cell: String,
        /// The value.
        value: String,
        /// The cells that have another value after the step.
        changes: Vec<NamedCell>,
        /// By process: the updates that are still buffered, the oldest first.
        buffers: Vec<Vec<Vec<NamedCell>>>,
    },
}

impl SystemAnswer {
    /// The answer that an outcome is.
    pub fn new(
        sources: &SourceMap,
        input: &str,
        outcome: &SystemOutcome,
        exit_code: u8,
    ) -> SystemAnswer {
        let (verdict, code, run) = match &outcome.verdict {
            SystemVerdict::Safe => (AnswerVerdict::Safe, None, None),
            SystemVerdict::Unsafe(run) => {
                (AnswerVerdict::Unsafe, Some(Code::UnsafeState), Some(run))
            }
            SystemVerdict::Unknown { .. } => {
                (AnswerVerdict::Unknown, Some(Code::SearchGivesUp), None)
            }
        };
        SystemAnswer {
            tool: TOOL,
            version: VERSION,
            input: input.to_string(),
            model: outcome.model.clone(),
            verdict,
            code,
            exit_code,
            warnings: Diagnostic::all(sources, &outcome.warnings),
            reason: reason(outcome),
            assumptions: outcome.assumptions.clone(),
            vacuous: outcome.vacuous,
            stats: ExplorationCounts {
                visited: outcome.visited,
                remaining: outcome.remaining,
                nodes: outcome.nodes,
                seconds: outcome.seconds,
            },
            blocked_trace: match &outcome.verdict {
                SystemVerdict::Unknown { blocked, .. } => blocked.clone(),
                SystemVerdict::Safe | SystemVerdict::Unsafe(_) => Vec::new(),
            },
            property: run.map(|r| r.property.clone()),
            processes: run.map(|r| r.processes),
            transitions: run.map(|r| r.transitions),
            run: run.map(steps),
            end: run.map(|r| r.end.clone()),
        }
    }
}

/// What the verdict is about, or why there is none.
fn reason(outcome: &SystemOutcome) -> String {
    match &outcome.verdict {
        SystemVerdict::Safe => proved(outcome),
        SystemVerdict::Unsafe(run) => format!(
            "`{}` holds after {} of {}{}",
            run.property,
            counted(run.transitions, "transition", "transitions"),
            actors(run.processes, outcome.processes_are),
            match outcome.processes_are != Processes::Themselves && run.largest_integer > MOST {
                true => ", with integers beyond 32 bits",
                false => "",
            },
        ),
        SystemVerdict::Unknown { reason, .. } => reason.clone(),
    }
}

/// For whom a system is safe.
fn proved(outcome: &SystemOutcome) -> String {
    if outcome.vacuous {
        return "(vacuous: no initial state)".into();
    }
    let number = match outcome.processes {
        Some(n) => actors(n, outcome.processes_are),
        None => match outcome.processes_are {
            Processes::Themselves => "any number of processes".into(),
            Processes::Threads { .. } => "any number of threads".into(),
        },
    };
    let assumed = match outcome.invariants {
        0 => String::new(),
        1 => ", given the file's invariant".into(),
        n => format!(", given the file's {n} invariants"),
    };
    let values = match outcome.processes_are {
        Processes::Threads { unbounded: true } => " and integers without bounds",
        Processes::Threads { unbounded: false } | Processes::Themselves => "",
    };
    format!("for {number}{values}{assumed}")
}

/// So many processes.
fn actors(n: u8, are: Processes) -> String {
    match are {
        Processes::Threads { .. } => counted(n.into(), "thread", "threads"),
        Processes::Themselves => counted(n.into(), "process", "processes"),
    }
}

/// The steps of a run.
pub(super) fn steps(run: &SystemRun) -> Vec<RunStep> {
    run.steps.iter().map(step).collect()
}

fn step(step: &SystemStep) -> RunStep {
    let (changes, buffers) = (step.changes.clone(), step.buffers.clone());
    match &step.action {
        SystemAction::Transition {
            name,
            processes,
            instruction,
        } => RunStep::Transition {
            name: name.clone(),
            processes: processes.clone(),
            line: instruction.as_ref().map(|i| i.line),
            instruction: instruction.as_ref().map(|i| i.text.clone()),
            changes,
            buffers,
        },
        SystemAction::Flush { process, writes } => RunStep::Flush {
            process: *process,
            writes: writes.clone(),
            changes,
            buffers,
        },
        SystemAction::Initially(settled) => RunStep::Initially {
            cell: settled.cell.clone(),
            value: settled.value.clone(),
            changes,
            buffers,
        },
    }
}
