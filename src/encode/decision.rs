//! What an execution decides, and a formula can be split by: which of two writes comes first, and from
//! which write a read reads.
//!
//! A decision is named by its events, which are those of the event graph, and not by the variable of
//! one formula. So whoever makes the formula anew finds its literal again.
//!
//! Those worth asking for come first in [`Encoding::decisions`]: the order of two critical sections of
//! one lock, of the lock with the most of them; then the order of two other writes of different
//! threads, of the cell with the most of them; then what a read reads from, of the reads with the
//! fewest sources.

use super::Encoding;
use crate::unroll::event::{CellId, EventGraph, EventId, EventKind};
use serde::{Deserialize, Serialize};
use smt::sat::cnf::Lit;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// See the head of this file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The first write comes before the second, by their numbers.
    Order(u32, u32),
    /// The read reads from the write: the write, then the read.
    ReadFrom(u32, u32),
}

impl Decision {
    /// The two events.
    pub fn events(self) -> (EventId, EventId) {
        match self {
            Decision::Order(a, b) | Decision::ReadFrom(a, b) => (EventId(a), EventId(b)),
        }
    }
}

impl Encoding {
    /// The literal of a decision; `None` when the formula does not leave it open.
    pub fn decided_by(&self, decision: Decision) -> Option<Lit> {
        let events = decision.events();
        let found = match decision {
            Decision::Order(..) => self.co.get(&events),
            Decision::ReadFrom(..) => self.rf.get(&events),
        };
        found.copied().filter(|lit| lit.var() != 1)
    }

    /// The decisions that the formula leaves open, each literal once, the first as the head of this
    /// file says.
    pub fn decisions(&self, graph: &EventGraph) -> Vec<Decision> {
        let mut ranked: Vec<(u8, Reverse<usize>, usize, Decision)> = Vec::new();
        let orders = self.co.keys().filter(|pair| is_between(graph, pair));
        let orders: Vec<(u8, CellId, Decision)> = orders
            .filter_map(|(a, b)| {
                let decision = Decision::Order(a.0, b.0);
                self.decided_by(decision)?;
                let lock = |e: &EventId| self.acquisitions.get(e).copied();
                Some(match (lock(a), lock(b)) {
                    (Some(lock), Some(_)) => (0, lock, decision),
                    _ => (1, *graph.events[*a].cells.first()?, decision),
                })
            })
            .collect();
        let mut contended: BTreeMap<(u8, CellId), usize> = BTreeMap::new();
        for (rank, cell, _) in &orders {
            *contended.entry((*rank, *cell)).or_default() += 1;
        }
        for (rank, cell, decision) in orders {
            let pairs = contended[&(rank, cell)];
            ranked.push((rank, Reverse(pairs), 0, decision));
        }
        let mut sources: BTreeMap<EventId, Vec<Decision>> = BTreeMap::new();
        for (w, r) in self.rf.keys() {
            let decision = Decision::ReadFrom(w.0, r.0);
            if self.decided_by(decision).is_some() {
                sources.entry(*r).or_default().push(decision);
            }
        }
        for open in sources.values() {
            ranked.extend(open.iter().map(|d| (2, Reverse(0), open.len(), *d)));
        }
        ranked.sort();
        let mut seen = BTreeSet::new();
        let all = ranked.into_iter().map(|(.., decision)| decision);
        all.filter(|d| {
            let literal = self.decided_by(*d);
            literal.is_some_and(|lit| seen.insert(lit.var()))
        })
        .collect()
    }
}

/// Both are writes of threads, and of different ones.
fn is_between(graph: &EventGraph, (a, b): &(EventId, EventId)) -> bool {
    let (a, b) = (&graph.events[*a], &graph.events[*b]);
    a.thread != b.thread && a.kind == EventKind::Write && b.kind == EventKind::Write
}
