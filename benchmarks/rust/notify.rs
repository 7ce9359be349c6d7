// A sign that one thread gives to another one, made of a flag and a condition variable. In its broken form the flag is
// set outside of the lock: the sign may fall between the look at the flag and the wait.
//
// run: --check assert,deadlock
// expect: sc,tso,rc11,aarch64=BOUND
//
// run: --compiler-flags=--cfg=broken --check assert,deadlock
// expect: sc,tso,rc11,aarch64=UNSAFE

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
#[cfg(not(wmbmc))]
use std::{
    sync::{Condvar, Mutex},
    thread,
};
#[cfg(wmbmc)]
use wmbmc_std::{
    sync::{Condvar, Mutex},
    thread,
};

struct Notify {
    given: AtomicBool,
    lock: Mutex<()>,
    condition: Condvar,
}

impl Notify {
    fn notify(&self) {
        if cfg!(broken) {
            self.given.store(true, Ordering::Release);
        } else {
            let _guard = self.lock.lock().unwrap();
            self.given.store(true, Ordering::Release);
        }
        self.condition.notify_one();
    }

    fn wait(&self) {
        let mut guard = self.lock.lock().unwrap();
        while !self.given.swap(false, Ordering::Acquire) {
            guard = self.condition.wait(guard).unwrap();
        }
    }
}

static NOTIFY: Notify = Notify {
    given: AtomicBool::new(false),
    lock: Mutex::new(()),
    condition: Condvar::new(),
};
static DATA: AtomicU32 = AtomicU32::new(0);

fn main() {
    let other = thread::spawn(|| {
        DATA.store(8, Ordering::Relaxed);
        NOTIFY.notify();
    });
    NOTIFY.wait();
    assert_eq!(DATA.load(Ordering::Relaxed), 8);
    other.join().unwrap();
}
