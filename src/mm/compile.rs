//! Cat syntax to a [`Model`]: running the text once.
//!
//! A cat file is a small functional program whose values are relations, sets, functions and tuples.
//! Running it leaves the axioms; what they use becomes the model, everything else is dropped. So
//! functions are inlined, names are gone, and a definition nobody asks about costs nothing.
//!
//! What differs from herd7, which runs the text once an execution:
//! - `with co from generate_cos(r)` does not enumerate: `co` is the coherence order the execution
//!   comes with, and if `r` asks for more than that order has by itself, it becomes an axiom.
//! - a test that would only mark executions (`flag`), or that is negated, is refused by name unless
//!   its relation is empty whatever the execution.
//! - `let rec` takes relations that grow with their variables; others are refused.
//! - no variant is ever on: `if "…"` takes its other branch.

use super::arch;
use super::build::{Builder, operands, set_operands};
use super::library;
use super::model::{
    Arch, Axiom, AxiomKind, BaseRel, BaseSet, Model, RecId, Rel, RelId, Set, SetId,
};
use crate::front::cat;
use crate::front::cat::ast::{
    Bindings, ChainOp, Cond, Expr, ExprKind, Function, Item, ItemKind, Name, Pattern, Procedure,
    Role, Test, TestKind, UnaryOp,
};
use crate::front::diag::Diag;
use crate::front::source::{FileId, SourceMap, Span};
use crate::idx::IdVec;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;

/// Compiles a file of `sources`; `name` is what the model is called in messages.
///
/// # Errors
/// Everything that is wrong with the text or not supported, each with a span.
pub fn compile(sources: &mut SourceMap, file: FileId, name: &str) -> Result<Model, Vec<Diag>> {
    let mut compiler = Compiler {
        sources,
        build: Builder::default(),
        scopes: Vec::new(),
        errors: Vec::new(),
        axioms: Vec::new(),
        names: Vec::new(),
        including: Vec::new(),
        depth: 0,
        steps: 0,
    };
    let mut env = compiler.base_scope();
    let prelude = compiler.builtin_file(library::PRELUDE);
    if let Some(prelude) = prelude {
        compiler.run_file(prelude, &mut env);
    }
    compiler.names.clear();
    let head = compiler.run_file(file, &mut env);
    if !compiler.errors.is_empty() {
        return Err(compiler.errors);
    }
    let (word, title) = head.unwrap_or_default();
    let mut model = collect(&compiler.build, &compiler.axioms, &compiler.names);
    model.name = name.to_string();
    model.title = title;
    model.arch = word
        .and_then(|w| arch::of_word(&w))
        .or_else(|| arch::of_tags(&model));
    Ok(model)
}

/// What a name stands for.
#[derive(Clone)]
enum Value {
    Rel(RelId),
    Set(SetId),
    /// `0`, `{}`: nothing, as a relation or as a set.
    Zero,
    Tuple(Vec<Value>),
    Fun(Rc<Function>, Env),
    Ends(End),
    Proc(Rc<Procedure>, Env),
    /// Its definition was wrong, and has been reported.
    Poison,
}

/// The two functions that are not written in cat.
#[derive(Clone, Copy)]
enum End {
    Domain,
    Range,
}

/// The innermost name in scope.
type Env = Option<usize>;

/// A name in scope, and the one around it.
struct Scope {
    name: String,
    value: Value,
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

/// How deep evaluation nests, how many steps it takes, and how deep files include each other.
const MAX_DEPTH: usize = 300;
const MAX_STEPS: usize = 1_000_000;
const MAX_INCLUDES: usize = 20;

struct Compiler<'a> {
    sources: &'a mut SourceMap,
    build: Builder,
    scopes: Vec<Scope>,
    errors: Vec<Diag>,
    axioms: Vec<Axiom>,
    names: Vec<(String, RelId)>,
    including: Vec<FileId>,
    depth: usize,
    steps: usize,
}

