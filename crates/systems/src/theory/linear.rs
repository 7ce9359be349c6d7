//! Has a set of linear literals a rational solution? Fourier and Motzkin's elimination.
//!
//! Elimination is used for the few literals that are no differences, so simplicity wins over speed.
//! Equalities are two inequalities; `<>` is split. When numbers or the set grow too large the
//! answer is "perhaps", which is `true`: a cube too many is explored.

use crate::cube::literals::{Base, LinearLiteral};
use crate::system::Rel;
use std::collections::BTreeMap;

/// Literals beyond which elimination gives up.
const MAX_ROWS: usize = 400;

/// Splits of `<>` beyond which they are left out.
const MAX_SPLITS: usize = 4;

/// `Σ f·x + c ≤ 0`, or `< 0`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Inequality {
    terms: BTreeMap<Base, i128>,
    constant: i128,
    strict: bool,
}

/// False when the literals together have no rational solution.
pub fn feasible(lits: &[LinearLiteral], more: &[LinearLiteral]) -> bool {
    let (mut rows, mut splits) = (Vec::new(), Vec::new());
    for l in lits.iter().chain(more) {
        let strict = l.rel == Rel::Lt;
        match l.rel {
            Rel::Ne if splits.len() < MAX_SPLITS => splits.push(l),
            Rel::Ne => {}
            Rel::Eq => rows.extend([row(l, 1, false), row(l, -1, false)]),
            Rel::Lt | Rel::Le => rows.push(row(l, 1, strict)),
        }
    }
    (0..1usize << splits.len()).any(|choice| {
        let mut rows = rows.clone();
        for (i, l) in splits.iter().enumerate() {
            rows.push(row(l, if choice >> i & 1 == 1 { 1 } else { -1 }, true));
        }
        solve(rows)
    })
}

fn row(l: &LinearLiteral, sign: i128, strict: bool) -> Inequality {
    Inequality {
        terms: l
            .lin
            .terms
            .iter()
            .map(|(f, b)| (*b, sign * i128::from(*f)))
            .collect(),
        constant: sign * i128::from(l.lin.constant),
        strict,
    }
}

fn solve(mut rows: Vec<Inequality>) -> bool {
    loop {
        rows.sort();
        rows.dedup();
        let mut rest = Vec::new();
        for r in rows {
            if r.terms.is_empty() {
                if r.constant > 0 || (r.constant == 0 && r.strict) {
                    return false;
                }
            } else {
                rest.push(r);
            }
        }
        let Some(var) = rest.iter().flat_map(|r| r.terms.keys()).min().copied() else {
            return true;
        };
        if rest.len() > MAX_ROWS {
            return true;
        }
        let (with, mut next): (Vec<Inequality>, Vec<Inequality>) =
            rest.into_iter().partition(|r| r.terms.contains_key(&var));
        let (upper, lower): (Vec<Inequality>, Vec<Inequality>) =
            with.into_iter().partition(|r| r.terms[&var] > 0);
        for u in &upper {
            for l in &lower {
                match combine(u, l, var) {
                    Some(r) => next.push(r),
                    None => return true,
                }
            }
        }
        rows = next;
    }
}

/// The sum of both in which `var` cancels out; nothing on overflow.
fn combine(u: &Inequality, l: &Inequality, var: Base) -> Option<Inequality> {
    let (a, b) = (u.terms[&var], -l.terms[&var]);
    let mut terms: BTreeMap<Base, i128> = BTreeMap::new();
    for (factor, r) in [(b, u), (a, l)] {
        for (x, f) in &r.terms {
            let slot = terms.entry(*x).or_default();
            *slot = slot.checked_add(factor.checked_mul(*f)?)?;
        }
    }
    terms.retain(|_, f| *f != 0);
    let constant = b
        .checked_mul(u.constant)?
        .checked_add(a.checked_mul(l.constant)?)?;
    Some(Inequality {
        terms,
        constant,
        strict: u.strict || l.strict,
    })
}
