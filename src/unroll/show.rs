//! The event graph as text, for `--dump after:unroll`.

use super::event::{Deps, EventGraph, EventKind, Final};
use base::source::SourceMap;
use std::fmt::Write;

/// A line per event, threads in order, then joins, checks, bounds reached and unsupported constructs.
pub fn show(graph: &EventGraph, sources: &SourceMap) -> String {
    let mut out = String::new();
    let term = |t| graph.terms.show(t);
    for cell in graph.cells.iter() {
        let init = &graph.events[cell.init];
        out += &format!(
            "{} {}-bit {} := {}\n",
            cell.init,
            cell.width,
            cell.name,
            term(init.value)
        );
    }
    for (id, thread) in graph.threads.iter_enumerated() {
        let _ = writeln!(
            out,
            "thread {id} {} when {}, ended when {}",
            thread.name,
            term(thread.guard),
            term(thread.ended)
        );
        for e in &thread.events {
            let event = &graph.events[*e];
            let cells: Vec<&str> = event
                .cells
                .iter()
                .map(|c| graph.cells[*c].name.as_str())
                .collect();
            let cells = cells.join("|");
            let what = match event.kind {
                EventKind::Init => "init".to_string(),
                EventKind::Read => format!("read {cells}"),
                EventKind::Write => format!("write {cells} := {}", term(event.value)),
                EventKind::Lifetime(life) => format!("{life:?} {cells}"),
                EventKind::Fence(tag) => format!("fence {tag:?}"),
            };
            let _ = write!(
                out,
                "  {e} {what} when {} at {}",
                term(event.guard),
                sources.location(event.span)
            );
            if event.cells.len() > 1 {
                let _ = write!(out, " address {}", term(event.addr));
            }
            for (name, deps) in [
                ("addr", &event.addr_deps),
                ("data", &event.data_deps),
                ("ctrl", &event.ctrl_deps),
            ] {
                out += &show_deps(graph, name, deps);
            }
            if let Some(read) = event.rmw_read {
                let _ = write!(out, " rmw {read}");
            }
            if let Some(group) = event.group {
                let _ = write!(out, " {group}");
            }
            out.push('\n');
        }
    }
    for j in &graph.joins {
        let _ = writeln!(
            out,
            "join {} before {}[{}..] when {}",
            j.joined,
            j.thread,
            j.position,
            term(j.cond)
        );
    }
    for (id, last) in graph.finals.iter_enumerated() {
        let value = match last {
            Final::Value(value) => term(*value),
            Final::Cell(cell) => graph.cells[*cell].name.clone(),
        };
        let _ = writeln!(out, "observe {id} = {value}");
    }
    for c in &graph.checks {
        let _ = writeln!(
            out,
            "check {} at {}: {} when {}",
            c.property.text,
            sources.location(c.span),
            term(c.cond),
            term(c.guard)
        );
    }
    for c in &graph.bounds_reached {
        let _ = writeln!(
            out,
            "bound reached {} after {} when {}",
            c.name,
            c.bound,
            term(c.guard)
        );
    }
    for g in graph.unsupported.iter().chain(&graph.unresolved) {
        let _ = writeln!(
            out,
            "unsupported {} at {} when {}",
            g.reason,
            sources.location(g.span),
            term(g.guard)
        );
    }
    out
}

fn show_deps(graph: &EventGraph, name: &str, deps: &Deps) -> String {
    if deps.is_empty() {
        return String::new();
    }
    let all: Vec<String> = deps
        .iter()
        .map(|(e, c)| {
            if graph.terms.is_true(*c) {
                e.to_string()
            } else {
                format!("{e}?{}", graph.terms.show(*c))
            }
        })
        .collect();
    format!(" {name}({})", all.join(","))
}
