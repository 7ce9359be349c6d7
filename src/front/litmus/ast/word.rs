//! Names and numbers, as instructions and conditions have them.

use base::source::Span;
use std::fmt::{Display, Formatter, Result};

/// A name and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A number as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number {
    /// Its bits, in two's complement.
    pub bits: u64,
    /// It has a minus sign.
    pub negative: bool,
    /// Where.
    pub span: Span,
}

/// A location: a name, and the index of an element of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The name.
    pub name: Name,
    /// `[index]`
    pub index: Option<Number>,
}

impl Display for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(&self.text)
    }
}

impl Display for Symbol {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.name.fmt(f)?;
        match self.index {
            Some(index) => write!(f, "[{index}]"),
            None => Ok(()),
        }
    }
}

/// The letter for so many bits, of Power and RISC-V.
pub(super) fn size_letter(size: u8) -> &'static str {
    match size {
        8 => "b",
        16 => "h",
        32 => "w",
        _ => "d",
    }
}