impl Compiler<'_> {
    fn bind(&mut self, env: &mut Env, name: &str, value: Value) {
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
        ];
        for (name, base) in rels {
            let value = Value::Rel(self.build.base(base));
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
            let value = Value::Set(self.build.base_set(base));
            self.bind(&mut env, name, value);
        }
        for tag in arch::TAGS {
            let value = Value::Set(self.build.base_set(BaseSet::Tag((*tag).to_string())));
            self.bind(&mut env, tag, value);
        }
        self.bind(&mut env, "domain", Value::Ends(End::Domain));
        self.bind(&mut env, "range", Value::Ends(End::Range));
        env
    }

    // Files and statements.

    fn builtin_file(&mut self, name: &str) -> Option<FileId> {
        let text = library::text(name)?;
        let shown = format!("<{name}>");
        Some(
            self.sources
                .find(&shown)
                .unwrap_or_else(|| self.sources.add(shown, text)),
        )
    }

    /// Runs a file's statements; gives the machine's name and the title.
    fn run_file(&mut self, file: FileId, env: &mut Env) -> Option<(Option<String>, String)> {
        match cat::parse(self.sources, file) {
            Ok(parsed) => {
                self.including.push(file);
                self.run(&parsed.items, env, None);
                self.including.pop();
                Some((parsed.arch, parsed.title))
            }
            Err(errors) => {
                self.errors.extend(errors);
                None
            }
        }
    }

    /// Runs statements; `label` names the tests of a called procedure.
    fn run(&mut self, items: &[Item], env: &mut Env, label: Option<&Name>) {
        for item in items {
            if let Err(fail) = self.run_item(item, env, label) {
                match fail {
                    Fail::Unknown(diag) | Fail::Wrong(diag) => self.errors.push(*diag),
                    Fail::Poisoned => {}
                }
            }
        }
    }

    fn run_item(&mut self, item: &Item, env: &mut Env, label: Option<&Name>) -> Made<()> {
        self.build.here = Some(item.span);
        match &item.kind {
            ItemKind::Let(bindings) => self.run_let(bindings, env, true),
            ItemKind::Test(test) => self.run_test(test, *env, item.span, label),
            ItemKind::Show => Ok(()),
            ItemKind::Include(name) => self.include(name, item.span, env),
            ItemKind::Procedure(procedure) => {
                let value = Value::Proc(procedure.clone(), *env);
                self.bind(env, &procedure.name.text, value);
                Ok(())
            }
            ItemKind::Call {
                procedure,
                arg,
                label,
            } => {
                let Value::Proc(body, mut inner) =
                    self.lookup(&procedure.text, procedure.span, *env)?
                else {
                    return wrong(Diag::error(
                        procedure.span,
                        format!("`{}` is no procedure", procedure.text),
                    ));
                };
                let arg_value = self.eval(arg, *env)?;
                self.match_pattern(&body.params, arg_value, arg.span, &mut inner)?;
                self.deeper(item.span, |c| {
                    c.run(&body.body, &mut inner, label.as_ref());
                    Ok(())
                })
            }
            ItemKind::With { name, from } => self.with_from(name, from, env),
            ItemKind::If {
                cond,
                then,
                otherwise,
            } => {
                let branch = if cond_holds(cond)? { then } else { otherwise };
                self.run(branch, env, label);
                Ok(())
            }
        }
    }

    fn include(&mut self, name: &str, span: Span, env: &mut Env) -> Made<()> {
        let from = self.sources.file(span.file).name.clone();
        if self.including.len() >= MAX_INCLUDES {
            return wrong(Diag::error(
                span,
                format!("files include each other more than {MAX_INCLUDES} deep"),
            ));
        }
        let file = match self.file_beside(&from, name, span)? {
            Some(file) => file,
            None => match self.builtin_file(name) {
                Some(file) => file,
                None => {
                    let message =
                        format!("there is no `{name}` beside `{from}`, and none is built in");
                    let names: Vec<_> = library::includes().collect();
                    let near = nearest(name, names.iter().copied());
                    let note = match near {
                        Some(near) => format!("`{near}` is built in"),
                        None => format!("built in are {}", names.join(", ")),
                    };
                    return wrong(Diag::error(span, message).note(note));
                }
            },
        };
        if self.including.contains(&file) {
            return wrong(Diag::error(span, format!("`{name}` includes itself")));
        }
        self.run_file(file, env);
        Ok(())
    }

    /// The file `name` in the directory of the including file, if there is one.
    fn file_beside(&mut self, from: &str, name: &str, span: Span) -> Made<Option<FileId>> {
        if from.starts_with('<') {
            return Ok(None);
        }
        let path = Path::new(from).parent().unwrap_or(Path::new("")).join(name);
        if let Some(file) = self.sources.find(&path.display().to_string()) {
            return Ok(Some(file));
        }
        match self.sources.load(&path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.reason == "no such file" => Ok(None),
            Err(error) => wrong(Diag::error(
                span,
                format!("cannot read `{}`: {}", path.display(), error.reason),
            )),
        }
    }

    fn run_let(&mut self, bindings: &Bindings, env: &mut Env, top: bool) -> Made<()> {
        let outer = *env;
        if bindings.recursive {
            return self.run_rec(bindings, env, top);
        }
        // Every body is evaluated in the scope outside, whatever the others bind.
        for bind in &bindings.binds {
            let result = self.eval(&bind.body, outer).and_then(|value| {
                self.record(top, &bind.pattern, &value);
                self.match_pattern(&bind.pattern, value, bind.body.span, env)
            });
            if let Err(fail) = result {
                if !top {
                    return Err(fail);
                }
                self.poison(&bind.pattern, env);
                match fail {
                    Fail::Unknown(diag) | Fail::Wrong(diag) => self.errors.push(*diag),
                    Fail::Poisoned => {}
                }
            }
        }
        Ok(())
    }

    fn poison(&mut self, pattern: &Pattern, env: &mut Env) {
        let names = match pattern {
            Pattern::One(name, _) => name.as_slice().to_vec(),
            Pattern::Tuple(names, _) => names.iter().flatten().cloned().collect(),
        };
        for name in names {
            self.bind(env, &name.text, Value::Poison);
        }
    }

    /// Remembers a relation's name for counterexamples.
    fn record(&mut self, top: bool, pattern: &Pattern, value: &Value) {
        if let (true, Pattern::One(Some(name), _), Value::Rel(rel)) = (top, pattern, value) {
            self.names.retain(|(n, _)| *n != name.text);
            self.names.push((name.text.clone(), *rel));
        }
    }

    fn match_pattern(
        &mut self,
        pattern: &Pattern,
        value: Value,
        at: Span,
        env: &mut Env,
    ) -> Made<()> {
        match (pattern, value) {
            (Pattern::One(None, _), _) => {}
            (Pattern::One(Some(name), _), value) => self.bind(env, &name.text, value),
            (Pattern::Tuple(names, _), Value::Tuple(values)) if names.len() == values.len() => {
                for (name, value) in names.iter().zip(values) {
                    if let Some(name) = name {
                        self.bind(env, &name.text, value);
                    }
                }
            }
            (Pattern::Tuple(names, span), value) => {
                let count = if let Value::Tuple(values) = &value {
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

    fn run_rec(&mut self, bindings: &Bindings, env: &mut Env, top: bool) -> Made<()> {
        let mut variables = Vec::new();
        let first = self.scopes.len();
        for bind in &bindings.binds {
            let Pattern::One(Some(name), span) = &bind.pattern else {
                let (Pattern::One(_, span) | Pattern::Tuple(_, span)) = bind.pattern;
                return wrong(Diag::error(span, "`let rec` binds names one by one"));
            };
            let value = match &bind.body.kind {
                ExprKind::Fun(function) => Value::Fun(function.clone(), None),
                _ => {
                    let rel = self.build.rec();
                    variables.push((name, *span, &bind.body, rel));
                    Value::Rel(rel)
                }
            };
            self.bind(env, &name.text, value);
        }
        for scope in &mut self.scopes[first..] {
            if let Value::Fun(_, inner) = &mut scope.value {
                *inner = *env;
            }
        }
        let targets: BTreeSet<RelId> = variables.iter().map(|v| v.3).collect();
        let mut result = Ok(());
        for (name, _, body, rel) in &variables {
            let made = self.eval(body, *env).and_then(|v| match v {
                Value::Set(_) => {
                    let message =
                        format!("`{}` is a set; recursive sets are not supported", name.text);
                    wrong(
                        Diag::error(body.span, message)
                            .note("write it as a relation `[S]` inside the identity"),
                    )
                }
                value => self.as_rel(value, body.span),
            });
            match made {
                Ok(made) => {
                    let Rel::Rec(id) = self.build.rels[*rel] else {
                        continue;
                    };
                    self.build.recs[id] = Some(made);
                }
                Err(fail) => result = Err(fail),
            }
        }
        if result.is_ok() {
            result = self.check_growing(
                &variables.iter().map(|v| (v.0, v.3)).collect::<Vec<_>>(),
                &targets,
            );
        }
        if let Err(fail) = result {
            for bind in &bindings.binds {
                self.poison(&bind.pattern, env);
            }
            return Err(fail);
        }
        // A lone variable may be a closure in disguise, or not recursive at all.
        if let [(name, _, _, rel)] = variables[..] {
            let value = Value::Rel(self.simplest(rel));
            self.bind(env, &name.text, value);
        }
        for bind in &bindings.binds {
            if let Pattern::One(Some(name), span) = &bind.pattern {
                let value = self.lookup(&name.text, *span, *env)?;
                self.record(top, &bind.pattern, &value);
            }
        }
        Ok(())
    }

    /// What a variable defined by itself alone stands for.
    ///
    /// match: `let rec r = b`, `let rec r = b | r;r`   result: `b`, `b^+`
    fn simplest(&mut self, rec: RelId) -> RelId {
        let Rel::Rec(id) = self.build.rels[rec] else {
            return rec;
        };
        let Some(body) = self.build.recs[id] else {
            return rec;
        };
        let mut leaves = vec![body];
        let (mut base, mut squares) = (self.build.empty(), false);
        while let Some(leaf) = leaves.pop() {
            match self.build.rels[leaf] {
                Rel::Union(a, b) => leaves.extend([a, b]),
                Rel::Seq(a, b) if a == rec && b == rec => squares = true,
                _ if leaf == rec => {}
                _ if self.depends(leaf, &BTreeSet::from([rec])).0 => return rec,
                _ => base = self.build.union(base, leaf),
            }
        }
        if squares { self.build.plus(base) } else { base }
    }

    /// Refuses variables that shrink when they grow: under the right side of `\`, or `~`.
    fn check_growing(&self, variables: &[(&Name, RelId)], targets: &BTreeSet<RelId>) -> Made<()> {
        for (name, rel) in variables {
            if let (_, Some(negative)) = self.depends(*rel, targets) {
                let message = format!(
                    "the definition of `{}` needs the complement of itself",
                    name.text
                );
                let place = self.build.spans[negative].unwrap_or(name.span);
                let diag = Diag::error(place, message)
                    .label("a recursive relation must not stand to the right of `\\` or under `~`")
                    .also(name.span, "defined here");
                return wrong(diag);
            }
        }
        Ok(())
    }

    /// Whether `root` uses one of `targets`, and a difference under whose right side it does.
    fn depends(&self, root: RelId, targets: &BTreeSet<RelId>) -> (bool, Option<RelId>) {
        let (mut found, mut negative) = (false, None);
        let mut seen = BTreeSet::new();
        let mut work: Vec<(Operand, Option<RelId>)> = match self.build.rels[root] {
            Rel::Rec(id) => self.build.recs[id]
                .map(|b| (Operand::Rel(b), None))
                .into_iter()
                .collect(),
            _ => vec![(Operand::Rel(root), None)],
        };
        let mut last_rel = root;
        while let Some((operand, under)) = work.pop() {
            if !seen.insert((operand, under.is_some())) {
                continue;
            }
            let (rels, sets, negated) = match operand {
                Operand::Rel(r) => {
                    last_rel = r;
                    if targets.contains(&r) {
                        found = true;
                        negative = negative.or(under);
                        continue;
                    }
                    match &self.build.rels[r] {
                        Rel::Rec(id) => (self.build.recs[*id].into_iter().collect(), vec![], None),
                        Rel::Diff(a, b) => {
                            work.push((Operand::Rel(*b), under.or(Some(r))));
                            (vec![*a], vec![], None)
                        }
                        rel => {
                            let (rels, sets) = operands(rel);
                            (rels, sets, None)
                        }
                    }
                }
                Operand::Set(s) => match &self.build.sets[s] {
                    Set::Diff(a, b) => (vec![], vec![*a], Some(*b)),
                    set => {
                        let (rels, sets) = set_operands(set);
                        (rels, sets, None)
                    }
                },
            };
            work.extend(rels.into_iter().map(|r| (Operand::Rel(r), under)));
            work.extend(sets.into_iter().map(|s| (Operand::Set(s), under)));
            work.extend(negated.map(|s| (Operand::Set(s), under.or(Some(last_rel)))));
        }
        (found, negative)
    }

    fn run_test(&mut self, test: &Test, env: Env, span: Span, label: Option<&Name>) -> Made<()> {
        let value = self.eval(&test.expr, env)?;
        let rel = match value {
            // `empty S` on a set.
            Value::Set(s) if test.kind == TestKind::Empty => self.build.identity(s),
            value => self.as_rel(value, test.expr.span)?,
        };
        let never = self.build.rels[rel] == Rel::Empty;
        if test.role != Role::Check {
            // An empty relation passes every test: `flag ~…` never marks, the others never fail.
            if never && (test.negated || test.role != Role::Flag) {
                return Ok(());
            }
            let (word, why) = match test.role {
                Role::Flag => (
                    "flag",
                    "a flagged test marks executions without forbidding them",
                ),
                Role::UndefinedUnless => ("undefined_unless", "it declares programs meaningless"),
                _ => (
                    "assert",
                    "it asks something of the model, not of an execution",
                ),
            };
            let message = format!("`{word}` tests are not supported: {why}");
            return wrong(
                Diag::error(span, message).note("remove it, or write it as a plain test"),
            );
        }
        if test.negated {
            let message =
                "a negated test is not supported: it would ask for a cycle or a pair to exist";
            return wrong(Diag::error(span, message));
        }
        let kind = match test.kind {
            TestKind::Acyclic => AxiomKind::Acyclic,
            TestKind::Irreflexive => AxiomKind::Irreflexive,
            TestKind::Empty => AxiomKind::Empty,
        };
        let name = match test.name.as_ref().or(label) {
            Some(name) => name.text.clone(),
            None => self
                .sources
                .snippet(test.expr.span)
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
        };
        // A file included twice asks the same twice.
        if !self.axioms.iter().any(|a| a.kind == kind && a.rel == rel) {
            self.axioms.push(Axiom {
                kind,
                rel,
                name,
                span,
            });
        }
        Ok(())
    }

    /// `with co from generate_cos(r)`: the coherence order, which must contain `r`.
    fn with_from(&mut self, name: &Name, from: &Expr, env: &mut Env) -> Made<()> {
        let unsupported = || {
            let message = format!("`with {} from …` is not supported here", name.text);
            wrong(
                Diag::error(from.span, message)
                    .note("only `with co from generate_cos(…)` is: the coherence order"),
            )
        };
        let ExprKind::Apply(function, arg) = &from.kind else {
            return unsupported();
        };
        let pco = match (&function.kind, &arg.kind) {
            (ExprKind::Var(f), _) if f == "generate_cos" => self.eval(arg, *env)?,
            (ExprKind::Var(f), ExprKind::Tuple(args))
                if f == "generate_orders" && args.len() == 2 =>
            {
                let writes = self.eval(&args[0], *env)?;
                let writes = self.as_set(writes, args[0].span)?;
                if self.build.sets[writes] != Set::Base(BaseSet::W) {
                    return unsupported();
                }
                self.eval(&args[1], *env)?
            }
            _ => return unsupported(),
        };
        let pco = self.as_rel(pco, arg.span)?;
        let co = self.build.base(BaseRel::Co);
        let co0 = self.lookup("co0", name.span, *env)?;
        let co0 = self.as_rel(co0, name.span)?;
        // Between writes of one location, what is asked must agree with the order.
        let (writes, loc) = (
            self.build.base_set(BaseSet::W),
            self.build.base(BaseRel::Loc),
        );
        let pairs = self.build.cross(writes, writes);
        let asked = self.build.diff(pco, co0);
        let asked = self.build.inter(asked, loc);
        let asked = self.build.inter(asked, pairs);
        let missing = self.build.diff(asked, co);
        if pco != co0 && self.build.rels[missing] != Rel::Empty {
            let name = format!("{} extends {}", name.text, self.sources.snippet(arg.span));
            self.axioms.push(Axiom {
                kind: AxiomKind::Empty,
                rel: missing,
                name,
                span: from.span,
            });
        }
        self.bind(env, &name.text, Value::Rel(co));
        Ok(())
    }

    // Expressions.

    fn lookup(&self, name: &str, span: Span, env: Env) -> Made<Value> {
        let mut at = env;
        while let Some(index) = at {
            let scope = &self.scopes[index];
            if scope.name == name {
                return match &scope.value {
                    Value::Poison => Err(Fail::Poisoned),
                    value => Ok(value.clone()),
                };
            }
            at = scope.outer;
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

    fn eval(&mut self, e: &Expr, env: Env) -> Made<Value> {
        self.deeper(e.span, |c| c.eval_inner(e, env))
    }

    fn eval_rel(&mut self, e: &Expr, env: Env) -> Made<RelId> {
        let value = self.eval(e, env)?;
        self.as_rel(value, e.span)
    }

    fn eval_set(&mut self, e: &Expr, env: Env) -> Made<SetId> {
        let value = self.eval(e, env)?;
        self.as_set(value, e.span)
    }

    fn eval_inner(&mut self, e: &Expr, env: Env) -> Made<Value> {
        let value = match &e.kind {
            ExprKind::Var(name) => self.lookup(name, e.span, env)?,
            ExprKind::Zero => Value::Zero,
            ExprKind::Universe => Value::Set(self.build.all()),
            ExprKind::Braces(items) if items.is_empty() => Value::Zero,
            ExprKind::Tuple(items) => Value::Tuple(
                items
                    .iter()
                    .map(|i| self.eval(i, env))
                    .collect::<Made<_>>()?,
            ),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, e.span, env)?,
            ExprKind::Chain(op, operands) => self.chain(*op, operands, e.span, env)?,
            ExprKind::Product(a, b) => {
                let (a, b) = (self.eval_set(a, env)?, self.eval_set(b, env)?);
                self.build.here = Some(e.span);
                Value::Rel(self.build.cross(a, b))
            }
            ExprKind::Apply(function, arg) => self.apply(function, arg, env)?,
            ExprKind::Fun(function) => Value::Fun(function.clone(), env),
            ExprKind::Let(bindings, body) => {
                let mut inner = env;
                self.run_let(bindings, &mut inner, false)?;
                self.eval(body, inner)?
            }
            ExprKind::Try(tried, otherwise) => match self.eval(tried, env) {
                Err(Fail::Unknown(_)) => self.eval(otherwise, env)?,
                result => result?,
            },
            ExprKind::If(cond, then, otherwise) => {
                self.eval(if cond_holds(cond)? { then } else { otherwise }, env)?
            }
            ExprKind::Tag(_) | ExprKind::Braces(_) | ExprKind::Match => {
                let what = match e.kind {
                    ExprKind::Tag(_) => "tags as values",
                    ExprKind::Match => "`match`",
                    _ => "sets written out",
                };
                return wrong(Diag::error(
                    e.span,
                    format!("{what} are not supported").replace("`match` are", "`match` is"),
                ));
            }
        };
        Ok(value)
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, span: Span, env: Env) -> Made<Value> {
        if op == UnaryOp::Identity {
            let set = self.eval_set(operand, env)?;
            return Ok(Value::Rel(self.build.identity(set)));
        }
        let value = self.eval(operand, env)?;
        let all = self.build.all();
        if let (UnaryOp::Complement, Value::Set(s)) = (op, &value) {
            return Ok(Value::Set(self.build.diff_sets(all, *s)));
        }
        let r = self.as_rel(value, operand.span)?;
        self.build.here = Some(span);
        let build = &mut self.build;
        let made = match op {
            UnaryOp::Complement => {
                let full = build.cross(all, all);
                build.diff(full, r)
            }
            UnaryOp::Inverse => build.inverse(r),
            UnaryOp::Plus => build.plus(r),
            UnaryOp::Star | UnaryOp::Optional => {
                let more = if op == UnaryOp::Star {
                    build.plus(r)
                } else {
                    r
                };
                let id = build.identity(all);
                build.union(id, more)
            }
            UnaryOp::Identity => r,
        };
        Ok(Value::Rel(made))
    }

    fn chain(&mut self, op: ChainOp, operands: &[Expr], span: Span, env: Env) -> Made<Value> {
        if op == ChainOp::Add {
            return wrong(Diag::error(
                span,
                "`++` is not supported: there are no sets of relations",
            ));
        }
        let values = operands
            .iter()
            .map(|o| Ok((self.eval(o, env)?, o.span)))
            .collect::<Made<Vec<_>>>()?;
        self.build.here = Some(span);
        if values.iter().all(|(v, _)| matches!(v, Value::Zero)) {
            return Ok(Value::Zero);
        }
        let is_set = op != ChainOp::Seq && values.iter().any(|(v, _)| matches!(v, Value::Set(_)));
        let is_rel = values.iter().any(|(v, _)| matches!(v, Value::Rel(_)));
        if is_set && is_rel {
            let place = |wanted: fn(&Value) -> bool| {
                values
                    .iter()
                    .find(|(v, _)| wanted(v))
                    .map_or(span, |(_, s)| *s)
            };
            let diag = Diag::error(
                place(|v| matches!(v, Value::Set(_))),
                "a set is combined with a relation",
            )
            .label("this is a set")
            .also(place(|v| matches!(v, Value::Rel(_))), "this is a relation")
            .note("`[S]` is the identity on a set, `S * T` the product of two");
            return wrong(diag);
        }
        if is_set {
            let sets = values
                .into_iter()
                .map(|(v, s)| self.as_set(v, s))
                .collect::<Made<Vec<_>>>()?;
            let build = &mut self.build;
            let made = sets.into_iter().reduce(|a, b| match op {
                ChainOp::Union => build.union_sets(a, b),
                ChainOp::Inter => build.inter_sets(a, b),
                _ => build.diff_sets(a, b),
            });
            return Ok(made.map_or(Value::Zero, Value::Set));
        }
        let rels = values
            .into_iter()
            .map(|(v, s)| self.as_rel(v, s))
            .collect::<Made<Vec<_>>>()?;
        let build = &mut self.build;
        let made = if op == ChainOp::Seq {
            // From the right, so that `a?;b*;c` unfolds without the identity.
            rels.into_iter()
                .rev()
                .reduce(|right, left| build.seq(left, right))
        } else {
            rels.into_iter().reduce(|a, b| match op {
                ChainOp::Union => build.union(a, b),
                ChainOp::Inter => build.inter(a, b),
                _ => build.diff(a, b),
            })
        };
        Ok(made.map_or(Value::Zero, Value::Rel))
    }

    fn apply(&mut self, function: &Expr, arg: &Expr, env: Env) -> Made<Value> {
        match self.eval(function, env)? {
            Value::Fun(body, mut inner) => {
                let value = self.eval(arg, env)?;
                self.match_pattern(&body.params, value, arg.span, &mut inner)?;
                self.eval(&body.body, inner)
            }
            Value::Ends(end) => {
                let rel = self.eval_rel(arg, env)?;
                Ok(Value::Set(match end {
                    End::Domain => self.build.domain(rel),
                    End::Range => self.build.range(rel),
                }))
            }
            other => wrong(Diag::error(
                function.span,
                format!("{} is applied as a function", kind_of(&other)),
            )),
        }
    }

    fn as_rel(&mut self, value: Value, span: Span) -> Made<RelId> {
        match value {
            Value::Rel(r) => Ok(r),
            Value::Zero => Ok(self.build.empty()),
            Value::Set(_) => {
                let diag = Diag::error(span, "a relation is wanted, this is a set");
                wrong(diag.note("`[S]` is the identity on a set, `S * T` the product of two"))
            }
            other => wrong(Diag::error(
                span,
                format!("a relation is wanted, this is {}", kind_of(&other)),
            )),
        }
    }

    fn as_set(&mut self, value: Value, span: Span) -> Made<SetId> {
        match value {
            Value::Set(s) => Ok(s),
            Value::Zero => Ok(self.build.empty_set()),
            Value::Rel(_) => {
                let diag = Diag::error(span, "a set is wanted, this is a relation");
                wrong(
                    diag.note(
                        "`domain(r)` and `range(r)` are the sets a relation starts and ends in",
                    ),
                )
            }
            other => wrong(Diag::error(
                span,
                format!("a set is wanted, this is {}", kind_of(&other)),
            )),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Operand {
    Rel(RelId),
    Set(SetId),
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Rel(_) => "a relation",
        Value::Set(_) => "a set",
        Value::Zero => "an empty relation",
        Value::Tuple(_) => "a tuple",
        Value::Fun(..) | Value::Ends(_) => "a function",
        Value::Proc(..) => "a procedure",
        Value::Poison => "a wrong definition",
    }
}

fn cond_holds(cond: &Cond) -> Made<bool> {
    Ok(match cond {
        Cond::Variant(_) => false,
        Cond::Not(c) => !cond_holds(c)?,
        Cond::And(a, b) => cond_holds(a)? && cond_holds(b)?,
        Cond::Or(a, b) => cond_holds(a)? || cond_holds(b)?,
        Cond::Values(span) => {
            let message =
                "a condition on relations is not supported: its branches would differ by execution";
            return wrong(Diag::error(*span, message));
        }
    })
}

/// The name that is likely meant: at most a third of it mistyped.
fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (wanted.chars().count() / 3).clamp(1, 3);
    let near = names
        .map(|n| (distance(wanted, n), n))
        .filter(|(d, _)| *d <= limit);
    near.min().map(|(_, n)| n)
}

/// How many characters must be inserted, removed or replaced.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// The model: what the axioms use, renumbered without gaps in the order it was made.
fn collect(build: &Builder, axioms: &[Axiom], names: &[(String, RelId)]) -> Model {
    let mut used = BTreeSet::new();
    let mut work: Vec<Operand> = axioms.iter().map(|a| Operand::Rel(a.rel)).collect();
    while let Some(operand) = work.pop() {
        if !used.insert(operand) {
            continue;
        }
        let (rels, sets) = match operand {
            Operand::Rel(r) => match &build.rels[r] {
                Rel::Rec(id) => (build.recs[*id].into_iter().collect(), vec![]),
                rel => operands(rel),
            },
            Operand::Set(s) => set_operands(&build.sets[s]),
        };
        work.extend(rels.into_iter().map(Operand::Rel));
        work.extend(sets.into_iter().map(Operand::Set));
    }
    let mut rel_map = BTreeMap::new();
    let mut set_map = BTreeMap::new();
    let mut rec_map: BTreeMap<RecId, RecId> = BTreeMap::new();
    for operand in &used {
        match operand {
            Operand::Rel(r) => {
                rel_map.insert(*r, RelId(rel_map.len() as u32));
                if let Rel::Rec(id) = build.rels[*r] {
                    rec_map.insert(id, RecId(rec_map.len() as u32));
                }
            }
            Operand::Set(s) => drop(set_map.insert(*s, SetId(set_map.len() as u32))),
        }
    }
    let mut rels = IdVec::new();
    for r in rel_map.keys() {
        rels.push(match build.rels[*r].clone() {
            Rel::Union(a, b) => Rel::Union(rel_map[&a], rel_map[&b]),
            Rel::Inter(a, b) => Rel::Inter(rel_map[&a], rel_map[&b]),
            Rel::Diff(a, b) => Rel::Diff(rel_map[&a], rel_map[&b]),
            Rel::Seq(a, b) => Rel::Seq(rel_map[&a], rel_map[&b]),
            Rel::Inverse(a) => Rel::Inverse(rel_map[&a]),
            Rel::Plus(a) => Rel::Plus(rel_map[&a]),
            Rel::Identity(s) => Rel::Identity(set_map[&s]),
            Rel::Cross(s, t) => Rel::Cross(set_map[&s], set_map[&t]),
            Rel::Rec(id) => Rel::Rec(rec_map[&id]),
            rel @ (Rel::Base(_) | Rel::Empty) => rel,
        });
    }
    let mut sets = IdVec::new();
    for s in set_map.keys() {
        sets.push(match build.sets[*s].clone() {
            Set::Union(a, b) => Set::Union(set_map[&a], set_map[&b]),
            Set::Inter(a, b) => Set::Inter(set_map[&a], set_map[&b]),
            Set::Diff(a, b) => Set::Diff(set_map[&a], set_map[&b]),
            Set::Domain(r) => Set::Domain(rel_map[&r]),
            Set::Range(r) => Set::Range(rel_map[&r]),
            set @ (Set::Base(_) | Set::All | Set::Empty) => set,
        });
    }
    let recs = rec_map
        .keys()
        .filter_map(|id| build.recs[*id])
        .map(|body| rel_map[&body])
        .collect();
    let axioms = axioms
        .iter()
        .map(|a| Axiom {
            rel: rel_map[&a.rel],
            ..a.clone()
        })
        .collect();
    let named = names
        .iter()
        .filter_map(|(n, r)| rel_map.get(r).map(|r| (n.clone(), *r)))
        .collect();
    Model {
        name: String::new(),
        title: String::new(),
        arch: None::<Arch>,
        rels,
        sets,
        recs,
        axioms,
        names: named,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mm;

    #[test]
    fn built_in_models_compile() {
        for (name, _) in mm::names() {
            let text = mm::text(name).expect("listed models have a text");
            let mut sources = SourceMap::default();
            let file = sources.add(name, text);
            match compile(&mut sources, file, name) {
                Ok(model) => eprintln!(
                    "{name}: {} rels {} sets {} recs {:?}\n{:?}\n{:?}",
                    model.rels.len(),
                    model.sets.len(),
                    model.recs.len(),
                    model.names,
                    model.rels,
                    model.sets
                ),
                Err(errors) => panic!(
                    "{}",
                    errors
                        .iter()
                        .map(|e| e.render(&sources, false))
                        .collect::<String>()
                ),
            }
        }
    }
}
