//! The bytes of objects that belong to no value: padding, and what a union has beyond the member stored.
//!
//! A value that is stored in a structure or union, or in a member of it, leaves the bytes of padding
//! unspecified (C11 6.2.6.1p6), in a union also those that belong to other members alone (p7): arbitrary
//! bytes are stored there. Few programs can tell, so that a program is lowered without these stores first.
//! If it turns out to look at the bytes of structures (`memcmp`, a copy between objects of different types, a
//! pointer to a structure or to `void` that becomes one to characters or numbers), or to have a union with
//! a member that is larger than one stored, it is lowered once more.
//!
//! A store leaves the padding of the structures alone that its target names: `s.part.a = 1` that of `s` and
//! of `part`, not that of other members, and `*p = 1` none. So do compilers, which do not know more. Atomic
//! stores change no other byte. Static objects begin with padding of zeros, as linkers have it; so do `{}`
//! and what an initializer leaves out (6.7.9p10, p21).

use super::representation::*;
use super::{Lowered, Lowering, TypedValue, fold};
use crate::front::c::ast::{BinaryOp, Expr as Ast, ExprKind};
use crate::front::c::bits::BitPiece;
use crate::front::c::types::{Field, RecordId, Type, TypeId};
use base::source::Span;
use ir::program::{BinOp, Expr, MemoryOrder, Op};
use std::collections::BTreeMap;

