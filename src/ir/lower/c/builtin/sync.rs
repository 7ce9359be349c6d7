//! Mutexes, condition variables, read-write locks, barriers, semaphores, once and keys.
//!
//! The state of every object is a 32-bit word at its beginning, 0 at first. An operation that
//! waits reads the state, changes it with one compare-and-swap, and assumes that it was one in
//! which there is nothing to wait for: the executions in which the thread waits longer are those
//! in which it comes later. Every operation synchronises memory fully, as POSIX says of all of
//! them. A wait on a condition variable may wake up at any time, so it is unlock and lock.

use super::super::fold;
use super::{Call, Lowered, Lowering, Value};
use crate::front::c::ast::Expr as Ast;
use crate::front::source::Span;
use crate::ir::program::{BinOp, Callee, Expr, Fence, LocalId, Op, Order, RmwOp};

/// `EBUSY` and `thrd_busy`.
const BUSY: i64 = 16;
const THRD_BUSY: i64 = 1;
/// State of a read-write lock that is held for writing.
const WRITER: u64 = 0xffff_ffff;
/// How many thread-specific keys a program may create.
const MAX_KEYS: u64 = 64;

fn word(value: u64) -> Expr {
    Expr::constant(value, 32)
}

impl<'a> Lowering<'a> {
    pub(super) fn sync_call(&mut self, call: &Call<'a, '_>) -> Lowered<Option<Value>> {
        let span = call.span;
        match call.name {
            "pthread_mutex_lock" | "pthread_spin_lock" | "mtx_lock" => {
                let cell = self.cell(call, 0)?;
                self.lock(cell, span);
            }
            "pthread_mutex_unlock" | "pthread_spin_unlock" | "mtx_unlock" => {
                let cell = self.cell(call, 0)?;
                self.unlock(cell, span);
            }
            "pthread_mutex_trylock" | "pthread_spin_trylock" | "mtx_trylock" => {
                let cell = self.cell(call, 0)?;
                let busy = if call.name == "mtx_trylock" {
                    THRD_BUSY
                } else {
                    BUSY
                };
                let free = self.swap(cell, word(0), word(1), span);
                return Ok(Some(self.outcome(free, busy)));
            }
            "pthread_cond_wait" | "cnd_wait" => {
                self.discard(call.arg(0)?)?;
                let mutex = self.cell(call, 1)?;
                self.unlock(mutex.clone(), span);
                self.lock(mutex, span);
            }
            "pthread_cond_signal"
            | "pthread_cond_broadcast"
            | "cnd_signal"
            | "cnd_broadcast"
            | "pthread_cond_init"
            | "pthread_cond_destroy"
            | "cnd_init" => self.discard_all(call.args)?,
            "pthread_mutex_destroy"
            | "pthread_spin_destroy"
            | "pthread_rwlock_destroy"
            | "pthread_barrier_destroy"
            | "sem_destroy" => self.discard_all(call.args)?,
            "cnd_destroy" | "mtx_destroy" => {
                self.discard_all(call.args)?;
                return Ok(Some(self.void()));
            }
            "pthread_mutex_init" | "pthread_spin_init" | "pthread_rwlock_init" => {
                let cell = self.cell(call, 0)?;
                self.discard_all(&call.args[1..])?;
                self.emit_at(
                    span,
                    Op::Store {
                        addr: cell,
                        value: word(0),
                        order: Order::Plain,
                    },
                );
            }
            "mtx_init" => {
                let cell = self.cell(call, 0)?;
                self.plain_kind(call.arg(1)?, "a recursive mutex")?;
                self.emit_at(
                    span,
                    Op::Store {
                        addr: cell,
                        value: word(0),
                        order: Order::Plain,
                    },
                );
            }
            "pthread_mutexattr_settype" => {
                self.plain_kind(call.arg(1)?, "a mutex that is not of the default kind")?
            }
            "pthread_rwlock_rdlock"
            | "pthread_rwlock_tryrdlock"
            | "pthread_rwlock_wrlock"
            | "pthread_rwlock_trywrlock"
            | "pthread_rwlock_unlock" => return self.rwlock(call).map(Some),
            "pthread_barrier_init" | "pthread_barrier_wait" => return self.barrier(call).map(Some),
            "sem_init" | "sem_post" | "sem_wait" | "sem_trywait" | "sem_getvalue" => {
                return self.semaphore(call).map(Some);
            }
            "pthread_once" | "call_once" => self.once(call)?,
            "pthread_key_create"
            | "pthread_setspecific"
            | "pthread_getspecific"
            | "pthread_key_delete" => {
                return self.key(call).map(Some);
            }
            _ => return Ok(None),
        }
        Ok(Some(self.zero()))
    }

