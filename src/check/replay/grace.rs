//! Grace periods that do not end: what `unroll::grace` says, counted in the events of the execution.

use super::{Goal, Replay, ReplayThread, Stop};
use crate::unroll::event::{EventId, EventKind, ThreadId};
use base::source::Span;
use ir::kernel::{opens_rcu, opens_srcu};
use ir::program::FenceTag;

impl Replay<'_> {
    /// The thread waits in a grace period, if it is said to, and some section never ends.
    pub(super) fn stays_in_grace_period(
        &mut self,
        state: &ReplayThread,
        domain: Option<u64>,
        span: Span,
    ) -> Result<(), Stop> {
        let Goal::Waits { waits, .. } = self.goal else {
            return Ok(());
        };
        let is_said = waits.get(&state.id) == Some(&span) && state.is_done();
        if !is_said || !self.never_ends(domain) {
            return Ok(());
        }
        Err(self.waits(state, span))
    }

    fn never_ends(&self, domain: Option<u64>) -> bool {
        let graph = self.run.graph;
        let open = |thread: Option<ThreadId>| {
            let of_thread = |e: &&EventId| thread.is_none() || graph.events[**e].thread == thread;
            let opens = self.run.events.iter().filter(of_thread).filter_map(|e| {
                let event = &graph.events[*e];
                match (event.kind, domain) {
                    (EventKind::Fence(FenceTag::Explicit(fence)), None) => opens_rcu(fence),
                    (EventKind::Read | EventKind::Write, Some(addr))
                        if self.run.addr[e] == addr =>
                    {
                        opens_srcu(event.order)
                    }
                    _ => None,
                }
            });
            let open: i64 = opens.map(|opens| if opens { 1 } else { -1 }).sum();
            open != 0
        };
        match domain {
            None => graph.threads.ids().any(|thread| open(Some(thread))),
            Some(_) => open(None),
        }
    }
}
