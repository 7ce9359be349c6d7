//! Functions that are declared and have no body.
//!
//! One that `--havoc` names returns any value and writes nothing. Any other may do anything, so an execution that calls
//! it has no meaning ([`Op::Unknown`]). Where a violation counts that some body leads to
//! ([`LoweringOptions::unknown_results`]), executions in which it does one of these are looked at besides:
//!
//! - it returns any value, or the address of an object of the type: one of its own, the same in each call, a part of
//!   such a one of another function, a variable that other files can name, or a part of one;
//! - it calls the functions that it is given, as arguments or in structures;
//! - as a thread, it writes to what its argument leads to.
//!
//! A local pointer to a structure that is not initialised may then lead to such an object, too.
//!
//! [`LoweringOptions::unknown_results`]: super::options::LoweringOptions::unknown_results

use super::body::Label;
use super::linker_name::Linkage;
use super::{Lowered, Lowering, TypedValue};
use crate::front::c::ast::Expr as Ast;
use crate::front::c::types::{FnType, Type, TypeId};
use base::source::Span;
use ir::program::{BinOp, Callee, Expr, Global, GlobalId, LocalId, MemoryOrder, Op, ProcId};

/// Addresses of objects of a type that a function may return, at most.
const MOST: usize = 8;

impl<'a> Lowering<'a> {
    /// The procedure of a function without a body, which is called through pointers, and by threads.
    pub(super) fn body_elsewhere(&mut self, id: ProcId, name: &str, ty: TypeId, span: Span) {
        let Type::Function(f) = self.types.get(ty).clone() else {
            return;
        };
        let why = without_body(name);
        if !self.options.unknown_results || self.types.is_record(f.ret) {
            return self.missing_body(id, name, ty, span, why);
        }
        let body = self.declared_body(name, id, &f, span);
        let outer = std::mem::replace(&mut self.body, body);
        let writes = self.may(None);
        self.emit(Op::Unknown(why));
        self.emit(Op::Halt);
        self.body.place(writes);
        self.writes_to_arguments(&f);
        self.returns_any_value(&f, span);
        let body = std::mem::replace(&mut self.body, outer);
        self.set_procedure(id, body);
    }

    /// A function without a body that returns any value and writes nothing.
    pub(super) fn any_result(&mut self, id: ProcId, name: &str, ty: TypeId, span: Span) {
        let Type::Function(f) = self.types.get(ty).clone() else {
            return;
        };
        let body = self.declared_body(name, id, &f, span);
        let outer = std::mem::replace(&mut self.body, body);
        // What a structure holds that nothing has written is any value.
        if !self.types.is_record(f.ret) {
            self.returns_any_value(&f, span);
        }
        let body = std::mem::replace(&mut self.body, outer);
        self.set_procedure(id, body);
    }

    fn returns_any_value(&mut self, f: &FnType, span: Span) {
        let result = self.any_value(f.ret, span);
        let result = result.ok().filter(|_| self.types.width(f.ret).is_some());
        self.emit(Op::Return(result.map(|value| value.expr)));
    }

    /// Any bytes at the addresses that a function is given of what has no type.
    fn writes_to_arguments(&mut self, f: &FnType) {
        let params = self.body.proc.params.clone();
        for (param, ty) in params.into_iter().zip(&f.params) {
            let to = self.types.pointee(*ty);
            if to.is_none_or(|to| *self.types.get(to) != Type::Void) {
                continue;
            }
            let pointer = Expr::Local(param);
            let null = Expr::constant(0, self.pointer_width());
            let is_null = Expr::binary(BinOp::Eq, pointer.clone(), null);
            let writes_not = self.may(Some(is_null));
            let byte = self.temp(8);
            self.emit(Op::Havoc { dst: byte });
            self.emit(Op::Store {
                addr: pointer,
                value: Expr::Local(byte),
                order: MemoryOrder::Plain,
            });
            self.body.place(writes_not);
        }
    }

    /// A jump that is made by chance, and where a condition holds, to a place that is still to come.
    fn may(&mut self, certainly: Option<Expr>) -> Label {
        let chance = self.temp(1);
        let to = self.body.label();
        self.emit(Op::Havoc { dst: chance });
        if certainly.is_some() {
            self.body.jump(certainly, to);
        }
        self.body.jump(Some(Expr::Local(chance)), to);
        to
    }

