//! Instructions and expressions with other registers.

use super::pair::PairAccess;
use super::program::{Callee, Expr, LocalId, Op, Weak};

/// The register that takes the place of another one.
type Renaming<'a> = &'a mut dyn FnMut(LocalId) -> LocalId;

impl Expr {
    /// The expression with its registers replaced by other expressions.
    pub fn with_locals(&self, of: &mut dyn FnMut(LocalId) -> Expr) -> Expr {
        match self {
            Expr::Local(local) => of(*local),
            Expr::Const { .. } | Expr::Global(_) | Expr::Proc(_) => self.clone(),
            Expr::Unary(op, a) => Expr::Unary(*op, Box::new(a.with_locals(of))),
            Expr::Binary(op, a, b) => Expr::binary(*op, a.with_locals(of), b.with_locals(of)),
            Expr::Ite(c, a, b) => {
                let [c, a, b] = [c, a, b].map(|e| Box::new(e.with_locals(of)));
                Expr::Ite(c, a, b)
            }
            Expr::Cast(cast, width, a) => Expr::Cast(*cast, *width, Box::new(a.with_locals(of))),
        }
    }

    fn renamed(&self, of: Renaming) -> Expr {
        self.with_locals(&mut |local| Expr::Local(of(local)))
    }
}

impl Callee {
    fn renamed(&self, of: Renaming) -> Callee {
        match self {
            Callee::Proc(proc) => Callee::Proc(*proc),
            Callee::Pointer(pointer) => Callee::Pointer(pointer.renamed(of)),
        }
    }
}

impl PairAccess {
    fn rename(&mut self, of: Renaming) {
        let both = |values: &mut [Expr; 2], of: Renaming| {
            values.iter_mut().for_each(|e| *e = e.renamed(of));
        };
        let targets = match self {
            PairAccess::Load { dst, .. } => Some(dst),
            PairAccess::Store { value, .. } => {
                both(value, of);
                None
            }
            PairAccess::Exchange { dst, value, .. } => {
                both(value, of);
                Some(dst)
            }
            PairAccess::Cas {
                dst,
                expected,
                desired,
                weak,
                ..
            } => {
                both(expected, of);
                both(desired, of);
                if let Some(Weak { done, when, .. }) = weak {
                    *when = when.renamed(of);
                    *done = of(*done);
                }
                Some(dst)
            }
        };
        targets
            .into_iter()
            .flatten()
            .for_each(|dst| *dst = of(*dst));
    }
}

impl Op {
    /// The instruction with other registers; jumps go where they went.
    pub fn renamed(&self, of: Renaming) -> Op {
        let mut op = self.clone();
        op.rename(of);
        op
    }

    fn rename(&mut self, of: Renaming) {
        let expr = |e: &mut Expr, of: Renaming| *e = e.renamed(of);
        match self {
            Op::Assign { dst, value: e }
            | Op::Load { dst, addr: e, .. }
            | Op::LoadLinked { dst, addr: e, .. }
            | Op::GetNote { dst, key: e } => {
                expr(e, of);
                *dst = of(*dst);
            }
            Op::Havoc { dst } | Op::Indeterminate { dst } | Op::ThreadSelf { dst } => {
                *dst = of(*dst);
            }
            Op::Use(e)
            | Op::GracePeriod { addr: e, .. }
            | Op::Observe { value: e, .. }
            | Op::LeaveScope { addr: e }
            | Op::Free { addr: e }
            | Op::Assume(e)
            | Op::Assert { cond: e, .. }
            | Op::Claim { key: e, .. }
            | Op::Release(e) => expr(e, of),
            Op::Store { addr, value, .. } => {
                expr(addr, of);
                expr(value, of);
            }
            Op::Rmw {
                dst, addr, operand, ..
            } => {
                expr(addr, of);
                expr(operand, of);
                *dst = of(*dst);
            }
            Op::Cas {
                dst,
                addr,
                expected,
                desired,
                weak,
                ..
            } => {
                [addr, expected, desired]
                    .into_iter()
                    .for_each(|e| expr(e, of));
                if let Some(Weak { done, when, .. }) = weak {
                    expr(when, of);
                    *done = of(*done);
                }
                *dst = of(*dst);
            }
            Op::Pair(pair) => {
                expr(&mut pair.addr, of);
                pair.access.rename(of);
            }
            Op::OneOf(ways) => {
                for (cond, op) in ways {
                    expr(cond, of);
                    op.rename(of);
                }
            }
            Op::StoreConditional {
                dst, addr, value, ..
            } => {
                expr(addr, of);
                expr(value, of);
                *dst = of(*dst);
            }
            Op::Goto { cond: e, .. } | Op::Return(e) | Op::ThreadExit(e) => {
                e.iter_mut().for_each(|e| expr(e, of));
            }
            Op::Call { dst, callee, args } => {
                *callee = callee.renamed(of);
                args.iter_mut().for_each(|e| expr(e, of));
                dst.iter_mut().for_each(|dst| *dst = of(*dst));
            }
            Op::Alloc {
                dst,
                size,
                replaces,
                ..
            } => {
                expr(size, of);
                replaces.iter_mut().for_each(|e| expr(e, of));
                *dst = of(*dst);
            }
            Op::Constant { object } => *object = of(*object),
            Op::SameThread { dst, a, b } => {
                expr(a, of);
                expr(b, of);
                *dst = of(*dst);
            }
            Op::Spawn { dst, callee, arg } => {
                *callee = callee.renamed(of);
                expr(arg, of);
                *dst = of(*dst);
            }
            Op::Join { handle, dst } => {
                expr(handle, of);
                dst.iter_mut().for_each(|dst| *dst = of(*dst));
            }
            Op::Wait { cond, value } => {
                expr(cond, of);
                expr(value, of);
            }
            Op::SetNote { key, value, when } => {
                [key, value, when].into_iter().for_each(|e| expr(e, of));
            }
            Op::Fence(_)
            | Op::AtomicBegin(_)
            | Op::AtomicEnd
            | Op::ControlBegin(_)
            | Op::ControlEnd(_)
            | Op::Halt
            | Op::Unknown(_) => {}
        }
    }
}