    /// The address of the state of an object.
    fn cell(&mut self, call: &Call<'a, '_>, index: usize) -> Lowered<Expr> {
        Ok(self.pointer_arg(call.arg(index)?)?.0)
    }

    /// The address of a later word of an object.
    fn later_word(&self, cell: &Expr, index: u64) -> Expr {
        let width = self.pointer_width();
        fold::binary(
            BinOp::Add,
            cell.clone(),
            Expr::constant(4 * index, width),
            width,
        )
    }

    fn fence(&mut self, span: Span) {
        self.emit_at(span, Op::Fence(Fence::Posix));
    }

    fn load_word(&mut self, addr: Expr, span: Span) -> LocalId {
        let dst = self.temp(32);
        self.emit_at(
            span,
            Op::Load {
                dst,
                addr,
                order: Order::Relaxed,
            },
        );
        dst
    }

    /// Swaps the state between two fences; the result says whether it was as expected.
    fn swap(&mut self, addr: Expr, expected: Expr, desired: Expr, span: Span) -> Expr {
        self.fence(span);
        let dst = self.temp(32);
        let (success, failure) = (Order::Relaxed, Order::Relaxed);
        self.emit(Op::Cas {
            dst,
            addr,
            expected: expected.clone(),
            desired,
            success,
            failure,
        });
        self.fence(span);
        Expr::binary(BinOp::Eq, Expr::Local(dst), expected)
    }

    fn assume(&mut self, cond: Expr) {
        self.emit(Op::Assume(cond));
    }

    fn lock(&mut self, cell: Expr, span: Span) {
        self.fence(span);
        let dst = self.temp(32);
        let (success, failure) = (Order::Relaxed, Order::Relaxed);
        self.emit(Op::Cas {
            dst,
            addr: cell,
            expected: word(0),
            desired: word(1),
            success,
            failure,
        });
        self.assume(Expr::binary(BinOp::Eq, Expr::Local(dst), word(0)));
        self.fence(span);
    }

    fn unlock(&mut self, cell: Expr, span: Span) {
        self.fence(span);
        self.emit(Op::Store {
            addr: cell,
            value: word(0),
            order: Order::Relaxed,
        });
        self.fence(span);
    }

    /// 0 when the condition holds, an error number otherwise.
    fn outcome(&mut self, good: Expr, error: i64) -> Value {
        let (zero, error) = (self.int_value(0), self.int_value(error));
        Value {
            expr: fold::choose(good, zero.expr, error.expr),
            ty: zero.ty,
        }
    }

    /// Kinds of mutex other than the plain one behave differently; a program that asks for one
    /// is not judged.
    fn plain_kind(&mut self, kind: &'a Ast, what: &str) -> Lowered<()> {
        let value = self.value(kind)?;
        if !matches!(value.expr, Expr::Const { value: 0, .. }) {
            self.emit_at(kind.span, Op::Unknown(format!("{what} is not supported")));
        }
        Ok(())
    }

