//! Atomic operations that C's builtins have not: a value is computed from the old one, and put in its place by
//! compare-exchange until that was the old one.

use super::build;
use super::function::FunctionTranslation;
use super::types::Translated;
use crate::front::c::ast::{Expr, IntKind, UnaryOp};
use crate::front::llvm::ast::{Instruction, IntPredicate, RmwOp, Type};

impl FunctionTranslation<'_, '_> {
    /// `atomicrmw` with the larger or the smaller of two integers.
    pub(super) fn rmw_by_exchange(
        &mut self,
        i: &Instruction,
        op: RmwOp,
        ty: &Type,
        operands: (Expr, Expr, Expr),
    ) -> Translated<()> {
        let keeps = match op {
            RmwOp::Max => IntPredicate::Sgt,
            RmwOp::Min => IntPredicate::Slt,
            RmwOp::UMax => IntPredicate::Ugt,
            RmwOp::UMin => IntPredicate::Ult,
            other => return Err(format!("`atomicrmw` with {other:?}").to_lowercase()),
        };
        let (pointer, value, order) = operands;
        let span = self.span;
        let c = self.module.types.c(ty)?;
        let register = self.variable(i.result.as_deref().unwrap_or_default());
        let (old, operand) = (format!("{register}.old"), format!("{register}.operand"));
        let relaxed = || build::int(0, IntKind::Int, span);
        let load = build::call("__atomic_load_n", vec![pointer.clone(), relaxed()], span);
        for (name, value) in [(&old, load), (&operand, value)] {
            self.items.push(build::local(&c, name, Some(value), span));
        }
        let again = format!("{register}.again");
        self.push(build::label(&again, span));
        let (first, second) = (build::name(&old, span), build::name(&operand, span));
        let stays = self
            .module
            .compared(keeps, first.clone(), second.clone(), ty, span)?;
        let new = build::conditional(stays, first.clone(), second, span);
        let args = vec![
            pointer,
            build::address(&old, span),
            new,
            relaxed(),
            order,
            relaxed(),
        ];
        let done = build::call("__atomic_compare_exchange_n", args, span);
        let failed = build::unary(UnaryOp::Not, done);
        self.push(build::when(failed, vec![build::goto(&again, span)]));
        self.define(i, ty, first)
    }
}
