//! Houdini (Flanagan and Leino, FME 2001): the largest set of candidates for invariants of which each holds where it is
//! asserted if all of the set are assumed.
//!
//! Whether a candidate is assumed is an input of the program. So one formula serves all sets, and what the solver
//! has learnt of one it knows of the next.

use super::bmc::{analyse, encoding, with_queries};
use super::task::{CheckError, CheckOptions, CheckTask, Env};
use smt::sat::cnf::Lit;
use smt::sat::{Cadical, SatResult, Solver};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a check of the program says of a candidate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// That it is assumed.
    IsAssumed(usize),
    /// That it holds.
    Holds(usize),
}

/// The candidates that are left; `None` when a limit has been passed.
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
    let Some(mut encoding) = encoding(&analysis, order, reductions, &options.checks, &*stop)?
    else {
        return Ok(None);
    };
    let mut assumed: Vec<(usize, Lit)> = Vec::new();
    let mut claims: Vec<(usize, Lit)> = Vec::new();
    for (check, violated) in encoding.violated.iter().enumerate() {
        match role(check) {
            Some(Role::IsAssumed(candidate)) => assumed.push((candidate, !*violated)),
            Some(Role::Holds(candidate)) => claims.push((candidate, *violated)),
            None => {}
        }
    }
    let mut kept: BTreeSet<usize> = assumed.iter().map(|(candidate, _)| *candidate).collect();
    let mut solver = Cadical::new(stop);
    loop {
        claims.retain(|(candidate, lit)| kept.contains(candidate) && *lit != Lit::FALSE);
        let lits: Vec<Lit> = claims.iter().map(|(_, lit)| *lit).collect();
        let fails = encoding.cnf.any(&lits);
        if fails == Lit::FALSE {
            return Ok(Some(kept));
        }
        solver.add(&encoding.cnf.flat);
        encoding.cnf.flat.clear();
        let of_kept = assumed.iter().filter(|(c, _)| kept.contains(c));
        let assumptions: Vec<Lit> = of_kept.map(|(_, lit)| *lit).chain([fails]).collect();
        match solver.solve(&assumptions) {
            SatResult::Unsat => return Ok(Some(kept)),
            SatResult::Interrupted => return Ok(None),
            SatResult::Sat => {}
        }
        for (candidate, lit) in &claims {
            if solver.value(Lit(lit.var() as i32)) == (lit.0 > 0) {
                kept.remove(candidate);
            }
        }
    }
}
