//! Loops and recursion: how often a back edge is taken, and when it is not.
//!
//! A back edge is taken as often as the bound allows. Beyond it the bound is reached,
//! unless
//! - the branches of the iteration are constant, so that no path has left it: such iterations do not
//!   count against the bound (at most [`MAX_FORCED`]; more where they touch private memory alone, see
//!   [`MAX_PRIVATE_STEPS`]),
//! - or the trip count follows by constant propagation ([`ir::trip_count`]): then the loop is
//!   unrolled completely (at most [`MAX_TRIP_COUNT`]).
//!
//! A loop that had to be followed too far nevertheless counts as non-terminating in the next pass, and
//! gets its bound like all others.
//!
//! **Awaits.** A back edge is not followed, and no bound is spent on it, when the iteration that
//! ends there changed nothing: such an iteration may be left out of any execution, and the one that
//! leaves the loop stands for all ([`super::idle`]). A loop that begins with a test
//! (`v = x; while (v) v = x;`) is looked at behind the test, too, where what was tested does not
//! matter any more. Where an iteration changes nothing on some executions of a path only, the path
//! goes on with the others.
//!
//! A weak compare-exchange that fails for no reason makes such an iteration of one whose failure
//! otherwise changes something: those executions alone are left out.

use super::event::*;
use super::executor::Executor;
use super::idle::{Idle, Sections};
use super::memory::SlotId;
use super::state::*;
use super::term::TermId;
use base::source::Span;
use ir::bounds::Trips;
use ir::program::*;
use ir::trip_count::{self, MAX_STEPS, Threads};
use std::collections::BTreeSet;
use std::rc::Rc;

/// How often a loop without an exit on the way is followed before it counts as non-terminating.
const MAX_FORCED: u32 = 600;
/// How many instructions a pass may have executed when such a loop is still followed further, where its
/// iterations touch nothing that threads share: that costs little.
const MAX_PRIVATE_STEPS: u64 = 1 << 20;
/// Instructions of the analysis by which the trip count of a loop is known that is cut.
const MAX_STEPS_OF_CUT: u32 = 1 << 17;
/// The largest trip count up to which a loop is unrolled completely.
const MAX_TRIP_COUNT: u32 = 128;

/// A back edge, when a path comes to it.
#[derive(Clone, Copy, Debug)]
struct Taken {
    /// How often the path took it before.
    count: u32,
    /// No path has left the loop in this iteration.
    forced: bool,
    /// The iteration made no events and no threads: following it costs little, so a limit for all
    /// loops does not count it.
    private: bool,
}

