//! C types as memory sees them.

use super::representation::{ByteRange, complement};
use super::{Lowered, Lowering, wrong};
use crate::front::c::ast::IntKind;
use crate::front::c::bits::BitField;
use crate::front::c::types::{self, Type, TypeId};
use base::diag::Diag;
use base::source::Span;
use ir::program::{Field, Layout, LayoutId, ScalarKind};

/// An object with more scalars than this is not copied or filled one by one.
const MAX_CELLS: usize = 1 << 14;

impl Lowering<'_> {
    /// Bytes of a type.
    pub fn size_of(&self, ty: TypeId, span: Span) -> Lowered<u64> {
        if let Type::Unsupported(name, _) = self.types.get(ty) {
            return self.unsupported(span, name);
        }
        let incomplete = || {
            Diag::error(
                span,
                format!("the size of `{}` is not known here", self.types.show(ty)),
            )
        };
        self.types.size(ty).ok_or_else(|| incomplete().into())
    }

    /// The layout of an object of this type.
    pub fn layout(&mut self, ty: TypeId, span: Span) -> Lowered<LayoutId> {
        if let Some(layout) = self.made.layout(ty) {
            return Ok(layout);
        }
        if let Some(align) = self.types.required_alignment(ty) {
            let own = self.layout(self.types.bare(ty), span)?;
            let id = self.aligned_layout(own, align);
            self.made.keep_layout(ty, id);
            return Ok(id);
        }
        let layout = match self.types.get(ty).clone() {
            Type::Atomic(inner) if self.types.is_record(inner) => {
                match self.carrier_widths(inner, span)?[..] {
                    [width] => Layout::Scalar { width },
                    ref words => Layout::Array {
                        count: words.len() as u64,
                        elem: self
                            .program
                            .layouts
                            .push(Layout::Scalar { width: words[0] }),
                    },
                }
            }
            Type::Atomic(inner) | Type::Volatile(inner) => return self.layout(inner, span),
            Type::Bool | Type::Int(_) | Type::Float(4 | 8) | Type::Pointer(_) => Layout::Scalar {
                width: self
                    .types
                    .width(ty)
                    .expect("numbers and pointers have a width"),
            },
            Type::Float(_) => {
                let elem = self.program.layouts.push(Layout::Scalar { width: 64 });
                Layout::Array { elem, count: 2 }
            }
            Type::Array(elem, count) => Layout::Array {
                elem: self.layout(elem, span)?,
                count: count.unwrap_or(0),
            },
            Type::Record(id) => {
                self.size_of(ty, span)?;
                let record = self.types.records[id].clone();
                let mut fields = Vec::new();
                for f in record.fields.iter().flatten() {
                    match &f.bits {
                        None => fields.push(Field {
                            name: f.name.clone(),
                            offset: f.offset,
                            layout: self.layout(f.ty, span)?,
                        }),
                        Some(bits) => self.storage_units(&mut fields, &f.name, bits),
                    }
                }
                Layout::Struct {
                    fields,
                    size: record.size,
                    align: record.align,
                }
            }
            Type::Void | Type::Function(_) => {
                return wrong(
                    span,
                    format!("there are no objects of type `{}`", self.types.show(ty)),
                );
            }
            Type::Unsupported(name, _) => return self.unsupported(span, name),
        };
        let id = self.program.layouts.push(layout);
        let kind = match self.types.get(ty) {
            Type::Float(4 | 8) => Some(ScalarKind::Float),
            Type::Pointer(_) => Some(ScalarKind::Pointer),
            _ => None,
        };
        self.program.shown_as.extend(kind.map(|kind| (id, kind)));
        self.made.keep_layout(ty, id);
        Ok(id)
    }

    /// The same layout for an object with another alignment.
    fn aligned_layout(&mut self, own: LayoutId, align: u64) -> LayoutId {
        let id = self.program.layouts.push(self.program.layouts[own].clone());
        let kind = self.program.shown_as.get(&own).copied();
        self.program.shown_as.extend(kind.map(|kind| (id, kind)));
        self.program.aligned.insert(id, align);
        id
    }

    /// The storage units of a bit-field; one that several fields share has all their names.
    fn storage_units(&mut self, fields: &mut Vec<Field>, name: &str, bits: &BitField) {
        for piece in &bits.pieces {
            if let Some(f) = fields.iter_mut().find(|f| f.offset == piece.offset) {
                f.name = format!("{}|{name}", f.name);
                continue;
            }
            let width = piece.unit;
            fields.push(Field {
                name: name.to_string(),
                offset: piece.offset,
                layout: self.program.layouts.push(Layout::Scalar { width }),
            });
        }
    }

    /// The type of a storage unit of so many bits.
    pub fn unit_type(&mut self, bits: u8) -> TypeId {
        let kind = match bits {
            8 => IntKind::UChar,
            16 => IntKind::UShort,
            32 => IntKind::UInt,
            _ => IntKind::ULongLong,
        };
        self.types.id(Type::Int(kind))
    }

    /// The scalars to copy for a value of this type as (offset, type): of a union, those of its
    /// largest member, and bytes where this one has padding and another has none. The scalars of a volatile
    /// record are volatile. `None` when there are more than are treated one by one.
    pub fn cells(&mut self, ty: TypeId) -> Option<Vec<(u64, TypeId)>> {
        let mut out = Vec::new();
        self.collect_cells(ty, 0, &mut out);
        (out.len() <= MAX_CELLS).then_some(out)
    }

    /// Adds the scalars of a part, as long as there are not too many.
    fn collect_cells(&mut self, ty: TypeId, base: u64, out: &mut Vec<(u64, TypeId)>) {
        let unqualified = match *self.types.get(ty) {
            Type::Volatile(inner) => inner,
            _ => ty,
        };
        match *self.types.get(unqualified) {
            Type::Array(elem, count) => {
                let stride = self.types.size(elem).unwrap_or(0);
                for i in 0..count.unwrap_or(0) {
                    let before = out.len();
                    self.collect_cells(elem, base + i * stride, out);
                    if out.len() == before || out.len() > MAX_CELLS {
                        break;
                    }
                }
            }
            Type::Record(id) => {
                let record = &self.types.records[id];
                let fields = record.fields.clone().unwrap_or_default();
                if record.union {
                    return self.collect_union(ty, fields, base, out);
                }
                let mut unit = None;
                for f in fields {
                    if out.len() > MAX_CELLS {
                        break;
                    }
                    self.collect_member(ty, &f, base, &mut unit, out);
                }
            }
            _ => out.push((base, ty)),
        }
    }

    /// The same of a member; `unit` is the storage unit of the bit-field before it.
    fn collect_member(
        &mut self,
        record: TypeId,
        f: &types::Field,
        base: u64,
        unit: &mut Option<u64>,
        out: &mut Vec<(u64, TypeId)>,
    ) {
        for piece in f.bits.iter().flat_map(|b| &b.pieces) {
            if *unit != Some(piece.offset) {
                let scalar = self.unit_type(piece.unit);
                out.push((base + piece.offset, self.member_type(record, scalar)));
            }
            *unit = Some(piece.offset);
        }
        if f.bits.is_none() {
            let member = self.member_type(record, f.ty);
            self.collect_cells(member, base + f.offset, out);
        }
    }

    /// The scalars of the largest member of a union, and of others the bytes that are in none of them.
    fn collect_union(
        &mut self,
        union: TypeId,
        mut fields: Vec<types::Field>,
        base: u64,
        out: &mut Vec<(u64, TypeId)>,
    ) {
        fields.sort_by_key(|f| std::cmp::Reverse(self.extent(f).1));
        let whole = fields.first().map_or(0, |f| self.extent(f).1);
        let begin = out.len();
        let mut free: Vec<ByteRange> = vec![(0, whole)];
        for (i, f) in fields.iter().enumerate() {
            if free.is_empty() || out.len() > MAX_CELLS {
                break;
            }
            let mut cells = Vec::new();
            self.collect_member(union, f, 0, &mut None, &mut cells);
            let mut used = complement(free.clone(), whole);
            for (at, cell) in cells {
                let end = at + self.types.size(cell).unwrap_or(0);
                used.push((at, end));
                if i == 0 {
                    out.push((base + at, cell));
                    continue;
                }
                let byte = self.unit_type(8);
                let byte = self.member_type(union, byte);
                for (from, to) in &free {
                    let bytes = at.max(*from)..end.min(*to);
                    out.extend(bytes.map(|at| (base + at, byte)));
                }
            }
            free = complement(used, whole);
        }
        out[begin..].sort_by_key(|(at, _)| *at);
    }

    /// The type of a member that is declared as `member` in a record that may be volatile.
    pub fn member_type(&mut self, record: TypeId, member: TypeId) -> TypeId {
        match self.types.is_volatile(record) {
            true => self.types.volatile(member),
            false => member,
        }
    }
}
