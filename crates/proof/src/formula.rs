//! The formula of a bundle: from the graph and the model alone, in the plainest way.
//!
//! It is satisfiable if some execution of the graph that the model allows does what the query asks
//! for. The proof of the solver says that it is not. Nothing of the search has a part in it: whoever
//! checks a bundle writes the formula again, and compares.

use super::counters::counters;
use super::estimates::Estimates;
use super::facts::Facts;
use super::gates::Rule;
use super::graph::{Event, EventKind, Graph, GraphError, Query};
use super::learning::{self, SolverAnswer, large_axioms};
use super::learnt::Learnt;
use super::order::TooLarge;
use super::relations::Relations;
use super::sections::Sections;
use super::values::Values;
use cat::model::Model;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

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
    /// The number of a clause without literals, if there is one, from 1: the graph and the model alone say that
    /// there is no such execution.
    pub fn empty_clause(&self) -> Option<usize> {
        let mut clauses = self.flat.split_inclusive(|l| *l == 0);
        clauses.position(|clause| clause == [0]).map(|at| at + 1)
    }
}

/// Why there is no formula.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FormulaError {
    /// The graph makes no sense.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A reason does not violate any of the axioms that are left out.
    #[error("reason {0} violates none of the axioms that are left out")]
    Reason(usize),
    /// It is too large, or not wanted any more.
    #[error("the formula is too large")]
    TooLarge,
}

impl From<TooLarge> for FormulaError {
    fn from(TooLarge: TooLarge) -> FormulaError {
        FormulaError::TooLarge
    }
}

/// The formula of a graph and a model, with reasons in place of some axioms.
///
/// # Errors
/// The graph makes no sense, a reason is none, or `stop`, asked with the number of clauses now and then,
/// answers true.
pub fn formula(
    graph: &Graph,
    model: &Model,
    learnt: &Learnt,
    stop: &dyn Fn(usize) -> bool,
) -> Result<Formula, FormulaError> {
    let model = &with_query(graph, model)?;
    let graph = &narrowed(graph, model)?;
    let facts = Facts::new(graph, model)?;
    let estimates = estimates(&facts);
    let sections = Sections::new(&facts, &estimates);
    let mut made = begun(&facts, &estimates, &sections, &learnt.axioms, stop)?;
    for (i, reason) in learnt.reasons.iter().enumerate() {
        if stop(made.gates.rules.len()) {
            return Err(FormulaError::TooLarge);
        }
        if !made.learn(reason, &learnt.axioms) {
            return Err(FormulaError::Reason(i));
        }
    }
    let gates = made.gates;
    Ok(Formula {
        variables: gates.variables(),
        flat: gates.flat,
        rules: gates.rules,
    })
}

/// Reasons for a formula that has no satisfying assignment, in place of the axioms with more than `large`
/// ways to derive their pairs; none where all are to be written down. `solve` adds clauses and solves what
/// is there.
///
/// # Errors
/// As above.
pub fn learn(
    graph: &Graph,
    model: &Model,
    large: usize,
    stop: &dyn Fn(usize) -> bool,
    solve: &mut dyn FnMut(&[i32]) -> SolverAnswer,
) -> Result<Learnt, FormulaError> {
    let model = &with_query(graph, model)?;
    let graph = &narrowed(graph, model)?;
    let facts = Facts::new(graph, model)?;
    let estimates = estimates(&facts);
    let large = large_axioms(&facts, &estimates, large);
    if large.is_empty() {
        return Ok(Learnt::default());
    }
    let sections = Sections::new(&facts, &estimates);
    let mut made = begun(&facts, &estimates, &sections, &large, stop)?;
    let learnt = learning::learn(&mut made, large, solve);
    Ok(learnt.unwrap_or_default())
}

/// The model with what the query asks of it.
fn with_query(graph: &Graph, model: &Model) -> Result<Model, GraphError> {
    graph.validate()?;
    let races = match &graph.query {
        Query::Violation { kinds, .. } => kinds.iter().any(|k| k == "race"),
        Query::FinalState(_) => false,
    };
    let mut events = graph.events.iter();
    let lifetimes = events.any(|e| matches!(e.kind, EventKind::Begin | EventKind::End));
    let mut model = cat::with_queries(model, races, lifetimes);
    // What only marks executions forbids none.
    model.flags.clear();
    Ok(model)
}

/// The graph, where accesses touch no cells but those that their addresses may be the addresses of.
fn narrowed<'a>(graph: &'a Graph, model: &Model) -> Result<Cow<'a, Graph>, GraphError> {
    let open = |e: &Event| e.cells.len() > 1;
    if !graph.events.iter().any(open) {
        return Ok(Cow::Borrowed(graph));
    }
    let facts = Facts::new(graph, model)?;
    let values = Values::new(&facts, &FxHashMap::default());
    Ok(values
        .narrowed(&facts)
        .map_or(Cow::Borrowed(graph), Cow::Owned))
}

fn estimates(facts: &Facts) -> Estimates {
    let model = facts.model;
    let roots: Vec<_> = model.roots().collect();
    Estimates::new(facts, &roots)
}

/// The formula without some axioms.
fn begun<'a>(
    facts: &'a Facts,
    estimates: &'a Estimates,
    sections: &'a Sections,
    left_out: &[usize],
    stop: &dyn Fn(usize) -> bool,
) -> Result<Relations<'a>, FormulaError> {
    let counters = counters(facts, sections);
    let mut made = Relations::new(facts, estimates, sections, &counters);
    made.axioms(left_out, stop)?;
    made.counting(&counters);
    if !facts.model.linked {
        for fails in &facts.graph.spurious {
            let fails = made.lit(*fails);
            made.gates.clause(Rule::Spurious, &[!fails]);
        }
    }
    made.unfinished_sections();
    made.query();
    Ok(made)
}
