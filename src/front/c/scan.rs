//! A scanner for C that only separates: names, numbers, strings, punctuation, directives.
//!
//! Two passes need tokens before there is a parser: [`super::rewrite`], which closes the parser's
//! gaps, and [`super::position`], which finds a preprocessed token in the original line. Neither
//! cares what a token means, so this never fails; an unfinished string ends with its line.

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CTokenKind {
    /// An identifier or keyword.
    Word,
    /// A number.
    Number,
    /// A string or character constant.
    Quoted,
    /// One character of punctuation.
    Punct(u8),
    /// A line that begins with `#`.
    Directive,
    /// A comment of either form.
    Comment,
}

/// A token and its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: CTokenKind,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Token {
    /// Its text.
    pub fn text<'a>(&self, source: &'a str) -> &'a str {
        source.get(self.start..self.end).unwrap_or("")
    }
}

/// What some editors put at the head of a file. It is no part of the program.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// All tokens of a text, comments and directives included.
pub fn scan(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = match text.starts_with(BYTE_ORDER_MARK) {
        true => BYTE_ORDER_MARK.len(),
        false => 0,
    };
    let mut line_begins = true;
    while at < bytes.len() {
        let start = at;
        let kind = match bytes[at] {
            b'\n' => {
                line_begins = true;
                at += 1;
                continue;
            }
            b if b.is_ascii_whitespace() || b == b'\\' => {
                at += 1;
                continue;
            }
            b'#' if line_begins => {
                at = directive_end(bytes, at);
                CTokenKind::Directive
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = directive_end(bytes, at);
                CTokenKind::Comment
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let close = text.get(at + 2..).and_then(|rest| rest.find("*/"));
                at = close.map_or(bytes.len(), |n| at + 2 + n + 2);
                CTokenKind::Comment
            }
            quote @ (b'"' | b'\'') => {
                at = quoted_end(bytes, at, quote);
                CTokenKind::Quoted
            }
            b if is_word(b) && !b.is_ascii_digit() => {
                at += bytes[at..].iter().take_while(|b| is_word(**b)).count();
                CTokenKind::Word
            }
            b if b.is_ascii_digit() => {
                at = number_end(bytes, at);
                CTokenKind::Number
            }
            b => {
                at += 1;
                CTokenKind::Punct(b)
            }
        };
        line_begins &= kind == CTokenKind::Comment;
        tokens.push(Token {
            kind,
            start,
            end: at,
        });
    }
    tokens
}

/// True when a line of the text is a preprocessor directive other than a line marker or pragma, or
/// when a `_Pragma` has to become one.
pub fn has_directives(text: &str) -> bool {
    scan(text).iter().any(|t| match t.kind {
        CTokenKind::Directive => !is_marker(t.text(text)),
        CTokenKind::Word => t.text(text) == "_Pragma",
        _ => false,
    })
}

fn is_marker(line: &str) -> bool {
    let rest = line[1..].trim_start();
    rest.is_empty()
        || rest.starts_with(|c: char| c.is_ascii_digit())
        || ["pragma", "line", "ident"]
            .iter()
            .any(|w| rest.starts_with(w))
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80
}

/// The end of the line, past backslash-newlines.
fn directive_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < bytes.len() && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

fn quoted_end(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from + 1;
    while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    let closed = bytes.get(at) == Some(&quote);
    (at + usize::from(closed)).min(bytes.len())
}

/// Preprocessing numbers take an exponent's sign along.
fn number_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    let hex = bytes
        .get(from + 1)
        .is_some_and(|b| *b == b'x' || *b == b'X');
    while at < bytes.len() && (is_word(bytes[at]) || bytes[at] == b'.') {
        let exponent = if hex { b"pP" } else { b"eE" };
        let signed =
            exponent.contains(&bytes[at]) && bytes.get(at + 1).is_some_and(|b| b"+-".contains(b));
        at += if signed { 2 } else { 1 };
    }
    at
}
