//! Is an abstract trace real? The machine with buffers says so, and where it cannot go on.
//!
//! First the machine alone looks for a run with fewer processes or transitions, as far as a small
//! budget reaches; otherwise it replays the trace. A trace that no run follows is *spurious*: it
//! used what a universal guard cannot see, a process outside of the cube.

use crate::concrete::{ExplorationLimits, ExplorationResult, Machine, Run, explore, replay};
use crate::system::{StoreOrder, System};
use std::time::Instant;

/// States the machine looks at in search of a shorter run, for each number of processes.
const BUDGET: usize = 20_000;
/// Updates in one queue that it looks at there.
const QUEUE: usize = 6;
/// States it looks at to replay a trace.
const REPLAY: usize = 2_000_000;
/// Whole numbers up to this one are tried for open cells there.
const SMALL_NUMBERS: i64 = 3;
/// How many processes a trace may have for shorter ones to be looked for.
const SMALL: u8 = 4;

/// A run of the machine for these calls of so many processes, with its number of processes.
///
/// # Errors
/// The calls at which the machine stops, by their positions.
pub fn confirm(
    system: &System,
    order: StoreOrder,
    calls: &[(usize, Vec<u8>)],
    procs: u8,
    until: Option<Instant>,
) -> Result<(u8, Run), Vec<usize>> {
    let exact = system.procs;
    if procs <= SMALL {
        for n in exact.unwrap_or(1)..=exact.unwrap_or(procs) {
            let machine = Machine::new(system, n, order, &[]);
            let limits = ExplorationLimits {
                states: BUDGET,
                queue: QUEUE,
                until,
            };
            if let ExplorationResult::Unsafe(run) = explore(&machine, limits) {
                return Ok((n, *run));
            }
        }
    }
    let n = exact.unwrap_or(procs);
    // Clocks and bounds that are open initially may have to be larger than what the file mentions.
    let larger: Vec<i64> = (2..=SMALL_NUMBERS).map(|k| k * system.scale).collect();
    let machine = Machine::new(system, n, order, &larger);
    let limits = ExplorationLimits {
        states: REPLAY,
        queue: usize::MAX,
        until,
    };
    match replay(&machine, calls, limits) {
        (ExplorationResult::Unsafe(run), _) => Ok((n, *run)),
        (_, stuck) => Err(stuck),
    }
}
