//! What published texts call things, where one name means something else on each machine.
//!
//! `A` is an acquiring read of AArch64 and an atomic access of C11; `X` is a locked instruction of x86 and an
//! exclusive access of RISC-V. Such names are cat text (`models/lib/names-*.cat`) that is read behind the
//! names that every model may use, by texts that use a name which only the published texts of a machine have:
//! those of Dartagnan do not begin with a machine, and ours use names that mean one thing on every machine.

use super::model::Arch;
use std::collections::BTreeSet;

/// Whose names a text uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dialect {
    Arm,
    Aarch64,
    Riscv,
    C11,
    Kernel,
}

impl Dialect {
    /// That of a machine, if it has one.
    pub(super) fn of_arch(arch: Arch) -> Option<Dialect> {
        match arch {
            Arch::Arm => Some(Dialect::Arm),
            Arch::Aarch64 => Some(Dialect::Aarch64),
            Arch::Riscv => Some(Dialect::Riscv),
            Arch::C11 => Some(Dialect::C11),
            Arch::Sc | Arch::X86 | Arch::Pso | Arch::Membar | Arch::Power => None,
        }
    }

    /// That of a text which uses these names, whether they are defined or not, among those that fit.
    pub(super) fn of_names(
        names: &BTreeSet<String>,
        fits: impl Fn(Dialect) -> bool,
    ) -> Option<Dialect> {
        let telling = [
            ("DMB.ISH", Dialect::Aarch64),
            ("DMB", Dialect::Arm),
            ("Fence.rw.rw", Dialect::Riscv),
            ("After-spinlock", Dialect::Kernel),
            ("ACQ_REL", Dialect::C11),
        ];
        let mut telling = telling.iter().filter(|(_, dialect)| fits(*dialect));
        let found = telling.find(|(name, _)| names.contains(*name));
        found.map(|(_, dialect)| *dialect)
    }

    /// The machine of a text that is told by its names. A text about C11 may be meant for programs of a
    /// machine, too.
    pub(super) fn arch(self) -> Option<Arch> {
        match self {
            Dialect::Arm => Some(Arch::Arm),
            Dialect::Aarch64 => Some(Arch::Aarch64),
            Dialect::Riscv => Some(Arch::Riscv),
            Dialect::C11 | Dialect::Kernel => None,
        }
    }

    /// The built-in file with the names.
    pub(super) fn file(self) -> &'static str {
        match self {
            Dialect::Arm => "names-arm.cat",
            Dialect::Aarch64 => "names-aarch64.cat",
            Dialect::Riscv => "names-riscv.cat",
            Dialect::C11 => "names-c11.cat",
            Dialect::Kernel => "names-kernel.cat",
        }
    }
}
