//! Instructions and labels that stand in no test: tables have them.

use super::ast::{LineKind, Machine};
use super::parser::Parser;
use super::{columns, lex, sets};
use base::diag::Diag;
use base::source::Span;

/// Reads a line of a machine's program. All that is read stands at one place.
///
/// # Errors
/// It is no line of one.
pub fn line(machine: Machine, text: &str, span: Span) -> Result<LineKind, Box<Diag>> {
    let cell = format!("{text} ;");
    let mut tokens = lex::lex(&cell, span.file, 0, false);
    tokens.iter_mut().for_each(|token| token.span = span);
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
        set: sets::of(machine),
        errors: Vec::new(),
        statement: None,
    };
    let mut lines = Vec::new();
    columns::cell(&mut parser, &mut lines)?;
    match lines.pop() {
        Some(line) if lines.is_empty() => Ok(line.kind),
        _ => parser.unexpected("one instruction or label"),
    }
}

/// Reads lines with placeholders (`lw {r},0({a})`), in whose place these texts stand.
///
/// # Errors
/// A line is none of a machine's program, with these texts.
pub fn fill(
    machine: Machine,
    template: &str,
    texts: &[(&str, &str)],
    span: Span,
) -> Result<Vec<LineKind>, Box<Diag>> {
    let lines = template.split('\n').filter(|l| !l.is_empty());
    let filled = lines.map(|line| {
        let replace =
            |line: String, (placeholder, text): &(&str, &str)| line.replace(placeholder, text);
        texts.iter().fold(line.to_string(), replace)
    });
    filled.map(|text| line(machine, &text, span)).collect()
}
