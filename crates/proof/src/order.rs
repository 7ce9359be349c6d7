//! That a relation has no cycle: its pairs agree with some strict total order of the events.
//!
//! One variable for each pair of points that matters says which of the two comes first. The clauses
//! are instances of two sentences that are true of every total order: a related pair is in order, and no
//! three points run in a circle. Which circles are written down is a matter of size alone: the pairs are
//! completed to a chordal graph, by taking out the point with the fewest neighbours again and again and
//! joining its neighbours, and in a chordal graph a cycle always has a circle of three.

use super::gates::{FALSE, Gates, Lit, Rule, TRUE};
use base::bits::{BitMatrix, BitSet};
use rustc_hash::FxHashMap;

/// Points with an order that extends a fixed one.
pub struct TotalOrder {
    /// Fixed, transitively.
    fixed: BitMatrix,
    variables: FxHashMap<(usize, usize), Lit>,
}

/// Two points that are in order where all of some literals hold.
pub struct Edge {
    /// Comes first.
    pub from: usize,
    /// Comes later.
    pub to: usize,
    /// When.
    pub when: Vec<Lit>,
}

/// The formula would be too large, or is not wanted any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

/// Adds that fixed pairs and edges agree with one total order.
///
/// # Errors
/// `stop` answers true, asked with the number of clauses now and then.
pub fn order(
    gates: &mut Gates,
    points: usize,
    fixed: &BitMatrix,
    edges: &[Edge],
    stop: &dyn Fn(usize) -> bool,
) -> Result<(), TooLarge> {
    let fixed = fixed.plus();
    if (0..points).any(|p| fixed.contains(p, p)) {
        gates.clause(Rule::Edge, &[]);
        return Ok(());
    }
    let open = |e: &&Edge| !fixed.contains(e.from, e.to) && !e.when.contains(&FALSE);
    let open: Vec<&Edge> = edges.iter().filter(open).collect();
    let circles = circles(points, &fixed, &open, &|| stop(gates.rules.len()))?;
    let mut order = TotalOrder {
        fixed,
        variables: FxHashMap::default(),
    };
    for edge in open {
        let before = order.before(gates, edge.from, edge.to);
        gates.implies(Rule::Edge, &edge.when, before);
    }
    for (i, [a, b, c]) in circles.into_iter().enumerate() {
        if i % 4096 == 0 && stop(gates.rules.len()) {
            return Err(TooLarge);
        }
        let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(x, y)| order.before(gates, x, y));
        gates.clause(Rule::Order, &[!ab, !bc, !ca]);
        gates.clause(Rule::Order, &[ab, bc, ca]);
    }
    Ok(())
}

impl TotalOrder {
    fn before(&mut self, gates: &mut Gates, a: usize, b: usize) -> Lit {
        if self.fixed.contains(a, b) {
            return TRUE;
        }
        if self.fixed.contains(b, a) {
            return FALSE;
        }
        let first = self.variables.entry((a.min(b), a.max(b)));
        let first = *first.or_insert_with(|| gates.fresh());
        if a < b { first } else { !first }
    }
}

/// The circles to be written down, of the points that an edge touches.
fn circles(
    points: usize,
    fixed: &BitMatrix,
    edges: &[&Edge],
    stop: &dyn Fn() -> bool,
) -> Result<Vec<[usize; 3]>, TooLarge> {
    let mut touched = BitSet::new(points);
    for edge in edges {
        touched.insert(edge.from);
        touched.insert(edge.to);
    }
    let before = fixed.inverse();
    let mut joined: Vec<BitSet> = (0..points).map(|_| BitSet::new(points)).collect();
    let mut join = |a: usize, b: usize| {
        joined[a].insert(b);
        joined[b].insert(a);
    };
    edges.iter().for_each(|e| join(e.from, e.to));
    for a in touched.iter() {
        for b in fixed.successors(a).filter(|b| touched.contains(*b)) {
            // What is between them says the rest.
            let mut between = fixed.set(a);
            between.inter(before.row(b));
            between.inter(touched.words());
            if between.count() == 0 {
                join(a, b);
            }
        }
    }
    let known = |a: usize, b: usize| fixed.contains(a, b) || fixed.contains(b, a);
    let mut left: Vec<usize> = touched.iter().collect();
    let mut out = Vec::new();
    while let Some(at) = (0..left.len()).min_by_key(|i| (joined[left[*i]].count(), left[*i])) {
        let point = left.swap_remove(at);
        let mut clique = joined[point].clone();
        let around: Vec<usize> = clique.iter().collect();
        clique.insert(point);
        // A fixed pair with a third point of the clique between follows from circles with that point.
        let is_long = |a: usize, b: usize| {
            let (a, b) = if fixed.contains(a, b) { (a, b) } else { (b, a) };
            let mut between = fixed.set(a);
            between.inter(before.row(b));
            between.meets(clique.words())
        };
        for (i, a) in around.iter().copied().enumerate() {
            joined[a].union(clique.words());
            joined[a].remove(a);
            joined[a].remove(point);
            for b in around[i + 1..].iter().copied() {
                let sides = [(point, a), (point, b), (a, b)].into_iter();
                let fixed_sides: Vec<_> = sides.filter(|(x, y)| known(*x, *y)).collect();
                let says = match fixed_sides[..] {
                    [] => true,
                    [(x, y)] => !is_long(x, y),
                    _ => false,
                };
                if says {
                    out.push([point, a, b]);
                }
            }
            if out.len() > MOST || stop() {
                return Err(TooLarge);
            }
        }
    }
    Ok(out)
}

/// Circles of one order that are written down at most.
const MOST: usize = 8_000_000;
