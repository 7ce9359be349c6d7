// A mutex that waits in the system: free, locked, or locked while others may wait. In its broken form it is unlocked
// without an order.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso=SAFE rc11,aarch64=UNSAFE

#[cfg(not(wmbmc))]
use atomic_wait::{wait, wake_one};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::{
    sync::atomic::{wait, wake_one},
    thread,
};

const FREE: u32 = 0;
const LOCKED: u32 = 1;
const AWAITED: u32 = 2;

const UNLOCK: Ordering = if cfg!(broken) {
    Ordering::Relaxed
} else {
    Ordering::Release
};

struct Mutex<T> {
    state: AtomicU32,
    value: UnsafeCell<T>,
}

unsafe impl<T: Send> Sync for Mutex<T> {}

impl<T> Mutex<T> {
    fn with(&self, f: impl FnOnce(&mut T)) {
        let free = self
            .state
            .compare_exchange(FREE, LOCKED, Ordering::Acquire, Ordering::Relaxed);
        if free.is_err() {
            while self.state.swap(AWAITED, Ordering::Acquire) != FREE {
                wait(&self.state, AWAITED);
            }
        }
        f(unsafe { &mut *self.value.get() });
        if self.state.swap(FREE, UNLOCK) == AWAITED {
            wake_one(&self.state);
        }
    }
}

static SUM: Mutex<u32> = Mutex {
    state: AtomicU32::new(FREE),
    value: UnsafeCell::new(0),
};

fn main() {
    thread::scope(|scope| {
        for n in [1, 2] {
            scope.spawn(move || SUM.with(|sum| *sum += n));
        }
    });
    SUM.with(|sum| assert_eq!(*sum, 3));
}
