//! Exact numbers: rationals without bounds, and rationals with an infinitesimal.
//!
//! Nearly all numbers of a proof are small, so a rational is two machine words as long as it fits, and
//! has integers without bounds otherwise.
//!
//! A strict bound `x < c` is the bound `x ≤ c - δ` for a positive δ that is smaller than anything
//! that matters (Dutertre and de Moura, "A fast linear-arithmetic solver for DPLL(T)", CAV 2006,
//! Sec. 4.2).

use num::integer::gcd;
use num::{BigInt, BigRational, One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// A rational number of any size.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational(Repr);

/// In lowest terms, the denominator positive; large only where the small form does not do. So equal
/// numbers are equal terms.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64, i64),
    Large(Box<BigRational>),
}
use Repr::{Large, Small};

/// An integer as a rational.
pub fn int(n: i64) -> Rational {
    Rational(Small(n, 1))
}

impl Rational {
    /// A fraction; the denominator is not 0.
    pub fn new(numerator: BigInt, denominator: BigInt) -> Rational {
        Rational::of(BigRational::new(numerator, denominator))
    }

    /// An integer.
    pub fn from_integer(n: BigInt) -> Rational {
        match n.to_i64() {
            Some(n) => int(n),
            None => Rational(Large(Box::new(BigRational::from_integer(n)))),
        }
    }

    fn of(n: BigRational) -> Rational {
        Rational(match (n.numer().to_i64(), n.denom().to_i64()) {
            (Some(numerator), Some(denominator)) => Small(numerator, denominator),
            _ => Large(Box::new(n)),
        })
    }

    /// A fraction of products and sums of machine words.
    fn reduced(numerator: i128, denominator: i128) -> Rational {
        let divisor = gcd(numerator, denominator);
        let (numerator, denominator) = (numerator / divisor, denominator / divisor);
        match (i64::try_from(numerator), i64::try_from(denominator)) {
            (Ok(numerator), Ok(denominator)) => Rational(Small(numerator, denominator)),
            _ => Rational(Large(Box::new(BigRational::new_raw(
                numerator.into(),
                denominator.into(),
            )))),
        }
    }

    fn large(&self) -> BigRational {
        match &self.0 {
            Small(n, d) => BigRational::new_raw((*n).into(), (*d).into()),
            Large(n) => BigRational::clone(n),
        }
    }

    /// The numerator in lowest terms; it has the sign.
    pub fn numer(&self) -> BigInt {
        match &self.0 {
            Small(n, _) => (*n).into(),
            Large(n) => n.numer().clone(),
        }
    }

    /// The denominator in lowest terms.
    pub fn denom(&self) -> BigInt {
        match &self.0 {
            Small(_, d) => (*d).into(),
            Large(n) => n.denom().clone(),
        }
    }

    /// It is an integer.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Small(_, d) => *d == 1,
            Large(n) => n.is_integer(),
        }
    }

    /// Without what is behind the point.
    pub fn to_integer(&self) -> BigInt {
        match &self.0 {
            Small(n, d) => (n / d).into(),
            Large(n) => n.to_integer(),
        }
    }

    /// The greatest integer that is not more.
    pub fn floor(&self) -> Rational {
        match &self.0 {
            Small(n, d) => int(n.div_euclid(*d)),
            Large(n) => Rational::of(n.floor()),
        }
    }

    /// The least integer that is not less.
    pub fn ceil(&self) -> Rational {
        -(-self.clone()).floor()
    }

    /// It is below 0.
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Small(n, _) => *n < 0,
            Large(n) => n.is_negative(),
        }
    }

    /// It is above 0.
    pub fn is_positive(&self) -> bool {
        match &self.0 {
            Small(n, _) => *n > 0,
            Large(n) => n.is_positive(),
        }
    }

    /// Without its sign.
    pub fn abs(&self) -> Rational {
        match self.is_negative() {
            true => -self.clone(),
            false => self.clone(),
        }
    }
}

impl Zero for Rational {
    fn zero() -> Rational {
        int(0)
    }

    fn is_zero(&self) -> bool {
        self.0 == Small(0, 1)
    }
}

