//! The abstraction of a program on demand: what a step does to a cube is asked when the cube is reached.
//!
//! A Boolean program says for every cube what follows from it, and most cubes are never reached. Without
//! it a step has a solver of its own, in which its guard holds and each predicate near it is equivalent to
//! a Boolean variable, before the step and after it; so all queries are literals. An unsatisfiable
//! query leaves a core behind, which is shrunk: every cube with its literals has the same
//! consequence. A satisfiable one leaves the truth values of all predicates near the step, before and after it:
//! no cube that they satisfy has a consequence that they violate. Most questions are
//! answered by these, without a query: the protocols of the benchmarks need a few hundred queries where
//! their Boolean programs need up to a hundred thousand. Neither the size of cubes nor the number of
//! predicates near a step is limited, so this is the best cartesian abstraction.
//!
//! Near a step are the predicates that share variables with its guard or its updates, or with such
//! predicates. Literals of others are left out of the query: fewer assumptions, so
//! nothing follows that should not.

use super::cube::Cube;
use super::implicants::Counts;
use super::post::Post;
use super::predicates::Predicate;
use crate::commands::arith::{Cond, Linear, VarId};
use crate::commands::program::{Move, Program, Step, Update};
use base::idx::position;
use rustc_hash::FxHashMap;
use smt::{Formula, Limits, SmtResult, SmtValue, Solver, Sort, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Truth values of the predicates near a step, in one instance of it.
struct Example {
    before: Cube,
    after: Cube,
}

/// A program over predicates.
pub struct OnDemand<'a> {
    program: &'a Program,
    predicates: Vec<Cond>,
    steps: BTreeMap<Move, StepQueries>,
    initial: Cube,
    counts: Counts,
}

impl<'a> OnDemand<'a> {
    /// Of a program.
    pub fn new(program: &'a Program, predicates: &[Predicate]) -> OnDemand<'a> {
        let predicates: Vec<Cond> = predicates.iter().map(|p| p.cond.clone()).collect();
        let mut first = StepQueries::new(&program.initially(), &predicates, program.vars.len());
        let mut counts = Counts::default();
        let initial = first.after(Cube::default(), &mut counts);
        OnDemand {
            program,
            predicates,
            steps: BTreeMap::new(),
            // Initial values never contradict each other.
            initial: initial.unwrap_or_default(),
            counts,
        }
    }
}

impl Post for OnDemand<'_> {
    fn initial(&self) -> Cube {
        self.initial
    }

    fn after(&mut self, m: Move, cube: Cube) -> Option<Cube> {
        let (program, predicates) = (self.program, &self.predicates);
        let new = || StepQueries::new(program.step(m), predicates, program.vars.len());
        let step = self.steps.entry(m).or_insert_with(new);
        step.after(cube, &mut self.counts)
    }

    fn counts(&self) -> Counts {
        self.counts
    }

    fn cubes(&self) -> BTreeSet<Cube> {
        let all = self.steps.values();
        let all = all.flat_map(|s| s.blocked.iter().chain(s.implied.values().flatten()));
        all.copied().filter(|c| c.size() > 1).collect()
    }
}

/// A step, and what was asked about it.
struct StepQueries {
    /// The predicates near the step.
    near: u128,
    /// Those whose variables it assigns.
    assigned: u128,
    solver: Solver,
    /// Of each predicate near the step, the variables of the solver before and after it.
    bits: BTreeMap<usize, (Var, Var)>,
    /// Cubes in which the step is impossible.
    blocked: Vec<Cube>,
    /// Cubes from which a predicate follows, by predicate and value.
    implied: BTreeMap<(usize, bool), Vec<Cube>>,
    examples: Vec<Example>,
    found: FxHashMap<Cube, Option<Cube>>,
}

impl StepQueries {
    /// Of a step; variables beyond `variables` are free.
    fn new(step: &Step, predicates: &[Cond], variables: usize) -> StepQueries {
        let after = |x: VarId| {
            let at = step.updates.iter().position(|(y, _)| *y == x)?;
            Some(match &step.updates[at].1 {
                Update::Set(value) => value.clone(),
                Update::Any => Linear::var(VarId(position(variables + at))),
            })
        };
        let changed: BTreeSet<VarId> = step.updates.iter().map(|(x, _)| *x).collect();
        let vars: Vec<BTreeSet<VarId>> = predicates.iter().map(Cond::vars).collect();
        let assigned = (0..vars.len()).filter(|i| !vars[*i].is_disjoint(&changed));
        let assigned: BTreeSet<usize> = assigned.collect();
        let mut reached = step.guard.vars();
        for i in &assigned {
            reached.extend(predicates[*i].replace(&after).vars());
        }
        let mut near = assigned.clone();
        loop {
            let next = (0..vars.len()).filter(|i| !near.contains(i));
            let next: Vec<usize> = next.filter(|i| !vars[*i].is_disjoint(&reached)).collect();
            if next.is_empty() {
                break;
            }
            reached.extend(next.iter().flat_map(|i| vars[*i].iter().copied()));
            near.extend(next);
        }
        let mask = |all: &BTreeSet<usize>| all.iter().fold(0_u128, |mask, i| mask | 1 << i);
        let conds = near.iter().map(|i| {
            let then = predicates[*i].replace(&after);
            (*i, (predicates[*i].clone(), then))
        });
        let mut all = StepQueries {
            near: mask(&near),
            assigned: mask(&assigned),
            solver: Solver::new(Limits::default()),
            bits: BTreeMap::new(),
            blocked: Vec::new(),
            implied: BTreeMap::new(),
            examples: Vec::new(),
            found: FxHashMap::default(),
        };
        all.assert(&step.guard, conds.collect());
        all
    }

