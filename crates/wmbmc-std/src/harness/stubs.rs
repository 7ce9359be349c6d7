//! What programs of tests are linked with, as they are run for the list of their tests: what wmbmc gives a meaning to.

#![no_std]

#[unsafe(no_mangle)]
extern "C" fn wmbmc_chosen_test() -> usize {
    usize::MAX
}

/// Functions that no list of tests calls.
macro_rules! unreached {
    ($($name:ident)*) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $name() {
                loop {}
            }
        )*
    };
}

unreached! {
    __wmbmc_park
    __wmbmc_unpark
    __VERIFIER_nondet_char
    __VERIFIER_nondet_uchar
    __VERIFIER_nondet_short
    __VERIFIER_nondet_ushort
    __VERIFIER_nondet_int
    __VERIFIER_nondet_uint
    __VERIFIER_nondet_long
    __VERIFIER_nondet_ulong
    __VERIFIER_assume
}
