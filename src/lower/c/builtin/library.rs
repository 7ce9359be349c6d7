//! Library functions that do nothing a verdict depends on, and a few with a simple value.

use super::bits::{count_of_bits, overflowing};
use super::codes::INVALID;
use super::registry::Returns;
use super::{Call, Lowered, Lowering, TypedValue};
use crate::front::c::ast::{Expr as Ast, ExprKind};
use crate::front::c::library::PREFIX;
use crate::front::c::types::Type;
use crate::ir::program::{BinOp, Callee, Expr, Fence, MemoryOrder, Op, PropertyKind, Width};
use crate::lower::c::fold;

/// futex(2), which is given in C.
const GIVEN_FUTEX: &str = "__wmbmc___futex";

impl<'a> Lowering<'a> {
    pub(super) fn library_call(&mut self, call: &Call<'a, '_>) -> Lowered<Option<TypedValue>> {
        let span = call.span;
        let int = self.types.int();
        match call.name {
            "printf" | "fprintf" | "vprintf" | "vfprintf" | "puts" | "fputs" | "putchar"
            | "putc" | "fputc" | "fflush" => {
                self.use_all(call.args)?;
                self.may_set_errno(span)?;
                self.any_value(int, span).map(Some)
            }
            "sprintf" | "snprintf" | "vsprintf" | "vsnprintf" | "__builtin_sprintf"
            | "__builtin_snprintf" => {
                let result = self.print_to(call)?;
                self.may_set_errno(span)?;
                Ok(Some(result))
            }
            "scanf" | "__isoc99_scanf" if is_plain_format(call.args.first()) => {
                for arg in &call.args[1..] {
                    let (addr, to) = self.pointer_arg(arg)?;
                    let value = self.any_value(to, span)?;
                    self.store(addr, to, value, MemoryOrder::Plain, span)?;
                }
                self.may_set_errno(span)?;
                // How many were read, or EOF.
                let read = self.any_value(int, span)?;
                let number = |n: usize| Expr::constant(n as u64, 32);
                let more = fold::binary(BinOp::Add, read.expr.clone(), number(1), 32);
                let possible = fold::binary(BinOp::Ule, more, number(call.args.len()), 32);
                self.emit(Op::Assume(possible));
                Ok(Some(read))
            }
            "perror" | "srand" | "srandom" | "thrd_yield" => {
                self.discard_all(call.args)?;
                Ok(Some(self.void()))
            }
            "usleep"
            | "sleep"
            | "sched_yield"
            | "pthread_yield"
            | "atexit"
            | "pthread_testcancel"
            | "pthread_setname_np"
            | "pthread_setconcurrency" => {
                if call.name == "atexit" {
                    let reason = "a function for `atexit` is not supported".to_string();
                    self.emit_at(span, Op::Unknown(reason));
                }
                self.discard_all(call.args)?;
                Ok(Some(self.zero()))
            }
            "pthread_mutexattr_setprotocol" => {
                // Without priorities, inheritance changes nothing that a program can see; a ceiling
                // makes a lock fail.
                self.discard(call.arg(0)?)?;
                let protocol = self.value_for(call.arg(1)?, int)?.expr;
                let protocol = self.bind(protocol);
                let number = |n: u64| Expr::constant(n, 32);
                let next = self.body.label();
                self.body.span = span;
                let other = fold::binary(BinOp::Ne, protocol.clone(), number(2), 32);
                self.body.jump(Some(other), next);
                let reason = "a mutex with a priority ceiling (PTHREAD_PRIO_PROTECT)";
                self.emit_at(span, Op::Unknown(reason.to_string()));
                self.body.place(next);
                let known = fold::binary(BinOp::Ule, protocol, number(2), 32);
                Ok(Some(self.outcome(known, INVALID)))
            }
            name if name.contains("attr_")
                && name.starts_with("pthread_")
                && !name.contains("attr_get") =>
            {
                self.discard_all(call.args)?;
                Ok(Some(self.zero()))
            }
            "rand" | "random" => {
                self.discard_all(call.args)?;
                let value = self.any_value(int, span)?;
                let positive = Expr::binary(BinOp::Sle, Expr::constant(0, 32), value.expr.clone());
                self.emit(Op::Assume(positive));
                Ok(Some(value))
            }
            "time" => {
                let long = self.types.ptrdiff_t();
                let place = self.result_place(call.arg(0)?)?;
                let now = self.any_value(long, span)?;
                self.deliver(place, now.clone(), span)?;
                Ok(Some(now))
            }
            "clock" | "getpid" => {
                let long = call.name == "clock";
                let ty = if long { self.types.ptrdiff_t() } else { int };
                self.discard_all(call.args)?;
                self.any_value(ty, span).map(Some)
            }
            "syscall" => self.system_call(call).map(Some),
            "__wmbmc_sleeps" => {
                if self.options.checks.contains(&PropertyKind::Deadlock) {
                    let reason = "a wait for a futex while deadlocks are checked; they are not looked for \
                                  there, and `--check` selects other kinds";
                    self.emit_at(span, Op::Unknown(reason.to_string()));
                }
                Ok(Some(self.void()))
            }
            "__wmbmc_permutes" => {
                let reason = "`getopt` with options behind other arguments";
                self.emit_at(span, Op::Unknown(reason.to_string()));
                Ok(Some(self.void()))
            }
            "__wmbmc_other_futex" => {
                let reason = "an operation of futex other than wait, wake and requeue";
                self.emit_at(span, Op::Unknown(reason.to_string()));
                Ok(Some(self.void()))
            }
            // What the machine looks like, and where the scheduler puts threads.
            "sched_setaffinity"
            | "pthread_setaffinity_np"
            | "sched_setscheduler"
            | "pthread_setschedparam"
            | "sched_getcpu"
            | "sched_get_priority_max"
            | "sched_get_priority_min" => {
                self.discard_all(call.args)?;
                self.may_set_errno(span)?;
                self.any_value(int, span).map(Some)
            }
            "strlen" | "__builtin_strlen" => {
                let ExprKind::Str(bytes) = &call.arg(0)?.kind else {
                    return self.given_call(call);
                };
                let length = bytes.iter().take_while(|b| **b != 0).count();
                Ok(Some(self.size_value(length as u64)))
            }
            "abs" => {
                let value = self.value_for(call.arg(0)?, int)?;
                self.check_negation(&value, 32, span);
                let negative =
                    fold::binary(BinOp::Slt, value.expr.clone(), Expr::constant(0, 32), 32);
                let minus = fold::unary(crate::ir::program::UnOp::Neg, value.expr.clone(), 32);
                Ok(Some(TypedValue {
                    expr: fold::choose(negative, minus, value.expr),
                    ty: int,
                }))
            }
            "__builtin_expect" | "__builtin_expect_with_probability" => {
                let long = self.types.ptrdiff_t();
                let value = self.value_for(call.arg(0)?, long)?;
                self.discard_all(&call.args[1..])?;
                Ok(Some(value))
            }
            "__builtin_constant_p" => Ok(Some(self.zero())),
            "__builtin_ia32_pause" | "_mm_pause" => Ok(Some(self.void())),
            "__builtin_ia32_mfence" | "_mm_mfence" => {
                self.emit_at(span, Op::Fence(Fence::Mfence));
                Ok(Some(self.void()))
            }
            "__builtin_ia32_sfence" | "_mm_sfence" => {
                self.emit_at(span, Op::Fence(Fence::Sfence));
                Ok(Some(self.void()))
            }
            "__builtin_ia32_lfence" | "_mm_lfence" => {
                self.emit_at(span, Op::Fence(Fence::Lfence));
                Ok(Some(self.void()))
            }
            "pthread_cancel" | "setjmp" | "_setjmp" | "sigsetjmp" | "longjmp" | "siglongjmp"
            | "fork" | "vfork" | "__sigsetjmp" => {
                self.unsupported(span, &format!("`{}`", call.name))
            }
            "__builtin_va_start" => {
                self.start_arguments(call.arg(0)?, span)?;
                Ok(Some(self.void()))
            }
            "__builtin_va_end" => {
                self.discard_all(call.args)?;
                Ok(Some(self.void()))
            }
            "__builtin_va_copy" => {
                let place = self.place(call.arg(0)?)?;
                let ty = Self::place_type(&place);
                let value = self.value_for(call.arg(1)?, ty)?;
                self.write(place, value, span)?;
                Ok(Some(self.void()))
            }
            name if count_of_bits(name) => self.bit_count(call).map(Some),
            name if overflowing(name).is_some() => self.overflow(call).map(Some),
            "__builtin_prefetch" => {
                self.discard_all(call.args)?;
                Ok(Some(self.void()))
            }
            "__builtin_bswap16" | "__builtin_bswap32" | "__builtin_bswap64" => {
                self.byte_swap(call).map(Some)
            }
            _ => {
                if let Some(value) = self.given_call(call)? {
                    return Ok(Some(value));
                }
                let known = self
                    .functions
                    .get(call.name)
                    .map(|f| self.types.get(f.ty).clone());
                if known.is_some() || !call.name.starts_with("__builtin_") {
                    return Ok(None);
                }
                self.unsupported(span, &format!("the builtin `{}`", call.name))
            }
        }
    }

