// Numbers that are handed out once each, up to a limit. The broken form looks at the limit behind the step.
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

const LIMIT: u32 = 2;

static NEXT: AtomicU32 = AtomicU32::new(0);

fn allocate() -> Option<u32> {
    if cfg!(broken) {
        let id = NEXT.load(Ordering::Relaxed);
        NEXT.store(id + 1, Ordering::Relaxed);
        return (id < LIMIT).then_some(id);
    }
    NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |id| {
        (id < LIMIT).then_some(id + 1)
    })
    .ok()
}

fn main() {
    let threads = [(); 2].map(|()| thread::spawn(allocate));
    let [a, b] = threads.map(|thread| thread.join().unwrap());
    assert!(a.is_none() || a != b);
    assert!(NEXT.load(Ordering::Relaxed) <= LIMIT);
}
