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

use super::codes::word;
use super::initialised::{Object, is_static};
use super::timed::wrong_limit;
use super::{Call, Lowered, Lowering, TypedValue};
use crate::lower::c::fold;
use crate::lower::c::waits::may_mix;
use base::source::Span;
use ir::program::{BinOp, Cast, Expr, MemoryOrder, Op, RmwOp};
use ir::property::asks_for_progress;

/// Threads that may wait on a condition variable.
const MAX_WAITING: u64 = 31;

/// How long a thread waits.
#[derive(Clone, Copy)]
enum Waits {
    Forever,
    InTime,
}

impl<'a> Lowering<'a> {
    /// Whether a property depends on how waits end.
    pub(super) fn waits_matter(&self) -> bool {
        asks_for_progress(&self.options.checks)
    }

    /// Whether a condition variable may be waited on with two mutexes.
    fn mixes_mutexes(&self) -> bool {
        let is_global = |name: &str| {
            let mut variables = self.names.variables();
            variables.any(|(_, v)| v.name == name && !v.thread_local)
        };
        may_mix(self.names.called(), &is_global)
    }

    pub(super) fn untimed_wait(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let error = self.condition_wait(call, Waits::Forever)?;
        Ok(self.int_of(error))
    }

    /// Waits; the result is the error with which the mutex is taken again, 0 in general.
    fn condition_wait(&mut self, call: &Call<'a>, waits: Waits) -> Lowered<Expr> {
        let span = call.span;
        let (cell, mutex) = (self.cell(call, 0)?, self.cell(call, 1)?);
        self.check_condition(&cell, span);
        self.waits_with(&mutex, span);
        if !self.mixes_mutexes() {
            return Ok(self.wait_for(waits, cell, &mutex, span));
        }
        let noted = self.begin_wait(&cell, &mutex, span);
        let error = self.wait_for(waits, cell.clone(), &mutex, span);
        let error = self.bind(error);
        let end = self.body.label();
        let not = fold::not(noted);
        self.body.jump(Some(not), end);
        let (addr, value) = (self.later_word(&cell, 1), word(0));
        let order = MemoryOrder::Relaxed;
        self.emit_at(span, Op::Store { addr, value, order });
        self.body.place(end);
        Ok(error)
    }

    /// A thread waits on a condition variable with a mutex, which those that wait at the same time
    /// have, too (POSIX, pthread_cond_wait: anything else is undefined). Of two waits at a time one begins
    /// while the other lasts: so it is enough that one of them, whichever, notes its mutex until it ends, and
    /// that the others look. The result is whether this one does.
    fn begin_wait(&mut self, cell: &Expr, mutex: &Expr, span: Span) -> Expr {
        let bound = self.later_word(cell, 1);
        let pointer = self.pointer_width();
        // Objects are numbered in the upper half of their addresses.
        let object = match pointer {
            64 => {
                let upper = Expr::constant(32, pointer);
                let number = fold::binary(BinOp::Lshr, mutex.clone(), upper, pointer);
                let number = fold::resize(number, pointer, 32, false);
                fold::binary(BinOp::Mul, number, word(1 << 16), 32)
            }
            _ => word(0),
        };
        let offset = fold::resize(mutex.clone(), pointer, 32, false);
        let mine = self.bind(fold::binary(BinOp::Add, object, offset, 32));
        let (looks, begun) = (self.body.label(), self.body.label());
        let notes = self.temp(1);
        self.emit_at(span, Op::Havoc { dst: notes });
        let notes = Expr::Local(notes);
        let not = fold::not(notes.clone());
        self.body.jump(Some(not), looks);
        let order = MemoryOrder::Relaxed;
        let old = self.swap_word(bound.clone(), word(0), mine.clone(), order);
        self.assume(fold::binary(BinOp::Eq, old, word(0), 32));
        self.body.jump(None, begun);
        self.body.place(looks);
        let noted = Expr::Local(self.load_word(bound, span));
        let none = fold::binary(BinOp::Eq, noted.clone(), word(0), 32);
        let same = fold::binary(BinOp::Eq, noted, mine, 32);
        let one = fold::binary(BinOp::Or, none, same, 1);
        let text = "all threads that wait on this condition variable have one mutex";
        self.expect(one, text.to_string(), span);
        self.body.place(begun);
        notes
    }

