//! Clauses with the rule that each is an instance of, and variables that gates define.
//!
//! A gate is a new variable that is equal to a Boolean function of others. Its clauses say that and
//! no more, so they are true of every assignment that gives the variable the function's value: they
//! need no other reason. Constants are folded and equal gates are one variable.

use rustc_hash::FxHashMap;
use std::ops::Not;

/// A literal: a variable, from 1, or its negation as a negative number. Variable 1 is true.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(pub i32);

/// Always true.
pub const TRUE: Lit = Lit(1);
/// Always false.
pub const FALSE: Lit = Lit(-1);

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

impl Lit {
    /// The constant.
    pub fn constant(value: bool) -> Lit {
        if value { TRUE } else { FALSE }
    }

    /// Which constant it is, if it is one.
    pub fn known(self) -> Option<bool> {
        match self {
            TRUE => Some(true),
            FALSE => Some(false),
            _ => None,
        }
    }
}

/// Why a clause is in the formula. Each is true of every execution of the graph that the model
/// allows, when the variables are read as what they say of it; the sentence says why.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// It defines a gate.
    Gate,
    /// Quotient and remainder of a division are the numbers that multiplied out give the dividend.
    Division,
    /// A compare-exchange does not fail for no reason on this machine.
    Spurious,
    /// What reads from a write happens, as the write does, at the same address (Alg. 1).
    ReadFrom,
    /// A read has the value of the write it reads from (Alg. 1).
    ReadValue,
    /// A read that happens reads from some write (Alg. 1).
    Source,
    /// It reads from one write only (Lemma 3).
    OneSource,
    /// A read that reads from a write is before all that comes after that in coherence (Alg. 3).
    FromRead,
    /// Nobody sees anything of an atomic section that does not end.
    Unfinished,
    /// What is inside of critical sections of one lock communicates in their order.
    Section,
    /// A pair of a sequence, a closure or a recursive relation follows from the pairs it is made of.
    Relation,
    /// An axiom `empty` or `irreflexive` has no such pair.
    Axiom,
    /// Pairs of an acyclic relation agree with a total order.
    Edge,
    /// A total order has no circle of three.
    Order,
    /// A step of a counter has so much before it as it reads at least.
    Counter,
    /// An axiom is violated by what a reason lists, so not all of it is so.
    Learnt,
    /// A loop whose iteration changed nothing goes on with one only if an access of that one is wrong: else
    /// the execution without it is looked at.
    Followed,
    /// The execution does what is asked for: the negated property.
    Query,
}

impl Rule {
    /// All of them.
    pub const ALL: [Rule; 18] = [
        Rule::Gate,
        Rule::Division,
        Rule::Spurious,
        Rule::ReadFrom,
        Rule::ReadValue,
        Rule::Source,
        Rule::OneSource,
        Rule::FromRead,
        Rule::Unfinished,
        Rule::Section,
        Rule::Relation,
        Rule::Axiom,
        Rule::Edge,
        Rule::Order,
        Rule::Counter,
        Rule::Learnt,
        Rule::Followed,
        Rule::Query,
    ];

