//! Expressions: every one becomes a pure value over registers and the instructions before it.

use super::declare::silent;
use super::names::Entity;
use super::{Lowered, Lowering, Place, Value, fold};
use crate::front::c::ast::{BinaryOp, Designator, Expr as Ast, ExprKind, Ident, TypeName, UnaryOp};
use crate::front::c::types::{Type, TypeId};
use crate::front::diag::Diag;
use crate::front::source::Span;
use crate::ir::program::{BinOp, Expr, Op, Order, RmwOp, UnOp};

impl<'a> Lowering<'a> {
    /// The value of an expression.
    pub fn value(&mut self, e: &'a Ast) -> Lowered<Value> {
        let span = e.span;
        if self.is_place(e) {
            let place = self.place(e)?;
            return self.read(place, span);
        }
        match &e.kind {
            ExprKind::Ident(name) => self.named_value(name, span),
            ExprKind::Int(value, kind) => {
                let ty = self.types.id(Type::Int(*kind));
                Ok(Value {
                    expr: Expr::constant(*value, self.types.int_width(*kind)),
                    ty,
                })
            }
            ExprKind::Float => self.unsupported(span, "a floating-point number"),
            ExprKind::Unary(UnaryOp::Address, inner) => self.address_of(inner, span),
            ExprKind::Unary(op, inner) => {
                let value = self.value(inner)?;
                self.unary(*op, value, span)
            }
            ExprKind::Step {
                operand,
                delta,
                postfix,
            } => {
                let one = self.int_value(1);
                let op = if *delta > 0 {
                    BinaryOp::Add
                } else {
                    BinaryOp::Sub
                };
                let place = self.place(operand)?;
                self.update(place, op, |_| Ok(one), *postfix, span)
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                self.binary(*op, a, b, span)
            }
            ExprKind::Logical(..) => self.logical(e),
            ExprKind::Assign(None, lhs, rhs) => {
                let place = self.place(lhs)?;
                let ty = Self::place_type(&place);
                if matches!(self.types.get(ty), Type::Array(..) | Type::Function(_)) {
                    return Err(Diag::error(
                        lhs.span,
                        format!("`{}` cannot be assigned", self.types.show(ty)),
                    ));
                }
                let value = self.value_for(rhs, ty)?;
                self.write(place, value, span)
            }
            ExprKind::Assign(Some(op), lhs, rhs) => {
                let place = self.place(lhs)?;
                self.update(place, *op, |this| this.value(rhs), false, span)
            }
            ExprKind::Conditional(c, a, b) => self.conditional(c, a.as_deref(), b, span),
            ExprKind::Comma(list) => {
                let (last, first) = list
                    .split_last()
                    .ok_or_else(|| Diag::error(span, "an empty expression"))?;
                for e in first {
                    self.discard(e)?;
                }
                self.value(last)
            }
            ExprKind::Call(callee, args) => self.call(callee, args, span, None),
            ExprKind::Member { .. } => {
                let place = self.place(e)?;
                self.read(place, span)
            }
            ExprKind::Cast(ty, inner) => {
                let ty = self.named_type(ty)?;
                if matches!(self.types.get(ty), Type::Void) {
                    self.discard(inner)?;
                    return Ok(self.void());
                }
                let value = self.value_hinted(inner, ty)?;
                self.convert(value, ty, span)
            }
            ExprKind::SizeofType(ty) => {
                let ty = self.named_type(ty)?;
                let size = self.size_of(ty, span)?;
                Ok(self.size_value(size))
            }
            ExprKind::SizeofExpr(e) => {
                let ty = self.type_of(e)?;
                let size = self.size_of(ty, span)?;
                Ok(self.size_value(size))
            }
            ExprKind::Alignof(ty) => {
                let ty = self.named_type(ty)?;
                let align = self.types.align(ty);
                Ok(self.size_value(align))
            }
            ExprKind::Offsetof(ty, path) => self.offsetof(ty, path),
            ExprKind::Generic(subject, cases) => {
                let chosen = self.choose_generic(subject, cases)?;
                self.value(chosen)
            }
            ExprKind::Block(items) => self.statement_expression(items, span),
            ExprKind::Unsupported(name) => self.unsupported(span, name),
            ExprKind::Str(_) | ExprKind::Index(..) | ExprKind::Compound(..) => {
                let place = self.place(e)?;
                self.read(place, span)
            }
        }
    }

