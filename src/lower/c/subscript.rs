//! Elements of arrays, and what accesses of many bytes need of their operands.
//!
//! An access outside of an object is found where it is made, unless it is so far away that it is in another one:
//! the numbers of objects stand in the high bits of their addresses. That no step from a pointer leads so far is
//! asserted here ([`Lowering::check_distance`]). So is what C forbids within an object: a subscript of an array that
//! is a part of something larger must be that of one of its elements (C11 6.5.6p8, J.2), or one past them where
//! only an address is formed. A member that is an
//! array of no element or one is not looked at, wherever it stands: older code has such arrays at the end
//! of structures, where others have flexible array members. A pointer that is subscripted says nothing of an array.

use super::sequence::Use;
use super::{Lowered, Lowering, Place, TypedValue, fold};
use crate::front::c::ast::{BinaryOp, Expr as Ast, ExprKind};
use crate::front::c::types::{Type, TypeId};
use base::source::Span;
use ir::program::{BinOp, Expr, PropertyKind, Rule, Width, mask};

/// What an element is named for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Subscript {
    /// It, or a part of it, is read or written.
    Access,
    /// Only its address is taken.
    Address,
}

/// A step of the distance between two objects, shifted to the right by this, is not looked at: thousands of them
/// would have to be made one after the other to come to another object.
const SHORT_STEPS: u32 = 12;

impl<'a> Lowering<'a> {
    /// `a[i]`.
    pub(super) fn element_place(
        &mut self,
        a: &'a Ast,
        i: &'a Ast,
        what: Subscript,
        span: Span,
    ) -> Lowered<Place> {
        let count = self.elements_of_part(a);
        let (array, within, mut index) = match self.is_part(a)? {
            true => {
                let (row, index) = self.both((a, Use::Place), (i, Use::Value), span)?;
                let row = row.into_place();
                let within = row.within();
                (self.read(row, a.span)?, within, index.into_value())
            }
            false => {
                let (array, index) = self.both_values(a, i, span)?;
                (array, Vec::new(), index)
            }
        };
        if let Some(count) = count {
            index = self.check_subscript(index, count, what, span)?;
        }
        let sum = self.binary(BinaryOp::Add, array, index, span)?;
        match self.target(sum, span)? {
            Place::Memory(addr, ty, _) => Ok(Place::Memory(addr, ty, within)),
            place => Ok(place),
        }
    }

    /// Whether an expression is an array that is a member or a row, not a pointer.
    fn is_part(&mut self, e: &'a Ast) -> Lowered<bool> {
        let named = matches!(e.kind, ExprKind::Index(..) | ExprKind::Member { .. });
        if self.unevaluated || !named || !self.is_place(e) {
            return Ok(false);
        }
        let ty = self.type_of(e)?;
        Ok(matches!(
            self.types.get(self.types.plain(ty)),
            Type::Array(..)
        ))
    }

    /// How many elements an array has that is a part of an object; `None` for pointers, for arrays that
    /// are objects by themselves, and for those that may go on behind their end.
    fn elements_of_part(&mut self, a: &'a Ast) -> Option<u64> {
        if !self.is_checked(PropertyKind::Memory) {
            return None;
        }
        let is_member = match &a.kind {
            ExprKind::Member { .. } => true,
            ExprKind::Index(..) => false,
            _ => return None,
        };
        let ty = self.type_of(a).ok()?;
        match self.types.get(self.types.plain(ty)) {
            Type::Array(_, Some(count)) if !is_member || *count > 1 => Some(*count),
            _ => None,
        }
    }

    fn check_subscript(
        &mut self,
        index: TypedValue,
        count: u64,
        what: Subscript,
        span: Span,
    ) -> Lowered<TypedValue> {
        let Some(width) = self.types.width(index.ty) else {
            return Ok(index);
        };
        let index = TypedValue::new(self.bind(index.expr), index.ty);
        let wide = fold::resize(index.expr.clone(), width, 64, self.types.signed(index.ty));
        let end = match what {
            Subscript::Access => count,
            Subscript::Address => count + 1,
        };
        let cond = fold::binary(BinOp::Ult, wide, Expr::constant(end, 64), 64);
        let text = "the subscript is that of an element of the array";
        Ok(self.subscript_if(cond, index, text, span))
    }

