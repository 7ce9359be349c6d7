//! As `std::sync::atomic`, and what threads wait for each other with below locks: the functions of the crate
//! `atomic-wait`.

use crate::posix;
use core::ptr;

pub use core::sync::atomic::*;

/// The number of Linux's system call on x86-64, which is how wmbmc knows it.
const FUTEX: i64 = 202;
/// Waits, in one process.
const WAIT: i32 = 128;
/// Wakes, in one process.
const WAKE: i32 = 129;

/// Waits to be woken while the atomic has this value, or for no reason. It orders nothing.
#[inline]
pub fn wait(atomic: &AtomicU32, value: u32) {
    let none: *const i64 = ptr::null();
    // SAFETY: the address is that of an atomic.
    unsafe { posix::syscall(FUTEX, atomic.as_ptr(), WAIT, value as i32, none) };
}

/// Wakes one thread that waits for the atomic, if there is one.
#[inline]
#[allow(clippy::not_unsafe_ptr_arg_deref)]
pub fn wake_one(atomic: *const AtomicU32) {
    // SAFETY: nothing is read there.
    unsafe { posix::syscall(FUTEX, atomic, WAKE, 1, ptr::null::<i64>()) };
}

/// Wakes all threads that wait for the atomic.
#[inline]
#[allow(clippy::not_unsafe_ptr_arg_deref)]
pub fn wake_all(atomic: *const AtomicU32) {
    // SAFETY: nothing is read there.
    unsafe { posix::syscall(FUTEX, atomic, WAKE, i32::MAX, ptr::null::<i64>()) };
}
