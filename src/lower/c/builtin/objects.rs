//! Barriers, semaphores, once and thread-specific keys.

use super::codes::{AGAIN, DESTROYED, INTERRUPTED, INVALID, TIMED_OUT, word};
use super::initialised::Object;
use super::{Call, Lowered, Lowering, TypedValue};
use crate::base::source::Span;
use crate::ir::program::{BinOp, Callee, Expr, MemoryOrder, Op, RmwOp, Role, UnOp};
use crate::lower::c::fold;
use crate::lower::c::purity::DESTRUCTOR;

/// `SEM_VALUE_MAX`
const SEM_VALUE_MAX: u64 = 0x7fff_ffff;
/// How many thread-specific keys a program may create.
const MAX_KEYS: u64 = 64;

impl<'a> Lowering<'a> {
    /// A barrier counts arrivals forever: round `g` is open when there were `(g + 1) * count`.
    /// The third word says whose turn it is to be told that it was the serial thread.
    pub(super) fn barrier(&mut self, call: &Call<'a, '_>) -> Lowered<TypedValue> {
        let span = call.span;
        let cell = self.cell(call, 0)?;
        let (arrived, serial) = (self.later_word(&cell, 1), self.later_word(&cell, 2));
        if call.name == "pthread_barrier_init" {
            self.discard(call.arg(1)?)?;
            let ty = self.types.int();
            let count = self.value_for(call.arg(2)?, ty)?.expr;
            let count = self.bind(count);
            let result = self.temp(32);
            let (value, dst) = (word(INVALID as u64), result);
            self.emit_at(span, Op::Assign { dst, value });
            let end = self.body.label();
            let none = fold::binary(BinOp::Eq, count.clone(), word(0), 32);
            self.body.jump(Some(none), end);
            self.initialised(&cell, "barrier", span);
            self.emit(Op::Store {
                addr: cell,
                value: count,
                order: MemoryOrder::Plain,
            });
            self.emit(Op::Store {
                addr: arrived,
                value: word(0),
                order: MemoryOrder::Plain,
            });
            self.emit(Op::Store {
                addr: serial,
                value: word(0),
                order: MemoryOrder::Plain,
            });
            let value = word(0);
            self.emit(Op::Assign { dst, value });
            self.body.place(end);
            let (expr, ty) = (Expr::Local(result), self.types.int());
            return Ok(TypedValue { expr, ty });
        }
        let count = Expr::Local(self.load_word(cell.clone(), span));
        self.check_state(&cell, &count, Object::Barrier, span);
        let some = fold::binary(BinOp::Ne, count.clone(), word(0), 32);
        self.expect(some, "this barrier is initialised".to_string(), span);
        self.fence(span);
        let (before, now, turn) = (self.temp(32), self.temp(32), self.temp(32));
        self.emit(Op::Rmw {
            dst: before,
            addr: arrived.clone(),
            op: RmwOp::Add,
            operand: word(1),
            order: MemoryOrder::Library(Role::Release),
        });
        let round = self.bind(fold::binary(
            BinOp::Udiv,
            Expr::Local(before),
            count.clone(),
            32,
        ));
        let next = fold::binary(BinOp::Add, round.clone(), word(1), 32);
        self.emit(Op::Load {
            dst: now,
            addr: arrived,
            order: MemoryOrder::Library(Role::Wait),
        });
        let open = fold::binary(BinOp::Mul, next.clone(), count, 32);
        let now = Expr::Local(now);
        self.wait(fold::binary(BinOp::Ule, open, now.clone(), 32), now);
        let (success, failure) = (MemoryOrder::Relaxed, MemoryOrder::Relaxed);
        self.emit(Op::Cas {
            dst: turn,
            addr: serial,
            expected: round.clone(),
            desired: next,
            success,
            failure,
            weak: None,
        });
        self.fence(span);
        let first = Expr::binary(BinOp::Ne, Expr::Local(turn), round);
        Ok(self.outcome(first, -1))
    }

    /// Asserts that no thread waits at a barrier. Of one that is destroyed that is not asked.
    pub(super) fn barrier_left(&mut self, call: &Call<'a, '_>) -> Lowered<()> {
        let span = call.span;
        let cell = self.cell(call, 0)?;
        let count = Expr::Local(self.load_word(cell.clone(), span));
        let arrived = Expr::Local(self.load_word(self.later_word(&cell, 1), span));
        let waiting = fold::binary(BinOp::Urem, arrived, count.clone(), 32);
        let no_waiter = fold::binary(BinOp::Eq, waiting, word(0), 32);
        let destroyed = fold::binary(BinOp::Eq, count, word(DESTROYED), 32);
        let cond = fold::binary(BinOp::Or, no_waiter, destroyed, 1);
        self.expect(cond, "no thread waits at this barrier".to_string(), span);
        Ok(())
    }

