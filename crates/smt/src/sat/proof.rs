//! A formula solved afresh, with a proof of the answer that there is no satisfying assignment.

use super::cadical::Cadical;
use super::cnf::Lit;
use super::solver::{SatResult, Solver};
use std::io;
use std::path::Path;
use std::rc::Rc;

/// A formula that grows.
pub struct Growing {
    solver: Cadical,
    variables: i32,
}

impl Growing {
    /// Without clauses yet.
    pub fn new(interrupt: Rc<dyn Fn() -> bool>) -> Growing {
        Growing {
            solver: Cadical::new(interrupt),
            variables: 0,
        }
    }

    /// Adds clauses, each ended by 0, and solves all that are there. The values are those of the variables
    /// of a satisfying assignment, from 0, which is none.
    pub fn solve(&mut self, flat: &[i32]) -> (SatResult, Vec<bool>) {
        let most = flat.iter().map(|l| l.abs()).max();
        self.variables = self.variables.max(most.unwrap_or(0));
        self.solver.add(flat);
        let answer = self.solver.solve(&[]);
        let mut values = vec![false];
        if answer == SatResult::Sat {
            values.extend((1..=self.variables).map(|v| self.solver.value(Lit(v))));
        }
        (answer, values)
    }
}

/// Looks for a satisfying assignment of a formula in a file in DIMACS form. The proof that there is none
/// is written to another file, in LRAT: each line a clause, and the numbers of those that it follows from.
/// After another answer that file means nothing.
///
/// The solver reads the formula itself: only then do its clauses have the numbers from 1 on.
///
/// # Errors
/// A file cannot be read or written.
pub fn prove(
    formula: &Path,
    proof: &Path,
    interrupt: Rc<dyn Fn() -> bool>,
) -> io::Result<SatResult> {
    let mut solver = Cadical::new(interrupt);
    solver.write_proof(proof)?;
    solver.read(formula)?;
    let answer = solver.solve(&[]);
    solver.end_proof();
    Ok(answer)
}
