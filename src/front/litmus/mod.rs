//! Litmus tests in herd's format: text to syntax.
//!
//! ```text
//! PPC MP+lwsync+addr                  instruction set and name
//! "LwSyncdWW Rfe DpAddrdR Fre"        documentation
//! Cycle=Rfe DpAddrdR Fre LwSyncdWW    fields, a line each
//! { 0:r2=x; 0:r4=y; 1:r2=y; 1:r5=x; } initial state, everything else is 0
//!  P0           | P1            ;     a column a thread
//!  li r1,1      | lwz r1,0(r2)  ;
//!  stw r1,0(r2) | xor r3,r1,r1  ;
//! exists (1:r1=1 /\ 1:r4=0)           a question about the final states
//! ```
//!
//! The format is described in the manual of the diy tools (Alglave, Maranget: "A don't-quite-know
//! user guide", <https://diy.inria.fr/doc/herd.html>). Everything up to the initial state is read
//! by `header`, line by line; the rest is read from tokens, by `init`, `columns` and `condition`.
//! Each instruction set has a file and a row in [`SETS`].
//!
//! A wrong cell does not hide the errors of the next ones.

pub mod ast;
mod columns;
mod condition;
mod header;
mod init;
mod lex;
pub mod ppc;
pub mod x86;

use crate::base::diag::Diag;
use crate::base::source::{FileId, SourceMap, Span};
use ast::{LineKind, Machine, Name, Number};
use lex::{Kind, Token};
use std::path::Path;

use Kind::Sign;

/// Reads a litmus test from disk.
///
/// # Errors
/// The file cannot be read, or everything that is wrong with it, in the order of the text.
pub fn parse(sources: &mut SourceMap, path: &Path) -> Result<ast::Test, Vec<Diag>> {
    let file = sources
        .load(path)
        .map_err(|e| vec![Diag::bare(format!("{}: {}", e.path.display(), e.reason))])?;
    parse_file(sources, file)
}

/// Reads a litmus test that is already in memory.
///
/// # Errors
/// Everything that is wrong with it, in the order of the text.
pub fn parse_file(sources: &SourceMap, file: FileId) -> Result<ast::Test, Vec<Diag>> {
    let text = &sources.file(file).text;
    let header = header::read(text, file).map_err(|e| vec![*e])?;
    let mut parser = Parser {
        tokens: lex::lex(text, file, header.rest),
        at: 0,
        depth: 0,
        set: header.set,
        errors: Vec::new(),
    };
    let test = parser.test(header.test);
    match test {
        Ok(test) if parser.errors.is_empty() => Ok(test),
        Ok(_) => Err(parser.errors),
        Err(last) => {
            parser.errors.push(*last);
            Err(parser.errors)
        }
    }
}

/// What the rest of the format needs to know of an instruction set.
pub(crate) struct InstructionSet {
    /// Its first word in a file.
    name: &'static str,
    /// Its name in the syntax.
    machine: Machine,
    /// The register that a word names, as herd7 prints it.
    register: fn(&str) -> Option<String>,
    /// Reads an instruction, up to the end of its cell.
    instruction: fn(&mut Parser) -> Parsed<LineKind>,
}

/// All instruction sets.
static SETS: [&InstructionSet; 2] = [&x86::SET, &ppc::SET];

/// The place of a register among those of its instruction set, as herd7 orders them; names that
/// herd chooses the register for come last.
pub fn register_rank(machine: Machine, name: &str) -> usize {
    let found = match machine {
        Machine::X86 => x86::REGISTERS.iter().position(|r| *r == name),
        Machine::Ppc => name.strip_prefix('r').and_then(|n| n.parse().ok()),
    };
    found.unwrap_or(usize::MAX)
}

/// How deep a condition may nest; keeps recursion away from the end of the stack.
const MAX_DEPTH: usize = 200;

/// The tokens and how far they are read.
struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    depth: usize,
    set: &'static InstructionSet,
    errors: Vec<Diag>,
}

/// What could not be read; boxed because errors are rare and large.
type Parsed<T> = Result<T, Box<Diag>>;

/// An error at a place.
fn wrong<T>(span: Span, message: impl Into<String>) -> Parsed<T> {
    Err(Box::new(Diag::error(span, message)))
}

