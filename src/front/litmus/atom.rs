//! What tests and instructions are made of: names, numbers, locations.

use crate::base::source::Span;

/// Instruction sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Machine {
    /// `X86`: 32 bits, destination first.
    X86,
    /// `PPC`
    Ppc,
}

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

impl Number {
    /// Whether it is the value of a signed or unsigned integer of so many bits.
    pub fn fits(&self, width: u32) -> bool {
        if width >= 64 {
            true
        } else if self.negative {
            self.bits.wrapping_neg() <= 1 << (width - 1)
        } else {
            self.bits >> width == 0
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.negative {
            write!(f, "-{}", self.bits.wrapping_neg())
        } else {
            write!(f, "{}", self.bits)
        }
    }
}

/// A location: a name, and the index of an element of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The name.
    pub name: Name,
    /// `[index]`
    pub index: Option<Number>,
}
