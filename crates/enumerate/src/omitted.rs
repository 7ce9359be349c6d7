//! What an exploration leaves out with iterations that change nothing ([`super::idle`]), and why it should not have.

use super::trace::{ActionKind, Event};
use ir::shadow::Word;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// What is left out with iterations that change nothing.
#[derive(Default)]
pub(super) struct Omitted {
    /// Those are among them that write what no other thread misses.
    pub leaves_out_writes: bool,
    /// By the address of a mutex: its state when no thread has it, where critical sections were left out.
    pub sections: RefCell<BTreeMap<u64, Word>>,
    /// Mutexes of which critical sections are not left out, as another thread came in between.
    pub disturbed: BTreeSet<u64>,
    /// Locations that were seen to be accessed by no atomic operation.
    plain: BTreeSet<u64>,
    /// Locations that were taken to be accessed by atomic operations alone.
    atomic: RefCell<BTreeSet<u64>>,
}

impl Omitted {
    /// Whether all accesses of a location are atomic, as far as is known.
    pub fn is_accessed_atomically(&self, addr: u64) -> bool {
        let is_known = !self.plain.contains(&addr);
        if is_known {
            self.atomic.borrow_mut().insert(addr);
        }
        is_known
    }

    /// An event is seen; whether it contradicts what was known of its location.
    pub fn learn(&mut self, event: &Event) -> bool {
        let accesses = matches!(event.kind, ActionKind::Read | ActionKind::Write);
        accesses
            && !event.order.is_atomic()
            && self.plain.insert(event.addr)
            && self.atomic.borrow().contains(&event.addr)
    }

    /// Forgets what was passed over, and not why it should not have been.
    pub fn restart(&mut self) {
        self.sections.borrow_mut().clear();
        self.atomic.borrow_mut().clear();
    }

    /// Whether a critical section may be left out.
    pub fn leaves_out(&self, section: Option<(u64, Word)>) -> bool {
        let Some((addr, free)) = section.filter(|(addr, _)| !self.disturbed.contains(addr)) else {
            return false;
        };
        *self.sections.borrow_mut().entry(addr).or_insert(free) == free
    }
}
