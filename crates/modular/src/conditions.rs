//! The conditions under which a program is safe however many threads it starts and however often its loops run, as
//! one program without loops and without threads: it is safe if and only if all of them hold.
//!
//! It begins as main does. Where a thread is created, it goes on with any of the two. Where a loop begins, it goes on
//! with any iteration: registers and cells that the loop changes become arbitrary, but for the invariants of the
//! loop, which are asserted in front of the loop and where an iteration ends (Floyd 1967). What other threads do is
//! seen where a cell becomes stable ([`super::cells`]): it becomes arbitrary, but for the invariants of the cell and
//! of the lock that guards it, which are asserted where a thread writes the cell, or gives the lock back, or starts
//! to have company (Owicki and Gries, Verifying properties of parallel programs, CACM 1976).
//!
//! That invariants hold where they are assumed is shown by induction over an execution in an order in which a read
//! comes behind the write that it reads from, and a critical section behind the one before.

mod build;
mod obligations;
mod steps;

pub use obligations::{Invariants, Obligations, ProofQuestion};
