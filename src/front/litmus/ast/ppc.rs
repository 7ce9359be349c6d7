//! Instructions of Power.

use super::word::{Name, Number, size_letter};
use std::fmt::{Display, Formatter, Result};

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
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
#[derive(Clone, PartialEq, Eq, Debug)]
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

impl Display for Instr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Instr::Nop => f.write_str("nop"),
            Instr::Return => f.write_str("blr"),
            Instr::Fence(fence) => f.write_str(match fence {
                Fence::Sync => "sync",
                Fence::Lwsync => "lwsync",
                Fence::Isync => "isync",
                Fence::Eieio => "eieio",
            }),
            Instr::Set { dst, value, record } => value.write(f, dst, *record),
            Instr::Load {
                dst,
                addr,
                size,
                signed,
                linked,
            } => {
                let extension = match (signed, size, linked) {
                    (true, ..) => "a",
                    (false, 64, _) | (.., true) => "",
                    _ => "z",
                };
                let mnemonic = format!("l{}{extension}", size_letter(*size));
                addr.write(f, &mnemonic, dst, linked.then_some("arx"))
            }
            Instr::Store {
                src,
                addr,
                size,
                conditional,
            } => {
                let mnemonic = format!("st{}", size_letter(*size));
                addr.write(f, &mnemonic, src, conditional.then_some("cx."))
            }
            Instr::Compare {
                field,
                a,
                b,
                size,
                signed,
            } => {
                let logical = if *signed { "" } else { "l" };
                let number = match b {
                    Operand::Register(_) => "",
                    Operand::Number(_) => "i",
                };
                let mnemonic = format!("cmp{logical}{}{number}", size_letter(*size));
                write!(f, "{mnemonic} {}{a},{b}", field_name(*field))
            }
            Instr::Branch(None, label) => write!(f, "b {label}"),
            Instr::Branch(Some(condition), label) => {
                let suffix = match (condition.bit, condition.holds) {
                    (Bit::Equal, true) => "eq",
                    (Bit::Equal, false) => "ne",
                    (Bit::Less, true) => "lt",
                    (Bit::Less, false) => "ge",
                    (Bit::Greater, true) => "gt",
                    (Bit::Greater, false) => "le",
                };
                write!(f, "b{suffix} {}{label}", field_name(condition.field))
            }
        }
    }
}

/// A field of the condition register before other operands; 0 is left out.
fn field_name(field: u8) -> String {
    match field {
        0 => String::new(),
        field => format!("cr{field},"),
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

impl Address {
    /// Writes an access, which has another form if it has to do with a reservation.
    fn write(
        &self,
        f: &mut Formatter<'_>,
        mnemonic: &str,
        register: &Name,
        reserved: Option<&str>,
    ) -> Result {
        let Address { base, offset, .. } = self;
        let update = if self.update { "u" } else { "" };
        match (offset, reserved) {
            (Operand::Number(zero), Some(form)) => {
                write!(f, "{mnemonic}{form} {register},{zero},{base}")
            }
            (_, Some(form)) => write!(f, "{mnemonic}{form} {register},{base},{offset}"),
            (Operand::Number(_), None) => {
                write!(f, "{mnemonic}{update} {register},{offset}({base})")
            }
            (Operand::Register(_), None) => {
                write!(f, "{mnemonic}{update}x {register},{base},{offset}")
            }
        }
    }
}

impl Computation {
    /// Writes what is assigned.
    fn write(&self, f: &mut Formatter<'_>, dst: &Name, record: bool) -> Result {
        use Operand::{Number as Num, Register as Reg};
        let dot = if record { "." } else { "" };
        match self {
            Computation::Operand(Num(n)) => write!(f, "li {dst},{n}"),
            Computation::Operand(Reg(a)) => write!(f, "mr{dot} {dst},{a}"),
            Computation::High(n) => write!(f, "lis {dst},{n}"),
            Computation::AddHigh(a, n) => write!(f, "addis {dst},{a},{n}"),
            Computation::SubFrom(a, Num(n)) => write!(f, "subfic {dst},{a},{n}"),
            Computation::SubFrom(a, b) => write!(f, "subf{dot} {dst},{a},{b}"),
            Computation::Neg(a) => write!(f, "neg{dot} {dst},{a}"),
            Computation::Not(a) => write!(f, "not{dot} {dst},{a}"),
            Computation::Extend(a, size) => write!(f, "exts{}{dot} {dst},{a}", size_letter(*size)),
            Computation::Clear(a, count) => write!(f, "clrldi{dot} {dst},{a},{count}"),
            Computation::Rotate {
                src,
                by,
                first,
                last,
                insert,
            } => {
                let name = if *insert { "rlwimi" } else { "rlwinm" };
                write!(f, "{name}{dot} {dst},{src},{by},{first},{last}")
            }
            Computation::Binary(op, a, b) => {
                let name = match (op, b) {
                    (Binary::Add, Num(_)) if record => "addic",
                    (Binary::Add, Num(_)) => "addi",
                    (Binary::Mul, Num(_)) => "mulli",
                    (Binary::And, Num(_)) => "andi",
                    (Binary::Or, Num(_)) => "ori",
                    (Binary::Xor, Num(_)) => "xori",
                    (Binary::Add, _) => "add",
                    (Binary::Mul, _) => "mullw",
                    (Binary::Div, _) => "divw",
                    (Binary::DivUnsigned, _) => "divwu",
                    (Binary::And, _) => "and",
                    (Binary::Or, _) => "or",
                    (Binary::Xor, _) => "xor",
                };
                write!(f, "{name}{dot} {dst},{a},{b}")
            }
        }
    }
}
