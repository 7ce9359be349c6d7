//! Symmetry of threads that do the same: two of them exchanged is the same program.
//!
//! An exchange of two threads maps their locals and buffers to each other, and with them steps and
//! predicates. If every step of the program that can still be taken is mapped to one, a state may
//! be replaced by what it is mapped to: whatever goes wrong from one of them goes wrong from the
//! other. That nobody tells the threads apart any more holds from some locations on only, as somebody
//! starts them one after the other. The exchange is of the program, not of its abstraction; so it does not
//! matter that the abstractions of two exchanged steps may differ, if only the predicates are
//! mapped to each other.

use super::cube::Cube;
use super::predicates::Predicate;
use crate::commands::arith::{Cond, Linear, VarId};
use crate::commands::program::*;
use base::idx::{Id, IdVec, position};
use std::collections::{BTreeMap, BTreeSet};

/// Two threads exchanged.
#[derive(Clone, Debug)]
pub struct Exchange {
    threads: [ThreadId; 2],
    /// What each predicate becomes: which, and whether it is negated.
    predicates: Vec<(usize, bool)>,
    /// The steps that it maps.
    moves: BTreeMap<Move, Move>,
    /// The locations from which all steps are mapped.
    settled: BTreeSet<(ThreadId, LocId)>,
}

impl Exchange {
    /// All of the program.
    pub fn all(program: &Program, predicates: &[Predicate]) -> Vec<Exchange> {
        let ids: Vec<ThreadId> = program.threads.ids().collect();
        let pairs = ids.iter().enumerate();
        let pairs = pairs.flat_map(|(i, s)| ids[i + 1..].iter().map(move |t| [*s, *t]));
        pairs
            .filter_map(|threads| Exchange::of(program, predicates, threads))
            .collect()
    }

    /// Of two threads, if they do the same and no predicate tells them apart.
    fn of(program: &Program, predicates: &[Predicate], threads: [ThreadId; 2]) -> Option<Exchange> {
        let vars = variables(program, threads)?;
        let by = |x: VarId| vars.get(&x).map(|y| Linear::var(*y));
        let predicates: Option<Vec<(usize, bool)>> = predicates
            .iter()
            .map(|p| {
                let image = p.cond.replace(&by);
                let at = |c: &Cond| predicates.iter().position(|q| q.cond == *c);
                let same = at(&image).map(|i| (i, false));
                same.or_else(|| at(&image.negate()).map(|i| (i, true)))
            })
            .collect();
        let mapping = Mapping {
            threads,
            vars: &vars,
        };
        let moves = mapping.moves(program);
        let settled = settled(program, &moves);
        let whole = |t: ThreadId| settled.contains(&(t, LocId(0)));
        // Steps of nobody are always possible.
        let others = program.moves().into_iter();
        let mut others = others.filter(|m| !matches!(m, Move::Thread(..)));
        let free = threads.into_iter().all(whole) && others.all(|m| moves.contains_key(&m));
        free.then_some(Exchange {
            threads,
            predicates: predicates?,
            moves,
            settled,
        })
    }

    /// All threads are where nobody tells these two apart any more.
    pub fn applies(&self, at: &[LocId]) -> bool {
        let mut at = at.iter().enumerate();
        at.all(|(t, l)| self.settled.contains(&(ThreadId(position(t)), *l)))
    }

    /// The locations and what is known, exchanged.
    pub fn state(&self, at: &[LocId], known: Cube) -> (Box<[LocId]>, Cube) {
        let mut at: Box<[LocId]> = at.into();
        let [s, t] = self.threads.map(Id::index);
        at.swap(s, t);
        let mut cube = Cube::default();
        for (i, holds) in known.literals() {
            let (image, negated) = self.predicates[i];
            let literal = Cube::literal(image, holds != negated);
            cube.mask |= literal.mask;
            cube.value |= literal.value;
        }
        (at, cube)
    }

    /// A step, exchanged.
    pub fn step(&self, m: Move) -> Move {
        self.moves.get(&m).copied().unwrap_or(m)
    }
}

