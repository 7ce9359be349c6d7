//! The answer about a system of any number of processes on a model.
//!
//! Processes are counted from 1, and cells and values are named as in the file.

use super::place::Diagnostic;
use super::word::{TOOL, VERSION, Word};
use crate::driver::outcome::{
    NamedCell, SystemAction, SystemOutcome, SystemRun, SystemStep, SystemVerdict,
};
use crate::report::system::{reason, word};
use base::code::Code;
use base::source::SourceMap;
use serde::{Deserialize, Serialize};

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
    pub verdict: Word,
    /// The kind of what is reported; none of `SAFE`.
    pub code: Option<Code>,
    /// What the process would return for this alone.
    pub exit_code: u8,
    /// What the author probably did not mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Diagnostic>,
    /// What the verdict is about, or why there is none: a sentence.
    pub reason: String,
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
    pub end: Option<Vec<RunCell>>,
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

/// A cell and its value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunCell {
    /// The cell.
    pub cell: String,
    /// The value.
    pub value: String,
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
        changes: Vec<RunCell>,
        /// By process: the updates that are still buffered, the oldest first.
        buffers: Vec<Vec<Vec<RunCell>>>,
    },
    /// The oldest update of a process reaches memory.
    Flush {
        /// The process.
        process: u8,
        /// The update.
        writes: Vec<RunCell>,
        /// The cells that have another value after the step.
        changes: Vec<RunCell>,
        /// By process: the updates that are still buffered, the oldest first.
        buffers: Vec<Vec<Vec<RunCell>>>,
    },
    /// A cell that the initial formula leaves open has this value.
    Initially {
        /// The cell.
        cell: String,
        /// The value.
        value: String,
        /// The cells that have another value after the step.
        changes: Vec<RunCell>,
        /// By process: the updates that are still buffered, the oldest first.
        buffers: Vec<Vec<Vec<RunCell>>>,
    },
}

impl SystemAnswer {
    /// The answer that an outcome is.
    pub(super) fn new(
        sources: &SourceMap,
        input: &str,
        outcome: &SystemOutcome,
        exit_code: u8,
    ) -> SystemAnswer {
        let run = match &outcome.verdict {
            SystemVerdict::Unsafe(run) => Some(run),
            SystemVerdict::Safe | SystemVerdict::Unknown { .. } => None,
        };
        SystemAnswer {
            tool: TOOL,
            version: VERSION,
            input: input.to_string(),
            model: outcome.model.clone(),
            verdict: word(&outcome.verdict).into(),
            code: match &outcome.verdict {
                SystemVerdict::Safe => None,
                SystemVerdict::Unsafe(_) => Some(Code::UnsafeState),
                SystemVerdict::Unknown { .. } => Some(Code::SearchGivesUp),
            },
            exit_code,
            warnings: Diagnostic::all(sources, &outcome.warnings),
            reason: reason(outcome),
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
            end: run.map(|r| cells(&r.end)),
        }
    }
}

/// The steps of a run.
pub(super) fn steps(run: &SystemRun) -> Vec<RunStep> {
    run.steps.iter().map(step).collect()
}

fn step(step: &SystemStep) -> RunStep {
    let changes = cells(&step.changes);
    let updates = |queue: &Vec<Vec<NamedCell>>| queue.iter().map(|u| cells(u)).collect();
    let buffers = step.buffers.iter().map(updates).collect();
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
            writes: cells(writes),
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

/// Cells with their values.
pub(super) fn cells(cells: &[NamedCell]) -> Vec<RunCell> {
    let each = cells.iter().map(|cell| RunCell {
        cell: cell.cell.clone(),
        value: cell.value.clone(),
    });
    each.collect()
}
