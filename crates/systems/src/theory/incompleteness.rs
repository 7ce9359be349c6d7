//! Incompleteness of the built-in theory: literals that may follow from a conjunction though
//! [`Closed::implies`] does not see it.
//!
//! For most conjunctions there are none. The others have several disequalities of finite types (or
//! of processes, where all of them are there), an order that is not strict, disequalities of
//! numbers, or sums of integers. What a literal says of other bases than these cannot be missed.

use super::closure::{Closed, Facts};
use crate::cube::literals::{Base, BaseKind, LinearLiteral, Literal, bases_of_lit};
use crate::system::Rel;

/// Where the theory is incomplete for a conjunction, as the bases that they concern.
#[derive(Clone, Debug)]
pub struct Incompleteness {
    /// Of finite types and processes, sorted.
    pub values: Vec<Base>,
    /// Numbers, sorted.
    numbers: Vec<Base>,
    /// Of these, not only that a sum differs from a number may be missed.
    sums: bool,
    /// Bases of any type but numbers that are mentioned, where the order of processes may say more
    /// of them than the theory sees.
    ordered: Vec<Base>,
    /// All that is said of order may be missed.
    places: bool,
    /// Some are ordered, but not strictly.
    order: bool,
}

impl Incompleteness {
    /// Of a closed conjunction; nothing where the theory is complete.
    pub fn of(closed: &Closed, facts: &Facts) -> Option<Incompleteness> {
        let plain = |b: &Base| matches!(b.kind(), BaseKind::Proc(_));
        let order = closed.order.iter().any(|(.., strict)| !strict);
        let all_there = facts.all_procs.is_some();
        let is_finite = |b: Base| closed.mask(b, facts.domain) != u128::MAX;
        let (finite, other): (Vec<_>, Vec<_>) =
            (closed.ne.iter().copied()).partition(|(a, b)| is_finite(*a) || is_finite(*b));
        let mut reps = Vec::new();
        if finite.len() > 1 {
            reps.extend(finite.iter().flat_map(|(a, b)| [*a, *b]));
        }
        // Beside constants, or among all processes, order counts places.
        let places = (facts.fixed > 0 || all_there)
            && (closed.order.iter()).any(|(a, b, _)| !plain(a) || !plain(b));
        if places || all_there {
            reps.extend(other.iter().flat_map(|(a, b)| [*a, *b]));
            reps.extend(closed.order.iter().flat_map(|(a, b, _)| [*a, *b]));
        }
        reps.retain(|b| !plain(b));
        let mentioned = || closed.bases.iter().copied().filter(|b| !plain(b));
        let values: Vec<Base> = mentioned()
            .filter(|b| reps.contains(&closed.rep(*b)))
            .collect();
        let ordered = match facts.fixed > 0 || all_there && !closed.order.is_empty() {
            true => mentioned().filter(|b| !is_finite(*b)).collect(),
            false => Vec::new(),
        };
        // Between bounds on differences the corners are integers; what they leave is divisibility.
        let sums = closed.lins.iter().any(|l| l.int || l.rel == Rel::Ne);
        let sums = sums || !closed.diff_ne.is_empty();
        let mut numbers = Vec::new();
        if sums || closed.int.contains(&true) {
            let terms = closed.lins.iter().flat_map(|l| &l.lin.terms);
            numbers.extend(terms.map(|(_, b)| *b));
            numbers.extend(closed.nodes.iter().copied().filter(|b| *b != Base::ZERO));
            numbers.sort_unstable();
            numbers.dedup();
        }
        let found = Incompleteness {
            values,
            numbers,
            sums,
            places,
            ordered,
            order,
        };
        let any = [&found.values, &found.numbers, &found.ordered];
        (found.order || any.iter().any(|b| !b.is_empty())).then_some(found)
    }

    /// The literal may follow though the theory says that it does not.
    pub fn may_miss(&self, closed: &Closed, lit: &Literal) -> bool {
        let is_value = |b: Base| self.values.binary_search(&b).is_ok();
        let is_ordered = |b: Base| self.ordered.binary_search(&b).is_ok();
        // An order that is not strict may be, for what lies between; both ways it is equality.
        let meet = |a: Base, b: Base| {
            let (a, b) = (closed.rep(a), closed.rep(b));
            self.order
                && [(a, b, false), (b, a, false)]
                    .iter()
                    .any(|o| closed.order.binary_search(o).is_ok())
        };
        let mut bases = bases_of_lit(lit);
        match *lit {
            Literal::In(..) => bases.any(is_value),
            Literal::Eq(a, b) | Literal::Ne(a, b) => bases.any(is_value) || meet(a, b),
            Literal::Less(a, b) | Literal::LessEq(a, b) => {
                self.places || bases.any(|b| is_value(b) || is_ordered(b)) || meet(a, b)
            }
            Literal::Diff { .. } => self.sums && bases.all(|b| self.is_number(b)),
        }
    }

    /// The same of a linear literal.
    pub fn may_miss_lin(&self, lit: &LinearLiteral) -> bool {
        let mut bases = lit.lin.terms.iter().map(|(_, b)| *b);
        match lit.rel {
            Rel::Ne => bases.any(|b| self.is_number(b)),
            _ => self.sums && bases.all(|b| self.is_number(b)),
        }
    }

    fn is_number(&self, b: Base) -> bool {
        self.numbers.binary_search(&b).is_ok()
    }
}
