//! Cat syntax to a [`Model`]: running the text once.
//!
//! A cat file is a small functional program whose values are relations, sets, functions and tuples.
//! Running it leaves the axioms; what they use becomes the model, everything else is dropped. So
//! functions are inlined, names are gone, and a definition that no axiom uses costs nothing.
//!
//! What differs from herd7, which runs the text once an execution:
//! - `with co from generate_cos(r)` does not enumerate: `co` is the coherence order the execution
//!   comes with, and if `r` asks for more than that order has by itself, it becomes an axiom.
//! - a test that is negated is refused by name, but for `flag`.
//! - `let rec` takes relations that grow with their variables; others are refused.
//! - no variant is ever on: `if "…"` takes its other branch.

mod collect;
mod exprs;
mod items;
mod lists;
mod recursion;
mod registers;
mod spelling;

use super::arch;
use super::build::Builder;
use super::dialect::Dialect;
use super::library;
use super::model::{Axiom, BaseRel, BaseSet, Flag, Model, RelId, SetId};
use crate::syntax;
use crate::syntax::ast::{Function, Pattern, Procedure};
use base::code::Code;
use base::diag::{Diag, specifically};
use base::source::{FileId, SourceMap, Span};
use spelling::nearest;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

/// Compiles a file of `sources`; `name` is what the model is called in messages.
///
/// # Errors
/// Everything that is wrong with the text or not supported, each with a span.
pub fn compile(sources: &mut SourceMap, file: FileId, name: &str) -> Result<Model, Vec<Diag>> {
    let word = syntax::parse(sources, file).ok().and_then(|text| text.arch);
    let arch = word.and_then(|word| arch::of_word(&word));
    let (result, names) = compile_as(sources, file, name, None);
    let fits = |d: Dialect| arch.is_none_or(|arch| Dialect::of_arch(arch) == Some(d));
    match Dialect::of_names(&names, fits) {
        Some(dialect) => compile_as(sources, file, name, Some(dialect)).0,
        None => result,
    }
}

/// Compiles a file with the names of a dialect; also gives the names that the text uses.
fn compile_as(
    sources: &mut SourceMap,
    file: FileId,
    name: &str,
    dialect: Option<Dialect>,
) -> (Result<Model, Vec<Diag>>, BTreeSet<String>) {
    let mut compiler = Compiler {
        sources,
        build: Builder::default(),
        scopes: Vec::new(),
        errors: Vec::new(),
        axioms: Vec::new(),
        flags: Vec::new(),
        names: Vec::new(),
        including: Vec::new(),
        tags: BTreeSet::new(),
        mentioned: BTreeSet::new(),
        built_in: None,
        depth: 0,
        steps: 0,
    };
    let mut env = compiler.base_scope();
    let names = dialect.map(Dialect::file);
    for built_in in [Some(library::PRELUDE), names].into_iter().flatten() {
        if let Some(file) = compiler.builtin_file(built_in) {
            compiler.run_file(file, &mut env);
        }
    }
    compiler.built_in = env;
    if let Some(bell) = compiler.annotations(file) {
        compiler.run_file(bell, &mut env);
    }
    compiler.names.clear();
    compiler.tags.clear();
    compiler.mentioned.clear();
    let head = compiler.run_file(file, &mut env);
    if !compiler.errors.is_empty() {
        let errors = specifically(Code::MemoryModel)(compiler.errors);
        return (Err(errors), compiler.mentioned);
    }
    let (word, title) = head.unwrap_or_default();
    let mut model = collect::collect(
        &compiler.build,
        (&compiler.axioms, &compiler.flags),
        &compiler.names,
    );
    model.name = name.to_string();
    model.title = title;
    model.tags = compiler.tags;
    model.linked = word.as_deref().is_none_or(arch::is_linked);
    model.arch = word
        .and_then(|w| arch::of_word(&w))
        .or_else(|| dialect.and_then(Dialect::arch))
        .or_else(|| arch::of_tags(&model));
    (Ok(model), compiler.mentioned)
}

