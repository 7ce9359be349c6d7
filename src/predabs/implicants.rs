//! Prime implicants: the weakest disjunction of cubes over predicates that implies a condition.
//!
//! A cube implies φ iff no state satisfies the cube and ¬φ. So it is enough to know which truth
//! values of the predicates are possible together with ¬φ: all of them are enumerated, one query to
//! the solver each and one that says that there are no more (Lahiri, Nieuwenhuis and Oliveras, "SMT
//! techniques for fast predicate abstraction", CAV 2006). The cubes follow without queries: those that none
//! of the enumerated valuations extends, by size, the minimal ones. Cubes that contradict themselves
//! are left out; which those are is the same enumeration for φ = false.
//!
//! Only the predicates of the cone of influence matter: those that share variables with φ, directly or
//! through others. Fewer predicates mean fewer cubes, so any choice is sound; a cone that is too large
//! loses what is farthest from φ. Results are cached under the formula with its variables renamed in
//! order of appearance, as statements that differ in a thread or a buffer position are the same then.

use super::arith::{Cond, VarId};
use super::cube::Cube;
use crate::smt::{Formula, Limits, SmtResult, SmtValue, Solver, Sort, Var};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Predicates of a cone at most.
const MAX_CONE: usize = 12;
/// Valuations that are enumerated at most; beyond it the cone is made smaller.
const MAX_VALUATIONS: usize = 512;

/// How much work it was.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    /// Queries to the solver.
    pub queries: u64,
    /// Enumerations that were in the cache.
    pub cached: u64,
    /// Queries that the solver gave no answer to; what depends on them is unknown.
    pub unclear: u64,
}

/// The predicates, and what was asked about them.
pub struct Implicants {
    predicates: Vec<Cond>,
    vars: Vec<BTreeSet<VarId>>,
    size: usize,
    cache: HashMap<(Cond, Vec<Cond>), Option<Vec<u32>>>,
    /// The work.
    pub counts: Counts,
}

impl Implicants {
    /// For these predicates, at most 128, and cubes of at most this size.
    pub fn new(predicates: Vec<Cond>, size: usize) -> Implicants {
        let vars = predicates.iter().map(Cond::vars).collect();
        Implicants {
            predicates,
            vars,
            size,
            cache: HashMap::new(),
            counts: Counts::default(),
        }
    }

    /// The predicates that share variables with these, the nearest first.
    pub fn cone(&self, vars: &BTreeSet<VarId>) -> Vec<usize> {
        let mut reached = vars.clone();
        let mut cone: Vec<usize> = Vec::new();
        loop {
            let next: Vec<usize> = (0..self.predicates.len())
                .filter(|i| !cone.contains(i) && !self.vars[*i].is_disjoint(&reached))
                .collect();
            if next.is_empty() {
                return cone;
            }
            // Those that need no further variables come first within a layer.
            let (inside, outside): (Vec<usize>, Vec<usize>) = next
                .iter()
                .partition(|i| self.vars[**i].is_subset(&reached));
            cone.extend(inside);
            cone.extend(outside);
            reached.extend(next.iter().flat_map(|i| self.vars[*i].iter().copied()));
        }
    }

    /// The prime implicants of a condition, given that `given` holds: cubes `c` such that `c ∧ given`
    /// implies it. Contradictory cubes are left out, and those in `skip`.
    pub fn primes(&mut self, given: &Cond, cond: &Cond, skip: &[Cube]) -> Vec<Cube> {
        let counter = Cond::and([given.clone(), cond.negate()]);
        if counter == Cond::Const(false) {
            return vec![Cube::default()];
        }
        let mut cone = self.cone(&counter.vars());
        cone.truncate(MAX_CONE);
        loop {
            let possible = self.valuations(&counter, &cone);
            let consistent = self.valuations(&Cond::Const(true), &cone);
            if let (Some(possible), Some(consistent)) = (possible, consistent) {
                return self.minimal(&possible, &consistent, &cone, skip);
            }
            if cone.is_empty() {
                return Vec::new();
            }
            cone.truncate(cone.len().saturating_sub(2));
        }
    }

    /// A condition holds in no state.
    pub fn is_impossible(&mut self, cond: &Cond) -> bool {
        self.valuations(cond, &[]).is_some_and(|v| v.is_empty())
    }

