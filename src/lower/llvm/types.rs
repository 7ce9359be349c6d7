//! Types of LLVM: their layout in memory, as the data layout of x86-64, AArch64 and RISC-V has it, and their
//! types in C.
//!
//! An integer is an unsigned one, of the next size that C has; its bits above its width are zero. A pointer is
//! `void *`, whatever it points to, so that modules with and without typed pointers mean the same, and calls fit
//! the functions that they call. Members of structures are `f0`, `f1`, …, unless debug information names them.

use super::build::CType;
use super::debug::DebugInfo;
use crate::front::c::ast::Declaration;
use crate::front::c::ast::{
    FieldDecl, FieldSpec, IntKind, Item, MemberLayout, Qualifiers, RecordSpec, Storage,
    TypeSpecKind,
};
use crate::front::llvm::ast::{FloatKind, Type};
use base::source::Span;
use std::collections::BTreeMap;

/// How deep structures may nest.
const MAX_DEPTH: u32 = 64;

/// What is not supported, in words that "is not supported" follows.
pub(super) type Translated<T> = Result<T, String>;

/// The types of a module.
pub(super) struct Types<'m> {
    named: &'m BTreeMap<String, Option<Type>>,
    /// The tags of structures without a name.
    tags: BTreeMap<Type, String>,
    /// Structures that are declared in C, in the order of their declarations.
    declared: Vec<Declaration>,
    /// The tags of these; `false` while one is being declared.
    known: BTreeMap<String, bool>,
    debug: &'m DebugInfo,
    span: Span,
}

/// Bytes of size and alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Space {
    pub(super) size: u64,
    pub(super) align: u64,
}

