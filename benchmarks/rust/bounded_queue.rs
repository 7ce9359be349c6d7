// A queue of one place behind a mutex, with two consumers that wait for an item. The broken form looks once whether
// there is one.
//
// run:
// expect: sc,tso,rc11,aarch64=HOLDS
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
    changed: Condvar,
}

static QUEUE: Queue = Queue {
    item: Mutex::new(None),
    changed: Condvar::new(),
};

impl Queue {
    fn put(&self, item: u32) {
        let mut place = self.item.lock().unwrap();
        while place.is_some() {
            place = self.changed.wait(place).unwrap();
        }
        *place = Some(item);
        self.changed.notify_all();
    }

    fn take(&self) -> u32 {
        let mut place = self.item.lock().unwrap();
        if cfg!(broken) {
            if place.is_none() {
                place = self.changed.wait(place).unwrap();
            }
        } else {
            while place.is_none() {
                place = self.changed.wait(place).unwrap();
            }
        }
        let item = place.take().unwrap();
        self.changed.notify_all();
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
