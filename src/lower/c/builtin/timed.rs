//! Limits of time and clocks: what functions that wait for a limited time ask of their arguments.
//!
//! A wait with a limit may give up at any time, and a clock shows any time. But a limit whose
//! nanoseconds are out of range is an error (POSIX 2.8.4.1 and the pages of the functions), and no
//! clock shows such. Where a function need not have waited, POSIX leaves open whether it looks.
//!
//! Nothing interrupts a program that registers no handler of signals.

use super::codes::{
    INTERRUPTED, INVALID, NOT_SUPPORTED, THRD_ERROR, THRD_TIMED_OUT, TIMED_OUT, word,
};
use super::{Call, Lowered, Lowering, TypedValue};
use crate::lower::c::body::Label;
use crate::lower::c::fold;
use base::source::Span;
use ir::program::{BinOp, Expr, MemoryOrder, Op};

/// Nanoseconds and microseconds of a second.
const NANOSECONDS: u64 = 1_000_000_000;
const MICROSECONDS: u64 = 1_000_000;
/// Seconds since 1970 that no clock shows, where a second has 64 bits: some time in the year 36 812.
const SECONDS: u64 = 1 << 40;
/// What registers a handler of signals.
const HANDLERS: [&str; 3] = ["signal", "sigaction", "sigset"];

/// A limit of time that a function was given.
pub(super) struct Limit {
    /// It is none, or of a clock that cannot be waited for.
    pub wrong: Expr,
    /// Where the function goes on when it looks at a wrong limit first, and says so.
    pub refused: Label,
}

impl<'a> Lowering<'a> {
    /// Reads the limit of a function that locks or takes. Ahead of that it may say that the limit is
    /// wrong: then control is at `refused`, which the caller places.
    pub(super) fn limit(&mut self, call: &Call<'a>) -> Lowered<Limit> {
        let (wrong, clock) = self.wrong_limit(call, 1)?;
        let (refused, tries) = (self.body.label(), self.body.label());
        self.body.span = call.span;
        self.body.jump(Some(clock), refused);
        self.body.jump(Some(fold::not(wrong.clone())), tries);
        let looks = self.temp(1);
        self.emit(Op::Havoc { dst: looks });
        self.body.jump(Some(Expr::Local(looks)), refused);
        self.body.place(tries);
        Ok(Limit { wrong, refused })
    }

    /// What a function with a limit says: `value`, and of a wrong limit instead of `late` that it is
    /// wrong. It says so, too, at `refused`.
    pub(super) fn in_time(
        &mut self,
        limit: Limit,
        value: Expr,
        late: i64,
        span: Span,
    ) -> TypedValue {
        let wrong_limit = Expr::constant(wrong_limit(late) as u64, 32);
        let late = Expr::constant(late as u64, 32);
        let is_late = fold::binary(BinOp::Eq, value.clone(), late, 32);
        let is_wrong = fold::binary(BinOp::And, is_late, limit.wrong, 1);
        let value = fold::choose(is_wrong, wrong_limit.clone(), value);
        let (result, end) = (self.temp(32), self.body.label());
        let dst = result;
        self.emit_at(span, Op::Assign { dst, value });
        self.body.jump(None, end);
        self.body.place(limit.refused);
        let value = wrong_limit;
        self.emit(Op::Assign { dst, value });
        self.body.place(end);
        self.int_of(Expr::Local(result))
    }

    /// Whether the limit of a call is wrong, and whether its clock is. The limit is the last argument, and
    /// a clock is ahead of it where there are more than `before` others.
    pub(super) fn wrong_limit(&mut self, call: &Call<'a>, before: usize) -> Lowered<(Expr, Expr)> {
        let mut clock = Expr::constant(0, 1);
        let mut at = before;
        if call.args.len() > before + 1 {
            let int = self.types.int();
            let id = self.value_for(call.arg(at)?, int)?.expr;
            // CLOCK_REALTIME or CLOCK_MONOTONIC
            clock = self.bind(fold::binary(BinOp::Ult, word(1), id, 32));
            at += 1;
        }
        let (addr, _) = self.pointer_arg(call.arg(at)?)?;
        Ok((self.out_of_range(addr, call.span), clock))
    }

