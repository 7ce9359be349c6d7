//! Control flow between the instructions of a program.

use crate::front::asm::ast::Program;
use crate::front::litmus::ast::x86::Op;

/// Where an instruction may lead; the number of instructions is the end.
pub(super) fn successors(program: &Program, index: usize) -> Vec<usize> {
    match &program.code[index].instr.op {
        Op::Jump(None, label) => vec![program.target_of(label)],
        Op::Jump(Some(_), label) => vec![index + 1, program.target_of(label)],
        _ => vec![index + 1],
    }
}
