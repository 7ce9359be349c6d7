//! Threads of POSIX and C11: create, join, exit.

use super::super::fold;
use super::{Call, Lowered, Lowering, Value};
use crate::ir::program::{BinOp, Expr, Op};

impl<'a> Lowering<'a> {
    pub(super) fn thread_call(&mut self, call: &Call<'a, '_>) -> Lowered<Option<Value>> {
        let span = call.span;
        let pointer = self.pointer_width();
        match call.name {
            "pthread_create" | "thrd_create" => {
                let posix = call.name == "pthread_create";
                let place = self.result_place(call.arg(0)?)?;
                if posix {
                    self.discard(call.arg(1)?)?;
                }
                let callee = self.start_routine(call.arg(if posix { 2 } else { 1 })?)?;
                let ty = self.types.void_pointer();
                let arg = self
                    .value_for(call.arg(if posix { 3 } else { 2 })?, ty)?
                    .expr;
                let dst = self.temp(pointer);
                self.emit_at(span, Op::Spawn { dst, callee, arg });
                if let Some(place) = place {
                    self.write_result(place, Expr::Local(dst), span)?;
                }
            }
            "pthread_join" | "thrd_join" => {
                let handle = self.handle(call)?;
                let place = match call.args.get(1) {
                    Some(arg) => self.result_place(arg)?,
                    None => None,
                };
                let dst = place.is_some().then(|| self.temp(pointer));
                self.emit_at(span, Op::Join { handle, dst });
                if let (Some(place), Some(dst)) = (place, dst) {
                    self.write_result(place, Expr::Local(dst), span)?;
                }
            }
            "pthread_exit" | "thrd_exit" => {
                let arg = call.arg(0)?;
                let ty = if call.name == "pthread_exit" {
                    self.types.void_pointer()
                } else {
                    self.types.ptrdiff_t()
                };
                let value = self.value_for(arg, ty)?;
                self.emit_at(span, Op::ThreadExit(Some(value.expr)));
                return Ok(Some(self.void()));
            }
            "pthread_equal" | "thrd_equal" => {
                let ty = self.types.size_t();
                let a = self.value_for(call.arg(0)?, ty)?.expr;
                let b = self.value_for(call.arg(1)?, ty)?.expr;
                return Ok(Some(self.int_of_truth(fold::binary(
                    BinOp::Eq,
                    a,
                    b,
                    pointer,
                ))));
            }
            "pthread_detach" | "thrd_detach" => self.discard_all(call.args)?,
            "pthread_self" | "thrd_current" => {
                let reason = format!("call of `{}`, which is not supported", call.name);
                self.emit_at(span, Op::Unknown(reason));
                let ty = self.types.size_t();
                return self.any_value(ty, span).map(Some);
            }
            _ => return Ok(None),
        }
        Ok(Some(self.zero()))
    }

    /// A thread's handle, in pointer width.
    fn handle(&mut self, call: &Call<'a, '_>) -> Lowered<Expr> {
        let ty = self.types.size_t();
        Ok(self.value_for(call.arg(0)?, ty)?.expr)
    }
}
