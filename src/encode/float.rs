//! Floating-point operators as gates: IEEE 754 binary32 and binary64, rounded to nearest, ties to
//! even. What is not a number has the bits that [`ir::float`] gives it; nothing else is shared
//! with that.
//!
//! An operator takes its operands apart, computes a result that is exact but for a last bit that
//! stands for all that is behind it, and packs that. On the way a number is a *significand*, a word
//! of any length, and its *room*: the exponent of the highest bit of the significand, as it stands in
//! a word, less one. So many places the significand may be shifted up before the number is too small
//! for a leading bit; where the room is negative it is shifted down.

use super::circuit::{add, constant, equal, less, multiply, negate_if, subtract};
use ir::float::{NAN_32, NAN_64};
use ir::program::{BinOp, Cast, FloatFunction};
use smt::sat::cnf::{Cnf, Lit};
use std::rc::Rc;

type Word = Vec<Lit>;

/// How many bits of a word say what.
#[derive(Clone, Copy)]
struct Format {
    exponent: usize,
    fraction: usize,
}

impl Format {
    fn of(width: usize) -> Format {
        match width {
            32 => Format {
                exponent: 8,
                fraction: 23,
            },
            _ => Format {
                exponent: 11,
                fraction: 52,
            },
        }
    }

    /// Bits of a significand.
    fn precision(self) -> usize {
        self.fraction + 1
    }

    /// What the exponent 0 is written as.
    fn bias(self) -> u64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// Bits in which sums of exponents have a sign.
    fn room(self) -> usize {
        self.exponent + 3
    }

    fn nan(self) -> Word {
        let bits = match self.exponent {
            8 => NAN_32,
            _ => NAN_64,
        };
        constant(bits, self.fraction + self.exponent + 1).to_vec()
    }

    fn infinity(self, sign: Lit) -> Word {
        let mut word = vec![Lit::FALSE; self.fraction];
        word.extend(vec![Lit::TRUE; self.exponent]);
        word.push(sign);
        word
    }
}

/// An operand taken apart.
struct UnpackedFloat {
    sign: Lit,
    /// As in the word, but 1 where that has 0: there is no leading bit then.
    exponent: Word,
    significand: Word,
    nan: Lit,
    infinite: Lit,
    zero: Lit,
}

impl UnpackedFloat {
    fn of(cnf: &mut Cnf, word: &[Lit]) -> UnpackedFloat {
        let format = Format::of(word.len());
        let (fraction, rest) = word.split_at(format.fraction);
        let (exponent, sign) = rest.split_at(format.exponent);
        let (some, all, more) = (cnf.any(exponent), cnf.all(exponent), cnf.any(fraction));
        let mut significand = fraction.to_vec();
        significand.push(some);
        let mut exponent = exponent.to_vec();
        exponent[0] = cnf.or(exponent[0], !some);
        UnpackedFloat {
            sign: sign[0],
            exponent,
            significand,
            nan: cnf.and(all, more),
            infinite: cnf.and(all, !more),
            zero: cnf.and(!some, !more),
        }
    }

    /// The exponent and the significand with a leading bit, unless it is zero.
    fn normal(&self, cnf: &mut Cnf, width: usize) -> (Word, Word) {
        let (mut exponent, mut significand) =
            (wide(&self.exponent, width), self.significand.clone());
        let most = significand.len() - 1;
        shift_up(cnf, &mut exponent, &mut significand, most, false);
        (exponent, significand)
    }
}

/// An operator with two operands of one width.
pub fn binary(cnf: &mut Cnf, op: BinOp, a: &[Lit], b: &[Lit]) -> Rc<[Lit]> {
    match op {
        BinOp::Fadd => sum(cnf, a, b),
        BinOp::Fsub => {
            let mut negated = b.to_vec();
            negated[b.len() - 1] = !b[b.len() - 1];
            sum(cnf, a, &negated)
        }
        BinOp::Fmul => product(cnf, a, b),
        BinOp::Fdiv => quotient(cnf, a, b),
        comparison => vec![compare(cnf, comparison, a, b)],
    }
    .into()
}

/// A function of a number.
pub fn unary(cnf: &mut Cnf, function: FloatFunction, a: &[Lit]) -> Rc<[Lit]> {
    match function {
        FloatFunction::Sqrt => root(cnf, a),
        _ => integral(cnf, function, a),
    }
    .into()
}

