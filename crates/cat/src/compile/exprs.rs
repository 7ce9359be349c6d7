//! Expressions: from syntax to relations, sets and functions.

use super::{BuiltinFunction, CatValue, Compiler, Env, Fail, Made, kind_of, lists, wrong};
use crate::arch;
use crate::model::{BaseRel, BaseSet, RelId, Set, SetId};
use crate::syntax::ast::{ChainOp, Cond, Expr, ExprKind, UnaryOp};
use base::diag::Diag;
use base::source::Span;

impl Compiler<'_> {
    pub(super) fn eval(&mut self, e: &Expr, env: Env) -> Made<CatValue> {
        self.deeper(e.span, |c| c.eval_inner(e, env))
    }

    pub(super) fn eval_set(&mut self, e: &Expr, env: Env) -> Made<SetId> {
        let value = self.eval(e, env)?;
        self.as_set(value, e.span)
    }

    pub(super) fn eval_inner(&mut self, e: &Expr, env: Env) -> Made<CatValue> {
        let value = match &e.kind {
            ExprKind::Var(name) => {
                self.mentioned.insert(name.clone());
                let value = self.lookup(name, e.span, env)?;
                if let CatValue::Set(set) = value {
                    self.note_tags(set);
                }
                value
            }
            ExprKind::Zero => CatValue::Zero,
            ExprKind::Universe => CatValue::Set(self.build.all()),
            ExprKind::Braces(items) if items.is_empty() => CatValue::Zero,
            ExprKind::Tuple(items) => CatValue::Tuple(
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
                CatValue::Rel(self.build.cross(a, b))
            }
            ExprKind::Apply(function, arg) => self.apply(function, arg, env)?,
            ExprKind::Fun(function) => CatValue::Fun(function.clone(), env),
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
            ExprKind::Tag(tag) => CatValue::Tag(tag.clone()),
            ExprKind::Braces(items) => {
                let items = items.iter().map(|i| self.eval(i, env));
                CatValue::List(items.collect::<Made<_>>()?)
            }
            ExprKind::Match(matched, clauses) => self.matching(matched, clauses, env)?,
        };
        Ok(value)
    }

    /// The tags that a set is made of are among those that the text speaks of: a built-in name may stand for
    /// several.
    fn note_tags(&mut self, set: SetId) {
        let mut work = vec![set];
        while let Some(set) = work.pop() {
            match &self.build.sets[set] {
                Set::Base(BaseSet::Tag(tag)) => drop(self.tags.insert(tag.clone())),
                Set::Union(a, b) | Set::Inter(a, b) | Set::Diff(a, b) => work.extend([*a, *b]),
                Set::Base(_) | Set::All | Set::Empty | Set::Domain(_) | Set::Range(_) => {}
            }
        }
    }

    pub(super) fn unary(
        &mut self,
        op: UnaryOp,
        operand: &Expr,
        span: Span,
        env: Env,
    ) -> Made<CatValue> {
        let value = self.eval(operand, env)?;
        if matches!(value, CatValue::Registers) {
            return Ok(CatValue::Registers);
        }
        if op == UnaryOp::Identity {
            let set = self.as_set(value, operand.span)?;
            return Ok(CatValue::Rel(self.build.identity(set)));
        }
        let all = self.build.all();
        if let (UnaryOp::Complement, CatValue::Set(s)) = (op, &value) {
            return Ok(CatValue::Set(self.build.diff_sets(all, *s)));
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
        Ok(CatValue::Rel(made))
    }

    pub(super) fn chain(
        &mut self,
        op: ChainOp,
        operands: &[Expr],
        span: Span,
        env: Env,
    ) -> Made<CatValue> {
        let values = operands
            .iter()
            .map(|o| Ok((self.eval(o, env)?, o.span)))
            .collect::<Made<Vec<_>>>()?;
        self.build.here = Some(span);
        if op == ChainOp::Add {
            return lists::add(values);
        }
        if values.iter().any(|(v, _)| matches!(v, CatValue::List(_))) {
            return lists::chain(op, values, span);
        }
        if let Some(value) = self.registers(op, &values) {
            return Ok(value);
        }
        if values.iter().all(|(v, _)| matches!(v, CatValue::Zero)) {
            return Ok(CatValue::Zero);
        }
        let is_set =
            op != ChainOp::Seq && values.iter().any(|(v, _)| matches!(v, CatValue::Set(_)));
        let is_rel = values.iter().any(|(v, _)| matches!(v, CatValue::Rel(_)));
        if is_set && is_rel {
            let place = |wanted: fn(&CatValue) -> bool| {
                values
                    .iter()
                    .find(|(v, _)| wanted(v))
                    .map_or(span, |(_, s)| *s)
            };
            let diag = Diag::error(
                place(|v| matches!(v, CatValue::Set(_))),
                "a set is combined with a relation",
            )
            .label("this is a set")
            .also(
                place(|v| matches!(v, CatValue::Rel(_))),
                "this is a relation",
            )
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
            return Ok(made.map_or(CatValue::Zero, CatValue::Set));
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
        Ok(made.map_or(CatValue::Zero, CatValue::Rel))
    }

    pub(super) fn apply(&mut self, function: &Expr, arg: &Expr, env: Env) -> Made<CatValue> {
        match self.eval(function, env)? {
            CatValue::Fun(body, mut inner) => {
                let value = self.eval(arg, env)?;
                self.match_pattern(&body.params, value, arg.span, &mut inner)?;
                self.eval(&body.body, inner)
            }
            CatValue::Builtin(function) => {
                let value = self.eval(arg, env)?;
                self.builtin(function, value, arg.span)
            }
            other => wrong(Diag::error(
                function.span,
                format!("{} is applied as a function", kind_of(&other)),
            )),
        }
    }

    fn builtin(&mut self, function: BuiltinFunction, arg: CatValue, span: Span) -> Made<CatValue> {
        match (function, arg) {
            (BuiltinFunction::Domain | BuiltinFunction::Range, CatValue::Registers) => {
                Ok(CatValue::Registers)
            }
            (BuiltinFunction::Domain, arg) => {
                let rel = self.as_rel(arg, span)?;
                Ok(CatValue::Set(self.build.domain(rel)))
            }
            (BuiltinFunction::Range, arg) => {
                let rel = self.as_rel(arg, span)?;
                Ok(CatValue::Set(self.build.range(rel)))
            }
            (BuiltinFunction::TagEvents, CatValue::Tag(tag)) => Ok(self.tagged(&tag)),
            (BuiltinFunction::TagEvents, other) => {
                let message = format!("a tag is wanted, this is {}", kind_of(&other));
                wrong(Diag::error(span, message))
            }
            (BuiltinFunction::Linearisations, CatValue::Tuple(args)) if args.len() == 2 => {
                let set = self.as_set(args[0].clone(), span)?;
                if self.build.sets[set] == Set::Empty {
                    return Ok(CatValue::List(vec![CatValue::Zero]));
                }
                let message = "`linearisations` chooses an order that executions do not come with";
                wrong(Diag::error(span, message))
            }
            (BuiltinFunction::Linearisations, _) => {
                wrong(Diag::error(span, "a set and a relation are wanted"))
            }
            (BuiltinFunction::DifferentValues, arg) => {
                let rel = self.as_rel(arg, span)?;
                let different = self.build.base(BaseRel::DifferentValues);
                Ok(CatValue::Rel(self.build.inter(rel, different)))
            }
        }
    }

    /// The events with a tag of an enumeration: none, where no event of a program has it.
    pub(super) fn tagged(&mut self, tag: &str) -> CatValue {
        let tag = tag.to_uppercase();
        if !arch::TAGS.contains(&tag.as_str()) {
            return CatValue::Set(self.build.empty_set());
        }
        self.tags.insert(tag.clone());
        CatValue::Set(self.build.base_set(BaseSet::Tag(tag)))
    }

    pub(super) fn as_rel(&mut self, value: CatValue, span: Span) -> Made<RelId> {
        match value {
            CatValue::Rel(r) => Ok(r),
            CatValue::Zero => Ok(self.build.empty()),
            CatValue::Set(_) => {
                let diag = Diag::error(span, "a relation is wanted, this is a set");
                wrong(diag.note("`[S]` is the identity on a set, `S * T` the product of two"))
            }
            other => wrong(Diag::error(
                span,
                format!("a relation is wanted, this is {}", kind_of(&other)),
            )),
        }
    }

    pub(super) fn as_set(&mut self, value: CatValue, span: Span) -> Made<SetId> {
        match value {
            CatValue::Set(s) => Ok(s),
            CatValue::Zero => Ok(self.build.empty_set()),
            CatValue::Rel(_) => {
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

/// Whether a condition on variants holds; none is ever on.
pub(super) fn cond_holds(cond: &Cond) -> Made<bool> {
    Ok(match cond {
        Cond::Variant(_) => false,
        Cond::Not(c) => !cond_holds(c)?,
        Cond::And(a, b) => cond_holds(a)? && cond_holds(b)?,
        Cond::Or(a, b) => cond_holds(a)? || cond_holds(b)?,
        Cond::Values(span) => {
            let message =
                "a condition on relations is not supported: its branches would differ by execution";
            return wrong(Diag::unsupported(*span, message));
        }
    })
}
