//! The Boolean program: what each step does to the predicates.
//!
//! For a step with guard `g` and updates `x := e`, a predicate `p` becomes true in every state in which
//! some cube holds that implies, together with `g`, `p[e/x]`; false likewise, and unknown elsewhere (the
//! cartesian abstraction of Ball, Majumdar, Millstein and Rajamani, PLDI 2001). A step is blocked where a
//! cube holds that implies `¬g`. A predicate that the step does not touch keeps its value; where that is
//! unknown, the guard may tell it.

use super::cube::Cube;
use super::implicants::{Counts, CubeSearch, Implicants};
use super::predicates::Predicate;
use crate::commands::arith::{Cond, Linear, VarId};
use crate::commands::program::{Move, Program, Step, Update};
use base::idx::position;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::collections::{BTreeMap, BTreeSet};

/// What a step does to a predicate.
#[derive(Clone, Debug)]
pub struct Effect {
    /// Which.
    pub predicate: usize,
    /// It keeps its value, if that is known.
    pub keeps: bool,
    /// Where it becomes true.
    pub yes: Vec<Cube>,
    /// Where it becomes false.
    pub no: Vec<Cube>,
}

/// A step over predicates.
#[derive(Clone, Debug)]
pub struct BooleanStep {
    /// Where it is impossible.
    pub blocked: Vec<Cube>,
    /// What it does.
    pub effects: Vec<Effect>,
}

/// The steps of a program over predicates.
#[derive(Clone, Debug)]
pub struct BooleanProgram {
    /// The predicates.
    pub predicates: Vec<Predicate>,
    /// What is known at the beginning.
    pub initial: Cube,
    /// The steps.
    pub steps: BTreeMap<Move, BooleanStep>,
    /// The work.
    pub counts: Counts,
}

impl BooleanProgram {
    /// Abstracts a program, its steps in parallel. Stops early when `stop` says so.
    pub fn new(
        program: &Program,
        predicates: &[Predicate],
        search: CubeSearch,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<BooleanProgram> {
        let conds: Vec<Cond> = predicates.iter().map(|p| p.cond.clone()).collect();
        let implicants = Implicants::new(conds.clone(), search, stop);
        let known = program.vars.iter_enumerated();
        let known = known.filter_map(|(x, v)| Some(Cond::is(x, v.initial?)));
        let start = Cond::and(known);
        let mut initial = Cube::default();
        for (i, p) in conds.iter().enumerate() {
            let never = |c: Cond| implicants.is_impossible(&Cond::and([start.clone(), c]));
            let literal = match (never(p.negate()), never(p.clone())) {
                (true, _) => Cube::literal(i, true),
                (_, true) => Cube::literal(i, false),
                _ => continue,
            };
            initial.mask |= literal.mask;
            initial.value |= literal.value;
        }
        let fresh = program.vars.len();
        let abstracted = program.moves().into_par_iter().map(|m| {
            let step = step(program.step(m), &conds, fresh, &implicants);
            (!stop()).then_some((m, step))
        });
        let steps: Option<BTreeMap<Move, BooleanStep>> = abstracted.collect();
        Some(BooleanProgram {
            predicates: predicates.to_vec(),
            initial,
            steps: steps?,
            counts: implicants.counts(),
        })
    }

    /// The cubes of more than one literal in it, each once.
    pub fn cubes(&self) -> BTreeSet<Cube> {
        let all = self.steps.values().flat_map(|s| {
            let effects = s.effects.iter().flat_map(|e| e.yes.iter().chain(&e.no));
            s.blocked.iter().chain(effects)
        });
        all.copied().filter(|c| c.size() > 1).collect()
    }
}

fn step(step: &Step, conds: &[Cond], fresh: usize, implicants: &Implicants) -> BooleanStep {
    let blocked = implicants.of(&Cond::Const(true), &step.guard.negate(), &[]);
    let assigned: BTreeSet<VarId> = step.updates.iter().map(|(x, _)| *x).collect();
    let guarded = step.guard.vars();
    let after = |x: VarId| {
        let at = step.updates.iter().position(|(y, _)| *y == x)?;
        Some(match &step.updates[at].1 {
            Update::Set(value) => value.clone(),
            // Any value: a variable that nothing is known about.
            Update::Any => Linear::var(VarId(position(fresh + at))),
        })
    };
    let mut effects = Vec::new();
    for (i, p) in conds.iter().enumerate() {
        let vars = p.vars();
        let keeps = vars.is_disjoint(&assigned);
        if keeps && vars.is_disjoint(&guarded) {
            continue;
        }
        let (mut skip, then) = (blocked.clone(), p.replace(&after));
        if keeps {
            skip.extend([Cube::literal(i, false), Cube::literal(i, true)]);
        }
        let yes = implicants.of(&step.guard, &then, &skip);
        let no = implicants.of(&step.guard, &then.negate(), &skip);
        if !(keeps && yes.is_empty() && no.is_empty()) {
            effects.push(Effect {
                predicate: i,
                keeps,
                yes,
                no,
            });
        }
    }
    BooleanStep { blocked, effects }
}

impl BooleanStep {
    /// What is known after the step where `state` is known; nothing where it is impossible.
    pub fn apply(&self, state: Cube) -> Option<Cube> {
        let some = |cubes: &[Cube]| cubes.iter().any(|c| state.extends(*c));
        if some(&self.blocked) {
            return None;
        }
        let mut after = state;
        for e in &self.effects {
            let bit = 1 << e.predicate;
            if e.keeps && state.mask & bit != 0 {
                continue;
            }
            let (yes, no) = (some(&e.yes), some(&e.no));
            if yes && no {
                // Cubes of both kinds hold in no state together with the guard.
                return None;
            }
            after.mask &= !bit;
            after.value &= !bit;
            if yes || no {
                after.mask |= bit;
                after.value |= if yes { bit } else { 0 };
            }
        }
        Some(after)
    }
}
