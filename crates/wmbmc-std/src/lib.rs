//! Threads and locks with the interface of `std::thread` and `std::sync`, on POSIX's functions: a program that uses
//! them is a module that wmbmc reads without the standard library's own threads.
//!
//! ```ignore
//! #[cfg(wmbmc)]
//! use wmbmc_std::{sync::Mutex, thread};
//! #[cfg(not(wmbmc))]
//! use std::{sync::Mutex, thread};
//! ```
//!
//! Everything is generic or `#[inline]`, and there are no statics, so that a program's own module has all that it calls.

mod any;
mod posix;
#[cfg(feature = "sources")]
pub mod sources;
pub mod sync;
pub mod thread;

pub use any::{Nondet, assume, nondet, nondet_below};

/// As `std::hint`.
pub mod hint {
    pub use core::hint::{black_box, spin_loop, unreachable_unchecked};
}

/// As `std::cell`.
pub mod cell {
    pub use core::cell::{Cell, RefCell, UnsafeCell};
}
