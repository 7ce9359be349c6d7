//! Read-write locks.
//!
//! The state is the number of readers, or [`WRITER`]. As glibc has it, a reader does not wait for
//! writers that wait, unless the lock is of the kind
//! `PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP`: then a thread that holds it for reading and asks
//! for it again waits for the writer that waits for the thread. (`PTHREAD_RWLOCK_PREFER_WRITER_NP` is
//! like the default kind there; see pthread_rwlockattr_setkind_np(3).)
//!
//! A program that asks for a kind somewhere keeps the set of the writers that wait, a bit each, in the
//! upper half of the same word, so that a reader that waits looks at one state. A writer is in the set
//! or not: one that is not has not yet begun to wait as far as others see.

use super::codes::{BUSY, DESTROYED, INVALID, TIMED_OUT, word};
use super::initialised::Object;
use super::timed::Limit;
use super::{Call, Lowered, Lowering, TypedValue};
use crate::base::source::Span;
use crate::ir::program::{BinOp, Expr, MemoryOrder, Op, RmwOp, Role, UnOp};
use crate::lower::c::fold;

/// State of a lock that is held for writing.
const WRITER: u64 = 0xffff_ffff;
/// The same in a program with kinds, and the first thread of those that wait. The last bit belongs to
/// the state of a destroyed object.
const KIND_WRITER: u64 = 0xffff;
const WAITING: u64 = 0x1_0000;
const MAX_WAITING: u64 = 15;
/// What a thread remembers of a lock that it holds for writing; else how often it reads.
const WROTE: u64 = 0x8000_0000;
/// `PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP`
const WRITERS_FIRST: u64 = 2;
/// Functions and the marks of static initialisers that ask for a kind.
const ASKING: [&str; 2] = ["pthread_rwlockattr_setkind_np", "__wmbmc_rwlock_kind"];

/// A lock whose operation is lowered.
struct Lock {
    cell: Expr,
    /// Whether writers come first, in a program with kinds.
    writers_first: Option<Expr>,
    span: Span,
}

impl Lock {
    fn writer(&self) -> Expr {
        word(match self.writers_first {
            Some(_) => KIND_WRITER,
            None => WRITER,
        })
    }

    /// How many read, or that one writes.
    fn holders(&self, state: &Expr) -> Expr {
        match self.writers_first {
            Some(_) => fold::binary(BinOp::And, state.clone(), word(KIND_WRITER), 32),
            None => state.clone(),
        }
    }

    fn is_free(&self, state: &Expr) -> Expr {
        fold::binary(BinOp::Eq, self.holders(state), word(0), 32)
    }

    fn is_written(&self, state: &Expr) -> Expr {
        fold::binary(BinOp::Eq, self.holders(state), self.writer(), 32)
    }

    /// Whether a reader gets it.
    fn is_readable(&self, state: &Expr) -> Expr {
        let not_written = fold::unary(UnOp::Not, self.is_written(state), 1);
        let Some(writers_first) = &self.writers_first else {
            return not_written;
        };
        let none_waits = fold::binary(BinOp::Ult, state.clone(), word(WAITING), 32);
        let others_first = fold::unary(UnOp::Not, writers_first.clone(), 1);
        let in_turn = fold::binary(BinOp::Or, none_waits, others_first, 1);
        fold::binary(BinOp::And, not_written, in_turn, 1)
    }
}

impl<'a> Lowering<'a> {
    pub(super) fn has_rwlock_kinds(&self) -> bool {
        ASKING.iter().any(|name| self.called.contains(*name))
    }

    /// Initialisation and attributes in a program with kinds.
    pub(super) fn rwlock_kind_call(&mut self, call: &Call<'a, '_>) -> Lowered<Option<TypedValue>> {
        let span = call.span;
        if !self.has_rwlock_kinds() {
            return Ok(None);
        }
        match call.name {
            "__wmbmc_rwlock_kind" => return self.value(call.arg(0)?).map(Some),
            "pthread_rwlock_init" => {
                let cell = self.cell(call, 0)?;
                let attributes = self.value(call.arg(1)?)?;
                let kind = match attributes.expr {
                    Expr::Const { value: 0, .. } => word(0),
                    addr => Expr::Local(self.load_word(addr, span)),
                };
                self.initialised(&cell, "read-write lock", span);
                self.set_word(cell.clone(), word(0), span);
                self.set_word(self.later_word(&cell, 1), kind, span);
            }
            "pthread_rwlockattr_init" => {
                let cell = self.cell(call, 0)?;
                self.set_word(cell, word(0), span);
            }
            "pthread_rwlockattr_setkind_np" => {
                let cell = self.cell(call, 0)?;
                let int = self.types.int();
                let kind = self.value_for(call.arg(1)?, int)?.expr;
                let kind = self.bind(kind);
                let known = fold::binary(BinOp::Ule, kind.clone(), word(WRITERS_FIRST), 32);
                let end = self.body.label();
                self.body
                    .jump(Some(fold::unary(UnOp::Not, known.clone(), 1)), end);
                self.set_word(cell, kind, span);
                self.body.place(end);
                return Ok(Some(self.outcome(known, INVALID)));
            }
            "pthread_rwlockattr_getkind_np" => self.read_attribute(call, word(u64::MAX))?,
            _ => return Ok(None),
        }
        Ok(Some(self.zero()))
    }

