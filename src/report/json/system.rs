//! The outcome for a system of any number of processes as JSON: one object a system and model.
//!
//! | field | meaning |
//! |---|---|
//! | `tool`, `version`, `input`, `model`, `exit_code` | as for programs |
//! | `code` | as for programs |
//! | `verdict` | `SAFE`, `UNSAFE` or `UNKNOWN` |
//! | `warnings` | what the author probably did not mean, as `errors` of programs |
//! | `reason` | what the verdict is about, or why there is none: a sentence |
//! | `vacuous` | true when no state is initial |
//! | `stats` | `{visited, remaining, nodes, seconds}` of the exploration |
//! | `blocked_trace` | of `UNKNOWN`: the transitions of a trace that no run follows |
//! | `property`, `processes`, `transitions`, `run`, `final` | of `UNSAFE`: the run |
//!
//! A step of `run` has `step`, `changes` and `buffers`. `step` is `initially` (an initial value that
//! `init` leaves open: `cell`, `value`), `transition` (`name`, `processes`; of an x86 program also
//! `line` and `instruction`) or `flush` (an update reaches memory: `process`, `writes`). `changes`
//! lists the cells that have another value after the step. `buffers` holds, for each process, its updates that are still
//! buffered, the oldest first; an update is a list of `{cell, value}`. `final` is memory at the end.
//! Processes are counted from 1, and cells and values are named as in the file.

use crate::base::code::Code;
use crate::base::source::SourceMap;
use crate::driver::outcome::{
    NamedCell, SystemAction, SystemOutcome, SystemRun, SystemStep, SystemVerdict,
};
use crate::report::system::{reason, word};
use serde_json::{Value, json};

/// The object, with a final line break.
pub fn outcome(sources: &SourceMap, input: &str, outcome: &SystemOutcome, exit_code: u8) -> String {
    let mut object = super::begin(input, &outcome.model, word(&outcome.verdict), exit_code);
    object["code"] = json!(match &outcome.verdict {
        SystemVerdict::Safe => None,
        SystemVerdict::Unsafe(_) => Some(Code::UnsafeState.id()),
        SystemVerdict::Unknown { .. } => Some(Code::SearchGivesUp.id()),
    });
    if !outcome.warnings.is_empty() {
        let warnings = outcome.warnings.iter();
        object["warnings"] = warnings.map(|d| json!(super::fault(sources, d))).collect();
    }
    object["reason"] = json!(reason(outcome));
    object["vacuous"] = json!(outcome.vacuous);
    object["stats"] = json!({
        "visited": outcome.visited,
        "remaining": outcome.remaining,
        "nodes": outcome.nodes,
        "seconds": outcome.seconds,
    });
    match &outcome.verdict {
        SystemVerdict::Safe => {}
        SystemVerdict::Unsafe(run) => add_run(&mut object, run),
        SystemVerdict::Unknown { blocked, .. } => {
            if !blocked.is_empty() {
                object["blocked_trace"] = blocked.clone().into();
            }
        }
    }
    object.to_string() + "\n"
}

pub(super) fn add_run(object: &mut Value, run: &SystemRun) {
    object["property"] = run.property.as_str().into();
    object["processes"] = run.processes.into();
    object["transitions"] = run.transitions.into();
    object["run"] = run.steps.iter().map(step).collect();
    object["final"] = run.end.iter().map(cell).collect();
}

fn step(step: &SystemStep) -> Value {
    let mut object = match &step.action {
        SystemAction::Transition {
            name,
            processes,
            instruction,
        } => {
            let mut object = json!({
                "step": "transition",
                "name": name,
                "processes": processes,
            });
            if let Some(instruction) = instruction {
                object["line"] = instruction.line.into();
                object["instruction"] = instruction.text.as_str().into();
            }
            object
        }
        SystemAction::Flush { process, writes } => json!({
            "step": "flush",
            "process": process,
            "writes": update(writes),
        }),
        SystemAction::Initially(settled) => {
            let mut settled = cell(settled);
            settled["step"] = "initially".into();
            settled
        }
    };
    object["changes"] = update(&step.changes);
    let buffers = step.buffers.iter();
    object["buffers"] = buffers
        .map(|queue| queue.iter().map(|u| update(u)).collect::<Value>())
        .collect();
    object
}

fn update(writes: &[NamedCell]) -> Value {
    writes.iter().map(cell).collect()
}

fn cell(cell: &NamedCell) -> Value {
    json!({ "cell": cell.cell, "value": cell.value })
}
