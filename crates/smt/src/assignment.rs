//! Assignments, and the value of a formula in one: plain recursion, nothing shared with the solver.

use super::number::Rational;
use super::term::{Atom, Formula, Rel, Sum, Term, Var};
use base::idx::IdVec;
use num::Zero;

/// A value of some sort.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SmtValue {
    /// Of the Booleans.
    Bool(bool),
    /// Of a finite sort.
    Finite(u32),
    /// Of an open sort: different numbers are different values.
    Open(u32),
    /// Of the integers or rationals.
    Number(Rational),
}

/// A value for each variable.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assignment {
    /// The values.
    pub values: IdVec<Var, SmtValue>,
}

impl Assignment {
    /// The formula is true; nothing when the assignment lacks a value of the right sort.
    pub fn satisfies(&self, f: &Formula) -> Option<bool> {
        Some(match f {
            Formula::Bool(b) => *b,
            Formula::Atom(a) => self.atom(a)?,
            Formula::Not(f) => !self.satisfies(f)?,
            Formula::And(fs) => {
                let all: Option<Vec<bool>> = fs.iter().map(|f| self.satisfies(f)).collect();
                all?.into_iter().all(|b| b)
            }
            Formula::Or(fs) => {
                let all: Option<Vec<bool>> = fs.iter().map(|f| self.satisfies(f)).collect();
                all?.into_iter().any(|b| b)
            }
            Formula::Iff(a, b) => self.satisfies(a)? == self.satisfies(b)?,
            Formula::Ite(three) => {
                let [c, a, b] = &**three;
                self.satisfies(if self.satisfies(c)? { a } else { b })?
            }
        })
    }

    fn atom(&self, a: &Atom) -> Option<bool> {
        Some(match a {
            Atom::Holds(x) => match self.values.get(*x)? {
                SmtValue::Bool(b) => *b,
                _ => return None,
            },
            Atom::Equal(a, b) => self.term(*a)? == self.term(*b)?,
            Atom::Compare(sum, rel) => {
                let sum = self.sum(sum)?;
                match rel {
                    Rel::Eq => sum.is_zero(),
                    Rel::Le => !sum.is_positive(),
                    Rel::Lt => sum.is_negative(),
                }
            }
        })
    }

    fn term(&self, t: Term) -> Option<SmtValue> {
        match t {
            Term::Var(x) => self.values.get(x).cloned(),
            Term::Value(k) => Some(SmtValue::Finite(k)),
        }
    }

    fn sum(&self, sum: &Sum) -> Option<Rational> {
        let mut total = sum.constant.clone();
        for (x, f) in &sum.terms {
            let SmtValue::Number(v) = self.values.get(*x)? else {
                return None;
            };
            total += &(f * v);
        }
        Some(total)
    }
}
