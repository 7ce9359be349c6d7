//! Is an expression free of memory accesses, calls and effects?

use super::Lowering;
use super::names::Entity;
use crate::front::c::ast::*;
use crate::front::c::types::Type;

impl Lowering<'_> {
    /// True when evaluating the expression emits no instruction.
    pub fn is_pure(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Ident(name) => match self.scopes.find(name) {
                Some(Entity::Register(..) | Entity::Constant(..) | Entity::Function) => true,
                Some(Entity::Stack(_, ty, _)) => matches!(self.types.get(*ty), Type::Array(..)),
                Some(Entity::Variable(v)) => {
                    matches!(self.types.get(self.variables[*v].ty), Type::Array(..))
                }
                _ => false,
            },
            ExprKind::Int(..) | ExprKind::Float(..) | ExprKind::Str(_) => true,
            ExprKind::SizeofType(_)
            | ExprKind::SizeofExpr(_)
            | ExprKind::Alignof(_)
            | ExprKind::Offsetof(..) => true,
            ExprKind::Unary(UnaryOp::Address, inner) => match &inner.kind {
                ExprKind::Ident(name) => {
                    !matches!(self.scopes.find(name), Some(Entity::Register(..)))
                }
                _ => false,
            },
            ExprKind::Unary(UnaryOp::Deref, _) => false,
            ExprKind::Unary(UnaryOp::Minus, _) if self.checks_arithmetic() => false,
            ExprKind::Binary(op, ..) if self.checks_arithmetic() && may_go_wrong(*op) => false,
            ExprKind::Unary(_, inner) | ExprKind::Cast(_, inner) => self.is_pure(inner),
            ExprKind::Binary(_, a, b) | ExprKind::Logical(_, a, b) => {
                self.is_pure(a) && self.is_pure(b)
            }
            ExprKind::Conditional(c, a, b) => {
                self.is_pure(c) && a.as_ref().is_none_or(|a| self.is_pure(a)) && self.is_pure(b)
            }
            _ => false,
        }
    }
}

/// True for operators that some operands have no result for.
pub(super) fn may_go_wrong(op: BinaryOp) -> bool {
    use BinaryOp::{Add, Div, Mul, Rem, Shl, Shr, Sub};
    matches!(op, Add | Sub | Mul | Div | Rem | Shl | Shr)
}
