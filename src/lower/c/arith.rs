//! Conversions and operators on values: C11 6.3 and 6.5.

use super::arith_checks::Number;
use super::{Lowered, Lowering, TypedValue, fold, wrong};
use crate::front::c::ast::{BinaryOp, IntKind, UnaryOp};
use crate::front::c::types::{Type, TypeId};
use base::source::Span;
use ir::program::{BinOp, Expr, UnOp, Width};

/// "Less" and "at most" of addresses.
const ADDRESSES: [BinOp; 2] = [BinOp::PtrLt, BinOp::PtrLe];

/// Conversion rank (C11 6.3.1.1).
fn rank(kind: IntKind) -> u8 {
    use IntKind::*;
    match kind {
        Char | SChar | UChar => 1,
        Short | UShort => 2,
        Int | UInt => 3,
        Long | ULong => 4,
        LongLong | ULongLong => 5,
    }
}

fn unsigned(kind: IntKind) -> IntKind {
    match kind {
        IntKind::Int => IntKind::UInt,
        IntKind::Long => IntKind::ULong,
        IntKind::LongLong => IntKind::ULongLong,
        other => other,
    }
}

impl Lowering<'_> {
    /// Bits of a scalar value; other types have no place in arithmetic.
    pub fn scalar_width(&self, ty: TypeId, span: Span) -> Lowered<Width> {
        if let Some(width) = self.types.width(ty) {
            return Ok(width);
        }
        match self.types.get(self.types.plain(ty)) {
            Type::Unsupported(name, _) => self.unsupported(span, name),
            Type::Void => wrong(span, "this expression has no value"),
            _ if self.types.is_int128(ty) => self.unsupported(span, "this use of `__int128`"),
            _ => wrong(
                span,
                format!(
                    "a number or pointer is needed here, not `{}`",
                    self.types.show(ty)
                ),
            ),
        }
    }

    /// An `int`.
    pub fn int_value(&mut self, value: i64) -> TypedValue {
        TypedValue::new(Expr::constant(value as u64, 32), self.types.int())
    }

    /// The `int` 0 or 1 for a truth value.
    pub fn int_of_truth(&mut self, truth: Expr) -> TypedValue {
        TypedValue::new(fold::resize(truth, 1, 32, false), self.types.int())
    }

    /// Whether a scalar differs from 0, in one bit.
    pub fn truth(&mut self, value: TypedValue, span: Span) -> Lowered<Expr> {
        if self.types.is_float(value.ty) {
            return self.float_truth(value, span);
        }
        if self.types.is_int128(value.ty) {
            return self.int128_truth(value, span);
        }
        let width = self.scalar_width(value.ty, span)?;
        Ok(fold::truth(value.expr, width))
    }

    /// Converts a value as if by assignment or cast.
    pub fn convert(&mut self, value: TypedValue, to: TypeId, span: Span) -> Lowered<TypedValue> {
        let to = self.types.plain(to);
        let from = self.types.plain(value.ty);
        if from == to {
            return Ok(TypedValue { ty: to, ..value });
        }
        match self.types.get(to) {
            Type::Void => {
                return Ok(TypedValue::new(Expr::constant(0, 32), to));
            }
            Type::Record(_) if self.types.is_int128(to) && self.is_arithmetic(from) => {
                return self.convert_to_int128(value, to, span);
            }
            Type::Record(_) => {
                let (from, to) = (self.types.show(from), self.types.show(to));
                return wrong(
                    span,
                    format!("a value of type `{from}` cannot become `{to}`"),
                );
            }
            _ => {}
        }
        if self.types.is_int128(from) && !matches!(self.types.get(to), Type::Bool) {
            return self.convert_from_int128(value, to, span);
        }
        if self.types.is_float(from) || self.types.is_float(to) {
            return self.convert_float(value, to, span);
        }
        self.note_conversion(from, to);
        let is_number = self.types.pointee(from).is_some() && self.types.is_integer(to);
        if is_number && !matches!(value.expr, Expr::Const { .. }) {
            self.body.addresses.push(value.expr.clone());
        }
        let target = self.scalar_width(to, span)?;
        let expr = match self.types.get(to) {
            Type::Bool => fold::resize(self.truth(value, span)?, 1, 8, false),
            _ => {
                let width = self.scalar_width(from, span)?;
                fold::resize(value.expr, width, target, self.types.signed(from))
            }
        };
        Ok(TypedValue { expr, ty: to })
    }

    /// Integer promotion.
    pub fn promote(&mut self, value: TypedValue, span: Span) -> Lowered<TypedValue> {
        if self.types.is_float(value.ty) {
            let message = format!(
                "an integer is needed here, not `{}`",
                self.types.show(value.ty)
            );
            return wrong(span, message);
        }
        let small = match self.types.get(self.types.plain(value.ty)) {
            Type::Bool => true,
            Type::Int(kind) => rank(*kind) < rank(IntKind::Int),
            _ => false,
        };
        if !small {
            self.scalar_width(value.ty, span)?;
            return Ok(value);
        }
        let int = self.types.int();
        self.convert(value, int, span)
    }

    /// The usual arithmetic conversions of two integer types.
    pub fn common(&mut self, a: TypeId, b: TypeId) -> TypeId {
        let kind = |this: &Self, ty| match this.types.get(this.types.plain(ty)) {
            Type::Int(kind) if rank(*kind) >= rank(IntKind::Int) => *kind,
            _ => IntKind::Int,
        };
        let wide = [a, b].into_iter().filter(|ty| self.types.is_int128(*ty));
        if let Some(signed) = wide.map(|ty| self.types.is_signed_int128(ty)).min() {
            return self.types.int128(signed);
        }
        let (a, b) = (kind(self, a), kind(self, b));
        let signed = |k: IntKind| matches!(k, IntKind::Int | IntKind::Long | IntKind::LongLong);
        let (high, low) = if rank(a) >= rank(b) { (a, b) } else { (b, a) };
        let wider = self.types.int_width(high) > self.types.int_width(low);
        let mixed = signed(high) && !signed(low);
        let result = if mixed && !wider {
            unsigned(high)
        } else {
            high
        };
        self.types.id(Type::Int(result))
    }

    /// A prefix operator other than `&` and `*`.
    pub fn unary(&mut self, op: UnaryOp, value: TypedValue, span: Span) -> Lowered<TypedValue> {
        if op == UnaryOp::Not {
            let truth = self.truth(value, span)?;
            return Ok(self.int_of_truth(fold::not(truth)));
        }
        if self.types.is_float(value.ty) {
            return self.float_unary(op, value, span);
        }
        if self.types.is_int128(value.ty) {
            return self.int128_unary(op, value, span);
        }
        let value = self.promote(value, span)?;
        if !self.types.is_integer(value.ty) {
            return wrong(span, "this operator needs a number");
        }
        let width = self.scalar_width(value.ty, span)?;
        let expr = match op {
            UnaryOp::Minus => {
                self.check_negation(&value, width, span);
                let is_signed = self.types.signed(value.ty);
                let expr = fold::unary(UnOp::Neg, value.expr, width);
                if !is_signed {
                    self.note_wrap(&expr);
                }
                expr
            }
            UnaryOp::Complement => fold::unary(UnOp::Not, value.expr, width),
            _ => value.expr,
        };
        Ok(TypedValue { expr, ty: value.ty })
    }

    /// A binary operator.
    pub fn binary(
        &mut self,
        op: BinaryOp,
        a: TypedValue,
        b: TypedValue,
        span: Span,
    ) -> Lowered<TypedValue> {
        let (pa, pb) = (self.types.pointee(a.ty), self.types.pointee(b.ty));
        match (op, pa, pb) {
            (BinaryOp::Add, Some(_), None) => return self.offset(a, b, false, span),
            (BinaryOp::Add, None, Some(_)) => return self.offset(b, a, false, span),
            (BinaryOp::Sub, Some(_), None) => return self.offset(a, b, true, span),
            (BinaryOp::Sub, Some(to), Some(_)) => return self.distance(a, b, to, span),
            (
                BinaryOp::Lt
                | BinaryOp::Gt
                | BinaryOp::Le
                | BinaryOp::Ge
                | BinaryOp::Eq
                | BinaryOp::Ne,
                ..,
            ) if pa.or(pb).is_some() => {
                let ty = self.types.void_pointer();
                let (a, b) = (self.convert(a, ty, span)?, self.convert(b, ty, span)?);
                return Ok(self.compare(op, a.expr, b.expr, self.pointer_width(), ADDRESSES));
            }
            (_, None, None) => {}
            _ => {
                return wrong(span, "this operator does not apply to pointers");
            }
        }
        if self.types.is_float(a.ty) || self.types.is_float(b.ty) {
            return self.float_binary(op, a, b, span);
        }
        if self.types.is_int128(a.ty) || self.types.is_int128(b.ty) {
            return self.int128_binary(op, a, b, span);
        }
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            return self.shift(op, a, b, span);
        }
        let (a, b) = (self.promote(a, span)?, self.promote(b, span)?);
        let ty = self.common(a.ty, b.ty);
        let (a, b) = (
            self.convert(a, ty, span)?.expr,
            self.convert(b, ty, span)?.expr,
        );
        let (width, signed) = (self.scalar_width(ty, span)?, self.types.signed(ty));
        let operator = op;
        let op = match op {
            BinaryOp::Mul => BinOp::Mul,
            BinaryOp::Div if signed => BinOp::Sdiv,
            BinaryOp::Div => BinOp::Udiv,
            BinaryOp::Rem if signed => BinOp::Srem,
            BinaryOp::Rem => BinOp::Urem,
            BinaryOp::Add => BinOp::Add,
            BinaryOp::Sub => BinOp::Sub,
            BinaryOp::And => BinOp::And,
            BinaryOp::Xor => BinOp::Xor,
            BinaryOp::Or => BinOp::Or,
            comparison => {
                let order = match signed {
                    _ if self.are_addresses(&a, &b) => ADDRESSES,
                    true => [BinOp::Slt, BinOp::Sle],
                    false => [BinOp::Ult, BinOp::Ule],
                };
                return Ok(self.compare(comparison, a, b, width, order));
            }
        };
        let (a, b) = self.check_operator(operator, a, b, Number { width, signed }, span);
        let expr = fold::binary(op, a, b, width);
        if !signed && matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul) {
            self.note_wrap(&expr);
        }
        Ok(TypedValue::new(expr, ty))
    }

    /// Arithmetic of unsigned numbers, which may wrap around.
    fn note_wrap(&mut self, result: &Expr) {
        self.program.wraps |= !matches!(result, Expr::Const { .. });
    }

    /// Whether two integers were converted from pointers.
    fn are_addresses(&self, a: &Expr, b: &Expr) -> bool {
        let known = &self.body.addresses;
        known.contains(a) && known.contains(b)
    }

    fn compare(
        &mut self,
        op: BinaryOp,
        a: Expr,
        b: Expr,
        width: Width,
        [less, at_most]: [BinOp; 2],
    ) -> TypedValue {
        let truth = match op {
            BinaryOp::Lt => fold::binary(less, a, b, width),
            BinaryOp::Gt => fold::binary(less, b, a, width),
            BinaryOp::Le => fold::binary(at_most, a, b, width),
            BinaryOp::Ge => fold::binary(at_most, b, a, width),
            BinaryOp::Ne => fold::binary(BinOp::Ne, a, b, width),
            _ => fold::binary(BinOp::Eq, a, b, width),
        };
        self.int_of_truth(truth)
    }

    fn shift(
        &mut self,
        op: BinaryOp,
        a: TypedValue,
        b: TypedValue,
        span: Span,
    ) -> Lowered<TypedValue> {
        let (a, b) = (self.promote(a, span)?, self.promote(b, span)?);
        let width = self.scalar_width(a.ty, span)?;
        let amount_width = self.scalar_width(b.ty, span)?;
        self.check_shift(&b.expr, amount_width, width, span);
        if op == BinaryOp::Shl && self.types.signed(a.ty) {
            self.check_left_shift(&a.expr, &b.expr, amount_width, width, span);
        }
        let amount = fold::resize(b.expr, amount_width, width, false);
        let op = match op {
            BinaryOp::Shl => BinOp::Shl,
            _ if self.types.signed(a.ty) => BinOp::Ashr,
            _ => BinOp::Lshr,
        };
        let expr = fold::binary(op, a.expr, amount, width);
        if op == BinOp::Shl && !self.types.signed(a.ty) {
            self.note_wrap(&expr);
        }
        Ok(TypedValue::new(expr, a.ty))
    }

    /// An index in bytes: `index * size`, of pointer width.
    pub fn scaled(&mut self, index: TypedValue, elem: TypeId, span: Span) -> Lowered<Expr> {
        let size = self.size_of(elem, span)?;
        let width = self.scalar_width(index.ty, span)?;
        if !self.types.is_integer(index.ty) {
            return wrong(span, "an index has to be an integer");
        }
        let index = fold::resize(
            index.expr,
            width,
            self.pointer_width(),
            self.types.signed(index.ty),
        );
        Ok(fold::binary(
            BinOp::Mul,
            index,
            self.pointer_constant(size),
            self.pointer_width(),
        ))
    }

    /// `pointer + index`, or `pointer - index`.
    fn offset(
        &mut self,
        pointer: TypedValue,
        index: TypedValue,
        minus: bool,
        span: Span,
    ) -> Lowered<TypedValue> {
        let elem = self
            .types
            .pointee(pointer.ty)
            .expect("the caller has seen a pointer");
        let step = (elem, minus);
        let (pointer, index) = self.check_distance(pointer, index, step, span)?;
        let bytes = self.scaled(index, elem, span)?;
        let op = if minus { BinOp::Sub } else { BinOp::Add };
        let expr = fold::binary(op, pointer.expr, bytes, self.pointer_width());
        Ok(TypedValue::new(expr, self.types.pointer(elem)))
    }

    /// `a - b` in elements. The difference is a multiple of the size, so a shift divides exactly.
    fn distance(
        &mut self,
        a: TypedValue,
        b: TypedValue,
        elem: TypeId,
        span: Span,
    ) -> Lowered<TypedValue> {
        let size = self.size_of(elem, span)?.max(1);
        let width = self.pointer_width();
        let bytes = fold::binary(BinOp::Sub, a.expr, b.expr, width);
        let expr = match size.is_power_of_two() {
            true if size == 1 => bytes,
            true => fold::binary(
                BinOp::Ashr,
                bytes,
                Expr::constant(u64::from(size.trailing_zeros()), width),
                width,
            ),
            false => fold::binary(BinOp::Sdiv, bytes, Expr::constant(size, width), width),
        };
        Ok(TypedValue::new(expr, self.types.ptrdiff_t()))
    }
}
