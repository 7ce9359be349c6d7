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
use super::linker_name::Linkage;
use super::names::{Function, Home, UnitId, VariableId};
use crate::front::c::compatible::Incompatible;
use crate::front::c::library::PREFIX;
use crate::front::c::types::{FnType, Type, TypeId};
use base::code::Code;
use base::diag::Diag;
use base::source::Span;
use ir::program::ProcId;
use std::collections::{BTreeMap, BTreeSet};

/// A function definition, or an alias of one.
struct Definition {
    /// The linker's name.
    symbol: String,
    span: Span,
    linkage: Linkage,
    weak: bool,
    home: Home,
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
            let mut all = Vec::new();
            for (name, f) in l.names.functions() {
                let home = match &f.linker.alias {
                    Some(target) => l.names.defined_as(target),
                    None => f.definition.map(|_| name.clone()),
                };
                all.extend(home.map(|home| Definition {
                    symbol: f.linker.symbol(name).to_string(),
                    span: f.definition.map_or(f.span, |d| d.name.span),
                    linkage: f.linkage,
                    weak: f.linker.weak,
                    home: Home { unit, name: home },
                }));
            }
            all
        })
    }

    /// Aliases are of what their file defines.
    fn check_aliases(&mut self, unit: UnitId) {
        let wrong = self.in_unit(unit, |l| {
            let functions = l.names.functions().iter();
            let functions = functions.map(|(name, f)| (name, &f.linker.alias, f.span));
            let variables = l.names.variables().map(|(_, v)| v);
            let variables = variables.filter(|v| v.unit == unit);
            let variables = variables.map(|v| (&v.name, &v.linker.alias, v.span));
            let aliases = functions.chain(variables);
            let aliases = aliases.filter_map(|(name, alias, at)| Some((name, alias.as_ref()?, at)));
            let wrong = aliases.filter(|(_, target, _)| {
                let is_variable = l.names.variable_defined_as(target).is_some();
                !is_variable && l.names.defined_as(target).is_none()
            });
            let wrong = wrong.map(|(name, target, at)| {
                let message =
                    format!("`{name}` is an alias of `{target}`, which this file does not define");
                Diag::error(at, message).with_code(Code::Linking)
            });
            wrong.collect::<Vec<_>>()
        });
        wrong.into_iter().for_each(|diag| self.error(diag));
    }

    fn link_functions(&mut self) {
        // Where external functions are defined, and whether that is weak.
        let mut external: BTreeMap<String, (Span, bool)> = BTreeMap::new();
        let mut inline = Vec::new();
        let mut names = BTreeSet::new();
        for unit in self.names.units() {
            self.check_aliases(unit);
            for found in self.definitions(unit) {
                let Definition { symbol, home, .. } = found;
                if of_the_library(&symbol) {
                    let functions = &mut self.names.externals_mut().functions;
                    functions.entry(symbol).or_insert(home);
                    continue;
                }
                if !names.insert(home.name.clone()) {
                    let ambiguous = &mut self.names.externals_mut().ambiguous;
                    ambiguous.insert(home.name.clone());
                }
                match (found.linkage, external.get(&symbol)) {
                    (Linkage::Internal, _) => continue,
                    (Linkage::Inline, _) => {
                        inline.push((symbol, found.span));
                        continue;
                    }
                    (Linkage::External, Some((first, false))) if !found.weak => {
                        self.error(defined_twice(&symbol, found.span, *first));
                        continue;
                    }
                    // The first one counts, and one that is not weak before those that are.
                    (Linkage::External, Some((_, is_weak))) if found.weak || !is_weak => continue,
                    (Linkage::External, _) => {}
                }
                external.insert(symbol.clone(), (found.span, found.weak));
                self.names.externals_mut().functions.insert(symbol, home);
            }
        }
        for (symbol, span) in inline {
            if let Some((other, _)) = external.get(&symbol).filter(|(s, _)| *s != span) {
                let message = format!(
                    "`{symbol}` has an inline definition here and another definition in another file, and a call \
                     may take either"
                );
                let diag = Diag::error(span, message).with_code(Code::Linking);
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
        let functions = self.names.externals().functions.iter();
        let library = functions.filter(|(name, _)| of_the_library(name));
        let missing = library.filter(|(name, _)| !self.names.functions().contains_key(*name));
        let missing: Vec<Home> = missing.map(|(_, home)| home.clone()).collect();
        for Home { unit: home, name } in missing {
            let copied = self.in_unit(home, |l| {
                let f = &l.names.functions()[&name];
                Function {
                    span: f.span,
                    ty: f.ty,
                    definition: f.definition,
                    unit: home,
                    linkage: f.linkage,
                    linker: f.linker.clone(),
                    misfit: None,
                    proc: None,
                }
            });
            self.names.functions_mut().insert(name, copied);
        }
    }

    /// The body that a name of this unit stands for, where it is another's.
    fn body_of(&self, name: &str) -> Option<Home> {
        let known = self.names.function(name)?;
        let unit = self.names.unit();
        let symbol = known.linker.symbol(name);
        let external = self.names.externals().functions.get(symbol);
        let own = |symbol: &str| {
            let name = self.names.defined_as(symbol)?;
            Some(Home { unit, name })
        };
        let found = match &known.linker.alias {
            Some(target) => match known.linkage {
                Linkage::External => external.cloned().or_else(|| own(target)),
                _ => own(target),
            },
            None if of_the_library(name) => external.cloned(),
            None if known.linkage == Linkage::Internal => None,
            None if known.definition.is_some() && !known.linker.weak => None,
            // What a file knows by a symbol may be its own alone.
            None => match (external, &known.linker.symbol) {
                (None, Some(symbol)) => own(symbol),
                (found, _) => found.cloned(),
            },
        };
        found.filter(|home| home.unit != unit || home.name != name)
    }

    /// Gives a function that this unit declares the definition that counts, if another one does.
    pub fn link_function(&mut self, name: &str) {
        let Some(home) = self.body_of(name) else {
            return;
        };
        let known = &self.names.functions()[name];
        let (declared, at) = (known.ty, known.span);
        let (defined, definition, there) = self.in_unit(home.unit, |l| {
            let f = &l.names.functions()[&home.name];
            (
                f.ty,
                f.definition,
                f.definition.map_or(f.span, |d| d.name.span),
            )
        });
        let mut misfit = None;
        if !of_the_library(name)
            && let Err(why) = self.types.compatible_with_definition(declared, defined)
        {
            let here = Declared {
                ty: declared,
                span: at,
            };
            let defined = Declared {
                ty: defined,
                span: there,
            };
            let warning = self.differs((Code::Misfit, name), here, defined, why);
            let note = "linkers do not look at it; a call that is reached is not answered";
            self.program.warnings.push(warning.note(note));
            misfit = Some(there);
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
            function.unit = home.unit;
            function.misfit = misfit;
            function.proc = None;
            function.ty = ty;
        }
    }

    /// Lets the variables that are aliases have the objects of what they are aliases of.
    fn link_aliases(&mut self) {
        let variables = self.names.variables();
        let aliases = variables.filter_map(|(id, v)| Some((id, v.unit, v.linker.alias.clone()?)));
        for (id, unit, target) in aliases.collect::<Vec<_>>() {
            let target = self.in_unit(unit, |l| l.names.variable_defined_as(&target));
            if let Some(target) = target.filter(|target| self.names.object(*target) != id) {
                self.refer(id, target);
            }
        }
    }

    fn link_variables(&mut self) {
        self.link_aliases();
        let mut groups: BTreeMap<String, Vec<VariableId>> = BTreeMap::new();
        let (mut names, mut twice) = (BTreeSet::new(), Vec::new());
        for (id, variable) in self.names.variables() {
            let name = &variable.name;
            if variable.linkage == Linkage::External || of_the_library(name) {
                let symbol = variable.linker.symbol(name).to_string();
                groups.entry(symbol).or_default().push(id);
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
            if let Some(home) = self.names.externals().functions.get(&name).cloned() {
                let (here, there) = (self.names.variable(object).span, self.function_place(&home));
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

    fn function_place(&mut self, home: &Home) -> Span {
        self.in_unit(home.unit, |l| l.names.functions()[&home.name].span)
    }

    /// Of all declarations of a variable the one that has the object: that with the initial value, or
    /// the first that is no mere declaration; weak ones come behind all others.
    fn object_of(&mut self, name: &str, group: &[VariableId]) -> Option<VariableId> {
        let has_value = |id: &&VariableId| {
            let variable = self.names.variable(**id);
            variable.init.is_some() || variable.linker.alias.is_some()
        };
        let is_strong = |id: &&VariableId| !self.names.variable(**id).linker.weak;
        let all: Vec<VariableId> = group.iter().filter(has_value).copied().collect();
        let strong: Vec<VariableId> = all.iter().filter(is_strong).copied().collect();
        let rank = |id: &&VariableId| {
            let variable = self.names.variable(**id);
            let is_sized = !matches!(self.types.get(variable.ty), Type::Array(_, None));
            (
                !variable.defined,
                variable.linker.weak,
                !has_value(id),
                !is_sized,
            )
        };
        let object = group.iter().min_by_key(rank).copied();
        if !of_the_library(name) {
            for twice in strong.iter().skip(1) {
                let (at, first) = (
                    self.names.variable(*twice).span,
                    self.names.variable(strong[0]).span,
                );
                self.error(defined_twice(name, at, first));
            }
        }
        object
    }

    /// Lets a variable that a block declares refer to the object of its name.
    pub fn link_variable(&mut self, id: VariableId) {
        let variable = self.names.variable(id);
        if variable.linkage != Linkage::External {
            return;
        }
        let name = variable.linker.symbol(&variable.name).to_string();
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
        let of_rust = variable.linker.is_of_rust && other.linker.is_of_rust;
        let fit = match of_rust {
            true => Ok(()),
            false => self.types.compatible(here.ty, there.ty),
        };
        if of_the_library(&name) {
            // Each unit has it from the same text.
        } else if let Err(why) = fit {
            let error = self.differs((Code::Linking, &name), here, there, why);
            self.error(error);
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

    /// That two units declare a name differently.
    fn differs(
        &self,
        (code, name): (Code, &str),
        here: Declared,
        there: Declared,
        why: Incompatible,
    ) -> Diag {
        let (x, y) = (self.types.show(here.ty), self.types.show(there.ty));
        let diag = if code == Code::Misfit {
            let message = format!("`{name}` is declared as `{x}` here and is a `{y}`");
            Diag::warning(code, here.span, message)
        } else if x == y {
            let message = format!(
                "`{name}` is declared as `{x}` here, which is another type in another file"
            );
            Diag::error(here.span, message).with_code(code)
        } else {
            let message =
                format!("`{name}` is declared as `{x}` here and as `{y}` in another file");
            Diag::error(here.span, message).with_code(code)
        };
        let diag = diag.also(there.span, "the other declaration");
        match why.member {
            Some(member) => diag.note(member),
            None => diag,
        }
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
