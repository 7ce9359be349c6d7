//! Floating-point numbers: `float` and `double` are computed with as IEEE 754 has them, in their own
//! precision. Values of type `long double` are kept and printed, and nothing more: a path that
//! computes with one, or that reads or writes one in memory, is not understood from there on.
//!
//! The sign of what is not a number is the operator's choice (IEEE 754-2008 6.3), and it is chosen
//! there, once: whoever looks at it later sees the same. It is chosen in programs alone that ask for
//! signs; elsewhere such a result has one pattern of bits.

use super::{Lowered, Lowering, TypedValue, fold, wrong};
use crate::front::c::ast::{BinaryOp, UnaryOp};
use crate::front::c::types::{Type, TypeId};
use base::source::Span;
use ir::float;
use ir::program::{BinOp, Cast, Expr, Op, Width};

/// Bytes of what is no `float` or `double`.
const LONG: u8 = 16;

impl Lowering<'_> {
    /// A constant of a floating type of so many bytes.
    pub fn float_value(&mut self, value: f64, bytes: u8) -> TypedValue {
        let ty = self.types.id(Type::Float(bytes));
        let width = if bytes == 4 { 32 } else { 64 };
        TypedValue::new(number(value, width), ty)
    }

    /// True for `long double` and its like.
    pub fn is_long_double(&self, ty: TypeId) -> bool {
        matches!(self.types.get(self.types.plain(ty)), Type::Float(LONG))
    }

    /// Says that this path computes with a number that is only kept here.
    pub fn no_long_double(&mut self, ty: TypeId, span: Span) {
        let reason = format!("a value of type `{}`", self.types.show(ty));
        self.body.span = span;
        self.emit(Op::Unknown(reason));
    }

    /// Whether a number differs from zero, in one bit; what is not a number does.
    pub fn float_truth(&mut self, value: TypedValue, span: Span) -> Lowered<Expr> {
        let width = self.scalar_width(value.ty, span)?;
        if self.is_long_double(value.ty) {
            self.no_long_double(value.ty, span);
            let dst = self.body.local("", 1);
            self.emit(Op::Havoc { dst });
            return Ok(Expr::Local(dst));
        }
        let equal = fold::binary(BinOp::Feq, value.expr, number(0.0, width), width);
        Ok(fold::not(equal))
    }

    /// A prefix operator on a number.
    pub fn float_unary(
        &mut self,
        op: UnaryOp,
        value: TypedValue,
        span: Span,
    ) -> Lowered<TypedValue> {
        let width = self.scalar_width(value.ty, span)?;
        match op {
            UnaryOp::Plus => Ok(value),
            UnaryOp::Minus if self.is_long_double(value.ty) => {
                self.no_long_double(value.ty, span);
                Ok(value)
            }
            UnaryOp::Minus => Ok(TypedValue {
                expr: fold::binary(BinOp::Xor, value.expr, sign_bit(width), width),
                ..value
            }),
            _ => wrong(span, "this operator needs an integer"),
        }
    }

    /// The type in which an operator computes when one of its operands is floating.
    pub fn common_float(&mut self, a: TypeId, b: TypeId) -> TypeId {
        let bytes = |ty| match self.types.get(self.types.plain(ty)) {
            Type::Float(bytes) => *bytes,
            _ => 0,
        };
        let bytes = bytes(a).max(bytes(b));
        self.types.id(Type::Float(bytes))
    }

    /// A binary operator of which an operand is floating.
    pub fn float_binary(
        &mut self,
        op: BinaryOp,
        a: TypedValue,
        b: TypedValue,
        span: Span,
    ) -> Lowered<TypedValue> {
        let ty = self.common_float(a.ty, b.ty);
        let (a, b) = (self.convert(a, ty, span)?, self.convert(b, ty, span)?);
        let (a, b) = (a.expr, b.expr);
        let arithmetic = match op {
            BinaryOp::Add => Some(BinOp::Fadd),
            BinaryOp::Sub => Some(BinOp::Fsub),
            BinaryOp::Mul => Some(BinOp::Fmul),
            BinaryOp::Div => Some(BinOp::Fdiv),
            _ => None,
        };
        if self.is_long_double(ty) {
            self.no_long_double(ty, span);
            let result = match arithmetic {
                Some(_) => ty,
                None => self.types.int(),
            };
            return self.any_value(result, span);
        }
        let width = self.scalar_width(ty, span)?;
        if let Some(op) = arithmetic {
            let (a, b) = (self.bind(a), self.bind(b));
            let number = fold::binary(op, a.clone(), b.clone(), width);
            let expr = self.float_result(number, &[a, b], width, span);
            return Ok(TypedValue { expr, ty });
        }
        let truth = match op {
            BinaryOp::Lt => fold::binary(BinOp::Flt, a, b, width),
            BinaryOp::Gt => fold::binary(BinOp::Flt, b, a, width),
            BinaryOp::Le => fold::binary(BinOp::Fle, a, b, width),
            BinaryOp::Ge => fold::binary(BinOp::Fle, b, a, width),
            BinaryOp::Eq => fold::binary(BinOp::Feq, a, b, width),
            BinaryOp::Ne => {
                let equal = fold::binary(BinOp::Feq, a, b, width);
                fold::not(equal)
            }
            _ => return wrong(span, "this operator needs integers"),
        };
        Ok(self.int_of_truth(truth))
    }

    /// Converts from or to a floating type.
    pub fn convert_float(
        &mut self,
        value: TypedValue,
        to: TypeId,
        span: Span,
    ) -> Lowered<TypedValue> {
        let from = self.types.plain(value.ty);
        let number = |this: &Self, ty| this.types.is_float(ty) || this.types.is_integer(ty);
        if !number(self, from) || !number(self, to) {
            let (from, to) = (self.types.show(from), self.types.show(to));
            let message = format!("a value of type `{from}` cannot become `{to}`");
            return wrong(span, message);
        }
        if matches!(self.types.get(to), Type::Bool) {
            let truth = self.truth(value, span)?;
            let expr = fold::resize(truth, 1, 8, false);
            return Ok(TypedValue { expr, ty: to });
        }
        if self.is_long_double(from) || self.is_long_double(to) {
            // What is known and kept only is not computed with.
            if let (Expr::Const { .. }, true) = (&value.expr, self.is_long_double(to)) {
                let expr = Expr::constant(0, 64);
                return Ok(TypedValue { expr, ty: to });
            }
            let long = if self.is_long_double(from) { from } else { to };
            self.no_long_double(long, span);
            return self.any_value(to, span);
        }
        let (width, target) = (self.scalar_width(from, span)?, self.scalar_width(to, span)?);
        if !self.types.is_float(to) {
            return self.float_to_integer(value, to, span);
        }
        let cast = match (self.types.is_float(from), self.types.signed(from)) {
            (true, _) => Cast::Float,
            (false, true) => Cast::FromSigned,
            (false, false) => Cast::FromUnsigned,
        };
        let expr = match cast == Cast::Float && width != target {
            true => self.float_converted(value.expr, width, target, span),
            false => fold::convert(cast, value.expr, width, target),
        };
        Ok(TypedValue { expr, ty: to })
    }

    /// The result of an operator. One that is not a number has either sign: those of x86 are negative and those of
    /// Arm positive (IEEE 754, 6.3 leaves it open); or it is an operand that is none, with its sign and what else is in its
    /// bits (6.2.3).
    pub fn float_result(
        &mut self,
        number: Expr,
        operands: &[Expr],
        width: Width,
        span: Span,
    ) -> Expr {
        if let Expr::Const { value, .. } = &number
            && !float::value(*value, width).is_nan()
        {
            return number;
        }
        let operands: Vec<Expr> = operands.iter().map(|x| self.bind(x.clone())).collect();
        let dst = self.body.local("", width);
        self.body.span = span;
        self.emit(Op::Assign { dst, value: number });
        let result = Expr::Local(dst);
        let is_number = fold::not(is_nan(&result, width));
        let end = self.body.label();
        self.body.jump(Some(is_number), end);
        let negative = self.any_bit();
        let changed = fold::binary(BinOp::Xor, result.clone(), sign_bit(width), width);
        let value = fold::choose(negative, changed, result.clone());
        self.emit(Op::Assign { dst, value });
        for x in operands {
            let next = self.body.label();
            self.body.jump(Some(fold::not(is_nan(&x, width))), next);
            let quiet = fold::binary(BinOp::Or, x, quiet_bit(width), width);
            let is_operand = self.any_bit();
            let value = fold::choose(is_operand, quiet, result.clone());
            self.emit(Op::Assign { dst, value });
            self.body.place(next);
        }
        self.body.place(end);
        result
    }

    fn any_bit(&mut self) -> Expr {
        let dst = self.body.local("", 1);
        self.emit(Op::Havoc { dst });
        Expr::Local(dst)
    }

    /// A number in the other format: of what is none the sign and the bits behind the point that fit.
    fn float_converted(&mut self, x: Expr, width: Width, target: Width, span: Span) -> Expr {
        let x = self.bind(x);
        let number = fold::convert(Cast::Float, x.clone(), width, target);
        let more = i32::from(target) - i32::from(width);
        let shift = Expr::constant(u64::from(FRACTION_64 - FRACTION_32), 64);
        let fraction = fold::binary(BinOp::And, x.clone(), fraction_bits(width), width);
        let fraction = match more < 0 {
            true => {
                let high = fold::binary(BinOp::Lshr, fraction, shift, width);
                fold::resize(high, width, target, false)
            }
            false => {
                let wide = fold::resize(fraction, width, target, false);
                fold::binary(BinOp::Shl, wide, shift, target)
            }
        };
        let negative = fold::truth(
            fold::binary(BinOp::And, x.clone(), sign_bit(width), width),
            width,
        );
        let zero = Expr::constant(0, target);
        let sign = fold::choose(negative, sign_bit(target), zero.clone());
        let infinity = self::number(f64::INFINITY, target);
        let moved = fold::binary(BinOp::Or, infinity, sign, target);
        let moved = fold::binary(BinOp::Or, moved, fraction, target);
        // A number has no operand that is none.
        let is_none = is_nan(&x, width);
        if let (true, Expr::Const { value: 1, .. }) = (self.is_initial, &is_none) {
            // Compilers agree on it, as on the sign of `NAN`.
            return fold::binary(BinOp::Or, moved, quiet_bit(target), target);
        }
        let moved = fold::choose(is_none, moved, zero);
        self.float_result(number, &[moved], target, span)
    }

    /// The fraction is dropped. Where the rest is no number of the type anything may come out.
    fn float_to_integer(
        &mut self,
        value: TypedValue,
        to: TypeId,
        span: Span,
    ) -> Lowered<TypedValue> {
        let (width, target) = (
            self.scalar_width(value.ty, span)?,
            self.scalar_width(to, span)?,
        );
        let signed = self.types.signed(to);
        let cast = if signed {
            Cast::ToSigned
        } else {
            Cast::ToUnsigned
        };
        let value = self.bind(value.expr);
        let fits = integer_fits(&value, width, target, signed);
        self.check_conversion(&fits, span);
        let expr = fold::convert(cast, value, width, target);
        let expr = self.value_where(fits, expr, target, span);
        Ok(TypedValue { expr, ty: to })
    }

    /// A value where a condition holds, and anything else where it does not.
    pub fn value_where(&mut self, cond: Expr, value: Expr, width: Width, span: Span) -> Expr {
        if matches!(cond, Expr::Const { value: 1, .. }) {
            return value;
        }
        self.body.span = span;
        let dst = self.body.local("", width);
        let (other, end) = (self.body.label(), self.body.label());
        self.body.jump(Some(fold::not(cond)), other);
        self.emit(Op::Assign { dst, value });
        self.body.jump(None, end);
        self.body.place(other);
        self.emit(Op::Havoc { dst });
        self.body.place(end);
        Expr::Local(dst)
    }
}