impl One for Rational {
    fn one() -> Rational {
        int(1)
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        match (&self.0, &other.0) {
            (Small(a, b), Small(c, d)) => {
                (i128::from(*a) * i128::from(*d)).cmp(&(i128::from(*c) * i128::from(*b)))
            }
            _ => self.large().cmp(&other.large()),
        }
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.large().fmt(f)
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Neg for Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        match &self.0 {
            Small(n, d) if *n != i64::MIN => Rational(Small(-n, *d)),
            _ => Rational::of(-self.large()),
        }
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        -self.clone()
    }
}

/// An operation on numbers, owned or not: on machine words as numerator and denominator, each in 128
/// bits, or else on numbers without bounds.
macro_rules! operation {
    ($trait:ident, $name:ident, $assign:ident, $assign_name:ident, |$a:ident, $b:ident, $c:ident, $d:ident| $small:expr) => {
        impl $trait<&Rational> for &Rational {
            type Output = Rational;
            fn $name(self, other: &Rational) -> Rational {
                if let (Small(a, b), Small(c, d)) = (&self.0, &other.0) {
                    let [$a, $b, $c, $d] = [*a, *b, *c, *d].map(i128::from);
                    let (numerator, denominator): (Option<i128>, i128) = $small;
                    if let Some(numerator) = numerator {
                        return Rational::reduced(numerator, denominator);
                    }
                }
                Rational::of(self.large().$name(other.large()))
            }
        }
        impl $trait for Rational {
            type Output = Rational;
            fn $name(self, other: Rational) -> Rational {
                (&self).$name(&other)
            }
        }
        impl $trait<&Rational> for Rational {
            type Output = Rational;
            fn $name(self, other: &Rational) -> Rational {
                (&self).$name(other)
            }
        }
        impl $assign<&Rational> for Rational {
            fn $assign_name(&mut self, other: &Rational) {
                *self = (&*self).$name(other);
            }
        }
    };
}

operation!(Add, add, AddAssign, add_assign, |a, b, c, d| (
    (a * d).checked_add(c * b),
    b * d
));
operation!(Sub, sub, SubAssign, sub_assign, |a, b, c, d| (
    (a * d).checked_sub(c * b),
    b * d
));
operation!(Mul, mul, MulAssign, mul_assign, |a, b, c, d| (
    Some(a * c),
    b * d
));
// The denominator stays positive; to divide by 0 is an error of the caller.
operation!(Div, div, DivAssign, div_assign, |a, b, c, d| (
    (c != 0).then_some(a * d * c.signum()),
    b * c.abs()
));

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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers around the limits of machine words, and small ones.
    fn numbers() -> impl Strategy<Value = i128> {
        let limit = i128::from(i64::MAX);
        prop_oneof![
            -20_i128..20,
            limit - 2..limit + 3,
            -limit - 3..2 - limit,
            any::<i64>().prop_map(i128::from),
            any::<i128>().prop_map(|n| n / 3),
        ]
    }

    fn fractions() -> impl Strategy<Value = BigRational> {
        let denominators = numbers().prop_filter("no denominator is 0", |d| *d != 0);
        (numbers(), denominators).prop_map(|(n, d)| BigRational::new(n.into(), d.into()))
    }

    proptest! {
        #[test]
        fn they_are_the_rationals_of_the_library(a in fractions(), b in fractions()) {
            let (x, y) = (Rational::of(a.clone()), Rational::of(b.clone()));
            let same = |ours: Rational, theirs: BigRational| ours == Rational::of(theirs);
            prop_assert!(same(&x + &y, &a + &b));
            prop_assert!(same(&x - &y, &a - &b));
            prop_assert!(same(&x * &y, &a * &b));
            if !y.is_zero() {
                prop_assert!(same(&x / &y, &a / &b));
            }
            prop_assert!(same(-&x, -&a));
            prop_assert!(same(x.abs(), a.abs()));
            prop_assert!(same(x.floor(), a.floor()));
            prop_assert!(same(x.ceil(), a.ceil()));
            prop_assert_eq!(x.to_integer(), a.to_integer());
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            prop_assert_eq!(x.is_integer(), a.is_integer());
            prop_assert_eq!(x.is_negative(), a.is_negative());
            prop_assert_eq!(x.is_positive(), a.is_positive());
            prop_assert_eq!(x.is_zero(), a.is_zero());
            prop_assert_eq!((x.numer(), x.denom()), (a.numer().clone(), a.denom().clone()));
            prop_assert_eq!(x.to_string(), a.to_string());
        }
    }
}
