//! Linear arithmetic over mathematical integers: sums, conditions, their normal forms.
//!
//! A comparison is `Σ a·x + c = 0` or `≤ 0`, divided by the greatest common divisor of its factors
//! (a bound is rounded, an equation without integer solutions is false), and an equation begins with
//! a positive factor; so most equal conditions are equal terms. All operations are exact: a factor
//! beyond 128 bits stops the program rather than changing its meaning.

use base::idx::IdVec;
use smt::{Formula, Rational, Rel as SmtRel, Sum, Var};
use std::collections::{BTreeMap, BTreeSet};

base::id!(
    /// A variable of a program: shared, local to a thread, or part of a store buffer.
    VarId,
    "v"
);

/// A value of each variable.
pub type Valuation = IdVec<VarId, i128>;

const EXACT: &str = "factors of a program fit into 128 bits";

/// `Σ factor · variable + constant`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Linear {
    /// The factors, none of them 0.
    pub terms: BTreeMap<VarId, i128>,
    /// The constant.
    pub constant: i128,
}

impl Linear {
    /// A constant.
    pub fn constant(constant: i128) -> Linear {
        Linear {
            terms: BTreeMap::new(),
            constant,
        }
    }

    /// A variable.
    pub fn var(x: VarId) -> Linear {
        Linear {
            terms: BTreeMap::from([(x, 1)]),
            constant: 0,
        }
    }

    /// The variable, if it is nothing else.
    pub fn as_var(&self) -> Option<VarId> {
        match self.terms.first_key_value() {
            Some((x, 1)) if self.constant == 0 && self.terms.len() == 1 => Some(*x),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn as_constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// With `factor · other` added.
    pub fn plus(mut self, factor: i128, other: &Linear) -> Linear {
        for (x, f) in &other.terms {
            let product = f.checked_mul(factor).expect(EXACT);
            let sum = self.terms.remove(x).unwrap_or_default();
            let sum = sum.checked_add(product).expect(EXACT);
            if sum != 0 {
                self.terms.insert(*x, sum);
            }
        }
        let product = other.constant.checked_mul(factor).expect(EXACT);
        self.constant = self.constant.checked_add(product).expect(EXACT);
        self
    }

    /// Times a constant.
    pub fn times(&self, factor: i128) -> Linear {
        Linear::default().plus(factor, self)
    }

    /// Its terms whose factors have this sign, 1 or -1, with positive ones.
    pub fn side(&self, sign: i128) -> Linear {
        let terms = self.terms.iter().filter(|(_, f)| **f * sign > 0);
        Linear {
            terms: terms.map(|(x, f)| (*x, f * sign)).collect(),
            constant: 0,
        }
    }

    /// With variables replaced.
    pub fn replace(&self, by: &dyn Fn(VarId) -> Option<Linear>) -> Linear {
        let start = Linear::constant(self.constant);
        self.terms.iter().fold(start, |sum, (x, f)| match by(*x) {
            Some(other) => sum.plus(*f, &other),
            None => sum.plus(*f, &Linear::var(*x)),
        })
    }

    /// Its value; nothing beyond 128 bits.
    pub fn value(&self, values: &Valuation) -> Option<i128> {
        self.terms.iter().try_fold(self.constant, |sum, (x, f)| {
            sum.checked_add(f.checked_mul(*values.get(*x)?)?)
        })
    }

    /// For the solver, the variables being these.
    pub fn sum(&self, var: &mut dyn FnMut(VarId) -> Var) -> Sum {
        let number = |n: i128| Rational::from_integer(n.into());
        let start = Sum::constant(number(self.constant));
        let terms = self.terms.iter();
        terms.fold(start, |sum, (x, f)| sum.plus(&number(*f), var(*x)))
    }
}

/// How a sum compares with 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rel {
    /// `= 0`
    Eq,
    /// `≤ 0`
    Le,
}

/// A condition.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cond {
    /// Always, or never.
    Const(bool),
    /// A comparison, normalised.
    Compare(Linear, Rel),
    /// Negation, of an equation.
    Not(Box<Cond>),
    /// Conjunction of at least two.
    And(Vec<Cond>),
    /// Disjunction of at least two.
    Or(Vec<Cond>),
}

impl Cond {
    /// `a = b`
    pub fn equal(a: &Linear, b: &Linear) -> Cond {
        Cond::compare(a.clone().plus(-1, b), Rel::Eq)
    }

    /// `a ≤ b`
    pub fn at_most(a: &Linear, b: &Linear) -> Cond {
        Cond::compare(a.clone().plus(-1, b), Rel::Le)
    }

    /// `a < b`
    pub fn less(a: &Linear, b: &Linear) -> Cond {
        let mut sum = a.clone().plus(-1, b);
        sum.constant = sum.constant.checked_add(1).expect(EXACT);
        Cond::compare(sum, Rel::Le)
    }

    /// `x = n`
    pub fn is(x: VarId, n: i128) -> Cond {
        Cond::equal(&Linear::var(x), &Linear::constant(n))
    }