/// A conversion from or to a floating-point number, to `width` bits.
pub fn convert(cnf: &mut Cnf, cast: Cast, a: &[Lit], width: usize) -> Rc<[Lit]> {
    match cast {
        Cast::ToSigned | Cast::ToUnsigned => to_integer(cnf, a, width),
        Cast::Float => to_format(cnf, a, width),
        Cast::FromSigned => from_integer(cnf, a, a[a.len() - 1], width),
        _ => from_integer(cnf, a, Lit::FALSE, width),
    }
    .into()
}

fn choose(cnf: &mut Cnf, cond: Lit, a: &[Lit], b: &[Lit]) -> Word {
    let both = a.iter().zip(b);
    both.map(|(x, y)| cnf.ite(cond, *x, *y)).collect()
}

/// With zeros above.
fn wide(a: &[Lit], width: usize) -> Word {
    let bit = |i: usize| a.get(i).copied().unwrap_or(Lit::FALSE);
    (0..width).map(bit).collect()
}

/// With zeros below.
fn deep(a: &[Lit], below: usize) -> Word {
    let mut word = vec![Lit::FALSE; below];
    word.extend(a);
    word
}

/// `a + by`, which may be negative, in the bits of `a`.
fn plus(cnf: &mut Cnf, a: &[Lit], by: i64) -> Word {
    let by: Word = (0..a.len())
        .map(|i| Lit::constant(by >> i.min(63) & 1 == 1))
        .collect();
    add(cnf, a, &by, Lit::FALSE).to_vec()
}

/// Shifts a significand up, by at most `most` places, until it has a leading bit; when that is
/// `limited`, only as far as there is room. The room becomes less by that.
fn shift_up(cnf: &mut Cnf, room: &mut Word, significand: &mut Word, most: usize, limited: bool) {
    let n = significand.len();
    let stages = usize::BITS - most.leading_zeros();
    for i in (0..stages as usize).rev() {
        let k = 1 << i;
        let leading = cnf.any(&significand[n - k..]);
        let enough = match limited {
            true => {
                let some = cnf.any(&room[i..room.len() - 1]);
                cnf.and(some, !room[room.len() - 1])
            }
            false => Lit::TRUE,
        };
        let shifts = cnf.and(!leading, enough);
        let shifted = deep(&significand[..n - k], k);
        *significand = choose(cnf, shifts, &shifted, significand);
        let minus_one = vec![shifts; room.len() - i];
        let left = add(cnf, &room[i..], &minus_one, Lit::FALSE);
        room.splice(i.., left.iter().copied());
    }
}

/// A word shifted down; a new lowest bit says whether anything was lost.
fn shift_down(cnf: &mut Cnf, word: &[Lit], amount: &[Lit]) -> Word {
    let n = word.len();
    let stages = ((usize::BITS - n.leading_zeros()) as usize).min(amount.len());
    let (mut word, mut lost) = (word.to_vec(), Lit::FALSE);
    for (i, shifts) in amount[..stages].iter().enumerate() {
        let k = (1 << i).min(n);
        let some = cnf.any(&word[..k]);
        let some = cnf.and(*shifts, some);
        lost = cnf.or(lost, some);
        let shifted = wide(&word[k..], n);
        word = choose(cnf, *shifts, &shifted, &word);
    }
    let far = cnf.any(&amount[stages..]);
    let some = cnf.any(&word);
    let some = cnf.and(far, some);
    lost = cnf.or(lost, some);
    let mut out = vec![lost];
    out.extend(word.iter().map(|bit| cnf.and(*bit, !far)));
    out
}

/// Shifts a significand down by what is missing of the room.
fn make_room(cnf: &mut Cnf, room: &[Lit], significand: &[Lit]) -> Word {
    let negative = room[room.len() - 1];
    let missing = negate_if(cnf, Lit::TRUE, room);
    let missing: Word = missing.iter().map(|bit| cnf.and(*bit, negative)).collect();
    shift_down(cnf, significand, &missing)
}

