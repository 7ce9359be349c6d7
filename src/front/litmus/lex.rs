//! Characters to tokens, for everything behind the `{` of the initial state.
//!
//! Comments are OCaml's, `(* … *)`, nested. A character that begins no token becomes a token of its
//! own, so that only the parser complains, and only about what it looks at: behind the condition
//! herd's files carry text that no one reads.

use crate::base::source::{FileId, Span};
use crate::front::comment::comment_len;

/// What kind of token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LitmusTokenKind {
    /// A letter, `_` or `.`, then these and digits.
    Word,
    /// Begins with a digit; the parser reads its value.
    Number,
    /// `"…"`, the quotes included.
    Text,
    /// An operator or a bracket.
    Sign(&'static str),
    /// A character that begins nothing, or `(*` or `"` that nothing closes.
    Unexpected,
    /// The end of the file.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub kind: LitmusTokenKind,
    pub text: &'a str,
    pub span: Span,
}

/// Longest first where one begins another.
const SIGNS: &[&str] = &[
    "/\\", "\\/", "=>", "==", "<>", "!=", "<<", ">>", "|", ";", ":", ",", "(", ")", "[", "]", "{",
    "}", "=", "*", "&", "$", "%", "#", "+", "-", "~", "@", "!", "<", ">", "^",
];

/// All tokens of the text from byte `from` on, the end of the text last.
pub(super) fn lex(text: &str, file: FileId, from: usize) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity((text.len() - from) / 3);
    let mut at = from;
    while at < bytes.len() {
        let start = at;
        let kind = match bytes[at] {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'(' if bytes.get(at + 1) == Some(&b'*') => {
                if let Some(len) = comment_len(&bytes[at..]) {
                    at += len;
                    continue;
                }
                at += 2;
                LitmusTokenKind::Unexpected
            }
            b'"' => match text[at + 1..].find('"') {
                Some(len) => {
                    at += len + 2;
                    LitmusTokenKind::Text
                }
                None => {
                    at += 1;
                    LitmusTokenKind::Unexpected
                }
            },
            b'0'..=b'9' => {
                at = end_of(bytes, at, |b| b.is_ascii_alphanumeric() || b == b'_');
                LitmusTokenKind::Number
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' => {
                at = end_of(bytes, at, |b| {
                    b.is_ascii_alphanumeric() || b == b'_' || b == b'.'
                });
                LitmusTokenKind::Word
            }
            _ => match SIGNS.iter().find(|s| text[at..].starts_with(**s)) {
                Some(sign) => {
                    at += sign.len();
                    LitmusTokenKind::Sign(sign)
                }
                None => {
                    at += text[at..].chars().next().map_or(1, char::len_utf8);
                    LitmusTokenKind::Unexpected
                }
            },
        };
        tokens.push(Token {
            kind,
            text: &text[start..at],
            span: span(file, start, at),
        });
    }
    tokens.push(Token {
        kind: LitmusTokenKind::End,
        text: "",
        span: span(file, text.len(), text.len()),
    });
    tokens
}

/// The bytes from `start` to `end` of a file.
pub(super) fn span(file: FileId, start: usize, end: usize) -> Span {
    Span {
        file,
        start: start as u32,
        end: end as u32,
    }
}

fn end_of(bytes: &[u8], from: usize, part: impl Fn(u8) -> bool) -> usize {
    from + bytes[from..].iter().take_while(|b| part(**b)).count()
}
