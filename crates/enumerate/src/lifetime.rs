//! How long objects exist: on the heap until they are freed, on the stack until their block, their
//! function or their thread ends.
//!
//! What a thread or its creator has ended is known on the way. For the others an object ends, and
//! begins when it is made while they run, with a write to each location that they may look at: the
//! model decides whether they can be too late, or too early (`cat::query`).

use super::interpreter::Interpreter;
use super::objects::{Initial, MAIN, ThreadKey};
use super::thread_state::ThreadState;
use super::trace::{ActionKind, Event};
use super::value::{ConcreteValue, Deps};
use base::source::Span;
use ir::program::*;
use ir::shadow::Word;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The rule of every access.
pub(super) const ALIVE: &str = "the object still exists";
/// The rule of `free`.
const FREEABLE: &str = "what is freed is an object on the heap that still exists";

impl Interpreter<'_> {
    /// A thread has made an object.
    pub(super) fn begin(&mut self, state: &mut ThreadState, object: u64, span: Span) {
        if state.concurrent {
            self.value_sets.begin(object);
            self.bounds_life(state, Lifetime::Begin, object, Deps::default(), span);
        }
    }

    /// `free(addr)`
    pub(super) fn free(&mut self, state: &mut ThreadState, addr: &ConcreteValue, span: Span) {
        let object = addr.number;
        if object == 0 {
            return;
        }
        if !self.objects.is_on_heap(object) || state.dead.contains(&object) {
            state.violate(PropertyKind::Memory, span, FREEABLE);
        }
        self.end(state, Lifetime::Free, object, addr.deps.clone(), span);
        state.freed.push(object);
    }

    /// The objects of a procedure end with it; main's stay, as no thread runs afterwards.
    pub(super) fn end_of_activation(
        &mut self,
        state: &mut ThreadState,
        objects: &[u64],
        span: Span,
    ) {
        if state.key == MAIN && state.frames.is_empty() {
            return;
        }
        for object in objects {
            self.end_on_stack(state, *object, span);
        }
    }

    /// With a thread end all procedures it is in, main too, and what it has for itself: the others go
    /// on.
    pub(super) fn end_of_thread(&mut self, state: &mut ThreadState, span: Span) {
        let objects = state.frames.iter().flat_map(|f| f.objects.clone());
        for object in objects.collect::<Vec<_>>() {
            self.end_on_stack(state, object, span);
        }
        self.end_of_thread_locals(state, span);
    }

    /// With a thread ends what it has of the objects that each thread has for itself.
    pub(super) fn end_of_thread_locals(&mut self, state: &mut ThreadState, span: Span) {
        for object in self.objects.thread_locals(state.key) {
            self.end_on_stack(state, object, span);
        }
    }

    /// An object of a procedure ends, unless it has before.
    pub(super) fn end_on_stack(&mut self, state: &mut ThreadState, object: u64, span: Span) {
        if !state.dead.contains(&object) {
            self.end(state, Lifetime::End, object, Deps::default(), span);
        }
    }

    fn end(&mut self, state: &mut ThreadState, how: Lifetime, object: u64, deps: Deps, span: Span) {
        if state.concurrent {
            let ended = state.joined.iter().filter(|j| j.end.is_some());
            let ended: BTreeSet<ThreadKey> = ended.map(|j| j.key).collect();
            let behind = self.objects.behind(object);
            self.value_sets
                .free(self.objects.range(object), behind, state.key, ended);
            self.bounds_life(state, how, object, deps, span);
        }
        state.dead.insert(object);
    }

    /// The writes that an object begins or ends with, one for each location that is shared.
    fn bounds_life(
        &mut self,
        state: &mut ThreadState,
        life: Lifetime,
        object: u64,
        deps: Deps,
        span: Span,
    ) {
        let shared = self.value_sets.shared.range(self.objects.range(object));
        for addr in shared.copied().collect::<Vec<_>>() {
            let width = self.value_sets.width_of(addr).unwrap_or(8);
            let word = match (life, self.objects.initial(addr, width)) {
                (Lifetime::Begin, Initial::Known(word)) => word,
                _ => Word::known(0),
            };
            if life != Lifetime::Begin {
                state.own.insert(addr, word);
            }
            state.events.push(Rc::new(Event {
                kind: ActionKind::Lifetime(life),
                addr,
                width,
                value: word.number,
                shadow: word.shadow,
                order: MemoryOrder::Plain,
                addr_deps: Deps::default(),
                data_deps: deps.clone(),
                ctrl_deps: state.ctrl.clone(),
                rmw: None,
                conditional: false,
                updates: false,
                group: state.group.map(|g| (g.number, g.kind)),
                span,
            }));
        }
    }
}
