// Two threads that each say that they are there, and look for the other one: one of them sees it. Relaxed
// accesses may all read what was there at first.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc=SAFE tso,rc11,aarch64=UNSAFE

use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

static LEFT: AtomicBool = AtomicBool::new(false);
static RIGHT: AtomicBool = AtomicBool::new(false);

const ORDER: Ordering = if cfg!(broken) {
    Ordering::Relaxed
} else {
    Ordering::SeqCst
};

fn come(own: &AtomicBool, other: &AtomicBool) -> bool {
    own.store(true, ORDER);
    other.load(ORDER)
}

fn main() {
    let left = thread::spawn(|| come(&LEFT, &RIGHT));
    let right = come(&RIGHT, &LEFT);
    let left = left.join().unwrap();
    assert!(left || right);
}
