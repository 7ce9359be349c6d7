//! Instructions of RISC-V.

use super::word::{Name, Number};

/// An instruction. The register `x0` reads as 0, and what is written to it is gone.
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug)]
pub struct Address {
    /// The register.
    pub base: Name,
    /// What is added.
    pub offset: Number,
}

/// A register or a number.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A register.
    Register(Name),
    /// A number.
    Number(Number),
}

/// What is computed.
#[derive(Clone, Debug)]
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