/// What a name stands for.
#[derive(Clone)]
enum CatValue {
    Rel(RelId),
    Set(SetId),
    /// `0`, `{}`: nothing, as a relation or as a set.
    Zero,
    Tuple(Vec<CatValue>),
    /// A set of other things than events: of tags, of relations. It is written out in the text, so it does
    /// not depend on the execution.
    List(Vec<CatValue>),
    /// `'tag`
    Tag(String),
    Fun(Rc<Function>, Env),
    Builtin(BuiltinFunction),
    /// What is said of registers inside of instructions: see [`registers`].
    Registers,
    Proc(Rc<Procedure>, Env),
    /// Its definition was wrong, and has been reported.
    Poison,
}

/// The functions that are not written in cat.
#[derive(Clone, Copy)]
enum BuiltinFunction {
    Domain,
    Range,
    /// The events with a tag.
    TagEvents,
    /// The total orders of a set that contain a relation.
    Linearisations,
    /// The pairs of a relation that read or write different values.
    DifferentValues,
}

/// The innermost name in scope.
type Env = Option<usize>;

/// A name in scope, and the one around it.
struct Scope {
    name: String,
    value: CatValue,
    outer: Env,
}

/// Why a value could not be made. `Unknown` alone is what `try` catches.
enum Fail {
    Unknown(Box<Diag>),
    Wrong(Box<Diag>),
    /// Reported where the name was defined.
    Poisoned,
}

type Made<T> = Result<T, Fail>;

fn wrong<T>(diag: Diag) -> Made<T> {
    Err(Fail::Wrong(Box::new(diag)))
}

/// Relations and sets of registers, and of what instructions do before they access memory.
const REGISTERS: [&str; 10] = [
    "B",
    "rf-reg",
    "iico_data",
    "iico_ctrl",
    "iico_order",
    "Rreg",
    "Wreg",
    "ADDR",
    "DATA",
    "BCC",
];

/// How deep evaluation nests, and how many steps it takes.
const MAX_DEPTH: usize = 300;
const MAX_STEPS: usize = 1_000_000;

struct Compiler<'a> {
    sources: &'a mut SourceMap,
    build: Builder,
    scopes: Vec<Scope>,
    errors: Vec<Diag>,
    axioms: Vec<Axiom>,
    flags: Vec<Flag>,
    names: Vec<(String, RelId)>,
    including: Vec<FileId>,
    /// Tags looked up so far.
    tags: BTreeSet<String>,
    /// Names looked up so far, whether they are defined or not.
    mentioned: BTreeSet<String>,
    /// The scope of the built-in names.
    built_in: Env,
    depth: usize,
    steps: usize,
}