    /// `syscall(number, …)`: futex alone, by its number on x86-64.
    fn system_call(&mut self, call: &Call<'a, '_>) -> Lowered<TypedValue> {
        const FUTEX: u64 = 202;
        const GETTID: u64 = 186;
        let long = self.types.ptrdiff_t();
        let number = self.value_for(call.arg(0)?, long)?.expr;
        if let Expr::Const { value: GETTID, .. } = number {
            self.discard_all(&call.args[1..])?;
            return self.number(Returns::From(1), long, call.span);
        }
        // Operations that have fewer arguments are none of those that are known.
        if let Expr::Const { value: FUTEX, .. } = number
            && call.args.len() >= 4
            && self.functions.contains_key(GIVEN_FUTEX)
        {
            return self.futex(call);
        }
        self.discard_all(&call.args[1..])?;
        let reason = match number {
            Expr::Const { value, .. } => format!("the system call {value} is not supported"),
            _ => "a system call whose number is not a constant is not supported".to_string(),
        };
        self.emit_at(call.span, Op::Unknown(reason));
        self.any_value(long, call.span)
    }

    /// `syscall(SYS_futex, word, operation, value, limit, …)`
    fn futex(&mut self, call: &Call<'a, '_>) -> Lowered<TypedValue> {
        let int = self.types.int();
        let pointer = self.pointer_width();
        let mut args = Vec::new();
        for (index, arg) in call.args.iter().enumerate().skip(1) {
            let is_int = matches!(index, 2 | 3);
            let value = match index {
                1..=4 if is_int => self.value_for(arg, int)?.expr,
                1..=4 => {
                    let value = self.value(arg)?;
                    let width = self.scalar_width(value.ty, arg.span)?;
                    fold::resize(value.expr, width, pointer, false)
                }
                _ => {
                    self.discard(arg)?;
                    continue;
                }
            };
            args.push(self.bind(value));
        }
        if args.len() < 4 {
            args.push(self.pointer_constant(0));
        }
        let callee = Callee::Proc(self.procedure(GIVEN_FUTEX, call.span));
        let dst = self.temp(pointer);
        self.emit_at(
            call.span,
            Op::Call {
                dst: Some(dst),
                callee,
                args,
            },
        );
        let (expr, ty) = (Expr::Local(dst), self.types.ptrdiff_t());
        Ok(TypedValue { expr, ty })
    }

