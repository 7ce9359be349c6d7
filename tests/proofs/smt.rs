//! Random problems of all sorts, compared with z3 when it is installed; assignments and cores checked.

use support::Random;
use wmbmc::smt::{Formula, Limits, Rel, SmtResult, Solver, Sort, Sum, Var, int};

/// Problems compared.
const PROBLEMS: u64 = 4000;

/// A number from one to another.
fn between(r: &mut Random, low: i64, high: i64) -> i64 {
    low + r.below(high - low + 1)
}

/// What a problem's formulas are made of.
struct Shape {
    vars: Vec<(Var, Sort)>,
    /// Largest factor and constant of a sum.
    factor: i64,
    constant: i64,
}

impl Shape {
    fn of(&self, f: impl Fn(Sort) -> bool) -> Vec<Var> {
        let fit = self.vars.iter().filter(|(_, s)| f(*s));
        fit.map(|(x, _)| *x).collect()
    }

    fn atom(&self, r: &mut Random) -> Formula {
        let (x, sort) = r.pick(&self.vars);
        match sort {
            Sort::Bool => Formula::holds(x),
            Sort::Finite(n) if r.below(2) == 0 => Formula::is(x, r.below(n as usize) as u32),
            Sort::Finite(_) | Sort::Open(_) => Formula::same(x, r.pick(&self.of(|s| s == sort))),
            Sort::Int | Sort::Real => {
                let pure = self.of(|s| s == sort);
                let mixed = self.of(Sort::is_number);
                let from = if r.below(8) == 0 { &mixed } else { &pure };
                let constant = between(r, -self.constant, self.constant);
                let mut sum = Sum::constant(int(constant)).plus(&int(1), x);
                for _ in 0..r.below(4) {
                    let factor = int(between(r, -self.factor, self.factor));
                    let factor = match r.below(6) {
                        0 => factor / int(between(r, 1, 4)),
                        _ => factor,
                    };
                    sum = sum.plus(&factor, r.pick(from));
                }
                Formula::compare(sum, r.pick(&[Rel::Eq, Rel::Le, Rel::Lt]))
            }
        }
    }

    fn formula(&self, r: &mut Random, depth: usize) -> Formula {
        if depth == 0 {
            let atom = self.atom(r);
            return if r.below(2) == 0 { atom } else { atom.negate() };
        }
        let next = |r: &mut Random| self.formula(r, depth - 1);
        match r.below(8) {
            0 | 1 => Formula::And((0..2 + r.below(2)).map(|_| next(r)).collect()),
            2..=4 => Formula::Or((0..2 + r.below(2)).map(|_| next(r)).collect()),
            5 => Formula::iff(next(r), next(r)),
            6 => Formula::ite(next(r), next(r), next(r)),
            _ => next(r).negate(),
        }
    }
}

/// Random formulas over random variables of a new solver.
fn problem(seed: u64) -> (Solver, Vec<Formula>) {
    let mut r = Random::new(seed);
    let mut solver = Solver::default();
    let all = [
        Sort::Bool,
        Sort::Finite(2),
        Sort::Finite(5),
        Sort::Open(0),
        Sort::Open(1),
        Sort::Int,
        Sort::Real,
    ];
    let sorts: Vec<Sort> = match r.below(5) {
        0 => all.to_vec(),
        1 => vec![Sort::Int],
        2 => vec![Sort::Real, Sort::Int],
        3 => vec![Sort::Open(0), Sort::Finite(3), Sort::Bool],
        _ => vec![Sort::Int, Sort::Finite(3)],
    };
    let vars = (0..3 + r.below(7)).map(|_| {
        let sort = r.pick(&sorts);
        (solver.variable(sort), sort)
    });
    let mut shape = Shape {
        vars: vars.collect(),
        factor: r.pick(&[1, 3, 12]),
        constant: r.pick(&[1, 5, 40]),
    };
    let mut formulas = Vec::new();
    if r.below(2) == 0 {
        // Bounded integers.
        for x in shape.of(|s| s == Sort::Int) {
            let high = between(&mut r, 0, 9);
            let above = Sum::var(x).minus(&Sum::constant(int(high)));
            let below = Sum::constant(int(0)).plus(&int(-1), x);
            formulas.push(Formula::compare(above, Rel::Le));
            formulas.push(Formula::compare(below, Rel::Le));
        }
    } else if r.below(3) == 0 {
        // Even sums: rational solutions, seldom integer ones.
        shape.factor = 2;
        let mut ints = shape.of(|s| s == Sort::Int);
        ints.truncate(3);
        if ints.len() > 1 {
            let mut sum = Sum::constant(int(1));
            for x in &ints {
                sum = sum.plus(&int(r.pick(&[2, 4, 6])), *x);
            }
            sum = sum.plus(&int(r.pick(&[1, 2])), r.pick(&ints));
            formulas.push(Formula::compare(sum, Rel::Eq));
        }
    }
    for _ in 0..2 + r.below(8) {
        let depth = r.below(3);
        formulas.push(shape.formula(&mut r, depth));
    }
    (solver, formulas)
}

