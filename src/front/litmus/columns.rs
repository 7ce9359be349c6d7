//! The program: a row of names, then rows of cells, a column per thread.

use super::ast::{Line, LineKind, Thread};
use super::lex::{LitmusTokenKind, QUESTIONS};
use super::parser::{Parsed, Parser, wrong};

/// More columns than these no one has written by hand.
const MAX_THREADS: u32 = 1000;

/// The section.
pub(super) fn section(p: &mut Parser) -> Parsed<Vec<Thread>> {
    let mut threads = heads(p)?;
    while !is_end(p) {
        row(p, &mut threads);
    }
    Ok(threads)
}

/// True where the question begins.
fn is_end(p: &Parser) -> bool {
    let token = p.peek();
    match token.kind {
        LitmusTokenKind::End | LitmusTokenKind::Sign("~" | "(") => true,
        LitmusTokenKind::Word => QUESTIONS.contains(&token.text),
        _ => false,
    }
}

/// `P0 | P1 ;`
fn heads(p: &mut Parser) -> Parsed<Vec<Thread>> {
    let mut threads: Vec<Thread> = Vec::new();
    loop {
        let token = p.peek();
        let number = thread_number(p, &threads)?;
        p.next();
        threads.push(Thread {
            number,
            span: token.span,
            lines: Vec::new(),
            function: None,
        });
        if p.eat(";") {
            return Ok(threads);
        }
        p.expect("|", "`|` or `;`")?;
    }
}

/// The number of the thread that is named next; no other one has it.
pub(super) fn thread_number(p: &Parser, threads: &[Thread]) -> Parsed<u32> {
    let token = p.peek();
    let number = token.text.strip_prefix('P').and_then(|n| n.parse().ok());
    let Some(number) = number.filter(|_| token.kind == LitmusTokenKind::Word) else {
        return p.unexpected("a thread like `P0`");
    };
    if number >= MAX_THREADS {
        let message = format!("threads are numbered up to {}", MAX_THREADS - 1);
        return wrong(token.span, message);
    }
    if threads.iter().any(|t| t.number == number) {
        return wrong(
            token.span,
            format!("there are two threads `{}`", token.text),
        );
    }
    Ok(number)
}

/// A row; a wrong cell is skipped.
fn row(p: &mut Parser, threads: &mut [Thread]) {
    let mut column = 0;
    loop {
        let start = p.peek().span;
        let mut lines = Vec::new();
        let read = match cell(p, &mut lines) {
            Ok(()) if !lines.is_empty() && column >= threads.len() => {
                let message = format!("column {} has no thread above it", column + 1);
                wrong(start, message)
            }
            other => other,
        };
        if let Some(thread) = threads.get_mut(column) {
            thread.lines.append(&mut lines);
        }
        if let Err(e) = read {
            p.errors.push(*e);
            while !matches!(
                p.peek().kind,
                LitmusTokenKind::End | LitmusTokenKind::Sign("|" | ";")
            ) {
                p.next();
            }
        }
        if !p.eat("|") {
            p.eat(";");
            return;
        }
        column += 1;
    }
}

/// Labels, then an instruction, or nothing.
pub(super) fn cell(p: &mut Parser, lines: &mut Vec<Line>) -> Parsed<()> {
    while p.peek().kind == LitmusTokenKind::Word && p.ahead(1).kind == LitmusTokenKind::Sign(":") {
        let label = p.next();
        p.next();
        lines.push(Line {
            kind: LineKind::Label(label.text.to_string()),
            span: label.span,
        });
    }
    if p.is("|") || p.is(";") {
        return Ok(());
    }
    if p.peek().kind != LitmusTokenKind::Word {
        return p.unexpected("an instruction");
    }
    let start = p.peek().span;
    let kind = (p.set.instruction)(p)?;
    let end = p.tokens[p.at.saturating_sub(1)].span;
    lines.push(Line {
        kind,
        span: start.to(end),
    });
    if p.is("|") || p.is(";") {
        Ok(())
    } else {
        p.unexpected("`|` or `;`")
    }
}
