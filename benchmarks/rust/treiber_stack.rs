// A stack of Treiber whose nodes are not freed. Its broken form pushes without looking whether the top is the same.
//
// run:
// expect: sc,tso,rc11,aarch64=SAFE
//
// run: --compiler-flags=--cfg=broken
// expect: sc,tso,rc11,aarch64=UNSAFE

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
#[cfg(not(wmbmc))]
use std::thread;
#[cfg(wmbmc)]
use wmbmc_std::thread;

struct Node {
    item: u32,
    next: *mut Node,
}

struct Stack {
    top: AtomicPtr<Node>,
}

impl Stack {
    fn push(&self, item: u32) {
        let next = ptr::null_mut();
        let node = Box::into_raw(Box::new(Node { item, next }));
        let mut top = self.top.load(Ordering::Relaxed);
        if cfg!(broken) {
            unsafe { (*node).next = top };
            self.top.store(node, Ordering::Release);
            return;
        }
        loop {
            unsafe { (*node).next = top };
            match self
                .top
                .compare_exchange(top, node, Ordering::Release, Ordering::Relaxed)
            {
                Ok(_) => return,
                Err(other) => top = other,
            }
        }
    }

    fn pop(&self) -> Option<u32> {
        let mut top = self.top.load(Ordering::Acquire);
        while !top.is_null() {
            let next = unsafe { (*top).next };
            match self
                .top
                .compare_exchange(top, next, Ordering::Acquire, Ordering::Acquire)
            {
                Ok(_) => return Some(unsafe { (*top).item }),
                Err(other) => top = other,
            }
        }
        None
    }
}

static STACK: Stack = Stack {
    top: AtomicPtr::new(ptr::null_mut()),
};

fn main() {
    let other = thread::spawn(|| STACK.push(1));
    STACK.push(2);
    other.join().unwrap();
    let sum = STACK.pop().unwrap_or(0) + STACK.pop().unwrap_or(0);
    assert_eq!(sum, 3);
    assert!(STACK.pop().is_none());
}
