//! C's types, their sizes and the layout of structures.
//!
//! Types are interned: equal types have equal ids, so comparing is comparing numbers. Of the
//! qualifiers only `_Atomic` and `volatile` are kept, which change what an access means; a type
//! has at most one of them, because an `_Atomic` access says all that a volatile one does.
//! Structures are nominal and live in an arena of their own, because they may be completed after
//! their first mention. Enumerations are the integer type gcc gives them.

use super::ast::IntKind;
use super::bits::{BitField, Runs};
use crate::base::idx::IdVec;
use crate::id;
use rustc_hash::FxHashMap;

id!(
    /// A type.
    TypeId,
    "t"
);
id!(
    /// A structure or union.
    RecordId,
    "record"
);

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// An integer.
    Int(IntKind),
    /// A floating type of so many bytes; those of 16 are kept but not computed with.
    Float(u8),
    /// `T *`
    Pointer(TypeId),
    /// `T[n]`; `None` when the size is not known.
    Array(TypeId, Option<u64>),
    /// A structure or union.
    Record(RecordId),
    /// A function.
    Function(FnType),
    /// `_Atomic T`
    Atomic(TypeId),
    /// `volatile T`, where `T` is a scalar or a record.
    Volatile(TypeId),
    /// A type without size or values here, by its name.
    Unsupported(&'static str),
}

/// The type of a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FnType {
    /// What it returns.
    pub ret: TypeId,
    /// Its parameters, adjusted to pointers.
    pub params: Vec<TypeId>,
    /// Takes more arguments, or the parameters are not known.
    pub variadic: bool,
}

/// A structure or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its tag, or empty.
    pub tag: String,
    /// `union`
    pub union: bool,
    /// An argument of this type may be a value of any member.
    pub transparent: bool,
    /// Members with their places, once it is complete.
    pub fields: Option<Vec<Field>>,
    /// Bytes.
    pub size: u64,
    /// Bytes.
    pub align: u64,
}

/// A member.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name; empty for an anonymous structure or union.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Byte offset; of a bit-field, that of its first storage unit.
    pub offset: u64,
    /// For a bit-field, where its bits are.
    pub bits: Option<BitField>,
}

/// Ends a run of bit-fields, and says of each where it is.
fn place_run(runs: &mut Runs, limit: u64, fields: &mut [Field]) {
    for (field, offset, bits) in runs.end(limit) {
        fields[field].offset = offset;
        fields[field].bits = Some(bits);
    }
}

/// All types of a program.
#[derive(Clone, Debug)]
pub struct Types {
    types: IdVec<TypeId, Type>,
    ids: FxHashMap<Type, TypeId>,
    /// Structures and unions.
    pub records: IdVec<RecordId, Record>,
    /// Bits of a pointer and of `long`.
    pub pointer_width: u8,
}

impl Types {
    /// No types yet, on a platform with pointers of `pointer_width` bits.
    pub fn new(pointer_width: u8) -> Types {
        Types {
            types: IdVec::new(),
            ids: FxHashMap::default(),
            records: IdVec::new(),
            pointer_width,
        }
    }

