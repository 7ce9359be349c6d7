//! Instructions of RISC-V.

use super::word::{Name, Number, size_letter};
use std::fmt::{Display, Formatter, Result};

/// An instruction. The register `x0` reads as 0, and what is written to it is gone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Instr {
    /// `nop`
    Nop,
    /// `ret`: the thread ends.
    Return,
    /// `fence`
    Fence(Fence),
    /// `dst := value`
    Set {
        /// Target.
        dst: Name,
        /// What is computed.
        value: Computation,
    },
    /// `lw dst,offset(base)` and its kin.
    Load {
        /// Target.
        dst: Name,
        /// Where.
        addr: Address,
        /// Bits.
        size: u8,
        /// The sign is extended, otherwise (`lwu`) zeros are.
        signed: bool,
        /// What it orders.
        order: AccessOrder,
        /// It makes a reservation (`lr`).
        reserved: bool,
    },
    /// `sw src,offset(base)` and its kin.
    Store {
        /// What.
        src: Name,
        /// Where.
        addr: Address,
        /// Bits.
        size: u8,
        /// What it orders.
        order: AccessOrder,
        /// `sc`: it needs a reservation, and this register receives 0 if it had it.
        status: Option<Name>,
    },
    /// `amoadd.w dst,operand,(base)` and its kin.
    Update {
        /// What is done to the location.
        op: UpdateOp,
        /// Receives what was there.
        dst: Name,
        /// With what.
        operand: Name,
        /// Where.
        addr: Address,
        /// Bits.
        size: u8,
        /// What it orders.
        order: AccessOrder,
    },
    /// `beq a,b,L`
    Branch(Comparison, [Name; 2], Name),
    /// `j L`
    Jump(Name),
}

/// Fences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fence {
    /// `fence pred,succ`: which accesses before it come before which ones behind it.
    Pairs {
        /// Loads are ordered before what follows.
        loads: bool,
        /// Stores are.
        stores: bool,
        /// Loads are ordered behind it.
        then_loads: bool,
        /// Stores are.
        then_stores: bool,
    },
    /// `fence.tso`: all pairs but stores and later loads.
    Tso,
    /// `fence.i`: stores before the instructions fetched later.
    Instructions,
}

/// `.aq` and `.rl`
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AccessOrder {
    /// It acquires.
    pub acquire: bool,
    /// It releases.
    pub release: bool,
}

/// What an atomic instruction does to a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum UpdateOp {
    Swap,
    Add,
    And,
    Or,
    Xor,
}

/// `offset(base)`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// The register.
    pub base: Name,
    /// What is added.
    pub offset: Number,
}

/// A register or a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A register.
    Register(Name),
    /// A number.
    Number(Number),
}

/// What is computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Computation {
    /// `li`, `mv`
    Operand(Operand),
    /// Two operands; with `word` (`addw`) of the low words, with their sign.
    Binary {
        /// The operator.
        op: Binary,
        /// Left.
        a: Operand,
        /// Right.
        b: Operand,
        /// Of the low words.
        word: bool,
    },
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
    Mul,
    ShiftLeft,
    ShiftRight,
    ShiftArithmetic,
    /// `slt`: 1 if less.
    Less,
    /// `sltu`
    LessUnsigned,
    /// `seqz`: 1 if equal.
    Equal,
    /// `snez`
    Unequal,
}

/// What a branch compares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Comparison {
    Equal,
    Unequal,
    Less,
    GreaterEqual,
    LessUnsigned,
    GreaterEqualUnsigned,
}

