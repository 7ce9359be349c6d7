//! A client of a data structure on its way: what its calls return one after the other, the program that asserts that
//! some order explains what they return, and the history of an execution in which none does.

use super::error::Error;
use crate::check::outcome::{Counterexample, StepKind, UnknownReason};
use base::diag::Diag;
use cat::model::Model;
use enumerate::EnumerateError;
use ir::bounds::Bounds;
use ir::client::{Call, Client};
use ir::program::{Program, PropertyKind, ScalarKind};
use linearizable::concurrent::{ObservedClient, orders_by_itself};
use linearizable::history::{Consistency, History, Objection, Outcomes};
use linearizable::sequential::{SequentialError, outcomes};

/// Orders of the calls with the results of an execution that are listed, at most.
const MOST_ORDERS: usize = 3;

/// A client whose results are asserted to be those of some order.
#[derive(Clone, Debug)]
pub struct Observation {
    client: Client,
    observed: ObservedClient,
    outcomes: Outcomes,
}

/// What an execution of a client has returned, and why no order of its calls explains it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ShownHistory {
    /// The calls of the threads, thread after thread, and then those at the end.
    pub calls: Vec<ShownCall>,
    /// Pairs of calls, by their positions, of which the first had returned when the second began.
    pub before: Vec<(usize, usize)>,
    /// Why no order explains it.
    pub why: Unexplained,
}

/// A call of a history.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ShownCall {
    /// The thread that makes it, from 1; 0 is main.
    pub thread: usize,
    /// The call.
    pub text: String,
    /// What it returns, part by part; of a parameter with its name.
    pub results: ShownResults,
}

/// Parts of what a call returns, each with the parameter that it is returned through, if there is one.
pub type ShownResults = Vec<(Option<String>, String)>;

/// Why no order explains the results of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unexplained {
    /// Orders of the calls of the threads with these results are none of this execution: some of them, each with what is
    /// wrong with it, and how many there are.
    Orders(Vec<(Vec<usize>, Objection)>, usize),
    /// In no order the calls return this: one in which the most do, with the calls that return something else and what.
    Results(Option<ClosestOrder>),
}

/// An order in which calls return almost what they do in an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClosestOrder {
    /// The calls of the threads.
    pub order: Vec<usize>,
    /// Calls that return something else there, as they are listed.
    pub differs: Vec<(usize, ShownResults)>,
}

/// Whether the calls of a client return the same parts in a specification.
///
/// # Errors
/// They do not.
pub(super) fn agree(client: &Client, spec: &Client) -> Result<(), Diag> {
    for (call, other) in client.calls().zip(spec.calls()) {
        let parts = |call: &Call| -> Vec<(u8, ScalarKind)> {
            call.results.iter().map(|r| (r.width, r.kind)).collect()
        };
        if parts(call) != parts(other) {
            let message = format!("`{}` returns something of another type here", call.text);
            return Err(Diag::error(other.span, message).also(call.span, "than here"));
        }
    }
    Ok(())
}

/// Lets a client assert that some order of its calls explains what they return.
///
/// # Errors
/// Why it is not known what the calls return one after the other: those of the specification say it, where there is one.
pub(super) fn observed(
    (program, client): (&Program, &Client),
    spec: Option<(&Program, &Client)>,
    kinds: &[PropertyKind],
    bounds: &Bounds,
) -> Result<Option<Observation>, UnknownReason> {
    let consistencies: Vec<Consistency> =
        kinds.iter().filter_map(|k| Consistency::of(*k)).collect();
    if consistencies.is_empty() {
        return Ok(None);
    }
    let never = || false;
    let (of, calls) = spec.unwrap_or((program, client));
    let outcomes = outcomes(of, calls, &consistencies, bounds, &never);
    let outcomes = outcomes.map_err(|error| match error {
        SequentialError::Unknown(places) => UnknownReason::Unsupported(places),
        SequentialError::Interrupted => UnknownReason::Interrupted,
        SequentialError::Enumerate(error) => {
            let span = match &error {
                EnumerateError::UnknownFence { span, .. } => *span,
                EnumerateError::NoMain | EnumerateError::Interrupted => of.main_span(),
            };
            UnknownReason::Unsupported(vec![(error.to_string(), span)])
        }
    })?;
    let mut results = outcomes.orders.keys();
    let returned = results.find_map(|results| address(calls, results));
    if let Some(call) = returned.filter(|_| spec.is_some()) {
        let text = format!(
            "`{}` returns an address in --spec, which is another one here",
            call.text
        );
        return Err(UnknownReason::Unsupported(vec![(text, call.span)]));
    }
    let observed = ObservedClient::new(program, client, &outcomes, &consistencies);
    Ok(Some(Observation {
        client: client.clone(),
        observed,
        outcomes,
    }))
}

/// A call that returns an address, and not a null pointer.
fn address<'c>(client: &'c Client, results: &[u64]) -> Option<&'c Call> {
    let parts = client
        .calls()
        .flat_map(|call| call.results.iter().map(move |r| (call, r)));
    let mut parts = parts.zip(results);
    let found = parts.find(|((_, part), value)| part.kind == ScalarKind::Pointer && **value != 0);
    found.map(|((call, _), _)| call)
}