    fn rwlock(&mut self, call: &Call<'a, '_>) -> Lowered<Value> {
        let span = call.span;
        let cell = self.cell(call, 0)?;
        match call.name {
            "pthread_rwlock_wrlock" => self.lock_with(cell, word(0), word(WRITER), span),
            "pthread_rwlock_trywrlock" => {
                let free = self.swap(cell, word(0), word(WRITER), span);
                return Ok(self.outcome(free, BUSY));
            }
            "pthread_rwlock_rdlock" => {
                let old = Expr::Local(self.load_word(cell.clone(), span));
                self.assume(Expr::binary(BinOp::Ne, old.clone(), word(WRITER)));
                let more = fold::binary(BinOp::Add, old.clone(), word(1), 32);
                self.lock_with(cell, old, more, span);
            }
            "pthread_rwlock_tryrdlock" => {
                let old = Expr::Local(self.load_word(cell.clone(), span));
                let written = Expr::binary(BinOp::Eq, old.clone(), word(WRITER));
                let more = fold::choose(
                    written.clone(),
                    old.clone(),
                    fold::binary(BinOp::Add, old.clone(), word(1), 32),
                );
                self.lock_with(cell, old, more, span);
                let free = fold::unary(crate::ir::program::UnOp::Not, written, 1);
                return Ok(self.outcome(free, BUSY));
            }
            _ => {
                let old = Expr::Local(self.load_word(cell.clone(), span));
                let written = Expr::binary(BinOp::Eq, old.clone(), word(WRITER));
                let less = fold::choose(
                    written,
                    word(0),
                    fold::binary(BinOp::Sub, old.clone(), word(1), 32),
                );
                self.lock_with(cell, old, less, span);
            }
        }
        Ok(self.zero())
    }

    /// A swap that has to succeed.
    fn lock_with(&mut self, cell: Expr, expected: Expr, desired: Expr, span: Span) {
        let good = self.swap(cell, expected, desired, span);
        self.assume(good);
    }

    /// A barrier counts arrivals for ever: round `g` is open when there were `(g + 1) * count`.
    /// The third word says whose turn it is to be told that it was the serial thread.
    fn barrier(&mut self, call: &Call<'a, '_>) -> Lowered<Value> {
        let span = call.span;
        let cell = self.cell(call, 0)?;
        let (arrived, serial) = (self.later_word(&cell, 1), self.later_word(&cell, 2));
        if call.name == "pthread_barrier_init" {
            self.discard(call.arg(1)?)?;
            let ty = self.types.int();
            let count = self.value_for(call.arg(2)?, ty)?.expr;
            self.emit_at(
                span,
                Op::Store {
                    addr: cell,
                    value: count,
                    order: Order::Plain,
                },
            );
            self.emit(Op::Store {
                addr: arrived,
                value: word(0),
                order: Order::Plain,
            });
            self.emit(Op::Store {
                addr: serial,
                value: word(0),
                order: Order::Plain,
            });
            return Ok(self.zero());
        }
        let count = Expr::Local(self.load_word(cell, span));
        self.fence(span);
        let (before, now, turn) = (self.temp(32), self.temp(32), self.temp(32));
        self.emit(Op::Rmw {
            dst: before,
            addr: arrived.clone(),
            op: RmwOp::Add,
            operand: word(1),
            order: Order::Relaxed,
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
            order: Order::Relaxed,
        });
        let open = fold::binary(BinOp::Mul, next.clone(), count, 32);
        self.assume(fold::binary(BinOp::Ule, open, Expr::Local(now), 32));
        let (success, failure) = (Order::Relaxed, Order::Relaxed);
        self.emit(Op::Cas {
            dst: turn,
            addr: serial,
            expected: round.clone(),
            desired: next,
            success,
            failure,
        });
        self.fence(span);
        let first = Expr::binary(BinOp::Ne, Expr::Local(turn), round);
        Ok(self.outcome(first, -1))
    }

