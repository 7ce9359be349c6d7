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

/// The exploration as a graph for Graphviz: sets of states, and an arrow for each transition from one into
/// another.
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

/// The states that a cube stands for, a line each condition, as Graphviz wants them.
fn label(cube: &str) -> String {
    let lines = cube.lines().filter_map(condition);
    lines
        .map(|line| line.replace('\\', "\\\\").replace('"', "\\\"") + "\\l")
        .collect()
}

/// What a line of a cube says of a state, in the words of the system; nothing of those that only order events.
fn condition(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let relation = |a: &str, rel: &str, b: &str| Some(format!("{a} {rel} {b}"));
    match words[..] {
        ["cube", "1", ..] => Some("1 process".to_string()),
        ["cube", n, ..] => Some(format!("{n} processes")),
        ["in", base, value] => relation(base, "=", value),
        ["in", base, ref values @ ..] => relation(base, "=", &values.join(" or ")),
        ["eq", a, b] => relation(a, "=", b),
        ["ne", a, b] => relation(a, "<>", b),
        ["less", a, b] => relation(a, "<", b),
        ["lesseq", a, b] => relation(a, "<=", b),
        ["diff", a, "0", rel, number, _] => relation(a, rel, number),
        ["diff", "0", b, rel, number, _] => Some(format!("-{b} {rel} {number}")),
        ["diff", a, b, rel, "0", _] => relation(a, rel, b),
        ["diff", a, b, rel, number, _] => relation(&format!("{a} - {b}"), rel, number),
        ["lin", rel, number, ref terms @ ..] => {
            let terms = terms.chunks(2).map(|term| term.join(" * "));
            let sum: Vec<String> = std::iter::once(number.to_string()).chain(terms).collect();
            relation(&sum.join(" + "), rel, "0")
        }
        ["read", _, process, cell, ..] => Some(format!("{process} will read {cell}")),
        ["overwritten", _, cell, ..] => Some(format!("{cell} will be overwritten")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubes_are_states_in_the_words_of_the_system() {
        let cube = "cube 2 snapshot\nin PC[#1] L2 L3\nin X One\ndiff N 0 <= 4 int\ndiff A B = 0 int\n\
                    less #1 #2\nlin <= -3 2 A 1 B\nread 0 #1 X\nafter 0 :\nany #1 : 0\nend\n";
        let expected = [
            "2 processes",
            "PC[#1] = L2 or L3",
            "X = One",
            "N <= 4",
            "A = B",
            "#1 < #2",
            "-3 + 2 * A + 1 * B <= 0",
            "#1 will read X",
            "",
        ];
        assert_eq!(label(cube), expected.join("\\l"));
    }
}
