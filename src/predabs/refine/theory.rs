//! A solver whose variables are those of a program.

use crate::commands::arith::{Cond, VarId};
use smt::{Formula, Limits, SmtResult, Solver, Sort, Var};
use std::collections::BTreeMap;

/// What is asserted, over variables that come as they are mentioned.
pub struct Theory {
    solver: Solver,
    vars: BTreeMap<VarId, Var>,
}

impl Theory {
    /// With nothing asserted.
    pub fn new() -> Theory {
        Theory {
            solver: Solver::new(Limits::default()),
            vars: BTreeMap::new(),
        }
    }

    fn formula(&mut self, cond: &Cond) -> Formula {
        let (solver, vars) = (&mut self.solver, &mut self.vars);
        cond.formula(&mut |x| *vars.entry(x).or_insert_with(|| solver.variable(Sort::Int)))
    }

    /// From now on the condition holds.
    pub fn assert(&mut self, cond: &Cond) {
        let formula = self.formula(cond);
        self.solver.assert(formula);
    }

    /// What is asserted implies the condition.
    pub fn implies(&mut self, cond: &Cond) -> bool {
        let counter = self.formula(&cond.negate());
        matches!(self.solver.check_with(&[counter]), SmtResult::Unsat(_))
    }

    /// The positions of conditions that contradict what is asserted, none of which can be left out. Where
    /// there is a choice, a condition is left out rather than one after it.
    ///
    /// The first one that is needed begins the shortest suffix that is a contradiction; the next
    /// the shortest one that is a contradiction together with it, and so on.
    pub fn core(&mut self, conds: &[Cond]) -> Option<Vec<usize>> {
        let formulas: Vec<Formula> = conds.iter().map(|c| self.formula(c)).collect();
        let mut contradicts = |core: &[usize], from: usize| {
            let kept = core.iter().map(|i| &formulas[*i]);
            let all: Vec<Formula> = kept.chain(&formulas[from..]).cloned().collect();
            matches!(self.solver.check_with(&all), SmtResult::Unsat(_))
        };
        let mut core = Vec::new();
        let mut from = 0;
        if !contradicts(&core, from) {
            return None;
        }
        loop {
            // With the suffix from `from` it is a contradiction, with that from `beyond` it is none.
            let mut beyond = conds.len();
            if contradicts(&core, beyond) {
                return Some(core);
            }
            while from + 1 < beyond {
                let middle = (from + beyond) / 2;
                if contradicts(&core, middle) {
                    from = middle;
                } else {
                    beyond = middle;
                }
            }
            core.push(from);
            from += 1;
        }
    }
}
