//! From the solver's answer to a violation that is believed: the execution is decoded, judged by
//! the model, searched for what was asked, replayed by the program, and told.

use super::bmc::{CheckError, Task};
use super::decode::{Mismatch, Run};
use super::outcome::{Counterexample, StepKind};
use super::replay::{observe, replay};
use super::trace::{Until, tell};
use crate::encode::Encoding;
use crate::encode::cnf::Lit;
use crate::idx::Id;
use crate::ir::program::{Property, PropertyKind};
use crate::mm::edges;
use crate::mm::execution::Execution;
use crate::unroll::event::EventId;

/// Decodes, validates and replays the execution the solver has found, which violates a property of
/// this kind.
///
/// # Errors
/// It does not stand up to that: a bug of this tool.
pub(super) fn found(
    task: &Task,
    encoding: &Encoding,
    value: &dyn Fn(Lit) -> bool,
    kind: PropertyKind,
) -> Result<Counterexample, CheckError> {
    let believed = || {
        let run = Run::new(task.graph, encoding, value)?;
        let execution = run.validate(task.model)?;
        match kind {
            PropertyKind::Race => race(task, encoding, value, &run, &execution),
            _ => check(task, &run, &execution, kind),
        }
    };
    believed().map_err(|m: Mismatch| CheckError::Internal(m.0))
}

fn check(
    task: &Task,
    run: &Run,
    execution: &Execution,
    kind: PropertyKind,
) -> Result<Counterexample, Mismatch> {
    let mut checks = task.graph.checks.iter();
    let violated =
        checks.find(|c| c.property.kind == kind && run.holds(c.guard) && !run.holds(c.cond));
    let Some(check) = violated else {
        return Err(Mismatch(
            "the execution found violates no property".to_string(),
        ));
    };
    replay(task.program, run, check)?;
    let until: Until = vec![(check.thread, check.position)];
    let (trace, _) = tell(run, task.model, execution, &until, task.sources);
    Ok(Counterexample {
        property: check.property.clone(),
        span: check.span,
        thread: check.thread.index(),
        steps: Vec::new(),
        trace,
    })
}

/// Two accesses that the solver says race, and that the definition of a race relates.
fn race(
    task: &Task,
    encoding: &Encoding,
    value: &dyn Fn(Lit) -> bool,
    run: &Run,
    execution: &Execution,
) -> Result<Counterexample, Mismatch> {
    let Some(relation) = task.model.race else {
        return Err(Mismatch("the model does not define races".to_string()));
    };
    let races = edges(task.model, execution, relation);
    let at = |e: EventId| run.events.binary_search(&e).ok();
    let mut candidates = encoding.races.iter().filter(|(_, lit)| value(*lit));
    let found = candidates.find_map(|((a, b), _)| Some((at(*a)?, at(*b)?)));
    let Some((a, b)) = found.filter(|(a, b)| races.contains(*a, *b) || races.contains(*b, *a))
    else {
        return Err(Mismatch("the execution found has no such race".to_string()));
    };
    observe(task.program, run)?;
    let event = |p: usize| &run.graph.events[run.events[p]];
    let behind = |p: usize| {
        let thread = event(p).thread?;
        let events = &run.graph.threads[thread].events;
        let position = events.iter().position(|e| *e == run.events[p])?;
        Some((thread, position + 1))
    };
    let until: Until = [a, b].into_iter().filter_map(behind).collect();
    let (trace, step_of) = tell(run, task.model, execution, &until, task.sources);
    let mut steps: Vec<usize> = [a, b]
        .iter()
        .filter_map(|p| step_of.get(p))
        .copied()
        .collect();
    steps.sort_unstable();
    let [first, second] = steps[..] else {
        return Err(Mismatch("a racing access is not shown".to_string()));
    };
    let does = |step: usize| {
        let step = &trace.steps[step];
        let verb = match step.kind {
            StepKind::Write => "written",
            _ => "read",
        };
        let who = match step.thread {
            None | Some(0) => "main".to_string(),
            Some(n) => format!("thread {n}"),
        };
        format!("{verb} at {} by {who}", task.sources.location(step.span))
    };
    let text = format!(
        "`{}` is {} and {}, and nothing orders the two",
        trace.steps[first].cell,
        does(first),
        does(second)
    );
    Ok(Counterexample {
        property: Property {
            kind: PropertyKind::Race,
            text,
        },
        span: trace.steps[second].span,
        thread: trace.steps[second].thread.unwrap_or(0),
        steps,
        trace,
    })
}
