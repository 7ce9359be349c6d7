//! Functions of the system whose results are arbitrary within what POSIX and C allow: files,
//! signals, the environment, the platform's limits.
//!
//! No file is kept: whatever was written, anything may be read. Signal handlers are registered and
//! never run.

use super::row::Returns;
use super::{Call, Lowered, Lowering, Place, TypedValue};
use crate::front::c::ast::{Expr as Ast, IntKind};
use crate::front::c::types::{Type, TypeId};
use crate::lower::c::{Arguments, fold};
use base::source::Span;
use ir::program::{BinOp, Expr, MemoryOrder, Op, mask};
use std::ops::RangeInclusive;

/// The numbers of signals.
const SIGNALS: RangeInclusive<u64> = 1..=64;
/// Signals that have no handler: `SIGKILL`, `SIGSTOP`, and two of glibc's own.
const WITHOUT_HANDLER: [u64; 4] = [9, 19, 32, 33];
/// What blocks signals, or waits for them.
const MASKS: [&str; 7] = [
    "pthread_sigmask",
    "sigprocmask",
    "sigwait",
    "sigwaitinfo",
    "sigtimedwait",
    "sigsuspend",
    "signalfd",
];

impl<'a> Lowering<'a> {
    pub(super) fn read_file(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        self.discard(call.arg(0)?)?;
        let (void, size_t) = (self.types.void_pointer(), self.types.size_t());
        let to = self.operand(call, 1, void)?;
        let size = self.operand(call, 2, size_t)?;
        self.fill_any(call, call.arg(1)?, &to, &size)?;
        self.discard_all(&call.args[3..])?;
        self.transferred(&size, call.span)
    }

    /// `getrandom`
    pub(super) fn random_bytes(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (void, size_t) = (self.types.void_pointer(), self.types.size_t());
        let to = self.operand(call, 0, void)?;
        let size = self.operand(call, 1, size_t)?;
        self.fill_any(call, call.arg(0)?, &to, &size)?;
        self.discard_all(&call.args[2..])?;
        self.transferred(&size, call.span)
    }

    pub(super) fn write_file(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        self.discard_all(&call.args[..2.min(call.args.len())])?;
        let size_t = self.types.size_t();
        let size = self.value_for(call.arg(2)?, size_t)?.expr;
        self.discard_all(&call.args[3..])?;
        self.transferred(&size, call.span)
    }

    pub(super) fn read_items(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let void = self.types.void_pointer();
        let to = self.operand(call, 0, void)?;
        let (size, count) = self.size_and_count(call)?;
        let bytes = fold::binary(BinOp::Mul, size, count.clone(), self.pointer_width());
        let bytes = self.bind(bytes);
        self.fill_any(call, call.arg(0)?, &to, &bytes)?;
        self.items_transferred(call, &count)
    }

    pub(super) fn write_items(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        self.discard(call.arg(0)?)?;
        let (_, count) = self.size_and_count(call)?;
        self.items_transferred(call, &count)
    }

    pub(super) fn prctl(&mut self, call: &Call<'a>) -> Lowered<()> {
        // PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NAME, PR_SET_TIMERSLACK and
        // PR_SET_NO_NEW_PRIVS change what a program cannot see.
        const HARMLESS: [u64; 5] = [1, 4, 15, 29, 38];
        let int = self.types.int();
        let option = self.value_for(call.arg(0)?, int)?.expr;
        self.discard_all(&call.args[1..])?;
        match option {
            Expr::Const { value, .. } if HARMLESS.contains(&value) => Ok(()),
            _ => self.not_understood(call, "this operation of `prctl` is not supported"),
        }
    }

