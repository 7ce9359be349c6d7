//! From the intermediate language to guarded commands.
//!
//! Calls are inlined, each thread gets its own copy of its procedures, and every scalar of a global
//! becomes a shared variable. An access through an index has a step for each element, guarded by its
//! index, and one that fails where there is none. Numbers are mathematical integers: what depends on
//! their width (bitwise operators, narrowing, division) is refused, as are pointers, memory
//! that is allocated, recursion, the objects of the thread library, and threads started in a loop.
//!
//! [`value`] reads expressions, [`memory`] addresses; [`fuse`] makes one step of a load
//! and what the statement does with the loaded value.

mod extraction;
mod memory;
mod thread;
mod unsupported;
mod value;

use super::fuse;
use super::program::{Program, ThreadId};
use base::code::Code;
use base::diag::Diag;
use extraction::{Extraction, Start};
use ir::program as ir;
use memory::CellMap;
use std::collections::VecDeque;
use thread::Builder;

/// Extracts a program.
///
/// # Errors
/// What is not supported, at its place.
pub fn extract(ir: &ir::Program) -> Result<Program, Diag> {
    let Some(main) = ir.main else {
        return Err(Diag::bare("the program has no function `main`").with_code(Code::NoMain));
    };
    let mut program = Program::default();
    let memory = CellMap::new(ir, &mut program)?;
    let span = ir.procs[main].span;
    let mut extraction = Extraction {
        ir,
        memory,
        program,
        starts: VecDeque::from([Start {
            proc: main,
            arg: None,
            span,
        }]),
        started: 1,
    };
    while let Some(start) = extraction.starts.pop_front() {
        let id = extraction.program.threads.next_id();
        let thread = Builder::thread(&mut extraction, id, &start)?;
        extraction.program.threads.push(thread);
    }
    let mut program = extraction.program;
    number_threads(&mut program);
    fuse::fuse(&mut program);
    Ok(program)
}

/// Threads of one procedure get numbers.
fn number_threads(program: &mut Program) {
    let names: Vec<String> = program.threads.iter().map(|t| t.name.clone()).collect();
    for (i, name) in names.iter().enumerate() {
        let same = |other: &&String| *other == name;
        if names.iter().filter(same).count() > 1 {
            let number = names[..=i].iter().filter(same).count();
            let id = base::idx::position(i);
            program.threads[ThreadId(id)].name = format!("{name}_{number}");
        }
    }
}
