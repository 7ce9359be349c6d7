// Counted references with weak ones, which do not keep the value alive: a second count says when the memory can go.
// In its broken form a weak reference becomes a strong one without a look at whether the value is there.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso,rc11,aarch64=UNSAFE

use std::cell::UnsafeCell;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::atomic::{fence, AtomicUsize, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

struct Counted<T> {
    strong: AtomicUsize,
    // The weak references, and one for all strong ones.
    all: AtomicUsize,
    value: UnsafeCell<ManuallyDrop<T>>,
}

struct Weak<T>(NonNull<Counted<T>>);
struct Strong<T>(Weak<T>);

unsafe impl<T: Send + Sync> Send for Weak<T> {}
unsafe impl<T: Send + Sync> Send for Strong<T> {}

impl<T> Weak<T> {
    fn counted(&self) -> &Counted<T> {
        unsafe { self.0.as_ref() }
    }

    fn upgrade(&self) -> Option<Strong<T>> {
        let strong = &self.counted().strong;
        if cfg!(broken) {
            strong.fetch_add(1, Ordering::Relaxed);
            return Some(Strong(self.clone()));
        }
        let mut count = strong.load(Ordering::Relaxed);
        while count != 0 {
            match strong.compare_exchange(count, count + 1, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(Strong(self.clone())),
                Err(other) => count = other,
            }
        }
        None
    }
}

impl<T> Clone for Weak<T> {
    fn clone(&self) -> Self {
        self.counted().all.fetch_add(1, Ordering::Relaxed);
        Weak(self.0)
    }
}

impl<T> Drop for Weak<T> {
    fn drop(&mut self) {
        if self.counted().all.fetch_sub(1, Ordering::Release) == 1 {
            fence(Ordering::Acquire);
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
    }
}

impl<T> Strong<T> {
    fn new(value: T) -> Self {
        let counted = Counted {
            strong: AtomicUsize::new(1),
            all: AtomicUsize::new(1),
            value: UnsafeCell::new(ManuallyDrop::new(value)),
        };
        Strong(Weak(NonNull::from(Box::leak(Box::new(counted)))))
    }

    fn value(&self) -> &T {
        unsafe { &*self.0.counted().value.get() }
    }
}

impl<T> Drop for Strong<T> {
    fn drop(&mut self) {
        let counted = self.0.counted();
        if counted.strong.fetch_sub(1, Ordering::Release) == 1 {
            fence(Ordering::Acquire);
            unsafe { ManuallyDrop::drop(&mut *counted.value.get()) };
        }
    }
}

fn main() {
    let strong = Strong::new(Box::new(7));
    let weak = strong.0.clone();
    let other = thread::spawn(move || {
        if let Some(strong) = weak.upgrade() {
            assert_eq!(**strong.value(), 7);
        }
    });
    drop(strong);
    other.join().unwrap();
}