    /// As `rules.txt` writes it.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Gate => "gate",
            Rule::Division => "division",
            Rule::Spurious => "spurious",
            Rule::ReadFrom => "read-from",
            Rule::ReadValue => "read-value",
            Rule::Source => "source",
            Rule::OneSource => "one-source",
            Rule::FromRead => "from-read",
            Rule::Unfinished => "unfinished",
            Rule::Section => "section",
            Rule::Relation => "relation",
            Rule::Axiom => "axiom",
            Rule::Edge => "edge",
            Rule::Order => "order",
            Rule::Counter => "counter",
            Rule::Learnt => "learnt",
            Rule::Followed => "followed",
            Rule::Query => "query",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Gate {
    And(Box<[Lit]>),
    Xor(Lit, Lit),
    Ite(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
}

/// The clauses of a formula.
pub struct Gates {
    variables: i32,
    /// Clauses one after the other, each ended by 0.
    pub flat: Vec<i32>,
    /// By clause: its rule.
    pub rules: Vec<Rule>,
    gates: FxHashMap<Gate, Lit>,
}

impl Default for Gates {
    fn default() -> Gates {
        Gates {
            variables: 1,
            flat: vec![TRUE.0, 0],
            rules: vec![Rule::Gate],
            gates: FxHashMap::default(),
        }
    }
}

impl Gates {
    /// How many variables.
    pub fn variables(&self) -> i32 {
        self.variables
    }

    /// A new variable.
    pub fn fresh(&mut self) -> Lit {
        self.variables += 1;
        Lit(self.variables)
    }

    /// Adds a clause, unless it is always true; literals that are false, or there before, are not
    /// written.
    pub fn clause(&mut self, rule: Rule, lits: &[Lit]) {
        let start = self.flat.len();
        for l in lits {
            if *l == TRUE || self.flat[start..].contains(&-l.0) {
                self.flat.truncate(start);
                return;
            }
            if *l != FALSE && !self.flat[start..].contains(&l.0) {
                self.flat.push(l.0);
            }
        }
        self.flat.push(0);
        self.rules.push(rule);
    }

    /// Adds that some literals together imply one.
    pub fn implies(&mut self, rule: Rule, premises: &[Lit], conclusion: Lit) {
        let mut lits: Vec<Lit> = premises.iter().map(|l| !*l).collect();
        lits.push(conclusion);
        self.clause(rule, &lits);
    }

    fn gate(&mut self, gate: Gate) -> (Lit, bool) {
        if let Some(out) = self.gates.get(&gate) {
            return (*out, false);
        }
        let out = self.fresh();
        self.gates.insert(gate, out);
        (out, true)
    }

    /// Conjunction.
    pub fn all(&mut self, lits: &[Lit]) -> Lit {
        let mut of: Vec<Lit> = lits.iter().copied().filter(|l| *l != TRUE).collect();
        of.sort_unstable();
        of.dedup();
        if of
            .iter()
            .any(|l| *l == FALSE || of.binary_search(&!*l).is_ok())
        {
            return FALSE;
        }
        match of[..] {
            [] => return TRUE,
            [one] => return one,
            _ => {}
        }
        let (out, new) = self.gate(Gate::And(of.clone().into()));
        if new {
            of.iter().for_each(|l| self.clause(Rule::Gate, &[!out, *l]));
            self.implies(Rule::Gate, &of, out);
        }
        out
    }

    /// Disjunction.
    pub fn any(&mut self, lits: &[Lit]) -> Lit {
        let negated: Vec<Lit> = lits.iter().map(|l| !*l).collect();
        !self.all(&negated)
    }

    /// Conjunction of two.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        self.all(&[a, b])
    }

    /// Exclusive or.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let sign = (a.0 < 0) ^ (b.0 < 0);
        let (x, y) = (Lit(a.0.abs()), Lit(b.0.abs()));
        let (x, y) = (x.min(y), x.max(y));
        let out = if x == y {
            FALSE
        } else if x == TRUE {
            !y
        } else {
            let (out, new) = self.gate(Gate::Xor(x, y));
            if new {
                for (o, p, q) in [(!out, x, y), (!out, !x, !y), (out, !x, y), (out, x, !y)] {
                    self.clause(Rule::Gate, &[o, p, q]);
                }
            }
            out
        };
        if sign { !out } else { out }
    }

    /// Equality of two.
    pub fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// `c ? a : b`
    pub fn ite(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        let (c, a, b) = if c.0 < 0 { (!c, b, a) } else { (c, a, b) };
        if c == TRUE || a == b {
            return a;
        }
        if a == !b {
            return self.iff(c, a);
        }
        if a == TRUE || a == c {
            return self.any(&[c, b]);
        }
        if a == FALSE || a == !c {
            return self.and(!c, b);
        }
        if b == TRUE || b == !c {
            return self.any(&[!c, a]);
        }
        if b == FALSE || b == c {
            return self.and(c, a);
        }
        let (out, new) = self.gate(Gate::Ite(c, a, b));
        if new {
            for (when, value) in [(c, a), (!c, b)] {
                self.clause(Rule::Gate, &[!when, !value, out]);
                self.clause(Rule::Gate, &[!when, value, !out]);
            }
            self.clause(Rule::Gate, &[!a, !b, out]);
            self.clause(Rule::Gate, &[a, b, !out]);
        }
        out
    }

    /// At least two of three.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut of = [a, b, c];
        of.sort_unstable_by_key(|l| (l.0.abs(), l.0));
        let [a, b, c] = of;
        match a {
            TRUE => return self.any(&[b, c]),
            FALSE => return self.and(b, c),
            _ if a == b => return a,
            _ if a == !b => return c,
            _ if b == c => return b,
            _ if b == !c => return a,
            _ => {}
        }
        let (out, new) = self.gate(Gate::Majority(a, b, c));
        if new {
            for (x, y) in [(a, b), (a, c), (b, c)] {
                self.clause(Rule::Gate, &[!x, !y, out]);
                self.clause(Rule::Gate, &[x, y, !out]);
            }
        }
        out
    }
}
