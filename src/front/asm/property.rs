//! The property: a conjunction of comparisons.

use super::ast::{Name, Number, Relation};
use super::instr::{name, number, register, sign, thread, unexpected};
use super::lex::{AsmTokenKind as Kind, Parser};
use base::source::Span;
use base::tokens::Parsed;

/// A comparison, names unresolved.
pub(super) struct RawComparison {
    pub left: RawTerm,
    pub relation: Relation,
    pub right: RawTerm,
    pub span: Span,
}

/// A term, names unresolved.
pub(super) enum RawTerm {
    /// `eip[$t]`
    Eip(Name, Span),
    /// `eax[$t]`
    Register(Name, Name),
    /// `x[$t]`
    Indexed(Name, Name),
    /// `$t:x`, and the thread of `$t:x[$u]`.
    Seen(Name, Name, Option<Name>),
    /// A label, or `N`.
    Name(Name),
    /// A number.
    Number(Number),
}

impl RawTerm {
    pub fn span(&self) -> Span {
        match self {
            RawTerm::Eip(_, span) => *span,
            RawTerm::Register(a, b) | RawTerm::Indexed(a, b) => a.span.to(b.span),
            RawTerm::Seen(a, b, c) => a.span.to(c.as_ref().unwrap_or(b).span),
            RawTerm::Name(name) => name.span,
            RawTerm::Number(number) => number.span,
        }
    }
}

/// Reads `term relation term`.
pub(super) fn comparison(p: &mut Parser) -> Parsed<RawComparison> {
    let left = term(p)?;
    let relation = match p.peek().kind {
        Kind::Sign("=") => Relation::Eq,
        Kind::Sign("<>") => Relation::Ne,
        Kind::Sign("<") => Relation::Lt,
        Kind::Sign("<=") => Relation::Le,
        Kind::Sign(">") => Relation::Gt,
        Kind::Sign(">=") => Relation::Ge,
        _ => return unexpected(p, "a comparison (`=`, `<>`, `<`, `<=`, `>`, `>=`)"),
    };
    p.advance();
    let right = term(p)?;
    let span = left.span().to(p.last_span());
    Ok(RawComparison {
        left,
        relation,
        right,
        span,
    })
}

fn term(p: &mut Parser) -> Parsed<RawTerm> {
    match p.peek().kind {
        Kind::Number(_) | Kind::Sign("-") => number(p).map(RawTerm::Number),
        Kind::Thread => {
            let view = thread(p)?;
            sign(p, ":")?;
            let name = name(p, "a shared variable")?;
            let cell = index(p)?;
            Ok(RawTerm::Seen(view, name, cell))
        }
        Kind::Word => {
            let name = name(p, "a term")?;
            let Some(thread) = index(p)? else {
                return Ok(RawTerm::Name(name));
            };
            if name.text.eq_ignore_ascii_case("eip") {
                return Ok(RawTerm::Eip(thread, name.span.to(p.last_span())));
            }
            Ok(match register(&name.text) {
                Some(register) => RawTerm::Register(
                    Name {
                        text: register.to_string(),
                        span: name.span,
                    },
                    thread,
                ),
                None => RawTerm::Indexed(name, thread),
            })
        }
        _ => unexpected(
            p,
            "a term (`eip[$t]`, `eax[$t]`, `x[$t]`, `$t:x`, a label or a number)",
        ),
    }
}

/// `[$t]`, perhaps nothing.
fn index(p: &mut Parser) -> Parsed<Option<Name>> {
    if !p.eat(Kind::Sign("[")) {
        return Ok(None);
    }
    let thread = thread(p)?;
    sign(p, "]")?;
    Ok(Some(thread))
}
