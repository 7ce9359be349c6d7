//! Templates of inline assembly in C: text to the instructions of litmus tests.
//!
//! A template is divided at the ends of lines and at `;`. An operand of the statement (`%0`,
//! `%[name]`, `%w0`) is a token of its own, which the parser of the instruction set takes for a
//! register or for memory; its name in the syntax is `%` and its number. Labels that are numbers
//! (`1:`, `1b`, `1f`) get names of their own, so that a name means one place.
//!
//! What the text of a string literal is has no place in the source that is known; all that is read
//! stands where the statement stands.

use super::ast::x86::Instr;
use super::att;
use super::lex::{LitmusTokenKind, Token, lex};
use super::operand::{OperandPlace, TemplateOperand};
use super::parser::{Parsed, Parser};
use super::x86;
use base::source::Span;

/// A label of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplateLabel {
    /// As it is written.
    pub written: String,
    /// As jumps of the syntax have it.
    pub name: String,
}

/// An instruction of a template, or labels at its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplateLine {
    /// The labels in front of it.
    pub labels: Vec<TemplateLabel>,
    /// `lock` stands before it, on a line of its own.
    pub lock: bool,
    /// The instruction as it is written; empty where there is none.
    pub text: String,
}

/// Divides a template into instructions.
pub fn lines(template: &str) -> Vec<TemplateLine> {
    // `%=` is a number that tells the labels of different copies of a statement apart.
    let template = template.replace("%=", "");
    let mut lines = Vec::new();
    let (mut labels, mut lock) = (Vec::new(), false);
    for text in template.split(['\n', ';']) {
        let mut text = without_comment(text).trim();
        while let Some((label, rest)) = label(text) {
            let written = label.to_string();
            let name = match is_local(label) {
                true => format!("{label}:{}", lines.len()),
                false => written.clone(),
            };
            labels.push(TemplateLabel { written, name });
            text = rest;
        }
        if text.eq_ignore_ascii_case("lock") {
            lock = true;
        } else if !text.is_empty() {
            lines.push(TemplateLine {
                labels: std::mem::take(&mut labels),
                lock: std::mem::take(&mut lock),
                text: text.to_string(),
            });
        }
    }
    if lock || !labels.is_empty() {
        let text = if lock { "lock" } else { "" }.to_string();
        lines.push(TemplateLine {
            labels,
            lock: false,
            text,
        });
    }
    lines
}

/// `# comment`, as Power's assembler has it, and `/* comment */`.
fn without_comment(text: &str) -> &str {
    let end = ["# ", "#\t", "//", "/*"]
        .iter()
        .filter_map(|c| text.find(c))
        .min();
    text[..end.unwrap_or(text.len())].trim_end_matches('#')
}

fn label(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once(':')?;
    let word = |c: char| c.is_ascii_alphanumeric() || "._$".contains(c);
    (!name.is_empty() && name.chars().all(word)).then(|| (name, rest.trim_start()))
}

/// Whether a label can be there several times.
fn is_local(label: &str) -> bool {
    label.bytes().all(|b| b.is_ascii_digit())
}

/// The label that `1b` or `1f` means in a line.
fn resolved<'a>(lines: &'a [TemplateLine], at: usize, word: &str) -> Option<&'a str> {
    let label = word.strip_suffix(['b', 'f']).filter(|l| is_local(l))?;
    let labels = |lines: &'a [TemplateLine]| lines.iter().flat_map(|l| &l.labels);
    let is = |l: &&TemplateLabel| l.written == label;
    let found = if word.ends_with('b') {
        labels(&lines[..=at]).rfind(is)
    } else {
        labels(&lines[at + 1..]).find(is)
    };
    found.map(|l| l.name.as_str())
}

/// Reads an instruction of x86. `extended`: the statement has operands, so that `%%` begins a
/// register.
///
/// # Errors
/// It is none, or is not supported.
pub fn x86(
    lines: &[TemplateLine],
    at: usize,
    (operands, extended): (&[TemplateOperand], bool),
    span: Span,
) -> Parsed<Instr> {
    let mut parser = Parser {
        tokens: tokens(lines, at, (operands, extended), span),
        at: 0,
        depth: 0,
        set: &x86::SET,
        errors: Vec::new(),
        operands,
    };
    let instr = att::instruction(&mut parser)?;
    if parser.peek().kind != LitmusTokenKind::End {
        return parser.unexpected("the end of the instruction");
    }
    Ok(instr)
}

