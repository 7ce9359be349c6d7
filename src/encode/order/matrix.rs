//! Order literals with eager transitivity.
//!
//! One literal `a < b` stands for a pair of nodes; its negation is `b < a`. The literals describe
//! a total order when no three of them run in a circle. Not every pair needs one: the pairs that
//! edges connect are completed to a *chordal* graph, by removing the node with the fewest
//! neighbours again and again and connecting its neighbours with one another (vertex
//! elimination). An orientation of a chordal graph has a cycle only if it has one of length
//! three, so the triangles met on the way are all that has to be forbidden. On dense graphs, as
//! under SC, this is the full transitivity of the pairs of different threads; on sparse ones it is
//! far less.
//!
//! Pairs ordered by fixed edges are constants. That shrinks two thirds of the triangles to clauses
//! of two literals or none.

use super::instance::Instance;
use crate::mm::bits::BitMatrix;
use crate::sat::cnf::{Cnf, Lit};
use std::collections::{BTreeMap, BTreeSet};

/// The elimination order and what it costs.
pub struct Plan {
    /// Nodes in the order of elimination with their neighbours at that moment.
    steps: Vec<(usize, Vec<usize>)>,
    closure: BitMatrix,
}

impl Plan {
    /// Eliminates the nodes of an instance, fewest neighbours first; `None` when more than `limit`
    /// triangles would need clauses, or `stop` answers true.
    pub fn new(instance: &Instance, limit: usize, stop: &dyn Fn() -> bool) -> Option<Plan> {
        let n = instance.len;
        let mut closure = BitMatrix::new(n);
        let mut neighbours: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
        let mut connect = |a: usize, b: usize| {
            neighbours[a].insert(b);
            neighbours[b].insert(a);
        };
        for (a, b) in &instance.fixed {
            closure.insert(*a, *b);
            connect(*a, *b);
        }
        instance.edges.keys().for_each(|(a, b)| connect(*a, *b));
        let closure = closure.plus_until(stop);
        let known = |a: usize, b: usize| closure.contains(a, b) || closure.contains(b, a);
        let mut left: BTreeSet<usize> = (0..n).collect();
        let mut steps = Vec::with_capacity(n);
        let mut triangles = 0;
        while let Some(v) = left.iter().copied().min_by_key(|v| neighbours[*v].len()) {
            left.remove(&v);
            let around: Vec<usize> = neighbours[v].iter().copied().collect();
            for (i, a) in around.iter().enumerate() {
                neighbours[*a].remove(&v);
                for b in &around[i + 1..] {
                    neighbours[*a].insert(*b);
                    neighbours[*b].insert(*a);
                    let constants = [known(v, *a), known(v, *b), known(*a, *b)];
                    triangles += usize::from(constants.iter().filter(|k| **k).count() < 2);
                }
                if triangles > limit || stop() {
                    return None;
                }
            }
            steps.push((v, around));
        }
        Some(Plan { steps, closure })
    }
}

/// Adds the requirement that the edges agree with one total order, as far as `stop` answers false.
pub fn assert(cnf: &mut Cnf, instance: &Instance, plan: &Plan, stop: &dyn Fn() -> bool) {
    let mut atoms = Atoms {
        own: BTreeMap::new(),
        plan,
    };
    for ((a, b), lit) in &instance.decided {
        atoms.adopt(*a, *b, *lit);
    }
    for ((a, b), lit) in &instance.edges {
        let order = atoms.before(cnf, *a, *b);
        cnf.clause(&[!*lit, order]);
    }
    for (v, around) in &plan.steps {
        for (i, a) in around.iter().enumerate().take_while(|_| !stop()) {
            for b in &around[i + 1..] {
                let (va, ab, bv) = (
                    atoms.before(cnf, *v, *a),
                    atoms.before(cnf, *a, *b),
                    atoms.before(cnf, *b, *v),
                );
                cnf.clause(&[!va, !ab, !bv]);
                cnf.clause(&[va, ab, bv]);
            }
        }
    }
}

struct Atoms<'a> {
    own: BTreeMap<(usize, usize), Lit>,
    plan: &'a Plan,
}

impl Atoms<'_> {
    fn adopt(&mut self, a: usize, b: usize, lit: Lit) {
        let fixed = self.plan.closure.contains(a, b) || self.plan.closure.contains(b, a);
        let (key, lit) = if a < b { ((a, b), lit) } else { ((b, a), !lit) };
        if !fixed && lit.var() != 1 {
            self.own.entry(key).or_insert(lit);
        }
    }

    fn before(&mut self, cnf: &mut Cnf, a: usize, b: usize) -> Lit {
        if self.plan.closure.contains(a, b) {
            return Lit::TRUE;
        }
        if self.plan.closure.contains(b, a) {
            return Lit::FALSE;
        }
        let key = (a.min(b), a.max(b));
        let atom = *self.own.entry(key).or_insert_with(|| cnf.fresh());
        if a < b { atom } else { !atom }
    }
}
