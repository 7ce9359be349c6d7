//! Library functions that do nothing a verdict depends on, and a few with a simple value.

use super::codes::INVALID;
use super::row::Returns;
use super::{Call, Lowered, Lowering, TypedValue};
use crate::front::c::ast::{Expr as Ast, ExprKind, IntKind};
use crate::front::c::library::PREFIX;
use crate::front::c::types::Type;
use crate::lower::c::call::CalledFunction;
use crate::lower::c::fold;
use ir::program::{BinOp, Callee, Expr, MemoryOrder, Op, UnOp, Width};
use ir::property::asks_for_progress;

/// futex(2), which is given in C.
const GIVEN_FUTEX: &str = "__wmbmc___futex";

impl<'a> Lowering<'a> {
    /// A function that is known and not supported.
    pub(super) fn refuse<T>(&mut self, call: &Call<'a>) -> Lowered<T> {
        self.unsupported(call.span, &format!("`{}`", call.name))
    }

    /// Reads numbers and single characters, where the format has nothing else.
    pub(super) fn scan(&mut self, call: &Call<'a>, format: usize) -> Lowered<Option<TypedValue>> {
        if !is_plain_format(call.args.get(format)) {
            return Ok(None);
        }
        let span = call.span;
        self.discard_all(&call.args[..format])?;
        let places = &call.args[format + 1..];
        for arg in places {
            let (addr, to) = self.pointer_arg(arg)?;
            let value = self.any_value(to, span)?;
            self.store(addr, to, value, MemoryOrder::Plain, span)?;
        }
        // How many were read, or EOF.
        let int = self.types.int();
        let read = self.any_value(int, span)?;
        let number = |n: usize| Expr::constant(n as u64, 32);
        let more = fold::binary(BinOp::Add, read.expr.clone(), number(1), 32);
        let possible = fold::binary(BinOp::Ule, more, number(places.len() + 1), 32);
        self.emit(Op::Assume(possible));
        Ok(Some(read))
    }

    /// `pthread_mutexattr_setprotocol`: without priorities, inheritance changes nothing that a program
    /// can see; a ceiling makes a lock fail.
    pub(super) fn set_protocol(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        self.discard(call.arg(0)?)?;
        let int = self.types.int();
        let protocol = self.operand(call, 1, int)?;
        let number = |n: u64| Expr::constant(n, 32);
        self.body.span = call.span;
        let other = fold::binary(BinOp::Ne, protocol.clone(), number(2), 32);
        let reason = "a mutex with a priority ceiling (PTHREAD_PRIO_PROTECT)";
        self.unknown_unless(other, reason);
        let known = fold::binary(BinOp::Ule, protocol, number(2), 32);
        Ok(self.outcome(known, INVALID))
    }

    pub(super) fn time(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let long = self.types.ptrdiff_t();
        let place = self.result_place(call.arg(0)?)?;
        let now = self.any_value(long, call.span)?;
        self.deliver(place, now.clone(), call.span)?;
        Ok(now)
    }

    pub(super) fn sleeps_on_futex(&mut self, call: &Call<'a>) -> Lowered<()> {
        if asks_for_progress(&self.options.checks) {
            let reason = "a wait for a futex while deadlocks are checked; they are not looked for \
                          there, and `--check` selects other kinds";
            self.not_understood(call, reason)?;
        }
        Ok(())
    }

    pub(super) fn string_length(&mut self, call: &Call<'a>) -> Lowered<Option<TypedValue>> {
        let ExprKind::Str(bytes) = &call.arg(0)?.kind else {
            return self.given_call(call);
        };
        let length = bytes.iter().take_while(|b| **b != 0).count();
        Ok(Some(self.size_value(length as u64)))
    }

    pub(super) fn absolute_value(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let int = self.types.int();
        let TypedValue { expr, ty } = self.value_for(call.arg(0)?, int)?;
        let value = TypedValue::new(expr.clone(), ty);
        self.check_negation(&value, 32, call.span);
        let negative = fold::binary(BinOp::Slt, expr.clone(), Expr::constant(0, 32), 32);
        let minus = fold::unary(UnOp::Neg, expr.clone(), 32);
        Ok(self.int_of(fold::choose(negative, minus, expr)))
    }

    /// `__builtin_expect`: the value that is expected to be another one.
    pub(super) fn expected(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let long = self.types.ptrdiff_t();
        let value = self.value_for(call.arg(0)?, long)?;
        self.discard_all(&call.args[1..])?;
        Ok(value)
    }

    /// A pointer of which the compiler may know how its address is aligned.
    pub(super) fn assume_aligned(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let void = self.types.void_pointer();
        let value = self.value_for(call.arg(0)?, void)?;
        self.discard_all(&call.args[1..])?;
        Ok(value)
    }

    /// How large an object is, as far as a compiler knows: what it says where it does not (gcc's manual, "Object Size
    /// Checking"). The argument is not evaluated.
    pub(super) fn object_size(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let is_least = self.constant(call.arg(1)?)? & 2 != 0;
        Ok(self.size_value(if is_least { 0 } else { u64::MAX }))
    }

    /// `va_copy`
    pub(super) fn copy_arguments(&mut self, call: &Call<'a>) -> Lowered<()> {
        let place = self.place(call.arg(0)?)?;
        let ty = Self::place_type(&place);
        let value = self.value_for(call.arg(1)?, ty)?;
        self.write(place, value, call.span).map(|_| ())
    }

    /// `syscall(number, …)`: futex alone, by its number on x86-64.
    pub(super) fn system_call(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
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
            && self.names.functions().contains_key(GIVEN_FUTEX)
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
    fn futex(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
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
        Ok(TypedValue::new(Expr::Local(dst), self.types.ptrdiff_t()))
    }

    /// A function that is given in C.
    pub(super) fn given_call(&mut self, call: &Call<'a>) -> Lowered<Option<TypedValue>> {
        let plain = call.name.strip_prefix("__builtin_").unwrap_or(call.name);
        let name = format!("{PREFIX}{plain}");
        let Some(ty) = self.names.function(&name).map(|f| f.ty) else {
            return Ok(None);
        };
        let Type::Function(f) = self.types.get(ty).clone() else {
            return Ok(None);
        };
        let proc = self.procedure(&name, call.span);
        let called = CalledFunction {
            callee: Callee::Proc(proc),
            pointed: None,
            atomic: false,
        };
        self.call_with(called, &f, call.args, call.span).map(Some)
    }

    pub(super) fn byte_swap(&mut self, call: &Call<'a>, kind: IntKind) -> Lowered<TypedValue> {
        let ty = self.types.id(Type::Int(kind));
        let width = self.types.int_width(kind);
        let expr = swapped(self.operand(call, 0, ty)?, width);
        Ok(TypedValue { expr, ty })
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
