//! The C of litmus tests: functions `P0(int *x) { … }` over locations and registers.

use super::{Name, Number, Symbol};
use base::source::Span;
use std::collections::BTreeSet;

/// What a thread is in C.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Locations that it knows, by their names.
    pub params: Vec<Symbol>,
    /// What it does.
    pub body: Vec<Statement>,
}

impl Function {
    /// The registers that it declares or assigns to.
    pub fn registers(&self) -> BTreeSet<&str> {
        let mut all = BTreeSet::new();
        assigned(&self.body, &mut all);
        all
    }
}

/// The registers that statements declare or assign to.
fn assigned<'a>(statements: &'a [Statement], all: &mut BTreeSet<&'a str>) {
    for statement in statements {
        match &statement.kind {
            StatementKind::Declare(name, _) => {
                all.insert(&name.text);
            }
            StatementKind::Assign(target, _) => {
                if let ExprKind::Name(name) = &target.kind {
                    all.insert(name);
                }
            }
            StatementKind::Evaluate(_) => {}
            StatementKind::If(_, then, otherwise) => {
                assigned(then, all);
                assigned(otherwise, all);
            }
            StatementKind::While(_, body)
            | StatementKind::DoWhile(body, _)
            | StatementKind::Block(body) => assigned(body, all),
        }
    }
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Where.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `int r = e;` or `int r;`: a register from here on.
    Declare(Name, Option<Expr>),
    /// `r = e;` or `*e = e;`
    Assign(Expr, Expr),
    /// `f(e);`
    Evaluate(Expr),
    /// `if (e) … else …`
    If(Expr, Vec<Statement>, Vec<Statement>),
    /// `while (e) …`
    While(Expr, Vec<Statement>),
    /// `do … while (e);`
    DoWhile(Vec<Statement>, Expr),
    /// `{ … }`
    Block(Vec<Statement>),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// What an expression computes. Values are numbers without a width, so casts change nothing and are not
/// here.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Number(Number),
    /// A register, the address of a location, or a memory order.
    Name(String),
    /// `*e`
    Deref(Box<Expr>),
    /// `&e`
    Address(Box<Expr>),
    /// An operator with one operand.
    Unary(Unary, Box<Expr>),
    /// An operator with two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `a ? b : c`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `f(…)`
    Call(Name, Vec<Expr>),
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Unary {
    Minus,
    Complement,
    Not,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    LogicalAnd,
    LogicalOr,
}
