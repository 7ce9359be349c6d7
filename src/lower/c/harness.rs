//! A `main` for functions that are checked without one: it calls them in a row, or starts them as
//! threads, with arbitrary arguments.
//!
//! A number is any number. A pointer points to one object of its type that nothing else points to, with
//! any contents; pointers in it are null, or point to such objects, [`DEPTH`] steps deep. `char *` is a
//! string as `main` gets them, and `void *` any value. Where the first parameters of several calls
//! point to the same type of structure, that is the thing they are functions of, and is one object for
//! all of them. What is assumed so is listed with the program, as no verdict holds without it.

use super::arguments::STRING;
use super::body::Body;
use super::fold;
use super::linker_name::Linkage;
use super::names::UnitId;
use super::options::{Entry, Harness, Parallel};
use super::subjects::{DEPTH, Shared, Target, list, parameter_name};
use super::{Lowered, Lowering};
use crate::front::c::ast::{self, Derived, IntKind};
use crate::front::c::library::PREFIX;
use crate::front::c::types::{Type, TypeId};
use base::diag::Diag;
use base::idx::IdVec;
use base::nearest::nearest;
use base::source::Span;
use ir::program::{BinOp, Callee, Expr, LocalId, Op, Proc, ProcId, UnOp};
use std::collections::BTreeSet;

/// Elements of an array that are given values one by one.
const MAX_ELEMENTS: u64 = 64;

/// A part of an object that a harness makes.
struct Part<'a> {
    name: &'a str,
    /// How many more pointers are followed to objects.
    depth: u32,
}

impl<'a> Lowering<'a> {
    /// The procedure that execution begins with, where the program is no whole one; `None` after an
    /// error.
    pub fn harness(&mut self, harness: &Harness) -> Option<ProcId> {
        let (started, threads) = match &harness.entry {
            Entry::Call(name) => (vec![name.clone()], None),
            Entry::Threads(threads) => {
                let names = threads.iter().map(|t| t.function.clone());
                (names.collect(), Some(threads))
            }
            Entry::Client(client) => return self.client(client),
        };
        let before = self.targets(&harness.setup);
        let started = self.targets(&started);
        let after = self.targets(&harness.finally);
        let (before, started, after) = (before?, started?, after?);
        let first = started.first()?.span();
        let void = self.types.id(Type::Void);
        let id = self.program.procs.push(Proc {
            name: "main".to_string(),
            span: first,
            params: Vec::new(),
            locals: IdVec::new(),
            body: Vec::new(),
            returns: None,
        });
        self.body = Body::new("main", id, first, void);
        let calls = [before.as_slice(), &started, &after].concat();
        let result = self.shared_objects(&before, &calls).and_then(|mut shared| {
            for (i, target) in before.iter().enumerate() {
                let result = self.call_target(target, &shared)?;
                self.note_made(&mut shared, i, result, target.span());
            }
            match threads {
                Some(threads) => self.run_threads(threads, &started, &shared)?,
                None => started
                    .iter()
                    .try_for_each(|t| self.call_target(t, &shared).map(|_| ()))?,
            }
            after
                .iter()
                .try_for_each(|t| self.call_target(t, &shared).map(|_| ()))
        });
        if let Err(refusal) = result {
            self.error(refusal);
            return None;
        }
        let body = Body::new("", ProcId(u32::MAX), first, void);
        self.program.procs[id] = std::mem::replace(&mut self.body, body).finish();
        self.note_assumptions(&before, &calls);
        Some(id)
    }

