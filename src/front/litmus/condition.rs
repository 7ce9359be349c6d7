//! What stands behind the program: `locations [x; 1:r1;]`, `filter p`, and the question.
//!
//! `~` and `not` bind tightest, then `/\`, `\/`, and `=>`, which groups to the right. `final p` is
//! `exists p`. What herd's files have behind the question is not looked at: `with` and expectations
//! of models by name, and sections in `<< >>`.

use super::ast::{Place, Prop, Quantifier, Question, Test, Value};
use super::init::{place, symbol};
use super::lex::Kind;
use super::{Parsed, Parser};

/// The section, up to where nobody looks.
pub(super) fn section(p: &mut Parser, test: &mut Test) -> Parsed<()> {
    loop {
        let start = p.peek();
        let word = if start.kind == Kind::Word {
            start.text
        } else {
            ""
        };
        let quantifier = match word {
            "locations" => {
                p.next();
                locations(p, &mut test.locations)?;
                continue;
            }
            "filter" => {
                p.next();
                test.filter = Some(prop(p)?);
                continue;
            }
            "exists" | "final" => Quantifier::Exists,
            "forall" => Quantifier::Forall,
            "" if p.is("~") => {
                p.next();
                if !p.is_word("exists") {
                    return p.unexpected("`exists`");
                }
                Quantifier::NotExists
            }
            "" if start.kind == Kind::End => return Ok(()),
            _ => return p.unexpected("`exists`, `~exists`, `forall`, `locations` or `filter`"),
        };
        p.next();
        let prop = prop(p)?;
        let end = p.tokens[p.at.saturating_sub(1)].span;
        test.question = Question {
            quantifier,
            prop,
            span: start.span.to(end),
        };
        return tail(p);
    }
}

/// What may follow the question.
fn tail(p: &mut Parser) -> Parsed<()> {
    p.eat(";");
    if p.peek().kind == Kind::End || p.is_word("with") || p.is("<<") {
        return Ok(());
    }
    p.unexpected("the end of the condition")
}

/// `[x; 1:r1*; y[1];]`; a star, which asks herd to show an address, changes nothing.
fn locations(p: &mut Parser, all: &mut Vec<Place>) -> Parsed<()> {
    p.expect("[", "`[`")?;
    while !p.eat("]") {
        all.push(place(p)?);
        p.eat("*");
        if !p.eat(";") && !p.is("]") {
            return p.unexpected("`;` or `]`");
        }
    }
    Ok(())
}

fn prop(p: &mut Parser) -> Parsed<Prop> {
    p.nested(|p| {
        let left = or(p)?;
        if !p.eat("=>") {
            return Ok(left);
        }
        Ok(Prop::Implies(Box::new(left), Box::new(prop(p)?)))
    })
}

fn or(p: &mut Parser) -> Parsed<Prop> {
    let mut all = vec![and(p)?];
    while p.eat("\\/") {
        all.push(and(p)?);
    }
    Ok(one_or(all, Prop::Or))
}

fn and(p: &mut Parser) -> Parsed<Prop> {
    let mut all = vec![unary(p)?];
    while p.eat("/\\") {
        all.push(unary(p)?);
    }
    Ok(one_or(all, Prop::And))
}

fn one_or(mut all: Vec<Prop>, several: impl Fn(Vec<Prop>) -> Prop) -> Prop {
    match all.len() {
        1 => all.remove(0),
        _ => several(all),
    }
}

fn unary(p: &mut Parser) -> Parsed<Prop> {
    if p.is("~") || p.is_word("not") {
        p.next();
        return p.nested(|p| Ok(Prop::Not(Box::new(unary(p)?))));
    }
    if p.eat("(") {
        let inner = prop(p)?;
        p.expect(")", "`)`, `/\\`, `\\/` or `=>`")?;
        return Ok(inner);
    }
    for truth in [true, false] {
        if p.is_word(if truth { "true" } else { "false" }) {
            p.next();
            return Ok(Prop::Constant(truth));
        }
    }
    let left = place(p)?;
    let negated = p.is("<>") || p.is("!=");
    if !negated && !p.is("=") && !p.is("==") {
        return p.unexpected("`=`");
    }
    p.next();
    let atom = Prop::Equal(left, value(p)?);
    Ok(if negated {
        Prop::Not(Box::new(atom))
    } else {
        atom
    })
}

/// A number, the address of a location, or what a register or `[x]` has.
fn value(p: &mut Parser) -> Parsed<Value> {
    if p.ahead(1).kind == Kind::Sign(":") || p.is("%") || p.is("[") || p.is("*") {
        return place(p).map(Value::Place);
    }
    if p.peek().kind == Kind::Number || p.is("-") {
        return p.number("a number").map(Value::Number);
    }
    p.eat("&");
    if p.peek().kind != Kind::Word {
        return p.unexpected("a number, a location or a register");
    }
    symbol(p).map(Value::Address)
}
