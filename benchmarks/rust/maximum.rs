// The largest of some numbers, by compare-exchange. The broken form looks, and then stores.
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

static MAXIMUM: AtomicU32 = AtomicU32::new(0);

fn raise(number: u32) {
    let mut maximum = MAXIMUM.load(Ordering::Relaxed);
    while maximum < number {
        if cfg!(broken) {
            MAXIMUM.store(number, Ordering::Relaxed);
            return;
        }
        match MAXIMUM.compare_exchange_weak(maximum, number, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return,
            Err(other) => maximum = other,
        }
    }
}

fn main() {
    let threads = [3, 5].map(|number| thread::spawn(move || raise(number)));
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(MAXIMUM.load(Ordering::Relaxed), 5);
}
