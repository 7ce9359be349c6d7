//! Uses of the thread library that are right or wrong without regard to memory.
//!
//! What one thread does with an object it remembers for itself ([`Op::SetNote`]): which locks it
//! holds. What all threads together may do only once is claimed ([`Op::Claim`]): to join a thread,
//! to initialise an object.
//!
//! [`Op::SetNote`]: super::program::Op::SetNote
//! [`Op::Claim`]: super::program::Op::Claim

use super::operator::Width;

/// Bits of what a thread remembers.
pub const NOTE_WIDTH: Width = 32;

/// The property of a handle to be that of a thread.
pub const NO_THREAD: &str = "the identifier is that of a thread";

/// What a key that is claimed is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claimed {
    /// The address of an object.
    Object,
    /// The handle of a thread that there has to be.
    Thread,
    /// The same, in a thread that waits for it: for itself it is deadlocked, which is no claim.
    Awaited,
}
