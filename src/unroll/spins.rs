//! Loops in which a thread may spin forever.
//!
//! Lahav, Namakonov, Oberhauser, Podkopaev, Vafeiadis: Making weak memory models fair (OOPSLA 2021). An infinite
//! execution is fair if each thread goes on that can, and no write stays invisible: only finitely many reads
//! read from a write that another one follows in coherence. So a thread that spins forever reads what is last in coherence, from
//! some iteration on. A finite execution shows that: it ends with an iteration that changes nothing
//! ([`super::idle`]) and reads only what is last. The infinite one repeats it. What is added has nothing behind it: no read of it is
//! followed by a write, and no other thread reads what it writes but for the value that was there. So the model
//! allows it, too.
//!
//! An iteration that ends as it does because of an arbitrary value is not repeated forever: a compare-exchange
//! that fails for no reason, an input, a time limit. Nor is one that waits for a condition variable and was woken: the library
//! has such a wait ([`Wait`]).

use super::event::*;
use super::executor::Executor;
use super::idle::Idle;
use super::state::{Frame, LoopState, conjuncts};
use super::term::{Term, TermId, operands};
use ir::awaits::may_wait;
use ir::program::ProcId;
use rustc_hash::FxHashSet;

impl Executor<'_> {
    /// Notes that a path may end here with an iteration that is repeated forever, unless it is followed.
    pub(super) fn note_spin(
        &mut self,
        back: (ProcId, usize),
        begun: &LoopState,
        frame: &Frame,
        idle: &Idle,
        followed: TermId,
    ) {
        if !self.options.awaits.progress || !idle.repeats {
            return;
        }
        let thread = self.threads.current();
        let failures = self.loops.failures_since(thread, begun.time);
        let (mut fails, mut attempts) = (vec![followed], FxHashSet::default());
        for failure in failures {
            fails.push(failure.fails);
            attempts.insert(failure.attempt);
        }
        let terms = &mut self.graph.terms;
        let stays = terms.and(frame.state.guard, idle.cond);
        let other = terms.any(&fails);
        let as_before = terms.not(other);
        let guard = terms.and(stays, as_before);
        let chosen = self.graph.choices[begun.choices..].iter();
        let chosen = chosen.filter(|choice| choice.thread == thread);
        let values = chosen.filter_map(|choice| match choice.what {
            // What the program asks for, and whether a conditional store succeeds.
            ChoiceKind::Value(term) => {
                let is_input = choice.span.is_some() || self.graph.terms.width(term) == 1;
                is_input.then_some(term)
            }
            _ => None,
        });
        let chosen: FxHashSet<TermId> = values.filter(|v| !attempts.contains(v)).collect();
        let before = conjuncts(&self.graph.terms, begun.guard);
        let mut since = conjuncts(&self.graph.terms, stays);
        since.retain(|part| !before.contains(part));
        if self.graph.terms.is_false(guard) || self.depends_on(&since, &chosen) {
            return;
        }
        let own = self.events()[begun.events..].to_vec();
        let of_kind = |this: &mut Self, kind| -> Vec<EventId> {
            let mut all = own.clone();
            all.retain(|e| this.graph.events[*e].kind == kind && this.is_on(*e, stays));
            all
        };
        let reads = of_kind(self, EventKind::Read);
        let writes = of_kind(self, EventKind::Write);
        self.graph.spins.push(Spin {
            thread,
            back,
            span: self.program.procs[back.0].body[back.1].span,
            guard,
            is_await: may_wait(&self.program.procs[back.0], back.1),
            reads,
            writes,
            section: idle.section,
        });
    }

    /// Whether some of these values are in terms.
    fn depends_on(&self, terms: &[TermId], values: &FxHashSet<TermId>) -> bool {
        if values.is_empty() {
            return false;
        }
        let (mut open, mut seen) = (terms.to_vec(), FxHashSet::default());
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            if values.contains(&term) {
                return true;
            }
            let term: Term = self.graph.terms.get(term);
            open.extend(operands(term).into_iter().flatten());
        }
        false
    }
}
