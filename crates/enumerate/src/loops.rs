//! Loops of a thread, and procedures that call themselves: how often they are followed.
//!
//! The bound on loops is counted as everywhere in the tool: how often a back edge is taken, except
//! that an iteration which branches on nothing that executions decide is free, that a loop which
//! ends by itself ([`ir::trip_count`]) is followed to its end, and that an iteration which
//! changes nothing ([`super::idle`]) is not taken at all (an await). Where something goes wrong in it, or races
//! are looked for, it is followed once more: what comes behind the loop may belong to it.

use super::interpreter::Interpreter;
use super::thread_state::{Loop, ThreadState};
use super::trace::*;
use super::value::ConcreteValue;
use base::source::Span;
use ir::awaits::may_wait;
use ir::bounds::loop_name;
use ir::program::*;
use ir::trip_count::{self, MAX_STEPS, Threads};
use std::rc::Rc;

/// How often a loop that does not branch is followed.
const MAX_FORCED: u32 = 600;
/// How many instructions a thread may have executed when such a loop is still followed further, where its
/// iterations touch nothing that threads share.
const MAX_PRIVATE_STEPS: u64 = 1 << 18;
/// How often a loop that ends by itself is followed at most.
const MAX_TRIP_COUNT: u32 = 128;

impl Interpreter<'_> {
    /// Notes what the thread looks like where loops begin.
    pub(super) fn begin_iterations(&self, state: &mut ThreadState) {
        let Some(frame) = state.frames.last() else {
            return;
        };
        let heads = &self.code[frame.proc].heads[frame.pc];
        let fresh = |before: Option<&Loop>| Loop {
            count: before.map_or(0, |l| l.count),
            end: before.and_then(|l| l.end),
            idled: before.is_some_and(|l| l.idled),
            branches: state.branches,
            violated: state.violated.len(),
            events: state.events.len(),
            spawned: state.spawned.len(),
            arbitrary: state.arbitrary,
            allocated: state.allocated.len(),
            dead: state.dead.clone(),
            remembered: state.remembered.clone(),
            locals: frame.locals.clone(),
            store: state.store.clone(),
        };
        let begun: Vec<(usize, Loop)> = heads
            .iter()
            .map(|back| (*back, fresh(frame.loops.get(back))))
            .collect();
        if let Some(frame) = state.frames.last_mut() {
            frame.loops.extend(begun);
        }
    }

    pub(super) fn jump(
        &self,
        state: &mut ThreadState,
        at: (ProcId, usize),
        target: usize,
        span: Span,
    ) {
        let back = target <= at.1;
        let idle = back && self.is_idle(state, at, target);
        let branches = state.branches;
        let may_race = idle && self.may_race(state, at);
        let looks_at_objects = idle && self.looks_at_objects(state, at);
        let Some(frame) = state.frames.last_mut() else {
            return;
        };
        frame.pc = target;
        if !back {
            return;
        }
        let iteration = frame.loops.get_mut(&at.1);
        if let (true, Some(iteration)) = (idle, &iteration) {
            let shows = may_race || looks_at_objects || state.violated.len() > iteration.violated;
            if iteration.idled || !shows {
                let is_arbitrary = state.arbitrary > iteration.arbitrary;
                let from = iteration.events;
                state.idles_from = Some(from);
                let is_await = may_wait(&self.program.procs[at.0], at.1);
                let spinning = spinning(&state.events, from, is_await).filter(|_| !is_arbitrary);
                state.end = Some(match spinning {
                    Some(spinning) => End::Spins(spinning, span),
                    None => End::Blocked("this loop waits", span),
                });
                return;
            }
        }
        if let Some(iteration) = iteration {
            iteration.idled = idle;
            if idle {
                return;
            }
        }
        let iteration = frame.loops.get_mut(&at.1);
        let count = iteration.as_ref().map_or(0, |l| l.count);
        let forced = iteration.as_ref().is_some_and(|l| l.branches == branches);
        let is_private = iteration
            .as_ref()
            .is_some_and(|l| (l.events, l.spawned) == (state.events.len(), state.spawned.len()));
        if let Some(iteration) = iteration {
            iteration.count += 1;
        }
        if !self.goes_on(state, at, count, (forced, is_private)) {
            let name = &self.program.procs[at.0].name;
            state.notes.push((format!("a loop of `{name}`"), span));
            state.end = Some(End::BoundReached);
        }
    }

    /// Whether a back edge may be taken that was taken `count` times before.
    fn goes_on(
        &self,
        state: &mut ThreadState,
        at: (ProcId, usize),
        count: u32,
        (forced, is_private): (bool, bool),
    ) -> bool {
        let bounds = &self.options.bounds;
        if count < bounds.least() {
            return true;
        }
        let bound = bounds.of(&loop_name(&self.program.procs[at.0], at.1));
        if count < bound.times || bound.explicit {
            return count < bound.times;
        }
        if !bounds.is_within_limit(count) {
            return false;
        }
        if forced && (count < MAX_FORCED || is_private && state.steps < MAX_PRIVATE_STEPS) {
            return true;
        }
        let Some(frame) = state.frames.last() else {
            return false;
        };
        let end = frame.loops.get(&at.1).and_then(|l| l.end);
        let end = end.or_else(|| {
            let known =
                |v: &Option<ConcreteValue>| v.as_ref().filter(|v| v.fixed).map(|v| v.number);
            let registers = frame.locals.iter().map(known).collect();
            let memory = &mut |addr, width| known_at(state, addr, width);
            let most = MAX_TRIP_COUNT.saturating_sub(count);
            // A trip count that was unknown before hardly is known now.
            let failed = self.undetermined.borrow().get(&at).copied().unwrap_or(0);
            let more = trip_count::trip_count(
                self.program,
                at.0,
                at.1,
                registers,
                memory,
                most,
                MAX_STEPS >> failed.min(8),
            );
            if more.is_none() {
                self.undetermined.borrow_mut().insert(at, failed + 1);
            }
            more.map(|n| count + 1 + n)
        });
        if let Some(frame) = state.frames.last_mut()
            && let Some(iteration) = frame.loops.get_mut(&at.1)
        {
            iteration.end = end;
        }
        end.is_some_and(|end| count < end)
    }

    /// Whether a procedure may be called once more that has been so often, or a thread of it created.
    pub(super) fn recurs(
        &self,
        state: &ThreadState,
        (callee, depth): (ProcId, u32),
        args: &[ConcreteValue],
        threads: Threads,
    ) -> bool {
        let bound = self.options.bounds.of(&self.program.procs[callee].name);
        let is_within_limit = self.options.bounds.is_within_limit(depth.saturating_sub(1));
        if depth <= bound.times || bound.explicit || depth > MAX_TRIP_COUNT || !is_within_limit {
            return depth <= bound.times;
        }
        let args: Vec<Option<u64>> = args.iter().map(|a| a.fixed.then_some(a.number)).collect();
        let memory = &mut |addr, width| known_at(state, addr, width);
        trip_count::returns(self.program, callee, &args, memory, threads)
    }
}

