//! Implicants: a disjunction of cubes over predicates that implies a condition, as weak as can be.
//!
//! A cube implies φ iff no state satisfies the cube and ¬φ. Three ways to find them, see [`CubeSearch`]:
//!
//! - All prime implicants up to a size, by size: every answer "possible" comes with truth values of all
//!   predicates, and no cube that these extend is asked about any more. So there are about as many
//!   queries as prime implicants and different answers, however many cubes there are (a way of
//!   all-SAT; Lahiri, Nieuwenhuis and Oliveras, "SMT techniques for fast predicate abstraction", CAV
//!   2006). Cubes that contradict themselves are left out; they are the prime implicants of false.
//! - Fig. 6 (a) of the paper: a query for each cube, by size.
//! - Fig. 6 (b): a query for each literal and for each cube of a list, the extrapolated ones.
//!
//! Only the predicates of the cone of influence matter: those that share variables with φ, directly or
//! through others. Fewer predicates mean fewer cubes, so any choice is sound; for prime implicants a cone
//! that is too large loses what is farthest from φ. Results are cached under the formula with its
//! variables renamed in order of appearance, as statements that differ in a thread or a buffer
//! position are the same then. Each is computed once, so the work does not depend on who asks first.

use super::cube::Cube;
use crate::commands::arith::{Cond, Linear, VarId};
use base::idx::position;
use rustc_hash::FxHashMap;
use smt::{Formula, Limits, SmtResult, SmtValue, Solver, Sort, Var};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Predicates of a cone at most, for prime implicants.
const MAX_CONE: usize = 16;

/// How cubes are found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CubeSearch {
    /// All prime implicants up to a size.
    Primes(usize),
    /// By size up to one, a query for each.
    BySize(usize),
    /// Literals and these.
    Among(Vec<Cube>),
}

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

/// A condition and predicates, with variables in order of appearance.
type Renamed = (Cond, Vec<Cond>);
/// Cubes over the predicates of a cone, by their positions there.
type ConeCubes = Vec<Cube>;

/// The predicates, and what was asked about them.
pub struct Implicants<'a> {
    predicates: Vec<Cond>,
    vars: Vec<BTreeSet<VarId>>,
    search: CubeSearch,
    stop: &'a (dyn Fn() -> bool + Sync),
    found: Cache<(Renamed, ConeCubes), ConeCubes>,
    queries: AtomicU64,
    unclear: AtomicU64,
}

