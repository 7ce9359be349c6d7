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
    THRD_ERROR, word,
};
use super::initialised::Object;
use super::{Call, Lowered, Lowering, TypedValue};
use crate::lower::c::fold;
use base::source::Span;
use ir::program::{BinOp, Callee, Expr, LocalId, MemoryOrder, Op, Role, mask};

/// `PTHREAD_MUTEX_RECURSIVE`, and the kind that an error-checking mutex has.
const RECURSIVE: u64 = 1;
const ERROR_CHECKING: u64 = 2;
/// `mtx_recursive`
const MTX_RECURSIVE: u64 = 1;
/// Of the word with the kind: the kind itself, and that the mutex is robust.
pub(super) const KIND: u64 = 0xff;
pub(super) const ROBUST: u64 = 0x100;
/// State of a robust mutex whose holder has ended.
const DIED: u64 = 0x4000_0000;
/// Beside the depth: the holder has the mutex of one that has ended.
const INCONSISTENT: u64 = 0x8000_0000;
/// Robust mutexes that a thread may hold at once.
const MAX_ROBUST: u64 = 8;

/// Functions and the marks of static initialisers that ask for a kind.
const ASKING: [&str; 5] = [
    ASKING_ROBUST,
    GLIBC_KIND,
    "pthread_mutexattr_settype",
    "pthread_mutexattr_setkind_np",
    "__wmbmc_mutex_kind",
];
const ASKING_ROBUST: &str = "pthread_mutexattr_setrobust";
/// The mark of a module of LLVM IR in which a mutex may have a kind without a call: a static one has it where
/// glibc has it, in the fifth word.
const GLIBC_KIND: &str = "__llvm_mutex_kind";

impl<'a> Lowering<'a> {
    pub(super) fn has_robust_mutexes(&self) -> bool {
        self.names.is_called(ASKING_ROBUST)
    }

    /// True when some mutex of the program may have a kind.
    pub(super) fn has_mutex_kinds(&self) -> bool {
        ASKING.iter().any(|name| self.names.is_called(name))
    }

    pub(super) fn initialise_mutex(&mut self, call: &Call<'a>) -> Lowered<()> {
        if !self.has_mutex_kinds() {
            return self.initialise(call, Object::Mutex);
        }
        let cell = self.cell(call, 0)?;
        let kind = self.requested_kind(call)?;
        self.init_mutex(&cell, kind, call.span);
        Ok(())
    }

    /// The word of the attributes that an object is initialised with.
    pub(super) fn requested_kind(&mut self, call: &Call<'a>) -> Lowered<Expr> {
        Ok(match self.value(call.arg(1)?)?.expr {
            Expr::Const { value: 0, .. } => word(0),
            addr => Expr::Local(self.load_word(addr, call.span)),
        })
    }

    pub(super) fn initialise_c11_mutex(&mut self, call: &Call<'a>) -> Lowered<()> {
        let cell = self.cell(call, 0)?;
        if self.has_mutex_kinds() {
            let int = self.types.int();
            let requested = self.value_for(call.arg(1)?, int)?.expr;
            let kind = fold::binary(BinOp::And, requested, word(MTX_RECURSIVE), 32);
            self.init_mutex(&cell, kind, call.span);
            return Ok(());
        }
        let kind = self.value(call.arg(1)?)?;
        if !matches!(kind.expr, Expr::Const { value: 0 | 2, .. }) {
            self.not_understood(
                call,
                "a kind of mutex that is not `mtx_recursive` by its name",
            )?;
        }
        self.initialised(&cell, Object::Mutex, call.span);
        self.set_word(cell, word(0), call.span);
        Ok(())
    }

    pub(super) fn initialise_mutex_attributes(&mut self, call: &Call<'a>) -> Lowered<()> {
        match self.has_mutex_kinds() {
            true => self.initialise_attributes(call),
            false => self.discard_all(call.args),
        }
    }

