//! Procedures and calls.
//!
//! A structure is passed by the address of a copy that the callee makes its own, and returned
//! through a hidden first parameter with the address of the caller's copy.

use super::body::Body;
use super::called_type::CALLED_TYPE;
use super::linker_name::{Linkage, LinkerName};
use super::names::{Entity, Function};
use super::purity;
use super::sequence::Use;
use super::{Lowered, Lowering, Refusal, TypedValue, WorkItem, fold, wrong};
use crate::front::c::ast::{self, Derived, Expr as Ast, ExprKind};
use crate::front::c::library::{ADDRESS_PREFIX, PREFIX};
use crate::front::c::types::{Field, FnType, Type, TypeId};
use base::diag::Diag;
use base::idx::IdVec;
use base::nearest::nearest;
use base::source::Span;
use ir::program::{Atomicity, Callee, Expr, MemoryOrder, Op, Proc, ProcId, PropertyKind, Rule};

/// What a call runs.
pub(super) struct CalledFunction {
    pub(super) callee: Callee,
    /// The type of function that the called pointer points to.
    pub(super) pointed: Option<TypeId>,
    /// As one step.
    pub(super) atomic: bool,
}

impl<'a> Lowering<'a> {
    /// The procedure of a declared function; its body is lowered later.
    pub fn procedure(&mut self, name: &str, span: Span) -> ProcId {
        let function = self
            .names
            .functions()
            .get(name)
            .expect("only declared functions are entities");
        if let Some(proc) = function.proc {
            return proc;
        }
        let (definition, ty, home) = (function.definition, function.ty, function.unit);
        let external = function.linkage == Linkage::External;
        let symbol = function.linker.symbol(name).to_string();
        let elsewhere = match definition {
            Some(f) if home == self.names.unit() && f.name.name == name => None,
            Some(f) => Some(self.in_unit(home, |l| l.procedure(&f.name.name, span))),
            None if external => self.names.externals().without_body.get(&symbol).copied(),
            None => None,
        };
        if let Some(proc) = elsewhere {
            self.keep_procedure(name, proc);
            return proc;
        }
        if definition.is_none()
            && external
            && !self.options.havoc.contains(name)
            && let Some(proc) = self.library_procedure(name, ty, span)
        {
            self.keep_procedure(name, proc);
            return proc;
        }
        let returns = match self.types.get(ty) {
            Type::Function(f) => self.types.width(f.ret),
            _ => None,
        };
        let proc = Proc {
            name: self.procedure_name(name),
            span: definition.map_or(span, |d| d.name.span),
            params: Vec::new(),
            locals: IdVec::new(),
            body: Vec::new(),
            returns,
        };
        let id = self.program.procs.push(proc);
        self.keep_procedure(name, id);
        match definition {
            Some(function) => self.tasks.push_back(WorkItem::Body(id, function, home)),
            None if self.options.havoc.contains(name) => self.any_result(id, name, ty, span),
            None => {
                self.names.note_undefined(name);
                if external {
                    self.names.externals_mut().without_body.insert(symbol, id);
                }
                self.body_elsewhere(id, name, ty, span);
            }
        }
        id
    }

    /// The procedure of a function whose address is taken and that the library has in C, with values
    /// of the declared widths.
    fn library_procedure(&mut self, name: &str, declared: TypeId, span: Span) -> Option<ProcId> {
        let names = [ADDRESS_PREFIX, PREFIX].map(|prefix| format!("{prefix}{name}"));
        let [address, plain] = names;
        let given = match self.names.functions().contains_key(&address) {
            true => address,
            false => plain,
        };
        let known = self.names.function(&given).map(|f| f.ty)?;
        let widths = |ty: TypeId| match self.types.get(ty) {
            Type::Function(f) => {
                let params = f.params.iter().map(|p| self.types.width(*p));
                let returned = self.types.width(f.ret);
                Some((params.collect::<Vec<_>>(), returned, f.variadic))
            }
            _ => None,
        };
        (widths(known)? == widths(declared)?).then(|| self.procedure(&given, span))
    }

