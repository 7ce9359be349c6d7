//! A weak array-based transition system, resolved and typed: what the engines work on.
//!
//! Names are gone, negations are pushed to the literals, predicates are expanded, `forall q` in a
//! guard is `forall_other q` and one instance for each parameter. Processes in formulas are
//! [`Pr::Var`]s, positions in an environment that whoever instantiates the formula supplies:
//! parameters first, then the variable of an update's `case`, then quantified variables.
//!
//! The memory model enters here in one way only: under sequential consistency
//! ([`MemorySemantics::Flat`]) `weak`, `@` and `fence` are erased, and so they are in a file without
//! weak variables.
//!
//! Numbers are integers throughout: constants of type `real` are multiplied by [`System::scale`],
//! a power of ten that makes all of them whole. That is exact, because factors are whole numbers.

use crate::cub::ast::SymbolKind;
use base::diag::Diag;
use base::idx::IdVec;
use base::source::Span;
use std::borrow::Cow;

base::id!(
    /// A type.
    TypeId,
    "type"
);

base::id!(
    /// A variable, array or constant.
    SymId,
    "sym"
);

/// How many constructors a type may have: a set of them is the bits of one word.
pub const MAX_CONSTRUCTORS: usize = 128;

/// How many variables, arrays and constants there may be: the number of one is 12 bits of a word.
pub const MAX_SYMBOLS: usize = 4096;

/// How memory is seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemorySemantics {
    /// Everyone sees every write at once.
    Flat,
    /// Weak variables are written through buffers.
    Buffered,
}

/// How writes reach memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoreOrder {
    /// At once.
    Sc,
    /// Through one queue per process.
    Tso,
    /// Through one queue per process and cell.
    Pso,
}

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// Mathematical integers.
    Int,
    /// Rationals.
    Real,
    /// Processes.
    Proc,
    /// Named values; `bool` is one.
    Enum(String, Vec<String>),
    /// Values of which nothing is known but equality.
    Abstract(String),
}

impl Type {
    /// `int` or `real`.
    pub fn is_number(&self) -> bool {
        matches!(self, Type::Int | Type::Real)
    }

    /// The name it has in a program.
    pub fn name(&self) -> &str {
        match self {
            Type::Int => "int",
            Type::Real => "real",
            Type::Proc => "proc",
            Type::Enum(name, _) | Type::Abstract(name) => name,
        }
    }
}

/// A variable, array or constant.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// Constant, plain or weak.
    pub kind: SymbolKind,
    /// How many process indices it takes, 0 to 2.
    pub arity: usize,
    /// The type of its cells.
    pub ty: TypeId,
}

/// A process in a formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Pr {
    /// A position in the environment.
    Var(u8),
    /// The constant `#(k+1)`.
    Fixed(u8),
}

impl Pr {
    /// The process this is in an environment.
    pub fn of(self, env: &[u8]) -> u8 {
        match self {
            Pr::Var(v) => env[usize::from(v)],
            Pr::Fixed(k) => k,
        }
    }
}

/// A cell, read in some formula or term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Acc {
    /// The symbol.
    pub sym: SymId,
    /// Its indices; only the first `arity` count.
    pub index: [Pr; 2],
    /// How many indices count.
    pub arity: u8,
    /// Who reads, of a weak symbol.
    pub by: Option<Pr>,
}

impl Acc {
    /// The indices that count.
    pub fn indices(&self) -> &[Pr] {
        &self.index[..usize::from(self.arity)]
    }
}

/// A value that is no number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Val {
    /// A constructor, by its position in its type.
    Ctor(u16),
    /// A process.
    Proc(Pr),
    /// What a cell holds.
    Acc(Acc),
}

/// `Σ factor · cell + constant`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Lin {
    /// Factors and cells; no cell twice, no factor 0.
    pub terms: Vec<(i64, Acc)>,
    /// The constant.
    pub constant: i64,
}

/// Collects equal cells and drops those that cancel out. Nothing overflows: see `LARGEST` in
/// [`super::expr`].
pub fn sum(terms: impl IntoIterator<Item = (i64, Acc)>, constant: i64) -> Lin {
    let mut all: Vec<(i64, Acc)> = Vec::new();
    for (k, a) in terms {
        match all.iter_mut().find(|(_, b)| *b == a) {
            Some((sum, _)) => *sum += k,
            None => all.push((k, a)),
        }
    }
    all.retain(|(k, _)| *k != 0);
    all.sort_by_key(|(_, a)| *a);
    Lin {
        terms: all,
        constant,
    }
}

/// Comparisons that remain after normalisation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Rel {
    /// `=`
    Eq,
    /// `<>`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
}

/// A literal.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum SystemLiteral {
    /// `a = b` (or `a <> b`) of a type without order.
    Same {
        /// Equal, or different.
        equal: bool,
        /// The type of both.
        ty: TypeId,
        /// Left.
        a: Val,
        /// Right.
        b: Val,
    },
    /// `a < b` (or `a <= b`) in the total order of processes.
    Before {
        /// `<` rather than `<=`.
        strict: bool,
        /// Left.
        a: Val,
        /// Right.
        b: Val,
    },
    /// `lin rel 0`.
    Num {
        /// The comparison.
        rel: Rel,
        /// Cells hold integers.
        int: bool,
        /// What is compared with 0.
        lin: Lin,
    },
}

