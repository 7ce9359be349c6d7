//! Statements: files and includes, definitions, tests.

use super::exprs::cond_holds;
use super::spelling::nearest;
use super::{CatValue, Compiler, Env, Fail, Made, wrong};
use crate::base::diag::Diag;
use crate::base::source::{FileId, Span};
use crate::front::cat;
use crate::front::cat::ast::{
    Bindings, Expr, ExprKind, Item, ItemKind, Name, Pattern, Role, Test, TestKind,
};
use crate::mm::library;
use crate::mm::model::{Axiom, AxiomKind, BaseRel, BaseSet, Rel, Set};
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
                let result = self.with_from(name, from, *env);
                let value = if result.is_ok() {
                    CatValue::Rel(self.build.base(BaseRel::Co))
                } else {
                    CatValue::Poison
                };
                self.bind(env, &name.text, value);
                result
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
    pub(super) fn with_from(&mut self, name: &Name, from: &Expr, env: Env) -> Made<()> {
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
            (ExprKind::Var(f), _) if f == "generate_cos" => self.eval(arg, env)?,
            (ExprKind::Var(f), ExprKind::Tuple(args))
                if f == "generate_orders" && args.len() == 2 =>
            {
                let writes = self.eval(&args[0], env)?;
                let writes = self.as_set(writes, args[0].span)?;
                if self.build.sets[writes] != Set::Base(BaseSet::W) {
                    return unsupported();
                }
                self.eval(&args[1], env)?
            }
            _ => return unsupported(),
        };
        let pco = self.as_rel(pco, arg.span)?;
        let co = self.build.base(BaseRel::Co);
        let co0 = self.lookup("co0", name.span, env)?;
        let co0 = self.as_rel(co0, name.span)?;
        // Between writes of one location, what is asked must agree with the order.
        let (writes, loc) = (
            self.build.base_set(BaseSet::W),
            self.build.base(BaseRel::Loc),
        );
        let pairs = self.build.cross(writes, writes);
        let wanted = self.build.diff(pco, co0);
        let wanted = self.build.inter(wanted, loc);
        let wanted = self.build.inter(wanted, pairs);
        let missing = self.build.diff(wanted, co);
        if pco != co0 && self.build.rels[missing] != Rel::Empty {
            let name = format!("{} extends {}", name.text, self.sources.snippet(arg.span));
            self.axioms.push(Axiom {
                kind: AxiomKind::Empty,
                rel: missing,
                name,
                span: from.span,
            });
        }
        Ok(())
    }
}
