//! A scanner for C that only separates: names, numbers, strings, punctuation, directives.
//!
//! Two passes need tokens before there is a parser: [`super::rewrite`], which closes the parser's
//! gaps, and [`super::position`], which finds a preprocessed token in the original line. Neither
//! cares what a token means, so this never fails; an unfinished string ends with its line.

use std::borrow::Cow;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CTokenKind {
    /// An identifier or keyword.
    Word,
    /// A number.
    Number,
    /// A string or character constant.
    Quoted,
    /// One character of punctuation; a digraph is what it stands for.
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

/// Signs of two characters that stand for one (C11 6.4.6).
pub const DIGRAPHS: [(&str, &str); 4] = [("<:", "["), (":>", "]"), ("<%", "{"), ("%>", "}")];

/// The character that `\u` and four digits, or `\U` and eight, stand for at the beginning of a text, and their length
/// (C11 6.4.3).
pub fn universal_character(text: &str) -> Option<(char, usize)> {
    let digits = match text.as_bytes() {
        [b'\\', b'u', ..] => 4,
        [b'\\', b'U', ..] => 8,
        _ => return None,
    };
    let number = u32::from_str_radix(text.get(2..2 + digits)?, 16).ok()?;
    Some((char::from_u32(number)?, 2 + digits))
}

/// A name in which universal character names are the characters that they stand for.
pub fn with_characters(name: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(name);
    let mut at = 0;
    while let Some(found) = out[at..].find('\\') {
        at += found;
        let Some((c, length)) = universal_character(&out[at..]) else {
            break;
        };
        let mut utf8 = [0; 4];
        out.to_mut()
            .replace_range(at..at + length, c.encode_utf8(&mut utf8));
    }
    out
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
            b'\\' if universal_character(&text[at..]).is_some() => {
                at = word_end(text, at);
                CTokenKind::Word
            }
            b if b.is_ascii_whitespace() || b == b'\\' => {
                at += 1;
                continue;
            }
            b'#' | b'%'
                if line_begins && (b'#' == bytes[at] || bytes.get(at + 1) == Some(&b':')) =>
            {
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
                at = word_end(text, at);
                CTokenKind::Word
            }
            b if b.is_ascii_digit() => {
                at = number_end(bytes, at);
                CTokenKind::Number
            }
            b => {
                let digraph = DIGRAPHS
                    .iter()
                    .find(|(two, _)| bytes[at..].starts_with(two.as_bytes()));
                at += digraph.map_or(1, |(two, _)| two.len());
                CTokenKind::Punct(digraph.map_or(b, |(_, one)| one.as_bytes()[0]))
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
    let rest = line.strip_prefix("%:").unwrap_or(&line[1..]).trim_start();
    rest.is_empty()
        || rest.starts_with(|c: char| c.is_ascii_digit())
        || ["pragma", "line", "ident"]
            .iter()
            .any(|w| rest.starts_with(w))
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80
}

/// The end of the name that begins at a place.
fn word_end(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        at += match bytes[at] {
            b if is_word(b) => 1,
            b'\\' => match universal_character(&text[at..]) {
                Some((_, length)) => length,
                None => break,
            },
            _ => break,
        };
    }
    at
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
