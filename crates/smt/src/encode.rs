//! Formulas as clauses, and what the literals mean to the theories.
//!
//! A value of a finite sort is a literal, of which each variable has exactly one. An equation over
//! an open sort is a literal. A comparison is brought to the form `s ≤ c` where `s` is a variable
//! or a sum with coprime integer factors, the first of them positive: its literal bounds `s` from
//! above, the negation bounds it from below; an equation is two of them. Over integers `c` is
//! rounded, so `2x = 1` is refuted here. Bounds of the same `s` imply each other, which the SAT
//! solver gets it at once.

use super::number::{Delta, Rational};
use super::simplex::{Column, Simplex};
use super::term::{Atom, Formula, Rel, Sort, Sum, Term, Var};
use crate::sat::cnf::{Cnf, Lit};
use base::idx::IdVec;
use num::{BigInt, Integer, One, Zero};
use std::collections::{BTreeMap, BTreeSet};

/// A formula over literals.
#[derive(Clone, Debug)]
pub enum LiteralFormula {
    /// A literal.
    Lit(Lit),
    /// Conjunction.
    And(Vec<LiteralFormula>),
    /// Disjunction.
    Or(Vec<LiteralFormula>),
    /// Equivalence.
    Iff(Box<LiteralFormula>, Box<LiteralFormula>),
    /// If, then, else.
    Ite(Box<[LiteralFormula; 3]>),
}

/// What a literal, taken positively, says to a theory.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// Two nodes of open sorts are equal.
    Same(usize, usize),
    /// The variable is at most `upper`; the negation: at least `lower`.
    AtMost {
        /// Of the simplex.
        column: Column,
        /// The bound.
        upper: Box<Delta>,
        /// The bound of the negation.
        lower: Box<Delta>,
    },
}

/// How a variable is represented.
#[derive(Clone, Debug)]
pub enum Home {
    /// As a literal.
    Bool(Lit),
    /// As a literal for each value.
    Finite(Vec<Lit>),
    /// As a node of the classes of equals.
    Open(usize),
    /// As a variable of the simplex.
    Number(Column),
}

/// Clauses, the tableau and what connects them.
pub struct Encoder {
    /// Clauses that the SAT solver does not have yet.
    pub cnf: Cnf,
    /// The representation of each variable.
    pub homes: IdVec<Var, Home>,
    /// The tableau.
    pub simplex: Simplex,
    /// What the SAT solver's variables mean, where they mean something.
    pub meanings: BTreeMap<u32, Meaning>,
    /// How many nodes of open sorts there are.
    pub nodes: usize,
    same: BTreeMap<(usize, usize), Lit>,
    slacks: BTreeMap<Vec<(Column, Rational)>, Column>,
    bounds: BTreeMap<Column, BTreeMap<Delta, Lit>>,
}

impl Encoder {
    /// With nothing in it.
    pub fn new() -> Encoder {
        Encoder {
            cnf: Cnf::new(),
            homes: IdVec::new(),
            simplex: Simplex::default(),
            meanings: BTreeMap::new(),
            nodes: 0,
            same: BTreeMap::new(),
            slacks: BTreeMap::new(),
            bounds: BTreeMap::new(),
        }
    }

    /// A new variable.
    pub fn variable(&mut self, sort: Sort) -> Var {
        let home = match sort {
            Sort::Bool => Home::Bool(self.cnf.fresh()),
            Sort::Finite(n) => {
                let values: Vec<Lit> = (0..n).map(|_| self.cnf.fresh()).collect();
                self.cnf.clause(&values);
                for (i, a) in values.iter().enumerate() {
                    for b in &values[..i] {
                        self.cnf.clause(&[!*a, !*b]);
                    }
                }
                Home::Finite(values)
            }
            Sort::Open(_) => {
                self.nodes += 1;
                Home::Open(self.nodes - 1)
            }
            Sort::Int => Home::Number(self.simplex.variable(true)),
            Sort::Real => Home::Number(self.simplex.variable(false)),
        };
        self.homes.push(home)
    }

