//! Expressions. The levels of binding are one loop over a table; see the module's head.

use super::ast::{
    Bind, Bindings, ChainOp, Clause, ClausePattern, Cond, Expr, ExprKind, Function, Name, Pattern,
    UnaryOp,
};
use super::lex::{CatTokenKind, Parser};
use base::diag::Diag;
use base::source::Span;
use base::tokens::Parsed;
use std::rc::Rc;

use CatTokenKind::{Keyword, Sign};

/// Chain operators, loosest first.
const LEVELS: [(&str, ChainOp); 5] = [
    ("|", ChainOp::Union),
    ("++", ChainOp::Add),
    (";", ChainOp::Seq),
    ("\\", ChainOp::Diff),
    ("&", ChainOp::Inter),
];

/// How many operands a chain and how many suffixes an operand may have.
const MAX_CHAIN: usize = 1000;
const MAX_SUFFIXES: usize = 16;

/// Any expression; a tuple may stand without parentheses.
pub(super) fn expr(p: &mut Parser) -> Parsed<Expr> {
    p.nested(expr_inner)
}

fn expr_inner(p: &mut Parser) -> Parsed<Expr> {
    let start = p.peek().span;
    let kind = match p.peek().kind {
        Keyword("let") => {
            p.advance();
            let bindings = bindings(p)?;
            p.expect(Keyword("in"), "`in` and the expression that uses the `let`")?;
            ExprKind::Let(Box::new(bindings), Box::new(expr(p)?))
        }
        Keyword("fun") => {
            p.advance();
            let params = params(p)?;
            p.expect(Sign("->"), "`->` after the parameters")?;
            ExprKind::Fun(Rc::new(Function {
                params,
                body: expr(p)?,
            }))
        }
        Keyword("try") => {
            p.advance();
            let tried = expr(p)?;
            p.expect(Keyword("with"), "`with` and what to take instead")?;
            ExprKind::Try(Box::new(tried), Box::new(expr(p)?))
        }
        Keyword("if") => {
            p.advance();
            let cond = cond(p)?;
            p.expect(Keyword("then"), "`then`")?;
            let then = expr(p)?;
            p.expect(
                Keyword("else"),
                "`else`: an `if` expression has two branches",
            )?;
            ExprKind::If(Box::new(cond), Box::new(then), Box::new(expr(p)?))
        }
        Keyword("match") => matching(p)?,
        _ => return tuple(p),
    };
    Ok(Expr {
        kind,
        span: start.to(p.last_span()),
    })
}

fn tuple(p: &mut Parser) -> Parsed<Expr> {
    let first = base(p)?;
    if !p.is(Sign(",")) {
        return Ok(first);
    }
    let mut items = vec![first];
    while p.eat(Sign(",")) {
        items.push(base(p)?);
    }
    let span = items[0].span.to(p.last_span());
    Ok(Expr {
        kind: ExprKind::Tuple(items),
        span,
    })
}

/// An expression without a comma of its own.
pub(super) fn base(p: &mut Parser) -> Parsed<Expr> {
    p.nested(|p| chain(p, 0))
}

fn chain(p: &mut Parser, level: usize) -> Parsed<Expr> {
    let Some(&(sign, op)) = LEVELS.get(level) else {
        return product(p);
    };
    let first = chain(p, level + 1)?;
    if !p.is(Sign(sign)) {
        return Ok(first);
    }
    let mut operands = vec![first];
    while p.eat(Sign(sign)) {
        if operands.len() == MAX_CHAIN {
            let message = format!("more than {MAX_CHAIN} operands of `{sign}`");
            return Err(Box::new(
                Diag::unsupported(p.peek().span, message).note("name a part of it by `let`"),
            ));
        }
        operands.push(chain(p, level + 1)?);
    }
    let span = operands[0].span.to(p.last_span());
    Ok(Expr {
        kind: ExprKind::Chain(op, operands),
        span,
    })
}

