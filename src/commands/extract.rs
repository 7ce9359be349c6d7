//! From the intermediate language to guarded commands.
//!
//! Calls are inlined, each thread gets its own copy of its procedures, and every scalar of a global
//! becomes a shared variable. An access through an index has a step for each element, guarded by its
//! index, and one that fails where there is none. With any number of threads, an array that threads access at their own
//! numbers is one variable, and a step says which register has the number. Numbers are mathematical integers: what depends on
//! their width (bitwise operators, narrowing, division) is refused, as are pointers, memory
//! that is allocated, recursion, the objects of the thread library, and threads started in a loop.
//!
//! [`value`] reads expressions, [`memory`] addresses, [`handles`] finds what names threads, and [`numbering`] which numbers
//! they have.

mod bindings;
mod extraction;
mod graph;
mod handles;
mod memory;
mod naturals;
mod numbering;
mod registers;
mod thread;
mod thread_locals;
mod unsupported;
mod value;

use super::program::{Effect, Instances, Program, ThreadId};
use base::code::Code;
use base::diag::Diag;
use extraction::{Argument, Extraction, Start};
use handles::Handles;
use ir::program as ir;
use memory::CellMap;
use naturals::Naturals;
use numbering::Numbering;
use std::collections::{BTreeSet, VecDeque};
use thread::Builder;
use unsupported::Unsupported;

/// Which threads there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThreadCount {
    /// Those that the program starts one by one.
    Fixed,
    /// Those, and any number of each that it starts in a loop. Nobody waits for a thread to end.
    Any,
}

impl ThreadCount {
    /// Which analysis asks.
    fn analysis(self) -> &'static str {
        match self {
            ThreadCount::Fixed => "predicate abstraction",
            ThreadCount::Any => "a proof for any number of threads",
        }
    }
}

/// Extracts a program.
///
/// # Errors
/// What is not supported, at its place.
pub fn extract(ir: &ir::Program, threads: ThreadCount) -> Result<Program, Diag> {
    let Some(main) = ir.main else {
        return Err(Diag::bare("the program has no function `main`").with_code(Code::NoMain));
    };
    let program = extract_from(ir, main, threads);
    program.map_err(|refused| refused.diag(threads.analysis()))
}

fn extract_from(
    ir: &ir::Program,
    main: ir::ProcId,
    threads: ThreadCount,
) -> Result<Program, Unsupported> {
    let mut program = Program::default();
    let handles = match threads {
        ThreadCount::Fixed => None,
        ThreadCount::Any => Some(Handles::new(ir)?),
    };
    let numbering = handles.as_ref().and_then(|_| Numbering::new(ir));
    let memory = CellMap::new(ir, handles.as_ref(), numbering.as_ref(), &mut program)?;
    let span = ir.procs[main].span;
    let mut extraction = Extraction {
        ir,
        memory,
        handles,
        numbering,
        program,
        starts: VecDeque::from([Start {
            proc: main,
            arg: Argument::Any,
            span,
        }]),
        started: 1,
        naturals: Naturals::default(),
        repeated: BTreeSet::new(),
    };
    while let Some(start) = extraction.starts.pop_front() {
        let id = extraction.program.threads.next_id();
        let thread = Builder::thread(&mut extraction, id, &start)?;
        extraction.program.threads.push(thread);
    }
    let mut program = extraction.program;
    extraction.naturals.check(&program)?;
    repeat(&mut program, &extraction.repeated);
    number_threads(&mut program);
    Ok(program)
}

/// There is any number of these threads, and of all that they start.
fn repeat(program: &mut Program, threads: &BTreeSet<ThreadId>) {
    let mut work: Vec<ThreadId> = threads.iter().copied().collect();
    while let Some(t) = work.pop() {
        let thread = &mut program.threads[t];
        if thread.instances == Instances::Any {
            continue;
        }
        thread.instances = Instances::Any;
        work.extend(thread.steps.iter().filter_map(|s| match s.effect {
            Effect::Spawn(started) => Some(started),
            _ => None,
        }));
    }
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
