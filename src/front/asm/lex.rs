//! Characters to tokens. Comments begin with `;`; a line break ends an instruction and is a token.

use base::diag::Diag;
use base::source::FileId;
use base::tokens::{Token, TokenKind, Tokens, span};

/// What kind of token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AsmTokenKind {
    /// A name or a mnemonic.
    Word,
    /// `$name`; the text is without `$`.
    Thread,
    /// A number below 2^63.
    Number(u64),
    /// An operator or a bracket.
    Sign(&'static str),
    /// The end of a line.
    NewLine,
    /// The end of the file.
    End,
}

impl TokenKind for AsmTokenKind {
    const END: AsmTokenKind = AsmTokenKind::End;
}

/// The tokens of a program.
pub(super) type Parser = Tokens<AsmTokenKind>;

/// Longest first where one begins another.
const SIGNS: &[&str] = &[
    "<>", "<=", ">=", "&&", "=", "<", ">", "+", "-", ",", ":", "[", "]", "!",
];

/// All tokens, the end of the text last, and what could not be read.
pub(super) fn lex(text: &str, file: FileId) -> (Vec<Token<AsmTokenKind>>, Vec<Diag>) {
    let (mut tokens, mut errors) = (Vec::new(), Vec::new());
    let mut at = 0;
    let mut first_on_line = true;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let mut push = |kind, len: usize| {
            let skipped = usize::from(kind == AsmTokenKind::Thread);
            tokens.push(Token {
                kind,
                text: rest[skipped..len].to_string(),
                span: span(file, at, at + len),
                first_on_line,
            });
            first_on_line = false;
            len
        };
        at += if c == '\n' {
            let len = push(AsmTokenKind::NewLine, 1);
            first_on_line = true;
            len
        } else if c.is_whitespace() || c == '\u{feff}' {
            c.len_utf8()
        } else if c == ';' {
            rest.find('\n').unwrap_or(rest.len())
        } else if c == '$' && word(&rest[1..]) > 0 {
            push(AsmTokenKind::Thread, 1 + word(&rest[1..]))
        } else if c.is_ascii_digit() {
            let len = digits(rest);
            match number(&rest[..len]) {
                Some(value) => push(AsmTokenKind::Number(value), len),
                None => {
                    let message = format!("`{}` is no number below 2^63", &rest[..len]);
                    errors.push(Diag::error(span(file, at, at + len), message));
                    push(AsmTokenKind::Number(0), len)
                }
            }
        } else if word(rest) > 0 {
            push(AsmTokenKind::Word, word(rest))
        } else if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
            push(AsmTokenKind::Sign(sign), sign.len())
        } else {
            let len = c.len_utf8();
            let message = format!("unexpected character `{c}`");
            errors.push(Diag::error(span(file, at, at + len), message));
            len
        };
    }
    tokens.push(Token {
        kind: AsmTokenKind::End,
        text: String::new(),
        span: span(file, text.len(), text.len()),
        first_on_line,
    });
    (tokens, errors)
}

/// The length of the name that begins the text.
fn word(text: &str) -> usize {
    let begins = |b: u8| b.is_ascii_alphabetic() || b == b'_' || b == b'.';
    let goes_on = |b: &u8| begins(*b) || b.is_ascii_digit();
    match text.bytes().next() {
        Some(b) if begins(b) => text.bytes().take_while(goes_on).count(),
        _ => 0,
    }
}

/// The length of the number that begins the text, with whatever letters follow it.
fn digits(text: &str) -> usize {
    let part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    text.bytes().take_while(part).count()
}

/// `12`, `0x1f`, `1fh`.
fn number(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    let value = if let Some(hex) = lower.strip_prefix("0x") {
        u64::from_str_radix(hex, 16).ok()
    } else if let Some(hex) = lower.strip_suffix('h') {
        u64::from_str_radix(hex, 16).ok()
    } else {
        lower.parse().ok()
    };
    value.filter(|v| *v < 1 << 63)
}
