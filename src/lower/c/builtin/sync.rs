//! Mutexes, condition variables, read-write locks, barriers, semaphores, once and keys.
//!
//! The state of every object is a 32-bit word at its beginning, 0 at first. An operation that
//! waits reads the state, changes it with one compare-and-swap, and assumes that it was one in
//! which there is nothing to wait for: the executions in which the thread waits longer are those
//! in which it comes later. Every operation synchronises memory fully, as POSIX says of all of
//! them. A wait on a condition variable may wake up at any time, so it is unlock and lock, unless
//! deadlocks are looked for ([`super::condition`]).
//!
//! Which locks a thread holds it remembers for itself ([`Op::SetNote`]): giving back what it does
//! not hold is misuse, and so is initialising an object twice.
//!
//! A destroyed object has a state of its own, which every operation looks for. What it does there
//! is undefined; a lock then excludes no thread, as in the usual implementations.

use super::codes::{BUSY, DESTROYED, INVALID, LOST, THRD_BUSY, THRD_TIMED_OUT, TIMED_OUT, word};
use super::initialised::Object;
use super::{Call, Lowered, Lowering, TypedValue};
use crate::base::source::Span;
use crate::ir::program::{
    BinOp, Claimed, Expr, Fence, LocalId, MemoryOrder, NOTE_WIDTH, Op, Property, Role, Rule,
};
use crate::lower::c::body::Label;
use crate::lower::c::fold;

/// True for the functions that wait on a condition variable for a limited time.
pub fn is_timed_wait(name: &str) -> bool {
    !matches!(name, "pthread_cond_wait" | "cnd_wait")
}

