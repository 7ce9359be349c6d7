//! C's types, their sizes and the layout of structures.
//!
//! Types are interned: equal types have equal ids, so comparing is comparing numbers. A type that a
//! `typedef` or an attribute has aligned otherwise is another id for the same [`Type`]. Of the
//! qualifiers only `_Atomic` and `volatile` are kept, which change what an access means; a type
//! has at most one of them, because an `_Atomic` access says all that a volatile one does.
//! Structures are nominal and live in an arena of their own, because they may be completed after
//! their first mention. Enumerations are the integer type gcc gives them.

use super::ast::{IntKind, Space};
use super::bits::BitField;
use base::id;
use base::idx::{Id, IdVec};
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
    /// A type without values here, by its name, and its size where that is known: members behind one of
    /// it have their places.
    Unsupported(&'static str, Option<Space>),
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
    /// Bytes of alignment that it has as a member.
    pub align: u64,
}

/// A type and the alignment that was asked for.
#[derive(Clone, Debug)]
struct Interned {
    ty: Type,
    /// The same type with its own alignment.
    bare: TypeId,
    align: Option<u64>,
}

/// All types of a program.
#[derive(Clone, Debug)]
pub struct Types {
    types: IdVec<TypeId, Interned>,
    ids: FxHashMap<(Type, Option<u64>), TypeId>,
    /// Structures and unions.
    pub records: IdVec<RecordId, Record>,
    /// What `__int128` and `unsigned __int128` are laid out as.
    int128: [RecordId; 2],
    /// Bits of a pointer and of `long`.
    pub pointer_width: u8,
}

impl Types {
    /// No types yet, on a platform with pointers of `pointer_width` bits.
    pub fn new(pointer_width: u8) -> Types {
        let mut types = Types {
            types: IdVec::new(),
            ids: FxHashMap::default(),
            records: IdVec::new(),
            int128: [0, 1].map(RecordId::from_index),
            pointer_width,
        };
        let word = types.id(Type::Int(IntKind::ULongLong));
        let field = |name: &str, offset| Field {
            name: name.to_string(),
            ty: word,
            offset,
            bits: None,
            align: 8,
        };
        for tag in ["__int128", "unsigned __int128"] {
            types.records.push(Record {
                tag: tag.to_string(),
                union: false,
                transparent: false,
                fields: Some(vec![field("(lower word)", 0), field("(higher word)", 8)]),
                size: 16,
                align: 16,
            });
        }
        types
    }

    /// `__int128`, signed or not.
    pub fn int128(&mut self, signed: bool) -> TypeId {
        let [of_signed, of_unsigned] = self.int128;
        self.id(Type::Record(if signed { of_signed } else { of_unsigned }))
    }

    /// Whether a program mentions `__int128`.
    pub fn has_int128(&self) -> bool {
        let mentioned = |record| self.ids.contains_key(&(Type::Record(record), None));
        self.int128.into_iter().any(mentioned)
    }

    /// True for `__int128` and `unsigned __int128`.
    pub fn is_int128(&self, id: TypeId) -> bool {
        matches!(self.types[self.plain(id)].ty, Type::Record(r) if self.int128.contains(&r))
    }

    /// True for `__int128`.
    pub fn is_signed_int128(&self, id: TypeId) -> bool {
        self.types[self.plain(id)].ty == Type::Record(self.int128[0])
    }

    /// The id of a type.
    pub fn id(&mut self, ty: Type) -> TypeId {
        let key = (ty, None);
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        let bare = self.types.next_id();
        self.intern(key, bare)
    }

    fn intern(&mut self, (ty, align): (Type, Option<u64>), bare: TypeId) -> TypeId {
        let interned = Interned {
            ty: ty.clone(),
            bare,
            align,
        };
        let id = self.types.push(interned);
        self.ids.insert((ty, align), id);
        id
    }

    /// The type with another alignment than its own.
    pub fn aligned(&mut self, id: TypeId, align: u64) -> TypeId {
        let bare = self.types[id].bare;
        if self.align(bare) == align {
            return bare;
        }
        let key = (self.types[bare].ty.clone(), Some(align));
        match self.ids.get(&key) {
            Some(id) => *id,
            None => self.intern(key, bare),
        }
    }

    /// The alignment that was asked for, where it is not the type's own.
    pub fn required_alignment(&self, id: TypeId) -> Option<u64> {
        self.types[id].align
    }

    /// The type with its own alignment.
    pub fn bare(&self, id: TypeId) -> TypeId {
        self.types[id].bare
    }

