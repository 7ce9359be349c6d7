//! New predicates from a spurious counterexample.
//!
//! Counterexample-guided refinement: a run of the abstraction that is none of the program tells
//! which predicates are missing (Clarke, Grumberg, Jha, Lu and Veith, CAV 2000; for predicates Ball and
//! Rajamani, "Boolean programs: a model and process for software analysis", MSR-TR-2000-14).
//!
//! 1. [`conflict`] finds a part of the run that contradicts itself whatever the values before it, as
//!    late and as short as possible, and the few conjuncts of guards that do.
//! 2. [`candidates`] are the atoms of the weakest preconditions of these conjuncts before each step, and
//!    conditions over the same variables that say less: what the [`vocabulary`] of the program has, and how
//!    two variables compare. So a counter that grows from run to run (`x == 1`, `x == 2`, …) is
//!    compared with another one (`x < y`) where that is enough.
//! 3. [`proof`] abstracts the steps of the part over the candidates, as the search will, and
//!    walks back from the step that is blocked: what each derivation needs, the predicates that are
//!    there first, then those that say less.
//!
//! Where the late part gives nothing, the run is taken from its beginning; where the predicates
//! should block the run and the abstraction does not see it, all atoms of the weakest preconditions
//! are taken: each of them follows from one alone. Last come the preconditions as a whole, for
//! what only a disjunction can say.

mod atoms;
mod candidates;
mod conflict;
mod proof;
mod theory;
mod vocabulary;

use super::replay::{Beginning, numbers};
use crate::commands::arith::Cond;
use crate::commands::program::{Effect, Failure, Move, Program};
use atoms::{atoms, canonical};
use candidates::Candidates;
use conflict::Conflict;
use std::collections::BTreeSet;
use vocabulary::Vocabulary;

/// Refines predicates of one program.
pub struct Refiner<'a> {
    program: &'a Program,
    vocabulary: Vocabulary,
}

impl Refiner<'_> {
    /// For a program.
    pub fn new(program: &Program) -> Refiner<'_> {
        Refiner {
            program,
            vocabulary: Vocabulary::new(program),
        }
    }

    /// Predicates that are missing for a run whose step at `at` cannot follow those before it.
    /// The run was found with the predicates `used`; `found` have been found since. None when `stop` says
    /// so.
    pub fn missing(
        &self,
        run: &[Move],
        at: usize,
        used: &[Cond],
        found: &[Cond],
        stop: &dyn Fn() -> bool,
    ) -> Vec<Cond> {
        let run = &run[..=at];
        let is_in = |all: &[Cond], c: &Cond| all.iter().any(|k| canonical(k) == *c);
        let new = |all: BTreeSet<Cond>| -> Vec<Cond> {
            let new = all.into_iter();
            new.filter(|c| !is_in(used, c) && !is_in(found, c))
                .collect()
        };
        let Some(values) = numbers(self.program, &run[..at]) else {
            return Vec::new();
        };
        let late = conflict::latest(self.program, run);
        let late = late.map(|first| (first, Beginning::Anywhere));
        let initial = (0, Beginning::Initial);
        for (first, from) in late.into_iter().chain([initial]) {
            let part = &run[first..];
            let Some(conflict) = Conflict::find(self.program, &self.vocabulary, part, from) else {
                continue;
            };
            let known = [used, found].concat();
            let values = &values[first..];
            let candidates = Candidates::new(&self.vocabulary, &conflict, values, &known);
            let needed = proof::needed(self.program, part, from, values, &candidates, stop);
            if stop() {
                return Vec::new();
            }
            match needed {
                // If no more is needed than was there, the abstraction is weaker than the proof.
                Some(needed) if !needed.iter().all(|c| is_in(used, c)) => return new(needed),
                _ => {}
            }
        }
        let Some(conflict) =
            Conflict::find(self.program, &self.vocabulary, run, Beginning::Initial)
        else {
            return Vec::new();
        };
        let whole = conflict.preconditions.iter().flatten();
        let single = new(whole.clone().flat_map(atoms).collect());
        if !single.is_empty() {
            return single;
        }
        new(whole.map(canonical).collect())
    }

    /// Predicates to begin with: what the properties compare.
    pub fn initial(&self) -> Vec<Cond> {
        let mut found: Vec<Cond> = Vec::new();
        for m in self.program.moves() {
            let step = self.program.step(m);
            let is_property =
                matches!(&step.effect, Effect::Fail(failure) if *failure != Failure::Overflow);
            let compared = is_property.then(|| atoms(&step.guard));
            for c in compared.into_iter().flatten() {
                if !found.contains(&c) {
                    found.push(c);
                }
            }
        }
        found
    }
}
