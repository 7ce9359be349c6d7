//! Atomic structures of 1, 2, 4 or 8 bytes: the object is one integer, a whole structure is made of
//! its bits.
//!
//! C11 knows accesses to an `_Atomic` structure as a whole alone (6.5.2.3: those to its members are
//! undefined), so no other access meets it, and the machine has one instruction for it. What is
//! between the members is arbitrary each time a structure becomes an integer: a compare-exchange
//! compares it, too.

use super::{Lowered, Lowering, TypedValue, fold};
use crate::front::c::types::{Type, TypeId};
use base::source::Span;
use ir::program::{BinOp, Expr, MemoryOrder, Op, Width, mask};

impl Lowering<'_> {
    /// The integer type that an atomic structure is, where there is one of its size.
    pub fn carrier(&mut self, record: TypeId) -> Option<TypeId> {
        let plain = self.types.plain(record);
        if !self.types.is_record(plain) {
            return None;
        }
        let bits = match self.types.size(plain)? {
            bytes @ (1 | 2 | 4 | 8) => bytes * 8,
            _ => return None,
        };
        Some(self.unit_type(bits as u8))
    }

    /// The same, or a refusal.
    pub fn carrier_width(&mut self, record: TypeId, span: Span) -> Lowered<Width> {
        match self.carrier(record) {
            Some(ty) => self.scalar_width(ty, span),
            None => self.unsupported(
                span,
                "an atomic access to a structure whose size is not 1, 2, 4 or 8 bytes",
            ),
        }
    }

    /// Whether a plain structure is one cell of memory, so that an access to it is one to its cell.
    pub fn is_one_cell(&mut self, record: TypeId) -> bool {
        let size = self.types.size(record);
        match self.cells(record).as_deref() {
            Some([(0, cell)]) => {
                let width = self.types.width(*cell).map(|w| u64::from(w) / 8);
                width.is_some() && width == size
            }
            _ => false,
        }
    }

    /// The bits of an atomic value: of a structure, which is where its address says, those of its
    /// members and anything between them.
    pub fn bits_of(&mut self, value: TypedValue, span: Span) -> Lowered<Expr> {
        if !self.types.is_record(value.ty) {
            return Ok(value.expr);
        }
        let width = self.carrier_width(value.ty, span)?;
        let record = self.types.plain(value.ty);
        let cells = self.cells(record).unwrap_or_default();
        let from = self.bind(value.expr);
        let mut known = 0u64;
        let mut bits = Expr::constant(0, width);
        for (offset, ty) in cells {
            let at = self.member_address(&from, offset);
            let order = self.default_order(ty).min(MemoryOrder::Relaxed);
            let part = self.load(at, ty, order, span)?;
            let part_width = self.scalar_width(part.ty, span)?;
            known |= mask(part_width) << (8 * offset);
            let part = fold::resize(part.expr, part_width, width, false);
            let part = fold::binary(BinOp::Shl, part, Expr::constant(8 * offset, width), width);
            bits = fold::binary(BinOp::Or, bits, part, width);
        }
        let padding = mask(width) & !known;
        if padding != 0 {
            let dst = self.body.local("", width);
            self.emit(Op::Havoc { dst });
            let padding = Expr::constant(padding, width);
            let any = fold::binary(BinOp::And, Expr::Local(dst), padding, width);
            bits = fold::binary(BinOp::Or, bits, any, width);
        }
        Ok(self.bind(bits))
    }

    /// The value of these bits: a structure is put into an object of its own.
    pub fn of_bits(&mut self, bits: Expr, ty: TypeId, span: Span) -> Lowered<TypedValue> {
        let plain = self.types.plain(ty);
        if !self.types.is_record(plain) {
            return Ok(TypedValue { expr: bits, ty });
        }
        let width = self.carrier_width(plain, span)?;
        let bits = self.bind(bits);
        let size = self.size_of(plain, span)?;
        let copy = self.allocate("(copy)", plain, size, false, span)?;
        for (offset, cell) in self.cells(plain).unwrap_or_default() {
            let at = self.member_address(&Expr::Local(copy), offset);
            let cell = self.types.plain(cell);
            let shift = Expr::constant(8 * offset, width);
            let part = fold::binary(BinOp::Lshr, bits.clone(), shift, width);
            let part_width = self.scalar_width(cell, span)?;
            let expr = fold::resize(part, width, part_width, false);
            let value = TypedValue { expr, ty: cell };
            self.store(at, cell, value, MemoryOrder::Plain, span)?;
        }
        Ok(TypedValue::new(Expr::Local(copy), plain))
    }

    /// True for an `_Atomic` structure.
    pub fn is_atomic_record(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Atomic(inner) if self.types.is_record(*inner))
    }

    /// Where in an object there are `_Atomic` structures.
    pub fn atomic_records(&mut self, ty: TypeId) -> Vec<(u64, TypeId)> {
        let mut all = self.cells(ty).unwrap_or_default();
        all.retain(|(_, cell)| self.is_atomic_record(*cell));
        all
    }

    fn member_address(&self, record: &Expr, offset: u64) -> Expr {
        let width = self.pointer_width();
        let offset = Expr::constant(offset, width);
        fold::binary(BinOp::Add, record.clone(), offset, width)
    }
}
