// Two words that are read together, with a number that is odd while they are written. In its broken form the reader
// does not look again.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso,rc11,aarch64=UNSAFE

use std::sync::atomic::{fence, AtomicU32, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

static NUMBER: AtomicU32 = AtomicU32::new(0);
static WORDS: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];

fn write(value: u32) {
    let number = NUMBER.load(Ordering::Relaxed);
    NUMBER.store(number + 1, Ordering::Relaxed);
    fence(Ordering::Release);
    for word in &WORDS {
        word.store(value, Ordering::Relaxed);
    }
    NUMBER.store(number + 2, Ordering::Release);
}

fn read() -> Option<[u32; 2]> {
    let before = NUMBER.load(Ordering::Acquire);
    let words = [
        WORDS[0].load(Ordering::Relaxed),
        WORDS[1].load(Ordering::Relaxed),
    ];
    fence(Ordering::Acquire);
    let after = if cfg!(broken) {
        before
    } else {
        NUMBER.load(Ordering::Relaxed)
    };
    (before == after && before % 2 == 0).then_some(words)
}

fn main() {
    let writer = thread::spawn(|| write(7));
    if let Some([a, b]) = read() {
        assert_eq!(a, b);
    }
    writer.join().unwrap();
}
