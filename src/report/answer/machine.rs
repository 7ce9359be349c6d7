//! The run of a machine with store buffers, as answers have it.

use crate::check::outcome::{MachineAction, MachineRun, NamedValue};
use crate::report::machine::{instruction, register};
use base::source::SourceMap;
use serde::{Deserialize, Serialize};

/// A run of a machine whose threads have store buffers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineExecution {
    /// The model lets stores wait in buffers.
    pub buffered: bool,
    /// Registers that are arbitrary at first.
    pub initial: Vec<InitialRegister>,
    /// What happens, in order.
    pub steps: Vec<MachineStep>,
}

/// A register that is arbitrary at first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InitialRegister {
    /// Its thread.
    pub thread: usize,
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: u64,
}

/// A step of the machine: an instruction, or a store that reaches memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineStep {
    /// The thread.
    pub thread: usize,
    /// Of an instruction: its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Of an instruction: its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// What it reads from memory.
    pub reads: Vec<MachineCell>,
    /// Registers, flags and variables of the thread that it sets.
    pub sets: Vec<MachineCell>,
    /// What it writes to memory.
    pub writes: Vec<MachineCell>,
    /// What is buffered afterwards, the oldest first.
    pub pending: Vec<MachineCell>,
}

/// A register or a variable with its value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineCell {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: u64,
}

fn cell(value: &NamedValue) -> MachineCell {
    MachineCell {
        name: register(&value.name),
        value: value.value,
    }
}

fn cells(values: &[NamedValue]) -> Vec<MachineCell> {
    values.iter().map(cell).collect()
}

impl MachineExecution {
    /// The run as answers have it.
    pub(super) fn of(sources: &SourceMap, run: &MachineRun) -> MachineExecution {
        let initial = run.initial.iter().map(|(thread, value)| InitialRegister {
            thread: *thread,
            name: register(&value.name),
            value: value.value,
        });
        let steps = run.steps.iter().map(|step| {
            let of = |line, instruction, reads, sets, writes| MachineStep {
                thread: step.thread,
                line,
                instruction,
                reads,
                sets,
                writes,
                pending: cells(&step.pending),
            };
            match &step.action {
                MachineAction::Memory(stored) => of(None, None, vec![], vec![], vec![cell(stored)]),
                MachineAction::Instruction {
                    span,
                    reads,
                    sets,
                    writes,
                } => {
                    let (line, text) = instruction(sources, *span);
                    of(Some(line), text, cells(reads), cells(sets), cells(writes))
                }
            }
        });
        MachineExecution {
            buffered: run.buffered,
            initial: initial.collect(),
            steps: steps.collect(),
        }
    }
}