    fn keep_procedure(&mut self, name: &str, proc: ProcId) {
        if let Some(function) = self.names.functions_mut().get_mut(name) {
            function.proc = Some(proc);
        }
    }

    /// An empty body with the parameters of a type.
    pub(super) fn declared_body(&self, name: &str, id: ProcId, f: &FnType, span: Span) -> Body {
        let mut body = Body::new(name, id, span, f.ret);
        if self.types.is_record(f.ret) {
            body.param("(result)", self.pointer_width());
        }
        for param in &f.params {
            let width = self.types.width(*param).unwrap_or(self.pointer_width());
            body.param("", width);
        }
        if Self::is_variadic(f) {
            body.param("(arguments)", self.pointer_width());
        }
        body.proc.returns = self.types.width(f.ret);
        body
    }

    /// A function that cannot be called, and why: it has no body and is called through a pointer, or
    /// its parameters are not supported.
    pub(super) fn missing_body(
        &mut self,
        id: ProcId,
        name: &str,
        ty: TypeId,
        span: Span,
        why: String,
    ) {
        let Type::Function(f) = self.types.get(ty).clone() else {
            return;
        };
        let mut body = self.declared_body(name, id, &f, span);
        body.emit(Op::Unknown(why));
        body.emit(Op::Halt);
        self.set_procedure(id, body);
    }

    pub(super) fn set_procedure(&mut self, id: ProcId, mut body: Body) {
        body.proc.name = std::mem::take(&mut self.program.procs[id].name);
        self.program.procs[id] = body.finish();
    }

    /// Whether the functions of `--havoc` are some without a body; the program says what it assumes.
    pub fn check_havoc(&mut self) {
        for name in &self.options.havoc {
            let mut names = self.names.called().clone();
            let (mut defined, mut declared) = (None, false);
            for unit in self.names.units() {
                self.in_unit(unit, |l| {
                    names.extend(l.names.functions().keys().cloned());
                    let known = l.names.function(name);
                    declared |= known.is_some();
                    defined = defined.or(known.and_then(|f| f.definition).map(|f| f.name.span));
                });
            }
            if let Some(at) = defined {
                let message =
                    format!("--havoc is for functions without a body, and `{name}` has one");
                self.error(Diag::error(at, message));
            } else if !declared && !self.names.is_called(name) {
                let message = format!("--havoc: no function is called `{name}`");
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let near = nearest(name, &names).map(|n| format!("did you mean `{n}`?"));
                let diag = Diag::bare(message);
                self.error(match near {
                    Some(near) => diag.note(near),
                    None => diag,
                });
            } else {
                let said = format!("`{name}` returns any value and writes nothing");
                self.program.assumptions.push(said);
            }
        }
    }

    /// Lowers the body of a function.
    pub fn function_body(&mut self, id: ProcId, f: &'a ast::Function) {
        let ty = self.names.function_type(&f.name.name);
        let Type::Function(fn_type) = self.types.get(ty).clone() else {
            return;
        };
        let mut body = Body::new(&f.name.name, id, f.name.span, fn_type.ret);
        body.addressed = purity::addressed(&f.body, &|name| self.names.is_defined(name));
        body.proc.returns = self.types.width(fn_type.ret);
        self.body = body;
        self.names.scopes_mut().enter();
        let mut unsupported = None;
        match self.parameters(f, &fn_type) {
            Ok(()) => self.block(&f.body),
            Err(Refusal::Unsupported(diag)) => unsupported = Some(diag.message),
            Err(refusal) => self.error(refusal),
        }
        self.names.scopes_mut().leave();
        self.check_labels();
        let void = self.types.id(Type::Void);
        let body = std::mem::replace(
            &mut self.body,
            Body::new("", ProcId(u32::MAX), f.span, void),
        );
        if let Some(why) = unsupported {
            return self.missing_body(id, &f.name.name, ty, f.name.span, why);
        }
        let mut proc = body.finish();
        proc.name = std::mem::take(&mut self.program.procs[id].name);
        self.program.procs[id] = proc;
    }

