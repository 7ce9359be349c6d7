//! What is asked for: edges that agree with one strict total order.

use base::bits::{BitMatrix, BitSet};
use smt::sat::cnf::Lit;
use std::collections::BTreeMap;

/// An acyclicity requirement over nodes `0..len`.
#[derive(Clone, Debug, Default)]
pub struct Instance {
    /// How many nodes.
    pub len: usize,
    /// Edges that always hold.
    pub fixed: Vec<(usize, usize)>,
    /// Edges that hold when their literal does.
    pub edges: BTreeMap<(usize, usize), Lit>,
    /// Pairs with a literal that says "the first is before the second" in this very order: both
    /// directions are among the edges. A backend may use the literal as its own.
    pub decided: BTreeMap<(usize, usize), Lit>,
}

impl Instance {
    /// Keeps the nodes that an edge with a literal touches; fixed paths through the others become
    /// fixed edges, and what is dominated is fixed, too ([`order_dominated`]). `None` when the fixed
    /// edges have a cycle.
    pub(super) fn reduce(&self, stop: &dyn Fn() -> bool) -> Option<Instance> {
        let mut among = BitSet::new(self.len);
        for (a, b) in self.fixed.iter().chain(self.edges.keys()) {
            among.insert(*a);
            among.insert(*b);
        }
        let local = numbers(&among, self.len);
        let mut closure = BitMatrix::new(among.count());
        let fixed = self.fixed.iter();
        fixed.for_each(|(a, b)| closure.insert(local[*a], local[*b]));
        let closure = closure.plus_until(stop);
        if (0..closure.len()).any(|a| closure.contains(a, a)) {
            return None;
        }
        // An edge that agrees with a fixed path says nothing; one against it must not hold, which
        // the backend finds by itself.
        let mut open = self.edges.clone();
        open.retain(|(a, b), l| !closure.contains(local[*a], local[*b]) && *l != Lit::FALSE);
        let mut kept = BitSet::new(self.len);
        for (a, b) in open.keys() {
            kept.insert(*a);
            kept.insert(*b);
        }
        let new = numbers(&kept, self.len);
        let mut order = BitMatrix::new(kept.count());
        for a in kept.iter() {
            for b in kept
                .iter()
                .filter(|b| closure.contains(local[a], local[*b]))
            {
                order.insert(new[a], new[b]);
            }
        }
        let edges = open.iter().map(|((a, b), l)| ((new[*a], new[*b]), *l));
        let mut edges: BTreeMap<_, _> = edges.collect();
        order_dominated(&mut order, &edges, stop);
        edges.retain(|(a, b), _| !order.contains(*a, *b));
        // Only the transitive reduction: the rest follows.
        let before = order.inverse();
        let between = |a: usize, b: usize| {
            order
                .row(a)
                .iter()
                .zip(before.row(b))
                .any(|(x, y)| x & y != 0)
        };
        let mut fixed = Vec::new();
        for a in (0..order.len()).take_while(|_| !stop()) {
            let after = order.successors(a).filter(|b| !between(a, *b));
            fixed.extend(after.map(|b| (a, b)));
        }
        let decided = self.decided.iter();
        let decided = decided.filter(|((a, b), _)| kept.contains(*a) && kept.contains(*b));
        let decided = decided.map(|((a, b), l)| ((new[*a], new[*b]), *l));
        Some(Instance {
            len: order.len(),
            fixed,
            edges,
            decided: decided.collect(),
        })
    }
}

/// By node: its number among those of a set.
fn numbers(among: &BitSet, len: usize) -> Vec<usize> {
    let mut out = vec![usize::MAX; len];
    among.iter().enumerate().for_each(|(i, n)| out[n] = i);
    out
}

