//! An execution as a table: a column a thread, a row an event, in an order compatible with the
//! model's global order.
//!
//! A table wider than [`MAX_WIDTH`] would wrap and lose its columns; then the events are listed one
//! below the other, each with the name of its thread.

use super::words;
use crate::check::outcome::{Counterexample, Step, Trace, TraceChoice};
use base::source::{SourceMap, Span};
use comfy_table::{ContentLineStyle, LineStyle, Table, TableStyle};
use ir::program::PropertyKind;
use std::fmt::Write;

/// So many steps of a function of the library, or more, are one row.
const FOLDED: usize = 3;
/// Characters of the widest table.
const MAX_WIDTH: usize = 149;

/// Lines between the columns and below their names.
const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none().junction('|'))
    .header_separator(LineStyle::none().fill('-').junction('+'))
    .content_lines(ContentLineStyle::none().junction('|'));

/// A row of the table.
pub(super) struct Row {
    /// In which column.
    pub thread: usize,
    /// What happens.
    pub text: String,
    /// The line of the program that says so; empty when it is that of the row before.
    pub source: String,
}

/// The table, a line a row, indented by two; empty when there is nothing to show.
///
/// `all` shows what no one wrote too: fences, initial values, and what is inside of calls of the
/// library. The last row is what `found` violates, where that is a place and no step.
pub fn table(
    sources: &SourceMap,
    trace: &Trace,
    found: Option<&Counterexample>,
    all: bool,
) -> String {
    let mut events: Vec<Vec<usize>> = Vec::new();
    for (i, step) in trace.steps.iter().enumerate() {
        if step.thread.is_none() || !(all || words::is_written(step)) {
            continue;
        }
        // The parts of a call are one row, where its last part is.
        let before = events
            .iter()
            .rposition(|row| trace.steps[row[0]].thread == step.thread);
        let call = before.filter(|row| {
            let mut parts = events[*row].iter().map(|part| &trace.steps[*part]);
            !all && parts.all(|part| words::is_same_call(part, step))
        });
        let mut row = call.map_or(Vec::new(), |row| events.remove(row));
        row.push(i);
        events.push(row);
    }
    let mut shown: Vec<(usize, Span, String)> = Vec::new();
    let mut choices = trace.choices.iter().peekable();
    let mut at = 0;
    while at < events.len() {
        let row = &events[at];
        while let Some(choice) = choices.next_if(|c| c.step <= row[0]) {
            shown.extend(chosen(sources, choice));
        }
        let next = choices.peek().map_or(usize::MAX, |c| c.step);
        let folded = match all {
            true => 0,
            false => of_library_text(sources, trace, &events[at..], next, found),
        };
        if folded >= FOLDED {
            let rows = events[at..at + folded].iter();
            let steps: Vec<&Step> = rows.map(|row| &trace.steps[row[0]]).collect();
            let text = words::library_steps(sources, trace, &steps);
            shown.extend(steps[0].thread.map(|t| (t, steps[0].span, text)));
            at += folded;
            continue;
        }
        at += 1;
        let step = &trace.steps[row[row.len() - 1]];
        let mut text = match row.iter().map(|i| &trace.steps[*i]).collect::<Vec<_>>() {
            steps if !all && words::is_internal(step) => words::call(sources, trace, &steps),
            _ => words::step(sources, trace, step),
        };
        if found.is_some_and(|f| row.iter().any(|i| f.steps.contains(i))) {
            text += VIOLATED;
        }
        shown.extend(step.thread.map(|t| (t, step.span, text)));
    }
    shown.extend(choices.filter_map(|choice| chosen(sources, choice)));
    if let Some(found) = found
        && !matches!(
            found.property.kind,
            PropertyKind::Deadlock
                | PropertyKind::Termination
                | PropertyKind::Linearizable
                | PropertyKind::Sequential
                | PropertyKind::Quiescent
        )
        && let (Some(thread), []) = (found.thread, &found.steps[..])
    {
        let what = words::violation(found);
        shown.push((thread, found.span, format!("{what}{VIOLATED}")));
    }
    let mut last = None;
    let mut rows = Vec::new();
    for (thread, span, text) in shown {
        let place = (
            thread,
            span.file,
            sources.line_col(span.file, span.start).line,
        );
        let source = match last == Some(place) {
            true => String::new(),
            false => line(sources, span),
        };
        last = Some(place);
        let text = format!("{}  {text}", number(sources, trace, span));
        rows.push(Row {
            thread,
            text,
            source,
        });
    }
    let headers: Vec<String> = (0..trace.threads.len()).map(|t| header(trace, t)).collect();
    layout(&headers, &rows)
}

