//! What a proof is about: the event graph of an answer that says that no execution does something, and
//! what that is. The formula and its proof are the business of [`proof`]; whether the graph is that
//! of a program is found out here.

use super::error::Error;
use super::limits::{self, Limits};
use super::litmus::{LitmusSession, unrolled};
use super::outcome::{LitmusOutcome, ProgramOutcome};
use super::parsed::LoweredProgram;
use super::program::ProgramSession;
use super::thread_modular;
use crate::check::bmc::{CheckError, Env};
use crate::check::bundle;
use crate::check::outcome::{Argument, Verdict};
use crate::check::walk::{Walks, compare};
use crate::relations::bounds::UnknownFence;
use crate::unroll::event::EventGraph;
use base::diag::Diag;
use base::source::SourceMap;
use cat::model::Model;
use ir::awaits::waiting_loop;
use ir::bounds::Bounds;
use ir::program::{Program, PropertyKind};
use proof::bundle::Conditions;
use proof::graph::{Graph, Query};
use std::collections::BTreeSet;

/// What there is to prove.
pub enum Claimed {
    /// Of this graph, on the model of the answer.
    Graph(Box<Graph>),
    /// Of the graph of the [conditions](thread_modular::conditions) of a proof thread by thread.
    Conditions(Box<Graph>, Conditions),
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
    let kinds = session.lowered().checks.on(model);
    if let Some(message) = without_proof(session.lowered(), &kinds) {
        return Err(Error::refused(sources, vec![Diag::bare(message)]));
    }
    let env = limits::env(limits, 0.0);
    if let Argument::ThreadModular(invariants) = &outcome.result.argument {
        let known: BTreeSet<usize> = invariants.iter().map(|i| i.number).collect();
        let program = &session.lowered().program;
        let Some(made) = thread_modular::conditions(program, &kinds, model, &known, &env) else {
            return Ok(Some(Claimed::Limit));
        };
        let graph = of_conditions(&made).map_err(|unknown| refused(sources, unknown))?;
        let conditions = Conditions {
            model: thread_modular::built_in(model)
                .unwrap_or_default()
                .to_string(),
            invariants: known.into_iter().collect(),
        };
        return Ok(Some(Claimed::Conditions(Box::new(graph), conditions)));
    }
    let query = bundle::violation(&kinds, complete);
    let graph = session.unrolled_alone(model, &outcome.bounds, &env, |graph| {
        bundle::graph(graph, model, query)
    });
    claimed(sources, graph)
}

/// That no execution of the conditions violates them.
fn of_conditions(made: &thread_modular::Conditions) -> Result<Graph, UnknownFence> {
    let query = bundle::violation(&made.kinds, true);
    bundle::graph(&made.graph, &thread_modular::sequential(), query)
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
    let graph = litmus_graph(session, &outcome.bounds, &env);
    let query = |graph: &EventGraph| litmus_query(session, graph, found.holds);
    let graph = graph.map(|graph| bundle::graph(&graph, model, query(&graph)));
    claimed(sources, Ok(graph))
}

/// The event graph of a litmus test; `None` when a limit was passed.
fn litmus_graph(session: &LitmusSession, bounds: &Bounds, env: &Env) -> Option<EventGraph> {
    let stop = env.interrupt();
    unrolled(&session.test, bounds, &stop).ok()
}

/// What no execution of a litmus test does: violate its condition, or make it hold.
fn litmus_query(session: &LitmusSession, graph: &EventGraph, violate: bool) -> Query {
    let wanted = &session.test.final_condition;
    bundle::final_state(
        &session.test.program,
        graph,
        &wanted.condition,
        wanted.filter.as_ref(),
        violate,
    )
}

fn claimed(
    sources: &SourceMap,
    graph: Result<Option<Result<Graph, UnknownFence>>, CheckError>,
) -> Result<Option<Claimed>, Error> {
    match graph.map_err(|e| Error::of_check(sources, e))? {
        None => Ok(Some(Claimed::Limit)),
        Some(Ok(graph)) => Ok(Some(Claimed::Graph(Box::new(graph)))),
        Some(Err(unknown)) => Err(refused(sources, unknown)),
    }
}

fn refused(sources: &SourceMap, unknown: UnknownFence) -> Error {
    let diag = Diag::error(unknown.span, unknown.reason);
    Error::refused(sources, vec![diag])
}

/// What a claim is compared on: so many random executions, and from which seed.
#[derive(Clone, Copy, Debug)]
pub struct Executions {
    /// How many.
    pub number: usize,
    /// Where the random numbers begin.
    pub seed: u64,
}

/// What has come of comparing a claim with a program.
pub enum Comparison {
    /// The graph is that of the program, which does on these executions what the graph says.
    Same(Walks),
    /// It is not, or the program does something else; a sentence.
    Differs(String),
    /// A limit was passed before an execution was compared.
    Limit,
}