    /// `sum rel 0`
    pub fn compare(mut sum: Linear, rel: Rel) -> Cond {
        if let Some(c) = sum.as_constant() {
            return Cond::Const(match rel {
                Rel::Eq => c == 0,
                Rel::Le => c <= 0,
            });
        }
        let mut divisor = sum.terms.values().fold(0, |a, b| gcd(a, *b));
        if rel == Rel::Eq {
            if sum.constant % divisor != 0 {
                return Cond::Const(false);
            }
            if sum.terms.first_key_value().is_some_and(|(_, f)| *f < 0) {
                divisor = -divisor;
            }
        }
        sum.terms.values_mut().for_each(|f| *f /= divisor);
        // Σ a·x ≤ -c is Σ (a/g)·x ≤ ⌊-c/g⌋, so the constant is rounded up.
        sum.constant = match rel {
            Rel::Eq => sum.constant / divisor,
            Rel::Le => -((-sum.constant).div_euclid(divisor)),
        };
        Cond::Compare(sum, rel)
    }

    /// The negation.
    pub fn negate(&self) -> Cond {
        match self {
            Cond::Const(b) => Cond::Const(!b),
            Cond::Compare(sum, Rel::Le) => {
                let mut sum = sum.times(-1);
                sum.constant = sum.constant.checked_add(1).expect(EXACT);
                Cond::compare(sum, Rel::Le)
            }
            Cond::Compare(_, Rel::Eq) => Cond::Not(Box::new(self.clone())),
            Cond::Not(c) => (**c).clone(),
            Cond::And(cs) => Cond::or(cs.iter().map(Cond::negate)),
            Cond::Or(cs) => Cond::and(cs.iter().map(Cond::negate)),
        }
    }

    /// Conjunction.
    pub fn and(parts: impl IntoIterator<Item = Cond>) -> Cond {
        let mut all: Vec<Cond> = Vec::new();
        for part in parts {
            let parts = match part {
                Cond::Const(true) => continue,
                Cond::Const(false) => return Cond::Const(false),
                Cond::And(parts) => parts,
                part => vec![part],
            };
            for p in parts {
                if !all.contains(&p) {
                    all.push(p);
                }
            }
        }
        match all.len() {
            0 => Cond::Const(true),
            1 => all.remove(0),
            _ if all.iter().any(|c| all.contains(&c.negate())) => Cond::Const(false),
            _ => Cond::And(all),
        }
    }

    /// Disjunction.
    pub fn or(parts: impl IntoIterator<Item = Cond>) -> Cond {
        let mut all: Vec<Cond> = Vec::new();
        for part in parts {
            let parts = match part {
                Cond::Const(false) => continue,
                Cond::Const(true) => return Cond::Const(true),
                Cond::Or(parts) => parts,
                part => vec![part],
            };
            for p in parts {
                if !all.contains(&p) {
                    all.push(p);
                }
            }
        }
        match all.len() {
            0 => Cond::Const(false),
            1 => all.remove(0),
            _ if all.iter().any(|c| all.contains(&c.negate())) => Cond::Const(true),
            _ => Cond::Or(all),
        }
    }

    /// The variables in it.
    pub fn vars(&self) -> BTreeSet<VarId> {
        let mut vars = BTreeSet::new();
        self.collect(&mut vars);
        vars
    }

    fn collect(&self, vars: &mut BTreeSet<VarId>) {
        match self {
            Cond::Const(_) => {}
            Cond::Compare(sum, _) => vars.extend(sum.terms.keys()),
            Cond::Not(c) => c.collect(vars),
            Cond::And(cs) | Cond::Or(cs) => cs.iter().for_each(|c| c.collect(vars)),
        }
    }

    /// With variables replaced.
    pub fn replace(&self, by: &dyn Fn(VarId) -> Option<Linear>) -> Cond {
        match self {
            Cond::Const(b) => Cond::Const(*b),
            Cond::Compare(sum, rel) => Cond::compare(sum.replace(by), *rel),
            Cond::Not(c) => c.replace(by).negate(),
            Cond::And(cs) => Cond::and(cs.iter().map(|c| c.replace(by))),
            Cond::Or(cs) => Cond::or(cs.iter().map(|c| c.replace(by))),
        }
    }

    /// Whether it holds; nothing where a number is beyond 128 bits.
    pub fn holds(&self, values: &Valuation) -> Option<bool> {
        Some(match self {
            Cond::Const(b) => *b,
            Cond::Compare(sum, Rel::Eq) => sum.value(values)? == 0,
            Cond::Compare(sum, Rel::Le) => sum.value(values)? <= 0,
            Cond::Not(c) => !c.holds(values)?,
            Cond::And(cs) => {
                let all: Option<Vec<bool>> = cs.iter().map(|c| c.holds(values)).collect();
                all?.into_iter().all(|b| b)
            }
            Cond::Or(cs) => {
                let all: Option<Vec<bool>> = cs.iter().map(|c| c.holds(values)).collect();
                all?.into_iter().any(|b| b)
            }
        })
    }

