//! What instructions of any machine do.

use super::body::Body;
use super::refusal::Lowered;
use super::{aarch64, ppc, riscv, x86};
use crate::front::litmus::ast::LineKind;

/// Lowers an instruction.
pub(in crate::lower) fn lower(b: &mut Body, instr: &LineKind) -> Lowered<()> {
    match instr {
        LineKind::Label(_) => Ok(()),
        LineKind::X86(instr) => x86::lower(b, instr),
        LineKind::Ppc(instr) => ppc::lower(b, instr),
        LineKind::Aarch64(instr) => aarch64::lower(b, instr),
        LineKind::Riscv(instr) => riscv::lower(b, instr),
    }
}

/// The flags and condition bits that an instruction reads.
pub(in crate::lower) fn tested(instr: &LineKind) -> Vec<String> {
    let flags: &[&str] = match instr {
        LineKind::Label(_) | LineKind::Riscv(_) => &[],
        LineKind::Ppc(instr) => return ppc::tested(instr).into_iter().collect(),
        LineKind::Aarch64(instr) => aarch64::tested(instr),
        LineKind::X86(instr) => x86::tested(instr),
    };
    flags.iter().map(|f| (*f).to_string()).collect()
}
