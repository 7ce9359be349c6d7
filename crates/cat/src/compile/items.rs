//! Statements: files and includes, definitions, tests.

use super::exprs::cond_holds;
use super::spelling::nearest;
use super::{CatValue, Compiler, Env, Fail, Made, capitalised, wrong};
use crate::library;
use crate::model::{Axiom, AxiomKind, BaseRel, BaseSet, Flag, FlagKind, Rel, RelId, Set, SetId};
use crate::syntax;
use crate::syntax::ast::{
    Bindings, Expr, ExprKind, Item, ItemKind, Name, Pattern, Role, Test, TestKind,
};
use base::diag::Diag;
use base::source::{FileId, Span};
use std::path::Path;

/// How deep files include each other.
const MAX_INCLUDES: usize = 20;

impl Compiler<'_> {
    pub(super) fn builtin_file(&mut self, name: &str) -> Option<FileId> {
        let text = library::text(name)?;
        let shown = format!("<{name}>");
        Some(
            self.sources
                .find(&shown)
                .unwrap_or_else(|| self.sources.add(shown, text)),
        )
    }

    /// Runs a file's statements; gives the machine's name and the title.
    pub(super) fn run_file(
        &mut self,
        file: FileId,
        env: &mut Env,
    ) -> Option<(Option<String>, String)> {
        match syntax::parse(self.sources, file) {
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
    pub(super) fn run(&mut self, items: &[Item], env: &mut Env, label: Option<&Name>) {
        for item in items {
            if let Err(fail) = self.run_item(item, env, label) {
                match fail {
                    Fail::Unknown(diag) | Fail::Wrong(diag) => self.errors.push(*diag),
                    Fail::Poisoned => {}
                }
            }
        }
    }

    pub(super) fn run_item(
        &mut self,
        item: &Item,
        env: &mut Env,
        label: Option<&Name>,
    ) -> Made<()> {
        self.build.here = Some(item.span);
        match &item.kind {
            ItemKind::Let(bindings) => self.run_let(bindings, env, true),
            ItemKind::Test(test) => self.run_test(test, *env, item.span, label),
            ItemKind::Show => Ok(()),
            ItemKind::Include(name) => self.include(name, item.span, env),
            ItemKind::Procedure(procedure) => {
                let value = CatValue::Proc(procedure.clone(), *env);
                self.bind(env, &procedure.name.text, value);
                Ok(())
            }
            ItemKind::Call {
                procedure,
                arg,
                label,
            } => {
                let CatValue::Proc(body, mut inner) =
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
            ItemKind::With { name, from } => {
                let chosen = self.with_from(name, from, *env);
                let (value, result) = match chosen {
                    Ok(value) => (value, Ok(())),
                    Err(fail) => (CatValue::Poison, Err(fail)),
                };
                self.bind(env, &name.text, value);
                result
            }
            ItemKind::Enum(name, tags) => {
                let list = tags.iter().map(|t| CatValue::Tag(t.text.clone())).collect();
                self.bind(env, &name.text, CatValue::List(list));
                for tag in tags {
                    let set = self.tagged(&tag.text);
                    self.bind(env, &capitalised(&tag.text), set);
                }
                Ok(())
            }
            ItemKind::Instructions(annotations) => {
                for annotation in annotations {
                    self.eval(annotation, *env)?;
                }
                Ok(())
            }
            ItemKind::ForAll { name, set, body } => {
                let value = self.eval(set, *env)?;
                for element in self.elements(value, set.span)? {
                    let mut inner = *env;
                    self.bind(&mut inner, &name.text, element);
                    self.deeper(item.span, |c| {
                        c.run(body, &mut inner, label);
                        Ok(())
                    })?;
                }
                Ok(())
            }
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

    pub(super) fn include(&mut self, name: &str, span: Span, env: &mut Env) -> Made<()> {
        let from = self.sources.file(span.file).name.clone();
        if self.including.len() >= MAX_INCLUDES {
            let message = format!("files include each other more than {MAX_INCLUDES} deep");
            return wrong(Diag::unsupported(span, message));
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
    pub(super) fn file_beside(
        &mut self,
        from: &str,
        name: &str,
        span: Span,
    ) -> Made<Option<FileId>> {
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

    pub(super) fn run_let(&mut self, bindings: &Bindings, env: &mut Env, top: bool) -> Made<()> {
        let outer = *env;
        if bindings.recursive {
            return self.run_rec(bindings, env, top);
        }
        // Every body is evaluated in the scope outside, whatever the others bind.
        for bind in &bindings.binds {
            let result = self.eval(&bind.body, outer).and_then(|value| {
                let value = match (&bind.pattern, value) {
                    (Pattern::One(Some(name), _), CatValue::Registers) => {
                        self.dependency(&name.text)
                    }
                    (_, value) => value,
                };
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

    pub(super) fn poison(&mut self, pattern: &Pattern, env: &mut Env) {
        let names = match pattern {
            Pattern::One(name, _) => name.as_slice().to_vec(),
            Pattern::Tuple(names, _) => names.iter().flatten().cloned().collect(),
        };
        for name in names {
            self.bind(env, &name.text, CatValue::Poison);
        }
    }

    /// Remembers a relation's name for counterexamples.
    pub(super) fn record(&mut self, top: bool, pattern: &Pattern, value: &CatValue) {
        if let (true, Pattern::One(Some(name), _), CatValue::Rel(rel)) = (top, pattern, value) {
            self.names.retain(|(n, _)| *n != name.text);
            self.names.push((name.text.clone(), *rel));
        }
    }

    pub(super) fn run_test(
        &mut self,
        test: &Test,
        env: Env,
        span: Span,
        label: Option<&Name>,
    ) -> Made<()> {
        let value = self.eval(&test.expr, env)?;
        let rel = match value {
            // `empty S` on a set.
            CatValue::Set(s) if test.kind == TestKind::Empty => self.build.identity(s),
            value => self.as_rel(value, test.expr.span)?,
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
        if test.role != Role::Check {
            return self.flag(test, rel, name, span);
        }
        if test.negated {
            let message =
                "a negated test is not supported: it would ask for a cycle or a pair to exist";
            return wrong(Diag::unsupported(span, message));
        }
        let kind = match test.kind {
            TestKind::Acyclic => AxiomKind::Acyclic,
            TestKind::Irreflexive => AxiomKind::Irreflexive,
            TestKind::Empty => AxiomKind::Empty,
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

    /// A test that forbids nothing, and marks the executions in which `rel` has a cycle or a pair:
    /// `flag` is written with a negated test, the others say what should be.
    fn flag(&mut self, test: &Test, rel: RelId, name: String, span: Span) -> Made<()> {
        let (kind, negated) = match test.role {
            Role::Check | Role::Flag => (FlagKind::Mark, true),
            Role::UndefinedUnless => (FlagKind::Undefined, false),
            Role::Assert => (FlagKind::Wrong, false),
        };
        if test.negated != negated {
            let message = match negated {
                true => "a `flag` on executions in which nothing is related is not supported",
                false => "it is not supported to ask for a cycle or a pair here",
            };
            return wrong(Diag::unsupported(span, message));
        }
        let id = self.build.all();
        let id = self.build.identity(id);
        let rel = match test.kind {
            TestKind::Empty => rel,
            TestKind::Irreflexive => self.build.inter(rel, id),
            TestKind::Acyclic => {
                let closure = self.build.plus(rel);
                self.build.inter(closure, id)
            }
        };
        let marks = self.build.rels[rel] != Rel::Empty;
        let mut others = self.flags.iter();
        if marks && !others.any(|f| f.kind == kind && f.rel == rel && f.name == name) {
            self.flags.push(Flag {
                kind,
                rel,
                name,
                span,
            });
        }
        Ok(())
    }

    /// `with co from generate_cos(r)`: the coherence order, which must contain `r`; of another set of
    /// relations than one that is computed, its only element.
    pub(super) fn with_from(&mut self, name: &Name, from: &Expr, env: Env) -> Made<CatValue> {
        let orders = match &from.kind {
            ExprKind::Apply(function, arg) => match &function.kind {
                ExprKind::Var(f) if f == "generate_cos" => {
                    let writes = self.build.base_set(BaseSet::W);
                    Some((writes, self.eval(arg, env)?, arg.span))
                }
                ExprKind::Var(f) if f == "generate_orders" => match &arg.kind {
                    ExprKind::Tuple(args) if args.len() == 2 => {
                        let writes = self.eval_set(&args[0], env)?;
                        Some((writes, self.eval(&args[1], env)?, arg.span))
                    }
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        if let Some((ordered, contained, span)) = orders {
            let contained = self.as_rel(contained, span)?;
            return self.coherence(name, from, (ordered, contained), env);
        }
        let value = self.eval(from, env)?;
        let mut elements = self.elements(value, from.span)?;
        match (elements.pop(), elements.is_empty()) {
            (Some(only), true) => Ok(only),
            _ => {
                let message = format!("`with {} from …` is not supported here", name.text);
                let choice = "it chooses among relations that executions do not come with";
                wrong(Diag::unsupported(from.span, message).note(choice))
            }
        }
    }

    /// The coherence order of a set of writes, which must contain a relation.
    fn coherence(
        &mut self,
        name: &Name,
        from: &Expr,
        (ordered, contained): (SetId, RelId),
        env: Env,
    ) -> Made<CatValue> {
        if self.build.sets[ordered] == Set::Empty {
            return Ok(CatValue::Zero);
        }
        let writes = self.build.base_set(BaseSet::W);
        let others = self.build.diff_sets(ordered, writes);
        if self.build.sets[others] != Set::Empty {
            let message = "only writes have an order that executions come with";
            return wrong(Diag::error(from.span, message));
        }
        let pairs = self.build.cross(ordered, ordered);
        let whole = self.build.base(BaseRel::Co);
        let co = match ordered == writes {
            true => whole,
            false => self.build.inter(whole, pairs),
        };
        let co0 = self.lookup("co0", name.span, env)?;
        let co0 = self.as_rel(co0, name.span)?;
        // Between writes of one location, what is asked must agree with the order.
        let loc = self.build.base(BaseRel::Loc);
        let wanted = self.build.diff(contained, co0);
        let wanted = self.build.inter(wanted, loc);
        let wanted = self.build.inter(wanted, pairs);
        let missing = self.build.diff(wanted, co);
        if contained != co0 && self.build.rels[missing] != Rel::Empty {
            let name = format!("{} extends {}", name.text, self.sources.snippet(from.span));
            self.axioms.push(Axiom {
                kind: AxiomKind::Empty,
                rel: missing,
                name,
                span: from.span,
            });
        }
        Ok(CatValue::Rel(co))
    }
}
