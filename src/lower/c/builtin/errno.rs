//! `errno`, of which every thread has its own.
//!
//! Functions of `<semaphore.h>` and of libc set it when they fail; those of `<pthread.h>` return
//! the error instead. In a program that never looks at it nothing is emitted.

use super::{Call, Lowered, Lowering, TypedValue};
use crate::front::c::types::Type;
use crate::lower::c::fold;
use crate::lower::c::purity::{ERRNO, ERRNO_ELSEWHERE};
use base::source::Span;
use ir::program::{BinOp, Expr, MemoryOrder, Op};

impl<'a> Lowering<'a> {
    /// The address of `errno`.
    pub(super) fn errno_location(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let expr = self.errno_address(call.span)?;
        let int = self.types.int();
        let ty = self.types.id(Type::Pointer(int));
        Ok(TypedValue { expr, ty })
    }

    /// True when the program looks at `errno` somewhere.
    fn looks_at_errno(&self) -> bool {
        let mut names = ERRNO_ELSEWHERE.iter().chain([&ERRNO]);
        names.any(|name| self.names.is_called(name))
    }

    fn errno_address(&mut self, span: Span) -> Lowered<Expr> {
        let mut variables = self.names.variables();
        let declared = variables
            .find(|(_, v)| v.name == "errno" && v.thread_local && !v.defined)
            .map(|(id, _)| id);
        drop(variables);
        let global = match declared {
            Some(id) => self.global(id, span)?,
            None => self.hidden_global("errno", 32, 1, true),
        };
        Ok(Expr::Global(global))
    }

    /// `errno` is the error from now on, unless the condition holds.
    pub(super) fn set_errno(&mut self, error: i64, unless: &Expr, span: Span) -> Lowered<()> {
        self.set_errno_to(Expr::constant(error as u64, 32), unless, span)
    }

    /// The same, of an error that is computed.
    pub(super) fn set_errno_to(&mut self, value: Expr, unless: &Expr, span: Span) -> Lowered<()> {
        if !self.looks_at_errno() {
            return Ok(());
        }
        let addr = self.errno_address(span)?;
        let next = self.body.label();
        self.body.span = span;
        self.body.jump(Some(unless.clone()), next);
        let order = MemoryOrder::Plain;
        self.emit(Op::Store { addr, value, order });
        self.body.place(next);
        Ok(())
    }

    /// A function that may fail, for reasons that are not modelled: `errno` is what it was, or any
    /// error.
    pub(super) fn may_set_errno(&mut self, span: Span) -> Lowered<()> {
        if !self.looks_at_errno() {
            return Ok(());
        }
        let addr = self.errno_address(span)?;
        let (fails, error) = (self.temp(1), self.temp(32));
        self.body.span = span;
        self.emit(Op::Havoc { dst: fails });
        let next = self.body.label();
        let succeeds = fold::not(Expr::Local(fails));
        self.body.jump(Some(succeeds), next);
        self.emit(Op::Havoc { dst: error });
        let value = Expr::Local(error);
        let positive = Expr::binary(BinOp::Slt, Expr::constant(0, 32), value.clone());
        self.assume(positive);
        let order = MemoryOrder::Plain;
        self.emit(Op::Store { addr, value, order });
        self.body.place(next);
        Ok(())
    }
}
