//! `&&`, `||` and `?:`, as values and as jumps.
//!
//! Where the guarded operand is pure, the operator is an expression: a branch less to follow.

use super::body::Label;
use super::{Lowered, Lowering, TypedValue, fold};
use crate::front::c::ast::{Expr as Ast, ExprKind, UnaryOp};
use crate::front::c::types::{Type, TypeId};
use base::source::Span;
use ir::program::{BinOp, Expr, Op};

impl<'a> Lowering<'a> {
    /// Jumps to `to` when the condition has the value `when`, and goes on otherwise.
    pub fn branch(&mut self, e: &'a Ast, when: bool, to: Label) -> Lowered<()> {
        match &e.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => return self.branch(inner, !when, to),
            ExprKind::Logical(and, a, b) if !self.is_pure(b) => {
                if *and != when {
                    // `a && b` is false as soon as `a` is; `a || b` true.
                    self.branch(a, when, to)?;
                    self.where_reached(|this| this.branch(b, when, to))?;
                    return Ok(());
                }
                let skip = self.body.label();
                self.branch(a, !when, skip)?;
                self.where_reached(|this| this.branch(b, when, to))?;
                self.body.place(skip);
                return Ok(());
            }
            _ => {}
        }
        let value = self.sign_of(e)?;
        let truth = self.truth(value, e.span)?;
        let cond = if when { truth } else { fold::not(truth) };
        self.body.span = e.span;
        match cond {
            Expr::Const { value: 0, .. } => {}
            Expr::Const { .. } => self.body.jump(None, to),
            cond => self.body.jump(Some(cond), to),
        }
        Ok(())
    }

    pub fn logical(&mut self, e: &'a Ast) -> Lowered<TypedValue> {
        let ExprKind::Logical(and, a, b) = &e.kind else {
            return self.value(e);
        };
        if self.is_pure(b) {
            let (x, y) = (self.sign_of(a)?, self.value(b)?);
            let (x, y) = (self.truth(x, a.span)?, self.truth(y, b.span)?);
            let op = if *and { BinOp::And } else { BinOp::Or };
            return Ok(self.int_of_truth(fold::binary(op, x, y, 1)));
        }
        let result = self.body.local("", 1);
        let (other, end) = (self.body.label(), self.body.label());
        self.branch(e, false, other)?;
        self.body.span = e.span;
        self.emit(Op::Assign {
            dst: result,
            value: Expr::constant(1, 1),
        });
        self.body.jump(None, end);
        self.body.place(other);
        self.emit(Op::Assign {
            dst: result,
            value: Expr::constant(0, 1),
        });
        self.body.place(end);
        Ok(self.int_of_truth(Expr::Local(result)))
    }

    pub fn conditional(
        &mut self,
        c: &'a Ast,
        a: Option<&'a Ast>,
        b: &'a Ast,
        span: Span,
    ) -> Lowered<TypedValue> {
        let Some(a) = a else {
            return self.elvis(c, b, span);
        };
        if self.is_pure(a) && self.is_pure(b) {
            let test = self.sign_of(c)?;
            let test = self.truth(test, c.span)?;
            let (x, y) = (self.value(a)?, self.value(b)?);
            let ty = self.join_types(&x, &y);
            let (x, y) = (self.convert(x, ty, a.span)?, self.convert(y, ty, b.span)?);
            return self.chosen_value(test, x, y, span);
        }
        if self.types.has_int128()
            && !self.unevaluated
            && let Some(ty) = self.int128_type_of_either(a, b)?
        {
            return self.int128_conditional(c, (a, b), ty, span);
        }
        let (other, end) = (self.body.label(), self.body.label());
        self.branch(c, false, other)?;
        let x = self.where_reached(|this| this.value(a))?;
        // The type of the result is known after both halves; this assignment is completed then.
        self.body.span = span;
        let hole = self.body.proc.body.len();
        let scratch = self.body.local("", 32);
        self.emit(Op::Assign {
            dst: scratch,
            value: Expr::constant(0, 32),
        });
        self.body.jump(None, end);
        self.body.place(other);
        let y = self.where_reached(|this| this.value(b))?;
        // A half that is not supported has the type of the other one: execution has stopped there.
        let none = self.int_value(0);
        let like =
            |v: &TypedValue| TypedValue::new(Expr::constant(0, self.width_of(&v.expr)), v.ty);
        let (x, y) = match (x, y) {
            (Some(x), Some(y)) => (x, y),
            (Some(x), None) => (x.clone(), like(&x)),
            (None, Some(y)) => (like(&y), y),
            (None, None) => (none.clone(), none),
        };
        let ty = self.join_types(&x, &y);
        self.body.span = span;
        if matches!(self.types.get(ty), Type::Void) {
            self.body.place(end);
            return Ok(self.void());
        }
        let (x, y) = (self.convert(x, ty, a.span)?, self.convert(y, ty, b.span)?);
        let width = self.width_of(&x.expr);
        let dst = self.body.local("", width);
        self.body.proc.body[hole].op = Op::Assign { dst, value: x.expr };
        self.emit(Op::Assign { dst, value: y.expr });
        self.body.place(end);
        Ok(TypedValue::new(Expr::Local(dst), ty))
    }

    /// One of two values of a type.
    fn chosen_value(
        &mut self,
        test: Expr,
        x: TypedValue,
        y: TypedValue,
        span: Span,
    ) -> Lowered<TypedValue> {
        if self.types.is_int128(x.ty) {
            return self.int128_choice(test, x, y, span);
        }
        Ok(TypedValue::new(fold::choose(test, x.expr, y.expr), x.ty))
    }

    /// GNU's `c ?: b`.
    pub fn elvis(&mut self, c: &'a Ast, b: &'a Ast, span: Span) -> Lowered<TypedValue> {
        let mut x = self.value(c)?;
        x.expr = self.bind(x.expr);
        let test = self.truth(x.clone(), c.span)?;
        if self.is_pure(b) {
            let y = self.value(b)?;
            let ty = self.join_types(&x, &y);
            let (x, y) = (self.convert(x, ty, c.span)?, self.convert(y, ty, b.span)?);
            return self.chosen_value(test, x, y, b.span);
        }
        let ty = self.type_of(b)?;
        let ty = self.decayed(ty);
        let ty = self.join_types(&x, &TypedValue::new(Expr::constant(0, 32), ty));
        let x = self.convert(x, ty, c.span)?;
        let width = self.width_of(&x.expr);
        let dst = self.body.local("", width);
        self.emit(Op::Assign { dst, value: x.expr });
        let end = self.body.label();
        self.body.jump(Some(test), end);
        let y = self.value_for(b, ty)?;
        self.body.span = span;
        self.emit(Op::Assign { dst, value: y.expr });
        self.body.place(end);
        Ok(TypedValue::new(Expr::Local(dst), ty))
    }

    /// The type of `c ? a : b`.
    pub fn join_types(&mut self, a: &TypedValue, b: &TypedValue) -> TypeId {
        let (x, y) = (self.types.plain(a.ty), self.types.plain(b.ty));
        if x == y && !self.types.is_integer(x) {
            return x;
        }
        let void = |this: &Self, ty| matches!(this.types.get(ty), Type::Void);
        if void(self, x) || void(self, y) {
            return self.types.id(Type::Void);
        }
        match (self.types.pointee(x), self.types.pointee(y)) {
            (Some(to), Some(_)) if void(self, to) => y,
            (Some(_), _) => x,
            (None, Some(_)) => y,
            (None, None)
                if [x, y]
                    .into_iter()
                    .all(|ty| self.types.is_integer(ty) || self.types.is_int128(ty)) =>
            {
                self.common(x, y)
            }
            (None, None) if self.types.is_float(x) || self.types.is_float(y) => {
                self.common_float(x, y)
            }
            // A conversion will say what is wrong.
            (None, None) => x,
        }
    }
}
