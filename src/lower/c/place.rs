//! Places: what can be assigned, and reading and writing it.

use super::expr::undeclared;
use super::names::Entity;
use super::subscript::Subscript;
use super::{Lowered, Lowering, Place, Refusal, TypedValue, fold, wrong};
use crate::front::c::ast::{Expr as Ast, ExprKind, UnaryOp};
use crate::front::c::syntax::missing_type;
use crate::front::c::types::{Type, TypeId};
use base::diag::Diag;
use base::source::Span;
use ir::program::{BinOp, Expr, LocalId, MemoryOrder, Op, ProcId};

/// The scalars of an object, by their offsets.
type Cells = Vec<(u64, TypeId)>;

impl<'a> Lowering<'a> {
    /// True for expressions that denote objects.
    pub fn is_place(&mut self, e: &'a Ast) -> bool {
        match &e.kind {
            ExprKind::Ident(name) => !matches!(
                self.names.scopes().find(name),
                Some(Entity::Function | Entity::Constant(..))
            ),
            ExprKind::Unary(UnaryOp::Deref, _) | ExprKind::Index(..) | ExprKind::Compound(..) => {
                true
            }
            ExprKind::Str(_) | ExprKind::WideStr(..) => true,
            ExprKind::Choose(operands) => match self.chosen(operands) {
                Ok(chosen) => self.is_place(chosen),
                Err(_) => false,
            },
            ExprKind::Member { base, arrow, .. } => *arrow || self.is_place(base),
            _ => false,
        }
    }

    /// The object an expression denotes.
    pub fn place(&mut self, e: &'a Ast) -> Lowered<Place> {
        match &e.kind {
            ExprKind::Ident(name) => self.named_place(name, e.span),
            ExprKind::Unary(UnaryOp::Deref, inner) => {
                let pointer = self.value(inner)?;
                self.target(pointer, inner.span)
            }
            ExprKind::Index(a, i) => self.element_place(a, i, Subscript::Access, e.span),
            ExprKind::Member { base, arrow, name } => {
                let record = if *arrow {
                    let pointer = self.value(base)?;
                    self.target(pointer, base.span)?
                } else if self.is_place(base) {
                    self.place(base)?
                } else {
                    let value = self.value(base)?;
                    Place::object(value.expr, value.ty)
                };
                self.member(record, &name.name, name.span)
            }
            ExprKind::Compound(ty, items) => self.compound_literal(ty, items, e.span),
            ExprKind::Str(bytes) => {
                let (global, ty) = self.literal(bytes, e.span);
                Ok(Place::object(Expr::Global(global), ty))
            }
            ExprKind::WideStr(units, kind) => {
                let (global, ty) = self.wide_literal(units, *kind, e.span);
                Ok(Place::object(Expr::Global(global), ty))
            }
            ExprKind::Choose(operands) => {
                let chosen = self.chosen(operands)?;
                self.place(chosen)
            }
            _ => wrong(
                e.span,
                "this is not something that can be assigned or have an address",
            ),
        }
    }

    fn named_place(&mut self, name: &str, span: Span) -> Lowered<Place> {
        if let Some(Entity::Register(local, ..) | Entity::Stack(local, ..)) =
            self.names.scopes().find(name)
            && self.body.arguments.contains(local)
        {
            let reason = "what the program is called with is not known".to_string();
            self.emit_at(span, Op::Unknown(reason));
        }
        match self.names.scopes().find(name).cloned() {
            Some(Entity::Register(l, ty, owner)) => Ok(Place::Register(self.mine(l, owner), ty)),
            Some(Entity::Stack(l, ty, owner)) => {
                Ok(Place::object(Expr::Local(self.mine(l, owner)), ty))
            }
            // Its object may be in a unit that has not been declared yet.
            Some(Entity::Variable(v)) if self.unevaluated => {
                let nowhere = self.pointer_constant(0);
                Ok(Place::object(nowhere, self.names.variable(v).ty))
            }
            Some(Entity::Variable(v)) if self.is_missing_variable(v) => {
                let nowhere = self.pointer_constant(0);
                Ok(Place::object(nowhere, self.names.variable(v).ty))
            }
            Some(Entity::Variable(v)) => {
                let global = self.global(v, span)?;
                Ok(Place::object(
                    Expr::Global(global),
                    self.names.variable(v).ty,
                ))
            }
            Some(Entity::Broken) => Err(Refusal::Reported),
            Some(Entity::Unsupported(why)) => Err(Diag::unsupported(span, why).into()),
            Some(Entity::Typedef(..)) => wrong(span, format!("`{name}` is a type, not a value")),
            Some(_) => wrong(span, format!("`{name}` cannot be assigned")),
            None if name == crate::front::c::rewrite::FUNC => {
                let text = self.body.proc.name.clone().into_bytes();
                let (global, ty) = self.string(&text, None, span);
                Ok(Place::object(Expr::Global(global), ty))
            }
            // `missing_t *p;` looks like a product.
            None if name.ends_with("_t") => Err(missing_type(name, span).into()),
            None => Err(undeclared(name, span).into()),
        }
    }

