//! Recursive, error-checking and robust mutexes.
//!
//! A program that asks for one somewhere keeps three words a mutex: the handle of the thread that
//! holds it or 0, the kind, and how often its holder has locked it again. Whether a thread itself
//! is the holder it sees without synchronisation, because no other thread writes its handle there.
//!
//! A robust mutex whose holder ends has the state [`DIED`]: the next that locks it gets it, and
//! `EOWNERDEAD`. Unless that one calls `pthread_mutex_consistent`, its unlock leaves the state
//! [`LOST`], in which nobody gets the mutex. Which ones a thread holds at its end says a list of its
//! own (`library_robust.c`).

use super::codes::{
    BUSY, DEADLOCK, INVALID, LOST, NOT_PERMITTED, NOT_RECOVERABLE, OWNER_DEAD, THRD_BUSY,
    THRD_ERROR, THRD_TIMED_OUT, TIMED_OUT, word,
};
use super::initialised::Object;
use super::{Call, Lowered, Lowering, TypedValue};
use crate::base::source::Span;
use crate::ir::program::{BinOp, Callee, Expr, LocalId, MemoryOrder, Op, Role, UnOp, mask};
use crate::lower::c::fold;

/// `PTHREAD_MUTEX_RECURSIVE`, and the kind that an error-checking mutex has.
const RECURSIVE: u64 = 1;
const ERROR_CHECKING: u64 = 2;
/// `mtx_recursive`
const MTX_RECURSIVE: u64 = 1;
/// Of the word with the kind: the kind itself, and that the mutex is robust.
const KIND: u64 = 0xff;
const ROBUST: u64 = 0x100;
/// State of a robust mutex whose holder has ended.
const DIED: u64 = 0x4000_0000;
/// Beside the depth: the holder has the mutex of one that has ended.
const INCONSISTENT: u64 = 0x8000_0000;
/// Robust mutexes that a thread may hold at once.
const MAX_ROBUST: u64 = 8;

/// Functions and the marks of static initialisers that ask for a kind.
const ASKING: [&str; 4] = [
    ASKING_ROBUST,
    "pthread_mutexattr_settype",
    "pthread_mutexattr_setkind_np",
    "__wmbmc_mutex_kind",
];
const ASKING_ROBUST: &str = "pthread_mutexattr_setrobust";