impl Display for Instr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Instr::Nop => f.write_str("nop"),
            Instr::Return => f.write_str("ret"),
            Instr::Fence(fence) => fence.fmt(f),
            Instr::Set { dst, value } => value.write(f, dst),
            Instr::Load {
                dst,
                addr,
                size,
                signed,
                order,
                reserved,
            } => {
                let letter = size_letter(*size);
                let unsigned = if *signed { "" } else { "u" };
                match reserved {
                    true => write!(f, "lr.{letter}{order} {dst},{addr:#}"),
                    false => write!(f, "l{letter}{unsigned}{order} {dst},{addr}"),
                }
            }
            Instr::Store {
                src,
                addr,
                size,
                order,
                status,
            } => {
                let letter = size_letter(*size);
                match status {
                    Some(status) => write!(f, "sc.{letter}{order} {status},{src},{addr:#}"),
                    None => write!(f, "s{letter}{order} {src},{addr}"),
                }
            }
            Instr::Update {
                op,
                dst,
                operand,
                addr,
                size,
                order,
            } => {
                let op = format!("{op:?}").to_ascii_lowercase();
                let letter = size_letter(*size);
                write!(f, "amo{op}.{letter}{order} {dst},{operand},{addr:#}")
            }
            Instr::Branch(comparison, [a, b], label) => {
                let name = match comparison {
                    Comparison::Equal => "beq",
                    Comparison::Unequal => "bne",
                    Comparison::Less => "blt",
                    Comparison::GreaterEqual => "bge",
                    Comparison::LessUnsigned => "bltu",
                    Comparison::GreaterEqualUnsigned => "bgeu",
                };
                write!(f, "{name} {a},{b},{label}")
            }
            Instr::Jump(label) => write!(f, "j {label}"),
        }
    }
}

impl Display for Fence {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let side = |loads, stores| match (loads, stores) {
            (true, true) => "rw",
            (true, false) => "r",
            (false, true) => "w",
            (false, false) => "i",
        };
        match self {
            Fence::Pairs {
                loads,
                stores,
                then_loads,
                then_stores,
            } => {
                let (before, then) = (side(*loads, *stores), side(*then_loads, *then_stores));
                write!(f, "fence {before},{then}")
            }
            Fence::Tso => f.write_str("fence.tso"),
            Fence::Instructions => f.write_str("fence.i"),
        }
    }
}

impl Display for AccessOrder {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let acquire = if self.acquire { ".aq" } else { "" };
        let release = if self.release { ".rl" } else { "" };
        write!(f, "{acquire}{release}")
    }
}

/// The alternate form is that of atomic instructions, which leave out an offset of 0.
impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if !f.alternate() || self.offset.bits != 0 {
            self.offset.fmt(f)?;
        }
        write!(f, "({})", self.base)
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Operand::Register(name) => name.fmt(f),
            Operand::Number(number) => number.fmt(f),
        }
    }
}

impl Computation {
    /// Writes what is assigned.
    fn write(&self, f: &mut Formatter<'_>, dst: &Name) -> Result {
        let (op, a, b, word) = match self {
            Computation::Operand(a @ Operand::Number(_)) => return write!(f, "li {dst},{a}"),
            Computation::Operand(a) => return write!(f, "mv {dst},{a}"),
            Computation::Binary { op, a, b, word } => (op, a, b, word),
        };
        let name = match op {
            Binary::Add => "add",
            Binary::Sub => "sub",
            Binary::And => "and",
            Binary::Or => "or",
            Binary::Xor => "xor",
            Binary::Mul => "mul",
            Binary::ShiftLeft => "sll",
            Binary::ShiftRight => "srl",
            Binary::ShiftArithmetic => "sra",
            Binary::Less => "slt",
            Binary::LessUnsigned if matches!(b, Operand::Number(_)) => {
                return write!(f, "sltiu {dst},{a},{b}");
            }
            Binary::LessUnsigned => "sltu",
            Binary::Equal => return write!(f, "seqz {dst},{a}"),
            Binary::Unequal => return write!(f, "snez {dst},{a}"),
        };
        let number = match b {
            Operand::Register(_) => "",
            Operand::Number(_) => "i",
        };
        let word = if *word { "w" } else { "" };
        write!(f, "{name}{number}{word} {dst},{a},{b}")
    }
}
