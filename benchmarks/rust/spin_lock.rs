// A lock that is taken by an exchange, around data that are not atomic. Its broken form has no orders.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso=SAFE rc11,aarch64=UNSAFE

use std::cell::UnsafeCell;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

struct SpinLock<T> {
    locked: AtomicBool,
    value: UnsafeCell<T>,
}

const ACQUIRE: Ordering = if cfg!(broken) {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
const RELEASE: Ordering = if cfg!(broken) {
    Ordering::Relaxed
} else {
    Ordering::Release
};

impl<T> SpinLock<T> {
    const fn new(value: T) -> Self {
        SpinLock {
            locked: AtomicBool::new(false),
            value: UnsafeCell::new(value),
        }
    }

    fn lock(&self) {
        while self.locked.swap(true, ACQUIRE) {
            spin_loop();
        }
    }

    fn unlock(&self) {
        self.locked.store(false, RELEASE);
    }
}

impl<T> SpinLock<T> {
    fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        self.lock();
        // The lock is this thread's.
        let result = f(unsafe { &mut *self.value.get() });
        self.unlock();
        result
    }
}

unsafe impl<T: Send> Sync for SpinLock<T> {}

static COUNTER: SpinLock<u32> = SpinLock::new(0);

fn main() {
    let threads = [(); 2].map(|()| thread::spawn(|| COUNTER.with(|n| *n += 1)));
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(COUNTER.with(|n| *n), 2);
}