    pub(super) fn semaphore(&mut self, call: &Call<'a, '_>) -> Lowered<TypedValue> {
        let span = call.span;
        let cell = self.cell(call, 0)?;
        match call.name {
            "sem_init" => {
                self.discard(call.arg(1)?)?;
                let ty = self.types.int();
                let value = self.value_for(call.arg(2)?, ty)?.expr;
                let value = self.bind(value);
                let possible = fold::binary(BinOp::Ule, value.clone(), word(SEM_VALUE_MAX), 32);
                let end = self.body.label();
                self.body.span = span;
                self.set_errno(INVALID, &possible, span)?;
                let result = self.outcome(possible.clone(), -1);
                self.body
                    .jump(Some(fold::unary(UnOp::Not, possible, 1)), end);
                self.initialised(&cell, "semaphore", span);
                self.emit(Op::Store {
                    addr: cell,
                    value,
                    order: MemoryOrder::Plain,
                });
                self.body.place(end);
                return Ok(result);
            }
            "sem_post" => {
                self.fence(span);
                let dst = self.temp(32);
                self.emit(Op::Rmw {
                    dst,
                    addr: cell.clone(),
                    op: RmwOp::Add,
                    operand: word(1),
                    order: MemoryOrder::Library(Role::Release),
                });
                let old = Expr::Local(dst);
                self.check_state(&cell, &old, Object::Semaphore, span);
                let room = self.body.label();
                let more = fold::binary(BinOp::Ne, old, word(SEM_VALUE_MAX), 32);
                self.body.jump(Some(more), room);
                let reason = "a semaphore beyond its greatest value".to_string();
                self.emit(Op::Unknown(reason));
                self.body.place(room);
                self.fence(span);
            }
            "sem_getvalue" => {
                let expr = Expr::Local(self.load_word(cell.clone(), span));
                self.check_state(&cell, &expr, Object::Semaphore, span);
                let ty = self.types.int();
                let value = TypedValue { expr, ty };
                if let Some(place) = self.result_place(call.arg(1)?)? {
                    self.write(place, value, span)?;
                }
            }
            _ => return self.take(call, cell),
        }
        Ok(self.zero())
    }

    /// Takes one of a semaphore. A handler of signals may end a wait.
    fn take(&mut self, call: &Call<'a, '_>, cell: Expr) -> Lowered<TypedValue> {
        let span = call.span;
        let waits = call.name == "sem_wait";
        let limit = match call.name {
            "sem_wait" | "sem_trywait" => None,
            _ => Some(self.limit(call)?),
        };
        let (error, end) = (self.temp(32), self.body.label());
        if self.may_be_interrupted() && call.name != "sem_trywait" {
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
        let some = fold::unary(UnOp::Not, none.clone(), 1);
        let late = match &limit {
            Some(_) => TIMED_OUT,
            None => AGAIN,
        };
        let (less, value) = match waits {
            true => {
                self.wait(some, old.clone());
                (less, word(0))
            }
            false => (
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
    pub(super) fn once(&mut self, call: &Call<'a, '_>) -> Lowered<()> {
        let span = call.span;
        let cell = self.cell(call, 0)?;
        let routine = self.value(call.arg(1)?)?;
        let callee = match routine.expr {
            Expr::Proc(proc) => Callee::Proc(proc),
            other => Callee::Pointer(other),
        };
        let first = (word(0), word(1));
        let old = self.swap_from(cell.clone(), first.0, first.1, Role::AcquirePermit, span);
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

    /// Thread-specific data: an array of pointers that every thread has, and a counter of keys.
    pub(super) fn key(&mut self, call: &Call<'a, '_>) -> Lowered<TypedValue> {
        let span = call.span;
        let width = self.pointer_width();
        let ty = self.types.void_pointer();
        if matches!(call.name, "pthread_key_create" | "tss_create") {
            let counter = self.hidden_global("thread-specific keys", 32, 1, false);
            let (addr, to) = self.pointer_arg(call.arg(0)?)?;
            let destructor = self.value_for(call.arg(1)?, ty)?.expr;
            let dst = self.temp(32);
            let (op, operand, order) = (RmwOp::Add, word(1), MemoryOrder::Relaxed);
            self.emit_at(
                span,
                Op::Rmw {
                    dst,
                    addr: Expr::Global(counter),
                    op,
                    operand,
                    order,
                },
            );
            let room = self.body.label();
            let known = Expr::binary(BinOp::Ult, Expr::Local(dst), word(MAX_KEYS));
            self.body.jump(Some(known), room);
            self.emit(Op::Unknown(format!(
                "more than {MAX_KEYS} thread-specific keys"
            )));
            self.emit(Op::Halt);
            self.body.place(room);
            if !matches!(destructor, Expr::Const { value: 0, .. }) {
                let int = self.types.int();
                let expr = Expr::Local(dst);
                let at = self.destructor_of(TypedValue { expr, ty: int }, span)?;
                let order = MemoryOrder::Relaxed;
                self.emit(Op::Store {
                    addr: at,
                    value: destructor,
                    order,
                });
            }
            let key = TypedValue {
                expr: Expr::Local(dst),
                ty: self.types.int(),
            };
            let key = self.convert(key, to, span)?;
            self.store(addr, to, key, MemoryOrder::Plain, span)?;
            return Ok(self.zero());
        }
        let int = self.types.int();
        if call.name == "__wmbmc_keys" {
            let counter = self.hidden_global("thread-specific keys", 32, 1, false);
            let addr = Expr::Global(counter);
            return self.load(addr, int, MemoryOrder::Relaxed, span);
        }
        let key = self.value_for(call.arg(0)?, int)?;
        if call.name == "__wmbmc_destructor" {
            let addr = self.destructor_of(key, span)?;
            return self.load(addr, ty, MemoryOrder::Relaxed, span);
        }
        if matches!(call.name, "pthread_key_delete" | "tss_delete") {
            if self.called.contains(DESTRUCTOR) {
                let addr = self.destructor_of(key, span)?;
                let value = self.pointer_constant(0);
                let order = MemoryOrder::Relaxed;
                self.emit(Op::Store { addr, value, order });
            }
            return Ok(self.zero());
        }
        let table = self.hidden_global("thread-specific data", width, MAX_KEYS, true);
        let offset = self.scaled(key, ty, span)?;
        let addr = fold::binary(BinOp::Add, Expr::Global(table), offset, width);
        if matches!(call.name, "pthread_getspecific" | "tss_get") {
            return self.load(addr, ty, MemoryOrder::Plain, span);
        }
        let value = self.value_for(call.arg(1)?, ty)?;
        self.store(addr, ty, value, MemoryOrder::Plain, span)?;
        Ok(self.zero())
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
