// A worker that runs until it is stopped, and says how much it has done. In its broken form that number may be an old
// one, as the last word has no order.
//
// run: --unwind 3
// expect: sc,tso,rc11,aarch64=BOUND
//
// run: --unwind 3 --compiler-flags=--cfg=broken
// expect: sc,tso=BOUND rc11,aarch64=UNSAFE

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

static STOP: AtomicBool = AtomicBool::new(false);
static DONE: AtomicU32 = AtomicU32::new(0);
static STOPPED: AtomicBool = AtomicBool::new(false);

const LAST: Ordering = if cfg!(broken) {
    Ordering::Relaxed
} else {
    Ordering::Release
};

fn main() {
    let worker = thread::spawn(|| {
        let mut done = 0;
        while !STOP.load(Ordering::Relaxed) {
            done += 1;
        }
        DONE.store(done + 1, Ordering::Relaxed);
        STOPPED.store(true, LAST);
    });
    STOP.store(true, Ordering::Relaxed);
    if STOPPED.load(Ordering::Acquire) {
        assert!(DONE.load(Ordering::Relaxed) > 0);
    }
    worker.join().unwrap();
}
