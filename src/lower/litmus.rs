//! From a litmus test to the intermediate language.
//!
//! `main` creates a thread a column and does nothing else. A thread's registers are locals, which
//! get their initial values first; every location is an object with static storage. What a
//! register is computed from stays as written (`xor r3,r1,r1` is `r3 := r1 ^ r1`), and a branch to
//! the next instruction stays a branch, since dependencies are made of that.
//!
//! **Sizes.** As herd has it, a location is one cell, whatever the size of the accesses: a load of
//! a byte is the low byte of the cell, a store of a byte leaves zeros above it. A cell is as wide
//! as a register: 32 bits, or 64 for a test for Power or X86_64 that uses them anywhere (an instruction, a type,
//! a number). An array gives the cells of a test its element's width, so that offsets mean
//! elements. What would reach a part of a cell is refused.
//!
//! Tests in C have cells of 64 bits, and values that have no other width.
//!
//! AArch64 and RISC-V have cells and registers of 64 bits.
//!
//! [`memory`] has the locations, [`thread`] what all instruction sets share, [`machine`] with [`x86`], [`ppc`],
//! [`aarch64`] and [`riscv`] what instructions do, [`exclusive`] what the last two know accesses by, [`sizes`] how values
//! change their width, [`word`] how wide registers are, [`c`] what statements do and [`kernel`] what the functions of the kernel are, [`final_condition`] the rest.

pub(super) mod aarch64;
mod access;
pub(super) mod body;
mod c;
mod exclusive;
mod final_condition;
mod kernel;
pub(super) mod machine;
pub(super) mod memory;
mod ppc;
mod refusal;
mod riscv;
mod sizes;
mod thread;
mod word;
pub(super) mod x86;

use crate::front::litmus::{ast, shown_register};
use base::diag::Diag;
use base::idx::{Id, IdVec};
use base::source::{SourceMap, Span};
use ir::litmus::LitmusTest;
use ir::program::*;
use memory::Locations;
use refusal::wrong;
use std::collections::BTreeMap;

/// Lowers a test.
///
/// # Errors
/// What is wrong with it, or is not supported; every message names its place.
pub fn lower(_sources: &SourceMap, test: &ast::Test) -> Result<LitmusTest, Vec<Diag>> {
    let mut errors = Vec::new();
    let word = match test.machine {
        ast::Machine::C | ast::Machine::Aarch64 | ast::Machine::Riscv => 64,
        ast::Machine::Ppc | ast::Machine::X86_64 if word::needs_64_bits(test) => 64,
        ast::Machine::X86 | ast::Machine::X86_64 | ast::Machine::Ppc | ast::Machine::Arm => 32,
    };
    let mut program = Program {
        data_model: if word == 64 {
            DataModel::Lp64
        } else {
            DataModel::Ilp32
        },
        language: match test.machine {
            ast::Machine::X86 | ast::Machine::X86_64 => Language::X86,
            ast::Machine::Ppc => Language::Power,
            ast::Machine::Aarch64 | ast::Machine::Arm => Language::Aarch64,
            ast::Machine::Riscv => Language::Riscv,
            ast::Machine::C => Language::C,
        },
        ..Program::default()
    };
    errors.extend(word::sign_of_parts(test));
    let memory = memory::declare(test, word, &mut program, &mut errors);
    let registers = registers(test, &memory, &mut errors);
    let resolved = final_condition::resolve(test, &memory, &mut program, &mut errors);
    for thread in &test.threads {
        let empty = BTreeMap::new();
        let context = thread::Context {
            memory: &memory,
            init: registers.get(&thread.number).unwrap_or(&empty),
            observables: &program.observables,
        };
        let proc = thread::lower(thread, &context, &mut errors);
        program.procs.push(proc);
    }
    let main = main(test, word);
    program.main = Some(program.procs.push(main));
    show_registers(test.machine, &mut program);
    match resolved {
        Some(final_condition) if errors.is_empty() => Ok(LitmusTest {
            name: test.name.clone(),
            machine: machine_name(test.machine).to_string(),
            program,
            final_condition,
        }),
        _ => {
            errors.sort_by_key(|e| e.labels.first().map(|(span, _)| *span));
            Err(errors)
        }
    }
}

/// Gives registers the names that herd7 prints.
fn show_registers(machine: ast::Machine, program: &mut Program) {
    let ids: Vec<ObservableId> = program.observables.ids().collect();
    for id in ids {
        if let Observable::Register { name, .. } = &mut program.observables[id] {
            *name = shown_register(machine, name);
        }
    }
    let procs: Vec<ProcId> = program.procs.ids().collect();
    for id in procs {
        let locals: Vec<LocalId> = program.procs[id].locals.ids().collect();
        for local in locals {
            let name = &mut program.procs[id].locals[local].name;
            *name = shown_register(machine, name);
        }
    }
}

fn machine_name(machine: ast::Machine) -> &'static str {
    match machine {
        ast::Machine::X86 => "X86",
        ast::Machine::X86_64 => "X86_64",
        ast::Machine::Ppc => "PPC",
        ast::Machine::Arm => "ARM",
        ast::Machine::Aarch64 => "AArch64",
        ast::Machine::Riscv => "RISCV",
        ast::Machine::C => "C",
    }
}

/// Initial values of the registers of each thread.
type Registers = BTreeMap<u32, BTreeMap<String, (Span, Expr)>>;

fn registers(test: &ast::Test, memory: &Locations, errors: &mut Vec<Diag>) -> Registers {
    let mut all = Registers::new();
    for init in &test.init {
        let ast::Place::Register { thread, name } = &init.place else {
            continue;
        };
        if let Some(count) = init.count {
            errors.push(Diag::error(count.span, "a register is no array"));
        }
        let value = match &init.values[..] {
            [] => Ok(Expr::constant(0, memory.sizes.word)),
            [value] => memory.value(value, memory.sizes.word),
            _ => wrong(init.span, "a register has one value"),
        };
        let value = match value {
            Ok(value) => value,
            Err(e) => {
                errors.push(*e);
                continue;
            }
        };
        let threads: Vec<u32> = match thread {
            None => test.threads.iter().map(|t| t.number).collect(),
            Some(number) => match test
                .threads
                .iter()
                .find(|t| number.bits == u64::from(t.number))
            {
                Some(thread) => vec![thread.number],
                None => {
                    let message = format!("there is no thread P{number}");
                    errors.push(Diag::error(number.span, message));
                    continue;
                }
            },
        };
        for number in threads {
            let registers = all.entry(number).or_default();
            if let Some((first, _)) =
                registers.insert(name.text.clone(), (init.span, value.clone()))
            {
                errors.push(
                    Diag::error(init.span, format!("`{}` has two initial values", name.text))
                        .also(first, "the first is here"),
                );
            }
        }
    }
    all
}

/// The procedure that creates the threads.
fn main(test: &ast::Test, word: Width) -> Proc {
    let mut locals = IdVec::new();
    let mut body = Vec::new();
    for (index, thread) in test.threads.iter().enumerate() {
        let dst = locals.push(Local {
            name: String::new(),
            width: word,
        });
        body.push(Instr {
            span: thread.span,
            op: Op::Spawn {
                dst,
                callee: Callee::Proc(ProcId::from_index(index)),
                arg: Expr::constant(0, word),
            },
        });
    }
    let span = test.threads.first().map_or(test.condition.span, |t| t.span);
    Proc {
        name: "main".to_string(),
        span,
        params: Vec::new(),
        locals,
        body,
        returns: None,
    }
}
