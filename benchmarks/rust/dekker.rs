// Dekker's mutual exclusion, each thread with one attempt. Its broken form has release and acquire in place of
// sequential consistency, which is enough on Arm.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,aarch64=SAFE tso,rc11=UNSAFE

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

static WANTS: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];
static INSIDE: AtomicU32 = AtomicU32::new(0);

const STORE: Ordering = if cfg!(broken) {
    Ordering::Release
} else {
    Ordering::SeqCst
};
const LOAD: Ordering = if cfg!(broken) {
    Ordering::Acquire
} else {
    Ordering::SeqCst
};

fn attempt(me: usize) {
    WANTS[me].store(true, STORE);
    if !WANTS[1 - me].load(LOAD) {
        assert_eq!(INSIDE.swap(1, Ordering::Relaxed), 0);
        INSIDE.store(0, Ordering::Release);
    }
    WANTS[me].store(false, STORE);
}

fn main() {
    let other = thread::spawn(|| attempt(1));
    attempt(0);
    other.join().unwrap();
}
