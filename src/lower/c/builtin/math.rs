//! Functions of `<math.h>` whose result IEEE 754 determines, by their names with and without
//! `__builtin_`, for `double` and, with `f` at the end, `float`. What the others return is not known:
//! a path that calls one is not understood from there on.

use super::{Call, Lowered, Lowering, TypedValue};
use crate::front::c::ast::IntKind;
use crate::front::c::types::{Type, TypeId};
use crate::ir::program::{BinOp, Expr, FloatFunction, Op, UnOp, Width};
use crate::lower::c::float::{number, sign_bit};
use crate::lower::c::fold;

/// Functions from a number to a number, which are operators here.
const FUNCTIONS: [(&str, FloatFunction); 8] = [
    ("sqrt", FloatFunction::Sqrt),
    ("floor", FloatFunction::Floor),
    ("ceil", FloatFunction::Ceil),
    ("trunc", FloatFunction::Trunc),
    ("round", FloatFunction::Round),
    // Without another direction than the default one.
    ("rint", FloatFunction::RoundEven),
    ("nearbyint", FloatFunction::RoundEven),
    ("roundeven", FloatFunction::RoundEven),
];

/// Functions to integers: what is rounded how, and to what.
const TO_INTEGER: [(&str, FloatFunction, IntKind); 4] = [
    ("lround", FloatFunction::Round, IntKind::Long),
    ("llround", FloatFunction::Round, IntKind::LongLong),
    ("lrint", FloatFunction::RoundEven, IntKind::Long),
    ("llrint", FloatFunction::RoundEven, IntKind::LongLong),
];

/// Other functions of numbers of a type.
const OTHERS: [&str; 7] = ["fabs", "copysign", "fmin", "fmax", "nan", "inf", "huge_val"];

/// The function that a name means and the bytes of its numbers.
fn function_of(name: &str) -> Option<(&str, u8)> {
    let known = |n: &str| {
        FUNCTIONS.iter().any(|(f, _)| *f == n)
            || TO_INTEGER.iter().any(|(f, ..)| *f == n)
            || OTHERS.contains(&n)
    };
    if known(name) {
        return Some((name, 8));
    }
    let (short, bytes) = match name.strip_suffix('f') {
        Some(short) => (short, 4),
        None => (name.strip_suffix('l')?, 16),
    };
    known(short).then_some((short, bytes))
}

impl<'a> Lowering<'a> {
    pub(super) fn math_call(&mut self, call: &Call<'a, '_>) -> Lowered<Option<TypedValue>> {
        let builtin = call.name.strip_prefix("__builtin_");
        let name = builtin.unwrap_or(call.name);
        if let Some((function, bytes)) = function_of(name) {
            // Only the compiler has constants that look like calls.
            if builtin.is_none() && matches!(function, "inf" | "huge_val") {
                return Ok(None);
            }
            return self.math_function(call, function, bytes).map(Some);
        }
        match name {
            "isnan" | "isinf" | "isinf_sign" | "isfinite" | "finite" | "isnormal" | "signbit"
            | "signbitf" => self.classify(call, name).map(Some),
            "isunordered" | "isless" | "islessequal" | "isgreater" | "isgreaterequal"
            | "islessgreater" => self.compare_quietly(call, name).map(Some),
            "difftime" => self.difftime(call).map(Some),
            "fegetround" => Ok(Some(self.zero())),
            "fesetround" => self.set_direction(call).map(Some),
            _ => Ok(None),
        }
    }

    fn math_function(
        &mut self,
        call: &Call<'a, '_>,
        function: &str,
        bytes: u8,
    ) -> Lowered<TypedValue> {
        let span = call.span;
        let ty = self.types.id(Type::Float(bytes));
        match function {
            "inf" | "huge_val" => return Ok(self.float_value(f64::INFINITY, bytes)),
            "nan" => {
                self.discard_all(call.args)?;
                let nan = self.float_value(f64::NAN, bytes);
                let expr = match bytes {
                    16 => nan.expr,
                    _ => self.with_some_sign(nan.expr, bytes * 8, span),
                };
                return Ok(TypedValue { expr, ty });
            }
            _ => {}
        }
        let integer = TO_INTEGER.iter().find(|(f, ..)| *f == function);
        let result = match integer {
            Some((_, _, kind)) => self.types.id(Type::Int(*kind)),
            None => ty,
        };
        if self.is_long_double(ty) {
            self.discard_all(call.args)?;
            self.no_long_double(ty, span);
            return self.any_value(result, span);
        }
        let width = bytes * 8;
        let x = self.value_for(call.arg(0)?, ty)?.expr;
        let direct = FUNCTIONS.iter().find(|(f, _)| *f == function);
        if let Some((_, operator)) = direct {
            if *operator == FloatFunction::Sqrt {
                self.may_set_errno(span)?;
            }
            let expr = fold::unary(UnOp::Float(*operator), x, width);
            let expr = self.with_some_sign(expr, width, span);
            return Ok(TypedValue { expr, ty });
        }
        if let Some((_, operator, _)) = integer {
            let expr = fold::unary(UnOp::Float(*operator), x, width);
            return self.convert(TypedValue { expr, ty }, result, span);
        }
        let expr = match function {
            "fabs" => without_sign(x, width),
            "copysign" => {
                let y = self.value_for(call.arg(1)?, ty)?.expr;
                let sign = fold::binary(BinOp::And, y, sign_bit(width), width);
                fold::binary(BinOp::Or, without_sign(x, width), sign, width)
            }
            _ => {
                let y = self.value_for(call.arg(1)?, ty)?.expr;
                let (x, y) = (self.bind(x), self.bind(y));
                self.extreme(function == "fmin", (x, y), width, call)
            }
        };
        Ok(TypedValue { expr, ty })
    }

