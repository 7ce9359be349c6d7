//! Exact numbers: rationals without bounds, and rationals with an infinitesimal.
//!
//! A strict bound `x < c` is the bound `x ≤ c - δ` for a positive δ that is smaller than anything
//! that matters (Dutertre and de Moura, "A fast linear-arithmetic solver for DPLL(T)", CAV 2006,
//! Sec. 4.2).

use num::{One, Signed, Zero};
use std::ops::{Add, Mul, Sub};

/// A rational number of any size.
pub type Rational = num::BigRational;

/// An integer as a rational.
pub fn int(n: i64) -> Rational {
    Rational::from_integer(n.into())
}

/// `standard + small · δ`; ordered lexicographically.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Delta {
    /// The number itself.
    pub standard: Rational,
    /// The factor of the infinitesimal.
    pub small: Rational,
}

impl Delta {
    /// A number without infinitesimal.
    pub fn of(standard: Rational) -> Delta {
        let small = Rational::zero();
        Delta { standard, small }
    }

    /// 0.
    pub fn zero() -> Delta {
        Delta::of(Rational::zero())
    }

    /// A little less.
    pub fn below(standard: Rational) -> Delta {
        let small = -Rational::one();
        Delta { standard, small }
    }

    /// A little more.
    pub fn above(standard: Rational) -> Delta {
        let small = Rational::one();
        Delta { standard, small }
    }

    /// It is an integer, without infinitesimal.
    pub fn is_integer(&self) -> bool {
        self.small.is_zero() && self.standard.is_integer()
    }

    /// The greatest integer that is not more.
    pub fn floor(&self) -> Rational {
        let floor = self.standard.floor();
        if floor == self.standard && self.small.is_negative() {
            floor - Rational::one()
        } else {
            floor
        }
    }
}

impl Add<&Delta> for Delta {
    type Output = Delta;
    fn add(self, other: &Delta) -> Delta {
        Delta {
            standard: self.standard + &other.standard,
            small: self.small + &other.small,
        }
    }
}

impl Sub<&Delta> for Delta {
    type Output = Delta;
    fn sub(self, other: &Delta) -> Delta {
        Delta {
            standard: self.standard - &other.standard,
            small: self.small - &other.small,
        }
    }
}

impl Mul<&Rational> for &Delta {
    type Output = Delta;
    fn mul(self, factor: &Rational) -> Delta {
        Delta {
            standard: &self.standard * factor,
            small: &self.small * factor,
        }
    }
}
