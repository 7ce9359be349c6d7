// Numbers of a running job: how many items, how much time in all, the longest one. Each is right by itself; the broken
// form counts on what two of them say together.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso,rc11,aarch64=UNSAFE

use std::sync::atomic::{AtomicU32, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

struct Statistics {
    items: AtomicU32,
    total: AtomicU32,
    longest: AtomicU32,
}

static STATISTICS: Statistics = Statistics {
    items: AtomicU32::new(0),
    total: AtomicU32::new(0),
    longest: AtomicU32::new(0),
};

impl Statistics {
    fn add(&self, time: u32) {
        self.items.fetch_add(1, Ordering::Relaxed);
        self.total.fetch_add(time, Ordering::Relaxed);
        self.longest.fetch_max(time, Ordering::Relaxed);
    }
}

fn main() {
    thread::scope(|scope| {
        for time in [2, 5] {
            scope.spawn(move || STATISTICS.add(time));
        }
        let items = STATISTICS.items.load(Ordering::Relaxed);
        let total = STATISTICS.total.load(Ordering::Relaxed);
        assert!(items <= 2 && total <= 7);
        if cfg!(broken) {
            assert!(total >= 2 * items);
        }
    });
    assert_eq!(STATISTICS.items.load(Ordering::Relaxed), 2);
    assert_eq!(STATISTICS.total.load(Ordering::Relaxed), 7);
    assert_eq!(STATISTICS.longest.load(Ordering::Relaxed), 5);
}
