//! Which candidates block a part of a run.
//!
//! Forward, before each step those of its candidates are known that the known ones before the
//! previous step imply: the cartesian abstraction of the part. Backward, from the blocked guard
//! to the beginning, each fact is replaced with the few that imply it.

use super::candidates::{Candidates, Cost};
use super::theory::Theory;
use crate::commands::arith::{Cond, Linear, Valuation, VarId};
use crate::commands::program::{Move, Program, Step, Update};
use crate::predabs::replay::Beginning;
use std::collections::BTreeSet;

/// The predicates with which the last step of a part is blocked; nothing when the candidates are not
/// enough, or `stop` says so. `values` are possible before each step, so what is known before it holds in them.
pub fn needed(
    program: &Program,
    part: &[Move],
    from: Beginning,
    values: &[Valuation],
    candidates: &Candidates,
    stop: &dyn Fn() -> bool,
) -> Option<BTreeSet<Cond>> {
    let mut proof = Proof {
        program,
        part,
        values,
        candidates,
        known: Vec::new(),
        chosen: BTreeSet::new(),
    };
    proof.forward(from, stop)?;
    proof.backward()?;
    let chosen = proof.chosen.into_iter();
    Some(chosen.map(|c| candidates.all[c].0.clone()).collect())
}

struct Proof<'a> {
    program: &'a Program,
    part: &'a [Move],
    values: &'a [Valuation],
    candidates: &'a Candidates,
    /// The candidates whose truth values are known before each step.
    known: Vec<Vec<usize>>,
    /// What is needed.
    chosen: BTreeSet<usize>,
}

impl Proof<'_> {
    fn step(&self, i: usize) -> &Step {
        self.program.step(self.part[i])
    }

    /// A candidate or its negation, what holds before a step.
    fn literal(&self, c: usize, i: usize) -> Option<Cond> {
        let cond = &self.candidates.all[c].0;
        Some(match cond.holds(&self.values[i])? {
            true => cond.clone(),
            false => cond.negate(),
        })
    }

    /// What has to hold before a step for a literal after it.
    fn before(&self, c: usize, i: usize) -> Option<Cond> {
        let step = self.step(i);
        let fresh = self.program.vars.len();
        let by = |x: VarId| {
            let at = step.updates.iter().position(|(y, _)| *y == x)?;
            Some(match &step.updates[at].1 {
                Update::Set(value) => value.clone(),
                Update::Any => Linear::var(VarId(base::idx::position(fresh + at))),
            })
        };
        Some(self.literal(c, i + 1)?.replace(&by))
    }

    fn forward(&mut self, from: Beginning, stop: &dyn Fn() -> bool) -> Option<()> {
        let mut first = Vec::new();
        if from == Beginning::Initial {
            let mut theory = Theory::new();
            for (x, v) in self.program.vars.iter_enumerated() {
                if let Some(n) = v.initial {
                    theory.assert(&Cond::is(x, n));
                }
            }
            for c in &self.candidates.at[0] {
                if theory.implies(&self.literal(*c, 0)?) {
                    first.push(*c);
                }
            }
        }
        self.known.push(first);
        for i in 0..self.part.len() - 1 {
            if stop() {
                return None;
            }
            let known = &self.known[i];
            let mut theory = Theory::new();
            let guard = &self.step(i).guard;
            theory.assert(guard);
            for c in known {
                theory.assert(&self.literal(*c, i)?);
            }
            let mut next = Vec::new();
            for c in &self.candidates.at[i + 1] {
                let before = self.before(*c, i)?;
                let same = before == self.literal(*c, i)?;
                if same && known.contains(c) || theory.implies(&before) {
                    next.push(*c);
                }
            }
            self.known.push(next);
        }
        Some(())
    }

    fn backward(&mut self) -> Option<()> {
        let last = self.part.len() - 1;
        let mut open = self.reasons(last, &Cond::Const(false))?;
        for i in (0..=last).rev() {
            self.chosen.extend(&open);
            if i == 0 {
                break;
            }
            let mut earlier = BTreeSet::new();
            for c in open {
                let before = self.before(c, i - 1)?;
                let same = before == self.literal(c, i - 1)?;
                if same && self.known[i - 1].contains(&c) {
                    earlier.insert(c);
                } else {
                    earlier.extend(self.reasons(i - 1, &before)?);
                }
            }
            open = earlier;
        }
        Some(())
    }

    /// Few known candidates that together with the guard of a step imply a condition.
    fn reasons(&self, i: usize, goal: &Cond) -> Option<BTreeSet<usize>> {
        let mut theory = Theory::new();
        theory.assert(&self.step(i).guard);
        theory.assert(&goal.negate());
        let cost = |c: &usize| match self.chosen.contains(c) {
            true => Cost::Predicate,
            false => self.candidates.all[*c].1,
        };
        // The core has the later ones.
        let mut usable = self.known[i].clone();
        usable.sort_by_key(|c| std::cmp::Reverse(cost(c)));
        let literals: Option<Vec<Cond>> = usable.iter().map(|c| self.literal(*c, i)).collect();
        let core = theory.core(&literals?)?;
        Some(core.into_iter().map(|at| usable[at]).collect())
    }
}
