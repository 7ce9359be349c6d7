//! Declarations in blocks: registers where nothing speaks against it, objects on the stack else.

use super::body::Cleanup;
use super::linker_name::LinkerName;
use super::names::Entity;
use super::{Lowered, Lowering, Place, Refusal, wrong};
use crate::front::c::ast::{
    Declaration, Derived, Expr as Ast, Ident, Init, InitDeclarator, TypeSpecKind,
};
use crate::front::c::types::{Type, TypeId};
use base::source::Span;
use ir::program::{Expr, LocalId, Op, Storage};

/// What a new local holds at first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Any value.
    Any,
    /// Zeros; the parts that are given are stored afterwards.
    Zero,
    /// A value that is assigned at once.
    Given,
}

impl<'a> Lowering<'a> {
    pub fn local_declaration(&mut self, d: &'a Declaration) -> Lowered<()> {
        if d.base.kind == TypeSpecKind::Auto {
            return self.auto_declaration(d);
        }
        let base = self.base_type(&d.base);
        for declarator in &d.declarators {
            let mark = self.body.mark();
            let result = match &base {
                Ok(base) => self.local(d, declarator, *base),
                Err(refusal) => Err(refusal.clone()),
            };
            match result {
                Ok(()) => {}
                Err(Refusal::Unsupported(diag)) => {
                    self.body.rewind(mark);
                    self.stop(&diag);
                    self.refuse_name(&declarator.name.name, diag.into());
                }
                Err(refusal) => {
                    self.error(refusal);
                    if self
                        .names
                        .scopes()
                        .find_here(&declarator.name.name)
                        .is_none()
                    {
                        self.names
                            .scopes_mut()
                            .declare(&declarator.name.name, Entity::Broken);
                    }
                }
            }
        }
        match base {
            Err(Refusal::Unsupported(_)) if !d.declarators.is_empty() => Ok(()),
            base => base.map(|_| ()),
        }
    }

    pub fn auto_declaration(&mut self, d: &'a Declaration) -> Lowered<()> {
        for declarator in &d.declarators {
            let Some(Init::Expr(e)) = &declarator.init else {
                return wrong(declarator.name.span, "`__auto_type` needs an initial value");
            };
            let span = declarator.name.span;
            let declared = self.where_reached(|this| {
                let ty = this.type_of(e)?;
                let ty = this.decayed(ty);
                let align = this.object_alignment(&declarator.align, ty)?;
                let place = this.new_local(&declarator.name, ty, align, Start::Given)?;
                let value = this.value_for(e, ty)?;
                this.write(place, value, span)
            })?;
            if declared.is_none() {
                let name = &declarator.name.name;
                let reason = format!("the declaration of `{name}` is not supported");
                self.names
                    .scopes_mut()
                    .declare(name, Entity::Unsupported(reason));
            }
        }
        Ok(())
    }

    pub fn local(
        &mut self,
        d: &'a Declaration,
        declarator: &'a InitDeclarator,
        base: TypeId,
    ) -> Lowered<()> {
        let name = &declarator.name;
        if let Some((Derived::Array { size: Some(size) }, inner)) = declarator.derived.split_last()
        {
            let plain = !d.storage.typedef && !d.storage.internal && !d.storage.external;
            if plain && declarator.init.is_none() && self.constant(size).is_err() {
                let elem = self.derive(base, inner)?;
                if !declarator.align.is_empty() {
                    let what = "an alignment of an array of variable size";
                    return self.unsupported(name.span, what);
                }
                return self.variable_array(name, elem, size);
            }
        }
        let ty = self.derive(base, &declarator.derived)?;
        let function = matches!(self.types.get(ty), Type::Function(_));
        let storage = d.storage;
        if storage.typedef
            || storage.external
            || storage.internal
            || storage.thread_local
            || function
        {
            self.declare_static(d, declarator, ty)?;
            if let (Some(Entity::Variable(v)), true) = (
                self.names.scopes().find_here(&name.name).cloned(),
                storage.internal,
            ) {
                // Its initial value may use names of this scope, so it is lowered here.
                let function = &self.program.procs[self.body.id].name;
                self.names.variable_mut(v).name = format!("{function}::{}", name.name);
                self.global_now(v, name.span)?;
            }
            return Ok(());
        }
        let declared = ty;
        let ty = self.complete_by_init(ty, declarator.init.as_ref())?;
        let listed = matches!(&declarator.init, Some(Init::List(..)))
            || matches!(self.types.get(ty), Type::Array(..));
        let start = match &declarator.init {
            None => Start::Any,
            Some(_) if listed => Start::Zero,
            Some(_) => Start::Given,
        };
        let cleanup = declarator.derived.iter().find_map(|d| match d {
            Derived::Cleanup(function) => Some(function),
            _ => None,
        });
        if cleanup.is_some() {
            self.body.addressed.insert(name.name.clone());
        }
        // The name is in scope in its own initialiser: `struct s *p = malloc(sizeof *p)`.
        let align = self.variable_alignment(&declarator.align, declared, ty)?;
        let place = self.new_local(name, ty, align, start)?;
        let label = LinkerName::of(&declarator.derived).symbol;
        if let (Place::Register(local, _), Some(register)) = (&place, label) {
            self.body.machine_registers.insert(*local, register);
        }
        if let Some(init) = &declarator.init {
            let place = place.clone();
            self.where_reached(|this| this.init_local(place, init, name.span))?;
        }
        if let Place::Memory(Expr::Local(object), ..) = place
            && self.is_const(&d.base, &declarator.derived)
        {
            self.emit_at(name.span, Op::Constant { object });
        }
        match (cleanup, place) {
            (Some(function), Place::Memory(Expr::Local(addr), ..)) => self.cleanup(function, addr),
            _ => Ok(()),
        }
    }

