//! Bit-fields: reading is a load with shift and mask, writing a read-modify-write of the storage
//! unit in two separate accesses, as compilers do it. Two threads that write neighbours of one
//! unit race.

use super::{Lowered, Lowering, TypedValue, fold};
use crate::front::c::ast::IntKind;
use crate::front::c::bits::{BitField, BitPiece};
use crate::front::c::types::{Type, TypeId};
use base::source::Span;
use ir::program::{BinOp, Expr, MemoryOrder, Width, mask};

impl Lowering<'_> {
    /// The value of a bit-field, promoted as an operand would be (C11 6.3.1.1).
    pub fn read_bits(
        &mut self,
        base: &Expr,
        bits: &BitField,
        ty: TypeId,
        span: Span,
    ) -> Lowered<TypedValue> {
        let width = self.scalar_width(ty, span)?;
        let order = self.default_order(ty);
        let base = self.bind(base.clone());
        let mut result = Expr::constant(0, width);
        let mut at = 0;
        for piece in &bits.pieces {
            let unit = self.load_unit(&base, piece, order, span);
            let low = Expr::constant(u64::from(piece.low), piece.unit);
            let part = fold::binary(BinOp::Lshr, unit, low, piece.unit);
            let ones = Expr::constant(mask(piece.count), piece.unit);
            let part = fold::binary(BinOp::And, part, ones, piece.unit);
            let part = fold::resize(part, piece.unit, width, false);
            let part = fold::binary(BinOp::Shl, part, Expr::constant(at, width), width);
            result = fold::binary(BinOp::Or, result, part, width);
            at += u64::from(piece.count);
        }
        let value = TypedValue::new(
            self.extended(result, bits.width, width, ty),
            self.types.plain(ty),
        );
        self.promoted_bits(value, bits.width, span)
    }

    /// Writes a value of the declared type; the result is what the field holds afterwards.
    pub fn write_bits(
        &mut self,
        base: &Expr,
        bits: &BitField,
        ty: TypeId,
        value: TypedValue,
        span: Span,
    ) -> Lowered<TypedValue> {
        let width = self.scalar_width(ty, span)?;
        let order = self.default_order(ty);
        let base = self.bind(base.clone());
        let bound = self.bind(value.expr);
        let mut at = 0;
        for piece in &bits.pieces {
            let part = fold::binary(BinOp::Lshr, bound.clone(), Expr::constant(at, width), width);
            let part = fold::resize(part, width, piece.unit, false);
            let ones = mask(piece.count);
            let part = fold::binary(
                BinOp::And,
                part,
                Expr::constant(ones, piece.unit),
                piece.unit,
            );
            let low = Expr::constant(u64::from(piece.low), piece.unit);
            let mut unit = fold::binary(BinOp::Shl, part, low, piece.unit);
            if piece.count < piece.unit {
                let others = Expr::constant(!(ones << piece.low), piece.unit);
                let old = self.load_unit(&base, piece, order, span);
                let kept = fold::binary(BinOp::And, old, others, piece.unit);
                unit = fold::binary(BinOp::Or, kept, unit, piece.unit);
            }
            let addr = self.unit_address(&base, piece);
            self.emit_store(addr, unit, order);
            at += u64::from(piece.count);
        }
        let value = TypedValue::new(
            self.extended(bound, bits.width, width, ty),
            self.types.plain(ty),
        );
        self.promoted_bits(value, bits.width, span)
    }

    fn unit_address(&self, base: &Expr, piece: &BitPiece) -> Expr {
        let offset = self.pointer_constant(piece.offset);
        fold::binary(BinOp::Add, base.clone(), offset, self.pointer_width())
    }

    fn load_unit(&mut self, base: &Expr, piece: &BitPiece, order: MemoryOrder, span: Span) -> Expr {
        let dst = self.body.local("", piece.unit);
        let addr = self.unit_address(base, piece);
        self.body.span = span;
        self.emit_load(dst, addr, order);
        Expr::Local(dst)
    }

    /// The low `bits` of a value, extended to its whole width as the type says.
    fn extended(&self, e: Expr, bits: u8, width: Width, ty: TypeId) -> Expr {
        if bits >= width {
            return e;
        }
        if !self.types.signed(ty) {
            return fold::binary(BinOp::And, e, Expr::constant(mask(bits), width), width);
        }
        let shift = Expr::constant(u64::from(width - bits), width);
        let high = fold::binary(BinOp::Shl, e, shift.clone(), width);
        fold::binary(BinOp::Ashr, high, shift, width)
    }

    /// A field that `int` can hold is promoted to `int`, whatever its declared type.
    fn promoted_bits(&mut self, value: TypedValue, bits: u8, span: Span) -> Lowered<TypedValue> {
        let small = bits < 32 || (bits == 32 && self.types.signed(value.ty));
        let boolean = matches!(self.types.get(value.ty), Type::Bool);
        if small && !boolean {
            let int = self.types.id(Type::Int(IntKind::Int));
            return self.convert(value, int, span);
        }
        Ok(value)
    }
}