/// A formula, negations pushed to the literals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// A constant.
    Bool(bool),
    /// A literal.
    Literal(SystemLiteral),
    /// The performing process's buffer is empty.
    Fence,
    /// All of them.
    And(Vec<Form>),
    /// One of them.
    Or(Vec<Form>),
    /// For every process that is no parameter, at this position of the environment.
    Others(u8, Box<Form>),
}

/// Some part is about all other processes.
pub fn has_others(f: &Form) -> bool {
    match f {
        Form::Others(..) => true,
        Form::And(fs) | Form::Or(fs) => fs.iter().any(has_others),
        _ => false,
    }
}

/// The new value of a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UpdateValue {
    /// A value that is no number.
    Val(Val),
    /// A number.
    Num(Lin),
    /// Any value at all.
    Any,
}

/// Which cells an update is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// One cell.
    Cell([Pr; 2]),
    /// Every cell; its indices are the variables of the environment from this position on.
    Every(u8),
}

/// An update: the first case whose condition holds gives the value; when none does, the cell is
/// left alone (a weak cell is not written).
#[derive(Clone, Debug)]
pub struct Update {
    /// The symbol.
    pub sym: SymId,
    /// Which of its cells.
    pub target: Target,
    /// Conditions and values, in order.
    pub cases: Vec<(Form, UpdateValue)>,
    /// Where it stands.
    pub span: Span,
}

/// A transition.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Its name.
    pub name: String,
    /// The parameters' names: pairwise distinct processes.
    pub params: Vec<String>,
    /// The position of the performing process.
    pub thread: Option<u8>,
    /// The guard.
    pub guard: Form,
    /// The updates, of different symbols; values are taken before any of them.
    pub updates: Vec<Update>,
    /// It reads weak cells.
    pub reads: bool,
    /// It writes weak cells.
    pub writes: bool,
    /// Which transition of the file it is, by its position.
    pub origin: usize,
    /// Its name's place.
    pub span: Span,
}

impl Transition {
    /// It reads and writes weak cells: it needs an empty buffer and writes memory at once. That is
    /// so by its text, whether or not a value read matters later.
    pub fn locked(&self) -> bool {
        self.reads && self.writes
    }
}

/// A closed formula over distinct processes.
#[derive(Clone, Debug)]
pub struct Property {
    /// The name given, or `unsafe 2` by its position.
    pub name: String,
    /// The parameters' names.
    pub params: Vec<String>,
    /// The formula.
    pub body: Form,
    /// Where it stands.
    pub span: Span,
}

/// A variable that counts the processes at some places; see [`super::counts`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Count {
    /// The array that says where a process is.
    pub place: SymId,
    /// The places, in order.
    pub at: Vec<u16>,
}

/// A history variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The transition that writes it.
    pub transition: usize,
    /// The parameter whose process it holds.
    pub param: u8,
    /// The parameter that is its index; without one it is a single variable.
    pub key: Option<u8>,
}

/// A look at a history variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HistoryRead {
    /// The transition that looks at it; the unsafe formulas if there is none.
    pub transition: Option<usize>,
    /// The variable, by its position.
    pub variable: usize,
    /// The parameter that stands in its index.
    pub key: Option<u8>,
}

/// What is added to a system.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct History {
    /// The variables.
    pub variables: Vec<Variable>,
    /// Who looks at them.
    pub reads: Vec<HistoryRead>,
}

/// A whole system.
#[derive(Clone, Debug)]
pub struct System {
    /// The memory it was resolved for.
    pub memory: MemorySemantics,
    /// Types.
    pub types: IdVec<TypeId, Type>,
    /// Symbols.
    pub symbols: IdVec<SymId, Symbol>,
    /// `number_procs`.
    pub procs: Option<u8>,
    /// The processes `#1` … `#fixed` are named in the file.
    pub fixed: u8,
    /// Real constants are multiplied by this.
    pub scale: i64,
    /// What holds initially, for all processes its parameters may stand for (perhaps the same).
    pub init: Property,
    /// The variables and constants that are none of the processes initially: each may hold a value
    /// of type `proc` that no parameter stands for.
    pub outside: Vec<SymId>,
    /// What must never hold.
    pub unsafes: Vec<Property>,
    /// What is taken never to hold.
    pub invariants: Vec<Property>,
    /// The transitions.
    pub transitions: Vec<Transition>,
    /// What was added to the file's variables and transitions.
    pub history: History,
    /// What the variables count that were added to count processes; they come after those of the file.
    pub counts: Vec<Count>,
    /// Things to tell the user, none of them an error.
    pub warnings: Vec<Diag>,
}

impl<'s> From<&'s System> for Cow<'s, System> {
    fn from(system: &'s System) -> Cow<'s, System> {
        Cow::Borrowed(system)
    }
}

impl From<System> for Cow<'_, System> {
    fn from(system: System) -> Self {
        Cow::Owned(system)
    }
}
