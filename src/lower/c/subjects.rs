//! The functions that a harness calls, and the objects that they are about: what their first parameters
//! point to.

use super::names::UnitId;
use super::{Lowered, Lowering};
use crate::front::c::ast::{self, Derived};
use crate::front::c::library::PREFIX;
use crate::front::c::types::{FnType, Type, TypeId};
use base::source::Span;
use ir::program::{BinOp, Expr, LocalId, Op, ProcId};
use std::collections::BTreeSet;

/// How many pointers lead from an argument's object to the last object behind it.
pub(super) const DEPTH: u32 = 2;
/// What names of functions that make an object have in them.
const MAKERS: [&str; 5] = ["init", "create", "new", "alloc", "make"];

/// A function that is called.
#[derive(Clone)]
pub(super) struct Target<'a> {
    pub(super) name: String,
    pub(super) proc: ProcId,
    pub(super) ty: FnType,
    pub(super) function: &'a ast::Function,
    pub(super) unit: UnitId,
}

impl<'a> Target<'a> {
    pub(super) fn span(&self) -> Span {
        self.function.name.span
    }

    pub(super) fn params(&self) -> &'a [ast::Param] {
        match self.function.derived.last() {
            Some(Derived::Function { params, .. }) => params,
            _ => &[],
        }
    }
}

/// The objects that several functions are about, by the types that their first parameters point to: made
/// by a function of `--setup` that returns such a pointer, or with any contents.
#[derive(Default)]
pub(super) struct Shared(Vec<(TypeId, Subject)>);

/// An object that functions are about.
enum Subject {
    /// Its address.
    Object(Expr),
    /// The result of this call of `--setup`, in a register once the call is done.
    Made(usize, Option<LocalId>),
}

impl<'a> Lowering<'a> {
    /// The objects that several calls are about.
    pub(super) fn shared_objects(
        &mut self,
        before: &[Target<'a>],
        calls: &[Target<'a>],
    ) -> Lowered<Shared> {
        let mut shared = Shared::default();
        for (ty, users) in self.subjects(calls) {
            let subject = match (self.maker_of(ty, before), users.as_slice()) {
                (Some(maker), _) => Subject::Made(maker, None),
                (None, [first, _, ..]) => {
                    let name = parameter_name(first.params(), 0);
                    Subject::Object(self.any_object(&name, ty, DEPTH, first.span())?)
                }
                _ => continue,
            };
            shared.0.push((ty, subject));
        }
        Ok(shared)
    }

    /// Which of some functions returns a pointer to a structure.
    pub(super) fn maker_of(&self, ty: TypeId, targets: &[Target<'a>]) -> Option<usize> {
        targets.iter().position(|t| self.makes(&t.ty, ty))
    }

    fn makes(&self, function: &FnType, ty: TypeId) -> bool {
        let made = self.types.pointee(function.ret);
        made.is_some_and(|made| self.types.compatible(self.types.plain(made), ty).is_ok())
    }

    /// Keeps what a function of `--setup` has made, which is assumed to be an object.
    pub(super) fn note_made(
        &mut self,
        shared: &mut Shared,
        call: usize,
        result: Option<LocalId>,
        span: Span,
    ) {
        for (_, subject) in &mut shared.0 {
            if let (Subject::Made(maker, object), Some(result)) = (subject, result)
                && *maker == call
            {
                *object = Some(result);
                let null = self.pointer_constant(0);
                let is_object = Expr::binary(BinOp::Ne, Expr::Local(result), null);
                self.emit_at(span, Op::Assume(is_object));
            }
        }
    }

    /// The calls whose first parameter points to a structure, by its type. What the files of a program
    /// declare alike is one type.
    pub(super) fn subjects<'t>(
        &self,
        calls: &'t [Target<'a>],
    ) -> Vec<(TypeId, Vec<&'t Target<'a>>)> {
        let mut subjects: Vec<(TypeId, Vec<&Target>)> = Vec::new();
        for target in calls {
            let Some(ty) = self.subject_of(target) else {
                continue;
            };
            let known = subjects.iter_mut();
            let same = |other: TypeId| self.types.compatible(ty, other).is_ok();
            match known.into_iter().find(|(other, _)| same(*other)) {
                Some((_, users)) => users.push(target),
                None => subjects.push((ty, vec![target])),
            }
        }
        subjects
    }

    /// The object that a call is about, where others are about it, too.
    pub(super) fn shared_object(&self, target: &Target<'a>, shared: &Shared) -> Option<Expr> {
        let ty = self.subject_of(target)?;
        let same = |other: TypeId| self.types.compatible(ty, other).is_ok();
        match shared.0.iter().find(|(other, _)| same(*other))? {
            (_, Subject::Object(object)) => Some(object.clone()),
            (_, Subject::Made(_, object)) => object.map(Expr::Local),
        }
    }

    /// The structure that the first parameter points to.
    pub(super) fn subject_of(&self, target: &Target<'a>) -> Option<TypeId> {
        let to = self.types.pointee(*target.ty.params.first()?)?;
        let to = self.types.plain(to);
        self.types.is_record(to).then_some(to)
    }

    /// What could make the object that calls are about, where no function of `--setup` does.
    pub(super) fn proposal(
        &mut self,
        ty: TypeId,
        before: &[Target<'a>],
        calls: &[Target<'a>],
    ) -> Option<String> {
        let mut earlier = before.iter().filter_map(|t| self.subject_of(t));
        if earlier.any(|subject| self.types.compatible(subject, ty).is_ok()) {
            return None;
        }
        let units = self.names.units();
        let makers = units.flat_map(|unit| self.in_unit(unit, |l| l.makers(ty, calls)));
        let makers: BTreeSet<String> = makers.map(|name| format!("`--setup {name}`")).collect();
        let any = "the contents of this object are any";
        let some = !makers.is_empty();
        some.then(|| {
            format!(
                "{any}: {} may make one that is as it should be",
                list(makers)
            )
        })
    }

    /// The functions of the unit that return a pointer to a structure, or take one and are named as what makes it.
    fn makers(&self, ty: TypeId, calls: &[Target<'a>]) -> Vec<String> {
        let is_other = |name: &str| {
            !name.starts_with(PREFIX) && calls.iter().all(|called| called.name != name)
        };
        let makes = |name: &str, function: TypeId| {
            let Type::Function(f) = self.types.get(function) else {
                return false;
            };
            let first = f.params.first().and_then(|p| self.types.pointee(*p));
            let takes =
                first.is_some_and(|p| self.types.compatible(self.types.plain(p), ty).is_ok());
            let name = name.to_lowercase();
            match takes {
                true => MAKERS.iter().any(|part| name.contains(part)),
                false => self.makes(f, ty),
            }
        };
        let functions = self.names.functions().iter();
        let defined = functions.filter(|(_, f)| f.definition.is_some());
        let found = defined.filter(|(name, f)| is_other(name) && makes(name, f.ty));
        found.map(|(name, _)| name.clone()).collect()
    }
}

pub(super) fn list(names: BTreeSet<String>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}

pub(super) fn parameter_name(params: &[ast::Param], i: usize) -> String {
    let name = params.get(i).and_then(|p| p.name.as_ref());
    name.map_or_else(|| format!("parameter {}", i + 1), |n| n.name.clone())
}