    /// A register of this body for one of the enclosing body.
    fn mine(&mut self, local: LocalId, owner: ProcId) -> LocalId {
        if owner == self.body.id {
            return local;
        }
        if let Some((_, copy)) = self.body.captured.iter().find(|(outer, _)| *outer == local) {
            return *copy;
        }
        let (name, width) = self.outer_local(local);
        let copy = self.body.local(&name, width);
        self.body.captured.push((local, copy));
        copy
    }

    /// What a pointer points to.
    pub fn target(&mut self, pointer: TypedValue, span: Span) -> Lowered<Place> {
        match self.types.get(self.types.plain(pointer.ty)) {
            Type::Pointer(to) if matches!(self.types.get(*to), Type::Void) => {
                wrong(span, "a `void *` points to nothing of a known type")
            }
            Type::Pointer(to) => Ok(Place::object(pointer.expr, *to)),
            _ => {
                let message = format!(
                    "a pointer is needed here, not `{}`",
                    self.types.show(pointer.ty)
                );
                wrong(span, message)
            }
        }
    }

    fn member(&mut self, place: Place, name: &str, span: Span) -> Lowered<Place> {
        let Place::Memory(addr, ty, mut within) = place else {
            return wrong(span, format!("there is no member `{name}` in a number"));
        };
        if self.types.is_atomic(ty) {
            return self.unsupported(span, "access to a member of an `_Atomic` structure");
        }
        let Type::Record(id) = *self.types.get(self.types.plain(ty)) else {
            return wrong(span, format!("`{}` has no members", self.types.show(ty)));
        };
        let Some((offset, field)) = self.types.member(id, name) else {
            let what = if self.types.records[id].fields.is_some() {
                "has no member"
            } else {
                "is not defined, with"
            };
            return wrong(span, format!("`{}` {what} `{name}`", self.types.show(ty)));
        };
        let around = self.around_member(id, name);
        within.extend(self.enclosing(&addr, around));
        if let Some(mut bits) = field.bits {
            // The pieces count from the innermost structure with a name.
            let base = offset - field.offset;
            bits.pieces.iter_mut().for_each(|p| p.offset += base);
            let ty = self.member_type(ty, field.ty);
            return Ok(Place::Bits(addr, bits, ty, within));
        }
        let addr = fold::binary(
            BinOp::Add,
            addr,
            self.pointer_constant(offset),
            self.pointer_width(),
        );
        let ty = self.member_type(ty, field.ty);
        Ok(Place::Memory(addr, ty, within))
    }

    /// The type of a place.
    pub fn place_type(place: &Place) -> TypeId {
        match place {
            Place::Register(_, ty) | Place::Memory(_, ty, _) | Place::Bits(_, _, ty, _) => *ty,
        }
    }

    /// The address of a place in memory.
    pub fn address(&self, place: Place, span: Span) -> Lowered<(Expr, TypeId)> {
        match place {
            Place::Memory(addr, ty, _) => Ok((addr, ty)),
            Place::Register(_, ty) if self.unevaluated => Ok((self.pointer_constant(0), ty)),
            Place::Register(..) => self.unsupported(span, "the address of this local"),
            Place::Bits(..) => wrong(span, "a bit-field has no address"),
        }
    }

    /// The value in a place: arrays and functions decay, structures stay where they are, but for numbers.
    pub fn read(&mut self, place: Place, span: Span) -> Lowered<TypedValue> {
        match place {
            Place::Register(l, ty) => Ok(TypedValue::new(Expr::Local(l), ty)),
            Place::Memory(addr, ty, _) => {
                let order = self.default_order(ty);
                self.load(addr, ty, order, span)
            }
            Place::Bits(addr, bits, ty, _) => self.read_bits(&addr, &bits, ty, span),
        }
    }

    /// The memory order of an access that names none. A volatile access is one of the machine,
    /// which no compiler removes; a relaxed one is that and no more.
    pub fn default_order(&self, ty: TypeId) -> MemoryOrder {
        match self.types.get(ty) {
            Type::Atomic(_) => MemoryOrder::SeqCst,
            Type::Volatile(_) => MemoryOrder::Volatile,
            _ => MemoryOrder::Plain,
        }
    }

