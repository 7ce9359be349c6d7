//! What modules of LLVM IR have and C has not: the life of an object on the stack apart from its block, and the
//! bits of floating numbers.

use super::{Call, Lowered, Lowering, TypedValue, wrong};
use crate::front::c::ast::{Expr as Ast, ExprKind, IntKind, UnaryOp};
use crate::front::c::types::{Type, TypeId};
use crate::lower::c::names::Entity;
use base::source::Span;
use ir::program::{Expr, LocalId, Op, Rule, Storage};

impl<'a> Lowering<'a> {
    /// `__llvm_lifetime_start(&x)`: a new object takes the place of the local.
    pub(super) fn lifetime_start(&mut self, call: &Call<'a>) -> Lowered<()> {
        let arg = call.arg(0)?;
        let Some((name, addr, ty)) = self.stack_object(arg) else {
            return wrong(call.span, "only objects of the function begin here");
        };
        let ty = match self.body.alignments.get(&addr) {
            Some(align) => self.types.aligned(ty, *align),
            None => ty,
        };
        let size = self.size_of(ty, call.span)?;
        let layout = self.layout(ty, call.span)?;
        let op = Op::Alloc {
            dst: addr,
            storage: Storage::Stack(name),
            layout: Some(layout),
            size: self.pointer_constant(size),
            zeroed: false,
            replaces: None,
        };
        self.emit_at(call.span, op);
        Ok(())
    }

    /// `__llvm_lifetime_end(&x)`, or of a pointer that `alloca` has returned.
    pub(super) fn lifetime_end(&mut self, call: &Call<'a>) -> Lowered<()> {
        let arg = call.arg(0)?;
        let addr = match self.stack_object(arg) {
            Some((_, addr, _)) => Expr::Local(addr),
            None => {
                let pointer = self.value(arg)?;
                self.bind(pointer.expr)
            }
        };
        self.emit_at(call.span, Op::LeaveScope { addr });
        Ok(())
    }

    /// The local in memory that an expression is the address of.
    fn stack_object(&self, e: &Ast) -> Option<(String, LocalId, TypeId)> {
        let ExprKind::Unary(UnaryOp::Address, of) = &e.kind else {
            return None;
        };
        let ExprKind::Ident(name) = &of.kind else {
            return None;
        };
        match self.names.scopes().find(name) {
            Some(Entity::Stack(addr, ty, _)) => Some((name.clone(), *addr, *ty)),
            _ => None,
        }
    }

    /// `__llvm_label("ERROR")`: the label stands here, once or more often in a function.
    pub(super) fn label_of_module(&mut self, call: &Call<'a>) -> Lowered<()> {
        let ExprKind::Str(bytes) = &call.arg(0)?.kind else {
            return wrong(call.span, "the name of a label is a literal");
        };
        let name = String::from_utf8_lossy(bytes).into_owned();
        if self.options.errors.labels.contains(&name) {
            self.failure(Rule::Label, format!("label {name}"), call.span);
        }
        Ok(())
    }

    /// `__llvm_bits_of_number(x)`: the bits of a floating number as an unsigned one.
    pub(super) fn bits_of_number(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let arg = call.arg(0)?;
        let value = self.value(arg)?;
        let kind = match self.float_bits(value.ty, arg.span)? {
            32 => IntKind::UInt,
            _ => IntKind::ULong,
        };
        let ty = self.types.id(Type::Int(kind));
        Ok(TypedValue::new(value.expr, ty))
    }

    fn float_bits(&self, ty: TypeId, span: Span) -> Lowered<u8> {
        match self.types.get(self.types.plain(ty)) {
            Type::Float(bytes) => Ok(bytes * 8),
            _ => wrong(span, "this is no floating number"),
        }
    }

    /// `__llvm_number_of_bits(x)`: the floating number of these bits.
    pub(super) fn number_of_bits(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let arg = call.arg(0)?;
        let value = self.value(arg)?;
        let width = self.scalar_width(value.ty, arg.span)?;
        let ty = self.types.id(Type::Float(width / 8));
        Ok(TypedValue::new(value.expr, ty))
    }
}
