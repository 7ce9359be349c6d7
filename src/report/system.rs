//! The outcome for a system of any number of processes as text, and its exploration as a graph.
//!
//! ```text
//! UNSAFE: `both_old` holds after 2 transitions of 2 processes
//!     1. write(#1)
//!       buffered by #1: X[#1] = true
//!   …
//!       then  X[#1] = false, …
//! ```

use super::text::{Detail, Style};
use super::words::counted;
use crate::driver::outcome::{
    ExploredNode, NamedCell, SourceLine, SystemAction, SystemOutcome, SystemRun, SystemVerdict,
};
use std::fmt::Write as _;

/// The largest number of 32 bits: a run of an x86 program with no larger one is a run of the machine.
const MOST: u64 = (1 << 31) - 1;

/// The whole block, with a final line break; `input` is the system's path as the user gave it.
pub fn outcome(input: &str, outcome: &SystemOutcome, style: Style) -> String {
    let heading = match style.heading {
        true => format!("{input} ({}): ", outcome.model),
        false => String::new(),
    };
    let word = word(&outcome.verdict);
    if style.detail == Detail::Quiet {
        return format!("{heading}{word}\n");
    }
    let colon = match outcome.verdict {
        SystemVerdict::Safe => "",
        _ => ":",
    };
    let mut out = format!("{heading}{word}{colon} {}\n", reason(outcome));
    match &outcome.verdict {
        SystemVerdict::Safe => {}
        SystemVerdict::Unsafe(found) => out += &run(found),
        SystemVerdict::Unknown { blocked, .. } => {
            for (i, call) in blocked.iter().enumerate() {
                let _ = writeln!(out, "  {:>3}. {call}", i + 1);
            }
        }
    }
    if style.stats {
        out += &format!(
            "  {} visited, {} of them remain{}, {} made; {:.3} s\n",
            counted(outcome.visited, "node", "nodes"),
            outcome.remaining,
            if outcome.remaining == 1 { "s" } else { "" },
            outcome.nodes,
            outcome.seconds
        );
    }
    out
}

/// The verdict in a word.
pub fn word(verdict: &SystemVerdict) -> &'static str {
    match verdict {
        SystemVerdict::Safe => "SAFE",
        SystemVerdict::Unsafe(_) => "UNSAFE",
        SystemVerdict::Unknown { .. } => "UNKNOWN",
    }
}

/// What the verdict is about, or why there is none.
pub fn reason(outcome: &SystemOutcome) -> String {
    match &outcome.verdict {
        SystemVerdict::Safe => proved(outcome),
        SystemVerdict::Unsafe(run) => format!(
            "`{}` holds after {} of {}{}",
            run.property,
            counted(run.transitions, "transition", "transitions"),
            actors(run.processes, outcome.assembly),
            match outcome.assembly && run.largest_integer > MOST {
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
        Some(n) => actors(n, outcome.assembly),
        None if outcome.assembly => "any number of threads".into(),
        None => "any number of processes".into(),
    };
    let assumed = match outcome.invariants {
        0 => String::new(),
        1 => ", given the file's invariant".into(),
        n => format!(", given the file's {n} invariants"),
    };
    let values = match outcome.assembly {
        true => " and integers without bounds",
        false => "",
    };
    format!("for {number}{values}{assumed}")
}

/// So many processes, which are threads of an x86 program.
fn actors(n: u8, assembly: bool) -> String {
    match assembly {
        true => counted(n.into(), "thread", "threads"),
        false => counted(n.into(), "process", "processes"),
    }
}

/// A run: each step, then what is still on its way to memory.
pub fn run(run: &SystemRun) -> String {
    let mut out = String::new();
    let mut at = 0;
    for step in &run.steps {
        match &step.action {
            SystemAction::Initially(cell) => {
                let _ = writeln!(out, "      initially {}", assignment(cell));
                continue;
            }
            SystemAction::Flush { process, writes } => {
                let writes = assignments(writes);
                let _ = writeln!(
                    out,
                    "      memory  {writes}   from the buffer of #{process}"
                );
            }
            SystemAction::Transition {
                processes,
                instruction: Some(instruction),
                ..
            } => {
                at += 1;
                let SourceLine { line, text } = instruction;
                let changes = assignments(&step.changes);
                let thread = numbers(&processes[..1], "");
                let _ = writeln!(out, "  {at:>3}. {thread}  {line}: {text:28}  {changes}");
            }
            SystemAction::Transition {
                name, processes, ..
            } => {
                at += 1;
                let _ = writeln!(out, "  {at:>3}. {name}({})", numbers(processes, ", "));
            }
        }
        for (p, queue) in step.buffers.iter().enumerate() {
            if !queue.is_empty() {
                let waiting: Vec<String> = queue.iter().map(|g| assignments(g)).collect();
                let _ = writeln!(out, "      buffered by #{}: {}", p + 1, waiting.join("; "));
            }
        }
    }
    let _ = writeln!(out, "      then  {}", assignments(&run.end));
    out
}

fn numbers(processes: &[u8], separator: &str) -> String {
    let names: Vec<String> = processes.iter().map(|p| format!("#{p}")).collect();
    names.join(separator)
}

fn assignments(cells: &[NamedCell]) -> String {
    let all: Vec<String> = cells.iter().map(assignment).collect();
    all.join(", ")
}

fn assignment(cell: &NamedCell) -> String {
    format!("{} = {}", cell.cell, cell.value)
}

/// The exploration as a graph for Graphviz: an arrow from a cube to the one before it.
pub fn dot(nodes: &[ExploredNode]) -> String {
    let mut out = String::from(
        "digraph exploration {\n  node [shape=box, fontname=monospace, fontsize=9];\n",
    );
    for node in nodes {
        let i = node.index;
        let label = label(&node.cube);
        let style = if node.bad {
            ", color=red, penwidth=2"
        } else if node.covered {
            ", color=gray, fontcolor=gray"
        } else if node.next.is_none() {
            ", penwidth=2"
        } else {
            ""
        };
        let _ = writeln!(out, "  n{i} [label=\"{label}\"{style}];");
        if let Some((next, name, processes)) = &node.next {
            let processes = numbers(processes, ",");
            let _ = writeln!(out, "  n{next} -> n{i} [label=\"{name}({processes})\"];");
        }
    }
    out + "}\n"
}

/// A cube, its lines ended for Graphviz.
fn label(cube: &str) -> String {
    cube.lines()
        .filter(|l| *l != "end" && !l.starts_with("after") || l.len() > 10)
        .map(|l| l.replace('\\', "\\\\").replace('"', "\\\"") + "\\l")
        .collect()
}
