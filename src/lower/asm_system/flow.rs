//! Control flow between the instructions of a program.

use crate::front::asm::ast::Program;
use crate::front::litmus::ast::x86::Op;

/// Where an instruction may lead; the number of instructions is the end.
pub(super) fn successors(program: &Program, index: usize) -> Vec<usize> {
    let target = |label: &str| program.target(label).unwrap_or(program.code.len());
    match &program.code[index].instr.op {
        Op::Jump(None, label) => vec![target(&label.text)],
        Op::Jump(Some(_), label) => vec![index + 1, target(&label.text)],
        _ => vec![index + 1],
    }
}
