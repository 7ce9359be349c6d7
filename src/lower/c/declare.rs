//! Types and names from declarations.

use super::names::{Entity, Tag};
use super::{Lowered, Lowering, Refusal, TypedValue, wrong};
use crate::front::c::ast::{self, Derived, IntKind, TypeSpecKind};
use crate::front::c::record::{Member, RecordLayout};
use crate::front::c::types::{FnType, Record, Type, TypeId};
use base::diag::Diag;
use base::source::Span;
use ir::program::{Expr, mask, sign_extend};

impl<'a> Lowering<'a> {
    /// The type of specifiers and derivations; `None` stands for `__auto_type`.
    pub fn declared_type(
        &mut self,
        base: &'a ast::TypeSpec,
        derived: &'a [Derived],
    ) -> Lowered<TypeId> {
        let base = self.base_type(base)?;
        self.derive(base, derived)
    }

    /// The type that a type name names.
    pub fn named_type(&mut self, name: &'a ast::TypeName) -> Lowered<TypeId> {
        self.declared_type(&name.base, &name.derived)
    }

    /// The type of the specifiers alone.
    pub fn base_type(&mut self, spec: &'a ast::TypeSpec) -> Lowered<TypeId> {
        let ty = match &spec.kind {
            TypeSpecKind::Void => self.types.id(Type::Void),
            TypeSpecKind::Bool => self.types.id(Type::Bool),
            TypeSpecKind::Int(kind) => self.types.id(Type::Int(*kind)),
            TypeSpecKind::Float(bytes) => self.types.id(Type::Float(*bytes)),
            TypeSpecKind::Int128 { signed } if self.types.pointer_width == 64 => {
                self.types.int128(*signed)
            }
            TypeSpecKind::Int128 { .. } => {
                return wrong(spec.span, "`__int128` needs a machine of 64 bits");
            }
            TypeSpecKind::Unsupported(name, space) => {
                self.types.id(Type::Unsupported(name, *space))
            }
            TypeSpecKind::Named(name) => match self.names.scopes().find(name) {
                Some(Entity::Typedef(ty, _)) => *ty,
                Some(Entity::Broken) => return Err(Refusal::Reported),
                Some(Entity::Unsupported(why)) => {
                    return Err(Diag::unsupported(spec.span, why.clone()).into());
                }
                _ => return wrong(spec.span, format!("`{name}` is not a type")),
            },
            TypeSpecKind::Record(record) => self.record(record, spec.span)?,
            TypeSpecKind::Enum(e) => self.enumeration(e, spec.span)?,
            TypeSpecKind::TypeofExpr(e) => match self.type_named(e) {
                Some(ty) => ty,
                None => self.type_of(e)?,
            },
            TypeSpecKind::TypeofType(name) => self.named_type(name)?,
            // A list of arguments is where the next one is, see [`super::variadic`].
            TypeSpecKind::VaList => {
                let slot = self.slot_type();
                self.types.pointer(slot)
            }
            TypeSpecKind::Auto => {
                return wrong(spec.span, "`__auto_type` needs an initial value");
            }
        };
        Ok(self.qualified(ty, spec.qualifiers))
    }

    /// The type of `typeof(T)`, whose operand the parser takes for an expression when it is one name.
    fn type_named(&self, operand: &ast::Expr) -> Option<TypeId> {
        let ast::ExprKind::Ident(name) = &operand.kind else {
            return None;
        };
        match self.names.scopes().find(name) {
            Some(Entity::Typedef(ty, _)) => Some(*ty),
            _ => None,
        }
    }

    /// Whether an object that is declared so is `const` (C11 6.7.3p6). An array is what its elements are
    /// (6.7.3p9).
    pub fn is_const(&self, base: &ast::TypeSpec, derived: &[Derived]) -> bool {
        for step in derived.iter().rev() {
            match step {
                Derived::Pointer(qualifiers) => return qualifiers.constant,
                Derived::Function { .. } | Derived::Unsupported(..) => return false,
                Derived::Array { .. }
                | Derived::Aligned(_)
                | Derived::Mode(_)
                | Derived::TransparentUnion
                | Derived::Cleanup(_)
                | Derived::Constructor(_)
                | Derived::Destructor(_)
                | Derived::Linker(_) => {}
            }
        }
        base.qualifiers.constant
            || match &base.kind {
                TypeSpecKind::Named(name) => {
                    matches!(
                        self.names.scopes().find(name),
                        Some(Entity::Typedef(_, true))
                    )
                }
                TypeSpecKind::TypeofType(name) => self.is_const(&name.base, &name.derived),
                _ => false,
            }
    }