fn product(p: &mut Parser) -> Parsed<Expr> {
    let left = unary(p)?;
    if !p.is(Sign("*")) {
        return Ok(left);
    }
    p.advance();
    let right = unary(p)?;
    if p.is(Sign("*")) {
        let message = "a product of three sets is not a relation";
        return Err(Box::new(
            Diag::error(p.peek().span, message).note("write parentheses to say what is meant"),
        ));
    }
    let span = left.span.to(right.span);
    Ok(Expr {
        kind: ExprKind::Product(Box::new(left), Box::new(right)),
        span,
    })
}

fn unary(p: &mut Parser) -> Parsed<Expr> {
    if !p.is(Sign("~")) {
        return suffixed(p);
    }
    let start = p.advance().span;
    let operand = p.nested(unary)?;
    let span = start.to(operand.span);
    Ok(Expr {
        kind: ExprKind::Unary(UnaryOp::Complement, Box::new(operand)),
        span,
    })
}

fn suffixed(p: &mut Parser) -> Parsed<Expr> {
    let mut e = application(p)?;
    for count in 0.. {
        let op = match p.peek().kind {
            Sign("+") => UnaryOp::Plus,
            Sign("?") => UnaryOp::Optional,
            Sign("*") if !begins_operand(p, 1) => UnaryOp::Star,
            Sign("^") => {
                p.advance();
                match p.peek().kind {
                    Sign("-1") => UnaryOp::Inverse,
                    Sign("+") => UnaryOp::Plus,
                    Sign("*") => UnaryOp::Star,
                    Sign("?") => UnaryOp::Optional,
                    _ => return Err(p.unexpected("`-1`, `+`, `*` or `?` after `^`")),
                }
            }
            _ => break,
        };
        if count == MAX_SUFFIXES {
            let message = format!("more than {MAX_SUFFIXES} suffixes in a row");
            return Err(Box::new(Diag::unsupported(p.peek().span, message)));
        }
        let end = p.advance().span;
        let span = e.span.to(end);
        e = Expr {
            kind: ExprKind::Unary(op, Box::new(e)),
            span,
        };
    }
    Ok(e)
}

/// Whether the token `n` ahead begins an operand. A `~` before a test begins the next statement.
fn begins_operand(p: &Parser, n: usize) -> bool {
    match p.ahead(n).kind {
        CatTokenKind::Name | CatTokenKind::Tag => true,
        Sign("~") => !matches!(
            p.ahead(n + 1).kind,
            Keyword("acyclic" | "irreflexive" | "empty")
        ),
        Sign(s) => matches!(s, "0" | "_" | "(" | "{" | "["),
        Keyword(k) => k == "begin",
        _ => false,
    }
}

/// `f a b`: only names are applied.
fn application(p: &mut Parser) -> Parsed<Expr> {
    let mut e = simple(p)?;
    if !matches!(e.kind, ExprKind::Var(_)) {
        return Ok(e);
    }
    for count in 0.. {
        let argument = match p.peek().kind {
            CatTokenKind::Name | CatTokenKind::Tag => true,
            Sign(s) => matches!(s, "0" | "_" | "(" | "{" | "["),
            Keyword(k) => k == "begin",
            _ => false,
        };
        if !argument {
            break;
        }
        if count == MAX_SUFFIXES {
            let message = format!("more than {MAX_SUFFIXES} arguments in a row");
            return Err(Box::new(Diag::unsupported(p.peek().span, message)));
        }
        let arg = simple(p)?;
        let span = e.span.to(arg.span);
        e = Expr {
            kind: ExprKind::Apply(Box::new(e), Box::new(arg)),
            span,
        };
    }
    Ok(e)
}