    /// The id of a type.
    pub fn id(&mut self, ty: Type) -> TypeId {
        if let Some(id) = self.ids.get(&ty) {
            return *id;
        }
        let id = self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    /// The type with this id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    /// `T *`
    pub fn pointer(&mut self, to: TypeId) -> TypeId {
        self.id(Type::Pointer(to))
    }

    /// `int`
    pub fn int(&mut self) -> TypeId {
        self.id(Type::Int(IntKind::Int))
    }

    /// `size_t`
    pub fn size_t(&mut self) -> TypeId {
        self.id(Type::Int(IntKind::ULong))
    }

    /// `ptrdiff_t`
    pub fn ptrdiff_t(&mut self) -> TypeId {
        self.id(Type::Int(IntKind::Long))
    }

    /// `void *`
    pub fn void_pointer(&mut self) -> TypeId {
        let void = self.id(Type::Void);
        self.pointer(void)
    }

    /// `volatile T`: of an array the elements are, of a record the members.
    pub fn volatile(&mut self, id: TypeId) -> TypeId {
        match self.types[id] {
            Type::Array(elem, count) => {
                let elem = self.volatile(elem);
                self.id(Type::Array(elem, count))
            }
            Type::Bool | Type::Int(_) | Type::Float(_) | Type::Pointer(_) | Type::Record(_) => {
                self.id(Type::Volatile(id))
            }
            // The others have no accesses, or have the qualifier already.
            _ => id,
        }
    }

    /// The type without `_Atomic` and `volatile`.
    pub fn plain(&self, id: TypeId) -> TypeId {
        match self.types[id] {
            Type::Atomic(inner) | Type::Volatile(inner) => inner,
            _ => id,
        }
    }

    /// True for `_Atomic` types.
    pub fn is_atomic(&self, id: TypeId) -> bool {
        matches!(self.types[id], Type::Atomic(_))
    }

    /// True for `volatile` types.
    pub fn is_volatile(&self, id: TypeId) -> bool {
        matches!(self.types[id], Type::Volatile(_))
    }

    /// Bits of an integer kind.
    pub fn int_width(&self, kind: IntKind) -> u8 {
        match kind {
            IntKind::Char | IntKind::SChar | IntKind::UChar => 8,
            IntKind::Short | IntKind::UShort => 16,
            IntKind::Int | IntKind::UInt => 32,
            IntKind::Long | IntKind::ULong => self.pointer_width,
            IntKind::LongLong | IntKind::ULongLong => 64,
        }
    }

    /// Bits of a scalar's value in a register (`_Bool` has 8); `None` for what is no scalar here.
    pub fn width(&self, id: TypeId) -> Option<u8> {
        match &self.types[self.plain(id)] {
            Type::Bool => Some(8),
            Type::Int(kind) => Some(self.int_width(*kind)),
            Type::Pointer(_) => Some(self.pointer_width),
            Type::Float(4) => Some(32),
            // More than 8 bytes are not looked at.
            Type::Float(_) => Some(64),
            _ => None,
        }
    }

    /// True for `float`, `double` and `long double`.
    pub fn is_float(&self, id: TypeId) -> bool {
        matches!(self.types[self.plain(id)], Type::Float(_))
    }

    /// True for signed integers.
    pub fn signed(&self, id: TypeId) -> bool {
        use IntKind::*;
        matches!(
            self.types[self.plain(id)],
            Type::Int(Char | SChar | Short | Int | Long | LongLong)
        )
    }

    /// True for integers and `_Bool`.
    pub fn is_integer(&self, id: TypeId) -> bool {
        matches!(self.types[self.plain(id)], Type::Int(_) | Type::Bool)
    }

    /// True for structures and unions.
    pub fn is_record(&self, id: TypeId) -> bool {
        matches!(self.types[self.plain(id)], Type::Record(_))
    }

    /// The type a pointer points to, or an array's elements have.
    pub fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match self.types[self.plain(id)] {
            Type::Pointer(to) | Type::Array(to, _) => Some(to),
            _ => None,
        }
    }

    /// Bytes of an object of this type; `None` when it has no size (yet).
    pub fn size(&self, id: TypeId) -> Option<u64> {
        match &self.types[id] {
            Type::Void | Type::Function(_) => Some(1),
            Type::Bool => Some(1),
            Type::Int(kind) => Some(u64::from(self.int_width(*kind)) / 8),
            Type::Float(bytes) => Some(u64::from(*bytes)),
            Type::Pointer(_) => Some(u64::from(self.pointer_width) / 8),
            Type::Array(elem, count) => self.size(*elem)?.checked_mul((*count)?),
            Type::Record(r) => self.records[*r]
                .fields
                .as_ref()
                .map(|_| self.records[*r].size),
            Type::Atomic(inner) | Type::Volatile(inner) => self.size(*inner),
            Type::Unsupported(_) => None,
        }
    }

    /// Bytes of alignment; 1 where there is none.
    pub fn align(&self, id: TypeId) -> u64 {
        match &self.types[id] {
            Type::Array(elem, _) => self.align(*elem),
            Type::Record(r) => self.records[*r].align,
            // One instruction accesses it where there is one of its size.
            Type::Atomic(inner) if matches!(self.size(*inner), Some(1 | 2 | 4 | 8 | 16)) => {
                self.size(*inner).unwrap_or(1)
            }
            Type::Atomic(inner) | Type::Volatile(inner) => self.align(*inner),
            _ => self.size(id).unwrap_or(1).clamp(1, 16),
        }
    }

    /// A member by its name, through anonymous members too: its offset and itself.
    pub fn member(&self, record: RecordId, name: &str) -> Option<(u64, Field)> {
        let fields = self.records[record].fields.as_ref()?;
        for f in fields {
            if f.name == name {
                return Some((f.offset, f.clone()));
            }
            if let (true, Type::Record(inner)) = (f.name.is_empty(), self.get(f.ty))
                && let Some((offset, found)) = self.member(*inner, name)
            {
                return Some((f.offset + offset, found));
            }
        }
        None
    }