/// Adds pairs to a transitive order, as far as `stop` answers false, that close a cycle only where
/// there is one anyway: `a` before `b` where all that may be before `a` is surely before `b`, or all
/// that may be after `b` is surely after `a`.
///
/// A cycle by way of such a pair comes to `a` from some `p`, which is before `b` without it; in the
/// other case it goes on from `b` to some `q`, which is after `a` without it. Under models with little
/// program order this makes one chain of what a thread writes, and one of what it reads, and chains
/// are what makes orders cheap.
fn order_dominated(
    order: &mut BitMatrix,
    edges: &BTreeMap<(usize, usize), Lit>,
    stop: &dyn Fn() -> bool,
) {
    let n = order.len();
    // By node: what is before it, what may be before it, and what may be after it.
    let mut before = order.inverse();
    let (mut may_before, mut may_after) = (before.clone(), order.clone());
    for (a, b) in edges.keys() {
        may_before.insert(*b, *a);
        may_after.insert(*a, *b);
    }
    let within = |some: &[u64], all: &[u64]| some.iter().zip(all).all(|(x, y)| x & !y == 0);
    for a in (0..n).take_while(|_| !stop()) {
        for b in (a + 1..n).chain(0..a) {
            let known = order.contains(a, b) || order.contains(b, a);
            let dominated =
                within(may_before.row(a), before.row(b)) || within(may_after.row(b), order.row(a));
            if known || !dominated {
                continue;
            }
            let (mut first, mut then) = (before.set(a), order.set(b));
            first.insert(a);
            then.insert(b);
            for x in first.iter() {
                order.insert_all(x, &then);
                may_after.insert_all(x, &then);
            }
            for y in then.iter() {
                before.insert_all(y, &first);
                may_before.insert_all(y, &first);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whether some edges with a literal make a cycle with the fixed ones.
    fn is_acyclic(instance: &Instance, holds: &dyn Fn(Lit) -> bool) -> bool {
        let mut graph = BitMatrix::new(instance.len);
        let held = instance.edges.iter().filter(|(_, l)| holds(**l));
        let edges = instance.fixed.iter().chain(held.map(|(e, _)| e));
        edges.for_each(|(a, b)| graph.insert(*a, *b));
        graph.is_acyclic()
    }

    proptest! {
        /// What is reduced has a cycle if and only if what it came from has one.
        #[test]
        fn reduction_keeps_cycles(
            pairs in prop::collection::btree_map((0..7usize, 0..7usize), 0..6i32, 0..16),
            held in any::<u32>(),
        ) {
            let mut instance = Instance { len: 7, ..Instance::default() };
            for ((a, b), kind) in pairs.into_iter().filter(|((a, b), _)| a != b) {
                match kind {
                    0..3 => instance.fixed.push((a, b)),
                    _ => {
                        let number = i32::try_from(instance.edges.len()).expect("few edges");
                        instance.edges.insert((a, b), Lit(number + 2));
                    }
                }
            }
            let holds = |l: Lit| held >> l.var() & 1 == 1;
            let expected = is_acyclic(&instance, &holds);
            let reduced = instance.reduce(&|| false);
            let found = reduced.is_some_and(|reduced| is_acyclic(&reduced, &holds));
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn reads_and_writes_of_a_thread_are_chains() {
        // Power: each read before the later writes, no order else; the writes of each thread are
        // read by the other one.
        let mut instance = Instance {
            len: 12,
            ..Instance::default()
        };
        for thread in [0, 6] {
            for (k, m) in [(0, 1), (0, 3), (0, 5), (2, 3), (2, 5), (4, 5)] {
                instance.fixed.push((thread + k, thread + m));
            }
            for (i, w) in [1, 3, 5].into_iter().enumerate() {
                for (j, r) in [0, 2, 4].into_iter().enumerate() {
                    let lit = Lit((2 + thread / 2 * 3 + 3 * i + j) as i32);
                    instance.edges.insert((thread + w, 6 - thread + r), lit);
                }
            }
        }
        let reduced = instance.reduce(&|| false).expect("there is no fixed cycle");
        let mut order = BitMatrix::new(reduced.len);
        reduced.fixed.iter().for_each(|(a, b)| order.insert(*a, *b));
        let order = order.plus();
        for thread in [0, 6] {
            for (a, b) in [(0, 2), (2, 4), (1, 3), (3, 5)] {
                assert!(order.contains(thread + a, thread + b));
            }
        }
    }
}
