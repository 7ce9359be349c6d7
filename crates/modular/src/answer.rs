//! Why something is not shown, and what a proof takes for granted.

use base::source::Span;
use ir::program::PropertyKind;

/// Why something is not shown.
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

/// What a proof of some kinds of property takes for granted, a sentence each.
pub fn assumptions(kinds: &[PropertyKind]) -> Vec<String> {
    let is_shown = |kind| kinds.contains(&kind);
    let library = match is_shown(PropertyKind::Misuse) {
        true => "the thread library creates every thread",
        false => "the thread library is used as it has to be, and creates every thread",
    };
    let access =
        "an access stays within the object that its address was made from, and that object exists";
    let numbers = "no number of threads, or of what they have an element for, wraps around";
    let mut all = Vec::new();
    if !is_shown(PropertyKind::Memory) {
        all.push(access.to_string());
    }
    if is_shown(PropertyKind::Race) {
        all.push(numbers.to_string());
    }
    all.push(library.to_string());
    all
}
