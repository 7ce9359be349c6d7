//! Tokens of LLVM IR. They are read one at a time and borrow the text, as modules can be large.

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    /// The end of the text.
    End,
    /// A character that begins no token.
    Bad,
    /// A quote that is never closed.
    Unclosed,
    /// A keyword.
    Word,
    /// `name:`, `"name":`
    Label,
    /// `7:`
    NumberedLabel,
    /// `%name`, `%7`, `%"name"`
    Local,
    /// `@name`, `@7`, `@"name"`
    Global,
    /// `$name`, `$"name"`
    Comdat,
    /// `^7`
    Summary,
    /// `#7`
    AttributeGroup,
    /// `#` before the name of a debug record.
    Hash,
    /// `!name`
    MetadataName,
    /// `!`
    Exclamation,
    /// `"…"`
    String,
    /// `-7`
    Integer,
    /// `1.5e+3`
    Decimal,
    /// `0x7FF8…`, `0xK…` and its like.
    Hexadecimal,
    /// `s0x…`, `u0x…`
    HexadecimalInteger,
    /// `...`
    Dots,
    /// Any of `=,*[]{}()<>|:`.
    Sign(u8),
}

/// A token: what it is and the bytes from `start` to `end`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

/// The first token at or after a byte.
pub(super) fn token(text: &[u8], at: usize) -> Token {
    let start = skip_blanks(text, at);
    let (kind, end) = match text.get(start) {
        None => (TokenKind::End, start),
        Some(&first) => read(text, start, first),
    };
    Token { kind, start, end }
}

/// Where what is neither blank nor comment begins.
fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    loop {
        match text.get(at) {
            Some(b' ' | b'\t' | b'\n' | b'\r' | 0) => at += 1,
            Some(b';') => at = skip_while(text, at, |b| b != b'\n'),
            _ => return at,
        }
    }
}

fn read(text: &[u8], start: usize, first: u8) -> (TokenKind, usize) {
    match first {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => word(text, start),
        b'"' => match (closing_quote(text, start), label_end(text, start)) {
            (None, _) => (TokenKind::Unclosed, start + 1),
            (Some(_), Some(end)) => (TokenKind::Label, end),
            (Some(end), None) => (TokenKind::String, end),
        },
        b'%' => name(text, start, TokenKind::Local),
        b'@' => name(text, start, TokenKind::Global),
        b'$' => match label_end(text, start) {
            Some(end) => (TokenKind::Label, end),
            None => name(text, start, TokenKind::Comdat),
        },
        b'!' => match text.get(start + 1) {
            Some(&b) if is_metadata_name(b) && !b.is_ascii_digit() => {
                let end = skip_while(text, start + 1, is_metadata_name);
                (TokenKind::MetadataName, end)
            }
            _ => (TokenKind::Exclamation, start + 1),
        },
        b'#' => match number_end(text, start + 1) {
            Some(end) => (TokenKind::AttributeGroup, end),
            None => (TokenKind::Hash, start + 1),
        },
        b'^' => match number_end(text, start + 1) {
            Some(end) => (TokenKind::Summary, end),
            None => (TokenKind::Bad, start + 1),
        },
        b'0'..=b'9' | b'-' | b'+' => number(text, start, first),
        b'.' => match label_end(text, start) {
            Some(end) => (TokenKind::Label, end),
            None if text[start..].starts_with(b"...") => (TokenKind::Dots, start + 3),
            None => (TokenKind::Bad, start + 1),
        },
        b'=' | b',' | b'*' | b'[' | b']' | b'{' | b'}' | b'(' | b')' | b'<' | b'>' | b'|'
        | b':' => (TokenKind::Sign(first), start + 1),
        _ => {
            // A character of several bytes is one token.
            let end = skip_while(text, start + 1, |b| b & 0xC0 == 0x80);
            (TokenKind::Bad, end)
        }
    }
}

/// A keyword, or a label.
fn word(text: &[u8], start: usize) -> (TokenKind, usize) {
    if let Some(end) = label_end(text, start) {
        return (TokenKind::Label, end);
    }
    let end = skip_while(text, start, |b| b.is_ascii_alphanumeric() || b == b'_');
    let digits = text[start..end].get(1..).unwrap_or_default();
    let is_hexadecimal = matches!(text[start], b's' | b'u')
        && digits.starts_with(b"0x")
        && digits.len() > 2
        && digits[2..].iter().all(u8::is_ascii_hexdigit);
    if is_hexadecimal {
        return (TokenKind::HexadecimalInteger, end);
    }
    (TokenKind::Word, end)
}

