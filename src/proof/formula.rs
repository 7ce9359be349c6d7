//! The formula of a bundle: from the graph and the model alone, in the plainest way.
//!
//! It is satisfiable if some execution of the graph that the model allows does what the query asks
//! for. The proof of the solver says that it is not. Nothing of the search has a part in it: whoever
//! checks a bundle writes the formula again, and compares.

use super::estimates::Estimates;
use super::facts::Facts;
use super::gates::Rule;
use super::graph::{EventKind, Graph, GraphError, Query};
use super::order::TooLarge;
use super::relations::Relations;
use crate::mm;
use crate::mm::model::Model;

/// Clauses, each with its rule.
pub struct Formula {
    /// How many variables.
    pub variables: i32,
    /// Clauses one after the other, each ended by 0.
    pub flat: Vec<i32>,
    /// By clause.
    pub rules: Vec<Rule>,
}

impl Formula {
    /// The graph and the model alone say that there is no such execution.
    pub fn has_empty_clause(&self) -> bool {
        self.flat.first() == Some(&0) || self.flat.windows(2).any(|pair| pair == [0, 0])
    }
}

/// Why there is no formula.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FormulaError {
    /// The graph makes no sense.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// It is too large, or not wanted any more.
    #[error("the formula is too large")]
    TooLarge,
}

impl From<TooLarge> for FormulaError {
    fn from(TooLarge: TooLarge) -> FormulaError {
        FormulaError::TooLarge
    }
}

/// The formula of a graph and a model.
///
/// # Errors
/// The graph makes no sense, or `stop`, asked with the number of clauses now and then, answers true.
pub fn formula(
    graph: &Graph,
    model: &Model,
    stop: &dyn Fn(usize) -> bool,
) -> Result<Formula, FormulaError> {
    graph.validate()?;
    let races = match &graph.query {
        Query::Violation { kinds, .. } => kinds.iter().any(|k| k == "race"),
        Query::FinalState(_) => false,
    };
    let mut events = graph.events.iter();
    let lifetimes = events.any(|e| matches!(e.kind, EventKind::Begin | EventKind::End));
    let model = &mm::with_queries(model, races, lifetimes);
    let facts = Facts::new(graph, model)?;
    let axioms = model.axioms.iter().map(|a| a.rel);
    let roots: Vec<_> = axioms.chain(model.race).chain(model.lifetime).collect();
    let estimates = Estimates::new(&facts, &roots);
    let mut made = Relations::new(&facts, &estimates);
    made.axioms(stop)?;
    if !model.linked {
        for fails in &graph.spurious {
            let fails = made.lit(*fails);
            made.gates.clause(Rule::Spurious, &[!fails]);
        }
    }
    made.query();
    let gates = made.gates;
    Ok(Formula {
        variables: gates.variables(),
        flat: gates.flat,
        rules: gates.rules,
    })
}
