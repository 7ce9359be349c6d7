// A ring of two places for one producer and one consumer. Its broken form publishes an item without an order.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso=SAFE rc11,aarch64=UNSAFE

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

const PLACES: usize = 2;
const PUBLISH: Ordering = if cfg!(broken) {
    Ordering::Relaxed
} else {
    Ordering::Release
};

struct Ring {
    places: [UnsafeCell<u32>; PLACES],
    written: AtomicUsize,
    read: AtomicUsize,
}

unsafe impl Sync for Ring {}

impl Ring {
    fn push(&self, item: u32) -> bool {
        let written = self.written.load(Ordering::Relaxed);
        if written - self.read.load(Ordering::Acquire) == PLACES {
            return false;
        }
        unsafe { *self.places[written % PLACES].get() = item };
        self.written.store(written + 1, PUBLISH);
        true
    }

    fn pop(&self) -> Option<u32> {
        let read = self.read.load(Ordering::Relaxed);
        if self.written.load(Ordering::Acquire) == read {
            return None;
        }
        let item = unsafe { *self.places[read % PLACES].get() };
        self.read.store(read + 1, Ordering::Release);
        Some(item)
    }
}

fn main() {
    let ring = Arc::new(Ring {
        places: [UnsafeCell::new(0), UnsafeCell::new(0)],
        written: AtomicUsize::new(0),
        read: AtomicUsize::new(0),
    });
    let producer = ring.clone();
    let producer = thread::spawn(move || {
        for item in 1..=3 {
            producer.push(item);
        }
    });
    let mut last = 0;
    for _ in 0..3 {
        if let Some(item) = ring.pop() {
            assert!(item == last + 1);
            last = item;
        }
    }
    producer.join().unwrap();
}
