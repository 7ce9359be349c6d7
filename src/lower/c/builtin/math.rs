//! Functions of `<math.h>` whose result IEEE 754 determines, by their names with and without
//! `__builtin_`, for `double` and, with `f` at the end, `float`. What the others return is not known:
//! a path that calls one is not understood from there on.

use super::{Call, Lowered, Lowering, TypedValue};
use crate::front::c::ast::{BinaryOp, IntKind};
use crate::front::c::types::{Type, TypeId};
use crate::lower::c::float::{is_nan, number, quiet_bit, sign_bit};
use crate::lower::c::fold;
use base::source::Span;
use ir::program::{BinOp, Expr, FloatFunction, UnOp, Width};
use std::cmp::Ordering;

/// What kind of number one is.
#[derive(Clone, Copy)]
pub(super) enum Class {
    Nan,
    Finite,
    Normal,
    Negative,
    /// 1 or -1.
    Infinite,
}

impl<'a> Lowering<'a> {
    /// A function from a number to a number, which is an operator here.
    pub(super) fn float_function(
        &mut self,
        call: &Call<'a>,
        bytes: u8,
        function: FloatFunction,
    ) -> Lowered<TypedValue> {
        let ty = self.types.id(Type::Float(bytes));
        if let Some(any) = self.any_long_double(call, ty, ty)? {
            return Ok(any);
        }
        let x = self.value_for(call.arg(0)?, ty)?.expr;
        let x = self.bind(x);
        let number = fold::unary(UnOp::Float(function), x.clone(), bytes * 8);
        let expr = self.float_result(number, &[x], bytes * 8, call.span);
        Ok(TypedValue { expr, ty })
    }

    /// A function to integers.
    pub(super) fn round_to_integer(
        &mut self,
        call: &Call<'a>,
        bytes: u8,
        function: FloatFunction,
        kind: IntKind,
    ) -> Lowered<TypedValue> {
        let ty = self.types.id(Type::Float(bytes));
        let result = self.types.id(Type::Int(kind));
        if let Some(any) = self.any_long_double(call, ty, result)? {
            return Ok(any);
        }
        let x = self.value_for(call.arg(0)?, ty)?.expr;
        let expr = fold::unary(UnOp::Float(function), x, bytes * 8);
        self.convert(TypedValue { expr, ty }, result, call.span)
    }

    pub(super) fn absolute_float(&mut self, call: &Call<'a>, bytes: u8) -> Lowered<TypedValue> {
        let ty = self.types.id(Type::Float(bytes));
        if let Some(any) = self.any_long_double(call, ty, ty)? {
            return Ok(any);
        }
        let x = self.value_for(call.arg(0)?, ty)?.expr;
        let expr = without_sign(x, bytes * 8);
        Ok(TypedValue { expr, ty })
    }

    pub(super) fn copy_sign(&mut self, call: &Call<'a>, bytes: u8) -> Lowered<TypedValue> {
        let (ty, width) = (self.types.id(Type::Float(bytes)), bytes * 8);
        if let Some(any) = self.any_long_double(call, ty, ty)? {
            return Ok(any);
        }
        let x = self.value_for(call.arg(0)?, ty)?.expr;
        let y = self.value_for(call.arg(1)?, ty)?.expr;
        let sign = fold::binary(BinOp::And, y, sign_bit(width), width);
        let expr = fold::binary(BinOp::Or, without_sign(x, width), sign, width);
        Ok(TypedValue { expr, ty })
    }

    pub(super) fn infinity(&mut self, bytes: u8) -> TypedValue {
        self.float_value(f64::INFINITY, bytes)
    }

    pub(super) fn nan(&mut self, call: &Call<'a>, bytes: u8) -> Lowered<TypedValue> {
        self.discard_all(call.args)?;
        let TypedValue { mut expr, ty } = self.float_value(f64::NAN, bytes);
        if bytes < 16 && !self.is_initial {
            expr = self.float_result(expr, &[], bytes * 8, call.span);
        }
        Ok(TypedValue { expr, ty })
    }

