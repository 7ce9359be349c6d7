//! What an execution of a client has returned, and which orders of the calls explain it.

use ir::client::Client;
use ir::program::PropertyKind;
use std::collections::{BTreeMap, BTreeSet};

/// What an order of the calls has to respect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Consistency {
    /// A call that had returned when another one began comes before it (linearizability).
    RealTime,
    /// The calls of each thread are in their order (sequential consistency: Lamport, IEEE Transactions on Computers
    /// 1979).
    ProgramOrder,
    /// Calls with a moment between them at which no call runs are in their order (quiescent consistency: Aspnes,
    /// Herlihy, Shavit, JACM 1994).
    Quiescence,
}

impl Consistency {
    /// What a kind of property is about.
    pub fn of(kind: PropertyKind) -> Option<Consistency> {
        match kind {
            PropertyKind::Linearizable => Some(Consistency::RealTime),
            PropertyKind::Sequential => Some(Consistency::ProgramOrder),
            PropertyKind::Quiescent => Some(Consistency::Quiescence),
            _ => None,
        }
    }
}

/// What the calls of a client return when they are made one after the other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcomes {
    /// The results of all calls, as [`Client::calls`] lists them, with the orders of the threads' calls in which they
    /// are returned.
    pub orders: BTreeMap<Vec<u64>, Vec<Vec<usize>>>,
}

/// The results of an execution. Calls are numbered as [`Client::calls`] lists them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct History {
    /// The results of all calls, as [`Client::calls`] lists them.
    pub results: Vec<u64>,
    /// Pairs of calls of threads of which the first had returned when the second began.
    pub before: BTreeSet<(usize, usize)>,
}

/// How the calls of the threads are numbered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Numbering {
    /// The calls of each thread.
    threads: Vec<Vec<usize>>,
}

impl Numbering {
    /// Of a client.
    pub fn new(client: &Client) -> Numbering {
        let mut next = 0;
        let threads = client.threads.iter().map(|thread| {
            let calls = (next..next + thread.calls.len()).collect::<Vec<_>>();
            next += calls.len();
            calls
        });
        Numbering {
            threads: threads.collect(),
        }
    }

    /// The calls of each thread.
    pub fn threads(&self) -> &[Vec<usize>] {
        &self.threads
    }

    /// How many calls the threads make.
    pub fn count(&self) -> usize {
        self.threads.iter().map(Vec::len).sum()
    }

    /// The thread of a call, and its position there.
    pub fn place(&self, call: usize) -> (usize, usize) {
        let mut threads = self.threads.iter().enumerate();
        let found =
            threads.find_map(|(t, calls)| Some((t, calls.iter().position(|c| *c == call)?)));
        found.expect("the call of a thread")
    }

    /// Whether an order has the calls of each thread as they are made.
    pub fn keeps_threads(&self, order: &[usize]) -> bool {
        self.threads.iter().all(|calls| {
            let of_thread = order.iter().filter(|c| calls.contains(c));
            of_thread.eq(calls)
        })
    }

    /// The sets of calls that have, with a call, those that come before it in its thread; but for none and all.
    pub fn prefixes(&self) -> Vec<BTreeSet<usize>> {
        let mut sets = vec![BTreeSet::new()];
        for calls in &self.threads {
            let longer = sets.iter().flat_map(|set| {
                (0..=calls.len()).map(|n| set.iter().chain(&calls[..n]).copied().collect())
            });
            sets = longer.collect();
        }
        sets.retain(|set: &BTreeSet<usize>| !set.is_empty() && set.len() < self.count());
        sets
    }
}

/// Why an order is none of an execution with the same results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Objection {
    /// The second call had returned when the first one began.
    Returned {
        /// The call that comes first in the order.
        first: usize,
        /// The call that comes later there.
        second: usize,
    },
    /// The first call began when the second one and all before it had returned, and no other one had begun.
    Quiet {
        /// The call that comes first in the order.
        first: usize,
        /// The call that comes later there.
        second: usize,
    },
}

impl History {
    /// What is wrong with an order of the calls of the threads; `None` if it respects what it has to.
    pub fn objection(
        &self,
        order: &[usize],
        numbering: &Numbering,
        consistency: Consistency,
    ) -> Option<Objection> {
        let pairs = order.iter().enumerate();
        let mut pairs = pairs.flat_map(|(i, a)| order[i + 1..].iter().map(|b| (*a, *b)));
        match consistency {
            Consistency::ProgramOrder => pairs
                .find(|(a, b)| {
                    let (a, b) = (numbering.place(*a), numbering.place(*b));
                    a.0 == b.0 && a.1 > b.1
                })
                .map(|(first, second)| Objection::Returned { first, second }),
            Consistency::RealTime => pairs
                .find(|(a, b)| self.before.contains(&(*b, *a)))
                .map(|(first, second)| Objection::Returned { first, second }),
            Consistency::Quiescence => {
                let all: BTreeSet<usize> = order.iter().copied().collect();
                let quiet = numbering.prefixes().into_iter().filter(|early| {
                    let mut late = all.difference(early);
                    late.all(|l| early.iter().all(|e| self.before.contains(&(*e, *l))))
                });
                let quiet: Vec<BTreeSet<usize>> = quiet.collect();
                pairs
                    .find(|(a, b)| quiet.iter().any(|s| s.contains(b) && !s.contains(a)))
                    .map(|(first, second)| Objection::Quiet { first, second })
            }
        }
    }

    /// An order of the calls of the threads that explains the results; `None` if there is none.
    pub fn explained<'o>(
        &self,
        outcomes: &'o Outcomes,
        numbering: &Numbering,
        consistency: Consistency,
    ) -> Option<&'o [usize]> {
        let orders = outcomes.orders.get(&self.results)?.iter();
        let mut orders = orders.map(Vec::as_slice);
        orders.find(|order| self.objection(order, numbering, consistency).is_none())
    }
}
