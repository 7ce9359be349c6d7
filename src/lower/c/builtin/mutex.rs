//! Recursive and error-checking mutexes.
//!
//! A program that asks for one somewhere keeps three words a mutex: the handle of the thread that
//! holds it or 0, the kind, and how often its holder has locked it again. Whether a thread itself
//! is the holder it sees without synchronisation, because no other thread writes its handle there.

use super::sync::{BUSY, THRD_BUSY, TIMED_OUT, word};
use super::{Call, Lowered, Lowering, TypedValue};
use crate::base::source::Span;
use crate::ir::program::{BinOp, Expr, LocalId, MemoryOrder, Op, Role};
use crate::lower::c::fold;

/// `PTHREAD_MUTEX_RECURSIVE`, and the kind that an error-checking mutex has.
const RECURSIVE: u64 = 1;
const ERROR_CHECKING: u64 = 2;
/// `mtx_recursive`
const MTX_RECURSIVE: u64 = 1;
/// `EDEADLK` and `EPERM`
const DEADLOCK: i64 = 35;
const NOT_PERMITTED: i64 = 1;
/// `thrd_error`
const THRD_ERROR: i64 = 2;

/// Functions and the marks of static initialisers that ask for a kind.
const ASKING: [&str; 3] = [
    "pthread_mutexattr_settype",
    "pthread_mutexattr_setkind_np",
    "__wmbmc_mutex_kind",
];

impl<'a> Lowering<'a> {
    /// True when some mutex of the program may have a kind.
    pub(super) fn has_mutex_kinds(&self) -> bool {
        ASKING.iter().any(|name| self.called.contains(*name))
    }

    /// Mutex operations in a program with kinds.
    pub(super) fn kind_call(&mut self, call: &Call<'a, '_>) -> Lowered<Option<TypedValue>> {
        let span = call.span;
        match call.name {
            "__wmbmc_mutex_kind" => return self.value(call.arg(0)?).map(Some),
            "pthread_mutex_init" => {
                let cell = self.cell(call, 0)?;
                let attributes = self.value(call.arg(1)?)?;
                let kind = match attributes.expr {
                    Expr::Const { value: 0, .. } => word(0),
                    addr => Expr::Local(self.load_word(addr, span)),
                };
                self.init_mutex(&cell, kind, span);
            }
            "mtx_init" => {
                let cell = self.cell(call, 0)?;
                let int = self.types.int();
                let requested = self.value_for(call.arg(1)?, int)?.expr;
                let kind = fold::binary(BinOp::And, requested, word(MTX_RECURSIVE), 32);
                self.init_mutex(&cell, kind, span);
            }
            "pthread_mutexattr_init" => {
                let cell = self.cell(call, 0)?;
                self.set_word(cell, word(0), span);
            }
            "pthread_mutexattr_settype" | "pthread_mutexattr_setkind_np" => {
                let cell = self.cell(call, 0)?;
                let int = self.types.int();
                let kind = self.value_for(call.arg(1)?, int)?.expr;
                self.set_word(cell, kind, span);
            }
            "pthread_mutexattr_gettype" => {
                let cell = self.cell(call, 0)?;
                let place = self.result_place(call.arg(1)?)?;
                let value = TypedValue {
                    expr: Expr::Local(self.load_word(cell, span)),
                    ty: self.types.int(),
                };
                self.deliver(place, value, span)?;
            }
            "pthread_mutex_lock" | "mtx_lock" => {
                let cell = self.cell(call, 0)?;
                let error = if call.name == "mtx_lock" {
                    THRD_ERROR
                } else {
                    DEADLOCK
                };
                return Ok(Some(self.lock_kind(&cell, None, error, span)));
            }
            "pthread_mutex_trylock"
            | "mtx_trylock"
            | "pthread_mutex_timedlock"
            | "pthread_mutex_clocklock"
            | "mtx_timedlock" => {
                let cell = self.cell(call, 0)?;
                self.discard_all(&call.args[1..])?;
                let (busy, error) = match call.name {
                    "pthread_mutex_trylock" => (BUSY, BUSY),
                    "mtx_trylock" => (THRD_BUSY, THRD_BUSY),
                    "mtx_timedlock" => (super::sync::THRD_TIMED_OUT, THRD_ERROR),
                    _ => (TIMED_OUT, DEADLOCK),
                };
                if call.name != "mtx_trylock" {
                    return Ok(Some(self.lock_kind(&cell, Some(busy), error, span)));
                }
                let result = self.temp(32);
                let end = self.fails_for_no_reason(result, word(THRD_BUSY as u64), span);
                let value = self.lock_kind(&cell, Some(busy), error, span).expr;
                self.emit(Op::Assign { dst: result, value });
                self.body.place(end);
                return Ok(Some(self.result(result)));
            }
            "pthread_mutex_unlock" | "mtx_unlock" => {
                let cell = self.cell(call, 0)?;
                let error = if call.name == "mtx_unlock" {
                    THRD_ERROR
                } else {
                    NOT_PERMITTED
                };
                return Ok(Some(self.unlock_kind(&cell, error, span)));
            }
            _ => return Ok(None),
        }
        Ok(Some(self.zero()))
    }

