// A lock for readers or one writer that waits in the system: the number of readers, or all bits for a writer. In its
// broken form a reader leaves without an order, so that what it reads may be what the next writer writes.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso,aarch64=SAFE rc11=UNSAFE

#[cfg(not(wmbmc))]
use atomic_wait::{wait, wake_all, wake_one};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::{
    sync::atomic::{wait, wake_all, wake_one},
    thread,
};

const WRITER: u32 = u32::MAX;

const LEAVE: Ordering = if cfg!(broken) {
    Ordering::Relaxed
} else {
    Ordering::Release
};

struct Lock {
    state: AtomicU32,
    value: UnsafeCell<[u32; 2]>,
}

unsafe impl Sync for Lock {}

impl Lock {
    fn read(&self) -> [u32; 2] {
        let mut state = self.state.load(Ordering::Relaxed);
        loop {
            if state < WRITER - 1 {
                match self.state.compare_exchange_weak(
                    state,
                    state + 1,
                    Ordering::Acquire,
                    Ordering::Relaxed,
                ) {
                    Ok(_) => break,
                    Err(other) => state = other,
                }
            } else {
                wait(&self.state, WRITER);
                state = self.state.load(Ordering::Relaxed);
            }
        }
        let value = unsafe { *self.value.get() };
        if self.state.fetch_sub(1, LEAVE) == 1 {
            wake_one(&self.state);
        }
        value
    }

    fn write(&self, value: [u32; 2]) {
        while let Err(state) =
            self.state
                .compare_exchange(0, WRITER, Ordering::Acquire, Ordering::Relaxed)
        {
            wait(&self.state, state);
        }
        unsafe { *self.value.get() = value };
        self.state.store(0, Ordering::Release);
        wake_all(&self.state);
    }
}

static LOCK: Lock = Lock {
    state: AtomicU32::new(0),
    value: UnsafeCell::new([0, 0]),
};

fn main() {
    let writer = thread::spawn(|| LOCK.write([3, 4]));
    let value = LOCK.read();
    assert!(value == [0, 0] || value == [3, 4]);
    writer.join().unwrap();
    assert_eq!(LOCK.read(), [3, 4]);
}
