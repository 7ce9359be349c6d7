//! What can be judged only when all threads have been executed.

use super::id::{GroupId, ThreadId};
use super::term::TermId;
use base::source::Span;
use ir::program::{Claimed, ObservableId, Property};
use std::collections::BTreeMap;

/// A join that does not go on at once: the thread stands there when it has come so far.
pub(super) struct Joining {
    pub(super) thread: ThreadId,
    pub(super) span: Span,
    /// It is reached and does not go on, as far as threads had been executed then.
    pub(super) waits: TermId,
    pub(super) handle: TermId,
    /// The threads that had been executed then.
    pub(super) executed: Vec<ThreadId>,
}

/// A grace period that may not end.
pub(super) struct Grace {
    pub(super) thread: ThreadId,
    /// Where it begins.
    pub(super) span: Span,
    /// A thread stays there when this holds.
    pub(super) stays: TermId,
    /// Of SRCU: the location.
    pub(super) domain: Option<TermId>,
}

/// A thread that was created within an atomic group.
#[derive(Clone, Copy)]
pub(super) struct CreatedInside {
    pub(super) group: GroupId,
    pub(super) guard: TermId,
    pub(super) span: Span,
}

/// One execution of [`Op::Claim`](ir::program::Op::Claim) or [`Op::Release`](ir::program::Op::Release).
pub(super) struct Claim {
    pub(super) thread: ThreadId,
    pub(super) position: usize,
    pub(super) span: Span,
    pub(super) guard: TermId,
    pub(super) key: TermId,
    /// `None`: the key is released. Otherwise what it is, and what a second claim violates.
    pub(super) claims: Option<(Claimed, Property)>,
}

#[derive(Default)]
pub(super) struct Deferred {
    joins: Vec<Joining>,
    graces: Vec<Grace>,
    created_inside: Vec<CreatedInside>,
    claims: Vec<Claim>,
    observed: BTreeMap<ObservableId, TermId>,
}

impl Deferred {
    pub(super) fn join(&mut self, join: Joining) {
        self.joins.push(join);
    }

    pub(super) fn take_joins(&mut self) -> Vec<Joining> {
        std::mem::take(&mut self.joins)
    }

    pub(super) fn grace(&mut self, grace: Grace) {
        self.graces.push(grace);
    }

    pub(super) fn take_graces(&mut self) -> Vec<Grace> {
        std::mem::take(&mut self.graces)
    }

    pub(super) fn created_inside(&mut self, created: CreatedInside) {
        self.created_inside.push(created);
    }

    pub(super) fn take_created_inside(&mut self) -> Vec<CreatedInside> {
        std::mem::take(&mut self.created_inside)
    }

    pub(super) fn claim(&mut self, claim: Claim) {
        self.claims.push(claim);
    }

    /// What may be done only once, in the order of execution.
    pub(super) fn take_claims(&mut self) -> Vec<Claim> {
        std::mem::take(&mut self.claims)
    }

    /// What the program has observed last, if anything.
    pub(super) fn observed(&self, what: ObservableId) -> Option<TermId> {
        self.observed.get(&what).copied()
    }

    pub(super) fn observe(&mut self, what: ObservableId, value: TermId) {
        self.observed.insert(what, value);
    }
}