    /// The wait itself.
    fn wait_for(&mut self, waits: Waits, cell: Expr, mutex: &Expr, span: Span) -> Expr {
        if !self.waits_matter() {
            self.give_back(mutex, span);
            return self.take_again(mutex, span);
        }
        let me = self.own_bit(MAX_WAITING, "condition variables", span);
        let sleeps = self.temp(1);
        self.emit(Op::Havoc { dst: sleeps });
        let awake = fold::not(Expr::Local(sleeps));
        let (gives, takes) = (self.body.label(), self.body.label());
        self.body.jump(Some(awake.clone()), gives);
        self.body.span = span;
        self.update_word(cell.clone(), RmwOp::Or, me.clone(), MemoryOrder::Relaxed);
        self.body.place(gives);
        self.give_back(mutex, span);
        self.body.jump(Some(awake), takes);
        let state = Expr::Local(self.load_word(cell, span));
        let mine = Expr::binary(BinOp::And, state.clone(), me);
        let woken = Expr::binary(BinOp::Eq, mine, word(0));
        match waits {
            Waits::InTime => self.assume(woken),
            Waits::Forever => self.wait(woken, state),
        }
        self.body.place(takes);
        self.take_again(mutex, span)
    }

    /// Waits no longer than until a time; one that is none is an error before anything is done.
    pub(super) fn timed_wait(&mut self, call: &Call<'a>, late: i64) -> Lowered<TypedValue> {
        let span = call.span;
        let (limit, clock) = self.wrong_limit(call, 2)?;
        let wrong = fold::binary(BinOp::Or, limit, clock, 1);
        let (result, end) = (self.temp(32), self.body.label());
        let dst = result;
        let value = word(wrong_limit(late) as u64);
        self.emit_at(span, Op::Assign { dst, value });
        self.body.jump(Some(wrong), end);
        let error = self.condition_wait(call, Waits::InTime)?;
        let signalled = self.temp(1);
        self.emit(Op::Havoc { dst: signalled });
        let said = self.outcome(Expr::Local(signalled), late).expr;
        let locked = fold::binary(BinOp::Eq, error.clone(), word(0), 32);
        let value = fold::choose(locked, said, error);
        self.emit(Op::Assign { dst, value });
        self.body.place(end);
        Ok(self.int_of(Expr::Local(result)))
    }

    pub(super) fn initialise_condition(&mut self, call: &Call<'a>) -> Lowered<()> {
        let (span, cell) = (call.span, self.cell(call, 0)?);
        self.discard_all(&call.args[1..])?;
        self.initialised(&cell, Object::Condition, span);
        let words = [
            (0, self.waits_matter() || !is_static(&cell)),
            (1, self.mixes_mutexes()),
        ];
        for (index, _) in words.into_iter().filter(|(_, used)| *used) {
            self.set_word(self.later_word(&cell, index), word(0), span);
        }
        Ok(())
    }

    pub(super) fn signal(&mut self, call: &Call<'a>) -> Lowered<()> {
        let cell = self.cell(call, 0)?;
        self.check_condition(&cell, call.span);
        if self.waits_matter() {
            self.wake_one(cell, call.span);
        }
        Ok(())
    }

    pub(super) fn broadcast(&mut self, call: &Call<'a>) -> Lowered<()> {
        let (span, cell) = (call.span, self.cell(call, 0)?);
        self.check_condition(&cell, span);
        if self.waits_matter() {
            self.fence(span);
            self.update_word(cell, RmwOp::Exchange, word(0), MemoryOrder::Relaxed);
            self.fence(span);
        }
        Ok(())
    }

    pub(super) fn destroy_condition(&mut self, call: &Call<'a>) -> Lowered<()> {
        let span = call.span;
        let cell = self.cell(call, 0)?;
        self.check_condition(&cell, span);
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
    fn wake_one(&mut self, cell: Expr, span: Span) {
        self.fence(span);
        let state = Expr::Local(self.load_word(cell.clone(), span));
        let chosen = self.temp(32);
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
        self.assume(Expr::binary(BinOp::And, one, fold::not(several)));
        let desired = Expr::binary(BinOp::Xor, state.clone(), chosen);
        let old = self.swap_word(cell, state.clone(), desired, MemoryOrder::Relaxed);
        self.assume(Expr::binary(BinOp::Eq, old, state));
        self.fence(span);
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