impl Observation {
    /// Another version of the program in which it is a choice whether threads communicate between calls, if it matters on
    /// some of these models.
    pub(super) fn with_choices<'m>(
        &self,
        program: &Program,
        mut models: impl Iterator<Item = &'m Model>,
    ) -> Option<Program> {
        let matters = models.any(orders_by_itself);
        matters.then(|| self.observed.with_choices(program, &self.client))
    }

    /// The program with the assertion.
    pub(super) fn program(&self) -> &Program {
        &self.observed.program
    }

    /// Marks the steps of an execution that are the client's observations.
    pub(super) fn mark(&self, found: &mut Counterexample) {
        let steps = found.trace.iter_mut().flat_map(|trace| &mut trace.steps);
        for step in steps {
            let is_read = step.kind == StepKind::Read;
            step.observes = self.observed.is_counter(&step.cell)
                || is_read && self.observed.is_result(&step.cell);
        }
    }

    /// The history of an execution that violates a property of the client; `None` of other executions, and where the
    /// execution is not known.
    ///
    /// # Errors
    /// By definition some order explains it.
    pub(super) fn history(&self, found: &Counterexample) -> Result<Option<ShownHistory>, Error> {
        let (Some(consistency), Some(trace)) = (Consistency::of(found.property.kind), &found.trace)
        else {
            return Ok(None);
        };
        let value = |name: &str| {
            let writes = trace.steps.iter().rev();
            let mut writes = writes.filter(|s| matches!(s.kind, StepKind::Write | StepKind::Init));
            writes.find(|s| s.cell == name).map(|s| s.value)
        };
        let Some(history) = self.observed.history(&value) else {
            let text = "the execution does not say what the calls return";
            return Err(Error::Internal(text.to_string()));
        };
        let numbering = self.observed.numbering();
        if let Some(order) = history.explained(&self.outcomes, numbering, consistency) {
            let text = format!("the order {order:?} explains the execution that was found");
            return Err(Error::Internal(text));
        }
        let calls: Vec<ShownCall> = (0..self.client.calls().count())
            .map(|call| self.shown(call, &history.results))
            .collect();
        let why = self.unexplained(&history, consistency);
        Ok(Some(ShownHistory {
            calls,
            before: history.before.into_iter().collect(),
            why,
        }))
    }

    fn unexplained(&self, history: &History, consistency: Consistency) -> Unexplained {
        let numbering = self.observed.numbering();
        let is_possible = |order: &&Vec<usize>| {
            consistency == Consistency::Quiescence || numbering.keeps_threads(order)
        };
        if let Some(orders) = self.outcomes.orders.get(&history.results) {
            let orders = orders.iter().filter(is_possible);
            let objections = orders.filter_map(|order| {
                let objection = history.objection(order, numbering, consistency)?;
                Some((order.clone(), objection))
            });
            let mut objections: Vec<(Vec<usize>, Objection)> = objections.collect();
            let count = objections.len();
            objections.truncate(MOST_ORDERS);
            if count > 0 {
                return Unexplained::Orders(objections, count);
            }
        }
        let possible = self.outcomes.orders.iter().flat_map(|(results, orders)| {
            let orders = orders.iter().filter(is_possible);
            let orders = orders.filter(|o| history.objection(o, numbering, consistency).is_none());
            orders.map(move |order| (results, order))
        });
        let calls = self.client.calls().count();
        let differing = |results: &[u64]| -> Vec<usize> {
            let differs = |c: &usize| self.part(*c, results) != self.part(*c, &history.results);
            (0..calls).filter(differs).collect()
        };
        let closest = possible.min_by_key(|(results, _)| differing(results).len());
        Unexplained::Results(closest.map(|(results, order)| {
            ClosestOrder {
                order: order.clone(),
                differs: differing(results)
                    .into_iter()
                    .map(|call| (call, self.shown(call, results).results))
                    .collect(),
            }
        }))
    }

    /// The results of one call among those of all.
    fn part<'r>(&self, call: usize, results: &'r [u64]) -> &'r [u64] {
        let mut calls = self.client.calls().map(|c| c.results.len());
        let first: usize = calls.by_ref().take(call).sum();
        &results[first..first + calls.next().unwrap_or(0)]
    }

    /// A call with what it returns.
    fn shown(&self, call: usize, results: &[u64]) -> ShownCall {
        let numbering = self.observed.numbering();
        let thread = match call < numbering.count() {
            true => numbering.place(call).0 + 1,
            false => 0,
        };
        let lowered = self.client.calls().nth(call).expect("a call of the client");
        let parts = lowered.results.iter().zip(self.part(call, results));
        let parts = parts.map(|(result, value)| {
            let text = result.shown(self.program(), *value);
            (result.parameter.clone(), text)
        });
        ShownCall {
            thread,
            text: lowered.text.clone(),
            results: parts.collect(),
        }
    }
}
