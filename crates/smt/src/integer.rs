//! Integers on top of the rational simplex: a test of divisibility, then branch and bound.
//!
//! A row of the tableau over integers, cleared of denominators, is an equation; when the greatest
//! common divisor of the factors of its variables does not divide what its fixed variables add up
//! to, there is no integer solution, and the bounds that fix them are the reason (Dutertre and de
//! Moura, "Integrating simplex with DPLL(T)", SRI 2006). Otherwise an integer variable whose value
//! is a fraction is branched on. The reasons of a refuted branch, without the branch itself, join
//! those of the other; a branch that was not needed ends both. Unbounded problems can branch for
//! ever, so the branches are counted and beyond the limit nothing is said.

use super::number::{Delta, Rational};
use super::simplex::{Bound, Column, Conflict, Reason, Side, Simplex};
use num::{BigInt, Integer, One, Zero};

/// What came out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IntegerResult {
    /// The values of the simplex are a solution.
    Feasible,
    /// There is no solution.
    Infeasible(Conflict),
    /// The branches were too many.
    GaveUp,
}

/// Looks for values within all bounds that are integers where they must be; `branches` counts down.
pub fn check(s: &mut Simplex, branches: &mut u32) -> IntegerResult {
    if let Err(conflict) = s.check() {
        return IntegerResult::Infeasible(conflict);
    }
    if let Some(conflict) = divisibility(s) {
        return IntegerResult::Infeasible(conflict);
    }
    let fraction = |x: &Column| s.is_int(*x) && !s.value(*x).is_integer();
    let Some(x) = (0..s.len()).find(fraction) else {
        return IntegerResult::Feasible;
    };
    if *branches == 0 {
        return IntegerResult::GaveUp;
    }
    *branches -= 1;
    let branch = Reason::Branch(*branches);
    let floor = s.value(x).floor();
    let ceiling = &floor + &Rational::one();
    let before = s.bounds(x);
    let (mut why, mut gave_up) = (Conflict::new(), false);
    for (side, limit) in [(Side::Upper, floor), (Side::Lower, ceiling)] {
        let bound = Bound {
            value: Delta::of(limit),
            reason: branch,
        };
        let outcome = match s.bound(x, side, bound) {
            Ok(()) => check(s, branches),
            Err(conflict) => IntegerResult::Infeasible(conflict),
        };
        match outcome {
            IntegerResult::Feasible => return IntegerResult::Feasible,
            IntegerResult::GaveUp => gave_up = true,
            IntegerResult::Infeasible(mut conflict) => {
                let needed = conflict.remove(&branch);
                if !needed {
                    s.restore(x, before);
                    return IntegerResult::Infeasible(conflict);
                }
                why.extend(conflict);
            }
        }
        s.restore(x, before.clone());
    }
    if gave_up {
        IntegerResult::GaveUp
    } else {
        IntegerResult::Infeasible(why)
    }
}

/// The reasons of a row that has no integer solution.
fn divisibility(s: &Simplex) -> Option<Conflict> {
    s.rows().find_map(|(basic, row)| {
        let minus = -Rational::one();
        let terms = || row.iter().map(|(x, f)| (*x, f)).chain([(basic, &minus)]);
        if !terms().all(|(x, _)| s.is_int(x)) {
            return None;
        }
        let common = terms().fold(BigInt::one(), |l, (_, f)| l.lcm(&f.denom()));
        let common = Rational::from_integer(common);
        let (mut gcd, mut constant) = (BigInt::zero(), Rational::zero());
        let mut why = Conflict::new();
        for (x, f) in terms() {
            let f = f * &common;
            match s.fixed(x) {
                Some((value, reasons)) => {
                    constant += &(f * value);
                    why.extend(reasons);
                }
                None => gcd = gcd.gcd(&f.numer()),
            }
        }
        let divides = if gcd.is_zero() {
            constant.is_zero()
        } else {
            (constant / Rational::from_integer(gcd)).is_integer()
        };
        (!divides).then_some(why)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::int;
    use crate::sat::cnf::Lit;

    fn at(value: i64, k: i32) -> Bound {
        Bound {
            value: Delta::of(int(value)),
            reason: Reason::Literal(Lit(k)),
        }
    }

    fn reasons(all: &[i32]) -> Conflict {
        all.iter().map(|k| Reason::Literal(Lit(*k))).collect()
    }

    #[test]
    fn an_interval_without_integers_is_refuted_by_branching() {
        // 1 ≤ 3x + 2y ≤ 1 has many; with 0 ≤ x, y ≤ 1 none: 3x + 2y is 0, 2, 3 or 5.
        let mut s = Simplex::default();
        let (x, y) = (s.variable(true), s.variable(true));
        let sum = s.slack(&[(x, int(3)), (y, int(2))], true);
        for (v, k) in [(x, 10), (y, 12)] {
            s.bound(v, Side::Lower, at(0, k)).expect("one");
            s.bound(v, Side::Upper, at(1, k + 1)).expect("one");
        }
        s.bound(sum, Side::Upper, at(1, 2)).expect("one");
        s.bound(sum, Side::Lower, at(1, 3)).expect("one");
        match check(&mut s, &mut 100) {
            IntegerResult::Infeasible(why) => assert!(why.is_superset(&reasons(&[2, 3]))),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn parity_needs_no_branch() {
        // x + y = 2a and x - y = 2b + 1
        let mut s = Simplex::default();
        let v: Vec<Column> = (0..4).map(|_| s.variable(true)).collect();
        let sum = s.slack(&[(v[0], int(1)), (v[1], int(1)), (v[2], int(-2))], true);
        let diff = s.slack(&[(v[0], int(1)), (v[1], int(-1)), (v[3], int(-2))], true);
        for (row, value, k) in [(sum, 0, 2), (diff, 1, 4)] {
            s.bound(row, Side::Lower, at(value, k)).expect("one");
            s.bound(row, Side::Upper, at(value, k + 1)).expect("one");
        }
        let outcome = check(&mut s, &mut 0);
        assert_eq!(outcome, IntegerResult::Infeasible(reasons(&[2, 3, 4, 5])));
    }

    #[test]
    fn without_branches_nothing_is_said() {
        let mut s = Simplex::default();
        let (x, y) = (s.variable(true), s.variable(true));
        let sum = s.slack(&[(x, int(2)), (y, int(2))], true);
        let three = s.slack(&[(x, int(3)), (y, int(1))], true);
        s.bound(sum, Side::Lower, at(1, 2)).expect("one");
        s.bound(three, Side::Upper, at(1, 3)).expect("one");
        s.bound(three, Side::Lower, at(1, 3)).expect("one");
        assert_ne!(check(&mut s.clone(), &mut 0), IntegerResult::Feasible);
        assert_eq!(check(&mut s, &mut 50), IntegerResult::Feasible);
    }
}