    pub(super) fn set_mutex_kind(&mut self, call: &Call<'a>) -> Lowered<()> {
        let cell = self.cell(call, 0)?;
        let int = self.types.int();
        let kind = self.operand(call, 1, int)?;
        self.set_attribute(&cell, KIND, kind, call.span);
        Ok(())
    }

    pub(super) fn set_robust(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let cell = self.cell(call, 0)?;
        let int = self.types.int();
        let robust = self.operand(call, 1, int)?;
        let known = fold::binary(BinOp::Ule, robust.clone(), word(1), 32);
        let end = self.body.label();
        let wrong = fold::not(known.clone());
        self.body.span = call.span;
        self.body.jump(Some(wrong), end);
        let robust = fold::binary(BinOp::Mul, robust, word(ROBUST), 32);
        self.set_attribute(&cell, ROBUST, robust, call.span);
        self.body.place(end);
        Ok(self.outcome(known, INVALID))
    }

    pub(super) fn get_mutex_attribute(&mut self, call: &Call<'a>, part: u64) -> Lowered<()> {
        match self.has_mutex_kinds() {
            true => self.read_attribute(call, word(part)),
            false => self.usual_attribute(call),
        }
    }

    /// Locks a mutex; `error` is that of a second lock of an error-checking one.
    pub(super) fn lock_mutex(&mut self, call: &Call<'a>, error: i64) -> Lowered<TypedValue> {
        if self.has_mutex_kinds() {
            let cell = self.cell(call, 0)?;
            return Ok(self.lock_kind(&cell, None, error, call.span));
        }
        self.lock_plain(call)?;
        Ok(self.zero())
    }

    pub(super) fn try_mutex(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        if !self.has_mutex_kinds() {
            return self.try_plain(call);
        }
        let cell = self.cell(call, 0)?;
        Ok(self.lock_kind(&cell, Some(BUSY), BUSY, call.span))
    }

    /// `mtx_trylock`, which may fail for no reason.
    pub(super) fn try_c11_mutex(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let (span, cell) = (call.span, self.cell(call, 0)?);
        if !self.has_mutex_kinds() {
            let free = self.try_lock_weakly(cell, span);
            return Ok(self.outcome(free, THRD_BUSY));
        }
        let result = self.temp(32);
        let end = self.fails_for_no_reason(result, word(THRD_BUSY as u64), span);
        let value = self.lock_kind(&cell, Some(THRD_BUSY), THRD_BUSY, span).expr;
        self.emit(Op::Assign { dst: result, value });
        self.body.place(end);
        Ok(self.int_of(Expr::Local(result)))
    }

    /// Locks a mutex in time, or says that it is too `late`.
    pub(super) fn lock_mutex_in_time(
        &mut self,
        call: &Call<'a>,
        late: i64,
        error: i64,
    ) -> Lowered<TypedValue> {
        let (span, cell) = (call.span, self.cell(call, 0)?);
        let limit = self.limit(call)?;
        let value = if self.has_mutex_kinds() {
            self.lock_kind(&cell, Some(late), error, span)
        } else {
            let free = self.try_lock(cell, span);
            self.outcome(free, late)
        };
        Ok(self.in_time(limit, value.expr, late, span))
    }

    /// Unlocks a mutex; `error` is that of one with a kind that this thread does not hold.
    pub(super) fn unlock_mutex(&mut self, call: &Call<'a>, error: i64) -> Lowered<TypedValue> {
        if self.has_mutex_kinds() {
            let cell = self.cell(call, 0)?;
            return Ok(self.unlock_kind(&cell, error, call.span));
        }
        self.unlock_plain(call)?;
        Ok(self.zero())
    }

    /// The list of robust mutexes that a thread holds.
    pub(super) fn robust_held(&mut self) -> TypedValue {
        let (width, void) = (self.pointer_width(), self.types.void_pointer());
        let list = self.hidden_global("robust mutexes", width, MAX_ROBUST, true);
        TypedValue::new(Expr::Global(list), self.types.pointer(void))
    }

