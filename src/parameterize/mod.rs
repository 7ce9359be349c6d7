//! From a program with any number of threads to a weak array-based transition system.
//!
//! A thread is a process: `At`, an array over processes, says before which command it is, and its registers
//! are arrays over processes. Shared variables are `weak`. A command is one transition.
//!
//! ```text
//! commands ── prefix ──▶ ── spawner ──▶ ── numbers ──▶ ── buffers ──▶ ── sections ──▶ ── fuse ──▶ ── system ──▶ .cub
//! ```
//!
//! 1. [`prefix`]: what `main` does before it starts a thread is executed, and gives the initial state.
//! 2. [`spawner`]: what `main` does from there on is left out if nobody sees it; otherwise `main` is a process,
//!    and how often its loops that start threads go around is left open.
//! 3. [`numbers`]: the number of a thread is the process, and a register that counts through them is one that it has
//!    not had yet.
//! 4. [`language`]: which variables are accessed without being atomic, and whether atomic accesses are sequentially
//!    consistent, so that without data races there are no executions but SC's.
//! 5. [`buffers`]: fences and read-modify-writes wait for an empty buffer, or mean nothing on the model.
//! 6. [`sections`]: an atomic section is one command.
//! 7. [`fuse`](crate::commands::fuse): what a thread does by itself belongs to the command before it.
//! 8. [`system`]: commands to transitions; integers that hold few constants are enumerations
//!    ([`systems::cub::finite`]).
//!
//! Everything that is lost on the way are executions more: a proof of the system is one of the program, for
//! integers without bounds, and a run of the system is a question to bounded model checking of the program.

#![cfg_attr(not(test), deny(clippy::cast_possible_truncation))]

mod buffers;
pub mod instance;
mod language;
mod names;
mod numbers;
mod prefix;
mod scans;
mod sections;
mod spawner;
mod system;

use crate::commands::arith::Cond;
use crate::commands::extract::{ThreadCount, extract};
use crate::commands::fuse::fuse;
use crate::commands::program::{Effect, LocId, Program};
use crate::commands::strength::BufferModel;
use base::diag::Diag;
use base::source::SourceMap;
pub use system::Parameterized;

/// Makes a system of a program, for a model.
///
/// # Errors
/// What does not fit, at its place.
pub fn parameterize(
    ir: &ir::program::Program,
    sources: &SourceMap,
    model: BufferModel,
) -> Result<Parameterized, Diag> {
    let mut program = extract(ir, ThreadCount::Any)?;
    let rest = prefix::run(&mut program);
    let spawner = spawner::leave_out(&mut program, rest)?;
    numbers::resolve(&mut program, spawner)?;
    let accesses = language::accesses(&program, spawner);
    let model = buffers::as_strong(&program, model);
    buffers::resolve(&mut program, model)?;
    sections::compose(&mut program)?;
    fuse(&mut program);
    skip_entries(&mut program);
    system::system(&program, spawner, (model, accesses), sources)
}

/// A thread begins behind what does nothing at its beginning.
fn skip_entries(program: &mut Program) {
    for t in program.threads.ids().collect::<Vec<_>>() {
        let thread = &mut program.threads[t];
        let mut first = thread.steps.iter().filter(|s| s.from == LocId(0));
        let (Some(only), None) = (first.next(), first.next()) else {
            continue;
        };
        let is_nothing = only.guard == Cond::Const(true)
            && only.updates.is_empty()
            && only.scan.is_none()
            && only.effect == Effect::None;
        let to = only.to;
        if !is_nothing || to == thread.end || thread.steps.iter().any(|s| s.to == LocId(0)) {
            continue;
        }
        thread.steps.retain(|s| s.from != LocId(0));
        for s in &mut thread.steps {
            for l in [&mut s.from, &mut s.to].into_iter().filter(|l| **l == to) {
                *l = LocId(0);
            }
        }
    }
}
