//! The answer about a system of any number of processes as text, and its exploration as a graph.
//!
//! ```text
//! UNSAFE: `both_old` holds after 2 transitions of 2 processes
//!     1. write(#1)
//!       buffered by #1: X[#1] = true
//!   …
//!       then  X[#1] = false, …
//! ```

use super::answer::system::{RunStep, SystemAnswer};
use super::answer::word::AnswerVerdict;
use super::text::{Detail, Style};
use super::words::counted;
use crate::driver::outcome::{ExploredNode, NamedCell};
use std::fmt::Write as _;

/// The whole block, with a final line break.
pub fn text(answer: &SystemAnswer, style: Style) -> String {
    let heading = match style.heading {
        true => format!("{} ({}): ", answer.input, answer.model),
        false => String::new(),
    };
    let word = answer.verdict.in_text();
    if style.detail == Detail::Quiet {
        return format!("{heading}{word}\n");
    }
    let colon = match answer.verdict {
        AnswerVerdict::Safe => "",
        _ => ":",
    };
    let mut out = format!("{heading}{word}{colon} {}\n", answer.reason);
    for assumption in &answer.assumptions {
        out += &format!("  assumed: {assumption}\n");
    }
    if let (Some(steps), Some(end)) = (&answer.run, &answer.end) {
        out += &run(steps, end);
    }
    out += &numbered(&answer.blocked_trace);
    if style.stats {
        let stats = &answer.stats;
        out += &format!(
            "  {} visited, {} of them remain{}, {} made; {:.3} s\n",
            counted(stats.visited, "node", "nodes"),
            stats.remaining,
            if stats.remaining == 1 { "s" } else { "" },
            stats.nodes,
            stats.seconds
        );
    }
    out
}

/// Transitions with their processes, by their numbers.
pub(super) fn numbered(calls: &[String]) -> String {
    let each = calls.iter().enumerate();
    each.map(|(i, call)| format!("  {:>3}. {call}\n", i + 1))
        .collect()
}

/// A run: each step, then what is still on its way to memory.
pub(super) fn run(steps: &[RunStep], end: &[NamedCell]) -> String {
    let mut out = String::new();
    let mut at = 0;
    for step in steps {
        let buffers = match step {
            RunStep::Initially { cell, value, .. } => {
                let _ = writeln!(out, "      initially {cell} = {value}");
                continue;
            }
            RunStep::Flush {
                process,
                writes,
                buffers,
                ..
            } => {
                let writes = assignments(writes);
                let _ = writeln!(
                    out,
                    "      memory  {writes}   from the buffer of #{process}"
                );
                buffers
            }
            RunStep::Transition {
                name,
                processes,
                line,
                instruction,
                changes,
                buffers,
            } => {
                at += 1;
                let _ = match (line, instruction) {
                    (Some(line), Some(text)) => {
                        let thread = numbers(&processes[..1], "");
                        let changes = assignments(changes);
                        writeln!(out, "  {at:>3}. {thread}  {line}: {text:28}  {changes}")
                    }
                    _ => writeln!(out, "  {at:>3}. {name}({})", numbers(processes, ", ")),
                };
                buffers
            }
        };
        for (p, queue) in buffers.iter().enumerate() {
            if !queue.is_empty() {
                let waiting: Vec<String> = queue.iter().map(|g| assignments(g)).collect();
                let _ = writeln!(out, "      buffered by #{}: {}", p + 1, waiting.join("; "));
            }
        }
    }
    let _ = writeln!(out, "      then  {}", assignments(end));
    out
}

fn numbers(processes: &[u8], separator: &str) -> String {
    let names: Vec<String> = processes.iter().map(|p| format!("#{p}")).collect();
    names.join(separator)
}

fn assignments(cells: &[NamedCell]) -> String {
    let each = cells.iter().map(|c| format!("{} = {}", c.cell, c.value));
    each.collect::<Vec<_>>().join(", ")
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