    /// The minimal cubes over the cone that no possible valuation extends.
    fn minimal(
        &self,
        possible: &[u32],
        consistent: &[u32],
        cone: &[usize],
        skip: &[Cube],
    ) -> Vec<Cube> {
        let mut found: Vec<(u32, u32)> = Vec::new();
        let mut cubes = Vec::new();
        let n = cone.len();
        for size in 0..=self.size.min(n) {
            let mut masks = combinations(n, size);
            masks.sort_unstable();
            for mask in masks {
                // Only cubes that some consistent valuation extends.
                let values: BTreeSet<u32> = consistent.iter().map(|v| v & mask).collect();
                let taken: BTreeSet<u32> = possible.iter().map(|v| v & mask).collect();
                for value in values.difference(&taken) {
                    if found.iter().any(|(m, v)| mask & m == *m && value & m == *v) {
                        continue;
                    }
                    let mut cube = Cube::default();
                    for (i, p) in cone.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1) {
                        cube.mask |= 1 << p;
                        cube.value |= u128::from(value >> i & 1) << p;
                    }
                    found.push((mask, *value));
                    if !skip.iter().any(|s| cube.extends(*s)) {
                        cubes.push(cube);
                    }
                }
            }
        }
        cubes
    }

    /// All truth values of predicates that are possible together with a condition; nothing when they
    /// are too many, or the solver does not know.
    fn valuations(&mut self, cond: &Cond, cone: &[usize]) -> Option<Vec<u32>> {
        let mut names: BTreeMap<VarId, VarId> = BTreeMap::new();
        let predicates: Vec<Cond> = cone.iter().map(|i| self.predicates[*i].clone()).collect();
        for c in std::iter::once(cond).chain(&predicates) {
            for x in c.vars() {
                let next = VarId(crate::base::idx::position(names.len()));
                names.entry(x).or_insert(next);
            }
        }
        let rename = |x: VarId| names.get(&x).map(|y| super::arith::Linear::var(*y));
        let key = (
            cond.replace(&rename),
            predicates.iter().map(|p| p.replace(&rename)).collect(),
        );
        if let Some(known) = self.cache.get(&key) {
            self.counts.cached += 1;
            return known.clone();
        }
        let found = enumerate(&key.0, &key.1, &mut self.counts);
        self.cache.insert(key, found.clone());
        found
    }
}

fn enumerate(cond: &Cond, predicates: &[Cond], counts: &mut Counts) -> Option<Vec<u32>> {
    let mut solver = Solver::new(Limits::default());
    let mut vars: BTreeMap<VarId, Var> = BTreeMap::new();
    let all = std::iter::once(cond).chain(predicates);
    for x in all.flat_map(Cond::vars) {
        vars.entry(x).or_insert_with(|| solver.variable(Sort::Int));
    }
    let mut var = |x: VarId| vars[&x];
    solver.assert(cond.formula(&mut var));
    let mut bits = Vec::new();
    for p in predicates {
        let bit = solver.variable(Sort::Bool);
        solver.assert(Formula::iff(Formula::holds(bit), p.formula(&mut var)));
        bits.push(bit);
    }
    let mut found = Vec::new();
    loop {
        counts.queries += 1;
        let assignment = match solver.check() {
            SmtResult::Sat(assignment) => assignment,
            SmtResult::Unsat(_) => {
                found.sort_unstable();
                return Some(found);
            }
            SmtResult::Unknown(_) => {
                counts.unclear += 1;
                return None;
            }
        };
        let mut valuation = 0;
        let mut different = Vec::new();
        for (i, bit) in bits.iter().enumerate() {
            let holds = assignment.values[*bit] == SmtValue::Bool(true);
            valuation |= u32::from(holds) << i;
            let literal = Formula::holds(*bit);
            different.push(if holds { literal.negate() } else { literal });
        }
        found.push(valuation);
        if found.len() > MAX_VALUATIONS {
            return None;
        }
        solver.assert(Formula::Or(different));
    }
}

/// All sets of `size` of `n` bits.
fn combinations(n: usize, size: usize) -> Vec<u32> {
    let mut sets = vec![(0_u32, 0)];
    for _ in 0..size {
        let grown = sets
            .iter()
            .flat_map(|(set, from)| (*from..n).map(move |i| (set | 1 << i, i + 1)));
        sets = grown.collect();
    }
    sets.into_iter().map(|(set, _)| set).collect()
}
