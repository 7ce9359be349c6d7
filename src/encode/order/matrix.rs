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
//! Pairs ordered by fixed edges are constants. A triangle with two of them says nothing, one with a
//! single fixed edge `p -> q` is a clause of two literals: what is before `p` is before `q`. Where some
//! `d` of the same clique is fixed between the two, that follows from the triangles with `d`: these
//! are triangles of the chordal graph, too, and their fixed edges are shorter, so by induction on their
//! length they are forbidden or follow in turn. What is left of two chains of fixed edges is a square
//! of clauses, not a cube.

use super::instance::Instance;
use base::bits::{BitMatrix, BitSet};
use smt::sat::cnf::{Cnf, Lit};
use std::collections::BTreeMap;

/// What has to be forbidden.
pub struct Plan {
    /// Triangles.
    triangles: Vec<[u32; 3]>,
    closure: BitMatrix,
}

impl Plan {
    /// Eliminates the nodes of an instance, fewest neighbours first; `None` when more than `limit`
    /// triangles would need clauses, or `stop` answers true.
    pub fn new(instance: &Instance, limit: usize, stop: &dyn Fn() -> bool) -> Option<Plan> {
        let n = instance.len;
        let mut closure = BitMatrix::new(n);
        let mut neighbours: Vec<BitSet> = (0..n).map(|_| BitSet::new(n)).collect();
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
        let before = closure.inverse();
        let known = |a: usize, b: usize| closure.contains(a, b) || closure.contains(b, a);
        let mut left: Vec<usize> = (0..n).collect();
        let mut triangles = Vec::new();
        while let Some(at) =
            (0..left.len()).min_by_key(|i| (neighbours[left[*i]].count(), left[*i]))
        {
            let v = left.swap_remove(at);
            let mut clique = neighbours[v].clone();
            let around: Vec<usize> = clique.iter().collect();
            clique.insert(v);
            // A fixed edge with another node of the clique on its way.
            let is_long = |p: usize, q: usize| {
                let mut words = closure.row(p).iter().zip(before.row(q)).zip(clique.words());
                words.any(|((after, before), clique)| after & before & clique != 0)
            };
            for (i, a) in around.iter().copied().enumerate() {
                neighbours[a].union(clique.words());
                neighbours[a].remove(a);
                neighbours[a].remove(v);
                for b in around[i + 1..].iter().copied() {
                    let pairs = [(v, a), (v, b), (a, b)].into_iter();
                    let mut fixed = pairs.filter(|(x, y)| known(*x, *y));
                    let says = match (fixed.next(), fixed.next()) {
                        (None, _) => true,
                        (Some((x, y)), None) if closure.contains(x, y) => !is_long(x, y),
                        (Some((x, y)), None) => !is_long(y, x),
                        (Some(_), Some(_)) => false,
                    };
                    if says {
                        triangles.push([v, a, b].map(|x| x as u32));
                    }
                }
                if triangles.len() > limit || stop() {
                    return None;
                }
            }
        }
        Some(Plan { triangles, closure })
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
    for (i, triangle) in plan.triangles.iter().enumerate() {
        if i % 1024 == 0 && stop() {
            return;
        }
        let [v, a, b] = triangle.map(|x| x as usize);
        let (va, ab, bv) = (
            atoms.before(cnf, v, a),
            atoms.before(cnf, a, b),
            atoms.before(cnf, b, v),
        );
        cnf.clause(&[!va, !ab, !bv]);
        cnf.clause(&[va, ab, bv]);
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
