//! What a lowering knows of the bytes that a program looks at; [`super::unspecified`] says what for.

use crate::front::c::types::RecordId;
use base::source::Span;
use ir::program::Expr;
use std::collections::BTreeMap;

/// A range of bytes: the first one, and the one behind the last.
pub(super) type ByteRange = (u64, u64);

/// What a program looks at.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Looks {
    /// Bytes of structures.
    pub(super) padding: bool,
    /// Of a union the bytes of the largest member that is accessed.
    pub(super) members: BTreeMap<RecordId, u64>,
}

/// What is known of the program's looks, and what a lowering finds.
#[derive(Default)]
pub(super) struct Representation {
    /// What an earlier lowering has found.
    pub(super) known: Looks,
    /// That, and what this one has.
    pub(super) found: Looks,
    /// A structure with padding is stored, or a part of it.
    pub(super) stores_padding: bool,
    /// Of a union the bytes of the smallest member that is accessed.
    pub(super) smallest: BTreeMap<RecordId, u64>,
    /// A conversion to a pointer to characters that is made to compute the address of a structure.
    pub(super) moves: Option<Span>,
    /// The padding between the members of a structure.
    pub(super) between: BTreeMap<RecordId, Vec<ByteRange>>,
}

/// A structure or union that a place is a part of.
#[derive(Clone, Debug)]
pub(super) struct Enclosing {
    /// Where it begins.
    pub(super) at: Expr,
    /// Its type.
    pub(super) record: RecordId,
    /// Its bytes that a store to the place leaves unspecified.
    pub(super) unspecified: Vec<ByteRange>,
}

impl Representation {
    /// With what a lowering of the same program has found.
    pub(super) fn knowing(known: Looks) -> Representation {
        Representation {
            found: known.clone(),
            known,
            ..Representation::default()
        }
    }

    /// What the program must be lowered again for.
    pub(super) fn missed(self) -> Option<Looks> {
        let padding = self.stores_padding && self.found.padding && !self.known.padding;
        let beyond = |(union, largest): (&RecordId, &u64)| {
            let smallest = self.smallest.get(union).copied().unwrap_or(u64::MAX);
            smallest < *largest && self.known.members.get(union) != Some(largest)
        };
        let missed = padding || self.found.members.iter().any(beyond);
        missed.then_some(self.found)
    }
}

/// The bytes of `size` that are in none of these ranges.
pub(super) fn complement(mut used: Vec<ByteRange>, size: u64) -> Vec<ByteRange> {
    used.sort_unstable();
    let mut free = Vec::new();
    let mut at = 0;
    for (from, to) in used {
        if from > at {
            free.push((at, from));
        }
        at = at.max(to);
    }
    if at < size {
        free.push((at, size));
    }
    free
}

/// The largest aligned scalars that a range consists of: where each is, and its bytes.
pub(super) fn units((from, to): ByteRange, align: u64) -> Vec<(u64, u64)> {
    let mut at = from;
    let mut units = Vec::new();
    while at < to {
        let aligned = 1 << at.trailing_zeros().min(3);
        let fitting = 1 << (to - at).ilog2();
        let bytes = align.min(aligned).min(fitting);
        units.push((at, bytes));
        at += bytes;
    }
    units
}
