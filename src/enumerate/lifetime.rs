//! How long objects exist: on the heap until they are freed, on the stack until their block, their
//! function or their thread ends.
//!
//! What a thread or its creator has ended is known on the way. For the others an object ends, and
//! begins when it is made while they run, with a write to each location that they may look at: the
//! model decides whether they can be too late, or too early (`mm::race`).

use super::explore::Explorer;
use super::objects::{Initial, MAIN, ThreadKey};
use super::trace::{Event, Kind};
use super::value::{Deps, Value};
use super::walk::Walk;
use crate::base::source::Span;
use crate::ir::program::*;
use std::collections::BTreeSet;

/// The rule of every access.
pub(super) const ALIVE: &str = "the object still exists";
/// The rule of `free`.
const FREEABLE: &str = "what is freed is an object on the heap that still exists";

impl Explorer<'_> {
    /// A thread has made an object.
    pub(super) fn begin(&mut self, walk: &mut Walk, object: u64, span: Span) {
        if walk.concurrent {
            self.know.begin(object);
            self.bounds_life(walk, Lifetime::Begin, object, Deps::default(), span);
        }
    }

    /// `free(addr)`
    pub(super) fn free(&mut self, walk: &mut Walk, addr: &Value, span: Span) {
        let object = addr.number;
        if object == 0 {
            return;
        }
        if !self.objects.is_on_heap(object) || walk.dead.contains(&object) {
            walk.violate(PropertyKind::Memory, span, FREEABLE);
        }
        self.end(walk, Lifetime::Free, object, addr.deps.clone(), span);
        walk.freed.push(object);
    }

    /// The objects of a procedure end with it; main's stay, as nobody is there afterwards.
    pub(super) fn end_of_activation(&mut self, walk: &mut Walk, objects: &[u64], span: Span) {
        if walk.key == MAIN && walk.frames.is_empty() {
            return;
        }
        for object in objects {
            self.end_on_stack(walk, *object, span);
        }
    }

    /// With a thread end all procedures it is in, main too: the others go on.
    pub(super) fn end_of_thread(&mut self, walk: &mut Walk, span: Span) {
        let objects = walk.frames.iter().flat_map(|f| f.objects.clone());
        for object in objects.collect::<Vec<_>>() {
            self.end_on_stack(walk, object, span);
        }
    }

    /// An object of a procedure ends, unless it has before.
    pub(super) fn end_on_stack(&mut self, walk: &mut Walk, object: u64, span: Span) {
        if !walk.dead.contains(&object) {
            self.end(walk, Lifetime::End, object, Deps::default(), span);
        }
    }

    fn end(&mut self, walk: &mut Walk, how: Lifetime, object: u64, deps: Deps, span: Span) {
        if walk.concurrent {
            let ended = walk.joined.iter().filter(|j| j.end.is_some());
            let ended: BTreeSet<ThreadKey> = ended.map(|j| j.key).collect();
            let behind = self.objects.behind(object);
            self.know
                .free(self.objects.range(object), behind, walk.key, ended);
            self.bounds_life(walk, how, object, deps, span);
        }
        walk.dead.insert(object);
    }

    /// The writes that an object begins or ends with, one for each location that is shared.
    fn bounds_life(
        &mut self,
        walk: &mut Walk,
        life: Lifetime,
        object: u64,
        deps: Deps,
        span: Span,
    ) {
        let shared = self.know.shared.range(self.objects.range(object));
        for addr in shared.copied().collect::<Vec<_>>() {
            let width = self.know.width_of(addr).unwrap_or(8);
            let value = match (life, self.objects.initial(addr, width)) {
                (Lifetime::Begin, Initial::Number(number)) => number,
                _ => 0,
            };
            if life != Lifetime::Begin {
                walk.own.insert(addr, value);
            }
            walk.events.push(Event {
                kind: Kind::Lifetime(life),
                addr,
                width,
                value,
                order: Order::Plain,
                addr_deps: Deps::default(),
                data_deps: deps.clone(),
                ctrl_deps: walk.ctrl.clone(),
                rmw: None,
                updates: false,
                group: walk.group.map(|(group, _)| group),
                span,
            });
        }
    }
}