/// Compares a claim with a C program: see [`super::session::Session::compare`].
pub(super) fn with_program(
    session: &ProgramSession,
    sources: &SourceMap,
    (given, model, bounds): (&Graph, &Model, &Bounds),
    conditions: Option<&Conditions>,
    executions: Executions,
    limits: Limits,
) -> Result<Comparison, Error> {
    let Query::Violation { complete, .. } = given.query else {
        let text = "it is a proof about a litmus test".to_string();
        return Ok(Comparison::Differs(text));
    };
    let env = limits::env(limits, 0.0);
    let lowered = session.lowered();
    if let Some(conditions) = conditions {
        let known = conditions.invariants.iter().copied().collect();
        let made = cat::builtin(&conditions.model).and_then(|of| {
            let kinds = lowered.checks.on(&of);
            thread_modular::conditions(&lowered.program, &kinds, &of, &known, &env)
        });
        let Some(made) = made.filter(|_| model.says_the_same_as(&thread_modular::sequential()))
        else {
            let text = "the program has no conditions with these invariants".to_string();
            return Ok(Comparison::Differs(text));
        };
        let query = bundle::violation(&made.kinds, true);
        let subject = (&made.program, &made.kinds[..], model);
        let compared = on_executions(given, &made.graph, query, subject, executions, &env);
        return same(sources, Ok(Some(compared)));
    }
    let (program, kinds) = (&lowered.program, lowered.checks.on(model));
    let compared = session.unrolled_alone(model, bounds, &env, |graph| {
        let query = bundle::violation(&kinds, complete);
        let of = (program, &kinds[..], model);
        on_executions(given, graph, query, of, executions, &env)
    });
    same(sources, compared)
}

/// The same with a litmus test.
pub(super) fn with_litmus(
    session: &LitmusSession,
    sources: &SourceMap,
    claim: (&Graph, &Model, &Bounds),
    executions: Executions,
    limits: Limits,
) -> Result<Comparison, Error> {
    let (given, model, bounds) = claim;
    let env = limits::env(limits, 0.0);
    let compared = litmus_graph(session, bounds, &env).map(|graph| {
        // Which of the two is claimed, only the claim knows.
        let queries = [false, true].map(|violate| litmus_query(session, &graph, violate));
        let query = queries.into_iter().find(|q| *q == given.query);
        let query = query.unwrap_or_else(|| litmus_query(session, &graph, false));
        let of = (&session.test.program, &[][..], model);
        on_executions(given, &graph, query, of, executions, &env)
    });
    same(sources, Ok(compared))
}

fn same(
    sources: &SourceMap,
    compared: Result<Option<Result<Comparison, UnknownFence>>, CheckError>,
) -> Result<Comparison, Error> {
    match compared.map_err(|e| Error::of_check(sources, e))? {
        None => Ok(Comparison::Limit),
        Some(Ok(comparison)) => Ok(comparison),
        Some(Err(unknown)) => Err(refused(sources, unknown)),
    }
}

/// Compares the graph of a claim with that of a program, and this with the program.
fn on_executions(
    given: &Graph,
    graph: &EventGraph,
    query: Query,
    (program, kinds, model): (&Program, &[PropertyKind], &Model),
    executions: Executions,
    env: &Env,
) -> Result<Comparison, UnknownFence> {
    let made = bundle::graph(graph, model, query)?;
    if let Some(part) = given.difference(&made) {
        let text = format!("its graph is another one than the program's (`{part}`)");
        return Ok(Comparison::Differs(text));
    }
    let bounds = match given.query {
        Query::Violation { complete, .. } => complete,
        Query::FinalState(_) => true,
    };
    let number = (executions.number, executions.seed);
    let stop = env.interrupt();
    let walks = match compare(program, graph, model, kinds, number, &stop) {
        Ok(walks) => walks,
        Err(mismatch) => {
            let text = format!(
                "the program does something else than its graph: {}",
                mismatch.0
            );
            return Ok(Comparison::Differs(text));
        }
    };
    let contrary = [
        (walks.violating, "violates a property"),
        (
            if bounds { walks.cut } else { 0 },
            "reaches the bound of a loop",
        ),
        (walks.astray, "follows a pointer to where nothing is known"),
    ];
    Ok(match contrary.iter().find(|(number, _)| *number > 0) {
        Some((_, does)) => Comparison::Differs(format!("an execution {does}")),
        None if walks.all() == 0 && executions.number > 0 => Comparison::Limit,
        None => Comparison::Same(walks),
    })
}

/// Why there is no proof of a program for some kinds of property; a checker of proofs does not know of threads that spin.
fn without_proof(lowered: &LoweredProgram, kinds: &[PropertyKind]) -> Option<&'static str> {
    if kinds.contains(&PropertyKind::Robust) {
        return Some("there is no proof that a program is robust");
    }
    if kinds
        .iter()
        .any(|kind| PropertyKind::OF_CLIENTS.contains(kind))
    {
        return Some("there is no proof of what the calls of a client return");
    }
    if kinds.contains(&PropertyKind::Termination) {
        return Some("there is no proof that a program terminates");
    }
    let is_mixed =
        kinds.contains(&PropertyKind::Deadlock) && waiting_loop(&lowered.program).is_some();
    is_mixed.then_some(
        "there is no proof that a program with loops that wait for other threads has no deadlock",
    )
}