    /// A call of a function that is declared and neither defined nor known.
    pub(super) fn unknown_call(
        &mut self,
        name: &str,
        f: &FnType,
        args: &'a [Ast],
        span: Span,
    ) -> Lowered<TypedValue> {
        let havoc = self.options.havoc.contains(name);
        let calls_back = !havoc && self.options.unknown_results;
        let mut functions = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            match f.params.get(i) {
                Some(ty) if calls_back && self.leads_to_functions(*ty) => {
                    functions.push(self.value_for(arg, *ty)?);
                }
                _ => self.discard(arg)?,
            }
        }
        self.body.span = span;
        if !havoc && !self.options.unknown_results {
            self.emit(Op::Unknown(without_body(name)));
            return self.any_value(f.ret, span);
        }
        if !havoc {
            // Besides, it may do something else.
            let behind = self.may(None);
            self.emit(Op::Unknown(without_body(name)));
            self.body.place(behind);
        }
        for given in functions {
            self.may_call_back(given, span)?;
        }
        let mut result = self.any_value(f.ret, span)?;
        for object in self.result_objects(name, f.ret, havoc, span)? {
            let is_object = self.temp(1);
            self.emit(Op::Havoc { dst: is_object });
            let [is_object, object] = [Expr::Local(is_object), object].map(Box::new);
            result.expr = Expr::Ite(is_object, object, Box::new(result.expr));
        }
        Ok(result)
    }

    /// Whether an argument is a pointer to a function, or to a structure that holds some.
    fn leads_to_functions(&self, ty: TypeId) -> bool {
        let Some(to) = self.types.pointee(ty) else {
            return false;
        };
        match self.types.get(self.types.plain(to)) {
            Type::Function(_) => true,
            Type::Record(record) => {
                let mut fields = self.types.records[*record].fields.iter().flatten();
                fields.any(|field| self.called_type(field.ty).is_some())
            }
            _ => false,
        }
    }

    /// The type of function that a pointer points to, if calls of it need no structures.
    fn called_type(&self, pointer: TypeId) -> Option<FnType> {
        let to = self.types.pointee(pointer)?;
        let Type::Function(f) = self.types.get(self.types.plain(to)) else {
            return None;
        };
        let is_scalar = |ty: &TypeId| self.types.width(*ty).is_some();
        let is_simple = !f.variadic && f.params.iter().all(is_scalar);
        (is_simple && !self.types.is_record(f.ret)).then(|| f.clone())
    }

    /// Calls the function that a pointer leads to, or those in a structure, each of them or not.
    fn may_call_back(&mut self, given: TypedValue, span: Span) -> Lowered<()> {
        if let Some(f) = self.called_type(given.ty) {
            return self.may_call(given.expr, &f, span);
        }
        let Some(to) = self.types.pointee(given.ty) else {
            return Ok(());
        };
        let Type::Record(record) = *self.types.get(self.types.plain(to)) else {
            return Ok(());
        };
        let fields = self.types.records[record].fields.clone();
        let base = self.bind(given.expr);
        for field in fields.into_iter().flatten() {
            let Some(f) = self.called_type(field.ty) else {
                continue;
            };
            let offset = Expr::constant(field.offset, self.pointer_width());
            let place = Expr::binary(BinOp::Add, base.clone(), offset);
            let order = self.default_order(field.ty);
            let function = self.load(place, field.ty, order, span)?;
            self.may_call(function.expr, &f, span)?;
        }
        Ok(())
    }

    /// Calls a function with any values, or not.
    fn may_call(&mut self, function: Expr, f: &FnType, span: Span) -> Lowered<()> {
        let null = Expr::constant(0, self.pointer_width());
        let is_null = Expr::binary(BinOp::Eq, function.clone(), null);
        let calls_not = self.may(Some(is_null));
        let mut args = Vec::new();
        for param in &f.params {
            args.push(self.any_value(*param, span)?.expr);
        }
        let dst = self.types.width(f.ret).map(|width| self.temp(width));
        let callee = match function {
            Expr::Proc(proc) => Callee::Proc(proc),
            pointer => Callee::Pointer(pointer),
        };
        self.emit(Op::Call { dst, callee, args });
        self.body.place(calls_not);
        Ok(())
    }

    /// The addresses of objects that a function without a body may return; one that writes nothing knows of no
    /// objects but its own.
    fn result_objects(
        &mut self,
        name: &str,
        ty: TypeId,
        havoc: bool,
        span: Span,
    ) -> Lowered<Vec<Expr>> {
        let Some(to) = self.types.pointee(ty) else {
            return Ok(Vec::new());
        };
        let own = self.result_object(name, to, span)?;
        let mut all: Vec<Expr> = own.into_iter().map(Expr::Global).collect();
        if !havoc && self.types.is_record(self.types.plain(to)) {
            all.extend(self.known_objects(name, to, span)?);
            all.truncate(MOST);
        }
        Ok(all)
    }

    /// The addresses of objects of a structure type that other files may know: variables, what functions without a body
    /// return, but for one, and parts of these.
    fn known_objects(&mut self, but: &str, to: TypeId, span: Span) -> Lowered<Vec<Expr>> {
        let to = self.types.plain(to);
        let mut all = Vec::new();
        let functions = self.names.functions().iter();
        let others = functions.filter(|(other, function)| {
            *other != but && function.definition.is_none() && self.names.is_called(other)
        });
        let others: Vec<(String, TypeId)> = others
            .filter_map(|(other, function)| match self.types.get(function.ty) {
                Type::Function(f) => Some((other.clone(), self.types.pointee(f.ret)?)),
                _ => None,
            })
            .collect();
        for (other, holder) in others {
            let parts = self.offsets_in(holder, to);
            if parts.is_empty() {
                continue;
            }
            if let Some(object) = self.result_object(&other, holder, span)? {
                all.extend(parts.into_iter().map(|at| self.address_in(object, at)));
            }
        }
        let variables = self.names.variables();
        let known = variables.filter(|(_, v)| v.linkage == Linkage::External && v.defined);
        let known: Vec<_> = known.map(|(id, v)| (id, v.ty)).collect();
        for (id, holder) in known {
            let parts = self.offsets_in(holder, to);
            if parts.is_empty() || all.len() >= MOST {
                continue;
            }
            let object = self.global(id, span)?;
            all.extend(parts.into_iter().map(|at| self.address_in(object, at)));
        }
        Ok(all)
    }

    /// An uninitialised pointer may lead to an object of its type, where a violation counts that some value leads to.
    pub(super) fn may_lead_to_object(
        &mut self,
        pointer: LocalId,
        ty: TypeId,
        name: &str,
        span: Span,
    ) -> Lowered<()> {
        let is_record = self
            .types
            .pointee(ty)
            .is_some_and(|to| self.types.is_record(self.types.plain(to)));
        if !self.options.unknown_results || !is_record {
            return Ok(());
        }
        let to = self.types.pointee(ty).expect("it is a pointer");
        let key = format!("{name} at {}", span.start);
        let own = self.made_object((&key, format!("what {name} leads to")), to, span)?;
        let known = self.known_objects("", to, span)?;
        for object in own.map(Expr::Global).into_iter().chain(known) {
            let leads_not = self.may(None);
            self.emit(Op::Assign {
                dst: pointer,
                value: object,
            });
            self.body.place(leads_not);
        }
        Ok(())
    }

    fn address_in(&self, object: GlobalId, offset: u64) -> Expr {
        match offset {
            0 => Expr::Global(object),
            _ => {
                let offset = Expr::constant(offset, self.pointer_width());
                Expr::binary(BinOp::Add, Expr::Global(object), offset)
            }
        }
    }

    /// Where an object of one type has parts of another one; of an array, the first element is looked at.
    fn offsets_in(&self, holder: TypeId, part: TypeId) -> Vec<u64> {
        let holder = self.types.plain(holder);
        if holder == part {
            return vec![0];
        }
        match self.types.get(holder) {
            Type::Array(elem, _) => self.offsets_in(*elem, part),
            Type::Record(record) => {
                let fields = self.types.records[*record].fields.iter().flatten();
                let within = fields.flat_map(|field| {
                    let parts = self.offsets_in(field.ty, part).into_iter();
                    parts.map(|at| at + field.offset)
                });
                within.collect()
            }
            _ => Vec::new(),
        }
    }

    /// An object that a function without a body may return the address of, the same each time; none where its
    /// type is not known.
    fn result_object(&mut self, name: &str, to: TypeId, span: Span) -> Lowered<Option<GlobalId>> {
        self.made_object((name, format!("result of {name}")), to, span)
    }

    /// An object for a key, with a name.
    fn made_object(
        &mut self,
        (key, name): (&str, String),
        to: TypeId,
        span: Span,
    ) -> Lowered<Option<GlobalId>> {
        if let Some(object) = self.made.result_object(key) {
            return Ok(Some(object));
        }
        let is_object = !matches!(self.types.get(to), Type::Void | Type::Function(_));
        if !is_object || !self.is_complete(to) {
            return Ok(None);
        }
        let object = Global {
            name,
            span,
            layout: self.layout(to, span)?,
            init: Vec::new(),
            thread_local: false,
        };
        let object = self.program.globals.push(object);
        self.made.keep_result_object(key, object);
        Ok(Some(object))
    }
}

/// Why a call of a function without a body has no meaning, and what gives it one.
fn without_body(name: &str) -> String {
    format!(
        "call of `{name}`, whose body is not here (--havoc {name} takes any result, --stub FILE.c adds a \
         body)"
    )
}
