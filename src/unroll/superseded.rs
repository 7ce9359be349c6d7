//! Failed compare-exchanges whose expected value comes from the last look: `r = load(&x); while
//! (!compare_exchange_weak(&x, &r, r + 1));`.
//!
//! An iteration of such a loop changes something, the value that is expected next, so it is no idle one
//! ([`super::idle`]). Yet it may be left out where the value that it began with came from a read `L`
//! right before: let `L` return what the compare-exchange `e` of the iteration reads. Then the iteration
//! after it begins with the same value expected, and nothing else is different. `L` is one of two:
//!
//! - **A load before the loop.** The shorter execution is the longer one without `L` and without the
//!   iteration, and with `e` in the place of `L`. What depends on `L` there depends on `e` here.
//! - **The compare-exchange of the iteration before**, which expected `s0` and failed. So it does with the
//!   value that `e` reads, unless that is `s0`. In that case both iterations may be left out: what is
//!   expected then is what was expected before them. But what is computed from that depends on an earlier
//!   read than before; where dependencies order accesses that may be new order, and those executions are
//!   followed. So they are where the earlier iteration has done anything that others may miss, before its
//!   compare-exchange and by a way that the later one did not go. (The dependency that the comparison with `s0` is for all that follows was there before.)
//!
//! For that `L` and `e` are reads of one location, `L` asks for no more order than `e`, and between them
//! the thread accesses nothing but what it overwrites ([`super::unpublished`]) and the expected value
//! itself, where other threads do not know the object that it is in. Nothing but the expected value comes
//! from `L`: no other register, no condition that the thread has branched on ([`Branch`]), no address, no
//! check, until the iteration begins. By instructions that are not looked into more might depend on it:
//! with one of these in between the iteration is followed. All else is as for idle iterations: the
//! iteration writes nothing that others look at, leaving events out takes order away, and an execution in
//! which something goes wrong in what is left out is followed.

use super::event::*;
use super::executor::Executor;
use super::idle::{EndedIteration, Idle};
use super::loop_log::Branch;
use super::memory::SlotId;
use super::options::{Reading, WriteBacks};
use super::state::*;
use super::term::{TermId, operands};
use base::idx::Id;
use ir::program::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Terms that are looked at to see what something depends on.
const MAX_TERMS: usize = 10_000;

/// The value that is expected, in an iteration of a loop.
struct Expected {
    /// As the iteration begins.
    first: TermId,
    /// The registers and the memory that it is in.
    locals: Vec<LocalId>,
    slots: Vec<SlotId>,
}

/// The read that the expected value comes from.
struct Source {
    read: EventId,
    position: usize,
    /// Of a compare-exchange: it has read what it expected.
    equal: Option<TermId>,
}

/// What may be left out.
pub(super) struct Superseded {
    /// When.
    pub(super) idle: Idle,
    /// Since the thread was here.
    pub(super) since: LoopState,
    /// Memory that other threads do not know yet, where what the thread did before stands for it.
    pub(super) quiet: BTreeSet<SlotId>,
}

