// Two mutexes that threads lock in one order. The broken form locks them in two: a deadlock.
//
// run: --check deadlock
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken --check deadlock
// expect: sc,tso,rc11,aarch64=UNSAFE

#[cfg(not(wmbmc))]
use std::{sync::Mutex, thread};
#[cfg(wmbmc)]
use wmbmc_std::{sync::Mutex, thread};

static FROM: Mutex<u32> = Mutex::new(1);
static TO: Mutex<u32> = Mutex::new(0);

fn transfer() {
    let mut from = FROM.lock().unwrap();
    let mut to = TO.lock().unwrap();
    *to += *from;
    *from = 0;
}

fn sum() -> u32 {
    if cfg!(broken) {
        let to = TO.lock().unwrap();
        let from = FROM.lock().unwrap();
        return *from + *to;
    }
    let from = FROM.lock().unwrap();
    let to = TO.lock().unwrap();
    *from + *to
}

fn main() {
    let other = thread::spawn(transfer);
    assert_eq!(sum(), 1);
    other.join().unwrap();
}
