//! The comparisons of a condition.

use crate::commands::arith::{Cond, Rel};

/// One form for a condition and its negation.
pub fn canonical(cond: &Cond) -> Cond {
    let negated = cond.negate();
    match (cond, &negated) {
        (Cond::Compare(_, Rel::Eq), _) => cond.clone(),
        (_, Cond::Compare(_, Rel::Eq)) => negated,
        _ => cond.clone().min(negated),
    }
}

/// The comparisons in a condition, in order, each canonical.
pub fn atoms(cond: &Cond) -> Vec<Cond> {
    match cond {
        Cond::Const(_) => Vec::new(),
        Cond::Compare(..) => vec![canonical(cond)],
        Cond::Not(c) => atoms(c),
        Cond::And(all) | Cond::Or(all) => all.iter().flat_map(atoms).collect(),
    }
}
