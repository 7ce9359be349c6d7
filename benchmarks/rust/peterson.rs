// Peterson's mutual exclusion with a fence behind each thing that a thread says. Its broken form has none.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc=SAFE tso,rc11,aarch64=UNSAFE

use std::sync::atomic::{fence, AtomicBool, AtomicU32, AtomicUsize, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

static WANTS: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];
static TURN: AtomicUsize = AtomicUsize::new(0);
static INSIDE: AtomicU32 = AtomicU32::new(0);

fn order() {
    if !cfg!(broken) {
        fence(Ordering::SeqCst);
    }
}

fn enter(me: usize) {
    let other = 1 - me;
    WANTS[me].store(true, Ordering::Relaxed);
    order();
    TURN.store(other, Ordering::Relaxed);
    order();
    while WANTS[other].load(Ordering::Acquire) && TURN.load(Ordering::Acquire) == other {}
}

fn leave(me: usize) {
    WANTS[me].store(false, Ordering::Release);
}

fn work(me: usize) {
    enter(me);
    INSIDE.store(INSIDE.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    leave(me);
}

fn main() {
    let other = thread::spawn(|| work(1));
    work(0);
    other.join().unwrap();
    assert_eq!(INSIDE.load(Ordering::Relaxed), 2);
}
