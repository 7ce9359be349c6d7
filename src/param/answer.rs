//! The answer for a system: the engine's verdict, made as concrete as it can be.
//!
//! An unsafe trace is given to the machine with buffers. First the machine alone looks for a run
//! with fewer processes or transitions, as far as a small budget reaches; otherwise it replays the
//! trace. When there is no such run, the trace used what a universal guard cannot see (a process
//! outside of the cube), and the search is repeated with the number of processes fixed, where all
//! of them are in every cube; if that finds nothing real, the verdict is unknown and says so.

use super::engine::{self, Options, Reason, Search, Verdict};
use super::machine::{self, Limits, Machine, Order, Outcome, Run};
use super::system::System;

/// States the machine looks at in search of a shorter run, for each number of processes.
const BUDGET: usize = 20_000;
/// Updates in one queue that it looks at there.
const QUEUE: usize = 6;
/// States it looks at to replay a trace.
const REPLAY: usize = 2_000_000;
/// How many processes a trace may have for shorter ones to be looked for.
const SMALL: u8 = 4;

/// The answer.
pub enum Answer<'s> {
    /// Safe; the search holds the certificate.
    Safe(Search<'s>),
    /// Unsafe: a run of the machine with so many processes.
    Unsafe {
        /// The search that found it.
        search: Search<'s>,
        /// How many processes.
        procs: u8,
        /// The run.
        run: Run,
    },
    /// Not decided, and why, in words.
    Unknown(Search<'s>, String),
}

/// Decides a system.
pub fn answer<'s>(system: &'s System, order: Order, options: &Options) -> Answer<'s> {
    let search = engine::search(system, options);
    match search.verdict {
        Verdict::Safe => Answer::Safe(search),
        Verdict::Unknown(reason) => {
            let why = reason_text(reason, options);
            Answer::Unknown(search, why)
        }
        Verdict::Unsafe(id) => {
            let (calls, procs) = engine::trace(&search, id);
            match concrete(system, order, &calls, procs, options) {
                Some((procs, run)) => Answer::Unsafe { search, procs, run },
                None if options.widen => {
                    let narrow = Options {
                        widen: false,
                        ..*options
                    };
                    answer(system, order, &narrow)
                }
                None => again(search, procs, order, options),
            }
        }
    }
}

/// What a limit is called.
pub(super) fn reason_text(reason: Reason, options: &Options) -> String {
    match reason {
        Reason::Time => "the time is up".into(),
        Reason::Nodes => format!("more than {} nodes", options.max_nodes),
        Reason::Procs => format!("more than {} processes in a cube", options.max_procs),
        Reason::Size(_) => "numbers, cases or pending reads beyond what is represented".into(),
    }
}

/// A run of the machine for a trace.
fn concrete(
    system: &System,
    order: Order,
    calls: &[engine::Call],
    procs: u8,
    options: &Options,
) -> Option<(u8, Run)> {
    let exact = system.procs;
    if procs <= SMALL {
        for n in exact.unwrap_or(1)..=exact.unwrap_or(procs) {
            let machine = Machine::new(system, n, order, &[]);
            let limits = Limits {
                states: BUDGET,
                queue: QUEUE,
                until: options.until,
            };
            if let Outcome::Unsafe(run) = machine::explore(&machine, limits) {
                return Some((n, *run));
            }
        }
    }
    let n = exact.unwrap_or(procs);
    let machine = Machine::new(system, n, order, &[]);
    let limits = Limits {
        states: REPLAY,
        queue: usize::MAX,
        until: options.until,
    };
    match machine::replay(&machine, calls, limits) {
        Outcome::Unsafe(run) => Some((n, *run)),
        _ => None,
    }
}

/// After a trace that no run follows: the same with the number of processes fixed.
fn again<'s>(search: Search<'s>, procs: u8, order: Order, options: &Options) -> Answer<'s> {
    let system = search.model.system;
    let most = procs.max(2) + 1;
    if system.procs.is_none() {
        for n in procs..=most.min(options.max_procs) {
            let mut fixed = system.clone();
            fixed.procs = Some(n);
            let exact = engine::search(&fixed, options);
            if let Verdict::Unsafe(id) = exact.verdict {
                let (calls, _) = engine::trace(&exact, id);
                if let Some((procs, run)) = concrete(&fixed, order, &calls, n, options) {
                    return Answer::Unsafe { search, procs, run };
                }
            }
        }
    }
    let why = if system.procs.is_some() {
        "the abstract trace has no run of the machine within its budget".to_string()
    } else {
        format!(
            "a trace was found that processes outside of it may block through a universal guard, \
             and none that is real with up to {most} processes"
        )
    };
    Answer::Unknown(search, why)
}