#[test]
fn answers_agree_with_z3() {
    let mut script = "(set-option :timeout 2000)\n".to_string();
    let mut ours = Vec::new();
    for seed in 0..PROBLEMS {
        let (mut solver, formulas) = problem(seed);
        // Some are asserted, some assumed.
        let split = seed as usize % (formulas.len() + 1);
        for f in &formulas[..split] {
            solver.assert(f.clone());
        }
        let assumed = &formulas[split..];
        let answer = solver.check_with(assumed);
        script += &format!("(push)\n{}(pop)\n", solver.script(assumed));
        match &answer {
            SmtResult::Sat(assignment) => {
                for f in &formulas {
                    assert_eq!(assignment.satisfies(f), Some(true), "problem {seed}");
                }
                ours.push(Some("sat"));
            }
            SmtResult::Unsat(core) => {
                let core = solver.shrink(assumed, core);
                let needed: Vec<Formula> = core.iter().map(|i| assumed[*i].clone()).collect();
                let again = solver.check_with(&needed);
                assert!(matches!(again, SmtResult::Unsat(_)), "problem {seed}");
                // The core alone, to a new solver and to z3.
                let (mut other, _) = problem(seed);
                for f in formulas[..split].iter().chain(&needed) {
                    other.assert(f.clone());
                }
                assert_eq!(other.check(), SmtResult::Unsat(vec![]), "problem {seed}");
                script += &format!("(push)\n{}(pop)\n", other.script(&[]));
                ours.extend([Some("unsat"), Some("unsat")]);
            }
            SmtResult::Unknown(_) => ours.push(None),
        }
    }
    let count = |a| ours.iter().filter(|o| **o == a).count();
    let unknown = count(None);
    println!(
        "{} sat, {} unsat, {unknown} unknown",
        count(Some("sat")),
        count(Some("unsat"))
    );
    assert!(unknown * 100 < ours.len(), "{unknown} of {}", ours.len());
    let Some(theirs) = support::z3(script) else {
        return;
    };
    assert_eq!(
        theirs.len(),
        ours.len(),
        "{:?}",
        theirs.iter().find(|l| l.contains("error"))
    );
    let silent = theirs.iter().filter(|t| *t == "unknown").count();
    println!("z3 does not know {silent}");
    assert!(silent * 100 < ours.len());
    for (i, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        assert!(
            ours.is_none_or(|o| o == theirs) || theirs == "unknown",
            "answer {i}: {ours:?}, not {theirs}"
        );
    }
}

#[test]
fn a_solver_can_be_asked_again() {
    for seed in 0..300 {
        let (mut solver, formulas) = problem(seed);
        let mut r = Random::new(seed ^ 77);
        for _ in 0..6 {
            let some: Vec<Formula> = formulas
                .iter()
                .filter(|_| r.below(2) == 0)
                .cloned()
                .collect();
            let (mut fresh, _) = problem(seed);
            let (again, first) = (solver.check_with(&some), fresh.check_with(&some));
            let word = |a: &SmtResult| match a {
                SmtResult::Sat(_) => Some(true),
                SmtResult::Unsat(_) => Some(false),
                SmtResult::Unknown(_) => None,
            };
            let (again, first) = (word(&again), word(&first));
            assert!(
                again == first || again.is_none() || first.is_none(),
                "problem {seed}"
            );
        }
    }
}

#[test]
fn limits_give_no_wrong_answer() {
    let mut given_up = 0;
    for seed in 0..300 {
        let (_, formulas) = problem(seed);
        let (mut full, _) = problem(seed);
        let mut tight = Solver::new(Limits {
            branches: 1,
            rounds: 5,
        });
        // The same variables in the same order.
        for sort in full.sorts() {
            tight.variable(*sort);
        }
        match (tight.check_with(&formulas), full.check_with(&formulas)) {
            (SmtResult::Unknown(_), _) => given_up += 1,
            (SmtResult::Sat(_), SmtResult::Unsat(_)) | (SmtResult::Unsat(_), SmtResult::Sat(_)) => {
                panic!("problem {seed}")
            }
            _ => {}
        }
    }
    assert!(given_up > 0);
}
