//! The bits of terms, lowest first: what the machine computes, as gates.
//!
//! Written for whoever reads it: the adder of school, the division as a multiplication, the shift
//! by a power of two at a time.

use super::gates::{FALSE, Gates, Lit, Rule, TRUE};
use super::graph::{Graph, Op, Term, TermId};
use super::values::{Few, Values};
use rustc_hash::FxHashMap;
use std::rc::Rc;

type Word = Rc<[Lit]>;

/// The bits of the terms met so far.
pub struct Words<'a> {
    values: Values<'a>,
    known: FxHashMap<TermId, Few>,
    bits: FxHashMap<TermId, Word>,
    /// Arbitrary values by number and width: one value wherever it is named.
    any: FxHashMap<(u32, usize), Word>,
    /// Of an operator that is not interpreted, by name and operands.
    uninterpreted: FxHashMap<(String, Vec<Word>, usize), Word>,
    /// What each read returns.
    reads: FxHashMap<u32, Word>,
}

impl<'a> Words<'a> {
    /// None yet; what is known of values makes bits constant.
    pub fn new(values: Values<'a>) -> Words<'a> {
        Words {
            values,
            known: FxHashMap::default(),
            bits: FxHashMap::default(),
            any: FxHashMap::default(),
            uninterpreted: FxHashMap::default(),
            reads: FxHashMap::default(),
        }
    }

    /// The bits of a term.
    pub fn bits(&mut self, gates: &mut Gates, graph: &Graph, root: TermId) -> Word {
        let mut work = vec![root];
        while let Some(&next) = work.last() {
            if self.bits.contains_key(&next) {
                work.pop();
                continue;
            }
            let operands = graph.term(next).operands();
            let missing = operands.iter().filter(|o| !self.bits.contains_key(o));
            let missing: Vec<TermId> = missing.copied().collect();
            if missing.is_empty() {
                let (which, what) = self.values.constant_bits(next, &mut self.known);
                let all = which | !(u64::MAX >> (64 - graph.width(next))) == u64::MAX;
                let mut bits = match all {
                    true => constant(what, graph.width(next)).into(),
                    false => self.term(gates, graph, next),
                };
                if which != 0 && !all {
                    let bit = |(i, bit): (usize, &Lit)| match which >> i & 1 {
                        1 => Lit::constant(what >> i & 1 == 1),
                        _ => *bit,
                    };
                    bits = bits.iter().enumerate().map(bit).collect();
                }
                self.bits.insert(next, bits);
                work.pop();
            }
            work.extend(missing);
        }
        self.bits[&root].clone()
    }

    /// A truth value.
    pub fn lit(&mut self, gates: &mut Gates, graph: &Graph, term: TermId) -> Lit {
        self.bits(gates, graph, term)[0]
    }

    fn term(&mut self, gates: &mut Gates, graph: &Graph, id: TermId) -> Word {
        let width = graph.width(id);
        let of = |t: &TermId| self.bits[t].clone();
        let fresh = |gates: &mut Gates| -> Word { (0..width).map(|_| gates.fresh()).collect() };
        match graph.term(id) {
            Term::Const(v) => constant(*v, width).into(),
            Term::Read(e) => self.reads.entry(*e).or_insert_with(|| fresh(gates)).clone(),
            Term::Any(n) => {
                let any = self.any.entry((*n, width));
                any.or_insert_with(|| fresh(gates)).clone()
            }
            Term::Not(a) => of(a).iter().map(|l| !*l).collect(),
            Term::Ite(c, a, b) => choose(gates, of(c)[0], &of(a), &of(b)).into(),
            Term::ZeroExtend(a) => extend(&of(a), width, FALSE).into(),
            Term::SignExtend(a) => extend(&of(a), width, sign(&of(a))).into(),
            Term::Truncate(a) => of(a)[..width].into(),
            Term::Op(op, a, b) => operator(gates, *op, &of(a), &of(b)).into(),
            Term::Uninterpreted(name, operands) => {
                let key = (name.clone(), operands.iter().map(of).collect(), width);
                let result = self.uninterpreted.entry(key);
                result.or_insert_with(|| fresh(gates)).clone()
            }
        }
    }
}

/// A number.
fn constant(value: u64, width: usize) -> Vec<Lit> {
    let bit = |i: usize| Lit::constant(i < 64 && value >> i & 1 == 1);
    (0..width).map(bit).collect()
}

fn sign(a: &[Lit]) -> Lit {
    a[a.len() - 1]
}

fn extend(a: &[Lit], width: usize, with: Lit) -> Vec<Lit> {
    let bit = |i: usize| a.get(i).copied().unwrap_or(with);
    (0..width).map(bit).collect()
}

fn choose(gates: &mut Gates, cond: Lit, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let pairs = a.iter().zip(b);
    pairs.map(|(x, y)| gates.ite(cond, *x, *y)).collect()
}

/// The same numbers.
pub fn equal(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> Lit {
    let same: Vec<Lit> = a.iter().zip(b).map(|(x, y)| gates.iff(*x, *y)).collect();
    gates.all(&same)
}

fn operator(gates: &mut Gates, op: Op, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let bitwise = |gates: &mut Gates, f: fn(&mut Gates, Lit, Lit) -> Lit| -> Vec<Lit> {
        a.iter().zip(b).map(|(x, y)| f(gates, *x, *y)).collect()
    };
    match op {
        Op::Add => sum(gates, a, b, FALSE),
        Op::Sub => sum(gates, a, &complement(b), TRUE),
        Op::Mul => product(gates, a, b, a.len()),
        Op::Udiv => quotient(gates, a, b).0,
        Op::Urem => quotient(gates, a, b).1,
        Op::Sdiv => signed_quotient(gates, a, b).0,
        Op::Srem => signed_quotient(gates, a, b).1,
        Op::And => bitwise(gates, Gates::and),
        Op::Or => bitwise(gates, |gates, x, y| gates.any(&[x, y])),
        Op::Xor => bitwise(gates, Gates::xor),
        Op::Shl => {
            let mirrored: Vec<Lit> = a.iter().rev().copied().collect();
            let shifted = shifted_down(gates, &mirrored, b, FALSE);
            shifted.into_iter().rev().collect()
        }
        Op::Lshr => shifted_down(gates, a, b, FALSE),
        Op::Ashr => shifted_down(gates, a, b, sign(a)),
        Op::Eq => vec![equal(gates, a, b)],
        Op::Ne => vec![!equal(gates, a, b)],
        Op::Ult => vec![less(gates, a, b)],
        Op::Ule => vec![!less(gates, b, a)],
        Op::Slt => vec![less(gates, &biased(a), &biased(b))],
        Op::Sle => vec![!less(gates, &biased(b), &biased(a))],
    }
}

fn complement(a: &[Lit]) -> Vec<Lit> {
    a.iter().map(|l| !*l).collect()
}

/// Signed numbers in the order of unsigned ones.
fn biased(a: &[Lit]) -> Vec<Lit> {
    let mut out = a.to_vec();
    let last = out.len() - 1;
    out[last] = !out[last];
    out
}

fn sum(gates: &mut Gates, a: &[Lit], b: &[Lit], mut carry: Lit) -> Vec<Lit> {
    let mut out = Vec::with_capacity(a.len());
    for (x, y) in a.iter().zip(b) {
        let half = gates.xor(*x, *y);
        out.push(gates.xor(half, carry));
        carry = gates.majority(*x, *y, carry);
    }
    out
}

/// `a < b`: the last place that differs decides.
fn less(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> Lit {
    let mut is_less = FALSE;
    for (x, y) in a.iter().zip(b) {
        is_less = gates.majority(!*x, *y, is_less);
    }
    is_less
}

/// The low `width` bits of the product.
fn product(gates: &mut Gates, a: &[Lit], b: &[Lit], width: usize) -> Vec<Lit> {
    let open = |w: &[Lit]| w.iter().filter(|l| l.known().is_none()).count();
    let (a, b) = if open(a) < open(b) { (b, a) } else { (a, b) };
    let mut out = constant(0, width);
    for (i, bit) in b.iter().enumerate().take(width) {
        if *bit != FALSE {
            let mut row = vec![FALSE; i];
            row.extend(a.iter().map(|x| gates.and(*x, *bit)));
            out = sum(gates, &out, &extend(&row, width, FALSE), FALSE);
        }
    }
    out
}

/// Quotient and remainder: the numbers `q` and `r < b` with `q * b + r = a`. By zero they are all ones
/// and `a`.
fn quotient(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    let n = a.len();
    let by_zero = !gates.any(b);
    let q: Vec<Lit> = (0..n).map(|_| gates.fresh()).collect();
    let r: Vec<Lit> = (0..n).map(|_| gates.fresh()).collect();
    let wide = |w: &[Lit]| extend(w, 2 * n, FALSE);
    let multiple = product(gates, &wide(&q), &wide(b), 2 * n);
    let total = sum(gates, &multiple, &wide(&r), FALSE);
    let is_dividend = equal(gates, &total, &wide(a));
    let is_small = less(gates, &r, b);
    gates.clause(Rule::Division, &[by_zero, is_dividend]);
    gates.clause(Rule::Division, &[by_zero, is_small]);
    let ones = vec![TRUE; n];
    (
        choose(gates, by_zero, &ones, &q),
        choose(gates, by_zero, a, &r),
    )
}

/// Of signed numbers: the quotient is rounded to zero, the remainder has the sign of the dividend. By
/// zero the quotient is -1, or 1 where the dividend is negative; the remainder is the dividend.
fn signed_quotient(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    let (negative_a, negative_b) = (sign(a), sign(b));
    let magnitude_a = negated_if(gates, negative_a, a);
    let magnitude_b = negated_if(gates, negative_b, b);
    let (q, r) = quotient(gates, &magnitude_a, &magnitude_b);
    let differ = gates.xor(negative_a, negative_b);
    (
        negated_if(gates, differ, &q),
        negated_if(gates, negative_a, &r),
    )
}

fn negated_if(gates: &mut Gates, cond: Lit, a: &[Lit]) -> Vec<Lit> {
    let flipped: Vec<Lit> = a.iter().map(|l| gates.xor(*l, cond)).collect();
    sum(gates, &flipped, &constant(0, a.len()), cond)
}

/// `a >> b`, with `fill` from above.
fn shifted_down(gates: &mut Gates, a: &[Lit], b: &[Lit], fill: Lit) -> Vec<Lit> {
    let n = a.len();
    let mut out = a.to_vec();
    for (i, bit) in b.iter().enumerate() {
        let by = 1_usize.checked_shl(i as u32).filter(|by| *by < n);
        let moved: Vec<Lit> = match by {
            Some(by) => extend(&out[by..], n, fill),
            None => vec![fill; n],
        };
        out = choose(gates, *bit, &moved, &out);
    }
    out
}
