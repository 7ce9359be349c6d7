//! Results of which C says the sign alone, or only whether they are zero: of comparisons of strings
//! and memory (C11 7.24.4) and of the classification of characters (C11 7.4.1).
//!
//! They are any number of that sign. Most programs compare them with zero and see no difference;
//! where the call stands in such a comparison, no number is chosen at all, so that the enumeration
//! has nothing to enumerate.

use super::registry;
use super::row::Returns;
use super::{Lowered, Lowering, TypedValue};
use crate::front::c::ast::{BinaryOp, Expr as Ast, ExprKind};
use crate::lower::c::fold;
use base::source::Span;
use ir::program::{BinOp, Expr, Op, mask};

/// What the row of a function says of its result: its sign, or whether it is zero.
fn said(name: &str) -> Option<Returns> {
    let returns = registry::find(name).map(|(_, row)| row.returns);
    returns.filter(|returns| matches!(returns, Returns::Sign | Returns::Truth))
}

/// True for a comparison with the constant zero.
pub(crate) fn compares_with_zero(op: BinaryOp, a: &Ast, b: &Ast) -> bool {
    let zero = |e: &Ast| matches!(e.kind, ExprKind::Int(0, _));
    match op {
        BinaryOp::Eq | BinaryOp::Ne => zero(a) || zero(b),
        BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge => {
            // Whether it is zero says nothing of the sign.
            let sign = |e: &Ast| called_name(e).and_then(said) != Some(Returns::Truth);
            (zero(a) && sign(b)) || (zero(b) && sign(a))
        }
        _ => false,
    }
}

/// The name of the function that an expression calls.
fn called_name(e: &Ast) -> Option<&str> {
    match &e.kind {
        ExprKind::Call(callee, _) => match &callee.kind {
            ExprKind::Ident(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

impl<'a> Lowering<'a> {
    /// The value of an expression that is compared with zero and not looked at further.
    pub(crate) fn sign_of(&mut self, e: &'a Ast) -> Lowered<TypedValue> {
        self.sign_alone = called_name(e).and_then(said).is_some();
        self.value(e)
    }

    /// Any number of which the same is said as of this one, an `int`.
    pub(super) fn any_like(
        &mut self,
        returns: Returns,
        known: TypedValue,
        span: Span,
    ) -> TypedValue {
        if matches!(known.expr, Expr::Const { value: 0, .. }) {
            return known;
        }
        let known_sign = self.bind(known.expr);
        let any = self.temp(32);
        self.emit_at(span, Op::Havoc { dst: any });
        let (any, zero) = (Expr::Local(any), Expr::constant(0, 32));
        // A number that is not zero, of those that this mask leaves.
        let one_of = |bits: u64| {
            let number = fold::binary(BinOp::And, any.clone(), Expr::constant(bits, 32), 32);
            let none = fold::binary(BinOp::Eq, number.clone(), zero.clone(), 32);
            fold::choose(none, Expr::constant(1, 32), number)
        };
        let other = match returns {
            Returns::Sign => {
                let top = Expr::constant(1 << 31, 32);
                let negative = fold::binary(BinOp::Or, any.clone(), top, 32);
                let below = fold::binary(BinOp::Slt, known_sign.clone(), zero.clone(), 32);
                fold::choose(below, negative, one_of(mask(31)))
            }
            _ => one_of(mask(32)),
        };
        let none = fold::binary(BinOp::Eq, known_sign, zero.clone(), 32);
        let expr = fold::choose(none, zero, other);
        TypedValue { expr, ty: known.ty }
    }
}
