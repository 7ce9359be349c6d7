//! Expressions: every one becomes a pure value over registers and the instructions before it.

use super::builtin::compares_with_zero;
use super::effects;
use super::names::Entity;
use super::registry;
use super::sequence::Use;
use super::subscript::Subscript;
use super::{Lowered, Lowering, Refusal, TypedValue, fold, wrong};
use crate::front::c::ast::{
    BinaryOp, Derived, Designator, Expr as Ast, ExprKind, Ident, TypeName, UnaryOp,
};
use crate::front::c::types::{Type, TypeId};
use base::diag::Diag;
use base::source::Span;
use ir::program::{BinOp, Expr};

impl<'a> Lowering<'a> {
    /// The value of an expression.
    pub fn value(&mut self, e: &'a Ast) -> Lowered<TypedValue> {
        let span = e.span;
        if self.is_place(e) {
            let place = self.place(e)?;
            return self.read(place, span);
        }
        match &e.kind {
            ExprKind::Ident(name) => self.named_value(name, span),
            ExprKind::Int(value, kind) => {
                let ty = self.types.id(Type::Int(*kind));
                Ok(TypedValue::new(
                    Expr::constant(*value, self.types.int_width(*kind)),
                    ty,
                ))
            }
            ExprKind::Float(bits, bytes) => Ok(self.float_value(f64::from_bits(*bits), *bytes)),
            ExprKind::Unary(UnaryOp::Address, inner) => self.address_of(inner, span),
            ExprKind::Unary(op, inner) => {
                let value = match op {
                    UnaryOp::Not => self.sign_of(inner)?,
                    _ => self.value(inner)?,
                };
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
                let (a, b) = match compares_with_zero(*op, a, b) {
                    true => (self.sign_of(a)?, self.sign_of(b)?),
                    false => self.both_values(a, b, span)?,
                };
                self.binary(*op, a, b, span)
            }
            ExprKind::Logical(..) => self.logical(e),
            ExprKind::Assign(None, lhs, rhs) => {
                self.check_assignment(lhs, rhs);
                let quiet = effects::is_quiet(lhs) && effects::is_quiet(rhs);
                let (place, value) = match quiet || self.unevaluated {
                    true => (self.place(lhs)?, None),
                    false => {
                        let ty = self.type_of(lhs)?;
                        let (lhs, rhs) = ((&**lhs, Use::Place), (&**rhs, Use::Assigned(ty)));
                        let (place, value) = self.both(lhs, rhs, span)?;
                        (place.into_place(), value.value)
                    }
                };
                let ty = Self::place_type(&place);
                if matches!(self.types.get(ty), Type::Array(..) | Type::Function(_)) {
                    return wrong(
                        lhs.span,
                        format!("`{}` cannot be assigned", self.types.show(ty)),
                    );
                }
                let value = match value {
                    Some(value) => value,
                    None => self.value_for(rhs, ty)?,
                };
                self.write(place, value, span)
            }
            ExprKind::Assign(Some(op), lhs, rhs) => {
                self.check_assignment(lhs, rhs);
                if effects::is_quiet(lhs) && effects::is_quiet(rhs) {
                    let place = self.place(lhs)?;
                    return self.update(place, *op, |this| this.value(rhs), false, span);
                }
                self.update_in_any_order(lhs, *op, rhs, span)
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
                let moves = self.representation.moves.take() == Some(span);
                self.representation.moves = self.moves_to_structure(ty, inner);
                let value = self.value_hinted(inner, ty);
                self.representation.moves = None;
                self.convert_pointer(value?, ty, moves, span)
            }
            ExprKind::SizeofType(name) => {
                if let Some((Derived::Array { size: Some(count) }, inner)) =
                    name.derived.split_last()
                    && self.constant(count).is_err()
                {
                    let elem = self.declared_type(&name.base, inner)?;
                    let count = self.value(count)?;
                    let expr = self.scaled(count, elem, span)?;
                    let ty = self.types.size_t();
                    return Ok(TypedValue { expr, ty });
                }
                let ty = self.named_type(name)?;
                let size = self.size_of(ty, span)?;
                Ok(self.size_value(size))
            }
            ExprKind::SizeofExpr(e) => {
                if let Some(expr) = self.variable_size(e) {
                    let ty = self.types.size_t();
                    return Ok(TypedValue { expr, ty });
                }
                let ty = self.type_of(e)?;
                let size = self.size_of(ty, span)?;
                Ok(self.size_value(size))
            }
            ExprKind::Alignof(ty) => {
                let ty = self.named_type(ty)?;
                self.alignof_type(ty, span)
            }
            ExprKind::AlignofExpr(e) => self.alignof_expr(e),
            ExprKind::Offsetof(ty, path) => self.offsetof(ty, path),
            ExprKind::Generic(subject, cases) => {
                let chosen = self.choose_generic(subject, cases)?;
                self.value(chosen)
            }
            ExprKind::Choose(operands) => {
                let chosen = self.chosen(operands)?;
                self.value(chosen)
            }
            ExprKind::TypesCompatible(types) => {
                let [a, b] = &**types;
                let (a, b) = (self.named_type(a)?, self.named_type(b)?);
                // Qualifiers of the types themselves do not count.
                let (a, b) = (self.types.plain(a), self.types.plain(b));
                let is_compatible = self.types.compatible(a, b).is_ok();
                Ok(self.int_value(i64::from(is_compatible)))
            }
            ExprKind::Block(items) => self.statement_expression(items, span),
            ExprKind::VaArg(list, ty) => self.next_argument(list, ty, span),
            ExprKind::Unsupported(name) => self.unsupported(span, name),
            ExprKind::Str(_)
            | ExprKind::WideStr(..)
            | ExprKind::Index(..)
            | ExprKind::Compound(..) => {
                let place = self.place(e)?;
                self.read(place, span)
            }
        }
    }

