//! Declarations: types, symbols, formulas, transitions.

use super::ast::{
    File, Formula, Ident, Predicate, Rhs, Symbol, SymbolKind, Transition, TypeDecl, Update,
};
use super::expr::{access, expr, term};
use super::lex::CubTokenKind;
use super::parser::{CubTokens, Parser};
use base::diag::Diag;
use base::tokens::Parsed;

/// Words that begin a declaration: where reading goes on after an error.
const BEGINNINGS: &[&str] = &[
    "number_procs",
    "type",
    "const",
    "var",
    "array",
    "weak",
    "init",
    "unsafe",
    "invariant",
    "predicate",
    "transition",
];

/// The whole file; errors go to the parser's list.
pub(super) fn file(p: &mut Parser) -> File {
    let mut file = File::default();
    while !p.is(CubTokenKind::End) {
        let before = p.position();
        if let Err(error) = declaration(p, &mut file) {
            p.errors.push(*error);
            if p.position() == before {
                p.advance();
            }
            while !p.is(CubTokenKind::End) && !begins(p.peek().kind) {
                p.advance();
            }
        }
    }
    file
}

fn begins(kind: CubTokenKind) -> bool {
    matches!(kind, CubTokenKind::Keyword(word) if BEGINNINGS.contains(&word))
}

fn declaration(p: &mut Parser, file: &mut File) -> Parsed<()> {
    let start = p.peek().span;
    match p.peek().kind {
        CubTokenKind::Keyword("number_procs") => {
            p.advance();
            let CubTokenKind::Number(n) = p.peek().kind else {
                return Err(p.unexpected("a number of processes"));
            };
            let token = p.advance();
            let count = u32::try_from(n.mantissa).ok().filter(|k| *k > 0 && !n.real);
            let Some(count) = count else {
                let message = "the number of processes is a whole number from 1";
                return Err(Box::new(Diag::error(token.span, message)));
            };
            if file.procs.is_some() {
                let message = "the number of processes is given twice";
                return Err(Box::new(Diag::error(start.to(token.span), message)));
            }
            file.procs = Some((count, start.to(token.span)));
        }
        CubTokenKind::Keyword("type") => {
            p.advance();
            let name = p.lower("the name of a type, which begins with a small letter")?;
            let mut constructors = Vec::new();
            if p.eat_sign("=") {
                p.eat_sign("|");
                loop {
                    constructors.push(p.upper("a constructor, which begins with a capital")?);
                    if !p.eat_sign("|") {
                        break;
                    }
                }
            }
            file.types.push(TypeDecl { name, constructors });
        }
        CubTokenKind::Keyword("const" | "var" | "array" | "weak") => file.symbols.push(symbol(p)?),
        CubTokenKind::Keyword("init") => {
            p.advance();
            let f = formula(p, start, None)?;
            file.inits.push(f);
        }
        CubTokenKind::Keyword(word @ ("unsafe" | "invariant")) => {
            p.advance();
            let name = match p.peek().kind {
                CubTokenKind::Lower => Some(p.lower("a name")?),
                CubTokenKind::Upper => Some(p.upper("a name")?),
                _ => None,
            };
            let f = formula(p, start, name)?;
            if word == "unsafe" {
                file.unsafes.push(f);
            } else {
                file.invariants.push(f);
            }
        }
        CubTokenKind::Keyword("predicate") => {
            p.advance();
            let name = p.lower("the name of a predicate")?;
            p.sign("(")?;
            let mut params = Vec::new();
            while !p.is_sign(")") {
                params.push(p.lower("a parameter")?);
                if !p.eat_sign(",") {
                    break;
                }
            }
            p.sign(")")?;
            let body = braced(p)?;
            file.predicates.push(Predicate { name, params, body });
        }
        CubTokenKind::Keyword("transition") => file.transitions.push(transition(p)?),
        _ => {
            return Err(p.unexpected(
                "a declaration (`type`, `var`, `array`, `init`, `unsafe`, `transition`, …)",
            ));
        }
    }
    Ok(())
}

