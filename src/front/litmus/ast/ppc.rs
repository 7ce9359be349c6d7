//! Instructions of Power.

use super::word::{Name, Number};

/// An instruction.
#[derive(Clone, Debug)]
pub enum Instr {
    /// `nop`
    Nop,
    /// `blr`: the thread ends.
    Return,
    /// `sync`, `lwsync`, `isync`, `eieio`
    Fence(Fence),
    /// `dst := value`; with `record` (`add.`) the result is compared with 0.
    Set {
        /// Target.
        dst: Name,
        /// What is computed.
        value: Computation,
        /// Whether field 0 of the condition register is set.
        record: bool,
    },
    /// `lwz dst,addr` and its kin.
    Load {
        /// Target.
        dst: Name,
        /// Where.
        addr: Address,
        /// Bits.
        size: u8,
        /// The sign is extended (`lwa`), otherwise zeros are.
        signed: bool,
        /// It makes a reservation (`lwarx`).
        linked: bool,
    },
    /// `stw src,addr` and its kin.
    Store {
        /// What.
        src: Name,
        /// Where.
        addr: Address,
        /// Bits.
        size: u8,
        /// It needs a reservation (`stwcx.`), and says in field 0 whether it had it.
        conditional: bool,
    },
    /// `cmpw a,b`: to a field of the condition register.
    Compare {
        /// The field, 0 to 7.
        field: u8,
        /// The left operand.
        a: Name,
        /// The right operand.
        b: Operand,
        /// Bits that are compared.
        size: u8,
        /// As signed numbers.
        signed: bool,
    },
    /// `b L`, or a jump if the condition holds.
    Branch(Option<Condition>, Name),
}

/// Fences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Fence {
    Sync,
    Lwsync,
    Isync,
    Eieio,
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
    /// An operand.
    Operand(Operand),
    /// A number, shifted left by 16 bits (`lis`).
    High(Number),
    /// Two operands.
    Binary(Binary, Name, Operand),
    /// `a + (b << 16)`
    AddHigh(Name, Number),
    /// `b - a`, as `subf` has it.
    SubFrom(Name, Operand),
    /// Two's complement.
    Neg(Name),
    /// Complement.
    Not(Name),
    /// The low so many bits with their sign (`extsw`).
    Extend(Name, u8),
    /// The low word rotated left, its bits `first` to `last` (0 is the highest), the others from
    /// the target (`rlwimi`) or 0 (`rlwinm`).
    Rotate {
        /// What is rotated.
        src: Name,
        /// By how much.
        by: u8,
        /// First bit that is taken.
        first: u8,
        /// Last bit that is taken.
        last: u8,
        /// The others stay what they are.
        insert: bool,
    },
    /// All but the highest so many bits of 64 (`clrldi`).
    Clear(Name, u8),
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// `add`
    Add,
    /// `mullw`, `mulli`: of the low words.
    Mul,
    /// `divw`: of the low words, signed.
    Div,
    /// `divwu`: of the low words.
    DivUnsigned,
    /// `and`
    And,
    /// `or`
    Or,
    /// `xor`
    Xor,
}

/// `offset(base)`, or two registers that are added.
#[derive(Clone, Debug)]
pub struct Address {
    /// The first register of the sum.
    pub base: Name,
    /// What is added.
    pub offset: Operand,
    /// The sum goes to `base` (`lwzu`).
    pub update: bool,
}

/// Which bit of the condition register decides a branch, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// The field, 0 to 7.
    pub field: u8,
    /// The bit.
    pub bit: Bit,
    /// The value at which it jumps.
    pub holds: bool,
}

/// The bits of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Bit {
    Less,
    Greater,
    Equal,
}
