// A lock that serves in the order of tickets. Its broken form takes a ticket in two steps.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso,rc11,aarch64=UNSAFE

use std::cell::UnsafeCell;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicU32, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

struct TicketLock<T> {
    next: AtomicU32,
    served: AtomicU32,
    value: UnsafeCell<T>,
}

impl<T> TicketLock<T> {
    const fn new(value: T) -> Self {
        TicketLock {
            next: AtomicU32::new(0),
            served: AtomicU32::new(0),
            value: UnsafeCell::new(value),
        }
    }

    fn take(&self) -> u32 {
        if cfg!(broken) {
            let ticket = self.next.load(Ordering::Relaxed);
            self.next.store(ticket + 1, Ordering::Relaxed);
            return ticket;
        }
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    fn lock(&self) {
        let ticket = self.take();
        while self.served.load(Ordering::Acquire) != ticket {
            spin_loop();
        }
    }

    fn unlock(&self) {
        let served = self.served.load(Ordering::Relaxed);
        self.served.store(served.wrapping_add(1), Ordering::Release);
    }
}

impl<T> TicketLock<T> {
    fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        self.lock();
        // The lock is this thread's.
        let result = f(unsafe { &mut *self.value.get() });
        self.unlock();
        result
    }
}

unsafe impl<T: Send> Sync for TicketLock<T> {}

static COUNTER: TicketLock<u32> = TicketLock::new(0);

fn main() {
    let thread = thread::spawn(|| COUNTER.with(|n| *n += 1));
    COUNTER.with(|n| *n += 1);
    thread.join().unwrap();
    assert_eq!(COUNTER.with(|n| *n), 2);
}
