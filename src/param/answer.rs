//! The answer for a system: the engine's verdict, made as concrete as it can be.
//!
//! An unsafe trace is given to the machine with buffers. First the machine alone looks for a run
//! with fewer processes or transitions, as far as a small budget reaches; otherwise it replays the
//! trace. When there is no such run, the trace used what a universal guard cannot see (a process
//! outside of the cube). Then a history variable is added that keeps the process in the cube
//! ([`crate::param::refine::history`]), and the search is repeated; and if that does not end, with the number of
//! processes fixed, where all of them are in every cube. If that finds nothing real, the verdict is
//! unknown and says so.

use super::init::is_vacuous;
use crate::param::approx::brab;
use crate::param::approx::oracle::Oracle;
use crate::param::concrete;
use crate::param::concrete::Machine;
use crate::param::concrete::{Limits, Outcome, Run};
use crate::param::refine::history::learn;
use crate::param::search::engine;
use crate::param::search::options::{Options, Reason};
use crate::param::search::space::{Call, Search, Verdict};
use crate::param::search::trace::Trace;
use crate::param::system::original;
use crate::param::system::{History, StoreOrder, System};
use std::borrow::Cow;

/// States the machine looks at in search of a shorter run, for each number of processes.
const BUDGET: usize = 20_000;

/// Updates in one queue that it looks at there.
const QUEUE: usize = 6;

/// Nodes that the exact search visits before it is tried with guesses.
const EXACT: usize = 1000;

/// Nodes that may be visited with history variables; for each that was visited without them four
/// more.
const HISTORY: usize = 1000;

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
pub fn answer<'s>(
    system: &'s System,
    order: StoreOrder,
    options: &Options,
    brab: Brab,
) -> Answer<'s> {
    let mut nothing = Search::new(system);
    if is_vacuous(&nothing.model) == Ok(true) {
        nothing.verdict = Verdict::Safe;
        return Answer::Safe(nothing);
    }
    match brab {
        Brab::Never => attempt(system, order, options, None),
        Brab::Always(n) => attempt(system, order, options, Some(n)),
        Brab::Late => {
            let few = |n: usize| Options {
                max_nodes: options.max_nodes.min(n),
                ..*options
            };
            let first = attempt(system, order, &few(EXACT), None);
            if !matches!(first, Answer::Unknown(..)) {
                return first;
            }
            for procs in GUESS_PROCS {
                let next = attempt(system, order, &few(GUESSED), Some(procs));
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
            attempt(system, order, options, None)
        }
    }
}

/// What a search comes to.
enum Judged<'s> {
    Answer(Answer<'s>),
    /// No run follows its trace: the search, the trace, and the calls at which the machine stops.
    Lost(Search<'s>, Trace, Vec<usize>),
}

/// Searches, exactly or with guesses from so many processes, and makes the verdict concrete. As
/// long as a trace has no run, what it teaches is added to the system.
fn attempt<'s>(
    system: &'s System,
    order: StoreOrder,
    options: &Options,
    guess: Option<u8>,
) -> Answer<'s> {
    let mut history = History::default();
    let mut now: Cow<'s, System> = system.into();
    let mut limits = *options;
    let mut first = None;
    let (search, procs) = loop {
        let mut judged = match guess {
            None => judge(engine::search(now.clone(), &limits), system, order, options),
            Some(n) => guessed(now.clone(), system, order, &limits, n),
        };
        if options.widen && matches!(judged, Judged::Lost(..)) {
            let narrow = Options {
                widen: false,
                ..limits
            };
            judged = judge(engine::search(now, &narrow), system, order, options);
        }
        let lost = match (judged, first.take()) {
            (Judged::Answer(Answer::Unknown(..)), Some(lost)) => break lost,
            (Judged::Answer(answer), _) => return answer,
            (Judged::Lost(search, trace, stuck), before) => {
                limits.max_nodes = options.max_nodes.min(HISTORY + 4 * search.visited);
                let lost = before.unwrap_or((search, trace.procs));
                if !learn(&mut history, system, &trace, &stuck) {
                    break lost;
                }
                lost
            }
        };
        match history.extend(system) {
            Ok(extended) => now = extended.into(),
            Err(_) => break lost,
        }
        first = Some(lost);
    };
    again(search, procs, order, options)
}

