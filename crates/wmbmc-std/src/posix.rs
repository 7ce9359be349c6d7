//! What the crate calls: functions of POSIX, with objects as large as those of the GNU C library on 64 bits, and
//! those of verification.

#![allow(missing_docs)]

use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int, c_long, c_short, c_uchar, c_uint, c_ulong, c_ushort, c_void};

/// Identifies a thread.
#[allow(non_camel_case_types)]
pub(crate) type pthread_t = c_ulong;

/// An object of so many words, all of them zero at first, which is its initial state.
#[repr(C)]
pub(crate) struct Words<const N: usize>(UnsafeCell<[u64; N]>);

impl<const N: usize> Words<N> {
    #[inline]
    pub(crate) const fn new() -> Self {
        Words(UnsafeCell::new([0; N]))
    }

    #[inline]
    pub(crate) fn get(&self) -> *mut Self {
        self.0.get().cast()
    }
}

/// `pthread_mutex_t`
pub(crate) type RawMutex = Words<5>;
/// `pthread_cond_t`
pub(crate) type RawCondition = Words<6>;
/// `pthread_rwlock_t`
pub(crate) type RawRwLock = Words<7>;
/// `pthread_barrier_t`
pub(crate) type RawBarrier = Words<4>;

/// What `pthread_barrier_wait` returns to one of the threads.
pub(crate) const SERIAL_THREAD: c_int = -1;

/// What a thread begins with.
pub(crate) type Routine = extern "C" fn(*mut c_void) -> *mut c_void;

unsafe extern "C" {
    pub(crate) fn pthread_create(
        thread: *mut pthread_t,
        attributes: *const c_void,
        routine: Routine,
        argument: *mut c_void,
    ) -> c_int;
    pub(crate) fn pthread_join(thread: pthread_t, result: *mut *mut c_void) -> c_int;
    pub(crate) fn pthread_detach(thread: pthread_t) -> c_int;
    pub(crate) safe fn pthread_self() -> pthread_t;
    pub(crate) safe fn sched_yield() -> c_int;
    pub(crate) safe fn __wmbmc_park();
    pub(crate) safe fn __wmbmc_unpark(thread: pthread_t);

    pub(crate) fn syscall(number: c_long, ...) -> c_long;

    pub(crate) fn pthread_mutex_lock(mutex: *mut RawMutex) -> c_int;
    pub(crate) fn pthread_mutex_trylock(mutex: *mut RawMutex) -> c_int;
    pub(crate) fn pthread_mutex_unlock(mutex: *mut RawMutex) -> c_int;

    pub(crate) fn pthread_cond_wait(condition: *mut RawCondition, mutex: *mut RawMutex) -> c_int;
    pub(crate) fn pthread_cond_signal(condition: *mut RawCondition) -> c_int;
    pub(crate) fn pthread_cond_broadcast(condition: *mut RawCondition) -> c_int;

    pub(crate) fn pthread_rwlock_rdlock(lock: *mut RawRwLock) -> c_int;
    pub(crate) fn pthread_rwlock_tryrdlock(lock: *mut RawRwLock) -> c_int;
    pub(crate) fn pthread_rwlock_wrlock(lock: *mut RawRwLock) -> c_int;
    pub(crate) fn pthread_rwlock_trywrlock(lock: *mut RawRwLock) -> c_int;
    pub(crate) fn pthread_rwlock_unlock(lock: *mut RawRwLock) -> c_int;

    pub(crate) fn pthread_barrier_init(
        barrier: *mut RawBarrier,
        attributes: *const c_void,
        count: c_uint,
    ) -> c_int;
    pub(crate) fn pthread_barrier_wait(barrier: *mut RawBarrier) -> c_int;
    pub(crate) fn pthread_barrier_destroy(barrier: *mut RawBarrier) -> c_int;

    pub(crate) fn __VERIFIER_nondet_char() -> c_char;
    pub(crate) fn __VERIFIER_nondet_uchar() -> c_uchar;
    pub(crate) fn __VERIFIER_nondet_short() -> c_short;
    pub(crate) fn __VERIFIER_nondet_ushort() -> c_ushort;
    pub(crate) fn __VERIFIER_nondet_int() -> c_int;
    pub(crate) fn __VERIFIER_nondet_uint() -> c_uint;
    pub(crate) fn __VERIFIER_nondet_long() -> c_long;
    pub(crate) fn __VERIFIER_nondet_ulong() -> c_ulong;
    pub(crate) fn __VERIFIER_assume(condition: c_int);
}