/// A name, a constant, or something in brackets.
pub(super) fn simple(p: &mut Parser) -> Parsed<Expr> {
    let token = p.peek().clone();
    let start = token.span;
    let kind = match token.kind {
        CatTokenKind::Name => ExprKind::Var(p.advance().text),
        CatTokenKind::Tag => ExprKind::Tag(p.advance().text),
        Sign("0") => {
            p.advance();
            ExprKind::Zero
        }
        Sign("_") => {
            p.advance();
            ExprKind::Universe
        }
        Sign("(") => {
            p.advance();
            if p.eat(Sign(")")) {
                ExprKind::Tuple(Vec::new())
            } else {
                let inner = expr(p)?;
                p.expect(Sign(")"), "`)`")
                    .map_err(|e| Box::new(e.also(start, "opened here")))?;
                inner.kind
            }
        }
        Keyword("begin") => {
            p.advance();
            let inner = expr(p)?;
            p.expect(Keyword("end"), "`end`")
                .map_err(|e| Box::new(e.also(start, "opened here")))?;
            inner.kind
        }
        Sign("[") => {
            p.advance();
            let inner = expr(p)?;
            p.expect(Sign("]"), "`]`")
                .map_err(|e| Box::new(e.also(start, "opened here")))?;
            ExprKind::Unary(UnaryOp::Identity, Box::new(inner))
        }
        Sign("{") => {
            p.advance();
            let mut items = Vec::new();
            while !p.is(Sign("}")) {
                items.push(base(p)?);
                if !p.eat(Sign(",")) {
                    break;
                }
            }
            p.expect(Sign("}"), "`}`")
                .map_err(|e| Box::new(e.also(start, "opened here")))?;
            ExprKind::Braces(items)
        }
        _ => return Err(p.unexpected("a relation or a set")),
    };
    Ok(Expr {
        kind,
        span: start.to(p.last_span()),
    })
}

/// What follows `let`: `[rec] pattern = e and …`.
pub(super) fn bindings(p: &mut Parser) -> Parsed<Bindings> {
    let recursive = p.eat(Keyword("rec"));
    let mut binds = vec![bind(p)?];
    while p.eat(Keyword("and")) {
        binds.push(bind(p)?);
    }
    if p.is(Keyword("when")) {
        let message = "`when` conditions on recursive definitions are not supported";
        return Err(Box::new(Diag::unsupported(p.peek().span, message)));
    }
    Ok(Bindings { recursive, binds })
}

fn bind(p: &mut Parser) -> Parsed<Bind> {
    let is_function =
        p.is(CatTokenKind::Name) && matches!(p.ahead(1).kind, CatTokenKind::Name | Sign("(" | "_"));
    if is_function {
        let name = name(p)?;
        let params = params(p)?;
        p.expect(Sign("="), "`=`")?;
        let body = expr(p)?;
        let span = name.span.to(body.span);
        let function = ExprKind::Fun(Rc::new(Function { params, body }));
        return Ok(Bind {
            pattern: Pattern::One(Some(name.clone()), name.span),
            body: Expr {
                kind: function,
                span,
            },
        });
    }
    let start = p.peek().span;
    let pattern = if p.is(Sign("(")) {
        params(p)?
    } else {
        let mut names = vec![slot(p)?];
        while p.eat(Sign(",")) {
            names.push(slot(p)?);
        }
        pattern_of(names, start.to(p.last_span()))
    };
    p.expect(Sign("="), "`=`")?;
    Ok(Bind {
        pattern,
        body: expr(p)?,
    })
}

/// Parameters: `x`, `_`, or `(x, y)`.
pub(super) fn params(p: &mut Parser) -> Parsed<Pattern> {
    let start = p.peek().span;
    if !p.eat(Sign("(")) {
        return Ok(Pattern::One(slot(p)?, start));
    }
    let mut names = Vec::new();
    while !p.is(Sign(")")) {
        names.push(slot(p)?);
        if !p.eat(Sign(",")) {
            break;
        }
    }
    let end = p.expect(Sign(")"), "`)` after the parameters")?.span;
    Ok(pattern_of(names, start.to(end)))
}

