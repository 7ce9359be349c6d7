//! Iterations that change nothing, and so need not be followed.
//!
//! The thread is afterwards where it was, and no other thread misses what it wrote. An enumeration takes for such an
//! iteration only one that wrote nothing. An exploration, which follows loops until they end, may be told
//! ([`Omitted::leaves_out_writes`]) that others do not matter on its model:
//!
//! - All that it wrote are read-modify-writes that wrote back what they had read: the failed iteration of a
//!   test-and-set. Who reads from such a write may read from the one before.
//! - It took a mutex of the library and gave it back: a thread that polls under a lock. Or it gave it back and
//!   took it again, without a look at anything behind the lock: a wait for a condition that was woken too
//!   early. The critical section is left out: who reads from its end may read from the end of the one before.
//!   That no other thread comes in between is how mutexes are used; an exploration looks whether it is so
//!   ([`Omitted::sections`]), and follows such iterations where it is not.
//!
//! Such an exploration follows an iteration once more because of races only where it looks at something that is
//! accessed by no atomic operation, too.

use super::interpreter::Interpreter;
#[cfg(doc)]
use super::omitted::Omitted;
use super::thread_state::ThreadState;
use super::trace::{ActionKind, Event};
use super::value::ConcreteValue;
use ir::program::*;
use ir::shadow::Word;
use std::collections::BTreeSet;
use std::rc::Rc;

impl Interpreter<'_> {
    /// The accesses of the iteration that ends here.
    fn accesses(state: &ThreadState, at: (ProcId, usize)) -> impl Iterator<Item = &Rc<Event>> {
        let begun = state.frames.last().and_then(|f| f.loops.get(&at.1));
        let events = begun.map_or(&[][..], |begun| &state.events[begun.events..]);
        let is_fence = |e: &Rc<Event>| matches!(e.kind, ActionKind::Fence(_));
        events.iter().filter(move |e| !is_fence(e))
    }

    /// Whether the iteration that ends here may race with what another thread does: it accesses what some thread
    /// accesses by no atomic operation.
    pub(super) fn may_race(&self, state: &ThreadState, at: (ProcId, usize)) -> bool {
        let is_plain = |e: &Rc<Event>| !self.omitted.is_accessed_atomically(e.addr);
        self.options.checks.contains(&PropertyKind::Race)
            && (!self.omitted.leaves_out_writes || Self::accesses(state, at).any(is_plain))
    }

    /// Whether the iteration that ends here accesses an object that may end: none of the program's
    /// globals. Another thread may end it because of what this one does behind the loop.
    pub(super) fn looks_at_objects(&self, state: &ThreadState, at: (ProcId, usize)) -> bool {
        let globals = self.program.globals.ids();
        let globals: BTreeSet<u64> = globals
            .map(|g| self.objects.base(self.program.static_address(g)))
            .collect();
        Self::accesses(state, at).any(|e| !globals.contains(&self.objects.base(e.addr)))
    }

    /// Whether the iteration that ends here changed nothing that the thread or others look at.
    pub(super) fn is_idle(&self, state: &ThreadState, at: (ProcId, usize), head: usize) -> bool {
        // Whether an execution is sequentially consistent depends on each of its iterations.
        if self.options.checks.contains(&PropertyKind::Robust) {
            return false;
        }
        let Some(frame) = state.frames.last() else {
            return false;
        };
        let Some(begun) = frame.loops.get(&at.1) else {
            return false;
        };
        if state.spawned.len() > begun.spawned {
            return false;
        }
        let code = &self.code[at.0];
        let mut registers = begun.locals.iter().zip(&frame.locals).enumerate();
        // What the values depend on is of no account: without the iteration it is less.
        let number = |v: &Option<ConcreteValue>| v.as_ref().map(|v| (v.word(), v.width));
        if registers.any(|(i, (b, n))| number(b) != number(n) && code.is_live(head, i)) {
            return false;
        }
        let new = &state.allocated[begun.allocated..];
        let base = |addr: u64| self.objects.base(addr);
        let matters = |addr: u64| !new.contains(&base(addr));
        if state.remembered != begun.remembered {
            return false;
        }
        let mut ended = state.dead.difference(&begun.dead);
        if ended.any(|object| !new.contains(object)) {
            return false;
        }
        let kept = state.store.iter().filter(|(addr, _)| matters(**addr));
        let kept = kept.map(|(addr, value)| (addr, value.word(), value.width));
        let is_kept = kept.eq(begun
            .store
            .iter()
            .map(|(addr, value)| (addr, value.word(), value.width)));
        is_kept && self.wrote_nothing(&state.events, begun.events)
    }

    /// Whether no other thread misses what a thread has written since it had so many events.
    fn wrote_nothing(&self, events: &[Rc<Event>], from: usize) -> bool {
        let is_write = |at: &usize| events[*at].kind == ActionKind::Write;
        let writes: Vec<usize> = (from..events.len()).filter(is_write).collect();
        if writes.is_empty() {
            return true;
        }
        let wrote_back = |at: &usize| {
            let write = &events[*at];
            let read = write
                .rmw
                .filter(|r| *r >= from && !write.conditional && write.group.is_none());
            read.is_some_and(|r| events[r].word() == write.word())
        };
        self.omitted.leaves_out_writes
            && (writes.iter().all(wrote_back) || self.omitted.leaves_out(section(events, from)))
    }
}

/// The mutex, and its state when no thread has it, where all that a thread has written since it had so many events
/// takes a mutex and gives it back, or gives it back and takes it again.
fn section(events: &[Rc<Event>], from: usize) -> Option<(u64, Word)> {
    let is_write = |at: &usize| events[*at].kind == ActionKind::Write;
    let is_fence = |e: &Rc<Event>| matches!(e.kind, ActionKind::Fence(_));
    let is = |at: usize, role| events[at].order == MemoryOrder::Library(role);
    let is_fenced = |a: usize, b: usize| {
        let full = ActionKind::Fence(FenceTag::Explicit(Fence::Posix));
        events[a..b].iter().any(|e| e.kind == full)
    };
    let mut writes = (from..events.len()).filter(is_write);
    let (first, second) = (writes.next()?, writes.next()?);
    let (taken, given) = match is(first, Role::Lock) {
        true => (first, second),
        false => ((0..from).rev().find(is_write)?, first),
    };
    if taken < from {
        // Between the lock and the iteration nothing is read, nor behind the lock that ends it.
        let is_quiet = events[taken + 1..from].iter().all(is_fence)
            && events[second + 1..].iter().all(is_fence)
            && is(second, Role::Lock);
        let is_as_before = events[second].word() == events[taken].word();
        if !is_quiet
            || !is_as_before
            || !is_fenced(given, second)
            || !is_fenced(second, events.len())
        {
            return None;
        }
    }
    let free = events[given].word();
    let takes = |at: usize| {
        let read = events[at].rmw.map(|r| &events[r]);
        is(at, Role::Lock) && read.is_some_and(|r| r.word() == free) && events[at].word() != free
    };
    let all = [taken, given, first, second];
    let is_one_place = all.iter().all(|at| {
        let (event, other) = (&events[*at], &events[given]);
        (event.addr, event.width) == (other.addr, other.width) && event.group.is_none()
    });
    let locks = [taken, second].into_iter().filter(|at| *at != given);
    let is_section = locks.into_iter().all(takes) && is(given, Role::Release);
    (writes.next().is_none() && is_one_place && is_section && is_fenced(taken, given))
        .then_some((events[given].addr, free))
}
