// A queue of linked nodes for two producers, with one exchange each, and one consumer that frees what it has taken.
// The broken form publishes a node before it is whole.
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
    next: AtomicPtr<Node>,
}

fn node(item: u32) -> *mut Node {
    let next = AtomicPtr::new(ptr::null_mut());
    Box::into_raw(Box::new(Node { item, next }))
}

static TAIL: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());

fn push(item: u32) {
    let new = node(if cfg!(broken) { 0 } else { item });
    let before = TAIL.swap(new, Ordering::AcqRel);
    unsafe { (*before).next.store(new, Ordering::Release) };
    if cfg!(broken) {
        unsafe { (*new).item = item };
    }
}

fn main() {
    let head = node(0);
    TAIL.store(head, Ordering::Release);
    let producers = [1, 2].map(|item| thread::spawn(move || push(item)));
    let first = unsafe { (*head).next.load(Ordering::Acquire) };
    if !first.is_null() {
        let item = unsafe { (*first).item };
        assert!(item == 1 || item == 2);
        drop(unsafe { Box::from_raw(head) });
    }
    for producer in producers {
        producer.join().unwrap();
    }
}
