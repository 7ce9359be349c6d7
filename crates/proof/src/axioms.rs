//! The model's axioms: the pairs that must not be, and orders.
//!
//! Edges of no cycle are left out, and those that the order of critical sections brings; so is an order whose
//! edges another one has all. To leave clauses out allows more executions, never fewer.
//!
//! A static edge is asserted whether or not its events happen, if the static relation is *closed* through
//! both: it leads from all that leads to the event to all that the event leads to, so that one that does
//! not happen passes no order on. All others are asserted where both happen.
//!
//! Atomic groups are one point. Those without fences are not where an axiom is about one location at a
//! time: what a thread wrote may wait in a buffer where it alone sees it.

use super::facts::{Facts, Node};
use super::gates::{FALSE, Lit, Rule, TRUE};
use super::graph::Group;
use super::order::{Edge, TooLarge, order};
use super::relations::Relations;
use base::bits::BitMatrix;
use base::components::components;
use cat::model::BaseRel;
use cat::model::{Axiom, AxiomKind, RelId};
use cat::pattern::{is_base, is_per_location, union_parts};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// An order that has been asked for.
struct Done {
    edges: FxHashMap<(Node, Node), Lit>,
    must: RelId,
    /// What is one point in it.
    points: Vec<Node>,
}

impl Relations<'_> {
    /// Adds all axioms but some.
    pub fn axioms(
        &mut self,
        left_out: &[usize],
        stop: &dyn Fn(usize) -> bool,
    ) -> Result<(), TooLarge> {
        let model = self.facts.model;
        let mut orders: Vec<&Axiom> = Vec::new();
        let axioms = model.axioms.iter().enumerate();
        for (_, axiom) in axioms.filter(|(i, _)| !left_out.contains(i)) {
            match axiom.kind {
                AxiomKind::Acyclic => orders.push(axiom),
                AxiomKind::Irreflexive => self.has_none(axiom.rel, true),
                AxiomKind::Empty => self.has_none(axiom.rel, false),
            }
        }
        // The largest first: it may have the others.
        let size = |axiom: &&Axiom| self.estimates.of(axiom.rel).may.count();
        orders.sort_by_key(|axiom| std::cmp::Reverse(size(axiom)));
        let mut done: Vec<Done> = Vec::new();
        for axiom in &orders {
            let ordered = self.acyclic(axiom.rel, &done, stop)?;
            done.push(ordered);
        }
        let mut ordered = orders.iter().flat_map(|a| union_parts(model, a.rel));
        if !ordered.any(|part| is_base(model, part, BaseRel::Co)) {
            self.coherence_is_an_order(stop)?;
        }
        self.finish();
        Ok(())
    }

    fn has_none(&mut self, rel: RelId, reflexive: bool) {
        let pairs: Vec<(Node, Node)> = self.estimates.of(rel).may.pairs().collect();
        for (a, b) in pairs.into_iter().filter(|(a, b)| !reflexive || a == b) {
            let lits = [self.pair(rel, a, b), self.happens(a), self.happens(b)];
            self.gates.clause(Rule::Axiom, &lits.map(|l| !l));
        }
    }

    fn coherence_is_an_order(&mut self, stop: &dyn Fn(usize) -> bool) -> Result<(), TooLarge> {
        let pairs: Vec<(Node, Node)> = self.facts.of(BaseRel::Co).may.pairs().collect();
        let mut edges = Vec::new();
        for (from, to) in pairs {
            let when = vec![
                self.coherence(from, to),
                self.happens(from),
                self.happens(to),
            ];
            edges.push(Edge { from, to, when });
        }
        let fixed = self.facts.none();
        order(&mut self.gates, self.facts.len(), &fixed, &edges, stop)
    }

    fn acyclic(
        &mut self,
        rel: RelId,
        done: &[Done],
        stop: &dyn Fn(usize) -> bool,
    ) -> Result<Done, TooLarge> {
        let estimate = self.estimates.of(rel);
        let n = self.facts.len();
        let points = points(self.facts, rel);
        let mut between = BitMatrix::new(n);
        for (a, b) in estimate
            .may
            .pairs()
            .filter(|(a, b)| points[*a] != points[*b])
        {
            between.insert(points[a], points[b]);
        }
        let component = components(&between);
        // Edges by what they are in a cycle of: a component of points, or one point.
        let mut parts: BTreeMap<(bool, usize), Vec<(Node, Node)>> = BTreeMap::new();
        for (a, b) in estimate.may.pairs() {
            let (x, y) = (points[a], points[b]);
            if a == b {
                let lits = [!self.pair(rel, a, a), !self.happens(a)];
                self.gates.clause(Rule::Edge, &lits);
            } else if x == y {
                parts.entry((true, x)).or_default().push((a, b));
            } else if component[x] == component[y] {
                parts.entry((false, component[x])).or_default().push((a, b));
            }
        }
        let closed = self.closed(rel, &points);
        let mut ordered = Done {
            edges: FxHashMap::default(),
            must: rel,
            points: points.clone(),
        };
        for ((within, _), pairs) in parts {
            if stop(self.gates.rules.len()) {
                return Err(TooLarge);
            }
            let lits = pairs.iter().map(|(a, b)| (*a, *b, self.pair(rel, *a, *b)));
            let lits: Vec<(Node, Node, Lit)> = lits.collect();
            ordered
                .edges
                .extend(lits.iter().map(|(a, b, l)| ((*a, *b), *l)));
            // Points that are finer than those of the other order may have a cycle there is none of.
            let has_all = |order: &Done| {
                let must = &self.estimates.of(order.must).must;
                order.points == points
                    && lits.iter().all(|(a, b, lit)| {
                        let same = order.edges.get(&(*a, *b)) == Some(lit);
                        *lit == FALSE || must.contains(*a, *b) || same
                    })
            };
            if done.iter().any(has_all) {
                continue;
            }
            let point = |a: Node| if within { a } else { points[a] };
            let mut fixed = BitMatrix::new(n);
            let mut edges = Vec::new();
            for (a, b, lit) in lits {
                let (from, to) = (point(a), point(b));
                if lit == TRUE && closed[a] && closed[b] {
                    fixed.insert(from, to);
                } else if lit != FALSE && !self.brought(rel, a, b) {
                    let when = vec![lit, self.happens(a), self.happens(b)];
                    edges.push(Edge { from, to, when });
                }
            }
            order(&mut self.gates, n, &fixed, &edges, stop)?;
        }
        Ok(ordered)
    }

    /// The order of critical sections brings an edge.
    fn brought(&self, rel: RelId, a: Node, b: Node) -> bool {
        self.sections
            .brings(self.facts, self.estimates, rel, (a, b))
    }

    /// Events that always happen, or through which what is static of a relation is closed; none of
    /// those that are one point with others, nor one before itself.
    fn closed(&self, rel: RelId, points: &[Node]) -> Vec<bool> {
        let must = &self.estimates.of(rel).must;
        let before = must.inverse();
        let mut members = vec![0; points.len()];
        points.iter().for_each(|p| members[*p] += 1);
        let through = |n: Node| {
            let after = must.row(n);
            let leads = |a: Node| after.iter().zip(must.row(a)).all(|(x, y)| x & !y == 0);
            !must.contains(n, n) && before.successors(n).all(leads)
        };
        let closed = |n: Node| self.facts.always(n) || members[points[n]] == 1 && through(n);
        (0..points.len()).map(closed).collect()
    }
}

/// By node: the first of the group that is one point with it.
pub fn points(facts: &Facts, rel: RelId) -> Vec<Node> {
    let per_location = is_per_location(facts.model, rel);
    let mut first: BTreeMap<u32, Node> = BTreeMap::new();
    let point = |n: Node| {
        let group = facts.event(n).group;
        let is_point = |g: &u32| facts.graph.groups[*g as usize] == Group::Section || !per_location;
        match group.filter(is_point) {
            Some(g) => *first.entry(g).or_insert(n),
            None => n,
        }
    };
    (0..facts.len()).map(point).collect()
}
