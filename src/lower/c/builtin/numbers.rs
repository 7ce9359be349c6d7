//! Quotients with their remainders (C11 7.22.6.2), and the numbers of `drand48` and its relatives.

use super::{Call, Lowered, Lowering, TypedValue, wrong};
use crate::front::c::ast::BinaryOp;
use crate::front::c::types::Type;
use crate::ir::program::{BinOp, Expr, MemoryOrder, Op};
use crate::lower::c::fold;

/// The bits of the number 1.
const ONE: u64 = 0x3ff0_0000_0000_0000;

impl<'a> Lowering<'a> {
    pub(super) fn number_call(&mut self, call: &Call<'a, '_>) -> Lowered<Option<TypedValue>> {
        let span = call.span;
        match call.name {
            "div" | "ldiv" | "lldiv" => self.quotient_and_rest(call),
            // What a generator has inside nothing shows: any number may come next.
            "srand48" => {
                self.discard(call.arg(0)?)?;
                Ok(Some(self.void()))
            }
            "srand48_r" => {
                self.discard_all(call.args)?;
                Ok(Some(self.zero()))
            }
            "drand48" => {
                let ty = self.types.id(Type::Float(8));
                let value = self.any_value(ty, span)?;
                self.below_one(value.expr.clone());
                Ok(Some(value))
            }
            "drand48_r" | "lrand48_r" => {
                self.discard(call.arg(0)?)?;
                let (addr, to) = self.pointer_arg(call.arg(1)?)?;
                let value = self.any_value(to, span)?;
                match call.name {
                    "drand48_r" => self.below_one(value.expr.clone()),
                    _ => {
                        let width = self.scalar_width(to, span)?;
                        let most = Expr::constant(0x7fff_ffff, width);
                        self.assume(Expr::binary(BinOp::Ule, value.expr.clone(), most));
                    }
                }
                self.store(addr, to, value, MemoryOrder::Plain, span)?;
                Ok(Some(self.zero()))
            }
            _ => Ok(None),
        }
    }

    /// Numbers from 0 to 1, and not 1, are those whose bits are fewer.
    fn below_one(&mut self, number: Expr) {
        self.assume(Expr::binary(BinOp::Ult, number, Expr::constant(ONE, 64)));
    }

    fn quotient_and_rest(&mut self, call: &Call<'a, '_>) -> Lowered<Option<TypedValue>> {
        let span = call.span;
        let declared = self.functions.get(call.name).map(|f| f.ty);
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
        let a = self.value_for(call.arg(0)?, ty)?.expr;
        let a = self.bind(a);
        let b = self.value_for(call.arg(1)?, ty)?.expr;
        let b = self.bind(b);
        let (a, b) = self.check_operator(BinaryOp::Div, (a, b), (width, true), span);
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
