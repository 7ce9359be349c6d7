// A message: data, and a flag that says that they are there. Without an order of the flag they may be old.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso=SAFE rc11,aarch64=UNSAFE

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

static DATA: AtomicU32 = AtomicU32::new(0);
static READY: AtomicBool = AtomicBool::new(false);

const SEND: Ordering = if cfg!(broken) {
    Ordering::Relaxed
} else {
    Ordering::Release
};
const RECEIVE: Ordering = if cfg!(broken) {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};

fn main() {
    let sender = thread::spawn(|| {
        DATA.store(42, Ordering::Relaxed);
        READY.store(true, SEND);
    });
    if READY.load(RECEIVE) {
        assert_eq!(DATA.load(Ordering::Relaxed), 42);
    }
    sender.join().unwrap();
}