impl Compiler<'_> {
    /// The file that declares the annotations of a model, `x.bell` beside `x.cat`, as herd7's configuration
    /// of the kernel's model has them.
    fn annotations(&mut self, model: FileId) -> Option<FileId> {
        let name = self.sources.file(model).name.clone();
        let bell = Path::new(&name).with_extension("bell");
        let is_file = !name.starts_with('<') && name != bell.display().to_string();
        (is_file && bell.is_file()).then(|| self.sources.load(&bell).ok())?
    }

    fn bind(&mut self, env: &mut Env, name: &str, value: CatValue) {
        self.scopes.push(Scope {
            name: name.to_string(),
            value,
            outer: *env,
        });
        *env = Some(self.scopes.len() - 1);
    }

    fn base_scope(&mut self) -> Env {
        let mut env = None;
        let rels = [
            ("po", BaseRel::Po),
            ("rf", BaseRel::Rf),
            ("co", BaseRel::Co),
            ("fr", BaseRel::Fr),
            ("addr", BaseRel::Addr),
            ("data", BaseRel::Data),
            ("ctrl", BaseRel::Ctrl),
            ("rmw", BaseRel::Rmw),
            ("amo", BaseRel::Amo),
            ("lxsx", BaseRel::Lxsx),
            ("loc", BaseRel::Loc),
            ("int", BaseRel::Int),
            ("ext", BaseRel::Ext),
            ("atomic-group", BaseRel::Group),
            ("same-access", BaseRel::SameAccess),
        ];
        for (name, base) in rels {
            let value = CatValue::Rel(self.build.base(base));
            self.bind(&mut env, name, value);
        }
        let sets = [
            ("R", BaseSet::R),
            ("W", BaseSet::W),
            ("F", BaseSet::F),
            ("IW", BaseSet::IW),
            ("FW", BaseSet::FW),
            ("RMW", BaseSet::Rmw),
        ];
        for (name, base) in sets {
            let value = CatValue::Set(self.build.base_set(base));
            self.bind(&mut env, name, value);
        }
        for tag in arch::TAGS {
            let value = CatValue::Set(self.build.base_set(BaseSet::Tag((*tag).to_string())));
            // herd7 calls the set of a tag so, where it is declared in a text.
            let name = capitalised(&tag.to_lowercase());
            self.bind(&mut env, &name, value.clone());
            self.bind(&mut env, tag, value);
        }
        let functions = [
            ("domain", BuiltinFunction::Domain),
            ("range", BuiltinFunction::Range),
            ("tag2events", BuiltinFunction::TagEvents),
            ("linearisations", BuiltinFunction::Linearisations),
            ("different-values", BuiltinFunction::DifferentValues),
        ];
        for (name, function) in functions {
            self.bind(&mut env, name, CatValue::Builtin(function));
        }
        for name in REGISTERS {
            self.bind(&mut env, name, CatValue::Registers);
        }
        env
    }

    /// What a name stands for in a scope.
    fn find(&self, name: &str, env: Env) -> Option<&CatValue> {
        let mut at = env;
        while let Some(index) = at {
            let scope = &self.scopes[index];
            if scope.name == name {
                return Some(&scope.value);
            }
            at = scope.outer;
        }
        None
    }

    fn lookup(&self, name: &str, span: Span, env: Env) -> Made<CatValue> {
        match self.find(name, env) {
            Some(CatValue::Poison) => return Err(Fail::Poisoned),
            Some(value) => return Ok(value.clone()),
            None => {}
        }
        let mut diag = Diag::error(span, format!("`{name}` is not defined"));
        let mut names = Vec::new();
        let mut at = env;
        while let Some(index) = at {
            names.push(self.scopes[index].name.as_str());
            at = self.scopes[index].outer;
        }
        if let Some(near) = nearest(name, names.into_iter()) {
            diag = diag.note(format!("did you mean `{near}`?"));
        }
        if name == name.to_uppercase() {
            diag = diag.note("no event of a program carries this tag");
        }
        Err(Fail::Unknown(Box::new(diag)))
    }

    fn deeper<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> Made<T>) -> Made<T> {
        self.steps += 1;
        if self.depth >= MAX_DEPTH || self.steps >= MAX_STEPS {
            let message = if self.depth >= MAX_DEPTH {
                "this expands without end"
            } else {
                "this expands too far"
            };
            return wrong(Diag::error(span, message).label("while evaluating this"));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    fn match_pattern(
        &mut self,
        pattern: &Pattern,
        value: CatValue,
        at: Span,
        env: &mut Env,
    ) -> Made<()> {
        match (pattern, value) {
            (Pattern::One(None, _), _) => {}
            (Pattern::One(Some(name), _), value) => self.bind(env, &name.text, value),
            (Pattern::Tuple(names, _), CatValue::Tuple(values)) if names.len() == values.len() => {
                for (name, value) in names.iter().zip(values) {
                    if let Some(name) = name {
                        self.bind(env, &name.text, value);
                    }
                }
            }
            (Pattern::Tuple(names, span), value) => {
                let count = if let CatValue::Tuple(values) = &value {
                    values.len()
                } else {
                    1
                };
                let message = format!("{} values are wanted here, {count} given", names.len());
                return wrong(Diag::error(at, message).also(*span, "wanted by these parameters"));
            }
        }
        Ok(())
    }
}

fn kind_of(value: &CatValue) -> &'static str {
    match value {
        CatValue::Rel(_) => "a relation",
        CatValue::Set(_) => "a set",
        CatValue::Zero => "an empty relation",
        CatValue::Tuple(_) => "a tuple",
        CatValue::List(_) => "a set of other things than events",
        CatValue::Tag(_) => "a tag",
        CatValue::Registers => "a relation between registers, which executions do not have",
        CatValue::Fun(..) | CatValue::Builtin(_) => "a function",
        CatValue::Proc(..) => "a procedure",
        CatValue::Poison => "a wrong definition",
    }
}

/// How a set is called whose tag is `rcu-lock`: `Rcu-lock`.
fn capitalised(tag: &str) -> String {
    let mut letters = tag.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests;