    /// A function that is called with the address of a variable where its scope ends.
    fn cleanup(&mut self, function: &Ident, addr: LocalId) -> Lowered<()> {
        let (name, span) = (&function.name, function.span);
        if !matches!(self.names.scopes().find(name), Some(Entity::Function)) {
            return wrong(span, format!("there is no function `{name}`"));
        }
        let returns = match self.types.get(self.names.function_type(name)) {
            Type::Function(f) if self.types.is_record(f.ret) => {
                return self.unsupported(span, "a `cleanup` that returns a structure");
            }
            Type::Function(f) => self.types.width(f.ret),
            _ => None,
        };
        let callee = self.procedure(name, span);
        self.body.call_at_end(Cleanup {
            callee,
            returns,
            addr,
            span,
        });
        Ok(())
    }

    /// A new object of block scope: a register when nothing speaks against it.
    pub fn new_local(
        &mut self,
        name: &Ident,
        ty: TypeId,
        align: Option<u64>,
        start: Start,
    ) -> Lowered<Place> {
        if let Type::Unsupported(what, _) = self.types.get(ty) {
            return self.unsupported(name.span, what);
        }
        self.body.span = name.span;
        let scalar = self.types.width(ty).filter(|_| !self.types.is_atomic(ty));
        if let (Some(width), false) = (scalar, self.body.addressed.contains(&name.name)) {
            let local = self.body.local(&name.name, width);
            if start != Start::Given {
                self.emit(Op::Indeterminate { dst: local });
                self.may_lead_to_object(local, ty, &name.name, name.span)?;
            }
            self.body.alignments.extend(align.map(|a| (local, a)));
            // `typeof` takes the alignment of a type along.
            let required = self.types.required_alignment(ty);
            let plain = self.types.plain(ty);
            let ty = required.map_or(plain, |align| self.types.aligned(plain, align));
            self.names
                .scopes_mut()
                .declare(&name.name, Entity::Register(local, ty, self.body.id));
            return Ok(Place::Register(local, ty));
        }
        let size = self.size_of(ty, name.span)?;
        let placed = match align {
            Some(align) => self.types.aligned(ty, align),
            None => ty,
        };
        let addr = self.allocate(&name.name, placed, size, start == Start::Zero, name.span)?;
        self.body.alignments.extend(align.map(|a| (addr, a)));
        self.body.keep(addr);
        self.names
            .scopes_mut()
            .declare(&name.name, Entity::Stack(addr, ty, self.body.id));
        Ok(Place::object(Expr::Local(addr), ty))
    }

    /// A new object on the stack; the register holds its address.
    pub fn allocate(
        &mut self,
        name: &str,
        ty: TypeId,
        size: u64,
        zeroed: bool,
        span: Span,
    ) -> Lowered<LocalId> {
        let layout = self.layout(ty, span)?;
        let width = self.pointer_width();
        let dst = self.body.local(&format!("&{name}"), width);
        self.body.span = span;
        let storage = Storage::Stack(name.to_string());
        self.emit(Op::Alloc {
            dst,
            storage,
            layout: Some(layout),
            size: Expr::constant(size, width),
            zeroed,
            replaces: None,
        });
        Ok(dst)
    }

    /// `T name[n]` with an `n` that is computed.
    pub fn variable_array(&mut self, name: &Ident, elem: TypeId, count: &'a Ast) -> Lowered<()> {
        let value = self.value(count)?;
        let size = self.scaled(value, elem, count.span)?;
        let size = self.body.assign(self.pointer_width(), size);
        let layout = self.layout(elem, name.span)?;
        let dst = self
            .body
            .local(&format!("&{}", name.name), self.pointer_width());
        self.body.span = name.span;
        let storage = Storage::Stack(name.name.clone());
        self.emit(Op::Alloc {
            dst,
            storage,
            layout: Some(layout),
            size: size.clone(),
            zeroed: false,
            replaces: None,
        });
        self.body.keep(dst);
        self.body.sizes.insert(dst, size);
        let ty = self.types.id(Type::Array(elem, None));
        self.names
            .scopes_mut()
            .declare(&name.name, Entity::Stack(dst, ty, self.body.id));
        Ok(())
    }
}
