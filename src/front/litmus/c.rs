//! Tests in C, as herd reads them: a function per thread, whose parameters are locations.
//!
//! ```text
//! C MP
//! { int x = 0; }
//! P0(atomic_int *x, int *y) { *y = 1; atomic_store_explicit(x, 1, memory_order_release); }
//! P1(atomic_int *x, int *y) { int r0 = atomic_load_explicit(x, memory_order_acquire); … }
//! exists (1:r0=1 /\ …)
//! ```
//!
//! Values have no width, so types say nothing but that something is declared. What functions there are
//! is the business of lowering.

use super::ast::c::{Binary, Expr, ExprKind, Function, Statement, StatementKind, Unary};
use super::ast::{LineKind, Machine, Symbol, Thread};
use super::columns::thread_number;
use super::init;
use super::lex::LitmusTokenKind;
use super::parser::{InstructionSet, Parsed, Parser, unsupported, wrong};
use base::source::Span;

/// The row of the table of instruction sets.
pub(super) static SET: InstructionSet = InstructionSet {
    name: "C",
    machine: Machine::C,
    register,
    instruction,
};

fn register(word: &str) -> Option<String> {
    let mut letters = word.chars();
    let first = letters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let identifier = first && letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
    identifier.then(|| word.to_string())
}

/// There are no columns.
fn instruction(p: &mut Parser) -> Parsed<LineKind> {
    p.unexpected("a function")
}

/// Words that may stand before the word that names a type.
const QUALIFIERS: [&str; 7] = [
    "volatile", "const", "_Atomic", "signed", "unsigned", "static", "register",
];

/// The functions.
pub(super) fn section(p: &mut Parser) -> Parsed<Vec<Thread>> {
    let mut threads: Vec<Thread> = Vec::new();
    loop {
        let token = p.peek();
        let is_type = p.is_word("void") || p.is_word("static");
        if is_type && p.ahead(1).kind == LitmusTokenKind::Word {
            p.next();
            continue;
        }
        let is_function = p.ahead(1).kind == LitmusTokenKind::Sign("(");
        if token.kind != LitmusTokenKind::Word || !is_function || !token.text.starts_with('P') {
            break;
        }
        let number = thread_number(p, &threads)?;
        p.next();
        let params = params(p)?;
        p.expect("{", "`{`")?;
        let body = block(p)?;
        threads.push(Thread {
            number,
            span: token.span,
            lines: Vec::new(),
            function: Some(Function { params, body }),
        });
    }
    if threads.is_empty() {
        return p.unexpected("a function like `P0`");
    }
    Ok(threads)
}

/// `(int *x, volatile int *y)`
fn params(p: &mut Parser) -> Parsed<Vec<Symbol>> {
    p.expect("(", "`(`")?;
    let mut all = Vec::new();
    if p.is_word("void") && p.ahead(1).kind == LitmusTokenKind::Sign(")") {
        p.next();
    }
    while !p.eat(")") {
        if !all.is_empty() {
            p.expect(",", "`,` or `)`")?;
        }
        let start = p.peek().span;
        if !type_name(p) {
            return p.unexpected("a type");
        }
        if !stars(p) {
            return wrong(
                start,
                "a parameter is a location, so its type is that of a pointer",
            );
        }
        let name = p.name("the name of a location")?;
        all.push(Symbol { name, index: None });
    }
    Ok(all)
}

/// Reads the words of a type, if it is one.
fn type_name(p: &mut Parser) -> bool {
    let mut found = false;
    while p.peek().kind == LitmusTokenKind::Word {
        let word = p.peek().text;
        if QUALIFIERS.contains(&word) {
            found |= word == "unsigned" || word == "signed";
        } else if word == "struct" && p.ahead(1).kind == LitmusTokenKind::Word {
            p.next();
            found = true;
        } else if init::is_type(word) {
            found = true;
        } else {
            break;
        }
        p.next();
    }
    found
}

