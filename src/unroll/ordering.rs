//! The memory order of an access or a fence: that of the program, or at an open site one of several, which is
//! chosen when the graph is solved ([`super::options::UnrollOptions::open_orders`]).
//!
//! What is decided while a program is unwound is decided for the weakest order. The fences that an order brings
//! along are there where it is chosen.

use super::event::{Alternative, EventId, EventKind};
use super::executor::Executor;
use super::state::State;
use super::term::TermId;
use base::source::Span;
use ir::program::{Fence, FenceTag, MemoryOrder};
use ir::sites::{Site, SiteKind};
use std::rc::Rc;
use std::sync::Arc;

/// See the head of this file.
#[derive(Clone)]
pub(super) struct Ordering {
    /// The only one, or the weakest.
    pub(super) weakest: MemoryOrder,
    /// Those of an open site, each with the condition that it is chosen; else none.
    open: Rc<[(MemoryOrder, TermId)]>,
}

impl Ordering {
    /// The order of an access that is no open site.
    pub(super) fn fixed(order: MemoryOrder) -> Ordering {
        Ordering {
            weakest: order,
            open: Rc::new([]),
        }
    }

    /// The order that says what an access is apart from what it orders: one that may be atomic is done at once, as
    /// `volatile` ones are.
    pub(super) fn of_access(&self, order: MemoryOrder) -> MemoryOrder {
        match self.is_open() && order == MemoryOrder::Plain {
            true => MemoryOrder::Volatile,
            false => order,
        }
    }

    /// Whether it is an atomic access, perhaps.
    pub(super) fn may_be_atomic(&self) -> bool {
        self.weakest.is_atomic() || self.open.iter().any(|(order, _)| order.is_atomic())
    }

    /// Whether it is chosen.
    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// What an access with this order may be.
    pub(super) fn alternatives(&self, kind: EventKind) -> Arc<[Alternative]> {
        let open = self.open.iter().map(|(order, when)| Alternative {
            when: *when,
            kind,
            order: *order,
        });
        open.collect()
    }

    /// The fences that the order may ask for, each with its condition.
    fn fences(
        &self,
        tag: impl Fn(MemoryOrder) -> Option<FenceTag>,
        always: TermId,
    ) -> Vec<(FenceTag, TermId)> {
        let all = match self.open.is_empty() {
            true => vec![(self.weakest, always)],
            false => self.open.to_vec(),
        };
        let all = all.into_iter();
        all.filter_map(|(order, when)| Some((tag(order)?, when)))
            .collect()
    }
}

impl Executor<'_> {
    /// The order at a site, which the program says is `order`.
    pub(super) fn ordering(&mut self, span: Span, kind: SiteKind, order: MemoryOrder) -> Ordering {
        let site = Site { span, kind };
        let Some(orders) = self.options.open_orders.get(&site) else {
            return Ordering::fixed(order);
        };
        if let [only] = orders[..] {
            return Ordering::fixed(only);
        }
        let terms = &mut self.graph.terms;
        let open = self.graph.open_orders.entry(site).or_insert_with(|| {
            let orders = orders.iter();
            orders.map(|order| (*order, terms.nondet(1))).collect()
        });
        Ordering {
            weakest: open[0].0,
            open: open.as_slice().into(),
        }
    }

    /// The fence that an order brings along, if it does; `after` are the reads it has a control dependency from.
    pub(super) fn fence_of(
        &mut self,
        state: &mut State,
        ordering: &Ordering,
        tag: impl Fn(MemoryOrder) -> Option<FenceTag>,
        span: Span,
        after: &[Option<EventId>],
    ) -> Option<EventId> {
        let always = self.graph.terms.bool(true);
        let ways = ordering.fences(tag, always);
        let (first, _) = *ways.first()?;
        let id = self.fence(state, first, span, after)?;
        let conds: Vec<TermId> = ways.iter().map(|(_, when)| *when).collect();
        let chosen = self.graph.terms.any(&conds);
        let event = &mut self.graph.events[id];
        event.guard = self.graph.terms.and(event.guard, chosen);
        if ways.len() > 1 {
            let alternatives = ways.iter().map(|(tag, when)| Alternative {
                when: *when,
                kind: EventKind::Fence(*tag),
                order: event.order,
            });
            event.alternatives = alternatives.collect();
        }
        Some(id)
    }

    /// A fence of the program; none where a relaxed one is chosen.
    pub(super) fn explicit_fence(&mut self, state: &mut State, fence: Fence, span: Span) {
        let Fence::C11(order) = fence else {
            self.fence(state, FenceTag::Explicit(fence), span, &[]);
            return;
        };
        let ordering = self.ordering(span, SiteKind::Fence, order);
        let is_open = ordering.is_open();
        let tag = |order| {
            let counts = !is_open || order != MemoryOrder::Relaxed;
            counts.then_some(FenceTag::Explicit(Fence::C11(order)))
        };
        self.fence_of(state, &ordering, tag, span, &[]);
    }
}
