//! The generic strategy's answer: a trace counts when the machine with buffers follows it.
//!
//! A trace that it cannot follow used what a universal guard cannot see: a process outside of the
//! cube. Then the search is repeated with the number of processes fixed.

use crate::param::answer::reason_text;
use crate::param::concrete::Machine;
use crate::param::concrete::{Limits, Outcome, Run, replay};
use crate::param::cube::event::EventCube;
use crate::param::cube::rules::Rules;
use crate::param::init::is_vacuous;
use crate::param::search::engine::explore;
use crate::param::search::options::Options;
use crate::param::search::space::{Search, Verdict};
use crate::param::system::{StoreOrder, System};

/// States the machine looks at to replay a trace.
const REPLAY: usize = 2_000_000;

/// The answer.
pub enum Answer {
    /// Safe.
    Safe,
    /// Unsafe: a run of the machine.
    Unsafe {
        /// How many processes it has.
        procs: u8,
        /// The run.
        run: Box<Run>,
    },
    /// Not decided, and why, in words.
    Unknown(String),
}

/// Decides a system, resolved for buffers, on a model.
pub fn answer<'s>(
    system: &'s System,
    order: StoreOrder,
    options: &Options,
) -> (Search<'s, EventCube>, Answer) {
    let nothing = Search::new(system);
    if is_vacuous(&nothing.model) == Ok(true) {
        return (nothing, Answer::Safe);
    }
    let rules = Rules::of(order);
    let found = explore(&rules, system, options);
    let id = match found.verdict {
        Verdict::Safe => return (found, Answer::Safe),
        Verdict::Unknown(reason) => {
            let why = reason_text(reason, options);
            return (found, Answer::Unknown(why));
        }
        Verdict::Unsafe(id) => id,
    };
    if let Some(real) = concrete(system, order, &found, id, options) {
        return (found, real);
    }
    let procs = found.trace(id).procs;
    let most = match system.procs {
        None => (procs.max(2) + 1).min(options.max_procs),
        Some(_) => 0,
    };
    for n in procs..=most {
        let mut fixed = system.clone();
        fixed.procs = Some(n);
        let exact = explore(&rules, &fixed, options);
        if let Verdict::Unsafe(id) = exact.verdict
            && let Some(real) = concrete(&fixed, order, &exact, id, options)
        {
            return (found, real);
        }
    }
    let why = "a trace was found that no run of the machine follows";
    (found, Answer::Unknown(why.into()))
}

/// A run of the machine for the trace from a node.
fn concrete(
    system: &System,
    order: StoreOrder,
    found: &Search<EventCube>,
    id: usize,
    options: &Options,
) -> Option<Answer> {
    let trace = found.trace(id);
    let procs = system.procs.unwrap_or(trace.procs);
    let machine = Machine::new(system, procs, order, &[]);
    let limits = Limits {
        states: REPLAY,
        queue: usize::MAX,
        until: options.until,
    };
    match replay(&machine, &trace.calls, limits).0 {
        Outcome::Unsafe(run) => Some(Answer::Unsafe { procs, run }),
        _ => None,
    }
}
