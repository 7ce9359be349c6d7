// A place that two threads put a box into: who finds one there frees it. In the broken form the box that was there is
// left behind.
//
// run: --check memory,leak
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken --check memory,leak
// expect: sc,tso,rc11,aarch64=UNSAFE

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

static PLACE: AtomicPtr<u32> = AtomicPtr::new(ptr::null_mut());

fn put(value: u32) {
    let before = PLACE.swap(Box::into_raw(Box::new(value)), Ordering::AcqRel);
    if !cfg!(broken) && !before.is_null() {
        drop(unsafe { Box::from_raw(before) });
    }
}

fn main() {
    let other = thread::spawn(|| put(1));
    put(2);
    other.join().unwrap();
    let last = PLACE.swap(ptr::null_mut(), Ordering::Acquire);
    drop(unsafe { Box::from_raw(last) });
}
