//! Names with static storage: types, functions and variables, declared more than once at will.

use super::linker_name::{self, Linkage, LinkerName};
use super::names::{Entity, Function, Variable, VariableId};
use super::{Lowered, Lowering, Refusal, wrong};
use crate::front::c::ast::{self, Init, TypeSpecKind};
use crate::front::c::types::{Type, TypeId};
use base::diag::Diag;

impl<'a> Lowering<'a> {
    /// Declares what a declaration at file scope declares.
    pub fn file_declaration(&mut self, d: &'a ast::Declaration) -> Lowered<()> {
        if d.base.kind == TypeSpecKind::Auto {
            return self.unsupported(d.span, "`__auto_type` at file scope");
        }
        let base = self.base_type(&d.base);
        for declarator in &d.declarators {
            let ty = match &base {
                Ok(base) => self.derive(*base, &declarator.derived),
                Err(refusal) => Err(refusal.clone()),
            };
            match ty {
                Ok(ty) => self.declare_static(d, declarator, ty)?,
                Err(refusal) => self.refuse_name(&declarator.name.name, refusal),
            }
        }
        match base {
            // What it declares is refused where it is used.
            Err(Refusal::Unsupported(_)) if !d.declarators.is_empty() => Ok(()),
            base => base.map(|_| ()),
        }
    }

    /// Declares a name whose declaration is refused, or not supported where it is used.
    pub(super) fn refuse_name(&mut self, name: &str, refusal: Refusal) {
        let entity = match refusal {
            Refusal::Unsupported(diag) => Entity::Unsupported(diag.message),
            Refusal::Error(_) | Refusal::Reported => {
                self.error(refusal);
                Entity::Broken
            }
        };
        self.names.scopes_mut().declare(name, entity);
    }

    /// Declares a type, a function or a variable with static storage.
    pub fn declare_static(
        &mut self,
        d: &'a ast::Declaration,
        declarator: &'a ast::InitDeclarator,
        ty: TypeId,
    ) -> Lowered<()> {
        let name = &declarator.name;
        if d.storage.typedef {
            let mut ty = self.replaced_by_words(&name.name, ty);
            // An attribute of a type can align it less, too; the last one counts.
            if let Some(align) = self.typedef_alignment(&declarator.align)? {
                ty = self.types.aligned(ty, align);
            }
            let constant = self.is_const(&d.base, &declarator.derived);
            let entity = Entity::Typedef(ty, constant);
            self.names.scopes_mut().declare(&name.name, entity);
            return Ok(());
        }
        if let Type::Function(_) = self.types.get(ty) {
            self.no_alignas(&declarator.align, "a function")?;
            let derived = &declarator.derived;
            self.declare_function(name, (d.storage, derived), ty, None);
            return Ok(());
        }
        let declared = ty;
        let ty = self.complete_by_init(ty, declarator.init.as_ref())?;
        let mut align = self.variable_alignment(&declarator.align, declared, ty)?;
        let known = match self.names.scopes().find_here(&name.name) {
            Some(Entity::Variable(v)) if self.names.scopes().at_file() => Some(*v),
            // `extern int x;` in a function is the variable at file scope.
            _ if d.storage.external => match self.names.scopes().find(&name.name) {
                Some(Entity::Variable(v)) => Some(*v),
                _ => None,
            },
            _ => None,
        };
        if let Some(known) = known {
            // Of several declarations the strictest alignment is the object's, that of the type where
            // one says nothing.
            let natural = self.types.align(ty);
            let before = self.names.variable(known).align;
            if before.is_some() || align.is_some() {
                align = before.or(Some(natural)).max(align.or(Some(natural)));
            }
        }
        let id = known.unwrap_or_else(|| {
            self.names.add_variable(Variable {
                name: name.name.clone(),
                span: name.span,
                ty,
                align: None,
                init: None,
                thread_local: false,
                constant: false,
                defined: false,
                unit: self.names.unit(),
                linkage: match linker_name::linkage(d.storage, &declarator.derived) {
                    Linkage::Internal => Linkage::Internal,
                    Linkage::External | Linkage::Inline => Linkage::External,
                },
                linker: LinkerName::default(),
                link: None,
                global: None,
            })
        });
        self.merge_variable(id, d, declarator, ty)?;
        self.names.variable_mut(id).align = align;
        self.names
            .scopes_mut()
            .declare(&name.name, Entity::Variable(id));
        if known.is_none() && !self.names.scopes().at_file() {
            self.link_variable(id);
        }
        Ok(())
    }