/// The word of a number: rounded, or infinite where it is too large.
fn pack(cnf: &mut Cnf, format: Format, sign: Lit, room: &[Lit], significand: &[Lit]) -> Word {
    let precision = format.precision();
    let significand = deep(
        significand,
        (precision + 2).saturating_sub(significand.len()),
    );
    let (rest, kept) = significand.split_at(significand.len() - precision);
    let (behind, half) = rest.split_at(rest.len() - 1);
    let behind = cnf.any(behind);
    let odd_or_more = cnf.or(behind, kept[0]);
    let up = cnf.and(half[0], odd_or_more);
    // The leading bit adds the one that is missing of the exponent; where it is missing there is no
    // room left, unless all is zero.
    let (below, negative) = room.split_at(room.len() - 1);
    let some = cnf.any(&significand);
    let counts = cnf.and(some, !negative[0]);
    let exponent: Word = below.iter().map(|bit| cnf.and(*bit, counts)).collect();
    let exponent = deep(&exponent, format.fraction);
    let kept = wide(kept, exponent.len());
    let rounded = add(cnf, &exponent, &kept, up);
    let exponent = &rounded[format.fraction..];
    let above = cnf.any(&exponent[format.exponent..]);
    let highest = cnf.all(&exponent[..format.exponent]);
    let overflows = cnf.or(above, highest);
    let mut word = rounded[..format.fraction + format.exponent].to_vec();
    word.push(sign);
    choose(cnf, overflows, &format.infinity(sign), &word)
}

/// A result, unless it is infinite or not a number.
fn or_special(
    cnf: &mut Cnf,
    format: Format,
    word: &[Lit],
    (infinite, sign): (Lit, Lit),
    nan: Lit,
) -> Word {
    let word = choose(cnf, infinite, &format.infinity(sign), word);
    choose(cnf, nan, &format.nan(), &word)
}

fn sum(cnf: &mut Cnf, a: &[Lit], b: &[Lit]) -> Word {
    let format = Format::of(a.len());
    let absolute = |w: &[Lit]| w[..w.len() - 1].to_vec();
    let swaps = less(cnf, &absolute(a), &absolute(b));
    let (large, small) = (choose(cnf, swaps, b, a), choose(cnf, swaps, a, b));
    let (large, small) = (
        UnpackedFloat::of(cnf, &large),
        UnpackedFloat::of(cnf, &small),
    );
    let distance = subtract(cnf, &large.exponent, &small.exponent);
    // Two more places, and one for what is behind them.
    let mut addend = shift_down(cnf, &deep(&small.significand, 2), &distance);
    let differ = cnf.xor(large.sign, small.sign);
    let width = format.precision() + 4;
    addend = wide(&addend, width);
    addend
        .iter_mut()
        .for_each(|bit| *bit = cnf.xor(*bit, differ));
    let largest = wide(&deep(&large.significand, 3), width);
    let mut total = add(cnf, &largest, &addend, differ).to_vec();
    let zero = !cnf.any(&total);
    let both = cnf.and(large.sign, small.sign);
    let sign = cnf.ite(zero, both, large.sign);
    let mut room = wide(&large.exponent, format.room());
    shift_up(cnf, &mut room, &mut total, width - 1, true);
    let word = pack(cnf, format, sign, &room, &total);
    let opposite = cnf.all(&[large.infinite, small.infinite, differ]);
    let nan = cnf.any(&[large.nan, small.nan, opposite]);
    or_special(cnf, format, &word, (large.infinite, large.sign), nan)
}

fn product(cnf: &mut Cnf, a: &[Lit], b: &[Lit]) -> Word {
    let format = Format::of(a.len());
    let (a, b) = (UnpackedFloat::of(cnf, a), UnpackedFloat::of(cnf, b));
    let sign = cnf.xor(a.sign, b.sign);
    let width = 2 * format.precision();
    let mut total = multiply(cnf, &a.significand, &b.significand, width).to_vec();
    let x = wide(&a.exponent, format.room());
    let y = wide(&b.exponent, format.room());
    let room = add(cnf, &x, &y, Lit::FALSE);
    let mut room = plus(cnf, &room, -(format.bias() as i64));
    shift_up(cnf, &mut room, &mut total, width - 1, true);
    let total = make_room(cnf, &room, &total);
    let word = pack(cnf, format, sign, &room, &total);
    let infinite = cnf.or(a.infinite, b.infinite);
    let (left, right) = (cnf.and(a.infinite, b.zero), cnf.and(a.zero, b.infinite));
    let nan = cnf.any(&[a.nan, b.nan, left, right]);
    or_special(cnf, format, &word, (infinite, sign), nan)
}

