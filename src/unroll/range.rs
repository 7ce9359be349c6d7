//! Sets of numbers as far as they are known: some numbers, or an interval with a stride and with
//! the bits that some number in it has (a word in which a counter and an index are packed has gaps
//! between the two).
//!
//! The operators are those of terms on unsigned numbers of a width; each answers a set that
//! contains every result. Where nothing better is at hand that is every number.

use ir::program::{BinOp, Width, eval_binary, mask, sign_extend};
use num::integer::gcd;
use std::collections::BTreeSet;

/// The most numbers that are listed.
const MAX_LISTED: usize = 160;

/// The most pairs of numbers that an operator is applied to one by one.
const MAX_PAIRS: usize = 1024;

/// A set of numbers of one width.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Range {
    /// These, ascending; none at all where nothing is.
    Listed(Vec<u64>),
    /// `low`, `low + step`, … up to `high`, which is one of them.
    Span {
        /// The smallest.
        low: u64,
        /// The largest.
        high: u64,
        /// At least 1.
        step: u64,
        /// Bits that are zero here are zero in all of them.
        ones: u64,
    },
}

impl Range {
    /// No number.
    pub const NONE: Range = Range::Listed(Vec::new());

    /// One number.
    pub fn only(value: u64) -> Range {
        Range::Listed(vec![value])
    }

    /// Every number of a width.
    pub fn all(width: Width) -> Range {
        Range::between(0, mask(width), 1)
    }

    fn between(low: u64, high: u64, step: u64) -> Range {
        match (high - low) / step {
            more if more < MAX_LISTED as u64 => {
                Range::Listed((0..=more).map(|i| low + i * step).collect())
            }
            _ => Range::span(low, high, step),
        }
    }

    fn span(low: u64, high: u64, step: u64) -> Range {
        let below = (low | step).trailing_zeros().min(63);
        let ones = (low | spread(low ^ high)) & !((1 << below) - 1);
        Range::Span {
            low,
            high,
            step,
            ones,
        }
    }

    /// Those that have no other bits than these.
    fn of_bits(self, bits: u64) -> Range {
        match self {
            Range::Listed(values) => some_of(&values, |v| v & !bits == 0),
            Range::Span {
                low,
                high,
                step,
                ones,
            } => {
                let (ones, most) = (ones & bits, high.min(spread(ones & bits)));
                if most < low {
                    return Range::NONE;
                }
                let high = most - (most - low) % step;
                Range::Span {
                    low,
                    high,
                    step,
                    ones,
                }
            }
        }
    }

    /// Bits that some number may have.
    fn ones(&self) -> u64 {
        match self {
            Range::Listed(values) => values.iter().fold(0, |ones, v| ones | v),
            Range::Span { ones, .. } => *ones,
        }
    }

    fn listed(values: BTreeSet<u64>) -> Range {
        let many = values.len() > MAX_LISTED;
        let all = Range::Listed(values.into_iter().collect());
        match all.ends() {
            Some((low, high)) if many => Range::span(low, high, all.step()).of_bits(all.ones()),
            _ => all,
        }
    }

    /// True when it has no number.
    pub fn is_none(&self) -> bool {
        *self == Range::NONE
    }

    /// The only number, when there is one.
    pub fn single(&self) -> Option<u64> {
        match self {
            Range::Listed(values) if values.len() == 1 => Some(values[0]),
            _ => None,
        }
    }

    /// The smallest and the largest number.
    pub fn ends(&self) -> Option<(u64, u64)> {
        match self {
            Range::Listed(values) => Some((*values.first()?, *values.last()?)),
            Range::Span { low, high, .. } => Some((*low, *high)),
        }
    }

    /// The numbers, when there are at most `limit`.
    pub fn members(&self, limit: usize) -> Option<Vec<u64>> {
        match self {
            Range::Listed(values) => (values.len() <= limit).then(|| values.clone()),
            Range::Span {
                low, high, step, ..
            } => {
                let few = (high - low) / step < limit as u64;
                let all = (*low..=*high).step_by(*step as usize);
                few.then(|| all.filter(|v| self.may_be(*v)).collect())
            }
        }
    }

