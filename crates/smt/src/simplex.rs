//! Linear arithmetic over the rationals: the general simplex of Dutertre and de Moura ("A fast
//! linear-arithmetic solver for DPLL(T)", CAV 2006).
//!
//! Variables have bounds; some of them, the *basic* ones, are sums of the others by a row of the
//! tableau. Non-basic variables always respect their bounds. A basic one that does not is exchanged
//! for a non-basic one of its row that has room; Bland's rule (the smallest of each) makes this end.
//! When no variable has room, the bounds of the row contradict each other: their reasons are the
//! explanation, by the lemma of Farkas.

use super::number::{Delta, Rational};
use crate::sat::cnf::Lit;
use num::{One, Zero};
use std::collections::{BTreeMap, BTreeSet};

/// A variable of the tableau.
pub type Column = usize;

/// Why a bound holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reason {
    /// A literal says so.
    Literal(Lit),
    /// It is tried.
    Branch(u32),
}

/// Reasons that cannot hold together.
pub type Conflict = BTreeSet<Reason>;

/// A bound with its reason.
#[derive(Clone, Debug)]
pub struct Bound {
    /// How far.
    pub value: Delta,
    /// Why.
    pub reason: Reason,
}

/// Which side a bound is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// At most.
    Upper,
    /// At least.
    Lower,
}

/// What there is about one variable.
#[derive(Clone, Debug)]
struct Cell {
    value: Delta,
    lower: Option<Bound>,
    upper: Option<Bound>,
    int: bool,
}

/// The tableau, the bounds and the current values.
#[derive(Clone, Debug, Default)]
pub struct Simplex {
    cells: Vec<Cell>,
    /// For each basic variable: the non-basic ones that it is the sum of, with factors.
    rows: BTreeMap<Column, BTreeMap<Column, Rational>>,
}

impl Simplex {
    /// A new variable.
    pub fn variable(&mut self, int: bool) -> Column {
        self.cells.push(Cell {
            value: Delta::zero(),
            lower: None,
            upper: None,
            int,
        });
        self.cells.len() - 1
    }

    /// A new variable that is this sum; an integer if all its values are.
    pub fn slack(&mut self, sum: &[(Column, Rational)], int: bool) -> Column {
        let mut row = BTreeMap::new();
        for (x, f) in sum {
            match self.rows.get(x).cloned() {
                Some(inner) => add_row(&mut row, f, &inner),
                None => add_to(&mut row, f.clone(), *x),
            }
        }
        let slack = self.variable(int);
        self.cells[slack].value = self.sum(&row);
        self.rows.insert(slack, row);
        slack
    }

    fn sum(&self, row: &BTreeMap<Column, Rational>) -> Delta {
        let terms = row.iter();
        terms.fold(Delta::zero(), |sum, (x, f)| {
            sum + &(&self.cells[*x].value * f)
        })
    }

    /// How many variables there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// There is no variable.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The variable is an integer.
    pub fn is_int(&self, x: Column) -> bool {
        self.cells[x].int
    }

    /// The current value.
    pub fn value(&self, x: Column) -> &Delta {
        &self.cells[x].value
    }

    /// The value and the reasons for it, when both bounds are the same.
    pub fn fixed(&self, x: Column) -> Option<(&Rational, [Reason; 2])> {
        match (&self.cells[x].lower, &self.cells[x].upper) {
            (Some(l), Some(u)) if l.value == u.value && u.value.small.is_zero() => {
                Some((&u.value.standard, [l.reason, u.reason]))
            }
            _ => None,
        }
    }

    /// The rows: a basic variable and the sum it is.
    pub fn rows(&self) -> impl Iterator<Item = (Column, &BTreeMap<Column, Rational>)> {
        self.rows.iter().map(|(x, row)| (*x, row))
    }

    /// Both bounds of a variable.
    pub fn bounds(&self, x: Column) -> (Option<Bound>, Option<Bound>) {
        (self.cells[x].lower.clone(), self.cells[x].upper.clone())
    }

    /// Puts back looser bounds that were there before.
    pub fn restore(&mut self, x: Column, (lower, upper): (Option<Bound>, Option<Bound>)) {
        self.cells[x].lower = lower;
        self.cells[x].upper = upper;
    }

    /// Forgets all bounds.
    pub fn reset(&mut self) {
        for c in &mut self.cells {
            c.lower = None;
            c.upper = None;
        }
    }

    /// Adds a bound.
    ///
    /// # Errors
    /// It contradicts the opposite bound of the variable.
    pub fn bound(&mut self, x: Column, side: Side, bound: Bound) -> Result<(), Conflict> {
        let cell = &mut self.cells[x];
        let (same, other) = match side {
            Side::Upper => (&mut cell.upper, &cell.lower),
            Side::Lower => (&mut cell.lower, &cell.upper),
        };
        let beyond = |a: &Delta, b: &Delta| match side {
            Side::Upper => a > b,
            Side::Lower => a < b,
        };
        if same
            .as_ref()
            .is_some_and(|s| !beyond(&s.value, &bound.value))
        {
            return Ok(());
        }
        if let Some(o) = other
            && beyond(&o.value, &bound.value)
        {
            return Err([o.reason, bound.reason].into());
        }
        let value = bound.value.clone();
        *same = Some(bound);
        if beyond(&cell.value, &value) && !self.rows.contains_key(&x) {
            self.update(x, value);
        }
        Ok(())
    }

