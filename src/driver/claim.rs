//! What a proof is about: the event graph of an answer that says that no execution does something, and
//! what that is. The formula and its proof are the business of [`crate::proof`].

use super::error::Error;
use super::limits::{self, Limits};
use super::litmus::{LitmusSession, unrolled};
use super::outcome::{LitmusOutcome, ProgramOutcome};
use super::program::ProgramSession;
use crate::base::diag::Diag;
use crate::base::source::SourceMap;
use crate::check::bmc::CheckError;
use crate::check::bundle;
use crate::check::outcome::Verdict;
use crate::mm::bounds::UnknownFence;
use crate::mm::model::Model;
use crate::proof::graph::Graph;

/// What there is to prove.
pub enum Claimed {
    /// This.
    Graph(Box<Graph>),
    /// A limit was passed before it was known.
    Limit,
}

/// Of a program: that it is safe, or safe up to the bound. Nothing of another answer.
pub(super) fn of_program(
    session: &ProgramSession,
    sources: &SourceMap,
    model: &Model,
    outcome: &ProgramOutcome,
    limits: Limits,
) -> Result<Option<Claimed>, Error> {
    let complete = match &outcome.result.verdict {
        Verdict::Safe => true,
        Verdict::SafeUpToBound(_) => false,
        Verdict::Unsafe(_) | Verdict::Unknown(_) => return Ok(None),
    };
    let query = bundle::violation(session.checks(), complete);
    let env = limits::env(limits, 0.0);
    let graph = session.on_bounded_graph(model, &outcome.bounds, &env, |graph| {
        bundle::graph(graph, model, query)
    });
    claimed(sources, graph)
}

/// Of a litmus test: that its condition holds in no final state, or fails in none. Nothing of another
/// answer.
pub(super) fn of_litmus(
    session: &LitmusSession,
    sources: &SourceMap,
    model: &Model,
    outcome: &LitmusOutcome,
    limits: Limits,
) -> Result<Option<Claimed>, Error> {
    let Some((found, _)) = outcome.answers.first().filter(|(f, _)| f.is_complete()) else {
        return Ok(None);
    };
    if found.holds && found.fails {
        return Ok(None);
    }
    let env = limits::env(limits, 0.0);
    let stop = || (env.limit)().is_some();
    let test = &session.test;
    let graph = match unrolled(test, &outcome.bounds, &stop) {
        Err(_) => None,
        Ok(graph) => {
            let wanted = &test.final_condition;
            let query = bundle::final_state(
                &test.program,
                &graph,
                &wanted.condition,
                wanted.filter.as_ref(),
                found.holds,
            );
            Some(bundle::graph(&graph, model, query))
        }
    };
    claimed(sources, Ok(graph))
}

fn claimed(
    sources: &SourceMap,
    graph: Result<Option<Result<Graph, UnknownFence>>, CheckError>,
) -> Result<Option<Claimed>, Error> {
    match graph.map_err(|e| Error::of_check(sources, e))? {
        None => Ok(Some(Claimed::Limit)),
        Some(Ok(graph)) => Ok(Some(Claimed::Graph(Box::new(graph)))),
        Some(Err(unknown)) => {
            let diag = Diag::error(unknown.span, unknown.reason);
            Err(Error::refused(sources, vec![diag]))
        }
    }
}
