//! Invariants that are guessed from a few processes and proved for any number.
//!
//! Backward reachability diverges where safety rests on an order of unboundedly many values, such as the tickets of
//! a lock: each node is covered by several others together only. What holds of the reachable states of two and
//! three processes is a guess ([`samples`], [`candidates`]), and the largest set of guesses that no transition
//! leaves is an invariant: Houdini (Flanagan and Leino, FME 2001; [`houdini`]). So do I4 (Ma et al., SOSP 2019), IC3PO
//! (Goel and Sakallah, NFM 2021) and DistAI (Yao et al., OSDI 2021).
//!
//! A guess is kept as the cube of states that it excludes. The cubes of guesses that are left are closed under
//! pre-images, and meet no initial state; if they cover those of the unsafe formulas, too, the system is safe and
//! they are its certificate. Otherwise the search begins with them visited.
//!
//! This is for flat memory, where a cube has neither reads nor an order of events.

mod candidates;
mod houdini;
mod samples;

use crate::concrete::{ExplorationLimits, Machine, reach};
use crate::cube::tso::Cube;
use crate::search::options::{Reason, SearchOptions};
use crate::system::{MemorySemantics, StoreOrder, System};
use crate::theory::context::SystemContext;

/// For how many processes states are looked at.
const PROCS: [u8; 2] = [2, 3];
/// How many states of each.
const STATES: usize = 20_000;

/// An invariant: no reachable state is in any of the cubes.
#[derive(Clone, Debug, Default)]
pub struct Invariants {
    /// The cubes.
    pub cubes: Vec<Cube>,
    /// The unsafe formulas and their pre-images are covered by them, and these are all that takes.
    pub is_proof: bool,
}

/// The invariants of a system with flat memory; none where its form is another one.
///
/// # Errors
/// Time or memory is used up, or numbers are too large.
pub fn find(context: &SystemContext, options: &SearchOptions) -> Result<Invariants, Reason> {
    let system = &*context.system;
    if system.memory != MemorySemantics::Flat || system.fixed > 0 || !system.outside.is_empty() {
        return Ok(Invariants::default());
    }
    let mut samples = samples::Samples::new(system);
    for procs in numbers(system) {
        let machine = Machine::new(system, procs, StoreOrder::Sc, &[]);
        let limits = ExplorationLimits {
            states: STATES,
            queue: 1,
            until: options.until,
        };
        for state in reach(&machine, limits).1 {
            samples.add(&machine, &state);
        }
        options.look_at_limits()?;
    }
    let guesses = candidates::candidates(context, &samples);
    houdini::inductive(context, guesses, options)
}

fn numbers(system: &System) -> Vec<u8> {
    match system.procs {
        Some(n) => vec![n],
        None => PROCS.to_vec(),
    }
}
