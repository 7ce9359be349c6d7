//! Functions of the system whose results are arbitrary within what POSIX and C allow: files,
//! signals, the environment, the platform's limits.
//!
//! No file is kept: whatever was written, anything may be read. Signal handlers are registered and
//! never run.

use super::registry::{self, Errno, Returns};
use super::{Call, Lowered, Lowering, Place, TypedValue};
use crate::base::source::Span;
use crate::front::c::ast::{Expr as Ast, IntKind};
use crate::front::c::types::{Type, TypeId};
use crate::ir::program::{BinOp, Expr, MemoryOrder, Op};
use crate::lower::c::{Arguments, fold};

/// Functions that write any value where an argument points, and which argument.
fn result_argument(name: &str) -> Option<usize> {
    Some(match name {
        "sigaction"
        | "sigprocmask"
        | "pthread_sigmask"
        | "sched_getaffinity"
        | "pthread_getaffinity_np" => 2,
        "getrusage" | "getrlimit" | "clock_getres" | "fstat" | "stat" | "lstat"
        | "sched_getparam" => 1,
        "uname" => 0,
        _ => return None,
    })
}

impl<'a> Lowering<'a> {
    pub(super) fn system_call_function(
        &mut self,
        call: &Call<'a, '_>,
    ) -> Lowered<Option<TypedValue>> {
        let span = call.span;
        match call.name {
            "read" | "pread" => {
                let size = self.filled(call, 0, 1, 2)?;
                self.discard_all(&call.args[3..])?;
                self.transferred(&size, -1, span).map(Some)
            }
            "write" | "pwrite" => {
                self.discard_all(&call.args[..2.min(call.args.len())])?;
                let size_t = self.types.size_t();
                let size = self.value_for(call.arg(2)?, size_t)?.expr;
                self.discard_all(&call.args[3..])?;
                self.transferred(&size, -1, span).map(Some)
            }
            "fread" => {
                let void = self.types.void_pointer();
                let to = self.value_for(call.arg(0)?, void)?.expr;
                let to = self.bind(to);
                let (size, count) = self.size_and_count(call)?;
                let width = self.pointer_width();
                let bytes = fold::binary(BinOp::Mul, size, count.clone(), width);
                let bytes = self.bind(bytes);
                self.fill_any(call, call.arg(0)?, &to, &bytes)?;
                self.discard_all(&call.args[3..])?;
                self.items_transferred(&count, span).map(Some)
            }
            "fwrite" => {
                self.discard(call.arg(0)?)?;
                let (_, count) = self.size_and_count(call)?;
                self.discard_all(&call.args[3..])?;
                self.items_transferred(&count, span).map(Some)
            }
            "prctl" => {
                // PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NAME, PR_SET_TIMERSLACK and
                // PR_SET_NO_NEW_PRIVS change what a program cannot see.
                const HARMLESS: [u64; 5] = [1, 4, 15, 29, 38];
                let int = self.types.int();
                let option = self.value_for(call.arg(0)?, int)?.expr;
                self.discard_all(&call.args[1..])?;
                match option {
                    Expr::Const { value, .. } if HARMLESS.contains(&value) => {}
                    _ => {
                        let reason = "this operation of `prctl` is not supported".to_string();
                        self.emit_at(span, Op::Unknown(reason));
                    }
                }
                self.of_kind(call, Returns::Failure).map(Some)
            }
            "fgets" => {
                let int = self.types.int();
                let void = self.types.void_pointer();
                let to = self.value_for(call.arg(0)?, void)?;
                let to = self.bind(to.expr);
                let size = self.value_for(call.arg(1)?, int)?.expr;
                let size = fold::resize(size, 32, self.pointer_width(), true);
                self.fill_any(call, call.arg(0)?, &to, &size)?;
                let width = self.pointer_width();
                let last = fold::binary(BinOp::Sub, size, Expr::constant(1, width), width);
                let addr = fold::binary(BinOp::Add, to.clone(), last, width);
                let (value, order) = (Expr::constant(0, 8), MemoryOrder::Plain);
                self.emit_at(span, Op::Store { addr, value, order });
                self.discard_all(&call.args[2..])?;
                let read = self.any_bit();
                let none = self.pointer_constant(0);
                let expr = fold::choose(read, to, none);
                Ok(Some(TypedValue { expr, ty: void }))
            }
            name if result_argument(name).is_some_and(|n| n < call.args.len()) => {
                let to = result_argument(name).unwrap_or(0);
                self.discard_all(&call.args[..to])?;
                self.arbitrary_result(call.arg(to)?, span)?;
                self.discard_all(&call.args[to + 1..])?;
                self.of_kind(call, Returns::Any).map(Some)
            }
            "sigemptyset" | "sigfillset" | "sigaddset" | "sigdelset" => {
                self.arbitrary_result(call.arg(0)?, span)?;
                self.discard_all(&call.args[1..])?;
                self.of_kind(call, Returns::Failure).map(Some)
            }
            "pthread_setcancelstate" | "pthread_setcanceltype" => {
                self.discard(call.arg(0)?)?;
                self.arbitrary_result(call.arg(1)?, span)?;
                Ok(Some(self.zero()))
            }
            "rand_r" => {
                self.arbitrary_result(call.arg(0)?, span)?;
                let int = self.types.int();
                self.number(Returns::From(0), int, span).map(Some)
            }
            "__wmbmc_environment" => self.environment(span).map(Some),
            name => match registry::find(name) {
                Some((_, row)) if row.only => {
                    self.discard_all(call.args)?;
                    self.of_kind(call, row.returns).map(Some)
                }
                _ => Ok(None),
            },
        }
    }

