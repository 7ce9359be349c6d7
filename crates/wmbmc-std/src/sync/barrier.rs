//! Barriers.

use crate::posix::{self, RawBarrier, SERIAL_THREAD};
use core::ptr;

/// As `std::sync::Barrier`, but for `new`, which is no constant: a barrier of POSIX stays where it is made.
pub struct Barrier {
    raw: Box<RawBarrier>,
}

// SAFETY: threads share it by its functions alone.
unsafe impl Send for Barrier {}
// SAFETY: threads share it by its functions alone.
unsafe impl Sync for Barrier {}

/// Whether a thread is the one of all that waited that is told so.
#[derive(Clone, Copy, Debug)]
pub struct BarrierWaitResult(bool);

impl Barrier {
    /// A barrier for so many threads.
    #[inline]
    pub fn new(count: usize) -> Barrier {
        let raw = Box::new(RawBarrier::new());
        let least = if count == 0 { 1 } else { count as u32 };
        // SAFETY: it has not been initialised.
        unsafe { posix::pthread_barrier_init(raw.get(), ptr::null(), least) };
        Barrier { raw }
    }

    /// Waits until all have come.
    #[inline]
    pub fn wait(&self) -> BarrierWaitResult {
        // SAFETY: it is a barrier.
        let result = unsafe { posix::pthread_barrier_wait(self.raw.get()) };
        BarrierWaitResult(result == SERIAL_THREAD)
    }
}

impl Drop for Barrier {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: no thread waits, as there are no references.
        unsafe { posix::pthread_barrier_destroy(self.raw.get()) };
    }
}

impl BarrierWaitResult {
    /// Whether this thread is the one.
    #[inline]
    pub fn is_leader(&self) -> bool {
        self.0
    }
}
