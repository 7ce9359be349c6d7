//! Which part of a run contradicts itself, and by which conditions.

use super::theory::Theory;
use super::vocabulary::{Relation, Vocabulary};
use crate::commands::arith::{Cond, Linear, VarId};
use crate::commands::program::{Move, Program, Step, Update};
use crate::predabs::replay::{Beginning, SymbolicRun};
use base::idx::IdVec;
use std::collections::BTreeMap;

/// Why a part of a run is impossible.
pub struct Conflict {
    /// The values before each step, and after the last, over symbols for what is not determined or
    /// does not matter.
    pub values: Vec<IdVec<VarId, Linear>>,
    /// Before each step, what has to hold for the conditions after it that contradict each other.
    pub preconditions: Vec<Vec<Cond>>,
}

/// The last position from which on a run is impossible, whatever the values there.
pub fn latest(program: &Program, run: &[Move]) -> Option<usize> {
    let impossible = |first: usize| {
        let symbolic = SymbolicRun::new(program, &run[first..], Beginning::Anywhere);
        let mut theory = Theory::new();
        symbolic.guards.iter().for_each(|g| theory.assert(g));
        theory.implies(&Cond::Const(false))
    };
    if !impossible(0) {
        return None;
    }
    let (mut yes, mut no) = (0, run.len());
    while yes + 1 < no {
        let middle = (yes + no) / 2;
        if impossible(middle) {
            yes = middle;
        } else {
            no = middle;
        }
    }
    Some(yes)
}

impl Conflict {
    /// Why a part of a run is impossible from some beginning. What is known there is used where the guards of
    /// the part are not enough.
    pub fn find(
        program: &Program,
        vocabulary: &Vocabulary,
        part: &[Move],
        from: Beginning,
    ) -> Option<Conflict> {
        // The first symbols are the variables at the beginning.
        let symbolic = SymbolicRun::new(program, part, Beginning::Anywhere);
        let mut conjuncts: Vec<(usize, Cond)> = Vec::new();
        for (i, m) in part.iter().enumerate() {
            let all = match &program.step(*m).guard {
                Cond::Const(true) => Vec::new(),
                Cond::And(all) => all.clone(),
                one => vec![one.clone()],
            };
            conjuncts.extend(all.into_iter().map(|c| (i, c)));
        }
        let initial = match from {
            Beginning::Anywhere => Vec::new(),
            Beginning::Initial => initial(program, vocabulary),
        };
        // The core has the later ones.
        let mut conds: Vec<Cond> = initial.iter().map(|(c, _)| c.clone()).collect();
        conds.extend(
            conjuncts
                .iter()
                .map(|(i, c)| c.replace(&|x| Some(symbolic.values[*i][x].clone()))),
        );
        let core = Theory::new().core(&conds)?;
        let (first, core): (Vec<usize>, Vec<usize>) =
            core.into_iter().partition(|i| *i < initial.len());
        let core: Vec<&(usize, Cond)> = core
            .into_iter()
            .map(|i| &conjuncts[i - initial.len()])
            .collect();
        let known: BTreeMap<VarId, i128> = first.into_iter().filter_map(|i| initial[i].1).collect();
        let determined = |v: &Linear| v.replace(&|x| known.get(&x).map(|n| Linear::constant(*n)));
        let values = symbolic.values.iter();
        let values = values.map(|all| all.iter().map(determined).collect());
        let values = values.collect();
        let mut preconditions: Vec<Vec<Cond>> = vec![Vec::new(); part.len()];
        let mut later: Vec<Cond> = Vec::new();
        for (i, m) in part.iter().enumerate().rev() {
            let step = program.step(*m);
            let after = later.iter().filter_map(|c| precondition(step, c));
            let here = core.iter().filter(|(at, _)| *at == i);
            let mut all: Vec<Cond> = Vec::new();
            for c in after.chain(here.map(|(_, c)| c.clone())) {
                if !matches!(c, Cond::Const(_)) && !all.contains(&c) {
                    all.push(c);
                }
            }
            later = all;
            preconditions[i].clone_from(&later);
        }
        Some(Conflict {
            values,
            preconditions,
        })
    }
}

/// What holds at the beginning: the numbers that variables have, and after these how variables compare, those
/// that one is assigned from the other last.
fn initial(program: &Program, vocabulary: &Vocabulary) -> Vec<(Cond, Option<(VarId, i128)>)> {
    let vars = program.vars.iter_enumerated();
    let numbers: BTreeMap<VarId, i128> = vars.filter_map(|(x, v)| Some((x, v.initial?))).collect();
    let numbers = &numbers;
    let exact = numbers
        .iter()
        .map(|(x, n)| (Cond::is(*x, *n), Some((*x, *n))));
    let relations = [Relation::Compared, Relation::Assigned].into_iter();
    let pairs = relations.flat_map(|r| vocabulary.related(r));
    let compared = pairs.flat_map(|(x, y)| {
        let (a, b) = (numbers.get(&x), numbers.get(&y));
        let (x, y) = (Linear::var(x), Linear::var(y));
        let facts = match (a, b) {
            (Some(a), Some(b)) if a < b => vec![Cond::less(&x, &y), Cond::at_most(&x, &y)],
            (Some(a), Some(b)) if a > b => vec![Cond::less(&y, &x), Cond::at_most(&y, &x)],
            (Some(_), Some(_)) => vec![Cond::at_most(&x, &y), Cond::at_most(&y, &x)],
            _ => Vec::new(),
        };
        facts.into_iter().map(|c| (c, None))
    });
    exact.chain(compared).collect()
}

/// What has to hold before the assignments of a step for a condition after it; nothing where that
/// depends on a value that the step chooses.
fn precondition(step: &Step, cond: &Cond) -> Option<Cond> {
    let chosen = |x: &VarId| step.update(*x) == Some(&Update::Any);
    if cond.vars().iter().any(chosen) {
        return None;
    }
    let by = |x: VarId| -> Option<Linear> {
        match step.update(x) {
            Some(Update::Set(value)) => Some(value.clone()),
            _ => None,
        }
    };
    Some(cond.replace(&by))
}
