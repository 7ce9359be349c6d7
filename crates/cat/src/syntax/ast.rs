//! The syntax of cat, as written.

use base::source::Span;
use std::rc::Rc;

/// A whole file.
#[derive(Clone, Debug)]
pub struct File {
    /// The machine's name before the title (`X86 TSO`, `PPC`), if the title is not a lone string.
    pub arch: Option<String>,
    /// The title; empty when there is none.
    pub title: String,
    /// The statements.
    pub items: Vec<Item>,
}

/// A name and where it stands.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it says.
    pub kind: ItemKind,
    /// The whole statement.
    pub span: Span,
}

/// What a statement says.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// `let x = e and y = f`
    Let(Bindings),
    /// `acyclic e as name` and its kin.
    Test(Test),
    /// `show`, `unshow`: they choose what herd draws.
    Show,
    /// `include "file.cat"`
    Include(String),
    /// `procedure p(x, y) = … end`
    Procedure(Rc<Procedure>),
    /// `call p(e) as name`
    Call {
        /// The procedure.
        procedure: Name,
        /// Its argument, a tuple when there are several.
        arg: Expr,
        /// `as name`
        label: Option<Name>,
    },
    /// `with x from e`
    With {
        /// What is chosen.
        name: Name,
        /// From what.
        from: Expr,
    },
    /// `enum name = 'tag || 'tag`
    Enum(Name, Vec<Name>),
    /// `instructions R[{'tag, 'tag}]`: which annotations an instruction may have.
    Instructions(Vec<Expr>),
    /// `forall x in e do … end`
    ForAll {
        /// What each element is called.
        name: Name,
        /// Of what.
        set: Expr,
        /// Statements for each.
        body: Vec<Item>,
    },
    /// `if "variant" … else … end`
    If {
        /// On what.
        cond: Cond,
        /// Statements if it holds.
        then: Vec<Item>,
        /// Statements if not.
        otherwise: Vec<Item>,
    },
}

/// `let` or `let rec` with its bindings.
#[derive(Clone, Debug)]
pub struct Bindings {
    /// `rec`: the names are visible in the bodies.
    pub recursive: bool,
    /// One or more, separated by `and`.
    pub binds: Vec<Bind>,
}

/// `pattern = body`; `f x = e` is written as `f = fun x -> e`.
#[derive(Clone, Debug)]
pub struct Bind {
    /// What is bound.
    pub pattern: Pattern,
    /// To what.
    pub body: Expr,
}

/// What a binding or a function takes apart; `None` stands for `_`.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// `x`
    One(Option<Name>, Span),
    /// `(x, y)`, also `()`
    Tuple(Vec<Option<Name>>, Span),
}

/// A procedure: statements with parameters.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Pattern,
    /// Its statements.
    pub body: Vec<Item>,
}

/// Why a test is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Executions that fail it do not exist.
    Check,
    /// `flag`: executions that pass it are marked.
    Flag,
    /// `undefined_unless`: the program is undefined when it fails.
    UndefinedUnless,
    /// `assert`: the model itself is wrong when it fails.
    Assert,
}

/// What a test asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TestKind {
    /// No cycle.
    Acyclic,
    /// No event related to itself.
    Irreflexive,
    /// No element.
    Empty,
}

/// `[flag] [~] acyclic e [as name]`
#[derive(Clone, Debug)]
pub struct Test {
    /// Why.
    pub role: Role,
    /// `~`: the opposite is asked.
    pub negated: bool,
    /// What.
    pub kind: TestKind,
    /// Of what.
    pub expr: Expr,
    /// `as name`
    pub name: Option<Name>,
}

/// The condition of an `if`.
#[derive(Clone, Debug)]
pub enum Cond {
    /// A variant of the tool, by name.
    Variant(String),
    /// `not c`
    Not(Box<Cond>),
    /// `c && d`
    And(Box<Cond>, Box<Cond>),
    /// `c || d`
    Or(Box<Cond>, Box<Cond>),
    /// A comparison of values (`=`, `subset`, `in`), which only the execution decides.
    Values(Span),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `~r`
    Complement,
    /// `r^-1`
    Inverse,
    /// `r^+`, `r+`
    Plus,
    /// `r^*`, `r*`
    Star,
    /// `r?`
    Optional,
    /// `[S]`
    Identity,
}

/// Operators with several operands; chains of one operator are one node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChainOp {
    /// `a | b`
    Union,
    /// `a & b`
    Inter,
    /// `a \ b`, grouped to the left.
    Diff,
    /// `a ; b`
    Seq,
    /// `e ++ s`: an element added to a set of things.
    Add,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A name.
    Var(String),
    /// `'tag`
    Tag(String),
    /// `0`
    Zero,
    /// `_`
    Universe,
    /// `{a, b}`
    Braces(Vec<Expr>),
    /// `(a, b)`
    Tuple(Vec<Expr>),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two or more operands.
    Chain(ChainOp, Vec<Expr>),
    /// `S * T`
    Product(Box<Expr>, Box<Expr>),
    /// `f e`
    Apply(Box<Expr>, Box<Expr>),
    /// `fun x -> e`
    Fun(Rc<Function>),
    /// `let x = e in f`
    Let(Box<Bindings>, Box<Expr>),
    /// `try e with f`
    Try(Box<Expr>, Box<Expr>),
    /// `if c then e else f`
    If(Box<Cond>, Box<Expr>, Box<Expr>),
    /// `match e with || p -> e || … end`
    Match(Box<Expr>, Vec<Clause>),
}

/// A clause of a `match`.
#[derive(Clone, Debug)]
pub struct Clause {
    /// What it is for.
    pub pattern: ClausePattern,
    /// What it stands for.
    pub body: Expr,
}

/// What a clause of a `match` is for.
#[derive(Clone, Debug)]
pub enum ClausePattern {
    /// `{}`
    Empty,
    /// `x ++ xs`: an element and the others.
    Element(Option<Name>, Option<Name>),
    /// `'tag`
    Tag(String),
    /// `_`, or a name.
    Any(Option<Name>),
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its parameters.
    pub params: Pattern,
    /// What it stands for.
    pub body: Expr,
}
