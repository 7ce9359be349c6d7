//! The execution as a graph for Graphviz: a cluster a thread, relations in herd's colours.
//!
//! `po` is black, `rf` red, `co` blue, `fr` orange, creation and join grey. Edges of the cycle that
//! makes the execution weak are thick; those the model gives up are dashed as well.

use super::words;
use crate::check::outcome::{CycleEdge, EdgeKind, Trace};
use base::source::SourceMap;
use std::fmt::Write;

/// The graph, as text.
pub fn graph(sources: &SourceMap, title: &str, trace: &Trace) -> String {
    let mut out = String::from("digraph execution {\n");
    let _ = writeln!(out, "  label={};", quote(title));
    out +=
        "  labelloc=t;\n  node [shape=box, style=rounded, fontname=\"monospace\", fontsize=10];\n";
    out += "  edge [fontname=\"monospace\", fontsize=10];\n";
    for (i, _) in trace
        .steps
        .iter()
        .enumerate()
        .filter(|(_, s)| s.thread.is_none())
    {
        out += &node(sources, trace, i, "  ");
    }
    for (t, thread) in trace.threads.iter().enumerate() {
        let title = if t == 0 {
            words::thread(0)
        } else {
            format!("{}: {}", words::thread(t), thread.name)
        };
        let _ = writeln!(
            out,
            "  subgraph cluster_{t} {{\n    label={};\n    color=grey70;",
            quote(&title)
        );
        for (i, _) in trace
            .steps
            .iter()
            .enumerate()
            .filter(|(_, s)| s.thread == Some(t))
        {
            out += &node(sources, trace, i, "    ");
        }
        out += "  }\n";
    }
    let cycle = trace.weak.as_ref().map_or(&[][..], |w| &w.cycle);
    let r = &trace.relations;
    edges(&mut out, &r.po, "po", "black", EdgeKind::Po, cycle);
    edges(&mut out, &r.rf, "rf", "red", EdgeKind::Rf, cycle);
    edges(&mut out, &r.co, "co", "blue", EdgeKind::Co, cycle);
    edges(&mut out, &r.fr, "fr", "#ffa040", EdgeKind::Fr, cycle);
    for (a, b) in &r.sync {
        let _ = writeln!(out, "  e{a} -> e{b} [color=grey50, style=dotted];");
    }
    // Edges of the cycle that skip steps (po from the first to the last access of a thread).
    let listed = [
        (EdgeKind::Po, &r.po),
        (EdgeKind::Rf, &r.rf),
        (EdgeKind::Co, &r.co),
        (EdgeKind::Fr, &r.fr),
    ];
    for e in cycle {
        let listed_before = listed
            .iter()
            .any(|(kind, pairs)| *kind == e.kind && pairs.contains(&(e.from, e.to)));
        if !listed_before {
            let style = if e.relaxed { ", style=dashed" } else { "" };
            let _ = writeln!(
                out,
                "  e{} -> e{} [penwidth=2.5, constraint=false{style}];",
                e.from, e.to
            );
        }
    }
    out + "}\n"
}

fn node(sources: &SourceMap, trace: &Trace, index: usize, indent: &str) -> String {
    let step = &trace.steps[index];
    let place = words::place(sources, step.span);
    let label = match step.thread {
        Some(_) => format!("{}\n{place}", words::action(step)),
        None => format!("{} (initial)", words::action(step)),
    };
    format!("{indent}e{index} [label={}];\n", quote(&label))
}

fn edges(
    out: &mut String,
    pairs: &[(usize, usize)],
    label: &str,
    color: &str,
    kind: EdgeKind,
    cycle: &[CycleEdge],
) {
    for (a, b) in pairs {
        let on_cycle = cycle
            .iter()
            .find(|e| e.kind == kind && (e.from, e.to) == (*a, *b));
        let width = if on_cycle.is_some() {
            ", penwidth=2.5"
        } else {
            ""
        };
        let style = if on_cycle.is_some_and(|e| e.relaxed) {
            ", style=dashed"
        } else {
            ""
        };
        // Only program order shapes the drawing; communications would pull the columns apart.
        let rank = if kind == EdgeKind::Po {
            ""
        } else {
            ", constraint=false"
        };
        let _ = writeln!(
            out,
            "  e{a} -> e{b} [label={}, color={}, fontcolor={}{width}{style}{rank}];",
            quote(label),
            quote(color),
            quote(color)
        );
    }
}

fn quote(text: &str) -> String {
    format!(
        "\"{}\"",
        text.replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\n', "\\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn threads_are_clusters_and_relations_have_their_colours() {
        let (sources, outcome) = sample::store_buffering();
        let dot = graph(&sources, "x violated", sample::trace(&outcome));
        assert!(dot.contains("subgraph cluster_1"), "{dot}");
        assert!(dot.contains("e2 [label=\"x := 1\\nsb.c:4\"];"), "{dot}");
        assert!(
            dot.contains("e1 -> e4 [label=\"rf\", color=\"red\""),
            "{dot}"
        );
        assert!(dot.contains("penwidth=2.5, style=dashed"), "{dot}");
        assert_eq!(dot.matches('{').count(), dot.matches('}').count());
    }
}
