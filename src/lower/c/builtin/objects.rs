//! Barriers, semaphores, once and thread-specific keys.

use super::codes::{AGAIN, DESTROYED, INTERRUPTED, INVALID, TIMED_OUT, word};
use super::initialised::Object;
use super::{Call, Lowered, Lowering, TypedValue};
use crate::lower::c::fold;
use crate::lower::c::purity::DESTRUCTOR;
use base::source::Span;
use ir::program::{BinOp, Callee, Expr, MemoryOrder, Op, RmwOp, Role};

/// `SEM_VALUE_MAX`
const SEM_VALUE_MAX: u64 = 0x7fff_ffff;
/// How many thread-specific keys a program may create.
const MAX_KEYS: u64 = 64;

/// How long a thread waits for a semaphore.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    None,
    Limited,
    Unlimited,
}

impl<'a> Lowering<'a> {
    /// A barrier counts arrivals forever: round `g` is open when there were `(g + 1) * count`.
    /// The third word says whose turn it is to be the serial thread.
    pub(super) fn initialise_barrier(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (span, cell) = (call.span, self.cell(call, 0)?);
        self.discard(call.arg(1)?)?;
        let ty = self.types.int();
        let count = self.operand(call, 2, ty)?;
        let dst = self.temp(32);
        let value = word(INVALID as u64);
        self.emit_at(span, Op::Assign { dst, value });
        let end = self.body.label();
        let none = fold::binary(BinOp::Eq, count.clone(), word(0), 32);
        self.body.jump(Some(none), end);
        self.initialised(&cell, Object::Barrier, span);
        for (index, value) in [count, word(0), word(0)].into_iter().enumerate() {
            self.set_word(self.later_word(&cell, index as u64), value, span);
        }
        let value = word(0);
        self.emit(Op::Assign { dst, value });
        self.body.place(end);
        Ok(self.int_of(Expr::Local(dst)))
    }

    pub(super) fn wait_at_barrier(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (span, cell) = (call.span, self.cell(call, 0)?);
        let (arrived, serial) = (self.later_word(&cell, 1), self.later_word(&cell, 2));
        let count = Expr::Local(self.load_word(cell.clone(), span));
        self.check_state(&cell, &count, Object::Barrier, span);
        let some = fold::binary(BinOp::Ne, count.clone(), word(0), 32);
        self.expect(some, "this barrier is initialised".to_string(), span);
        self.fence(span);
        let order = MemoryOrder::Library(Role::Release);
        let before = self.update_word(arrived.clone(), RmwOp::Add, word(1), order);
        let now = self.temp(32);
        let round = fold::binary(BinOp::Udiv, before, count.clone(), 32);
        let round = self.bind(round);
        let next = fold::binary(BinOp::Add, round.clone(), word(1), 32);
        self.emit(Op::Load {
            dst: now,
            addr: arrived,
            order: MemoryOrder::Library(Role::Wait),
        });
        let open = fold::binary(BinOp::Mul, next.clone(), count, 32);
        let now = Expr::Local(now);
        self.wait(fold::binary(BinOp::Ule, open, now.clone(), 32), now);
        let turn = self.swap_word(serial, round.clone(), next, MemoryOrder::Relaxed);
        self.fence(span);
        let first = Expr::binary(BinOp::Ne, turn, round);
        Ok(self.outcome(first, -1))
    }

    /// Asserts that no thread waits at a barrier. Of one that is destroyed that is not asked.
    pub(super) fn destroy_barrier(&mut self, call: &Call<'a>) -> Lowered<()> {
        let span = call.span;
        let cell = self.cell(call, 0)?;
        let count = Expr::Local(self.load_word(cell.clone(), span));
        let arrived = Expr::Local(self.load_word(self.later_word(&cell, 1), span));
        let waiting = fold::binary(BinOp::Urem, arrived, count.clone(), 32);
        let no_waiter = fold::binary(BinOp::Eq, waiting, word(0), 32);
        let destroyed = fold::binary(BinOp::Eq, count, word(DESTROYED), 32);
        let cond = fold::binary(BinOp::Or, no_waiter, destroyed, 1);
        self.expect(cond, "no thread waits at this barrier".to_string(), span);
        self.destroy(call, Object::Barrier, &[])
    }

