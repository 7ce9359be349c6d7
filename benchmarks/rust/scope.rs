// Threads of a scope that borrow: each adds its half of an array to a sum. The broken form adds in two steps.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso,rc11,aarch64=UNSAFE

use std::sync::atomic::{AtomicU32, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

fn add(sum: &AtomicU32, part: &[u32]) {
    let part = part[0] + part[1];
    if cfg!(broken) {
        let before = sum.load(Ordering::Relaxed);
        sum.store(before + part, Ordering::Relaxed);
    } else {
        sum.fetch_add(part, Ordering::Relaxed);
    }
}

fn main() {
    let numbers = [1, 2, 3, 4];
    let sum = AtomicU32::new(0);
    thread::scope(|s| {
        s.spawn(|| add(&sum, &numbers[..2]));
        s.spawn(|| add(&sum, &numbers[2..]));
    });
    assert_eq!(sum.into_inner(), 10);
}