    fn semaphore(&mut self, call: &Call<'a, '_>) -> Lowered<Value> {
        let span = call.span;
        let cell = self.cell(call, 0)?;
        match call.name {
            "sem_init" => {
                self.discard(call.arg(1)?)?;
                let ty = self.types.int();
                let value = self.value_for(call.arg(2)?, ty)?.expr;
                self.emit_at(
                    span,
                    Op::Store {
                        addr: cell,
                        value,
                        order: Order::Plain,
                    },
                );
            }
            "sem_post" => {
                self.fence(span);
                let dst = self.temp(32);
                self.emit(Op::Rmw {
                    dst,
                    addr: cell,
                    op: RmwOp::Add,
                    operand: word(1),
                    order: Order::Relaxed,
                });
                self.fence(span);
            }
            "sem_getvalue" => {
                let value = Value {
                    expr: Expr::Local(self.load_word(cell, span)),
                    ty: self.types.int(),
                };
                if let Some(place) = self.result_place(call.arg(1)?)? {
                    self.write(place, value, span)?;
                }
            }
            wait => {
                let old = Expr::Local(self.load_word(cell.clone(), span));
                let none = Expr::binary(BinOp::Eq, old.clone(), word(0));
                let less = fold::binary(BinOp::Sub, old.clone(), word(1), 32);
                if wait == "sem_wait" {
                    self.assume(Expr::binary(BinOp::Ne, old.clone(), word(0)));
                    self.lock_with(cell, old, less, span);
                } else {
                    let desired = fold::choose(none.clone(), word(0), less);
                    self.lock_with(cell, old, desired, span);
                    let some = fold::unary(crate::ir::program::UnOp::Not, none, 1);
                    return Ok(self.outcome(some, -1));
                }
            }
        }
        Ok(self.zero())
    }

    /// The word of a once object: 0 at first, 1 while the routine runs, 2 afterwards.
    fn once(&mut self, call: &Call<'a, '_>) -> Lowered<()> {
        let span = call.span;
        let cell = self.cell(call, 0)?;
        let routine = self.value(call.arg(1)?)?;
        let callee = match routine.expr {
            Expr::Proc(proc) => Callee::Proc(proc),
            other => Callee::Pointer(other),
        };
        let mine = self.swap(cell.clone(), word(0), word(1), span);
        let (run, end) = (self.body.label(), self.body.label());
        self.body.jump(Some(mine), run);
        let state = self.load_word(cell.clone(), span);
        self.assume(Expr::binary(BinOp::Eq, Expr::Local(state), word(2)));
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
            order: Order::Relaxed,
        });
        self.body.place(end);
        Ok(())
    }

    /// Thread-specific data: an array of pointers that every thread has, and a counter of keys.
    fn key(&mut self, call: &Call<'a, '_>) -> Lowered<Value> {
        let span = call.span;
        let width = self.pointer_width();
        let ty = self.types.void_pointer();
        if call.name == "pthread_key_create" {
            let counter = self.hidden_global("thread-specific keys", 32, 1, false);
            let (addr, to) = self.pointer_arg(call.arg(0)?)?;
            let destructor = self.value(call.arg(1)?)?;
            if !matches!(destructor.expr, Expr::Const { value: 0, .. }) {
                let reason = "the destructor of a thread-specific key is not supported";
                self.emit_at(span, Op::Unknown(reason.to_string()));
            }
            let dst = self.temp(32);
            let (op, operand, order) = (RmwOp::Add, word(1), Order::Relaxed);
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
            self.assume(Expr::binary(BinOp::Ult, Expr::Local(dst), word(MAX_KEYS)));
            let key = Value {
                expr: Expr::Local(dst),
                ty: self.types.int(),
            };
            let key = self.convert(key, to, span)?;
            self.store(addr, to, key, Order::Plain, span)?;
            return Ok(self.zero());
        }
        let int = self.types.int();
        let key = self.value_for(call.arg(0)?, int)?;
        if call.name == "pthread_key_delete" {
            return Ok(self.zero());
        }
        let table = self.hidden_global("thread-specific data", width, MAX_KEYS, true);
        let offset = self.scaled(key, ty, span)?;
        let addr = fold::binary(BinOp::Add, Expr::Global(table), offset, width);
        if call.name == "pthread_getspecific" {
            return self.load(addr, ty, Order::Plain, span);
        }
        let value = self.value_for(call.arg(1)?, ty)?;
        self.store(addr, ty, value, Order::Plain, span)?;
        Ok(self.zero())
    }
}
