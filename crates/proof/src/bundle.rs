//! A bundle: the files of a proof, and what it takes to believe them.
//!
//! | file | what it holds |
//! |---|---|
//! | `graph.json` | the event graph and the query ([`Graph`]) |
//! | `model/` | the text of the memory model, with what it includes |
//! | `claim.json` | which file of `model/` is the model, and for people what this is a proof of |
//! | `learnt.json` | the axioms that are not written down, and reasons in their place ([`Learnt`]) |
//! | `formula.cnf.gz` | the formula in DIMACS form |
//! | `rules.txt.gz` | by which rule each clause is there: how many clauses, and the rule's name |
//! | `proof.lrat.gz` | the solver's proof that the formula has no satisfying assignment |
//!
//! Whoever checks it reads the first four, writes the formula again, compares it with the one that is
//! there, and checks the proof. The formula and its rules are for other tools and for people: nothing
//! rests on them.

use super::formula::{Formula, FormulaError, formula};
use super::gates::Rule;
use super::graph::Graph;
use super::learnt::Learnt;
use super::lrat::{self, LratError};
use cat::model::Model;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Write};

/// The event graph.
pub const GRAPH: &str = "graph.json";
/// The directory of the model's text.
pub const MODEL: &str = "model";
/// The form of bundles that is written and read.
pub const VERSION: u32 = 2;

/// What it is a proof of.
pub const CLAIM: &str = "claim.json";
/// What stands in place of axioms.
pub const LEARNT: &str = "learnt.json";
/// The formula.
pub const FORMULA: &str = "formula.cnf.gz";
/// The rules of its clauses.
pub const RULES: &str = "rules.txt.gz";
/// The solver's proof.
pub const PROOF: &str = "proof.lrat.gz";

/// What a bundle is a proof of. Only `model` counts for the check, and what follows the verdict for a comparison with the
/// program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Claim {
    /// The form of the bundle, [`VERSION`].
    pub version: u32,
    /// What made it.
    pub tool: String,
    /// The program, or the test.
    pub input: String,
    /// The file of the model below [`MODEL`].
    pub model: String,
    /// The verdict that it certifies.
    pub verdict: String,
    /// The command line that it was given for.
    pub arguments: Vec<String>,
    /// How far loops are unwound in the graph, in the form of whoever unwinds them.
    pub bounds: serde_json::Value,
    /// The graph is that of the conditions of a proof thread by thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Conditions>,
}

/// What a proof thread by thread rests on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Conditions {
    /// The model that the program is proved on.
    pub model: String,
    /// The invariants, by the numbers of the conditions that were looked at.
    pub invariants: Vec<usize>,
}

/// Why a bundle proves nothing.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// A file cannot be read.
    #[error("{file}: {error}")]
    Unreadable {
        /// Which.
        file: &'static str,
        /// Why.
        error: io::Error,
    },
    /// The graph is none, or the formula does not come to an end.
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// The formula is another one than the graph and the model give.
    #[error("{FORMULA}: {0}")]
    Differs(String),
    /// The rules are other ones.
    #[error("{RULES}: {0}")]
    Rules(String),
    /// The proof is none.
    #[error("{PROOF}: {0}")]
    Proof(#[from] LratError),
}

/// A bundle that proves what it says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checked {
    /// Events of the graph.
    pub events: usize,
    /// Clauses of the formula.
    pub clauses: usize,
    /// Steps of the proof.
    pub steps: u64,
}

/// What there is to read.
pub struct Parts<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// The model, compiled from its text.
    pub model: &'a Model,
    /// What stands in place of axioms.
    pub learnt: &'a Learnt,
    /// The formula, as text.
    pub formula: &'a mut dyn BufRead,
    /// The rules, as text.
    pub rules: &'a mut dyn BufRead,
    /// The proof, as text.
    pub proof: &'a mut dyn BufRead,
}

/// Checks a bundle.
///
/// # Errors
/// Why it proves nothing.
pub fn check(parts: Parts, stop: &dyn Fn(usize) -> bool) -> Result<Checked, BundleError> {
    let made = formula(parts.graph, parts.model, parts.learnt, stop)?;
    compare_formula(&made, parts.formula)?;
    compare_rules(&made, parts.rules)?;
    let checked = lrat::check(&made.flat, parts.proof)?;
    Ok(Checked {
        events: parts.graph.events.len(),
        clauses: made.rules.len(),
        steps: checked.added,
    })
}

/// Writes a formula in DIMACS form.
///
/// # Errors
/// It cannot be written.
pub fn write_formula(formula: &Formula, out: &mut dyn Write) -> io::Result<()> {
    let (variables, clauses) = (formula.variables, formula.rules.len());
    writeln!(out, "p cnf {variables} {clauses}")?;
    let mut line = String::new();
    for clause in formula.flat.split_inclusive(|l| *l == 0) {
        line.clear();
        for l in clause {
            line += &l.to_string();
            line.push(if *l == 0 { '\n' } else { ' ' });
        }
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// Writes the rules of clauses.
///
/// # Errors
/// They cannot be written.
pub fn write_rules(formula: &Formula, out: &mut dyn Write) -> io::Result<()> {
    for (count, rule) in runs(formula) {
        writeln!(out, "{count} {}", rule.name())?;
    }
    Ok(())
}

/// Rules one after the other, each with the number of its clauses.
fn runs(formula: &Formula) -> impl Iterator<Item = (usize, Rule)> + '_ {
    let runs = formula.rules.chunk_by(|a, b| a == b);
    runs.map(|run| (run.len(), run[0]))
}

fn compare_formula(formula: &Formula, text: &mut dyn BufRead) -> Result<(), BundleError> {
    let differs = |what: String| Err(BundleError::Differs(what));
    let mut expected = formula.flat.split_inclusive(|l| *l == 0);
    let (variables, clauses) = (formula.variables, formula.rules.len());
    let mut line = String::new();
    for number in 1.. {
        line.clear();
        let read = text.read_line(&mut line);
        let read = read.map_err(|error| BundleError::Unreadable {
            file: FORMULA,
            error,
        })?;
        if number == 1 {
            if line.trim_end() != format!("p cnf {variables} {clauses}") {
                return differs(format!(
                    "the graph and the model give {clauses} clauses of {variables} variables"
                ));
            }
            continue;
        }
        let literals: Result<Vec<i32>, _> = line.split_whitespace().map(str::parse).collect();
        match (expected.next(), literals) {
            (None, _) if read == 0 => break,
            (Some(clause), Ok(literals)) if clause == literals => {}
            _ => {
                return differs(format!(
                    "line {number} is not the clause that the graph and the model give"
                ));
            }
        }
    }
    Ok(())
}

fn compare_rules(formula: &Formula, text: &mut dyn BufRead) -> Result<(), BundleError> {
    let mut expected = runs(formula);
    for (i, line) in text.lines().enumerate() {
        let line = line.map_err(|error| BundleError::Unreadable { file: RULES, error })?;
        let same = expected
            .next()
            .is_some_and(|(count, rule)| line == format!("{count} {}", rule.name()));
        if !same {
            let text = format!("line {} is not the rule of these clauses", i + 1);
            return Err(BundleError::Rules(text));
        }
    }
    match expected.next() {
        None => Ok(()),
        Some(_) => Err(BundleError::Rules("it ends too early".to_string())),
    }
}
