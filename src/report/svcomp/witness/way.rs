//! The way to a violation: from an execution to the waypoints that lead there.

use super::format::{Column, Segment, Waypoint};
use crate::check::outcome::{Shown, Step, StepKind, Trace, TraceChoice};
use base::source::{FileId, SourceMap};
use ir::program::MemoryOrder;
use std::collections::BTreeSet;

/// Values that look the same in every type of C that has room for them, and are no address.
const PLAIN_VALUES: u64 = 1 << 20;

/// What comes before the target: of two, what comes before the first, and up to the second what its
/// thread does; of one, everything up to the last step of its thread.
pub(super) struct Before {
    first: usize,
    second: usize,
    thread: usize,
}

impl Before {
    pub(super) fn new(trace: &Trace, targets: &[usize], thread: usize) -> Before {
        let last = trace.steps.iter().rposition(|s| s.thread == Some(thread));
        let end = last.map_or(0, |s| s + 1);
        match targets {
            [first, second] => Before {
                first: *first,
                second: *second,
                thread: trace.steps[*second].thread.unwrap_or(0),
            },
            _ => Before {
                first: end,
                second: end,
                thread,
            },
        }
    }

    fn has_step(&self, at: usize, step: &Step) -> bool {
        let goes_on = step.thread == Some(self.thread) && at != self.first;
        at < self.first || at < self.second && goes_on
    }

    fn has_choice(&self, choice: &TraceChoice) -> bool {
        choice.step <= self.first || choice.step <= self.second && choice.thread == self.thread
    }
}

/// What a waypoint is made of.
pub(super) enum TraceEvent<'a> {
    Choice(&'a TraceChoice),
    Created(usize),
    Done(&'a Step),
}

/// What happens before the target, in order.
pub(super) fn trace_events<'a>(
    trace: &'a Trace,
    before: &Before,
    involved: &[usize],
) -> Vec<TraceEvent<'a>> {
    let mut found: Vec<((usize, usize), TraceEvent)> = Vec::new();
    let mut acting: BTreeSet<usize> = involved.iter().copied().collect();
    for (at, step) in trace.steps.iter().enumerate() {
        if before.has_step(at, step) {
            acting.extend(step.thread);
            found.push(((at, usize::MAX), TraceEvent::Done(step)));
        }
    }
    for choice in trace.choices.iter().filter(|d| before.has_choice(d)) {
        acting.insert(choice.thread);
        found.push((
            (choice.step, 2 * choice.threads),
            TraceEvent::Choice(choice),
        ));
    }
    let creators: Vec<usize> = acting.iter().flat_map(|t| ancestors(trace, *t)).collect();
    acting.extend(creators);
    for thread in acting {
        if let Some(created) = trace.threads.get(thread).and_then(|t| t.created) {
            found.push(((created.step, 2 * thread + 1), TraceEvent::Created(thread)));
        }
    }
    found.sort_by_key(|(order, _)| *order);
    found.into_iter().map(|(_, h)| h).collect()
}

/// The waypoints before the target. Threads are registered in `ids` as they are created.
pub(super) fn way(
    trace: &Trace,
    sources: &SourceMap,
    globals: &BTreeSet<String>,
    trace_events: &[TraceEvent],
    ids: &mut [Option<usize>],
) -> Vec<Segment> {
    let mut segments = Vec::new();
    // Where each thread was last.
    let mut lines: Vec<Option<(FileId, u32)>> = vec![None; trace.threads.len()];
    let mut registered = 0;
    let waypoint = |kind, id, span, column| Waypoint::new(sources, kind, id, span, column);
    for event in trace_events {
        let next = match event {
            TraceEvent::Created(thread) => {
                let created = &trace.threads[*thread];
                let by = created.created.and_then(|c| ids[c.by]);
                registered += 1;
                ids[*thread] = Some(registered);
                Some(waypoint("function_enter", by, created.span, Column::None))
            }
            TraceEvent::Choice(choice) => result(sources, choice).map(|value| {
                let id = ids[choice.thread];
                waypoint("function_return", id, choice.span, Column::Last)
                    .with(format!("\\result == {value}"), "acsl_expression")
            }),
            TraceEvent::Done(step) => step.thread.and_then(|thread| {
                let at = sources.line_col(step.span.file, step.span.start);
                let line = Some((step.span.file, at.line));
                let first = std::mem::replace(&mut lines[thread], line) != line;
                let tells = first && trace.weak.is_none() && globals.contains(&step.cell);
                (tells && finds(trace, step)).then(|| {
                    let id = ids[thread];
                    let value = format!("{} == {}", step.cell, step.value);
                    waypoint("assumption", id, step.span, Column::None).with(value, "c_expression")
                })
            }),
        };
        segments.extend(next.map(|w| Segment::new([w])));
    }
    segments
}

/// The value that a function of SV-COMP has returned, as its type writes it; `None` for pointers, and
/// for values from elsewhere.
fn result(sources: &SourceMap, choice: &TraceChoice) -> Option<String> {
    let call = sources.snippet(choice.span);
    let name = call.strip_prefix("__VERIFIER_nondet_")?;
    let name = name
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .next()?;
    let unused = 64 - u32::from(choice.width);
    match name {
        "char" | "short" | "int" | "long" | "longlong" | "loff_t" => {
            Some(((choice.value << unused) as i64 >> unused).to_string())
        }
        "bool" | "uchar" | "ushort" | "uint" | "unsigned" | "ulong" | "ulonglong" | "size_t"
        | "u8" | "u16" | "u32" | "sector_t" | "pthread_t" => Some(choice.value.to_string()),
        _ => None,
    }
}

/// Who created the thread, who created those.
fn ancestors(trace: &Trace, thread: usize) -> Vec<usize> {
    let creator = |t: &usize| trace.threads.get(*t)?.created.map(|c| c.by);
    std::iter::successors(creator(&thread), creator).collect()
}

/// Whether the step reads what another thread wrote, and the value can be written.
fn finds(trace: &Trace, step: &Step) -> bool {
    let writer = step.from.and_then(|w| trace.steps.get(w));
    step.kind == StepKind::Read
        && !matches!(step.order, MemoryOrder::Library(_))
        && step.value < PLAIN_VALUES
        && step.shown == Shown::Integer
        && writer.is_some_and(|w| w.thread.is_some() && w.thread != step.thread)
}
