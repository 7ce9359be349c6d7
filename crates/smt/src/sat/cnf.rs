//! Clauses and gates: Tseitin's encoding with constant folding and structural hashing.
//!
//! Every gate is defined in both directions, so a literal may be used in any polarity. Inputs are
//! put in a normal order first, so equal gates get equal literals.

use rustc_hash::FxHashMap;
use std::ops::Not;

/// A literal: a variable, from 1, or its negation as a negative number, as DIMACS writes it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(pub i32);

impl Lit {
    /// The literal that is always true: variable 1.
    pub const TRUE: Lit = Lit(1);
    /// The literal that is always false.
    pub const FALSE: Lit = Lit(-1);

    /// The variable.
    pub fn var(self) -> u32 {
        self.0.unsigned_abs()
    }

    /// True or false as a literal.
    pub fn constant(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Gate {
    And(Box<[Lit]>),
    Xor(Lit, Lit),
    Ite(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
}

/// What clauses are for; who builds the formula numbers it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Purpose(pub usize);

/// A formula in conjunctive normal form, with the gates that made it.
#[derive(Default)]
pub struct Cnf {
    vars: i32,
    /// Clauses one after the other, each ended by 0.
    pub flat: Vec<i32>,
    clauses: u64,
    purpose: Purpose,
    by_purpose: Vec<u64>,
    gates: FxHashMap<Gate, Lit>,
}

impl Cnf {
    /// With the constant defined.
    pub fn new() -> Cnf {
        Cnf {
            vars: 1,
            flat: vec![1, 0],
            clauses: 1,
            purpose: Purpose::default(),
            by_purpose: vec![1],
            gates: FxHashMap::default(),
        }
    }

    /// How many variables.
    pub fn num_vars(&self) -> u32 {
        self.vars.unsigned_abs()
    }

    /// How many clauses.
    pub fn num_clauses(&self) -> u64 {
        self.clauses
    }

    /// How many clauses are for each purpose, by its number.
    pub fn by_purpose(&self) -> &[u64] {
        &self.by_purpose
    }

    /// What the clauses are for that come next; what they were for before.
    pub fn turn_to(&mut self, purpose: Purpose) -> Purpose {
        let most = self.by_purpose.len().max(purpose.0 + 1);
        self.by_purpose.resize(most, 0);
        std::mem::replace(&mut self.purpose, purpose)
    }

    /// A new variable.
    pub fn fresh(&mut self) -> Lit {
        self.vars = self
            .vars
            .checked_add(1)
            .expect("a formula of 2^31 variables does not fit in memory");
        Lit(self.vars)
    }

    /// Adds a clause; constants, repetitions and tautologies are removed.
    pub fn clause(&mut self, lits: &[Lit]) {
        let mut kept: Vec<Lit> = Vec::with_capacity(lits.len());
        for l in lits {
            if *l == Lit::TRUE || kept.contains(&!*l) {
                return;
            }
            if *l != Lit::FALSE && !kept.contains(l) {
                kept.push(*l);
            }
        }
        self.flat.extend(kept.iter().map(|l| l.0));
        self.flat.push(0);
        self.clauses += 1;
        self.by_purpose[self.purpose.0] += 1;
    }

    /// `premises` imply `conclusion`.
    pub fn implies(&mut self, premises: &[Lit], conclusion: Lit) {
        let mut lits: Vec<Lit> = premises.iter().map(|l| !*l).collect();
        lits.push(conclusion);
        self.clause(&lits);
    }

    /// Conjunction.
    pub fn all(&mut self, lits: &[Lit]) -> Lit {
        let mut inputs: Vec<Lit> = lits.iter().copied().filter(|l| *l != Lit::TRUE).collect();
        inputs.sort_unstable();
        inputs.dedup();
        if inputs.contains(&Lit::FALSE)
            || inputs
                .iter()
                .any(|l| l.0 > 0 && inputs.binary_search(&!*l).is_ok())
        {
            return Lit::FALSE;
        }
        match inputs.as_slice() {
            [] => return Lit::TRUE,
            [one] => return *one,
            _ => {}
        }
        let gate = Gate::And(inputs.clone().into());
        if let Some(out) = self.gates.get(&gate) {
            return *out;
        }
        let out = self.fresh();
        let mut long = vec![out];
        for l in &inputs {
            self.clause(&[!out, *l]);
            long.push(!*l);
        }
        self.clause(&long);
        self.gates.insert(gate, out);
        out
    }

    /// Conjunction of two.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        self.all(&[a, b])
    }

    /// Disjunction.
    pub fn any(&mut self, lits: &[Lit]) -> Lit {
        let negated: Vec<Lit> = lits.iter().map(|l| !*l).collect();
        !self.all(&negated)
    }

    /// Disjunction of two.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.all(&[!a, !b])
    }

    /// Exclusive or.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        if a.var() == 1 {
            return if a == Lit::TRUE { !b } else { b };
        }
        if b.var() == 1 {
            return if b == Lit::TRUE { !a } else { a };
        }
        if a.var() == b.var() {
            return Lit::constant(a != b);
        }
        let flip = (a.0 < 0) ^ (b.0 < 0);
        let (x, y) = (Lit(a.0.abs().min(b.0.abs())), Lit(a.0.abs().max(b.0.abs())));
        let out = match self.gates.get(&Gate::Xor(x, y)) {
            Some(out) => *out,
            None => {
                let out = self.fresh();
                self.clause(&[!out, x, y]);
                self.clause(&[!out, !x, !y]);
                self.clause(&[out, !x, y]);
                self.clause(&[out, x, !y]);
                self.gates.insert(Gate::Xor(x, y), out);
                out
            }
        };
        if flip { !out } else { out }
    }

    /// Equivalence.
    pub fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// `c ? a : b`
    pub fn ite(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if c.var() == 1 {
            return if c == Lit::TRUE { a } else { b };
        }
        if a == b {
            return a;
        }
        if a == !b {
            return self.iff(c, a);
        }
        if a == Lit::TRUE || a == c {
            return self.or(c, b);
        }
        if a == Lit::FALSE || a == !c {
            return self.and(!c, b);
        }
        if b == Lit::TRUE || b == !c {
            return self.or(!c, a);
        }
        if b == Lit::FALSE || b == c {
            return self.and(c, a);
        }
        let (c, a, b) = if c.0 < 0 { (!c, b, a) } else { (c, a, b) };
        let gate = Gate::Ite(c, a, b);
        if let Some(out) = self.gates.get(&gate) {
            return *out;
        }
        let out = self.fresh();
        self.clause(&[!c, !a, out]);
        self.clause(&[!c, a, !out]);
        self.clause(&[c, !b, out]);
        self.clause(&[c, b, !out]);
        self.clause(&[!a, !b, out]);
        self.clause(&[a, b, !out]);
        self.gates.insert(gate, out);
        out
    }

    /// True when at least two of three are.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut inputs = [a, b, c];
        inputs.sort_unstable_by_key(|l| (l.var(), l.0));
        let [a, b, c] = inputs;
        if a.var() == 1 {
            return if a == Lit::TRUE {
                self.or(b, c)
            } else {
                self.and(b, c)
            };
        }
        if a.var() == b.var() {
            return if a == b { a } else { c };
        }
        if b.var() == c.var() {
            return if b == c { b } else { a };
        }
        let gate = Gate::Majority(a, b, c);
        if let Some(out) = self.gates.get(&gate) {
            return *out;
        }
        let out = self.fresh();
        for (x, y) in [(a, b), (a, c), (b, c)] {
            self.clause(&[!x, !y, out]);
            self.clause(&[x, y, !out]);
        }
        self.gates.insert(gate, out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_fold_and_hash() {
        let mut f = Cnf::new();
        let (a, b) = (f.fresh(), f.fresh());
        assert_eq!(f.and(a, b), f.and(b, a));
        assert_eq!(f.and(a, !a), Lit::FALSE);
        assert_eq!(f.xor(a, !b), !f.xor(a, b));
        assert_eq!(f.ite(a, Lit::TRUE, b), f.or(a, b));
        assert_eq!(f.majority(a, Lit::FALSE, b), f.and(a, b));
    }
}
