// A counted reference: the last one frees the object. In its broken form what other references have done is not
// ordered before.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso=SAFE rc11,aarch64=UNSAFE

use std::cell::UnsafeCell;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{fence, AtomicUsize, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

struct Counted<T> {
    count: AtomicUsize,
    value: T,
}

struct Shared<T>(NonNull<Counted<T>>);

unsafe impl<T: Send + Sync> Send for Shared<T> {}

impl<T> Shared<T> {
    fn new(value: T) -> Self {
        let count = AtomicUsize::new(1);
        Shared(NonNull::from(Box::leak(Box::new(Counted { count, value }))))
    }

    fn counted(&self) -> &Counted<T> {
        unsafe { self.0.as_ref() }
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.counted().value
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        self.counted().count.fetch_add(1, Ordering::Relaxed);
        Shared(self.0)
    }
}

const DROP: Ordering = if cfg!(broken) {
    Ordering::Relaxed
} else {
    Ordering::Release
};

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        if self.counted().count.fetch_sub(1, DROP) == 1 {
            fence(Ordering::Acquire);
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
    }
}

/// Written by one thread, before it drops its reference.
struct Slot(UnsafeCell<u32>);

unsafe impl Sync for Slot {}

impl Drop for Slot {
    fn drop(&mut self) {
        let written = *self.0.get_mut();
        assert_eq!(written, 1);
    }
}

fn main() {
    let first = Shared::new(Slot(UnsafeCell::new(0)));
    let second = first.clone();
    let other = thread::spawn(move || unsafe { *(*second).0.get() = 1 });
    drop(first);
    other.join().unwrap();
}