impl<'a> Implicants<'a> {
    /// For these predicates, at most 128. When `stop` says so, cubes are missing.
    pub fn new(
        predicates: Vec<Cond>,
        search: CubeSearch,
        stop: &'a (dyn Fn() -> bool + Sync),
    ) -> Implicants<'a> {
        let vars = predicates.iter().map(Cond::vars).collect();
        Implicants {
            predicates,
            vars,
            search,
            stop,
            found: Cache::default(),
            queries: AtomicU64::new(0),
            unclear: AtomicU64::new(0),
        }
    }

    /// The work so far.
    pub fn counts(&self) -> Counts {
        Counts {
            queries: self.queries.load(Ordering::Relaxed),
            cached: self.found.repeated(),
            unclear: self.unclear.load(Ordering::Relaxed),
        }
    }

    /// The predicates that share variables with these, the nearest first.
    fn cone(&self, vars: &BTreeSet<VarId>) -> Vec<usize> {
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

    /// Implicants of a condition, given that `given` holds: cubes `c` such that `c ∧ given` implies it,
    /// none of which extends another or one in `skip`.
    pub fn of(&self, given: &Cond, cond: &Cond, skip: &[Cube]) -> Vec<Cube> {
        let counter = Cond::and([given.clone(), cond.negate()]);
        if counter == Cond::Const(false) {
            return vec![Cube::default()];
        }
        let cone = self.cone(&counter.vars());
        let mut cubes = match &self.search {
            CubeSearch::Primes(size) => self.primes(&counter, cone, *size),
            CubeSearch::BySize(size) => self.by_size(&counter, &cone, *size),
            CubeSearch::Among(list) => self.among(&counter, &cone, list),
        };
        cubes.retain(|c| !skip.iter().any(|s| c.extends(*s)));
        cubes
    }

    /// A condition holds in no state.
    pub fn is_impossible(&self, cond: &Cond) -> bool {
        !self.by_size(cond, &[], 0).is_empty()
    }

    /// The minimal cubes that are impossible together with `counter`, but not by themselves.
    fn primes(&self, counter: &Cond, mut cone: Vec<usize>, size: usize) -> Vec<Cube> {
        cone.truncate(MAX_CONE);
        let always = Cond::Const(true);
        let key = (self.renamed(&always, &cone), Vec::new());
        let contradictory = self.found.get(key, |(renamed, _)| {
            Query::new(self, renamed).primes(size, &[])
        });
        let key = (self.renamed(counter, &cone), Vec::new());
        let found = self.found.get(key, |(renamed, _)| {
            Query::new(self, renamed).primes(size, &contradictory)
        });
        found.iter().map(|c| over_all(*c, &cone)).collect()
    }

    /// The function of Fig. 6 (a), with an empty cube first.
    fn by_size(&self, counter: &Cond, cone: &[usize], size: usize) -> Vec<Cube> {
        let key = (self.renamed(counter, cone), Vec::new());
        let found = self.found.get(key, |(renamed, _)| {
            let mut query = Query::new(self, renamed);
            let mut found: ConeCubes = Vec::new();
            for n in 0..=size.min(cone.len()) {
                for set in combinations(cone.len(), n) {
                    for value in subsets(set) {
                        let cube = Cube { mask: set, value };
                        query.try_cube(cube, &mut found);
                    }
                }
            }
            found
        });
        found.iter().map(|c| over_all(*c, cone)).collect()
    }

    /// The function of Fig. 6 (b).
    fn among(&self, counter: &Cond, cone: &[usize], list: &[Cube]) -> Vec<Cube> {
        let inside: u128 = cone.iter().map(|i| 1 << i).sum();
        let mut candidates: ConeCubes = vec![Cube::default()];
        for i in 0..cone.len() {
            candidates.extend([Cube::literal(i, false), Cube::literal(i, true)]);
        }
        let mut larger: ConeCubes = list
            .iter()
            .filter(|c| c.mask & !inside == 0)
            .map(|c| over_cone(*c, cone))
            .collect();
        larger.sort_unstable_by_key(|c| (c.size(), *c));
        larger.dedup();
        candidates.extend(larger);
        let key = (self.renamed(counter, cone), candidates);
        let found = self.found.get(key, |(renamed, candidates)| {
            let mut query = Query::new(self, renamed);
            let mut found: ConeCubes = Vec::new();
            for c in candidates {
                query.try_cube(*c, &mut found);
            }
            found
        });
        found.iter().map(|c| over_all(*c, cone)).collect()
    }

    fn renamed(&self, cond: &Cond, cone: &[usize]) -> Renamed {
        let mut names: BTreeMap<VarId, VarId> = BTreeMap::new();
        let predicates = cone.iter().map(|i| &self.predicates[*i]);
        for c in std::iter::once(cond).chain(predicates.clone()) {
            for x in c.vars() {
                let next = VarId(position(names.len()));
                names.entry(x).or_insert(next);
            }
        }
        let rename = |x: VarId| names.get(&x).map(|y| Linear::var(*y));
        (
            cond.replace(&rename),
            predicates.map(|p| p.replace(&rename)).collect(),
        )
    }
}

/// A result that is being computed, or is there.
type Pending<V> = Arc<OnceLock<Arc<V>>>;

/// Results, each computed once, also when several threads ask for it.
struct Cache<K, V> {
    results: Mutex<FxHashMap<Arc<K>, Pending<V>>>,
    requests: AtomicU64,
}

impl<K, V> Default for Cache<K, V> {
    fn default() -> Cache<K, V> {
        Cache {
            results: Mutex::new(FxHashMap::default()),
            requests: AtomicU64::new(0),
        }
    }
}

impl<K: Hash + Eq, V> Cache<K, V> {
    fn get(&self, key: K, compute: impl FnOnce(&K) -> V) -> Arc<V> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let key = Arc::new(key);
        let result = {
            let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
            results.entry(key.clone()).or_default().clone()
        };
        result.get_or_init(|| Arc::new(compute(&key))).clone()
    }

    /// How often a result was there.
    fn repeated(&self) -> u64 {
        let results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let different = u64::try_from(results.len()).unwrap_or(u64::MAX);
        self.requests
            .load(Ordering::Relaxed)
            .saturating_sub(different)
    }
}

/// A condition and predicates in a solver.
struct Query<'a> {
    of: &'a Implicants<'a>,
    solver: Solver,
    bits: Vec<Var>,
}

impl<'a> Query<'a> {
    fn new(of: &'a Implicants<'a>, (cond, predicates): &Renamed) -> Query<'a> {
        let mut solver = Solver::new(Limits::default());
        let mut vars: BTreeMap<VarId, Var> = BTreeMap::new();
        for x in std::iter::once(cond).chain(predicates).flat_map(Cond::vars) {
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
        Query { of, solver, bits }
    }