impl Executor<'_> {
    /// Notes an instruction, if the path of its thread may depend on its operands by more than branches.
    pub(super) fn note_instruction(&mut self, op: &Op) {
        let is_plain = match op {
            Op::Call { callee, .. } => matches!(callee, Callee::Proc(_)),
            Op::Assign { .. }
            | Op::Use(_)
            | Op::Constant { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Rmw { .. }
            | Op::Cas { .. }
            | Op::Pair(_)
            | Op::Fence(_)
            | Op::Goto { .. }
            | Op::Assume(_)
            | Op::Assert { .. }
            | Op::Return(_)
            | Op::ControlBegin(_)
            | Op::ControlEnd(_) => true,
            _ => false,
        };
        if !is_plain {
            self.branch(None);
        }
    }

    /// Notes a condition that a thread branches on.
    pub(super) fn note_branch(&mut self, cond: TermId) {
        self.branch(Some(cond));
    }

    fn branch(&mut self, cond: Option<TermId>) {
        let branch = Branch {
            time: self.progress.now(),
            position: self.position(),
            cond,
        };
        self.loops.note_branch(self.threads.current(), branch);
    }

    /// Whether the iteration that ends here may be left out, since the one before or the last load before
    /// the loop may stand for it; see the head of this file.
    pub(super) fn superseded(
        &mut self,
        at: (ProcId, usize),
        iteration: &LoopState,
        frame: &Frame,
    ) -> Option<Superseded> {
        let guard = frame.state.guard;
        if self.options.awaits.writes == WriteBacks::None
            || self.graph.threads.len() != iteration.threads
            || frame.state.group.is_some()
            || !self.freed_nothing_older(iteration, frame)
        {
            return None;
        }
        let ended = EndedIteration {
            head: at,
            begun: iteration,
            frame,
            known: conjuncts(&self.graph.terms, guard),
        };
        if !self.remembers_the_same(iteration, frame, &ended.known) {
            return None;
        }
        let own = self.events()[iteration.events..].to_vec();
        own.into_iter().find_map(|e| {
            let reads =
                self.graph.events[e].kind == EventKind::Read && self.is_sure(e, &ended.known);
            let found = reads.then(|| self.superseded_by(&ended, e));
            found.flatten()
        })
    }

    /// The same, where `read` is the event by which the iteration found its new value.
    fn superseded_by(&mut self, ended: &EndedIteration, read: EventId) -> Option<Superseded> {
        let (iteration, frame, known) = (ended.begun, ended.frame, &ended.known[..]);
        let guard = frame.state.guard;
        let new = self.read_term(read);
        let overwritten = self.overwritten(iteration, guard);
        let expected = self.expected(ended, new, &overwritten)?;
        let mut quiet = overwritten.clone();
        for slot in expected.slots.iter().copied() {
            if !self.facts.is_shared(slot) || self.is_unpublished(slot, guard) {
                quiet.insert(slot);
            }
        }
        if !self.writes_quietly(iteration.events, guard, &quiet) {
            return None;
        }
        let (position, last) = self.last_read(ended, &quiet)?;
        let begun = self
            .threads
            .calls()
            .innermost()
            .map_or(0, |activation| activation.events);
        if position < begun || !self.stands_for(last, read) {
            return None;
        }
        let old = self.read_term(last);
        // A compare-exchange has failed, or it has written after all.
        let own = self.events();
        let is_exchange = own
            .iter()
            .any(|w| self.graph.events[*w].rmw_read == Some(last));
        let before = iteration
            .before
            .clone()
            .filter(|b| is_exchange && b.events <= position);
        let compared = match (is_exchange, &before) {
            (false, _) => None,
            (true, Some(before)) => {
                Some((self.expected_before(&expected, before)?, before.clone()))
            }
            (true, None) => return None,
        };
        let equal = compared
            .as_ref()
            .map(|(first, _)| self.graph.terms.eq(old, *first));
        let source = Source {
            read: last,
            position,
            equal,
        };
        if !self.is_value_of(expected.first, old, equal, known)
            || !self.comes_as_well(last, equal, iteration)
            || !self.is_quiet_between(position + 1..iteration.events, guard, &quiet)
            || !self.is_for_expected_alone(ended, &source, &expected, &overwritten)
        {
            return None;
        }
        let since = LoopState {
            events: position,
            ..iteration.alone()
        };
        let mut found = Superseded {
            idle: Idle {
                repeats: false,
                cond: self.graph.terms.bool(true),
                section: None,
            },
            since,
            quiet,
        };
        if let Some((first, before)) = compared {
            found.since = LoopState {
                idled: iteration.idled,
                ..before.alone()
            };
            let depends = self.options.awaits.reading < Reading::Causal;
            if depends
                || !self.is_as_before(ended, &before, &expected, &overwritten)
                || !self.did_nothing_since(ended, &before, &found.quiet)
            {
                let again = self.graph.terms.eq(new, first);
                found.idle.cond = self.graph.terms.not(again);
            }
        }
        let some = self.graph.terms.and(guard, found.idle.cond);
        (!self.graph.terms.is_false(some)).then_some(found)
    }

    fn read_term(&mut self, read: EventId) -> TermId {
        let width = self.graph.terms.width(self.graph.events[read].value);
        self.graph.terms.read(read, width)
    }

    /// True when an event surely happens on a path.
    fn is_sure(&self, e: EventId, known: &[TermId]) -> bool {
        let parts = conjuncts(&self.graph.terms, self.graph.events[e].guard);
        let mut parts = parts.iter();
        parts.all(|part| known.contains(part) || self.graph.terms.is_true(*part))
    }

    /// What is expected, if that is all in which where the iteration began and where it ends differ, and if
    /// what is expected at the end is `new`.
    fn expected(
        &mut self,
        ended: &EndedIteration,
        new: TermId,
        overwritten: &BTreeSet<SlotId>,
    ) -> Option<Expected> {
        let (iteration, frame, known) = (ended.begun, ended.frame, &ended.known[..]);
        let mut expected: Option<Expected> = None;
        for local in self.program.procs[ended.head.0].locals.ids() {
            let (before, now) = (iteration.locals[local.index()], frame.locals[local.index()]);
            if !self.is_live(ended.head, local) || before == now {
                continue;
            }
            if let Some(first) = self.is_renewed(before?, now?, new, known)? {
                expected_at(&mut expected, first)?.locals.push(local);
            }
        }
        for slot in frame.state.memory.unshared(&iteration.memory) {
            let now = frame.state.memory.get(slot);
            let Some(now) = now.filter(|_| !overwritten.contains(&slot)) else {
                continue;
            };
            let before = self.memory_at(iteration, slot);
            if before == now {
                continue;
            }
            if let Some(first) = self.is_renewed(before, now, new, known)? {
                expected_at(&mut expected, first)?.slots.push(slot);
            }
        }
        expected
    }

    /// What private memory held.
    fn memory_at(&mut self, state: &LoopState, slot: SlotId) -> SymbolicValue {
        match state.memory.get(slot) {
            Some(value) => value,
            None => self.initial_value(slot),
        }
    }

    /// What a value was before it became `new`; nothing when it is what it was, and `None` when it has become
    /// something else.
    fn is_renewed(
        &mut self,
        before: SymbolicValue,
        now: SymbolicValue,
        new: TermId,
        known: &[TermId],
    ) -> Option<Option<TermId>> {
        if before.shadow.is_some() || now.shadow.is_some() {
            return None;
        }
        if under(&mut self.graph.terms, known, now.term) == before.term {
            return Some(None);
        }
        let equal = self.graph.terms.eq(new, before.term);
        let renewed = self.is_value_of(now.term, new, Some(equal), known);
        renewed.then_some(Some(before.term))
    }

    /// Whether a value is that of a read, on a path. A weak compare-exchange that fails for no reason has the
    /// value that it expected, which is `equal` to the one it read.
    fn is_value_of(
        &mut self,
        value: TermId,
        read: TermId,
        equal: Option<TermId>,
        known: &[TermId],
    ) -> bool {
        let Some(equal) = equal else {
            return under(&mut self.graph.terms, known, value) == read;
        };
        let terms = &mut self.graph.terms;
        let value = under(terms, known, value);
        let [no, yes] = [false, true].map(|truth| terms.bool(truth));
        let [if_not, if_so] = [no, yes].map(|truth| terms.replaced(value, equal, truth));
        let if_not = under(terms, known, if_not);
        let if_so = under(terms, known, if_so);
        if_not == read && (if_so == read || terms.eq(if_so, read) == equal)
    }

    /// Whether the path from a read to an iteration is the same whatever it returns; of a compare-exchange,
    /// as long as that is not `equal` to what it expects.
    fn comes_as_well(
        &mut self,
        last: EventId,
        equal: Option<TermId>,
        iteration: &LoopState,
    ) -> bool {
        let old = self.read_term(last);
        let before = conjuncts(&self.graph.terms, self.graph.events[last].guard);
        let no = self.graph.terms.bool(false);
        let parts = conjuncts(&self.graph.terms, iteration.guard).into_iter();
        let parts: Vec<TermId> = parts.filter(|part| !before.contains(part)).collect();
        parts.into_iter().all(|part| {
            let part = match equal {
                Some(equal) => self.graph.terms.replaced(part, equal, no),
                None => part,
            };
            self.graph.terms.is_true(part) || !self.mention(vec![part], old, None)
        })
    }

    /// Whether the thread writes in an iteration, which begins at some event, only to memory that other
    /// threads do not look at.
    fn writes_quietly(&mut self, from: usize, guard: TermId, quiet: &BTreeSet<SlotId>) -> bool {
        let own = self.events()[from..].to_vec();
        own.into_iter().all(|e| {
            let event = &self.graph.events[e];
            event.kind == EventKind::Read
                || matches!(event.kind, EventKind::Fence(_))
                || event
                    .cells
                    .iter()
                    .all(|c| quiet.contains(&self.cells.slot(*c)))
                || !self.is_on(e, guard)
        })
    }

    /// Whether the thread accesses only memory that other threads do not look at, and has no fences but
    /// those that come first and belong to an access before.
    fn is_quiet_between(
        &mut self,
        events: std::ops::Range<usize>,
        guard: TermId,
        quiet: &BTreeSet<SlotId>,
    ) -> bool {
        let own = self.events()[events].to_vec();
        let mut own = own
            .into_iter()
            .filter(|e| self.is_on(*e, guard))
            .collect::<Vec<_>>();
        let graph = &self.graph;
        let is_own = |e: &EventId| match graph.events[*e].kind {
            EventKind::Fence(tag) => !matches!(tag, FenceTag::Explicit(_)),
            _ => false,
        };
        let fences = own.iter().take_while(|e| is_own(e)).count();
        own.split_off(fences).into_iter().all(|e| {
            let event = &graph.events[e];
            let is_access = !matches!(event.kind, EventKind::Fence(_));
            is_access
                && event
                    .cells
                    .iter()
                    .all(|c| quiet.contains(&self.cells.slot(*c)))
        })
    }

    /// The last read on a path before an iteration, but for those of memory that other threads do not look at.
    fn last_read(
        &mut self,
        ended: &EndedIteration,
        quiet: &BTreeSet<SlotId>,
    ) -> Option<(usize, EventId)> {
        let own = self.events()[..ended.begun.events].to_vec();
        let own = own.into_iter().enumerate().rev();
        let mut reads = own.filter(|(_, e)| {
            let event = &self.graph.events[*e];
            let cells = &event.cells;
            event.kind == EventKind::Read
                && !cells.iter().all(|c| quiet.contains(&self.cells.slot(*c)))
        });
        let last = reads.next()?;
        self.is_sure(last.1, &ended.known).then_some(last)
    }

    /// Whether one read may stand for another one, behind it.
    fn stands_for(&self, last: EventId, read: EventId) -> bool {
        let (a, b) = (&self.graph.events[last], &self.graph.events[read]);
        a.cells.len() == 1
            && a.cells == b.cells
            && a.addr == b.addr
            && a.group.is_none()
            && b.group.is_none()
            && a.order.is_atomic()
            && match a.order == b.order && a.alternatives == b.alternatives {
                true => true,
                false => a.order == MemoryOrder::Relaxed && a.alternatives.is_empty(),
            }
    }

    /// What was expected when the iteration before began; `None` when that is not one value.
    fn expected_before(&mut self, expected: &Expected, before: &LoopState) -> Option<TermId> {
        let locals = expected.locals.iter().map(|l| before.locals[l.index()]);
        let mut values = Vec::new();
        for value in locals {
            values.push(value?.term);
        }
        for slot in &expected.slots {
            values.push(self.memory_at(before, *slot).term);
        }
        values.dedup();
        (values.len() == 1).then(|| values[0])
    }

    /// Whether nothing but the expected value comes from a read when the iteration begins, apart from its
    /// comparison with another one.
    fn is_for_expected_alone(
        &mut self,
        ended: &EndedIteration,
        source: &Source,
        expected: &Expected,
        overwritten: &BTreeSet<SlotId>,
    ) -> bool {
        let (iteration, position) = (ended.begun, source.position);
        let late = self.options.awaits.reading < Reading::Causal;
        let graph = &self.graph;
        let own = self.events();
        let events = own[position + 1..iteration.events].iter();
        let mut others: Vec<TermId> = events.map(|e| graph.events[*e].addr).collect();
        let since = |b: &&Branch| b.position > position || b.time >= iteration.time;
        let branches = self.loops.branches(self.threads.current());
        for branch in branches.take_while(since) {
            if branch.time < iteration.time {
                match branch.cond {
                    Some(cond) => others.push(cond),
                    None => return false,
                }
            }
        }
        if late {
            let checks = graph.checks[..iteration.checks].iter();
            let checks =
                checks.filter(|c| c.thread == self.threads.current() && c.position > position);
            others.extend(checks.clone().map(|check| check.cond));
            let unsupported = &graph.unsupported[..iteration.unsupported];
            let unresolved = &graph.unresolved[..iteration.unresolved];
            let guards = unsupported.iter().chain(unresolved).map(|u| u.guard);
            let known = conjuncts(&graph.terms, iteration.guard);
            let guards = guards.chain(checks.map(|check| check.guard));
            let parts = guards.flat_map(|guard| conjuncts(&graph.terms, guard));
            others.extend(parts.filter(|part| !known.contains(part)));
        }
        for local in self.program.procs[ended.head.0].locals.ids() {
            if self.is_live(ended.head, local) && !expected.locals.contains(&local) {
                others.extend(iteration.locals[local.index()].map(|value| value.term));
            }
        }
        for (slot, _) in ended.frame.state.memory.iter() {
            if !overwritten.contains(&slot) && !expected.slots.contains(&slot) {
                others.push(self.memory_at(iteration, slot).term);
            }
        }
        let old = self.read_term(source.read);
        !self.mention(others, old, source.equal)
    }

    /// Whether some terms are made of another one, but by `apart`, or may be.
    fn mention(&self, mut work: Vec<TermId>, what: TermId, apart: Option<TermId>) -> bool {
        let mut seen = FxHashSet::default();
        while let Some(term) = work.pop() {
            // Operands are older than what is made of them.
            if term < what || Some(term) == apart || !seen.insert(term) {
                continue;
            }
            if term == what || seen.len() > MAX_TERMS {
                return true;
            }
            work.extend(operands(self.graph.terms.get(term)).into_iter().flatten());
        }
        false
    }

    /// Whether the path has done nothing, since the iteration before began, that others may miss.
    fn did_nothing_since(
        &mut self,
        ended: &EndedIteration,
        before: &LoopState,
        quiet: &BTreeSet<SlotId>,
    ) -> bool {
        let frame = ended.frame;
        let branches = self.loops.branches(self.threads.current());
        let is_plain = branches
            .take_while(|b| b.time >= before.time)
            .all(|branch| branch.cond.is_some());
        is_plain
            && self.graph.threads.len() == before.threads
            && self.freed_nothing_older(before, frame)
            && self.remembers_the_same(before, frame, &ended.known)
            && self.writes_quietly(before.events, frame.state.guard, quiet)
    }

    /// Whether registers and memory are, where the iteration begins, as they were where the one before
    /// began, but for the expected value.
    fn is_as_before(
        &mut self,
        ended: &EndedIteration,
        before: &LoopState,
        expected: &Expected,
        overwritten: &BTreeSet<SlotId>,
    ) -> bool {
        let iteration = ended.begun;
        let same = |a: SymbolicValue, b: SymbolicValue| (a.term, a.shadow) == (b.term, b.shadow);
        for local in self.program.procs[ended.head.0].locals.ids() {
            if !self.is_live(ended.head, local) || expected.locals.contains(&local) {
                continue;
            }
            match (
                before.locals[local.index()],
                iteration.locals[local.index()],
            ) {
                (Some(a), Some(b)) if same(a, b) => {}
                (None, None) => {}
                _ => return false,
            }
        }
        let slots = iteration.memory.unshared(&before.memory).into_iter();
        let mut slots =
            slots.filter(|slot| !overwritten.contains(slot) && !expected.slots.contains(slot));
        slots.all(|slot| {
            let (a, b) = (
                self.memory_at(before, slot),
                self.memory_at(iteration, slot),
            );
            same(a, b)
        })
    }
}

/// Adds a place of the expected value, which is the same in all of them.
fn expected_at(expected: &mut Option<Expected>, first: TermId) -> Option<&mut Expected> {
    let expected = expected.get_or_insert_with(|| Expected {
        first,
        locals: Vec::new(),
        slots: Vec::new(),
    });
    (expected.first == first).then_some(expected)
}