/// What follows a sigil: a quoted name, a number or a plain name.
fn name(text: &[u8], start: usize, kind: TokenKind) -> (TokenKind, usize) {
    let at = start + 1;
    match text.get(at) {
        Some(b'"') => match closing_quote(text, at) {
            Some(end) => (kind, end),
            None => (TokenKind::Unclosed, start + 2),
        },
        Some(b'0'..=b'9') => (kind, skip_while(text, at, |b| b.is_ascii_digit())),
        Some(&b) if is_label(b) => (kind, skip_while(text, at, is_label)),
        _ => (TokenKind::Bad, at),
    }
}

/// A number, or a label that begins like one.
fn number(text: &[u8], start: usize, first: u8) -> (TokenKind, usize) {
    let digits = if first.is_ascii_digit() {
        start
    } else {
        start + 1
    };
    let end = skip_while(text, digits, |b| b.is_ascii_digit());
    if digits == start && text.get(end) == Some(&b':') {
        return (TokenKind::NumberedLabel, end + 1);
    }
    if let Some(end) = label_end(text, start).filter(|_| first != b'+') {
        return (TokenKind::Label, end);
    }
    if end == digits {
        return (TokenKind::Bad, end);
    }
    if text.get(end) == Some(&b'.') {
        return (TokenKind::Decimal, exponent(text, end + 1));
    }
    if end == start + 1 && first == b'0' && text.get(end) == Some(&b'x') {
        let prefix = matches!(text.get(end + 1), Some(b'K' | b'L' | b'M' | b'H' | b'R'));
        let from = end + 1 + usize::from(prefix);
        let to = skip_while(text, from, |b| b.is_ascii_hexdigit());
        let kind = if to > from {
            TokenKind::Hexadecimal
        } else {
            TokenKind::Bad
        };
        return (kind, to);
    }
    let kind = if first == b'+' {
        TokenKind::Bad
    } else {
        TokenKind::Integer
    };
    (kind, end)
}

/// The end of a decimal number from the byte after its point.
fn exponent(text: &[u8], at: usize) -> usize {
    let end = skip_while(text, at, |b| b.is_ascii_digit());
    if !matches!(text.get(end), Some(b'e' | b'E')) {
        return end;
    }
    let sign = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
    let from = end + 1 + sign;
    let to = skip_while(text, from, |b| b.is_ascii_digit());
    if to > from { to } else { end }
}

/// The end of a label that begins here, behind its colon.
fn label_end(text: &[u8], start: usize) -> Option<usize> {
    let end = match text.get(start) {
        Some(b'"') => closing_quote(text, start)?,
        _ => skip_while(text, start, is_label),
    };
    (text.get(end) == Some(&b':')).then_some(end + 1)
}

/// The end of a string that begins here, behind its closing quote.
fn closing_quote(text: &[u8], start: usize) -> Option<usize> {
    let end = skip_while(text, start + 1, |b| b != b'"');
    (end < text.len()).then_some(end + 1)
}

/// The end of the digits that begin here, if there are any.
fn number_end(text: &[u8], start: usize) -> Option<usize> {
    let end = skip_while(text, start, |b| b.is_ascii_digit());
    (end > start).then_some(end)
}

/// The first byte from `at` on that is not of a class; the end of the text without one.
fn skip_while(text: &[u8], at: usize, is: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let len = rest.iter().position(|b| !is(*b));
    len.map_or(text.len(), |len| at + len)
}

fn is_label(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'$' | b'.' | b'_')
}

fn is_metadata_name(b: u8) -> bool {
    is_label(b) || b == b'\\'
}

/// The bytes of what is written between quotes: `\\` is a backslash, `\` with two hexadecimal digits is a byte.
pub(super) fn unescape(text: &str) -> Vec<u8> {
    let text = text.as_bytes();
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&b) = text.get(at) {
        let digit = |i: usize| text.get(at + i).and_then(|b| char::from(*b).to_digit(16));
        let escaped = digit(1).zip(digit(2)).map(|(high, low)| high * 16 + low);
        let escaped = escaped.and_then(|value| u8::try_from(value).ok());
        let (byte, len) = match (b, escaped) {
            (b'\\', Some(byte)) => (byte, 3),
            (b'\\', None) if text.get(at + 1) == Some(&b'\\') => (b'\\', 2),
            _ => (b, 1),
        };
        bytes.push(byte);
        at += len;
    }
    bytes
}
