//! The answer for a system: a strategy's verdict, made as concrete as it can be.
//!
//! An unsafe trace counts when the machine with buffers has a run for it
//! ([`confirm`]). If it has none, the trace is spurious: a
//! universal guard did not see a process outside of the cube. Then a history variable is added that
//! keeps the process in the cube ([`super::refine::history`]), and the search is repeated; and if
//! that does not end, with the number of processes fixed, where all of them are in every cube. If
//! that finds nothing real, the verdict is unknown and says so.
//!
//! Under flat memory guesses may also be invariants ([`super::invariants`]), which prove safety by themselves or not
//! at all.
//!
//! Both strategies come to their answers on this one path; only that for TSO and flat memory
//! guesses ([`super::approx`]) and drops literals.

use super::approx::brab;
use super::approx::oracle::Oracle;
use super::concrete::{ExplorationLimits, Run};
use super::cube::any::AnyCube;
use super::cube::event::EventCube;
use super::cube::rules::Rules;
use super::cube::tso::Cube;
use super::init::is_init_unsatisfiable;
use super::invariants;
use super::refine::history::refine;
use super::refine::spurious::confirm;
use super::search::engine;
use super::search::options::{Reason, SearchOptions};
use super::search::space::{Call, Search, SearchVerdict};
use super::search::trace::AbstractTrace;
use super::system::{History, StoreOrder, System, original};
use std::borrow::Cow;

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

/// The answer, with the search that found it.
pub enum SystemAnswer<'s, C = Cube> {
    /// Safe; the search holds the certificate.
    Safe(Search<'s, C>),
    /// Unsafe: a run of the machine with so many processes.
    Unsafe {
        /// The search that found it.
        search: Search<'s, C>,
        /// How many processes.
        procs: u8,
        /// The run.
        run: Run,
    },
    /// Not decided, and why, in words.
    Unknown(Search<'s, C>, String),
}

impl<'s, C> SystemAnswer<'s, C> {
    /// The search that found it.
    pub fn search(&self) -> &Search<'s, C> {
        match self {
            SystemAnswer::Safe(search)
            | SystemAnswer::Unsafe { search, .. }
            | SystemAnswer::Unknown(search, _) => search,
        }
    }
}

impl<C: AnyCube> SystemAnswer<'_, C> {
    /// The spurious trace because of which it is not decided, if there is one.
    pub fn spurious_trace(&self) -> Option<AbstractTrace> {
        match self {
            SystemAnswer::Unknown(search, _) => match search.verdict {
                SearchVerdict::Unsafe(id) => Some(search.trace(id)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// When to guess; see [`brab`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Brab {
    /// Never.
    #[default]
    Never,
    /// From states of so many processes.
    Always(u8),
    /// The same, where the strategy guesses at all.
    Early(u8),
    /// When the exact search has visited some nodes without an end.
    Late,
}

/// Decides a system by the strategy for TSO and flat memory.
pub fn answer<'s>(
    system: &'s System,
    order: StoreOrder,
    options: &SearchOptions,
    brab: Brab,
) -> SystemAnswer<'s> {
    if let Some(safe) = without_initial_state(system) {
        return safe;
    }
    match brab {
        Brab::Never => by_tso(system, order, options, None),
        Brab::Always(n) | Brab::Early(n) => {
            let found = by_invariants(system, options);
            found.unwrap_or_else(|| by_tso(system, order, options, Some(n)))
        }
        Brab::Late => {
            let few = |n: usize| SearchOptions {
                max_nodes: options.max_nodes.min(n),
                ..*options
            };
            let first = by_tso(system, order, &few(EXACT), None);
            if !matches!(first, SystemAnswer::Unknown(..)) {
                return first;
            }
            if let Some(safe) = by_invariants(system, options) {
                return safe;
            }
            for procs in GUESS_PROCS {
                let next = by_tso(system, order, &few(GUESSED), Some(procs));
                if !matches!(next, SystemAnswer::Unknown(..)) {
                    return next;
                }
                if system.procs.is_some() {
                    break;
                }
            }
            if options.max_nodes <= EXACT {
                return first;
            }
            by_tso(system, order, options, None)
        }
    }
}

/// Decides a system, resolved for buffers, by the strategy over events.
pub fn answer_on_events<'s>(
    system: &'s System,
    order: StoreOrder,
    options: &SearchOptions,
) -> SystemAnswer<'s, EventCube> {
    if let Some(safe) = without_initial_state(system) {
        return safe;
    }
    let rules = Rules::of(order);
    let exact =
        |system: Cow<'s, System>, options: &SearchOptions| engine::explore(&rules, system, options);
    let searches = Searches {
        first: &|system, options| Begun::Search(exact(system, options)),
        exact: &exact,
        drops_literals: false,
    };
    attempt(system, order, options, &searches)
}