impl<'a> Lowering<'a> {
    pub(super) fn sync_call(&mut self, call: &Call<'a, '_>) -> Lowered<Option<TypedValue>> {
        let span = call.span;
        if self.has_mutex_kinds()
            && let Some(value) = self.kind_call(call)?
        {
            return Ok(Some(value));
        }
        if let Some(value) = self.rwlock_kind_call(call)? {
            return Ok(Some(value));
        }
        match call.name {
            "pthread_mutex_lock" | "pthread_spin_lock" | "mtx_lock" => {
                let cell = self.cell(call, 0)?;
                self.lock(cell.clone(), span);
                self.hold(&cell, word(1), Expr::constant(1, 1));
            }
            "pthread_mutex_unlock" | "pthread_spin_unlock" | "mtx_unlock" => {
                let cell = self.cell(call, 0)?;
                self.held(&cell, "mutex", span);
                self.hold(&cell, word(0), Expr::constant(1, 1));
                self.unlock(cell, span);
            }
            "pthread_mutex_trylock" | "pthread_spin_trylock" | "mtx_trylock" => {
                let cell = self.cell(call, 0)?;
                let busy = if call.name == "mtx_trylock" {
                    THRD_BUSY
                } else {
                    BUSY
                };
                let free = match call.name {
                    "mtx_trylock" => self.try_lock_weakly(cell, span),
                    _ => self.try_lock(cell, span),
                };
                return Ok(Some(self.outcome(free, busy)));
            }
            "pthread_mutex_timedlock" | "pthread_mutex_clocklock" | "mtx_timedlock" => {
                let cell = self.cell(call, 0)?;
                let limit = self.limit(call)?;
                let free = self.try_lock(cell, span);
                let late = if call.name == "mtx_timedlock" {
                    THRD_TIMED_OUT
                } else {
                    TIMED_OUT
                };
                let value = self.outcome(free, late).expr;
                return Ok(Some(self.in_time(limit, value, late, span)));
            }
            "pthread_cond_wait"
            | "cnd_wait"
            | "pthread_cond_timedwait"
            | "pthread_cond_clockwait"
            | "cnd_timedwait" => {
                if is_timed_wait(call.name) {
                    return self.timed_wait(call).map(Some);
                }
                let error = self.condition_wait(call)?;
                let ty = self.types.int();
                return Ok(Some(TypedValue { expr: error, ty }));
            }
            "pthread_cond_signal"
            | "pthread_cond_broadcast"
            | "cnd_signal"
            | "cnd_broadcast"
            | "pthread_cond_init"
            | "cnd_init" => self.condition(call)?,
            "pthread_mutex_destroy" | "pthread_spin_destroy" => {
                let free: &[u64] = match self.has_robust_mutexes() {
                    true => &[0, LOST],
                    false => &[0],
                };
                self.destroy(call, Object::Mutex, free)?
            }
            "pthread_rwlock_destroy" => self.destroy(call, Object::Rwlock, &[0])?,
            "sem_destroy" => self.destroy(call, Object::Semaphore, &[])?,
            "pthread_barrier_destroy" => {
                self.barrier_left(call)?;
                self.destroy(call, Object::Barrier, &[])?
            }
            "mtx_destroy" => {
                self.destroy(call, Object::Mutex, &[0])?;
                return Ok(Some(self.void()));
            }
            "pthread_cond_destroy" | "cnd_destroy" => {
                self.condition_destroy(call)?;
                let value = if call.name == "cnd_destroy" {
                    self.void()
                } else {
                    self.zero()
                };
                return Ok(Some(value));
            }
            "pthread_mutex_init" | "pthread_spin_init" | "pthread_rwlock_init" => {
                let cell = self.cell(call, 0)?;
                self.discard_all(&call.args[1..])?;
                let what = if call.name == "pthread_rwlock_init" {
                    "read-write lock"
                } else {
                    "mutex"
                };
                self.initialised(&cell, what, span);
                self.emit_at(
                    span,
                    Op::Store {
                        addr: cell,
                        value: word(0),
                        order: MemoryOrder::Plain,
                    },
                );
            }
            "mtx_init" => {
                let cell = self.cell(call, 0)?;
                let kind = self.value(call.arg(1)?)?;
                if !matches!(kind.expr, Expr::Const { value: 0 | 2, .. }) {
                    let reason = "a kind of mutex that is not `mtx_recursive` by its name";
                    self.emit_at(span, Op::Unknown(reason.to_string()));
                }
                self.initialised(&cell, "mutex", span);
                self.emit_at(
                    span,
                    Op::Store {
                        addr: cell,
                        value: word(0),
                        order: MemoryOrder::Plain,
                    },
                );
            }
            "pthread_rwlock_rdlock"
            | "pthread_rwlock_tryrdlock"
            | "pthread_rwlock_wrlock"
            | "pthread_rwlock_trywrlock"
            | "pthread_rwlock_timedrdlock"
            | "pthread_rwlock_timedwrlock"
            | "pthread_rwlock_clockrdlock"
            | "pthread_rwlock_clockwrlock"
            | "pthread_rwlock_unlock" => return self.rwlock(call).map(Some),
            "pthread_barrier_init" | "pthread_barrier_wait" => return self.barrier(call).map(Some),
            "sem_init" | "sem_post" | "sem_wait" | "sem_trywait" | "sem_timedwait"
            | "sem_clockwait" | "sem_getvalue" => {
                return self.semaphore(call).map(Some);
            }
            // In a program that asks for no kind; there `kind_call` has them.
            "pthread_mutexattr_gettype"
            | "pthread_mutexattr_getrobust"
            | "pthread_rwlockattr_getkind_np" => {
                self.discard(call.arg(0)?)?;
                let place = self.result_place(call.arg(1)?)?;
                let usual = self.zero();
                self.deliver(place, usual, span)?;
            }
            "pthread_mutex_consistent" => {
                self.discard(call.arg(0)?)?;
                return Ok(Some(self.int_value(INVALID)));
            }
            "pthread_once" | "call_once" => self.once(call)?,
            "pthread_key_create"
            | "__wmbmc_keys"
            | "__wmbmc_destructor"
            | "pthread_setspecific"
            | "pthread_getspecific"
            | "pthread_key_delete"
            | "tss_create"
            | "tss_set"
            | "tss_get"
            | "tss_delete" => {
                return self.key(call).map(Some);
            }
            _ => return Ok(None),
        }
        Ok(Some(self.zero()))
    }

