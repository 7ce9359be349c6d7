//! Why something is not shown, and what a proof takes for granted.

use base::source::Span;

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

/// What a proof takes for granted, a sentence each: one of freedom of races, one of freedom of deadlocks, one by
/// invariants, of which it may rest on the [numbers of threads](crate::Obligations::counts_threads).
pub fn assumptions(
    (races, deadlocks, invariants): (bool, bool, bool),
    counts_threads: bool,
) -> Vec<&'static str> {
    let access =
        "an access stays within the object that its address was made from, and that object exists";
    let numbers = "no number of threads, or of what they have an element for, wraps around";
    let used = "the thread library is used as it has to be, and creates every thread";
    let creates = "the thread library creates every thread";
    let is_shown = invariants || !races && !deadlocks;
    let all = [
        (!is_shown, access),
        (races || counts_threads, numbers),
        (!is_shown, used),
        (is_shown, creates),
    ];
    all.into_iter()
        .filter(|(is, _)| *is)
        .map(|(_, text)| text)
        .collect()
}
