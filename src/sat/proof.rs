//! A formula solved afresh, with a proof of the answer that there is no satisfying assignment.

use super::cadical::Cadical;
use super::solver::{SatResult, Solver};
use std::io;
use std::path::Path;
use std::rc::Rc;

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