    /// Gives the solver the guard and the predicates, each before the step and, in terms of the values
    /// before it, after it.
    fn assert(&mut self, guard: &Cond, conds: BTreeMap<usize, (Cond, Cond)>) {
        let solver = &mut self.solver;
        let mut vars: BTreeMap<VarId, Var> = BTreeMap::new();
        let all = conds.values().flat_map(|(p, q)| [p, q]);
        for x in all.chain([guard]).flat_map(Cond::vars) {
            vars.entry(x).or_insert_with(|| solver.variable(Sort::Int));
        }
        let mut var = |x: VarId| vars[&x];
        solver.assert(guard.formula(&mut var));
        for (i, (before, after)) in &conds {
            let mut bit = |cond: &Cond| {
                let bit = solver.variable(Sort::Bool);
                solver.assert(Formula::iff(Formula::holds(bit), cond.formula(&mut var)));
                bit
            };
            let first = bit(before);
            let second = if before == after { first } else { bit(after) };
            self.bits.insert(*i, (first, second));
        }
    }

    /// What is known after the step where `cube` is; nothing where it is impossible.
    fn after(&mut self, cube: Cube, counts: &mut Counts) -> Option<Cube> {
        let near = cube.within(self.near);
        let found = match self.found.get(&near) {
            Some(known) => {
                counts.cached += 1;
                *known
            }
            None => {
                let found = self.consequences(near, counts);
                self.found.insert(near, found);
                found
            }
        }?;
        let far = cube.within(!self.near);
        Some(Cube {
            mask: found.mask | far.mask,
            value: found.value | far.value,
        })
    }

    fn consequences(&mut self, cube: Cube, counts: &mut Counts) -> Option<Cube> {
        if !self.is_possible(cube, counts) {
            return None;
        }
        let mut after = cube.within(!self.assigned);
        for i in self.bits.keys().copied().collect::<Vec<usize>>() {
            if after.truth(i).is_some() {
                continue;
            }
            let values = [true, false];
            let mut values = values.into_iter();
            let known = values.find(|v| self.implies(cube, i, *v, counts));
            if let Some(value) = known {
                after = after.with(i, value);
            }
        }
        Some(after)
    }

    /// The step may be possible in the cube.
    fn is_possible(&mut self, cube: Cube, counts: &mut Counts) -> bool {
        if self.blocked.iter().any(|c| cube.extends(*c)) {
            return false;
        }
        if self.examples.iter().any(|e| e.before.extends(cube)) {
            return true;
        }
        match self.core(cube, None, counts) {
            None => true,
            Some(core) => {
                self.blocked.push(core);
                false
            }
        }
    }

    /// A predicate has a value after the step from each state of the cube.
    fn implies(&mut self, cube: Cube, predicate: usize, value: bool, counts: &mut Counts) -> bool {
        let cores = self.implied.get(&(predicate, value));
        if cores.is_some_and(|cores| cores.iter().any(|c| cube.extends(*c))) {
            return true;
        }
        let opposite = |e: &Example| e.after.truth(predicate) == Some(!value);
        let mut examples = self.examples.iter();
        if examples.any(|e| opposite(e) && e.before.extends(cube)) {
            return false;
        }
        let Some(core) = self.core(cube, Some((predicate, value)), counts) else {
            return false;
        };
        let key = (predicate, value);
        self.implied.entry(key).or_default().push(core);
        true
    }

    /// Literals of the cube from which it follows that the step is impossible or, if a literal is given,
    /// that this holds afterwards. Nothing where it does not follow, or the solver does not know.
    fn core(
        &mut self,
        cube: Cube,
        then: Option<(usize, bool)>,
        counts: &mut Counts,
    ) -> Option<Cube> {
        let literals: Vec<(usize, bool)> = cube.literals().collect();
        let holds = |bit: Var, value: bool| match value {
            true => Formula::holds(bit),
            false => Formula::holds(bit).negate(),
        };
        let before = literals.iter().map(|(i, v)| holds(self.bits[i].0, *v));
        let mut assumptions: Vec<Formula> = before.collect();
        assumptions.extend(then.map(|(i, v)| holds(self.bits[&i].1, !v)));
        let before = self.solver.queries();
        let found = match self.solver.check_with(&assumptions) {
            SmtResult::Unsat(used) => {
                let used = self.solver.shrink(&assumptions, &used);
                let used = used.into_iter().filter_map(|at| literals.get(at));
                Some(used.fold(Cube::default(), |core, (i, v)| core.with(*i, *v)))
            }
            SmtResult::Sat(assignment) => {
                let mut example = Example {
                    before: Cube::default(),
                    after: Cube::default(),
                };
                for (i, (before, after)) in &self.bits {
                    let value = |bit: &Var| assignment.values[*bit] == SmtValue::Bool(true);
                    example.before = example.before.with(*i, value(before));
                    example.after = example.after.with(*i, value(after));
                }
                self.examples.push(example);
                None
            }
            SmtResult::Unknown(_) => {
                counts.unclear += 1;
                None
            }
        };
        counts.queries += self.solver.queries() - before;
        found
    }
}