    pub(super) fn rwlock(&mut self, call: &Call<'a, '_>) -> Lowered<TypedValue> {
        let span = call.span;
        let cell = self.cell(call, 0)?;
        let writers_first = match self.has_rwlock_kinds() {
            true => {
                let kind = self.plain_word(self.later_word(&cell, 1), span);
                let first = fold::binary(BinOp::Eq, kind, word(WRITERS_FIRST), 32);
                Some(self.bind(first))
            }
            false => None,
        };
        let lock = Lock {
            cell,
            writers_first,
            span,
        };
        let yes = Expr::constant(1, 1);
        match call.name {
            "pthread_rwlock_wrlock" => {
                self.lock_for_writing(&lock);
                self.hold(&lock.cell, word(WROTE), yes);
            }
            "pthread_rwlock_trywrlock"
            | "pthread_rwlock_timedwrlock"
            | "pthread_rwlock_clockwrlock" => {
                let limit = self.rwlock_limit(call)?;
                let free = match lock.writers_first {
                    None => {
                        let (free, writer) = (word(0), lock.writer());
                        let cell = lock.cell.clone();
                        let old = self.swap_from(cell, free, writer, Role::AcquirePermit, span);
                        self.check_state(&lock.cell, &old, Object::Rwlock, span);
                        lock.is_free(&old)
                    }
                    Some(_) => {
                        let old = self.rwlock_state(&lock);
                        let writer = fold::binary(BinOp::Or, old.clone(), lock.writer(), 32);
                        self.swap_where(&lock, old.clone(), lock.is_free(&old), writer)
                    }
                };
                self.hold(&lock.cell, word(WROTE), free.clone());
                return Ok(self.impatient(limit, free, span));
            }
            "pthread_rwlock_rdlock" => {
                let old = self.rwlock_state(&lock);
                self.wait(lock.is_readable(&old), old.clone());
                let more = fold::binary(BinOp::Add, old.clone(), word(1), 32);
                self.lock_with(lock.cell.clone(), old, more, Role::AcquirePermit, span);
                self.hold_more(&lock.cell, yes, span);
            }
            "pthread_rwlock_tryrdlock"
            | "pthread_rwlock_timedrdlock"
            | "pthread_rwlock_clockrdlock" => {
                let limit = self.rwlock_limit(call)?;
                let old = self.rwlock_state(&lock);
                let more = fold::binary(BinOp::Add, old.clone(), word(1), 32);
                let free = self.swap_where(&lock, old.clone(), lock.is_readable(&old), more);
                self.hold_more(&lock.cell, free.clone(), span);
                return Ok(self.impatient(limit, free, span));
            }
            _ => {
                let held = self.held(&lock.cell, "read-write lock", span);
                let wrote = fold::binary(BinOp::Eq, held.clone(), word(WROTE), 32);
                let wrote = self.bind(wrote);
                let fewer = fold::binary(BinOp::Sub, held, word(1), 32);
                let fewer = fold::choose(wrote.clone(), word(0), fewer);
                self.hold(&lock.cell, fewer, yes);
                self.fence(span);
                let dst = self.temp(32);
                self.emit(Op::Rmw {
                    dst,
                    addr: lock.cell.clone(),
                    op: RmwOp::Sub,
                    operand: fold::choose(wrote.clone(), lock.writer(), word(1)),
                    order: MemoryOrder::Library(Role::Release),
                });
                let old = Expr::Local(dst);
                self.check_state(&lock.cell, &old, Object::Rwlock, span);
                self.assume_held(&lock, &old, wrote);
                self.fence(span);
            }
        }
        Ok(self.zero())
    }

