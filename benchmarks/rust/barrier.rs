// Threads that write a part each, and read all parts behind a barrier. The broken form does not wait.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso,rc11,aarch64=UNSAFE

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;
#[cfg(not(wmbmc))]
use std::{sync::Barrier, thread};
#[cfg(wmbmc)]
use wmbmc_std::{sync::Barrier, thread};

static PARTS: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];

fn work(me: usize, barrier: &Barrier) -> u32 {
    PARTS[me].store(1, Ordering::Relaxed);
    if !cfg!(broken) {
        barrier.wait();
    }
    PARTS.iter().map(|part| part.load(Ordering::Relaxed)).sum()
}

fn main() {
    let barrier = Arc::new(Barrier::new(2));
    let other = barrier.clone();
    let other = thread::spawn(move || work(1, &other));
    assert_eq!(work(0, &barrier), 2);
    assert_eq!(other.join().unwrap(), 2);
}
