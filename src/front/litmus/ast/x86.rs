//! Instructions of x86.

use super::word::{Name, Number, Symbol};
use base::source::Span;
use std::fmt::{Display, Formatter, Result};

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instr {
    /// It has the prefix `lock`.
    pub lock: bool,
    /// Bits of its operands, where it says them; all registers and cells have as many otherwise.
    pub size: Option<u8>,
    /// What it does.
    pub op: Op,
}

/// What an instruction does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    /// `nop`
    Nop,
    /// `mfence`, `sfence`, `lfence`
    Fence(Fence),
    /// `mov dst, src`
    Mov(Operand, Operand),
    /// `xchg a, b`
    Xchg(Operand, Operand),
    /// `add dst, src` and its kin.
    Binary(Binary, Operand, Operand),
    /// `inc dst` and its kin.
    Unary(Unary, Operand),
    /// `cmp a, b`: flags of the difference.
    Cmp(Operand, Operand),
    /// `test a, b`: flags of the conjunction.
    Test(Operand, Operand),
    /// `xadd dst, src`: the sum to `dst`, what it was to `src`.
    Xadd(Operand, Name),
    /// `bt dst, bit` and its kin: the bit to the carry.
    Bit(Bit, Operand, Operand),
    /// `sete dst` and its kin: whether the condition holds.
    Set(Condition, Operand),
    /// `cmpxchg dst, src`: if `dst` is `eax`, `src` to `dst`, otherwise `dst` to `eax`.
    Cmpxchg(Operand, Name),
    /// `cmpxchg8b dst` and `cmpxchg16b dst`, of two words of the instruction's size: if `dst` is `edx:eax`,
    /// `ecx:ebx` to `dst`, otherwise `dst` to `edx:eax`.
    CmpxchgPair(Operand),
    /// `rdtsc`: any number to `edx:eax`.
    Rdtsc,
    /// `jmp L`, or a jump if the condition holds.
    Jump(Option<Condition>, Name),
}

/// Fences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Fence {
    Mfence,
    Sfence,
    Lfence,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    Sub,
    And,
    Or,
    Xor,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Unary {
    Inc,
    Dec,
    Neg,
    Not,
}

/// What becomes of a bit that is tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Bit {
    Keep,
    Set,
    Reset,
    Complement,
}

/// What a jump asks of the flags; `Not…` is the opposite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// The question.
    pub test: Test,
    /// The answer at which it jumps.
    pub holds: bool,
}

/// The names of conditions, without the `j` of jumps; the first one is printed.
pub(in crate::front) static CONDITIONS: [(&[&str], Condition); 14] = [
    (&["e", "z"], asks(Test::Equal)),
    (&["ne", "nz"], denies(Test::Equal)),
    (&["l", "nge"], asks(Test::Less)),
    (&["ge", "nl"], denies(Test::Less)),
    (&["le", "ng"], asks(Test::LessEqual)),
    (&["g", "nle"], denies(Test::LessEqual)),
    (&["b", "c", "nae"], asks(Test::Below)),
    (&["ae", "nc", "nb"], denies(Test::Below)),
    (&["be", "na"], asks(Test::BelowEqual)),
    (&["a", "nbe"], denies(Test::BelowEqual)),
    (&["s"], asks(Test::Sign)),
    (&["ns"], denies(Test::Sign)),
    (&["o"], asks(Test::Overflow)),
    (&["no"], denies(Test::Overflow)),
];

const fn asks(test: Test) -> Condition {
    Condition { test, holds: true }
}

const fn denies(test: Test) -> Condition {
    Condition { test, holds: false }
}

/// Questions about the flags, in words about `cmp a, b`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    /// a = b
    Equal,
    /// a < b, signed
    Less,
    /// a <= b, signed
    LessEqual,
    /// a < b, unsigned
    Below,
    /// a <= b, unsigned
    BelowEqual,
    /// The result is negative.
    Sign,
    /// The signed result does not fit.
    Overflow,
}

/// An operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A register.
    Register(Name),
    /// A number.
    Number(Number),
    /// A cell of memory.
    Memory(MemoryOperand),
    /// `N`, the number of threads; only in `.asm` programs.
    ThreadCount(Span),
}

/// `[x]`, `[eax+4]`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryOperand {
    /// Where.
    pub base: Base,
    /// Bytes behind it.
    pub offset: Option<Number>,
    /// `+ $t`, of `.asm` programs: whose cell it is.
    pub thread: Option<Name>,
    /// All of it.
    pub span: Span,
}

/// Where memory begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Base {
    /// The address in a register.
    Register(Name),
    /// A location.
    Symbol(Symbol),
}

