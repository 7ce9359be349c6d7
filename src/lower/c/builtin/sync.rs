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

use super::codes::{BUSY, DESTROYED, LOST, word};
use super::initialised::Object;
use super::{Call, Lowered, Lowering, TypedValue};
use crate::lower::c::body::Label;
use crate::lower::c::fold;
use base::source::Span;
use ir::program::{
    BinOp, Claimed, Expr, Fence, LocalId, MemoryOrder, NOTE_WIDTH, Op, Property, RmwOp, Role, Rule,
};

impl<'a> Lowering<'a> {
    /// Locks a mutex, in programs in which none has a kind.
    pub(super) fn lock_plain(&mut self, call: &Call<'a>) -> Lowered<()> {
        let cell = self.cell(call, 0)?;
        self.lock(cell.clone(), call.span);
        self.hold(&cell, word(1), Expr::constant(1, 1));
        Ok(())
    }

    pub(super) fn try_plain(&mut self, call: &Call<'a>) -> Lowered<TypedValue> {
        let cell = self.cell(call, 0)?;
        let free = self.try_lock(cell, call.span);
        Ok(self.outcome(free, BUSY))
    }

    pub(super) fn unlock_plain(&mut self, call: &Call<'a>) -> Lowered<()> {
        let cell = self.cell(call, 0)?;
        self.held(&cell, "mutex", call.span);
        self.hold(&cell, word(0), Expr::constant(1, 1));
        self.unlock(cell, call.span);
        Ok(())
    }

    /// Initialises an object that is one word.
    pub(super) fn initialise(&mut self, call: &Call<'a>, what: Object) -> Lowered<()> {
        let cell = self.cell(call, 0)?;
        self.discard_all(&call.args[1..])?;
        self.initialised(&cell, what, call.span);
        self.set_word(cell, word(0), call.span);
        Ok(())
    }

    pub(super) fn destroy_mutex(&mut self, call: &Call<'a>) -> Lowered<()> {
        let free: &[u64] = match self.has_robust_mutexes() {
            true => &[0, LOST],
            false => &[0],
        };
        self.destroy(call, Object::Mutex, free)
    }

    /// Delivers the attribute of objects that have none.
    pub(super) fn usual_attribute(&mut self, call: &Call<'a>) -> Lowered<()> {
        self.discard(call.arg(0)?)?;
        let place = self.result_place(call.arg(1)?)?;
        let usual = self.zero();
        self.deliver(place, usual, call.span).map(|_| ())
    }

    /// The address of the state of an object.
    pub(super) fn cell(&mut self, call: &Call<'a>, index: usize) -> Lowered<Expr> {
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
        let old = self.swap_word(addr, expected, desired, MemoryOrder::Library(role));
        self.fence(span);
        old
    }

    /// A compare-and-swap of a word with this order if it succeeds; the result is the word as it was.
    pub(super) fn swap_word(
        &mut self,
        addr: Expr,
        expected: Expr,
        desired: Expr,
        success: MemoryOrder,
    ) -> Expr {
        let dst = self.temp(32);
        self.emit(Op::Cas {
            dst,
            addr,
            expected,
            desired,
            success,
            failure: MemoryOrder::Relaxed,
            weak: None,
        });
        Expr::Local(dst)
    }

    /// A read-modify-write of a word; the result is the word as it was.
    pub(super) fn update_word(
        &mut self,
        addr: Expr,
        op: RmwOp,
        operand: Expr,
        order: MemoryOrder,
    ) -> Expr {
        let dst = self.temp(32);
        self.emit(Op::Rmw {
            dst,
            addr,
            op,
            operand,
            order,
        });
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
        let order = MemoryOrder::Library(Role::Lock);
        let old = self.swap_word(cell.clone(), word(0), word(1), order);
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
    pub(super) fn try_lock(&mut self, cell: Expr, span: Span) -> Expr {
        let old = self.swap_from(cell.clone(), word(0), word(1), Role::Lock, span);
        self.check_state(&cell, &old, Object::Mutex, span);
        let free = Expr::binary(BinOp::Eq, old, word(0));
        self.hold(&cell, word(1), free.clone());
        free
    }

    /// The same, which may also fail for no reason (C17 7.26.4.5): then nothing is looked at.
    pub(super) fn try_lock_weakly(&mut self, cell: Expr, span: Span) -> Expr {
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
    pub(super) fn initialised(&mut self, cell: &Expr, what: Object, span: Span) {
        let text = format!("this {} is not initialised already", what.name());
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
    pub(super) fn destroy(&mut self, call: &Call<'a>, what: Object, free: &[u64]) -> Lowered<()> {
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
        let (value, order) = (word(DESTROYED), MemoryOrder::Relaxed);
        self.emit(Op::Store {
            addr: cell,
            value,
            order,
        });
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
        TypedValue::new(fold::choose(good, zero.expr, error.expr), zero.ty)
    }

    /// A swap that has to succeed.
    pub fn lock_with(&mut self, cell: Expr, expected: Expr, desired: Expr, role: Role, span: Span) {
        let good = self.swap(cell, expected, desired, role, span);
        self.assume(good);
    }
}