    /// The value of an expression converted to a type, as by assignment.
    pub fn value_for(&mut self, e: &'a Ast, ty: TypeId) -> Lowered<Value> {
        let value = self.value_hinted(e, ty)?;
        self.convert(value, ty, e.span)
    }

    /// A value whose consumer wants this type: tells `malloc` what it allocates.
    fn value_hinted(&mut self, e: &'a Ast, ty: TypeId) -> Lowered<Value> {
        match &e.kind {
            ExprKind::Call(callee, args) => self.call(callee, args, e.span, self.types.pointee(ty)),
            ExprKind::Cast(name, inner) => {
                let to = self.named_type(name)?;
                let void = self
                    .types
                    .pointee(to)
                    .is_some_and(|p| matches!(self.types.get(p), Type::Void));
                if !void {
                    return self.value(e);
                }
                let value = self.value_hinted(inner, ty)?;
                self.convert(value, to, e.span)
            }
            _ => self.value(e),
        }
    }

    /// Evaluates an expression for its effects.
    pub fn discard(&mut self, e: &'a Ast) -> Lowered<()> {
        match &e.kind {
            ExprKind::Step { operand, delta, .. } => {
                let one = self.int_value(1);
                let op = if *delta > 0 {
                    BinaryOp::Add
                } else {
                    BinaryOp::Sub
                };
                let place = self.place(operand)?;
                self.update(place, op, |_| Ok(one), false, e.span)?;
            }
            ExprKind::Comma(list) => {
                for e in list {
                    self.discard(e)?;
                }
            }
            ExprKind::Conditional(c, Some(a), b) => {
                let (other, end) = (self.body.label(), self.body.label());
                self.branch(c, false, other)?;
                self.discard(a)?;
                self.body.jump(None, end);
                self.body.place(other);
                self.discard(b)?;
                self.body.place(end);
            }
            ExprKind::Logical(and, a, b) => {
                let end = self.body.label();
                self.branch(a, !and, end)?;
                self.discard(b)?;
                self.body.place(end);
            }
            _ => {
                self.value(e)?;
            }
        }
        Ok(())
    }

    /// The type of an expression, which is not evaluated; arrays keep their size.
    pub fn type_of(&mut self, e: &'a Ast) -> Lowered<TypeId> {
        let mark = self.body.mark();
        let outer = std::mem::replace(&mut self.unevaluated, true);
        let ty = match self.is_place(e) {
            true => self.place(e).map(|p| Self::place_type(&p)),
            false => match &e.kind {
                ExprKind::Ident(name)
                    if matches!(self.scopes.find(name), Some(Entity::Function)) =>
                {
                    Ok(self.functions[name].ty)
                }
                _ => self.value(e).map(|v| v.ty),
            },
        };
        self.unevaluated = outer;
        self.body.rewind(mark);
        ty
    }

    /// The value of `void` expressions.
    pub fn void(&mut self) -> Value {
        Value {
            expr: Expr::constant(0, 32),
            ty: self.types.id(Type::Void),
        }
    }

    /// A `size_t`.
    pub fn size_value(&mut self, size: u64) -> Value {
        Value {
            expr: self.pointer_constant(size),
            ty: self.types.size_t(),
        }
    }

    fn named_value(&mut self, name: &str, span: Span) -> Lowered<Value> {
        match self.scopes.find(name).cloned() {
            Some(Entity::Constant(value, ty)) => Ok(Value {
                expr: Expr::constant(value, 32),
                ty,
            }),
            Some(Entity::Function) => {
                let proc = self.procedure(name, span);
                let ty = self.functions[name].ty;
                Ok(Value {
                    expr: Expr::Proc(proc),
                    ty: self.types.pointer(ty),
                })
            }
            Some(Entity::Broken) => Err(silent(span)),
            _ => Err(Diag::error(span, format!("`{name}` is not declared"))),
        }
    }

    fn address_of(&mut self, e: &'a Ast, span: Span) -> Lowered<Value> {
        if let ExprKind::Ident(name) = &e.kind {
            if matches!(self.scopes.find(name), Some(Entity::Function)) {
                return self.named_value(name, span);
            }
        }
        if let ExprKind::Unary(UnaryOp::Deref, inner) = &e.kind {
            return self.value(inner);
        }
        let place = self.place(e)?;
        let (expr, ty) = self.address(place, span)?;
        Ok(Value {
            expr,
            ty: self.types.pointer(ty),
        })
    }

