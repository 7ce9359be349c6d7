//! Terms as vectors of literals, lowest bit first.

use crate::ir::program::{BinOp, mask};
use crate::sat::cnf::{Cnf, Lit};
use crate::unroll::event::EventId;
use crate::unroll::term::{Term, TermId, Terms, operands};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Bits of a term.
pub type Bits = Rc<[Lit]>;

/// The bits of all terms met so far.
#[derive(Default)]
pub struct Blaster {
    bits: FxHashMap<TermId, Bits>,
    /// Reads that can only return one value: that of a term.
    same: FxHashMap<EventId, TermId>,
    /// Bits of reads that do not change: which ones, and what they are.
    fixed: FxHashMap<EventId, (u64, u64)>,
    /// Bits of operators that do not change.
    constant: FxHashMap<TermId, (u64, u64)>,
}

impl Blaster {
    /// The bits of a term, when they have been made.
    pub fn known(&self, id: TermId) -> Option<&Bits> {
        self.bits.get(&id)
    }

    /// Makes a read return the value of a term, which must not depend on the read.
    pub fn read_is(&mut self, read: EventId, value: TermId) {
        self.same.insert(read, value);
    }

    /// Makes bits of a read constant: those in `known` are as in `value`.
    pub fn read_has(&mut self, read: EventId, known: u64, value: u64) {
        self.fixed.insert(read, (known, value));
    }

    /// Makes bits of an operator constant: those in `known` are as in `value`.
    pub fn term_has(&mut self, term: TermId, known: u64, value: u64) {
        self.constant.insert(term, (known, value));
    }

    /// The bits of a term; reads and arbitrary values get new variables.
    pub fn bits(&mut self, cnf: &mut Cnf, terms: &Terms, root: TermId) -> Bits {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.bits.contains_key(&id) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            for o in self.inputs(terms.get(id)).into_iter().flatten() {
                if !self.bits.contains_key(&o) {
                    stack.push(o);
                }
            }
            if stack.len() > before {
                continue;
            }
            let bits = self.build(cnf, terms, id);
            self.bits.insert(id, bits);
            stack.pop();
        }
        self.bits[&root].clone()
    }

    /// A truth value as a literal.
    pub fn lit(&mut self, cnf: &mut Cnf, terms: &Terms, id: TermId) -> Lit {
        debug_assert_eq!(terms.width(id), 1);
        self.bits(cnf, terms, id)[0]
    }

    fn inputs(&self, term: Term) -> [Option<TermId>; 3] {
        match term {
            Term::Read(e) => [self.same.get(&e).copied(), None, None],
            _ => operands(term),
        }
    }

    fn build(&self, cnf: &mut Cnf, terms: &Terms, id: TermId) -> Bits {
        let width = usize::from(terms.width(id));
        let at = |o: TermId| self.bits[&o].clone();
        match terms.get(id) {
            Term::Const(v) => constant(v, width),
            Term::Read(e) if self.same.contains_key(&e) => at(self.same[&e]),
            Term::Read(e) => {
                let (known, value) = self.fixed.get(&e).copied().unwrap_or((0, 0));
                let bit = |i: usize| match known >> i & 1 {
                    1 => Lit::constant(value >> i & 1 == 1),
                    _ => cnf.fresh(),
                };
                (0..width).map(bit).collect()
            }
            Term::Nondet(_) => (0..width).map(|_| cnf.fresh()).collect(),
            Term::Not(a) => at(a).iter().map(|l| !*l).collect(),
            Term::Ite(c, a, b) => {
                let (c, a, b) = (at(c)[0], at(a), at(b));
                a.iter()
                    .zip(b.iter())
                    .map(|(x, y)| cnf.ite(c, *x, *y))
                    .collect()
            }
            Term::ZeroExtend(a) => {
                let a = at(a);
                (0..width)
                    .map(|i| a.get(i).copied().unwrap_or(Lit::FALSE))
                    .collect()
            }
            Term::SignExtend(a) => {
                let a = at(a);
                let sign = a[a.len() - 1];
                (0..width)
                    .map(|i| a.get(i).copied().unwrap_or(sign))
                    .collect()
            }
            Term::Truncate(a) => at(a)[..width].into(),
            Term::Binary(op, a, b) => {
                let (known, value) = self.constant.get(&id).copied().unwrap_or((0, 0));
                let open = !known & mask(terms.width(id));
                let (a, b) = (at(a), at(b));
                let bits = match 64 - open.leading_zeros() as usize {
                    0 => Bits::from([]),
                    // Where no bit depends on higher ones those above are left out.
                    n if is_upward(op) => binary(cnf, op, &a[..n], &b[..n]),
                    _ => binary(cnf, op, &a, &b),
                };
                let bit = |i: usize| match known >> i & 1 {
                    1 => Lit::constant(value >> i & 1 == 1),
                    _ => bits[i],
                };
                (0..width).map(bit).collect()
            }
        }
    }
}

