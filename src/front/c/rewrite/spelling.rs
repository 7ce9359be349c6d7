//! Names and signs in other characters than those that lang-c takes: `$` and letters beyond ASCII in names,
//! universal character names, digraphs.

use super::{CTokenKind, Edit, Pass};
use crate::front::c::scan::{DIGRAPHS, universal_character};

/// Stands for `$`.
const DOLLAR: &str = "_zDz_";
/// What stands for a character beyond ASCII begins so; its number in hexadecimal digits and [`END`] follow.
const CHARACTER: &str = "_zU";
const END: &str = "z_";

/// A name as lang-c takes it.
pub fn spelled(name: &str) -> String {
    let mut out = String::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let (c, length) = universal_character(rest).unwrap_or((first, first.len_utf8()));
        match c {
            '$' => out.push_str(DOLLAR),
            c if c.is_ascii() => out.push(c),
            c => out.push_str(&format!("{CHARACTER}{:x}{END}", u32::from(c))),
        }
        rest = &rest[length..];
    }
    out
}

/// A name as the source has it.
pub fn original_name(name: &str) -> String {
    let name = name.replace(DOLLAR, "$");
    let mut parts = name.split(CHARACTER);
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let number = part.split_once(END);
        let number = number.and_then(|(n, rest)| Some((u32::from_str_radix(n, 16).ok()?, rest)));
        match number.and_then(|(n, rest)| Some((char::from_u32(n)?, rest))) {
            Some((c, rest)) => {
                out.push(c);
                out.push_str(rest);
            }
            None => {
                out.push_str(CHARACTER);
                out.push_str(part);
            }
        }
    }
    out
}

impl Pass<'_> {
    /// A name with other characters.
    pub(super) fn spell(&mut self, i: usize) {
        let (name, token) = (self.word(i), self.tokens[i]);
        if name.contains(['$', '\\']) || !name.is_ascii() {
            let edit = Edit::replace(token.start, token.end, spelled(name));
            self.edits.push(edit);
        }
    }

    /// `<:` is `[`.
    pub(super) fn digraph(&mut self, i: usize) {
        let token = self.tokens[i];
        if !matches!(token.kind, CTokenKind::Punct(_)) || token.end == token.start + 1 {
            return;
        }
        let found = DIGRAPHS.iter().find(|(two, _)| *two == self.word(i));
        if let Some((_, one)) = found {
            self.replace(i, one);
        }
    }

    /// `\u00e4` in a string or character stands for the character itself.
    pub(super) fn universal_characters(&mut self, i: usize) {
        let (start, text) = (self.tokens[i].start, self.word(i));
        let mut at = 0;
        while let Some(found) = text[at..].find('\\') {
            at += found;
            match universal_character(&text[at..]) {
                Some((c, length)) => {
                    let (from, to) = (start + at, start + at + length);
                    self.edits.push(Edit::replace(from, to, c.to_string()));
                    at += length;
                }
                // What is escaped may be a backslash.
                None => at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_characters() {
        for (name, shown) in [
            ("größe", "größe"),
            ("a$b", "a$b"),
            ("gr\\u00f6\\U000000dfe", "größe"),
            ("x_zUz_", "x_zUz_"),
        ] {
            assert!(spelled(name).is_ascii(), "{name}");
            assert_eq!(original_name(&spelled(name)), shown);
        }
    }
}