    /// A function that is given in C.
    fn given_call(&mut self, call: &Call<'a, '_>) -> Lowered<Option<TypedValue>> {
        let plain = call.name.strip_prefix("__builtin_").unwrap_or(call.name);
        let name = format!("{PREFIX}{plain}");
        let Some(ty) = self.functions.get(&name).map(|f| f.ty) else {
            return Ok(None);
        };
        let Type::Function(f) = self.types.get(ty).clone() else {
            return Ok(None);
        };
        let proc = self.procedure(&name, call.span);
        let (callee, atomic) = ((Callee::Proc(proc), None), false);
        self.call_with(callee, &f, call.args, call.span, atomic)
            .map(Some)
    }

    fn byte_swap(&mut self, call: &Call<'a, '_>) -> Lowered<TypedValue> {
        use crate::front::c::ast::IntKind;
        let kind = match call.name {
            "__builtin_bswap16" => IntKind::UShort,
            "__builtin_bswap32" => IntKind::UInt,
            _ => IntKind::ULongLong,
        };
        let ty = self.types.id(Type::Int(kind));
        let width = self.types.int_width(kind);
        let value = self.value_for(call.arg(0)?, ty)?.expr;
        let value = self.bind(value);
        let result = swapped(value, width);
        Ok(TypedValue { expr: result, ty })
    }
}

/// The bytes of a value in the opposite order.
pub fn swapped(value: Expr, width: Width) -> Expr {
    let constant = |v: u64| Expr::constant(v, width);
    let mut result = constant(0);
    for from in (0..width).step_by(8) {
        let byte = fold::binary(BinOp::Lshr, value.clone(), constant(u64::from(from)), width);
        let byte = fold::binary(BinOp::And, byte, constant(0xff), width);
        let to = constant(u64::from(width - 8 - from));
        let moved = fold::binary(BinOp::Shl, byte, to, width);
        result = fold::binary(BinOp::Or, result, moved, width);
    }
    result
}

/// True for a format that reads numbers and single characters only, each into an object of its own.
fn is_plain_format(format: Option<&Ast>) -> bool {
    let Some(ExprKind::Str(bytes)) = format.map(|f| &f.kind) else {
        return false;
    };
    let mut parts = bytes.split(|b| *b == b'%').skip(1);
    parts.all(|part| {
        let mut rest = part.iter().skip_while(|b| b"hlzj0123456789".contains(b));
        rest.next().is_some_and(|b| b"diuxXoc".contains(b))
    })
}
