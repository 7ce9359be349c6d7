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
use super::{Call, Lowered, Lowering, TypedValue};
use crate::lower::c::fold;
use base::source::Span;
use ir::program::{BinOp, Expr, MemoryOrder, Op, RmwOp, Role};

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
const ASKING: [&str; 3] = [
    "pthread_rwlockattr_setkind_np",
    "__wmbmc_rwlock_kind",
    GLIBC_KIND,
];
/// The mark of a module of LLVM IR in which a lock may have a kind without a call: a static one has it where
/// glibc has it, in the thirteenth word.
const GLIBC_KIND: &str = "__llvm_rwlock_kind";

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
        let not_written = fold::not(self.is_written(state));
        let Some(writers_first) = &self.writers_first else {
            return not_written;
        };
        let none_waits = fold::binary(BinOp::Ult, state.clone(), word(WAITING), 32);
        let others_first = fold::not(writers_first.clone());
        let in_turn = fold::binary(BinOp::Or, none_waits, others_first, 1);
        fold::binary(BinOp::And, not_written, in_turn, 1)
    }
}

impl<'a> Lowering<'a> {
    pub(super) fn has_rwlock_kinds(&self) -> bool {
        ASKING.iter().any(|name| self.names.is_called(name))
    }

    /// Where a lock has its kind.
    fn rwlock_kind_word(&self, cell: &Expr) -> Expr {
        let index = if self.names.is_called(GLIBC_KIND) {
            12
        } else {
            1
        };
        self.later_word(cell, index)
    }

    pub(super) fn initialise_rwlock(&mut self, call: &Call<'a>) -> Lowered<()> {
        if !self.has_rwlock_kinds() {
            return self.initialise(call, Object::Rwlock);
        }
        let (span, cell) = (call.span, self.cell(call, 0)?);
        let kind = self.requested_kind(call)?;
        self.initialised(&cell, Object::Rwlock, span);
        self.set_word(cell.clone(), word(0), span);
        self.set_word(self.rwlock_kind_word(&cell), kind, span);
        Ok(())
    }

    pub(super) fn initialise_rwlock_attributes(&mut self, call: &Call<'a>) -> Lowered<()> {
        match self.has_rwlock_kinds() {
            true => self.initialise_attributes(call),
            false => self.discard_all(call.args),
        }
    }

    pub(super) fn set_rwlock_kind(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let cell = self.cell(call, 0)?;
        let int = self.types.int();
        let kind = self.operand(call, 1, int)?;
        let known = fold::binary(BinOp::Ule, kind.clone(), word(WRITERS_FIRST), 32);
        let end = self.body.label();
        let unknown = fold::not(known.clone());
        self.body.jump(Some(unknown), end);
        self.set_word(cell, kind, call.span);
        self.body.place(end);
        Ok(self.outcome(known, INVALID))
    }

    pub(super) fn get_rwlock_kind(&mut self, call: &Call<'a>) -> Lowered<()> {
        match self.has_rwlock_kinds() {
            true => self.read_attribute(call, word(u64::MAX)),
            false => self.usual_attribute(call),
        }
    }

    fn rwlock(&mut self, call: &Call<'a>) -> Lowered<Lock> {
        let (span, cell) = (call.span, self.cell(call, 0)?);
        let mut writers_first = None;
        if self.has_rwlock_kinds() {
            let kind = self.plain_word(self.rwlock_kind_word(&cell), span);
            let first = fold::binary(BinOp::Eq, kind, word(WRITERS_FIRST), 32);
            writers_first = Some(self.bind(first));
        }
        Ok(Lock {
            cell,
            writers_first,
            span,
        })
    }

    pub(super) fn write_lock(&mut self, call: &Call<'a>) -> Lowered<()> {
        let lock = self.rwlock(call)?;
        self.lock_for_writing(&lock);
        self.hold(&lock.cell, word(WROTE), Expr::constant(1, 1));
        Ok(())
    }

    pub(super) fn try_write_lock(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let lock = self.rwlock(call)?;
        let free = self.write_where_free(&lock);
        Ok(self.outcome(free, BUSY))
    }

    /// A lock with a time limit is tried once: where it would have waited, it comes later.
    pub(super) fn write_lock_in_time(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let lock = self.rwlock(call)?;
        let limit = self.limit(call)?;
        let free = self.write_where_free(&lock);
        let value = self.outcome(free, TIMED_OUT).expr;
        Ok(self.in_time(limit, value, TIMED_OUT, call.span))
    }

