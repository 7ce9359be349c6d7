//! Sections and their lines.

use super::ast::{Data, Initial, Line, Name};
use super::instr::{instruction, name, number, sign, unexpected, wrong};
use super::lex::{AsmTokenKind as Kind, Parser};
use super::property::{RawComparison, comparison};
use crate::front::litmus::ast::x86::{Base, MemoryOperand, Op, Operand};
use base::diag::Diag;
use base::source::Span;
use base::tokens::Parsed;

/// What the sections say.
#[derive(Default)]
pub(super) struct Sections {
    /// Where each section that was read begins.
    pub begins: Vec<(Section, Span)>,
    pub shared: Vec<Data>,
    pub private: Vec<Data>,
    /// Assignments before the threads start.
    pub init: Vec<(Name, Initial)>,
    pub code: Vec<Line>,
    pub end_labels: Vec<Name>,
    pub property: Vec<RawComparison>,
    /// The end of the file.
    pub end: Option<Span>,
}

/// The kinds of section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Section {
    SharedData,
    ThreadData,
    InitCode,
    ThreadCode,
    UnsafeProp,
}

impl Section {
    pub const ALL: [Section; 5] = [
        Section::SharedData,
        Section::ThreadData,
        Section::InitCode,
        Section::ThreadCode,
        Section::UnsafeProp,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Section::SharedData => "shared_data",
            Section::ThreadData => "thread_data",
            Section::InitCode => "init_code",
            Section::ThreadCode => "thread_code",
            Section::UnsafeProp => "unsafe_prop",
        }
    }
}

/// All sections; errors go to the parser's list.
pub(super) fn sections(p: &mut Parser) -> Sections {
    let mut all = Sections::default();
    blank_lines(p);
    while !p.is(Kind::End) {
        if let Err(error) = section(p, &mut all) {
            p.errors.push(*error);
            skip_line(p);
        }
        blank_lines(p);
    }
    all.end = Some(p.peek().span);
    all
}

fn blank_lines(p: &mut Parser) {
    while p.eat(Kind::NewLine) {}
}

fn skip_line(p: &mut Parser) {
    while !p.is(Kind::NewLine) && !p.is(Kind::End) {
        p.advance();
    }
}

fn is_word(p: &Parser, word: &str) -> bool {
    p.is(Kind::Word) && p.peek().text == word
}

fn section(p: &mut Parser, all: &mut Sections) -> Parsed<()> {
    if !is_word(p, "begin") {
        return unexpected(p, "`begin` and the name of a section");
    }
    let begin = p.advance().span;
    let section = section_name(p)?;
    if let Some((_, first)) = all.begins.iter().find(|(s, _)| *s == section) {
        let message = format!("the section `{}` stands here twice", section.name());
        let diag = Diag::error(begin, message).also(*first, "the first is here");
        p.errors.push(diag);
    }
    all.begins.push((section, begin));
    end_of_line(p)?;
    let mut labels = Vec::new();
    loop {
        blank_lines(p);
        if p.is(Kind::End) {
            let message = format!("the section `{}` is never ended", section.name());
            return wrong(begin, message);
        }
        if is_word(p, "end") && p.ahead(1).kind != Kind::Sign(":") {
            p.advance();
            let named = section_name(p)?;
            if named != section {
                let message = format!(
                    "the section that ends here is `{}`, not `{}`",
                    section.name(),
                    named.name()
                );
                return wrong(p.last_span(), message);
            }
            if section == Section::ThreadCode {
                all.end_labels = labels;
            }
            return end_of_line(p);
        }
        if let Err(error) = line(p, section, all, &mut labels) {
            p.errors.push(*error);
            skip_line(p);
        }
    }
}

fn end_of_line(p: &mut Parser) -> Parsed<()> {
    if p.is(Kind::NewLine) || p.is(Kind::End) {
        return Ok(());
    }
    unexpected(p, "the end of the line")
}

fn section_name(p: &mut Parser) -> Parsed<Section> {
    let given = name(p, "the name of a section")?;
    let found = Section::ALL.into_iter().find(|s| s.name() == given.text);
    found.ok_or_else(|| {
        let names: Vec<String> = Section::ALL
            .iter()
            .map(|s| format!("`{}`", s.name()))
            .collect();
        let message = format!("`{}` is no section", given.text);
        Box::new(Diag::error(given.span, message).note(format!("there are {}", names.join(", "))))
    })
}

fn line(
    p: &mut Parser,
    section: Section,
    all: &mut Sections,
    labels: &mut Vec<Name>,
) -> Parsed<()> {
    match section {
        Section::SharedData => all.shared.push(data(p)?),
        Section::ThreadData => all.private.push(data(p)?),
        Section::InitCode => {
            if is_word(p, "start_threads") {
                p.advance();
            } else {
                all.init.push(assignment(p)?);
            }
            end_of_line(p)?;
        }
        Section::ThreadCode => {
            while p.is(Kind::Word) && p.ahead(1).kind == Kind::Sign(":") {
                labels.push(name(p, "a label")?);
                p.advance();
            }
            if !p.is(Kind::NewLine) {
                let start = p.peek().span;
                let instr = instruction(p)?;
                all.code.push(Line {
                    labels: std::mem::take(labels),
                    instr,
                    span: start.to(p.last_span()),
                });
            }
        }
        Section::UnsafeProp => {
            if !all.property.is_empty() {
                sign(p, "&&")?;
                blank_lines(p);
            }
            loop {
                all.property.push(comparison(p)?);
                if !p.is(Kind::Sign("&&")) {
                    break;
                }
                p.advance();
                blank_lines(p);
            }
            end_of_line(p)?;
        }
    }
    Ok(())
}

/// `x dd 0`, `count dd N ! as counter`.
fn data(p: &mut Parser) -> Parsed<Data> {
    let name = name(p, "the name of a variable")?;
    if !is_word(p, "dd") {
        return unexpected(p, "`dd`: variables have 32 bits");
    }
    p.advance();
    let initial = initial(p)?;
    let counter = p.eat(Kind::Sign("!"));
    if counter {
        for word in ["as", "counter"] {
            if !is_word(p, word) {
                return unexpected(p, "`! as counter`");
            }
            p.advance();
        }
    }
    end_of_line(p)?;
    Ok(Data {
        name,
        initial,
        counter,
    })
}

fn initial(p: &mut Parser) -> Parsed<Initial> {
    if is_word(p, "N") {
        return Ok(Initial::ThreadCount(p.advance().span));
    }
    number(p).map(Initial::Number)
}

/// `mov [x], 1` before the threads start.
fn assignment(p: &mut Parser) -> Parsed<(Name, Initial)> {
    let start = p.peek().span;
    let instr = instruction(p)?;
    match instr.op {
        Op::Mov(
            Operand::Memory(MemoryOperand {
                base: Base::Symbol(symbol),
                ..
            }),
            value,
        ) => match value {
            Operand::Number(n) => Ok((symbol.name, Initial::Number(n))),
            Operand::ThreadCount(span) => Ok((symbol.name, Initial::ThreadCount(span))),
            _ => wrong(start, "before the threads start only constants are stored"),
        },
        _ => wrong(
            start.to(p.last_span()),
            "`init_code` stores constants to memory and then has `start_threads`",
        ),
    }
}