    /// Completes a structure: gives every member its offset.
    pub fn complete(
        &mut self,
        id: RecordId,
        fields: Vec<(String, TypeId, Option<u64>)>,
        packed: bool,
    ) {
        let union = self.records[id].union;
        let mut placed = Vec::new();
        let mut runs = Runs::default();
        // Positions are in bits, because bit-fields share bytes.
        let (mut at, mut end, mut align) = (0u64, 0u64, 1u64);
        for (name, ty, bits) in fields {
            let size = self.size(ty).unwrap_or(0);
            let unit = if packed { 1 } else { self.align(ty) };
            if union {
                place_run(&mut runs, at.div_ceil(8), &mut placed);
                at = 0;
            }
            match bits {
                Some(0) => {
                    at = at.next_multiple_of(size.max(1) * 8);
                    place_run(&mut runs, at / 8, &mut placed);
                }
                Some(bits) => {
                    let unit_bits = size.max(1) * 8;
                    if !packed && at / unit_bits != (at + bits - 1) / unit_bits {
                        at = at.next_multiple_of(unit_bits);
                    }
                    runs.add(at, bits, size);
                    if !name.is_empty() {
                        align = align.max(unit);
                        runs.members.push((placed.len(), at, bits));
                        placed.push(Field {
                            name,
                            ty,
                            offset: at / 8,
                            bits: None,
                        });
                    }
                    at += bits;
                }
                None => {
                    align = align.max(unit);
                    at = at.next_multiple_of(unit * 8);
                    place_run(&mut runs, at / 8, &mut placed);
                    placed.push(Field {
                        name,
                        ty,
                        offset: at / 8,
                        bits: None,
                    });
                    at = at.saturating_add(size.saturating_mul(8));
                }
            }
            end = end.max(at);
        }
        let size = end.div_ceil(8).next_multiple_of(align);
        place_run(&mut runs, size, &mut placed);
        let record = &mut self.records[id];
        record.fields = Some(placed);
        record.align = align;
        record.size = size;
    }

    /// The type as C writes it, for messages.
    pub fn show(&self, id: TypeId) -> String {
        match self.get(id) {
            Type::Void => "void".to_string(),
            Type::Bool => "_Bool".to_string(),
            Type::Int(kind) => int_name(*kind).to_string(),
            Type::Float(4) => "float".to_string(),
            Type::Float(8) => "double".to_string(),
            Type::Float(_) => "long double".to_string(),
            Type::Pointer(to) => format!("{} *", self.show(*to)),
            Type::Array(elem, Some(n)) => format!("{}[{n}]", self.show(*elem)),
            Type::Array(elem, None) => format!("{}[]", self.show(*elem)),
            Type::Record(r) => {
                let record = &self.records[*r];
                let kind = if record.union { "union" } else { "struct" };
                format!(
                    "{kind} {}",
                    if record.tag.is_empty() {
                        "(unnamed)"
                    } else {
                        &record.tag
                    }
                )
            }
            Type::Function(f) => {
                let params: Vec<String> = f.params.iter().map(|p| self.show(*p)).collect();
                format!("{} ({})", self.show(f.ret), params.join(", "))
            }
            Type::Atomic(inner) => format!("_Atomic({})", self.show(*inner)),
            Type::Volatile(inner) if self.pointee(*inner).is_some() => {
                format!("{} volatile", self.show(*inner))
            }
            Type::Volatile(inner) => format!("volatile {}", self.show(*inner)),
            Type::Unsupported(name) => name.trim_matches('`').to_string(),
        }
    }
}

fn int_name(kind: IntKind) -> &'static str {
    match kind {
        IntKind::Char => "char",
        IntKind::SChar => "signed char",
        IntKind::UChar => "unsigned char",
        IntKind::Short => "short",
        IntKind::UShort => "unsigned short",
        IntKind::Int => "int",
        IntKind::UInt => "unsigned int",
        IntKind::Long => "long",
        IntKind::ULong => "unsigned long",
        IntKind::LongLong => "long long",
        IntKind::ULongLong => "unsigned long long",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_are_padded_as_the_abi_says() {
        let mut types = Types::new(64);
        let (char, int, ptr) = (
            types.id(Type::Int(IntKind::Char)),
            types.int(),
            types.void_pointer(),
        );
        let record = Record {
            tag: "s".into(),
            union: false,
            transparent: false,
            fields: None,
            size: 0,
            align: 1,
        };
        let id = types.records.push(record);
        let fields = vec![
            ("c".to_string(), char, None),
            ("p".to_string(), ptr, None),
            ("i".to_string(), int, None),
        ];
        types.complete(id, fields, false);
        assert_eq!(types.records[id].size, 24);
        assert_eq!(types.member(id, "p").map(|(offset, _)| offset), Some(8));
        let b = types.records.push(Record {
            tag: "b".into(),
            union: false,
            transparent: false,
            fields: None,
            size: 0,
            align: 1,
        });
        types.complete(
            b,
            vec![
                ("x".to_string(), int, Some(3)),
                ("y".to_string(), int, Some(30)),
            ],
            false,
        );
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
}
