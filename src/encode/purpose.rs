//! What clauses are for: values, relations, axioms. A gate that several need counts for the first.

use cat::model::Model;
use smt::sat::cnf::{Cnf, Purpose};

/// Questions, and what is not listed here.
pub const OTHER: Purpose = Purpose(0);
/// Values, guards and addresses of events: what the program computes.
pub const VALUES: Purpose = Purpose(1);
/// Read-from, and that values are read as they were written.
pub const READ_FROM: Purpose = Purpose(2);
/// Coherence.
pub const COHERENCE: Purpose = Purpose(3);
/// From-read.
pub const FROM_READ: Purpose = Purpose(4);
/// Which accesses of unknown addresses are to one cell.
pub const ADDRESSES: Purpose = Purpose(5);
/// What reductions add: counters, sums, symmetry, unfinished sections.
pub const REDUCTIONS: Purpose = Purpose(6);

const NAMES: [&str; 7] = [
    "questions",
    "values",
    "rf",
    "co",
    "fr",
    "addresses",
    "reductions",
];

/// An axiom of the model.
pub fn axiom(number: usize) -> Purpose {
    Purpose(NAMES.len() + number)
}

/// How many clauses each part has, parts without any left out.
pub fn parts(cnf: &Cnf, model: &Model) -> Vec<(String, u64)> {
    let names = NAMES.iter().map(|name| name.to_string());
    let axioms = model
        .axioms
        .iter()
        .map(|axiom| format!("axiom {}", axiom.name));
    let named = names.chain(axioms).zip(cnf.by_purpose());
    named
        .filter(|(_, clauses)| **clauses > 0)
        .map(|(name, clauses)| (name, *clauses))
        .collect()
}