    /// `fgets`
    pub(super) fn read_line(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (int, void) = (self.types.int(), self.types.void_pointer());
        let width = self.pointer_width();
        let to = self.operand(call, 0, void)?;
        let size = self.value_for(call.arg(1)?, int)?.expr;
        let size = fold::resize(size, 32, width, true);
        self.fill_any(call, call.arg(0)?, &to, &size)?;
        let last = fold::binary(BinOp::Sub, size, Expr::constant(1, width), width);
        let addr = fold::binary(BinOp::Add, to.clone(), last, width);
        let (value, order) = (Expr::constant(0, 8), MemoryOrder::Plain);
        self.emit_at(call.span, Op::Store { addr, value, order });
        self.discard_all(&call.args[2..])?;
        let dst = self.temp(1);
        self.emit(Op::Havoc { dst });
        let expr = fold::choose(Expr::Local(dst), to, self.pointer_constant(0));
        Ok(TypedValue { expr, ty: void })
    }

    /// Any value where an argument points; the others are evaluated.
    pub(super) fn any_value_at(&mut self, call: &Call<'a>, index: usize) -> Lowered<()> {
        let to = call.arg(index)?;
        self.discard_all(&call.args[..index])?;
        self.arbitrary_result(to, call.span)?;
        self.discard_all(&call.args[index + 1..])
    }

    /// `sigaction` fails for no signal that may be caught; handlers do not run here.
    pub(super) fn signal_action(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let int = self.types.int();
        let number = self.value_for(call.arg(0)?, int)?;
        self.discard(call.arg(1)?)?;
        self.arbitrary_result(call.arg(2)?, call.span)?;
        match number.expr {
            Expr::Const { value, .. }
                if SIGNALS.contains(&value) && !WITHOUT_HANDLER.contains(&value) =>
            {
                Ok(self.int_value(0))
            }
            _ => self.number(Returns::Failure, int, call.span),
        }
    }

    /// Whether the program may change what a signal does, or whether it comes at all.
    pub(super) fn looks_at_signals(&self) -> bool {
        let mut masks = MASKS.iter();
        self.may_be_interrupted() || masks.any(|name| self.names.is_called(name))
    }

    /// A number of which this is known.
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
        let greatest = (mask(width) >> 1) as i64;
        if let Some(most) = most.filter(|most| *most < greatest) {
            let below = Expr::binary(BinOp::Sle, value.expr.clone(), constant(most));
            self.emit(Op::Assume(below));
        }
        Ok(value)
    }

    /// How many bytes of so many were read or written, or -1.
    fn transferred(&mut self, size: &Expr, span: Span) -> Lowered<TypedValue> {
        let ty = self.types.ptrdiff_t();
        let done = self.number(Returns::From(-1), ty, span)?;
        let failed = Expr::constant(u64::MAX, self.pointer_width());
        let fails = Expr::binary(BinOp::Eq, done.expr.clone(), failed);
        let fits = Expr::binary(BinOp::Ule, done.expr.clone(), size.clone());
        self.emit(Op::Assume(Expr::binary(BinOp::Or, fails, fits)));
        Ok(done)
    }

    /// The size of an item and how many there are, of `fread` and `fwrite`.
    fn size_and_count(&mut self, call: &Call<'a>) -> Lowered<(Expr, Expr)> {
        let size_t = self.types.size_t();
        Ok((
            self.operand(call, 1, size_t)?,
            self.operand(call, 2, size_t)?,
        ))
    }

    /// How many of so many items were read or written.
    fn items_transferred(&mut self, call: &Call<'a>, count: &Expr) -> Lowered<TypedValue> {
        self.discard_all(&call.args[3..])?;
        let size_t = self.types.size_t();
        let done = self.any_value(size_t, call.span)?;
        let fits = Expr::binary(BinOp::Ule, done.expr.clone(), count.clone());
        self.emit(Op::Assume(fits));
        Ok(done)
    }

    fn fill_any(&mut self, call: &Call<'a>, to: &'a Ast, addr: &Expr, size: &Expr) -> Lowered<()> {
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

    /// The value of an environment variable that is set: any string, but for its length.
    pub(super) fn environment(&mut self, span: Span) -> Lowered<TypedValue> {
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
