//! Formulas as SMT-LIB 2 text, which every other solver reads.

use super::number::Rational;
use super::term::{Atom, Formula, Rel, Sort, Sum, Term, Var};
use base::idx::IdVec;
use num::{BigInt, Integer, One, Signed};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A script that asserts all of these; the assumptions are named `a0`, `a1`, …
pub fn script(sorts: &IdVec<Var, Sort>, asserted: &[&Formula], assumptions: &[Formula]) -> String {
    let mut out = String::new();
    let used: BTreeSet<Sort> = sorts.iter().copied().collect();
    for s in used {
        let _ = match s {
            Sort::Open(_) => writeln!(out, "(declare-sort {} 0)", sort(s)),
            Sort::Finite(n) => {
                let values: String = (0..n).map(|k| format!(" ({})", value(n, k))).collect();
                writeln!(out, "(declare-datatypes (({} 0)) (({values})))", sort(s))
            }
            _ => Ok(()),
        };
    }
    for (x, s) in sorts.iter_enumerated() {
        let _ = writeln!(out, "(declare-const {x} {})", sort(*s));
    }
    let printer = Printer { sorts };
    for f in asserted {
        let _ = writeln!(out, "(assert {})", printer.formula(f));
    }
    for (i, f) in assumptions.iter().enumerate() {
        let _ = writeln!(out, "(assert (! {} :named a{i}))", printer.formula(f));
    }
    out + "(check-sat)\n"
}

fn sort(s: Sort) -> String {
    match s {
        Sort::Bool => "Bool".into(),
        Sort::Finite(n) => format!("Finite{n}"),
        Sort::Open(k) => format!("Open{k}"),
        Sort::Int => "Int".into(),
        Sort::Real => "Real".into(),
    }
}

/// The value `k` of the finite sort of `n` values.
fn value(n: u32, k: u32) -> String {
    format!("c{k}of{n}")
}

struct Printer<'a> {
    sorts: &'a IdVec<Var, Sort>,
}

impl Printer<'_> {
    fn formula(&self, f: &Formula) -> String {
        let list = |word: &str, empty: bool, fs: &[Formula]| {
            if fs.is_empty() {
                return empty.to_string();
            }
            let parts: String = fs.iter().map(|f| format!(" {}", self.formula(f))).collect();
            format!("({word}{parts})")
        };
        match f {
            Formula::Bool(b) => b.to_string(),
            Formula::Atom(a) => self.atom(a),
            Formula::Not(f) => format!("(not {})", self.formula(f)),
            Formula::And(fs) => list("and", true, fs),
            Formula::Or(fs) => list("or", false, fs),
            Formula::Iff(a, b) => format!("(= {} {})", self.formula(a), self.formula(b)),
            Formula::Ite(three) => list("ite", true, three.as_slice()),
        }
    }

    fn atom(&self, a: &Atom) -> String {
        match a {
            Atom::Holds(x) => x.to_string(),
            Atom::Equal(Term::Value(a), Term::Value(b)) => (a == b).to_string(),
            Atom::Equal(a, b) => {
                let size = [a, b].into_iter().find_map(|t| match t {
                    Term::Var(x) => match self.sorts.get(*x) {
                        Some(Sort::Finite(n)) => Some(*n),
                        _ => None,
                    },
                    Term::Value(_) => None,
                });
                let term = |t: &Term| match t {
                    Term::Var(x) => x.to_string(),
                    Term::Value(k) => value(size.unwrap_or_default(), *k),
                };
                format!("(= {} {})", term(a), term(b))
            }
            Atom::Compare(sum, rel) => {
                let rel = match rel {
                    Rel::Eq => "=",
                    Rel::Le => "<=",
                    Rel::Lt => "<",
                };
                self.compare(sum, rel)
            }
        }
    }

    /// Without fractions; in integers when all variables are.
    fn compare(&self, sum: &Sum, rel: &str) -> String {
        let is_int = |x: &Var| self.sorts.get(*x) == Some(&Sort::Int);
        let int = sum.terms.keys().all(is_int);
        let factors = sum.terms.values().chain([&sum.constant]);
        let common = factors.fold(BigInt::one(), |l, f| l.lcm(&f.denom()));
        let common = Rational::from_integer(common);
        let numeral = |f: &Rational| {
            let n = (f * &common).to_integer();
            let point = if int { "" } else { ".0" };
            if n.is_negative() {
                format!("(- {}{point})", -n)
            } else {
                format!("{n}{point}")
            }
        };
        let mut out = format!("({rel} (+ {}", numeral(&sum.constant));
        for (x, f) in &sum.terms {
            let name = if is_int(x) && !int {
                format!("(to_real {x})")
            } else {
                x.to_string()
            };
            let _ = write!(out, " (* {} {name})", numeral(f));
        }
        let zero = if int { "0" } else { "0.0" };
        if sum.terms.is_empty() {
            return format!("({rel} {} {zero})", numeral(&sum.constant));
        }
        out + &format!(") {zero})")
    }
}