    fn qualified(&mut self, ty: TypeId, qualifiers: ast::Qualifiers) -> TypeId {
        if qualifiers.atomic {
            self.types.atomic(ty)
        } else if qualifiers.volatile {
            self.types.volatile(ty)
        } else {
            ty
        }
    }

    /// Applies derivations, from the base type outwards.
    pub fn derive(&mut self, base: TypeId, derived: &'a [Derived]) -> Lowered<TypeId> {
        let mut ty = base;
        for step in derived {
            ty = match step {
                Derived::Pointer(qualifiers) => {
                    let pointer = self.types.pointer(ty);
                    self.qualified(pointer, *qualifiers)
                }
                Derived::Array { size: None } => self.types.id(Type::Array(ty, None)),
                Derived::Array { size: Some(size) } => {
                    let count = self.constant(size).map_err(|refusal| match refusal {
                        Refusal::Reported => Refusal::Reported,
                        _ => self.variable_size_refused(size.span),
                    })?;
                    let bytes = self.types.size(ty).unwrap_or(1);
                    if !bytes.is_multiple_of(self.types.align(ty)) && bytes != 0 {
                        let shown = self.types.show(ty);
                        let message = format!(
                            "an array cannot have elements of type `{shown}`, which is aligned to more than its size"
                        );
                        return wrong(size.span, message);
                    }
                    if count < 0
                        || (count as u64)
                            .checked_mul(bytes)
                            .is_none_or(|b| b > u64::from(u32::MAX))
                    {
                        return wrong(size.span, format!("an array cannot have {count} elements"));
                    }
                    self.types.id(Type::Array(ty, Some(count as u64)))
                }
                Derived::Function { params, variadic } => {
                    let mut list = Vec::new();
                    for p in params {
                        list.push(self.param_type(p)?);
                    }
                    let ret = self.types.plain(ty);
                    self.types.id(Type::Function(FnType {
                        ret,
                        params: list,
                        variadic: *variadic,
                    }))
                }
                Derived::Mode(bits) => self.mode(ty, *bits),
                Derived::Aligned(alignment) => self.aligned_type(ty, alignment)?,
                // As in gcc, it means nothing but for a local variable.
                Derived::Cleanup(_) => ty,
                Derived::Constructor(_) | Derived::Destructor(_) | Derived::Linker(_) => ty,
                Derived::TransparentUnion => {
                    if let Type::Record(id) = *self.types.get(self.types.plain(ty)) {
                        self.types.records[id].transparent = true;
                    }
                    ty
                }
                Derived::Unsupported(name, space) => self.types.id(Type::Unsupported(name, *space)),
            };
        }
        Ok(ty)
    }

    /// Why an array cannot have a size that is not a constant: in a block C has arrays of arrays of
    /// variable size, and pointers to some, which are not supported.
    fn variable_size_refused(&self, span: Span) -> Refusal {
        let message = "the size of this array is not a constant";
        match self.names.scopes().at_file() {
            true => Refusal::Error(Diag::error(span, message)),
            false => Refusal::Unsupported(Diag::unsupported(span, message)),
        }
    }

    /// A parameter's type: arrays and functions are pointers.
    fn param_type(&mut self, param: &'a ast::Param) -> Lowered<TypeId> {
        let base = self.base_type(&param.base)?;
        // The outermost size of an array parameter means nothing, and need not be constant.
        let (outer, inner) = match param.derived.split_last() {
            Some((outer @ Derived::Array { .. }, inner)) => (Some(outer), inner),
            _ => (None, &param.derived[..]),
        };
        // Elsewhere at file scope such an array is an error.
        for step in inner {
            if let Derived::Array { size: Some(size) } = step
                && self.constant(size).is_err()
            {
                let what = "a parameter that leads to arrays of variable size";
                return self.unsupported(size.span, what);
            }
        }
        let ty = self.derive(base, inner)?;
        let ty = match outer {
            Some(_) => self.types.id(Type::Array(ty, None)),
            None => ty,
        };
        Ok(self.decayed(ty))
    }

