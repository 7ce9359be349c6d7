//! The run of a machine with store buffers as JSON.

use crate::base::source::SourceMap;
use crate::check::outcome::{MachineAction, MachineRun, NamedValue};
use crate::report::machine::{instruction, register};

/// Its fields are listed in `docs/json.md`.
#[derive(serde::Serialize)]
pub(super) struct Machine {
    buffered: bool,
    initial: Vec<Initial>,
    steps: Vec<Step>,
}

#[derive(serde::Serialize)]
struct Initial {
    thread: usize,
    #[serde(flatten)]
    value: Named,
}

#[derive(serde::Serialize)]
struct Step {
    thread: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<String>,
    reads: Vec<Named>,
    sets: Vec<Named>,
    writes: Vec<Named>,
    pending: Vec<Named>,
}

#[derive(serde::Serialize)]
struct Named {
    name: String,
    value: u64,
}

fn named(value: &NamedValue) -> Named {
    Named {
        name: register(&value.name),
        value: value.value,
    }
}

fn all(values: &[NamedValue]) -> Vec<Named> {
    values.iter().map(named).collect()
}

/// A run.
pub(super) fn machine(sources: &SourceMap, run: &MachineRun) -> Machine {
    let initial = run.initial.iter().map(|(thread, value)| Initial {
        thread: *thread,
        value: named(value),
    });
    let steps = run.steps.iter().map(|step| {
        let of = |line, instruction, reads, sets, writes| Step {
            thread: step.thread,
            line,
            instruction,
            reads,
            sets,
            writes,
            pending: all(&step.pending),
        };
        match &step.action {
            MachineAction::Memory(cell) => of(None, None, vec![], vec![], vec![named(cell)]),
            MachineAction::Instruction {
                span,
                reads,
                sets,
                writes,
            } => {
                let (line, text) = instruction(sources, *span);
                of(Some(line), text, all(reads), all(sets), all(writes))
            }
        }
    });
    Machine {
        buffered: run.buffered,
        initial: initial.collect(),
        steps: steps.collect(),
    }
}