    /// Whether the nanoseconds of a `struct timespec` are out of range.
    fn out_of_range(&mut self, addr: Expr, span: Span) -> Expr {
        let width = self.pointer_width();
        let behind = Expr::constant(u64::from(width / 8), width);
        let addr = fold::binary(BinOp::Add, addr, behind, width);
        let (dst, order) = (self.temp(width), MemoryOrder::Plain);
        self.emit_at(span, Op::Load { dst, addr, order });
        let most = Expr::constant(NANOSECONDS - 1, width);
        self.bind(fold::binary(BinOp::Ult, most, Expr::Local(dst), width))
    }

    /// Whether a handler of signals may interrupt the program.
    pub(super) fn may_be_interrupted(&self) -> bool {
        HANDLERS.iter().any(|name| self.names.is_called(name))
    }

    pub(super) fn clock_time(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (int, span) = (self.types.int(), call.span);
        let id = self.operand(call, 0, int)?;
        let (addr, _) = self.pointer_arg(call.arg(1)?)?;
        let none = fold::binary(BinOp::Eq, id.clone(), word(10), 32);
        let beyond = fold::binary(BinOp::Ult, word(11), id, 32);
        let unknown = fold::binary(BinOp::Or, none, beyond, 1);
        let known = self.bind(fold::not(unknown.clone()));
        self.set_errno(INVALID, &known, span)?;
        let end = self.body.label();
        self.body.span = span;
        self.body.jump(Some(unknown), end);
        self.any_time(addr, NANOSECONDS, span);
        self.body.place(end);
        Ok(self.outcome(known, -1))
    }

    pub(super) fn time_of_day(&mut self, call: &Call<'a>) -> Lowered<()> {
        let time = self.value(call.arg(0)?)?.expr;
        self.discard_all(&call.args[1..])?;
        if !matches!(time, Expr::Const { value: 0, .. }) {
            let addr = self.bind(time);
            self.any_time(addr, MICROSECONDS, call.span);
        }
        Ok(())
    }

    /// `timespec_get`: C demands TIME_UTC, which is 1, of every library; what else there is differs.
    pub(super) fn c11_time(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (addr, _) = self.pointer_arg(call.arg(0)?)?;
        let int = self.types.int();
        let base = self.value_for(call.arg(1)?, int)?.expr;
        if matches!(base, Expr::Const { value: 1, .. }) {
            self.any_time(addr, NANOSECONDS, call.span);
            return Ok(self.int_value(1));
        }
        self.not_understood(call, "`timespec_get` with another base than TIME_UTC")?;
        Ok(self.zero())
    }

    /// Any time of a clock, in seconds and parts of a second.
    fn any_time(&mut self, addr: Expr, parts: u64, span: Span) {
        let width = self.pointer_width();
        let behind = Expr::constant(u64::from(width / 8), width);
        let second = match width {
            64 => SECONDS,
            _ => 1 << 31,
        };
        let later = fold::binary(BinOp::Add, addr.clone(), behind, width);
        for (addr, below) in [(addr, second), (later, parts)] {
            let dst = self.temp(width);
            self.emit_at(span, Op::Havoc { dst });
            let value = Expr::Local(dst);
            let below = Expr::constant(below, width);
            self.assume(Expr::binary(BinOp::Ult, value.clone(), below));
            let order = MemoryOrder::Plain;
            self.emit(Op::Store { addr, value, order });
        }
    }

    pub(super) fn sleep_nanoseconds(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let result = self.sleep(call, 0, word(0))?;
        let good = fold::binary(BinOp::Eq, result.clone(), word(0), 32);
        self.set_errno_to(result, &good, call.span)?;
        Ok(self.outcome(good, -1))
    }

