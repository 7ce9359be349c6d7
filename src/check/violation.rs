//! From the solver's answer to a violation that is believed: the execution is decoded, judged by
//! the model, searched for what was asked, replayed by the program, and reported.

use super::decode::{Mismatch, Run};
use super::explain::at_points;
use super::machine::machine_run;
use super::outcome::{Counterexample, Step, StepKind, Trace};
use super::replay::{Unwritten, observe, replay, replay_waits};
use super::task::{CheckError, CheckTask};
use super::trace::{CutOff, build_trace};
use crate::encode::Encoding;
use crate::unroll::event::{ChoiceKind, EventId, EventKind, Spin, ThreadId, Wait};
use base::bits::BitMatrix;
use base::idx::Id;
use cat::edges;
use cat::eval::Evaluator;
use cat::execution::Execution;
use cat::model::Model;
use ir::program::{Lifetime, Op, Storage};
use ir::program::{Property, PropertyKind, Rule};
use rustc_hash::FxHashMap;
use smt::sat::cnf::Lit;
use std::collections::BTreeSet;

/// Decodes, validates and replays the execution the solver has found, which violates a property of
/// this kind.
///
/// # Errors
/// It does not stand up to that: a bug of this tool.
pub(super) fn found(
    task: &CheckTask,
    encoding: &Encoding,
    value: &dyn Fn(Lit) -> bool,
    kind: PropertyKind,
) -> Result<Counterexample, CheckError> {
    let believed = || {
        let run = Run::new(task.graph, encoding, value)?;
        let execution = run.validate(&Evaluator::new(task.model))?;
        let pairs = match kind {
            PropertyKind::Race => &encoding.races,
            _ => &encoding.outside_lifetime,
        };
        let holds = |(pair, lit): &((EventId, EventId), Lit)| value(*lit).then_some(*pair);
        let pairs: Vec<(EventId, EventId)> = pairs.iter().filter_map(holds).collect();
        violation(task, &run, &execution, kind, Some(&pairs))
    };
    believed().map_err(|m: Mismatch| CheckError::Internal(m.0))
}

/// The counterexample that a run is which violates a property of this kind.
///
/// # Errors
/// It does not stand up to the model or to the replay.
pub(super) fn of_run(
    task: &CheckTask,
    run: &Run,
    kind: PropertyKind,
) -> Result<Counterexample, CheckError> {
    let execution = run.validate(&Evaluator::new(task.model));
    let believed = execution.and_then(|execution| violation(task, run, &execution, kind, None));
    believed.map_err(|m: Mismatch| CheckError::Internal(m.0))
}

/// What is violated in an execution; of races and of accesses to what does not exist by one of the pairs, where
/// they are known, else by the first one of the definition.
fn violation(
    task: &CheckTask,
    run: &Run,
    execution: &Execution,
    kind: PropertyKind,
    pairs: Option<&[(EventId, EventId)]>,
) -> Result<Counterexample, Mismatch> {
    match kind {
        PropertyKind::Race => related(task, run, execution, kind, pairs),
        PropertyKind::Deadlock | PropertyKind::Termination => {
            no_progress(task, run, execution, kind)
        }
        PropertyKind::Robust => not_robust(task, run, execution),
        PropertyKind::Memory if !run.violates(kind) => related(task, run, execution, kind, pairs),
        _ => check(task, run, execution, kind),
    }
}

fn check(
    task: &CheckTask,
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
    let recording = replay(task.program, run, check)?;
    let cut_offs = [CutOff {
        thread: check.thread,
        position: check.position,
        choices: Some(check.choices),
    }];
    let is_machine = !task.program.machine_code.is_empty();
    let (mut trace, step_of) = shown(task, run, execution, &cut_offs);
    if is_machine {
        trace.machine = machine_run(run, task.model, &recording, &trace.steps, &step_of);
    }
    Ok(Counterexample {
        property: check.property.clone(),
        span: check.span,
        thread: Some(check.thread.index()),
        cause: match (recording.outside, recording.unwritten) {
            (Some(addr), _) => Some(outside(run, addr)),
            (None, origin) => origin.map(|origin| unwritten(task, run, origin)),
        },
        steps: Vec::new(),
        trace: Some(trace),
    })
}

