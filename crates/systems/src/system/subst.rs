//! Predicates are text: arguments put for parameters, bound variables renamed out of the way.

use super::scope::Scope;
use crate::cub::ast::{Access, Arg, Atom, Expr, Ident, ProcRef, Summand, Term};
use base::diag::Diag;

/// `body` with terms put for names. Names bound inside get a mark that no source name can have.
pub(super) fn subst(body: &Expr, map: &[(Ident, Term)], s: &mut Scope) -> Expr {
    let go = |e: &Expr, s: &mut Scope| Box::new(subst(e, map, s));
    match body {
        Expr::Bool(..) => body.clone(),
        Expr::Fence(by, span) => Expr::Fence(by.as_ref().map(|p| process(p, map, s)), *span),
        Expr::Cmp(rel, a, b, span) => Expr::Cmp(*rel, term(a, map, s), term(b, map, s), *span),
        Expr::Not(a, span) => Expr::Not(go(a, s), *span),
        Expr::Bin(c, a, b) => Expr::Bin(*c, go(a, s), go(b, s)),
        Expr::Ite(a, b, c) => Expr::Ite(go(a, s), go(b, s), go(c, s)),
        Expr::Quant(q, vars, inner, span) => {
            let mut inner_map = map.to_vec();
            let mut fresh = Vec::new();
            for v in vars {
                let new = Ident {
                    text: format!("{}'", v.text),
                    span: v.span,
                };
                let as_term = Term {
                    parts: vec![Summand {
                        minus: false,
                        factor: None,
                        atom: Atom::Proc(ProcRef::Name(new.clone())),
                        span: v.span,
                    }],
                    span: v.span,
                };
                inner_map.retain(|(n, _)| n.text != v.text);
                inner_map.push((v.clone(), as_term));
                fresh.push(new);
            }
            Expr::Quant(*q, fresh, Box::new(subst(inner, &inner_map, s)), *span)
        }
        Expr::Call(name, args, span) => {
            let args = args
                .iter()
                .map(|a| match a {
                    Arg::Term(t) => Arg::Term(term(t, map, s)),
                    Arg::Expr(e) => Arg::Expr(subst(e, map, s)),
                })
                .collect();
            Expr::Call(name.clone(), args, *span)
        }
    }
}

fn process(p: &ProcRef, map: &[(Ident, Term)], s: &mut Scope) -> ProcRef {
    let ProcRef::Name(name) = p else {
        return p.clone();
    };
    match map.iter().find(|(n, _)| n.text == name.text) {
        None => p.clone(),
        Some((_, t)) => match t.parts.as_slice() {
            [
                Summand {
                    minus: false,
                    factor: None,
                    atom: Atom::Proc(q),
                    ..
                },
            ] => q.clone(),
            _ => {
                let message = format!("the parameter `{}` stands for a process here", name.text);
                s.errors
                    .push(Diag::error(t.span, message).also(name.span, "here"));
                p.clone()
            }
        },
    }
}

fn access(a: &Access, map: &[(Ident, Term)], s: &mut Scope) -> Access {
    Access {
        thread: a.thread.as_ref().map(|p| process(p, map, s)),
        name: a.name.clone(),
        index: a.index.iter().map(|p| process(p, map, s)).collect(),
        span: a.span,
    }
}

fn term(t: &Term, map: &[(Ident, Term)], s: &mut Scope) -> Term {
    let mut parts = Vec::new();
    for part in &t.parts {
        match &part.atom {
            Atom::One => parts.push(part.clone()),
            Atom::Access(a) => parts.push(Summand {
                atom: Atom::Access(access(a, map, s)),
                ..part.clone()
            }),
            Atom::Proc(ProcRef::Name(name)) if part.factor.is_none() => {
                match map.iter().find(|(n, _)| n.text == name.text) {
                    None => parts.push(part.clone()),
                    Some((_, value)) => parts.extend(value.parts.iter().map(|v| Summand {
                        minus: v.minus != part.minus,
                        ..v.clone()
                    })),
                }
            }
            Atom::Proc(_) => parts.push(part.clone()),
        }
    }
    Term {
        parts,
        span: t.span,
    }
}
