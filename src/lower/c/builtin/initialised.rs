//! Objects of the library that were never initialised, and those that are destroyed.
//!
//! An object in static storage is zero at first, which is a state that it may have: that of
//! `PTHREAD_MUTEX_INITIALIZER` and its relatives on the platforms that are modelled, and so is what
//! `calloc` gives. Elsewhere the state of an object that nobody initialised is any value, and an operation
//! on it asserts that it is one of those that its operations write. So an execution that takes another value
//! shows the misuse, and no record of what was initialised is needed.

use super::Lowering;
use super::codes::{DESTROYED, word};
use crate::lower::c::fold;
use base::source::Span;
use ir::program::{BinOp, Expr, mask};

/// A kind of object with a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Object {
    Mutex,
    Rwlock,
    Semaphore,
    Barrier,
    Once,
    Condition,
}

impl Object {
    pub fn name(self) -> &'static str {
        match self {
            Object::Mutex => "mutex",
            Object::Rwlock => "read-write lock",
            Object::Semaphore => "semaphore",
            Object::Barrier => "barrier",
            Object::Once => "once object",
            Object::Condition => "condition variable",
        }
    }

    /// The greatest state while it is alive; what is kept in the upper bits beside is left out by a mask.
    fn greatest(self, kinds: bool) -> (u64, u64) {
        let all = mask(32);
        match self {
            // The handle of the holder, and two bits for a holder that has ended.
            Object::Mutex if kinds => (0xffff, 0x9fff_ffff),
            Object::Mutex => (1, all),
            // How many read, and those that wait to write.
            Object::Rwlock if kinds => (0x7fff, 0xffff),
            Object::Rwlock => (0xffff, all),
            Object::Semaphore | Object::Barrier => (0x7fff_ffff, all),
            Object::Once => (2, all),
            Object::Condition => (0x7fff_ffff, all),
        }
    }
}

impl<'a> Lowering<'a> {
    /// Asserts that the state of an object is not that of a destroyed one, nor one that no initialised
    /// one has; the result is that it is destroyed, and `None` in programs that destroy nothing.
    pub(super) fn check_state(
        &mut self,
        cell: &Expr,
        state: &Expr,
        object: Object,
        span: Span,
    ) -> Option<Expr> {
        const DESTROYERS: [&str; 6] = [
            "pthread_mutex_destroy",
            "pthread_spin_destroy",
            "mtx_destroy",
            "pthread_rwlock_destroy",
            "sem_destroy",
            "pthread_barrier_destroy",
        ];
        let what = object.name();
        if !is_static(cell) {
            let cond = self.is_known_state(state, object);
            self.expect(cond, format!("this {what} is initialised"), span);
        }
        if object == Object::Once || !DESTROYERS.iter().any(|name| self.names.is_called(name)) {
            return None;
        }
        let alive = Expr::binary(BinOp::Ne, state.clone(), word(DESTROYED));
        self.require(alive, format!("this {what} is not destroyed"), span);
        Some(Expr::binary(BinOp::Eq, state.clone(), word(DESTROYED)))
    }

    fn is_known_state(&self, state: &Expr, object: Object) -> Expr {
        let kinds = match object {
            Object::Mutex => self.has_mutex_kinds(),
            Object::Rwlock => self.has_rwlock_kinds(),
            _ => false,
        };
        let (greatest, part) = object.greatest(kinds);
        let counted = match part == mask(32) {
            true => state.clone(),
            false => fold::binary(BinOp::And, state.clone(), word(part), 32),
        };
        let is = |value: u64| fold::binary(BinOp::Eq, counted.clone(), word(value), 32);
        let or = |a: Expr, b: Expr| fold::binary(BinOp::Or, a, b, 1);
        let small = fold::binary(BinOp::Ule, counted.clone(), word(greatest), 32);
        let destroyed = fold::binary(BinOp::Eq, state.clone(), word(DESTROYED), 32);
        match object {
            Object::Condition => small,
            // All bits of what counts the readers: a writer.
            Object::Rwlock => or(or(small, is(part)), destroyed),
            _ => or(small, destroyed),
        }
    }

    /// Reads the state of an object whose operations do not need it, where that may tell something.
    pub(super) fn check_condition(&mut self, cell: &Expr, span: Span) {
        if is_static(cell) {
            return;
        }
        let state = Expr::Local(self.load_word(cell.clone(), span));
        let cond = match self.waits_matter() {
            true => self.is_known_state(&state, Object::Condition),
            // Nothing but an initialisation writes it.
            false => fold::binary(BinOp::Eq, state, word(0), 32),
        };
        let text = format!("this {} is initialised", Object::Condition.name());
        self.expect(cond, text, span);
    }
}

/// Whether an address is certainly in static storage.
pub(super) fn is_static(cell: &Expr) -> bool {
    match cell {
        Expr::Global(_) => true,
        Expr::Binary(BinOp::Add, a, _) => is_static(a),
        _ => false,
    }
}