    /// Bytes of an array of variable size.
    fn variable_size(&self, e: &Ast) -> Option<Expr> {
        let ExprKind::Ident(name) = &e.kind else {
            return None;
        };
        match self.names.scopes().find(name)? {
            Entity::Stack(addr, _, owner) if *owner == self.body.id => {
                self.body.sizes.get(addr).cloned()
            }
            _ => None,
        }
    }

    /// The value of an expression converted to a type, as by assignment.
    pub fn value_for(&mut self, e: &'a Ast, ty: TypeId) -> Lowered<TypedValue> {
        let value = self.value_hinted(e, ty)?;
        self.convert(value, ty, e.span)
    }

    /// A value whose consumer wants this type: tells `malloc` what it allocates.
    fn value_hinted(&mut self, e: &'a Ast, ty: TypeId) -> Lowered<TypedValue> {
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
                self.where_reached(|this| this.discard(a))?;
                self.body.jump(None, end);
                self.body.place(other);
                self.where_reached(|this| this.discard(b))?;
                self.body.place(end);
            }
            ExprKind::Logical(and, a, b) => {
                let end = self.body.label();
                self.branch(a, !and, end)?;
                self.where_reached(|this| this.discard(b))?;
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
                    if matches!(self.names.scopes().find(name), Some(Entity::Function)) =>
                {
                    Ok(self.names.function_type(name))
                }
                _ => self.value(e).map(|v| v.ty),
            },
        };
        self.unevaluated = outer;
        self.body.rewind(mark);
        ty
    }

    /// The value of `void` expressions.
    pub fn void(&mut self) -> TypedValue {
        TypedValue::new(Expr::constant(0, 32), self.types.id(Type::Void))
    }

    /// A `size_t`.
    pub fn size_value(&mut self, size: u64) -> TypedValue {
        TypedValue::new(self.pointer_constant(size), self.types.size_t())
    }

    fn named_value(&mut self, name: &str, span: Span) -> Lowered<TypedValue> {
        match self.names.scopes().find(name).cloned() {
            Some(Entity::Constant(value, ty)) => Ok(TypedValue::new(
                Expr::constant(value, self.scalar_width(ty, span)?),
                ty,
            )),
            Some(Entity::Function) if self.is_missing_function(name) => {
                let ty = self.names.function_type(name);
                let nowhere = self.pointer_constant(0);
                Ok(TypedValue::new(nowhere, self.types.pointer(ty)))
            }
            Some(Entity::Function) => {
                let proc = self.procedure(name, span);
                let ty = self.names.function_type(name);
                self.address_is_taken(name, proc);
                Ok(TypedValue::new(Expr::Proc(proc), self.types.pointer(ty)))
            }
            Some(Entity::Broken) => Err(Refusal::Reported),
            Some(Entity::Unsupported(why)) => Err(Diag::unsupported(span, why).into()),
            _ => Err(undeclared(name, span).into()),
        }
    }

    fn address_of(&mut self, e: &'a Ast, span: Span) -> Lowered<TypedValue> {
        if let ExprKind::Ident(name) = &e.kind
            && matches!(self.names.scopes().find(name), Some(Entity::Function))
        {
            return self.named_value(name, span);
        }
        if let ExprKind::Unary(UnaryOp::Deref, inner) = &e.kind {
            return self.value(inner);
        }
        let place = match &e.kind {
            ExprKind::Index(a, i) => self.element_place(a, i, Subscript::Address, e.span)?,
            _ => self.place(e)?,
        };
        let (expr, ty) = self.address(place, span)?;
        Ok(TypedValue::new(expr, self.types.pointer(ty)))
    }

    /// The offset of a part of a type; an index that is not known before the program runs is GNU C's.
    fn offsetof(&mut self, ty: &'a TypeName, path: &'a [Designator]) -> Lowered<TypedValue> {
        let mut current = self.named_type(ty)?;
        let mut offset = self.pointer_constant(0);
        let width = self.pointer_width();
        for step in path {
            let part = match step {
                Designator::Member(Ident { name, span }) => {
                    let found = match self.types.get(self.types.plain(current)) {
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
                    current = field.ty;
                    self.pointer_constant(at)
                }
                Designator::Index(e) => {
                    let none = || {
                        Diag::error(
                            e.span,
                            format!("`{}` is no array", self.types.show(current)),
                        )
                    };
                    current = self.types.pointee(current).ok_or_else(none)?;
                    let index = self.value(e)?;
                    self.scaled(index, current, e.span)?
                }
                Designator::Range(e, _) => {
                    return self.unsupported(e.span, "a range in `offsetof`");
                }
            };
            offset = fold::binary(BinOp::Add, offset, part, width);
        }
        Ok(TypedValue::new(offset, self.types.size_t()))
    }

    /// The operand of `__builtin_choose_expr` that counts; nothing is said of the other one.
    pub(super) fn chosen(&mut self, operands: &'a [Ast; 3]) -> Lowered<&'a Ast> {
        let [condition, then, otherwise] = operands;
        Ok(match self.constant(condition)? {
            0 => otherwise,
            _ => then,
        })
    }

    pub(super) fn choose_generic(
        &mut self,
        subject: &'a Ast,
        cases: &'a [(Option<TypeName>, Ast)],
    ) -> Lowered<&'a Ast> {
        let ty = self.type_of(subject)?;
        let ty = self.decayed(ty);
        for (name, e) in cases {
            if let Some(name) = name {
                let case = self.named_type(name)?;
                if self.types.same(case, ty) {
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
        default.map(|(_, e)| e).ok_or_else(|| none().into())
    }
}

/// A name that nothing declares; of a function of the library the header that would.
pub(super) fn undeclared(name: &str, span: Span) -> Diag {
    let diag = Diag::error(span, format!("`{name}` is not declared"));
    match registry::find(name) {
        Some((header, _)) if !header.is_empty() => diag.note(format!("<{header}> declares it")),
        _ => diag,
    }
}