/// The locals and buffers of two threads, mapped to each other; nothing where they differ.
fn variables(program: &Program, [s, t]: [ThreadId; 2]) -> Option<BTreeMap<VarId, VarId>> {
    let mut pairs = Vec::new();
    let own = |owner: ThreadId| -> BTreeMap<(bool, &str), VarId> {
        let all = program.vars.iter_enumerated();
        all.filter_map(|(x, v)| match v.kind {
            VariableKind::Local(t) if t == owner => Some(((false, v.name.as_str()), x)),
            VariableKind::Temporary(t) if t == owner => Some(((true, v.name.as_str()), x)),
            _ => None,
        })
        .collect()
    };
    let (mine, yours) = (own(s), own(t));
    if !mine.keys().eq(yours.keys()) {
        return None;
    }
    pairs.extend(mine.into_values().zip(yours.into_values()));
    let buffers = |owner: ThreadId| -> Vec<&Buffer> {
        program
            .buffers
            .iter()
            .filter(|b| b.thread == owner)
            .collect()
    };
    let (mine, yours) = (buffers(s), buffers(t));
    if mine.len() != yours.len() {
        return None;
    }
    for (a, b) in mine.into_iter().zip(yours) {
        if a.stores != b.stores || a.cells.len() != b.cells.len() {
            return None;
        }
        pairs.push((a.count, b.count));
        for (c, d) in a.cells.iter().zip(&b.cells) {
            pairs.push((c.value, d.value));
            pairs.extend(c.target.zip(d.target));
        }
    }
    let same = |(x, y): &(VarId, VarId)| program.vars[*x].initial == program.vars[*y].initial;
    let both = pairs.iter().flat_map(|(x, y)| [(*x, *y), (*y, *x)]);
    pairs.iter().all(same).then(|| both.collect())
}

/// Threads and variables exchanged.
struct Mapping<'a> {
    threads: [ThreadId; 2],
    vars: &'a BTreeMap<VarId, VarId>,
}

/// All that a step does, in an order of its own.
type StepContent = (LocId, LocId, Cond, Vec<(VarId, Update)>, Effect);

impl Mapping<'_> {
    fn thread(&self, t: ThreadId) -> ThreadId {
        match self.threads {
            [a, b] if t == a => b,
            [a, b] if t == b => a,
            _ => t,
        }
    }

    /// What a step becomes.
    fn image(&self, step: &Step) -> StepContent {
        let by = |x: VarId| self.vars.get(&x).map(|y| Linear::var(*y));
        let updates = step.updates.iter().map(|(x, u)| {
            let u = match u {
                Update::Set(v) => Update::Set(v.replace(&by)),
                Update::Any => Update::Any,
            };
            (self.vars.get(x).copied().unwrap_or(*x), u)
        });
        let effect = match &step.effect {
            Effect::Spawn(t) => Effect::Spawn(self.thread(*t)),
            Effect::Join(t) => Effect::Join(self.thread(*t)),
            effect => effect.clone(),
        };
        content(step, step.guard.replace(&by), updates.collect(), effect)
    }

    /// The steps that become steps.
    fn moves(&self, program: &Program) -> BTreeMap<Move, Move> {
        let all = program.moves();
        let plain = |m: &Move| {
            let step = program.step(*m);
            content(
                step,
                step.guard.clone(),
                step.updates.clone(),
                step.effect.clone(),
            )
        };
        let contents: Vec<(Move, StepContent)> = all.iter().map(|m| (*m, plain(m))).collect();
        // Of a thread, or of nobody.
        let who = |m: &Move| match m {
            Move::Thread(t, _) => Some(*t),
            Move::Flush(_) | Move::Invariant(_) => None,
        };
        let mut moves = BTreeMap::new();
        for m in all {
            let (owner, image) = (who(&m).map(|t| self.thread(t)), self.image(program.step(m)));
            let found = contents
                .iter()
                .find(|(n, content)| who(n) == owner && *content == image);
            if let Some((n, _)) = found {
                moves.insert(m, *n);
            }
        }
        moves
    }
}

fn content(
    step: &Step,
    guard: Cond,
    mut updates: Vec<(VarId, Update)>,
    effect: Effect,
) -> StepContent {
    updates.sort();
    (step.from, step.to, sorted(guard), updates, effect)
}

/// A condition whose parts are in order.
fn sorted(cond: Cond) -> Cond {
    let all = |parts: Vec<Cond>| {
        let mut parts: Vec<Cond> = parts.into_iter().map(sorted).collect();
        parts.sort();
        parts
    };
    match cond {
        Cond::And(parts) => Cond::And(all(parts)),
        Cond::Or(parts) => Cond::Or(all(parts)),
        Cond::Not(part) => Cond::Not(Box::new(sorted(*part))),
        cond => cond,
    }
}

/// The locations from which no step is reachable that is not mapped.
fn settled(program: &Program, moves: &BTreeMap<Move, Move>) -> BTreeSet<(ThreadId, LocId)> {
    let mut settled = BTreeSet::new();
    for (t, thread) in program.threads.iter_enumerated() {
        let mut apart: IdVec<LocId, bool> = thread.locations.iter().map(|_| false).collect();
        loop {
            let before = apart.clone();
            for (i, step) in thread.steps.iter().enumerate() {
                apart[step.from] |= apart[step.to] || !moves.contains_key(&Move::Thread(t, i));
            }
            if apart == before {
                break;
            }
        }
        settled.extend(apart.ids().filter(|l| !apart[*l]).map(|l| (t, l)));
    }
    settled
}
