//! Ways of a sequence that need no clause, as there is a shorter way that surely exists.

use crate::relations::bounds::{Analysis, Node};
use base::idx::Id;
use cat::model::{Model, Rel, RelId};
use cat::pattern::union_parts;

/// The relation `z` of a closure `z+`, or of a recursive relation `y = r | z;y`: who takes a step to
/// where the relation goes on is in it himself.
pub fn step_of(model: &Model, rel: RelId) -> Option<RelId> {
    match model.rels[rel] {
        Rel::Plus(step) => Some(step),
        Rel::Rec(variable) => {
            let parts = union_parts(model, model.recs[variable]);
            parts.iter().find_map(|part| match model.rels[*part] {
                Rel::Seq(step, rest) if rest == rel => Some(step),
                _ => None,
            })
        }
        _ => None,
    }
}

/// The events `m` that `x;y`, where `y` goes on with steps `z` ([`step_of`]), need not go to from
/// `a`, as it goes there by way of an earlier `n`: surely `x` relates `a` to `n` and `z` relates `n`
/// to `m`, and `n` happens when `a` or `m` does. Where a path continues from `m`, one continues from
/// `n`, so nothing is lost; with `x = z` a first step is replaced by a shorter one (events are
/// numbered in program order), which ends.
pub fn detours_from(analysis: &Analysis, x: RelId, z: RelId, a: Node) -> Vec<bool> {
    let (first, then) = (&analysis.rels[x].must, &analysis.rels[z].must);
    let mut out = vec![false; analysis.nodes.len()];
    for n in first.successors(a.index()).map(Node::from_index) {
        let with_a = analysis.implies(a, n);
        if n <= a {
            continue;
        }
        for m in then.successors(n.index()).map(Node::from_index) {
            out[m.index()] |= m > n && (with_a || analysis.implies(m, n));
        }
    }
    out
}