    fn parameters(&mut self, f: &'a ast::Function, fn_type: &FnType) -> Lowered<()> {
        let Some(Derived::Function { params, .. }) = f.derived.last() else {
            return Ok(());
        };
        if f.name.name == "main" {
            return self.main_parameters(f, params, fn_type);
        }
        let pointer = self.pointer_width();
        if self.types.is_record(fn_type.ret) {
            self.body.result = Some(self.body.param("(result)", pointer));
        }
        let mut registers = Vec::new();
        for (param, ty) in params.iter().zip(&fn_type.params) {
            let name = param.name.as_ref().map_or("", |n| n.name.as_str());
            let record = self.types.is_record(*ty);
            let width = if record {
                pointer
            } else {
                self.scalar_width(*ty, param.span)?
            };
            registers.push(self.body.param(name, width));
        }
        if Self::is_variadic(fn_type) {
            self.body.variadic = Some(self.body.param("(arguments)", pointer));
        }
        for ((param, ty), register) in params.iter().zip(&fn_type.params).zip(registers) {
            let Some(name) = &param.name else { continue };
            let record = self.types.is_record(*ty);
            if !record && !self.body.addressed.contains(&name.name) {
                self.names
                    .scopes_mut()
                    .declare(&name.name, Entity::Register(register, *ty, self.body.id));
                continue;
            }
            let size = self.size_of(*ty, param.span)?;
            let addr = self.allocate(&name.name, *ty, size, false, name.span)?;
            let value = TypedValue::new(Expr::Local(register), *ty);
            self.store(Expr::Local(addr), *ty, value, MemoryOrder::Plain, name.span)?;
            if self.is_const(&param.base, &param.derived) {
                self.emit_at(name.span, Op::Constant { object: addr });
            }
            self.names
                .scopes_mut()
                .declare(&name.name, Entity::Stack(addr, *ty, self.body.id));
        }
        Ok(())
    }

    /// A call. `hint` is what the result, a pointer, will point to.
    pub fn call(
        &mut self,
        callee: &'a Ast,
        args: &'a [Ast],
        span: Span,
        hint: Option<TypeId>,
    ) -> Lowered<TypedValue> {
        if let ExprKind::Generic(subject, cases) = &callee.kind {
            let chosen = self.choose_generic(subject, cases)?;
            return self.call(chosen, args, span, hint);
        }
        if let ExprKind::Ident(name) = &callee.kind {
            let mut entity = self.names.scopes().find(name).cloned();
            if entity.is_none() && self.declare_implicitly(name, callee.span) {
                entity = Some(Entity::Function);
            }
            let defined = self.names.is_defined(name);
            if !defined && matches!(entity, Some(Entity::Function)) {
                self.names.note_undefined(name);
            }
            match entity {
                None | Some(Entity::Function) => {
                    let havoc = self.options.havoc.contains(name);
                    if !defined && !havoc {
                        self.check_arguments(name, args, span);
                    }
                    if !havoc && let Some(value) = self.builtin(name, args, span, hint, defined)? {
                        return Ok(value);
                    }
                    if entity.is_none() {
                        // C89 declares a function by calling it.
                        let ret = self.types.int();
                        let implicit = FnType {
                            ret,
                            params: Vec::new(),
                            variadic: true,
                        };
                        return self.unknown_call(name, &implicit, args, span);
                    }
                    let ty = self.names.function_type(name);
                    let Type::Function(f) = self.types.get(ty).clone() else {
                        return self.unsupported(span, "this call");
                    };
                    if !defined {
                        return self.unknown_call(name, &f, args, span);
                    }
                    if self.names.functions()[name].misfit.is_some() {
                        return self.misfit_call(name, &f, args, span);
                    }
                    let proc = self.procedure(name, span);
                    let atomic = name.starts_with("__VERIFIER_atomic_");
                    let called = CalledFunction {
                        callee: Callee::Proc(proc),
                        pointed: None,
                        atomic,
                    };
                    return self.call_with(called, &f, args, span);
                }
                _ => {}
            }
        }
        let pointer = self.value(callee)?;
        let target = self.types.pointee(pointer.ty);
        let Some((ty, Type::Function(f))) = target.map(|to| (to, self.types.get(to).clone()))
        else {
            return wrong(
                callee.span,
                format!("`{}` cannot be called", self.types.show(pointer.ty)),
            );
        };
        let callee = match pointer.expr {
            Expr::Proc(proc) => Callee::Proc(proc),
            expr => Callee::Pointer(expr),
        };
        let called = CalledFunction {
            callee,
            pointed: Some(ty),
            atomic: false,
        };
        self.call_with(called, &f, args, span)
    }

