//! Sets that are written out in the text: of tags, and of relations.
//!
//! herd7 computes with sets of relations to enumerate orders. Here executions come with their orders, so
//! such a set has a meaning only where it does not depend on the execution: where it is written out, or made
//! of a relation or a set that is empty in any case.

use super::{CatValue, Compiler, Env, Made, kind_of, wrong};
use crate::model::{Rel, Set};
use crate::syntax::ast::{ChainOp, Clause, ClausePattern, Expr};
use base::diag::Diag;
use base::source::Span;

/// `e ++ S`: elements are added to a set.
pub(super) fn add(mut values: Vec<(CatValue, Span)>) -> Made<CatValue> {
    let Some((last, span)) = values.pop() else {
        return Ok(CatValue::Zero);
    };
    let mut all: Vec<CatValue> = values.into_iter().map(|(v, _)| v).collect();
    match last {
        CatValue::Zero => {}
        CatValue::List(rest) => all.extend(rest),
        other => {
            let message = format!(
                "`++` adds to a set of relations, this is {}",
                kind_of(&other)
            );
            return wrong(Diag::error(span, message));
        }
    }
    Ok(CatValue::List(all))
}

/// `S | T`
pub(super) fn chain(op: ChainOp, values: Vec<(CatValue, Span)>, span: Span) -> Made<CatValue> {
    if op != ChainOp::Union {
        let message = "only `|` and `++` are supported on sets of other things than events";
        return wrong(Diag::unsupported(span, message));
    }
    let mut all = Vec::new();
    for (value, span) in values {
        match value {
            CatValue::Zero => {}
            CatValue::List(more) => all.extend(more),
            other => {
                let message = format!("a set of relations is wanted, this is {}", kind_of(&other));
                return wrong(Diag::error(span, message));
            }
        }
    }
    Ok(CatValue::List(all))
}

impl Compiler<'_> {
    /// The elements of a set, if they do not depend on the execution.
    pub(super) fn elements(&self, value: CatValue, span: Span) -> Made<Vec<CatValue>> {
        match value {
            CatValue::List(all) => Ok(all),
            CatValue::Zero => Ok(Vec::new()),
            CatValue::Rel(r) if self.build.rels[r] == Rel::Empty => Ok(Vec::new()),
            CatValue::Set(s) if self.build.sets[s] == Set::Empty => Ok(Vec::new()),
            other => {
                let message = format!("the elements of {} differ by execution", kind_of(&other));
                wrong(Diag::error(span, message))
            }
        }
    }

    /// `match e with … end`
    pub(super) fn matching(
        &mut self,
        matched: &Expr,
        clauses: &[Clause],
        env: Env,
    ) -> Made<CatValue> {
        let value = self.eval(matched, env)?;
        let elements = match &value {
            CatValue::Tag(_) => None,
            _ => Some(self.elements(value.clone(), matched.span)?),
        };
        for clause in clauses {
            let mut inner = env;
            let bound = match (&clause.pattern, &value, &elements) {
                (ClausePattern::Any(name), ..) => [name.clone().map(|n| (n, value.clone())), None],
                (ClausePattern::Empty, _, Some(all)) if all.is_empty() => [None, None],
                (ClausePattern::Tag(wanted), CatValue::Tag(tag), _) if wanted == tag => {
                    [None, None]
                }
                (ClausePattern::Element(first, others), _, Some(all)) => match all.split_first() {
                    None => continue,
                    Some((element, rest)) => {
                        let rest = CatValue::List(rest.to_vec());
                        let first = first.clone().map(|n| (n, element.clone()));
                        [first, others.clone().map(|n| (n, rest))]
                    }
                },
                _ => continue,
            };
            for (name, value) in bound.into_iter().flatten() {
                self.bind(&mut inner, &name.text, value);
            }
            return self.eval(&clause.body, inner);
        }
        wrong(Diag::error(matched.span, "no clause is for this"))
    }
}
