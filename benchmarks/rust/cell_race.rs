// A cell that two threads write, one behind the other: the flag orders them. In the broken form it does not, and that
// is a race.
//
// run: --check race
// expect: sc,tso,rc11=SAFE
//
// run: --compiler-flags=--cfg=broken --check race
// expect: rc11=UNSAFE

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

struct Cell(UnsafeCell<u32>);

unsafe impl Sync for Cell {}

static CELL: Cell = Cell(UnsafeCell::new(0));
static WRITTEN: AtomicBool = AtomicBool::new(false);

const WRITE: Ordering = if cfg!(broken) {
    Ordering::Relaxed
} else {
    Ordering::Release
};

fn main() {
    let other = thread::spawn(|| {
        unsafe { *CELL.0.get() = 1 };
        WRITTEN.store(true, WRITE);
    });
    if WRITTEN.load(Ordering::Acquire) {
        unsafe { *CELL.0.get() = 2 };
    }
    other.join().unwrap();
    assert_ne!(unsafe { *CELL.0.get() }, 0);
}