impl<'a> Parser<'a> {
    fn test(&mut self, mut test: ast::Test) -> Parsed<ast::Test> {
        test.init = init::section(self)?;
        test.threads = columns::section(self)?;
        condition::section(self, &mut test)?;
        Ok(test)
    }

    /// The token to be read next; the last one is the end of the text.
    fn peek(&self) -> Token<'a> {
        self.ahead(0)
    }

    fn ahead(&self, n: usize) -> Token<'a> {
        let last = self.tokens.len() - 1;
        self.tokens[(self.at + n).min(last)]
    }

    fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn is(&self, sign: &'static str) -> bool {
        self.peek().kind == Sign(sign)
    }

    fn eat(&mut self, sign: &'static str) -> bool {
        let found = self.is(sign);
        if found {
            self.next();
        }
        found
    }

    fn is_word(&self, word: &str) -> bool {
        let token = self.peek();
        token.kind == Kind::Word && token.text == word
    }

    fn expect(&mut self, sign: &'static str, what: &str) -> Parsed<Token<'a>> {
        if self.is(sign) {
            return Ok(self.next());
        }
        self.unexpected(what)
    }

    /// The next token is not what the format wants here.
    fn unexpected<T>(&self, wanted: &str) -> Parsed<T> {
        let token = self.peek();
        let found = match token.kind {
            Kind::End => "the end of the file".to_string(),
            Kind::Stray if token.text == "(*" => {
                return wrong(token.span, "this comment is never closed");
            }
            Kind::Stray if token.text == "\"" => {
                return wrong(token.span, "this string is never closed");
            }
            _ => format!("`{}`", token.text.escape_debug()),
        };
        wrong(token.span, format!("expected {wanted}, found {found}"))
    }

    /// A word.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        if self.peek().kind != Kind::Word {
            return self.unexpected(what);
        }
        let token = self.next();
        Ok(Name {
            text: token.text.to_string(),
            span: token.span,
        })
    }

    /// `-1`, `0x10`, `3`
    fn number(&mut self, what: &str) -> Parsed<Number> {
        let minus = (self.is("-") && self.ahead(1).kind == Kind::Number).then(|| self.next());
        if self.peek().kind != Kind::Number {
            return self.unexpected(what);
        }
        let token = self.next();
        let span = minus.map_or(token.span, |m| m.span.to(token.span));
        let lower = token.text.to_ascii_lowercase().replace('_', "");
        let digits = |prefix: &str, radix| {
            lower
                .strip_prefix(prefix)
                .map(|d| u64::from_str_radix(d, radix))
        };
        let parsed = digits("0x", 16)
            .or_else(|| digits("0b", 2))
            .or_else(|| digits("0o", 8))
            .unwrap_or_else(|| lower.parse());
        let magnitude = parsed.map_err(|e| {
            let overflow = *e.kind() == std::num::IntErrorKind::PosOverflow;
            let message = if overflow {
                format!("`{}` does not fit 64 bits", token.text)
            } else {
                format!("`{}` is no number", token.text)
            };
            Box::new(Diag::error(span, message))
        })?;
        let number = Number {
            bits: if minus.is_some() {
                magnitude.wrapping_neg()
            } else {
                magnitude
            },
            negative: minus.is_some() && magnitude != 0,
            span,
        };
        if minus.is_some() && magnitude > 1 << 63 {
            return wrong(span, format!("`-{}` does not fit 64 bits", token.text));
        }
        Ok(number)
    }

    /// A register, as the instruction set spells it; `%x0` is a register that herd chooses.
    fn register(&mut self) -> Parsed<Name> {
        if self.is("%") && self.ahead(1).kind == Kind::Word {
            let percent = self.next();
            let name = self.next();
            let text = (self.set.register)(name.text).unwrap_or_else(|| format!("%{}", name.text));
            return Ok(Name {
                text,
                span: percent.span.to(name.span),
            });
        }
        let token = self.peek();
        if token.kind != Kind::Word {
            return self.unexpected("a register");
        }
        match (self.set.register)(token.text) {
            Some(text) => {
                self.next();
                Ok(Name {
                    text,
                    span: token.span,
                })
            }
            None => wrong(
                token.span,
                format!("`{}` is no register of {}", token.text, self.set.name),
            ),
        }
    }

    /// Runs `f` one level deeper.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            return wrong(self.peek().span, message);
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }
}