    /// The formula, which is well sorted, over literals; negated if `positive` is false.
    pub fn node(&mut self, f: &Formula, positive: bool) -> LiteralFormula {
        let signed = |l: Lit| LiteralFormula::Lit(if positive { l } else { !l });
        match f {
            Formula::Bool(b) => signed(Lit::constant(*b)),
            Formula::Atom(Atom::Holds(x)) => match &self.homes[*x] {
                Home::Bool(l) => signed(*l),
                _ => LiteralFormula::Lit(Lit::FALSE),
            },
            Formula::Atom(Atom::Equal(a, b)) => signed(self.equal(*a, *b)),
            Formula::Atom(Atom::Compare(sum, rel)) => self.compare(sum, *rel, positive),
            Formula::Not(f) => self.node(f, !positive),
            Formula::And(fs) | Formula::Or(fs) => {
                let all = fs.iter().map(|f| self.node(f, positive)).collect();
                if matches!(f, Formula::And(_)) == positive {
                    LiteralFormula::And(all)
                } else {
                    LiteralFormula::Or(all)
                }
            }
            Formula::Iff(a, b) => LiteralFormula::Iff(
                Box::new(self.node(a, positive)),
                Box::new(self.node(b, true)),
            ),
            Formula::Ite(three) => {
                let [c, a, b] = &**three;
                LiteralFormula::Ite(Box::new([
                    self.node(c, true),
                    self.node(a, positive),
                    self.node(b, positive),
                ]))
            }
        }
    }

    fn equal(&mut self, a: Term, b: Term) -> Lit {
        match (a, b) {
            (Term::Value(a), Term::Value(b)) => Lit::constant(a == b),
            (Term::Var(x), Term::Value(k)) | (Term::Value(k), Term::Var(x)) => {
                match &self.homes[x] {
                    Home::Finite(values) => values.get(k as usize).copied().unwrap_or(Lit::FALSE),
                    _ => Lit::FALSE,
                }
            }
            (Term::Var(x), Term::Var(y)) => match (&self.homes[x], &self.homes[y]) {
                (Home::Finite(a), Home::Finite(b)) => {
                    let pairs = a.iter().zip(b);
                    let each: Vec<Lit> = pairs.map(|(a, b)| self.cnf.iff(*a, *b)).collect();
                    self.cnf.all(&each)
                }
                (Home::Open(a), Home::Open(b)) => {
                    let pair = (*a.min(b), *a.max(b));
                    self.same(pair)
                }
                _ => Lit::FALSE,
            },
        }
    }

    fn same(&mut self, pair: (usize, usize)) -> Lit {
        if pair.0 == pair.1 {
            return Lit::TRUE;
        }
        if let Some(l) = self.same.get(&pair) {
            return *l;
        }
        let l = self.cnf.fresh();
        self.same.insert(pair, l);
        self.meanings.insert(l.var(), Meaning::Same(pair.0, pair.1));
        l
    }

    fn compare(&mut self, sum: &Sum, rel: Rel, positive: bool) -> LiteralFormula {
        let signed = |l: Lit| LiteralFormula::Lit(if positive { l } else { !l });
        let Some(scale) = scale(sum) else {
            let c = &sum.constant;
            return signed(Lit::constant(match rel {
                Rel::Eq => c.is_zero(),
                Rel::Le => !c.is_positive(),
                Rel::Lt => c.is_negative(),
            }));
        };
        let column = self.column(sum, &scale);
        // s + constant/scale rel 0, turned around when the scale is negative
        let limit = -(&sum.constant / &scale);
        match (rel, scale.is_positive()) {
            (Rel::Eq, _) => {
                let (high, low) = (
                    self.at_most(column, &limit, false),
                    !self.at_most(column, &limit, true),
                );
                if positive {
                    LiteralFormula::And(vec![LiteralFormula::Lit(high), LiteralFormula::Lit(low)])
                } else {
                    LiteralFormula::Or(vec![LiteralFormula::Lit(!high), LiteralFormula::Lit(!low)])
                }
            }
            (Rel::Le, true) => signed(self.at_most(column, &limit, false)),
            (Rel::Lt, true) => signed(self.at_most(column, &limit, true)),
            (Rel::Le, false) => signed(!self.at_most(column, &limit, true)),
            (Rel::Lt, false) => signed(!self.at_most(column, &limit, false)),
        }
    }

    /// The variable that stands for the terms of the sum divided by `scale`.
    fn column(&mut self, sum: &Sum, scale: &Rational) -> Column {
        let terms = sum.terms.iter().filter_map(|(x, f)| match &self.homes[*x] {
            Home::Number(c) => Some((*c, f / scale)),
            _ => None,
        });
        let terms: Vec<(Column, Rational)> = terms.collect();
        if let [(x, _)] = terms.as_slice() {
            return *x;
        }
        if let Some(s) = self.slacks.get(&terms) {
            return *s;
        }
        let int = terms.iter().all(|(x, _)| self.simplex.is_int(*x));
        let slack = self.simplex.slack(&terms, int);
        self.slacks.insert(terms, slack);
        slack
    }

