//! The run of a machine with store buffers as a table: a column a thread, a row an instruction, with
//! the registers and flags that it sets, or a store that reaches memory.

use super::columns::Row;
use super::{columns, words};
use crate::check::outcome::{MachineAction, MachineRun, MachineStep, NamedValue, Trace};
use base::source::{SourceMap, Span};

/// The table, a line a row, indented by two.
pub fn table(sources: &SourceMap, trace: &Trace, run: &MachineRun) -> String {
    let mut rows: Vec<Row> = Vec::new();
    let mut push = |thread: usize, text: String| {
        rows.push(Row {
            thread,
            text,
            source: String::new(),
        });
    };
    for (thread, register) in &run.initial {
        push(*thread, format!("initially {}", assignment(register)));
    }
    // A store that is on its way for a while is mentioned with what changes the buffer.
    let mut before: Vec<Vec<NamedValue>> = vec![Vec::new(); trace.threads.len()];
    for step in &run.steps {
        let mut text = action(sources, step);
        if run.buffered && before[step.thread] != step.pending {
            text += &match step.pending.is_empty() {
                true => "   buffer: empty".to_string(),
                false => format!("   buffer: {}", list(&step.pending)),
            };
        }
        before[step.thread].clone_from(&step.pending);
        push(step.thread, text);
    }
    let headers: Vec<String> = (0..trace.threads.len()).map(words::thread).collect();
    columns::layout(&headers, &rows)
}

/// `12  mov eax, [x]   x = 1, eax = 1`
fn action(sources: &SourceMap, step: &MachineStep) -> String {
    match &step.action {
        MachineAction::Memory(cell) => format!("memory   {}", assignment(cell)),
        MachineAction::Instruction {
            span,
            reads,
            sets,
            writes,
        } => {
            let (line, instruction) = instruction(sources, *span);
            let instruction = instruction.unwrap_or("stops here".to_string());
            let mut text = format!("{line}  {instruction}");
            let loads = matches!((&reads[..], &sets[..]), ([r], [s]) if r.value == s.value);
            let reads = if loads { &[][..] } else { &reads[..] };
            for (verb, values) in [("reads ", reads), ("", sets), ("writes ", writes)] {
                if !values.is_empty() {
                    text += &format!("   {verb}{}", list(values));
                }
            }
            text
        }
    }
}

/// The line of an instruction, and how it is written; nothing where a thread stops.
pub(super) fn instruction(sources: &SourceMap, span: Span) -> (u32, Option<String>) {
    let file = &sources.file(span.file).text;
    let written = file.get(span.start as usize..span.end as usize);
    let words: Vec<&str> = written.unwrap_or("").split_whitespace().collect();
    let line = sources.line_col(span.file, span.start).line;
    (line, (!words.is_empty()).then(|| words.join(" ")))
}

fn list(values: &[NamedValue]) -> String {
    values.iter().map(assignment).collect::<Vec<_>>().join(", ")
}

fn assignment(value: &NamedValue) -> String {
    let shown = match value.width {
        1 => value.value.to_string(),
        width => words::value(value.value, width),
    };
    format!("{} = {shown}", register(&value.name))
}

/// Registers are written in small letters, as in programs; flags and variables as they are.
pub(super) fn register(name: &str) -> String {
    match name {
        "EAX" | "EBX" | "ECX" | "EDX" | "ESI" | "EDI" => name.to_lowercase(),
        _ => name.to_string(),
    }
}