fn quotient(cnf: &mut Cnf, a: &[Lit], b: &[Lit]) -> Word {
    let format = Format::of(a.len());
    let (a, b) = (UnpackedFloat::of(cnf, a), UnpackedFloat::of(cnf, b));
    let sign = cnf.xor(a.sign, b.sign);
    let (x, dividend) = a.normal(cnf, format.room());
    let (y, divisor) = b.normal(cnf, format.room());
    // One digit more than is kept before the one that is rounded; the highest or the next is one.
    let (digits, rest) = digits_of_quotient(cnf, &dividend, &divisor, format.precision() + 2);
    let mut total = vec![rest];
    total.extend(digits);
    let room = subtract(cnf, &x, &y);
    let mut room = plus(cnf, &room, format.bias() as i64 - 1);
    shift_up(cnf, &mut room, &mut total, 1, true);
    let total = make_room(cnf, &room, &total);
    let word = pack(cnf, format, sign, &room, &total);
    let word = choose(cnf, b.infinite, &zero(format, sign), &word);
    let infinite = cnf.or(a.infinite, b.zero);
    let zeros = cnf.and(a.zero, b.zero);
    let infinities = cnf.and(a.infinite, b.infinite);
    let nan = cnf.any(&[a.nan, b.nan, zeros, infinities]);
    or_special(cnf, format, &word, (infinite, sign), nan)
}

fn zero(format: Format, sign: Lit) -> Word {
    let mut word = vec![Lit::FALSE; format.exponent + format.fraction];
    word.push(sign);
    word
}

/// `n` digits of `a / b`, the first of them before the point, and whether something is left. Both
/// have a leading bit.
fn digits_of_quotient(cnf: &mut Cnf, a: &[Lit], b: &[Lit], n: usize) -> (Word, Lit) {
    let width = a.len() + 1;
    let (mut rest, divisor) = (wide(a, width), wide(b, width));
    let mut digits = Vec::new();
    for _ in 0..n {
        let fits = !less(cnf, &rest, &divisor);
        let less = subtract(cnf, &rest, &divisor);
        rest = choose(cnf, fits, &less, &rest);
        digits.push(fits);
        rest = wide(&deep(&rest, 1), width);
    }
    digits.reverse();
    (digits, cnf.any(&rest))
}

fn root(cnf: &mut Cnf, a: &[Lit]) -> Word {
    let format = Format::of(a.len());
    let a = UnpackedFloat::of(cnf, a);
    let (exponent, significand) = a.normal(cnf, format.room());
    // The exponent is made even; as the bias is odd that is where it is written as an even number.
    let odd = !exponent[0];
    let twice = deep(&significand, 1);
    let radicand = choose(cnf, odd, &twice, &wide(&significand, twice.len()));
    let n = format.precision() + 1;
    let radicand = deep(&radicand, 2 * n - radicand.len());
    let (mut rest, mut digits): (Word, Word) = (vec![Lit::FALSE; n + 2], Vec::new());
    for pair in (0..n).rev() {
        let next = [radicand[2 * pair], radicand[2 * pair + 1]];
        rest = next.into_iter().chain(rest).take(n + 2).collect::<Vec<_>>();
        // Four times the root so far, and one.
        let mut trial = vec![Lit::TRUE, Lit::FALSE];
        trial.extend(digits.iter().rev());
        let trial = wide(&trial, n + 2);
        let fits = !less(cnf, &rest, &trial);
        let left = subtract(cnf, &rest, &trial);
        rest = choose(cnf, fits, &left, &rest);
        digits.push(fits);
    }
    let mut total = vec![cnf.any(&rest)];
    total.extend(digits.iter().rev());
    // Half of the exponent, and the bias that half of it has lost.
    let both = plus(cnf, &exponent, format.bias() as i64);
    let even = vec![odd; both.len()];
    let both = add(cnf, &both, &even, Lit::FALSE);
    let mut half = both[1..].to_vec();
    half.push(both[both.len() - 1]);
    let room = plus(cnf, &half, -1);
    let word = pack(cnf, format, Lit::FALSE, &room, &total);
    let word = choose(cnf, a.zero, &zero(format, a.sign), &word);
    let negative = cnf.and(a.sign, !a.zero);
    let nan = cnf.or(a.nan, negative);
    or_special(cnf, format, &word, (a.infinite, Lit::FALSE), nan)
}