/// The search with guesses; `system` is the file's, `now` the same with its history variables.
fn guessed<'s>(
    now: Cow<'s, System>,
    system: &'s System,
    order: StoreOrder,
    options: &Options,
    procs: u8,
) -> Judged<'s> {
    let procs = system.procs.unwrap_or(procs.max(system.fixed));
    let limits = Limits {
        states: FORWARD,
        queue: GUESS_QUEUE,
        until: options.until,
    };
    match Oracle::new(&now, procs, order, limits) {
        Err(run) => {
            let calls: Vec<Call> = run
                .calls()
                .map(|(t, a)| original(&now, system, t, a))
                .collect();
            let search = Search::new(system);
            Judged::Answer(match concrete(system, order, &calls, procs, options) {
                Ok((procs, run)) => Answer::Unsafe { search, procs, run },
                Err(_) => Answer::Unknown(search, "a run was found that cannot be repeated".into()),
            })
        }
        Ok(oracle) if oracle.is_empty() => {
            let why = format!("no states to guess from were found; processes: {procs}");
            Judged::Answer(Answer::Unknown(Search::new(system), why))
        }
        Ok(oracle) => judge(brab::search(&now, oracle, options), system, order, options),
    }
}

/// Makes a search's verdict concrete; `system` is the one without history variables.
fn judge<'s>(
    search: Search<'s>,
    system: &System,
    order: StoreOrder,
    options: &Options,
) -> Judged<'s> {
    let id = match search.verdict {
        Verdict::Safe => return Judged::Answer(Answer::Safe(search)),
        Verdict::Unknown(reason) => {
            let why = reason_text(reason, options);
            return Judged::Answer(Answer::Unknown(search, why));
        }
        Verdict::Unsafe(id) => id,
    };
    let mut trace = search.trace(id);
    for call in &mut trace.calls {
        *call = original(&search.model.system, system, call.0, &call.1);
    }
    match concrete(system, order, &trace.calls, trace.procs, options) {
        Ok((procs, run)) => Judged::Answer(Answer::Unsafe { search, procs, run }),
        Err(stuck) => Judged::Lost(search, trace, stuck),
    }
}

/// What a limit is called.
pub(super) fn reason_text(reason: Reason, options: &Options) -> String {
    match reason {
        Reason::Time => "the time is up".into(),
        Reason::Memory => "the memory is used up".into(),
        Reason::Nodes => format!("more than {} nodes", options.max_nodes),
        Reason::Guesses => format!("the search with guesses started {} times", brab::STARTS),
        Reason::Procs => format!("a cube has more processes than {}", options.max_procs),
        Reason::Size(_) => "numbers, cases or pending reads beyond what is represented".into(),
    }
}

/// A run of the machine for a trace.
///
/// # Errors
/// The calls at which the machine stops.
fn concrete(
    system: &System,
    order: StoreOrder,
    calls: &[Call],
    procs: u8,
    options: &Options,
) -> Result<(u8, Run), Vec<usize>> {
    let exact = system.procs;
    if procs <= SMALL {
        for n in exact.unwrap_or(1)..=exact.unwrap_or(procs) {
            let machine = Machine::new(system, n, order, &[]);
            let limits = Limits {
                states: BUDGET,
                queue: QUEUE,
                until: options.until,
            };
            if let Outcome::Unsafe(run) = concrete::explore(&machine, limits) {
                return Ok((n, *run));
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
    match concrete::replay(&machine, calls, limits) {
        (Outcome::Unsafe(run), _) => Ok((n, *run)),
        (_, stuck) => Err(stuck),
    }
}

/// After a trace that no run follows: the same with the number of processes fixed.
fn again<'s>(search: Search<'s>, procs: u8, order: StoreOrder, options: &Options) -> Answer<'s> {
    let system = &*search.model.system;
    let most = (procs.max(2) + 1).min(options.max_procs);
    let mut safe: Vec<String> = Vec::new();
    if system.procs.is_none() {
        for n in procs..=most {
            let mut fixed = system.clone();
            fixed.procs = Some(n);
            let exact = engine::search(&fixed, options);
            match exact.verdict {
                Verdict::Safe => safe.push(n.to_string()),
                Verdict::Unsafe(id) => {
                    let calls = exact.trace(id).calls;
                    if let Ok((procs, run)) = concrete(&fixed, order, &calls, n, options) {
                        return Answer::Unsafe { search, procs, run };
                    }
                }
                Verdict::Unknown(_) => {}
            }
        }
    }
    let why = if system.procs.is_some() {
        "the abstract trace has no run of the machine within its budget".to_string()
    } else {
        let proved = match safe.as_slice() {
            [] => String::new(),
            some => format!("; it is safe with exactly {}", some.join(" or ")),
        };
        format!(
            "a trace was found that processes outside of it may block through a universal guard\
             {proved}"
        )
    };
    Answer::Unknown(search, why)
}