impl Executor<'_> {
    /// Notes what a path looks like where loops begin; false when it does so behind the first test
    /// of a loop and has changed nothing since it was there before.
    pub(super) fn begin_iterations(&mut self, id: ProcId, pc: usize, frame: &mut Frame) -> bool {
        let flow = self.analysis.flow(id);
        for back in &flow.head_of[pc] {
            let before = frame.loops.get(back);
            let now = LoopState {
                count: before.map_or(0, |l| l.count),
                end: before.and_then(|l| l.end),
                tested: before.and_then(|l| l.tested.clone()),
                before: before.map(|l| Rc::new(l.alone())),
                idled: before.is_some_and(|l| l.idled),
                ..self.iteration(frame)
            };
            frame.loops.insert(*back, now);
        }
        for back in &flow.tested[pc] {
            let Some(state) = frame.loops.get(back) else {
                continue;
            };
            let mut idled = false;
            if let Some(before) = state.tested.clone()
                && let Some(idle) = self.left_out((id, *back), pc, &before, frame)
                && self.graph.terms.is_true(idle.cond)
            {
                let shown = self.shown(&before, frame, &BTreeSet::new());
                self.note_spin((id, *back), &before, frame, &idle, shown);
                idled = !self.graph.terms.is_false(shown);
                if !idled {
                    self.leave_out((id, *back), &before, frame, &idle);
                    return false;
                }
                frame.state.guard = self.graph.terms.and(frame.state.guard, shown);
            }
            let now = Rc::new(LoopState {
                idled,
                ..self.iteration(frame)
            });
            if let Some(state) = frame.loops.get_mut(back) {
                state.tested = Some(now);
            }
        }
        true
    }

    /// What a path looks like now.
    fn iteration(&self, frame: &Frame) -> LoopState {
        LoopState {
            count: 0,
            end: None,
            tested: None,
            before: None,
            idled: false,
            guard: frame.state.guard,
            locals: frame.locals.clone(),
            memory: frame.state.memory.clone(),
            dead: frame.state.dead.clone(),
            notes: frame.state.notes.clone(),
            events: self.position(),
            all_events: self.graph.events.len(),
            threads: self.graph.threads.len(),
            checks: self.graph.checks.len(),
            unsupported: self.graph.unsupported.len(),
            unresolved: self.graph.unresolved.len(),
            choices: self.graph.choices.len(),
            time: self.progress.now(),
        }
    }

    /// Whether a path takes a back edge once more; counts it.
    pub(super) fn back_edge(&mut self, at: (ProcId, usize), span: Span, frame: &mut Frame) -> bool {
        let (id, pc) = at;
        let program = self.program;
        let Some(iteration) = frame.loops.get(&pc).cloned() else {
            // Jumped into the middle of the loop: there is no iteration to compare with.
            let taken = Taken {
                count: 0,
                forced: false,
                private: false,
            };
            return self.take_back_edge(at, span, frame, taken);
        };
        let head = match program.procs[id].body[pc].op {
            Op::Goto { target, .. } => target,
            _ => return false,
        };
        let made = self.graph.events.len() - iteration.all_events;
        self.loops.note_events(at, made);
        if let Some(l) = frame.loops.get_mut(&pc) {
            l.idled = false;
        }
        if let Some(idle) = self.left_out(at, head, &iteration, frame)
            && let Some(goes_on) = self.take_off(at, &iteration, frame, &idle, &BTreeSet::new())
        {
            return goes_on;
        }
        if self.leave_out_failures(at, head, &iteration, frame) {
            self.seen(at).awaits = true;
        }
        if let Some(found) = self.superseded((id, head), &iteration, frame)
            && let Some(goes_on) = self.take_off(at, &found.since, frame, &found.idle, &found.quiet)
        {
            return goes_on;
        }
        let taken = Taken {
            count: iteration.count,
            forced: frame.state.guard == iteration.guard,
            private: self.position() == iteration.events
                && self.graph.threads.len() == iteration.threads,
        };
        if !self.take_back_edge(at, span, frame, taken) {
            return false;
        }
        if let Some(l) = frame.loops.get_mut(&pc) {
            l.count += 1;
        }
        true
    }

    /// When a path is followed though what happened `since` may be left out: something goes wrong in it,
    /// and the path has not followed such a one before.
    fn shown(&mut self, since: &LoopState, frame: &Frame, quiet: &BTreeSet<SlotId>) -> TermId {
        match since.idled {
            true => self.graph.terms.bool(false),
            false => self.shows(since, frame.state.guard, quiet),
        }
    }

    /// Takes those executions off a path in which what happened `since` may be left out, but for those
    /// in which something goes wrong there; `None` where others are left, otherwise whether the path
    /// goes on.
    fn take_off(
        &mut self,
        at: (ProcId, usize),
        since: &LoopState,
        frame: &mut Frame,
        idle: &Idle,
        quiet: &BTreeSet<SlotId>,
    ) -> Option<bool> {
        let shown = self.shown(since, frame, quiet);
        self.note_spin(at, since, frame, idle, shown);
        if !self.graph.terms.is_true(shown) {
            self.leave_out(at, since, frame, idle);
        }
        let busy = self.graph.terms.not(idle.cond);
        let rest = self.graph.terms.or(busy, shown);
        frame.state.guard = self.graph.terms.and(frame.state.guard, rest);
        if self.graph.terms.is_false(frame.state.guard) {
            return Some(false);
        }
        if !self.graph.terms.is_true(idle.cond) {
            return None;
        }
        if let Some(l) = frame.loops.get_mut(&at.1) {
            l.idled = true;
        }
        Some(true)
    }

    /// Takes those executions off a path in which a compare-exchange of the iteration failed for no
    /// reason and nothing changed; whether there were any. What the others do next is all that they
    /// can do.
    fn leave_out_failures(
        &mut self,
        at: (ProcId, usize),
        head: usize,
        iteration: &LoopState,
        frame: &mut Frame,
    ) -> bool {
        let thread = self.threads.current();
        let mut any = false;
        let failures = self.loops.failures_since(thread, iteration.time);
        let failures: Vec<TermId> = failures.map(|failure| failure.fails).collect();
        for fails in failures {
            let mut failed = frame.clone();
            failed.state.guard = self.graph.terms.and(frame.state.guard, fails);
            let shown = self.shows(iteration, failed.state.guard, &BTreeSet::new());
            if self.graph.terms.is_false(failed.state.guard) || self.graph.terms.is_true(shown) {
                continue;
            }
            let idle = self.left_out(at, head, iteration, &failed);
            let always = |i: &Idle| i.section.is_none() && self.graph.terms.is_true(i.cond);
            if !idle.as_ref().is_some_and(always) {
                continue;
            }
            let not = self.graph.terms.not(fails);
            let rest = self.graph.terms.or(not, shown);
            frame.state.guard = self.graph.terms.and(frame.state.guard, rest);
            any = true;
        }
        any
    }

    /// Whether the iteration that ends here changed nothing.
    fn left_out(
        &mut self,
        (id, back): (ProcId, usize),
        head: usize,
        iteration: &LoopState,
        frame: &Frame,
    ) -> Option<Idle> {
        let flow = self.analysis.flow(id);
        let name = flow.names[back].as_ref();
        // Where a critical section may not be left out after all, the loop goes deeper.
        let deeper = &self.options.bounds.deeper;
        let sections = match name.is_some_and(|name| !deeper.contains_key(name)) {
            true => Sections::LeftOut,
            false => Sections::Followed,
        };
        self.idle((id, head), iteration, frame, sections)
    }

    /// Does not follow a path in executions in which its last iteration changed nothing.
    fn leave_out(
        &mut self,
        at: (ProcId, usize),
        iteration: &LoopState,
        frame: &Frame,
        idle: &Idle,
    ) {
        self.seen(at).awaits = true;
        let span = self.program.procs[at.0].body[at.1].span;
        let stops = self.graph.terms.and(frame.state.guard, idle.cond);
        self.stop(stops, span, StopReason::Await);
        if idle.section.is_some()
            && let Some(name) = self.analysis.flow(at.0).names[at.1].clone()
        {
            let guard = self.graph.terms.and(frame.state.guard, idle.cond);
            self.graph.bounds_reached.push(BoundReached {
                name,
                span: self.program.procs[at.0].body[at.1].span,
                bound: iteration.count,
                guard,
                section: idle.section,
                trips: Trips::Unknown,
            });
        }
    }

    /// Whether a back edge is taken once more.
    fn take_back_edge(
        &mut self,
        at: (ProcId, usize),
        span: Span,
        frame: &mut Frame,
        taken: Taken,
    ) -> bool {
        let count = taken.count;
        let name = self.analysis.flow(at.0).names[at.1].clone();
        let name = name.expect("only jumps back are counted");
        let bound = self.options.bounds.of(&name);
        let goes_on = count < bound.times
            || !bound.explicit
                && (taken.private || self.options.bounds.is_within_limit(count))
                && !self.facts.is_non_terminating(at)
                && self.terminates(at, frame, taken);
        let seen = self.seen(at);
        if goes_on {
            seen.most = seen.most.max(count + 1);
            return true;
        }
        seen.bound_reached = true;
        let trips = self.trips_of_cut(at, frame, count);
        self.graph.bounds_reached.push(BoundReached {
            name,
            span,
            bound: count,
            guard: frame.state.guard,
            section: None,
            trips,
        });
        false
    }

    /// How often a back edge is taken in all that is not followed any more.
    fn trips_of_cut(&mut self, at: (ProcId, usize), frame: &Frame, count: u32) -> Trips {
        if let Some(known) = self.loops.trips_of_cut(at) {
            return known;
        }
        let most = u32::MAX - count - 1;
        let failed = self.loops.undetermined(at);
        let steps = MAX_STEPS_OF_CUT >> failed.min(8);
        let trips = match self.trip_count_within(at, frame, most, steps) {
            Some(more) => Trips::Known(count + 1 + more),
            None if self.facts.is_non_terminating(at) => Trips::NonTerminating,
            None => Trips::Unknown,
        };
        self.loops.note_cut(at, trips);
        trips
    }

    /// Whether a loop that has used up its bound is followed nevertheless.
    fn terminates(&mut self, at: (ProcId, usize), frame: &mut Frame, taken: Taken) -> bool {
        let (count, forced) = (taken.count, taken.forced);
        let is_cheap = taken.private && self.progress.now() < MAX_PRIVATE_STEPS;
        if forced && (count < MAX_FORCED || is_cheap) {
            return true;
        }
        let Some(state) = frame.loops.get(&at.1) else {
            return false;
        };
        let (end, most) = (state.end, MAX_TRIP_COUNT.saturating_sub(count));
        let end = match end {
            Some(end) => Some(end),
            None => self.trip_count(at, frame, most).map(|n| count + 1 + n),
        };
        if end.is_some_and(|end| count < end) {
            if let Some(state) = frame.loops.get_mut(&at.1) {
                state.end = end;
            }
            return true;
        }
        if forced || end.is_some() {
            self.facts.note_non_terminating(at);
        }
        false
    }

    /// How often the back edge will still be taken after this time.
    fn trip_count(&mut self, at: (ProcId, usize), frame: &Frame, most: u32) -> Option<u32> {
        // A trip count that was unknown before hardly is known now.
        let failed = self.loops.undetermined(at);
        let trips = self.trip_count_within(at, frame, most, MAX_STEPS >> failed.min(8));
        if trips.is_none() {
            self.loops.note_undetermined(at);
        }
        trips
    }

    /// The same, found with so many instructions of the analysis.
    fn trip_count_within(
        &mut self,
        at: (ProcId, usize),
        frame: &Frame,
        most: u32,
        steps: u32,
    ) -> Option<u32> {
        let program = self.program;
        let known = |v: &Option<SymbolicValue>| v.and_then(|v| self.graph.terms.as_const(v.term));
        let registers = frame.locals.iter().map(known).collect();
        let memory = &mut |addr, width| self.known(&frame.state, addr, width);
        trip_count::trip_count(program, at.0, at.1, registers, memory, most, steps)
    }

    /// What is known of memory on a path.
    fn known(&mut self, state: &State, addr: u64, width: Width) -> Option<u64> {
        let (object, offset) = self.facts.locate(addr)?;
        let (offset, bytes) = (u64::try_from(offset).ok()?, u64::from(width) / 8);
        let mut number = 0;
        let mut low = 0;
        for slot in self.facts.known_pieces(object, offset, bytes)? {
            if self.threads.is_concurrent() && self.facts.is_shared(slot) && !self.is_known(slot) {
                return None;
            }
            let value = self.private_value(state, slot);
            number |= self.graph.terms.as_const(value.term)? << low;
            low += self.facts.slots[slot].width;
        }
        Some(number)
    }

    /// Whether a procedure may be called once more on a path: `None` when not. Otherwise the
    /// procedure, when that is so because its recursion ends by itself.
    pub(super) fn recurs(
        &mut self,
        proc: ProcId,
        args: &[SymbolicValue],
        state: &State,
        span: Span,
    ) -> Option<Option<ProcId>> {
        let depth = self.threads.calls().depth(proc);
        let bound = self.options.bounds.of(&self.program.procs[proc].name);
        let mut returning = None;
        let mut goes_on = depth <= bound.times;
        if !goes_on && !bound.explicit && self.recurs_within_limits(depth) {
            goes_on =
                self.loops.is_returning(proc) || self.returns(proc, args, state, Threads::Ignored);
            returning = goes_on.then_some(proc);
        }
        self.deeper(proc, depth, goes_on, state.guard, span);
        goes_on.then_some(returning)
    }

    /// Whether a thread of this procedure may be created once more: threads that create threads of
    /// their own procedure recur as calls do.
    pub(super) fn creates(
        &mut self,
        proc: ProcId,
        arg: SymbolicValue,
        guard: TermId,
        state: &State,
        span: Span,
    ) -> bool {
        let parent = |t: &ThreadId| self.graph.threads[*t].parent;
        let line = std::iter::successors(Some(self.threads.current()), parent);
        let line: Vec<ThreadId> = line.filter(|t| self.threads.runs(*t) == proc).collect();
        let depth = line.len() as u32;
        let bound = self.options.bounds.of(&self.program.procs[proc].name);
        let forced = line
            .first()
            .is_some_and(|t| self.graph.threads[*t].guard == guard);
        let goes_on = depth <= bound.times
            || !bound.explicit
                && self.recurs_within_limits(depth)
                && (forced || self.returns(proc, &[arg], state, Threads::Called));
        self.deeper(proc, depth, goes_on, guard, span);
        goes_on
    }

    /// Recursion that ends by itself may be followed once more that is so deep.
    fn recurs_within_limits(&self, depth: u32) -> bool {
        depth <= MAX_TRIP_COUNT && self.options.bounds.is_within_limit(depth.saturating_sub(1))
    }

    /// Whether a call returns by itself.
    fn returns(
        &mut self,
        proc: ProcId,
        args: &[SymbolicValue],
        state: &State,
        threads: Threads,
    ) -> bool {
        let program = self.program;
        let known = |a: &SymbolicValue| self.graph.terms.as_const(a.term);
        let args: Vec<Option<u64>> = args.iter().map(known).collect();
        let memory = &mut |addr, width| self.known(state, addr, width);
        trip_count::returns(program, proc, &args, memory, threads)
    }

    /// Notes how deep a procedure recurs, and where it does no more.
    fn deeper(&mut self, proc: ProcId, depth: u32, goes_on: bool, guard: TermId, span: Span) {
        if depth > 0 {
            let seen = self.graph.recursions.entry(proc).or_default();
            seen.most = seen.most.max(depth - u32::from(!goes_on));
            seen.bound_reached |= !goes_on;
        }
        if !goes_on {
            let name = self.program.procs[proc].name.clone();
            let bound = self.options.bounds.of(&name).times;
            self.graph.bounds_reached.push(BoundReached {
                name,
                span,
                bound,
                guard,
                section: None,
                trips: Trips::Unknown,
            });
        }
    }

    /// What has been seen of a loop so far.
    fn seen(&mut self, at: (ProcId, usize)) -> &mut Unwinding {
        self.graph.loops.entry(at).or_default()
    }
}
