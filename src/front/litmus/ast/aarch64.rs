//! Instructions of AArch64.

use super::word::{Name, Number};
use base::source::Span;
use std::fmt::{Display, Formatter, Result};

/// A register, in full or its low half.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Register {
    /// `X5`, whichever part is meant.
    pub name: Name,
    /// Bits: 64, or 32 for `W5`.
    pub size: u8,
    /// `XZR` or `WZR`: reads as 0, and what is written to it is gone.
    pub zero: bool,
}

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
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
#[derive(Clone, PartialEq, Eq, Debug)]
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

/// The names of conditions that hold and do not; of those with two names, the first one is printed.
pub(in crate::front) static CONDITIONS: [([&str; 2], FlagTest); 8] = [
    (["EQ", "NE"], FlagTest::Equal),
    (["HS", "LO"], FlagTest::Carry),
    (["CS", "CC"], FlagTest::Carry),
    (["MI", "PL"], FlagTest::Negative),
    (["VS", "VC"], FlagTest::Overflow),
    (["HI", "LS"], FlagTest::Higher),
    (["GE", "LT"], FlagTest::GreaterEqual),
    (["GT", "LE"], FlagTest::Greater),
];

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
#[derive(Clone, PartialEq, Eq, Debug)]
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
#[derive(Clone, PartialEq, Eq, Debug)]
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
#[derive(Clone, PartialEq, Eq, Debug)]
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

impl Display for Instr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Instr::Nop => f.write_str("NOP"),
            Instr::Return => f.write_str("RET"),
            Instr::Fence(fence) => fence.fmt(f),
            Instr::Set { dst, value, flags } => value.write(f, dst, *flags),
            Instr::Select {
                dst,
                cond,
                a,
                b,
                change,
            } => {
                let name = match change {
                    Change::None => "CSEL",
                    Change::Increment => "CSINC",
                    Change::Invert => "CSINV",
                    Change::Negate => "CSNEG",
                };
                write!(f, "{name} {dst},{a},{b},{cond}")
            }
            Instr::Load {
                dst,
                addr,
                size,
                signed,
                order,
                exclusive,
            } => {
                let name = match (exclusive, order) {
                    (true, LoadOrder::Acquire) => "LDAXR",
                    (true, _) => "LDXR",
                    (false, LoadOrder::None) => "LDR",
                    (false, LoadOrder::Acquire) => "LDAR",
                    (false, LoadOrder::AcquirePc) if *signed || addr.offset.is_some() => "LDAPUR",
                    (false, LoadOrder::AcquirePc) => "LDAPR",
                };
                let part = match (size, signed) {
                    (8, true) => "SB",
                    (16, true) => "SH",
                    (_, true) => "SW",
                    (size, false) => letter(*size),
                };
                write!(f, "{name}{part} {dst},{addr}")
            }
            Instr::Store {
                src,
                addr,
                size,
                release,
                status,
            } => {
                let name = match (status, release) {
                    (Some(_), true) => "STLXR",
                    (Some(_), false) => "STXR",
                    (None, true) if addr.offset.is_some() => "STLUR",
                    (None, true) => "STLR",
                    (None, false) => "STR",
                };
                write!(f, "{name}{} ", letter(*size))?;
                if let Some(status) = status {
                    write!(f, "{status},")?;
                }
                write!(f, "{src},{addr}")
            }
            Instr::Update {
                op,
                operand,
                dst,
                addr,
                size,
                order,
            } => {
                let name = match op {
                    UpdateOp::Swap => "SWP",
                    UpdateOp::Add => "ADD",
                    UpdateOp::Clear => "CLR",
                    UpdateOp::Xor => "EOR",
                    UpdateOp::Set => "SET",
                };
                let kind = match (op, dst) {
                    (UpdateOp::Swap, _) => "",
                    (_, Some(_)) => "LD",
                    (_, None) => "ST",
                };
                write!(f, "{kind}{name}{order}{} {operand},", letter(*size))?;
                if let Some(dst) = dst {
                    write!(f, "{dst},")?;
                }
                addr.fmt(f)
            }
            Instr::CompareSwap {
                expected,
                desired,
                addr,
                size,
                order,
            } => {
                let letter = letter(*size);
                write!(f, "CAS{order}{letter} {expected},{desired},{addr}")
            }
            Instr::Branch(None, label) => write!(f, "B {label}"),
            Instr::Branch(Some(test), label) => match test {
                Test::Flags(cond) => write!(f, "B.{cond} {label}"),
                Test::Zero(register, true) => write!(f, "CBZ {register},{label}"),
                Test::Zero(register, false) => write!(f, "CBNZ {register},{label}"),
                Test::Bit(register, bit, false) => write!(f, "TBZ {register},#{bit},{label}"),
                Test::Bit(register, bit, true) => write!(f, "TBNZ {register},#{bit},{label}"),
            },
        }
    }
}

/// The letter for accesses of less than a `W` register.
fn letter(size: u8) -> &'static str {
    match size {
        8 => "B",
        16 => "H",
        _ => "",
    }
}

