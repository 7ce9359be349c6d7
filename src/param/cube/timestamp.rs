//! Timestamps: the moments at which pending reads happen, and sets of them.

use super::literals::Base;

/// A pending read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Read {
    /// When.
    pub point: u8,
    /// Who.
    pub by: u8,
    /// Of which weak cell.
    pub cell: Base,
}

/// A set of pending points.
pub type Points = u64;

/// More pending reads than these are not looked at.
pub const MAX_READS: usize = 60;

/// More processes than these are not looked at: a set of them is the bits of one word.
pub const MAX_PROCS: u8 = 32;

/// Reads and unknown values are numbered below this while a pre-image is computed.
pub const MAX_NUMBERED: usize = 256;

/// More pending points than a word has bits are not looked at.
pub const MAX_POINTS: u8 = 63;

/// The points of a set.
pub fn each(points: Points) -> impl Iterator<Item = usize> {
    let mut rest = points;
    std::iter::from_fn(move || {
        let next = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(next)
    })
}
