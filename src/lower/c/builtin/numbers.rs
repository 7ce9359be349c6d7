//! Quotients with their remainders (C11 7.22.6.2), and the numbers of `drand48` and its relatives.

use super::{Call, Lowered, Lowering, TypedValue, wrong};
use crate::front::c::ast::BinaryOp;
use crate::front::c::types::Type;
use crate::lower::c::arith_checks::Number;
use crate::lower::c::fold;
use ir::program::{BinOp, Expr, MemoryOrder, Op, Width};

/// The bits of the number 1.
pub(super) const ONE: u64 = 0x3ff0_0000_0000_0000;

impl<'a> Lowering<'a> {
    pub(super) fn random_fraction(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let ty = self.types.id(Type::Float(8));
        let value = self.any_value(ty, call.span)?;
        self.below(value.expr.clone(), ONE, 64);
        Ok(value)
    }

    /// Stores any number below this one where the second argument points. What a generator has inside
    /// nothing shows: any number may come next.
    pub(super) fn store_any_below(&mut self, call: &Call<'a>, limit: u64) -> Lowered<()> {
        self.discard(call.arg(0)?)?;
        let (addr, to) = self.pointer_arg(call.arg(1)?)?;
        let value = self.any_value(to, call.span)?;
        let width = self.scalar_width(to, call.span)?;
        self.below(value.expr.clone(), limit, width);
        self.store(addr, to, value, MemoryOrder::Plain, call.span)
    }

    /// Numbers from 0 to 1, and not 1, are those whose bits are fewer.
    fn below(&mut self, number: Expr, limit: u64, width: Width) {
        self.assume(Expr::binary(
            BinOp::Ult,
            number,
            Expr::constant(limit, width),
        ));
    }

    pub(super) fn quotient_and_rest(&mut self, call: &Call<'a>) -> Lowered<Option<TypedValue>> {
        let span = call.span;
        let declared = self.names.function(call.name).map(|f| f.ty);
        let Some(Type::Function(f)) = declared.map(|ty| self.types.get(ty).clone()) else {
            return Ok(None);
        };
        let Type::Record(record) = *self.types.get(self.types.plain(f.ret)) else {
            return Ok(None);
        };
        let members = ["quot", "rem"].map(|name| self.types.member(record, name));
        let [Some((to_quotient, quotient)), Some((to_rest, _))] = members else {
            let message = format!("the result of `{}` has no quot and rem", call.name);
            return wrong(span, message);
        };
        let ty = quotient.ty;
        let width = self.scalar_width(ty, span)?;
        let (a, b) = (self.operand(call, 0, ty)?, self.operand(call, 1, ty)?);
        let number = Number {
            width,
            signed: true,
        };
        let (a, b) = self.check_operator(BinaryOp::Div, a, b, number, span);
        let size = self.size_of(f.ret, span)?;
        let object = Expr::Local(self.allocate("(result)", f.ret, size, false, span)?);
        for (offset, op) in [(to_quotient, BinOp::Sdiv), (to_rest, BinOp::Srem)] {
            let value = fold::binary(op, a.clone(), b.clone(), width);
            let offset = self.pointer_constant(offset);
            let addr = fold::binary(BinOp::Add, object.clone(), offset, self.pointer_width());
            let order = MemoryOrder::Plain;
            self.emit_at(span, Op::Store { addr, value, order });
        }
        let (expr, ty) = (object, f.ret);
        Ok(Some(TypedValue { expr, ty }))
    }
}
