//! Condition variables as the search for deadlocks has them.
//!
//! A signal that comes too early is lost, and so may be the thread that waits for it. The state of
//! a condition variable is a set of threads, a bit each: those that wait. A wait adds its thread
//! before it gives the mutex back. A signal removes one of them, whichever, and a broadcast all. A
//! thread goes on when another thread has removed it; one that no thread removes waits forever.
//!
//! A thread may also go on for no reason (a *spurious* wake-up, or its time is over). Such a wait is
//! only unlock and lock: it does not add its thread. Had it done so, and taken itself out again, the
//! others would have seen a set with one thread more, which no signal removes; and a signal that
//! removes it woke it. So every behaviour that POSIX allows is there.

use super::sync::{THRD_TIMED_OUT, TIMED_OUT, is_timed_wait, word};
use super::timed::wrong_limit;
use super::{Call, Lowered, Lowering, TypedValue};
use crate::base::source::Span;
use crate::ir::program::{BinOp, Cast, Expr, LocalId, MemoryOrder, Op, PropertyKind, RmwOp, UnOp};
use crate::lower::c::fold;

/// Threads that may wait on a condition variable.
const MAX_WAITING: u64 = 32;

impl<'a> Lowering<'a> {
    /// Whether a property depends on how waits end.
    pub(super) fn waits_matter(&self) -> bool {
        self.options.checks.contains(&PropertyKind::Deadlock)
    }

    /// Waits; the result is the error with which the mutex is taken again, 0 in general.
    pub(super) fn condition_wait(&mut self, call: &Call<'a, '_>) -> Lowered<Expr> {
        let span = call.span;
        if !self.waits_matter() {
            self.discard(call.arg(0)?)?;
            let mutex = self.cell(call, 1)?;
            self.waits_with(&mutex, span);
            self.give_back(&mutex, span);
            return Ok(self.take_again(&mutex, span));
        }
        let (cell, mutex) = (self.cell(call, 0)?, self.cell(call, 1)?);
        self.waits_with(&mutex, span);
        let me = self.own_bit(MAX_WAITING, "condition variables", span);
        let sleeps = self.temp(1);
        self.emit(Op::Havoc { dst: sleeps });
        let awake = fold::unary(UnOp::Not, Expr::Local(sleeps), 1);
        let (gives, takes) = (self.body.label(), self.body.label());
        self.body.jump(Some(awake.clone()), gives);
        self.change(cell.clone(), RmwOp::Or, me.clone(), span);
        self.body.place(gives);
        self.give_back(&mutex, span);
        self.body.jump(Some(awake), takes);
        let state = Expr::Local(self.load_word(cell, span));
        let mine = Expr::binary(BinOp::And, state.clone(), me);
        let woken = Expr::binary(BinOp::Eq, mine, word(0));
        if is_timed_wait(call.name) {
            self.assume(woken);
        } else {
            self.wait(woken, state);
        }
        self.body.place(takes);
        Ok(self.take_again(&mutex, span))
    }

    /// Waits no longer than until a time; one that is none is an error before anything is done.
    pub(super) fn timed_wait(&mut self, call: &Call<'a, '_>) -> Lowered<TypedValue> {
        let span = call.span;
        let late = match call.name {
            "cnd_timedwait" => THRD_TIMED_OUT,
            _ => TIMED_OUT,
        };
        let (limit, clock) = self.wrong_limit(call, 2)?;
        let wrong = fold::binary(BinOp::Or, limit, clock, 1);
        let (result, end) = (self.temp(32), self.body.label());
        let dst = result;
        let value = word(wrong_limit(late) as u64);
        self.emit_at(span, Op::Assign { dst, value });
        self.body.jump(Some(wrong), end);
        let error = self.condition_wait(call)?;
        let signalled = self.temp(1);
        self.emit(Op::Havoc { dst: signalled });
        let said = self.outcome(Expr::Local(signalled), late).expr;
        let locked = fold::binary(BinOp::Eq, error.clone(), word(0), 32);
        let value = fold::choose(locked, said, error);
        self.emit(Op::Assign { dst, value });
        self.body.place(end);
        let (expr, ty) = (Expr::Local(result), self.types.int());
        Ok(TypedValue { expr, ty })
    }

