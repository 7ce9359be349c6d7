//! Characters to tokens. Comments are `(* … *)`, nested, and `//` or `#` to the end of the line.

use base::diag::Diag;
use base::source::FileId;
use base::tokens::{Token, TokenKind, Tokens, comment, never_closed, span};

/// What kind of token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CatTokenKind {
    /// A word of the language.
    Keyword(&'static str),
    /// An operator or a bracket.
    Sign(&'static str),
    /// A name.
    Name,
    /// `'name`; the text is without the quote.
    Tag,
    /// `"text"`; the text is without the quotes.
    Text,
    /// The end of the file.
    End,
}

impl TokenKind for CatTokenKind {
    const END: CatTokenKind = CatTokenKind::End;
}

/// The tokens and how far they are read.
pub(super) type Parser = Tokens<CatTokenKind>;

const KEYWORDS: &[&str] = &[
    "let",
    "rec",
    "and",
    "when",
    "acyclic",
    "irreflexive",
    "show",
    "unshow",
    "empty",
    "subset",
    "as",
    "fun",
    "in",
    "undefined_unless",
    "flag",
    "assert",
    "include",
    "variant",
    "begin",
    "end",
    "procedure",
    "call",
    "enum",
    "debug",
    "match",
    "with",
    "forall",
    "from",
    "do",
    "try",
    "if",
    "then",
    "else",
    "catdep",
    "instructions",
    "default",
    "not",
];

/// Longest first where one begins another.
const SIGNS: &[&str] = &[
    "||", "&&", "++", "->", "-1", "(", ")", "{", "}", "[", "]", "_", "0", "|", "&", "*", "~", "+",
    "^", "\\", "?", "=", ";", ",",
];

/// All tokens, the end of the text last, and what could not be read.
pub(super) fn lex(text: &str, file: FileId) -> (Vec<Token<CatTokenKind>>, Vec<Diag>) {
    let (mut tokens, mut errors) = (Vec::new(), Vec::new());
    let mut at = 0;
    let mut first_on_line = true;
    let span = |start, end| span(file, start, end);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let mut push = |kind, text: &str, len| {
            tokens.push(Token {
                kind,
                text: text.to_string(),
                span: span(at, at + len),
                first_on_line,
            });
            first_on_line = false;
            len
        };
        at += if c == '\n' {
            first_on_line = true;
            1
        } else if matches!(c, ' ' | '\t' | '\r' | '\u{feff}') {
            c.len_utf8()
        } else if rest.starts_with("(*") {
            comment(rest, file, at, &mut errors)
        } else if rest.starts_with("//") || c == '#' {
            rest.find('\n').unwrap_or(rest.len())
        } else if c == '"' {
            match rest[1..].find('"') {
                Some(len) => push(CatTokenKind::Text, &rest[1..=len], len + 2),
                None => {
                    errors.push(never_closed("string", file, at, 1));
                    rest.len()
                }
            }
        } else if let Some(len) = name_len(rest) {
            let word = &rest[..len];
            let keyword = KEYWORDS.iter().find(|k| **k == word);
            push(
                keyword.map_or(CatTokenKind::Name, |k| CatTokenKind::Keyword(k)),
                word,
                len,
            )
        } else if let Some(len) = rest.strip_prefix('\'').and_then(name_len) {
            push(CatTokenKind::Tag, &rest[1..=len], len + 1)
        } else if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
            push(CatTokenKind::Sign(sign), sign, sign.len())
        } else {
            let message = format!("`{}` is no part of the cat language", c.escape_debug());
            errors.push(Diag::error(span(at, at + c.len_utf8()), message));
            c.len_utf8()
        };
    }
    tokens.push(Token {
        kind: CatTokenKind::End,
        text: String::new(),
        span: span(text.len(), text.len()),
        first_on_line: true,
    });
    (tokens, errors)
}

/// The length of the name that begins the text: perhaps `_`, a letter, then letters, digits and
/// `_.-`, perhaps a prime.
fn name_len(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let start = usize::from(bytes.first() == Some(&b'_'));
    if !bytes.get(start)?.is_ascii_alphabetic() {
        return None;
    }
    let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
    let end = start + bytes[start..].iter().take_while(|b| part(b)).count();
    Some(end + usize::from(bytes.get(end) == Some(&b'\'')))
}
