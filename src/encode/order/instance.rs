//! What is asked for: edges that agree with one strict total order.

use crate::mm::bits::BitMatrix;
use crate::sat::cnf::Lit;
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
    /// fixed edges. `None` when the fixed edges have a cycle.
    pub(super) fn reduce(&self, stop: &dyn Fn() -> bool) -> Option<Instance> {
        let mut closure = BitMatrix::new(self.len);
        self.fixed.iter().for_each(|(a, b)| closure.insert(*a, *b));
        let closure = closure.plus_until(stop);
        if (0..self.len).any(|a| closure.contains(a, a)) {
            return None;
        }
        // An edge that agrees with a fixed path says nothing; one against it must not hold, which
        // the backend finds by itself.
        let open: BTreeMap<(usize, usize), Lit> = self
            .edges
            .iter()
            .filter(|((a, b), l)| !closure.contains(*a, *b) && **l != Lit::FALSE)
            .map(|(e, l)| (*e, *l))
            .collect();
        let mut new_index = vec![usize::MAX; self.len];
        let mut kept = Vec::new();
        for (a, b) in open.keys() {
            for n in [*a, *b] {
                if new_index[n] == usize::MAX {
                    new_index[n] = 0;
                    kept.push(n);
                }
            }
        }
        kept.sort_unstable();
        kept.iter().enumerate().for_each(|(i, n)| new_index[*n] = i);
        let mut order = BitMatrix::new(kept.len());
        for a in &kept {
            for b in closure
                .successors(*a)
                .filter(|b| new_index[*b] != usize::MAX)
            {
                order.insert(new_index[*a], new_index[b]);
            }
        }
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
        let edges: BTreeMap<_, _> = open
            .iter()
            .map(|((a, b), l)| ((new_index[*a], new_index[*b]), *l))
            .collect();
        let decided = self
            .decided
            .iter()
            .filter(|((a, b), _)| new_index[*a] != usize::MAX && new_index[*b] != usize::MAX)
            .map(|((a, b), l)| ((new_index[*a], new_index[*b]), *l))
            .collect();
        Some(Instance {
            len: kept.len(),
            fixed,
            edges,
            decided,
        })
    }
}
