//! Breadth-first search of the machine's states, and of those that follow a given trace.

use super::eval::Stuck;
use super::machine::{Machine, MachineState, Step};
use super::property::Properties;
use crate::system::tuples::distinct_tuples;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::hash::Hash;
use std::time::Instant;

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub struct ExplorationLimits {
    /// Different states.
    pub states: usize,
    /// Updates in one queue; longer ones are not looked at, and the search is not complete then.
    pub queue: usize,
    /// Point in time.
    pub until: Option<Instant>,
}

/// A run from an initial state: steps, each with the state after it.
#[derive(Clone, Debug)]
pub struct Run {
    /// Where it starts; open cells are settled on the way.
    pub start: MachineState,
    /// What happens.
    pub steps: Vec<(Step, MachineState)>,
    /// The unsafe formula that holds at the end, by its position.
    pub violated: usize,
}

impl Run {
    /// How many transitions fire.
    pub fn len(&self) -> usize {
        let fires = |s: &&(Step, MachineState)| matches!(s.0, Step::Fire(..));
        self.steps.iter().filter(fires).count()
    }

    /// What fires.
    pub fn calls(&self) -> impl Iterator<Item = (usize, &[u8])> {
        self.steps.iter().filter_map(|(step, _)| match step {
            Step::Fire(t, args) => Some((*t, args.as_slice())),
            _ => None,
        })
    }

    /// The first state violates already.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What a search found.
#[derive(Clone, Debug)]
pub enum ExplorationResult {
    /// Nothing bad; complete unless values of a type with infinitely many had to be guessed.
    Safe {
        /// Every state was looked at.
        complete: bool,
        /// How many there are.
        states: usize,
    },
    /// A run with as few transitions as possible.
    Unsafe(Box<Run>),
    /// A limit was reached.
    Limit,
}

/// The node before, and the step from it.
type From = (usize, Step);

/// A node of the search: a state and how far a trace has been followed.
struct Exploration<K> {
    nodes: Vec<(MachineState, K, Option<From>)>,
    seen: FxHashMap<(MachineState, K), usize>,
    queue: VecDeque<usize>,
    looked_at: Vec<bool>,
    /// Nodes that are no initial guesswork: nothing that mattered was open, no invariant excludes
    /// it.
    real: Vec<usize>,
}

impl<K> Default for Exploration<K> {
    fn default() -> Self {
        Exploration {
            nodes: Vec::new(),
            seen: FxHashMap::default(),
            queue: VecDeque::new(),
            looked_at: Vec::new(),
            real: Vec::new(),
        }
    }
}

impl<K: Clone + Eq + Hash> Exploration<K> {
    /// A state is waiting; without a transition (`free`) before all that wait already, also when it
    /// is one of them.
    fn push(&mut self, state: MachineState, key: K, from: Option<From>, free: bool) {
        let next = self.nodes.len();
        let id = *self
            .seen
            .entry((state.clone(), key.clone()))
            .or_insert(next);
        if id == next {
            self.nodes.push((state, key, from));
            self.looked_at.push(false);
        } else if free && !self.looked_at[id] {
            self.nodes[id].2 = from;
        } else {
            return;
        }
        if free {
            self.queue.push_front(id);
        } else {
            self.queue.push_back(id);
        }
    }

    /// Everything that can be reached, until an unsafe formula holds.
    fn all(
        &mut self,
        machine: &Machine,
        limits: ExplorationLimits,
        first: K,
        calls: impl Fn(&K) -> Vec<(usize, Vec<u8>, K)>,
    ) -> ExplorationResult {
        let Ok(initial) = machine.initial() else {
            return ExplorationResult::Limit;
        };
        for state in initial {
            self.push(state, first.clone(), None, false);
        }
        let properties = Properties::new(machine.system);
        let mut complete = true;
        let mut looked = 0usize;
        while let Some(id) = self.queue.pop_front() {
            if std::mem::replace(&mut self.looked_at[id], true) {
                continue;
            }
            looked += 1;
            let late =
                looked.is_multiple_of(256) && limits.until.is_some_and(|u| Instant::now() > u);
            if late || self.nodes.len() > limits.states {
                return ExplorationResult::Limit;
            }
            let (state, key) = (self.nodes[id].0.clone(), self.nodes[id].1.clone());
            match expand(machine, &properties, &state, &calls(&key)) {
                Ok(Expanded::Excluded) => {}
                Ok(Expanded::Violates(i)) => {
                    return ExplorationResult::Unsafe(Box::new(self.run(id, i)));
                }
                Ok(Expanded::Next(next)) => {
                    self.real.push(id);
                    for p in 0..machine.procs {
                        for at in machine.flushable(&state, p) {
                            let (step, after) = machine.flush(&state, p, at);
                            self.push(after, key.clone(), Some((id, step)), true);
                        }
                    }
                    for (step, after, call) in next {
                        let guessed = matches!(&step, Step::Fire(t, _) if machine.guesses(*t));
                        complete &= !guessed;
                        if after.queues.iter().any(|q| q.len() > limits.queue) {
                            complete = false;
                            continue;
                        }
                        let key = call.unwrap_or_else(|| key.clone());
                        self.push(after, key, Some((id, step)), false);
                    }
                }
                // Nothing is said of what lies beyond.
                Err(Stuck::Overflow) => complete = false,
                Err(Stuck::Open(cell)) => {
                    complete &= machine.is_finite(cell);
                    for v in machine.domain(cell) {
                        let mut next = state.clone();
                        next.cells[cell as usize] = v;
                        self.push(next, key.clone(), Some((id, Step::Settle(cell, v))), true);
                    }
                }
            }
        }
        ExplorationResult::Safe {
            complete,
            states: self.nodes.len(),
        }
    }

