// A value that is made once, whichever thread needs it first. The broken form counts on being that thread.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso,rc11,aarch64=UNSAFE

use std::sync::atomic::{AtomicU32, Ordering};
#[cfg(not(wmbmc))]
use std::{sync::OnceLock, thread};
#[cfg(wmbmc)]
use wmbmc_std::{sync::OnceLock, thread};

static MADE: AtomicU32 = AtomicU32::new(0);
static VALUE: OnceLock<u32> = OnceLock::new();

fn value(own: u32) -> u32 {
    *VALUE.get_or_init(|| {
        MADE.fetch_add(1, Ordering::Relaxed);
        own
    })
}

fn main() {
    let other = thread::spawn(|| value(1));
    let own = value(2);
    let other = other.join().unwrap();
    assert_eq!(MADE.load(Ordering::Relaxed), 1);
    if cfg!(broken) {
        assert_eq!(own, 2);
    } else {
        assert_eq!(own, other);
    }
}
