//! What the functions of tests in C are made of: accesses, and the values of their arguments.

use super::body::Body;
use super::refusal::Lowered;
use crate::front::litmus::ast::c::Expr as Syntax;
use ir::program::*;

/// Bits of registers and memory.
pub(super) const WORD: Width = 64;

/// A thread whose statements are being lowered.
pub(super) trait Accesses<'b> {
    /// Its body.
    fn body(&mut self) -> &mut Body<'b>;

    /// What an expression computes.
    fn value(&mut self, e: &Syntax) -> Lowered<Expr>;

    /// How many read-side critical sections of RCU are open.
    fn sections(&mut self) -> &mut u32;

    fn load(&mut self, addr: Expr, order: MemoryOrder) -> Expr {
        let dst = self.body().temporary(WORD);
        self.body().emit(Op::Load { dst, addr, order });
        Expr::Local(dst)
    }

    fn store(&mut self, addr: Expr, value: Expr, order: MemoryOrder) {
        self.body().emit(Op::Store { addr, value, order });
    }

    /// The old value of what a read-modify-write changes.
    fn update(&mut self, addr: Expr, op: RmwOp, operand: Expr, order: MemoryOrder) -> Expr {
        let dst = self.body().temporary(WORD);
        self.body().emit(Op::Rmw {
            dst,
            addr,
            op,
            operand,
            order,
        });
        Expr::Local(dst)
    }

    /// The value that a compare-exchange reads.
    fn compare_exchange(
        &mut self,
        addr: Expr,
        (expected, desired): (Expr, Expr),
        (success, failure): (MemoryOrder, MemoryOrder),
    ) -> Expr {
        // Nothing behind it depends on what it compares.
        self.body().emit(Op::ControlBegin(ControlScope::Always));
        let dst = self.body().temporary(WORD);
        self.body().emit(Op::Cas {
            dst,
            addr,
            expected,
            desired,
            success,
            failure,
            weak: None,
        });
        self.body().emit(Op::ControlEnd(ControlScope::Always));
        Expr::Local(dst)
    }

    /// The condition holds, and nothing behind it depends on that.
    fn assume(&mut self, cond: Expr) {
        self.body().emit(Op::ControlBegin(ControlScope::Always));
        self.body().emit(Op::Assume(cond));
        self.body().emit(Op::ControlEnd(ControlScope::Always));
    }
}
