//! Atomic groups, and sections that end with the process or not at all.
//!
//! A section is one step. A thread that comes to `abort`, `exit`, a failed assumption or a wait that does
//! not end within its section has not made that step: the process is over, or the execution is none, and
//! nobody sees what the section has written so far. But the thread itself has come there, so what fails
//! within the section does fail.
//!
//! So an execution may have a section that does not end, as the last thing that happens: no other thread
//! reads from its writes, or writes after them ([`Unseen`]). Two such sections may each have to be the
//! last, and others would be missed with them. So a thread may also stop before such a section: an
//! arbitrary truth value says whether it begins. Which sections need that is an assumption that passes
//! refine (`Facts::is_unfinished`); those that write nothing do not, as they can always come last.

use super::event::*;
use super::executor::Executor;
use super::state::{State, conjuncts};
use super::term::TermId;
use base::source::Span;
use ir::program::{Atomicity, FenceTag, ProcId};

impl Executor<'_> {
    /// Begins an atomic group, or goes deeper into the one that is open.
    pub(super) fn begin_group(
        &mut self,
        state: &mut State,
        kind: Atomicity,
        site: (ProcId, usize),
        span: Span,
    ) {
        if let Some((_, depth)) = &mut state.group {
            *depth += 1;
            return;
        }
        if kind == Atomicity::Section {
            if self.facts.is_unfinished(site) {
                self.may_stop_before(state);
            }
            self.fence(state, FenceTag::Group, span, &[]);
        }
        let group = self.group(kind, site);
        state.group = Some((group, 1));
    }

    /// Ends the innermost atomic group.
    pub(super) fn end_group(&mut self, state: &mut State, span: Span) {
        let Some((group, depth)) = state.group else {
            let reason = "the end of an atomic section that was not begun".to_string();
            self.unsupported(state.guard, span, reason);
            return;
        };
        if depth > 1 {
            state.group = Some((group, depth - 1));
            return;
        }
        self.leave_group(state);
        state.group = None;
        if self.graph.groups[group].kind == Atomicity::Section {
            self.fence(state, FenceTag::Group, span, &[]);
        }
    }

    /// The open group of a path ends here: with the instruction that ends it, or with its thread.
    pub(super) fn leave_group(&mut self, state: &State) {
        if let Some((group, _)) = state.group {
            self.graph.groups[group].ends.push(state.guard);
        }
    }

    /// A new atomic group, or the one that all threads have together.
    fn group(&mut self, kind: Atomicity, site: (ProcId, usize)) -> GroupId {
        let is_shared = |g: &AtomicGroup| kind == Atomicity::Snapshot && g.kind == kind;
        let groups = &self.graph.groups;
        let known = groups.ids().find(|id| is_shared(&groups[*id]));
        known.unwrap_or_else(|| {
            self.graph.groups.push(AtomicGroup {
                kind,
                events: Vec::new(),
                site: Some(site),
                ends: Vec::new(),
            })
        })
    }

    /// In some executions the path ends before a section.
    fn may_stop_before(&mut self, state: &mut State) {
        let begins = self.nondet(1).term;
        let stops = self.graph.terms.not(begins);
        let stops = self.graph.terms.and(state.guard, stops);
        self.graph.unbegun.push((self.threads.current(), stops));
        state.guard = self.graph.terms.and(state.guard, begins);
    }

    /// Finds the writes of sections that paths do not come to the end of, once all threads have been
    /// executed. Threads that such a section has created would have to wait for its end.
    pub(super) fn unfinished_sections(&mut self) {
        let created = self.deferred.take_created_inside();
        for id in self.graph.groups.ids().collect::<Vec<_>>() {
            let group = &self.graph.groups[id];
            let (Atomicity::Section, Some(site)) = (group.kind, group.site) else {
                continue;
            };
            let (events, ends) = (group.events.clone(), group.ends.clone());
            let ended = self.graph.terms.any(&ends);
            let writes = events.into_iter();
            let writes = writes.filter(|e| self.graph.events[*e].kind.writes());
            for write in writes.collect::<Vec<_>>() {
                let guard = self.graph.events[write].guard;
                if let Some(when) = self.without_end(guard, ended) {
                    self.graph.unseen.push(Unseen { write, when });
                    self.facts.note_unfinished(site);
                }
            }
            for created in created.iter().filter(|created| created.group == id) {
                if let Some(when) = self.without_end(created.guard, ended) {
                    let reason = "a thread created in an atomic section that does not end";
                    self.unsupported(when, created.span, reason.to_string());
                }
            }
        }
    }

    /// When what has this guard happens and the section does not end; `None`: never.
    fn without_end(&mut self, guard: TermId, ended: TermId) -> Option<TermId> {
        let terms = &mut self.graph.terms;
        let known = conjuncts(terms, guard);
        if terms.is_true(ended) || conjuncts(terms, ended).iter().all(|c| known.contains(c)) {
            return None;
        }
        let open = terms.not(ended);
        let when = terms.and(guard, open);
        (!terms.is_false(when)).then_some(when)
    }
}
