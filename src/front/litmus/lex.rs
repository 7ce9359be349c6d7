//! Characters to tokens, for everything behind the `{` of the initial state.
//!
//! Comments are OCaml's, `(* … *)`, nested; in a program in C they are C's, since `(*x)` is none there. A
//! character that begins no token becomes a token of its
//! own, so that only the parser complains, and only about what it looks at: behind the condition
//! herd's files carry text that no one reads.

use base::comment::comment_len;
use base::source::{FileId, Span};

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
    /// An operand of inline assembly, by its number, and the letter before it (`%0`, `%w0`).
    Operand(usize, Option<char>),
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
    "/\\", "\\/", "=>", "==", "<>", "!=", "<<", ">>", "<=", ">=", "&&", "||", "/", "?", "|", ";",
    ":", ",", "(", ")", "[", "]", "{", "}", "=", "*", "&", "$", "%", "#", "+", "-", "~", "@", "!",
    "<", ">", "^",
];

/// Words that end the program.
pub(super) const QUESTIONS: [&str; 6] = [
    "exists",
    "forall",
    "final",
    "locations",
    "filter",
    "observed",
];

/// Parts of a test whose program is in C.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Initial state.
    Init,
    /// Functions.
    Program,
    /// The condition, and whatever there is in other tests.
    Rest,
}

/// How many bytes a comment of C has that begins here.
fn c_comment_len(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b'/', b'/', ..] => Some(bytes.iter().take_while(|b| **b != b'\n').count()),
        [b'/', b'*', rest @ ..] => {
            let end = rest.windows(2).position(|pair| pair == b"*/");
            end.map(|end| end + 4)
        }
        _ => None,
    }
}

/// All tokens of the text from byte `from` on, the end of the text last; `is_c`: its program is in C.
pub(super) fn lex(text: &str, file: FileId, from: usize, is_c: bool) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut tokens: Vec<Token> = Vec::with_capacity((text.len() - from) / 3);
    let mut at = from;
    let mut part = if is_c { Part::Init } else { Part::Rest };
    let mut depth = 0usize;
    while at < bytes.len() {
        let start = at;
        if part != Part::Rest
            && let Some(len) = c_comment_len(&bytes[at..])
        {
            at += len;
            continue;
        }
        let in_code = part == Part::Program && depth > 0;
        let kind = match bytes[at] {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'(' if !in_code && bytes.get(at + 1) == Some(&b'*') => {
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
        let opens = kind == LitmusTokenKind::Sign("(") || kind == LitmusTokenKind::Sign("{");
        let closes = kind == LitmusTokenKind::Sign(")") || kind == LitmusTokenKind::Sign("}");
        let after_function = tokens.last().is_some_and(|t| t.text == "}");
        let asks = match kind {
            LitmusTokenKind::Word => QUESTIONS.contains(&&text[start..at]),
            LitmusTokenKind::Sign("~") => true,
            LitmusTokenKind::Sign("(") => after_function,
            _ => false,
        };
        part = match part {
            Part::Program if depth == 0 && asks => Part::Rest,
            Part::Init if depth == 1 && kind == LitmusTokenKind::Sign("}") => Part::Program,
            part => part,
        };
        depth += usize::from(opens);
        depth = depth.saturating_sub(usize::from(closes));
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
