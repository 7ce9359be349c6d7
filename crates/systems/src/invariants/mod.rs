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
//! Where safety rests on how many processes are at some places, these are counted: [`equations`] says what, and
//! [`crate::system::counts`] what that means.
//!
//! This is for flat memory, where a cube has neither reads nor an order of events.

mod candidates;
mod equations;
mod houdini;
mod samples;

use crate::concrete::{ExplorationLimits, Machine, MachineState, reach};
use crate::cube::tso::Cube;
use crate::search::options::{Reason, SearchOptions};
use crate::system::{MemorySemantics, StoreOrder, System};
use crate::theory::context::SystemContext;
use equations::Totals;
use samples::Samples;
use std::borrow::Cow;

/// For how many processes states are looked at.
const PROCS: [u8; 2] = [2, 3];
/// How many states of each.
const STATES: usize = 20_000;
/// How many ways to cover pre-images the solver is asked about at most, without counts and with them.
const CASES: [usize; 2] = [100_000, 1_000_000];

/// An invariant: no reachable state is in any of the cubes.
#[derive(Clone, Debug)]
pub struct Invariants<'s> {
    /// The system, perhaps with counts, that the cubes are of.
    pub system: Cow<'s, System>,
    /// The cubes.
    pub cubes: Vec<Cube>,
    /// The unsafe formulas and their pre-images are covered by them, and these are all that takes.
    pub is_proof: bool,
}

/// The invariants of a system with flat memory; none where its form is another one. If those without counts do not
/// prove safety, they are those with them.
///
/// # Errors
/// Time or memory is used up, or numbers are too large.
pub fn find<'s>(system: &'s System, options: &SearchOptions) -> Result<Invariants<'s>, Reason> {
    let is_of_form =
        system.memory == MemorySemantics::Flat && system.fixed == 0 && system.outside.is_empty();
    let Some(place) = system.place().filter(|_| is_of_form) else {
        return Ok(Invariants {
            system: Cow::Borrowed(system),
            cubes: Vec::new(),
            is_proof: false,
        });
    };
    let mut samples = Samples::new(system, place);
    let mut totals = Totals::new(system, place);
    sample(system, options, |machine, state| {
        samples.add(machine, state);
        samples::count(machine, state, place, &mut totals);
    })?;
    let context = SystemContext::new(system, system.procs);
    let guesses = candidates::candidates(&context, &samples);
    let found = houdini::inductive(&context, guesses, CASES[0], options)?;
    let equations = totals.equations(system.first_place(place));
    let counted = system.with_counts(&equations::counts(&equations, place));
    let Some(counted) = counted
        .ok()
        .filter(|_| !found.is_proof && !equations.is_empty())
    else {
        return Ok(Invariants {
            system: Cow::Borrowed(system),
            cubes: found.cubes,
            is_proof: found.is_proof,
        });
    };
    let mut samples = Samples::new(&counted, place);
    sample(&counted, options, |machine, state| {
        samples.add(machine, state);
    })?;
    let context = SystemContext::new(&counted, system.procs);
    let mut guesses = candidates::candidates(&context, &samples);
    let equations = equations.iter();
    guesses.extend(equations.flat_map(|e| equations::excluded(&context, e)));
    let found = houdini::inductive(&context, guesses, CASES[1], options)?;
    Ok(Invariants {
        cubes: found.cubes,
        is_proof: found.is_proof,
        system: Cow::Owned(counted),
    })
}

/// Shows the states of a few processes.
fn sample(
    system: &System,
    options: &SearchOptions,
    mut show: impl FnMut(&Machine, &MachineState),
) -> Result<(), Reason> {
    let numbers = match system.procs {
        Some(n) => vec![n],
        None => PROCS.to_vec(),
    };
    for procs in numbers {
        let machine = Machine::new(system, procs, StoreOrder::Sc, &[]);
        let limits = ExplorationLimits {
            states: STATES,
            queue: 1,
            until: options.until,
        };
        let states = reach(&machine, limits).1;
        states.iter().for_each(|state| show(&machine, state));
        options.look_at_limits()?;
    }
    Ok(())
}