fn integral(cnf: &mut Cnf, function: FloatFunction, word: &[Lit]) -> Word {
    let format = Format::of(word.len());
    let a = UnpackedFloat::of(cnf, word);
    let whole = (format.bias() + format.fraction as u64) as i64;
    let exponent = wide(&a.exponent, format.room());
    let room = plus(cnf, &exponent, -whole);
    let is_whole = !room[room.len() - 1];
    let parts = make_room(cnf, &room, &deep(&a.significand, 1));
    let (behind, half, integer) = (parts[0], parts[1], &parts[2..]);
    let some = cnf.or(behind, half);
    let up = match function {
        FloatFunction::Floor => cnf.and(a.sign, some),
        FloatFunction::Ceil => cnf.and(!a.sign, some),
        FloatFunction::Round => half,
        FloatFunction::RoundEven => {
            let odd_or_more = cnf.or(behind, integer[0]);
            cnf.and(half, odd_or_more)
        }
        FloatFunction::Trunc | FloatFunction::Sqrt => Lit::FALSE,
    };
    let width = integer.len() + 1;
    let none = constant(0, width);
    let mut integer = add(cnf, &wide(integer, width), &none, up).to_vec();
    let mut room = plus(cnf, &constant(0, format.room()), whole);
    shift_up(cnf, &mut room, &mut integer, width - 1, true);
    let rounded = pack(cnf, format, a.sign, &room, &integer);
    let result = choose(cnf, is_whole, word, &rounded);
    choose(cnf, a.nan, &format.nan(), &result)
}

fn compare(cnf: &mut Cnf, op: BinOp, a: &[Lit], b: &[Lit]) -> Lit {
    let (x, y) = (UnpackedFloat::of(cnf, a), UnpackedFloat::of(cnf, b));
    let same = equal(cnf, a, b);
    let zeros = cnf.and(x.zero, y.zero);
    let is_equal = cnf.or(same, zeros);
    let (left, right) = (&a[..a.len() - 1], &b[..b.len() - 1]);
    let above = less(cnf, left, right);
    let below = less(cnf, right, left);
    let absolute = cnf.ite(x.sign, below, above);
    let differ = cnf.xor(x.sign, y.sign);
    let ordered = cnf.ite(differ, x.sign, absolute);
    let is_less = cnf.and(ordered, !zeros);
    let holds = match op {
        BinOp::Feq => is_equal,
        BinOp::Flt => is_less,
        _ => cnf.or(is_less, is_equal),
    };
    cnf.all(&[holds, !x.nan, !y.nan])
}

fn from_integer(cnf: &mut Cnf, a: &[Lit], sign: Lit, width: usize) -> Word {
    let format = Format::of(width);
    let mut absolute = negate_if(cnf, sign, a).to_vec();
    let highest = format.bias() as i64 + a.len() as i64 - 1;
    let mut room = plus(cnf, &constant(0, format.room()), highest - 1);
    shift_up(cnf, &mut room, &mut absolute, a.len() - 1, true);
    pack(cnf, format, sign, &room, &absolute)
}

/// Without the fraction; anything where the number is too large.
fn to_integer(cnf: &mut Cnf, a: &[Lit], width: usize) -> Word {
    let format = Format::of(a.len());
    let a = UnpackedFloat::of(cnf, a);
    let exponent = wide(&a.exponent, format.room());
    let places = plus(cnf, &exponent, -(format.bias() as i64));
    let is_fraction = places[places.len() - 1];
    let mut shifted = wide(&a.significand, width + format.fraction);
    for (i, shifts) in places
        .iter()
        .enumerate()
        .take_while(|(i, _)| 1 << i < width)
    {
        let n = shifted.len();
        let further = deep(&shifted[..n - (1 << i)], 1 << i);
        shifted = choose(cnf, *shifts, &further, &shifted);
    }
    let integer = shifted[format.fraction..].iter();
    let integer: Word = integer.map(|bit| cnf.and(*bit, !is_fraction)).collect();
    negate_if(cnf, a.sign, &integer).to_vec()
}