impl Display for Register {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match (self.name.text.strip_prefix('X'), self.size) {
            (Some(number), 32) => write!(f, "W{number}"),
            _ => self.name.fmt(f),
        }
    }
}

impl Display for Fence {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let (name, ordered) = match self {
            Fence::Isb => return f.write_str("ISB"),
            Fence::Dmb(ordered) => ("DMB", ordered),
            Fence::Dsb(ordered) => ("DSB", ordered),
        };
        let option = match ordered {
            Ordered::Full => "SY",
            Ordered::Loads => "LD",
            Ordered::Stores => "ST",
        };
        write!(f, "{name} {option}")
    }
}

impl Display for UpdateOrder {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let acquire = if self.acquire { "A" } else { "" };
        let release = if self.release { "L" } else { "" };
        write!(f, "{acquire}{release}")
    }
}

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let found = CONDITIONS.iter().find(|(_, flags)| *flags == self.flags);
        let (names, _) = found.expect("every condition has a name");
        f.write_str(names[usize::from(!self.holds)])
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Operand::Number(number) => write!(f, "#{number}"),
            Operand::Register(register, extension) => {
                register.fmt(f)?;
                extension.write(f, register.size)
            }
        }
    }
}

impl Extension {
    /// What a register of so many bits has where nothing is written.
    fn is_none(self, size: u8) -> bool {
        let whole = if size == 32 { Some((32, false)) } else { None };
        self.low == whole && self.shift == Shift::Left && self.by == 0
    }

    /// The name of the extension (`SXTW`), if it takes so many bits of a register.
    fn name(self) -> Option<String> {
        let (bits, signed) = self.low?;
        let letter = match bits {
            8 => 'B',
            16 => 'H',
            32 => 'W',
            _ => 'X',
        };
        let sign = if signed { 'S' } else { 'U' };
        Some(format!("{sign}XT{letter}"))
    }

    /// Writes what stands behind a register of so many bits.
    fn write(self, f: &mut Formatter<'_>, size: u8) -> Result {
        let Extension { shift, by, .. } = self;
        if self.is_none(size) {
            return Ok(());
        }
        let arithmetic = shift == Shift::Arithmetic;
        let shifted = if size == 32 {
            Some((32, arithmetic))
        } else {
            None
        };
        match self.name() {
            Some(name) if self.low != shifted && by == 0 => write!(f, ",{name}"),
            Some(name) if self.low != shifted => write!(f, ",{name} #{by}"),
            _ => write!(f, ",{shift} #{by}"),
        }
    }
}

impl Display for Shift {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            Shift::Left => "LSL",
            Shift::Right => "LSR",
            Shift::Arithmetic => "ASR",
        })
    }
}

impl Computation {
    /// Writes what is assigned.
    fn write(&self, f: &mut Formatter<'_>, dst: &Register, flags: bool) -> Result {
        let (op, a, b) = match self {
            Computation::Operand(Operand::Register(src, extension)) => {
                let shifts = extension.shift != Shift::Left || extension.by > 0;
                let is_plain = extension.is_none(src.size) || shifts;
                return match extension.name() {
                    Some(name) if !is_plain && !name.ends_with('X') => {
                        write!(f, "{name} {dst},{src}")
                    }
                    _ => write!(
                        f,
                        "MOV {dst},{}",
                        Operand::Register(src.clone(), *extension)
                    ),
                };
            }
            Computation::Operand(operand) => return write!(f, "MOV {dst},{operand}"),
            Computation::Not(operand) => return write!(f, "MVN {dst},{operand}"),
            Computation::Binary(op, a, b) => (op, a, b),
        };
        let name = match op {
            Binary::Sub if flags && dst.zero => return write!(f, "CMP {a},{b}"),
            Binary::Add if flags && dst.zero => return write!(f, "CMN {a},{b}"),
            Binary::And if flags && dst.zero => return write!(f, "TST {a},{b}"),
            Binary::Add => "ADD",
            Binary::Sub => "SUB",
            Binary::And => "AND",
            Binary::Or => "ORR",
            Binary::Xor => "EOR",
            Binary::AndNot => "BIC",
            Binary::OrNot => "ORN",
            Binary::XorNot => "EON",
            Binary::Mul => "MUL",
            Binary::Shift(Shift::Left) => "LSL",
            Binary::Shift(Shift::Right) => "LSR",
            Binary::Shift(Shift::Arithmetic) => "ASR",
        };
        let flags = if flags { "S" } else { "" };
        write!(f, "{name}{flags} {dst},{a},{b}")
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let base = &self.base;
        match (&self.offset, self.update) {
            (None, _) => write!(f, "[{base}]"),
            (Some(offset), None) => write!(f, "[{base},{offset}]"),
            (Some(offset), Some(Update::Before)) => write!(f, "[{base},{offset}]!"),
            (Some(offset), Some(Update::After)) => write!(f, "[{base}],{offset}"),
        }
    }
}