impl<'m> Types<'m> {
    pub(super) fn new(
        named: &'m BTreeMap<String, Option<Type>>,
        debug: &'m DebugInfo,
        span: Span,
    ) -> Types<'m> {
        Types {
            named,
            tags: BTreeMap::new(),
            declared: Vec::new(),
            known: BTreeMap::new(),
            debug,
            span,
        }
    }

    /// The declarations of all structures that were met.
    pub(super) fn items(self) -> impl Iterator<Item = Item> {
        self.declared.into_iter().map(Item::Declaration)
    }

    /// A type with its name looked up.
    pub(super) fn resolve<'t>(&self, ty: &'t Type) -> Translated<&'t Type>
    where
        'm: 't,
    {
        match ty {
            Type::Named(name) => match self.named.get(name) {
                Some(Some(ty)) => Ok(ty),
                _ => Err(format!("a value of the opaque type `%{name}`")),
            },
            ty => Ok(ty),
        }
    }

    pub(super) fn space(&self, ty: &Type) -> Translated<Space> {
        self.space_within(ty, MAX_DEPTH)
    }

    fn space_within(&self, ty: &Type, depth: u32) -> Translated<Space> {
        let depth = depth
            .checked_sub(1)
            .ok_or("a type that is nested this deeply")?;
        let natural = |size| Ok(Space { size, align: size });
        match self.resolve(ty)? {
            Type::Int(bits) => natural(int_bytes(*bits)?),
            Type::Float(FloatKind::Float) => natural(4),
            Type::Float(FloatKind::Double) => natural(8),
            Type::Pointer(_) => natural(8),
            Type::Array(count, elem) => {
                let elem = self.space_within(elem, depth)?;
                let size = elem.size.checked_mul(*count).ok_or("a type of this size")?;
                Ok(Space { size, ..elem })
            }
            Type::Struct { packed, fields } => Ok(self.struct_layout(*packed, fields, depth)?.1),
            other => Err(unsupported_type(other)),
        }
    }

    fn struct_layout(
        &self,
        packed: bool,
        fields: &[Type],
        depth: u32,
    ) -> Translated<(Vec<u64>, Space)> {
        let (mut size, mut align) = (0u64, 1u64);
        let mut offsets = Vec::new();
        for field in fields {
            let space = self.space_within(field, depth)?;
            if !packed {
                size = size.next_multiple_of(space.align);
                align = align.max(space.align);
            }
            offsets.push(size);
            size = size.checked_add(space.size).ok_or("a type of this size")?;
        }
        let size = size.next_multiple_of(align);
        Ok((offsets, Space { size, align }))
    }

    /// The type and the offset of a member, or of an element of an array.
    pub(super) fn part<'t>(&self, ty: &'t Type, index: u64) -> Translated<(&'t Type, u64)>
    where
        'm: 't,
    {
        match self.resolve(ty)? {
            Type::Struct { packed, fields } => {
                let at = usize::try_from(index).ok();
                let field = at.and_then(|at| fields.get(at));
                let field = field.ok_or("an index of no member")?;
                let (offsets, _) = self.struct_layout(*packed, fields, MAX_DEPTH)?;
                Ok((field, offsets[index as usize]))
            }
            Type::Array(_, elem) => Ok((elem, self.space(elem)?.size.wrapping_mul(index))),
            other => Err(unsupported_type(other)),
        }
    }

    /// Whether all bytes that an object of this type may have values in are those of its scalars: there are none between
    /// them, or those belong to no member of a union.
    pub(super) fn is_all_scalars(&self, ty: &Type) -> bool {
        let is_structure =
            |name: &String| ["struct.", "class."].iter().any(|w| name.starts_with(w));
        match ty {
            Type::Named(name) if is_structure(name) => match self.resolve(ty) {
                Ok(Type::Struct { fields, .. }) => fields.iter().all(|f| self.is_all_scalars(f)),
                _ => false,
            },
            Type::Array(_, elem) => self.is_all_scalars(elem),
            ty => self.is_dense(ty).unwrap_or(false),
        }
    }

    /// Whether there are no bytes between the scalars of a type.
    fn is_dense(&self, ty: &Type) -> Translated<bool> {
        let whole = self.space(ty)?.size;
        match self.resolve(ty)? {
            Type::Struct { fields, .. } => {
                let mut sum = 0;
                for field in fields {
                    sum += self.space(field)?.size;
                    if !self.is_dense(field)? {
                        return Ok(false);
                    }
                }
                Ok(sum == whole)
            }
            Type::Array(_, elem) => self.is_dense(elem),
            _ => Ok(true),
        }
    }

    /// The scalars of a type in the order of memory; a scalar is its own.
    pub(super) fn leaves(&self, ty: &Type) -> Translated<Vec<Type>> {
        let mut leaves = Vec::new();
        self.collect_leaves(ty, &mut leaves)?;
        Ok(leaves)
    }

    fn collect_leaves(&self, ty: &Type, leaves: &mut Vec<Type>) -> Translated<()> {
        const MOST: usize = 256;
        if leaves.len() > MOST {
            return Err("a value of this size".to_string());
        }
        match self.resolve(ty)? {
            Type::Struct { fields, .. } => fields
                .iter()
                .try_for_each(|f| self.collect_leaves(f, leaves)),
            Type::Array(count, elem) => {
                (0..*count).try_for_each(|_| self.collect_leaves(elem, leaves))
            }
            scalar => {
                leaves.push(scalar.clone());
                Ok(())
            }
        }
    }

    /// The place among the scalars of a type where a part of it begins, and the part's type.
    pub(super) fn leaf_of(&self, ty: &Type, path: &[u64]) -> Translated<(usize, Type)> {
        let Some((first, rest)) = path.split_first() else {
            return Ok((0, ty.clone()));
        };
        let (part, _) = self.part(ty, *first)?;
        let before = match self.resolve(ty)? {
            Type::Struct { fields, .. } => {
                let before = fields.iter().take(*first as usize);
                let counts = before.map(|f| Ok(self.leaves(f)?.len()));
                counts.sum::<Translated<usize>>()?
            }
            _ => self.leaves(part)?.len() * (*first as usize),
        };
        let (within, ty) = self.leaf_of(part, rest)?;
        Ok((before + within, ty))
    }

    pub(super) fn is_aggregate(&self, ty: &Type) -> bool {
        matches!(self.resolve(ty), Ok(Type::Struct { .. } | Type::Array(..)))
    }

    /// The type in C of a scalar, or of an object in memory.
    pub(super) fn c(&mut self, ty: &Type) -> Translated<CType> {
        match ty {
            Type::Void => Ok(CType::plain(TypeSpecKind::Void)),
            Type::Int(bits) => Ok(match bits {
                1 => CType::plain(TypeSpecKind::Bool),
                0..=8 => CType::int(IntKind::UChar),
                9..=16 => CType::int(IntKind::UShort),
                17..=32 => CType::int(IntKind::UInt),
                33..=64 => CType::int(IntKind::ULong),
                65..=128 => CType::plain(TypeSpecKind::Int128 { signed: false }),
                _ => return Err(format!("an integer of {bits} bits")),
            }),
            Type::Float(FloatKind::Float) => Ok(CType::plain(TypeSpecKind::Float(4))),
            Type::Float(FloatKind::Double) => Ok(CType::plain(TypeSpecKind::Float(8))),
            Type::Pointer(_) => Ok(CType::pointer()),
            Type::Array(count, elem) => Ok(self.c(elem)?.array(*count, self.span)),
            Type::Named(name) => {
                let Type::Struct { packed, fields } = self.resolve(ty)?.clone() else {
                    let ty = self.resolve(ty)?.clone();
                    return self.c(&ty);
                };
                self.record(name.clone(), packed, &fields)
            }
            Type::Struct { packed, fields } => {
                let count = self.tags.len();
                let tag = self.tags.entry(ty.clone());
                let tag = tag.or_insert_with(|| format!("anonymous.{count}")).clone();
                self.record(tag, *packed, fields)
            }
            other => Err(unsupported_type(other)),
        }
    }

    /// The structure in C, which is declared when it is first met.
    fn record(&mut self, tag: String, packed: bool, fields: &[Type]) -> Translated<CType> {
        let ty = |fields| RecordSpec {
            union: false,
            tag: Some(tag.clone()),
            fields,
            packed,
            transparent: false,
            align: Vec::new(),
            pack: None,
            unsupported: None,
        };
        let named = CType::plain(TypeSpecKind::Record(Box::new(ty(None))));
        match self.known.get(&tag) {
            Some(true) => return Ok(named),
            Some(false) => return Err(format!("the type `%{tag}`, which contains itself,")),
            None => {}
        }
        self.known.insert(tag.clone(), false);
        let (offsets, _) = self.struct_layout(packed, fields, MAX_DEPTH)?;
        let mut members = Vec::new();
        for (i, field) in fields.iter().enumerate() {
            let c = self.c(field)?;
            let name = self.member_name(&tag, i, offsets[i]);
            members.push(FieldDecl {
                base: c.spec(Qualifiers::default(), self.span),
                fields: vec![FieldSpec {
                    name: Some(super::build::ident(&name, self.span)),
                    derived: c.derived,
                    bits: None,
                    layout: MemberLayout::default(),
                }],
                anonymous: MemberLayout::default(),
                span: self.span,
            });
        }
        self.known.insert(tag.clone(), true);
        let declared = CType::plain(TypeSpecKind::Record(Box::new(ty(Some(members)))));
        self.declared.push(Declaration {
            span: self.span,
            storage: Storage::default(),
            base: declared.spec(Qualifiers::default(), self.span),
            declarators: Vec::new(),
        });
        Ok(named)
    }

    fn member_name(&self, tag: &str, index: usize, offset: u64) -> String {
        let known = self.debug.members(tag).and_then(|m| m.get(&offset));
        known.cloned().unwrap_or_else(|| format!("f{index}"))
    }

    /// The name of a member of a structure.
    pub(super) fn member(&self, ty: &Type, index: usize) -> Translated<String> {
        let tag = match ty {
            Type::Named(name) => name,
            ty => self.tags.get(ty).ok_or("this type")?,
        };
        let (_, offset) = self.part(ty, index as u64)?;
        Ok(self.member_name(tag, index, offset))
    }
}

/// Bytes of an integer in memory.
fn int_bytes(bits: u32) -> Translated<u64> {
    match bits {
        1..=8 => Ok(1),
        9..=16 => Ok(2),
        17..=32 => Ok(4),
        33..=64 => Ok(8),
        65..=128 => Ok(16),
        _ => Err(format!("an integer of {bits} bits")),
    }
}

/// What is said of a type that has no values here.
fn unsupported_type(ty: &Type) -> String {
    match ty {
        Type::Vector(..) => "a vector".to_string(),
        Type::Float(kind) => format!("a number of type {}", kind.keyword()),
        Type::Other(text) => format!("a value of type `{text}`"),
        Type::Named(name) => format!("a value of the type `%{name}`"),
        _ => "a value of this type".to_string(),
    }
}