impl Lowering<'_> {
    /// The program looks at the bytes of structures.
    pub(super) fn looks_at_bytes(&mut self) {
        self.representation.found.padding = true;
    }

    /// The same if it does so through a pointer that is converted.
    pub(super) fn note_conversion(&mut self, from: TypeId, to: TypeId) {
        let (Some(from), Some(to)) = (self.types.pointee(from), self.types.pointee(to)) else {
            return;
        };
        let (from, to) = (self.innermost(from), self.innermost(to));
        let looks = match self.types.get(from) {
            Type::Void => {
                matches!(self.types.get(to), Type::Int(_)) && self.types.size(to) == Some(1)
            }
            Type::Record(_) => self.types.width(to).is_some(),
            _ => false,
        };
        if looks {
            self.looks_at_bytes();
        }
    }

    /// The conversion in `(struct s *)((char *)p - by)`: its characters are not looked at.
    pub(super) fn moves_to_structure(&self, to: TypeId, moved: &Ast) -> Option<Span> {
        let to = self.types.pointee(to).map(|to| self.types.plain(to))?;
        let ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, pointer, _) = &moved.kind else {
            return None;
        };
        let is_cast = matches!(pointer.kind, ExprKind::Cast(..));
        (self.types.is_record(to) && is_cast).then_some(pointer.span)
    }

    /// Converts a value; `moves`: to compute an address.
    pub(super) fn convert_pointer(
        &mut self,
        value: TypedValue,
        to: TypeId,
        moves: bool,
        span: Span,
    ) -> Lowered<TypedValue> {
        let looked = self.representation.found.padding;
        let converted = self.convert(value, to, span);
        self.representation.found.padding &= looked || !moves;
        converted
    }

    /// What an array of arrays consists of.
    fn innermost(&self, ty: TypeId) -> TypeId {
        let mut ty = self.types.plain(ty);
        while let Type::Array(elem, _) = self.types.get(ty) {
            ty = self.types.plain(*elem);
        }
        ty
    }

    /// The same if it copies or compares the bytes of a structure.
    pub(super) fn note_bytes_of(&mut self, ty: Option<TypeId>) {
        let ty = ty.map(|ty| self.innermost(ty));
        if ty.is_none_or(|ty| matches!(self.types.get(ty), Type::Record(_) | Type::Void)) {
            self.looks_at_bytes();
        }
    }

    /// The structures around a member that is accessed by its name, the innermost last: where each begins
    /// within the first, and what a store to the member leaves unspecified in it.
    pub(super) fn around_member(
        &mut self,
        record: RecordId,
        name: &str,
    ) -> Vec<(u64, RecordId, Vec<ByteRange>)> {
        let (mut at, mut record) = (0, record);
        let mut around = Vec::new();
        for index in self.member_path(record, name).unwrap_or_default() {
            let mut fields = self.types.records[record].fields.iter().flatten();
            let Some(field) = fields.nth(index as usize).cloned() else {
                break;
            };
            let unspecified = self.unspecified_by(record, &field);
            around.push((at, record, unspecified));
            at += field.offset;
            if let Type::Record(inner) = self.types.get(field.ty) {
                record = *inner;
            }
        }
        around
    }

    /// The bytes of a structure that a store in one of its direct members leaves unspecified.
    fn unspecified_by(&mut self, record: RecordId, field: &Field) -> Vec<ByteRange> {
        let whole = self.types.records[record].size;
        let size = self.extent(field).1;
        let union = self.types.records[record].union;
        let ranges = match union {
            true => complement(vec![(0, size)], whole),
            false => self.between(record),
        };
        self.representation.stores_padding |= !ranges.is_empty();
        if union {
            self.note_member(record, size);
        }
        match (
            self.representation.known.padding,
            self.representation.known.members.get(&record),
        ) {
            (true, _) => ranges,
            (false, Some(largest)) => complement(vec![(0, size), (*largest, whole)], whole),
            (false, None) => Vec::new(),
        }
    }

    /// A member of so many bytes is accessed. If another one has padding, its bytes are looked at.
    fn note_member(&mut self, union: RecordId, size: u64) {
        let is_new = !self.representation.smallest.contains_key(&union);
        let smallest = self.representation.smallest.entry(union).or_insert(size);
        *smallest = size.min(*smallest);
        let largest = self
            .representation
            .found
            .members
            .entry(union)
            .or_insert(size);
        *largest = size.max(*largest);
        let fields = self.types.records[union].fields.clone().unwrap_or_default();
        if is_new && fields.len() > 1 && fields.iter().any(|f| !self.padding(f.ty).is_empty()) {
            self.looks_at_bytes();
        }
    }

    /// Where a member begins, and the byte behind it.
    pub(super) fn extent(&self, field: &Field) -> ByteRange {
        let unit = |piece: &BitPiece| piece.offset + u64::from(piece.unit) / 8;
        match &field.bits {
            Some(bits) => (
                field.offset,
                bits.pieces.iter().map(unit).max().unwrap_or(0),
            ),
            None => (
                field.offset,
                field.offset + self.types.size(field.ty).unwrap_or(0),
            ),
        }
    }

    /// The padding between the direct members of a structure, and behind them.
    fn between(&mut self, record: RecordId) -> Vec<ByteRange> {
        if let Some(known) = self.representation.between.get(&record) {
            return known.clone();
        }
        let whole = &self.types.records[record];
        let used = whole.fields.iter().flatten().map(|f| self.extent(f));
        let ranges = complement(used.collect(), whole.size);
        self.representation.between.insert(record, ranges.clone());
        ranges
    }

    /// The padding of a whole object: all bytes that are in no scalar of it.
    pub(super) fn padding(&mut self, ty: TypeId) -> Vec<ByteRange> {
        let plain = self.types.plain(ty);
        if !matches!(self.types.get(plain), Type::Record(_) | Type::Array(..)) {
            return Vec::new();
        }
        let (Some(cells), Some(size)) = (self.cells(plain), self.types.size(plain)) else {
            return Vec::new();
        };
        let used = cells
            .iter()
            .map(|(at, ty)| (*at, at + self.types.size(*ty).unwrap_or(0)));
        complement(used.collect(), size)
    }

    /// The scalars of an object and, if the program looks at it, its padding: what functions that copy and
    /// compare bytes work on.
    pub(super) fn cells_of_bytes(&mut self, ty: TypeId) -> Option<Vec<(u64, TypeId)>> {
        let mut cells = self.cells(ty)?;
        let padding = self.padding(ty);
        self.representation.stores_padding |= !padding.is_empty();
        if self.representation.known.padding {
            let align = self.types.align(ty);
            for (at, bytes) in padding.into_iter().flat_map(|r| units(r, align)) {
                cells.push((at, self.unit_type(bytes as u8 * 8)));
            }
            cells.sort_unstable();
        }
        Some(cells)
    }

    /// The bytes of an initialised object that an initial value says nothing of: of structures of which a
    /// part is given, at ascending offsets, and of unions, whose member `members` names.
    pub(super) fn unspecified_beside(
        &mut self,
        (at, ty): (u64, TypeId),
        given: &[u64],
        members: &BTreeMap<(u64, TypeId), u64>,
    ) -> Vec<ByteRange> {
        let plain = self.types.plain(ty);
        let end = at + self.types.size(plain).unwrap_or(0);
        let given = &given[given.partition_point(|o| *o < at)..given.partition_point(|o| *o < end)];
        let mut ranges = Vec::new();
        match *self.types.get(plain) {
            _ if given.is_empty() => {}
            Type::Array(elem, _) if self.types.is_record(self.innermost(elem)) => {
                let stride = self.types.size(elem).unwrap_or(0).max(1);
                let mut elements: Vec<u64> = given.iter().map(|o| (o - at) / stride).collect();
                elements.dedup();
                for i in elements {
                    ranges.extend(self.unspecified_beside((at + i * stride, elem), given, members));
                }
            }
            Type::Record(record) => {
                let mut fields = self.types.records[record]
                    .fields
                    .clone()
                    .unwrap_or_default();
                if self.types.records[record].union {
                    let member = members.get(&(at, plain)).map(|m| *m as usize);
                    fields = member
                        .and_then(|m| fields.get(m).cloned())
                        .into_iter()
                        .collect();
                }
                if let Some(field) = fields.first() {
                    let own = self.unspecified_by(record, field);
                    ranges.extend(own.into_iter().map(|(from, to)| (at + from, at + to)));
                }
                for f in &fields {
                    ranges.extend(self.unspecified_beside((at + f.offset, f.ty), given, members));
                }
            }
            _ => {}
        }
        ranges
    }

    /// The value of a whole object has been stored: its padding is unspecified.
    pub(super) fn leave_padding(&mut self, at: &Expr, ty: TypeId, span: Span) {
        let ranges = self.padding(ty);
        if ranges.is_empty() {
            return;
        }
        self.representation.stores_padding = true;
        if self.representation.known.padding {
            self.leave_unspecified(at, &ranges, self.types.align(ty), span);
        }
    }

    /// The same behind a store to a part of these.
    pub(super) fn leave_around(&mut self, within: &[Enclosing], span: Span) {
        for enclosing in within {
            let align = self.types.records[enclosing.record].align;
            self.leave_unspecified(&enclosing.at, &enclosing.unspecified, align, span);
        }
    }

    /// Stores arbitrary bytes. They belong to no member, so that stores to two of these do not race.
    pub(super) fn leave_unspecified(
        &mut self,
        at: &Expr,
        ranges: &[ByteRange],
        align: u64,
        span: Span,
    ) {
        let width = self.pointer_width();
        let order = MemoryOrder::Relaxed;
        for (offset, bytes) in ranges.iter().flat_map(|r| units(*r, align)) {
            let dst = self.body.local("(unspecified)", bytes as u8 * 8);
            self.emit_at(span, Op::Havoc { dst });
            let (offset, value) = (Expr::constant(offset, width), Expr::Local(dst));
            let addr = fold::binary(BinOp::Add, at.clone(), offset, width);
            self.emit_at(span, Op::Store { addr, value, order });
        }
    }

    /// What matters of the structures around a member of the structure at an address.
    pub(super) fn enclosing(
        &self,
        base: &Expr,
        around: Vec<(u64, RecordId, Vec<ByteRange>)>,
    ) -> Vec<Enclosing> {
        let width = self.pointer_width();
        let matters = around.into_iter().filter(|(.., ranges)| !ranges.is_empty());
        let enclosing = matters.map(|(offset, record, unspecified)| Enclosing {
            at: fold::binary(
                BinOp::Add,
                base.clone(),
                Expr::constant(offset, width),
                width,
            ),
            record,
            unspecified,
        });
        enclosing.collect()
    }
}
