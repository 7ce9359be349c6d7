//! Floating-point numbers as bits: IEEE 754 binary32 and binary64, rounded to nearest, ties to even,
//! as C's `float` and `double` are where `FLT_EVAL_METHOD` is 0.
//!
//! The machine's own numbers do the work. What is not a number has one pattern of bits here when an
//! operator yields it; the front end for C makes it any that a machine has.

use super::operator::{BinOp, Cast, FloatFunction, Width, sign_extend};

/// Not a number, in 32 bits.
pub const NAN_32: u64 = 0x7fc0_0000;
/// Not a number, in 64 bits.
pub const NAN_64: u64 = 0x7ff8_0000_0000_0000;

fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn double(bits: u64) -> f64 {
    f64::from_bits(bits)
}

fn of_single(value: f32) -> u64 {
    match value.is_nan() {
        true => NAN_32,
        false => u64::from(value.to_bits()),
    }
}

fn of_double(value: f64) -> u64 {
    match value.is_nan() {
        true => NAN_64,
        false => value.to_bits(),
    }
}

/// A number of 32 or 64 bits; none of another width is.
pub fn value(bits: u64, width: Width) -> f64 {
    match width {
        32 => f64::from(single(bits)),
        _ => double(bits),
    }
}

/// An operator on floating-point numbers.
pub(super) fn binary(op: BinOp, a: u64, b: u64, width: Width) -> u64 {
    if op.is_comparison() {
        // Every number of 32 bits is one of 64 bits.
        let (a, b) = (value(a, width), value(b, width));
        return u64::from(match op {
            BinOp::Feq => a == b,
            BinOp::Flt => a < b,
            _ => a <= b,
        });
    }
    if width == 32 {
        let (a, b) = (single(a), single(b));
        return of_single(match op {
            BinOp::Fadd => a + b,
            BinOp::Fsub => a - b,
            BinOp::Fmul => a * b,
            _ => a / b,
        });
    }
    let (a, b) = (double(a), double(b));
    of_double(match op {
        BinOp::Fadd => a + b,
        BinOp::Fsub => a - b,
        BinOp::Fmul => a * b,
        _ => a / b,
    })
}

/// A function of a floating-point number.
pub(super) fn unary(function: FloatFunction, a: u64, width: Width) -> u64 {
    if width == 32 {
        let a = single(a);
        return of_single(match function {
            FloatFunction::Sqrt => a.sqrt(),
            FloatFunction::Floor => a.floor(),
            FloatFunction::Ceil => a.ceil(),
            FloatFunction::Trunc => a.trunc(),
            FloatFunction::Round => a.round(),
            FloatFunction::RoundEven => a.round_ties_even(),
        });
    }
    let a = double(a);
    of_double(match function {
        FloatFunction::Sqrt => a.sqrt(),
        FloatFunction::Floor => a.floor(),
        FloatFunction::Ceil => a.ceil(),
        FloatFunction::Trunc => a.trunc(),
        FloatFunction::Round => a.round(),
        FloatFunction::RoundEven => a.round_ties_even(),
    })
}

/// A conversion from or to a floating-point number. Each rounds once: a large integer becomes a
/// number of 32 bits at once, not by way of 64 bits.
pub(super) fn convert(cast: Cast, a: u64, from: Width, to: Width) -> u64 {
    let signed = sign_extend(a, from);
    match (cast, to) {
        (Cast::FromSigned, 32) => of_single(signed as f32),
        (Cast::FromSigned, _) => of_double(signed as f64),
        (Cast::FromUnsigned, 32) => of_single(a as f32),
        (Cast::FromUnsigned, _) => of_double(a as f64),
        (Cast::ToSigned, _) => value(a, from) as i64 as u64,
        (Cast::ToUnsigned, _) => value(a, from) as u64,
        (_, 32) => of_single(value(a, from) as f32),
        _ => of_double(value(a, from)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_integers_are_rounded_once() {
        // Half way between two numbers of 32 bits in 64 bits, but not before.
        let a = (1 << 60) + (1 << 36) + 1;
        assert_eq!(
            convert(Cast::FromUnsigned, a, 64, 32),
            of_single((1u64 << 60) as f32 + (1u64 << 37) as f32)
        );
        assert_eq!(value(convert(Cast::FromSigned, 0xff, 8, 64), 64), -1.0);
    }

    #[test]
    fn what_is_not_a_number_has_one_pattern() {
        let zero = 0;
        assert_eq!(binary(BinOp::Fdiv, zero, zero, 64), NAN_64);
        assert_eq!(binary(BinOp::Feq, NAN_64, NAN_64, 64), 0);
        assert_eq!(binary(BinOp::Feq, 0, 1 << 63, 64), 1);
    }
}