    fn run(&self, mut at: usize, violated: usize) -> Run {
        let mut steps = Vec::new();
        while let Some((from, step)) = &self.nodes[at].2 {
            steps.push((step.clone(), self.nodes[at].0.clone()));
            at = *from;
        }
        steps.reverse();
        Run {
            start: self.nodes[at].0.clone(),
            steps,
            violated,
        }
    }
}

/// Looks for a state in which an unsafe formula holds, fewest transitions first.
pub fn explore(machine: &Machine, limits: ExplorationLimits) -> ExplorationResult {
    reach(machine, limits).0
}

/// The same; with it, the states that were looked at. A cell that is still open in one of them may
/// have any value.
pub fn reach(
    machine: &Machine,
    limits: ExplorationLimits,
) -> (ExplorationResult, Vec<MachineState>) {
    let mut transitions = machine.system.transitions.iter();
    if !transitions.all(|t| machine.can_list(t.params.len())) {
        return (ExplorationResult::Limit, Vec::new());
    }
    let mut calls = Vec::new();
    for (i, t) in machine.system.transitions.iter().enumerate() {
        calls.extend(
            distinct_tuples(t.params.len(), machine.procs)
                .into_iter()
                .map(|a| (i, a)),
        );
    }
    let mut search = Exploration::default();
    let outcome = search.all(machine, limits, (), |_| {
        calls.iter().map(|(t, a)| (*t, a.clone(), ())).collect()
    });
    let states = search.real.iter().map(|id| search.nodes[*id].0.clone());
    (outcome, states.collect())
}

/// Looks for a run that fires exactly these transitions, each process's in the given order (all in
/// the given order when a transition has no performing process), interleaved as memory allows.
/// Returns with it the calls that come next where it came furthest, by their positions.
pub fn replay(
    machine: &Machine,
    trace: &[(usize, Vec<u8>)],
    limits: ExplorationLimits,
) -> (ExplorationResult, Vec<usize>) {
    let total = trace
        .iter()
        .any(|(t, _)| machine.system.transitions[*t].thread.is_none());
    let owner = |(t, args): &(usize, Vec<u8>)| match machine.system.transitions[*t].thread {
        Some(p) if !total => args[usize::from(p)],
        _ => 0,
    };
    let mut columns: Vec<Vec<usize>> = vec![Vec::new(); usize::from(machine.procs)];
    for (i, call) in trace.iter().enumerate() {
        columns[usize::from(owner(call))].push(i);
    }
    let mut search = Exploration::default();
    let due = |at: &Vec<usize>| -> Vec<(usize, usize)> {
        let next = columns.iter().zip(at).enumerate();
        next.filter_map(|(p, (column, n))| Some((p, *column.get(*n)?)))
            .collect()
    };
    let outcome = search.all(machine, limits, vec![0; columns.len()], |at| {
        let fire = |(p, i): (usize, usize)| {
            let (t, args) = &trace[i];
            let mut after = at.clone();
            after[p] += 1;
            (*t, args.clone(), after)
        };
        due(at).into_iter().map(fire).collect()
    });
    let fired = |at: &Vec<usize>| at.iter().sum::<usize>();
    let furthest = search.nodes.iter().map(|(_, at, _)| fired(at)).max();
    let there = search
        .nodes
        .iter()
        .filter(|n| Some(fired(&n.1)) == furthest);
    let mut stuck: Vec<usize> = there.flat_map(|n| due(&n.1)).map(|(_, i)| i).collect();
    stuck.sort_unstable();
    stuck.dedup();
    (outcome, stuck)
}

/// A step, the state after it, and how far a trace is then followed.
type Next<K> = (Step, MachineState, Option<K>);

enum Expanded<K> {
    Excluded,
    Violates(usize),
    Next(Vec<Next<K>>),
}

fn expand<K: Clone>(
    machine: &Machine,
    properties: &Properties,
    state: &MachineState,
    calls: &[(usize, Vec<u8>, K)],
) -> Result<Expanded<K>, Stuck> {
    if properties.excluded(machine, state)? {
        return Ok(Expanded::Excluded);
    }
    if let Some(i) = properties.violated(machine, state)? {
        return Ok(Expanded::Violates(i));
    }
    let mut next = Vec::new();
    for (t, args, key) in calls {
        for after in machine.fire(state, *t, args)? {
            next.push((Step::Fire(*t, args.clone()), after, Some(key.clone())));
        }
    }
    Ok(Expanded::Next(next))
}

#[cfg(test)]
mod tests;