    /// What a function returns, which sets `errno` where the registry says so.
    fn of_kind(&mut self, call: &Call<'a, '_>, kind: Returns) -> Lowered<TypedValue> {
        let row = registry::find(call.name);
        if row.is_none_or(|(_, row)| row.errno == Errno::May) {
            self.may_set_errno(call.span)?;
        }
        let declared = self.functions.get(call.name).map(|f| f.ty);
        let ty = match declared.map(|ty| self.types.get(ty)) {
            Some(Type::Function(f)) => f.ret,
            _ => self.types.int(),
        };
        self.number(kind, ty, call.span)
    }

    pub(super) fn number(&mut self, kind: Returns, ty: TypeId, span: Span) -> Lowered<TypedValue> {
        let value = self.any_value(ty, span)?;
        let (least, most) = match kind {
            Returns::Failure => (-1, Some(0)),
            Returns::From(least) => (least, None),
            Returns::Within(least, most) => (least, Some(most)),
            _ => return Ok(value),
        };
        let width = self.scalar_width(ty, span)?;
        let constant = |n: i64| Expr::constant(n as u64, width);
        let above = Expr::binary(BinOp::Sle, constant(least), value.expr.clone());
        self.emit(Op::Assume(above));
        if let Some(most) = most {
            let below = Expr::binary(BinOp::Sle, value.expr.clone(), constant(most));
            self.emit(Op::Assume(below));
        }
        Ok(value)
    }

    /// How many bytes of so many were read or written, or the number that says that it failed.
    fn transferred(&mut self, size: &Expr, failed: i64, span: Span) -> Lowered<TypedValue> {
        self.may_set_errno(span)?;
        let ty = self.types.ptrdiff_t();
        let width = self.pointer_width();
        let done = self.number(Returns::From(failed), ty, span)?;
        let fails = Expr::binary(
            BinOp::Eq,
            done.expr.clone(),
            Expr::constant(failed as u64, width),
        );
        let fits = Expr::binary(BinOp::Ule, done.expr.clone(), size.clone());
        self.emit(Op::Assume(Expr::binary(BinOp::Or, fails, fits)));
        Ok(done)
    }

    /// The size of an item and how many there are, of `fread` and `fwrite`.
    fn size_and_count(&mut self, call: &Call<'a, '_>) -> Lowered<(Expr, Expr)> {
        let size_t = self.types.size_t();
        let size = self.value_for(call.arg(1)?, size_t)?.expr;
        let size = self.bind(size);
        let count = self.value_for(call.arg(2)?, size_t)?.expr;
        Ok((size, self.bind(count)))
    }

    /// How many of so many items were read or written.
    fn items_transferred(&mut self, count: &Expr, span: Span) -> Lowered<TypedValue> {
        self.may_set_errno(span)?;
        let size_t = self.types.size_t();
        let done = self.any_value(size_t, span)?;
        let fits = Expr::binary(BinOp::Ule, done.expr.clone(), count.clone());
        self.emit(Op::Assume(fits));
        Ok(done)
    }

    /// Evaluates a file, a buffer and its size; any bytes are in the buffer then.
    fn filled(
        &mut self,
        call: &Call<'a, '_>,
        file: usize,
        to: usize,
        size: usize,
    ) -> Lowered<Expr> {
        self.discard(call.arg(file)?)?;
        let (void, size_t) = (self.types.void_pointer(), self.types.size_t());
        let addr = self.value_for(call.arg(to)?, void)?.expr;
        let addr = self.bind(addr);
        let bytes = self.value_for(call.arg(size)?, size_t)?.expr;
        let bytes = self.bind(bytes);
        self.fill_any(call, call.arg(to)?, &addr, &bytes)?;
        Ok(bytes)
    }

    fn fill_any(
        &mut self,
        call: &Call<'a, '_>,
        to: &'a Ast,
        addr: &Expr,
        size: &Expr,
    ) -> Lowered<()> {
        let pointed = self.pointed_type(to);
        match self.common_element(pointed, pointed) {
            Some(elem) => self.arbitrary_elements(addr, elem, size, call.span),
            None => {
                self.not_known(call);
                Ok(())
            }
        }
    }

    /// Any value where an argument points, if it is no null pointer.
    fn arbitrary_result(&mut self, arg: &'a Ast, span: Span) -> Lowered<()> {
        let Some(place) = self.result_place(arg)? else {
            return Ok(());
        };
        let ty = self.types.plain(Self::place_type(&place));
        match place {
            Place::Memory(addr, ..) => {
                let addr = self.bind(addr);
                let width = self.pointer_width();
                let null = Expr::constant(0, width);
                let null = fold::binary(BinOp::Eq, addr.clone(), null, width);
                let end = self.body.label();
                self.body.jump(Some(null), end);
                let value = self.any_value(ty, span)?;
                self.store(addr, ty, value, MemoryOrder::Plain, span)?;
                self.body.place(end);
            }
            place => {
                let value = self.any_value(ty, span)?;
                self.write(place, value, span)?;
            }
        }
        Ok(())
    }

    fn any_bit(&mut self) -> Expr {
        let dst = self.temp(1);
        self.emit(Op::Havoc { dst });
        Expr::Local(dst)
    }

    /// The value of an environment variable that is set: any string, but for its length.
    fn environment(&mut self, span: Span) -> Lowered<TypedValue> {
        if self.options.arguments == Arguments::Unknown {
            let reason = "the value of an environment variable".to_string();
            self.emit_at(span, Op::Unknown(reason));
        }
        self.program.bounded_arguments = true;
        let expr = self.any_string("environment", span)?;
        let char = self.types.id(Type::Int(IntKind::Char));
        let ty = self.types.pointer(char);
        Ok(TypedValue { expr, ty })
    }
}
