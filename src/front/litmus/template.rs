//! Templates of inline assembly in C: text to the instructions of litmus tests, of whichever machine.
//!
//! A template is divided at the ends of lines and at `;`. An operand of the statement (`%0`,
//! `%[name]`, `%w0`) is a token of its own, which the parser of the instruction set takes for a
//! register or for memory; its name in the syntax is `%` and its number. Labels that are numbers
//! (`1:`, `1b`, `1f`) get names of their own, so that a name means one place.
//!
//! What the text of a string literal is has no place in the source that is known; all that is read
//! stands where the statement stands.

use super::ast::{self, LineKind, Machine};
use super::lex::{LitmusTokenKind, Token, lex};
use super::operand::{OperandPlace, TemplateLabel, TemplateLine, TemplateOperand};
use super::parser::{InstructionSet, Parsed, Parser, TemplateScope, unsupported};
use super::{aarch64, arm, att, ppc, riscv, x86};
use base::diag::Diag;
use base::source::Span;

/// What an output of a statement asks of the flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlagCondition {
    /// On x86.
    X86(ast::x86::Condition),
    /// On ARM.
    Aarch64(ast::aarch64::Condition),
}

/// The condition that a machine knows by this name (`"=@ccz"`).
pub fn condition(machine: Machine, name: &str) -> Option<FlagCondition> {
    match machine {
        Machine::X86 | Machine::X86_64 => x86::condition(name).map(FlagCondition::X86),
        Machine::Arm | Machine::Aarch64 => {
            let condition = aarch64::condition(&name.to_ascii_uppercase());
            condition.map(FlagCondition::Aarch64)
        }
        Machine::Ppc | Machine::Riscv | Machine::C => None,
    }
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

/// The machines whose assembly is known.
static SETS: [&InstructionSet; 5] = [&att::SET, &aarch64::SET, &arm::SET, &ppc::SET, &riscv::SET];

/// A template, read.
#[derive(Debug)]
pub struct Template {
    /// Whose instructions it has; those of 32-bit ARM count as AArch64's.
    pub machine: Machine,
    /// Its lines.
    pub lines: Vec<TemplateLine>,
    /// The instruction of each line; none where it does nothing.
    pub code: Vec<Option<LineKind>>,
}

/// Why a template is not supported.
#[derive(Debug)]
pub struct UnknownInstruction {
    /// The instruction.
    pub text: String,
    /// What is wrong with it.
    pub why: Box<Diag>,
}

/// Reads a template, in the syntax of the machine that has all its instructions. Where several have, the one
/// that the program is read for is meant: `mov %0, %1` writes its second operand on x86, its first on ARM.
/// What Power and RISC-V both have they mean alike. `extended`: the statement has operands, so that `%%`
/// begins a register.
///
/// # Errors
/// There is no such machine; the instruction that the one does not have that can read most of it.
pub fn parse(
    template: &str,
    operands: &[TemplateOperand],
    read_for: Machine,
    extended: bool,
    span: Span,
) -> Result<Template, UnknownInstruction> {
    let lines = lines(template);
    let mut furthest: Option<(usize, Box<Diag>)> = None;
    let (meant, others): (Vec<_>, Vec<_>) = SETS.iter().partition(|set| set.machine == read_for);
    for set in meant.into_iter().chain(others) {
        let mut code = Vec::new();
        let read = (0..lines.len()).try_for_each(|at| {
            let scope = TemplateScope {
                operands,
                lines: &lines,
            };
            code.push(instruction(set, scope, at, extended, span)?);
            Ok(())
        });
        match read {
            Ok(()) => {
                let machine = set.machine;
                return Ok(Template {
                    machine,
                    lines,
                    code,
                });
            }
            Err(why) if furthest.as_ref().is_none_or(|(at, _)| *at < code.len()) => {
                furthest = Some((code.len(), why));
            }
            Err(_) => {}
        }
    }
    let (at, why) = furthest.expect("there is a first machine, and it does not know some line");
    let text = lines[at].text.clone();
    Err(UnknownInstruction { text, why })
}

/// Reads the instruction of a line.
fn instruction(
    set: &'static InstructionSet,
    statement: TemplateScope,
    at: usize,
    extended: bool,
    span: Span,
) -> Parsed<Option<LineKind>> {
    let mut parser = Parser {
        tokens: tokens(statement, at, extended, span),
        at: 0,
        depth: 0,
        set,
        errors: Vec::new(),
        statement: Some(statement),
    };
    if is_hint(&parser.tokens) {
        return Ok(None);
    }
    if parser.peek().kind != LitmusTokenKind::Word {
        return parser.unexpected("an instruction");
    }
    let instr = (set.instruction)(&mut parser)?;
    if parser.peek().kind != LitmusTokenKind::End {
        return parser.unexpected("the end of the instruction");
    }
    use ast::riscv::Fence::Instructions;
    match instr {
        LineKind::Aarch64(ast::aarch64::Instr::Return)
        | LineKind::Ppc(ast::ppc::Instr::Return)
        | LineKind::Riscv(ast::riscv::Instr::Return) => {
            unsupported(span, "it would leave the function")
        }
        LineKind::Riscv(ast::riscv::Instr::Fence(Instructions)) => {
            unsupported(span, "it orders the fetching of instructions")
        }
        instr => Ok(Some(instr)),
    }
}

/// Instructions that say how execution goes on, not what it does, and lines without one.
fn is_hint(tokens: &[Token]) -> bool {
    const HINTS: [&str; 6] = ["yield", "wfe", "sev", "prfm", "pld", ".p2align"];
    // Priorities of threads on Power are such moves of a register to itself.
    const PRIORITIES: [&str; 5] = ["1", "2", "6", "27", "31"];
    let [first, rest @ ..] = tokens else {
        return true;
    };
    let operands = rest.iter().map(|t| t.text);
    let operands: Vec<&str> = operands.filter(|t| !t.is_empty() && *t != ",").collect();
    match first.text.to_ascii_lowercase().as_str() {
        "" => true,
        "or" => matches!(operands[..], [a, b, c] if a == b && b == c && PRIORITIES.contains(&a)),
        name => HINTS.contains(&name),
    }
}

/// The tokens of a line.
fn tokens<'a>(
    TemplateScope { lines, operands }: TemplateScope<'a>,
    at: usize,
    extended: bool,
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
        let scope = TemplateScope {
            operands: &operands,
            lines: &lines,
        };
        let read = |at| instruction(&att::SET, scope, at, true, span);
        let size = |at| match read(at) {
            Ok(Some(LineKind::X86(instr))) => Some(instr.size),
            _ => None,
        };
        (0..lines.len()).map(size).collect()
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