    /// The address of the state of an object.
    pub(super) fn cell(&mut self, call: &Call<'a, '_>, index: usize) -> Lowered<Expr> {
        Ok(self.pointer_arg(call.arg(index)?)?.0)
    }

    /// The address of a later word of an object.
    pub fn later_word(&self, cell: &Expr, index: u64) -> Expr {
        let width = self.pointer_width();
        fold::binary(
            BinOp::Add,
            cell.clone(),
            Expr::constant(4 * index, width),
            width,
        )
    }

    pub fn fence(&mut self, span: Span) {
        self.emit_at(span, Op::Fence(Fence::Posix));
    }

    pub fn load_word(&mut self, addr: Expr, span: Span) -> LocalId {
        self.load_ordered(addr, MemoryOrder::Relaxed, span)
    }

    pub fn load_ordered(&mut self, addr: Expr, order: MemoryOrder, span: Span) -> LocalId {
        let dst = self.temp(32);
        self.emit_at(span, Op::Load { dst, addr, order });
        dst
    }

    /// Swaps the state between two fences; the result says whether it was as expected.
    pub fn swap(
        &mut self,
        addr: Expr,
        expected: Expr,
        desired: Expr,
        role: Role,
        span: Span,
    ) -> Expr {
        let old = self.swap_from(addr, expected.clone(), desired, role, span);
        Expr::binary(BinOp::Eq, old, expected)
    }

    /// The same, and the result is the state as it was.
    pub fn swap_from(
        &mut self,
        addr: Expr,
        expected: Expr,
        desired: Expr,
        role: Role,
        span: Span,
    ) -> Expr {
        self.fence(span);
        let dst = self.temp(32);
        let (success, failure) = (MemoryOrder::Library(role), MemoryOrder::Relaxed);
        self.emit(Op::Cas {
            dst,
            addr,
            expected,
            desired,
            success,
            failure,
            weak: None,
        });
        self.fence(span);
        Expr::Local(dst)
    }

    pub fn assume(&mut self, cond: Expr) {
        self.emit(Op::Assume(cond));
    }

    /// As [`assume`](Self::assume), where the thread waits as long as memory has this value.
    pub fn wait(&mut self, cond: Expr, value: Expr) {
        self.emit(Op::Wait { cond, value });
    }

    pub(super) fn lock(&mut self, cell: Expr, span: Span) {
        self.fence(span);
        let dst = self.temp(32);
        let (success, failure) = (MemoryOrder::Library(Role::Lock), MemoryOrder::Relaxed);
        self.emit(Op::Cas {
            dst,
            addr: cell.clone(),
            expected: word(0),
            desired: word(1),
            success,
            failure,
            weak: None,
        });
        let old = Expr::Local(dst);
        let destroyed = self.check_state(&cell, &old, Object::Mutex, span);
        let free = Expr::binary(BinOp::Eq, old.clone(), word(0));
        let cond = match destroyed {
            Some(destroyed) => Expr::binary(BinOp::Or, free, destroyed),
            None => free,
        };
        self.wait(cond, old);
        self.fence(span);
    }

    /// Locks a mutex if no thread holds it; the result says whether.
    fn try_lock(&mut self, cell: Expr, span: Span) -> Expr {
        let old = self.swap_from(cell.clone(), word(0), word(1), Role::Lock, span);
        self.check_state(&cell, &old, Object::Mutex, span);
        let free = Expr::binary(BinOp::Eq, old, word(0));
        self.hold(&cell, word(1), free.clone());
        free
    }

    /// The same, which may also fail for no reason (C17 7.26.4.5): then nothing is looked at.
    fn try_lock_weakly(&mut self, cell: Expr, span: Span) -> Expr {
        let free = self.temp(1);
        let end = self.fails_for_no_reason(free, Expr::constant(0, 1), span);
        let value = self.try_lock(cell, span);
        self.emit(Op::Assign { dst: free, value });
        self.body.place(end);
        Expr::Local(free)
    }

    /// Gives a register a value and jumps to the label, or goes on.
    pub(super) fn fails_for_no_reason(&mut self, dst: LocalId, value: Expr, span: Span) -> Label {
        let (end, fails) = (self.body.label(), self.temp(1));
        self.emit_at(span, Op::Assign { dst, value });
        self.emit(Op::Havoc { dst: fails });
        self.body.jump(Some(Expr::Local(fails)), end);
        end
    }

