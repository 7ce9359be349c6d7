//! Grace periods as waits: see `unroll::grace`, which says the same of formulas.

use super::interpreter::{Flow, Interpreter};
use super::thread_state::ThreadState;
use super::trace::{ActionKind, End, Event, ThreadTrace};
use base::source::Span;
use ir::kernel::{opens_rcu, opens_srcu};
use ir::program::FenceTag;
use ir::property::asks_for_progress;
use std::rc::Rc;

/// Whether more sections are begun than ended: of RCU, or of a location.
fn is_open<'e>(events: impl Iterator<Item = &'e Rc<Event>>, domain: Option<u64>) -> bool {
    let opens = |e: &Rc<Event>| match (e.kind, domain) {
        (ActionKind::Fence(FenceTag::Explicit(fence)), None) => opens_rcu(fence),
        (ActionKind::Read | ActionKind::Write, Some(addr)) if e.addr == addr => opens_srcu(e.order),
        _ => None,
    };
    let steps = events.filter_map(opens);
    let open: i64 = steps.map(|opens| if opens { 1 } else { -1 }).sum();
    open != 0
}

/// Whether a grace period never ends in an execution with these traces.
pub(super) fn never_ends<'t>(
    mut traces: impl Iterator<Item = &'t ThreadTrace>,
    domain: Option<u64>,
) -> bool {
    match domain {
        None => traces.any(|t| is_open(t.events.iter(), None)),
        Some(_) => is_open(traces.flat_map(|t| &t.events), domain),
    }
}

impl Interpreter<'_> {
    /// A grace period begins. The thread stays there in a trace of its own where deadlocks are looked for, and in
    /// all of them within a section of RCU that it has begun itself. The answer is whether it goes on.
    pub(super) fn begin_grace_period(
        &self,
        state: &mut ThreadState,
        domain: Option<u64>,
        span: Span,
    ) -> Flow {
        if !self.kernel || !state.concurrent {
            return Flow::On;
        }
        let stays = End::WaitsForReaders(domain, span);
        if domain.is_none() && is_open(state.events.iter(), None) {
            state.end = Some(stays);
            return Flow::On;
        }
        if !asks_for_progress(&self.options.checks) {
            return Flow::On;
        }
        let mut other = state.clone();
        other.end = Some(stays);
        Flow::Also(vec![other])
    }
}