/// The tokens of a line.
fn tokens<'a>(
    lines: &'a [TemplateLine],
    at: usize,
    (operands, extended): (&[TemplateOperand], bool),
    span: Span,
) -> Vec<Token<'a>> {
    let line = &lines[at];
    let raw = lex(&line.text, span.file, 0, false);
    let mut tokens = Vec::new();
    if line.lock {
        let kind = LitmusTokenKind::Word;
        tokens.push(Token {
            kind,
            text: "lock",
            span,
        });
    }
    let mut next = 0;
    while let Some(token) = raw.get(next) {
        let rest = &raw[next + 1..];
        let (kind, text, length) = match token.kind {
            LitmusTokenKind::Sign("%") if !extended => (token.kind, token.text, 1),
            LitmusTokenKind::Sign("%") => match operand(rest, operands) {
                Some((index, letter, length)) => {
                    let kind = LitmusTokenKind::Operand(index, letter);
                    (kind, token.text, 1 + length)
                }
                None => {
                    let doubled = rest.first().is_some_and(|t| t.text == "%");
                    (token.kind, token.text, 1 + usize::from(doubled))
                }
            },
            LitmusTokenKind::Number => match resolved(lines, at, token.text) {
                Some(label) => (LitmusTokenKind::Word, label, 1),
                None => (token.kind, token.text, 1),
            },
            kind => (kind, token.text, 1),
        };
        tokens.push(Token { kind, text, span });
        next += length;
    }
    tokens
}

/// The operand that `0`, `w0`, `[name]` or `w[name]` names, its letter, and how many tokens that is.
fn operand(tokens: &[Token], operands: &[TemplateOperand]) -> Option<(usize, Option<char>, usize)> {
    let first = tokens.first()?;
    let is_letter = |c: &char| c.is_ascii_alphabetic();
    let letter = first.text.chars().next().filter(is_letter);
    let number = &first.text[letter.map_or(0, char::len_utf8)..];
    let named = |index: &usize| {
        let operand = operands.get(*index);
        operand.is_some_and(|o| o.place != OperandPlace::Flag)
    };
    if let Ok(index) = number.parse::<usize>() {
        return Some((index, letter, 1)).filter(|(index, ..)| named(index));
    }
    let bracket = usize::from(letter.is_some());
    let [open, name, close, ..] = tokens.get(bracket..)? else {
        return None;
    };
    if (letter.is_some() && !number.is_empty()) || open.text != "[" || close.text != "]" {
        return None;
    }
    let is = |o: &TemplateOperand| o.name.as_deref() == Some(name.text);
    let index = operands.iter().position(is).filter(named)?;
    Some((index, letter, bracket + 3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::source::SourceMap;

    /// The sizes of the instructions of a template with two operands of 32 bits; `None` for those
    /// that are refused.
    fn sizes(template: &str) -> Vec<Option<Option<u8>>> {
        let mut sources = SourceMap::default();
        let file = sources.add("template", String::new());
        let span = super::super::lex::span(file, 0, 0);
        let operands = [None, Some("p")].map(|name| TemplateOperand {
            name: name.map(str::to_string),
            place: OperandPlace::Register,
            width: Some(32),
        });
        let lines = lines(template);
        let read = |at| x86(&lines, at, (&operands, true), span);
        let lines = 0..lines.len();
        lines.map(|at| read(at).ok().map(|i| i.size)).collect()
    }

    #[test]
    fn labels_that_are_numbers_have_names_of_their_own() {
        let lines = lines("1: jmp 1f\n1: jmp 1b # back\n\tlock; incl %0");
        assert_eq!(resolved(&lines, 0, "1f"), Some("1:1"));
        assert_eq!(resolved(&lines, 1, "1b"), Some("1:1"));
        assert_eq!(resolved(&lines, 0, "1b"), Some("1:0"));
        assert_eq!(resolved(&lines, 1, "1f"), None);
        assert!(lines[2].lock && lines[2].text == "incl %0");
    }

    #[test]
    fn operands_and_mnemonics_say_sizes() {
        let size = |size| Some(Some(size));
        assert_eq!(
            sizes("movq (%1), %%rax; mov %%al, %b0"),
            [size(64), size(8)]
        );
        assert_eq!(sizes("add %0, %[p]; setc %b[p]"), [size(32), size(8)]);
        assert_eq!(sizes("lock; addl $0, 4(%%rsp); rep; nop"), [Some(None); 3]);
        assert_eq!(
            sizes("movl %%al, %0; incl 4(%0,%1,2); movl %2, %0"),
            [None; 3]
        );
        assert_eq!(
            sizes("lock movl %0, (%1); mov $1, (%0); rep stosl; mov %%al, %%ebx"),
            [None; 4]
        );
    }
}
