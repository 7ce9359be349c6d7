//! Words of literals, lowest bit first, and the arithmetic on them as gates.

use smt::sat::cnf::{Cnf, Lit};
use std::rc::Rc;

/// Bits of a word.
pub type Bits = Rc<[Lit]>;

/// Bits beyond the 64th, of the product that a division multiplies out, are zero.
pub fn constant(value: u64, width: usize) -> Bits {
    (0..width)
        .map(|i| Lit::constant(i < 64 && value >> i & 1 == 1))
        .collect()
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

/// `a < b` on signed numbers.
pub fn less_signed(cnf: &mut Cnf, a: &[Lit], b: &[Lit]) -> Lit {
    let flip = |v: &[Lit]| -> Vec<Lit> {
        let mut v = v.to_vec();
        if let Some(sign) = v.last_mut() {
            *sign = !*sign;
        }
        v
    };
    less(cnf, &flip(a), &flip(b))
}

/// `a + b`, and one more with a `carry`, in the width of the operands.
pub fn add(cnf: &mut Cnf, a: &[Lit], b: &[Lit], carry: Lit) -> Bits {
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

/// `a - b`
pub fn subtract(cnf: &mut Cnf, a: &[Lit], b: &[Lit]) -> Bits {
    let negated: Vec<Lit> = b.iter().map(|l| !*l).collect();
    add(cnf, a, &negated, Lit::TRUE)
}

/// The low `width` bits of the product.
pub fn multiply(cnf: &mut Cnf, a: &[Lit], b: &[Lit], width: usize) -> Bits {
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
/// are all ones and `a`, as [`ir::program::eval_binary`] says.
pub fn divide(cnf: &mut Cnf, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
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

/// Quotient and remainder of signed numbers; by zero as [`ir::program::eval_binary`] says.
pub fn divide_signed(cnf: &mut Cnf, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
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

/// `cond ? -a : a`
pub fn negate_if(cnf: &mut Cnf, cond: Lit, a: &[Lit]) -> Bits {
    let flipped: Vec<Lit> = a.iter().map(|l| cnf.xor(*l, cond)).collect();
    add(cnf, &flipped, &constant(0, a.len()), cond)
}

/// `a >> b` with `fill` from above; an amount of at least the width leaves nothing of `a`.
pub fn shift_right(cnf: &mut Cnf, a: &[Lit], b: &[Lit], fill: Lit) -> Bits {
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