/// Whether a word begins a type.
fn begins_type(p: &Parser) -> bool {
    let token = p.peek();
    token.kind == LitmusTokenKind::Word
        && (QUALIFIERS.contains(&token.text) || token.text == "struct" || init::is_type(token.text))
}

/// The stars of a pointer's type, and what may stand between them.
fn stars(p: &mut Parser) -> bool {
    let mut found = false;
    while p.is("*") || (found && (p.is_word("const") || p.is_word("volatile"))) {
        p.next();
        found = true;
    }
    found
}

/// Statements up to the `}`.
fn block(p: &mut Parser) -> Parsed<Vec<Statement>> {
    let mut all = Vec::new();
    while !p.eat("}") {
        if p.peek().kind == LitmusTokenKind::End {
            return p.unexpected("`}`");
        }
        statement(p, &mut all)?;
    }
    Ok(all)
}

/// What stands behind `if (…)`: a block or a statement.
fn branch(p: &mut Parser) -> Parsed<Vec<Statement>> {
    let mut all = Vec::new();
    p.nested(|p| statement(p, &mut all))?;
    Ok(all)
}

fn statement(p: &mut Parser, all: &mut Vec<Statement>) -> Parsed<()> {
    let start = p.peek().span;
    if p.eat(";") {
        return Ok(());
    }
    if begins_type(p) {
        return declaration(p, all);
    }
    let kind = if p.eat("{") {
        StatementKind::Block(p.nested(block)?)
    } else if p.is_word("if") {
        p.next();
        let cond = condition(p)?;
        let then = branch(p)?;
        let mut otherwise = Vec::new();
        if p.is_word("else") {
            p.next();
            otherwise = branch(p)?;
        }
        StatementKind::If(cond, then, otherwise)
    } else if p.is_word("while") {
        p.next();
        let cond = condition(p)?;
        StatementKind::While(cond, branch(p)?)
    } else if p.is_word("do") {
        p.next();
        let body = branch(p)?;
        if !p.is_word("while") {
            return p.unexpected("`while`");
        }
        p.next();
        let cond = condition(p)?;
        p.expect(";", "`;`")?;
        StatementKind::DoWhile(body, cond)
    } else {
        simple(p)?
    };
    all.push(Statement {
        kind,
        span: start.to(last(p)),
    });
    Ok(())
}

/// Where the last token stands that was read.
fn last(p: &Parser) -> Span {
    p.tokens[p.at.saturating_sub(1)].span
}

fn condition(p: &mut Parser) -> Parsed<Expr> {
    p.expect("(", "`(`")?;
    let cond = expr(p)?;
    p.expect(")", "`)`")?;
    Ok(cond)
}

/// `int r0 = e, *r1;`
fn declaration(p: &mut Parser, all: &mut Vec<Statement>) -> Parsed<()> {
    if !type_name(p) {
        return p.unexpected("a type");
    }
    loop {
        stars(p);
        let name = p.name("a name")?;
        let start = name.span;
        if p.is("[") || p.is("(") {
            return p.unexpected("`=` or `;`");
        }
        let value = if p.eat("=") { Some(expr(p)?) } else { None };
        all.push(Statement {
            kind: StatementKind::Declare(name, value),
            span: start.to(last(p)),
        });
        if !p.eat(",") {
            break;
        }
    }
    p.expect(";", "`,` or `;`")?;
    Ok(())
}

/// An assignment or a call.
fn simple(p: &mut Parser) -> Parsed<StatementKind> {
    for word in [
        "for", "goto", "switch", "return", "break", "continue", "asm",
    ] {
        let next = p.ahead(1).kind;
        let assigned = next == LitmusTokenKind::Sign("=");
        if p.is_word(word) && !assigned {
            let message = format!("`{word}` is not supported in litmus tests");
            return unsupported(p.peek().span, message);
        }
    }
    let left = unary(p)?;
    let kind = if p.eat("=") {
        StatementKind::Assign(left, expr(p)?)
    } else if matches!(left.kind, ExprKind::Call(..)) {
        StatementKind::Evaluate(left)
    } else {
        return p.unexpected("`=`");
    };
    p.expect(";", "`;`")?;
    Ok(kind)
}