/// Safe, when no state is initial.
fn without_initial_state<C: AnyCube>(system: &System) -> Option<SystemAnswer<'_, C>> {
    let mut nothing = Search::new(system);
    (is_init_unsatisfiable(&nothing.context) == Ok(true)).then(|| {
        nothing.verdict = SearchVerdict::Safe;
        SystemAnswer::Safe(nothing)
    })
}

/// Safe, where invariants that hold of a few processes prove it for any number.
fn by_invariants<'s>(system: &'s System, options: &SearchOptions) -> Option<SystemAnswer<'s>> {
    let proof = invariants::prove(system, options).ok()??;
    let search = Search::of_proof(proof.system, proof.cubes, options);
    Some(SystemAnswer::Safe(search))
}

/// The strategy for TSO and flat memory, exactly or with guesses from so many processes.
fn by_tso<'s>(
    system: &'s System,
    order: StoreOrder,
    options: &SearchOptions,
    guess: Option<u8>,
) -> SystemAnswer<'s> {
    let searches = Searches {
        first: &|now, limits| match guess {
            None => Begun::Search(engine::search(now, limits)),
            Some(n) => guessed(&now, system, order, limits, n),
        },
        exact: &|now, limits| engine::search(now, limits),
        drops_literals: options.generalize,
    };
    attempt(system, order, options, &searches)
}

/// Explores a system within limits.
type Explore<'a, 's, T> = &'a dyn Fn(Cow<'s, System>, &SearchOptions) -> T;

/// The searches that an answer rests on.
struct Searches<'a, 's, C> {
    /// The one to begin with.
    first: Explore<'a, 's, Begun<'s, C>>,
    /// The one without guesses.
    exact: Explore<'a, 's, Search<'s, C>>,
    /// They may drop literals, so that a trace may have no run though the system is unsafe.
    drops_literals: bool,
}

/// What a search begins with.
enum Begun<'s, C> {
    Search(Search<'s, C>),
    /// There was no need for it, or no way.
    Answer(SystemAnswer<'s, C>),
}

/// What a search comes to.
enum Judged<'s, C> {
    Answer(SystemAnswer<'s, C>),
    /// Its trace is spurious: the search, the trace, and the calls at which the machine stops.
    Spurious(Search<'s, C>, AbstractTrace, Vec<usize>),
}

/// Searches and makes the verdict concrete. As long as a trace is spurious, the system is refined
/// with a history variable.
fn attempt<'s, C: AnyCube>(
    system: &'s System,
    order: StoreOrder,
    options: &SearchOptions,
    searches: &Searches<'_, 's, C>,
) -> SystemAnswer<'s, C> {
    let mut history = History::default();
    let mut now: Cow<'s, System> = system.into();
    let mut limits = *options;
    let mut first = None;
    let (search, procs) = loop {
        let mut judged = match (searches.first)(now.clone(), &limits) {
            Begun::Search(search) => judge(search, system, order, options),
            Begun::Answer(answer) => Judged::Answer(answer),
        };
        if searches.drops_literals && matches!(judged, Judged::Spurious(..)) {
            let narrow = SearchOptions {
                generalize: false,
                ..limits
            };
            judged = judge((searches.exact)(now, &narrow), system, order, options);
        }
        let spurious = match (judged, first.take()) {
            (Judged::Answer(SystemAnswer::Unknown(..)), Some(spurious)) => break spurious,
            (Judged::Answer(answer), _) => return answer,
            (Judged::Spurious(search, trace, stuck), before) => {
                limits.max_nodes = options.max_nodes.min(HISTORY + 4 * search.visited);
                let spurious = before.unwrap_or((search, trace.procs));
                if !refine(&mut history, system, &trace, &stuck) {
                    break spurious;
                }
                spurious
            }
        };
        match history.extend(system) {
            Ok(extended) => now = extended.into(),
            Err(_) => break spurious,
        }
        first = Some(spurious);
    };
    with_fixed_processes(search, procs, order, options, searches)
}

