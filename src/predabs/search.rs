//! The model checker for concurrent programs over predicates, abstracted by any [`Post`].
//!
//! A state is a location of each thread and, for each predicate, true, false or unknown, packed into
//! two words of 128 bits. All interleavings are explored, breadth first, each state once. While a thread
//! is at an atomic location, it alone moves. What an unknown predicate stands for is both values, so
//! every run of the program has its run here; a failure that is reachable here may be spurious.
//!
//! Partial order: where all that a thread can do next touches its own variables only, or starts another
//! thread, and one of it is always possible, nobody else needs to move before it. Whether that is so is
//! read off the locations and never off the predicates, so it is a reduction of the program itself,
//! before its abstraction. Steps that close a loop are exempt, so that nobody is passed over forever.
//!
//! Symmetry: of states that differ in which of two equal threads is which, one is explored; see
//! [`symmetry`](super::symmetry). A run is translated back along its path.

use super::cube::Cube;
use super::post::Post;
use super::predicates::Predicate;
use super::symmetry::Exchange;
use crate::commands::arith::{Cond, VarId};
use crate::commands::program::{Effect, Failure, LocId, Move, Program, Step, Thread, ThreadId};
use base::idx::{Id, IdVec, position};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;

/// A thread that has not begun.
const NOT_STARTED: LocId = LocId(u32::MAX);

/// Where the threads are, and what is known.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct SearchState {
    at: Box<[LocId]>,
    known: Cube,
}

/// What a search has found.
#[derive(Debug)]
pub enum SearchResult {
    /// No failure is reachable.
    Safe,
    /// This run fails, and was accepted.
    Fails(Vec<Move>),
    /// These runs fail, and none was accepted; the first is kept.
    Spurious(Vec<Move>),
    /// A limit was reached.
    Limit,
}

/// Limits of a search.
pub struct SearchLimits<'a> {
    /// States at most.
    pub states: usize,
    /// Failing runs that are looked at, at most.
    pub runs: usize,
    /// Says when to stop.
    pub stop: &'a dyn Fn() -> bool,
}

/// Explores an abstraction of a program. `accept` says whether a failing run is one of the program; if not, the
/// search goes on. Beside the result, the number of states.
pub fn search(
    program: &Program,
    predicates: &[Predicate],
    post: &mut dyn Post,
    limits: &SearchLimits,
    accept: &mut dyn FnMut(&[Move]) -> bool,
) -> (SearchResult, usize) {
    let first = private_locations(program);
    let mut explorer = Explorer {
        program,
        post,
        exchanges: Exchange::all(program, predicates),
    };
    let mut at = vec![NOT_STARTED; program.threads.len()];
    at[0] = LocId(0);
    let start = SearchState {
        at: at.into(),
        known: explorer.post.initial(),
    };
    let mut states = vec![start.clone()];
    let mut parents: Vec<Option<(u32, Move)>> = vec![None];
    let mut numbers: FxHashMap<SearchState, u32> = FxHashMap::default();
    numbers.insert(start, 0);
    let outgoing = outgoing(program);
    let mut spurious: Option<Vec<Move>> = None;
    let mut runs = 0;
    let mut next = 0;
    while next < states.len() {
        if states.len() > limits.states || next % 16 == 0 && (limits.stop)() {
            return (SearchResult::Limit, states.len());
        }
        let state = states[next].clone();
        for m in moves(program, &outgoing, &first, &state) {
            let Some(after) = explorer.after(&state, m) else {
                continue;
            };
            if let Effect::Fail(_) = program.step(m).effect {
                let mut run = path(&parents, next);
                run.push(m);
                let run = explorer.run(&states[0], &run);
                if accept(&run) {
                    return (SearchResult::Fails(run), states.len());
                }
                spurious.get_or_insert(run);
                runs += 1;
                if runs == limits.runs {
                    return (
                        SearchResult::Spurious(spurious.unwrap_or_default()),
                        states.len(),
                    );
                }
                continue;
            }
            let (after, _) = explorer.representative(after);
            if let Entry::Vacant(entry) = numbers.entry(after) {
                states.push(entry.key().clone());
                entry.insert(position(states.len() - 1));
                parents.push(Some((position(next), m)));
            }
        }
        next += 1;
    }
    let result = match spurious {
        Some(run) => SearchResult::Spurious(run),
        None => SearchResult::Safe,
    };
    (result, states.len())
}

/// Takes steps.
struct Explorer<'a> {
    program: &'a Program,
    post: &'a mut dyn Post,
    exchanges: Vec<Exchange>,
}

impl Explorer<'_> {
    /// The state after a step; nothing where it is impossible.
    fn after(&mut self, state: &SearchState, m: Move) -> Option<SearchState> {
        let step = self.program.step(m);
        let mut after = SearchState {
            at: state.at.clone(),
            known: self.post.after(m, state.known)?,
        };
        if let Move::Thread(t, _) = m {
            after.at[t.index()] = step.to;
        }
        if let Effect::Spawn(t) = step.effect {
            after.at[t.index()] = LocId(0);
        }
        Some(after)
    }

    /// What stands for a state: nothing is smaller after one exchange. Beside it the exchanges, in order.
    fn representative(&self, mut state: SearchState) -> (SearchState, Vec<usize>) {
        let mut made = Vec::new();
        let exchanges = self.exchanges.iter().enumerate();
        let applying = exchanges.filter(|(_, e)| e.applies(&state.at));
        let applying: Vec<(usize, &Exchange)> = applying.collect();
        loop {
            let smaller = applying.iter().find_map(|(i, e)| {
                let (at, known) = e.state(&state.at, state.known);
                ((&at, known) < (&state.at, state.known)).then_some((*i, SearchState { at, known }))
            });
            let Some((e, exchanged)) = smaller else {
                return (state, made);
            };
            made.push(e);
            state = exchanged;
        }
    }

    /// The run of the program that steps between representatives stand for.
    fn run(&mut self, start: &SearchState, steps: &[Move]) -> Vec<Move> {
        let mut state = start.clone();
        let mut exchanged: Vec<usize> = Vec::new();
        let mut run = Vec::new();
        for m in steps {
            run.push(
                exchanged
                    .iter()
                    .rev()
                    .fold(*m, |m, e| self.exchanges[*e].step(m)),
            );
            let Some(after) = self.after(&state, *m) else {
                return run;
            };
            let (representative, made) = self.representative(after);
            state = representative;
            // The inverse of what was made: exchanges are their own.
            exchanged.extend(made);
        }
        run
    }
}