/// Operators by precedence, the weakest first.
const LEVELS: [&[(&str, Binary)]; 10] = [
    &[("||", Binary::LogicalOr)],
    &[("&&", Binary::LogicalAnd)],
    &[("|", Binary::Or)],
    &[("^", Binary::Xor)],
    &[("&", Binary::And)],
    &[("==", Binary::Eq), ("!=", Binary::Ne)],
    &[
        ("<", Binary::Lt),
        ("<=", Binary::Le),
        (">", Binary::Gt),
        (">=", Binary::Ge),
    ],
    &[("<<", Binary::Shl), (">>", Binary::Shr)],
    &[("+", Binary::Add), ("-", Binary::Sub)],
    &[("*", Binary::Mul), ("/", Binary::Div), ("%", Binary::Rem)],
];

fn expr(p: &mut Parser) -> Parsed<Expr> {
    p.nested(|p| {
        let cond = binary(p, 0)?;
        if !p.eat("?") {
            return Ok(cond);
        }
        let then = expr(p)?;
        p.expect(":", "`:`")?;
        let otherwise = expr(p)?;
        let span = cond.span.to(otherwise.span);
        let all = [cond, then, otherwise].map(Box::new);
        let [cond, then, otherwise] = all;
        Ok(Expr {
            kind: ExprKind::Conditional(cond, then, otherwise),
            span,
        })
    })
}

fn binary(p: &mut Parser, level: usize) -> Parsed<Expr> {
    let Some(operators) = LEVELS.get(level) else {
        return unary(p);
    };
    let mut left = binary(p, level + 1)?;
    while let Some((_, op)) = operators.iter().find(|(sign, _)| p.is(sign)) {
        p.next();
        let right = binary(p, level + 1)?;
        let span = left.span.to(right.span);
        left = Expr {
            kind: ExprKind::Binary(*op, Box::new(left), Box::new(right)),
            span,
        };
    }
    Ok(left)
}

fn unary(p: &mut Parser) -> Parsed<Expr> {
    let start = p.peek().span;
    let operators = [
        ("-", Unary::Minus),
        ("~", Unary::Complement),
        ("!", Unary::Not),
    ];
    let operand = |p: &mut Parser| p.nested(unary).map(Box::new);
    let kind = if p.eat("*") {
        ExprKind::Deref(operand(p)?)
    } else if p.eat("&") {
        ExprKind::Address(operand(p)?)
    } else if let Some((_, op)) = operators.iter().find(|(sign, _)| p.is(sign)) {
        if p.is("-") && p.ahead(1).kind == LitmusTokenKind::Number {
            ExprKind::Number(p.number("a number")?)
        } else {
            p.next();
            ExprKind::Unary(*op, operand(p)?)
        }
    } else {
        return primary(p);
    };
    let span = start.to(last(p));
    Ok(Expr { kind, span })
}

fn primary(p: &mut Parser) -> Parsed<Expr> {
    let start = p.peek().span;
    if p.eat("(") {
        if begins_type(p) {
            type_name(p);
            stars(p);
            p.expect(")", "`)`")?;
            return p.nested(unary);
        }
        let inner = expr(p)?;
        p.expect(")", "`)`")?;
        return Ok(inner);
    }
    let kind = match p.peek().kind {
        LitmusTokenKind::Number => ExprKind::Number(p.number("a number")?),
        LitmusTokenKind::Word => {
            let name = p.name("a name")?;
            if p.eat("(") {
                let mut args = Vec::new();
                while !p.eat(")") {
                    if !args.is_empty() {
                        p.expect(",", "`,` or `)`")?;
                    }
                    args.push(expr(p)?);
                }
                ExprKind::Call(name, args)
            } else {
                ExprKind::Name(name.text)
            }
        }
        _ => return p.unexpected("an expression"),
    };
    let span = start.to(last(p));
    Ok(Expr { kind, span })
}
