//! Terms as vectors of literals, lowest bit first.

use super::circuit::*;
use super::float;
use super::purpose;
use crate::unroll::event::EventId;
use crate::unroll::term::{Term, TermId, Terms, operands};
use ir::program::{BinOp, mask};
use rustc_hash::FxHashMap;
use smt::sat::cnf::{Cnf, Lit};

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
        if let Some(bits) = self.bits.get(&root) {
            return bits.clone();
        }
        let before_values = cnf.turn_to(purpose::VALUES);
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
        cnf.turn_to(before_values);
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
            Term::Float(function, a) => float::unary(cnf, function, &at(a)),
            Term::Convert(cast, a) => float::convert(cnf, cast, &at(a), width),
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
        BinOp::Ult | BinOp::PtrLt => [less(cnf, a, b)].into(),
        BinOp::Ule | BinOp::PtrLe => [!less(cnf, b, a)].into(),
        BinOp::Slt => [less_signed(cnf, a, b)].into(),
        BinOp::Sle => [!less_signed(cnf, b, a)].into(),
        BinOp::Fadd
        | BinOp::Fsub
        | BinOp::Fmul
        | BinOp::Fdiv
        | BinOp::Feq
        | BinOp::Flt
        | BinOp::Fle => float::binary(cnf, op, a, b),
    }
}