/// The moves to a state.
fn path(parents: &[Option<(u32, Move)>], mut at: usize) -> Vec<Move> {
    let mut path = Vec::new();
    while let Some((before, m)) = parents[at] {
        path.push(m);
        at = before as usize;
    }
    path.reverse();
    path
}

/// The steps of each thread from each location.
type Outgoing = IdVec<ThreadId, IdVec<LocId, Vec<usize>>>;

fn outgoing(program: &Program) -> Outgoing {
    let of = |thread: &Thread| {
        let mut all: IdVec<LocId, Vec<usize>> =
            thread.locations.iter().map(|_| Vec::new()).collect();
        for (i, s) in thread.steps.iter().enumerate() {
            all[s.from].push(i);
        }
        all
    };
    program.threads.iter().map(of).collect()
}

/// What can be done in a state as far as the locations say.
fn moves(
    program: &Program,
    outgoing: &Outgoing,
    first: &BTreeSet<(ThreadId, LocId)>,
    state: &SearchState,
) -> Vec<Move> {
    let running = program
        .threads
        .ids()
        .filter(|t| state.at[t.index()] != NOT_STARTED);
    let running: Vec<ThreadId> = running.collect();
    let at = |t: ThreadId| state.at[t.index()];
    let of = |t: ThreadId| outgoing[t][at(t)].iter().map(move |i| Move::Thread(t, *i));
    let atomic = |t: &&ThreadId| program.threads[**t].locations[at(**t)].atomic;
    if let Some(t) = running.iter().find(atomic) {
        return of(*t).collect();
    }
    if let Some(t) = running.iter().find(|t| first.contains(&(**t, at(**t)))) {
        return of(*t).collect();
    }
    let ready = |m: &Move| match program.step(*m).effect {
        Effect::Join(t) => at(t) == program.threads[t].end,
        _ => true,
    };
    let of_threads = running.iter().flat_map(|t| of(*t)).filter(ready);
    let others = program.moves().into_iter();
    let others = others.filter(|m| !matches!(m, Move::Thread(..)));
    // What must not be is looked at first: runs are short then.
    let (checks, flushes): (Vec<Move>, Vec<Move>) =
        others.partition(|m| matches!(m, Move::Invariant(_)));
    checks
        .into_iter()
        .chain(of_threads)
        .chain(flushes)
        .collect()
}

/// Locations from which a thread only does what concerns nobody else, and always can.
fn private_locations(program: &Program) -> BTreeSet<(ThreadId, LocId)> {
    let watched: BTreeSet<VarId> = program
        .invariants
        .iter()
        .flat_map(|s| s.guard.vars())
        .collect();
    let mut found = BTreeSet::new();
    for (t, thread) in program.threads.iter_enumerated() {
        let order = depth_first_order(thread);
        for l in thread.locations.ids() {
            let steps: Vec<&Step> = thread.steps.iter().filter(|s| s.from == l).collect();
            // Who starts another thread does not come in the way of those that run.
            let starts = |s: &Step| {
                matches!(s.effect, Effect::Spawn(_))
                    && s.guard == Cond::Const(true)
                    && s.updates.is_empty()
            };
            let private = |s: &&Step| {
                (!s.is_visible(&program.vars) || starts(s))
                    && order[s.to.index()] < order[s.from.index()]
                    && s.updates.iter().all(|(x, _)| !watched.contains(x))
            };
            let always = Cond::or(steps.iter().map(|s| s.guard.clone())) == Cond::Const(true);
            if !steps.is_empty() && always && steps.iter().all(private) {
                found.insert((t, l));
            }
        }
    }
    found
}

/// When the search in depth leaves each location: later for those before. A step to a location that
/// is not left earlier closes a loop.
fn depth_first_order(thread: &Thread) -> Vec<usize> {
    let mut order = vec![usize::MAX; thread.locations.len()];
    let mut seen = vec![false; thread.locations.len()];
    let mut stack = vec![(LocId(0), 0)];
    let mut left = 0;
    seen[0] = true;
    while let Some((l, from)) = stack.pop() {
        let after = thread.steps.iter().enumerate().skip(from);
        let mut after = after.filter(|(_, s)| s.from == l && !seen[s.to.index()]);
        match after.next() {
            Some((i, s)) => {
                stack.push((l, i + 1));
                seen[s.to.index()] = true;
                stack.push((s.to, 0));
            }
            None => {
                order[l.index()] = left;
                left += 1;
            }
        }
    }
    order
}

/// What a run violates.
pub fn failure(program: &Program, run: &[Move]) -> Option<Failure> {
    match &program.step(*run.last()?).effect {
        Effect::Fail(failure) => Some(failure.clone()),
        _ => None,
    }
}
