//! The tree of a `.cub` file, as written: every node knows its place, nothing is resolved or typed.

use base::source::Span;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// A process: a name or a constant `#k`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcRef {
    /// A bound process variable.
    Name(Ident),
    /// `#k`, counted from 1.
    Const(u32, Span),
}

impl ProcRef {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            ProcRef::Name(i) => i.span,
            ProcRef::Const(_, s) => *s,
        }
    }
}

/// A decimal number: `mantissa / 10^decimals`; a real when it was written with a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// All digits, the point left out.
    pub mantissa: i64,
    /// Digits after the point.
    pub decimals: u32,
    /// Written with a point.
    pub real: bool,
}

/// `[thread @] Name [indices]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The process named as the one that reads or writes.
    pub thread: Option<ProcRef>,
    /// A variable, constant or constructor.
    pub name: Ident,
    /// Process indices.
    pub index: Vec<ProcRef>,
    /// The whole access.
    pub span: Span,
}

/// What one summand of a term is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Atom {
    /// A variable, array cell, constant or constructor.
    Access(Access),
    /// A process (or, inside a predicate, one of its parameters).
    Proc(ProcRef),
    /// Nothing: the summand is the number alone.
    One,
}

/// One summand: a sign, a factor and what it multiplies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summand {
    /// Subtracted rather than added.
    pub minus: bool,
    /// The factor, if one is written.
    pub factor: Option<Number>,
    /// What is multiplied.
    pub atom: Atom,
    /// Its place.
    pub span: Span,
}

/// A sum; most terms have one summand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The summands, at least one.
    pub parts: Vec<Summand>,
    /// Its place.
    pub span: Span,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rel {
    /// `=`
    Eq,
    /// `<>`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// Connectives of two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connective {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `=>`
    Implies,
    /// `<=>`
    Iff,
}

/// Quantifiers over processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// `forall`
    Forall,
    /// `exists`
    Exists,
    /// `forall_other`: all processes but the parameters
    ForallOther,
    /// `exists_other`
    ExistsOther,
}

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// `true` or `false`.
    Bool(bool, Span),
    /// `fence()` or `fence(p)`.
    Fence(Option<ProcRef>, Span),
    /// A comparison.
    Cmp(Rel, Term, Term, Span),
    /// A negation.
    Not(Box<Expr>, Span),
    /// A connective.
    Bin(Connective, Box<Expr>, Box<Expr>),
    /// `if … then … else …`
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A quantifier over pairwise distinct processes.
    Quant(Quantifier, Vec<Ident>, Box<Expr>, Span),
    /// A predicate with arguments.
    Call(Ident, Vec<Arg>, Span),
}

impl Expr {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Expr::Bool(_, s)
            | Expr::Fence(_, s)
            | Expr::Cmp(_, _, _, s)
            | Expr::Not(_, s)
            | Expr::Quant(_, _, _, s)
            | Expr::Call(_, _, s) => *s,
            Expr::Bin(_, a, b) | Expr::Ite(a, _, b) => a.span().to(b.span()),
        }
    }
}

/// An argument of a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A term; a lone process is one.
    Term(Term),
    /// A formula.
    Expr(Expr),
}

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// `const`: unknown, never changes.
    Const,
    /// `var` and `array`.
    Plain,
    /// `weak var` and `weak array`.
    Weak,
}

/// A declared variable, array or constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Constant, plain or weak.
    pub kind: SymbolKind,
    /// Its name.
    pub name: Ident,
    /// How many process indices it takes.
    pub arity: usize,
    /// The type's name.
    pub ty: Ident,
}

/// `type name = A | B`; without constructors the type is abstract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeDecl {
    /// Its name.
    pub name: Ident,
    /// Its values.
    pub constructors: Vec<Ident>,
}

/// `init`, `unsafe` or `invariant`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// The name, if one is given.
    pub name: Option<Ident>,
    /// Process parameters.
    pub params: Vec<Ident>,
    /// The formula.
    pub body: Expr,
    /// The whole declaration.
    pub span: Span,
}

/// A named formula with parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<Ident>,
    /// What it stands for.
    pub body: Expr,
}

/// The right-hand side of an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rhs {
    /// A value.
    Term(Term),
    /// `.` or `?`: any value.
    Any(Span),
    /// `case | condition : value …`; the condition `None` is `_`.
    Case(Vec<(Option<Expr>, Term)>),
}

/// `target := rhs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// What is written; its indices may be names bound here (with `case`).
    pub target: Access,
    /// The new value.
    pub rhs: Rhs,
    /// The whole update.
    pub span: Span,
}

/// A transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Its name.
    pub name: Ident,
    /// Its parameters, pairwise distinct processes.
    pub params: Vec<Ident>,
    /// Which parameter stands in brackets: the performing process.
    pub thread: Option<usize>,
    /// The guard.
    pub guard: Option<Expr>,
    /// `let` definitions, in order.
    pub lets: Vec<(Ident, Term)>,
    /// The updates.
    pub updates: Vec<Update>,
}

/// A whole file.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct File {
    /// `number_procs`.
    pub procs: Option<(u32, Span)>,
    /// Types in order.
    pub types: Vec<TypeDecl>,
    /// Symbols in order.
    pub symbols: Vec<Symbol>,
    /// `init` declarations; exactly one is right.
    pub inits: Vec<Formula>,
    /// `unsafe` declarations.
    pub unsafes: Vec<Formula>,
    /// `invariant` declarations.
    pub invariants: Vec<Formula>,
    /// Predicates in order.
    pub predicates: Vec<Predicate>,
    /// Transitions in order.
    pub transitions: Vec<Transition>,
}
