//! Instructions of AArch64.

use super::word::{Name, Number};
use base::source::Span;

/// A register, in full or its low half.
#[derive(Clone, Debug)]
pub struct Register {
    /// `X5`, whichever part is meant.
    pub name: Name,
    /// Bits: 64, or 32 for `W5`.
    pub size: u8,
    /// `XZR` or `WZR`: reads as 0, and what is written to it is gone.
    pub zero: bool,
}

/// An instruction.
#[derive(Clone, Debug)]
pub enum Instr {
    /// `NOP`
    Nop,
    /// `RET`: the thread ends.
    Return,
    /// `DMB`, `DSB`, `ISB`
    Fence(Fence),
    /// `dst := value`; with `flags` (`ADDS`, `CMP`) the flags are set.
    Set {
        /// Target.
        dst: Register,
        /// What is computed.
        value: Computation,
        /// Whether the flags are set.
        flags: bool,
    },
    /// `CSEL dst,a,b,cond` and its kin: `a` if the condition holds, else what becomes of `b`.
    Select {
        /// Target.
        dst: Register,
        /// The condition.
        cond: Condition,
        /// Where it holds.
        a: Register,
        /// Where it does not.
        b: Register,
        /// What becomes of it.
        change: Change,
    },
    /// `LDR dst,addr` and its kin.
    Load {
        /// Target.
        dst: Register,
        /// Where.
        addr: Address,
        /// Bits.
        size: u8,
        /// The sign is extended (`LDRSW`), otherwise zeros are.
        signed: bool,
        /// What it orders.
        order: LoadOrder,
        /// It makes a reservation (`LDXR`).
        exclusive: bool,
    },
    /// `STR src,addr` and its kin.
    Store {
        /// What.
        src: Register,
        /// Where.
        addr: Address,
        /// Bits.
        size: u8,
        /// `STLR`
        release: bool,
        /// `STXR`: it needs a reservation, and this register receives 0 if it had it.
        status: Option<Register>,
    },
    /// `LDADD operand,dst,[addr]` and its kin, `SWP` among them; `STADD` has no target.
    Update {
        /// What is done to the location.
        op: UpdateOp,
        /// With what.
        operand: Register,
        /// Receives what was there.
        dst: Option<Register>,
        /// Where.
        addr: Address,
        /// Bits.
        size: u8,
        /// What it orders.
        order: UpdateOrder,
    },
    /// `CAS expected,desired,[addr]`
    CompareSwap {
        /// What is compared; receives what was there.
        expected: Register,
        /// What is stored when they are equal.
        desired: Register,
        /// Where.
        addr: Address,
        /// Bits.
        size: u8,
        /// What it orders.
        order: UpdateOrder,
    },
    /// `B L`, or a jump if something holds.
    Branch(Option<Test>, Name),
}

/// What decides a branch.
#[derive(Clone, Debug)]
pub enum Test {
    /// `B.EQ`
    Flags(Condition),
    /// `CBZ`, `CBNZ`: whether the register is 0.
    Zero(Register, bool),
    /// `TBZ`, `TBNZ`: the bit of the register and its value.
    Bit(Register, u8, bool),
}

/// Fences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fence {
    /// `DMB`
    Dmb(Ordered),
    /// `DSB`
    Dsb(Ordered),
    /// `ISB`
    Isb,
}

/// Which accesses before a fence it is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ordered {
    /// All of them.
    Full,
    /// `LD`: loads.
    Loads,
    /// `ST`: stores.
    Stores,
}

/// What a load orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoadOrder {
    /// Nothing.
    None,
    /// `LDAR`: it acquires.
    Acquire,
    /// `LDAPR`: it acquires, and may come before a store that releases.
    AcquirePc,
}

/// What a read-modify-write orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UpdateOrder {
    /// `A`
    pub acquire: bool,
    /// `L`
    pub release: bool,
}

/// What an atomic instruction does to a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UpdateOp {
    /// `SWP`
    Swap,
    /// `LDADD`
    Add,
    /// `LDCLR`: clears the bits of the operand.
    Clear,
    /// `LDEOR`
    Xor,
    /// `LDSET`: sets the bits of the operand.
    Set,
}

/// What becomes of the second operand of a selection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// `CSEL`: nothing.
    None,
    /// `CSINC`: one is added.
    Increment,
    /// `CSINV`: its bits are inverted.
    Invert,
    /// `CSNEG`: it is negated.
    Negate,
}

/// The conditions of branches, in terms of the flags; `true` where the condition holds if the flags
/// say so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// What the flags say.
    pub flags: FlagTest,
    /// Whether that holds.
    pub holds: bool,
}

/// What the flags say of a comparison `a - b`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlagTest {
    /// `EQ`: Z.
    Equal,
    /// `HS`: C.
    Carry,
    /// `MI`: N.
    Negative,
    /// `VS`: V.
    Overflow,
    /// `HI`: C and not Z.
    Higher,
    /// `GE`: N = V.
    GreaterEqual,
    /// `GT`: N = V and not Z.
    Greater,
}

/// A register, changed by the instruction, or a number.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A register.
    Register(Register, Extension),
    /// A number.
    Number(Number),
}

/// How an instruction changes its last register: the low bits are taken, with their sign or zeros
/// above, and shifted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extension {
    /// How many bits are taken, and whether with their sign; none: all.
    pub low: Option<(u8, bool)>,
    /// How they are shifted.
    pub shift: Shift,
    /// By how much.
    pub by: u8,
}

/// Shifts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shift {
    /// `LSL`
    Left,
    /// `LSR`
    Right,
    /// `ASR`
    Arithmetic,
}

/// What is computed.
#[derive(Clone, Debug)]
pub enum Computation {
    /// `MOV`, `SXTW`
    Operand(Operand),
    /// `MVN`
    Not(Operand),
    /// Two operands.
    Binary(Binary, Register, Operand),
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// `ADD`, `CMN`
    Add,
    /// `SUB`, `CMP`
    Sub,
    /// `AND`, `TST`
    And,
    /// `ORR`
    Or,
    /// `EOR`
    Xor,
    /// `BIC`: and not.
    AndNot,
    /// `ORN`: or not.
    OrNot,
    /// `EON`: exclusive or not.
    XorNot,
    /// `MUL`
    Mul,
    /// A shift by a register or number.
    Shift(Shift),
}

/// `[base]`, with an offset or an update of the base.
#[derive(Clone, Debug)]
pub struct Address {
    /// The register.
    pub base: Name,
    /// What is added.
    pub offset: Option<Operand>,
    /// Whether and when the base is changed.
    pub update: Option<Update>,
    /// All of it.
    pub span: Span,
}

/// When the base of an address becomes the sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Update {
    /// `[X1,#8]!`: before the access.
    Before,
    /// `[X1],#8`: after it.
    After,
}