    /// Asserts that `pointer + index`, or `pointer - index`, stays with the object of the pointer: no address
    /// of another one comes out, whether in one step or in several ([`Self::block_of`]). Where memory is not
    /// checked the answer is `UNKNOWN` if one may: what the program does then is not known. An index that is
    /// as wide as a pointer, and unsigned, stands for a negative one where it wraps around.
    pub(super) fn check_distance(
        &mut self,
        pointer: TypedValue,
        index: TypedValue,
        (elem, minus): (TypeId, bool),
        span: Span,
    ) -> Lowered<(TypedValue, TypedValue)> {
        if self.options.subscripts_assumed || !self.types.is_integer(index.ty) {
            return Ok((pointer, index));
        }
        let size = self.size_of(elem, span)?.max(1);
        let width = self.scalar_width(index.ty, span)?;
        let is_signed = self.types.signed(index.ty) || width >= self.pointer_width();
        let short = (1 << (self.program.data_model.offset_bits() - SHORT_STEPS)) / size;
        let number = fold::resize(index.expr.clone(), width, 64, is_signed);
        let is_short = match number {
            Expr::Const { value, .. } => (value as i64).unsigned_abs() <= short,
            _ => width < 64 && mask(width - Width::from(is_signed)) <= short,
        };
        if is_short {
            return Ok((pointer, index));
        }
        let pointer = TypedValue::new(self.bind(pointer.expr), pointer.ty);
        let index = TypedValue::new(self.bind(index.expr), index.ty);
        let most = ((1 << self.program.data_model.offset_bits()) - 1) / size;
        let wide = fold::resize(index.expr.clone(), width, 64, is_signed);
        let above = fold::binary(BinOp::Add, wide, Expr::constant(most, 64), 64);
        let near = fold::binary(BinOp::Ule, above, Expr::constant(2 * most, 64), 64);
        let bytes = self.scaled(index.clone(), elem, span)?;
        let op = if minus { BinOp::Sub } else { BinOp::Add };
        let there = fold::binary(op, pointer.expr.clone(), bytes, self.pointer_width());
        let (from, to) = (self.block_of(pointer.expr.clone()), self.block_of(there));
        let same = fold::binary(BinOp::Eq, from, to, self.pointer_width());
        let cond = fold::binary(BinOp::And, near, same, 1);
        let text = "the subscript is that of an element of the object";
        Ok((pointer, self.subscript_if(cond, index, text, span)))
    }

    /// The number of the object that an address belongs to: its own bytes, those behind them up to the next
    /// object's, and an eighth of the distance between two objects before them, which no object reaches
    /// ([`ir::program::DataModel::largest_object`]). C forbids to form an address outside of an object (C11
    /// 6.5.6p8), but programs do, and come back.
    fn block_of(&self, address: Expr) -> Expr {
        let bits = self.program.data_model.offset_bits();
        let width = self.pointer_width();
        let before = Expr::constant(1 << (bits - 3), width);
        let moved = fold::binary(BinOp::Add, address, before, width);
        fold::binary(
            BinOp::Lshr,
            moved,
            Expr::constant(u64::from(bits), width),
            width,
        )
    }

    /// Asserts what a subscript has to be. Where that is violated the first element stands for what would be
    /// accessed, which may have another type or be in no object: that would hide the violation. Where it is not
    /// checked there is none to hide.
    fn subscript_if(
        &mut self,
        cond: Expr,
        index: TypedValue,
        text: &str,
        span: Span,
    ) -> TypedValue {
        self.check(Rule::Bounds, cond.clone(), text, span);
        if !self.is_checked(PropertyKind::Memory) {
            return index;
        }
        let first = Expr::constant(0, self.width_of(&index.expr));
        TypedValue::new(fold::choose(cond, index.expr, first), index.ty)
    }

    /// Asserts that an object may have so many bytes: the offset in a pointer has fewer bits than a size, so that
    /// more would wrap around.
    pub(super) fn check_size(&mut self, size: &Expr, span: Span) {
        if self.is_checked(PropertyKind::Memory) {
            let width = self.pointer_width();
            let largest = Expr::constant(self.program.data_model.largest_object(), width);
            let cond = fold::binary(BinOp::Ult, size.clone(), largest, width);
            self.check(Rule::Access, cond, "an object has so many bytes", span);
        }
    }

    /// Asserts that two ranges of so many bytes are the same or have no byte in common (C11 7.24.2.1p2; a
    /// copy to itself is what compilers make of an assignment).
    pub(super) fn check_overlap(&mut self, to: &Expr, from: &Expr, size: &Expr, span: Span) {
        if !self.is_checked(PropertyKind::Memory) {
            return;
        }
        let width = self.pointer_width();
        let binary = |op, a: &Expr, b: &Expr| fold::binary(op, a.clone(), b.clone(), width);
        let (there, back) = (binary(BinOp::Sub, to, from), binary(BinOp::Sub, from, to));
        let far = fold::binary(
            BinOp::And,
            binary(BinOp::Ule, size, &there),
            binary(BinOp::Ule, size, &back),
            1,
        );
        let cond = fold::binary(BinOp::Or, binary(BinOp::Eq, to, from), far, 1);
        self.check(Rule::Access, cond, "the objects do not overlap", span);
    }
}