    fn init_mutex(&mut self, cell: &Expr, kind: Expr, span: Span) {
        self.initialised(cell, "mutex", span);
        self.set_word(cell.clone(), word(0), span);
        self.set_word(self.later_word(cell, 1), kind, span);
        self.set_word(self.later_word(cell, 2), word(0), span);
    }

    fn set_word(&mut self, addr: Expr, value: Expr, span: Span) {
        let order = MemoryOrder::Plain;
        self.emit_at(span, Op::Store { addr, value, order });
    }

    fn plain_word(&mut self, addr: Expr, span: Span) -> Expr {
        let dst = self.temp(32);
        let order = MemoryOrder::Plain;
        self.emit_at(span, Op::Load { dst, addr, order });
        Expr::Local(dst)
    }

    /// The handle of this thread in 32 bits.
    fn my_handle(&mut self, span: Span) -> Expr {
        let pointer = self.pointer_width();
        let dst = self.temp(pointer);
        self.emit_at(span, Op::ThreadSelf { dst });
        self.bind(fold::resize(Expr::Local(dst), pointer, 32, false))
    }

    fn result(&mut self, local: LocalId) -> TypedValue {
        TypedValue {
            expr: Expr::Local(local),
            ty: self.types.int(),
        }
    }

    fn set_result(&mut self, dst: LocalId, value: i64) {
        let value = Expr::constant(value as u64, 32);
        self.emit(Op::Assign { dst, value });
    }

    /// Locks, or returns `busy` where waiting is not wanted; `error` for a second lock of an
    /// error-checking mutex.
    fn lock_kind(&mut self, cell: &Expr, busy: Option<i64>, error: i64, span: Span) -> TypedValue {
        let kind = self.plain_word(self.later_word(cell, 1), span);
        let me = self.my_handle(span);
        let result = self.temp(32);
        self.set_result(result, 0);
        let (take, again, end) = (self.body.label(), self.body.label(), self.body.label());
        let plain = fold::binary(BinOp::Eq, kind.clone(), word(0), 32);
        self.body.jump(Some(plain), take);
        let holder = Expr::Local(self.load_word(cell.clone(), span));
        let other = fold::binary(BinOp::Ne, holder, me.clone(), 32);
        self.body.jump(Some(other), take);
        let recursive = fold::binary(BinOp::Eq, kind.clone(), word(RECURSIVE), 32);
        self.body.jump(Some(recursive), again);
        let known = fold::binary(BinOp::Eq, kind, word(ERROR_CHECKING), 32);
        self.unknown_kind(known);
        self.set_result(result, error);
        self.body.jump(None, end);
        self.body.place(again);
        let depth = self.plain_word(self.later_word(cell, 2), span);
        let deeper = fold::binary(BinOp::Add, depth, word(1), 32);
        self.set_word(self.later_word(cell, 2), deeper, span);
        self.body.jump(None, end);
        self.body.place(take);
        let old = self.swap_from(cell.clone(), word(0), me, Role::Lock, span);
        let destroyed = self.check_alive(&old, "mutex", span);
        let free = Expr::binary(BinOp::Eq, old.clone(), word(0));
        let taken = match busy {
            Some(_) => free.clone(),
            None => Expr::constant(1, 1),
        };
        match busy {
            Some(busy) => {
                let outcome = self.outcome(free, busy).expr;
                self.emit(Op::Assign {
                    dst: result,
                    value: outcome,
                });
            }
            None => {
                let cond = match destroyed {
                    Some(destroyed) => Expr::binary(BinOp::Or, free, destroyed),
                    None => free,
                };
                self.wait(cond, old);
            }
        }
        self.hold(cell, word(1), taken);
        self.body.place(end);
        self.result(result)
    }

