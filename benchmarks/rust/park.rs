// A thread that parks until there is an item. In the broken form the item is put down behind the call that lets it go on,
// and nothing wakes it again.
//
// run: --check deadlock
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken --check deadlock
// expect: sc,tso,rc11,aarch64=UNSAFE

use std::sync::atomic::{AtomicU32, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

static ITEM: AtomicU32 = AtomicU32::new(0);

fn main() {
    let consumer = thread::spawn(|| {
        while ITEM.load(Ordering::Acquire) == 0 {
            thread::park();
        }
        assert_eq!(ITEM.load(Ordering::Relaxed), 6);
    });
    if cfg!(broken) {
        consumer.thread().unpark();
    }
    ITEM.store(6, Ordering::Release);
    if !cfg!(broken) {
        consumer.thread().unpark();
    }
    consumer.join().unwrap();
}
