//! What every solver offers: clauses, assumptions, satisfying assignments.

use super::cnf::Lit;

/// What a solver answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SatResult {
    /// There is a satisfying assignment.
    Sat,
    /// There is none.
    Unsat,
    /// It was interrupted.
    Interrupted,
}

/// An incremental solver.
pub trait Solver {
    /// Adds clauses, one after the other, each ended by 0.
    fn add(&mut self, flat: &[i32]);
    /// Looks for a satisfying assignment in which all assumptions hold.
    fn solve(&mut self, assumptions: &[Lit]) -> SatResult;
    /// The value of a literal in the assignment found last.
    fn value(&mut self, lit: Lit) -> bool;
    /// The assumption was needed for the last answer that there is no assignment.
    fn failed(&mut self, assumption: Lit) -> bool;
    /// Conflicts so far.
    fn conflicts(&self) -> u64;
}