    /// What is so in every execution without misuse, which spares engines that guess values the others.
    fn assume_held(&mut self, lock: &Lock, old: &Expr, wrote: Expr) {
        let written = lock.is_written(old);
        let read = fold::binary(
            BinOp::And,
            fold::unary(UnOp::Not, written.clone(), 1),
            fold::unary(UnOp::Not, lock.is_free(old), 1),
            1,
        );
        let mine = fold::choose(wrote, written, read);
        let destroyed = fold::binary(BinOp::Eq, old.clone(), word(DESTROYED), 32);
        self.assume(fold::binary(BinOp::Or, mine, destroyed, 1));
    }

    fn rwlock_state(&mut self, lock: &Lock) -> Expr {
        let old = Expr::Local(self.load_word(lock.cell.clone(), lock.span));
        self.check_state(&lock.cell, &old, Object::Rwlock, lock.span);
        old
    }

    /// Changes the state where a condition holds; where not, it stays. The result says which.
    fn swap_where(&mut self, lock: &Lock, old: Expr, cond: Expr, new: Expr) -> Expr {
        let cond = self.bind(cond);
        let new = fold::choose(cond.clone(), new, old.clone());
        self.lock_with(lock.cell.clone(), old, new, Role::AcquirePermit, lock.span);
        cond
    }

    /// Waits until nobody holds the lock.
    fn lock_for_writing(&mut self, lock: &Lock) {
        let span = lock.span;
        let Some(writers_first) = &lock.writers_first else {
            let (cell, writer) = (lock.cell.clone(), lock.writer());
            let old = self.swap_from(cell, word(0), writer, Role::AcquirePermit, span);
            self.check_state(&lock.cell, &old, Object::Rwlock, span);
            self.wait(lock.is_free(&old), old);
            return;
        };
        let (take, mine, counts) = (self.body.label(), self.temp(32), self.temp(1));
        let (dst, value) = (mine, word(0));
        self.emit_at(span, Op::Assign { dst, value });
        let others_first = fold::unary(UnOp::Not, writers_first.clone(), 1);
        self.body.jump(Some(others_first), take);
        self.emit(Op::Havoc { dst: counts });
        let not = fold::unary(UnOp::Not, Expr::Local(counts), 1);
        self.body.jump(Some(not), take);
        let what = "read-write locks that prefer writers";
        let bit = self.own_bit(MAX_WAITING, what, span);
        let bit = self.bind(fold::binary(BinOp::Mul, bit, word(WAITING), 32));
        self.fence(span);
        let before = self.temp(32);
        self.emit(Op::Rmw {
            dst: before,
            addr: lock.cell.clone(),
            op: RmwOp::Or,
            operand: bit.clone(),
            order: MemoryOrder::Relaxed,
        });
        let twice = fold::binary(BinOp::And, Expr::Local(before), bit.clone(), 32);
        self.assume(fold::binary(BinOp::Eq, twice, word(0), 32));
        let (dst, value) = (mine, bit);
        self.emit(Op::Assign { dst, value });
        self.body.place(take);
        let old = self.rwlock_state(lock);
        self.wait(lock.is_free(&old), old.clone());
        let mine = Expr::Local(mine);
        let waits = fold::binary(BinOp::And, old.clone(), mine.clone(), 32);
        self.assume(fold::binary(BinOp::Eq, waits, mine.clone(), 32));
        let others = fold::binary(BinOp::Sub, old.clone(), mine, 32);
        let new = fold::binary(BinOp::Or, others, lock.writer(), 32);
        self.lock_with(lock.cell.clone(), old, new, Role::AcquirePermit, span);
    }

    /// This thread holds a read-write lock for reading once more, if the condition holds.
    fn hold_more(&mut self, cell: &Expr, when: Expr, span: Span) {
        let times = self.holding(cell, span);
        let more = fold::binary(BinOp::Add, times, word(1), 32);
        self.hold(cell, more, when);
    }

    fn rwlock_limit(&mut self, call: &Call<'a, '_>) -> Lowered<Option<Limit>> {
        let tries = call.name.contains("_try");
        (!tries).then(|| self.limit(call)).transpose()
    }

    /// What an operation that does not wait forever says in the end. One with a time limit is
    /// tried once: where it would have waited, it comes later.
    fn impatient(&mut self, limit: Option<Limit>, free: Expr, span: Span) -> TypedValue {
        let Some(limit) = limit else {
            return self.outcome(free, BUSY);
        };
        let value = self.outcome(free, TIMED_OUT).expr;
        self.in_time(limit, value, TIMED_OUT, span)
    }
}
