// Places of an array that threads take one after the other. In the broken form one too many is taken: a panic.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso,rc11,aarch64=UNSAFE

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

static PLACES: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];
static TAKEN: AtomicUsize = AtomicUsize::new(0);

fn take(mark: u32) {
    let place = TAKEN.fetch_add(1, Ordering::Relaxed);
    if place < PLACES.len() || cfg!(broken) {
        PLACES[place].store(mark, Ordering::Relaxed);
    }
}

fn main() {
    let threads = [1, 2].map(|mark| thread::spawn(move || take(mark)));
    take(3);
    for thread in threads {
        thread.join().unwrap();
    }
    let all = PLACES
        .iter()
        .all(|place| place.load(Ordering::Relaxed) != 0);
    assert!(all);
}
