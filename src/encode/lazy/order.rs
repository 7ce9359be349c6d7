//! The order that an `acyclic` axiom asks for, in one candidate: a graph over its points.
//!
//! Atomic groups, and read-modify-writes that are one point of the order (see
//! [`axioms`](crate::encode::axioms)), are contracted; what is inside of a point is a graph of its
//! own. To the pairs of the relation come those of tied reads: an earlier candidate that is before
//! the read is on a path to it.

use super::candidate::Candidate;
use super::facts::{Axiom, Facts};
use base::bits::{BitMatrix, BitSet};
use base::components::components;
use rustc_hash::FxHashMap;
use smt::sat::cnf::Lit;

/// A graph that must not have a cycle.
pub struct Part {
    /// All edges.
    pub edges: BitMatrix,
    /// Edges that every execution has in which both ends happen.
    pub free: BitMatrix,
    /// Nodes are points, not events.
    contracted: bool,
}

/// See the head of this file.
pub struct OrderGraph {
    /// Inside of points, and between them.
    pub parts: Vec<Part>,
    pairs: BitMatrix,
    sure: BitMatrix,
    members: Vec<Vec<usize>>,
    sources: FxHashMap<(usize, usize), Lit>,
}

impl OrderGraph {
    /// Of an axiom.
    pub fn new(facts: &Facts, axiom: &Axiom, candidate: &Candidate) -> OrderGraph {
        let mut pairs = candidate.rel(axiom.rel, candidate.last_step()).clone();
        let sure = facts.bounds[axiom.rel].must.within(&candidate.exec);
        let mut sources = FxHashMap::default();
        for (r, chain) in &axiom.sources {
            let Some((source, _)) = candidate.source[*r] else {
                continue;
            };
            let last = chain.iter().position(|(w, _)| *w == source);
            for (w, before) in &chain[..last.map_or(0, |last| last + 1)] {
                if candidate.exec.contains(*w) {
                    pairs.insert(*w, *r);
                    sources.insert((*w, *r), *before);
                }
            }
        }
        let mut members = vec![Vec::new(); facts.len];
        for n in candidate.exec.iter() {
            members[axiom.point[n]].push(n);
        }
        let contracted = |of: &BitMatrix, inside: bool| {
            let mut out = BitMatrix::new(facts.len);
            for (a, b) in of.pairs() {
                let (x, y) = (axiom.point[a], axiom.point[b]);
                match x == y {
                    true if inside && a != b => out.insert(a, b),
                    false if !inside => out.insert(x, y),
                    _ => {}
                }
            }
            out
        };
        let part = |inside: bool| Part {
            edges: contracted(&pairs, inside),
            free: contracted(&sure, inside),
            contracted: !inside,
        };
        OrderGraph {
            parts: vec![part(true), part(false)],
            pairs,
            sure,
            members,
            sources,
        }
    }

    /// A pair of events that an edge stands for, a free one if there is one.
    pub fn pair(&self, part: &Part, (x, y): (usize, usize)) -> (usize, usize) {
        if !part.contracted {
            return (x, y);
        }
        let find = |of: &BitMatrix| {
            let mut from = self.members[x].iter();
            from.find_map(|a| {
                let to = self.members[y].iter().find(|b| of.contains(*a, **b));
                to.map(|b| (*a, *b))
            })
        };
        let pair = find(&self.sure).or_else(|| find(&self.pairs));
        pair.expect("an edge between points stands for a pair of their events")
    }

    /// The literal that a candidate is before a read whose source the order decides.
    pub fn candidate_before(&self, pair: (usize, usize)) -> Option<Lit> {
        let before = self.sources.get(&pair).copied();
        before.filter(|_| !self.sure.contains(pair.0, pair.1))
    }
}

/// The sets of nodes that reach each other, of two nodes or more.
pub fn cyclic_components(edges: &BitMatrix) -> Vec<BitSet> {
    let component = components(edges);
    let mut sets: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for (n, c) in component.iter().enumerate() {
        sets.entry(*c).or_default().push(n);
    }
    let mut sets: Vec<Vec<usize>> = sets.into_values().filter(|s| s.len() > 1).collect();
    sets.sort_unstable();
    let set = |nodes: Vec<usize>| {
        let mut out = BitSet::new(edges.len());
        nodes.into_iter().for_each(|n| out.insert(n));
        out
    };
    sets.into_iter().map(set).collect()
}
