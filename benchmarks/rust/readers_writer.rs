// A lock of many readers or one writer, of one word: how many read, or all bits of a writer. In its broken form the
// reader does not look whether a writer is there.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso,rc11,aarch64=UNSAFE

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU32, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

static STATE: AtomicU32 = AtomicU32::new(0);
static WORDS: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];

const WRITER: u32 = u32::MAX;

fn read() -> bool {
    let state = STATE.load(Ordering::Relaxed);
    if state == WRITER && !cfg!(broken) {
        return false;
    }
    STATE
        .compare_exchange(
            state,
            state.wrapping_add(1),
            Ordering::Acquire,
            Ordering::Relaxed,
        )
        .is_ok()
}

fn write() {
    while STATE
        .compare_exchange(0, WRITER, Ordering::Acquire, Ordering::Relaxed)
        .is_err()
    {
        spin_loop();
    }
}

fn main() {
    let writer = thread::spawn(|| {
        write();
        WORDS[0].store(1, Ordering::Relaxed);
        WORDS[1].store(1, Ordering::Relaxed);
        STATE.store(0, Ordering::Release);
    });
    if read() {
        let first = WORDS[0].load(Ordering::Relaxed);
        let second = WORDS[1].load(Ordering::Relaxed);
        assert_eq!(first, second);
        STATE.fetch_sub(1, Ordering::Release);
    }
    writer.join().unwrap();
}
