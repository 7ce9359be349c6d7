//! What threads do with the objects of the library: what each remembers, and what all together may
//! do only once.
//!
//! Joining a thread or initialising a mutex is checked when all threads have been executed, in pairs.

use super::deferred::Claim;
use super::event::*;
use super::executor::Executor;
use super::state::{Frame, LoopState, State, under};
use super::term::TermId;
use base::source::Span;
use ir::program::*;

impl Executor<'_> {
    pub(super) fn set_note(&mut self, state: &mut State, key: TermId, value: TermId, when: TermId) {
        state.notes.set(&mut self.graph.terms, key, value, when);
    }

    pub(super) fn get_note(&mut self, state: &State, key: TermId) -> TermId {
        state.notes.get(&mut self.graph.terms, key)
    }

    /// True when a path remembers what it did when the iteration began.
    pub(super) fn remembers_the_same(
        &mut self,
        iteration: &LoopState,
        frame: &Frame,
        known: &[TermId],
    ) -> bool {
        let (before, now) = (&iteration.notes, &frame.state.notes);
        if before.is(now) {
            return true;
        }
        let terms = &mut self.graph.terms;
        now.iter().all(|(key, value)| {
            let before = before.get(terms, *key);
            under(terms, known, *value) == before
        })
    }

    pub(super) fn claim(
        &mut self,
        state: &State,
        key: TermId,
        claims: Option<(Claimed, Property)>,
        span: Span,
    ) {
        self.record_choice(state.guard, ChoiceKind::Claim);
        let mut guard = state.guard;
        if let Some((Claimed::Awaited, _)) = claims {
            let width = self.program.data_model.pointer_width();
            let own = Self::handle_of(self.threads.key());
            let own = self.graph.terms.constant(own, width);
            let own = self.graph.terms.eq(key, own);
            let other = self.graph.terms.not(own);
            guard = self.graph.terms.and(guard, other);
        }
        self.deferred.claim(Claim {
            thread: self.threads.current(),
            position: self.position(),
            span,
            guard,
            key,
            claims,
        });
    }

    /// Judges the claims of all threads. Two threads claim in either order, so both do wrong; it
    /// is said of the one that was executed later. Where a third one may have released the key in
    /// between, nothing is said.
    pub(super) fn judge_claims(&mut self) {
        let all = self.deferred.take_claims();
        for (at, claim) in all.iter().enumerate() {
            let Some((what, property)) = &claim.claims else {
                continue;
            };
            if *what != Claimed::Object {
                let exists = self.names_a_thread(claim.key);
                let property = Property::new(Rule::Misuse, NO_THREAD);
                self.claim_check(claim, property, exists);
            }
            let (mut bad, mut open) = (Vec::new(), Vec::new());
            for (before, other) in all[..at].iter().enumerate() {
                let both = self.same_claim(other, claim);
                if other.claims.is_none() || self.graph.terms.is_false(both) {
                    continue;
                }
                let (mut between, mut perhaps) = (Vec::new(), Vec::new());
                for (place, release) in all.iter().enumerate() {
                    let done = self.same_claim(release, claim);
                    let earlier = release.thread == other.thread && place < before;
                    let later = release.thread == claim.thread && place > at;
                    if release.claims.is_some() || earlier || later {
                        continue;
                    }
                    let sure = [other.thread, claim.thread] == [release.thread; 2];
                    if sure { &mut between } else { &mut perhaps }.push(done);
                }
                let between = self.graph.terms.any(&between);
                let perhaps = self.graph.terms.any(&perhaps);
                let (still, never) = (self.graph.terms.not(between), self.graph.terms.not(perhaps));
                let twice = self.graph.terms.and(both, still);
                bad.push(self.graph.terms.and(twice, never));
                open.push(self.graph.terms.and(twice, perhaps));
            }
            let bad = self.graph.terms.any(&bad);
            let good = self.graph.terms.not(bad);
            self.claim_check(claim, property.clone(), good);
            let open = self.graph.terms.any(&open);
            let guard = self.graph.terms.and(claim.guard, open);
            let reason = "what another thread may have destroyed in between".to_string();
            self.unsupported(guard, claim.span, reason);
        }
    }

    /// `other` is reached, with the key of `claim`.
    fn same_claim(&mut self, other: &Claim, claim: &Claim) -> TermId {
        let same = self.graph.terms.eq(other.key, claim.key);
        self.graph.terms.and(other.guard, same)
    }

    fn names_a_thread(&mut self, handle: TermId) -> TermId {
        let width = self.program.data_model.pointer_width();
        let mut named = Vec::new();
        for thread in self.graph.threads.ids() {
            let Thread {
                handle: number,
                guard,
                ..
            } = self.graph.threads[thread];
            let number = self.graph.terms.constant(number, width);
            let this = self.graph.terms.eq(handle, number);
            named.push(self.graph.terms.and(guard, this));
        }
        self.graph.terms.any(&named)
    }

    fn claim_check(&mut self, claim: &Claim, property: Property, cond: TermId) {
        let bad = self.graph.terms.not(cond);
        let bad = self.graph.terms.and(claim.guard, bad);
        if !self.graph.terms.is_false(bad) {
            self.graph.checks.push(Check {
                property,
                span: claim.span,
                thread: claim.thread,
                position: claim.position,
                choices: self.graph.choices.len(),
                guard: claim.guard,
                cond,
            });
        }
    }
}
