//! Characters to tokens. Comments are `(* … *)`, nested; line breaks mean nothing. A minus sign is
//! always an operator, so that `X-1`, `X -1` and `X - 1` are the same.

use super::ast::Number;
use base::diag::Diag;
use base::idx::position;
use base::source::FileId;
use base::tokens::{Token, TokenKind, comment, span};

/// What kind of token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CubTokenKind {
    /// A word of the language.
    Keyword(&'static str),
    /// An operator or a bracket.
    Sign(&'static str),
    /// A name that begins with a small letter.
    Lower,
    /// A name that begins with a capital.
    Upper,
    /// A number.
    Number(Number),
    /// The end of the file.
    End,
}

impl TokenKind for CubTokenKind {
    const END: CubTokenKind = CubTokenKind::End;
}

const KEYWORDS: &[&str] = &[
    "type",
    "init",
    "transition",
    "invariant",
    "requires",
    "array",
    "var",
    "const",
    "unsafe",
    "case",
    "forall_other",
    "exists_other",
    "forall",
    "exists",
    "predicate",
    "if",
    "then",
    "else",
    "not",
    "true",
    "false",
    "fence",
    "weak",
    "number_procs",
    "let",
    "in",
];

/// Longest first where one begins another.
const SIGNS: &[&str] = &[
    "<=>", "<=", "<>", "=>", ">=", "&&", "||", ":=", "=", "<", ">", "+", "-", "*", "|", ":", ";",
    ",", ".", "?", "@", "_", "(", ")", "[", "]", "{", "}", "#",
];

/// All tokens, the end of the text last, and what could not be read.
pub(super) fn lex(text: &str, file: FileId) -> (Vec<Token<CubTokenKind>>, Vec<Diag>) {
    let (mut tokens, mut errors) = (Vec::new(), Vec::new());
    let mut at = 0;
    let span = |start, end| span(file, start, end);
    let mut first_on_line = true;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let mut push = |kind, len: usize| {
            tokens.push(Token {
                kind,
                text: rest[..len].to_string(),
                span: span(at, at + len),
                first_on_line,
            });
            first_on_line = false;
            len
        };
        at += if c == '\n' {
            first_on_line = true;
            1
        } else if c.is_whitespace() || c == '\u{feff}' {
            c.len_utf8()
        } else if rest.starts_with("(*") {
            comment(rest, file, at, &mut errors)
        } else if c.is_ascii_alphabetic() {
            let len = rest
                .bytes()
                .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
                .count();
            let word = &rest[..len];
            let kind = match KEYWORDS.iter().find(|k| **k == word) {
                Some(k) => CubTokenKind::Keyword(k),
                None if c.is_ascii_uppercase() => CubTokenKind::Upper,
                None => CubTokenKind::Lower,
            };
            push(kind, len)
        } else if c.is_ascii_digit() {
            let (number, len) = number(rest);
            match number {
                Some(number) => push(CubTokenKind::Number(number), len),
                None => {
                    let message = "this number does not fit in 64 bits";
                    errors.push(Diag::error(span(at, at + len), message));
                    len
                }
            }
        } else if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
            push(CubTokenKind::Sign(sign), sign.len())
        } else {
            let message = format!("`{}` is no part of the language", c.escape_debug());
            errors.push(Diag::error(span(at, at + c.len_utf8()), message));
            c.len_utf8()
        };
    }
    tokens.push(Token {
        kind: CubTokenKind::End,
        text: String::new(),
        span: span(text.len(), text.len()),
        first_on_line: true,
    });
    (tokens, errors)
}

/// The number that begins the text, and its length; `None` when it is too large.
fn number(text: &str) -> (Option<Number>, usize) {
    let digits = |s: &str| s.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    let real = text[whole..].starts_with('.');
    let decimals = if real { digits(&text[whole + 1..]) } else { 0 };
    let len = whole + usize::from(real) + decimals;
    let all: String = text[..len].chars().filter(|c| *c != '.').collect();
    let number = all.parse().ok().map(|mantissa| Number {
        mantissa,
        decimals: position(decimals),
        real,
    });
    (number, len)
}