impl Op {
    /// Its operands in order; not the register that is the source of `xadd` and `cmpxchg`.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        let operands = match self {
            Op::Mov(a, b)
            | Op::Xchg(a, b)
            | Op::Binary(_, a, b)
            | Op::Bit(_, a, b)
            | Op::Cmp(a, b)
            | Op::Test(a, b) => [Some(a), Some(b)],
            Op::Unary(_, a)
            | Op::Set(_, a)
            | Op::Xadd(a, _)
            | Op::Cmpxchg(a, _)
            | Op::CmpxchgPair(a) => [Some(a), None],
            Op::Nop | Op::Rdtsc | Op::Fence(_) | Op::Jump(..) => [None, None],
        };
        operands.into_iter().flatten()
    }

    /// `lock` may stand before it: it reads and writes memory.
    pub fn can_lock(&self) -> bool {
        let is_memory = |o: &Operand| matches!(o, Operand::Memory(_));
        match self {
            Op::Xchg(a, b) => is_memory(a) || is_memory(b),
            Op::Bit(bit, a, _) => *bit != Bit::Keep && is_memory(a),
            Op::Binary(_, a, _)
            | Op::Unary(_, a)
            | Op::Xadd(a, _)
            | Op::Cmpxchg(a, _)
            | Op::CmpxchgPair(a) => is_memory(a),
            Op::Nop
            | Op::Rdtsc
            | Op::Fence(_)
            | Op::Mov(..)
            | Op::Set(..)
            | Op::Cmp(..)
            | Op::Test(..)
            | Op::Jump(..) => false,
        }
    }
}

impl MemoryOperand {
    /// It is at the address in a register.
    pub fn is_at(&self, register: &str) -> bool {
        matches!(&self.base, Base::Register(name) if name.text == register)
    }
}

impl Operand {
    /// The location whose memory it names.
    pub fn symbol(&self) -> Option<&Symbol> {
        match self {
            Operand::Memory(MemoryOperand {
                base: Base::Symbol(symbol),
                ..
            }) => Some(symbol),
            _ => None,
        }
    }

    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Operand::Register(name) => name.span,
            Operand::Number(number) => number.span,
            Operand::Memory(memory) => memory.span,
            Operand::ThreadCount(span) => *span,
        }
    }
}

/// In the dialect of litmus tests.
impl Display for Instr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let lock = if self.lock { "LOCK " } else { "" };
        write!(f, "{lock}{}", self.op)
    }
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Op::Nop => f.write_str("NOP"),
            Op::Rdtsc => f.write_str("RDTSC"),
            Op::Fence(Fence::Mfence) => f.write_str("MFENCE"),
            Op::Fence(Fence::Sfence) => f.write_str("SFENCE"),
            Op::Fence(Fence::Lfence) => f.write_str("LFENCE"),
            Op::Mov(a, b) => write!(f, "MOV {a},{b}"),
            Op::Xchg(a, b) => write!(f, "XCHG {a},{b}"),
            Op::Binary(op, a, b) => write!(f, "{} {a},{b}", upper(op)),
            Op::Unary(op, a) => write!(f, "{} {a}", upper(op)),
            Op::Cmp(a, b) => write!(f, "CMP {a},{b}"),
            Op::Test(a, b) => write!(f, "TEST {a},{b}"),
            Op::Xadd(a, b) => write!(f, "XADD {a},{b}"),
            Op::Cmpxchg(a, b) => write!(f, "CMPXCHG {a},{b}"),
            Op::CmpxchgPair(a) => write!(f, "CMPXCHG8B {a}"),
            Op::Bit(bit, a, b) => {
                let name = match bit {
                    Bit::Keep => "BT",
                    Bit::Set => "BTS",
                    Bit::Reset => "BTR",
                    Bit::Complement => "BTC",
                };
                write!(f, "{name} {a},{b}")
            }
            Op::Set(condition, a) => write!(f, "SET{condition} {a}"),
            Op::Jump(None, label) => write!(f, "JMP {label}"),
            Op::Jump(Some(condition), label) => write!(f, "J{condition} {label}"),
        }
    }
}

/// The mnemonic of an operator.
fn upper(op: &impl std::fmt::Debug) -> String {
    format!("{op:?}").to_ascii_uppercase()
}

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let found = CONDITIONS.iter().find(|(_, c)| c == self);
        let (names, _) = found.expect("every condition has a name");
        f.write_str(&names[0].to_ascii_uppercase())
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Operand::Register(name) => name.fmt(f),
            Operand::Number(number) => write!(f, "${number}"),
            Operand::ThreadCount(_) => f.write_str("N"),
            Operand::Memory(memory) => memory.fmt(f),
        }
    }
}

impl Display for MemoryOperand {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.base {
            Base::Register(name) => write!(f, "[{name}")?,
            Base::Symbol(symbol) => write!(f, "[{symbol}")?,
        }
        if let Some(offset) = self.offset {
            let sign = if offset.negative { "" } else { "+" };
            write!(f, "{sign}{offset}")?;
        }
        if let Some(thread) = &self.thread {
            write!(f, "+{thread}")?;
        }
        f.write_str("]")
    }
}