    fn step(&self) -> u64 {
        match self {
            Range::Listed(values) => values.iter().fold(0, |step, v| gcd(step, v - values[0])),
            Range::Span { step, .. } => *step,
        }
    }

    /// Both together.
    pub fn join(&self, other: &Range) -> Range {
        if let (Range::Listed(a), Range::Listed(b)) = (self, other) {
            return Range::listed(a.iter().chain(b).copied().collect());
        }
        let (Some((a, b)), Some((c, d))) = (self.ends(), other.ends()) else {
            return if self.is_none() { other } else { self }.clone();
        };
        let (low, high) = (a.min(c), b.max(d));
        let step = gcd(gcd(self.step(), other.step()), a.abs_diff(c)).max(1);
        Range::between(low, high, step).of_bits(self.ones() | other.ones())
    }

    /// At least what is in both.
    pub fn meet(&self, other: &Range) -> Range {
        let (Some((a, b)), Some((c, d))) = (self.ends(), other.ends()) else {
            return Range::NONE;
        };
        match (self, other) {
            (Range::Listed(values), _) => some_of(values, |v| other.may_be(v)),
            (_, Range::Listed(_)) => other.meet(self),
            _ => self.clip(a.max(c), b.min(d)).of_bits(other.ones()),
        }
    }

    /// Those from `low` to `high`.
    pub fn clip(&self, from: u64, to: u64) -> Range {
        match self {
            Range::Listed(values) => some_of(values, |v| (from..=to).contains(&v)),
            Range::Span {
                low,
                high,
                step,
                ones,
            } => {
                let steps = from.saturating_sub(*low).div_ceil(*step);
                let first = steps.checked_mul(*step).and_then(|d| low.checked_add(d));
                match (first, to.min(*high)) {
                    (Some(first), last) if first <= last => {
                        let last = last - (last - first) % step;
                        Range::between(first, last, *step).of_bits(*ones)
                    }
                    _ => Range::NONE,
                }
            }
        }
    }

    /// All but one number, as far as that can be said.
    pub fn without(&self, value: u64) -> Range {
        match self {
            Range::Listed(values) => some_of(values, |v| v != value),
            Range::Span { low, .. } if *low == value => self.clip(low + 1, u64::MAX),
            Range::Span { high, .. } if *high == value => self.clip(0, high - 1),
            Range::Span { .. } => self.clone(),
        }
    }

    fn may_be(&self, value: u64) -> bool {
        match self {
            Range::Listed(values) => values.binary_search(&value).is_ok(),
            Range::Span {
                low,
                high,
                step,
                ones,
            } => {
                let inside = (*low..=*high).contains(&value) && value & !ones == 0;
                inside && (value - low).is_multiple_of(*step)
            }
        }
    }

    /// The bits that all numbers share: which ones, and what they are.
    pub fn known_bits(&self, width: Width) -> (u64, u64) {
        match self {
            Range::Listed(values) => {
                let ones = values.iter().fold(mask(width), |ones, v| ones & v);
                let zeros = values.iter().fold(mask(width), |zeros, v| zeros & !v);
                (ones | zeros, ones)
            }
            Range::Span {
                low,
                high,
                step,
                ones,
            } => {
                let below = (1u64 << step.trailing_zeros().min(63)) - 1;
                let known = (!spread(low ^ high) | below | !ones) & mask(width);
                (known, low & ones & known)
            }
        }
    }

    /// Bitwise complement.
    pub fn not(&self, width: Width) -> Range {
        let top = mask(width);
        match self {
            Range::Listed(values) => each(values, |v| !v & top),
            Range::Span {
                low, high, step, ..
            } => Range::between(!high & top, !low & top, *step),
        }
    }

    /// More bits, copies of the sign.
    pub fn sign_extend(&self, from: Width, to: Width) -> Range {
        match self {
            Range::Listed(values) => each(values, |v| sign_extend(v, from) as u64 & mask(to)),
            Range::Span { high, .. } if *high <= mask(from) / 2 => self.clone(),
            Range::Span { .. } => Range::all(to),
        }
    }

