//! What the guards of events say of each other, by their look: a guard is a set of conjuncts.
//!
//! Events with one guard are a class. Everything is kept by class as a set of nodes, so that a row
//! of a relation is restricted to the events that may happen beside another one at once.

use super::node::Node;
use crate::unroll::event::{EventGraph, EventId};
use crate::unroll::state::conjuncts;
use crate::unroll::term::{Term, TermId, Terms};
use base::bits::BitSet;
use base::idx::{Id, IdVec};
use rustc_hash::FxHashMap;

/// Guards as sets of conjuncts.
#[derive(Default)]
pub(super) struct Guards {
    of: IdVec<Node, usize>,
    conjuncts: Vec<Vec<TermId>>,
    /// By class: the nodes that happen whenever one of the class does.
    implied: Vec<BitSet>,
    /// By class: the nodes with which the class happens, too.
    implying: Vec<BitSet>,
    /// By class: the nodes that never happen beside one of the class.
    exclusive: Vec<BitSet>,
}

impl Guards {
    /// The classes of some nodes; a part of what there is to say when `stop`, asked now and then,
    /// answers true.
    pub fn new(
        graph: &EventGraph,
        nodes: &IdVec<Node, EventId>,
        stop: &dyn Fn() -> bool,
    ) -> Guards {
        let terms = &graph.terms;
        let mut guards = Guards::default();
        let mut index: FxHashMap<TermId, usize> = FxHashMap::default();
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (node, event) in nodes.iter_enumerated() {
            let guard = graph.events[*event].guard;
            let class = *index.entry(guard).or_insert(members.len());
            if class == members.len() {
                if stop() {
                    return guards;
                }
                guards.conjuncts.push(conjuncts_of(terms, guard));
                members.push(Vec::new());
            }
            members[class].push(node.index());
            guards.of.push(class);
        }
        guards.compare(terms, &members, nodes.len(), stop);
        guards
    }

    fn compare(
        &mut self,
        terms: &Terms,
        members: &[Vec<usize>],
        n: usize,
        stop: &dyn Fn() -> bool,
    ) {
        // The nodes whose guard has a conjunct, and the conjunct that is the negation of another.
        let mut having: FxHashMap<TermId, BitSet> = FxHashMap::default();
        let mut negation: FxHashMap<TermId, TermId> = FxHashMap::default();
        for (class, conjuncts) in self.conjuncts.iter().enumerate() {
            if stop() {
                return;
            }
            for c in conjuncts {
                let nodes = having.entry(*c).or_insert_with(|| BitSet::new(n));
                members[class].iter().for_each(|i| nodes.insert(*i));
                if let Term::Not(x) = terms.get(*c) {
                    negation.insert(x, *c);
                }
            }
        }
        self.implied = vec![BitSet::new(n); members.len()];
        for conjuncts in &self.conjuncts {
            if stop() {
                return;
            }
            let mut implying = BitSet::full(n);
            let mut exclusive = BitSet::new(n);
            for c in conjuncts {
                implying.inter(having[c].words());
                let negated = match terms.get(*c) {
                    Term::Not(x) => having.get(&x),
                    _ => None,
                };
                let negations = negation.get(c).and_then(|c| having.get(c));
                for nodes in negated.into_iter().chain(negations) {
                    exclusive.union(nodes.words());
                }
            }
            self.implying.push(implying);
            self.exclusive.push(exclusive);
        }
        for (implied, implying) in self.implying.iter().enumerate() {
            if stop() {
                return;
            }
            for (class, some) in members.iter().enumerate() {
                if implying.contains(some[0]) {
                    let nodes = &mut self.implied[class];
                    members[implied].iter().for_each(|i| nodes.insert(*i));
                }
            }
        }
    }

    /// The conjuncts of a node's guard; none when it always happens.
    pub fn conjuncts(&self, n: Node) -> &[TermId] {
        &self.conjuncts[self.of[n]]
    }

    /// The nodes that happen whenever this one does.
    pub fn implied(&self, n: Node) -> &BitSet {
        &self.implied[self.of[n]]
    }

    /// The nodes with which this one happens, too.
    pub fn implying(&self, n: Node) -> &BitSet {
        &self.implying[self.of[n]]
    }

    /// The nodes that never happen beside this one.
    pub fn exclusive(&self, n: Node) -> &BitSet {
        &self.exclusive[self.of[n]]
    }
}

/// The conjuncts of a condition; none of what is always true.
pub(super) fn conjuncts_of(terms: &Terms, guard: TermId) -> Vec<TermId> {
    if terms.is_true(guard) {
        Vec::new()
    } else {
        conjuncts(terms, guard)
    }
}
