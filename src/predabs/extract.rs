//! From the intermediate language to guarded commands.
//!
//! Calls are inlined, each thread gets its own copy of its procedures, and every scalar of a global
//! becomes a shared variable. An access through an index has a step for each element, guarded by its
//! index, and one that fails where there is none. Numbers are mathematical integers: what depends on
//! their width (bitwise operators, narrowing, division) is refused, as are pointers, memory
//! that is allocated, recursion, the objects of the thread library, and threads started in a loop.
//!
//! [`value`] reads expressions, [`memory`] addresses; [`fuse`](super::fuse) makes one step of a load
//! and what the statement does with the loaded value.

mod memory;
mod thread;
mod value;

use super::arith::VarId;
use super::fuse;
use super::program::{Program, ThreadId};
use crate::base::diag::Diag;
use crate::base::source::Span;
use crate::ir::program as ir;
use memory::Memory;
use std::collections::VecDeque;
use thread::Builder;

/// Threads of a program at most.
const MAX_THREADS: usize = 16;

/// A thread that is still to be extracted.
struct Start {
    proc: ir::ProcId,
    arg: Option<i128>,
    span: Span,
}

/// What all threads share while they are extracted.
struct Extraction<'a> {
    ir: &'a ir::Program,
    memory: Memory,
    program: Program,
    starts: VecDeque<Start>,
    started: usize,
}

/// Says that something is not supported here.
fn unsupported(span: Span, what: impl std::fmt::Display) -> Diag {
    Diag::error(
        span,
        format!("predicate abstraction does not support {what}"),
    )
}

/// Extracts a program.
///
/// # Errors
/// What is not supported, at its place.
pub fn extract(ir: &ir::Program) -> Result<Program, Diag> {
    let Some(main) = ir.main else {
        return Err(Diag::bare("the program has no function `main`"));
    };
    let mut program = Program::default();
    let memory = Memory::new(ir, &mut program)?;
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
            let id = crate::base::idx::position(i);
            program.threads[ThreadId(id)].name = format!("{name}_{number}");
        }
    }
}

impl Extraction<'_> {
    /// A thread that is started here.
    fn start(&mut self, start: Start) -> Result<ThreadId, Diag> {
        if self.started == MAX_THREADS {
            return Err(unsupported(
                start.span,
                format!("more than {MAX_THREADS} threads"),
            ));
        }
        let id = ThreadId(crate::base::idx::position(self.started));
        self.started += 1;
        self.starts.push_back(start);
        Ok(id)
    }

    fn has_name(&self, thread: ThreadId, name: &str) -> bool {
        let owned = |x: VarId| {
            let v = &self.program.vars[x];
            matches!(v.kind, super::program::Kind::Local(t) if t == thread) && v.name == name
        };
        self.program.vars.ids().any(owned)
    }
}
