//! Terms and formulas.

use super::ast::{
    Access, Arg, Atom, Connective, Expr, Ident, ProcRef, Quantifier, Rel, Summand, Term,
};
use super::lex::CubTokenKind;
use super::parser::{CubTokens, Parser};
use base::diag::Diag;
use base::tokens::Parsed;

/// A process name or `#k`.
pub(super) fn proc_ref(p: &mut Parser) -> Parsed<ProcRef> {
    if p.is_sign("#") {
        let hash = p.advance();
        let CubTokenKind::Number(n) = p.peek().kind else {
            return Err(p.unexpected("the number of a process"));
        };
        let token = p.advance();
        let span = hash.span.to(token.span);
        let k = u32::try_from(n.mantissa).ok().filter(|k| *k > 0 && !n.real);
        return k
            .map(|k| ProcRef::Const(k, span))
            .ok_or_else(|| Box::new(Diag::error(span, "processes are numbered from #1")));
    }
    Ok(ProcRef::Name(p.lower("a process")?))
}

/// `[p, q]`, perhaps nothing.
fn indices(p: &mut Parser) -> Parsed<Vec<ProcRef>> {
    let mut index = Vec::new();
    if p.eat_sign("[") {
        loop {
            if matches!(p.peek().kind, CubTokenKind::Upper) {
                let name = p.peek().text.clone();
                return Err(Box::new(
                    Diag::error(p.peek().span, "an index is a process variable").note(format!(
                        "add a parameter `q`, require `{name} = q` and use `q` as the index"
                    )),
                ));
            }
            index.push(proc_ref(p)?);
            if !p.eat_sign(",") {
                break;
            }
        }
        p.sign("]")?;
    }
    Ok(index)
}

/// `X`, `A[p]`, `p @ X`, `[p]X`.
pub(super) fn access(p: &mut Parser) -> Parsed<Access> {
    let start = p.peek().span;
    let thread = if p.eat_sign("[") {
        let thread = proc_ref(p)?;
        p.sign("]")?;
        Some(thread)
    } else if matches!(p.peek().kind, CubTokenKind::Lower | CubTokenKind::Sign("#")) {
        let thread = proc_ref(p)?;
        p.sign("@")?;
        Some(thread)
    } else {
        None
    };
    let name = p.upper("a variable")?;
    let index = indices(p)?;
    Ok(Access {
        thread,
        name,
        index,
        span: start.to(p.last_span()),
    })
}

fn atom(p: &mut Parser) -> Parsed<Atom> {
    match p.peek().kind {
        CubTokenKind::Upper | CubTokenKind::Sign("[") => Ok(Atom::Access(access(p)?)),
        CubTokenKind::Lower if p.ahead(1).kind == CubTokenKind::Sign("@") => {
            Ok(Atom::Access(access(p)?))
        }
        CubTokenKind::Sign("#") if p.ahead(2).kind == CubTokenKind::Sign("@") => {
            Ok(Atom::Access(access(p)?))
        }
        CubTokenKind::Lower | CubTokenKind::Sign("#") => Ok(Atom::Proc(proc_ref(p)?)),
        _ => Err(p.unexpected("a term")),
    }
}

fn summand(p: &mut Parser, minus: bool) -> Parsed<Summand> {
    let start = p.peek().span;
    let number = |p: &mut Parser| match p.peek().kind {
        CubTokenKind::Number(n) => {
            p.advance();
            Some(n)
        }
        _ => None,
    };
    let mut factor = number(p);
    let mut what = Atom::One;
    if factor.is_none() {
        what = atom(p)?;
        if p.eat_sign("*") {
            factor = number(p);
            if factor.is_none() {
                return Err(p.unexpected("a number"));
            }
        }
    } else if p.eat_sign("*") {
        what = atom(p)?;
    }
    Ok(Summand {
        minus,
        factor,
        atom: what,
        span: start.to(p.last_span()),
    })
}

/// A sum of summands.
pub(super) fn term(p: &mut Parser) -> Parsed<Term> {
    let start = p.peek().span;
    let first_minus = p.eat_sign("-");
    let mut parts = vec![summand(p, first_minus)?];
    loop {
        let minus = if p.eat_sign("+") {
            false
        } else if p.eat_sign("-") {
            true
        } else {
            break;
        };
        parts.push(summand(p, minus)?);
    }
    Ok(Term {
        parts,
        span: start.to(p.last_span()),
    })
}

/// How many operands a chain of `&&` or `||` may have; the tree leans to the left and is walked by
/// recursion.
const MAX_CHAIN: usize = 1000;

/// A formula.
pub(super) fn expr(p: &mut Parser) -> Parsed<Expr> {
    p.nested(|p| {
        let left = or(p)?;
        let connective = if p.eat_sign("=>") {
            Connective::Implies
        } else if p.eat_sign("<=>") {
            Connective::Iff
        } else {
            return Ok(left);
        };
        let right = expr(p)?;
        Ok(Expr::Bin(connective, Box::new(left), Box::new(right)))
    })
}