/// Addresses below this one are those of members of what a null pointer points to.
const NEAR_NULL: u64 = 1 << 16;

/// What is wrong with an address outside of all objects.
fn outside(run: &Run, addr: u64) -> String {
    if addr < NEAR_NULL {
        return "null pointer dereferenced".to_string();
    }
    let allocated = |base: u64| {
        let mut choices = run.graph.choices.iter();
        choices.find_map(|choice| match choice.what {
            ChoiceKind::Object { addr, bytes, .. } if addr == base && run.holds(choice.guard) => {
                Some(run.eval(bytes))
            }
            _ => None,
        })
    };
    match run.graph.objects.range(..=addr).next_back() {
        Some((base, object)) if object.size > 0 && addr - base <= 2 * object.size + NEAR_NULL => {
            let (name, size) = (&object.name, allocated(*base).unwrap_or(object.size));
            format!(
                "access behind the end of `{name}`: byte {} of {size}",
                addr - base
            )
        }
        _ => "access through a pointer to no object".to_string(),
    }
}

/// What was not written before it was used.
fn unwritten(task: &CheckTask, run: &Run, origin: Unwritten) -> String {
    let declared = |name: &str, span| {
        let at = task.sources.location(span);
        format!("`{name}`, declared at {at}, is used before it is written")
    };
    let procs = &task.program.procs;
    match origin {
        Unwritten::Result(proc) => format!("`{}` has returned no value", procs[proc].name),
        Unwritten::Register(proc, local, span) => match &procs[proc].locals[local].name[..] {
            "" => format!("a value that `{}` has not set is used", procs[proc].name),
            name => declared(name, span),
        },
        Unwritten::Memory(addr) => {
            let name = task.graph.address_text(addr).unwrap_or_default();
            let name = name.trim_start_matches('&');
            let object = task.graph.objects.range(..=addr).next_back();
            let object = object.map_or(0, |(base, _)| *base);
            let made = task.graph.choices.iter().find_map(|c| match c.what {
                ChoiceKind::Object { site, addr, .. } if addr == object && run.holds(c.guard) => {
                    Some(&procs[site.0].body[site.1])
                }
                _ => None,
            });
            match made.map(|instr| (&instr.op, instr.span)) {
                Some((Op::Alloc { storage, .. }, span)) if *storage == Storage::Heap => {
                    let at = task.sources.location(span);
                    format!("`{name}`, allocated at {at}, is used before it is written")
                }
                Some((_, span)) => declared(name, span),
                None => format!("`{name}` has a value that was never written"),
            }
        }
    }
}

/// Two events that are a race, or an access to an object that does not exist, by the definition; where `pairs` are
/// given, by them, too.
fn related(
    task: &CheckTask,
    run: &Run,
    execution: &Execution,
    kind: PropertyKind,
    pairs: Option<&[(EventId, EventId)]>,
) -> Result<Counterexample, Mismatch> {
    let relation = match kind {
        PropertyKind::Race => task.model.race,
        _ => task.model.lifetime,
    };
    let Some(relation) = relation else {
        return Err(Mismatch("the model does not define this".to_string()));
    };
    let related = edges(task.model, execution, relation);
    let at = |e: EventId| run.events.binary_search(&e).ok();
    let found = match pairs {
        Some(pairs) => pairs.iter().find_map(|(a, b)| Some((at(*a)?, at(*b)?))),
        None => first_pair(task, run, execution, kind, &related),
    };
    let holds = |(a, b): &(usize, usize)| related.contains(*a, *b) || related.contains(*b, *a);
    let Some((a, b)) = found.filter(holds) else {
        return Err(Mismatch("the execution found has no such pair".to_string()));
    };
    observe(task.program, run)?;
    let event = |p: usize| &run.graph.events[run.events[p]];
    let behind = |p: usize| {
        let thread = event(p).thread?;
        let events = &run.graph.threads[thread].events;
        let position = events.iter().position(|e| *e == run.events[p])?;
        Some(CutOff {
            thread,
            position: position + 1,
            choices: None,
        })
    };
    let cut_offs: Vec<CutOff> = [a, b].into_iter().filter_map(behind).collect();
    let (trace, step_of) = shown(task, run, execution, &cut_offs);
    let step = |p: usize| step_of.get(&p).copied();
    let (Some(first), Some(second)) = (step(a), step(b)) else {
        return Err(Mismatch("one of the two is not shown".to_string()));
    };
    // A race is reported in the order of the steps, an access to what does not exist last.
    let is_life = |step: usize| matches!(trace.steps[step].kind, StepKind::Lifetime(_));
    let later = match (is_life(first), is_life(second)) {
        (true, true) => related.contains(b, a),
        (false, false) => first > second,
        (life, _) => !life,
    };
    let (first, second) = match later {
        true => (second, first),
        false => (first, second),
    };
    let (rule, text) = describe(task, &trace, kind, (first, second));
    let mut steps = vec![first, second];
    steps.sort_unstable();
    Ok(Counterexample {
        property: Property::new(rule, text),
        span: trace.steps[second].span,
        thread: trace.steps[second].thread,
        cause: None,
        steps,
        trace: Some(trace),
    })
}

