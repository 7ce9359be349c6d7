//! Pending reads, and sets of the timestamps at which they happen.

use super::literals::Base;

/// A pending read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PendingRead {
    /// Its timestamp: all pending reads of one step share it.
    pub timestamp: u8,
    /// Who.
    pub by: u8,
    /// Of which weak cell.
    pub cell: Base,
}

/// A set of pending timestamps.
pub type Timestamps = u64;

/// More pending reads than these are not looked at.
pub const MAX_READS: usize = 60;

/// More processes than these are not looked at: a set of them is the bits of one word.
pub const MAX_PROCS: u8 = 32;

/// Reads and unknown values are numbered below this while a pre-image is computed.
pub const MAX_NUMBERED: usize = 256;

/// More pending timestamps than a word has bits are not looked at.
pub const MAX_TIMESTAMPS: u8 = 63;

/// The timestamps of a set.
pub fn each(timestamps: Timestamps) -> impl Iterator<Item = usize> {
    let mut rest = timestamps;
    std::iter::from_fn(move || {
        let next = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(next)
    })
}
