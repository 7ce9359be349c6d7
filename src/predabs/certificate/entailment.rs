//! What follows from a cube after a step, by queries to the solver.
//!
//! A step has a solver of its own, in which its guard holds and each predicate near it is equivalent to
//! a Boolean variable, before the step and after it; so all queries are literals. An unsatisfiable
//! query leaves a core behind, which is shrunk: every cube with its literals has the same
//! consequence. A satisfiable one leaves the truth values of all predicates near the step, before and after it:
//! no cube that they satisfy has a consequence that they violate. Most questions are
//! answered by these, without a query.
//!
//! Near a step are the predicates that share variables with its guard or its updates, or with such
//! predicates. Literals of others are left out of the query: fewer assumptions, so
//! nothing follows that should not.

use crate::base::idx::{IdVec, position};
use crate::predabs::arith::{Cond, Linear, VarId};
use crate::predabs::cube::Cube;
use crate::predabs::program::{Step, Update};
use crate::smt::print;
use crate::smt::{Formula, Limits, SmtResult, SmtValue, Solver, Sort, Var};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Conditions that cannot hold together: the literals of a core, the guard of a step, and the negation
/// of what follows.
#[derive(Clone, Debug)]
pub struct Claim(pub Vec<Cond>);

/// How much is asked about a cube.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Depth {
    /// The predicates that the step assigns; the others keep what is known of them.
    Assigned,
    /// Also those that the cube or the guard may tell.
    All,
}

/// Truth values of the predicates near a step, in one instance of it.
struct Example {
    before: Cube,
    after: Cube,
}

/// A step, and what was asked about it.
pub struct StepEntailment {
    /// The predicates near the step.
    near: u128,
    /// Those whose variables it assigns.
    assigned: u128,
    solver: Solver,
    guard: Cond,
    /// Each predicate near the step, before it and in terms of the values before it after it.
    conds: BTreeMap<usize, (Cond, Cond)>,
    /// Their variables of the solver.
    bits: BTreeMap<usize, (Var, Var)>,
    /// Cubes in which the step is impossible.
    blocked: Vec<Cube>,
    /// Cubes from which a predicate follows, by predicate and value.
    implied: BTreeMap<(usize, bool), Vec<Cube>>,
    examples: Vec<Example>,
    found: FxHashMap<(Cube, Depth), Option<Cube>>,
    /// What the answers rely on.
    pub claims: Vec<Claim>,
    /// Queries to the solver.
    pub queries: u64,
}

impl StepEntailment {
    /// Of a step; variables beyond `variables` are free.
    pub fn new(step: &Step, predicates: &[Cond], variables: usize) -> StepEntailment {
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
        let mut all = StepEntailment {
            near: mask(&near),
            assigned: mask(&assigned),
            solver: Solver::new(Limits::default()),
            guard: step.guard.clone(),
            conds: conds.collect(),
            bits: BTreeMap::new(),
            blocked: Vec::new(),
            implied: BTreeMap::new(),
            examples: Vec::new(),
            found: FxHashMap::default(),
            claims: Vec::new(),
            queries: 0,
        };
        all.assert();
        all
    }

