//! Several translation units as one program.
//!
//! Each unit has its file scope and its functions. When all units are declared they are linked: a name with
//! external linkage has one definition, which the declarations of the other units refer to. Every unit
//! keeps the types that it declares, so that its text means what it meant alone; that they are
//! compatible with those of the definition is checked.
//!
//! What the library has in C (its names begin with [`PREFIX`]) is in every unit that uses it, and is
//! one for all of them: a thread has one list of cleanup handlers.

use super::Lowering;
use super::names::{Function, Linkage, UnitId, VariableId};
use crate::front::c::compatible::Incompatible;
use crate::front::c::library::PREFIX;
use crate::front::c::types::{FnType, Type, TypeId};
use base::code::Code;
use base::diag::Diag;
use base::source::Span;
use ir::program::ProcId;
use std::collections::{BTreeMap, BTreeSet};

/// A function definition.
struct Definition {
    name: String,
    span: Span,
    linkage: Linkage,
}

/// What a unit declares a name as.
#[derive(Clone, Copy)]
struct Declared {
    ty: TypeId,
    span: Span,
}

/// True for what the library has in C.
fn of_the_library(name: &str) -> bool {
    name.starts_with(PREFIX)
}

impl<'a> Lowering<'a> {
    /// Does something with the names of a unit.
    pub fn in_unit<T>(&mut self, unit: UnitId, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.names.enter_unit(unit);
        let result = work(self);
        self.names.enter_unit(before);
        result
    }

    /// Links all units, whose declarations are complete.
    pub fn link(&mut self) {
        self.link_functions();
        self.link_variables();
    }

    /// The procedure of `main`; `None` when no unit defines it.
    pub fn main_procedure(&mut self) -> Option<ProcId> {
        let units = self.names.units();
        let mut found = units.filter_map(|unit| {
            self.in_unit(unit, |l| {
                let main = l.names.function("main")?.definition?;
                Some(l.procedure("main", main.name.span))
            })
        });
        found.next()
    }

    fn definitions(&mut self, unit: UnitId) -> Vec<Definition> {
        self.in_unit(unit, |l| {
            let defined = l.names.functions().iter().filter_map(|(name, f)| {
                Some(Definition {
                    name: name.clone(),
                    span: f.definition?.name.span,
                    linkage: f.linkage,
                })
            });
            defined.collect()
        })
    }

    fn link_functions(&mut self) {
        let mut external: BTreeMap<String, Span> = BTreeMap::new();
        let mut inline = Vec::new();
        let mut names = BTreeSet::new();
        for unit in self.names.units() {
            for found in self.definitions(unit) {
                if of_the_library(&found.name) {
                    self.names
                        .externals_mut()
                        .functions
                        .entry(found.name)
                        .or_insert(unit);
                    continue;
                }
                if !names.insert(found.name.clone()) {
                    self.names
                        .externals_mut()
                        .ambiguous
                        .insert(found.name.clone());
                }
                match (found.linkage, external.get(&found.name)) {
                    (Linkage::Internal, _) => {}
                    (Linkage::Inline, _) => inline.push(found),
                    (Linkage::External, Some(first)) => {
                        self.error(defined_twice(&found.name, found.span, *first));
                    }
                    (Linkage::External, None) => {
                        external.insert(found.name.clone(), found.span);
                        self.names
                            .externals_mut()
                            .functions
                            .insert(found.name, unit);
                    }
                }
            }
        }
        for found in inline {
            if let Some(other) = external.get(&found.name).filter(|s| **s != found.span) {
                let message = format!(
                    "`{}` has an inline definition here and another definition in another file, and a call \
                     may take either",
                    found.name
                );
                let diag = Diag::error(found.span, message).with_code(Code::Linking);
                let diag = diag.also(*other, "the other definition");
                self.error(diag.note("make the inline definition `static`"));
            }
        }
        for unit in self.names.units() {
            self.in_unit(unit, |l| {
                let names: Vec<String> = l.names.functions().keys().cloned().collect();
                names.iter().for_each(|name| l.link_function(name));
                l.add_library();
            });
        }
    }