    fn write_where_free(&mut self, lock: &Lock) -> Expr {
        let free = match lock.writers_first {
            None => {
                let (free, writer) = (word(0), lock.writer());
                let cell = lock.cell.clone();
                let old = self.swap_from(cell, free, writer, Role::AcquirePermit, lock.span);
                self.check_state(&lock.cell, &old, Object::Rwlock, lock.span);
                lock.is_free(&old)
            }
            Some(_) => {
                let old = self.rwlock_state(lock);
                let writer = fold::binary(BinOp::Or, old.clone(), lock.writer(), 32);
                self.swap_where(lock, old.clone(), lock.is_free(&old), writer)
            }
        };
        self.hold(&lock.cell, word(WROTE), free.clone());
        free
    }

    pub(super) fn read_lock(&mut self, call: &Call<'a>) -> Lowered<()> {
        let lock = self.rwlock(call)?;
        let old = self.rwlock_state(&lock);
        self.wait(lock.is_readable(&old), old.clone());
        let more = fold::binary(BinOp::Add, old.clone(), word(1), 32);
        self.lock_with(lock.cell.clone(), old, more, Role::AcquirePermit, lock.span);
        self.hold_more(&lock.cell, Expr::constant(1, 1), lock.span);
        Ok(())
    }

    pub(super) fn try_read_lock(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let lock = self.rwlock(call)?;
        let free = self.read_where_free(&lock);
        Ok(self.outcome(free, BUSY))
    }

    pub(super) fn read_lock_in_time(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let lock = self.rwlock(call)?;
        let limit = self.limit(call)?;
        let free = self.read_where_free(&lock);
        let value = self.outcome(free, TIMED_OUT).expr;
        Ok(self.in_time(limit, value, TIMED_OUT, call.span))
    }

    fn read_where_free(&mut self, lock: &Lock) -> Expr {
        let old = self.rwlock_state(lock);
        let more = fold::binary(BinOp::Add, old.clone(), word(1), 32);
        let free = self.swap_where(lock, old.clone(), lock.is_readable(&old), more);
        self.hold_more(&lock.cell, free.clone(), lock.span);
        free
    }

    pub(super) fn unlock_rwlock(&mut self, call: &Call<'a>) -> Lowered<()> {
        let (span, lock) = (call.span, self.rwlock(call)?);
        let held = self.held(&lock.cell, "read-write lock", span);
        let wrote = fold::binary(BinOp::Eq, held.clone(), word(WROTE), 32);
        let wrote = self.bind(wrote);
        let fewer = fold::binary(BinOp::Sub, held, word(1), 32);
        let fewer = fold::choose(wrote.clone(), word(0), fewer);
        self.hold(&lock.cell, fewer, Expr::constant(1, 1));
        self.fence(span);
        let given = fold::choose(wrote.clone(), lock.writer(), word(1));
        let order = MemoryOrder::Library(Role::Release);
        let old = self.update_word(lock.cell.clone(), RmwOp::Sub, given, order);
        self.check_state(&lock.cell, &old, Object::Rwlock, span);
        self.assume_held(&lock, &old, wrote);
        self.fence(span);
        Ok(())
    }

    /// What is so in every execution without misuse, which spares engines that guess values the others.
    fn assume_held(&mut self, lock: &Lock, old: &Expr, wrote: Expr) {
        let written = lock.is_written(old);
        let read = fold::binary(
            BinOp::And,
            fold::not(written.clone()),
            fold::not(lock.is_free(old)),
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
        let others_first = fold::not(writers_first.clone());
        self.body.jump(Some(others_first), take);
        self.emit(Op::Havoc { dst: counts });
        let not = fold::not(Expr::Local(counts));
        self.body.jump(Some(not), take);
        let what = "read-write locks that prefer writers";
        let bit = self.own_bit(MAX_WAITING, what, span);
        let bit = self.bind(fold::binary(BinOp::Mul, bit, word(WAITING), 32));
        self.fence(span);
        let (cell, order) = (lock.cell.clone(), MemoryOrder::Relaxed);
        let before = self.update_word(cell, RmwOp::Or, bit.clone(), order);
        let twice = fold::binary(BinOp::And, before, bit.clone(), 32);
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
}
