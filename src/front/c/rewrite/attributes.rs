//! Attributes: those without a meaning here are blanked, the others go where the parser takes them.
//!
//! lang-c reads `__attribute__((…))` among specifiers and around declarators, but neither between
//! `struct` and its tag nor at an enumeration, and `_Alignas` not at a member. An attribute between
//! `struct`, `union` or `enum` and the tag is one of the type, and so is one right behind the closing
//! brace: it is moved there. `_Alignas(x)` becomes an attribute, whose argument `sizeof(x)` is an
//! expression whether `x` is one or a type. C23's `[[gnu::…]]` is the attribute without prefix.
//! Behind the brace of a structure stands what `#pragma pack` says of it.

use super::spelling::spelled;
use super::{CTokenKind, Edit, Pass, is_alignof};

/// The attribute that `_Alignas` becomes.
pub const ALIGNAS: &str = "__wmbmc_alignas";
/// Called with what `_Alignof` is of, in a `sizeof`.
pub const ALIGNOF: &str = "__wmbmc_alignof";
/// The attribute that a structure gets from `#pragma pack`; the limit follows.
pub const PACK: &str = "__wmbmc_pack_";

/// Attributes that change what a program means, without underscores around. Those that change
/// layouts and are not supported are refused where they are met, by `adapt`.
const MEANINGFUL: [&str; 24] = [
    "packed",
    "aligned",
    "mode",
    "vector_size",
    "cleanup",
    "constructor",
    "destructor",
    "transparent_union",
    "scalar_storage_order",
    "ms_struct",
    "ext_vector_type",
    "altivec",
    "hardbool",
    "address_space",
    "neon_vector_type",
    "neon_polyvector_type",
    "arm_sve_vector_bits",
    "riscv_rvv_vector_bits",
    "randomize_layout",
    "weak",
    "alias",
    "weakref",
    "ifunc",
    "gnu_inline",
];

impl Pass<'_> {
    /// The last token of the attribute that begins at `i`, if one does.
    fn attribute_end(&self, i: usize) -> Option<usize> {
        let gnu = matches!(self.word(i), "__attribute__" | "__attribute");
        if gnu && self.is(i + 1, b'(') {
            return Some(self.closing(i + 1));
        }
        let c23 = self.is(i, b'[') && self.is(i + 1, b'[') && self.adjacent(i);
        c23.then(|| self.closing(i))
    }

    /// Handles an attribute; returns the index of the next token to look at.
    pub(super) fn on_attribute(&mut self, i: usize) -> Option<usize> {
        let close = self.attribute_end(i)?;
        let text = self.kept(i, close);
        let Some(text) = text else {
            self.blank(i, close);
            return Some(close + 1);
        };
        let (start, end) = (self.tokens[i].start, self.tokens[close].end);
        self.edits.push(Edit::replace(start, end, text));
        Some(close + 1)
    }

    /// What is left of an attribute as lang-c reads it; `None` where that is nothing.
    fn kept(&self, i: usize, close: usize) -> Option<String> {
        // Both forms have two pairs of brackets.
        let (from, to) = match self.is(i, b'[') {
            true => (i + 2, close.saturating_sub(1)),
            false => (i + 3, close.saturating_sub(1)),
        };
        let mut kept: Vec<String> = Vec::new();
        let mut at = from;
        while at < to {
            let mut end = at;
            while end < to && !self.is(end, b',') {
                end = match self.tokens[end].kind {
                    CTokenKind::Punct(b'(' | b'[' | b'{') => self.closing(end) + 1,
                    _ => end + 1,
                };
            }
            let end = end.min(to);
            let prefix = self.is(at + 1, b':') && self.is(at + 2, b':');
            let name = if prefix { at + 3 } else { at };
            let meaningful = MEANINGFUL.contains(&self.word(name).trim_matches('_'));
            if meaningful && name < end {
                kept.push(self.respelled(name, end));
            }
            at = end + 1;
        }
        (!kept.is_empty()).then(|| format!("__attribute__(({}))", kept.join(",")))
    }

    /// Moves the attributes between `struct`, `union` or `enum` and a tag behind the closing brace.
    /// Where there is none, the type is only named and compilers ignore them. Returns the index of
    /// the next token to look at.
    pub(super) fn attributes_of_type(&mut self, i: usize) -> usize {
        let mut at = i + 1;
        let mut moved = Vec::new();
        while let Some(close) = self.attribute_end(at) {
            moved.extend(self.kept(at, close));
            self.blank(at, close);
            at = close + 1;
        }
        let tag = self.tokens.get(at).map(|t| t.kind) == Some(CTokenKind::Word);
        let open = at + usize::from(tag);
        if at > i + 1 && self.is(open, b'{') {
            if self.word(i) != "enum" {
                self.records.push(open);
            }
            if !moved.is_empty() {
                let end = self.tokens[self.closing(open)].end;
                self.edits.push(Edit::insert(end, moved.join(" ")));
            }
        }
        at
    }

    /// `_Alignas(x)`
    pub(super) fn on_alignas(&mut self, i: usize) -> usize {
        let close = self.closing(i + 1);
        let operand = self.respelled(i + 2, close);
        let with = format!("__attribute__(({ALIGNAS}(sizeof({operand}))))");
        let (start, end) = (self.tokens[i].start, self.tokens[close].end);
        self.edits.push(Edit::replace(start, end, with));
        close + 1
    }

    /// `_Alignof(x)`: what is in the brackets is looked at as everything else.
    pub(super) fn on_alignof(&mut self, i: usize) -> usize {
        let close = self.closing(i + 1);
        self.replace(i, ALIGNOF);
        let open = self.tokens[i + 1];
        self.edits
            .push(Edit::replace(open.start, open.end, "(sizeof("));
        self.edits.push(Edit::insert(self.tokens[close].end, ")"));
        i + 1
    }

    /// The tokens `from..to` as the parser takes them.
    fn respelled(&self, from: usize, to: usize) -> String {
        let mut out = String::new();
        let mut alignof_ends = Vec::new();
        for i in from..to {
            if i > from && !self.adjacent(i - 1) {
                out.push(' ');
            }
            match self.word(i) {
                word if is_alignof(word) && self.is(i + 1, b'(') => {
                    out.push_str(&format!("{ALIGNOF}(sizeof"));
                    alignof_ends.push(self.closing(i + 1));
                }
                word => out.push_str(&spelled(word)),
            }
            let ends = alignof_ends.iter().filter(|end| **end == i).count();
            out.extend(std::iter::repeat_n(')', ends));
        }
        out
    }

    /// Says behind the brace of a structure what `#pragma pack` is in force.
    pub(super) fn pack_record(&mut self, brace: usize) {
        let Some(token) = self.tokens.get(brace) else {
            return;
        };
        let limit = self.packing.at(token.start);
        if limit != 0 {
            let with = format!("__attribute__(({PACK}{limit}))");
            self.edits.push(Edit::insert(token.end, with));
        }
    }
}