    /// For the solver, the variables being these.
    pub fn formula(&self, var: &mut dyn FnMut(VarId) -> Var) -> Formula {
        match self {
            Cond::Const(b) => Formula::Bool(*b),
            Cond::Compare(sum, rel) => {
                let rel = match rel {
                    Rel::Eq => SmtRel::Eq,
                    Rel::Le => SmtRel::Le,
                };
                Formula::compare(sum.sum(var), rel)
            }
            Cond::Not(c) => c.formula(var).negate(),
            Cond::And(cs) => Formula::And(cs.iter().map(|c| c.formula(var)).collect()),
            Cond::Or(cs) => Formula::Or(cs.iter().map(|c| c.formula(var)).collect()),
        }
    }

    /// As C writes it.
    pub fn show(&self, name: &dyn Fn(VarId) -> String) -> String {
        let joined = |cs: &[Cond], by: &str| {
            let parts: Vec<String> = cs
                .iter()
                .map(|c| match c {
                    Cond::And(_) | Cond::Or(_) => format!("({})", c.show(name)),
                    _ => c.show(name),
                })
                .collect();
            parts.join(by)
        };
        match self {
            Cond::Const(b) => i32::from(*b).to_string(),
            Cond::Compare(sum, rel) => comparison(sum, *rel, name),
            Cond::Not(c) => match &**c {
                Cond::Compare(sum, Rel::Eq) => {
                    comparison(sum, Rel::Eq, name).replacen("==", "!=", 1)
                }
                c => format!("!({})", c.show(name)),
            },
            Cond::And(cs) => joined(cs, " && "),
            Cond::Or(cs) => joined(cs, " || "),
        }
    }
}

/// A comparison with positive factors on both sides.
fn comparison(sum: &Linear, rel: Rel, name: &dyn Fn(VarId) -> String) -> String {
    let (mut left, mut right) = (sum.side(1), sum.side(-1));
    let mut op = match rel {
        Rel::Eq => "==",
        Rel::Le => "<=",
    };
    let c = sum.constant;
    match (left.terms.is_empty(), right.terms.is_empty()) {
        (false, true) => right.constant = -c,
        (true, _) => left.constant = c,
        // a - b + c ≤ 0 is a + (c - 1) < b.
        _ if rel == Rel::Le && c > 0 => {
            op = "<";
            left.constant = c - 1;
        }
        _ if c > 0 => left.constant = c,
        _ => right.constant = -c,
    }
    format!("{} {op} {}", left.show(name), right.show(name))
}

impl Linear {
    /// As C writes it.
    pub fn show(&self, name: &dyn Fn(VarId) -> String) -> String {
        let mut text = String::new();
        for (x, f) in &self.terms {
            let term = match f.abs() {
                1 => name(*x),
                n => format!("{n} * {}", name(*x)),
            };
            text += match (text.is_empty(), *f < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            text += &term;
        }
        match self.constant {
            c if text.is_empty() => c.to_string(),
            0 => text,
            c if c < 0 => format!("{text} - {}", -c),
            c => format!("{text} + {c}"),
        }
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    match b {
        0 => a.abs(),
        _ => gcd(b, a % b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x() -> Linear {
        Linear::var(VarId(0))
    }

    fn n(c: i128) -> Linear {
        Linear::constant(c)
    }

    #[test]
    fn comparisons_are_normal() {
        assert_eq!(Cond::equal(&x().times(4), &n(8)), Cond::equal(&n(2), &x()));
        assert_eq!(Cond::equal(&x().times(4), &n(6)), Cond::Const(false));
        assert_eq!(
            Cond::at_most(&x().times(4), &n(7)),
            Cond::at_most(&x(), &n(1))
        );
        assert_eq!(
            Cond::at_most(&n(-7), &x().times(4)),
            Cond::at_most(&n(-1), &x())
        );
        assert_eq!(Cond::less(&x(), &n(3)).negate(), Cond::at_most(&n(3), &x()));
    }

    #[test]
    fn contradictions_are_seen() {
        let p = Cond::less(&x(), &n(3));
        assert_eq!(Cond::and([p.clone(), p.negate()]), Cond::Const(false));
        assert_eq!(Cond::or([p.clone(), p.negate()]), Cond::Const(true));
    }

    #[test]
    fn conditions_are_shown_as_c() {
        let y = Linear::var(VarId(1));
        let name = |v: VarId| ["x", "y"][v.0 as usize].to_string();
        let show = |c: Cond| c.show(&name);
        assert_eq!(show(Cond::less(&x(), &y)), "x < y");
        assert_eq!(show(Cond::at_most(&x(), &y)), "x <= y");
        assert_eq!(show(Cond::equal(&x().plus(1, &n(1)), &y)), "x + 1 == y");
        assert_eq!(show(Cond::equal(&x(), &n(-2)).negate()), "x != -2");
        assert_eq!(show(Cond::at_most(&n(2), &x())), "2 <= x");
        assert_eq!(show(Cond::at_most(&x(), &n(-2))), "x <= -2");
    }
}
