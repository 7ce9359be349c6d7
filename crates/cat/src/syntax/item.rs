//! Statements, and going on after a wrong one.

use super::ast::{File, Item, ItemKind, Name, Procedure, Role, Test, TestKind};
use super::expr::{base, bindings, cond, expr, name, params, simple};
use super::lex::{CatTokenKind, Parser};
use base::diag::Diag;
use base::tokens::Parsed;
use std::rc::Rc;

use CatTokenKind::{Keyword, Sign};

/// The title and all statements; errors are left in the parser.
pub(super) fn file(p: &mut Parser) -> File {
    let (arch, title) = title(p);
    p.eat(Keyword("catdep"));
    let mut items = Vec::new();
    while !p.is(CatTokenKind::End) {
        match item(p) {
            Ok(item) => items.push(item),
            Err(error) => {
                p.errors.push(*error);
                skip(p);
            }
        }
    }
    File { arch, title, items }
}

/// `"title"`, `NAME`, `NAME "title"` or `NAME NAME`.
fn title(p: &mut Parser) -> (Option<String>, String) {
    let mut words = Vec::new();
    while words.len() < 2 && matches!(p.peek().kind, CatTokenKind::Name | CatTokenKind::Text) {
        let token = p.advance();
        words.push(token.text);
        if token.kind == CatTokenKind::Text {
            let title = words.pop().unwrap_or_default();
            return (words.pop(), title);
        }
    }
    let title = words.last().cloned().unwrap_or_default();
    (words.into_iter().next(), title)
}

/// Skips to the next line that begins with a statement.
fn skip(p: &mut Parser) {
    loop {
        p.advance();
        let token = p.peek();
        let begins = match token.kind {
            CatTokenKind::End => return,
            Sign("~") => true,
            Keyword(k) => !matches!(
                k,
                "and"
                    | "in"
                    | "rec"
                    | "then"
                    | "else"
                    | "end"
                    | "with"
                    | "as"
                    | "begin"
                    | "fun"
                    | "not"
            ),
            _ => false,
        };
        if begins && token.first_on_line {
            return;
        }
    }
}

fn items(p: &mut Parser, stop: &[&str]) -> Parsed<Vec<Item>> {
    let mut out = Vec::new();
    loop {
        match p.peek().kind {
            Keyword(k) if stop.contains(&k) => return Ok(out),
            CatTokenKind::End => return Err(p.unexpected("`end`")),
            _ => out.push(p.nested(item)?),
        }
    }
}

fn item(p: &mut Parser) -> Parsed<Item> {
    let start = p.peek().span;
    let kind = match p.peek().kind {
        Keyword("let") => {
            p.advance();
            let bindings = bindings(p)?;
            p.eat(Keyword("in"));
            ItemKind::Let(bindings)
        }
        Keyword("acyclic" | "irreflexive" | "empty" | "flag" | "undefined_unless" | "assert")
        | Sign("~") => ItemKind::Test(test(p)?),
        Keyword("show") => {
            p.advance();
            // `show e as name` shows one expression, `show a, b` names.
            base(p)?;
            if p.eat(Keyword("as")) {
                name(p)?;
            } else {
                while p.eat(Sign(",")) {
                    name(p)?;
                }
            }
            ItemKind::Show
        }
        Keyword("unshow") => {
            p.advance();
            name(p)?;
            while p.eat(Sign(",")) {
                name(p)?;
            }
            ItemKind::Show
        }
        Keyword("include") => {
            p.advance();
            ItemKind::Include(
                p.expect(CatTokenKind::Text, "the name of a file in quotes")?
                    .text,
            )
        }
        Keyword("procedure") => {
            p.advance();
            if p.is(Keyword("rec")) {
                return Err(unsupported(p, "recursive procedures are"));
            }
            let name = name(p)?;
            let params = params(p)?;
            p.expect(Sign("="), "`=`")?;
            let body = items(p, &["end"])?;
            p.advance();
            ItemKind::Procedure(Rc::new(Procedure { name, params, body }))
        }
        Keyword("call") => {
            p.advance();
            let procedure = name(p)?;
            // An argument may be a bare name or anything that `simple` reads.
            let arg = simple(p)?;
            let label = if p.eat(Keyword("as")) {
                Some(name(p)?)
            } else {
                None
            };
            ItemKind::Call {
                procedure,
                arg,
                label,
            }
        }
        Keyword("with") => {
            p.advance();
            let name = name(p)?;
            p.expect(Keyword("from"), "`from`")?;
            ItemKind::With {
                name,
                from: expr(p)?,
            }
        }
        Keyword("if") => {
            p.advance();
            let cond = cond(p)?;
            let then = items(p, &["else", "end"])?;
            let otherwise = if p.eat(Keyword("else")) {
                items(p, &["end"])?
            } else {
                Vec::new()
            };
            p.expect(Keyword("end"), "`end`")?;
            ItemKind::If {
                cond,
                then,
                otherwise,
            }
        }
        Keyword("enum") => {
            p.advance();
            let name = name(p)?;
            p.expect(Sign("="), "`=`")?;
            p.eat(Sign("||"));
            let mut tags = vec![tag(p)?];
            while p.eat(Sign("||")) {
                tags.push(tag(p)?);
            }
            ItemKind::Enum(name, tags)
        }
        Keyword("instructions") => {
            p.advance();
            name(p)?;
            p.expect(Sign("["), "`[`")?;
            let mut annotations = vec![base(p)?];
            while p.eat(Sign(",")) {
                annotations.push(base(p)?);
            }
            p.expect(Sign("]"), "`]`")?;
            ItemKind::Instructions(annotations)
        }
        Keyword("forall") => {
            p.advance();
            let name = name(p)?;
            p.expect(Keyword("in"), "`in`")?;
            let set = expr(p)?;
            p.expect(Keyword("do"), "`do`")?;
            let body = items(p, &["end"])?;
            p.advance();
            ItemKind::ForAll { name, set, body }
        }
        Keyword(k @ ("match" | "debug" | "default")) => {
            return Err(unsupported(p, &format!("`{k}` statements are")));
        }
        _ => return Err(p.unexpected("a statement (`let`, `acyclic`, `include`, …)")),
    };
    let end = p.last_span();
    Ok(Item {
        kind,
        span: start.to(end),
    })
}

/// `'tag`
fn tag(p: &mut Parser) -> Parsed<Name> {
    let token = p.expect(CatTokenKind::Tag, "a tag like `'once`")?;
    Ok(Name {
        text: token.text,
        span: token.span,
    })
}

fn unsupported(p: &Parser, what: &str) -> Box<Diag> {
    let message = format!("{what} not supported");
    Box::new(Diag::unsupported(p.peek().span, message))
}

fn test(p: &mut Parser) -> Parsed<Test> {
    let role = match p.peek().kind {
        Keyword("flag") => Role::Flag,
        Keyword("undefined_unless") => Role::UndefinedUnless,
        Keyword("assert") => Role::Assert,
        _ => Role::Check,
    };
    if role != Role::Check {
        p.advance();
    }
    let negated = p.eat(Sign("~"));
    let kind = match p.peek().kind {
        Keyword("acyclic") => TestKind::Acyclic,
        Keyword("irreflexive") => TestKind::Irreflexive,
        Keyword("empty") => TestKind::Empty,
        _ => return Err(p.unexpected("`acyclic`, `irreflexive` or `empty`")),
    };
    p.advance();
    let expr = expr(p)?;
    let name = if p.eat(Keyword("as")) {
        Some(name(p)?)
    } else {
        None
    };
    Ok(Test {
        role,
        negated,
        kind,
        expr,
        name,
    })
}