    fn targets(&mut self, names: &[String]) -> Option<Vec<Target<'a>>> {
        let mut found = Vec::new();
        for name in names {
            let target = self.function_named(name);
            let target = target.and_then(|t| self.is_callable(&t).map(|()| t));
            match target {
                Ok(target) => found.push(target),
                Err(refusal) => self.error(refusal),
            }
        }
        (found.len() == names.len()).then_some(found)
    }

    /// The definition of a function, in whichever unit it is; an external one goes before static ones.
    pub(super) fn function_named(&mut self, name: &str) -> Lowered<Target<'a>> {
        if name == "main" {
            let message = "`main` is called with arguments of its own";
            return Err(Diag::bare(message)
                .note("it is checked without further options")
                .into());
        }
        let mut found: Vec<(Linkage, Target<'a>)> = Vec::new();
        let mut defined = BTreeSet::new();
        let mut declared = None;
        for unit in self.names.units() {
            let here = self.in_unit(unit, |l| {
                for (name, f) in l.names.functions() {
                    let own = f.definition.is_some() && !name.starts_with(PREFIX);
                    if own && name != "main" {
                        defined.insert(name.clone());
                    }
                }
                let f = l.names.function(name)?;
                let (linkage, ty, at) = (f.linkage, f.ty, f.span);
                let Some(function) = f.definition.filter(|_| f.unit == unit) else {
                    declared.get_or_insert(at);
                    return None;
                };
                let Type::Function(ty) = l.types.get(ty).clone() else {
                    return None;
                };
                let proc = l.procedure(name, function.name.span);
                let target = Target {
                    name: name.to_string(),
                    proc,
                    ty,
                    function,
                    unit,
                };
                Some((linkage, target))
            });
            found.extend(here);
        }
        if let Some(at) = found.iter().position(|(l, _)| *l == Linkage::External) {
            found = vec![found.swap_remove(at)];
        }
        if found.is_empty() {
            self.names.note_undefined(name);
        }
        match (found.as_slice(), declared) {
            ([(_, target)], _) => Ok(target.clone()),
            ([(_, first), (_, other), ..], _) => {
                let message = format!("several files have a function `{name}` of their own");
                let diag = Diag::error(first.span(), message);
                Err(diag.also(other.span(), "another one").into())
            }
            ([], Some(at)) => {
                let message = format!("`{name}` is to be called, and its body is not here");
                Err(self.with_hint(Diag::error(at, message)).into())
            }
            ([], None) => Err(unknown(name, &defined).into()),
        }
    }

    fn is_callable(&mut self, target: &Target<'a>) -> Lowered<()> {
        let (name, at) = (&target.name, target.function.head);
        if Self::is_variadic(&target.ty) {
            let message = format!("`{name}` takes any number of arguments, which cannot be made");
            return Err(Diag::unsupported(at, message).into());
        }
        let refused = |param: &ast::Param, why: String| {
            let param_name = param
                .name
                .as_ref()
                .map_or("a parameter", |n| n.name.as_str());
            let message = format!("no value can be made for `{param_name}` of `{name}`: {why}");
            Err(Diag::unsupported(param.span, message)
                .note("a function that calls it with values of its own can be checked instead")
                .into())
        };
        let slot = self.slot_type();
        for (param, ty) in target.params().iter().zip(&target.ty.params) {
            let ty = self.types.plain(*ty);
            let shown = self.types.show(ty);
            let Some(to) = self.types.pointee(ty) else {
                let known = match self.types.is_record(ty) {
                    true => self.types.size(ty).is_some(),
                    // Wider floating types have values here that are not computed with.
                    false => match self.types.get(ty) {
                        Type::Float(bytes) => *bytes <= 8,
                        _ => self.types.width(ty).is_some(),
                    },
                };
                if !known {
                    return refused(param, format!("values of type `{shown}` are not supported"));
                }
                continue;
            };
            let list = matches!(param.base.kind, ast::TypeSpecKind::VaList);
            if list || to == slot && self.scopes_name_a_list(param, target.unit) {
                return refused(param, "it is a list of arguments".to_string());
            }
            match self.types.get(self.types.plain(to)) {
                Type::Void => {}
                Type::Function(_) => {
                    return refused(param, "it points to a function".to_string());
                }
                _ if self.types.size(to).is_none() => {
                    return refused(param, format!("`{shown}` points to an incomplete type"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether a parameter is declared by the name of the type of argument lists.
    fn scopes_name_a_list(&mut self, param: &ast::Param, unit: UnitId) -> bool {
        let ast::TypeSpecKind::Named(name) = &param.base.kind else {
            return false;
        };
        let slot = self.slot_type();
        let list = self.types.pointer(slot);
        param.derived.is_empty()
            && self.in_unit(unit, |l| match l.names.scopes().find(name) {
                Some(super::names::Entity::Typedef(ty, _)) => *ty == list,
                _ => false,
            })
    }

    fn call_target(&mut self, target: &Target<'a>, shared: &Shared) -> Lowered<Option<LocalId>> {
        let subject = self.shared_object(target, shared);
        self.call_with_any(target, subject)
    }

    /// Calls a function with arbitrary arguments, the first of which may be given; its result.
    fn call_with_any(
        &mut self,
        target: &Target<'a>,
        subject: Option<Expr>,
    ) -> Lowered<Option<LocalId>> {
        let span = target.span();
        let mut args = Vec::new();
        if self.types.is_record(target.ty.ret) {
            let size = self.size_of(target.ty.ret, span)?;
            let result = self.allocate("(result)", target.ty.ret, size, false, span)?;
            args.push(Expr::Local(result));
        }
        for (i, ty) in target.ty.params.iter().enumerate() {
            args.push(match (i, &subject) {
                (0, Some(subject)) => subject.clone(),
                _ => self.any_argument(target, i, *ty)?,
            });
        }
        let dst = self.types.width(target.ty.ret);
        let dst = dst.map(|w| self.body.local("", w));
        self.body.span = span;
        let callee = Callee::Proc(target.proc);
        self.emit(Op::Call { dst, callee, args });
        Ok(dst)
    }

    fn any_argument(&mut self, target: &Target<'a>, i: usize, ty: TypeId) -> Lowered<Expr> {
        let span = target.params().get(i).map_or(target.span(), |p| p.span);
        let (name, ty) = (parameter_name(target.params(), i), self.types.plain(ty));
        if self.types.is_record(ty) {
            return self.any_object(&name, ty, DEPTH, span);
        }
        let pointee = self.types.pointee(ty);
        let Some(to) = pointee.filter(|to| self.types.get(self.types.plain(*to)) != &Type::Void)
        else {
            return Ok(self.any_value(ty, span)?.expr);
        };
        let size = match target.params().get(i).and_then(|p| p.derived.last()) {
            Some(Derived::Array { size: Some(size) }) => {
                self.in_unit(target.unit, |l| l.constant(size)).ok()
            }
            _ => None,
        };
        match size.and_then(|n| u64::try_from(n).ok()).filter(|n| *n > 0) {
            Some(n) => {
                let array = self.types.id(Type::Array(to, Some(n)));
                self.any_object(&name, array, DEPTH, span)
            }
            None if self.is_text(to) => self.any_string(&name, span),
            None => self.any_object(&name, to, DEPTH, span),
        }
    }

    fn is_text(&self, ty: TypeId) -> bool {
        matches!(
            self.types.get(self.types.plain(ty)),
            Type::Int(IntKind::Char)
        )
    }

    /// A new object with any contents, in which pointers lead to other new objects.
    pub(super) fn any_object(
        &mut self,
        name: &str,
        ty: TypeId,
        depth: u32,
        span: Span,
    ) -> Lowered<Expr> {
        let object = self.argument_object(name, ty, false, span)?;
        self.fill_part(&object, 0, ty, &Part { name, depth }, span)?;
        Ok(object)
    }

    /// Gives a part of an object those values that are not just any.
    fn fill_part(
        &mut self,
        object: &Expr,
        offset: u64,
        ty: TypeId,
        part: &Part,
        span: Span,
    ) -> Lowered<()> {
        let Part { name, depth } = *part;
        if self.types.is_atomic(ty) && self.types.is_record(ty) {
            return Ok(());
        }
        match self.types.get(self.types.plain(ty)).clone() {
            Type::Bool => {
                let ty = self.types.plain(ty);
                let value = self.any_value(ty, span)?.expr;
                self.put(object, offset, value, span);
            }
            Type::Array(elem, Some(n)) if self.has_fixed_parts(elem) => {
                if n > MAX_ELEMENTS {
                    let message = format!(
                        "`{name}` has an array of {n} pointers or truth values, more than \
                         {MAX_ELEMENTS}, and no value can be made for it"
                    );
                    return Err(Diag::unsupported(span, message).into());
                }
                let size = self.size_of(elem, span)?;
                for i in 0..n {
                    let name = format!("{name}[{i}]");
                    let part = Part { name: &name, depth };
                    self.fill_part(object, offset + i * size, elem, &part, span)?;
                }
            }
            Type::Record(id) if !self.types.records[id].union => {
                let fields = self.types.records[id].fields.clone().unwrap_or_default();
                for field in fields.iter().filter(|f| f.bits.is_none()) {
                    let name = match field.name.is_empty() {
                        true => name.to_string(),
                        false => format!("{name}.{}", field.name),
                    };
                    let part = Part { name: &name, depth };
                    self.fill_part(object, offset + field.offset, field.ty, &part, span)?;
                }
            }
            Type::Pointer(to) => self.fill_pointer(object, offset, to, part, span)?,
            _ => {}
        }
        Ok(())
    }

    /// A pointer in an object: null, or to a new object. What cannot be made is any value.
    fn fill_pointer(
        &mut self,
        object: &Expr,
        offset: u64,
        to: TypeId,
        part: &Part,
        span: Span,
    ) -> Lowered<()> {
        let Part { name, depth } = *part;
        let target = self.types.get(self.types.plain(to));
        if matches!(target, Type::Void | Type::Function(_)) || self.types.size(to).is_none() {
            return Ok(());
        }
        let null = self.pointer_constant(0);
        let value = match depth {
            0 => null,
            _ => {
                let name = format!("*{name}");
                let there = match self.is_text(to) {
                    true => self.any_string(&name, span)?,
                    false => self.any_object(&name, to, depth - 1, span)?,
                };
                let choice = self.body.local("", 8);
                self.body.span = span;
                self.emit(Op::Havoc { dst: choice });
                fold::choose(fold::truth(Expr::Local(choice), 8), there, null)
            }
        };
        self.put(object, offset, value, span);
        Ok(())
    }

    /// Whether some part of a type is a pointer or a truth value.
    fn has_fixed_parts(&self, ty: TypeId) -> bool {
        match self.types.get(self.types.plain(ty)) {
            Type::Bool | Type::Pointer(_) => true,
            Type::Array(elem, _) => self.has_fixed_parts(*elem),
            Type::Record(id) => {
                let fields = self.types.records[*id]
                    .fields
                    .as_deref()
                    .unwrap_or_default();
                fields.iter().any(|f| self.has_fixed_parts(f.ty))
            }
            _ => false,
        }
    }

    /// Starts functions as threads, and waits for all of them.
    fn run_threads(
        &mut self,
        threads: &[Parallel],
        targets: &[Target<'a>],
        shared: &Shared,
    ) -> Lowered<()> {
        let pointer = self.pointer_width();
        let mut handles = Vec::new();
        for (thread, target) in threads.iter().zip(targets) {
            let subject = self.shared_object(target, shared);
            let routine = self.routine(target, subject.is_some())?;
            let span = target.span();
            let callee = self.with_destructors(Callee::Proc(routine), span);
            let arg = subject.unwrap_or(self.pointer_constant(0));
            let dst = self.body.local("", pointer);
            self.body.span = span;
            let spawn = Op::Spawn { dst, callee, arg };
            if thread.any_number {
                self.repeat(spawn);
            } else {
                self.emit(spawn);
                handles.push((dst, span));
            }
        }
        for (handle, span) in handles {
            self.body.span = span;
            let handle = Expr::Local(handle);
            self.emit(Op::Join { handle, dst: None });
        }
        Ok(())
    }

    /// Does something any number of times.
    fn repeat(&mut self, op: Op) {
        let (times, done) = (self.body.local("", 32), self.body.local("", 32));
        self.emit(Op::Havoc { dst: times });
        let assign = |value| Op::Assign { dst: done, value };
        self.emit(assign(Expr::constant(0, 32)));
        let (again, end) = (self.body.label(), self.body.label());
        self.body.place(again);
        let less = Expr::binary(BinOp::Slt, Expr::Local(done), Expr::Local(times));
        self.body
            .jump(Some(Expr::Unary(UnOp::Not, Box::new(less))), end);
        self.emit(op);
        let next = Expr::binary(BinOp::Add, Expr::Local(done), Expr::constant(1, 32));
        self.emit(assign(next));
        self.body.jump(None, again);
        self.body.place(end);
    }

    /// The start routine of a thread that calls a function once, and is that function where it can be.
    fn routine(&mut self, target: &Target<'a>, shared: bool) -> Lowered<ProcId> {
        let returned = self.types.width(target.ty.ret);
        let fits = returned.is_none_or(|w| w == self.pointer_width());
        let whole = target.ty.params.len() == usize::from(shared);
        if whole && fits && !self.types.is_record(target.ty.ret) {
            return Ok(target.proc);
        }
        let void = self.types.id(Type::Void);
        let name = format!("{} (thread)", target.name);
        let id = self.program.procs.next_id();
        let mut body = Body::new(&name, id, target.span(), void);
        let arg: LocalId = body.param("arg", self.pointer_width());
        self.program.procs.push(body.proc.clone());
        let outer = std::mem::replace(&mut self.body, body);
        let called = self.call_with_any(target, shared.then_some(Expr::Local(arg)));
        let body = std::mem::replace(&mut self.body, outer);
        called?;
        self.program.procs[id] = body.finish();
        Ok(id)
    }

    /// Says what is assumed about the arguments and about memory.
    fn note_assumptions(&mut self, before: &[Target<'a>], calls: &[Target<'a>]) {
        let mut said = vec!["variables have their initial values at the beginning".to_string()];
        let (mut objects, mut texts, mut deep) = (BTreeSet::new(), BTreeSet::new(), false);
        let subjects = self.subjects(calls);
        let mut any = BTreeSet::new();
        for target in calls {
            for (i, ty) in target.ty.params.iter().enumerate() {
                any.insert(format!("`{}`", target.name));
                let name = format!(
                    "`{}` of `{}`",
                    parameter_name(target.params(), i),
                    target.name
                );
                let Some(to) = self.types.pointee(*ty) else {
                    deep |= self.types.is_record(*ty) && self.has_pointers(*ty);
                    continue;
                };
                let array = matches!(
                    target.params().get(i).and_then(|p| p.derived.last()),
                    Some(Derived::Array { size: Some(_) })
                );
                match self.types.get(self.types.plain(to)) {
                    Type::Void => {}
                    Type::Int(IntKind::Char) if !array => {
                        texts.insert(name);
                    }
                    _ => {
                        objects.insert(name);
                        deep |= self.has_pointers(to);
                    }
                }
            }
        }
        if !any.is_empty() {
            said.push(format!("any arguments of {}", list(any)));
        }
        for (ty, users) in &subjects {
            let name = |t: &&Target| format!("`{}` of `{}`", parameter_name(t.params(), 0), t.name);
            let Some(maker) = self.maker_of(*ty, before) else {
                if users.len() > 1 {
                    let names = users.iter().map(name).collect();
                    said.push(format!("{} is one object for all calls", list(names)));
                }
                said.extend(self.proposal(*ty, before, calls));
                continue;
            };
            let until = &before[..=maker];
            let is_later = |t: &&Target| until.iter().all(|earlier| earlier.name != t.name);
            let users = users.iter().copied().filter(is_later);
            let names: BTreeSet<String> = users.map(|t| name(&t)).collect();
            objects.retain(|object| !names.contains(object));
            let (names, maker) = (list(names), &before[maker].name);
            said.push(format!("{names} is what `{maker}` returns, and not null"));
        }
        if !objects.is_empty() {
            said.push(format!(
                "not null, and to one object of its type that no other argument points to: {}",
                list(objects)
            ));
        }
        if !texts.is_empty() {
            said.push(format!(
                "a string of at most {} characters, and not null: {}",
                STRING - 1,
                list(texts)
            ));
        }
        if deep {
            said.push(format!(
                "pointers in these objects are null or point to objects of their own, {DEPTH} steps deep"
            ));
        }
        self.program.assumptions.extend(said);
    }

    fn has_pointers(&self, ty: TypeId) -> bool {
        match self.types.get(self.types.plain(ty)) {
            Type::Pointer(_) => true,
            Type::Array(elem, _) => self.has_pointers(*elem),
            Type::Record(id) => {
                let fields = self.types.records[*id]
                    .fields
                    .as_deref()
                    .unwrap_or_default();
                fields.iter().any(|f| self.has_pointers(f.ty))
            }
            _ => false,
        }
    }
}

/// There is no function of this name.
fn unknown(name: &str, defined: &BTreeSet<String>) -> Diag {
    let names: Vec<&str> = defined.iter().map(String::as_str).collect();
    let diag = Diag::bare(format!("no function `{name}` is defined here"));
    match nearest(name, &names) {
        Some(near) => diag.note(format!("did you mean `{near}`?")),
        None if names.is_empty() => diag.note("no function is defined here"),
        None => diag.note(format!("the functions are: {}", names.join(", "))),
    }
}