    pub(super) fn initialise_semaphore(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (span, cell) = (call.span, self.cell(call, 0)?);
        self.discard(call.arg(1)?)?;
        let ty = self.types.int();
        let value = self.operand(call, 2, ty)?;
        let possible = fold::binary(BinOp::Ule, value.clone(), word(SEM_VALUE_MAX), 32);
        let end = self.body.label();
        self.body.span = span;
        self.set_errno(INVALID, &possible, span)?;
        let result = self.outcome(possible.clone(), -1);
        let impossible = fold::not(possible);
        self.body.jump(Some(impossible), end);
        self.initialised(&cell, Object::Semaphore, span);
        self.set_word(cell, value, span);
        self.body.place(end);
        Ok(result)
    }

    pub(super) fn post(&mut self, call: &Call<'a>) -> Lowered<()> {
        let (span, cell) = (call.span, self.cell(call, 0)?);
        self.fence(span);
        let order = MemoryOrder::Library(Role::Release);
        let old = self.update_word(cell.clone(), RmwOp::Add, word(1), order);
        self.check_state(&cell, &old, Object::Semaphore, span);
        let more = fold::binary(BinOp::Ne, old, word(SEM_VALUE_MAX), 32);
        self.unknown_unless(more, "a semaphore beyond its greatest value");
        self.fence(span);
        Ok(())
    }

    pub(super) fn semaphore_value(&mut self, call: &Call<'a>) -> Lowered<()> {
        let (span, cell) = (call.span, self.cell(call, 0)?);
        let value = Expr::Local(self.load_word(cell.clone(), span));
        self.check_state(&cell, &value, Object::Semaphore, span);
        let value = self.int_of(value);
        if let Some(place) = self.result_place(call.arg(1)?)? {
            self.write(place, value, span)?;
        }
        Ok(())
    }

    /// Takes one of a semaphore. A handler of signals may end a wait.
    pub(super) fn take(&mut self, call: &Call<'a>, patience: Patience) -> Lowered<TypedValue> {
        let (span, cell) = (call.span, self.cell(call, 0)?);
        let limit = match patience {
            Patience::Limited => Some(self.limit(call)?),
            Patience::None | Patience::Unlimited => None,
        };
        let (error, end) = (self.temp(32), self.body.label());
        if self.may_be_interrupted() && patience != Patience::None {
            let interrupted = self.temp(1);
            let (dst, value) = (error, word(INTERRUPTED as u64));
            self.emit_at(span, Op::Assign { dst, value });
            self.emit(Op::Havoc { dst: interrupted });
            self.body.jump(Some(Expr::Local(interrupted)), end);
        }
        let old = Expr::Local(self.load_word(cell.clone(), span));
        self.check_state(&cell, &old, Object::Semaphore, span);
        let none = fold::binary(BinOp::Eq, old.clone(), word(0), 32);
        let less = fold::binary(BinOp::Sub, old.clone(), word(1), 32);
        let some = fold::not(none.clone());
        let late = match patience {
            Patience::Limited => TIMED_OUT,
            Patience::None | Patience::Unlimited => AGAIN,
        };
        let (less, value) = match patience {
            Patience::Unlimited => {
                self.wait(some, old.clone());
                (less, word(0))
            }
            Patience::None | Patience::Limited => (
                fold::choose(none, word(0), less),
                self.outcome(some, late).expr,
            ),
        };
        self.lock_with(cell, old, less, Role::AcquirePermit, span);
        let value = match limit {
            Some(limit) => self.in_time(limit, value, late, span).expr,
            None => value,
        };
        self.emit(Op::Assign { dst: error, value });
        self.body.place(end);
        let good = fold::binary(BinOp::Eq, Expr::Local(error), word(0), 32);
        self.set_errno_to(Expr::Local(error), &good, span)?;
        Ok(self.outcome(good, -1))
    }

    /// The word of a once object: 0 at first, 1 while the routine runs, 2 afterwards.
    pub(super) fn once(&mut self, call: &Call<'a>) -> Lowered<()> {
        let span = call.span;
        let cell = self.cell(call, 0)?;
        let routine = self.value(call.arg(1)?)?;
        let callee = match routine.expr {
            Expr::Proc(proc) => Callee::Proc(proc),
            other => Callee::Pointer(other),
        };
        let old = self.swap_from(cell.clone(), word(0), word(1), Role::AcquirePermit, span);
        self.check_state(&cell, &old, Object::Once, span);
        let mine = fold::binary(BinOp::Eq, old, word(0), 32);
        let (run, end) = (self.body.label(), self.body.label());
        self.body.jump(Some(mine), run);
        let waits = MemoryOrder::Library(Role::Wait);
        let state = self.load_ordered(cell.clone(), waits, span);
        let state = Expr::Local(state);
        self.wait(Expr::binary(BinOp::Eq, state.clone(), word(2)), state);
        self.fence(span);
        self.body.jump(None, end);
        self.body.place(run);
        self.emit(Op::Call {
            dst: None,
            callee,
            args: Vec::new(),
        });
        self.fence(span);
        self.emit(Op::Store {
            addr: cell,
            value: word(2),
            order: MemoryOrder::Library(Role::Release),
        });
        self.body.place(end);
        Ok(())
    }

