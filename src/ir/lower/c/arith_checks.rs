//! Arithmetic that has no meaning in C: signed overflow, division by zero, shifts too far.
//!
//! Here numbers wrap around and division by zero has a value, so nothing depends on these
//! assertions; they are there only when somebody asks for them. What surely goes well is not
//! asserted. Operations on `_Atomic` objects wrap in C, too.

use super::{Lowering, Value, fold};
use crate::front::c::ast::BinaryOp;
use crate::front::source::Span;
use crate::ir::program::{BinOp, Expr, Op, Property, PropertyKind, UnOp, Width, mask};

/// True for operators that some operands have no result for.
pub(super) fn may_go_wrong(op: BinaryOp) -> bool {
    use BinaryOp::{Add, Div, Mul, Rem, Shl, Shr, Sub};
    matches!(op, Add | Sub | Mul | Div | Rem | Shl | Shr)
}

fn least(width: Width) -> Expr {
    Expr::constant(1 << (width - 1), width)
}

fn not(a: Expr) -> Expr {
    fold::unary(UnOp::Not, a, 1)
}

impl Lowering<'_> {
    /// Whether operators may be asserted to go well.
    pub(super) fn checks_arithmetic(&self) -> bool {
        self.is_checked(PropertyKind::Overflow) || self.is_checked(PropertyKind::DivisionByZero)
    }

    fn is_checked(&self, kind: PropertyKind) -> bool {
        self.checks.contains(&kind) && !self.unevaluated
    }

    /// Asserts what an arithmetic operator needs of its operands, and returns them.
    pub(super) fn check_operator(
        &mut self,
        op: BinaryOp,
        (a, b): (Expr, Expr),
        (width, signed): (Width, bool),
        span: Span,
    ) -> (Expr, Expr) {
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
            self.check(PropertyKind::DivisionByZero, cond, text, span);
        }
        if overflow {
            let cond = self.fits(op, &a, &b, width);
            let text = match op {
                BinaryOp::Add => "the sum does not overflow",
                BinaryOp::Sub => "the difference does not overflow",
                BinaryOp::Mul => "the product does not overflow",
                _ => "the quotient does not overflow",
            };
            self.check(PropertyKind::Overflow, cond, text, span);
        }
        (a, b)
    }

    /// Asserts that a number may be negated.
    pub(super) fn check_negation(&mut self, value: &Value, width: Width, span: Span) {
        if self.types.signed(value.ty) && self.is_checked(PropertyKind::Overflow) {
            let cond = fold::binary(BinOp::Ne, value.expr.clone(), least(width), width);
            let text = "the negation does not overflow";
            self.check(PropertyKind::Overflow, cond, text, span);
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
            self.check(PropertyKind::Overflow, cond, text, span);
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
                let cut = fold::resize(product.clone(), wide, width, true);
                let again = fold::resize(cut, width, wide, true);
                fold::binary(BinOp::Eq, product, again, wide)
            }
            BinaryOp::Mul => {
                let product = self.bind(binary(BinOp::Mul, a, b));
                let back = binary(BinOp::Sdiv, &product, a);
                let exact = fold::binary(BinOp::Eq, back, b.clone(), width);
                let swapped = fold::binary(
                    BinOp::And,
                    binary(BinOp::Eq, a, &ones),
                    binary(BinOp::Eq, b, &least(width)),
                    1,
                );
                let exact = fold::binary(BinOp::And, exact, not(swapped), 1);
                let nothing = binary(BinOp::Eq, a, &zero);
                fold::binary(BinOp::Or, nothing, exact, 1)
            }
            _ => not(least_by_minus_one()),
        }
    }

    fn check(&mut self, kind: PropertyKind, cond: Expr, text: &str, span: Span) {
        if matches!(cond, Expr::Const { value: 1, .. }) {
            return;
        }
        let text = text.to_string();
        self.body.span = span;
        self.emit(Op::Assert {
            cond,
            property: Property { kind, text },
        });
    }
}
