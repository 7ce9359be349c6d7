//! Small questions to the whole solver.

use super::*;
use crate::number::int;
use crate::term::{Rel, Sum};

fn le(sum: Sum, than: i64) -> Formula {
    Formula::compare(sum.minus(&Sum::constant(int(than))), Rel::Le)
}

fn eq(sum: Sum, to: i64) -> Formula {
    Formula::compare(sum.minus(&Sum::constant(int(to))), Rel::Eq)
}

fn differ(s: &mut Solver, vars: &[Var]) {
    for (i, a) in vars.iter().enumerate() {
        for b in &vars[..i] {
            s.assert(Formula::same(*a, *b).negate());
        }
    }
}

#[test]
fn three_pigeons_do_not_fit_in_two_holes() {
    let mut s = Solver::default();
    let pigeons: Vec<Var> = (0..3).map(|_| s.variable(Sort::Finite(2))).collect();
    differ(&mut s, &pigeons);
    assert_eq!(s.check(), SmtResult::Unsat(vec![]));
}

#[test]
fn open_sorts_are_infinite() {
    let mut s = Solver::default();
    let many: Vec<Var> = (0..9).map(|_| s.variable(Sort::Open(0))).collect();
    differ(&mut s, &many);
    assert!(matches!(s.check(), SmtResult::Sat(_)));
    let (a, b) = (s.variable(Sort::Open(0)), s.variable(Sort::Open(0)));
    let chain = [
        Formula::same(many[0], a),
        Formula::Bool(true),
        Formula::same(b, a),
        Formula::same(many[3], b),
    ];
    assert_eq!(s.check_with(&chain), SmtResult::Unsat(vec![0, 2, 3]));
    assert!(matches!(s.check_with(&chain[..3]), SmtResult::Sat(_)));
}

#[test]
fn strict_bounds_have_room_over_rationals_and_none_over_integers() {
    for (sort, sat) in [(Sort::Real, true), (Sort::Int, false)] {
        let mut s = Solver::default();
        let (x, y) = (s.variable(sort), s.variable(sort));
        let diff = || Sum::var(x).minus(&Sum::var(y));
        s.assert(Formula::compare(diff(), Rel::Lt));
        s.assert(le(diff(), -1).negate());
        assert_eq!(matches!(s.check(), SmtResult::Sat(_)), sat, "{sort:?}");
    }
}

#[test]
fn cores_shrink() {
    let mut s = Solver::default();
    let v: Vec<Var> = (0..5).map(|_| s.variable(Sort::Int)).collect();
    let mut all: Vec<Formula> = v
        .windows(2)
        .map(|w| Formula::compare(Sum::var(w[0]).minus(&Sum::var(w[1])), Rel::Lt))
        .collect();
    all.push(le(Sum::var(v[0]).minus(&Sum::var(v[4])), -4));
    all.push(le(Sum::var(v[3]).minus(&Sum::var(v[1])), 1));
    let SmtResult::Unsat(core) = s.check_with(&all) else {
        panic!("v3 is at least v1 + 2");
    };
    assert_eq!(s.shrink(&all, &core), [1, 2, 5]);
}

#[test]
fn sorts_are_checked() {
    let mut s = Solver::default();
    let (x, b) = (s.variable(Sort::Int), s.variable(Sort::Bool));
    assert_eq!(
        s.check_with(&[Formula::holds(x)]),
        SmtResult::Unknown(Why::Sorts)
    );
    s.assert(Formula::same(x, b));
    assert_eq!(s.check(), SmtResult::Unknown(Why::Sorts));
}

#[test]
fn an_unbounded_search_is_given_up() {
    let mut s = Solver::new(Limits {
        branches: 20,
        rounds: 100,
    });
    let (x, y) = (s.variable(Sort::Int), s.variable(Sort::Int));
    // 1 ≤ 3x - 3y ≤ 2
    let sum = Sum::var(x).plus(&int(-1), y);
    s.assert(le(sum, 5));
    let b = s.variable(Sort::Bool);
    s.assert(Formula::iff(Formula::holds(b), eq(Sum::var(x), 7)));
    assert!(matches!(s.check(), SmtResult::Sat(_)));
    // Nothing that is too large overflows.
    let mut big = Sum::var(x);
    for _ in 0..4 {
        big = Sum::constant(int(0)).plus(&(big.terms[&x].clone() * int(i64::MAX)), x);
    }
    s.assert(eq(big.minus(&Sum::constant(int(i64::MAX))), 1).negate());
    assert!(matches!(s.check(), SmtResult::Sat(_)));
}

#[test]
fn scripts_are_smt_lib() {
    let mut s = Solver::default();
    let (x, c) = (s.variable(Sort::Int), s.variable(Sort::Finite(2)));
    s.assert(Formula::Or(vec![Formula::is(c, 1), le(Sum::var(x), 3)]));
    let expected = "(declare-datatypes ((Finite2 0)) (( (c0of2) (c1of2))))
(declare-const x0 Int)
(declare-const x1 Finite2)
(assert (or (= x1 c1of2) (<= (+ (- 3) (* 1 x0)) 0)))
(assert (! (not (= x1 c1of2)) :named a0))
(check-sat)
";
    let script = s.script(&[Formula::is(c, 1).negate()]);
    assert_eq!(script, expected);
}
