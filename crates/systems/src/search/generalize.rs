//! Generalization by literal dropping: a cube takes in what is subsumed already.
//!
//! match:  a cube `l ∧ rest` and a visited cube that subsumes `¬l ∧ rest`
//! result: `rest`, which is the union of the two
//!
//! where the opposite of a set of constructors is taken one constructor at a time. Nothing is
//! approximated: the larger cube holds nothing but the old one and what is subsumed. It does the
//! work of a test whether several visited cubes subsume one together, and leaves fewer and larger
//! cubes, each of whose pre-images is again subsumed by one cube. The price is that a trace through
//! a larger cube may leave it through the part that was subsumed, whose way to the unsafe state is
//! another one; when such a trace cannot be replayed, the search is repeated without
//! generalization.

use crate::cube::formula::{GroundFormula, negate};
use crate::cube::literals::Literal;
use crate::cube::tso::Cube;
use crate::preimage::image::PreImage;
use crate::subsume::embedding::{Prepared, prepare};
use crate::system::Rel;
use crate::theory::context::{SystemContext, normal};

/// The cube with what can be dropped, if anything can.
pub fn generalize(
    context: &SystemContext,
    cube: &Cube,
    subsumed: &dyn Fn(&Prepared) -> bool,
) -> Option<PreImage> {
    let mut now = cube.clone();
    let mut changed = false;
    let is_subsumed = |now: &Cube, lit: Literal, drop: usize| {
        let mut other = now.clone();
        other.conj.lits[drop] = lit;
        normal(context, &other).is_none_or(|c| prepare(context, c).is_none_or(|p| subsumed(&p)))
    };
    let mut at = 0;
    while at < now.conj.lits.len() {
        match now.conj.lits[at] {
            Literal::In(b, mask) => {
                let mut missing = context.domain(&now.reads, b) & !mask;
                let mut all = true;
                while all && missing != 0 {
                    let one = missing & missing.wrapping_neg();
                    missing &= !one;
                    all = is_subsumed(&now, Literal::In(b, one), at);
                }
                if all {
                    changed = true;
                    now.conj.lits.remove(at);
                    continue;
                }
            }
            // Equalities carry what is known of their sides; they stay.
            Literal::Eq(..) => {}
            lit => {
                let equality = matches!(lit, Literal::Diff { rel: Rel::Eq, .. });
                if !equality
                    && let GroundFormula::Literal(not) = negate(&GroundFormula::Literal(lit))
                    && is_subsumed(&now, not, at)
                {
                    changed = true;
                    now.conj.lits.remove(at);
                    continue;
                }
            }
        }
        at += 1;
    }
    if !changed {
        return None;
    }
    Some(PreImage::canonical(context, now))
}
