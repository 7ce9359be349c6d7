// A queue of one place behind a mutex, with two consumers that wait for an item. The broken form looks once whether
// there is one.
//
// run: --unwind 2
// expect: sc,tso,rc11,aarch64=BOUND
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso,rc11,aarch64=UNSAFE

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

struct Queue {
    item: Mutex<Option<u32>>,
    filled: Condvar,
    emptied: Condvar,
}

static QUEUE: Queue = Queue {
    item: Mutex::new(None),
    filled: Condvar::new(),
    emptied: Condvar::new(),
};

impl Queue {
    fn put(&self, item: u32) {
        let mut place = self.item.lock().unwrap();
        while place.is_some() {
            place = self.emptied.wait(place).unwrap();
        }
        *place = Some(item);
        self.filled.notify_one();
    }

    fn take(&self) -> u32 {
        let mut place = self.item.lock().unwrap();
        if cfg!(broken) {
            if place.is_none() {
                place = self.filled.wait(place).unwrap();
            }
        } else {
            while place.is_none() {
                place = self.filled.wait(place).unwrap();
            }
        }
        let item = place.take().unwrap();
        self.emptied.notify_one();
        item
    }
}

fn main() {
    let consumer = thread::spawn(|| QUEUE.take());
    let producer = thread::spawn(|| {
        QUEUE.put(1);
        QUEUE.put(2);
    });
    let sum = QUEUE.take() + consumer.join().unwrap();
    producer.join().unwrap();
    assert_eq!(sum, 3);
}
