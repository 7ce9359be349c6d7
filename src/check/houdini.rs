//! Houdini (Flanagan and Leino, FME 2001): the largest set of candidates for invariants of which each holds where it is
//! asserted if all of the set are assumed.
//!
//! Whether a candidate is assumed is an input of the program. So one formula serves all sets, and what the solver
//! has learnt of one it knows of the next. Of the largest set those are kept that the proof needs.

use super::bmc::{analyse, encoding, with_queries};
use super::task::{CheckError, CheckOptions, CheckTask, Env};
use crate::encode::Encoding;
use smt::sat::cnf::Lit;
use smt::sat::{Cadical, SatResult, Solver};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Of so many candidates it is tried whether each can be left out.
const MOST_TRIED: usize = 40;

/// What a check of the program says of a candidate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// That it is assumed.
    IsAssumed(usize),
    /// That it holds.
    Holds(usize),
}

/// Some candidates of which each holds where it is asserted if all of them are assumed: where all else that the program
/// asserts follows from them, few, and none that the others do without; else all that there are. It may follow from
/// these in a program that assumes them from the start, since more is known of its pointers. `None` when a limit has been
/// passed.
///
/// # Errors
/// See [`CheckError`].
pub fn houdini(
    task: &CheckTask,
    options: &CheckOptions,
    role: &dyn Fn(usize) -> Option<Role>,
    env: &Env,
) -> Result<Option<BTreeSet<usize>>, CheckError> {
    let model = with_queries(task.model, task.graph, &options.checks);
    let stop = Rc::new(env.interrupt());
    let Some(analysis) = analyse(task.graph, &model, &*stop)? else {
        return Ok(None);
    };
    let (order, reductions) = (options.order.eager(), options.reductions);
    let Some(encoding) = encoding(&analysis, order, reductions, &options.checks, &*stop)? else {
        return Ok(None);
    };
    let mut claims = Claims {
        assumed: BTreeMap::new(),
        holds: Vec::new(),
        others: Vec::new(),
        solver: Cadical::new(stop),
        encoding,
    };
    for (check, violated) in claims.encoding.violated.iter().enumerate() {
        match role(check) {
            Some(Role::IsAssumed(candidate)) => {
                claims.assumed.insert(candidate, !*violated);
            }
            Some(Role::Holds(candidate)) => claims.holds.push((candidate, *violated)),
            None if options
                .checks
                .contains(&task.graph.checks[check].property.kind) =>
            {
                claims.others.push(*violated);
            }
            None => {}
        }
    }
    let encoding = &claims.encoding;
    let lifetime = encoding.outside_lifetime.iter().map(|(_, lit)| *lit);
    let open = [
        &encoding.unsupported,
        &encoding.unresolved,
        &encoding.bounds_reached,
    ];
    let others = open.into_iter().flatten().copied().chain(lifetime);
    claims.others.extend(others);
    let Some(inductive) = claims.largest() else {
        return Ok(None);
    };
    Ok(Some(claims.needed(&inductive).unwrap_or(inductive)))
}

/// What is claimed of a program.
struct Claims {
    encoding: Encoding,
    solver: Cadical,
    /// By candidate: that it is assumed.
    assumed: BTreeMap<usize, Lit>,
    /// That a candidate fails, as often as it is asserted.
    holds: Vec<(usize, Lit)>,
    /// That something else is violated.
    others: Vec<Lit>,
}

impl Claims {
    /// The candidates that are left where none fails.
    fn largest(&mut self) -> Option<BTreeSet<usize>> {
        let mut kept: BTreeSet<usize> = self.assumed.keys().copied().collect();
        loop {
            let fails = self.one_fails(&kept);
            match self.solve(&kept, fails) {
                SatResult::Unsat => return Some(kept),
                SatResult::Interrupted => return None,
                SatResult::Sat => {}
            }
            for (candidate, lit) in &self.holds {
                if self.solver.value(Lit(lit.var() as i32)) == (lit.0 > 0) {
                    kept.remove(candidate);
                }
            }
        }
    }

    /// Those of an inductive set that all else follows from, and they themselves.
    fn needed(&mut self, inductive: &BTreeSet<usize>) -> Option<BTreeSet<usize>> {
        let others = self.encoding.cnf.any(&self.others.clone());
        let mut needed = self.core(inductive, others)?;
        loop {
            let fails = self.one_fails(&needed);
            let more = self.core(inductive, fails)?;
            if more.is_subset(&needed) {
                break;
            }
            needed.extend(more);
        }
        if needed.len() > MOST_TRIED {
            return Some(needed);
        }
        for candidate in needed.clone() {
            let mut fewer = needed.clone();
            fewer.remove(&candidate);
            let fails = self.one_fails(&fewer);
            let fails = self.encoding.cnf.or(others, fails);
            match self.solve(&fewer, fails) {
                SatResult::Unsat => needed = fewer,
                SatResult::Sat => {}
                SatResult::Interrupted => return None,
            }
        }
        Some(needed)
    }

    /// The candidates that it follows from that something does not happen.
    fn core(&mut self, assumed: &BTreeSet<usize>, happens: Lit) -> Option<BTreeSet<usize>> {
        if self.solve(assumed, happens) != SatResult::Unsat {
            return None;
        }
        if happens == Lit::FALSE {
            return Some(BTreeSet::new());
        }
        let is_needed = |candidate: &usize| self.solver.failed(self.assumed[candidate]);
        Some(assumed.iter().copied().filter(is_needed).collect())
    }

    /// That one of these candidates fails.
    fn one_fails(&mut self, candidates: &BTreeSet<usize>) -> Lit {
        let of_them = self.holds.iter().filter(|(c, _)| candidates.contains(c));
        let lits: Vec<Lit> = of_them.map(|(_, lit)| *lit).collect();
        self.encoding.cnf.any(&lits)
    }

    /// Whether something may happen if these candidates are assumed.
    fn solve(&mut self, assumed: &BTreeSet<usize>, happens: Lit) -> SatResult {
        if happens == Lit::FALSE {
            return SatResult::Unsat;
        }
        self.solver.add(&self.encoding.cnf.flat);
        self.encoding.cnf.flat.clear();
        let assumed = assumed.iter().map(|candidate| self.assumed[candidate]);
        let assumptions: Vec<Lit> = assumed.chain([happens]).collect();
        self.solver.solve(&assumptions)
    }
}