    /// Arrays and functions as the pointers they become.
    pub fn decayed(&mut self, ty: TypeId) -> TypeId {
        match self.types.get(ty) {
            Type::Array(elem, _) => {
                let elem = *elem;
                self.types.pointer(elem)
            }
            Type::Function(_) => self.types.pointer(ty),
            _ => self.types.plain(ty),
        }
    }

    fn mode(&mut self, ty: TypeId, bits: u8) -> TypeId {
        use IntKind::*;
        let signed = self.types.signed(ty);
        let kind = match (bits, signed) {
            (128, signed) => return self.types.int128(signed),
            (8, true) => SChar,
            (8, false) => UChar,
            (16, true) => Short,
            (16, false) => UShort,
            (32, true) => Int,
            (32, false) => UInt,
            (64, true) if self.types.pointer_width == 64 => Long,
            (64, false) if self.types.pointer_width == 64 => ULong,
            (_, true) => LongLong,
            (_, false) => ULongLong,
        };
        self.types.id(Type::Int(kind))
    }

    fn record(&mut self, spec: &'a ast::RecordSpec, span: Span) -> Lowered<TypeId> {
        let known = spec
            .tag
            .as_ref()
            .and_then(|tag| self.names.scopes().find_tag(tag, spec.fields.is_some()));
        let id = match known {
            Some(Tag::Record(id)) => id,
            Some(Tag::Enum(_)) => {
                let tag = spec.tag.as_deref().unwrap_or("");
                return wrong(span, format!("`{tag}` is an enumeration"));
            }
            None => {
                let tag = spec.tag.clone().unwrap_or_default();
                let record = Record {
                    tag: tag.clone(),
                    union: spec.union,
                    transparent: spec.transparent,
                    fields: None,
                    size: 0,
                    align: 1,
                };
                let id = self.types.records.push(record);
                if !tag.is_empty() {
                    self.names.scopes_mut().declare_tag(&tag, Tag::Record(id));
                }
                id
            }
        };
        let ty = self.types.id(Type::Record(id));
        let Some(decls) = &spec.fields else {
            return Ok(ty);
        };
        if self.types.records[id].fields.is_some() {
            let message = format!("`{}` is defined twice", self.types.show(ty));
            return wrong(span, message);
        }
        if let Some(what) = spec.unsupported {
            return self.unsupported(span, what);
        }
        let mut members = Vec::new();
        for decl in decls {
            let base = self.base_type(&decl.base)?;
            if decl.fields.is_empty() && self.types.is_record(base) {
                if self.types.plain(base) != self.types.bare(base) {
                    return self.unsupported(decl.span, "an anonymous structure with qualifiers");
                }
                let said = &decl.anonymous;
                // gcc reads these over, and others may not.
                if said.packed || said.align.iter().any(|a| !a.alignas) {
                    let what = "an attribute in front of an anonymous structure";
                    return self.unsupported(decl.span, what);
                }
                members.push(Member {
                    align: self.object_alignment(&said.align, base)?,
                    ..Member::plain("", base)
                });
            }
            for field in &decl.fields {
                let ty = self.derive(base, &field.derived)?;
                let bits = match &field.bits {
                    Some(e) => Some(self.bit_width(e, ty, field.name.is_some())?),
                    None => None,
                };
                let name = field
                    .name
                    .as_ref()
                    .map_or(String::new(), |n| n.name.clone());
                let flexible = matches!(self.types.get(ty), Type::Array(_, None));
                if !flexible {
                    self.size_of_member(ty, decl.span)?;
                }
                if bits.is_some() {
                    self.no_alignas(&field.layout.align, "bit-fields")?;
                }
                members.push(Member {
                    name,
                    ty,
                    bits,
                    packed: field.layout.packed,
                    align: self.object_alignment(&field.layout.align, ty)?,
                });
            }
        }
        let layout = RecordLayout {
            packed: spec.packed,
            align: self.record_alignment(&spec.align)?,
            pack: spec.pack.map(u64::from),
        };
        self.types.complete(id, members, layout);
        self.types.records[id].transparent |= spec.transparent;
        Ok(ty)
    }

