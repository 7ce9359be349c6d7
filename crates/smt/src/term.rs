//! Sorts, terms and formulas.

use super::number::Rational;
use base::id;
use num::{One, Zero};
use std::collections::BTreeMap;

id!(
    /// A variable of a solver.
    Var,
    "x"
);

/// What a variable ranges over.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// The values 0, 1, …, as many as said; sorts of the same size are one.
    Finite(u32),
    /// The infinite sort of this number, of which nothing is known but equality.
    Open(u32),
    /// Integers.
    Int,
    /// Rationals.
    Real,
}

impl Sort {
    /// Of numbers.
    pub fn is_number(self) -> bool {
        matches!(self, Sort::Int | Sort::Real)
    }
}

/// A term of a finite or an open sort.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    /// A variable.
    Var(Var),
    /// A value of a finite sort.
    Value(u32),
}

/// `Σ factor · variable + constant`; integers and rationals mix.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Sum {
    /// The factors, none of them 0.
    pub terms: BTreeMap<Var, Rational>,
    /// The constant.
    pub constant: Rational,
}

impl Sum {
    /// A constant.
    pub fn constant(constant: Rational) -> Sum {
        Sum {
            terms: BTreeMap::new(),
            constant,
        }
    }

    /// A variable.
    pub fn var(x: Var) -> Sum {
        Sum::constant(Rational::zero()).plus(&Rational::one(), x)
    }

    /// With `factor · x` added.
    pub fn plus(mut self, factor: &Rational, x: Var) -> Sum {
        let sum = self.terms.remove(&x).unwrap_or_else(Rational::zero) + factor;
        if !sum.is_zero() {
            self.terms.insert(x, sum);
        }
        self
    }

    /// With another sum subtracted.
    pub fn minus(mut self, other: &Sum) -> Sum {
        for (x, f) in &other.terms {
            self = self.plus(&-f, *x);
        }
        self.constant -= &other.constant;
        self
    }
}

/// How a sum compares with 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rel {
    /// `= 0`
    Eq,
    /// `≤ 0`
    Le,
    /// `< 0`
    Lt,
}

/// An atomic formula.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    /// The Boolean variable is true.
    Holds(Var),
    /// Both are the same, of one finite or open sort.
    Equal(Term, Term),
    /// The sum compares so with 0.
    Compare(Sum, Rel),
}

/// A formula without quantifiers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Formula {
    /// A constant.
    Bool(bool),
    /// An atom.
    Atom(Atom),
    /// Negation.
    Not(Box<Formula>),
    /// Conjunction.
    And(Vec<Formula>),
    /// Disjunction.
    Or(Vec<Formula>),
    /// Equivalence.
    Iff(Box<Formula>, Box<Formula>),
    /// If the first then the second else the third.
    Ite(Box<[Formula; 3]>),
}

impl Formula {
    /// A Boolean variable.
    pub fn holds(x: Var) -> Formula {
        Formula::Atom(Atom::Holds(x))
    }

    /// `x = y`, of one finite or open sort.
    pub fn same(x: Var, y: Var) -> Formula {
        Formula::Atom(Atom::Equal(Term::Var(x), Term::Var(y)))
    }

    /// The variable of a finite sort has this value.
    pub fn is(x: Var, value: u32) -> Formula {
        Formula::Atom(Atom::Equal(Term::Var(x), Term::Value(value)))
    }

    /// `sum rel 0`
    pub fn compare(sum: Sum, rel: Rel) -> Formula {
        Formula::Atom(Atom::Compare(sum, rel))
    }

    /// The negation.
    pub fn negate(self) -> Formula {
        match self {
            Formula::Bool(b) => Formula::Bool(!b),
            Formula::Not(f) => *f,
            f => Formula::Not(Box::new(f)),
        }
    }

    /// Equivalence.
    pub fn iff(a: Formula, b: Formula) -> Formula {
        Formula::Iff(Box::new(a), Box::new(b))
    }

    /// If, then, else.
    pub fn ite(c: Formula, a: Formula, b: Formula) -> Formula {
        Formula::Ite(Box::new([c, a, b]))
    }

    /// Its sorts fit, the variables being of these.
    pub fn is_well_sorted(&self, sort: &dyn Fn(Var) -> Option<Sort>) -> bool {
        let all = |fs: &[Formula]| fs.iter().all(|f| f.is_well_sorted(sort));
        match self {
            Formula::Bool(_) => true,
            Formula::Atom(a) => a.is_well_sorted(sort),
            Formula::Not(f) => f.is_well_sorted(sort),
            Formula::And(fs) | Formula::Or(fs) => all(fs),
            Formula::Iff(a, b) => a.is_well_sorted(sort) && b.is_well_sorted(sort),
            Formula::Ite(three) => all(three.as_slice()),
        }
    }
}

impl Atom {
    fn is_well_sorted(&self, sort: &dyn Fn(Var) -> Option<Sort>) -> bool {
        match self {
            Atom::Holds(x) => sort(*x) == Some(Sort::Bool),
            Atom::Equal(Term::Var(x), Term::Var(y)) => {
                sort(*x) == sort(*y) && matches!(sort(*x), Some(Sort::Finite(_) | Sort::Open(_)))
            }
            Atom::Equal(Term::Var(x), Term::Value(k))
            | Atom::Equal(Term::Value(k), Term::Var(x)) => {
                matches!(sort(*x), Some(Sort::Finite(n)) if *k < n)
            }
            Atom::Equal(Term::Value(_), Term::Value(_)) => true,
            Atom::Compare(sum, _) => {
                let mut vars = sum.terms.keys();
                vars.all(|x| sort(*x).is_some_and(Sort::is_number))
            }
        }
    }
}
