//! Arithmetic that is undefined in C: signed overflow, division by zero, shifts too far.
//!
//! Here numbers wrap around and division by zero has a value, so nothing depends on these
//! assertions; they are there only when they are asked for. What surely goes well is not
//! asserted. Operations on `_Atomic` objects wrap in C, too.

use super::{Lowering, TypedValue, fold};
use crate::front::c::ast::BinaryOp;
use base::source::Span;
use ir::program::{BinOp, Expr, Op, Property, PropertyKind, Rule, UnOp, Width, mask};

/// True for operators that some operands have no result for.
pub(super) fn may_go_wrong(op: BinaryOp) -> bool {
    use BinaryOp::{Add, Div, Mul, Rem, Shl, Shr, Sub};
    matches!(op, Add | Sub | Mul | Div | Rem | Shl | Shr)
}

fn least(width: Width) -> Expr {
    Expr::constant(1 << (width - 1), width)
}

fn not(a: Expr) -> Expr {
    fold::not(a)
}

/// A type of integers.
#[derive(Clone, Copy)]
pub(super) struct Number {
    pub(super) width: Width,
    pub(super) signed: bool,
}

impl Lowering<'_> {
    /// Whether operators may be asserted to go well.
    pub(super) fn checks_arithmetic(&self) -> bool {
        self.is_checked(PropertyKind::Overflow) || self.is_checked(PropertyKind::DivisionByZero)
    }

    pub(super) fn is_checked(&self, kind: PropertyKind) -> bool {
        self.options.checks.contains(&kind) && !self.unevaluated
    }

    /// Asserts what an arithmetic operator needs of its operands, and returns them.
    pub(super) fn check_operator(
        &mut self,
        op: BinaryOp,
        a: Expr,
        b: Expr,
        number: Number,
        span: Span,
    ) -> (Expr, Expr) {
        let Number { width, signed } = number;
        let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
        let overflow = signed && may_go_wrong(op) && self.is_checked(PropertyKind::Overflow);
        let by_zero = divides && self.is_checked(PropertyKind::DivisionByZero);
        if !(overflow || by_zero) {
            return (a, b);
        }
        let (a, b) = (self.bind(a), self.bind(b));
        if by_zero {
            let zero = Expr::constant(0, width);
            let cond = fold::binary(BinOp::Ne, b.clone(), zero, width);
            let text = "the divisor is not zero";
            self.check(Rule::DivisionByZero, cond, text, span);
        }
        if overflow {
            let cond = self.fits(op, &a, &b, width);
            let text = match op {
                BinaryOp::Add => "the sum does not overflow",
                BinaryOp::Sub => "the difference does not overflow",
                BinaryOp::Mul => "the product does not overflow",
                _ => "the quotient does not overflow",
            };
            self.check(Rule::Overflow, cond, text, span);
        }
        (a, b)
    }

    /// Asserts that a number may be negated.
    pub(super) fn check_negation(&mut self, value: &TypedValue, width: Width, span: Span) {
        if self.types.signed(value.ty) && self.is_checked(PropertyKind::Overflow) {
            let cond = fold::binary(BinOp::Ne, value.expr.clone(), least(width), width);
            let text = "the negation does not overflow";
            self.check(Rule::Overflow, cond, text, span);
        }
    }

    /// Asserts that a floating-point number that becomes an integer is in its range.
    pub(super) fn check_conversion(&mut self, fits: &Expr, span: Span) {
        if self.is_checked(PropertyKind::Overflow) {
            let text = "the number is in the range of the integer type";
            self.check(Rule::Overflow, fits.clone(), text, span);
        }
    }

    /// Asserts that a value of `width` bits is shifted by fewer.
    pub(super) fn check_shift(
        &mut self,
        amount: &Expr,
        amount_width: Width,
        width: Width,
        span: Span,
    ) {
        if self.is_checked(PropertyKind::Overflow) {
            let limit = Expr::constant(u64::from(width), amount_width);
            let cond = fold::binary(BinOp::Ult, amount.clone(), limit, amount_width);
            let text = "the value is shifted by fewer bits than it has";
            self.check(Rule::Shift, cond, text, span);
        }
    }

    /// Asserts that a signed value of `width` bits, shifted to the left, is a value of its type.
    pub(super) fn check_left_shift(
        &mut self,
        value: &Expr,
        amount: &Expr,
        amount_width: Width,
        width: Width,
        span: Span,
    ) {
        if self.options.left_shifts && self.is_checked(PropertyKind::Overflow) {
            let amount = fold::resize(amount.clone(), amount_width, width, false);
            let greatest = Expr::constant(mask(width - 1), width);
            let greatest = fold::binary(BinOp::Lshr, greatest, amount, width);
            let zero = Expr::constant(0, width);
            let low = fold::binary(BinOp::Sle, zero, value.clone(), width);
            let high = fold::binary(BinOp::Sle, value.clone(), greatest, width);
            let cond = fold::binary(BinOp::And, low, high, 1);
            let text = "the shifted value does not overflow";
            self.check(Rule::Overflow, cond, text, span);
        }
    }

    /// The result of a signed operator is a value of the type.
    fn fits(&mut self, op: BinaryOp, a: &Expr, b: &Expr, width: Width) -> Expr {
        let (zero, ones) = (Expr::constant(0, width), Expr::constant(mask(width), width));
        let binary = |op, a: &Expr, b: &Expr| fold::binary(op, a.clone(), b.clone(), width);
        let positive = |a: Expr| fold::binary(BinOp::Sle, zero.clone(), a, width);
        let least_by_minus_one = || {
            let (x, y) = (
                binary(BinOp::Eq, a, &least(width)),
                binary(BinOp::Eq, b, &ones),
            );
            fold::binary(BinOp::And, x, y, 1)
        };
        match op {
            // Both operands have the sign that the sum has not.
            BinaryOp::Add => {
                let sum = binary(BinOp::Add, a, b);
                let (x, y) = (binary(BinOp::Xor, a, &sum), binary(BinOp::Xor, b, &sum));
                positive(binary(BinOp::And, &x, &y))
            }
            BinaryOp::Sub => {
                let difference = binary(BinOp::Sub, a, b);
                let (x, y) = (binary(BinOp::Xor, a, b), binary(BinOp::Xor, a, &difference));
                positive(binary(BinOp::And, &x, &y))
            }
            BinaryOp::Mul if width <= 32 => {
                let wide = 2 * width;
                let (x, y) = (
                    fold::resize(a.clone(), width, wide, true),
                    fold::resize(b.clone(), width, wide, true),
                );
                let product = self.bind(fold::binary(BinOp::Mul, x, y, wide));
                let truncated = fold::resize(product.clone(), wide, width, true);
                let again = fold::resize(truncated, width, wide, true);
                fold::binary(BinOp::Eq, product, again, wide)
            }
            BinaryOp::Mul => self.long_product_fits(a, b, width),
            _ => not(least_by_minus_one()),
        }
    }

    /// For products that no wider type holds: by the halves of the absolute values. One high half
    /// has to be 0, so that there is one cross product, which has to be less than a half itself.
    fn long_product_fits(&mut self, a: &Expr, b: &Expr, width: Width) -> Expr {
        let half = width / 2;
        let constant = |value: u64| Expr::constant(value, width);
        let binary = |op, a: Expr, b: Expr| fold::binary(op, a, b, width);
        let below = |a: Expr| fold::binary(BinOp::Slt, a, constant(0), width);
        let absolute = |a: &Expr| {
            let negated = fold::unary(UnOp::Neg, a.clone(), width);
            fold::choose(below(a.clone()), negated, a.clone())
        };
        let (x, y) = (self.bind(absolute(a)), self.bind(absolute(b)));
        let high = |x: &Expr| binary(BinOp::Lshr, x.clone(), constant(u64::from(half)));
        let low = |x: &Expr| binary(BinOp::And, x.clone(), constant(mask(half)));
        let left = binary(BinOp::Mul, high(&x), low(&y));
        let right = binary(BinOp::Mul, low(&x), high(&y));
        let cross = self.bind(binary(BinOp::Add, left, right));
        let lows = self.bind(binary(BinOp::Mul, low(&x), low(&y)));
        let shifted = binary(BinOp::Shl, cross.clone(), constant(u64::from(half)));
        let sum = self.bind(binary(BinOp::Add, lows.clone(), shifted));
        let negative = Expr::binary(BinOp::Ne, below(a.clone()), below(b.clone()));
        let limit = fold::choose(negative, least(width), constant(mask(width - 1)));
        let is_zero = |a: Expr| binary(BinOp::Eq, a, constant(0));
        let conditions = [
            binary(BinOp::Ule, cross, constant(mask(half))),
            binary(BinOp::Ule, lows, sum.clone()),
            binary(BinOp::Ule, sum, limit),
        ];
        let one_half = fold::binary(BinOp::Or, is_zero(high(&x)), is_zero(high(&y)), 1);
        conditions
            .into_iter()
            .fold(one_half, |all, c| fold::binary(BinOp::And, all, c, 1))
    }

    pub(super) fn check(&mut self, rule: Rule, cond: Expr, text: &str, span: Span) {
        if matches!(cond, Expr::Const { value: 1, .. }) {
            return;
        }
        self.body.span = span;
        let property = Property::new(rule, text);
        self.emit(Op::Assert { cond, property });
    }
}
