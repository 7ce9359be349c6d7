//! Alignments that declarations ask for.
//!
//! `_Alignas` is C's (6.7.5): only an object that is no bit-field and no parameter has one, and it
//! never gets less than its type has. `__attribute__((aligned))` is gcc's: of a structure and a member
//! it can only be more, of a `typedef` and a variable also less. Both are powers of two. A type that
//! is aligned keeps that in its id ([`crate::front::c::types::Types::aligned`]), a variable and a
//! member beside their types, because `typeof` does not take it along.

use super::names::Entity;
use super::{Lowered, Lowering, TypedValue, wrong};
use crate::front::c::ast::{Alignment, AlignmentAmount, Expr as Ast, ExprKind};
use crate::front::c::types::{Type, TypeId};
use base::source::Span;

/// What `aligned` without a number means on the machines that programs are read for.
const LARGEST: u64 = 16;
/// Compilers take no more.
const MOST: i64 = 1 << 28;

impl<'a> Lowering<'a> {
    /// Bytes of an alignment; `None` for 0, which means nothing.
    fn alignment(&mut self, alignment: &'a Alignment) -> Lowered<Option<u64>> {
        let bytes = match &alignment.amount {
            AlignmentAmount::Largest => return Ok(Some(LARGEST)),
            AlignmentAmount::Like(name) => {
                let ty = self.named_type(name)?;
                self.size_of(ty, alignment.span)?;
                return Ok(Some(self.types.align(ty)));
            }
            AlignmentAmount::Bytes(e) => self.constant(e)?,
        };
        if bytes == 0 {
            return Ok(None);
        }
        if !(1..=MOST).contains(&bytes) || bytes & (bytes - 1) != 0 {
            let message = format!("an alignment is a power of two up to {MOST}, not {bytes}");
            return wrong(alignment.span, message);
        }
        Ok(Some(bytes as u64))
    }

    /// The last one that is required.
    fn last_alignment(&mut self, list: &'a [Alignment]) -> Lowered<Option<u64>> {
        let mut last = None;
        for alignment in list {
            last = self.alignment(alignment)?.or(last);
        }
        Ok(last)
    }

    /// The alignment of a `typedef`.
    pub fn typedef_alignment(&mut self, list: &'a [Alignment]) -> Lowered<Option<u64>> {
        self.no_alignas(list, "a `typedef`")?;
        self.last_alignment(list)
    }

    /// The least alignment of a structure.
    pub fn record_alignment(&mut self, list: &'a [Alignment]) -> Lowered<Option<u64>> {
        self.last_alignment(list)
    }

    /// The alignment of a variable or member of this type: the strictest that is required.
    pub fn object_alignment(&mut self, list: &'a [Alignment], ty: TypeId) -> Lowered<Option<u64>> {
        let mut most = None;
        let mut alignas: Option<(u64, Span)> = None;
        for alignment in list {
            let bytes = self.alignment(alignment)?;
            most = most.max(bytes);
            if let (true, Some(bytes)) = (alignment.alignas, bytes) {
                alignas = alignas.max(Some((bytes, alignment.span)));
            }
        }
        let natural = self.types.align(ty);
        match alignas {
            Some((bytes, span)) if bytes < natural => {
                let shown = self.types.show(ty);
                let message = format!(
                    "`_Alignas` cannot align to {bytes} what has type `{shown}`, which is aligned to {natural}"
                );
                wrong(span, message)
            }
            _ => Ok(most),
        }
    }

    /// The alignment of a variable that is declared with a type without a size, which its initial value
    /// completes: compilers align it once more then, at least as its type.
    pub fn variable_alignment(
        &mut self,
        list: &'a [Alignment],
        declared: TypeId,
        ty: TypeId,
    ) -> Lowered<Option<u64>> {
        let required = self.object_alignment(list, ty)?;
        Ok(match self.types.size(declared) {
            Some(_) => required,
            None => required.map(|a| a.max(self.types.align(ty))),
        })
    }

    /// Refuses `_Alignas` where C has none.
    pub fn no_alignas(&self, list: &[Alignment], what: &str) -> Lowered<()> {
        match list.iter().find(|a| a.alignas) {
            Some(alignment) => {
                let message = format!("`_Alignas` is for objects, not for {what}");
                wrong(alignment.span, message)
            }
            None => Ok(()),
        }
    }

    /// A type that an attribute inside of it aligns: a pointer further in, a type name.
    pub fn aligned_type(&mut self, ty: TypeId, alignment: &'a Alignment) -> Lowered<TypeId> {
        self.no_alignas(std::slice::from_ref(alignment), "types and parameters")?;
        Ok(match self.alignment(alignment)? {
            Some(align) => self.types.aligned(ty, align),
            None => ty,
        })
    }

    /// The value of `_Alignof(type)`.
    pub fn alignof_type(&mut self, ty: TypeId, span: Span) -> Lowered<TypedValue> {
        // Of an array it is that of the elements, which may be of any number.
        let mut elem = ty;
        while let Type::Array(inner, _) = *self.types.get(elem) {
            elem = inner;
        }
        self.size_of(elem, span)?;
        let align = self.types.align(ty);
        Ok(self.size_value(align))
    }

    /// GNU's `_Alignof(e)`: of a variable or member it is what its declaration asks for.
    pub fn alignof_expr(&mut self, e: &'a Ast) -> Lowered<TypedValue> {
        let ty = self.type_of(e)?;
        let declared = match &e.kind {
            ExprKind::Ident(name) => match self.names.scopes().find(name) {
                Some(Entity::Variable(v)) => self.names.variable(*v).align,
                Some(Entity::Register(local, ..) | Entity::Stack(local, ..)) => {
                    self.body.alignments.get(local).copied()
                }
                _ => None,
            },
            ExprKind::Member { base, arrow, name } => {
                let base = self.type_of(base)?;
                let record = match arrow {
                    true => self.types.pointee(base).unwrap_or(base),
                    false => base,
                };
                match *self.types.get(self.types.plain(record)) {
                    Type::Record(id) => {
                        let member = self.types.member(id, &name.name);
                        if member.as_ref().is_some_and(|(_, f)| f.bits.is_some()) {
                            let message = "a bit-field has no alignment";
                            return wrong(e.span, message);
                        }
                        member.map(|(_, f)| f.align)
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        match declared {
            Some(align) => Ok(self.size_value(align)),
            None => self.alignof_type(ty, e.span),
        }
    }
}
