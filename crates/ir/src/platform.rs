//! In what a program is written, and the platform it is for.

use super::operator::Width;

/// Sizes of C's types that differ between platforms.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DataModel {
    /// `long` and pointers of 64 bits.
    #[default]
    Lp64,
    /// `int`, `long` and pointers of 32 bits.
    Ilp32,
}

impl DataModel {
    /// Bits of a pointer and of `long`.
    pub fn pointer_width(self) -> Width {
        match self {
            DataModel::Lp64 => 64,
            DataModel::Ilp32 => 32,
        }
    }

    /// Low bits of a pointer that hold the byte offset; the rest number the object.
    pub fn offset_bits(self) -> u32 {
        match self {
            DataModel::Lp64 => 32,
            DataModel::Ilp32 => 20,
        }
    }

    /// Objects have fewer bytes than this: an eighth of the distance between two objects is left free before
    /// each, so that an address somewhat before or behind an object is not that of another one.
    pub fn largest_object(self) -> u64 {
        (1 << self.offset_bits()) / 8 * 7
    }
}

/// In what a program is written, for advice about it; what it means is in its operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Language {
    /// C, whatever it is compiled to.
    #[default]
    C,
    /// x86
    X86,
    /// Power
    Power,
    /// `AArch64`
    Aarch64,
    /// RISC-V
    Riscv,
}
