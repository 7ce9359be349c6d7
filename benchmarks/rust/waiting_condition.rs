// A condition variable of one counter: who waits notes the number before the mutex is unlocked, and sleeps until it is
// another one. In its broken form a thread trusts that it has been woken for a reason.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso,rc11,aarch64=UNSAFE

#[cfg(not(wmbmc))]
use atomic_wait::{wait, wake_one};
use std::sync::atomic::{AtomicU32, Ordering};
#[cfg(not(wmbmc))]
use std::{
    sync::{Mutex, MutexGuard},
    thread,
};
#[cfg(wmbmc)]
use wmbmc_std::{
    sync::{
        atomic::{wait, wake_one},
        Mutex, MutexGuard,
    },
    thread,
};

struct Condition {
    counter: AtomicU32,
}

impl Condition {
    fn notify_one(&self) {
        self.counter.fetch_add(1, Ordering::Relaxed);
        wake_one(&self.counter);
    }

    fn wait<'m>(&self, mutex: &'m Mutex<u32>, guard: MutexGuard<'m, u32>) -> MutexGuard<'m, u32> {
        let counter = self.counter.load(Ordering::Relaxed);
        drop(guard);
        wait(&self.counter, counter);
        mutex.lock().unwrap()
    }
}

static ITEM: Mutex<u32> = Mutex::new(0);
static THERE: Condition = Condition {
    counter: AtomicU32::new(0),
};

fn main() {
    let producer = thread::spawn(|| {
        *ITEM.lock().unwrap() = 5;
        THERE.notify_one();
    });
    let mut item = ITEM.lock().unwrap();
    if cfg!(broken) {
        if *item == 0 {
            item = THERE.wait(&ITEM, item);
        }
    } else {
        while *item == 0 {
            item = THERE.wait(&ITEM, item);
        }
    }
    assert_eq!(*item, 5);
    drop(item);
    producer.join().unwrap();
}
