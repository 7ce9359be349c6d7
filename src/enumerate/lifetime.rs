//! How long objects exist: on the heap until they are freed, on the stack until their function
//! returns, main's as long as the program runs.
//!
//! What a thread or its creator has freed is known on the way. What others free is an event, for
//! happens-before to decide.

use super::explore::Explorer;
use super::objects::{MAIN, ThreadKey};
use super::walk::Walk;
use crate::front::source::Span;
use crate::ir::program::*;
use std::collections::BTreeSet;

/// The rule of every access.
pub(super) const ALIVE: &str = "the object still exists";
/// The rule of `free`.
const FREEABLE: &str = "what is freed is an object on the heap that still exists";

impl Explorer<'_> {
    /// `free(addr)`
    pub(super) fn free(&mut self, walk: &mut Walk, addr: u64, span: Span) {
        if addr == 0 {
            return;
        }
        if !self.objects.is_on_heap(addr) || walk.dead.contains(&addr) {
            walk.violate(PropertyKind::Memory, span, FREEABLE);
        }
        if walk.concurrent {
            self.learn_free(walk, addr);
            walk.fence_at(FenceTag::Free, addr, span, None);
        }
        walk.dead.insert(addr);
        walk.freed.push(addr);
    }

    /// The objects of a procedure end with it; main's stay, as nobody is there afterwards. That is
    /// an event where other threads look at them.
    pub(super) fn end_of_activation(&mut self, walk: &mut Walk, objects: &[u64], span: Span) {
        if walk.key == MAIN && walk.frames.is_empty() {
            return;
        }
        for object in objects {
            if walk.concurrent {
                self.learn_free(walk, *object);
                let mut shared = self.know.shared.range(self.objects.range(*object));
                if shared.next().is_some() {
                    walk.fence_at(FenceTag::Free, *object, span, None);
                }
            }
            walk.dead.insert(*object);
        }
    }

    fn learn_free(&mut self, walk: &Walk, object: u64) {
        let ended = walk.joined.iter().filter(|j| j.end.is_some());
        let ended: BTreeSet<ThreadKey> = ended.map(|j| j.key).collect();
        self.know.free(self.objects.range(object), walk.key, ended);
    }
}
