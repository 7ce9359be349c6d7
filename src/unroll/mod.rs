//! From a program to its event graph: bounded symbolic execution into guarded SSA.
//!
//! [`symex`] executes every thread once, all paths together, and emits an event for each access to
//! memory that several threads touch; memory that only one thread touches stays in SSA. Which is
//! which, and what a pointer read from shared memory may point to, cannot be known before the
//! execution, so it is *assumed* and checked afterwards: the first pass assumes that nothing is
//! shared and that shared memory holds no pointers; a pass that contradicts its assumptions refines
//! them and is repeated ([`memory::Facts`]). Assumptions only grow, and the last pass contradicts
//! none, so nothing rests on the guess. No separate alias or escape analysis is needed, and
//! constants flow through memory as far as they really do.

mod access;
mod access_log;
mod allocation;
mod analysis;
mod assumed;
mod atomic;
mod calls;
mod cells;
mod claims;
mod deferred;
pub mod deps;
mod evaluate;
pub mod event;
mod executor;
pub mod flow;
mod grace;
mod guarded;
pub mod held;
pub mod id;
pub mod idle;
mod instances;
mod largest;
pub mod lifetime;
mod linked;
mod loop_log;
mod loops;
pub mod memory;
pub mod notes;
mod options;
mod ordering;
mod pieces;
mod placed;
mod placement;
mod pointees;
mod points_to;
mod progress;
mod publication;
pub mod range;
mod section;
mod selection;
mod shadow;
pub mod show;
mod sizes;
pub mod slot_map;
mod spins;
pub mod state;
mod sums;
mod superseded;
pub mod symex;
mod targets;
pub mod term;
mod threads;
mod unpublished;
mod unresolved;
pub mod value_sets;

pub use options::{
    Awaits, Largest, LargestLoop, LargestObject, MAX_EVENTS, Publishing, Reading, UnrollError,
    UnrollOptions, WriteBacks,
};
pub use publication::RELEASING_FENCES;

use analysis::Analysis;
use event::EventGraph;
use ir::program::Program;

/// Unwinds a program; `interrupt` is asked now and then whether to give up.
///
/// # Errors
/// See [`UnrollError`]. Unsupported constructs are not errors but [`event::Unsupported`]s.
pub fn unroll(
    program: &Program,
    options: &UnrollOptions,
    interrupt: &dyn Fn() -> bool,
) -> Result<EventGraph, UnrollError> {
    let main = program.main.ok_or(UnrollError::NoMain)?;
    let analysis = Analysis::of(program);
    let mut facts = memory::Facts::new(program);
    for pass in 0.. {
        facts.begin_pass(pass);
        let mut graph = symex::run(program, main, &analysis, options, &mut facts, interrupt)?;
        if !facts.is_contradicted() {
            graph.objects = facts.named_objects();
            return Ok(graph);
        }
    }
    unreachable!("assumptions grow within the finite set of slots and objects")
}
