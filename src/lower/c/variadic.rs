//! Arguments without a name: `va_start`, `va_arg`.
//!
//! A function with `...` has a hidden last parameter, the address of an array that the caller fills
//! with the arguments behind the named ones: a slot of 64 bits each, of a structure the address of a
//! copy. A `va_list` is the address of the next slot; `va_arg` behind the last argument is an access
//! outside of the array.

use super::{Lowered, Lowering, TypedValue, fold, wrong};
use crate::front::c::ast::{Expr as Ast, IntKind, TypeName};
use crate::front::c::types::{FnType, Type, TypeId};
use base::source::Span;
use ir::program::{BinOp, Expr, MemoryOrder, Op};

/// Bits of a slot.
const SLOT: u8 = 64;
/// What a program calls that looks at such arguments.
pub(super) const START: &str = "__builtin_va_start";

impl<'a> Lowering<'a> {
    /// True when functions of this type get the hidden parameter.
    pub fn is_variadic(f: &FnType) -> bool {
        f.variadic && !f.has_no_prototype()
    }

    /// The type of a slot.
    pub fn slot_type(&mut self) -> TypeId {
        self.types.id(Type::Int(IntKind::ULongLong))
    }

    /// The value of the hidden parameter: the address of the arguments that no named parameter
    /// receives. They are kept only where some function of the program looks at any.
    pub fn further_arguments(&mut self, args: &'a [Ast], span: Span) -> Lowered<Expr> {
        let width = self.pointer_width();
        if !self.names.is_called(START) {
            self.discard_further(args)?;
            return Ok(Expr::constant(0, width));
        }
        let mut values = Vec::new();
        for arg in args {
            let value = self.value(arg)?;
            values.push(self.slot_value(value, arg.span)?);
        }
        if values.is_empty() {
            return Ok(Expr::constant(0, width));
        }
        let slot = self.slot_type();
        let ty = self.types.id(Type::Array(slot, Some(values.len() as u64)));
        let size = self.size_of(ty, span)?;
        let array = self.allocate("(arguments)", ty, size, false, span)?;
        for (i, value) in values.into_iter().enumerate() {
            let offset = Expr::constant(i as u64 * u64::from(SLOT) / 8, width);
            let addr = fold::binary(BinOp::Add, Expr::Local(array), offset, width);
            let order = MemoryOrder::Plain;
            self.emit(Op::Store { addr, value, order });
        }
        Ok(Expr::Local(array))
    }

    fn discard_further(&mut self, args: &'a [Ast]) -> Lowered<()> {
        args.iter().try_for_each(|arg| self.discard(arg))
    }

    /// What a slot holds for a value, which is promoted first. A number that cannot be converted is
    /// any.
    fn slot_value(&mut self, value: TypedValue, span: Span) -> Lowered<Expr> {
        if self.types.is_record(value.ty) {
            let plain = self.types.plain(value.ty);
            let size = self.size_of(plain, span)?;
            let copy = self.allocate("(argument)", plain, size, false, span)?;
            self.copy(TypedValue::new(Expr::Local(copy), plain), value, span)?;
            return Ok(fold::resize(
                Expr::Local(copy),
                self.pointer_width(),
                SLOT,
                false,
            ));
        }
        if self.types.is_float(value.ty) {
            let double = self.types.id(Type::Float(8));
            return match self.convert(value, double, span) {
                Ok(value) => Ok(self.bind(value.expr)),
                Err(_) => {
                    let dst = self.body.local("", SLOT);
                    self.emit(Op::Havoc { dst });
                    Ok(Expr::Local(dst))
                }
            };
        }
        let value = self.promote(value, span)?;
        let width = self.scalar_width(value.ty, span)?;
        let signed = self.types.signed(value.ty);
        let bits = fold::resize(value.expr, width, SLOT, signed);
        Ok(self.bind(bits))
    }

    /// `va_start(list, last)`
    pub fn start_arguments(&mut self, list: &'a Ast, span: Span) -> Lowered<()> {
        let Some(first) = self.body.variadic else {
            let message = "`va_start` in a function without variable arguments";
            return wrong(span, message);
        };
        let place = self.place(list)?;
        let ty = Self::place_type(&place);
        let expr = Expr::Local(first);
        self.write(place, TypedValue { expr, ty }, span)?;
        Ok(())
    }

    /// `va_arg(list, type)`
    pub fn next_argument(
        &mut self,
        list: &'a Ast,
        name: &'a TypeName,
        span: Span,
    ) -> Lowered<TypedValue> {
        let ty = self.named_type(name)?;
        let place = self.place(list)?;
        let current = self.read(place.clone(), span)?;
        let slot = self.slot_type();
        if self.types.pointee(current.ty).is_none_or(|to| to != slot) {
            return wrong(list.span, "a `va_list` is needed here");
        }
        let width = self.pointer_width();
        let at = self.bind_copy(current.expr, width);
        let value = self.load(at.clone(), slot, MemoryOrder::Plain, span)?;
        let bytes = Expr::constant(u64::from(SLOT) / 8, width);
        let next = TypedValue::new(fold::binary(BinOp::Add, at, bytes, width), current.ty);
        self.write(place, next, span)?;
        let bits = match self.types.is_record(ty) {
            true => width,
            false => self.scalar_width(ty, span)?,
        };
        let ty = self.types.plain(ty);
        let expr = fold::resize(value.expr, SLOT, bits, false);
        Ok(TypedValue { expr, ty })
    }

    /// A register that keeps the value of one that changes.
    fn bind_copy(&mut self, value: Expr, width: u8) -> Expr {
        self.body.assign(width, value)
    }
}
