//! Equality over infinite sorts: classes of equals, each a tree of the equations that made it.
//!
//! The trees are the proof forest of Nieuwenhuis and Oliveras ("Proof-producing congruence closure",
//! RTA 2005); without function symbols the explanation of `a = b` is the path between them. Any
//! assignment without a disequality inside a class can be satisfied, for the sorts are infinite.

use crate::sat::cnf::Lit;

/// An equation or a disequality between two nodes, and the literal that says so.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// One side.
    pub a: usize,
    /// The other.
    pub b: usize,
    /// Equal, or different.
    pub equal: bool,
    /// Why.
    pub reason: Lit,
}

/// Classes of nodes `0..`.
#[derive(Debug)]
pub struct Classes {
    /// The parent in the proof forest, and the equation between both.
    parent: Vec<Option<(usize, Lit)>>,
    /// The representative of each node.
    class: Vec<usize>,
}

impl Classes {
    fn new(nodes: usize) -> Classes {
        Classes {
            parent: vec![None; nodes],
            class: (0..nodes).collect(),
        }
    }

    /// The representative of a node's class.
    pub fn class(&self, node: usize) -> usize {
        self.class[node]
    }

    fn merge(&mut self, a: usize, b: usize, reason: Lit) {
        let (from, to) = (self.class[a], self.class[b]);
        if from == to {
            return;
        }
        self.reroot(a);
        self.parent[a] = Some((b, reason));
        for c in &mut self.class {
            if *c == from {
                *c = to;
            }
        }
    }

    /// Turns the edges on the way to the root around.
    fn reroot(&mut self, node: usize) {
        let (mut at, mut above) = (node, self.parent[node].take());
        while let Some((up, reason)) = above {
            above = self.parent[up].replace((at, reason));
            at = up;
        }
    }

    /// The nodes from here to the root, with the reason of the step that leaves each.
    fn path(&self, node: usize) -> Vec<(usize, Option<Lit>)> {
        let mut path = Vec::new();
        let mut at = Some(node);
        while let Some(n) = at {
            path.push((n, self.parent[n].map(|p| p.1)));
            at = self.parent[n].map(|p| p.0);
        }
        path
    }

    /// The equations from which `a = b` follows; both are in one class.
    fn explain(&self, a: usize, b: usize) -> Vec<Lit> {
        let (mut up, mut down) = (self.path(a), self.path(b));
        while let ([.., (x, _), _], [.., (y, _), _]) = (up.as_slice(), down.as_slice())
            && x == y
        {
            up.pop();
            down.pop();
        }
        // Both now end in the nearest common node, whose own step is not needed.
        up.pop();
        down.pop();
        up.into_iter().chain(down).filter_map(|(_, r)| r).collect()
    }
}

/// The classes that the equations make.
///
/// # Errors
/// For each disequality that is wrong: literals that cannot hold together.
pub fn check(nodes: usize, edges: &[Edge]) -> Result<Classes, Vec<Vec<Lit>>> {
    let mut classes = Classes::new(nodes);
    for e in edges.iter().filter(|e| e.equal) {
        classes.merge(e.a, e.b, e.reason);
    }
    let wrong = edges
        .iter()
        .filter(|e| !e.equal && classes.class(e.a) == classes.class(e.b));
    let conflicts: Vec<Vec<Lit>> = wrong
        .map(|e| {
            let mut why = classes.explain(e.a, e.b);
            why.push(e.reason);
            why
        })
        .collect();
    if conflicts.is_empty() {
        Ok(classes)
    } else {
        Err(conflicts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(a: usize, b: usize, reason: i32) -> Edge {
        let reason = Lit(reason);
        Edge {
            a,
            b,
            equal: reason.0 > 0,
            reason,
        }
    }

    #[test]
    fn a_path_explains() {
        let edges = [
            edge(0, 1, 2),
            edge(3, 4, 3),
            edge(1, 2, 4),
            edge(4, 0, 5),
            edge(2, 3, 6),
            edge(5, 0, 7),
            edge(3, 1, -8),
        ];
        let conflicts = check(6, &edges).expect_err("3 and 1 are equal");
        // 3 = 4 = 0 = 1; the equation 2 = 3 came too late.
        let mut why = conflicts[0].clone();
        why.sort_unstable();
        assert_eq!(why, [Lit(-8), Lit(2), Lit(3), Lit(5)]);
    }

    #[test]
    fn different_classes_may_differ() {
        let classes = check(4, &[edge(0, 1, 2), edge(1, 2, -3), edge(2, 3, 4)]);
        let classes = classes.expect("the assignment is consistent");
        assert_eq!(classes.class(0), classes.class(1));
        assert_ne!(classes.class(0), classes.class(3));
    }

    #[test]
    fn nothing_differs_from_itself() {
        let conflicts = check(1, &[edge(0, 0, -2)]).err();
        assert_eq!(conflicts, Some(vec![vec![Lit(-2)]]));
    }
}
