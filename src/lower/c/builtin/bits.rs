//! gcc's builtins that count bits, and those that say whether arithmetic overflows.

use super::{Call, Lowered, Lowering, TypedValue};
use crate::base::diag::Diag;
use crate::front::c::ast::IntKind;
use crate::front::c::types::Type;
use crate::ir::program::{BinOp, Expr, Width};
use crate::lower::c::fold;

/// `__builtin_popcountl` and its kin.
pub fn count_of_bits(name: &str) -> bool {
    counted(name).is_some()
}

/// What is counted, and in which type.
fn counted(name: &str) -> Option<(&str, IntKind)> {
    let rest = name.strip_prefix("__builtin_")?;
    const KINDS: [&str; 5] = ["popcount", "parity", "clz", "ctz", "ffs"];
    let kind = KINDS.iter().find(|k| rest.starts_with(**k))?;
    let ty = match &rest[kind.len()..] {
        "" => IntKind::UInt,
        "l" => IntKind::ULong,
        "ll" => IntKind::ULongLong,
        _ => return None,
    };
    Some((kind, ty))
}

/// `__builtin_add_overflow` and its kin.
pub fn overflowing(name: &str) -> Option<BinOp> {
    match name {
        "__builtin_add_overflow" => Some(BinOp::Add),
        "__builtin_sub_overflow" => Some(BinOp::Sub),
        "__builtin_mul_overflow" => Some(BinOp::Mul),
        _ => None,
    }
}

impl<'a> Lowering<'a> {
    pub(super) fn bit_count(&mut self, call: &Call<'a, '_>) -> Lowered<TypedValue> {
        let (kind, ty) = counted(call.name).expect("the caller has looked");
        let width = self.types.int_width(ty);
        let ty = self.types.id(Type::Int(ty));
        let value = self.value_for(call.arg(0)?, ty)?.expr;
        let value = self.bind(value);
        let number = |n: u64| Expr::constant(n, 32);
        let bit = |i: Width| {
            let shifted = fold::binary(
                BinOp::Lshr,
                value.clone(),
                Expr::constant(u64::from(i), width),
                width,
            );
            fold::resize(shifted, width, 1, false)
        };
        let expr = match kind {
            "popcount" | "parity" => {
                let sum = (0..width).fold(number(0), |sum, i| {
                    fold::binary(BinOp::Add, sum, fold::resize(bit(i), 1, 32, false), 32)
                });
                match kind {
                    "parity" => fold::binary(BinOp::And, sum, number(1), 32),
                    _ => sum,
                }
            }
            // The highest one decides, so it is asked last and stands outermost.
            "clz" => (0..width).fold(number(u64::from(width)), |rest, i| {
                fold::choose(bit(i), number(u64::from(width - 1 - i)), rest)
            }),
            _ => {
                let ffs = u64::from(kind == "ffs");
                let none = if kind == "ffs" { 0 } else { u64::from(width) };
                (0..width).rev().fold(number(none), |rest, i| {
                    fold::choose(bit(i), number(u64::from(i) + ffs), rest)
                })
            }
        };
        let ty = self.types.int();
        Ok(TypedValue { expr, ty })
    }

    /// The exact result is computed in 64 bits, so that wider operands than 32 bits are refused.
    pub(super) fn overflow(&mut self, call: &Call<'a, '_>) -> Lowered<TypedValue> {
        let span = call.span;
        let op = overflowing(call.name).expect("the caller has looked");
        let wide = |this: &mut Self, i: usize| -> Lowered<Expr> {
            let value = this.value(call.arg(i)?)?;
            let width = this.scalar_width(value.ty, span)?;
            if width > 32 {
                let message = format!("`{}` of more than 32 bits is not supported", call.name);
                return Err(Diag::unsupported(span, message).into());
            }
            let signed = this.types.signed(value.ty);
            Ok(fold::resize(value.expr, width, 64, signed))
        };
        let (a, b) = (wide(self, 0)?, wide(self, 1)?);
        let exact = fold::binary(op, a, b, 64);
        let exact = self.bind(exact);
        let Some(place) = self.result_place(call.arg(2)?)? else {
            return self.unsupported(span, "a null pointer as the result");
        };
        let ty = Self::place_type(&place);
        let width = self.scalar_width(ty, span)?;
        let truncated = fold::resize(exact.clone(), 64, width, false);
        let truncated = self.bind(truncated);
        let back = fold::resize(truncated.clone(), width, 64, self.types.signed(ty));
        self.write(
            place,
            TypedValue {
                expr: truncated,
                ty: self.types.plain(ty),
            },
            span,
        )?;
        let expr = fold::resize(fold::binary(BinOp::Ne, exact, back, 64), 1, 8, false);
        let ty = self.types.id(Type::Bool);
        Ok(TypedValue { expr, ty })
    }
}