    /// Reads memory.
    pub fn load(
        &mut self,
        addr: Expr,
        ty: TypeId,
        order: MemoryOrder,
        span: Span,
    ) -> Lowered<TypedValue> {
        let plain = self.types.plain(ty);
        match self.types.get(plain) {
            Type::Array(..) | Type::Function(_) => {
                return Ok(TypedValue::new(addr, self.decayed(plain)));
            }
            Type::Record(_) if self.types.bare(ty) == plain => {
                let value = TypedValue::new(addr, plain);
                return match self.types.is_int128(plain) {
                    true => self.load_int128(value, span),
                    false => Ok(value),
                };
            }
            Type::Record(_) if self.types.is_volatile(ty) => {
                let size = self.size_of(plain, span)?;
                let copy = self.allocate("(copy)", plain, size, false, span)?;
                let to = TypedValue::new(Expr::Local(copy), plain);
                self.copy(to, TypedValue::new(addr, ty), span)?;
                return Ok(TypedValue::new(Expr::Local(copy), plain));
            }
            Type::Record(_) => {
                let dst = self.bits_target(plain, span)?;
                self.body.span = span;
                self.emit(dst.load(addr, order));
                return self.of_bits(dst.bits(), plain, span);
            }
            _ => {}
        }
        if self.is_long_double(plain) {
            self.no_long_double(plain, span);
            return self.any_value(plain, span);
        }
        let width = self.scalar_width(plain, span)?;
        let dst = self.body.local("", width);
        self.body.span = span;
        self.emit_load(dst, addr, order);
        Ok(TypedValue::new(Expr::Local(dst), plain))
    }

    /// Writes a value of the right type to a place.
    pub fn write(&mut self, place: Place, value: TypedValue, span: Span) -> Lowered<TypedValue> {
        match place {
            Place::Register(dst, _) => {
                self.body.span = span;
                if self.body.addresses.contains(&value.expr) {
                    self.body.addresses.push(Expr::Local(dst));
                }
                self.emit(Op::Assign {
                    dst,
                    value: value.expr,
                });
                Ok(TypedValue::new(Expr::Local(dst), value.ty))
            }
            Place::Memory(addr, ty, within) => {
                let order = self.default_order(ty);
                if !self.types.is_atomic(ty) {
                    self.leave_around(&within, span);
                }
                self.store(addr, ty, value.clone(), order, span)?;
                Ok(value)
            }
            Place::Bits(addr, bits, ty, within) => {
                self.leave_around(&within, span);
                self.write_bits(&addr, &bits, ty, value, span)
            }
        }
    }

    /// Writes memory; structures are copied scalar by scalar.
    pub fn store(
        &mut self,
        addr: Expr,
        ty: TypeId,
        value: TypedValue,
        order: MemoryOrder,
        span: Span,
    ) -> Lowered<()> {
        let plain = self.types.plain(ty);
        match self.types.get(plain) {
            Type::Record(_) if self.types.is_atomic(ty) => {
                let value = self.bits_of(value, span)?;
                self.body.span = span;
                self.store_bits(addr, value, order);
                return Ok(());
            }
            Type::Record(_) if self.types.is_int128(plain) => {
                return self.store_int128(TypedValue::new(addr, ty), value, span);
            }
            Type::Record(_) | Type::Array(..) => {
                let from = TypedValue::new(value.expr, plain);
                return self.copy(TypedValue::new(addr, ty), from, span);
            }
            _ => {}
        }
        if self.is_long_double(plain) {
            self.no_long_double(plain, span);
            return Ok(());
        }
        self.scalar_width(plain, span)?;
        self.body.span = span;
        self.emit_store(addr, value.expr, order);
        Ok(())
    }

    /// Assigns an object to one of the same type but for qualifiers.
    pub fn copy(&mut self, to: TypedValue, from: TypedValue, span: Span) -> Lowered<()> {
        let to = TypedValue::new(self.bind(to.expr), to.ty);
        let cells = self.cells(to.ty).zip(self.cells(from.ty));
        self.copy_cells(&to, from.expr, cells, span)?;
        self.leave_padding(&to.expr, to.ty, span);
        Ok(())
    }

    /// Copies all bytes of an object to one of the same type.
    pub fn copy_representation(&mut self, to: TypedValue, from: Expr, span: Span) -> Lowered<()> {
        let cells = self
            .cells_of_bytes(to.ty)
            .map(|cells| (cells.clone(), cells));
        self.copy_cells(&to, from, cells, span)
    }

    /// Copies scalars to scalars; `None`: there are too many.
    fn copy_cells(
        &mut self,
        to: &TypedValue,
        from: Expr,
        cells: Option<(Cells, Cells)>,
        span: Span,
    ) -> Lowered<()> {
        let Some((to_cells, from_cells)) = cells else {
            let name = self.types.show(to.ty);
            let reason = format!("a copy of an object as large as `{name}`");
            self.emit_at(span, Op::Unknown(reason));
            return Ok(());
        };
        let (to, from) = (self.bind(to.expr.clone()), self.bind(from));
        let width = self.pointer_width();
        for ((offset, cell), (_, from_cell)) in to_cells.into_iter().zip(from_cells) {
            let at = |base: &Expr| {
                fold::binary(
                    BinOp::Add,
                    base.clone(),
                    Expr::constant(offset, width),
                    width,
                )
            };
            let (source, target) = (at(&from), at(&to));
            // A copy of a whole is no atomic access of its parts.
            let order = |ty| self.default_order(ty).min(MemoryOrder::Relaxed);
            let (read, written) = (order(from_cell), order(cell));
            let value = self.load(source, from_cell, read, span)?;
            self.store(target, cell, value, written, span)?;
        }
        Ok(())
    }
}
