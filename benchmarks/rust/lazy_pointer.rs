// Data that whoever comes first makes: who loses takes what the other one has made. In its broken form a thread
// that finds them has no order with their maker.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso,aarch64=SAFE rc11=UNSAFE

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

static DATA: AtomicPtr<u32> = AtomicPtr::new(ptr::null_mut());

const FIND: Ordering = if cfg!(broken) {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};

fn data() -> &'static u32 {
    let mut found = DATA.load(FIND);
    if found.is_null() {
        let made = Box::into_raw(Box::new(7));
        match DATA.compare_exchange(ptr::null_mut(), made, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => found = made,
            Err(other) => {
                drop(unsafe { Box::from_raw(made) });
                found = other;
            }
        }
    }
    unsafe { &*found }
}

fn main() {
    let other = thread::spawn(|| *data());
    let own = data();
    assert_eq!(*own, 7);
    assert_eq!(other.join().unwrap(), 7);
}