    /// A rule of the library about objects that exist, whose violation is undefined behaviour.
    pub fn require(&mut self, cond: Expr, text: String, span: Span) {
        let property = Property::new(Rule::Library, text);
        self.emit_at(span, Op::Assert { cond, property });
    }

    /// A rule of the library about how it is used, whose violation is undefined behaviour.
    pub fn expect(&mut self, cond: Expr, text: String, span: Span) {
        let property = Property::new(Rule::Misuse, text);
        self.emit_at(span, Op::Assert { cond, property });
    }

    /// This thread holds a lock so often from now on, if the condition holds.
    pub fn hold(&mut self, cell: &Expr, times: Expr, when: Expr) {
        let (key, value) = (cell.clone(), times);
        self.emit(Op::SetNote { key, value, when });
    }

    /// How often this thread holds a lock.
    pub fn holding(&mut self, cell: &Expr, span: Span) -> Expr {
        let (dst, key) = (self.temp(NOTE_WIDTH), cell.clone());
        self.emit_at(span, Op::GetNote { dst, key });
        Expr::Local(dst)
    }

    /// Asserts that this thread holds a lock; the result is how often.
    pub fn held(&mut self, cell: &Expr, what: &str, span: Span) -> Expr {
        let times = self.holding(cell, span);
        let cond = fold::binary(BinOp::Ne, times.clone(), word(0), NOTE_WIDTH);
        self.expect(cond, format!("this thread holds the {what}"), span);
        times
    }

    /// An object is initialised, which it must not be already.
    pub fn initialised(&mut self, cell: &Expr, what: &str, span: Span) {
        let text = format!("this {what} is not initialised already");
        let (key, property) = (cell.clone(), Property::new(Rule::Misuse, text));
        let what = Claimed::Object;
        let op = Op::Claim {
            key,
            what,
            property,
        };
        self.emit_at(span, op);
    }

    /// `free`: the states in which no thread holds the object, where that is asked.
    fn destroy(&mut self, call: &Call<'a, '_>, what: Object, free: &[u64]) -> Lowered<()> {
        let span = call.span;
        let cell = self.cell(call, 0)?;
        let state = Expr::Local(self.load_word(cell.clone(), span));
        self.check_state(&cell, &state, what, span);
        if let Some((first, others)) = free.split_first() {
            let is = |s: u64| Expr::binary(BinOp::Eq, state.clone(), word(s));
            let or = |a: Expr, s: &u64| Expr::binary(BinOp::Or, a, is(*s));
            let cond = others.iter().chain(&[DESTROYED]).fold(is(*first), or);
            let text = format!("no thread holds this {}", what.name());
            self.expect(cond, text, span);
        }
        self.emit_at(span, Op::Release(cell.clone()));
        self.emit_at(
            span,
            Op::Store {
                addr: cell,
                value: word(DESTROYED),
                order: MemoryOrder::Relaxed,
            },
        );
        Ok(())
    }

    pub(super) fn unlock(&mut self, cell: Expr, span: Span) {
        self.unlock_to(cell, word(0), span);
    }

    /// Gives a lock back with this state.
    pub(super) fn unlock_to(&mut self, cell: Expr, value: Expr, span: Span) {
        self.fence(span);
        self.emit(Op::Store {
            addr: cell,
            value,
            order: MemoryOrder::Library(Role::Release),
        });
        self.fence(span);
    }

    /// 0 when the condition holds, an error number otherwise.
    pub fn outcome(&mut self, good: Expr, error: i64) -> TypedValue {
        let (zero, error) = (self.int_value(0), self.int_value(error));
        TypedValue {
            expr: fold::choose(good, zero.expr, error.expr),
            ty: zero.ty,
        }
    }

    /// A swap that has to succeed.
    pub fn lock_with(&mut self, cell: Expr, expected: Expr, desired: Expr, role: Role, span: Span) {
        let good = self.swap(cell, expected, desired, role, span);
        self.assume(good);
    }
}