    /// Gives a non-basic variable another value.
    fn update(&mut self, x: Column, value: Delta) {
        let change = value.clone() - &self.cells[x].value;
        for (basic, row) in &self.rows {
            if let Some(f) = row.get(&x) {
                let cell = &mut self.cells[*basic];
                cell.value = cell.value.clone() + &(&change * f);
            }
        }
        self.cells[x].value = value;
    }

    /// Looks for values within all bounds.
    ///
    /// # Errors
    /// There are none; these bounds contradict each other.
    pub fn check(&mut self) -> Result<(), Conflict> {
        while let Some((basic, side, bound)) = self.violated() {
            // A variable of the row can move when it has room in the direction that helps.
            let row = &self.rows[&basic];
            let blocking = |(x, f): (&Column, &Rational)| {
                let up = f.is_positive() == (side == Side::Lower);
                let cell = &self.cells[*x];
                let limit = if up { &cell.upper } else { &cell.lower };
                limit
                    .as_ref()
                    .filter(|b| {
                        if up {
                            cell.value >= b.value
                        } else {
                            cell.value <= b.value
                        }
                    })
                    .map(|b| b.reason)
            };
            match row.iter().find(|t| blocking(*t).is_none()) {
                Some((x, _)) => {
                    let x = *x;
                    self.pivot(basic, x);
                    self.update(basic, bound.value);
                }
                None => {
                    let mut conflict: Conflict = row.iter().filter_map(blocking).collect();
                    conflict.insert(bound.reason);
                    return Err(conflict);
                }
            }
        }
        Ok(())
    }

    /// The smallest basic variable that is outside of its bounds.
    fn violated(&self) -> Option<(Column, Side, Bound)> {
        self.rows.keys().find_map(|x| {
            let cell = &self.cells[*x];
            match (&cell.lower, &cell.upper) {
                (Some(l), _) if cell.value < l.value => Some((*x, Side::Lower, l.clone())),
                (_, Some(u)) if cell.value > u.value => Some((*x, Side::Upper, u.clone())),
                _ => None,
            }
        })
    }

    /// Exchanges a basic variable for a non-basic one of its row.
    fn pivot(&mut self, basic: Column, x: Column) {
        let mut row = self.rows.remove(&basic).unwrap_or_default();
        // basic = f·x + rest, so x = basic/f - rest/f
        let f = row.remove(&x).unwrap_or_else(Rational::one);
        let inverse = Rational::one() / f;
        let minus = -&inverse;
        for g in row.values_mut() {
            *g *= &minus;
        }
        row.insert(basic, inverse);
        for other in self.rows.values_mut() {
            if let Some(g) = other.remove(&x) {
                add_row(other, &g, &row);
            }
        }
        self.rows.insert(x, row);
    }

    /// A positive number that can be put for δ, so that all bounds hold.
    pub fn infinitesimal(&self) -> Rational {
        let mut least = Rational::one();
        for c in &self.cells {
            let low = c.lower.as_ref().map(|b| (&b.value, &c.value));
            let high = c.upper.as_ref().map(|b| (&c.value, &b.value));
            for (a, b) in low.into_iter().chain(high) {
                // a ≤ b must remain true.
                if a.standard < b.standard && a.small > b.small {
                    let limit = (&b.standard - &a.standard) / (&a.small - &b.small);
                    least = least.min(limit);
                }
            }
        }
        least
    }
}

fn add_to(row: &mut BTreeMap<Column, Rational>, f: Rational, x: Column) {
    let sum = row.remove(&x).unwrap_or_else(Rational::zero) + f;
    if !sum.is_zero() {
        row.insert(x, sum);
    }
}

fn add_row(row: &mut BTreeMap<Column, Rational>, f: &Rational, other: &BTreeMap<Column, Rational>) {
    for (x, g) in other {
        add_to(row, f * g, *x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::int;

    fn reason(k: i32) -> Reason {
        Reason::Literal(Lit(k))
    }

    fn at(value: Delta, k: i32) -> Bound {
        let reason = reason(k);
        Bound { value, reason }
    }

    #[test]
    fn the_bounds_of_a_row_explain() {
        let mut s = Simplex::default();
        let (x, y, z) = (s.variable(false), s.variable(false), s.variable(false));
        let a = s.slack(&[(x, int(1)), (y, int(1))], false);
        let b = s.slack(&[(x, int(1)), (y, int(-1))], false);
        let c = s.slack(&[(a, int(1)), (z, int(2))], false);
        s.bound(a, Side::Upper, at(Delta::of(int(2)), 2))
            .expect("one");
        s.bound(b, Side::Upper, at(Delta::of(int(0)), 3))
            .expect("one");
        s.bound(z, Side::Lower, at(Delta::of(int(7)), 4))
            .expect("one");
        s.check().expect("x = y = 0 is a solution");
        s.bound(x, Side::Lower, at(Delta::above(int(1)), 5))
            .expect("one");
        let conflict = s.check().expect_err("2x = a + b ≤ 2");
        assert_eq!(conflict, [reason(2), reason(3), reason(5)].into());
        s.reset();
        s.bound(x, Side::Lower, at(Delta::above(int(1)), 5))
            .expect("one");
        s.bound(c, Side::Upper, at(Delta::below(int(3)), 6))
            .expect("one");
        s.check().expect("there is a solution");
        assert!(s.infinitesimal().is_positive());
    }

    #[test]
    fn opposite_bounds_contradict() {
        let mut s = Simplex::default();
        let x = s.variable(false);
        s.bound(x, Side::Upper, at(Delta::below(int(1)), 2))
            .expect("one");
        let wrong = s.bound(x, Side::Lower, at(Delta::of(int(1)), 3));
        assert_eq!(wrong, Err([reason(2), reason(3)].into()));
    }
}
