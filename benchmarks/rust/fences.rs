// Three threads compute a part each and say so without an order, behind a fence. Who looks at all three signs needs one
// fence, too; in the broken form it is missing.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso=SAFE rc11,aarch64=UNSAFE

use std::cell::UnsafeCell;
use std::sync::atomic::{fence, AtomicBool, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

struct Part(UnsafeCell<u32>);

unsafe impl Sync for Part {}

const THREADS: usize = 3;

static PARTS: [Part; THREADS] = [const { Part(UnsafeCell::new(0)) }; THREADS];
static READY: [AtomicBool; THREADS] = [const { AtomicBool::new(false) }; THREADS];

fn main() {
    thread::scope(|scope| {
        for i in 0..THREADS {
            scope.spawn(move || {
                unsafe { *PARTS[i].0.get() = 10 + i as u32 };
                fence(Ordering::Release);
                READY[i].store(true, Ordering::Relaxed);
            });
        }
        let mut ready = [false; THREADS];
        for i in 0..THREADS {
            ready[i] = READY[i].load(Ordering::Relaxed);
        }
        if !cfg!(broken) && ready.contains(&true) {
            fence(Ordering::Acquire);
        }
        for i in 0..THREADS {
            if ready[i] {
                assert_eq!(unsafe { *PARTS[i].0.get() }, 10 + i as u32);
            }
        }
    });
}
