//! The instruction sets there are: a row each.

use super::ast::Machine;
use super::parser::InstructionSet;
use super::{aarch64, arm, att, c, ppc, riscv, x86};

/// All instruction sets.
pub(super) static SETS: [&InstructionSet; 7] = [
    &x86::SET,
    &att::TESTS,
    &ppc::SET,
    &arm::TESTS,
    &aarch64::SET,
    &riscv::SET,
    &c::SET,
];

/// The instruction set of a machine.
pub(super) fn of(machine: Machine) -> &'static InstructionSet {
    match machine {
        Machine::X86 => &x86::SET,
        Machine::X86_64 => &att::TESTS,
        Machine::Ppc => &ppc::SET,
        Machine::Arm => &arm::TESTS,
        Machine::Aarch64 => &aarch64::SET,
        Machine::Riscv => &riscv::SET,
        Machine::C => &c::SET,
    }
}

/// The name that instructions have for a register of a machine, by any of its names.
pub fn register_named(machine: Machine, word: &str) -> Option<String> {
    match machine {
        Machine::X86 | Machine::X86_64 => Some(att::part(word)?.0),
        _ => (of(machine).register)(word),
    }
}

/// The place of a register among those of its instruction set, as herd7 orders them; names that
/// herd chooses the register for come last.
pub fn register_rank(machine: Machine, name: &str) -> usize {
    let found = match machine {
        Machine::X86 | Machine::X86_64 => x86::REGISTERS.iter().position(|r| *r == name),
        Machine::Ppc => name.strip_prefix('r').and_then(|n| n.parse().ok()),
        Machine::Arm | Machine::Aarch64 => name.strip_prefix('X').and_then(|n| n.parse().ok()),
        Machine::Riscv => name.strip_prefix('x').and_then(|n| n.parse().ok()),
        Machine::C => None,
    };
    found.unwrap_or(usize::MAX)
}

/// A register as herd7 prints it.
pub fn shown_register(machine: Machine, name: &str) -> String {
    match machine {
        Machine::X86_64 => att::shown(name),
        Machine::Arm => arm::shown(name),
        _ => name.to_string(),
    }
}