    /// How many thread-specific keys there are.
    fn key_counter(&mut self) -> Expr {
        Expr::Global(self.hidden_global("thread-specific keys", 32, 1, false))
    }

    pub(super) fn create_key(&mut self, call: &Call<'a>) -> Lowered<()> {
        let (span, ty) = (call.span, self.types.void_pointer());
        let counter = self.key_counter();
        let (addr, to) = self.pointer_arg(call.arg(0)?)?;
        let destructor = self.value_for(call.arg(1)?, ty)?.expr;
        self.body.span = span;
        let key = self.update_word(counter, RmwOp::Add, word(1), MemoryOrder::Relaxed);
        let room = self.body.label();
        let known = Expr::binary(BinOp::Ult, key.clone(), word(MAX_KEYS));
        self.body.jump(Some(known), room);
        self.not_understood(call, &format!("more than {MAX_KEYS} thread-specific keys"))?;
        self.emit(Op::Halt);
        self.body.place(room);
        let key = self.int_of(key);
        if !matches!(destructor, Expr::Const { value: 0, .. }) {
            self.set_destructor(key.clone(), destructor, span)?;
        }
        let key = self.convert(key, to, span)?;
        self.store(addr, to, key, MemoryOrder::Plain, span)
    }

    pub(super) fn delete_key(&mut self, call: &Call<'a>) -> Lowered<()> {
        let int = self.types.int();
        let key = self.value_for(call.arg(0)?, int)?;
        if self.names.is_called(DESTRUCTOR) {
            let none = self.pointer_constant(0);
            self.set_destructor(key, none, call.span)?;
        }
        Ok(())
    }

    pub(super) fn get_specific(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let ty = self.types.void_pointer();
        let addr = self.specific(call)?;
        self.load(addr, ty, MemoryOrder::Plain, call.span)
    }

    pub(super) fn set_specific(&mut self, call: &Call<'a>) -> Lowered<()> {
        let ty = self.types.void_pointer();
        let addr = self.specific(call)?;
        let value = self.value_for(call.arg(1)?, ty)?;
        self.store(addr, ty, value, MemoryOrder::Plain, call.span)
    }

    /// Where this thread has the value of a key: every thread has an array of pointers.
    fn specific(&mut self, call: &Call<'a>) -> Lowered<Expr> {
        let (int, ty) = (self.types.int(), self.types.void_pointer());
        let key = self.value_for(call.arg(0)?, int)?;
        let width = self.pointer_width();
        let table = self.hidden_global("thread-specific data", width, MAX_KEYS, true);
        let offset = self.scaled(key, ty, call.span)?;
        Ok(fold::binary(BinOp::Add, Expr::Global(table), offset, width))
    }

    /// How many keys there are, as `library.c` asks.
    pub(super) fn count_keys(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (addr, int) = (self.key_counter(), self.types.int());
        self.load(addr, int, MemoryOrder::Relaxed, call.span)
    }

    pub(super) fn get_destructor(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (int, ty) = (self.types.int(), self.types.void_pointer());
        let key = self.value_for(call.arg(0)?, int)?;
        let addr = self.destructor_of(key, call.span)?;
        self.load(addr, ty, MemoryOrder::Relaxed, call.span)
    }

    fn set_destructor(&mut self, key: TypedValue, value: Expr, span: Span) -> Lowered<()> {
        let (addr, order) = (self.destructor_of(key, span)?, MemoryOrder::Relaxed);
        self.emit(Op::Store { addr, value, order });
        Ok(())
    }

    /// Where the destructor of a key is kept.
    fn destructor_of(&mut self, key: TypedValue, span: Span) -> Lowered<Expr> {
        let width = self.pointer_width();
        let ty = self.types.void_pointer();
        let table = self.hidden_global("destructors of keys", width, MAX_KEYS, false);
        let offset = self.scaled(key, ty, span)?;
        Ok(fold::binary(BinOp::Add, Expr::Global(table), offset, width))
    }
}
