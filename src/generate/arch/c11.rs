//! C11, in herd's dialect of C: accesses have memory orders, fences are `atomic_thread_fence`, and an
//! exchange is `atomic_exchange_explicit`.
//!
//! The names of fences and orders are those of `diy`: `FenceScdWR`, `PodWWRlxRel`. An access without an
//! order is not atomic (`Na` beside one that has an order).

use super::functions::{self, Words, pointed};
use super::{Access, Arch, Code, Layout, NoRegister, PLAIN_DEPENDENCIES};
use crate::generate::edge::{AccessOrder, Dep, Edge, Fence};

/// The language.
pub struct C11;

static FENCES: [Fence; 4] = [
    Fence::new(0, "FenceAcq", "atomic_thread_fence(memory_order_acquire);"),
    Fence::new(1, "FenceRel", "atomic_thread_fence(memory_order_release);"),
    Fence::new(
        2,
        "FenceAcqRel",
        "atomic_thread_fence(memory_order_acq_rel);",
    ),
    Fence::new(3, "FenceSc", "atomic_thread_fence(memory_order_seq_cst);"),
];

static ORDERS: [AccessOrder; 4] = [
    AccessOrder::Relaxed,
    AccessOrder::Acquire,
    AccessOrder::Release,
    AccessOrder::SeqCst,
];

impl Arch for C11 {
    fn name(&self) -> &'static str {
        "C"
    }

    fn fences(&self) -> &'static [Fence] {
        &FENCES
    }

    fn deps(&self) -> &'static [Dep] {
        &PLAIN_DEPENDENCIES
    }

    fn has_exchange(&self) -> bool {
        true
    }

    fn orders(&self) -> &'static [AccessOrder] {
        &ORDERS
    }

    fn layout(&self) -> Layout {
        Layout::Functions
    }

    fn thread(&self, accesses: &[Access], _labels: &mut u32) -> Result<Code, NoRegister> {
        Ok(functions::thread(self, accesses))
    }
}

impl Words for C11 {
    fn load(&self, place: &str, of: AccessOrder) -> String {
        match order(of, of) {
            None => pointed(place),
            Some(order) => format!("atomic_load_explicit({place}, {order})"),
        }
    }

    fn store(&self, place: &str, value: &str, of: AccessOrder) -> String {
        match order(of, of) {
            None => format!("{} = {value};", pointed(place)),
            Some(order) => format!("atomic_store_explicit({place}, {value}, {order});"),
        }
    }

    fn exchange(&self, place: &str, value: &str, of: (AccessOrder, AccessOrder)) -> String {
        match order(of.0, of.1) {
            None => format!("atomic_exchange({place}, {value})"),
            Some(order) => format!("atomic_exchange_explicit({place}, {value}, {order})"),
        }
    }

    fn location(&self, is_plain: bool) -> &'static str {
        if is_plain { "int" } else { "atomic_int" }
    }

    fn around(&self, _edge: Edge) -> Option<(&'static str, &'static str)> {
        None
    }
}

/// The memory order of an access, or of an exchange from those of its read and its write.
fn order(read: AccessOrder, write: AccessOrder) -> Option<&'static str> {
    use AccessOrder::{Acquire, Relaxed, Release, SeqCst};
    Some(match (read, write) {
        (SeqCst, _) | (_, SeqCst) => "memory_order_seq_cst",
        (Acquire, Release) => "memory_order_acq_rel",
        (Acquire, _) => "memory_order_acquire",
        (_, Release) => "memory_order_release",
        (Relaxed | Release, Relaxed | Acquire) => "memory_order_relaxed",
        _ => return None,
    })
}
