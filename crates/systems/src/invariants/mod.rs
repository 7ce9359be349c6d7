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
//! they are its certificate. Otherwise nothing is made of them.
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
const CASES: [usize; 2] = [100_000, 3_000_000];

/// A proof: cubes that no reachable state is in, and that cover the unsafe formulas.
#[derive(Clone, Debug)]
pub struct Proof<'s> {
    /// The system, perhaps with counts, that the cubes are of.
    pub system: Cow<'s, System>,
    /// The cubes; none can be left out by itself.
    pub cubes: Vec<Cube>,
}

/// A proof by invariants, for a system with flat memory that says where processes are: by those without counts, or else
/// by those with them.
///
/// # Errors
/// Time or memory is used up, or numbers are too large.
pub fn prove<'s>(system: &'s System, options: &SearchOptions) -> Result<Option<Proof<'s>>, Reason> {
    let is_of_form =
        system.memory == MemorySemantics::Flat && system.fixed == 0 && system.outside.is_empty();
    let Some(place) = system.place().filter(|_| is_of_form) else {
        return Ok(None);
    };
    let mut samples = Samples::new(system, place);
    let mut totals = Totals::new(system, place);
    sample(system, options, |machine, state| {
        samples.add(machine, state);
        samples::count(machine, state, place, &mut totals);
    })?;
    let context = SystemContext::new(system, system.procs);
    let guesses = candidates::candidates(&context, &samples);
    if let Some(cubes) = houdini::prove(&context, guesses, CASES[0], options)? {
        let system = Cow::Borrowed(system);
        return Ok(Some(Proof { system, cubes }));
    }
    let equations = totals.equations(system.first_place(place));
    if equations.is_empty() {
        return Ok(None);
    }
    let Ok(counted) = system.with_counts(&equations::counts(&equations, place)) else {
        return Ok(None);
    };
    let mut samples = Samples::new(&counted, place);
    sample(&counted, options, |machine, state| {
        samples.add(machine, state);
    })?;
    let context = SystemContext::new(&counted, system.procs);
    let mut guesses = candidates::candidates(&context, &samples);
    let equations = equations.iter();
    guesses.extend(equations.flat_map(|e| equations::excluded(&context, e)));
    let found = houdini::prove(&context, guesses, CASES[1], options)?;
    Ok(found.map(|cubes| Proof {
        cubes,
        system: Cow::Owned(counted),
    }))
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
