//! A solver whose satisfying assignments are executions of the model: what the formula leaves to
//! lazily judged axioms is judged here, and learnt where it is violated.

use crate::encode::lazy::LazyAxioms;
use smt::sat::cnf::Lit;
use smt::sat::{Cadical, SatResult, Solver};
use std::rc::Rc;

/// See the head of this file.
pub struct Consistent {
    solver: Cadical,
    axioms: Option<LazyAxioms>,
    interrupt: Rc<dyn Fn() -> bool>,
    /// Assignments that were judged.
    pub judged: u64,
    /// Clauses that were learnt from them.
    pub learnt: u64,
    /// What the next search may take: conflicts, each judged assignment counting as one.
    effort: Option<u64>,
}

impl Consistent {
    /// A solver for a formula with these axioms left out.
    pub fn new(
        solver: Cadical,
        axioms: Option<LazyAxioms>,
        interrupt: Rc<dyn Fn() -> bool>,
    ) -> Consistent {
        Consistent {
            solver,
            axioms,
            interrupt,
            judged: 0,
            learnt: 0,
            effort: None,
        }
    }

    /// The next search gives up after so many conflicts and judged assignments.
    pub fn limit_effort(&mut self, effort: u32) {
        self.effort = Some(effort.into());
    }

    /// See [`Cadical::implied`].
    pub fn implied(&mut self, assumptions: &[Lit]) -> Option<Vec<Lit>> {
        self.solver.implied(assumptions)
    }

    /// The value of a literal in the execution found.
    pub fn holds(&mut self, lit: Lit) -> bool {
        self.solver.value(Lit(lit.var() as i32)) == (lit.0 > 0)
    }

    /// The values of the variables up to one, by their numbers; there is none with the number 0.
    pub fn values(&mut self, variables: u32) -> Vec<bool> {
        let values = (1..=variables).map(|v| self.solver.value(Lit(v as i32)));
        std::iter::once(false).chain(values).collect()
    }

    fn spent(&self) -> u64 {
        self.solver.conflicts() + self.judged
    }
}

impl Solver for Consistent {
    fn add(&mut self, flat: &[i32]) {
        self.solver.add(flat);
    }

    fn solve(&mut self, assumptions: &[Lit]) -> SatResult {
        let most = self.effort.take().map(|effort| self.spent() + effort);
        loop {
            if let Some(most) = most {
                let left = most.saturating_sub(self.spent());
                if left == 0 {
                    return SatResult::Interrupted;
                }
                self.solver
                    .limit_conflicts(u32::try_from(left).unwrap_or(u32::MAX));
            }
            let answer = self.solver.solve(assumptions);
            let (SatResult::Sat, Some(axioms)) = (answer, &self.axioms) else {
                return answer;
            };
            let solver = std::cell::RefCell::new(&mut self.solver);
            let value = |l: Lit| {
                let variable = Lit(l.0.abs());
                solver.borrow_mut().value(variable) == (l.0 > 0)
            };
            let clauses = axioms.refute(&value, &*self.interrupt);
            if (self.interrupt)() {
                return SatResult::Interrupted;
            }
            self.judged += 1;
            if clauses.is_empty() {
                return SatResult::Sat;
            }
            self.learnt += clauses.len() as u64;
            let flat = clauses
                .iter()
                .flat_map(|c| c.iter().map(|l| l.0).chain([0]));
            let flat: Vec<i32> = flat.collect();
            self.solver.add(&flat);
        }
    }

    fn value(&mut self, lit: Lit) -> bool {
        self.solver.value(lit)
    }

    fn failed(&mut self, assumption: Lit) -> bool {
        self.solver.failed(assumption)
    }

    fn conflicts(&self) -> u64 {
        self.solver.conflicts()
    }
}