/// The first two events of an execution that are a race, or an access to an object that does not exist.
pub(super) fn first_related(
    run: &Run,
    model: &Model,
    execution: &Execution,
    kind: PropertyKind,
) -> Option<[EventId; 2]> {
    let relation = match kind {
        PropertyKind::Race => model.race,
        _ => model.lifetime,
    };
    let happens = |e: usize| kind != PropertyKind::Race || !fails_before(run, e);
    let related = edges(model, execution, relation?);
    let mut pairs = related.pairs();
    let (a, b) = pairs.find(|(a, b)| happens(*a) && happens(*b))?;
    Some([run.events[a], run.events[b]])
}

/// The execution as it is shown, and the step of each event.
fn shown(
    task: &CheckTask,
    run: &Run,
    execution: &Execution,
    cut_offs: &[CutOff],
) -> (Trace, FxHashMap<usize, usize>) {
    build_trace(
        run,
        task.model,
        execution,
        cut_offs,
        task.sources,
        task.program.language,
    )
}

/// An execution in which all threads end, as it is shown.
///
/// # Errors
/// It does not stand up to the model or to the replay.
pub(super) fn harmless(task: &CheckTask, run: &Run) -> Result<Trace, CheckError> {
    let believed = || {
        let execution = run.validate(&Evaluator::new(task.model))?;
        observe(task.program, run)?;
        Ok(shown(task, run, &execution, &[]).0)
    };
    believed().map_err(|m: Mismatch| CheckError::Internal(m.0))
}

/// The pair of a relation that comes first in the execution as it is shown.
fn first_pair(
    task: &CheckTask,
    run: &Run,
    execution: &Execution,
    kind: PropertyKind,
    related: &BitMatrix,
) -> Option<(usize, usize)> {
    let (_, step_of) = shown(task, run, execution, &[]);
    let happens = |e: &usize| kind != PropertyKind::Race || !fails_before(run, *e);
    let steps = related.pairs().filter_map(|(a, b)| {
        let (x, y) = (*step_of.get(&a)?, *step_of.get(&b)?);
        (happens(&a) && happens(&b)).then_some((x.max(y), x.min(y), (a, b)))
    });
    steps.min().map(|(.., pair)| pair)
}

/// Whether an assertion of its thread fails before an event, so that it does not happen.
fn fails_before(run: &Run, event: usize) -> bool {
    let event = run.events[event];
    let Some(thread) = run.graph.events[event].thread else {
        return false;
    };
    let events = &run.graph.threads[thread].events;
    let position = events.iter().position(|e| *e == event);
    let mut checks = run.graph.checks.iter().filter(|c| c.thread == thread);
    checks.any(|c| {
        let fails = run.holds(c.guard) && !run.holds(c.cond);
        let is_before = position.is_some_and(|at| c.position <= at);
        c.property.kind == PropertyKind::Assertion && fails && is_before
    })
}

