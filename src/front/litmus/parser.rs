//! The parser that all parts of the format share: the tokens, how far they are read, and what every
//! part asks of them.

use super::ast::{LineKind, Machine, Name, Number};
use super::lex::{LitmusTokenKind, Token};
use super::operand::{OperandPlace, TemplateLine, TemplateOperand, operand_name};
use base::diag::Diag;
use base::source::Span;

use LitmusTokenKind::Sign;

/// What the rest of the format needs to know of an instruction set.
pub(super) struct InstructionSet {
    /// Its first word in a file.
    pub(super) name: &'static str,
    /// Its name in the syntax.
    pub(super) machine: Machine,
    /// The register that a word names, as herd7 prints it.
    pub(super) register: fn(&str) -> Option<String>,
    /// Reads an instruction, up to the end of its cell.
    pub(super) instruction: fn(&mut Parser) -> Parsed<LineKind>,
}

/// How deep a condition may nest; keeps recursion away from the end of the stack.
pub(super) const MAX_DEPTH: usize = 200;

/// The tokens and how far they are read.
pub(super) struct Parser<'a> {
    pub(super) tokens: Vec<Token<'a>>,
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) set: &'static InstructionSet,
    pub(super) errors: Vec<Diag>,
    /// The statement that the instruction is of; none in a test.
    pub(super) statement: Option<TemplateScope<'a>>,
}

/// What the instructions of an assembly statement can name.
#[derive(Clone, Copy)]
pub(super) struct TemplateScope<'a> {
    /// What the tokens [`LitmusTokenKind::Operand`] stand for.
    pub(super) operands: &'a [TemplateOperand],
    /// All lines, for their labels.
    pub(super) lines: &'a [TemplateLine],
}

/// What could not be read; boxed because errors are rare and large.
pub(super) type Parsed<T> = Result<T, Box<Diag>>;

/// An error at a place.
pub(super) fn wrong<T>(span: Span, message: impl Into<String>) -> Parsed<T> {
    Err(Box::new(Diag::error(span, message)))
}

/// What stands at a place is not supported.
pub(super) fn unsupported<T>(span: Span, message: impl Into<String>) -> Parsed<T> {
    Err(Box::new(Diag::unsupported(span, message)))
}

impl<'a> Parser<'a> {
    /// The token to be read next; the last one is the end of the text.
    pub(super) fn peek(&self) -> Token<'a> {
        self.ahead(0)
    }

    pub(super) fn ahead(&self, n: usize) -> Token<'a> {
        let last = self.tokens.len() - 1;
        self.tokens[(self.at + n).min(last)]
    }

    pub(super) fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(super) fn is(&self, sign: &'static str) -> bool {
        self.peek().kind == Sign(sign)
    }

    pub(super) fn eat(&mut self, sign: &'static str) -> bool {
        let found = self.is(sign);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        let token = self.peek();
        token.kind == LitmusTokenKind::Word && token.text == word
    }

    pub(super) fn expect(&mut self, sign: &'static str, what: &str) -> Parsed<Token<'a>> {
        if self.is(sign) {
            return Ok(self.next());
        }
        self.unexpected(what)
    }

    /// The next token is not what the format wants here.
    pub(super) fn unexpected<T>(&self, wanted: &str) -> Parsed<T> {
        let token = self.peek();
        let found = match token.kind {
            LitmusTokenKind::End if self.statement.is_some() => "the end".to_string(),
            LitmusTokenKind::End => "the end of the file".to_string(),
            LitmusTokenKind::Unexpected if token.text == "(*" => {
                return wrong(token.span, "this comment is never closed");
            }
            LitmusTokenKind::Unexpected if token.text == "\"" => {
                return wrong(token.span, "this string is never closed");
            }
            _ => format!("`{}`", token.text.escape_debug()),
        };
        wrong(token.span, format!("expected {wanted}, found {found}"))
    }

    /// A word.
    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        if self.peek().kind != LitmusTokenKind::Word {
            return self.unexpected(what);
        }
        let token = self.next();
        Ok(Name {
            text: token.text.to_string(),
            span: token.span,
        })
    }

    /// Where a jump goes. An assembly statement has all its labels.
    pub(super) fn label(&mut self) -> Parsed<Name> {
        let name = self.name("a label")?;
        let mut labels = self.statement.iter().flat_map(|s| s.lines);
        if self.statement.is_none() || labels.any(|l| l.has_label(&name.text)) {
            return Ok(name);
        }
        wrong(name.span, format!("there is no label `{}`", name.text))
    }

    /// The operand of an assembly statement that stands here, at one of these places.
    pub(super) fn operand_at(&self, place: OperandPlace) -> Option<&'a TemplateOperand> {
        let LitmusTokenKind::Operand(index, _) = self.peek().kind else {
            return None;
        };
        let operand = &self.statement?.operands[index];
        (operand.place == place).then_some(operand)
    }

    /// The name of the operand that stands here, if it is at this place.
    pub(super) fn eat_operand(&mut self, place: OperandPlace) -> Option<Name> {
        self.operand_at(place)?;
        let token = self.next();
        match token.kind {
            LitmusTokenKind::Operand(index, _) => Some(Name {
                text: operand_name(index),
                span: token.span,
            }),
            _ => None,
        }
    }

    /// `-1`, `0x10`, `3`
    pub(super) fn number(&mut self, what: &str) -> Parsed<Number> {
        let minus =
            (self.is("-") && self.ahead(1).kind == LitmusTokenKind::Number).then(|| self.next());
        if self.peek().kind != LitmusTokenKind::Number {
            return self.unexpected(what);
        }
        let token = self.next();
        let span = minus.map_or(token.span, |m| m.span.to(token.span));
        let rest = token.text.strip_prefix('0').unwrap_or("");
        if self.statement.is_some() && rest.starts_with(|c: char| c.is_ascii_digit()) {
            return unsupported(span, "an octal number is not supported");
        }
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

    /// A register, as the instruction set spells it; `%x0` is a register that herd chooses in a test.
    pub(super) fn register(&mut self) -> Parsed<Name> {
        if let Some(operand) = self.eat_operand(OperandPlace::Register) {
            return Ok(operand);
        }
        if self.statement.is_some() {
            self.eat("%");
        }
        if self.is("%") && self.ahead(1).kind == LitmusTokenKind::Word {
            let percent = self.next();
            let name = self.next();
            let text = (self.set.register)(name.text).unwrap_or_else(|| format!("%{}", name.text));
            return Ok(Name {
                text,
                span: percent.span.to(name.span),
            });
        }
        let token = self.peek();
        if token.kind != LitmusTokenKind::Word {
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
    pub(super) fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            return unsupported(self.peek().span, message);
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }
}