/// True when the low bits of the result depend on the low bits of the operands only.
fn is_upward(op: BinOp) -> bool {
    use BinOp::{Add, And, Mul, Or, Sub, Xor};
    matches!(op, Add | Sub | Mul | And | Or | Xor)
}

/// Bits beyond the 64th, of the product that a division multiplies out, are zero.
pub fn constant(value: u64, width: usize) -> Bits {
    (0..width)
        .map(|i| Lit::constant(i < 64 && value >> i & 1 == 1))
        .collect()
}

fn binary(cnf: &mut Cnf, op: BinOp, a: &[Lit], b: &[Lit]) -> Bits {
    let map2 = |cnf: &mut Cnf, f: fn(&mut Cnf, Lit, Lit) -> Lit| -> Bits {
        a.iter().zip(b).map(|(x, y)| f(cnf, *x, *y)).collect()
    };
    match op {
        BinOp::Add => add(cnf, a, b, Lit::FALSE),
        BinOp::Sub => subtract(cnf, a, b),
        BinOp::Mul => multiply(cnf, a, b, a.len()),
        BinOp::Udiv => divide(cnf, a, b).0,
        BinOp::Urem => divide(cnf, a, b).1,
        BinOp::Sdiv => divide_signed(cnf, a, b).0,
        BinOp::Srem => divide_signed(cnf, a, b).1,
        BinOp::And => map2(cnf, Cnf::and),
        BinOp::Or => map2(cnf, Cnf::or),
        BinOp::Xor => map2(cnf, Cnf::xor),
        BinOp::Shl => {
            let reversed: Vec<Lit> = a.iter().rev().copied().collect();
            shift_right(cnf, &reversed, b, Lit::FALSE)
                .iter()
                .rev()
                .copied()
                .collect()
        }
        BinOp::Lshr => shift_right(cnf, a, b, Lit::FALSE),
        BinOp::Ashr => shift_right(cnf, a, b, a[a.len() - 1]),
        BinOp::Eq => [equal(cnf, a, b)].into(),
        BinOp::Ne => [!equal(cnf, a, b)].into(),
        BinOp::Ult => [less(cnf, a, b)].into(),
        BinOp::Ule => [!less(cnf, b, a)].into(),
        BinOp::Slt => [less_signed(cnf, a, b)].into(),
        BinOp::Sle => [!less_signed(cnf, b, a)].into(),
    }
}

/// `a == b`
pub fn equal(cnf: &mut Cnf, a: &[Lit], b: &[Lit]) -> Lit {
    let same: Vec<Lit> = a.iter().zip(b).map(|(x, y)| cnf.iff(*x, *y)).collect();
    cnf.all(&same)
}

/// `a < b` on unsigned numbers, by the borrow of `a - b`.
pub fn less(cnf: &mut Cnf, a: &[Lit], b: &[Lit]) -> Lit {
    a.iter()
        .zip(b)
        .fold(Lit::FALSE, |borrow, (x, y)| cnf.majority(!*x, *y, borrow))
}

fn less_signed(cnf: &mut Cnf, a: &[Lit], b: &[Lit]) -> Lit {
    let flip = |v: &[Lit]| -> Vec<Lit> {
        let mut v = v.to_vec();
        if let Some(sign) = v.last_mut() {
            *sign = !*sign;
        }
        v
    };
    less(cnf, &flip(a), &flip(b))
}

fn add(cnf: &mut Cnf, a: &[Lit], b: &[Lit], carry: Lit) -> Bits {
    let mut carry = carry;
    let sum = a.iter().zip(b).map(|(x, y)| {
        let half = cnf.xor(*x, *y);
        let bit = cnf.xor(half, carry);
        carry = cnf.majority(*x, *y, carry);
        bit
    });
    sum.collect()
}

/// How many of some literals are true.
pub fn count(cnf: &mut Cnf, lits: &[Lit]) -> Vec<Lit> {
    let mut column: Vec<Lit> = lits.to_vec();
    let mut out = Vec::new();
    while !column.is_empty() {
        let mut carries = Vec::new();
        while let [x, y, ..] = column[..] {
            let z = column.get(2).copied();
            column.drain(..2 + usize::from(z.is_some()));
            let z = z.unwrap_or(Lit::FALSE);
            let half = cnf.xor(x, y);
            column.push(cnf.xor(half, z));
            carries.push(cnf.majority(x, y, z));
        }
        out.append(&mut column);
        column = carries;
    }
    out
}

