//! The answer for a system: the engine's verdict, made as concrete as it can be.
//!
//! An unsafe trace is given to the machine with buffers. First the machine alone looks for a run
//! with fewer processes or transitions, as far as a small budget reaches; otherwise it replays the
//! trace. When there is no such run, the trace used what a universal guard cannot see (a process
//! outside of the cube), and the search is repeated with the number of processes fixed, where all
//! of them are in every cube; if that finds nothing real, the verdict is unknown and says so.

use super::brab::{self, Oracle};
use super::engine::{self, Options, Reason, Search, Verdict};
use super::machine::{self, Limits, Machine, Order, Outcome, Run};
use super::system::System;
use super::vacuous::is_vacuous;

/// States the machine looks at in search of a shorter run, for each number of processes.
const BUDGET: usize = 20_000;
/// Updates in one queue that it looks at there.
const QUEUE: usize = 6;
/// Nodes that the exact search visits before it is tried with guesses.
const EXACT: usize = 1000;
/// Nodes that are then visited with guesses.
const GUESSED: usize = 3000;
/// For how many processes the states are explored that guesses are compared with, one after the
/// other.
const GUESS_PROCS: [u8; 2] = [2, 3];
/// States that guesses are compared with.
const FORWARD: usize = 100_000;
/// Updates in one queue of these states.
const GUESS_QUEUE: usize = 3;
/// States it looks at to replay a trace.
const REPLAY: usize = 2_000_000;
/// Whole numbers up to this one are tried for open cells there.
const SMALL_NUMBERS: i64 = 3;
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

/// When to guess; see [`brab`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Brab {
    /// Never.
    #[default]
    Never,
    /// From states of so many processes.
    Always(u8),
    /// When the exact search has visited some nodes without an end.
    Late,
}

/// Decides a system.
pub fn answer<'s>(system: &'s System, order: Order, options: &Options, brab: Brab) -> Answer<'s> {
    let mut nothing = Search::new(system);
    if is_vacuous(&nothing.model) == Ok(true) {
        nothing.verdict = Verdict::Safe;
        return Answer::Safe(nothing);
    }
    match brab {
        Brab::Never => exact(system, order, options),
        Brab::Always(n) => guessed(system, order, options, n),
        Brab::Late => {
            let few = |n: usize| Options {
                max_nodes: options.max_nodes.min(n),
                ..*options
            };
            let first = exact(system, order, &few(EXACT));
            if !matches!(first, Answer::Unknown(..)) {
                return first;
            }
            for procs in GUESS_PROCS {
                let next = guessed(system, order, &few(GUESSED), procs);
                if !matches!(next, Answer::Unknown(..)) {
                    return next;
                }
                if system.procs.is_some() {
                    break;
                }
            }
            if options.max_nodes <= EXACT {
                return first;
            }
            exact(system, order, options)
        }
    }
}

/// The search with guesses.
fn guessed<'s>(system: &'s System, order: Order, options: &Options, procs: u8) -> Answer<'s> {
    let procs = system.procs.unwrap_or(procs.max(system.fixed));
    let limits = Limits {
        states: FORWARD,
        queue: GUESS_QUEUE,
        until: options.until,
    };
    match Oracle::new(system, procs, order, limits) {
        Err(run) => Answer::Unsafe {
            search: Search::new(system),
            procs,
            run: *run,
        },
        Ok(oracle) if oracle.is_empty() => {
            let why = format!("no states of {procs} processes were found to guess from");
            Answer::Unknown(Search::new(system), why)
        }
        Ok(oracle) => judge(brab::search(system, oracle, options), order, options),
    }
}

/// The exact search.
fn exact<'s>(system: &'s System, order: Order, options: &Options) -> Answer<'s> {
    judge(engine::search(system, options), order, options)
}

/// Makes a search's verdict concrete.
fn judge<'s>(search: Search<'s>, order: Order, options: &Options) -> Answer<'s> {
    let system = search.model.system;
    match search.verdict {
        Verdict::Safe => Answer::Safe(search),
        Verdict::Unknown(reason) => {
            let why = reason_text(reason, options);
            Answer::Unknown(search, why)
        }
        Verdict::Unsafe(id) => {
            let (calls, procs) = search.trace(id);
            match concrete(system, order, &calls, procs, options) {
                Some((procs, run)) => Answer::Unsafe { search, procs, run },
                None if options.widen => {
                    let narrow = Options {
                        widen: false,
                        ..*options
                    };
                    exact(system, order, &narrow)
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
        Reason::Memory => "the memory is used up".into(),
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
    // Clocks and bounds that are open initially may have to be larger than what the file mentions.
    let larger: Vec<i64> = (2..=SMALL_NUMBERS).map(|k| k * system.scale).collect();
    let machine = Machine::new(system, n, order, &larger);
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
                let (calls, _) = exact.trace(id);
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