    /// Fewer bits.
    pub fn truncate(&self, to: Width) -> Range {
        match self {
            Range::Listed(values) => each(values, |v| v & mask(to)),
            Range::Span { high, .. } if *high <= mask(to) => self.clone(),
            Range::Span { ones, .. } => Range::all(to).of_bits(*ones),
        }
    }

    /// A function of one number, with results of a width, that keeps no order.
    pub fn map(&self, width: Width, f: impl Fn(u64) -> u64) -> Range {
        match self {
            Range::Listed(values) => each(values, f),
            Range::Span { .. } => Range::all(width),
        }
    }

    /// A binary operator on numbers of a width.
    pub fn binary(op: BinOp, a: &Range, b: &Range, width: Width) -> Range {
        let result = if op.is_comparison() { 1 } else { width };
        if let (Range::Listed(x), Range::Listed(y)) = (a, b)
            && x.len() * y.len() <= MAX_PAIRS
        {
            let pairs = x.iter().flat_map(|x| y.iter().map(move |y| (*x, *y)));
            let values = pairs.map(|(x, y)| eval_binary(op, x, y, width) & mask(result));
            return Range::listed(values.collect());
        }
        let (Some((al, ah)), Some((bl, bh))) = (a.ends(), b.ends()) else {
            return Range::NONE;
        };
        let step = gcd(a.step(), b.step()).max(1);
        let top = mask(width);
        let sum = |x: u64, y: u64| (u128::from(x) + u128::from(y)) > u128::from(top);
        match op {
            // Either no sum is too large, or all are and lose the same.
            BinOp::Add if sum(al, bl) == sum(ah, bh) => {
                Range::between(al.wrapping_add(bl) & top, ah.wrapping_add(bh) & top, step)
            }
            BinOp::Sub if al >= bh => Range::between(al - bh, ah - bl, step),
            BinOp::Mul => match (ah.checked_mul(bh), b.single()) {
                (Some(high), Some(k)) if high <= top && k > 0 => {
                    Range::between(al * k, high, a.step().max(1) * k)
                }
                (Some(high), None) if high <= top => Range::between(al * bl, high, 1),
                _ => Range::all(width),
            },
            BinOp::Udiv if bl > 0 => Range::between(al / bh, ah / bl, 1),
            BinOp::Urem if bl > 0 && ah < bl => a.clone(),
            BinOp::Urem if bl > 0 => Range::between(0, ah.min(bh - 1), 1),
            BinOp::And => Range::between(0, ah.min(bh), 1).of_bits(a.ones() & b.ones()),
            // Numbers without a common bit: nothing is carried.
            BinOp::Or | BinOp::Xor if a.ones() & b.ones() == 0 => {
                let (low, high) = (al.saturating_add(bl), ah.saturating_add(bh).min(top));
                Range::between(low.min(high), high, step).of_bits(a.ones() | b.ones())
            }
            BinOp::Or | BinOp::Xor => Range::all(width).of_bits(a.ones() | b.ones()),
            BinOp::Lshr => match b.single() {
                Some(k) if k < u64::from(width) => {
                    Range::between(al >> k, ah >> k, 1).of_bits(a.ones() >> k)
                }
                _ => Range::all(width),
            },
            BinOp::Shl => match b.single() {
                Some(k) if k < u64::from(width) => Range::all(width).of_bits(a.ones() << k),
                _ => Range::all(width),
            },
            BinOp::Eq if ah < bl || bh < al => Range::only(0),
            BinOp::Eq if a.meet(b).is_none() => Range::only(0),
            BinOp::Ne if ah < bl || bh < al => Range::only(1),
            BinOp::Ult => ordered(al, ah, bl, bh),
            BinOp::Slt => {
                let sign = top / 2 + 1;
                // Numbers of one sign each are ordered as they are, or by the sign alone.
                let side = |low: u64, high: u64| (low < sign) == (high < sign);
                if side(al, ah) && side(bl, bh) {
                    ordered(al ^ sign, ah ^ sign, bl ^ sign, bh ^ sign)
                } else {
                    Range::all(1)
                }
            }
            _ => Range::all(result),
        }
    }
}

/// Those of some numbers listed that `keep` is true of.
fn some_of(values: &[u64], keep: impl Fn(u64) -> bool) -> Range {
    Range::Listed(values.iter().copied().filter(|v| keep(*v)).collect())
}

