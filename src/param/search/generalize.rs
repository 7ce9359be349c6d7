//! Cubes made wider by what is covered already.
//!
//! match:  a cube `l ∧ rest` and a visited cube that covers `¬l ∧ rest`
//! result: `rest`, which is the union of the two
//!
//! where the opposite of a set of constructors is taken one constructor at a time. Nothing is
//! approximated: the wider cube holds nothing but the old one and what is covered. It does the work of a test whether
//! several visited cubes cover one together, and leaves fewer and larger cubes, each of whose
//! pre-images is again covered by one cube. The price is that a trace through a wider cube may
//! leave it through the part that was covered, whose way to the unsafe state is another one; when
//! such a trace cannot be replayed, the search is repeated without widening.

use crate::param::cube::formula::{Inst, negate};
use crate::param::cube::literals::Lit;
use crate::param::cube::tso::Cube;
use crate::param::preimage::image::Pre;
use crate::param::subsume::embedding::{Prepared, prepare};
use crate::param::system::Rel;
use crate::param::theory::model::{Model, normal};

/// The cube with what can be dropped, if anything can.
pub fn widen(model: &Model, cube: &Cube, covered: &dyn Fn(&Prepared) -> bool) -> Option<Pre> {
    let mut now = cube.clone();
    let mut changed = false;
    let is_covered = |now: &Cube, lit: Lit, drop: usize| {
        let mut other = now.clone();
        other.conj.lits[drop] = lit;
        normal(model, &other).is_none_or(|c| prepare(model, c).is_none_or(|p| covered(&p)))
    };
    let mut at = 0;
    while at < now.conj.lits.len() {
        match now.conj.lits[at] {
            Lit::In(b, mask) => {
                let mut missing = model.domain(&now.reads, b) & !mask;
                let mut all = true;
                while all && missing != 0 {
                    let one = missing & missing.wrapping_neg();
                    missing &= !one;
                    all = is_covered(&now, Lit::In(b, one), at);
                }
                if all {
                    changed = true;
                    now.conj.lits.remove(at);
                    continue;
                }
            }
            // Equalities carry what is known of their sides; they stay.
            Lit::Eq(..) => {}
            lit => {
                let equality = matches!(lit, Lit::Diff { rel: Rel::Eq, .. });
                if !equality
                    && let Inst::Lit(not) = negate(&Inst::Lit(lit))
                    && is_covered(&now, not, at)
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
    Some(Pre::canonical(model, now))
}