/// `base + by * number`, of the width of the base.
pub fn scaled(cnf: &mut Cnf, number: &[Lit], by: u64, base: &[Lit]) -> Bits {
    let width = base.len();
    let bit = |i: usize| number.get(i).copied().unwrap_or(Lit::FALSE);
    let number: Vec<Lit> = (0..width).map(bit).collect();
    let times = multiply(cnf, &number, &constant(by, width), width);
    add(cnf, base, &times, Lit::FALSE)
}

fn subtract(cnf: &mut Cnf, a: &[Lit], b: &[Lit]) -> Bits {
    let negated: Vec<Lit> = b.iter().map(|l| !*l).collect();
    add(cnf, a, &negated, Lit::TRUE)
}

/// The low `width` bits of the product.
fn multiply(cnf: &mut Cnf, a: &[Lit], b: &[Lit], width: usize) -> Bits {
    let constants = |v: &[Lit]| v.iter().filter(|l| l.var() == 1).count();
    let (a, b) = if constants(a) > constants(b) {
        (b, a)
    } else {
        (a, b)
    };
    let mut sum = constant(0, width);
    for (i, bit) in b.iter().enumerate().take(width) {
        if *bit == Lit::FALSE {
            continue;
        }
        let row: Vec<Lit> = (0..width)
            .map(|j| match j.checked_sub(i).and_then(|k| a.get(k)) {
                Some(x) => cnf.and(*x, *bit),
                None => Lit::FALSE,
            })
            .collect();
        sum = add(cnf, &sum, &row, Lit::FALSE);
    }
    sum
}

/// Quotient and remainder as the numbers `q`, `r` with `a = q * b + r` and `r < b`; by zero they
/// are all ones and `a`, as [`crate::ir::program::eval_binary`] says.
fn divide(cnf: &mut Cnf, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
    let n = a.len();
    let by_zero = !cnf.any(b);
    let q: Vec<Lit> = (0..n).map(|_| cnf.fresh()).collect();
    let r: Vec<Lit> = (0..n).map(|_| cnf.fresh()).collect();
    let wide = |v: &[Lit]| -> Vec<Lit> {
        (0..2 * n)
            .map(|i| v.get(i).copied().unwrap_or(Lit::FALSE))
            .collect()
    };
    let product = multiply(cnf, &wide(&q), &wide(b), 2 * n);
    let sum = add(cnf, &product, &wide(&r), Lit::FALSE);
    let exact = equal(cnf, &sum, &wide(a));
    let small = less(cnf, &r, b);
    cnf.clause(&[by_zero, exact]);
    cnf.clause(&[by_zero, small]);
    let q = q.iter().map(|l| cnf.or(by_zero, *l)).collect();
    let r = r
        .iter()
        .zip(a)
        .map(|(l, x)| cnf.ite(by_zero, *x, *l))
        .collect();
    (q, r)
}

fn divide_signed(cnf: &mut Cnf, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
    let (sign_a, sign_b) = (a[a.len() - 1], b[b.len() - 1]);
    let (abs_a, abs_b) = (negate_if(cnf, sign_a, a), negate_if(cnf, sign_b, b));
    let (q, r) = divide(cnf, &abs_a, &abs_b);
    let by_zero = !cnf.any(b);
    let sign = cnf.xor(sign_a, sign_b);
    // Division by zero gives all ones for the absolute values; the sign of the dividend then
    // gives 1 or all ones, as for the unsigned case.
    let q = negate_if(cnf, sign, &q);
    let r = negate_if(cnf, sign_a, &r);
    let r = r
        .iter()
        .zip(a)
        .map(|(l, x)| cnf.ite(by_zero, *x, *l))
        .collect();
    (q, r)
}

fn negate_if(cnf: &mut Cnf, cond: Lit, a: &[Lit]) -> Bits {
    let flipped: Vec<Lit> = a.iter().map(|l| cnf.xor(*l, cond)).collect();
    add(cnf, &flipped, &constant(0, a.len()), cond)
}

/// `a >> b` with `fill` from above; an amount of at least the width leaves nothing of `a`.
fn shift_right(cnf: &mut Cnf, a: &[Lit], b: &[Lit], fill: Lit) -> Bits {
    let n = a.len();
    let mut out = a.to_vec();
    let mut too_far = Vec::new();
    for (i, bit) in b.iter().enumerate() {
        match 1usize.checked_shl(i as u32).filter(|d| *d < n) {
            Some(distance) => {
                out = (0..n)
                    .map(|j| {
                        let from = out.get(j + distance).copied().unwrap_or(fill);
                        cnf.ite(*bit, from, out[j])
                    })
                    .collect();
            }
            None => too_far.push(*bit),
        }
    }
    let too_far = cnf.any(&too_far);
    out.iter().map(|l| cnf.ite(too_far, fill, *l)).collect()
}
