//! `op=`, `++` and `--`: read, compute, write; on `_Atomic` objects in one step.

use super::sequence::{Evaluated, Use};
use super::{Lowered, Lowering, Place, TypedValue};
use crate::front::c::ast::{BinaryOp, Expr as Ast};
use crate::front::c::types::{Type, TypeId};
use base::source::Span;
use ir::program::{BinOp, Expr, MemoryOrder, Op, RmwOp};

impl<'a> Lowering<'a> {
    /// `place = place op operand`; the value is the new one, or the old one (`old`).
    pub fn update(
        &mut self,
        place: Place,
        op: BinaryOp,
        operand: impl FnOnce(&mut Self) -> Lowered<TypedValue>,
        old: bool,
        span: Span,
    ) -> Lowered<TypedValue> {
        let ty = Self::place_type(&place);
        let place = match place {
            Place::Memory(addr, ty, _) if self.types.is_atomic(ty) => {
                let addr = self.bind(addr);
                let operand = operand(self)?;
                return self.atomic_update(addr, ty, op, operand, old, span);
            }
            Place::Memory(addr, ty, within) => Place::Memory(self.bind(addr), ty, within),
            Place::Bits(addr, bits, ty, within) => Place::Bits(self.bind(addr), bits, ty, within),
            register => register,
        };
        let mut before = self.read(place.clone(), span)?;
        let operand = operand(self)?;
        if old {
            before.expr = match before.expr {
                Expr::Local(l) if matches!(place, Place::Register(..)) => {
                    let width = self.body.proc.locals[l].width;
                    self.body.span = span;
                    self.body.assign(width, Expr::Local(l))
                }
                other => other,
            };
        }
        let after = self.binary(op, before.clone(), operand, span)?;
        let after = self.convert(after, ty, span)?;
        let after = self.write(place, after, span)?;
        Ok(if old { before } else { after })
    }

    /// The same where the operand does more than compute a value: it may be evaluated before the old value
    /// is read, or behind.
    pub fn update_in_any_order(
        &mut self,
        lhs: &'a Ast,
        op: BinaryOp,
        rhs: &'a Ast,
        span: Span,
    ) -> Lowered<TypedValue> {
        let ty = self.type_of(lhs)?;
        let atomic = self.types.is_atomic(ty);
        let how = if atomic { Use::Place } else { Use::Updated };
        let (before, operand) = self.both((lhs, how), (rhs, Use::Value), span)?;
        let operand = operand.into_value();
        match before {
            Evaluated {
                place: Some(place),
                value: Some(before),
            } => {
                let after = self.binary(op, before, operand, span)?;
                let after = self.convert(after, ty, span)?;
                self.write(place, after, span)
            }
            before => self.update(before.into_place(), op, |_| Ok(operand), false, span),
        }
    }

    /// `op=` on an `_Atomic` object: one read-modify-write, sequentially consistent.
    pub fn atomic_update(
        &mut self,
        addr: Expr,
        ty: TypeId,
        op: BinaryOp,
        operand: TypedValue,
        old: bool,
        span: Span,
    ) -> Lowered<TypedValue> {
        let plain = self.types.plain(ty);
        let width = self.scalar_width(plain, span)?;
        let rmw = match op {
            BinaryOp::Add => Some(RmwOp::Add),
            BinaryOp::Sub => Some(RmwOp::Sub),
            BinaryOp::And => Some(RmwOp::And),
            BinaryOp::Or => Some(RmwOp::Or),
            BinaryOp::Xor => Some(RmwOp::Xor),
            _ => None,
        };
        let dst = self.body.local("", width);
        let before = TypedValue::new(Expr::Local(dst), plain);
        // No machine computes with floating-point numbers in one step.
        let floating = self.types.is_float(plain) || self.types.is_float(operand.ty);
        let other = floating || matches!(self.types.get(plain), Type::Bool);
        if let (Some(rmw), false) = (rmw, other) {
            let bits = match self.types.pointee(plain) {
                Some(elem) => self.scaled(operand.clone(), elem, span)?,
                None => self.convert(operand.clone(), plain, span)?.expr,
            };
            self.body.span = span;
            self.emit(Op::Rmw {
                dst,
                addr,
                op: rmw,
                operand: bits,
                order: MemoryOrder::SeqCst,
            });
            let after = self.binary(op, before.clone(), operand, span)?;
            let after = self.convert(after, plain, span)?;
            return Ok(if old { before } else { after });
        }
        // Other operators: a compare-and-swap that succeeds, with the value read just before.
        let read = self.load(addr.clone(), plain, MemoryOrder::Relaxed, span)?;
        let after = self.binary(op, read.clone(), operand, span)?;
        let after = self.convert(after, plain, span)?;
        self.body.span = span;
        self.emit(Op::Cas {
            dst,
            addr,
            expected: read.expr.clone(),
            desired: after.expr.clone(),
            success: MemoryOrder::SeqCst,
            failure: MemoryOrder::SeqCst,
            weak: None,
        });
        self.emit(Op::Assume(Expr::binary(
            BinOp::Eq,
            Expr::Local(dst),
            read.expr,
        )));
        Ok(if old { before } else { after })
    }
}