    fn unknown_kind(&mut self, known: Expr) {
        let next = self.body.label();
        self.body.jump(Some(known), next);
        self.emit(Op::Unknown("a mutex of an unknown kind".to_string()));
        self.body.place(next);
    }

    /// Unlocks; `error` when a mutex with a kind is not held by this thread. In C11 that is misuse.
    fn unlock_kind(&mut self, cell: &Expr, error: i64, span: Span) -> TypedValue {
        let kind = self.plain_word(self.later_word(cell, 1), span);
        let result = self.temp(32);
        self.set_result(result, 0);
        let (give, mine, end) = (self.body.label(), self.body.label(), self.body.label());
        let held = self.body.label();
        let plain = fold::binary(BinOp::Eq, kind, word(0), 32);
        self.body.jump(Some(plain), held);
        let me = self.my_handle(span);
        let holder = Expr::Local(self.load_word(cell.clone(), span));
        let same = fold::binary(BinOp::Eq, holder, me, 32);
        self.body.jump(Some(same), mine);
        if error == THRD_ERROR {
            self.held(cell, "mutex", span);
        }
        self.set_result(result, error);
        self.body.jump(None, end);
        self.body.place(mine);
        let depth = self.plain_word(self.later_word(cell, 2), span);
        let last = fold::binary(BinOp::Eq, depth.clone(), word(0), 32);
        self.body.jump(Some(last), give);
        let less = fold::binary(BinOp::Sub, depth, word(1), 32);
        self.set_word(self.later_word(cell, 2), less, span);
        self.body.jump(None, end);
        self.body.place(held);
        self.held(cell, "mutex", span);
        self.body.place(give);
        self.hold(cell, word(0), Expr::constant(1, 1));
        self.unlock(cell.clone(), span);
        self.body.place(end);
        self.result(result)
    }

    /// Asserts that this thread holds the mutex it waits with. An error-checking one says so itself.
    pub(super) fn waits_with(&mut self, mutex: &Expr, span: Span) {
        if !self.has_mutex_kinds() {
            self.held(mutex, "mutex", span);
            return;
        }
        let kind = self.plain_word(self.later_word(mutex, 1), span);
        let times = self.holding(mutex, span);
        let held = fold::binary(BinOp::Ne, times, word(0), 32);
        let checks = fold::binary(BinOp::Eq, kind, word(ERROR_CHECKING), 32);
        let meant = fold::binary(BinOp::Or, held.clone(), checks, 1);
        self.expect(meant, "this thread holds the mutex".to_string(), span);
        let next = self.body.label();
        self.body.jump(Some(held), next);
        let reason = "a wait with an error-checking mutex that this thread does not hold";
        self.emit(Op::Unknown(reason.to_string()));
        self.body.place(next);
    }

    /// Gives back the mutex of a condition variable.
    pub(super) fn give_back(&mut self, mutex: &Expr, span: Span) {
        if !self.has_mutex_kinds() {
            self.unlock(mutex.clone(), span);
            return;
        }
        let given = self.unlock_kind(mutex, NOT_PERMITTED, span);
        let held = Expr::binary(BinOp::Eq, given.expr, word(0));
        self.assume(held);
    }

    /// Takes the mutex of a condition variable again.
    pub(super) fn take_again(&mut self, mutex: &Expr, span: Span) {
        if self.has_mutex_kinds() {
            self.lock_kind(mutex, None, DEADLOCK, span);
        } else {
            self.lock(mutex.clone(), span);
        }
    }
}