    /// Any result, where the numbers are `long double`.
    fn any_long_double(
        &mut self,
        call: &Call<'a>,
        ty: TypeId,
        result: TypeId,
    ) -> Lowered<Option<TypedValue>> {
        if !self.is_long_double(ty) {
            return Ok(None);
        }
        self.discard_all(call.args)?;
        self.no_long_double(ty, call.span);
        self.any_value(result, call.span).map(Some)
    }

    /// The smaller or the larger of two numbers; what is not a number loses. Of two zeros with
    /// different signs it may be either, and likewise when one is a signalling NaN.
    pub(super) fn extreme(
        &mut self,
        call: &Call<'a>,
        bytes: u8,
        side: Ordering,
    ) -> Lowered<TypedValue> {
        let (ty, width) = (self.types.id(Type::Float(bytes)), bytes * 8);
        if let Some(any) = self.any_long_double(call, ty, ty)? {
            return Ok(any);
        }
        let x = self.value_for(call.arg(0)?, ty)?.expr;
        let y = self.value_for(call.arg(1)?, ty)?.expr;
        let (x, y) = (self.bind(x), self.bind(y));
        let (first, second) = match side {
            Ordering::Greater => (&y, &x),
            _ => (&x, &y),
        };
        let less = fold::binary(BinOp::Flt, first.clone(), second.clone(), width);
        let y_is_none = is_nan(&y, width);
        let takes_x = fold::binary(BinOp::Or, less, y_is_none, 1);
        let same = fold::binary(BinOp::Eq, x.clone(), y.clone(), width);
        let equal = fold::binary(BinOp::Feq, x.clone(), y.clone(), width);
        let known = fold::binary(BinOp::Or, same, fold::not(equal), 1);
        let signals = fold::binary(BinOp::Or, signals(&x, width), signals(&y, width), 1);
        let known = fold::binary(BinOp::And, known, fold::not(signals), 1);
        let takes_x = self.value_where(known, takes_x, 1, call.span);
        let expr = fold::choose(takes_x, x, y);
        Ok(TypedValue { expr, ty })
    }

    /// What kind of number it is, as an `int`.
    pub(super) fn classify(&mut self, call: &Call<'a>, class: Class) -> Lowered<TypedValue> {
        let span = call.span;
        let value = self.value(call.arg(0)?)?;
        if !self.types.is_float(value.ty) || self.is_long_double(value.ty) {
            let int = self.types.int();
            self.no_long_double(value.ty, span);
            return self.any_value(int, span);
        }
        let width = self.scalar_width(value.ty, span)?;
        let x = self.bind(value.expr);
        let size = without_sign(x.clone(), width);
        let infinity = number(f64::INFINITY, width);
        let sign = fold::binary(BinOp::And, x.clone(), sign_bit(width), width);
        let negative = fold::truth(sign, width);
        let truth = match class {
            Class::Nan => is_nan(&x, width),
            Class::Finite => fold::binary(BinOp::Flt, size, infinity, width),
            Class::Normal => {
                let least = match width {
                    32 => f64::from(f32::MIN_POSITIVE),
                    _ => f64::MIN_POSITIVE,
                };
                let normal = fold::binary(BinOp::Fle, number(least, width), size.clone(), width);
                let finite = fold::binary(BinOp::Flt, size, infinity, width);
                fold::binary(BinOp::And, normal, finite, 1)
            }
            Class::Negative => negative,
            Class::Infinite => {
                let infinite = fold::binary(BinOp::Feq, size, infinity, width);
                let value = self.int_of_truth(infinite);
                let minus = fold::unary(UnOp::Neg, value.expr.clone(), 32);
                let expr = fold::choose(negative, minus, value.expr);
                return Ok(TypedValue { expr, ty: value.ty });
            }
        };
        Ok(self.int_of_truth(truth))
    }