    /// `place = place op operand`; the value is the new one, or the old one (`old`).
    fn update(
        &mut self,
        place: Place,
        op: BinaryOp,
        operand: impl FnOnce(&mut Self) -> Lowered<Value>,
        old: bool,
        span: Span,
    ) -> Lowered<Value> {
        let ty = Self::place_type(&place);
        let place = match place {
            Place::Memory(addr, ty) if self.types.is_atomic(ty) => {
                let addr = self.bind(addr);
                let operand = operand(self)?;
                return self.atomic_update(addr, ty, op, operand, old, span);
            }
            Place::Memory(addr, ty) => Place::Memory(self.bind(addr), ty),
            register => register,
        };
        let mut before = self.read(place.clone(), span)?;
        let operand = operand(self)?;
        if old {
            before.expr = match before.expr {
                Expr::Local(l) if matches!(place, Place::Register(..)) => {
                    let width = self.body.proc.locals[l].width;
                    self.body.span = span;
                    self.body.assign(width, Expr::Local(l))
                }
                other => other,
            };
        }
        let after = self.binary(op, before.clone(), operand, span)?;
        let after = self.convert(after, ty, span)?;
        let after = self.write(place, after, span)?;
        Ok(if old { before } else { after })
    }

    /// `op=` on an `_Atomic` object: one read-modify-write, sequentially consistent.
    fn atomic_update(
        &mut self,
        addr: Expr,
        ty: TypeId,
        op: BinaryOp,
        operand: Value,
        old: bool,
        span: Span,
    ) -> Lowered<Value> {
        let plain = self.types.plain(ty);
        let width = self.scalar_width(plain, span)?;
        let rmw = match op {
            BinaryOp::Add => Some(RmwOp::Add),
            BinaryOp::Sub => Some(RmwOp::Sub),
            BinaryOp::And => Some(RmwOp::And),
            BinaryOp::Or => Some(RmwOp::Or),
            BinaryOp::Xor => Some(RmwOp::Xor),
            _ => None,
        };
        let dst = self.body.local("", width);
        let before = Value {
            expr: Expr::Local(dst),
            ty: plain,
        };
        if let (Some(rmw), false) = (rmw, matches!(self.types.get(plain), Type::Bool)) {
            let bits = match self.types.pointee(plain) {
                Some(elem) => self.scaled(operand.clone(), elem, span)?,
                None => self.convert(operand.clone(), plain, span)?.expr,
            };
            self.body.span = span;
            self.emit(Op::Rmw {
                dst,
                addr,
                op: rmw,
                operand: bits,
                order: Order::SeqCst,
            });
            let after = self.binary(op, before.clone(), operand, span)?;
            let after = self.convert(after, plain, span)?;
            return Ok(if old { before } else { after });
        }
        // Other operators: a compare-and-swap that succeeds, with the value read just before.
        let read = self.load(addr.clone(), plain, Order::Relaxed, span)?;
        let after = self.binary(op, read.clone(), operand, span)?;
        let after = self.convert(after, plain, span)?;
        self.body.span = span;
        self.emit(Op::Cas {
            dst,
            addr,
            expected: read.expr.clone(),
            desired: after.expr.clone(),
            success: Order::SeqCst,
            failure: Order::SeqCst,
        });
        self.emit(Op::Assume(Expr::binary(
            BinOp::Eq,
            Expr::Local(dst),
            read.expr,
        )));
        Ok(if old { before } else { after })
    }

