//! That a program is free of races, or why that is not shown.

use base::source::Span;

/// Why freedom of races is not shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unproved {
    /// A procedure calls itself.
    Recursion(Span),
    /// There are more points than are looked at.
    TooLarge,
    /// There was no more time.
    Interrupted,
    /// Code jumps into a loop, past its beginning.
    JumpIntoLoop,
    /// Something that is not looked at.
    Unsupported(Span, String),
    /// An access through an address of which no object is known.
    Address(Span),
    /// Two accesses that nothing seems to keep apart.
    Pair(Span, Span),
}

/// That a program has no data race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RaceFree {
    /// What is taken for granted, a sentence each.
    pub assumptions: Vec<String>,
}