    /// The width of a bit-field of this type.
    fn bit_width(&mut self, e: &'a ast::Expr, ty: TypeId, named: bool) -> Lowered<u64> {
        if self.types.is_int128(ty) {
            return self.unsupported(e.span, "a bit-field of type `__int128`");
        }
        if !self.types.is_integer(ty) {
            let message = format!("a bit-field cannot have type `{}`", self.types.show(ty));
            return wrong(e.span, message);
        }
        if self.types.is_atomic(ty) {
            return self.unsupported(e.span, "an `_Atomic` bit-field");
        }
        // gcc counts from an aligned place in front of it, clang from the beginning of the structure.
        if self.types.align(ty) > 16 {
            let what = "a bit-field of a type that is aligned to more than 16 bytes";
            return self.unsupported(e.span, what);
        }
        let most = match self.types.get(self.types.plain(ty)) {
            Type::Bool => 1,
            _ => i64::from(self.types.width(ty).unwrap_or(64)),
        };
        let width = self.constant(e)?;
        if width > most || width < i64::from(named) {
            let message = format!(
                "a bit-field of type `{}` cannot have {width} bits",
                self.types.show(ty)
            );
            return wrong(e.span, message);
        }
        Ok(width as u64)
    }

    /// A member needs a size, without which those behind it have no place.
    fn size_of_member(&self, ty: TypeId, span: Span) -> Lowered<()> {
        match self.types.get(ty) {
            Type::Unsupported(_, Some(_)) => Ok(()),
            Type::Array(elem, _) => self.size_of_member(*elem, span),
            Type::Void | Type::Function(_) => wrong(
                span,
                format!("a member cannot have type `{}`", self.types.show(ty)),
            ),
            _ => self.size_of(ty, span).map(|_| ()),
        }
    }

    fn enumeration(&mut self, spec: &'a ast::EnumSpec, span: Span) -> Lowered<TypeId> {
        let known = spec
            .tag
            .as_ref()
            .and_then(|tag| self.names.scopes().find_tag(tag, !spec.items.is_empty()));
        if spec.items.is_empty() {
            return match known {
                Some(Tag::Enum(ty)) => Ok(ty),
                Some(Tag::Record(_)) => wrong(span, "this tag names a structure"),
                None => Ok(self.types.id(Type::Int(IntKind::UInt))),
            };
        }
        let (mut next, mut least, mut most) = (0i128, 0i128, 0i128);
        let mut constants = Vec::new();
        for (name, value) in &spec.items {
            if let Some(e) = value {
                next = self.wide_constant(e)?;
            }
            let (low, high) = (i128::from(i64::MIN), i128::from(u64::MAX));
            (least, most) = (least.min(next), most.max(next));
            if !(low..=high).contains(&next) || (least < 0 && most > i128::from(i64::MAX)) {
                let message = format!("no integer type holds the enumeration constant {next}");
                return wrong(name.span, message);
            }
            // Until the last one is known a wide constant has the type of its value.
            let ty = self.constant_type(next);
            let width = self.scalar_width(ty, name.span)?;
            self.names
                .scopes_mut()
                .declare(&name.name, Entity::Constant(next as u64 & mask(width), ty));
            constants.push((name, next));
            next += 1;
        }
        let ty = match spec.mode {
            Some(bits) => {
                let kind = if least < 0 {
                    IntKind::Int
                } else {
                    IntKind::UInt
                };
                let ty = self.types.id(Type::Int(kind));
                self.mode(ty, bits)
            }
            None => self.enumeration_type(least, most, spec.packed),
        };
        // In GNU C the constants that are no `int` have the type of the enumeration.
        for (name, value) in constants {
            if i32::try_from(value).is_err() {
                let width = self.scalar_width(ty, name.span)?;
                let value = value as u64 & mask(width);
                self.names
                    .scopes_mut()
                    .declare(&name.name, Entity::Constant(value, ty));
            }
        }
        if let Some(tag) = &spec.tag {
            self.names.scopes_mut().declare_tag(tag, Tag::Enum(ty));
        }
        Ok(ty)
    }