    /// Jumps to `to` when the condition has the value `when`, and goes on otherwise.
    pub fn branch(&mut self, e: &'a Ast, when: bool, to: super::body::Label) -> Lowered<()> {
        match &e.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => return self.branch(inner, !when, to),
            ExprKind::Logical(and, a, b) if !self.is_pure(b) => {
                if *and != when {
                    // `a && b` is false as soon as `a` is; `a || b` true.
                    self.branch(a, when, to)?;
                    return self.branch(b, when, to);
                }
                let skip = self.body.label();
                self.branch(a, !when, skip)?;
                self.branch(b, when, to)?;
                self.body.place(skip);
                return Ok(());
            }
            _ => {}
        }
        let value = self.value(e)?;
        let truth = self.truth(value, e.span)?;
        let cond = if when {
            truth
        } else {
            fold::unary(UnOp::Not, truth, 1)
        };
        self.body.span = e.span;
        match cond {
            Expr::Const { value: 0, .. } => {}
            Expr::Const { .. } => self.body.jump(None, to),
            cond => self.body.jump(Some(cond), to),
        }
        Ok(())
    }

    fn logical(&mut self, e: &'a Ast) -> Lowered<Value> {
        let ExprKind::Logical(and, a, b) = &e.kind else {
            return self.value(e);
        };
        if self.is_pure(b) {
            let (x, y) = (self.value(a)?, self.value(b)?);
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

    fn conditional(
        &mut self,
        c: &'a Ast,
        a: Option<&'a Ast>,
        b: &'a Ast,
        span: Span,
    ) -> Lowered<Value> {
        let Some(a) = a else {
            return self.elvis(c, b, span);
        };
        if self.is_pure(a) && self.is_pure(b) {
            let test = self.value(c)?;
            let test = self.truth(test, c.span)?;
            let (x, y) = (self.value(a)?, self.value(b)?);
            let ty = self.join_types(&x, &y);
            let (x, y) = (self.convert(x, ty, a.span)?, self.convert(y, ty, b.span)?);
            return Ok(Value {
                expr: fold::choose(test, x.expr, y.expr),
                ty,
            });
        }
        let (other, end) = (self.body.label(), self.body.label());
        self.branch(c, false, other)?;
        let x = self.value(a)?;
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
        let y = self.value(b)?;
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
        Ok(Value {
            expr: Expr::Local(dst),
            ty,
        })
    }

    /// GNU's `c ?: b`.
    fn elvis(&mut self, c: &'a Ast, b: &'a Ast, span: Span) -> Lowered<Value> {
        let mut x = self.value(c)?;
        x.expr = self.bind(x.expr);
        let test = self.truth(x.clone(), c.span)?;
        if self.is_pure(b) {
            let y = self.value(b)?;
            let ty = self.join_types(&x, &y);
            let (x, y) = (self.convert(x, ty, c.span)?, self.convert(y, ty, b.span)?);
            return Ok(Value {
                expr: fold::choose(test, x.expr, y.expr),
                ty,
            });
        }
        let ty = self.type_of(b)?;
        let ty = self.decayed(ty);
        let ty = self.join_types(
            &x,
            &Value {
                expr: Expr::constant(0, 32),
                ty,
            },
        );
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
        Ok(Value {
            expr: Expr::Local(dst),
            ty,
        })
    }

    /// The type of `c ? a : b`.
    fn join_types(&mut self, a: &Value, b: &Value) -> TypeId {
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
            (None, None) if self.types.is_integer(x) && self.types.is_integer(y) => {
                self.common(x, y)
            }
            // A conversion will say what is wrong.
            (None, None) => x,
        }
    }

    fn offsetof(&mut self, ty: &'a TypeName, path: &'a [Designator]) -> Lowered<Value> {
        let mut current = self.named_type(ty)?;
        let mut offset = 0u64;
        for step in path {
            match step {
                Designator::Member(Ident { name, span }) => {
                    let found = match self.types.get(current) {
                        Type::Record(id) => self.types.member(*id, name),
                        _ => None,
                    };
                    let none = || {
                        Diag::error(
                            *span,
                            format!("`{}` has no member `{name}`", self.types.show(current)),
                        )
                    };
                    let (at, field) = found.ok_or_else(none)?;
                    offset += at;
                    current = field.ty;
                }
                Designator::Index(e) => {
                    let index = self.constant(e)?;
                    let none = || {
                        Diag::error(
                            e.span,
                            format!("`{}` is no array", self.types.show(current)),
                        )
                    };
                    current = self.types.pointee(current).ok_or_else(none)?;
                    offset = offset
                        .wrapping_add(self.size_of(current, e.span)?.wrapping_mul(index as u64));
                }
                Designator::Range(e, _) => {
                    return self.unsupported(e.span, "a range in `offsetof`");
                }
            }
        }
        Ok(self.size_value(offset))
    }

    fn choose_generic(
        &mut self,
        subject: &'a Ast,
        cases: &'a [(Option<TypeName>, Ast)],
    ) -> Lowered<&'a Ast> {
        let ty = self.type_of(subject)?;
        let ty = self.decayed(ty);
        for (name, e) in cases {
            if let Some(name) = name {
                if self.named_type(name)? == ty {
                    return Ok(e);
                }
            }
        }
        let default = cases.iter().find(|(name, _)| name.is_none());
        let none = || {
            Diag::error(
                subject.span,
                format!("no case of `_Generic` is for `{}`", self.types.show(ty)),
            )
        };
        default.map(|(_, e)| e).ok_or_else(none)
    }
}
