//! What stands behind the program: `locations [x; 1:r1;]`, `filter p`, and the question.
//!
//! `~` and `not` bind tightest, then `=>`, which groups to the right, `/\`, and `\/`, as in herd's
//! grammar. `final p` and a bare `(p)` are `exists p`; `observed 0:r1=1; x=2; and x=1;` asks whether
//! one of the listed states exists. What herd's files have behind the question is not looked at:
//! `with` and expectations of models by name, and sections in `<< >>`.

use super::ast::{FinalCondition, LitmusValue, Place, Prop, Quantifier, Test};
use super::init::{place, symbol};
use super::lex::LitmusTokenKind;
use super::parser::{Parsed, Parser, unsupported};
use base::source::Span;

/// The section, up to what is skipped.
pub(super) fn section(p: &mut Parser, test: &mut Test) -> Parsed<()> {
    loop {
        let start = p.peek();
        let word = if start.kind == LitmusTokenKind::Word {
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
            "exists" | "final" | "observed" => Quantifier::Exists,
            "forall" => Quantifier::Forall,
            "" if p.is("~") => {
                p.next();
                if !p.is_word("exists") {
                    return p.unexpected("`exists`");
                }
                Quantifier::NotExists
            }
            "" if p.is("(") => {
                return question(p, test, (start.span, Quantifier::Exists), prop);
            }
            "" if start.kind == LitmusTokenKind::End => return Ok(()),
            _ => return p.unexpected("`exists`, `~exists`, `forall`, `locations` or `filter`"),
        };
        p.next();
        let read = if word == "observed" { observed } else { prop };
        return question(p, test, (start.span, quantifier), read);
    }
}

/// The question, its first words apart.
fn question(
    p: &mut Parser,
    test: &mut Test,
    (start, quantifier): (Span, Quantifier),
    read: fn(&mut Parser) -> Parsed<Prop>,
) -> Parsed<()> {
    let prop = read(p)?;
    let end = p.tokens[p.at.saturating_sub(1)].span;
    test.condition = FinalCondition {
        quantifier,
        prop,
        span: start.to(end),
    };
    tail(p)
}

/// What may follow the question.
fn tail(p: &mut Parser) -> Parsed<()> {
    p.eat(";");
    if p.peek().kind == LitmusTokenKind::End || p.is_word("with") || p.is("<<") {
        return Ok(());
    }
    p.unexpected("the end of the condition")
}

/// `[x; 1:r1*; y[1];]`; a type behind a place, which tells
/// herd how to show the value, changes nothing.
fn locations(p: &mut Parser, all: &mut Vec<Place>) -> Parsed<()> {
    p.expect("[", "`[`")?;
    while !p.eat("]") {
        all.push(place(p)?);
        if p.peek().kind == LitmusTokenKind::Word {
            p.next();
        }
        p.eat("*");
        if !p.eat(";") && !p.is("]") {
            return p.unexpected("`;` or `]`");
        }
    }
    Ok(())
}

/// `0:r1=1; x=2; and x=1;`
fn observed(p: &mut Parser) -> Parsed<Prop> {
    let mut states = Vec::new();
    loop {
        let mut atoms = Vec::new();
        while matches!(
            p.peek().kind,
            LitmusTokenKind::Word
                | LitmusTokenKind::Number
                | LitmusTokenKind::Sign("[" | "*" | "%")
        ) && !p.is_word("and")
            && !p.is_word("with")
        {
            atoms.push(atom(p)?);
            p.expect(";", "`;`")?;
        }
        states.push(if atoms.is_empty() {
            Prop::Constant(true)
        } else {
            one_or(atoms, Prop::And)
        });
        if !p.is_word("and") {
            return Ok(one_or(states, Prop::Or));
        }
        p.next();
    }
}

fn prop(p: &mut Parser) -> Parsed<Prop> {
    p.nested(|p| {
        let mut all = vec![and(p)?];
        while p.eat("\\/") {
            all.push(and(p)?);
        }
        Ok(one_or(all, Prop::Or))
    })
}

fn and(p: &mut Parser) -> Parsed<Prop> {
    let mut all = vec![implies(p)?];
    while p.eat("/\\") {
        all.push(implies(p)?);
    }
    Ok(one_or(all, Prop::And))
}

fn implies(p: &mut Parser) -> Parsed<Prop> {
    let left = unary(p)?;
    if !p.eat("=>") {
        return Ok(left);
    }
    let right = p.nested(implies)?;
    Ok(Prop::Implies(Box::new(left), Box::new(right)))
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
    atom(p)
}

fn atom(p: &mut Parser) -> Parsed<Prop> {
    if p.is_word("fault") && p.ahead(1).kind == LitmusTokenKind::Sign("(") {
        return unsupported(p.peek().span, "conditions about faults are not supported");
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
fn value(p: &mut Parser) -> Parsed<LitmusValue> {
    if p.ahead(1).kind == LitmusTokenKind::Sign(":") || p.is("%") || p.is("[") || p.is("*") {
        return place(p).map(LitmusValue::Place);
    }
    if p.peek().kind == LitmusTokenKind::Number || p.is("-") {
        return p.number("a number").map(LitmusValue::Number);
    }
    p.eat("&");
    if p.peek().kind != LitmusTokenKind::Word {
        return p.unexpected("a number, a location or a register");
    }
    symbol(p).map(LitmusValue::Address)
}
