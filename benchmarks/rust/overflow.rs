// An account of one byte, from which two threads take. Each looks at it and takes in one step; in the broken form in
// two, so that it may become less than nothing: a panic.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso,rc11,aarch64=UNSAFE

#[cfg(not(wmbmc))]
use std::{sync::Mutex, thread};
#[cfg(wmbmc)]
use wmbmc_std::{sync::Mutex, thread};

static ACCOUNT: Mutex<u8> = Mutex::new(5);

fn take(amount: u8) {
    if cfg!(broken) {
        let enough = *ACCOUNT.lock().unwrap() >= amount;
        if enough {
            *ACCOUNT.lock().unwrap() -= amount;
        }
        return;
    }
    let mut account = ACCOUNT.lock().unwrap();
    if *account >= amount {
        *account -= amount;
    }
}

fn main() {
    let other = thread::spawn(|| take(4));
    take(3);
    other.join().unwrap();
}
