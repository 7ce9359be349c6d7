//! Where the members of a structure or union are.
//!
//! The System V ABI says it for plain members; for `packed`, `aligned`, `#pragma pack` and what they
//! do to bit-fields there is gcc (`stor-layout.cc`: `layout_decl`, `update_alignment_for_field`,
//! `place_field`), whose rules these are. `tests/language/layout_oracle.rs` compares them with a compiler on
//! random types.

use super::bits::Runs;
use super::types::{Field, RecordId, TypeId, Types};

/// A member that has no place yet.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name; empty for an anonymous structure or union, and for padding bits.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Width of a bit-field.
    pub bits: Option<u64>,
    /// It is packed, whatever the structure is.
    pub packed: bool,
    /// The alignment in bytes that its declaration asks for.
    pub align: Option<u64>,
}

impl Member {
    /// A member without attributes.
    pub fn plain(name: &str, ty: TypeId) -> Member {
        Member {
            name: name.to_string(),
            ty,
            bits: None,
            packed: false,
            align: None,
        }
    }
}

/// What is said about the layout of a whole structure.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordLayout {
    /// All members are packed.
    pub packed: bool,
    /// The alignment in bytes that it has at least.
    pub align: Option<u64>,
    /// The alignment in bytes that a member has at most.
    pub pack: Option<u64>,
}

/// The place of a member that is being laid out, in bits.
struct Placing {
    /// The first bit that is free.
    at: u64,
    /// The alignment of the structure.
    align: u64,
    union: bool,
    layout: RecordLayout,
}

impl Placing {
    fn limited(&self, align: u64) -> u64 {
        self.layout.pack.map_or(align, |most| align.min(most * 8))
    }

    /// Moves to the place of a member that is no bit-field; gives its alignment.
    fn ordinary(&mut self, member: &Member, type_align: u64) -> u64 {
        let required = member.align.map(|a| a * 8);
        let align = match (member.packed || self.layout.packed, required) {
            (true, required) => required.unwrap_or(8),
            (false, required) => type_align.max(required.unwrap_or(8)),
        };
        let align = self.limited(align);
        self.at = self.at.next_multiple_of(align);
        self.align = self.align.max(align);
        align
    }

    /// Moves to the place of a bit-field of a type with so many bits.
    fn bit_field(&mut self, member: &Member, bits: u64, type_align: u64, type_bits: u64) {
        let packed = member.packed || self.layout.packed;
        let mut align = member.align.map_or(1, |a| a * 8);
        // One that is a whole integer at a place for one is a member like others.
        let is_integer = matches!(bits, 8 | 16 | 32 | 64)
            && self.at.is_multiple_of(bits)
            && !(packed && bits > 8);
        if is_integer {
            align = align.max(bits);
        }
        let align = self.limited(align);
        self.at = self.at.next_multiple_of(align);
        if !packed && !is_integer && self.layout.pack.is_none() {
            let spanned = (self.at % type_align + bits).div_ceil(type_align);
            if spanned > type_bits / type_align {
                self.at = self.at.next_multiple_of(type_align);
            }
        }
        if !member.name.is_empty() {
            let type_align = match self.layout.pack {
                Some(_) => self.limited(type_align),
                None if packed => 8,
                None => type_align,
            };
            self.align = self.align.max(align).max(type_align);
        }
    }
}

impl Types {
    /// Completes a structure: gives every member its offset.
    pub fn complete(&mut self, id: RecordId, members: Vec<Member>, layout: RecordLayout) {
        let (fields, size, align) = lay_out(self, members, self.records[id].union, layout);
        let record = &mut self.records[id];
        record.fields = Some(fields);
        record.align = align;
        record.size = size;
    }
}

