//! What `main` does before it starts a thread.
//!
//! Nobody else is there to see it: as long as it is known which command comes next, the command is executed, and
//! what it leaves in memory and in registers is the initial state.

use crate::commands::arith::{Cond, Linear, VarId};
use crate::commands::program::{Effect, LocId, Program, Step, ThreadId, Update};
use base::idx::IdVec;

/// Commands that are executed at most; what comes behind is done by a process.
const MAX_COMMANDS: usize = 100_000;

/// Where `main` is when it goes on beside threads.
pub const MAIN: ThreadId = ThreadId(0);

/// Executes it; the location where `main` is then, outside of atomic sections.
pub fn run(program: &mut Program) -> LocId {
    let whole = execute(program, MAX_COMMANDS);
    let Execution { at, known, .. } = match program.threads[MAIN].locations[whole.at].atomic {
        true => execute(program, whole.outside),
        false => whole,
    };
    for (x, value) in known.iter_enumerated() {
        if program.owner(x).is_none_or(|t| t == MAIN) {
            program.vars[x].initial = *value;
        }
    }
    at
}

/// What is known after some commands.
struct Execution {
    at: LocId,
    known: IdVec<VarId, Option<i128>>,
    /// After so many of them `main` was outside of atomic sections last.
    outside: usize,
}

fn execute(program: &Program, most: usize) -> Execution {
    let main = &program.threads[MAIN];
    let mut by_location: IdVec<LocId, Vec<&Step>> = main.locations.iter().map(|_| vec![]).collect();
    for step in &main.steps {
        by_location[step.from].push(step);
    }
    let mut execution = Execution {
        at: LocId(0),
        known: program.vars.iter().map(|v| v.initial).collect(),
        outside: 0,
    };
    for commands in 0..most {
        if !main.locations[execution.at].atomic {
            execution.outside = commands;
        }
        let value = |x: VarId| execution.known[x].map(Linear::constant);
        let mut possible = by_location[execution.at].iter().filter_map(|s| {
            let guard = s.guard.replace(&value);
            (guard != Cond::Const(false)).then_some((s, guard))
        });
        let (Some((step, Cond::Const(true))), None) = (possible.next(), possible.next()) else {
            break;
        };
        let is_of_threads = matches!(
            step.effect,
            Effect::Spawn(_) | Effect::Join(_) | Effect::Fail(_)
        );
        if is_of_threads || !step.elements.is_empty() {
            break;
        }
        let new = step.updates.iter().map(|(x, u)| match u {
            Update::Any => (*x, None),
            Update::Set(v) => (*x, v.replace(&value).as_constant()),
        });
        for (x, value) in new.collect::<Vec<(VarId, Option<i128>)>>() {
            execution.known[x] = value;
        }
        execution.at = step.to;
    }
    execution
}
