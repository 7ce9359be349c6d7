//! gcc's builtins that count bits, and those that say whether arithmetic overflows.

use super::{Call, Lowered, Lowering, TypedValue};
use crate::front::c::ast::IntKind;
use crate::front::c::types::Type;
use crate::lower::c::fold;
use base::diag::Diag;
use ir::program::{BinOp, Expr, Width};

impl<'a> Lowering<'a> {
    /// A number for each bit of an argument, from the lowest on, folded to the result.
    fn over_bits(
        &mut self,
        call: &Call<'a>,
        kind: IntKind,
        fold_bits: impl FnOnce(Width, &dyn Fn(Width) -> Expr) -> Expr,
    ) -> Lowered<TypedValue> {
        let width = self.types.int_width(kind);
        let ty = self.types.id(Type::Int(kind));
        let value = self.operand(call, 0, ty)?;
        let bit = |i: Width| {
            let at = Expr::constant(u64::from(i), width);
            let shifted = fold::binary(BinOp::Lshr, value.clone(), at, width);
            fold::resize(shifted, width, 1, false)
        };
        Ok(self.int_of(fold_bits(width, &bit)))
    }

    pub(super) fn count_ones(&mut self, call: &Call<'a>, kind: IntKind) -> Lowered<TypedValue> {
        self.over_bits(call, kind, |width, bit| {
            (0..width).fold(number(0), |sum, i| {
                fold::binary(BinOp::Add, sum, fold::resize(bit(i), 1, 32, false), 32)
            })
        })
    }

    pub(super) fn parity(&mut self, call: &Call<'a>, kind: IntKind) -> Lowered<TypedValue> {
        let ones = self.count_ones(call, kind)?.expr;
        Ok(self.int_of(fold::binary(BinOp::And, ones, number(1), 32)))
    }

    /// The highest one decides, so it is asked last and stands outermost.
    pub(super) fn leading_zeros(&mut self, call: &Call<'a>, kind: IntKind) -> Lowered<TypedValue> {
        self.over_bits(call, kind, |width, bit| {
            (0..width).fold(number(width), |rest, i| {
                fold::choose(bit(i), number(width - 1 - i), rest)
            })
        })
    }

    pub(super) fn trailing_zeros(&mut self, call: &Call<'a>, kind: IntKind) -> Lowered<TypedValue> {
        self.over_bits(call, kind, |width, bit| {
            (0..width).rev().fold(number(width), |rest, i| {
                fold::choose(bit(i), number(i), rest)
            })
        })
    }

    /// The position of the lowest one, from 1 on; 0 without any.
    pub(super) fn first_one(&mut self, call: &Call<'a>, kind: IntKind) -> Lowered<TypedValue> {
        self.over_bits(call, kind, |width, bit| {
            (0..width).rev().fold(number(0), |rest, i| {
                fold::choose(bit(i), number(i + 1), rest)
            })
        })
    }

    /// The exact result is computed in 64 bits, so that wider operands than 32 bits are refused.
    pub(super) fn overflow(&mut self, call: &Call<'a>, op: BinOp) -> Lowered<TypedValue> {
        let span = call.span;
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
            TypedValue::new(truncated, self.types.plain(ty)),
            span,
        )?;
        let expr = fold::resize(fold::binary(BinOp::Ne, exact, back, 64), 1, 8, false);
        let ty = self.types.id(Type::Bool);
        Ok(TypedValue { expr, ty })
    }
}

fn number(n: Width) -> Expr {
    Expr::constant(u64::from(n), 32)
}