/// Two steps as a sentence: of an access to what does not exist, the access is the second one.
fn describe(
    task: &CheckTask,
    trace: &Trace,
    kind: PropertyKind,
    (first, second): (usize, usize),
) -> (Rule, String) {
    let (first, second) = (&trace.steps[first], &trace.steps[second]);
    let does = |step: &Step| {
        let verb = match step.kind {
            StepKind::Write => "is written",
            StepKind::Lifetime(Lifetime::Free) => "is freed",
            StepKind::Lifetime(Lifetime::End) => "ends to exist",
            StepKind::Lifetime(Lifetime::Begin) => "begins to exist",
            _ => "is read",
        };
        let who = who(step.thread.unwrap_or(0));
        format!("{verb} at {} by {who}", task.sources.location(step.span))
    };
    let name = &second.cell;
    let (a, b) = (does(first), does(second));
    let freed = |s: &Step| s.kind == StepKind::Lifetime(Lifetime::Free);
    match (kind, first.kind) {
        (PropertyKind::Memory, StepKind::Lifetime(Lifetime::Begin)) => {
            (Rule::Access, format!("`{name}` {b}, before it {a}"))
        }
        (PropertyKind::Memory, _) if freed(first) && freed(second) => {
            (Rule::Free, format!("`{name}` {a}, and again {b}"))
        }
        (PropertyKind::Memory, _) => (Rule::Access, format!("`{name}` {a}, and then {b}")),
        _ => {
            let text = format!("`{name}` {a} and {b}, and nothing orders the two");
            (Rule::from(kind), text)
        }
    }
}

fn who(thread: usize) -> String {
    match thread {
        0 => "main".to_string(),
        n => format!("thread {n}"),
    }
}

/// Events of a cycle of program order and communications, the first one in the order of the execution as it is
/// shown first.
fn not_robust(
    task: &CheckTask,
    run: &Run,
    execution: &Execution,
) -> Result<Counterexample, Mismatch> {
    if is_robust(task.model, execution) != Some(false) {
        return Err(Mismatch("the execution has no cycle".to_string()));
    }
    observe(task.program, run)?;
    let (trace, _) = shown(task, run, execution, &[]);
    let edges = trace.weak.iter().flat_map(|weak| &weak.cycle);
    let mut steps: Vec<usize> = edges.flat_map(|edge| [edge.from, edge.to]).collect();
    steps.sort_unstable();
    steps.dedup();
    let Some(first) = steps.first().map(|step| &trace.steps[*step]) else {
        return Err(Mismatch("the cycle is not shown".to_string()));
    };
    let mut cells: Vec<&str> = steps
        .iter()
        .map(|s| trace.steps[*s].cell.as_str())
        .collect();
    cells.sort_unstable();
    cells.dedup();
    let text = format!(
        "no interleaving has the accesses of {}",
        cells
            .iter()
            .map(|cell| format!("`{cell}`"))
            .collect::<Vec<_>>()
            .join(", ")
    );
    Ok(Counterexample {
        property: Property::new(Rule::Robust, text),
        span: first.span,
        thread: first.thread,
        cause: None,
        steps,
        trace: Some(trace),
    })
}

/// Whether program order and communications have no cycle; `None` where the model does not ask for it.
pub(super) fn is_robust(model: &Model, execution: &Execution) -> Option<bool> {
    let steps = edges(model, execution, model.robust?);
    Some(at_points(execution, &steps).cycle().is_none())
}

