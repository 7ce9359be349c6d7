//! Runs, cubes and the exploration as text.

use crate::param::concrete::Run;
use crate::param::concrete::{Machine, State, Step};
use crate::param::cube::any::AnyCube;
use crate::param::search::space::Search;
use crate::param::search::trace::AbstractTrace;
use crate::param::system::System;
use std::fmt::Write as _;

/// A run: each step, then what is still on its way to memory.
pub fn run(system: &System, machine: &Machine, run: &Run) -> String {
    let mut out = String::new();
    let mut at = 0;
    for (step, after) in &run.steps {
        match step {
            Step::Settle(cell, v) => {
                let _ = writeln!(
                    out,
                    "      initially {} = {}",
                    machine.cell_name(*cell),
                    machine.value_name(*cell, *v)
                );
                continue;
            }
            Step::Flush(p, writes) => {
                let _ = writeln!(
                    out,
                    "      memory  {}   from the buffer of #{}",
                    assignments(machine, writes),
                    p + 1
                );
            }
            Step::Fire(t, args) => {
                at += 1;
                let _ = writeln!(out, "  {at:>3}. {}", call(system, *t, args));
            }
        }
        for (p, queue) in Machine::queues(after).iter().enumerate() {
            if !queue.is_empty() {
                let waiting: Vec<String> = queue.iter().map(|g| assignments(machine, g)).collect();
                let _ = writeln!(out, "      buffered by #{}: {}", p + 1, waiting.join("; "));
            }
        }
    }
    let end = run.steps.last().map_or(&run.start, |(_, s)| s);
    let _ = writeln!(out, "      then  {}", state(machine, end));
    out
}

/// The transitions of a trace.
pub fn trace(system: &System, trace: &AbstractTrace) -> Vec<String> {
    let calls = trace.calls.iter();
    calls.map(|(t, args)| call(system, *t, args)).collect()
}

fn call(system: &System, t: usize, args: &[u8]) -> String {
    let names: Vec<String> = args.iter().map(|a| format!("#{}", a + 1)).collect();
    format!("{}({})", system.transitions[t].name, names.join(", "))
}

fn assignments(machine: &Machine, writes: &[(u32, i64)]) -> String {
    let all: Vec<String> = writes
        .iter()
        .map(|(c, v)| format!("{} = {}", machine.cell_name(*c), machine.value_name(*c, *v)))
        .collect();
    all.join(", ")
}

fn state(machine: &Machine, s: &State) -> String {
    let all: Vec<String> = (0..machine.cells())
        .filter_map(|c| {
            let v = Machine::memory(s, c)?;
            Some(format!(
                "{} = {}",
                machine.cell_name(c),
                machine.value_name(c, v)
            ))
        })
        .collect();
    all.join(", ")
}

/// The exploration as a graph for Graphviz: an arrow from a cube to the one before it.
pub fn dot(search: &Search<impl AnyCube>) -> String {
    let system = &*search.context.system;
    let mut out = String::from(
        "digraph exploration {\n  node [shape=box, fontname=monospace, fontsize=9];\n",
    );
    for (i, node) in search.nodes.iter().enumerate() {
        if !node.visited && !search.is_bad(i) {
            continue;
        }
        let label = label(system, &node.prepared.cube);
        let style = if search.is_bad(i) {
            ", color=red, penwidth=2"
        } else if node.subsumed {
            ", color=gray, fontcolor=gray"
        } else if node.next.is_none() {
            ", penwidth=2"
        } else {
            ""
        };
        let _ = writeln!(out, "  n{i} [label=\"{label}\"{style}];");
        if let Some((next, (t, args), _)) = &node.next {
            let args: Vec<String> = args.iter().map(|a| format!("#{}", a + 1)).collect();
            let name = &system.transitions[*t].name;
            let _ = writeln!(
                out,
                "  n{next} -> n{i} [label=\"{name}({})\"];",
                args.join(",")
            );
        }
    }
    out + "}\n"
}

/// A cube, its lines ended for Graphviz.
fn label(system: &System, cube: &impl AnyCube) -> String {
    cube.text(system)
        .lines()
        .filter(|l| *l != "end" && !l.starts_with("after") || l.len() > 10)
        .map(|l| l.replace('\\', "\\\\").replace('"', "\\\"") + "\\l")
        .collect()
}