    /// The library's functions are in every unit, as soon as they are in one.
    fn add_library(&mut self) {
        let all: Vec<(String, UnitId)> = self
            .names
            .externals()
            .functions
            .iter()
            .filter(|(name, _)| of_the_library(name) && !self.names.functions().contains_key(*name))
            .map(|(name, unit)| (name.clone(), *unit))
            .collect();
        for (name, home) in all {
            let copied = self.in_unit(home, |l| {
                let f = &l.names.functions()[&name];
                Function {
                    span: f.span,
                    ty: f.ty,
                    definition: f.definition,
                    unit: home,
                    linkage: f.linkage,
                    proc: None,
                }
            });
            self.names.functions_mut().insert(name, copied);
        }
    }

    /// Gives a function that this unit declares the definition of another unit, if there is one.
    pub fn link_function(&mut self, name: &str) {
        let home = match self.names.externals().functions.get(name) {
            Some(home) if *home != self.names.unit() => *home,
            _ => return,
        };
        let Some(known) = self.names.function(name) else {
            return;
        };
        let library = of_the_library(name);
        if !library && (known.linkage == Linkage::Internal || known.definition.is_some()) {
            return;
        }
        let (declared, at) = (known.ty, known.span);
        let (defined, definition, there) = self.in_unit(home, |l| {
            let f = &l.names.functions()[name];
            (
                f.ty,
                f.definition,
                f.definition.map_or(f.span, |d| d.name.span),
            )
        });
        if !library && let Err(why) = self.types.compatible_with_definition(declared, defined) {
            let here = Declared {
                ty: declared,
                span: at,
            };
            let there = Declared {
                ty: defined,
                span: there,
            };
            self.differs(name, here, there, why);
        }
        // Without a prototype the definition says what the parameters are.
        let ty = match (self.types.get(declared), self.types.get(defined)) {
            (Type::Function(f), Type::Function(g)) if f.has_no_prototype() => {
                let ret = f.ret;
                let known = FnType { ret, ..g.clone() };
                self.types.id(Type::Function(known))
            }
            _ => declared,
        };
        if let Some(function) = self.names.functions_mut().get_mut(name) {
            function.definition = definition;
            function.unit = home;
            function.proc = None;
            function.ty = ty;
        }
    }

    fn link_variables(&mut self) {
        let mut groups: BTreeMap<String, Vec<VariableId>> = BTreeMap::new();
        let (mut names, mut twice) = (BTreeSet::new(), Vec::new());
        for (id, variable) in self.names.variables() {
            let name = &variable.name;
            if variable.linkage == Linkage::External || of_the_library(name) {
                groups.entry(name.clone()).or_default().push(id);
            } else if !names.insert(name.clone()) {
                twice.push(name.clone());
            }
        }
        self.names.externals_mut().ambiguous.extend(twice);
        for (name, group) in groups {
            if names.contains(&name) {
                self.names.externals_mut().ambiguous.insert(name.clone());
            }
            let Some(object) = self.object_of(&name, &group) else {
                continue;
            };
            if let Some(home) = self.names.externals().functions.get(&name).copied() {
                let (here, there) = (
                    self.names.variable(object).span,
                    self.function_place(home, &name),
                );
                let message = format!("`{name}` is a variable here and a function in another file");
                let diag = Diag::error(here, message).with_code(Code::Linking);
                self.error(diag.also(there, "the function"));
            }
            for other in group {
                if other != object {
                    self.refer(other, object);
                }
            }
            self.names.externals_mut().variables.insert(name, object);
        }
    }

    fn function_place(&mut self, unit: UnitId, name: &str) -> Span {
        self.in_unit(unit, |l| l.names.functions()[name].span)
    }