    /// `_Atomic T`
    pub fn atomic(&mut self, id: TypeId) -> TypeId {
        let plain = self.plain(id);
        let atomic = self.id(Type::Atomic(plain));
        // As gcc has it, an alignment that was asked for can only be more than that of an access.
        match self.required_alignment(id) {
            Some(align) if align > self.align(atomic) => self.aligned(atomic, align),
            _ => atomic,
        }
    }

    /// The type with this id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id].ty
    }

    /// True for types that differ in the alignment of what they point to, at most.
    pub fn same(&self, a: TypeId, b: TypeId) -> bool {
        let (a, b) = (self.bare(a), self.bare(b));
        a == b
            || match (self.get(a), self.get(b)) {
                (Type::Pointer(a), Type::Pointer(b))
                | (Type::Atomic(a), Type::Atomic(b))
                | (Type::Volatile(a), Type::Volatile(b)) => self.same(*a, *b),
                (Type::Array(a, m), Type::Array(b, n)) => m == n && self.same(*a, *b),
                (Type::Function(f), Type::Function(g)) => {
                    let params = f.params.iter().zip(&g.params);
                    self.same(f.ret, g.ret)
                        && (f.params.len(), f.variadic) == (g.params.len(), g.variadic)
                        && params.fold(true, |all, (p, q)| all && self.same(*p, *q))
                }
                _ => false,
            }
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
        let bare = self.bare(id);
        let volatile = match self.types[id].ty {
            Type::Array(elem, count) => {
                let elem = self.volatile(elem);
                self.id(Type::Array(elem, count))
            }
            Type::Bool | Type::Int(_) | Type::Float(_) | Type::Pointer(_) | Type::Record(_) => {
                self.id(Type::Volatile(bare))
            }
            // The others have no accesses, or have the qualifier already.
            _ => return id,
        };
        match self.required_alignment(id) {
            Some(align) => self.aligned(volatile, align),
            None => volatile,
        }
    }

    /// The type without `_Atomic` and `volatile`, with its own alignment.
    pub fn plain(&self, id: TypeId) -> TypeId {
        match self.types[id].ty {
            Type::Atomic(inner) | Type::Volatile(inner) => inner,
            _ => self.bare(id),
        }
    }

    /// True for `_Atomic` types.
    pub fn is_atomic(&self, id: TypeId) -> bool {
        matches!(self.types[id].ty, Type::Atomic(_))
    }

    /// True for `volatile` types.
    pub fn is_volatile(&self, id: TypeId) -> bool {
        matches!(self.types[id].ty, Type::Volatile(_))
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
        match &self.types[self.plain(id)].ty {
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
        matches!(self.types[self.plain(id)].ty, Type::Float(_))
    }

    /// True for signed integers.
    pub fn signed(&self, id: TypeId) -> bool {
        use IntKind::*;
        matches!(
            self.types[self.plain(id)].ty,
            Type::Int(Char | SChar | Short | Int | Long | LongLong)
        )
    }

    /// True for integers and `_Bool`.
    pub fn is_integer(&self, id: TypeId) -> bool {
        matches!(self.types[self.plain(id)].ty, Type::Int(_) | Type::Bool)
    }

    /// True for structures and unions.
    pub fn is_record(&self, id: TypeId) -> bool {
        matches!(self.types[self.plain(id)].ty, Type::Record(_))
    }

    /// The type a pointer points to, or an array's elements have.
    pub fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match self.types[self.plain(id)].ty {
            Type::Pointer(to) | Type::Array(to, _) => Some(to),
            _ => None,
        }
    }

    /// Bytes of an object of this type; `None` when it has no size (yet).
    pub fn size(&self, id: TypeId) -> Option<u64> {
        match &self.types[id].ty {
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
            Type::Unsupported(_, space) => space.map(|s| s.size),
        }
    }

    /// Bytes of alignment; 1 where there is none.
    pub fn align(&self, id: TypeId) -> u64 {
        if let Some(align) = self.types[id].align {
            return align;
        }
        match &self.types[id].ty {
            Type::Array(elem, _) => self.align(*elem),
            Type::Record(r) => self.records[*r].align,
            // One instruction accesses it where there is one of its size.
            Type::Atomic(inner) if matches!(self.size(*inner), Some(1 | 2 | 4 | 8 | 16)) => {
                self.size(*inner).unwrap_or(1)
            }
            Type::Atomic(inner) | Type::Volatile(inner) => self.align(*inner),
            Type::Unsupported(_, Some(space)) => space.align,
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
            Type::Record(r) if self.int128.contains(r) => self.records[*r].tag.clone(),
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
            Type::Unsupported(name, _) => name.trim_matches('`').to_string(),
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
