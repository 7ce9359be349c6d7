//! The initial state: `{ 0:r2=x; int y=1; uint64_t 1:r3; int z[2]={1,2}; }`.

use super::ast::{Init, LitmusValue, Number, Place, Symbol, Type};
use super::lex::LitmusTokenKind;
use super::parser::{Parsed, Parser, wrong};

/// The names of types, and their bits.
const TYPES: &[(&str, u8)] = &[
    ("atomic_int", 64),
    ("atomic_t", 64),
    ("atomic_long_t", 64),
    ("spinlock_t", 64),
    ("void", 64),
    ("int8_t", 8),
    ("uint8_t", 8),
    ("char", 8),
    ("int16_t", 16),
    ("uint16_t", 16),
    ("short", 16),
    ("int", 32),
    ("int32_t", 32),
    ("uint32_t", 32),
    ("int64_t", 64),
    ("uint64_t", 64),
    ("long", 64),
    ("intptr_t", 64),
    ("uintptr_t", 64),
];

/// The section with its braces, and a semicolon behind it.
pub(super) fn section(p: &mut Parser) -> Parsed<Vec<Init>> {
    p.expect("{", "`{`")?;
    let mut all = Vec::new();
    loop {
        while p.eat(";") {}
        if p.eat("}") {
            break;
        }
        match init(p) {
            Ok(init) => all.push(init),
            Err(e) => {
                p.errors.push(*e);
                if !skip(p) {
                    break;
                }
            }
        }
    }
    p.eat(";");
    Ok(all)
}

/// Goes to the end of a wrong entry; false at the end of the file.
fn skip(p: &mut Parser) -> bool {
    let mut depth = 0;
    while p.peek().kind != LitmusTokenKind::End {
        if depth == 0 && (p.is(";") || p.is("}")) {
            return true;
        }
        depth += usize::from(p.is("{"));
        depth -= usize::from(p.is("}"));
        p.next();
    }
    false
}

fn init(p: &mut Parser) -> Parsed<Init> {
    let start = p.peek().span;
    let ty = ty(p)?;
    let pointed = p.eat("*");
    while p.eat("*") {}
    let place = place(p)?;
    let (place, count) = match place {
        Place::Memory(Symbol {
            name,
            index: Some(count),
        }) => (Place::Memory(Symbol { name, index: None }), Some(count)),
        other => (other, None),
    };
    let mut values = Vec::new();
    if p.eat("=") {
        if p.eat("{") {
            loop {
                values.push(value(p)?);
                if !p.eat(",") {
                    break;
                }
            }
            p.expect("}", "`,` or `}`")?;
        } else if let Some(count) = count {
            return wrong(count.span, "the values of an array are written in braces");
        } else {
            values.push(value(p)?);
        }
    }
    if !p.is(";") && !p.is("}") {
        return p.unexpected("`;` or `}`");
    }
    let ty = if pointed {
        Some(Type { width: None })
    } else {
        ty
    };
    let end = p.tokens[p.at.saturating_sub(1)].span;
    Ok(Init {
        ty,
        place,
        count,
        values,
        span: start.to(end),
    })
}

/// A type, if what stands here is one: a word with something to declare behind it.
fn ty(p: &mut Parser) -> Parsed<Option<Type>> {
    let mut found = None;
    loop {
        let token = p.peek();
        let declares = p.ahead(1).kind;
        let is_type = token.kind == LitmusTokenKind::Word
            && matches!(
                declares,
                LitmusTokenKind::Word
                    | LitmusTokenKind::Number
                    | LitmusTokenKind::Sign("*" | "%" | "[")
            )
            && !(declares == LitmusTokenKind::Sign("[")
                && p.ahead(2).kind == LitmusTokenKind::Number);
        if !is_type {
            return Ok(found);
        }
        p.next();
        match token.text {
            "volatile" | "const" | "_Atomic" | "atomic" | "signed" | "unsigned" => {}
            "struct" => {
                p.next();
                found = Some(Type { width: None });
            }
            text => match TYPES.iter().find(|(name, _)| *name == text) {
                Some((_, width)) => {
                    found = Some(Type {
                        width: Some(*width),
                    })
                }
                None => return wrong(token.span, format!("`{text}` is no type that is known")),
            },
        }
    }
}

/// A register or a location, as in the initial state and in conditions.
pub(super) fn place(p: &mut Parser) -> Parsed<Place> {
    if let Some(thread) = thread(p)? {
        let name = p.register()?;
        return Ok(Place::Register {
            thread: Some(thread),
            name,
        });
    }
    if p.is("%") {
        let name = p.register()?;
        return Ok(Place::Register { thread: None, name });
    }
    if p.eat("[") {
        let symbol = symbol(p)?;
        p.expect("]", "`]`")?;
        return Ok(Place::Memory(symbol));
    }
    p.eat("*");
    symbol(p).map(Place::Memory)
}

/// `0:` or `P0:`
fn thread(p: &mut Parser) -> Parsed<Option<Number>> {
    if p.ahead(1).kind != LitmusTokenKind::Sign(":") {
        return Ok(None);
    }
    let token = p.peek();
    let number = match token.kind {
        LitmusTokenKind::Number => p.number("a thread")?,
        LitmusTokenKind::Word => {
            let number = token.text.strip_prefix('P').and_then(|n| n.parse().ok());
            let Some(bits) = number else {
                return wrong(token.span, format!("`{}` is no thread", token.text));
            };
            p.next();
            Number {
                bits,
                negative: false,
                span: token.span,
            }
        }
        _ => return Ok(None),
    };
    p.next();
    Ok(Some(number))
}

/// `x` or `x[1]`
pub(super) fn symbol(p: &mut Parser) -> Parsed<Symbol> {
    let name = p.name("a location")?;
    let mut index = None;
    if p.is("[") && p.ahead(1).kind == LitmusTokenKind::Number {
        p.next();
        index = Some(p.number("an index")?);
        p.expect("]", "`]`")?;
    }
    Ok(Symbol { name, index })
}

/// Whether a word is the name of a type.
pub(super) fn is_type(word: &str) -> bool {
    TYPES.iter().any(|(name, _)| *name == word)
}

/// A number or an address.
fn value(p: &mut Parser) -> Parsed<LitmusValue> {
    if p.peek().kind == LitmusTokenKind::Number || p.is("-") {
        return p.number("a number or a location").map(LitmusValue::Number);
    }
    let token = p.peek();
    let closed = p.eat("&") || (token.kind == LitmusTokenKind::Word);
    if !closed {
        return p.unexpected("a number or a location");
    }
    if p.is_word("ATOMIC_INIT") && p.ahead(1).kind == LitmusTokenKind::Sign("(") {
        p.next();
        p.next();
        let number = p.number("a number")?;
        p.expect(")", "`)`")?;
        return Ok(LitmusValue::Number(number));
    }
    symbol(p).map(LitmusValue::Address)
}
