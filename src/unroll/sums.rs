//! Equations between sums, in one form each: a solver of clauses sees hardly that sums are equal whose operands come in
//! another order, or are added and subtracted.

use super::term::{Term, TermId, Terms};
use ir::program::{BinOp, mask};
use std::collections::BTreeMap;

/// Summands that are looked at, at most, and additions, which nest.
const MOST: usize = 12;

/// A number as a sum of others, each with its factor, and a constant, modulo 2^width.
#[derive(Default)]
struct Sum {
    factors: BTreeMap<TermId, u64>,
    constant: u64,
    /// How often something was added.
    summands: usize,
    additions: usize,
}

impl Sum {
    fn add(&mut self, terms: &Terms, term: TermId, factor: u64) -> Option<()> {
        if self.summands > MOST || self.additions > MOST {
            return None;
        }
        match terms.get(term) {
            Term::Const(number) => {
                self.constant = self.constant.wrapping_add(number.wrapping_mul(factor));
            }
            Term::Binary(BinOp::Add, a, b) => {
                self.additions += 1;
                self.add(terms, a, factor)?;
                self.add(terms, b, factor)?;
            }
            Term::Binary(BinOp::Sub, a, b) => {
                self.additions += 1;
                self.add(terms, a, factor)?;
                self.add(terms, b, factor.wrapping_neg())?;
            }
            _ => {
                self.summands += 1;
                let sum = self.factors.entry(term).or_default();
                *sum = sum.wrapping_add(factor);
            }
        }
        Some(())
    }
}

impl Terms {
    /// What says the same as that two sums of at least three summands are equal: equal numbers are on no side twice, and
    /// those with a minus are on the other side.
    pub(super) fn equal_sums(&mut self, a: TermId, b: TermId) -> Option<(TermId, TermId)> {
        let is_sum = |t: TermId| matches!(self.get(t), Term::Binary(BinOp::Add | BinOp::Sub, ..));
        if !is_sum(a) && !is_sum(b) {
            return None;
        }
        let width = self.width(a);
        let mut sum = Sum::default();
        sum.add(self, a, 1)?;
        sum.add(self, b, u64::MAX)?;
        if sum.summands < 3 {
            return None;
        }
        let minus_one = mask(width);
        let mut sides: [Vec<TermId>; 2] = [Vec::new(), Vec::new()];
        for (term, factor) in sum.factors {
            match factor & mask(width) {
                0 => {}
                1 => sides[0].push(term),
                f if f == minus_one => sides[1].push(term),
                _ => return None,
            }
        }
        let [mut left, mut right] = sides;
        let mut constant = sum.constant & mask(width);
        // The smallest of all is on the left.
        if right.first() < left.first() && !right.is_empty() || left.is_empty() {
            (left, right) = (right, left);
            constant = constant.wrapping_neg() & mask(width);
        }
        // The constant goes to the right.
        let constant = self.constant(constant.wrapping_neg(), width);
        let mut of = |side: Vec<TermId>| {
            let sum = side.into_iter();
            sum.reduce(|all, term| self.binary(BinOp::Add, all, term))
        };
        let (left, right) = (of(left), of(right));
        let right = match right {
            Some(right) => self.binary(BinOp::Add, right, constant),
            None => constant,
        };
        let left = match left {
            Some(left) => left,
            None => self.constant(0, width),
        };
        Some((left, right))
    }
}