/// The search with guesses; `system` is the file's, `now` the same with its history variables.
fn guessed<'s>(
    now: &Cow<'s, System>,
    system: &'s System,
    order: StoreOrder,
    options: &SearchOptions,
    procs: u8,
) -> Begun<'s, Cube> {
    let procs = system.procs.unwrap_or(procs.max(system.fixed));
    let limits = ExplorationLimits {
        states: FORWARD,
        queue: GUESS_QUEUE,
        until: options.until,
    };
    match Oracle::new(now, procs, order, limits) {
        Err(run) => {
            let calls: Vec<Call> = run
                .calls()
                .map(|(t, a)| original(now, system, t, a))
                .collect();
            let search = Search::new(system);
            Begun::Answer(match confirm(system, order, &calls, procs, options.until) {
                Ok((procs, run)) => SystemAnswer::Unsafe { search, procs, run },
                Err(_) => {
                    SystemAnswer::Unknown(search, "a run was found that cannot be repeated".into())
                }
            })
        }
        Ok(oracle) if oracle.is_empty() => {
            let why = format!("no states to guess from were found; processes: {procs}");
            Begun::Answer(SystemAnswer::Unknown(Search::new(system), why))
        }
        Ok(oracle) => Begun::Search(brab::search(now, oracle, options)),
    }
}

/// Makes a search's verdict concrete; `system` is the one without history variables.
fn judge<'s, C: AnyCube>(
    search: Search<'s, C>,
    system: &System,
    order: StoreOrder,
    options: &SearchOptions,
) -> Judged<'s, C> {
    let id = match search.verdict {
        SearchVerdict::Safe => return Judged::Answer(SystemAnswer::Safe(search)),
        SearchVerdict::Unknown(reason) => {
            let why = reason_text(reason, options);
            return Judged::Answer(SystemAnswer::Unknown(search, why));
        }
        SearchVerdict::Unsafe(id) => id,
    };
    let mut trace = search.trace(id);
    for call in &mut trace.calls {
        *call = original(&search.context.system, system, call.0, &call.1);
    }
    match confirm(system, order, &trace.calls, trace.procs, options.until) {
        Ok((procs, run)) => Judged::Answer(SystemAnswer::Unsafe { search, procs, run }),
        Err(stuck) => Judged::Spurious(search, trace, stuck),
    }
}

/// What a limit is called.
fn reason_text(reason: Reason, options: &SearchOptions) -> String {
    match reason {
        Reason::Time => "timeout".into(),
        Reason::Memory => "the memory is used up".into(),
        Reason::Nodes => format!("more than {} nodes", options.max_nodes),
        Reason::Guesses => format!("the search with guesses started {} times", brab::STARTS),
        Reason::Procs => format!("a cube has more processes than {}", options.max_procs),
        Reason::Size(_) => "numbers, cases or pending reads beyond what is represented".into(),
    }
}

/// After a spurious trace of so many processes: the same with their number fixed.
fn with_fixed_processes<'s, C: AnyCube>(
    search: Search<'s, C>,
    procs: u8,
    order: StoreOrder,
    options: &SearchOptions,
    searches: &Searches<'_, 's, C>,
) -> SystemAnswer<'s, C> {
    let system = &*search.context.system;
    let most = (procs.max(2) + 1).min(options.max_procs);
    let mut safe: Vec<String> = Vec::new();
    if system.procs.is_none() {
        for n in procs..=most {
            let mut fixed = system.clone();
            fixed.procs = Some(n);
            let exact = (searches.exact)(fixed.into(), options);
            match exact.verdict {
                SearchVerdict::Safe => safe.push(n.to_string()),
                SearchVerdict::Unsafe(id) => {
                    let calls = exact.trace(id).calls;
                    let fixed = &exact.context.system;
                    if let Ok((procs, run)) = confirm(fixed, order, &calls, n, options.until) {
                        return SystemAnswer::Unsafe { search, procs, run };
                    }
                }
                SearchVerdict::Unknown(_) => {}
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
    SystemAnswer::Unknown(search, why)
}

#[cfg(test)]
mod tests {
    use super::{Reason, SearchOptions, brab, reason_text};

    #[test]
    fn too_many_wrong_guesses_are_no_limit_of_nodes() {
        let why = reason_text(Reason::Guesses, &SearchOptions::default());
        let starts = brab::STARTS;
        assert_eq!(
            why,
            format!("the search with guesses started {starts} times")
        );
    }
}
