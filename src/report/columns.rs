//! An execution as a table: a column a thread, a row an event, in an order compatible with the
//! model's global order.
//!
//! A table wider than [`MAX_WIDTH`] would wrap and lose its columns; then the events are listed one
//! below the other, each with the name of its thread.

use super::words;
use crate::base::source::SourceMap;
use crate::check::outcome::{Step, Trace};
use comfy_table::{ContentLineStyle, LineStyle, Table, TableStyle};
use std::fmt::Write;

/// Characters of the widest table.
const MAX_WIDTH: usize = 149;

/// Lines between the columns and below their names.
const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none().junction('|'))
    .header_separator(LineStyle::none().fill('-').junction('+'))
    .content_lines(ContentLineStyle::none().junction('|'));

/// The table, a line a row, indented by two; empty when there is nothing to show.
///
/// `all` shows fences that no one wrote and initial values too.
pub fn table(sources: &SourceMap, trace: &Trace, all: bool) -> String {
    let rows: Vec<(usize, String)> = trace
        .steps
        .iter()
        .filter(|s| all || words::is_written(s))
        .filter_map(|s| Some((s.thread?, cell(sources, trace, s))))
        .collect();
    let headers: Vec<String> = (0..trace.threads.len()).map(|t| header(trace, t)).collect();
    layout(&headers, &rows)
}

/// Rows, each the thread and its text, in a column for each thread that has some.
pub(super) fn layout(headers: &[String], rows: &[(usize, String)]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let shown: Vec<usize> = (0..headers.len())
        .filter(|t| rows.iter().any(|(r, _)| r == t))
        .collect();
    let mut table = Table::new();
    table
        .load_style(STYLE)
        .set_header(shown.iter().map(|t| headers[*t].clone()))
        .add_rows(rows.iter().map(|(thread, text)| {
            let of = |t: &usize| if t == thread { text } else { "" };
            shown.iter().map(of).collect::<Vec<&str>>()
        }));
    // A blank on each side of the lines between columns.
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((u16::from(i > 0), u16::from(i + 1 < shown.len())));
    }
    let line = |line: String| format!("  {}\n", line.trim_end());
    let text: String = table.lines().map(line).collect();
    if text.lines().any(|l| len(l) > MAX_WIDTH) {
        return list(headers, rows);
    }
    text
}

fn header(trace: &Trace, thread: usize) -> String {
    match thread {
        0 => words::thread(0),
        _ => format!("{}: {}", words::thread(thread), trace.threads[thread].name),
    }
}

/// `9  x := 1`: the line, what happened, and for a read where its value came from. The file is
/// named when it is not the one the property is in.
fn cell(sources: &SourceMap, trace: &Trace, step: &Step) -> String {
    let line = if step.span.file == trace.threads[0].span.file {
        sources
            .line_col(step.span.file, step.span.start)
            .line
            .to_string()
    } else {
        words::place(sources, step.span)
    };
    format!("{line}  {}", words::step(sources, trace, step))
}

fn list(headers: &[String], rows: &[(usize, String)]) -> String {
    let width = headers.iter().map(|h| len(h)).max().unwrap_or(0);
    rows.iter().fold(String::new(), |mut out, (thread, text)| {
        let _ = writeln!(out, "  {:width$}  {text}", headers[*thread]);
        out
    })
}

fn len(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_column_a_thread() {
        let (sources, outcome) = sample::store_buffering();
        let table = table(&sources, sample::trace(&outcome), false);
        let expected = [
            "  thread 1: first                  | thread 2: second",
            "  ---------------------------------+---------------------------------",
            "  4  x := 1                        |",
            "                                   | 8  y := 1",
            "  5  y = 0  from the initial value |",
            "                                   | 9  x = 0  from the initial value",
        ];
        assert_eq!(table.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_table_that_is_too_wide_becomes_a_list() {
        let (sources, outcome) = sample::store_buffering();
        let mut trace = sample::trace(&outcome).clone();
        trace.steps[2].cell = "x".repeat(200);
        let table = table(&sources, &trace, false);
        assert_eq!(table.lines().nth(1), Some("  thread 2: second  8  y := 1"));
    }
}