fn pattern_of(mut names: Vec<Option<Name>>, span: Span) -> Pattern {
    match names.pop() {
        Some(one) if names.is_empty() => Pattern::One(one, span),
        last => {
            names.extend(last);
            Pattern::Tuple(names, span)
        }
    }
}

fn slot(p: &mut Parser) -> Parsed<Option<Name>> {
    if p.eat(Sign("_")) {
        Ok(None)
    } else {
        name(p).map(Some)
    }
}

/// A name.
pub(super) fn name(p: &mut Parser) -> Parsed<Name> {
    let token = p.expect(CatTokenKind::Name, "a name")?;
    Ok(Name {
        text: token.text,
        span: token.span,
    })
}

/// The condition of an `if`.
pub(super) fn cond(p: &mut Parser) -> Parsed<Cond> {
    p.nested(|p| {
        let mut left = conjunction(p)?;
        while p.eat(Sign("||")) {
            left = p.nested(|p| Ok(Cond::Or(Box::new(left), Box::new(cond(p)?))))?;
        }
        Ok(left)
    })
}

fn conjunction(p: &mut Parser) -> Parsed<Cond> {
    let left = negation(p)?;
    if !p.eat(Sign("&&")) {
        return Ok(left);
    }
    p.nested(|p| Ok(Cond::And(Box::new(left), Box::new(conjunction(p)?))))
}

fn negation(p: &mut Parser) -> Parsed<Cond> {
    let paren_variant = p.is(Sign("("))
        && matches!(
            p.ahead(1).kind,
            CatTokenKind::Text | Keyword("not" | "variant") | Sign("(")
        );
    if p.eat(Keyword("not")) {
        return Ok(Cond::Not(Box::new(p.nested(negation)?)));
    }
    if paren_variant {
        p.advance();
        let inner = cond(p)?;
        p.expect(Sign(")"), "`)`")?;
        return Ok(inner);
    }
    p.eat(Keyword("variant"));
    if p.is(CatTokenKind::Text) {
        return Ok(Cond::Variant(p.advance().text));
    }
    let left = base(p)?;
    match p.peek().kind {
        Sign("=") | Keyword("subset" | "in") => {
            p.advance();
        }
        _ => return Err(p.unexpected("`=`, `subset` or `in` in this condition")),
    }
    let right = base(p)?;
    Ok(Cond::Values(left.span.to(right.span)))
}

/// `match e with || {} -> a || x ++ xs -> b end`.
fn matching(p: &mut Parser) -> Parsed<ExprKind> {
    let start = p.advance().span;
    let matched = expr(p)?;
    p.expect(Keyword("with"), "`with`")?;
    p.eat(Sign("||"));
    let mut clauses = Vec::new();
    loop {
        let pattern = match p.peek().kind {
            CatTokenKind::Tag => ClausePattern::Tag(p.advance().text),
            Sign("{") => {
                p.advance();
                p.expect(Sign("}"), "`}`")?;
                ClausePattern::Empty
            }
            _ => {
                let first = slot(p)?;
                if p.eat(Sign("++")) {
                    ClausePattern::Element(first, slot(p)?)
                } else if p.is(Sign("|")) {
                    let message = "a pattern that parts a set in two is not supported";
                    return Err(Box::new(Diag::unsupported(p.peek().span, message)));
                } else {
                    ClausePattern::Any(first)
                }
            }
        };
        p.expect(Sign("->"), "`->` after the pattern")?;
        let body = expr(p)?;
        clauses.push(Clause { pattern, body });
        if !p.eat(Sign("||")) {
            break;
        }
    }
    p.expect(Keyword("end"), "`end`")
        .map_err(|e| Box::new(e.also(start, "this `match`")))?;
    Ok(ExprKind::Match(Box::new(matched), clauses))
}
