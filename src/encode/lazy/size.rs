//! How large the eager encoding of an axiom would be, before there is one.
//!
//! Counted are the ways to derive pairs that executions decide: one a pair for unions and
//! intersections, for sequences and closures one for each event in the middle. The encoder makes
//! fewer, as it makes only what cycles may use, so this is an upper bound but for a small factor;
//! it costs a few passes over the bounds.

use crate::relations::bounds::Analysis;
use base::bits::BitMatrix;
use cat::model::{Rel, RelId};
use rustc_hash::FxHashSet;

/// The ways to derive pairs of a relation and of what it is made of.
pub fn derivations(analysis: &Analysis, rel: RelId) -> usize {
    let model = analysis.model;
    let (mut seen, mut work, mut ways) = (FxHashSet::default(), vec![rel], 0);
    while let Some(rel) = work.pop() {
        let bounds = &analysis.rels[rel];
        if bounds.may == bounds.must || !seen.insert(rel) {
            continue;
        }
        let may = |r: RelId| &analysis.rels[r].may;
        ways += match model.rels[rel] {
            Rel::Union(x, y) | Rel::Inter(x, y) | Rel::Diff(x, y) => {
                work.extend([x, y]);
                bounds.may.diff(&bounds.must).count()
            }
            Rel::Seq(x, y) => {
                work.extend([x, y]);
                middles(may(x), may(y))
            }
            Rel::Inverse(x) => {
                work.push(x);
                0
            }
            Rel::Plus(x) => {
                work.push(x);
                middles(may(x), &bounds.may)
            }
            Rel::Rec(v) => {
                work.push(model.recs[v]);
                0
            }
            _ => 0,
        };
    }
    ways
}

/// The triples `a, m, b` where the first relation has `a, m` and the second one `m, b`.
fn middles(x: &BitMatrix, y: &BitMatrix) -> usize {
    let mut into = vec![0usize; x.len()];
    x.pairs().for_each(|(_, m)| into[m] += 1);
    let row = |m: usize| {
        y.row(m)
            .iter()
            .map(|w| w.count_ones() as usize)
            .sum::<usize>()
    };
    let triples = into.iter().enumerate().map(|(m, n)| n * row(m));
    triples.sum()
}
