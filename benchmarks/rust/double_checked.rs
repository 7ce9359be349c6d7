// Data behind a flag that is looked at before the lock is taken. In its broken form that look has no order.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso=SAFE rc11,aarch64=UNSAFE

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(not(wmbmc))]
use std::{sync::Mutex, thread};
#[cfg(wmbmc)]
use wmbmc_std::{sync::Mutex, thread};

struct Data(UnsafeCell<u32>);

unsafe impl Sync for Data {}

static DATA: Data = Data(UnsafeCell::new(0));
static MADE: AtomicBool = AtomicBool::new(false);
static MAKING: Mutex<()> = Mutex::new(());

const LOOK: Ordering = if cfg!(broken) {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};

fn data() -> u32 {
    if !MADE.load(LOOK) {
        let _making = MAKING.lock().unwrap();
        if !MADE.load(Ordering::Relaxed) {
            unsafe { *DATA.0.get() = 5 };
            MADE.store(true, Ordering::Release);
        }
    }
    unsafe { *DATA.0.get() }
}

fn main() {
    let other = thread::spawn(data);
    assert_eq!(data(), 5);
    assert_eq!(other.join().unwrap(), 5);
}