    /// `column ≤ limit`, or `<`.
    fn at_most(&mut self, column: Column, limit: &Rational, strict: bool) -> Lit {
        let (upper, lower) = match (self.simplex.is_int(column), strict) {
            (true, strict) => {
                let upper = if strict {
                    limit.ceil() - Rational::one()
                } else {
                    limit.floor()
                };
                let lower = &upper + &Rational::one();
                (Delta::of(upper), Delta::of(lower))
            }
            (false, true) => (Delta::below(limit.clone()), Delta::of(limit.clone())),
            (false, false) => (Delta::of(limit.clone()), Delta::above(limit.clone())),
        };
        let known = self.bounds.entry(column).or_default();
        if let Some(l) = known.get(&upper) {
            return *l;
        }
        let l = self.cnf.fresh();
        if let Some((_, tighter)) = known.range(..&upper).next_back() {
            self.cnf.implies(&[*tighter], l);
        }
        if let Some((_, looser)) = known.range(&upper..).next() {
            self.cnf.implies(&[l], *looser);
        }
        known.insert(upper.clone(), l);
        let meaning = Meaning::AtMost {
            column,
            upper: Box::new(upper),
            lower: Box::new(lower),
        };
        self.meanings.insert(l.var(), meaning);
        l
    }

    /// A literal that is equivalent to the node.
    pub fn literal(&mut self, node: &LiteralFormula) -> Lit {
        match node {
            LiteralFormula::Lit(l) => *l,
            LiteralFormula::And(all) => {
                let all: Vec<Lit> = all.iter().map(|n| self.literal(n)).collect();
                self.cnf.all(&all)
            }
            LiteralFormula::Or(all) => {
                let all: Vec<Lit> = all.iter().map(|n| self.literal(n)).collect();
                self.cnf.any(&all)
            }
            LiteralFormula::Iff(a, b) => {
                let (a, b) = (self.literal(a), self.literal(b));
                self.cnf.iff(a, b)
            }
            LiteralFormula::Ite(three) => {
                let [c, a, b] = &**three;
                let (c, a, b) = (self.literal(c), self.literal(a), self.literal(b));
                self.cnf.ite(c, a, b)
            }
        }
    }
}

/// What the sum is divided by, so that its factors are coprime integers and the first of them is
/// positive; nothing for a constant.
fn scale(sum: &Sum) -> Option<Rational> {
    let first = sum.terms.values().next()?;
    let factors = || sum.terms.values();
    let common = factors().fold(BigInt::one(), |l, f| l.lcm(&f.denom()));
    let multiple = Rational::from_integer(common.clone());
    let gcd = factors().fold(BigInt::zero(), |g, f| g.gcd(&(f * &multiple).numer()));
    let scale = Rational::new(gcd, common);
    Some(if first.is_negative() { -scale } else { scale })
}

/// Is the node true in an assignment?
fn holds(node: &LiteralFormula, value: &mut dyn FnMut(Lit) -> bool) -> bool {
    match node {
        LiteralFormula::Lit(l) => value(*l),
        LiteralFormula::And(all) => all.iter().all(|n| holds(n, value)),
        LiteralFormula::Or(all) => all.iter().any(|n| holds(n, value)),
        LiteralFormula::Iff(a, b) => holds(a, value) == holds(b, value),
        LiteralFormula::Ite(three) => {
            let [c, a, b] = &**three;
            if holds(c, value) {
                holds(a, value)
            } else {
                holds(b, value)
            }
        }
    }
}

/// Literals of an assignment that suffice for the value that the node has in it.
pub fn justify(node: &LiteralFormula, value: &mut dyn FnMut(Lit) -> bool, out: &mut BTreeSet<Lit>) {
    match node {
        LiteralFormula::Lit(l) => {
            out.insert(if value(*l) { *l } else { !*l });
        }
        LiteralFormula::And(all) | LiteralFormula::Or(all) => {
            // The value that one part alone can bring about.
            let alone = matches!(node, LiteralFormula::Or(_));
            match all.iter().find(|n| holds(n, value) == alone) {
                Some(n) => justify(n, value, out),
                None => all.iter().for_each(|n| justify(n, value, out)),
            }
        }
        LiteralFormula::Iff(a, b) => {
            justify(a, value, out);
            justify(b, value, out);
        }
        LiteralFormula::Ite(three) => {
            let [c, a, b] = &**three;
            justify(c, value, out);
            justify(if holds(c, value) { a } else { b }, value, out);
        }
    }
}