    pub(super) fn condition(&mut self, call: &Call<'a, '_>) -> Lowered<()> {
        let span = call.span;
        let cell = self.cell(call, 0)?;
        self.discard_all(&call.args[1..])?;
        let init = matches!(call.name, "pthread_cond_init" | "cnd_init");
        if init {
            self.initialised(&cell, "condition variable", span);
        }
        match call.name {
            _ if !self.waits_matter() => {}
            _ if init => {
                let (value, order) = (word(0), MemoryOrder::Plain);
                let addr = cell;
                self.emit_at(span, Op::Store { addr, value, order });
            }
            "pthread_cond_signal" | "cnd_signal" => self.signal(cell, span),
            _ => {
                self.fence(span);
                self.change(cell, RmwOp::Exchange, word(0), span);
                self.fence(span);
            }
        }
        Ok(())
    }

    pub(super) fn condition_destroy(&mut self, call: &Call<'a, '_>) -> Lowered<()> {
        let span = call.span;
        let cell = self.cell(call, 0)?;
        if self.waits_matter() {
            let waiting = Expr::Local(self.load_word(cell.clone(), span));
            let no_waiter = Expr::binary(BinOp::Eq, waiting, word(0));
            let text = "no thread waits on this condition variable".to_string();
            self.expect(no_waiter, text, span);
        }
        self.emit_at(span, Op::Release(cell));
        Ok(())
    }

    /// Removes one of those that wait, if there are any.
    fn signal(&mut self, cell: Expr, span: Span) {
        self.fence(span);
        let state = Expr::Local(self.load_word(cell.clone(), span));
        let (chosen, dst) = (self.temp(32), self.temp(32));
        self.emit(Op::Havoc { dst: chosen });
        let chosen = Expr::Local(chosen);
        let less = Expr::binary(BinOp::Sub, chosen.clone(), word(1));
        let rest = Expr::binary(BinOp::And, chosen.clone(), less);
        let waiting = Expr::binary(BinOp::And, chosen.clone(), state.clone());
        let several = Expr::binary(BinOp::Ne, rest, word(0));
        let waiting = Expr::binary(BinOp::Eq, waiting, chosen.clone());
        let no_waiter = Expr::binary(BinOp::Eq, state.clone(), word(0));
        let a_waiter = Expr::binary(BinOp::Ne, chosen.clone(), word(0));
        let one = Expr::binary(BinOp::Or, no_waiter, a_waiter);
        let one = Expr::binary(BinOp::And, one, waiting);
        self.assume(Expr::binary(
            BinOp::And,
            one,
            fold::unary(UnOp::Not, several, 1),
        ));
        let desired = Expr::binary(BinOp::Xor, state.clone(), chosen);
        let (success, failure) = (MemoryOrder::Relaxed, MemoryOrder::Relaxed);
        self.emit(Op::Cas {
            dst,
            addr: cell,
            expected: state.clone(),
            desired,
            success,
            failure,
            weak: None,
        });
        self.assume(Expr::binary(BinOp::Eq, Expr::Local(dst), state));
        self.fence(span);
    }

    fn change(&mut self, addr: Expr, op: RmwOp, operand: Expr, span: Span) {
        let (dst, order): (LocalId, MemoryOrder) = (self.temp(32), MemoryOrder::Relaxed);
        self.emit_at(
            span,
            Op::Rmw {
                dst,
                addr,
                op,
                operand,
                order,
            },
        );
    }

    /// The bit of the thread that executes this, of so many bits.
    pub(super) fn own_bit(&mut self, bits: u64, what: &str, span: Span) -> Expr {
        let pointer = self.pointer_width();
        let dst = self.temp(pointer);
        self.emit_at(span, Op::ThreadSelf { dst });
        let handle = Expr::Local(dst);
        let known = self.body.label();
        let within = fold::binary(
            BinOp::Ult,
            handle.clone(),
            Expr::constant(bits, pointer),
            pointer,
        );
        self.body.jump(Some(within), known);
        let reason = format!("{what}, with more than {bits} threads");
        self.emit(Op::Unknown(reason));
        self.emit(Op::Halt);
        self.body.place(known);
        let number = Expr::Cast(Cast::Truncate, 32, Box::new(handle));
        self.bind(Expr::binary(BinOp::Shl, word(1), number))
    }
}
