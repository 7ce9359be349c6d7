//! The obligations of one step: from a cube it leads into one of some cubes, or is impossible.
//!
//! One query is one implication, `cube ∧ guard ⇒ target after the step`, for a whole target. A step has a
//! solver in which its guard holds and each predicate near it is equivalent to a Boolean variable,
//! before the step and after it. Which target it is, is found by the answers that are no implications: each
//! is an instance of the step, whose values afterwards leave only the targets that they
//! satisfy. Implications are kept with the literals that they need, and hold for every cube that
//! has these.
//!
//! Near a step are the predicates that share variables with its guard or its updates, or with such
//! predicates. Literals of others are left out of the query: fewer assumptions, so nothing follows that
//! should not. A target has to have them literally.

use crate::commands::arith::{Cond, Linear, VarId};
use crate::commands::program::{Step, Update};
use crate::predabs::cube::Cube;
use base::idx::{IdVec, position};
use rustc_hash::FxHashMap;
use smt::print;
use smt::{Formula, Limits, SmtResult, SmtValue, Solver, Sort, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Conditions that cannot hold together: literals of a cube, the guard of a step, and the negation of
/// what follows.
#[derive(Clone, Debug)]
pub struct Claim(pub Vec<Cond>);

/// A predicate near a step.
struct Near {
    /// Before the step.
    before: Cond,
    /// After it, in terms of the values before it.
    after: Cond,
    /// Their variables of the solver.
    bits: (Var, Var),
}

/// Truth values of the predicates near a step, in one instance of it.
struct Instance {
    before: Cube,
    after: Cube,
}

/// A step, and what is known about it.
pub struct StepObligations {
    guard: Cond,
    near: BTreeMap<usize, Near>,
    /// The predicates near the step, as bits.
    mask: u128,
    /// Those whose variables it assigns.
    assigned: u128,
    solver: Solver,
    instances: Vec<Instance>,
    /// The literals that a target needs, by what the target claims; of the claim without literals, that the
    /// step is impossible.
    implied: FxHashMap<Option<Cube>, Vec<Cube>>,
    /// What the answers rely on.
    pub claims: Vec<Claim>,
    /// Queries to the solver.
    pub queries: u64,
}

impl StepObligations {
    /// Of a step; variables beyond `variables` are free.
    pub fn new(step: &Step, predicates: &[Cond], variables: usize) -> StepObligations {
        let after = |x: VarId| {
            let at = step.updates.iter().position(|(y, _)| *y == x)?;
            Some(match &step.updates[at].1 {
                Update::Set(value) => value.clone(),
                Update::Any => Linear::var(VarId(position(variables + at))),
            })
        };
        let changes = |p: &Cond| p.vars().iter().any(|x| step.update(*x).is_some());
        let afterwards: Vec<Cond> = predicates.iter().map(|p| p.replace(&after)).collect();
        let mut reached = step.guard.vars();
        let mut mask = 0_u128;
        for (i, p) in predicates.iter().enumerate().filter(|(_, p)| changes(p)) {
            reached.extend(p.vars().into_iter().chain(afterwards[i].vars()));
            mask |= 1 << i;
        }
        let assigned = mask;
        loop {
            let shares = |p: &Cond| !p.vars().is_disjoint(&reached);
            let next = predicates.iter().enumerate();
            let next = next.filter(|(i, p)| mask >> i & 1 == 0 && shares(p));
            let next: Vec<usize> = next.map(|(i, _)| i).collect();
            if next.is_empty() {
                break;
            }
            for i in next {
                reached.extend(predicates[i].vars());
                mask |= 1 << i;
            }
        }
        let mut solver = Solver::new(Limits::default());
        let mut vars: BTreeMap<VarId, Var> = BTreeMap::new();
        let of_near = (0..predicates.len()).filter(|i| mask >> i & 1 == 1);
        let of_near: BTreeSet<usize> = of_near.collect();
        let conds = of_near
            .iter()
            .flat_map(|i| [&predicates[*i], &afterwards[*i]]);
        for x in conds.chain([&step.guard]).flat_map(Cond::vars) {
            vars.entry(x).or_insert_with(|| solver.variable(Sort::Int));
        }
        let mut var = |x: VarId| vars[&x];
        solver.assert(step.guard.formula(&mut var));
        let mut bit = |cond: &Cond| {
            let bit = solver.variable(Sort::Bool);
            solver.assert(Formula::iff(Formula::holds(bit), cond.formula(&mut var)));
            bit
        };
        let near = of_near.into_iter().map(|i| {
            let (before, after) = (predicates[i].clone(), afterwards[i].clone());
            let first = bit(&before);
            let second = if before == after { first } else { bit(&after) };
            let near = Near {
                before,
                after,
                bits: (first, second),
            };
            (i, near)
        });
        StepObligations {
            guard: step.guard.clone(),
            near: near.collect(),
            mask,
            assigned,
            solver,
            instances: Vec::new(),
            implied: FxHashMap::default(),
            claims: Vec::new(),
            queries: 0,
        }
    }

    /// The step is possible in no state of the cube.
    pub fn is_impossible(&mut self, cube: Cube) -> bool {
        let near = cube.within(self.mask);
        !self.has_instance(near) && self.follows(near, None)
    }

    /// From each state of the cube, the step is impossible or leads into one of the targets.
    pub fn leads_into(&mut self, cube: Cube, targets: &[Cube]) -> bool {
        if self.is_impossible(cube) {
            return true;
        }
        let near = cube.within(self.mask);
        let kept = cube.within(!self.assigned);
        let open = |target: &Cube| {
            // What stays as it is need not be asked.
            let claim = target.within(!kept.mask);
            let stays = kept.extends(target.within(kept.mask));
            (stays && claim.mask & !self.mask == 0).then_some(claim)
        };
        let claims: Vec<Cube> = targets.iter().filter_map(open).collect();
        claims.iter().any(|c| *c == Cube::default())
            || claims.iter().any(|c| self.is_known(near, *c))
            || claims
                .iter()
                .any(|c| self.is_satisfied(near, *c) && self.follows(near, Some(*c)))
    }

    /// The step has an instance from the cube.
    fn has_instance(&self, cube: Cube) -> bool {
        self.instances.iter().any(|i| i.before.extends(cube))
    }

    /// Every known instance of the step from the cube satisfies a claim.
    fn is_satisfied(&self, cube: Cube, claim: Cube) -> bool {
        let mut instances = self.instances.iter().filter(|i| i.before.extends(cube));
        instances.all(|i| i.after.extends(claim))
    }

    /// A claim has been found to follow from some literals of the cube.
    fn is_known(&self, cube: Cube, claim: Cube) -> bool {
        let known = self.implied.get(&Some(claim));
        known.is_some_and(|cores| cores.iter().any(|c| cube.extends(*c)))
    }

    /// Asks whether a claim holds after the step from each state of the cube; without a claim, whether the
    /// step is impossible. What the solver does not know does not follow.
    fn follows(&mut self, cube: Cube, claim: Option<Cube>) -> bool {
        let known = self.implied.get(&claim);
        if known.is_some_and(|cores| cores.iter().any(|c| cube.extends(*c))) {
            return true;
        }
        let literals: Vec<(usize, bool)> = cube.literals().collect();
        let signed = |bit: Var, holds: bool| match holds {
            true => Formula::holds(bit),
            false => Formula::holds(bit).negate(),
        };
        let before = literals
            .iter()
            .map(|(i, v)| signed(self.near[i].bits.0, *v));
        let mut assumptions: Vec<Formula> = before.collect();
        assumptions.extend(claim.map(|c| {
            let not = c.literals().map(|(i, v)| signed(self.near[&i].bits.1, !v));
            Formula::Or(not.collect())
        }));
        self.queries += 1;
        match self.solver.check_with(&assumptions) {
            SmtResult::Unsat(used) => {
                let used = used.into_iter().filter_map(|at| literals.get(at));
                let core = used.fold(Cube::default(), |core, (i, v)| core.with(*i, *v));
                self.claim(core, claim);
                self.implied.entry(claim).or_default().push(core);
                true
            }
            SmtResult::Sat(assignment) => {
                let holds = |bit: Var| assignment.values[bit] == SmtValue::Bool(true);
                let all = |bit: &dyn Fn(&Near) -> Var| {
                    let near = self.near.iter();
                    near.fold(Cube::default(), |c, (i, n)| c.with(*i, holds(bit(n))))
                };
                let (before, after) = (all(&|n| n.bits.0), all(&|n| n.bits.1));
                self.instances.push(Instance { before, after });
                false
            }
            SmtResult::Unknown(_) => false,
        }
    }

    fn claim(&mut self, core: Cube, claim: Option<Cube>) {
        let signed = |cond: &Cond, holds: bool| match holds {
            true => cond.clone(),
            false => cond.negate(),
        };
        let core = core
            .literals()
            .map(|(i, v)| signed(&self.near[&i].before, v));
        let mut conds: Vec<Cond> = core.collect();
        conds.push(self.guard.clone());
        conds.extend(
            claim.map(|c| Cond::or(c.literals().map(|(i, v)| signed(&self.near[&i].after, !v)))),
        );
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