    /// The smaller or the larger of two numbers; what is not a number loses. Of two zeros with
    /// different signs it may be either, and likewise when one is a signalling NaN.
    fn extreme(
        &mut self,
        least: bool,
        (x, y): (Expr, Expr),
        width: Width,
        call: &Call<'a, '_>,
    ) -> Expr {
        let (first, second) = if least { (&x, &y) } else { (&y, &x) };
        let less = fold::binary(BinOp::Flt, first.clone(), second.clone(), width);
        let y_is_none = is_nan(&y, width);
        let takes_x = fold::binary(BinOp::Or, less, y_is_none, 1);
        let same = fold::binary(BinOp::Eq, x.clone(), y.clone(), width);
        let equal = fold::binary(BinOp::Feq, x.clone(), y.clone(), width);
        let known = fold::binary(BinOp::Or, same, fold::unary(UnOp::Not, equal, 1), 1);
        let signals = fold::binary(BinOp::Or, signals(&x, width), signals(&y, width), 1);
        let known = fold::binary(BinOp::And, known, fold::unary(UnOp::Not, signals, 1), 1);
        let takes_x = self.value_where(known, takes_x, 1, call.span);
        fold::choose(takes_x, x, y)
    }

    /// What kind of number it is, as an `int`.
    fn classify(&mut self, call: &Call<'a, '_>, what: &str) -> Lowered<TypedValue> {
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
        let truth = match what {
            "isnan" => is_nan(&x, width),
            "isfinite" | "finite" => fold::binary(BinOp::Flt, size, infinity, width),
            "isnormal" => {
                let least = match width {
                    32 => f64::from(f32::MIN_POSITIVE),
                    _ => f64::MIN_POSITIVE,
                };
                let normal = fold::binary(BinOp::Fle, number(least, width), size.clone(), width);
                let finite = fold::binary(BinOp::Flt, size, infinity, width);
                fold::binary(BinOp::And, normal, finite, 1)
            }
            "signbit" | "signbitf" => negative,
            _ => {
                let infinite = fold::binary(BinOp::Feq, size, infinity, width);
                let value = self.int_of_truth(infinite);
                let minus = fold::unary(UnOp::Neg, value.expr.clone(), 32);
                let expr = fold::choose(negative, minus, value.expr);
                return Ok(TypedValue { expr, ty: value.ty });
            }
        };
        Ok(self.int_of_truth(truth))
    }

    fn compare_quietly(&mut self, call: &Call<'a, '_>, what: &str) -> Lowered<TypedValue> {
        use crate::front::c::ast::BinaryOp;
        let span = call.span;
        let (a, b) = (self.value(call.arg(0)?)?, self.value(call.arg(1)?)?);
        let (mut a, mut b) = (a, b);
        (a.expr, b.expr) = (self.bind(a.expr), self.bind(b.expr));
        let op = match what {
            "isless" => BinaryOp::Lt,
            "islessequal" => BinaryOp::Le,
            "isgreater" => BinaryOp::Gt,
            "isgreaterequal" => BinaryOp::Ge,
            _ => {
                let less = self.binary(BinaryOp::Lt, a.clone(), b.clone(), span)?;
                let more = self.binary(BinaryOp::Gt, a.clone(), b.clone(), span)?;
                let (less, more) = (self.truth(less, span)?, self.truth(more, span)?);
                let mut truth = fold::binary(BinOp::Or, less, more, 1);
                if what == "isunordered" {
                    let same = self.binary(BinaryOp::Eq, a, b, span)?;
                    let same = self.truth(same, span)?;
                    truth = fold::unary(UnOp::Not, fold::binary(BinOp::Or, truth, same, 1), 1);
                }
                return Ok(self.int_of_truth(truth));
            }
        };
        self.binary(op, a, b, span)
    }

    /// The difference of two times, which may be too large for their type.
    fn difftime(&mut self, call: &Call<'a, '_>) -> Lowered<TypedValue> {
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
    fn set_direction(&mut self, call: &Call<'a, '_>) -> Lowered<TypedValue> {
        let int: TypeId = self.types.int();
        let direction = self.value_for(call.arg(0)?, int)?.expr;
        let default = fold::binary(BinOp::Eq, direction, Expr::constant(0, 32), 32);
        if !matches!(default, Expr::Const { value: 1, .. }) {
            let end = self.body.label();
            self.body.span = call.span;
            self.body.jump(Some(default), end);
            let reason = "rounding in another direction than to the nearest number";
            self.emit_at(call.span, Op::Unknown(reason.to_string()));
            self.body.place(end);
        }
        Ok(self.zero())
    }
}

/// True for what is not a number.
fn is_nan(x: &Expr, width: Width) -> Expr {
    let equal = fold::binary(BinOp::Feq, x.clone(), x.clone(), width);
    fold::unary(UnOp::Not, equal, 1)
}

/// True for a signalling NaN.
fn signals(x: &Expr, width: Width) -> Expr {
    let fraction = if width == 32 { 23 } else { 52 };
    let quiet = Expr::constant(1 << (fraction - 1), width);
    let quiet = fold::binary(BinOp::And, x.clone(), quiet, width);
    let signals = fold::unary(UnOp::Not, fold::truth(quiet, width), 1);
    fold::binary(BinOp::And, is_nan(x, width), signals, 1)
}

fn without_sign(x: Expr, width: Width) -> Expr {
    let all = crate::ir::program::mask(width - 1);
    fold::binary(BinOp::And, x, Expr::constant(all, width), width)
}