/// The iteration that began with so many events of a thread, and changed nothing.
fn spinning(events: &[Rc<Event>], from: usize, is_await: bool) -> Option<Spinning> {
    let of_kind = |kind| -> Vec<usize> {
        let all = from..events.len();
        all.filter(|at| events[*at].kind == kind).collect()
    };
    let writes = of_kind(ActionKind::Write);
    let role = |at: usize| match events[at].order {
        MemoryOrder::Library(role) => Some(role),
        _ => None,
    };
    let mutex = match writes[..] {
        // A mutex that is given back and taken again is a wait for a condition, which the library has.
        [first, ..] if role(first) == Some(Role::Release) => return None,
        [first, _] if role(first) == Some(Role::Lock) => Some(events[first].addr),
        _ => None,
    };
    Some(Spinning {
        is_await,
        reads: of_kind(ActionKind::Read),
        writes,
        mutex,
    })
}

/// What is known of the memory that only this thread uses.
fn known_at(state: &ThreadState, addr: u64, width: Width) -> Option<u64> {
    let (mut number, mut low) = (0, 0);
    while low < width {
        let value = state.store.get(&(addr + u64::from(low) / 8))?;
        if !value.fixed || low + value.width > width {
            return None;
        }
        number |= value.number << low;
        low += value.width;
    }
    Some(number)
}