    /// Declares a function by its call, as C89 does, where another file defines it.
    fn declare_implicitly(&mut self, name: &str, span: Span) -> bool {
        if self
            .names
            .function(name)
            .is_some_and(|f| f.definition.is_some())
        {
            return true;
        }
        if !self.names.externals().functions.contains_key(name) {
            return false;
        }
        let ret = self.types.int();
        let ty = self.types.id(Type::Function(FnType {
            ret,
            params: Vec::new(),
            variadic: true,
        }));
        let unit = self.names.unit();
        let function = Function {
            span,
            ty,
            definition: None,
            unit,
            linkage: Linkage::External,
            linker: LinkerName::default(),
            misfit: None,
            proc: None,
        };
        let functions = self.names.functions_mut();
        functions.insert(name.to_string(), function);
        self.link_function(name);
        true
    }

    /// A call of a function by a type that is not compatible with that of its body: undefined behaviour (C11
    /// 6.5.2.2p9).
    fn misfit_call(
        &mut self,
        name: &str,
        f: &FnType,
        args: &'a [Ast],
        span: Span,
    ) -> Lowered<TypedValue> {
        args.iter().try_for_each(|arg| self.discard(arg))?;
        match self.is_checked(PropertyKind::Memory) {
            true => {
                self.check(Rule::CalledType, Expr::constant(0, 1), CALLED_TYPE, span);
                self.emit(Op::Halt);
            }
            false => {
                let why = format!("call of `{name}` as a function of another type than it has");
                self.emit_at(span, Op::Unknown(why));
            }
        }
        self.any_value(f.ret, span)
    }

    /// A call of a function, or through a pointer to a type of function.
    pub fn call_with(
        &mut self,
        called: CalledFunction,
        f: &FnType,
        args: &'a [Ast],
        span: Span,
    ) -> Lowered<TypedValue> {
        let CalledFunction {
            callee,
            pointed,
            atomic,
        } = called;
        if args.len() < f.params.len() || (args.len() > f.params.len() && !f.variadic) {
            let message = format!(
                "{} arguments are given where {} are needed",
                args.len(),
                f.params.len()
            );
            return wrong(span, message);
        }
        let mut values = Vec::new();
        let record = self.types.is_record(f.ret);
        let mut result = None;
        if record {
            let size = self.size_of(f.ret, span)?;
            let addr = self.allocate("(result)", f.ret, size, false, span)?;
            result = Some(addr);
            values.push(Expr::Local(addr));
        }
        let variadic = Self::is_variadic(f);
        let named = if variadic { f.params.len() } else { args.len() };
        let typed = args.iter().zip(&f.params);
        let operands: Vec<(&Ast, Use)> = typed.map(|(a, ty)| (a, Use::Argument(*ty))).collect();
        let evaluated = self.unordered(&operands, span)?;
        let evaluated = evaluated.into_iter().map(|e| e.into_value().expr);
        values.extend(evaluated);
        if named > operands.len() || variadic {
            self.check_arguments("this function", args, span);
        }
        for (i, arg) in args.iter().take(named).enumerate() {
            match f.params.get(i) {
                Some(_) => {}
                // Nothing says what a pointer to a function without prototype takes.
                None if f.params.is_empty() && matches!(callee, Callee::Pointer(_)) => {
                    let value = self.value(arg)?;
                    values.push(self.promoted_argument(value, arg.span)?.expr);
                }
                // Arguments that no parameter receives.
                None => self.discard(arg)?,
            }
        }
        if variadic {
            values.push(self.further_arguments(&args[named..], span)?);
        }
        let width = self.types.width(f.ret);
        let dst = width.map(|w| self.body.local("", w));
        if let Some(ty) = pointed {
            self.check_called_type(&callee, ty, span);
        }
        self.body.span = span;
        if atomic {
            self.emit(Op::AtomicBegin(Atomicity::Section));
        }
        self.emit(Op::Call {
            dst,
            callee,
            args: values,
        });
        if atomic {
            self.emit(Op::AtomicEnd);
        }
        Ok(match (result, dst) {
            (Some(addr), _) => TypedValue::new(Expr::Local(addr), f.ret),
            (None, Some(dst)) => TypedValue::new(Expr::Local(dst), f.ret),
            // A result without values is refused where it is used.
            (None, None) => TypedValue::new(Expr::constant(0, 32), f.ret),
        })
    }

