//! Conditions that may become predicates, and how much they cost.

use super::atoms::{atoms, canonical};
use super::conflict::Conflict;
use super::vocabulary::{Vocabulary, constant};
use crate::commands::arith::{Cond, Linear, Rel, Valuation, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// What speaks against a candidate: the more it says of one run alone, the more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cost {
    /// It is a predicate.
    Predicate,
    /// The program says so itself.
    Text,
    /// How two variables that the text relates, or a variable and a constant of the text, compare.
    Comparison,
    /// How two other variables compare.
    Unrelated,
    /// Two variables that differ by one.
    Near,
    /// What holds in this run.
    Exact,
}

/// The candidates for a part of a run.
pub struct Candidates {
    /// Each once, in one of the two forms that it and its negation have.
    pub all: Vec<(Cond, Cost)>,
    /// Those that may matter before each step.
    pub at: Vec<Vec<usize>>,
}

impl Candidates {
    /// For a conflict, beside the predicates that are there; `numbers` are possible before each step.
    pub fn new(
        vocabulary: &Vocabulary,
        conflict: &Conflict,
        numbers: &[Valuation],
        predicates: &[Cond],
    ) -> Candidates {
        let predicates: BTreeSet<Cond> = predicates.iter().map(canonical).collect();
        let mut collected = Collected {
            vocabulary,
            predicates: &predicates,
            all: Vec::new(),
            positions: BTreeMap::new(),
        };
        let mut at: Vec<Vec<usize>> = Vec::new();
        for (i, conds) in conflict.preconditions.iter().enumerate() {
            let vars: BTreeSet<VarId> = conds.iter().flat_map(Cond::vars).collect();
            let value = |x: VarId| &conflict.values[i][x];
            let mut here: Vec<Cond> = conds.iter().flat_map(atoms).collect();
            let old = predicates.iter();
            here.extend(old.filter(|p| p.vars().is_subset(&vars)).cloned());
            here.extend(vocabulary.over(&vars).cloned());
            for x in &vars {
                here.extend(single(vocabulary, *x, value(*x), numbers[i][*x]));
                for y in vars.range(..x) {
                    if !(vocabulary.is_finite(*x) && vocabulary.is_finite(*y)) {
                        here.extend(pair(*x, *y, &value(*x).clone().plus(-1, value(*y))));
                    }
                }
            }
            let here: BTreeSet<usize> = here.iter().filter_map(|c| collected.add(c)).collect();
            at.push(here.into_iter().collect());
        }
        Candidates {
            all: collected.all,
            at,
        }
    }
}

struct Collected<'a> {
    vocabulary: &'a Vocabulary,
    predicates: &'a BTreeSet<Cond>,
    all: Vec<(Cond, Cost)>,
    positions: BTreeMap<Cond, usize>,
}

impl Collected<'_> {
    fn add(&mut self, cond: &Cond) -> Option<usize> {
        let cond = canonical(cond);
        if matches!(cond, Cond::Const(_)) {
            return None;
        }
        if let Some(known) = self.positions.get(&cond) {
            return Some(*known);
        }
        let cost = self.cost(&cond);
        self.positions.insert(cond.clone(), self.all.len());
        self.all.push((cond, cost));
        Some(self.all.len() - 1)
    }

    fn cost(&self, cond: &Cond) -> Cost {
        if self.predicates.contains(cond) {
            return Cost::Predicate;
        }
        if self.vocabulary.has(cond) {
            return Cost::Text;
        }
        let Cond::Compare(sum, rel) = cond else {
            return Cost::Exact;
        };
        if let Some((x, c)) = constant(cond) {
            let known = |c: i128| self.vocabulary.constants(x).contains(&c);
            return match rel {
                Rel::Eq if known(c) && self.vocabulary.is_finite(x) => Cost::Text,
                Rel::Eq if known(c) => Cost::Near,
                Rel::Le if known(c) || known(c - 1) || known(c + 1) => Cost::Comparison,
                _ => Cost::Exact,
            };
        }
        let (vars, factors): (Vec<VarId>, Vec<i128>) = sum.terms.iter().unzip();
        match (&factors[..], rel, sum.constant) {
            ([1, -1], Rel::Eq, 0) | ([1, -1] | [-1, 1], Rel::Le, 0 | 1) => {
                match self.vocabulary.relation(vars[0], vars[1]) {
                    Some(_) => Cost::Comparison,
                    None => Cost::Unrelated,
                }
            }
            ([1, -1], Rel::Eq, 1 | -1) | ([1, -1] | [-1, 1], Rel::Le, 2 | -1) => Cost::Near,
            _ => Cost::Exact,
        }
    }
}

/// Conditions on a variable of this value, a number of which is given.
fn single(vocabulary: &Vocabulary, x: VarId, value: &Linear, number: i128) -> Vec<Cond> {
    let constant = value.as_constant().map(|c| Cond::is(x, c));
    let mut found: Vec<Cond> = constant.into_iter().collect();
    if !vocabulary.is_finite(x) {
        let constants = vocabulary.constants(x);
        let below = constants.range(..number).next_back();
        let above = constants.range(number + 1..).next();
        let x = Linear::var(x);
        found.extend(below.map(|b| Cond::less(&Linear::constant(*b), &x)));
        found.extend(above.map(|b| Cond::less(&x, &Linear::constant(*b))));
        if constants.contains(&number) {
            let c = Linear::constant(number);
            found.extend([Cond::at_most(&x, &c), Cond::at_most(&c, &x)]);
        }
    }
    found
}

/// How two variables compare whose values differ so.
fn pair(x: VarId, y: VarId, difference: &Linear) -> Vec<Cond> {
    let (x, y) = (Linear::var(x), Linear::var(y));
    let mut found = vec![
        Cond::at_most(&x, &y),
        Cond::at_most(&y, &x),
        Cond::equal(&x, &y),
    ];
    if let Some(c @ (1 | -1)) = difference.as_constant() {
        found.push(Cond::equal(&x, &y.plus(1, &Linear::constant(c))));
    }
    found
}
