//! Values that may be any, and executions that are left out.

use crate::posix;

/// A type of which any value can be taken.
pub trait Nondet {
    /// Any value.
    fn nondet() -> Self;
}

macro_rules! integers {
    ($($ty:ty: $function:ident),* $(,)?) => {
        $(impl Nondet for $ty {
            #[inline]
            fn nondet() -> $ty {
                // SAFETY: it has no precondition.
                unsafe { posix::$function() }
            }
        })*
    };
}

integers! {
    i8: __VERIFIER_nondet_char,
    u8: __VERIFIER_nondet_uchar,
    i16: __VERIFIER_nondet_short,
    u16: __VERIFIER_nondet_ushort,
    i32: __VERIFIER_nondet_int,
    u32: __VERIFIER_nondet_uint,
    i64: __VERIFIER_nondet_long,
    u64: __VERIFIER_nondet_ulong,
}

impl Nondet for usize {
    #[inline]
    fn nondet() -> usize {
        u64::nondet() as usize
    }
}

impl Nondet for isize {
    #[inline]
    fn nondet() -> isize {
        i64::nondet() as isize
    }
}

impl Nondet for bool {
    #[inline]
    fn nondet() -> bool {
        u8::nondet() & 1 != 0
    }
}

impl<T: Nondet> Nondet for Option<T> {
    #[inline]
    fn nondet() -> Option<T> {
        bool::nondet().then(T::nondet)
    }
}

/// Any value of a type.
#[inline]
pub fn nondet<T: Nondet>() -> T {
    T::nondet()
}

/// Any number below another one.
#[inline]
pub fn nondet_below(end: usize) -> usize {
    let value = usize::nondet();
    assume(value < end);
    value
}

/// Leaves out the executions in which a condition does not hold here.
#[inline]
pub fn assume(condition: bool) {
    // SAFETY: it has no precondition.
    unsafe { posix::__VERIFIER_assume(condition as i32) }
}