    /// `isless` and its like.
    pub(super) fn compare_quietly(&mut self, call: &Call<'a>, op: BinaryOp) -> Lowered<TypedValue> {
        let (a, b) = self.bound_operands(call)?;
        self.binary(op, a, b, call.span)
    }

    pub(super) fn is_unequal(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (a, b) = self.bound_operands(call)?;
        let truth = self.less_or_greater(&a, &b, call.span)?;
        Ok(self.int_of_truth(truth))
    }

    pub(super) fn is_unordered(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (a, b) = self.bound_operands(call)?;
        let unequal = self.less_or_greater(&a, &b, call.span)?;
        let same = self.binary(BinaryOp::Eq, a, b, call.span)?;
        let same = self.truth(same, call.span)?;
        let ordered = fold::binary(BinOp::Or, unequal, same, 1);
        Ok(self.int_of_truth(fold::not(ordered)))
    }

    fn less_or_greater(&mut self, a: &TypedValue, b: &TypedValue, span: Span) -> Lowered<Expr> {
        let less = self.binary(BinaryOp::Lt, a.clone(), b.clone(), span)?;
        let more = self.binary(BinaryOp::Gt, a.clone(), b.clone(), span)?;
        let (less, more) = (self.truth(less, span)?, self.truth(more, span)?);
        Ok(fold::binary(BinOp::Or, less, more, 1))
    }

    fn bound_operands(&mut self, call: &Call<'a>) -> Lowered<(TypedValue, TypedValue)> {
        let (mut a, mut b) = (self.value(call.arg(0)?)?, self.value(call.arg(1)?)?);
        (a.expr, b.expr) = (self.bind(a.expr), self.bind(b.expr));
        Ok((a, b))
    }

    /// The difference of two times, which may be too large for their type.
    pub(super) fn difftime(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let span = call.span;
        let (time, double) = (self.types.ptrdiff_t(), self.types.id(Type::Float(8)));
        let size_t = self.types.size_t();
        let width = self.pointer_width();
        let end = self.value_for(call.arg(0)?, time)?.expr;
        let begin = self.value_for(call.arg(1)?, time)?.expr;
        let (end, begin) = (self.bind(end), self.bind(begin));
        let mut part = |from: &Expr, less: &Expr| {
            let expr = fold::binary(BinOp::Sub, from.clone(), less.clone(), width);
            self.convert(TypedValue { expr, ty: size_t }, double, span)
        };
        let (after, before) = (part(&end, &begin)?.expr, part(&begin, &end)?.expr);
        let negative = fold::binary(BinOp::Slt, end, begin, width);
        let before = fold::binary(BinOp::Xor, before, sign_bit(64), 64);
        let expr = fold::choose(negative, before, after);
        Ok(TypedValue { expr, ty: double })
    }

    /// `fesetround`: the default direction alone.
    pub(super) fn set_direction(&mut self, call: &Call<'a>) -> Lowered<()> {
        let int = self.types.int();
        let direction = self.value_for(call.arg(0)?, int)?.expr;
        let default = fold::binary(BinOp::Eq, direction, Expr::constant(0, 32), 32);
        if !matches!(default, Expr::Const { value: 1, .. }) {
            self.body.span = call.span;
            let reason = "rounding in another direction than to the nearest number";
            self.unknown_unless(default, reason);
        }
        Ok(())
    }
}

/// True for a signalling NaN.
fn signals(x: &Expr, width: Width) -> Expr {
    let quiet = fold::binary(BinOp::And, x.clone(), quiet_bit(width), width);
    let signals = fold::not(fold::truth(quiet, width));
    fold::binary(BinOp::And, is_nan(x, width), signals, 1)
}

fn without_sign(x: Expr, width: Width) -> Expr {
    let all = ir::program::mask(width - 1);
    fold::binary(BinOp::And, x, Expr::constant(all, width), width)
}
