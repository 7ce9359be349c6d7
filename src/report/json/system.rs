//! A run of a system of any number of processes: the fields `property`, `processes`,
//! `transitions`, `run` and `final` of its object.
//!
//! A step of `run` has `step` and `buffers`. `step` is `initially` (an initial value that `init`
//! leaves open: `cell`, `value`), `transition` (`name`, `processes`) or `flush` (an update reaches
//! memory: `process`, `writes`). `buffers` holds, for each process, its updates that are still
//! buffered, the oldest first; an update is a list of `{cell, value}`. `final` is memory at the end.
//! Processes are counted from 1, and cells and values are named as in a program.

use crate::param::concrete::{Machine, Run, State, Step};
use crate::param::system::System;
use serde_json::{Value, json};

/// Adds a run to the object of an answer.
pub fn add_run(object: &mut Value, system: &System, machine: &Machine, run: &Run) {
    object["property"] = system.unsafes[run.violated].name.as_str().into();
    object["processes"] = machine.procs().into();
    object["transitions"] = run.len().into();
    let steps = run.steps.iter().map(|(s, after)| {
        let mut step = step(system, machine, s);
        step["buffers"] = buffers(machine, after);
        step
    });
    object["run"] = steps.collect();
    let end = run.steps.last().map_or(&run.start, |(_, s)| s);
    let cells = (0..machine.cells()).filter_map(|c| Some((c, Machine::memory(end, c)?)));
    object["final"] = cells.map(|(c, v)| cell(machine, c, v)).collect();
}

fn step(system: &System, machine: &Machine, step: &Step) -> Value {
    match step {
        Step::Fire(t, args) => json!({
            "step": "transition",
            "name": system.transitions[*t].name,
            "processes": args.iter().map(|a| a + 1).collect::<Vec<u8>>(),
        }),
        Step::Flush(p, writes) => json!({
            "step": "flush",
            "process": p + 1,
            "writes": update(machine, writes),
        }),
        Step::Settle(c, v) => {
            let mut settled = cell(machine, *c, *v);
            settled["step"] = "initially".into();
            settled
        }
    }
}

fn buffers(machine: &Machine, state: &State) -> Value {
    let queues = Machine::queues(state).iter();
    queues
        .map(|q| q.iter().map(|u| update(machine, u)).collect::<Value>())
        .collect()
}

fn update(machine: &Machine, writes: &[(u32, i64)]) -> Value {
    writes.iter().map(|(c, v)| cell(machine, *c, *v)).collect()
}

fn cell(machine: &Machine, cell: u32, value: i64) -> Value {
    json!({
        "cell": machine.cell_name(cell),
        "value": machine.value_name(cell, value),
    })
}