    pub fn merge_variable(
        &mut self,
        id: VariableId,
        d: &'a ast::Declaration,
        declarator: &'a ast::InitDeclarator,
        ty: TypeId,
    ) -> Lowered<()> {
        let old = self.names.variable(id).ty;
        let compatible = self.types.same(old, ty)
            || matches!((self.types.get(old), self.types.get(ty)),
            (Type::Array(a, m), Type::Array(b, n))
                if self.types.same(*a, *b) && (m.is_none() || n.is_none()));
        if !compatible {
            let (old, new) = (self.types.show(old), self.types.show(ty));
            let message = format!(
                "`{}` is declared as `{new}` here and as `{old}` before",
                declarator.name.name
            );
            return Err(Diag::error(declarator.name.span, message)
                .also(self.names.variable(id).span, "declared here")
                .into());
        }
        if let (true, Some(init)) = (self.names.variable(id).init.is_some(), &declarator.init) {
            let (Init::Expr(ast::Expr { span, .. }) | Init::List(_, span)) = init;
            return wrong(
                *span,
                format!("`{}` has an initial value already", declarator.name.name),
            );
        }
        let constant = self.is_const(&d.base, &declarator.derived);
        let linker = LinkerName::of(&declarator.derived);
        let is_reference = linker.weak && linker.symbol.is_some();
        let is_alias = linker.alias.is_some();
        let variable = self.names.variable_mut(id);
        variable.linker.extend(linker);
        variable.constant |= constant;
        if matches!(self.types.get(variable.ty), Type::Array(_, None)) {
            variable.ty = ty;
        }
        if declarator.init.is_some() {
            variable.init = declarator.init.as_ref();
            variable.span = declarator.name.span;
        }
        variable.thread_local |= d.storage.thread_local;
        let is_declared = d.storage.external || is_reference;
        variable.defined |= !is_declared || is_alias || declarator.init.is_some();
        Ok(())
    }

    /// Declares a function, or gives it its body.
    pub fn declare_function(
        &mut self,
        name: &ast::Ident,
        (storage, derived): (ast::Storage, &[ast::Derived]),
        ty: TypeId,
        definition: Option<&'a ast::Function>,
    ) {
        self.names
            .scopes_mut()
            .declare(&name.name, Entity::Function);
        let linkage = linker_name::linkage(storage, derived);
        let unit = self.names.unit();
        let entry = self.names.functions_mut().entry(name.name.clone());
        let function = entry.or_insert(Function {
            span: name.span,
            ty,
            definition: None,
            unit,
            linkage,
            linker: LinkerName::default(),
            misfit: None,
            proc: None,
        });
        let is_for_calls_alone = linker_name::is_for_calls_alone(storage, derived);
        // A file may have its own function of the name that a header of the platform declares.
        let is_own = linkage == Linkage::Internal || is_for_calls_alone && definition.is_some();
        if function.linkage == Linkage::Inline || is_own {
            function.linkage = linkage;
        }
        function.linker.extend(LinkerName::of(derived));
        if definition.is_some() || function.definition.is_none() {
            function.ty = ty;
            function.definition = definition;
        }
        self.link_function(&name.name);
    }

    /// A function definition at file scope.
    pub fn define_function(&mut self, f: &'a ast::Function) -> Lowered<()> {
        // Its own name is known in its head even when the head is refused.
        let ty = match self.declared_type(&f.base, &f.derived) {
            Ok(ty) => ty,
            Err(refusal @ Refusal::Unsupported(_)) if f.name.name != "main" => {
                self.refuse_name(&f.name.name, refusal);
                return Ok(());
            }
            Err(refusal) => {
                self.names
                    .scopes_mut()
                    .declare(&f.name.name, Entity::Broken);
                return Err(refusal);
            }
        };
        let known = self.names.functions().get(&f.name.name);
        let known = known.and_then(|known| known.definition);
        if let Some(first) = known.filter(|known| !is_replaced(known)) {
            let diag = Diag::error(f.name.span, format!("`{}` is defined twice", f.name.name));
            return Err(diag.also(first.name.span, "first defined here").into());
        }
        self.declare_function(&f.name, (f.storage, &f.derived), ty, Some(f));
        Ok(())
    }
}

/// Whether another definition of the file may follow and counts.
fn is_replaced(definition: &ast::Function) -> bool {
    linker_name::is_for_calls_alone(definition.storage, &definition.derived)
}
