//! Numbers that functions of the thread library return or set, as Linux and glibc have them, and states of
//! its objects that several families know.

use ir::program::Expr;

/// `EPERM`
pub const NOT_PERMITTED: i64 = 1;
/// `EINTR`
pub const INTERRUPTED: i64 = 4;
/// `EAGAIN`
pub const AGAIN: i64 = 11;
/// `EBUSY`
pub const BUSY: i64 = 16;
/// `EINVAL`
pub const INVALID: i64 = 22;
/// `EDEADLK`
pub const DEADLOCK: i64 = 35;
/// `EOPNOTSUPP`
pub const NOT_SUPPORTED: i64 = 95;
/// `ETIMEDOUT`
pub const TIMED_OUT: i64 = 110;
/// `EOWNERDEAD`
pub const OWNER_DEAD: i64 = 130;
/// `ENOTRECOVERABLE`
pub const NOT_RECOVERABLE: i64 = 131;

/// `thrd_busy`
pub const THRD_BUSY: i64 = 1;
/// `thrd_error`
pub const THRD_ERROR: i64 = 2;
/// `thrd_timedout`
pub const THRD_TIMED_OUT: i64 = 4;

/// State of a destroyed object; no semaphore counts as far.
pub const DESTROYED: u64 = 0x8000_0000;
/// State of a robust mutex that nobody made consistent when its holder had ended.
pub const LOST: u64 = 0x2000_0000;

/// A number of 32 bits.
pub fn word(value: u64) -> Expr {
    Expr::constant(value, 32)
}