fn to_format(cnf: &mut Cnf, a: &[Lit], width: usize) -> Word {
    let (from, format) = (Format::of(a.len()), Format::of(width));
    let a = UnpackedFloat::of(cnf, a);
    let exponent = wide(&a.exponent, from.room().max(format.room()));
    let moved = format.bias() as i64 - from.bias() as i64;
    let mut room = plus(cnf, &exponent, moved - 1);
    let mut significand = a.significand.clone();
    shift_up(cnf, &mut room, &mut significand, from.fraction, true);
    let significand = make_room(cnf, &room, &significand);
    let word = pack(cnf, format, a.sign, &room, &significand);
    or_special(cnf, format, &word, (a.infinite, a.sign), a.nan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::program::{UnOp, eval_binary, eval_cast, eval_unary};

    /// Numbers that are special, near such, or half way between two.
    fn samples(width: u8) -> Vec<u64> {
        let (exponent, fraction) = if width == 32 { (8, 23) } else { (11, 52) };
        let top = (1u64 << exponent) - 1;
        let bias = top / 2;
        let ones = (1u64 << fraction) - 1;
        let exponents = [
            0,
            1,
            2,
            bias - fraction,
            bias - 1,
            bias,
            bias + 1,
            bias + fraction - 1,
            bias + fraction,
            bias + fraction + 1,
            bias + 31,
            bias + 63,
            top - 1,
            top,
        ];
        let fractions = [0, 1, 2, 3, ones / 2, ones / 2 + 1, ones - 1, ones];
        let mut state = 88_172_645_463_325_252u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut out = Vec::new();
        for e in exponents {
            for f in fractions.into_iter().chain([random() & ones]) {
                out.extend([0, 1].map(|sign| (sign << exponent | e) << fraction | f));
            }
        }
        out.extend((0..40).map(|_| random() & mask_of(width)));
        out
    }

    fn mask_of(width: u8) -> u64 {
        ir::program::mask(width)
    }

    fn number(bits: &[Lit]) -> u64 {
        let bits = bits.iter().enumerate();
        bits.fold(0, |n, (i, bit)| {
            assert_eq!(bit.var(), 1, "gates of constants are constants");
            n | u64::from(*bit == Lit::TRUE) << i
        })
    }

    #[test]
    fn gates_compute_what_the_machine_does() {
        let mut cnf = Cnf::new();
        for width in [32u8, 64] {
            let word = |n: u64| constant(n, usize::from(width));
            let samples = samples(width);
            let operators = [
                BinOp::Fadd,
                BinOp::Fsub,
                BinOp::Fmul,
                BinOp::Fdiv,
                BinOp::Feq,
                BinOp::Flt,
                BinOp::Fle,
            ];
            for (i, a) in samples.iter().enumerate() {
                // Each with some of the others.
                for b in samples.iter().skip(i % 5).step_by(5) {
                    for op in operators {
                        let result = number(&binary(&mut cnf, op, &word(*a), &word(*b)));
                        let expected = eval_binary(op, *a, *b, width);
                        assert_eq!(result, expected, "{op:?} {a:#x} {b:#x}");
                    }
                }
                let functions = [
                    FloatFunction::Sqrt,
                    FloatFunction::Floor,
                    FloatFunction::Ceil,
                    FloatFunction::Trunc,
                    FloatFunction::Round,
                    FloatFunction::RoundEven,
                ];
                for f in functions {
                    let result = number(&unary(&mut cnf, f, &word(*a)));
                    let expected = eval_unary(UnOp::Float(f), *a, width);
                    assert_eq!(result, expected, "{f:?} {a:#x}");
                }
                let other = 96 - width;
                let result = number(&convert(&mut cnf, Cast::Float, &word(*a), other.into()));
                let expected = eval_cast(Cast::Float, *a, width, other);
                assert_eq!(result, expected, "to {other} bits {a:#x}");
                integers(&mut cnf, *a, width);
            }
        }
    }

    fn integers(cnf: &mut Cnf, a: u64, width: u8) {
        let value = ir::float::value(a, width).trunc();
        for bits in [8u8, 16, 32, 64] {
            let half = 2f64.powi(i32::from(bits) - 1);
            let word = constant(a, usize::from(width));
            if (-half..half).contains(&value) {
                let result = number(&convert(cnf, Cast::ToSigned, &word, bits.into()));
                let expected = eval_cast(Cast::ToSigned, a, width, bits);
                assert_eq!(result, expected, "to signed {bits} {a:#x}");
            }
            if (0.0..2.0 * half).contains(&value) {
                let result = number(&convert(cnf, Cast::ToUnsigned, &word, bits.into()));
                let expected = eval_cast(Cast::ToUnsigned, a, width, bits);
                assert_eq!(result, expected, "to unsigned {bits} {a:#x}");
            }
            let a = a & mask_of(bits);
            for cast in [Cast::FromSigned, Cast::FromUnsigned] {
                let word = constant(a, usize::from(bits));
                let result = number(&convert(cnf, cast, &word, width.into()));
                let expected = eval_cast(cast, a, bits, width);
                assert_eq!(result, expected, "{cast:?} of {bits} bits {a:#x}");
            }
        }
    }
}