/// Threads that wait or spin, each reading what no thread overwrites, and no thread that does anything else.
fn no_progress(
    task: &CheckTask,
    run: &Run,
    execution: &Execution,
    kind: PropertyKind,
) -> Result<Counterexample, Mismatch> {
    let graph = task.graph;
    let wakes = |w: &EventId| !matches!(graph.events[*w].kind, EventKind::Lifetime(_));
    let last = |read: &EventId, but: &BTreeSet<EventId>| match run.source.get(read) {
        Some(w) => {
            let later = run.coherence[&run.addr[w]].iter().rev();
            let mut later = later.take_while(|v| *v != w);
            later.all(|v| !wakes(v) || but.contains(v))
        }
        None => true,
    };
    let none = BTreeSet::new();
    let for_ever = |w: &&Wait| run.holds(w.guard) && w.reads.iter().all(|r| last(r, &none));
    let waits: Vec<&Wait> = graph.waits.iter().filter(for_ever).collect();
    let ended = |spin: &&Spin| run.holds(spin.guard);
    let stopped: Vec<&Spin> = graph.spins.iter().filter(ended).collect();
    let repeated = |in_section: bool| -> BTreeSet<EventId> {
        let all = stopped.iter().filter(|s| s.section.is_some() == in_section);
        all.flat_map(|spin| spin.writes.iter().copied()).collect()
    };
    let (writes, sections) = (repeated(false), repeated(true));
    let repeats = |spin: &&Spin| {
        let mut reads = spin.reads.iter();
        let is_await = kind == PropertyKind::Termination || spin.is_await;
        is_await
            && reads.all(|read| match spin.reads_mutex(graph, *read) {
                true => last(read, &sections),
                false => last(read, &writes),
            })
    };
    let spins: Vec<&Spin> = stopped.iter().copied().filter(repeats).collect();
    for (id, thread) in graph.threads.iter_enumerated() {
        let stands = waits.iter().any(|w| w.thread == id) || spins.iter().any(|s| s.thread == id);
        if run.holds(thread.guard) && !run.holds(thread.ended) && !stands {
            return Err(Mismatch(format!("{id} neither waits nor has ended")));
        }
    }
    let first = match kind {
        PropertyKind::Deadlock => waits.first().map(|wait| (wait.thread, wait.span)),
        _ => spins.first().map(|spin| (spin.thread, spin.span)),
    };
    let Some((thread, span)) = first else {
        return Err(Mismatch("no thread waits".to_string()));
    };
    if graph.halts.iter().any(|h| run.holds(*h)) {
        return Err(Mismatch("the process has ended".to_string()));
    }
    let places = waits.iter().map(|w| (w.thread, w.span)).collect();
    let loops = spins.iter().map(|s| (s.thread, s.back)).collect();
    replay_waits(task.program, run, &places, &loops)?;
    let at = |thread: ThreadId, does: &str, span| {
        let (who, place) = (who(thread.index()), task.sources.location(span));
        format!("{who} {does} at {place}")
    };
    let waiting = waits.iter().map(|w| at(w.thread, "waits", w.span));
    let spinning = spins.iter().map(|spin| {
        let values = values(run, spin);
        match values.is_empty() {
            true => at(spin.thread, "loops", spin.span),
            false => at(spin.thread, "spins", spin.span) + &format!(" while {values}"),
        }
    });
    let all: Vec<String> = match kind {
        PropertyKind::Deadlock => waiting.chain(spinning).collect(),
        _ => spinning.chain(waiting).collect(),
    };
    let rule = match kind {
        PropertyKind::Deadlock => Rule::Deadlock,
        _ => Rule::Termination,
    };
    let (trace, _) = shown(task, run, execution, &[]);
    Ok(Counterexample {
        property: Property::new(rule, all.join(", ") + ", forever"),
        span,
        thread: Some(thread.index()),
        cause: None,
        steps: Vec::new(),
        trace: Some(trace),
    })
}

/// What the reads of the iteration return that a thread repeats.
fn values(run: &Run, spin: &Spin) -> String {
    let graph = run.graph;
    let mut shown: Vec<String> = Vec::new();
    let happen = |read: &&EventId| run.events.binary_search(read).is_ok();
    let tell = |read: &&EventId| !spin.reads_mutex(graph, **read);
    for read in spin.reads.iter().filter(happen).filter(tell) {
        let mut cells = graph.cells.iter();
        let cell = cells.find(|cell| run.addr.get(read) == Some(&cell.addr));
        let value = run.eval(graph.events[*read].value);
        if let Some(cell) = cell {
            let text = format!("`{}` is {value}", cell.name);
            if !shown.contains(&text) {
                shown.push(text);
            }
        }
    }
    shown.join(" and ")
}