    /// The value of an argument for a parameter of this type. A transparent union takes a value of
    /// any of its members.
    pub(super) fn argument(&mut self, arg: &'a Ast, ty: TypeId) -> Lowered<TypedValue> {
        let plain = self.types.plain(ty);
        let Type::Record(id) = *self.types.get(plain) else {
            return self.value_for(arg, ty);
        };
        let record = &self.types.records[id];
        if !(record.transparent && record.union) {
            return self.value_for(arg, ty);
        }
        let fields = record.fields.clone().unwrap_or_default();
        let value = self.value(arg)?;
        let from = self.decayed(value.ty);
        if from == plain {
            return Ok(value);
        }
        let types = &self.types;
        let void = |ty| types.pointee(ty).map(|to| types.get(to)) == Some(&Type::Void);
        let null = matches!(value.expr, Expr::Const { value: 0, .. });
        let vague = null || void(from);
        let same = |f: &&Field| types.plain(f.ty) == from;
        let any = |f: &&Field| match types.pointee(f.ty) {
            Some(_) => vague || void(f.ty) && types.pointee(from).is_some(),
            None => false,
        };
        let member = fields.iter().find(same).or_else(|| fields.iter().find(any));
        let Some(member) = member.map(|f| f.ty) else {
            return self.convert(value, ty, arg.span);
        };
        let value = self.convert(value, member, arg.span)?;
        let size = self.size_of(plain, arg.span)?;
        let copy = Expr::Local(self.allocate("(argument)", plain, size, false, arg.span)?);
        self.store(copy.clone(), member, value, MemoryOrder::Plain, arg.span)?;
        Ok(TypedValue::new(copy, plain))
    }

    /// An argument that no parameter says the type of (C11 6.5.2.2).
    fn promoted_argument(&mut self, value: TypedValue, span: Span) -> Lowered<TypedValue> {
        match self.types.is_float(value.ty) {
            true => {
                let double = self.types.id(Type::Float(8));
                let ty = self.common_float(value.ty, double);
                self.convert(value, ty, span)
            }
            false => self.promote(value, span),
        }
    }

    /// Any value of a type.
    pub fn any_value(&mut self, ty: TypeId, span: Span) -> Lowered<TypedValue> {
        self.body.span = span;
        if self.types.is_record(ty) {
            let size = self.size_of(ty, span)?;
            let addr = self.allocate("(result)", ty, size, false, span)?;
            return Ok(TypedValue::new(Expr::Local(addr), ty));
        }
        let Some(width) = self.types.width(ty) else {
            return Ok(TypedValue::new(Expr::constant(0, 32), ty));
        };
        let dst = self.body.local("", width);
        self.emit(Op::Havoc { dst });
        let expr = match self.types.get(ty) {
            Type::Bool => fold::resize(fold::truth(Expr::Local(dst), 8), 1, 8, false),
            _ => Expr::Local(dst),
        };
        Ok(TypedValue { expr, ty })
    }
}