fn or(p: &mut Parser) -> Parsed<Expr> {
    chain(p, "||", Connective::Or, and)
}

fn and(p: &mut Parser) -> Parsed<Expr> {
    chain(p, "&&", Connective::And, unary)
}

fn chain(
    p: &mut Parser,
    sign: &'static str,
    connective: Connective,
    operand: fn(&mut Parser) -> Parsed<Expr>,
) -> Parsed<Expr> {
    let mut left = operand(p)?;
    let mut length = 0;
    while p.is_sign(sign) {
        length += 1;
        if length > MAX_CHAIN {
            let message = format!("more than {MAX_CHAIN} operands of `{sign}` in a row");
            return Err(Box::new(Diag::unsupported(p.peek().span, message)));
        }
        p.advance();
        let right = operand(p)?;
        left = Expr::Bin(connective, Box::new(left), Box::new(right));
    }
    Ok(left)
}

fn unary(p: &mut Parser) -> Parsed<Expr> {
    p.nested(|p| {
        let token = p.peek().clone();
        match token.kind {
            CubTokenKind::Keyword("not") => {
                p.advance();
                let inner = unary(p)?;
                let span = token.span.to(inner.span());
                Ok(Expr::Not(Box::new(inner), span))
            }
            CubTokenKind::Keyword("if") => {
                p.advance();
                let test = expr(p)?;
                p.word("then")?;
                let yes = expr(p)?;
                p.word("else")?;
                let no = unary(p)?;
                Ok(Expr::Ite(Box::new(test), Box::new(yes), Box::new(no)))
            }
            CubTokenKind::Keyword("forall") => quantified(p, Quantifier::Forall),
            CubTokenKind::Keyword("exists") => quantified(p, Quantifier::Exists),
            CubTokenKind::Keyword("forall_other") => quantified(p, Quantifier::ForallOther),
            CubTokenKind::Keyword("exists_other") => quantified(p, Quantifier::ExistsOther),
            CubTokenKind::Keyword("true") => {
                p.advance();
                Ok(Expr::Bool(true, token.span))
            }
            CubTokenKind::Keyword("false") => {
                p.advance();
                Ok(Expr::Bool(false, token.span))
            }
            CubTokenKind::Keyword("fence") => {
                p.advance();
                p.sign("(")?;
                let by = if p.is_sign(")") {
                    None
                } else {
                    Some(proc_ref(p)?)
                };
                let close = p.sign(")")?;
                Ok(Expr::Fence(by, token.span.to(close.span)))
            }
            CubTokenKind::Sign("(") => {
                p.advance();
                let inner = expr(p)?;
                p.sign(")")?;
                Ok(inner)
            }
            CubTokenKind::Lower if p.ahead(1).kind == CubTokenKind::Sign("(") => call(p),
            _ => comparison(p),
        }
    })
}

fn quantified(p: &mut Parser, quantifier: Quantifier) -> Parsed<Expr> {
    let start = p.advance().span;
    let mut vars: Vec<Ident> = vec![p.lower("a process variable")?];
    while p.eat_sign("<>") {
        vars.push(p.lower("a process variable")?);
    }
    p.sign(".")?;
    let body = expr(p)?;
    let span = start.to(body.span());
    Ok(Expr::Quant(quantifier, vars, Box::new(body), span))
}

fn call(p: &mut Parser) -> Parsed<Expr> {
    let name = p.lower("a predicate")?;
    p.sign("(")?;
    let mut args = Vec::new();
    while !p.is_sign(")") {
        let here = p.position();
        match expr(p) {
            Ok(e) => args.push(Arg::Expr(e)),
            Err(error) => {
                p.rewind(here);
                let lone = term(p).ok().filter(|_| p.is_sign(",") || p.is_sign(")"));
                args.push(Arg::Term(lone.ok_or(error)?));
            }
        }
        if !p.eat_sign(",") {
            break;
        }
    }
    let close = p.sign(")")?;
    let span = name.span.to(close.span);
    Ok(Expr::Call(name, args, span))
}

fn comparison(p: &mut Parser) -> Parsed<Expr> {
    let left = term(p)?;
    let rel = match p.peek().kind {
        CubTokenKind::Sign("=") => Rel::Eq,
        CubTokenKind::Sign("<>") => Rel::Ne,
        CubTokenKind::Sign("<") => Rel::Lt,
        CubTokenKind::Sign("<=") => Rel::Le,
        CubTokenKind::Sign(">") => Rel::Gt,
        CubTokenKind::Sign(">=") => Rel::Ge,
        _ => return Err(p.unexpected("a comparison")),
    };
    p.advance();
    let right = term(p)?;
    let span = left.span.to(right.span);
    Ok(Expr::Cmp(rel, left, right, span))
}