    /// The smallest type from `int` on that holds a value.
    fn constant_type(&mut self, value: i128) -> TypeId {
        let kind = match value {
            _ if i32::try_from(value).is_ok() => IntKind::Int,
            _ if u32::try_from(value).is_ok() => IntKind::UInt,
            _ if i64::try_from(value).is_ok() => self.sixty_four(true),
            _ => self.sixty_four(false),
        };
        self.types.id(Type::Int(kind))
    }

    /// The integer of 64 bits that gcc takes first.
    fn sixty_four(&self, signed: bool) -> IntKind {
        match (self.types.pointer_width, signed) {
            (64, true) => IntKind::Long,
            (64, false) => IntKind::ULong,
            (_, true) => IntKind::LongLong,
            (_, false) => IntKind::ULongLong,
        }
    }

    /// The integer type of an enumeration with these values, as gcc chooses it.
    fn enumeration_type(&mut self, least: i128, most: i128, packed: bool) -> TypeId {
        let signed = least < 0;
        let fits = |bits: u32| match signed {
            true => least >= -(1i128 << (bits - 1)) && most < 1i128 << (bits - 1),
            false => most < 1i128 << bits,
        };
        let kind = match (packed, signed) {
            (true, true) if fits(8) => IntKind::SChar,
            (true, false) if fits(8) => IntKind::UChar,
            (true, true) if fits(16) => IntKind::Short,
            (true, false) if fits(16) => IntKind::UShort,
            (_, true) if fits(32) => IntKind::Int,
            (_, false) if fits(32) => IntKind::UInt,
            _ => self.sixty_four(signed),
        };
        self.types.id(Type::Int(kind))
    }

    /// The value of an integer constant expression; of an unsigned one of 64 bits, too.
    pub fn wide_constant(&mut self, e: &'a ast::Expr) -> Lowered<i128> {
        let value = self.constant(e)?;
        let ty = self.type_of(e)?;
        Ok(
            match self.types.signed(ty) || self.types.is_signed_int128(ty) {
                true => i128::from(value),
                false => i128::from(value as u64),
            },
        )
    }

    /// The value of an integer constant expression.
    pub fn constant(&mut self, e: &'a ast::Expr) -> Lowered<i64> {
        let mark = self.body.mark();
        let result = self.value(e);
        let emitted = self.body.mark() != mark;
        self.body.rewind(mark);
        let value = result?;
        if self.types.is_float(value.ty) {
            let message = "a constant integer is needed here, not a floating-point number";
            return wrong(e.span, message);
        }
        if self.types.is_int128(value.ty) {
            return self.small_constant(value, e.span);
        }
        let signed = self.types.signed(value.ty);
        match value.expr {
            Expr::Const { value, width } if !emitted => Ok(if signed {
                sign_extend(value, width)
            } else {
                value as i64
            }),
            _ => wrong(e.span, "a constant is needed here"),
        }
    }

    /// An `__int128` where a constant of 64 bits is enough.
    fn small_constant(&mut self, value: TypedValue, span: Span) -> Lowered<i64> {
        let signed = self.types.is_signed_int128(value.ty);
        match self.constant_words(value, span)? {
            None => wrong(span, "a constant is needed here"),
            Some([low, high]) if signed && high as i64 == low as i64 >> 63 => Ok(low as i64),
            Some([low, 0]) if !signed => Ok(low as i64),
            Some(_) => self.unsupported(span, "a constant that does not fit into 64 bits"),
        }
    }

    pub fn static_assert(&mut self, s: &'a ast::StaticAssert) -> Lowered<()> {
        match self.constant(&s.condition)? {
            0 => wrong(
                s.condition.span,
                format!("static assertion failed: {}", s.message),
            ),
            _ => Ok(()),
        }
    }
}
