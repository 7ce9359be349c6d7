//! Executions on numbers, breadth first: violations without any abstraction.
//!
//! Every state is a location of each thread and a number for each variable, and every interleaving is
//! followed up to a number of states. What is undetermined is tried with a few values only, and
//! numbers beyond 32 bits are not followed, so nothing is concluded from finding no violation. What is
//! found is a run of the program: it is as short as can be, and no predicate was needed.

use crate::commands::arith::{Cond, Linear, Rel, VarId};
use crate::commands::program::{Effect, Failure, LocId, Move, Program, Step, ThreadId, Update};
use base::idx::{Id, IdVec, position};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// A thread that has not begun.
const NOT_STARTED: i32 = -1;

/// What an undetermined value is tried with.
const CHOICES: [i32; 2] = [0, 1];

/// Limits of the search.
pub struct ExplicitLimits<'a> {
    /// States at most.
    pub states: usize,
    /// Says when to stop.
    pub stop: &'a dyn Fn() -> bool,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    /// A shortest run that violates a property.
    pub violation: Option<Vec<Move>>,
    /// A shortest run in which a store buffer overflows, which is no violation.
    pub overflow: Option<Vec<Move>>,
}

/// Explores a program whose buffers are variables.
pub fn explore(program: &Program, limits: &ExplicitLimits) -> Explored {
    let explorer = Explorer::new(program);
    let mut found = Explored::default();
    let start = explorer.start();
    let mut numbers: FxHashMap<Box<[i32]>, u32> = FxHashMap::default();
    numbers.insert(start.clone(), 0);
    let mut states = vec![start];
    let mut parents: Vec<Option<(u32, Move)>> = vec![None];
    let mut next = 0;
    while next < states.len() && states.len() <= limits.states {
        if next % 256 == 0 && (limits.stop)() {
            break;
        }
        let state = states[next].clone();
        for (m, compiled) in explorer.moves(&state) {
            if compiled.guard.holds(explorer.values(&state)) != Some(true) {
                continue;
            }
            let step = program.step(m);
            if let Effect::Fail(failure) = &step.effect {
                let run = match failure {
                    Failure::Overflow => &mut found.overflow,
                    _ => &mut found.violation,
                };
                if run.is_none() {
                    *run = Some(path(&parents, next, m));
                }
                if found.violation.is_some() {
                    return found;
                }
                continue;
            }
            for after in explorer.after(&state, m, step, compiled) {
                if let Entry::Vacant(entry) = numbers.entry(after) {
                    states.push(entry.key().clone());
                    entry.insert(position(states.len() - 1));
                    parents.push(Some((position(next), m)));
                }
            }
        }
        next += 1;
    }
    found
}

/// The moves to a state, and one more.
fn path(parents: &[Option<(u32, Move)>], mut at: usize, last: Move) -> Vec<Move> {
    let mut path = vec![last];
    while let Some((before, m)) = parents[at] {
        path.push(m);
        at = before as usize;
    }
    path.reverse();
    path
}

/// A condition over the values of a state.
enum CompiledCond {
    Const(bool),
    Compare(CompiledSum, Rel),
    Not(Box<CompiledCond>),
    All(Vec<CompiledCond>),
    Any(Vec<CompiledCond>),
}

/// A sum over the values of a state.
struct CompiledSum {
    terms: Vec<(usize, i64)>,
    constant: i64,
}

impl CompiledSum {
    /// Nothing for factors that are too large.
    fn new(sum: &Linear) -> Option<CompiledSum> {
        let term = |(x, f): (&VarId, &i128)| Some((x.index(), i64::try_from(*f).ok()?));
        Some(CompiledSum {
            terms: sum.terms.iter().map(term).collect::<Option<_>>()?,
            constant: i64::try_from(sum.constant).ok()?,
        })
    }

    fn value(&self, values: &[i32]) -> Option<i64> {
        self.terms.iter().try_fold(self.constant, |sum, (x, f)| {
            sum.checked_add(f.checked_mul(i64::from(values[*x]))?)
        })
    }
}

impl CompiledCond {
    fn new(cond: &Cond) -> Option<CompiledCond> {
        let all = |cs: &[Cond]| cs.iter().map(CompiledCond::new).collect::<Option<_>>();
        Some(match cond {
            Cond::Const(b) => CompiledCond::Const(*b),
            Cond::Compare(sum, rel) => CompiledCond::Compare(CompiledSum::new(sum)?, *rel),
            Cond::Not(c) => CompiledCond::Not(Box::new(CompiledCond::new(c)?)),
            Cond::And(cs) => CompiledCond::All(all(cs)?),
            Cond::Or(cs) => CompiledCond::Any(all(cs)?),
        })
    }

    fn holds(&self, values: &[i32]) -> Option<bool> {
        Some(match self {
            CompiledCond::Const(b) => *b,
            CompiledCond::Compare(sum, Rel::Eq) => sum.value(values)? == 0,
            CompiledCond::Compare(sum, Rel::Le) => sum.value(values)? <= 0,
            CompiledCond::Not(c) => !c.holds(values)?,
            CompiledCond::All(cs) => {
                for c in cs {
                    if !c.holds(values)? {
                        return Some(false);
                    }
                }
                true
            }
            CompiledCond::Any(cs) => {
                for c in cs {
                    if c.holds(values)? {
                        return Some(true);
                    }
                }
                false
            }
        })
    }
}