    /// Of all declarations of a variable the one that has the object: that with the initial value, or
    /// the first that is no mere declaration.
    fn object_of(&mut self, name: &str, group: &[VariableId]) -> Option<VariableId> {
        let initialised = |id: &&VariableId| self.names.variable(**id).init.is_some();
        let all: Vec<VariableId> = group.iter().filter(initialised).copied().collect();
        if !of_the_library(name) {
            for twice in all.iter().skip(1) {
                let (at, first) = (
                    self.names.variable(*twice).span,
                    self.names.variable(all[0]).span,
                );
                self.error(defined_twice(name, at, first));
            }
        }
        let rank = |id: &&VariableId| {
            let variable = self.names.variable(**id);
            let sized = !matches!(self.types.get(variable.ty), Type::Array(_, None));
            match (variable.defined, sized) {
                (true, true) => 0,
                (true, false) => 1,
                (false, _) => 2,
            }
        };
        let first = group.iter().min_by_key(rank);
        all.first().or(first).copied()
    }

    /// Lets a variable that a block declares refer to the object of its name.
    pub fn link_variable(&mut self, id: VariableId) {
        let variable = self.names.variable(id);
        if variable.linkage != Linkage::External {
            return;
        }
        let name = variable.name.clone();
        match self.names.externals().variables.get(&name).copied() {
            Some(object) => self.refer(id, object),
            None => {
                self.names.externals_mut().variables.insert(name, id);
            }
        }
    }

    fn refer(&mut self, id: VariableId, object: VariableId) {
        let (variable, other) = (self.names.variable(id), self.names.variable(object));
        let name = variable.name.clone();
        let [here, there] = [variable, other].map(|v| Declared {
            ty: v.ty,
            span: v.span,
        });
        let local = variable.thread_local;
        let same = local == other.thread_local;
        if of_the_library(&name) {
            // Each unit has it from the same text.
        } else if let Err(why) = self.types.compatible(here.ty, there.ty) {
            self.differs(&name, here, there, why);
        } else if !same {
            let kind = if local {
                "one a thread"
            } else {
                "one for all threads"
            };
            let message = format!("`{name}` is {kind} here and is not in another file");
            let diag = Diag::error(here.span, message).with_code(Code::Linking);
            self.error(diag.also(there.span, "the other declaration"));
        }
        self.names.variable_mut(id).link = Some(object);
    }

    /// Says that two units declare a name differently.
    fn differs(&mut self, name: &str, here: Declared, there: Declared, why: Incompatible) {
        let (x, y) = (self.types.show(here.ty), self.types.show(there.ty));
        let message = match x == y {
            true => {
                format!("`{name}` is declared as `{x}` here, which is another type in another file")
            }
            false => format!("`{name}` is declared as `{x}` here and as `{y}` in another file"),
        };
        let diag = Diag::error(here.span, message).with_code(Code::Linking);
        let diag = diag.also(there.span, "the other declaration");
        self.error(match why.member {
            Some(member) => diag.note(member),
            None => diag,
        });
    }

    /// The name of a function's procedure: with the file where other files have one of the same name.
    pub fn procedure_name(&self, name: &str) -> String {
        let external = |f: &Function| f.linkage == Linkage::External;
        match self.names.function(name).is_none_or(external) {
            true => name.to_string(),
            false => self.name_in_file(name, self.names.unit()),
        }
    }

    /// The name of a variable's object, likewise.
    pub fn variable_name(&self, id: VariableId) -> String {
        let variable = self.names.variable(id);
        match variable.linkage {
            Linkage::External => variable.name.clone(),
            Linkage::Internal | Linkage::Inline => self.name_in_file(&variable.name, variable.unit),
        }
    }

    fn name_in_file(&self, name: &str, unit: UnitId) -> String {
        match self.names.externals().ambiguous.contains(name) {
            true => format!(
                "{}:{name}",
                self.diagnostics.file_name(self.names.file_of(unit))
            ),
            false => name.to_string(),
        }
    }

    /// Says what helps where a definition is missing.
    pub fn with_hint(&self, diag: Diag) -> Diag {
        match self.names.units().len() {
            1 => diag.note("if another file defines it, name both files and --link"),
            _ => diag,
        }
    }
}

fn defined_twice(name: &str, at: Span, first: Span) -> Diag {
    let diag = Diag::error(at, format!("`{name}` is defined twice")).with_code(Code::Linking);
    diag.also(first, "first defined here")
}