    /// How many there are.
    pub(super) fn robust_count(&mut self) -> TypedValue {
        let int = self.types.int();
        let count = self.hidden_global("robust mutexes held", 32, 1, true);
        TypedValue::new(Expr::Global(count), self.types.pointer(int))
    }

    pub(super) fn robust_full(&mut self, call: &Call<'a>) -> Lowered<()> {
        let reason = format!("a thread that holds more than {MAX_ROBUST} robust mutexes");
        self.not_understood(call, &reason)?;
        self.emit(Op::Halt);
        Ok(())
    }

    pub(super) fn robust_died(&mut self, call: &Call<'a>) -> Lowered<()> {
        let void = self.types.void_pointer();
        let cell = self.operand(call, 0, void)?;
        self.unlock_to(cell, word(DIED), call.span);
        Ok(())
    }

    fn init_mutex(&mut self, cell: &Expr, kind: Expr, span: Span) {
        self.initialised(cell, Object::Mutex, span);
        self.set_word(cell.clone(), word(0), span);
        self.set_word(self.kind_word(cell), kind, span);
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
    pub(super) fn read_attribute(&mut self, call: &Call<'a>, part: Expr) -> Lowered<()> {
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
        self.deliver(place, TypedValue { expr, ty }, span)
            .map(|_| ())
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
        self.unknown_unless(known, "a mutex of an unknown kind");
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
            self.body.jump(Some(fold::not(robust)), plain);
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
        self.int_of(Expr::Local(result))
    }

    /// Where a mutex has its kind.
    fn kind_word(&self, cell: &Expr) -> Expr {
        let index = if self.names.is_called(GLIBC_KIND) {
            4
        } else {
            1
        };
        self.later_word(cell, index)
    }

    /// The kind of a mutex, and whether it is robust, in a program with such.
    fn kind_of(&mut self, cell: &Expr, span: Span) -> (Expr, Option<Expr>) {
        let all = self.plain_word(self.kind_word(cell), span);
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
        self.body.jump(Some(fold::not(taken)), end);
        let depth = fold::choose(is(DIED), word(INCONSISTENT), word(0));
        self.set_word(self.later_word(cell, 2), depth, span);
        self.note_robust("__wmbmc___robust_taken", cell, span);
        self.body.place(end);
    }

    fn note_robust(&mut self, name: &str, cell: &Expr, span: Span) {
        if !self.names.functions().contains_key(name) {
            // A file that does not ask for them itself does not have the function.
            let reason = "robust mutexes in a program of several files";
            return self.emit_at(span, Op::Unknown(reason.to_string()));
        }
        let callee = Callee::Proc(self.procedure(name, span));
        let (dst, args) = (None, vec![cell.clone()]);
        self.emit_at(span, Op::Call { dst, callee, args });
    }

    /// `pthread_mutex_consistent`: by the holder, of a mutex whose holder before has ended.
    pub(super) fn make_consistent(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        if !self.has_mutex_kinds() {
            self.discard(call.arg(0)?)?;
            return Ok(self.int_value(INVALID));
        }
        let span = call.span;
        let cell = self.cell(call, 0)?;
        let result = self.temp(32);
        self.set_result(result, INVALID);
        let (_, robust) = self.kind_of(&cell, span);
        let Some(robust) = robust else {
            return Ok(self.int_of(Expr::Local(result)));
        };
        let end = self.body.label();
        self.body.span = span;
        self.body.jump(Some(fold::not(robust)), end);
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
        Ok(self.int_of(Expr::Local(result)))
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
            let not = fold::not(robust.clone());
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
            self.body.jump(Some(fold::not(robust)), plain);
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
        self.int_of(Expr::Local(result))
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
        let reason = "a wait with an error-checking mutex that this thread does not hold";
        self.unknown_unless(held, reason);
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
