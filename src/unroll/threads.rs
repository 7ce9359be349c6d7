//! Threads: running one, creating one, waiting for one.
//!
//! Creation and join synchronise memory fully (POSIX, "memory synchronization"): a fence on the
//! side of the creator and of the waiter, and program order across (`relations::bounds`). A creation that
//! no event precedes has no fence, as there is nothing to order.

use super::UnrollError;
use super::calls::Called;
use super::deferred::{CreatedInside, Joining};
use super::deps::DepSets;
use super::event::*;
use super::executor::Executor;
use super::instances::{Birth, End, Ended};
use super::memory::ThreadKey;
use super::notes::Notes;
use super::state::*;
use super::term::{Term, TermId, operands};
use base::idx::Id;
use base::source::Span;
use ir::program::*;
use rustc_hash::FxHashSet;
use std::rc::Rc;

impl Executor<'_> {
    pub(super) fn run_thread(
        &mut self,
        key: ThreadKey,
        proc: ProcId,
        args: Vec<SymbolicValue>,
        state: State,
        parent: Option<ThreadId>,
        span: Span,
    ) -> Result<(), UnrollError> {
        let no = self.graph.terms.bool(false);
        let created_after = parent.map_or(0, |p| self.graph.threads[p].events.len());
        let id = self.graph.threads.push(Thread {
            name: self.program.procs[proc].name.clone(),
            parent,
            created_after,
            guard: state.guard,
            ended: no,
            events: Vec::new(),
            span,
            handle: Self::handle_of(key),
        });
        let outer = self.threads.begin(Birth {
            key,
            parent,
            runs: proc,
            time: self.progress.now(),
        });
        let width = self.program.data_model.pointer_width();
        let called = Called {
            proc,
            is_result_used: true,
        };
        let mut ends = Vec::new();
        if let Some((mut state, value)) = self.run_proc(called, args, state)? {
            match parent {
                None => self.graph.halts.push(state.guard),
                Some(_) => {
                    self.end_of_thread_locals(&mut state, self.program.procs[proc].span);
                    self.leave_group(&state);
                }
            }
            let value = match value {
                Some(v) => self.resize(v, width),
                None => self.indeterminate(state.guard, width),
            };
            ends.push((state, value));
        }
        let mut exits = self.threads.take_exits();
        exits.iter().for_each(|(state, _)| self.leave_group(state));
        ends.append(&mut exits);
        let mut joined: Option<(State, SymbolicValue)> = None;
        for (state, value) in ends {
            joined = Some(match joined {
                None => (state, value),
                Some((s, v)) => {
                    let (s, cond) = self.merge(s, state);
                    (
                        s,
                        choose(&mut self.graph.terms, &mut self.deps, cond, v, value),
                    )
                }
            });
        }
        let end = joined.map(|(state, returned)| {
            self.graph.threads[id].ended = state.guard;
            let left = Ended {
                objects: state.dead,
                names: state.gone,
            };
            End { returned, left }
        });
        self.threads.finish(end, outer);
        Ok(())
    }

    pub(super) fn resize(&mut self, v: SymbolicValue, width: Width) -> SymbolicValue {
        let mut fit = |term| {
            let term = self.graph.terms.truncate(term, width);
            self.graph.terms.extend(term, width, false)
        };
        SymbolicValue {
            term: fit(v.term),
            shadow: v.shadow.map(fit),
            ..v
        }
    }

    pub(super) fn handle_of(key: ThreadKey) -> u64 {
        key.index() as u64 + 1
    }

    /// Whether this thread, or one that it descends from, has an event so far.
    fn has_past(&self) -> bool {
        let threads = &self.graph.threads;
        let mut line = std::iter::successors(Some(self.threads.current()), |t| threads[*t].parent);
        line.any(|t| !threads[t].events.is_empty())
    }

    pub(super) fn spawn(
        &mut self,
        at: (ProcId, usize),
        span: Span,
        frame: &mut Frame,
        callee: &Callee,
        arg: SymbolicValue,
    ) -> Result<SymbolicValue, UnrollError> {
        if !self.threads.is_concurrent() {
            self.threads.become_concurrent();
            for (slot, value) in frame.state.memory.iter() {
                let before = self.initial_value(slot);
                self.cells.replace_initial(slot, before, value);
            }
            frame.state.flushed = true;
        }
        self.flush(&mut frame.state, span);
        if let Some((group, _)) = frame.state.group {
            self.deferred.created_inside(CreatedInside {
                group,
                guard: frame.state.guard,
                span,
            });
        }
        if self.has_past() {
            let tag = FenceTag::Explicit(Fence::Posix);
            self.fence(&mut frame.state, tag, span, &[]);
        }
        let occurrence = self.threads.count_occurrence(at);
        let width = self.program.data_model.pointer_width();
        let mut handle = self.constant(0, width);
        let (mut conditions, mut known) = (Vec::new(), Vec::new());
        for (proc, cond) in self.callees(callee, frame, span) {
            known.push(cond);
            let guard = self.graph.terms.and(frame.state.guard, cond);
            if self.graph.terms.is_false(guard) {
                continue;
            }
            if !self.creates(proc, arg, guard, &frame.state, span) {
                conditions.push(self.graph.terms.not(cond));
                continue;
            }
            self.progress.advance();
            let key = self
                .facts
                .thread(Some(self.threads.key()), at, occurrence, proc);
            let allowed = self.thread_is_made(&frame.state, Self::handle_of(key));
            let guard = self.graph.terms.and(guard, allowed);
            let other = self.graph.terms.not(cond);
            conditions.push(self.graph.terms.or(other, allowed));
            let params = &self.program.procs[proc].params;
            let mut args = Vec::new();
            for (i, p) in params.iter().enumerate() {
                let width = self.program.procs[proc].locals[*p].width;
                args.push(if i == 0 {
                    let plain = SymbolicValue {
                        deps: DepSets::EMPTY,
                        ..arg
                    };
                    self.resize(plain, width)
                } else {
                    self.choice(guard, width)
                });
            }
            let state = State {
                guard,
                memory: frame.state.memory.clone(),
                ctrl: DepSets::EMPTY,
                scopes: Rc::default(),
                group: None,
                reservation: Rc::default(),
                dead: frame.state.dead.clone(),
                gone: frame.state.gone.clone(),
                notes: Notes::default(),
                held: Rc::default(),
                flushed: true,
            };
            self.run_thread(key, proc, args, state, Some(self.threads.current()), span)?;
            let this = self.constant(Self::handle_of(key), width);
            handle = choose(&mut self.graph.terms, &mut self.deps, cond, this, handle);
        }
        // What cannot be called starts no thread, and the path ends there.
        conditions.push(self.graph.terms.any(&known));
        let goes_on = self.graph.terms.all(&conditions);
        frame.state.guard = self.graph.terms.and(frame.state.guard, goes_on);
        self.progress.advance();
        Ok(handle)
    }

    pub(super) fn join(
        &mut self,
        span: Span,
        frame: &mut Frame,
        handle: SymbolicValue,
    ) -> SymbolicValue {
        let width = self.program.data_model.pointer_width();
        let reached = frame.state.guard;
        let waited = self
            .deps
            .union(frame.state.ctrl, handle.deps, &mut self.graph.terms);
        frame.state.ctrl = waited;
        let position = self.position();
        let mut options = Vec::new();
        let mut result = self.nondet(width);
        let known = self.graph.terms.as_const(handle.term);
        let executed: Vec<ThreadId> = self.threads.done().collect();
        for thread in executed.iter().copied() {
            let number = Self::handle_of(self.threads.key_of(thread));
            if known.is_some_and(|handle| handle != number) {
                continue;
            }
            let number = self.graph.terms.constant(number, width);
            let this = self.graph.terms.eq(handle.term, number);
            let ended = self.graph.threads[thread].ended;
            let passed = self.graph.terms.and(this, ended);
            if self.graph.terms.is_false(passed) {
                continue;
            }
            options.push(passed);
            self.has_gone(&mut frame.state, thread, passed);
            let cond = self.graph.terms.and(reached, this);
            self.graph.joins.push(JoinEdge {
                joined: thread,
                thread: self.threads.current(),
                position,
                cond,
            });
            if let Some(end) = self.threads.end_of(thread) {
                let value = SymbolicValue {
                    deps: DepSets::EMPTY,
                    ..end.returned
                };
                result = choose(&mut self.graph.terms, &mut self.deps, this, value, result);
            }
        }
        let passed = self.graph.terms.any(&options);
        let stays = self.graph.terms.not(passed);
        let waits = self.graph.terms.and(reached, stays);
        if !self.graph.terms.is_false(waits) {
            self.deferred.join(Joining {
                thread: self.threads.current(),
                span,
                waits,
                handle: handle.term,
                executed,
            });
        }
        frame.state.guard = self.graph.terms.and(reached, passed);
        self.fence(
            &mut frame.state,
            FenceTag::Explicit(Fence::Posix),
            span,
            &[],
        );
        result
    }

    /// The thread stops here when `guard` holds.
    pub(super) fn stop(&mut self, guard: TermId, span: Span, reason: StopReason) {
        if !self.graph.terms.is_false(guard) {
            self.graph.stops.push(Stop {
                thread: self.threads.current(),
                span,
                guard,
                reason,
            });
        }
    }

    /// A wait for what memory says: the path goes on where the condition holds.
    pub(super) fn wait(
        &mut self,
        state: &mut State,
        cond: SymbolicValue,
        value: SymbolicValue,
        span: Span,
    ) {
        let stays = self.graph.terms.not(cond.term);
        let guard = self.graph.terms.and(state.guard, stays);
        if !self.graph.terms.is_false(guard) {
            let reads = self.reads_in(value.term);
            self.graph.waits.push(Wait {
                thread: self.threads.current(),
                span,
                guard,
                reads,
            });
        }
        state.ctrl = self
            .deps
            .union(state.ctrl, cond.deps, &mut self.graph.terms);
        state.guard = self.graph.terms.and(state.guard, cond.term);
    }

    /// The reads a value may be made of: which one a choice takes depends on an address, and a value that is kept
    /// in bytes is put together of several.
    fn reads_in(&self, value: TermId) -> Vec<EventId> {
        let (mut work, mut seen) = (vec![value], FxHashSet::default());
        let mut reads = Vec::new();
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            match self.graph.terms.get(term) {
                Term::Read(e) => reads.push(e),
                Term::Ite(_, a, b) => work.extend([b, a]),
                term => work.extend(operands(term).into_iter().flatten()),
            }
        }
        reads
    }

    /// What becomes of the joins that did not go on at once: one waits forever for a thread that
    /// there is and that does not end. Nothing can be said of one for a thread that was executed
    /// later than the join, and ends; one for no thread at all is misuse ([`super::notes`]).
    pub(super) fn joins_that_wait(&mut self) {
        let width = self.program.data_model.pointer_width();
        for join in self.deferred.take_joins() {
            let (mut running, mut later) = (Vec::new(), Vec::new());
            for thread in self.graph.threads.ids() {
                let number = Self::handle_of(self.threads.key_of(thread));
                let number = self.graph.terms.constant(number, width);
                let this = self.graph.terms.eq(join.handle, number);
                let ended = self.graph.threads[thread].ended;
                let runs = self.graph.terms.not(ended);
                running.push(self.graph.terms.and(this, runs));
                if !join.executed.contains(&thread) {
                    later.push(self.graph.terms.and(this, ended));
                }
            }
            let later = self.graph.terms.any(&later);
            let guard = self.graph.terms.and(join.waits, later);
            let reason = "a join whose thread could not be determined".to_string();
            self.unsupported(guard, join.span, reason);
            let running = self.graph.terms.any(&running);
            let guard = self.graph.terms.and(join.waits, running);
            if !self.graph.terms.is_false(guard) {
                self.graph.waits.push(Wait {
                    thread: join.thread,
                    span: join.span,
                    guard,
                    reads: Vec::new(),
                });
            }
        }
    }
}
