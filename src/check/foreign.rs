//! Answers of other solvers, in the form of the SAT competitions: a line `s SATISFIABLE` or
//! `s UNSATISFIABLE`, and lines `v` with the literals of the assignment, ended by 0.

use crate::encode::Encoding;
use serde::{Deserialize, Serialize};
use smt::sat::cnf::Lit;

/// What another solver answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Foreign {
    /// There is no satisfying assignment, which is believed.
    Unsat,
    /// These literals are one, which is checked.
    Sat(Vec<i32>),
}

impl Foreign {
    /// Reads what a solver has printed.
    ///
    /// # Errors
    /// A sentence.
    pub fn parse(text: &str) -> Result<Foreign, String> {
        let mut answer = None;
        let mut literals = Vec::new();
        for line in text.lines().map(str::trim) {
            if let Some(says) = line.strip_prefix("s ") {
                answer = Some(says.trim().to_string());
            } else if let Some(values) = line.strip_prefix("v ") {
                for value in values.split_whitespace() {
                    let value = value.parse::<i32>();
                    literals.push(value.map_err(|_| format!("no line of values: {line:?}"))?);
                }
            }
        }
        literals.retain(|l| *l != 0);
        match answer.as_deref() {
            Some("UNSATISFIABLE") => Ok(Foreign::Unsat),
            Some("SATISFIABLE") if literals.is_empty() => {
                Err("it says SATISFIABLE, and gives no assignment (lines with `v`)".to_string())
            }
            Some("SATISFIABLE") => Ok(Foreign::Sat(literals)),
            Some(other) => Err(format!("it says {other:?}, which is no answer")),
            None => Err("it has no line `s SATISFIABLE` or `s UNSATISFIABLE`".to_string()),
        }
    }
}

/// The values that an assignment gives to the variables of a formula, by variable.
///
/// # Errors
/// A sentence: it does not satisfy the formula.
pub(super) fn assignment(
    encoding: &Encoding,
    cube: &[Lit],
    literals: &[i32],
) -> Result<Vec<bool>, String> {
    let mut values = vec![false; encoding.cnf.num_vars() as usize + 1];
    for literal in literals {
        // Variables of its own that a solver has added mean nothing here.
        if let Some(value) = values.get_mut(literal.unsigned_abs() as usize) {
            *value = *literal > 0;
        }
    }
    let holds = |l: &i32| values[l.unsigned_abs() as usize] == (*l > 0);
    let clauses = encoding.cnf.flat.split(|l| *l == 0);
    // What is behind the last 0 is no clause.
    let clauses = clauses.take(encoding.cnf.num_clauses() as usize);
    let (mut clauses, mut cube) = (clauses, cube.iter());
    match clauses.all(|clause| clause.iter().any(holds)) && cube.all(|l| holds(&l.0)) {
        true => Ok(values),
        false => Err("its assignment does not satisfy the formula of this job".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let read = |text: &str| Foreign::parse(text);
        assert_eq!(read("c x\ns UNSATISFIABLE\n"), Ok(Foreign::Unsat));
        let sat = "s SATISFIABLE\nv 1 -2\nv 3 0\n";
        assert_eq!(read(sat), Ok(Foreign::Sat(vec![1, -2, 3])));
        for wrong in [
            "",
            "s UNKNOWN\n",
            "s SATISFIABLE\n",
            "s SATISFIABLE\nv 1 x 0\n",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