    /// Gives the solver the guard and the predicates.
    fn assert(&mut self) {
        let solver = &mut self.solver;
        let mut vars: BTreeMap<VarId, Var> = BTreeMap::new();
        let conds = self.conds.values().flat_map(|(p, q)| [p, q]);
        for x in conds.chain([&self.guard]).flat_map(Cond::vars) {
            vars.entry(x).or_insert_with(|| solver.variable(Sort::Int));
        }
        let mut var = |x: VarId| vars[&x];
        solver.assert(self.guard.formula(&mut var));
        for (i, (before, after)) in &self.conds {
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
    pub fn after(&mut self, cube: Cube, depth: Depth) -> Option<Cube> {
        let near = cube.within(self.near);
        let found = match self.found.get(&(near, depth)) {
            Some(known) => *known,
            None => {
                let found = self.consequences(near, depth);
                self.found.insert((near, depth), found);
                found
            }
        }?;
        let far = cube.within(!self.near);
        Some(Cube {
            mask: found.mask | far.mask,
            value: found.value | far.value,
        })
    }

    fn consequences(&mut self, cube: Cube, depth: Depth) -> Option<Cube> {
        if !self.is_possible(cube) {
            return None;
        }
        let mut after = cube.within(!self.assigned);
        let open = match depth {
            Depth::Assigned => self.assigned,
            Depth::All => self.near,
        };
        for i in self.conds.keys().copied().collect::<Vec<usize>>() {
            if open & !after.mask & 1 << i == 0 {
                continue;
            }
            let values = [true, false];
            let known = values.into_iter().find(|v| self.implies(cube, i, *v));
            if let Some(value) = known {
                after = after.with(i, value);
            }
        }
        Some(after)
    }

    /// The step may be possible in the cube.
    fn is_possible(&mut self, cube: Cube) -> bool {
        if self.blocked.iter().any(|c| cube.extends(*c)) {
            return false;
        }
        if self.examples.iter().any(|e| e.before.extends(cube)) {
            return true;
        }
        match self.core(cube, None) {
            None => true,
            Some(core) => {
                self.blocked.push(core);
                false
            }
        }
    }

    /// A predicate has a value after the step from each state of the cube.
    fn implies(&mut self, cube: Cube, predicate: usize, value: bool) -> bool {
        let cores = self.implied.get(&(predicate, value));
        if cores.is_some_and(|cores| cores.iter().any(|c| cube.extends(*c))) {
            return true;
        }
        let opposite = |e: &Example| e.after.truth(predicate) == Some(!value);
        let mut examples = self.examples.iter();
        if examples.any(|e| opposite(e) && e.before.extends(cube)) {
            return false;
        }
        let Some(core) = self.core(cube, Some((predicate, value))) else {
            return false;
        };
        let key = (predicate, value);
        self.implied.entry(key).or_default().push(core);
        true
    }

    /// Literals of the cube from which it follows that the step is impossible or, if a literal is given,
    /// that this holds afterwards. Nothing where it does not follow, or the solver does not know.
    fn core(&mut self, cube: Cube, then: Option<(usize, bool)>) -> Option<Cube> {
        let literals: Vec<(usize, bool)> = cube.literals().collect();
        let holds = |bit: Var, value: bool| match value {
            true => Formula::holds(bit),
            false => Formula::holds(bit).negate(),
        };
        let before = literals.iter().map(|(i, v)| holds(self.bits[i].0, *v));
        let mut assumptions: Vec<Formula> = before.collect();
        assumptions.extend(then.map(|(i, v)| holds(self.bits[&i].1, !v)));
        self.queries += 1;
        match self.solver.check_with(&assumptions) {
            SmtResult::Unsat(used) => {
                let used = self.solver.shrink(&assumptions, &used);
                let used = used.into_iter().filter_map(|at| literals.get(at));
                let core = used.fold(Cube::default(), |core, (i, v)| core.with(*i, *v));
                self.claim(core, then);
                Some(core)
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
            SmtResult::Unknown(_) => None,
        }
    }

    fn claim(&mut self, core: Cube, then: Option<(usize, bool)>) {
        let signed = |cond: &Cond, value: bool| match value {
            true => cond.clone(),
            false => cond.negate(),
        };
        let core = core.literals().map(|(i, v)| signed(&self.conds[&i].0, v));
        let mut conds: Vec<Cond> = core.collect();
        conds.push(self.guard.clone());
        conds.extend(then.map(|(i, v)| signed(&self.conds[&i].1, !v)));
        self.claims.push(Claim(conds));
    }
}

/// The claims as a script in SMT-LIB 2; each answer should be `unsat`.
pub fn script<'a>(claims: impl IntoIterator<Item = &'a Claim>) -> String {
    let mut out = String::new();
    for Claim(conds) in claims {
        let mut sorts: IdVec<Var, Sort> = IdVec::new();
        let mut vars: BTreeMap<VarId, Var> = BTreeMap::new();
        for x in conds.iter().flat_map(Cond::vars) {
            vars.entry(x).or_insert_with(|| sorts.push(Sort::Int));
        }
        let formulas = conds.iter().map(|c| c.formula(&mut |x| vars[&x]));
        let formulas: Vec<Formula> = formulas.collect();
        let all: Vec<&Formula> = formulas.iter().collect();
        out += &format!("(push)\n{}(pop)\n", print::script(&sorts, &all, &[]));
    }
    out
}