/// A number of 32 or 64 bits.
pub fn number(value: f64, width: Width) -> Expr {
    Expr::constant(bits_of(value, width), width)
}

fn bits_of(value: f64, width: Width) -> u64 {
    match width {
        32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

/// Bits behind the point.
const FRACTION_32: u32 = 23;
const FRACTION_64: u32 = 52;

fn fraction_width(width: Width) -> u32 {
    match width {
        32 => FRACTION_32,
        _ => FRACTION_64,
    }
}

fn fraction_bits(width: Width) -> Expr {
    Expr::constant((1 << fraction_width(width)) - 1, width)
}

/// The bit that tells a quiet NaN from a signalling one.
pub fn quiet_bit(width: Width) -> Expr {
    Expr::constant(1 << (fraction_width(width) - 1), width)
}

/// True for what is not a number.
pub fn is_nan(x: &Expr, width: Width) -> Expr {
    let equal = fold::binary(BinOp::Feq, x.clone(), x.clone(), width);
    fold::not(equal)
}

/// The bit of the sign.
pub fn sign_bit(width: Width) -> Expr {
    Expr::constant(1 << (width - 1), width)
}

/// Whether a number of `width` bits without its fraction is an integer of `target` bits.
fn integer_fits(value: &Expr, width: Width, target: Width, signed: bool) -> Expr {
    let magnitude = target - Width::from(signed);
    let above = 2f64.powi(i32::from(magnitude));
    let least = if signed { -above } else { 0.0 };
    // The number before the least one, where there is one between it and the next.
    let before = least - 1.0;
    let exact = float::value(bits_of(before, width), width) == before && before != least;
    let low = match exact {
        true => fold::binary(BinOp::Flt, number(before, width), value.clone(), width),
        false => fold::binary(BinOp::Fle, number(least, width), value.clone(), width),
    };
    let high = fold::binary(BinOp::Flt, value.clone(), number(above, width), width);
    fold::binary(BinOp::And, low, high, 1)
}