impl<'a> Lowering<'a> {
    pub(super) fn has_robust_mutexes(&self) -> bool {
        self.called.contains(ASKING_ROBUST)
    }

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
                let kind = self.bind(kind);
                self.set_attribute(&cell, KIND, kind, span);
            }
            ASKING_ROBUST => {
                let cell = self.cell(call, 0)?;
                let int = self.types.int();
                let robust = self.value_for(call.arg(1)?, int)?.expr;
                let robust = self.bind(robust);
                let known = fold::binary(BinOp::Ule, robust.clone(), word(1), 32);
                let end = self.body.label();
                let wrong = fold::unary(UnOp::Not, known.clone(), 1);
                self.body.span = span;
                self.body.jump(Some(wrong), end);
                let robust = fold::binary(BinOp::Mul, robust, word(ROBUST), 32);
                self.set_attribute(&cell, ROBUST, robust, span);
                self.body.place(end);
                return Ok(Some(self.outcome(known, INVALID)));
            }
            "pthread_mutexattr_gettype" => self.read_attribute(call, word(KIND))?,
            "pthread_mutexattr_getrobust" => self.read_attribute(call, word(ROBUST))?,
            "pthread_mutex_consistent" => return self.make_consistent(call).map(Some),
            "__wmbmc_robust_held" | "__wmbmc_robust_count" => {
                return Ok(Some(self.robust_list(call.name)));
            }
            "__wmbmc_robust_full" => {
                let reason = format!("a thread that holds more than {MAX_ROBUST} robust mutexes");
                self.emit_at(span, Op::Unknown(reason));
                self.emit(Op::Halt);
                return Ok(Some(self.void()));
            }
            "__wmbmc_robust_died" => {
                let void = self.types.void_pointer();
                let cell = self.value_for(call.arg(0)?, void)?.expr;
                let cell = self.bind(cell);
                self.unlock_to(cell, word(DIED), span);
                return Ok(Some(self.void()));
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
                let timed = match call.name {
                    "pthread_mutex_trylock" | "mtx_trylock" => None,
                    _ => Some(self.limit(call)?),
                };
                let (busy, error) = match call.name {
                    "pthread_mutex_trylock" => (BUSY, BUSY),
                    "mtx_trylock" => (THRD_BUSY, THRD_BUSY),
                    "mtx_timedlock" => (THRD_TIMED_OUT, THRD_ERROR),
                    _ => (TIMED_OUT, DEADLOCK),
                };
                if call.name != "mtx_trylock" {
                    let value = self.lock_kind(&cell, Some(busy), error, span);
                    return Ok(Some(match timed {
                        Some(limit) => self.in_time(limit, value.expr, busy, span),
                        None => value,
                    }));
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

    /// Changes a part of the word of attributes.
    fn set_attribute(&mut self, cell: &Expr, part: u64, value: Expr, span: Span) {
        if !self.has_robust_mutexes() {
            self.set_word(cell.clone(), value, span);
            return;
        }
        let old = self.plain_word(cell.clone(), span);
        let kept = fold::binary(BinOp::And, old, word(!part & mask(32)), 32);
        let value = fold::binary(BinOp::And, value, word(part), 32);
        let new = fold::binary(BinOp::Or, kept, value, 32);
        self.set_word(cell.clone(), new, span);
    }

    /// Delivers a part of the word of attributes: what a mask leaves, as a small number.
    pub(super) fn read_attribute(&mut self, call: &Call<'a, '_>, part: Expr) -> Lowered<()> {
        let span = call.span;
        let cell = self.cell(call, 0)?;
        let place = self.result_place(call.arg(1)?)?;
        let all = Expr::Local(self.load_word(cell, span));
        let robust = part == word(ROBUST);
        let value = fold::binary(BinOp::And, all, part, 32);
        let expr = match robust {
            true => fold::binary(BinOp::Udiv, value, word(ROBUST), 32),
            false => value,
        };
        let ty = self.types.int();
        self.deliver(place, TypedValue { expr, ty }, span)?;
        Ok(())
    }

    pub(super) fn set_word(&mut self, addr: Expr, value: Expr, span: Span) {
        let order = MemoryOrder::Plain;
        self.emit_at(span, Op::Store { addr, value, order });
    }

    pub(super) fn plain_word(&mut self, addr: Expr, span: Span) -> Expr {
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
        let (kind, robust) = self.kind_of(cell, span);
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
        if let Some(robust) = robust {
            let plain = self.body.label();
            self.body
                .jump(Some(fold::unary(UnOp::Not, robust, 1)), plain);
            self.take_robust(cell, me.clone(), busy, result, span);
            self.body.jump(None, end);
            self.body.place(plain);
        }
        let old = self.swap_from(cell.clone(), word(0), me, Role::Lock, span);
        let destroyed = self.check_state(cell, &old, Object::Mutex, span);
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

    /// The kind of a mutex, and whether it is robust, in a program with such.
    fn kind_of(&mut self, cell: &Expr, span: Span) -> (Expr, Option<Expr>) {
        let all = self.plain_word(self.later_word(cell, 1), span);
        if !self.has_robust_mutexes() {
            return (all, None);
        }
        let kind = fold::binary(BinOp::And, all.clone(), word(KIND), 32);
        let robust = fold::binary(BinOp::And, all, word(ROBUST), 32);
        let robust = fold::binary(BinOp::Ne, robust, word(0), 32);
        (self.bind(kind), Some(self.bind(robust)))
    }

    /// Takes a robust mutex that this thread does not hold, or says why not.
    fn take_robust(
        &mut self,
        cell: &Expr,
        me: Expr,
        busy: Option<i64>,
        result: LocalId,
        span: Span,
    ) {
        let old = Expr::Local(self.load_word(cell.clone(), span));
        let destroyed = self.check_state(cell, &old, Object::Mutex, span);
        let is = |state: u64| fold::binary(BinOp::Eq, old.clone(), word(state), 32);
        let or = |a: Expr, b: Expr| fold::binary(BinOp::Or, a, b, 1);
        let taken = self.bind(or(is(0), is(DIED)));
        if busy.is_none() {
            let ended = or(taken.clone(), is(LOST));
            let cond = match destroyed {
                Some(destroyed) => or(ended, destroyed),
                None => ended,
            };
            self.wait(cond, old.clone());
        }
        let new = fold::choose(taken.clone(), me, old.clone());
        self.lock_with(cell.clone(), old.clone(), new, Role::Lock, span);
        self.hold(cell, word(1), taken.clone());
        let number = |n: i64| Expr::constant(n as u64, 32);
        let refused = fold::choose(is(LOST), number(NOT_RECOVERABLE), number(busy.unwrap_or(0)));
        let gained = fold::choose(is(DIED), number(OWNER_DEAD), number(0));
        let value = fold::choose(taken.clone(), gained, refused);
        self.emit(Op::Assign { dst: result, value });
        let end = self.body.label();
        self.body.jump(Some(fold::unary(UnOp::Not, taken, 1)), end);
        let depth = fold::choose(is(DIED), word(INCONSISTENT), word(0));
        self.set_word(self.later_word(cell, 2), depth, span);
        self.note_robust("__wmbmc___robust_taken", cell, span);
        self.body.place(end);
    }

    fn note_robust(&mut self, name: &str, cell: &Expr, span: Span) {
        if !self.functions.contains_key(name) {
            // A file that does not ask for them itself does not have the function.
            let reason = "robust mutexes in a program of several files";
            return self.emit_at(span, Op::Unknown(reason.to_string()));
        }
        let callee = Callee::Proc(self.procedure(name, span));
        let (dst, args) = (None, vec![cell.clone()]);
        self.emit_at(span, Op::Call { dst, callee, args });
    }

    /// The list of robust mutexes that a thread holds, and how many there are.
    fn robust_list(&mut self, name: &str) -> TypedValue {
        let width = self.pointer_width();
        let void = self.types.void_pointer();
        let (global, to) = match name {
            "__wmbmc_robust_held" => {
                let list = self.hidden_global("robust mutexes", width, MAX_ROBUST, true);
                (list, void)
            }
            _ => {
                let count = self.hidden_global("robust mutexes held", 32, 1, true);
                (count, self.types.int())
            }
        };
        let ty = self.types.pointer(to);
        let expr = Expr::Global(global);
        TypedValue { expr, ty }
    }

    /// `pthread_mutex_consistent`: by the holder, of a mutex whose holder before has ended.
    fn make_consistent(&mut self, call: &Call<'a, '_>) -> Lowered<TypedValue> {
        let span = call.span;
        let cell = self.cell(call, 0)?;
        let result = self.temp(32);
        self.set_result(result, INVALID);
        let (_, robust) = self.kind_of(&cell, span);
        let Some(robust) = robust else {
            return Ok(self.result(result));
        };
        let end = self.body.label();
        self.body.span = span;
        self.body.jump(Some(fold::unary(UnOp::Not, robust, 1)), end);
        let me = self.my_handle(span);
        let holder = Expr::Local(self.load_word(cell.clone(), span));
        let other = fold::binary(BinOp::Ne, holder, me, 32);
        self.body.jump(Some(other), end);
        let depth = self.plain_word(self.later_word(&cell, 2), span);
        let inconsistent = fold::binary(BinOp::And, depth.clone(), word(INCONSISTENT), 32);
        let consistent = fold::binary(BinOp::Eq, inconsistent, word(0), 32);
        self.body.jump(Some(consistent), end);
        let depth = fold::binary(BinOp::And, depth, word(!INCONSISTENT & mask(32)), 32);
        self.set_word(self.later_word(&cell, 2), depth, span);
        self.set_result(result, 0);
        self.body.place(end);
        Ok(self.result(result))
    }

    fn unknown_kind(&mut self, known: Expr) {
        let next = self.body.label();
        self.body.jump(Some(known), next);
        self.emit(Op::Unknown("a mutex of an unknown kind".to_string()));
        self.body.place(next);
    }

    /// Unlocks; `error` when a mutex with a kind is not held by this thread. In C11 that is misuse.
    fn unlock_kind(&mut self, cell: &Expr, error: i64, span: Span) -> TypedValue {
        let (kind, robust) = self.kind_of(cell, span);
        let result = self.temp(32);
        self.set_result(result, 0);
        let (give, mine, end) = (self.body.label(), self.body.label(), self.body.label());
        let held = self.body.label();
        let mut plain = fold::binary(BinOp::Eq, kind, word(0), 32);
        if let Some(robust) = &robust {
            let not = fold::unary(UnOp::Not, robust.clone(), 1);
            plain = fold::binary(BinOp::And, plain, not, 1);
        }
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
        let times = match robust {
            Some(_) => fold::binary(
                BinOp::And,
                depth.clone(),
                word(!INCONSISTENT & mask(32)),
                32,
            ),
            None => depth.clone(),
        };
        let last = fold::binary(BinOp::Eq, times, word(0), 32);
        self.body.jump(Some(last), give);
        let less = fold::binary(BinOp::Sub, depth, word(1), 32);
        self.set_word(self.later_word(cell, 2), less, span);
        self.body.jump(None, end);
        self.body.place(held);
        self.held(cell, "mutex", span);
        self.body.place(give);
        self.hold(cell, word(0), Expr::constant(1, 1));
        if let Some(robust) = robust {
            let plain = self.body.label();
            self.body
                .jump(Some(fold::unary(UnOp::Not, robust, 1)), plain);
            let depth = self.plain_word(self.later_word(cell, 2), span);
            let lost = fold::binary(BinOp::Ne, depth, word(0), 32);
            let lost = self.bind(lost);
            self.set_word(self.later_word(cell, 2), word(0), span);
            self.note_robust("__wmbmc___robust_given", cell, span);
            self.unlock_to(cell.clone(), fold::choose(lost, word(LOST), word(0)), span);
            self.body.jump(None, end);
            self.body.place(plain);
        }
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
        let (kind, _) = self.kind_of(mutex, span);
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

    /// Takes the mutex of a condition variable again. The result is an error, which a robust mutex
    /// may give.
    pub(super) fn take_again(&mut self, mutex: &Expr, span: Span) -> Expr {
        if self.has_mutex_kinds() {
            return self.lock_kind(mutex, None, DEADLOCK, span).expr;
        }
        self.lock(mutex.clone(), span);
        word(0)
    }
}
