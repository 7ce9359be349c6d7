//! The constants that integers may hold: the least fixpoint of all updates, guards ignored.

use crate::cub::ast::{Expr, File, Rhs, Term, Update};
use crate::cub::build::Sum;
use std::collections::{BTreeMap, BTreeSet};

/// An integer with more constants may hold anything.
pub(super) const MOST: usize = 4;

/// So may one with larger constants: what does not fit the machine is seen in the numbers of a run.
const LARGE: u64 = 1 << 30;

/// What an integer may hold; nothing if that is anything.
type Constants = Option<BTreeSet<i64>>;

/// The integers of a system, each with what it may hold.
pub(super) struct Integers {
    of: BTreeMap<String, Constants>,
}

impl Integers {
    pub fn new(system: &File, initial: &BTreeMap<String, Option<i64>>) -> Integers {
        let symbols = system.symbols.iter().filter(|s| s.ty.text == "int");
        let first = symbols.map(|s| {
            let constants = match initial.get(&s.name.text) {
                Some(constant) => constant.map(|c| [c].into()),
                None => Some(BTreeSet::new()),
            };
            (s.name.text.clone(), constants)
        });
        let mut integers = Integers {
            of: first.collect(),
        };
        loop {
            let before = integers.of.clone();
            for update in system.transitions.iter().flat_map(|t| &t.updates) {
                integers.assign(update);
            }
            if integers.of == before {
                return integers;
            }
        }
    }

    fn assign(&mut self, update: &Update) {
        let name = &update.target.name.text;
        let Some(old) = self.of.get(name) else {
            return;
        };
        let new = match &update.rhs {
            Rhs::Term(term) => self.sum(term).and_then(|sum| self.values(&sum)),
            Rhs::Any(_) | Rhs::Case(_) => None,
        };
        let both = old.as_ref().zip(new).map(|(old, new)| old | &new);
        let both = both.filter(|all| all.len() <= MOST);
        self.of.insert(name.clone(), both);
    }

    /// The values of a sum.
    fn values(&self, sum: &Sum) -> Constants {
        let mut all = BTreeSet::from([sum.constant]);
        for (factor, cell) in &sum.parts {
            let own = self.of[&cell.name.text].as_ref()?;
            let sums = all
                .iter()
                .flat_map(|a| own.iter().map(move |v| a + factor * v));
            all = sums.collect();
        }
        let is_small = |v: &i64| v.unsigned_abs() < LARGE;
        (all.len() <= MOST && all.iter().all(is_small)).then_some(all)
    }

    /// Leaves the integers that are enumerations: those of a group either all are, or none is.
    pub fn keep_finite(&mut self, groups: &[BTreeSet<String>]) {
        let is_finite = |c: &Constants| c.as_ref().is_some_and(|c| c.len() > 1);
        self.of.retain(|_, constants| is_finite(constants));
        loop {
            let before = self.of.len();
            for group in groups {
                if group.iter().any(|name| !self.of.contains_key(name)) {
                    self.of.retain(|name, _| !group.contains(name));
                }
            }
            if self.of.len() == before {
                return;
            }
        }
    }

    pub fn contains(&self, name: &str) -> bool {
        self.of.contains_key(name)
    }

    /// The constants of one that is an enumeration.
    pub fn constants(&self, name: &str) -> impl Iterator<Item = i64> {
        self.of[name].iter().flatten().copied()
    }

    /// A term as a sum of integers, if it is one.
    pub fn sum(&self, term: &Term) -> Option<Sum> {
        Sum::of(term, |name| self.contains(name))
    }
}

/// Which integers occur with which.
#[derive(Default)]
pub(super) struct Uses {
    /// Those of a comparison, and those of an update.
    pub together: Vec<BTreeSet<String>>,
    /// Those that are compared with each other or copied to each other.
    pub alike: Vec<[String; 2]>,
}

impl Uses {
    pub fn new(system: &File, integers: &Integers) -> Uses {
        let mut uses = Uses::default();
        for formula in system.inits.iter().chain(&system.unsafes) {
            uses.formula(&formula.body, integers);
        }
        for transition in &system.transitions {
            if let Some(guard) = &transition.guard {
                uses.formula(guard, integers);
            }
            for update in &transition.updates {
                uses.update(update, integers);
            }
        }
        uses
    }

    fn formula(&mut self, formula: &Expr, integers: &Integers) {
        match formula {
            Expr::Bool(..) | Expr::Fence(..) | Expr::Call(..) => {}
            Expr::Cmp(_, left, right, _) => {
                let (Some(left), Some(right)) = (integers.sum(left), integers.sum(right)) else {
                    return;
                };
                if let (Some(a), Some(b)) = (left.lone_cell(), right.lone_cell()) {
                    self.alike.push([a, b].map(|cell| cell.name.text.clone()));
                }
                self.together.push(names([&left, &right]).collect());
            }
            Expr::Not(inner, _) | Expr::Quant(_, _, inner, _) => self.formula(inner, integers),
            Expr::Bin(_, a, b) => {
                self.formula(a, integers);
                self.formula(b, integers);
            }
            Expr::Ite(a, b, c) => {
                for part in [a, b, c] {
                    self.formula(part, integers);
                }
            }
        }
    }

    fn update(&mut self, update: &Update, integers: &Integers) {
        let target = &update.target;
        let terms: Vec<&Term> = match &update.rhs {
            Rhs::Any(_) => Vec::new(),
            Rhs::Term(term) => vec![term],
            Rhs::Case(cases) => {
                for condition in cases.iter().filter_map(|(c, _)| c.as_ref()) {
                    self.formula(condition, integers);
                }
                cases.iter().map(|(_, term)| term).collect()
            }
        };
        if !integers.contains(&target.name.text) {
            return;
        }
        let written = Sum::cell(target.clone());
        for sum in terms.into_iter().filter_map(|t| integers.sum(t)) {
            if let Some(cell) = sum.lone_cell() {
                self.alike
                    .push([target, cell].map(|cell| cell.name.text.clone()));
            }
            self.together.push(names([&written, &sum]).collect());
        }
    }
}

fn names<'a>(sums: [&'a Sum; 2]) -> impl Iterator<Item = String> + 'a {
    let cells = sums.into_iter().flat_map(|s| &s.parts);
    cells.map(|(_, cell)| cell.name.text.clone())
}