/// A step, ready to be executed.
struct CompiledStep {
    guard: CompiledCond,
    /// The values after it; `None` for any.
    updates: Vec<(usize, Option<CompiledSum>)>,
}

impl CompiledStep {
    fn new(step: &Step) -> Option<CompiledStep> {
        let update = |(x, u): &(VarId, Update)| {
            Some(match u {
                Update::Set(v) => (x.index(), Some(CompiledSum::new(v)?)),
                Update::Any => (x.index(), None),
            })
        };
        Some(CompiledStep {
            guard: CompiledCond::new(&step.guard)?,
            updates: step.updates.iter().map(update).collect::<Option<_>>()?,
        })
    }
}

struct Explorer<'a> {
    program: &'a Program,
    /// The steps of each thread, by location.
    outgoing: IdVec<ThreadId, IdVec<LocId, Vec<(Move, CompiledStep)>>>,
    flushes: Vec<(Move, CompiledStep)>,
    invariants: Vec<(Move, CompiledStep)>,
}

impl<'a> Explorer<'a> {
    fn new(program: &'a Program) -> Explorer<'a> {
        let mut outgoing: IdVec<ThreadId, IdVec<LocId, Vec<(Move, CompiledStep)>>> = program
            .threads
            .iter()
            .map(|t| t.locations.iter().map(|_| Vec::new()).collect())
            .collect();
        let (mut flushes, mut invariants) = (Vec::new(), Vec::new());
        for m in program.moves() {
            let step = program.step(m);
            let Some(compiled) = CompiledStep::new(step) else {
                continue;
            };
            match m {
                Move::Thread(t, _) => outgoing[t][step.from].push((m, compiled)),
                Move::Flush(_) => flushes.push((m, compiled)),
                Move::Invariant(_) => invariants.push((m, compiled)),
            }
        }
        Explorer {
            program,
            outgoing,
            flushes,
            invariants,
        }
    }

    fn start(&self) -> Box<[i32]> {
        let threads = self.program.threads.ids();
        let at = threads.map(|t| if t.index() == 0 { 0 } else { NOT_STARTED });
        let initial = |n: Option<i128>| n.and_then(|n| i32::try_from(n).ok()).unwrap_or_default();
        let values = self.program.vars.iter().map(|v| initial(v.initial));
        at.chain(values).collect()
    }

    fn values<'s>(&self, state: &'s [i32]) -> &'s [i32] {
        &state[self.program.threads.len()..]
    }

    fn at(&self, state: &[i32], t: ThreadId) -> Option<LocId> {
        u32::try_from(state[t.index()]).ok().map(LocId)
    }

    /// What can be done in a state as far as the locations say; invariants first.
    fn moves(&self, state: &[i32]) -> Vec<(Move, &CompiledStep)> {
        let program = self.program;
        let running = program.threads.ids();
        let running = running.filter_map(|t| Some((t, self.at(state, t)?)));
        let running: Vec<(ThreadId, LocId)> = running.collect();
        let own = |(t, l): &(ThreadId, LocId)| self.outgoing[*t][*l].iter().map(|(m, c)| (*m, c));
        let atomic = |(t, l): &&(ThreadId, LocId)| program.threads[*t].locations[*l].atomic;
        if let Some(alone) = running.iter().find(atomic) {
            return own(alone).collect();
        }
        let ready = |(m, _): &(Move, &CompiledStep)| match program.step(*m).effect {
            Effect::Join(t) => self.at(state, t) == Some(program.threads[t].end),
            _ => true,
        };
        let of_threads = running.iter().flat_map(own).filter(ready);
        let checks = self.invariants.iter().map(|(m, c)| (*m, c));
        let flushes = self.flushes.iter().map(|(m, c)| (*m, c));
        checks.chain(of_threads).chain(flushes).collect()
    }

    /// The states after a step: one, or one per value where any is possible.
    fn after(
        &self,
        state: &[i32],
        m: Move,
        step: &Step,
        compiled: &CompiledStep,
    ) -> Vec<Box<[i32]>> {
        let threads = self.program.threads.len();
        let values = self.values(state);
        let mut after: Box<[i32]> = state.into();
        if let Move::Thread(t, _) = m {
            after[t.index()] = position(step.to.index());
        }
        if let Effect::Spawn(t) = step.effect {
            after[t.index()] = 0;
        }
        let mut all = vec![after];
        for (x, sum) in &compiled.updates {
            let new: Vec<i32> = match sum {
                None => CHOICES.to_vec(),
                Some(sum) => {
                    let value = sum.value(values).and_then(|v| i32::try_from(v).ok());
                    value.into_iter().collect()
                }
            };
            let set = |state: &[i32], n: i32| {
                let mut state: Box<[i32]> = state.into();
                state[threads + x] = n;
                state
            };
            let states = all.iter();
            let states = states.flat_map(|state| new.iter().map(move |n| set(state, *n)));
            all = states.collect();
        }
        // What lies beyond the entries of a buffer is never read.
        for buffer in &self.program.buffers {
            for state in &mut all {
                let entries = usize::try_from(state[threads + buffer.count.index()]);
                for cell in buffer.cells.iter().skip(entries.unwrap_or_default()) {
                    state[threads + cell.value.index()] = 0;
                    if let Some(target) = cell.target {
                        state[threads + target.index()] = 0;
                    }
                }
            }
        }
        all
    }
}
