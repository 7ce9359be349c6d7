//! `let rec`: relations that use themselves, and the conditions under which they mean something.

use super::{CatValue, Compiler, Env, Made, wrong};
use crate::model::{Flag, FlagKind, Rel, RelId, Set};
use crate::syntax::ast::{Bind, Bindings, Expr, ExprKind, Name, Pattern};
use crate::uses::{Operand, operands, set_operands};
use base::diag::Diag;
use base::source::Span;
use std::collections::BTreeSet;

/// How often definitions are evaluated of which one is a set.
const ITERATIONS: usize = 3;

impl Compiler<'_> {
    pub(super) fn run_rec(&mut self, bindings: &Bindings, env: &mut Env, top: bool) -> Made<()> {
        if let Some(values) = self.iterated(bindings, *env) {
            for (name, value) in values {
                self.bind(env, &name.text, value);
            }
            return Ok(());
        }
        let mut variables = Vec::new();
        let first = self.scopes.len();
        for bind in &bindings.binds {
            let Pattern::One(Some(name), span) = &bind.pattern else {
                let (Pattern::One(_, span) | Pattern::Tuple(_, span)) = bind.pattern;
                return wrong(Diag::error(span, "`let rec` binds names one by one"));
            };
            let value = match &bind.body.kind {
                ExprKind::Fun(function) => CatValue::Fun(function.clone(), None),
                _ => {
                    let rel = self.build.rec();
                    variables.push((name, *span, &bind.body, rel));
                    CatValue::Rel(rel)
                }
            };
            self.bind(env, &name.text, value);
        }
        for scope in &mut self.scopes[first..] {
            if let CatValue::Fun(_, inner) = &mut scope.value {
                *inner = *env;
            }
        }
        let targets: BTreeSet<RelId> = variables.iter().map(|v| v.3).collect();
        let mut result = Ok(());
        let mut of_registers = false;
        for (_, _, body, rel) in &variables {
            let made = self.eval(body, *env).and_then(|v| match v {
                CatValue::Registers => {
                    of_registers = true;
                    Ok(self.build.empty())
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
        if of_registers {
            for bind in &bindings.binds {
                if let Pattern::One(Some(name), _) = &bind.pattern {
                    let value = self.dependency(&name.text);
                    self.bind(env, &name.text, value);
                }
            }
            return Ok(());
        }
        // A lone variable may be a closure in disguise, or not recursive at all.
        if let [(name, _, _, rel)] = variables[..] {
            let value = CatValue::Rel(self.simplest(rel));
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

    /// The values of definitions of which one is a set: what they come to when they are evaluated again and
    /// again, one after the other, from nothing on. That they come to rest is asserted of each program, since
    /// such definitions may take the complement of each other (matching locks and unlocks of RCU do).
    fn iterated<'b>(
        &mut self,
        bindings: &'b Bindings,
        outer: Env,
    ) -> Option<Vec<(&'b Name, CatValue)>> {
        let named = |bind: &'b Bind| match (&bind.pattern, &bind.body.kind) {
            (Pattern::One(Some(name), _), kind) if !matches!(kind, ExprKind::Fun(_)) => Some(name),
            _ => None,
        };
        let binds: Option<Vec<(&Name, &Expr)>> = bindings
            .binds
            .iter()
            .map(|bind| Some((named(bind)?, &bind.body)))
            .collect();
        let binds = binds?;
        let mut values = vec![CatValue::Zero; binds.len()];
        let mut last = values.clone();
        for round in 0..ITERATIONS {
            last.clone_from(&values);
            for (at, (_, body)) in binds.iter().enumerate() {
                let mut env = outer;
                for ((name, _), value) in binds.iter().zip(&values) {
                    self.bind(&mut env, &name.text, value.clone());
                }
                values[at] = self.eval(body, env).ok()?;
            }
            let is_set = |value: &CatValue| matches!(value, CatValue::Set(_));
            if round == 0 && !values.iter().any(is_set) {
                return None;
            }
        }
        for (((name, body), value), last) in binds.iter().zip(&values).zip(&last) {
            let moves = self.differences(value, last, body.span).ok()?;
            if self.build.rels[moves] != Rel::Empty {
                self.flags.push(Flag {
                    kind: FlagKind::Wrong,
                    rel: moves,
                    name: format!("the definition of {} comes to rest", name.text),
                    span: name.span,
                });
            }
        }
        let names = binds.into_iter().map(|(name, _)| name);
        Some(names.zip(values).collect())
    }

    /// What is in one of two relations or sets and not in the other.
    fn differences(&mut self, a: &CatValue, b: &CatValue, span: Span) -> Made<RelId> {
        let mut sides = Vec::new();
        for value in [a, b] {
            sides.push(match value {
                CatValue::Set(set) => self.build.identity(*set),
                value => self.as_rel(value.clone(), span)?,
            });
        }
        let (more, less) = (
            self.build.diff(sides[0], sides[1]),
            self.build.diff(sides[1], sides[0]),
        );
        Ok(self.build.union(more, less))
    }

    /// What a variable defined by itself alone stands for, without recursion where that is easy.
    ///
    /// match: `let rec r = b`                    result: `b`
    /// match: `let rec r = b | r;r`              result: `b^+`
    /// match: `let rec r = b | (c;r) | (r;d)`    result: `c^*;b;d^*`
    pub(super) fn simplest(&mut self, rec: RelId) -> RelId {
        let Rel::Rec(id) = self.build.rels[rec] else {
            return rec;
        };
        let Some(body) = self.build.recs[id] else {
            return rec;
        };
        let target = BTreeSet::from([rec]);
        let mut leaves = vec![body];
        let nothing = self.build.empty();
        let (mut base, mut left, mut right, mut squares) = (nothing, nothing, nothing, false);
        while let Some(leaf) = leaves.pop() {
            let free = |c: &Self, r| !c.depends(r, &target).0;
            match self.build.rels[leaf] {
                _ if leaf == rec => {}
                Rel::Union(a, b) => leaves.extend([a, b]),
                Rel::Seq(a, b) if a == rec && b == rec => squares = true,
                Rel::Seq(c, r) if r == rec && free(self, c) => left = self.build.union(left, c),
                Rel::Seq(r, d) if r == rec && free(self, d) => right = self.build.union(right, d),
                _ if free(self, leaf) => base = self.build.union(base, leaf),
                _ => return rec,
            }
        }
        if squares {
            return if left == nothing && right == nothing {
                self.build.plus(base)
            } else {
                rec
            };
        }
        let (left, right) = (self.build.plus(left), self.build.plus(right));
        let more = self.build.seq(left, base);
        let base = self.build.union(base, more);
        let more = self.build.seq(base, right);
        self.build.union(base, more)
    }

    /// Refuses variables that shrink when they grow: under the right side of `\`, or `~`.
    pub(super) fn check_growing(
        &self,
        variables: &[(&Name, RelId)],
        targets: &BTreeSet<RelId>,
    ) -> Made<()> {
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
    pub(super) fn depends(&self, root: RelId, targets: &BTreeSet<RelId>) -> (bool, Option<RelId>) {
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
            let mut on = |operand: Operand| work.push((operand, under));
            match operand {
                Operand::Rel(r) => {
                    last_rel = r;
                    if targets.contains(&r) {
                        found = true;
                        negative = negative.or(under);
                        continue;
                    }
                    match &self.build.rels[r] {
                        Rel::Rec(id) => self.build.recs[*id]
                            .map(Operand::Rel)
                            .into_iter()
                            .for_each(on),
                        Rel::Diff(a, b) => {
                            on(Operand::Rel(*a));
                            work.push((Operand::Rel(*b), under.or(Some(r))));
                        }
                        rel => operands(rel).for_each(on),
                    }
                }
                Operand::Set(s) => match &self.build.sets[s] {
                    Set::Diff(a, b) => {
                        on(Operand::Set(*a));
                        work.push((Operand::Set(*b), under.or(Some(last_rel))));
                    }
                    set => set_operands(set).for_each(on),
                },
            }
        }
        (found, negative)
    }
}