/// What a function of one number answers for the numbers listed.
fn each(values: &[u64], f: impl Fn(u64) -> u64) -> Range {
    Range::listed(values.iter().map(|v| f(*v)).collect())
}

/// Whether numbers of one interval are less than those of another one.
fn ordered(al: u64, ah: u64, bl: u64, bh: u64) -> Range {
    if ah < bl {
        Range::only(1)
    } else if al >= bh {
        Range::only(0)
    } else {
        Range::all(1)
    }
}

/// All bits up to the highest one of a number.
fn spread(bits: u64) -> u64 {
    u64::MAX.checked_shr(bits.leading_zeros()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATORS: [BinOp; 18] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Udiv,
        BinOp::Urem,
        BinOp::Sdiv,
        BinOp::Srem,
        BinOp::And,
        BinOp::Or,
        BinOp::Xor,
        BinOp::Shl,
        BinOp::Lshr,
        BinOp::Ashr,
        BinOp::Eq,
        BinOp::Ne,
        BinOp::Ult,
        BinOp::Ule,
        BinOp::Slt,
    ];

    fn members(r: &Range, width: Width) -> Vec<u64> {
        (0..=mask(width)).filter(|v| r.may_be(*v)).collect()
    }

    /// Spans and lists of 8-bit numbers, at the edges of the signs above all.
    fn samples() -> Vec<Range> {
        let edges = [0, 1, 3, 100, 127, 128, 130, 250, 255];
        let mut out = vec![Range::NONE, Range::Listed(vec![0, 7, 200])];
        for low in edges {
            for high in edges.into_iter().filter(|h| *h >= low) {
                for step in [1, 2, 5] {
                    let high = high - (high - low) % step;
                    let span = Range::span(low, high, step);
                    out.push(span.clone().of_bits(0b1110_0111));
                    out.push(span);
                }
            }
        }
        out
    }

    #[test]
    fn operators_answer_at_least_every_result() {
        for a in samples() {
            let inside = members(&a, 8);
            let (known, bits) = a.known_bits(8);
            assert!(inside.iter().all(|v| v & known == bits));
            assert!(inside.iter().all(|v| a.not(8).may_be(!v & 0xff)));
            assert!(inside.iter().all(|v| a.truncate(4).may_be(v & 15)));
            let wide = a.sign_extend(8, 16);
            assert!(
                inside
                    .iter()
                    .all(|v| wide.may_be(sign_extend(*v, 8) as u64 & 0xffff))
            );
            assert!(
                inside
                    .iter()
                    .all(|v| *v == 100 || a.without(100).may_be(*v))
            );
            for b in samples() {
                let others = members(&b, 8);
                let (joined, met) = (a.join(&b), a.meet(&b));
                assert!(inside.iter().chain(&others).all(|v| joined.may_be(*v)));
                assert!(inside.iter().all(|v| !b.may_be(*v) || met.may_be(*v)));
                if inside.len() * others.len() > 4000 {
                    continue;
                }
                for op in OPERATORS {
                    let out = Range::binary(op, &a, &b, 8);
                    for (x, y) in inside
                        .iter()
                        .flat_map(|x| others.iter().map(move |y| (x, y)))
                    {
                        let v = eval_binary(op, *x, *y, 8);
                        assert!(out.may_be(v), "{a:?} {op:?} {b:?}: {v} is not in {out:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_that_wrap_stay_exact() {
        let counts = Range::between(1, 60, 1);
        let less = Range::binary(BinOp::Add, &counts, &Range::only(mask(32)), 32);
        assert_eq!(less.ends(), Some((0, 59)));
    }

    #[test]
    fn packed_words_keep_their_fields_apart() {
        let counts = Range::between(0, 1000, 1);
        let high = Range::binary(BinOp::Shl, &counts, &Range::only(32), 64);
        let word = Range::binary(BinOp::Or, &high, &Range::between(0, 9, 1), 64);
        assert_eq!(word.truncate(32).ends(), Some((0, 15)));
        let count = Range::binary(BinOp::Lshr, &word, &Range::only(32), 64);
        assert_eq!(count.ends(), Some((0, 1023)));
    }
}
