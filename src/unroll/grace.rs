//! Grace periods as waits: one ends when all critical sections that had begun have ended.
//!
//! Where it ends, the memory model says what it orders. It does not end where a section never ends: the
//! thread of that waits itself, or has ended. That the section has begun before need not be asked: the
//! grace period may begin after all that the other threads do. So where deadlocks are looked for, a thread
//! may stay in a grace period, an arbitrary truth value; it waits there if, when all is over, more sections
//! were begun than ended. A grace period of RCU within a section of its own thread never ends.

use super::deferred::Grace;
use super::event::*;
use super::executor::Executor;
use super::state::State;
use super::term::TermId;
use base::idx::IdVec;
use base::source::Span;
use ir::kernel::{opens_rcu, opens_srcu};
use ir::program::*;

/// Bits that count sections.
const WIDTH: Width = 16;

impl Executor<'_> {
    /// A grace period begins; the path goes on where it ends.
    pub(super) fn begin_grace_period(
        &mut self,
        state: &mut State,
        domain: Option<TermId>,
        span: Span,
    ) {
        if !self.options.kernel || !self.threads.is_concurrent() {
            return;
        }
        let mut ends = self.graph.terms.bool(true);
        if domain.is_none() {
            let own = self.events().to_vec();
            let open = self.open_sections(&own, None);
            ends = self.graph.terms.not(open);
        }
        if self.options.awaits.progress {
            let goes_on = self.nondet(1).term;
            ends = self.graph.terms.and(ends, goes_on);
        }
        let stays = self.graph.terms.not(ends);
        let stays = self.graph.terms.and(state.guard, stays);
        if self.graph.terms.is_false(stays) {
            return;
        }
        state.guard = self.graph.terms.and(state.guard, ends);
        self.graph.unbegun.push((self.threads.current(), stays));
        self.deferred.grace(Grace {
            thread: self.threads.current(),
            span,
            stays,
            domain,
        });
    }

    /// Threads wait in grace periods where sections stay open, known when all threads have been executed.
    pub(super) fn grace_periods_that_wait(&mut self) {
        let threads: IdVec<ThreadId, Vec<EventId>> = self
            .graph
            .threads
            .iter()
            .map(|t| t.events.clone())
            .collect();
        for grace in self.deferred.take_graces() {
            let open: Vec<TermId> = match grace.domain {
                None => threads
                    .iter()
                    .map(|own| self.open_sections(own, None))
                    .collect(),
                // A thread may end the section of another one.
                Some(domain) => {
                    let all: Vec<EventId> = threads.iter().flatten().copied().collect();
                    vec![self.open_sections(&all, Some(domain))]
                }
            };
            let open = self.graph.terms.any(&open);
            let guard = self.graph.terms.and(grace.stays, open);
            if !self.graph.terms.is_false(guard) {
                self.graph.waits.push(Wait {
                    thread: grace.thread,
                    span: grace.span,
                    guard,
                    reads: Vec::new(),
                });
            }
        }
    }

    /// More sections are begun than ended in some events: of RCU, or of a location.
    fn open_sections(&mut self, events: &[EventId], domain: Option<TermId>) -> TermId {
        let mut open = self.graph.terms.constant(0, WIDTH);
        let (one, none) = (self.graph.terms.constant(1, WIDTH), open);
        for e in events {
            let event = &self.graph.events[*e];
            let opens = match (event.kind, domain) {
                (EventKind::Fence(FenceTag::Explicit(fence)), None) => opens_rcu(fence),
                (EventKind::Read | EventKind::Write, Some(_)) => opens_srcu(event.order),
                _ => None,
            };
            let Some(opens) = opens else { continue };
            let (guard, addr) = (event.guard, event.addr);
            let terms = &mut self.graph.terms;
            let here = match domain {
                Some(domain) => terms.eq(addr, domain),
                None => terms.bool(true),
            };
            let happens = terms.and(guard, here);
            let op = if opens { BinOp::Add } else { BinOp::Sub };
            let next = terms.binary(op, open, one);
            open = terms.ite(happens, next, open);
        }
        let terms = &mut self.graph.terms;
        let closed = terms.eq(open, none);
        terms.not(closed)
    }
}