fn symbol(p: &mut Parser) -> Parsed<Symbol> {
    let weak = p.eat_word("weak");
    let word = p.advance();
    let kind = match word.kind {
        CubTokenKind::Keyword("const") if !weak => SymbolKind::Const,
        CubTokenKind::Keyword("var" | "array") if weak => SymbolKind::Weak,
        CubTokenKind::Keyword("var" | "array") => SymbolKind::Plain,
        _ => {
            let message = "`weak` stands before `var` or `array`";
            return Err(Box::new(Diag::error(word.span, message)));
        }
    };
    let name = p.upper("a name that begins with a capital")?;
    let mut arity = 0;
    let indexed = match word.kind {
        CubTokenKind::Keyword("const") => p.is_sign("["),
        CubTokenKind::Keyword("array") => true,
        _ => false,
    };
    if indexed {
        p.sign("[")?;
        loop {
            let ty = p.lower("`proc`")?;
            if ty.text != "proc" {
                let message = format!("arrays are indexed by `proc`, not by `{}`", ty.text);
                return Err(Box::new(Diag::error(ty.span, message)));
            }
            arity += 1;
            if !p.eat_sign(",") {
                break;
            }
        }
        p.sign("]")?;
    }
    p.sign(":")?;
    let ty = p.lower("the name of a type")?;
    Ok(Symbol {
        kind,
        name,
        arity,
        ty,
    })
}

fn braced(p: &mut Parser) -> Parsed<super::ast::Expr> {
    p.sign("{")?;
    let body = expr(p)?;
    p.sign("}")?;
    Ok(body)
}

fn formula(p: &mut Parser, start: base::source::Span, name: Option<Ident>) -> Parsed<Formula> {
    let mut params = Vec::new();
    if p.eat_sign("(") {
        while !p.is_sign(")") {
            params.push(p.lower("a process variable")?);
            p.eat_sign(",");
        }
        p.sign(")")?;
    }
    let body = braced(p)?;
    let span = start.to(p.last_span());
    Ok(Formula {
        name,
        params,
        body,
        span,
    })
}

fn transition(p: &mut Parser) -> Parsed<Transition> {
    p.word("transition")?;
    let name = match p.peek().kind {
        CubTokenKind::Upper => p.upper("the name of the transition")?,
        _ => p.lower("the name of the transition")?,
    };
    p.sign("(")?;
    let (mut params, mut thread) = (Vec::new(), None);
    while !p.is_sign(")") {
        let open = p.peek().span;
        if p.eat_sign("[") {
            if thread.is_some() {
                let message = "only one process performs a transition";
                return Err(Box::new(Diag::error(open, message)));
            }
            thread = Some(params.len());
            params.push(p.lower("a process variable")?);
            p.sign("]")?;
        } else {
            params.push(p.lower("a process variable")?);
        }
        p.eat_sign(",");
    }
    p.sign(")")?;
    let guard = if p.eat_word("requires") {
        Some(braced(p)?)
    } else {
        None
    };
    p.sign("{")?;
    let (mut lets, mut updates) = (Vec::new(), Vec::new());
    while p.eat_word("let") {
        let name = p.lower("a name")?;
        p.sign("=")?;
        let value = term(p)?;
        p.word("in")?;
        lets.push((name, value));
    }
    while !p.is_sign("}") {
        updates.push(update(p)?);
        if !p.eat_sign(";") {
            break;
        }
    }
    p.sign("}")?;
    Ok(Transition {
        name,
        params,
        thread,
        guard,
        lets,
        updates,
    })
}

fn update(p: &mut Parser) -> Parsed<Update> {
    let target = access(p)?;
    p.sign(":=")?;
    let rhs = if p.is_sign(".") || p.is_sign("?") {
        Rhs::Any(p.advance().span)
    } else if p.eat_word("case") {
        let mut cases = Vec::new();
        while p.eat_sign("|") {
            let condition = if p.eat_sign("_") {
                None
            } else {
                Some(expr(p)?)
            };
            p.sign(":")?;
            let last = condition.is_none();
            cases.push((condition, term(p)?));
            if last {
                break;
            }
        }
        if cases.is_empty() {
            return Err(p.unexpected("`|` and a case"));
        }
        Rhs::Case(cases)
    } else {
        Rhs::Term(term(p)?)
    };
    let span = target.span.to(p.last_span());
    Ok(Update { target, rhs, span })
}
