//! What the operators mean on numbers: the one definition.

use super::float;
use super::operator::{BinOp, Cast, RmwOp, UnOp, Width, mask, sign_extend};

impl RmwOp {
    /// What is stored where the number `old` was read.
    pub fn apply(self, old: u64, operand: u64, width: Width) -> u64 {
        let binary = |(): &mut (), op, a, b| eval_binary(op, a, b, width);
        self.apply_with(&mut (), old, operand, binary, |(), v| !v & mask(width))
    }
}

/// `op(a, b)` on values of `width` bits; the one definition of what the operators mean on numbers.
pub fn eval_binary(op: BinOp, a: u64, b: u64, width: Width) -> u64 {
    let signed = |v: u64| sign_extend(v, width);
    let bits = u64::from(width);
    let result = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::Udiv => a.checked_div(b).unwrap_or(u64::MAX),
        BinOp::Sdiv if b == 0 => {
            if signed(a) < 0 {
                1
            } else {
                u64::MAX
            }
        }
        BinOp::Sdiv => signed(a).wrapping_div(signed(b)) as u64,
        BinOp::Urem => a.checked_rem(b).unwrap_or(a),
        BinOp::Srem if b == 0 => a,
        BinOp::Srem => signed(a).wrapping_rem(signed(b)) as u64,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl => {
            if b >= bits {
                0
            } else {
                a << b
            }
        }
        BinOp::Lshr => {
            if b >= bits {
                0
            } else {
                a >> b
            }
        }
        BinOp::Ashr => (signed(a) >> b.min(63)) as u64,
        BinOp::Eq => u64::from(a == b),
        BinOp::Ne => u64::from(a != b),
        BinOp::Ult | BinOp::PtrLt => u64::from(a < b),
        BinOp::Ule | BinOp::PtrLe => u64::from(a <= b),
        BinOp::Slt => u64::from(signed(a) < signed(b)),
        BinOp::Sle => u64::from(signed(a) <= signed(b)),
        BinOp::Fadd
        | BinOp::Fsub
        | BinOp::Fmul
        | BinOp::Fdiv
        | BinOp::Feq
        | BinOp::Flt
        | BinOp::Fle => float::binary(op, a, b, width),
    };
    result & mask(if op.is_comparison() { 1 } else { width })
}

/// `op(a)` on values of `width` bits.
pub fn eval_unary(op: UnOp, a: u64, width: Width) -> u64 {
    let result = match op {
        UnOp::Not => !a,
        UnOp::Neg => a.wrapping_neg(),
        UnOp::Float(function) => float::unary(function, a, width),
    };
    result & mask(width)
}

/// A value of `from` bits in `to` bits.
pub fn eval_cast(cast: Cast, a: u64, from: Width, to: Width) -> u64 {
    let result = match cast {
        Cast::Zero | Cast::Truncate => a,
        Cast::Sign => sign_extend(a, from) as u64,
        Cast::FromSigned | Cast::FromUnsigned | Cast::ToSigned | Cast::ToUnsigned | Cast::Float => {
            float::convert(cast, a, from, to)
        }
    };
    result & mask(to)
}
