//! The syntax of a litmus test, as written.

pub mod aarch64;
pub mod c;
pub mod ppc;
pub mod riscv;
mod word;
pub mod x86;

use base::source::Span;
pub use word::{Name, Number, Symbol};

/// A test.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its instruction set.
    pub machine: Machine,
    /// Its name: the second word of the file.
    pub name: String,
    /// The string before the initial state; empty when there is none.
    pub doc: String,
    /// `Key=value` lines, in order.
    pub info: Vec<(String, String)>,
    /// The initial state.
    pub init: Vec<Init>,
    /// The columns.
    pub threads: Vec<Thread>,
    /// What a final state shows besides the condition.
    pub locations: Vec<Place>,
    /// Final states in which this does not hold are left out.
    pub filter: Option<Prop>,
    /// What is asked.
    pub condition: FinalCondition,
}

/// Instruction sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Machine {
    /// `X86`: 32 bits, destination first.
    X86,
    /// `X86_64`: the syntax of AT&T, the destination last.
    X86_64,
    /// `PPC`
    Ppc,
    /// `ARM`: ARMv7, 32 bits. Its instructions are read as those of AArch64.
    Arm,
    /// `AArch64`: ARMv8, 64 bits.
    Aarch64,
    /// `RISCV`: 64 bits.
    Riscv,
    /// `C`: no machine, but the language, or the kernel's.
    C,
}

impl Number {
    /// Whether it is the value of a signed or unsigned integer of so many bits.
    pub fn fits(&self, width: u32) -> bool {
        if width >= 64 {
            true
        } else if self.negative {
            self.bits.wrapping_neg() <= 1 << (width - 1)
        } else {
            self.bits >> width == 0
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.negative {
            write!(f, "-{}", self.bits.wrapping_neg())
        } else {
            write!(f, "{}", self.bits)
        }
    }
}

/// What has a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// A register of a thread; no thread: of every thread that uses it (`%x0`).
    Register {
        /// The thread's number.
        thread: Option<Number>,
        /// The register, spelled as the instruction set spells it.
        name: Name,
    },
    /// Memory.
    Memory(Symbol),
}

impl Place {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Place::Register { thread, name } => thread.map_or(name.span, |t| t.span.to(name.span)),
            Place::Memory(symbol) => symbol.name.span,
        }
    }
}

/// What is compared or assigned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LitmusValue {
    /// A number.
    Number(Number),
    /// The address of a location.
    Address(Symbol),
    /// What another place has; in conditions alone.
    Place(Place),
}

/// A type of the initial state: an integer, or a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Type {
    /// Bits of the value or of an element; `None` for a pointer.
    pub width: Option<u8>,
}

/// `type place = value;`
#[derive(Clone, Debug)]
pub struct Init {
    /// The type, if it is stated.
    pub ty: Option<Type>,
    /// What gets the value. For an array the symbol has no index.
    pub place: Place,
    /// `[count]` of an array, when it is stated.
    pub count: Option<Number>,
    /// The values: none, one, or those of an array.
    pub values: Vec<LitmusValue>,
    /// All of it.
    pub span: Span,
}

/// A column, or a function.
#[derive(Clone, Debug)]
pub struct Thread {
    /// `P0` is 0.
    pub number: u32,
    /// Its head.
    pub span: Span,
    /// Its cells from top to bottom, empty ones left out.
    pub lines: Vec<Line>,
    /// What it is in C.
    pub function: Option<c::Function>,
}

/// A label or an instruction.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it is.
    pub kind: LineKind,
    /// Where.
    pub span: Span,
}

/// What stands in a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LineKind {
    /// `L:`
    Label(String),
    /// An instruction.
    X86(x86::Instr),
    /// An instruction.
    Ppc(ppc::Instr),
    /// An instruction.
    Aarch64(aarch64::Instr),
    /// An instruction.
    Riscv(riscv::Instr),
}

impl std::fmt::Display for LineKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LineKind::Label(name) => write!(f, "{name}:"),
            LineKind::X86(instr) => instr.fmt(f),
            LineKind::Ppc(instr) => instr.fmt(f),
            LineKind::Aarch64(instr) => instr.fmt(f),
            LineKind::Riscv(instr) => instr.fmt(f),
        }
    }
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct FinalCondition {
    /// For which states.
    pub quantifier: Quantifier,
    /// What holds.
    pub prop: Prop,
    /// All of it; where the file ends when there is none.
    pub span: Span,
}

/// For which final states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// `exists`, `final`
    Exists,
    /// `~exists`
    NotExists,
    /// `forall`
    Forall,
}

/// A proposition about a final state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Prop {
    /// `true`, `false`
    Constant(bool),
    /// `place = value`
    Equal(Place, LitmusValue),
    /// `~p`, `not p`, `place <> value`
    Not(Box<Prop>),
    /// `p /\ q`
    And(Vec<Prop>),
    /// `p \/ q`
    Or(Vec<Prop>),
    /// `p => q`
    Implies(Box<Prop>, Box<Prop>),
}