/// Gives every member its place: the members, and the structure's size and alignment in bytes.
fn lay_out(
    types: &Types,
    members: Vec<Member>,
    union: bool,
    layout: RecordLayout,
) -> (Vec<Field>, u64, u64) {
    let mut placed: Vec<Field> = Vec::new();
    let mut runs = Runs::default();
    let mut placing = Placing {
        at: 0,
        align: 8,
        union,
        layout,
    };
    let mut end = 0u64;
    for member in members {
        let size = types.size(member.ty).unwrap_or(0);
        let type_align = types.align(member.ty) * 8;
        if placing.union {
            place_run(&mut runs, placing.at.div_ceil(8), &mut placed);
            placing.at = 0;
        }
        let field = |at: u64, align: u64| Field {
            name: member.name.clone(),
            ty: member.ty,
            offset: at / 8,
            bits: None,
            align: align / 8,
        };
        match member.bits {
            Some(0) => {
                placing.at = placing.at.next_multiple_of(type_align);
                place_run(&mut runs, placing.at / 8, &mut placed);
            }
            Some(bits) => {
                placing.bit_field(&member, bits, type_align, size.max(1) * 8);
                runs.add(placing.at, bits, size);
                if !member.name.is_empty() {
                    runs.members.push((placed.len(), placing.at, bits));
                    placed.push(field(placing.at, type_align));
                }
                placing.at += bits;
            }
            None => {
                let align = placing.ordinary(&member, type_align);
                place_run(&mut runs, placing.at / 8, &mut placed);
                placed.push(field(placing.at, align));
                placing.at = placing.at.saturating_add(size.saturating_mul(8));
            }
        }
        end = end.max(placing.at);
    }
    let align = (placing.align / 8).max(layout.align.unwrap_or(1));
    let size = end.div_ceil(8).next_multiple_of(align);
    place_run(&mut runs, size, &mut placed);
    (placed, size, align)
}

/// Ends a run of bit-fields, and says of each where it is.
fn place_run(runs: &mut Runs, limit: u64, fields: &mut [Field]) {
    for (field, offset, bits) in runs.end(limit) {
        fields[field].offset = offset;
        fields[field].bits = Some(bits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::c::ast::IntKind;
    use crate::front::c::types::{Record, RecordId, Type};

    fn record(types: &mut Types, members: Vec<Member>, layout: RecordLayout) -> RecordId {
        let id = types.records.push(Record {
            tag: "s".into(),
            union: false,
            transparent: false,
            fields: None,
            size: 0,
            align: 1,
        });
        types.complete(id, members, layout);
        id
    }

    fn bits(name: &str, ty: TypeId, bits: u64) -> Member {
        Member {
            bits: Some(bits),
            ..Member::plain(name, ty)
        }
    }

    #[test]
    fn structures_are_padded_as_the_abi_says() {
        let mut types = Types::new(64);
        let (char, int, ptr) = (
            types.id(Type::Int(IntKind::Char)),
            types.int(),
            types.void_pointer(),
        );
        let members = vec![
            Member::plain("c", char),
            Member::plain("p", ptr),
            Member::plain("i", int),
        ];
        let id = record(&mut types, members, RecordLayout::default());
        assert_eq!(types.records[id].size, 24);
        assert_eq!(types.member(id, "p").map(|(offset, _)| offset), Some(8));
        let members = vec![bits("x", int, 3), bits("y", int, 30)];
        let b = record(&mut types, members, RecordLayout::default());
        assert_eq!(types.records[b].size, 8);
        let units = |name: &str| {
            let (_, field) = types.member(b, name).expect("it is a member");
            let pieces = field.bits.expect("it is a bit-field").pieces;
            pieces
                .iter()
                .map(|p| (p.offset, p.unit, p.low, p.count))
                .collect::<Vec<_>>()
        };
        assert_eq!(units("x"), [(0, 32, 0, 3)]);
        assert_eq!(units("y"), [(4, 32, 0, 30)]);
    }

    #[test]
    fn attributes_move_members() {
        let mut types = Types::new(64);
        let (char, int) = (types.id(Type::Int(IntKind::Char)), types.int());
        let two = |align, packed| {
            let second = Member {
                align,
                packed,
                ..Member::plain("i", int)
            };
            vec![Member::plain("c", char), second]
        };
        let mut shape = |members, layout| {
            let id = record(&mut types, members, layout);
            let offset = types.member(id, "i").map_or(0, |(offset, _)| offset);
            (offset, types.records[id].size, types.records[id].align)
        };
        let plain = RecordLayout::default();
        let packed = RecordLayout {
            packed: true,
            ..plain
        };
        let pack2 = RecordLayout {
            pack: Some(2),
            ..plain
        };
        let aligned = RecordLayout {
            align: Some(16),
            ..plain
        };
        assert_eq!(shape(two(Some(16), false), plain), (16, 32, 16));
        assert_eq!(shape(two(Some(2), false), plain), (4, 8, 4));
        assert_eq!(shape(two(None, true), plain), (1, 5, 1));
        assert_eq!(shape(two(None, false), packed), (1, 5, 1));
        assert_eq!(shape(two(Some(2), false), packed), (2, 6, 2));
        assert_eq!(shape(two(Some(16), false), pack2), (2, 6, 2));
        assert_eq!(shape(two(None, false), aligned), (4, 16, 16));
    }
}
