// A counter that three threads increment. The broken form loads and stores.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso,rc11,aarch64=UNSAFE

use std::sync::atomic::{AtomicUsize, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

static COUNTER: AtomicUsize = AtomicUsize::new(0);

fn increment() {
    if cfg!(broken) {
        let count = COUNTER.load(Ordering::SeqCst);
        COUNTER.store(count + 1, Ordering::SeqCst);
    } else {
        COUNTER.fetch_add(1, Ordering::Relaxed);
    }
}

fn main() {
    let threads: Vec<_> = (0..3).map(|_| thread::spawn(increment)).collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(COUNTER.load(Ordering::Relaxed), 3);
}