    /// C11 7.26.5.7: -1 if it was interrupted, and another negative number of an error.
    pub(super) fn sleep_thread(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let result = self.sleep(call, 0, word(0))?;
        let good = fold::binary(BinOp::Eq, result.clone(), word(0), 32);
        let interrupted = word(INTERRUPTED as u64);
        let interrupted = fold::binary(BinOp::Eq, result, interrupted, 32);
        let failed = fold::choose(interrupted, word(u64::MAX), word(-2_i64 as u64));
        Ok(self.int_of(fold::choose(good, word(0), failed)))
    }

    pub(super) fn sleep_of_clock(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let int = self.types.int();
        let id = self.operand(call, 0, int)?;
        let is = |n: u64| fold::binary(BinOp::Eq, id.clone(), word(n), 32);
        let or = |a, b| fold::binary(BinOp::Or, a, b, 1);
        let beyond = fold::binary(BinOp::Ult, word(11), id.clone(), 32);
        let none = [3, 10].map(is).into_iter().fold(beyond, or);
        // The coarse and the raw clocks.
        let raw = [4, 5, 6].map(is).into_iter().fold(Expr::constant(0, 1), or);
        let error = fold::choose(raw, word(NOT_SUPPORTED as u64), word(0));
        let error = fold::choose(none, word(INVALID as u64), error);
        let error = self.bind(error);
        self.discard(call.arg(1)?)?;
        let result = self.sleep(call, 2, error)?;
        Ok(self.int_of(result))
    }

    /// Sleeps as long as the argument `at` says: the time passes at once, unless what it is given is none.
    /// The result is an error, if there was no `error` before, and behind the argument is written what is
    /// left.
    fn sleep(&mut self, call: &Call<'a>, at: usize, error: Expr) -> Lowered<Expr> {
        let span = call.span;
        let width = self.pointer_width();
        let (addr, _) = self.pointer_arg(call.arg(at)?)?;
        let (dst, order) = (self.temp(width), MemoryOrder::Plain);
        let seconds = Expr::Local(dst);
        let out_of = addr.clone();
        self.emit_at(span, Op::Load { dst, addr, order });
        let out_of_range = self.out_of_range(out_of, span);
        let zero = self.pointer_constant(0);
        let before = fold::binary(BinOp::Slt, seconds, zero.clone(), width);
        let wrong = fold::binary(BinOp::Or, before, out_of_range, 1);
        let given = fold::binary(BinOp::Eq, error.clone(), word(0), 32);
        let wrong = fold::binary(BinOp::And, wrong, given, 1);
        let error = fold::choose(wrong, word(INVALID as u64), error);
        let error = self.bind(error);
        let rest = self.value(call.arg(at + 1)?)?.expr;
        if !self.may_be_interrupted() {
            return Ok(error);
        }
        let interrupted = self.temp(1);
        self.emit_at(span, Op::Havoc { dst: interrupted });
        let sleeps = fold::binary(BinOp::Eq, error.clone(), word(0), 32);
        let interrupted = fold::binary(BinOp::And, sleeps, Expr::Local(interrupted), 1);
        let interrupted = self.bind(interrupted);
        let result = fold::choose(interrupted.clone(), word(INTERRUPTED as u64), error);
        if !matches!(rest, Expr::Const { value: 0, .. }) {
            let end = self.body.label();
            let rest = self.bind(rest);
            let not = fold::not(interrupted);
            self.body.jump(Some(not), end);
            let nowhere = fold::binary(BinOp::Eq, rest.clone(), zero, width);
            self.body.jump(Some(nowhere), end);
            self.any_time(rest, NANOSECONDS, span);
            self.body.place(end);
        }
        Ok(self.bind(result))
    }
}

/// What a function says of a wrong limit that says this when it is late.
pub(super) fn wrong_limit(late: i64) -> i64 {
    match late {
        TIMED_OUT => INVALID,
        THRD_TIMED_OUT => THRD_ERROR,
        other => other,
    }
}