    fn ask(&mut self, assumptions: &[Formula]) -> SmtResult {
        self.of.queries.fetch_add(1, Ordering::Relaxed);
        let result = self.solver.check_with(assumptions);
        if let SmtResult::Unknown(_) = result {
            self.of.unclear.fetch_add(1, Ordering::Relaxed);
        }
        result
    }

    fn ask_cube(&mut self, cube: Cube) -> SmtResult {
        let literals = cube.literals().map(|(i, holds)| {
            let literal = Formula::holds(self.bits[i]);
            match holds {
                true => literal,
                false => literal.negate(),
            }
        });
        let literals: Vec<Formula> = literals.collect();
        self.ask(&literals)
    }

    /// Adds a cube to those found if the condition is impossible with it and it extends none of them.
    fn try_cube(&mut self, cube: Cube, found: &mut ConeCubes) {
        let new = !extends_some(cube, found) && !(self.of.stop)();
        if new && matches!(self.ask_cube(cube), SmtResult::Unsat(_)) {
            found.push(cube);
        }
    }

    /// The minimal cubes with which the condition is impossible, without those that extend one of `skip`.
    fn primes(&mut self, size: usize, skip: &[Cube]) -> ConeCubes {
        let mut found: ConeCubes = Vec::new();
        let mut possible: Vec<u128> = Vec::new();
        let n = self.bits.len();
        for mask in (0..=size.min(n)).flat_map(|size| combinations(n, size)) {
            let mut taken = vec![false; 1 << mask.count_ones()];
            for valuation in &possible {
                taken[rank(*valuation, mask)] = true;
            }
            for (i, value) in subsets(mask).into_iter().enumerate() {
                let cube = Cube { mask, value };
                if taken[i] || extends_some(cube, &found) || extends_some(cube, skip) {
                    continue;
                }
                if (self.of.stop)() {
                    return found;
                }
                match self.ask_cube(cube) {
                    SmtResult::Unsat(_) => found.push(cube),
                    SmtResult::Sat(assignment) => {
                        let bits = self.bits.iter().enumerate();
                        let holds =
                            bits.filter(|(_, b)| assignment.values[**b] == SmtValue::Bool(true));
                        let valuation: u128 = holds.map(|(i, _)| 1 << i).sum();
                        possible.push(valuation);
                        taken[rank(valuation, mask)] = true;
                    }
                    SmtResult::Unknown(_) => {}
                }
            }
        }
        found
    }
}

/// A cube has all literals of one of the others.
fn extends_some(cube: Cube, others: &[Cube]) -> bool {
    others.iter().any(|c| cube.extends(*c))
}

/// The position of a valuation, as far as a mask goes, among the subsets of the mask in their order.
fn rank(valuation: u128, mask: u128) -> usize {
    let (mut rank, mut left, mut bit) = (0, mask, 1);
    while left != 0 {
        let lowest = left & left.wrapping_neg();
        if valuation & lowest != 0 {
            rank |= bit;
        }
        bit <<= 1;
        left &= left - 1;
    }
    rank
}

/// A cube over a cone as one over all predicates.
fn over_all(cube: Cube, cone: &[usize]) -> Cube {
    let literals = cube.literals();
    literals.fold(Cube::default(), |all, (i, holds)| all.with(cone[i], holds))
}

/// A cube over all predicates as one over a cone that has them.
fn over_cone(cube: Cube, cone: &[usize]) -> Cube {
    let known = cone.iter().enumerate();
    let known = known.filter_map(|(i, p)| Some((i, cube.truth(*p)?)));
    known.fold(Cube::default(), |all, (i, holds)| all.with(i, holds))
}

/// All sets of `size` of `n` bits, in order.
fn combinations(n: usize, size: usize) -> Vec<u128> {
    let mut sets = vec![(0_u128, 0)];
    for _ in 0..size {
        let grown = sets
            .iter()
            .flat_map(|(set, from)| (*from..n).map(move |i| (set | 1 << i, i + 1)));
        sets = grown.collect();
    }
    let mut sets: Vec<u128> = sets.into_iter().map(|(set, _)| set).collect();
    sets.sort_unstable();
    sets
}

/// All subsets of a set of bits, in order.
fn subsets(set: u128) -> Vec<u128> {
    let mut all = vec![0];
    while let Some(last) = all.last().filter(|s| **s != set) {
        all.push(((last | !set) + 1) & set);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_come_in_the_order_of_their_ranks() {
        for set in [0, 1, 0b1011_0100, 1 << 127 | 1 << 64 | 1] {
            let all = subsets(set);
            assert_eq!(all.len(), 1 << set.count_ones());
            for (i, s) in all.iter().enumerate() {
                assert_eq!(rank(*s | !set, set), i);
            }
        }
    }
}