/// How many rows, from the first one on, are steps of one thread in a function of the library that is given in
/// C, and nothing else: no arbitrary value, which comes behind the step `next`, and not what is violated.
fn of_library_text(
    sources: &SourceMap,
    trace: &Trace,
    events: &[Vec<usize>],
    next: usize,
    found: Option<&Counterexample>,
) -> usize {
    let function = |row: &Vec<usize>| {
        let (step, is_single) = (&trace.steps[row[0]], row.len() == 1);
        let is_shown = found.is_some_and(|f| f.steps.contains(&row[0]));
        let is_plain = is_single && !is_shown && row[0] < next && !words::is_internal(step);
        let function = is_plain.then(|| words::library_function(sources, step.span));
        Some((step.thread, function.flatten()?))
    };
    let first = events.first().and_then(function);
    let same = |row: &&Vec<usize>| first.is_some() && function(row) == first;
    events.iter().take_while(same).count()
}

/// An arbitrary value of the program, where one line of its text says which: a call, or a parameter.
/// That of a variable without an initial value rarely matters, and one of a single bit is no value of the
/// source: it says in which of two ways an operation goes on.
fn chosen(sources: &SourceMap, choice: &TraceChoice) -> Option<(usize, Span, String)> {
    if choice.width == 1 {
        return None;
    }
    let text = sources.snippet(choice.span);
    let is_variable = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let one_line = !is_variable && text.lines().count() == 1;
    let value = words::value(choice.value, choice.width);
    one_line.then(|| (choice.thread, choice.span, format!("{text} = {value}")))
}

/// Marks what violates the property.
const VIOLATED: &str = "  <- violated";

/// The text of the line that a span begins in, as far as a column has room for it.
fn line(sources: &SourceMap, span: Span) -> String {
    const MOST: usize = 44;
    let line = sources.line(span).trim();
    if len(line) <= MOST {
        return line.to_string();
    }
    let cut: String = line.chars().take(MOST - 3).collect();
    format!("{}...", cut.trim_end())
}

/// Rows in a column for each thread that has some, and one for the program's lines where there is
/// room.
pub(super) fn layout(headers: &[String], rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let has_source = rows.iter().any(|r| !r.source.is_empty());
    let wide = has_source.then(|| grid(headers, rows, true));
    let fits = |text: &String| text.lines().all(|l| len(l) <= MAX_WIDTH);
    let narrow = || Some(grid(headers, rows, false)).filter(fits);
    wide.filter(fits)
        .or_else(narrow)
        .unwrap_or_else(|| list(headers, rows))
}

fn grid(headers: &[String], rows: &[Row], with_source: bool) -> String {
    let shown: Vec<usize> = (0..headers.len())
        .filter(|t| rows.iter().any(|r| r.thread == *t))
        .collect();
    let names = shown.iter().map(|t| headers[*t].as_str());
    let source = with_source.then_some("source");
    let mut table = Table::new();
    table
        .load_style(STYLE)
        .set_header(names.chain(source))
        .add_rows(rows.iter().map(|row| {
            let of = |t: &usize| if *t == row.thread { &row.text[..] } else { "" };
            let source = with_source.then_some(&row.source[..]);
            shown.iter().map(of).chain(source).collect::<Vec<&str>>()
        }));
    // A blank on each side of the lines between columns.
    let columns = shown.len() + usize::from(with_source);
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((u16::from(i > 0), u16::from(i + 1 < columns)));
    }
    let line = |line: String| format!("  {}\n", line.trim_end());
    table.lines().map(line).collect()
}

fn header(trace: &Trace, thread: usize) -> String {
    match thread {
        0 => words::thread(0),
        _ => format!("{}: {}", words::thread(thread), trace.threads[thread].name),
    }
}

/// The number of a line. The file is named when it is not the one the program begins in.
fn number(sources: &SourceMap, trace: &Trace, span: Span) -> String {
    if span.file == trace.threads[0].span.file {
        sources.line_col(span.file, span.start).line.to_string()
    } else {
        words::place(sources, span)
    }
}

/// A line for each row: the thread, what happens, and the line of the program.
fn list(headers: &[String], rows: &[Row]) -> String {
    let threads = headers.iter().map(|h| len(h)).max().unwrap_or(0);
    let texts = rows.iter().map(|r| len(&r.text)).filter(|n| *n < 70);
    let texts = texts.max().unwrap_or(0);
    rows.iter().fold(String::new(), |mut out, row| {
        let (header, text, source) = (&headers[row.thread], &row.text, &row.source);
        let line = format!("  {header:threads$}  {text:texts$}  {source}");
        let _ = writeln!(out, "{}", line.trim_end());
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
        let table = table(&sources, sample::trace(&outcome), None, false);
        let expected = [
            "  thread 1: first                  | thread 2: second                 | source",
            "  ---------------------------------+----------------------------------+-------",
            "  4  x := 1                        |                                  | x = 1;",
            "                                   | 8  y := 1                        | y = 1;",
            "  5  y = 0  from the initial value |                                  | a = y;",
            "                                   | 9  x = 0  from the initial value | b = x;",
        ];
        assert_eq!(table.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_table_that_is_too_wide_becomes_a_list() {
        let (sources, outcome) = sample::store_buffering();
        let mut trace = sample::trace(&outcome).clone();
        trace.steps[2].cell = "x".repeat(200);
        let table = table(&sources, &trace, None, false);
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let second = table.lines().nth(1).map(words);
        assert_eq!(second.as_deref(), Some("thread 2: second 8 y := 1 y = 1;"));
    }
}
