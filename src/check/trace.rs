//! A validated run as a [`Counterexample`]: plain data in an order a person can follow.

use super::decode::Run;
use super::explain::{at_points, weak_cycle};
use super::outcome::*;
use super::remedy::remedy;
use crate::unroll::event::{ChoiceKind, EventId, EventKind, ThreadId};
use base::bits::BitMatrix;
use base::idx::Id;
use base::source::SourceMap;
use cat::edges;
use cat::execution::Execution;
use cat::model::{BaseRel, Model};
use cat::pattern::acyclic_axioms;
use ir::program::{Language, ScalarKind};
use rustc_hash::FxHashMap;

/// From where on a thread is not looked at.
#[derive(Clone, Copy, Debug)]
pub struct CutOff {
    /// Which thread.
    pub thread: ThreadId,
    /// How many of its events are shown.
    pub position: usize,
    /// Choices from this one on are not; those of all threads are counted.
    pub choices: Option<usize>,
}

impl CutOff {
    fn hides(self, thread: ThreadId, choice: usize, after: usize) -> bool {
        let is_later = self.choices.is_some_and(|shown| choice >= shown);
        self.thread == thread && (after > self.position || is_later)
    }
}

/// Reports a run.
pub fn trace(
    run: &Run,
    model: &Model,
    execution: &Execution,
    sources: &SourceMap,
    language: Language,
) -> Trace {
    build_trace(run, model, execution, &[], sources, language).0
}

/// Reports a run, threads up to where they matter, and what would forbid it in these instructions; also the steps
/// of its events, by position.
pub fn build_trace(
    run: &Run,
    model: &Model,
    execution: &Execution,
    cut_offs: &[CutOff],
    sources: &SourceMap,
    language: Language,
) -> (Trace, FxHashMap<usize, usize>) {
    let graph = run.graph;
    let cycle = weak_cycle(model, execution);
    let place = |i: usize| sources.location(graph.events[run.events[i]].span);
    let remedy = cycle
        .as_ref()
        .and_then(|cycle| remedy((run, model), execution, cycle, language, &place));
    let kept = kept_events(run, cut_offs);
    let mut order = linearise(run, model, execution, &kept);
    if let ([cut], None) = (cut_offs, &cycle) {
        let before = finished_before(run, cut.thread, cut.position);
        let event = |p: &usize| graph.events[run.events[*p]].thread;
        let last = order
            .iter()
            .rposition(|p| event(p).is_some_and(|t| before.contains(&t)));
        order.truncate(last.map_or(0, |last| last + 1));
    }
    let step_of: FxHashMap<usize, usize> = order.iter().enumerate().map(|(s, p)| (*p, s)).collect();
    let step = |p: usize| step_of.get(&p).copied();
    let writers: FxHashMap<EventId, usize> = run
        .events
        .iter()
        .enumerate()
        .map(|(i, e)| (*e, i))
        .collect();
    let steps = order.iter().map(|p| {
        let e = run.events[*p];
        let event = &graph.events[e];
        let cell = event
            .cells
            .iter()
            .find(|c| graph.cells[**c].addr == run.addr[&e]);
        Step {
            kind: match event.kind {
                EventKind::Init => StepKind::Init,
                EventKind::Read => StepKind::Read,
                EventKind::Write => StepKind::Write,
                EventKind::Lifetime(life) => StepKind::Lifetime(life),
                EventKind::Fence(tag) => StepKind::Fence(tag),
            },
            thread: event.thread.map(Id::index),
            cell: cell.map_or(String::new(), |c| graph.cells[*c].name.clone()),
            value: run.value[&e],
            width: cell.map_or(0, |c| graph.cells[*c].width),
            shown: cell.map_or(Shown::Integer, |c| match graph.cells[*c].kind {
                ScalarKind::Integer => Shown::Integer,
                ScalarKind::Float => Shown::Float,
                ScalarKind::Pointer => Shown::Address(graph.address_text(run.value[&e])),
            }),
            order: run.order(e),
            from: run.source.get(&e).and_then(|w| step(writers[w])),
            rmw: event.rmw_read.is_some() || graph.events.iter().any(|w| w.rmw_read == Some(e)),
            group: event.group.map(Id::index),
            observes: false,
            span: event.span,
        }
    });
    let steps = steps.collect();
    let weak = cycle.map(|cycle| {
        let mut cycle: Vec<CycleEdge> = cycle;
        cycle.retain_mut(|edge| match (step(edge.from), step(edge.to)) {
            (Some(from), Some(to)) => {
                (edge.from, edge.to) = (from, to);
                true
            }
            _ => false,
        });
        Weakness { cycle, remedy }
    });
    let shown = |e: &EventId| writers.get(e).and_then(|p| step(*p));
    // The step after these events of a thread.
    let behind = |thread: ThreadId, events: usize, begin: Option<Creation>| {
        let events = &graph.threads[thread].events[..events];
        let last = events.iter().filter_map(shown).max();
        last.map_or(begin.map_or(0, |c| c.step), |s| s + 1)
    };
    let mut threads: Vec<TraceThread> = Vec::new();
    for thread in graph.threads.iter() {
        // Creators come before those they create.
        let created = thread.parent.filter(|_| run.holds(thread.guard)).map(|by| {
            let begin = threads[by.index()].created;
            Creation {
                by: by.index(),
                step: behind(by, thread.created_after, begin),
            }
        });
        threads.push(TraceThread {
            name: thread.name.clone(),
            span: thread.span,
            created,
        });
    }
    let choices = graph.choices.iter().enumerate().filter(|(at, d)| {
        let hidden = cut_offs.iter().any(|cut| cut.hides(d.thread, *at, d.after));
        !hidden && run.holds(d.guard)
    });
    let choices = choices.filter_map(|(_, d)| {
        let ChoiceKind::Value(term) = d.what else {
            return None;
        };
        let thread = d.thread.index();
        Some(TraceChoice {
            thread,
            step: behind(d.thread, d.after, threads[thread].created),
            threads: d.threads,
            value: run.eval(term),
            width: graph.terms.width(term),
            span: d.span?,
        })
    });
    let choices = choices.collect();
    let trace = Trace {
        threads,
        steps,
        choices,
        arguments: arguments(run),
        relations: relations(run, execution, &step),
        weak: weak.filter(|w| !w.cycle.is_empty()),
        spurious: graph.spurious.iter().any(|fails| run.holds(*fails)),
        machine: None,
    };
    (trace, step_of)
}

/// A thread, and those that it has joined before its event at `position`, which have joined others:
/// in an interleaving what the rest does behind all of their events comes later than that event.
fn finished_before(run: &Run, thread: ThreadId, position: usize) -> Vec<ThreadId> {
    let mut threads = vec![thread];
    let mut next = 0;
    while let Some(by) = threads.get(next).copied() {
        let until = if by == thread { position } else { usize::MAX };
        let joins = run.graph.joins.iter();
        let joins = joins.filter(|j| j.thread == by && j.position <= until && run.holds(j.cond));
        for join in joins {
            if !threads.contains(&join.joined) {
                threads.push(join.joined);
            }
        }
        next += 1;
    }
    threads
}

/// What the program is called with in this run.
fn arguments(run: &Run) -> Option<TraceArguments> {
    let graph = run.graph;
    let contents: FxHashMap<u64, u64> = graph
        .uninitialised
        .iter()
        .map(|(addr, _, term)| (*addr, run.eval(*term)))
        .collect();
    let object = |name: &str| graph.arguments.iter().find(|(n, ..)| n == name);
    let (_, addr, _) = object("argc")?;
    let count = *contents.get(addr)?;
    let text = |i: usize| {
        let (_, addr, bytes) = object(&format!("argv[{i}]"))?;
        // Behind what it looks at anything may be; the text ends there.
        let seen = (0..bytes - 1).map_while(|k| contents.get(&(addr + k)));
        let text: Vec<u8> = seen.map(|b| *b as u8).take_while(|b| *b != 0).collect();
        contents.contains_key(addr).then_some((i, text))
    };
    let most = usize::try_from(count).unwrap_or(usize::MAX);
    let texts = (0..most.min(graph.arguments.len())).filter_map(text);
    Some(TraceArguments {
        count,
        texts: texts.collect(),
    })
}

/// Positions of events worth showing: all that happened, without what threads did after they
/// matter, initial writes that no event reads, and the ends of what is left.
fn kept_events(run: &Run, cut_offs: &[CutOff]) -> Vec<usize> {
    let graph = run.graph;
    let mut after: Vec<EventId> = Vec::new();
    for cut in cut_offs {
        after.extend(&graph.threads[cut.thread].events[cut.position..]);
    }
    let mut kept: Vec<usize> = (0..run.events.len())
        .filter(|p| !after.contains(&run.events[*p]))
        .collect();
    // What is read stays, whoever wrote it.
    let read: Vec<EventId> = kept
        .iter()
        .filter_map(|p| run.source.get(&run.events[*p]).copied())
        .collect();
    kept.extend((0..run.events.len()).filter(|p| read.contains(&run.events[*p])));
    kept.sort_unstable();
    kept.dedup();
    kept.retain(|p| {
        graph.events[run.events[*p]].kind != EventKind::Init || read.contains(&run.events[*p])
    });
    kept
}

/// The kept events in the order in which they are reported: that of an interleaving when the execution
/// has one, else one that agrees with the largest global order of the model, and with program order
/// except where that order says the contrary.
fn linearise(run: &Run, model: &Model, execution: &Execution, kept: &[usize]) -> Vec<usize> {
    let order = total_order(model, execution);
    let point = |p: usize| execution.groups[p].filter(|g| !g.is_fenced());
    let mut left: Vec<usize> = kept.to_vec();
    let mut out: Vec<usize> = Vec::with_capacity(kept.len());
    // By event: how many of those that are left are before it.
    let mut before = vec![0usize; execution.len];
    for q in kept {
        let after = order.successors(*q).filter(|p| p != q);
        after.for_each(|p| before[p] += 1);
    }
    while !left.is_empty() {
        let ready = |p: &usize| before[*p] == 0;
        let thread = out
            .last()
            .and_then(|p| run.graph.events[run.events[*p]].thread);
        // The thread that moved last goes on where it can.
        let free = left.iter().copied().filter(|p| ready(p));
        let last = out.last().and_then(|p| point(*p));
        let best = free.min_by_key(|p| {
            let elsewhere = last.is_some() && point(*p) != last;
            let other = run.graph.events[run.events[*p]].thread != thread;
            (elsewhere, other, *p)
        });
        let Some(next) = best.or_else(|| left.first().copied()) else {
            break;
        };
        left.retain(|p| *p != next);
        let after = order.successors(next).filter(|p| *p != next);
        after.for_each(|p| before[p] -= 1);
        out.push(next);
    }
    out
}

/// See [`linearise`]; transitive.
fn total_order(model: &Model, execution: &Execution) -> BitMatrix {
    let n = execution.len;
    let empty = BitMatrix::new(n);
    let get = |rel: BaseRel| at_points(execution, execution.rels.get(&rel).unwrap_or(&empty));
    let po = get(BaseRel::Po);
    let communications = [BaseRel::Rf, BaseRel::Co, BaseRel::Fr].map(get);
    let all = communications.iter().fold(po.clone(), |a, b| a.union(b));
    if all.is_acyclic() {
        return all.plus();
    }
    let largest = acyclic_axioms(model)
        .map(|a| edges(model, execution, a.rel))
        .max_by_key(BitMatrix::count)
        .map(|largest| at_points(execution, &largest));
    let mut order = largest.unwrap_or_else(|| empty.clone());
    for rel in &communications {
        let wider = order.union(rel);
        if wider.is_acyclic() {
            order = wider;
        }
    }
    let mut order = order.plus();
    for b in 0..n {
        for a in (0..n).rev().filter(|a| po.contains(*a, b)) {
            if !order.contains(a, b) && !order.contains(b, a) {
                connect(&mut order, a, b);
            }
        }
    }
    order
}

/// Adds a pair to a transitive relation, which stays so.
fn connect(order: &mut BitMatrix, a: usize, b: usize) {
    let behind: Vec<usize> = order.successors(b).chain([b]).collect();
    for x in 0..order.len() {
        if x == a || order.contains(x, a) {
            behind.iter().for_each(|y| order.insert(x, *y));
        }
    }
}

fn relations(run: &Run, execution: &Execution, step: &dyn Fn(usize) -> Option<usize>) -> Relations {
    let empty = BitMatrix::new(execution.len);
    let shown = |r: BaseRel| {
        let mut out = BitMatrix::new(execution.len);
        for (a, b) in execution.rels.get(&r).unwrap_or(&empty).pairs() {
            if step(a).is_some() && step(b).is_some() {
                out.insert(a, b);
            }
        }
        out
    };
    let steps = |m: BitMatrix| -> Vec<(usize, usize)> {
        let pairs = m.pairs();
        pairs
            .filter_map(|(a, b)| Some((step(a)?, step(b)?)))
            .collect()
    };
    let [po, rf, co, fr] = [BaseRel::Po, BaseRel::Rf, BaseRel::Co, BaseRel::Fr].map(shown);
    let thread = |p: usize| run.graph.events[run.events[p]].thread;
    let mut inside = BitMatrix::new(execution.len);
    let same = po.pairs().filter(|(a, b)| thread(*a) == thread(*b));
    same.for_each(|(a, b)| inside.insert(a, b));
    Relations {
        po: steps(inside.diff(&inside.seq(&inside))),
        sync: steps(po.diff(&inside).diff(&po.seq(&po))),
        fr: steps(fr.diff(&fr.seq(&co))),
        co: steps(co.diff(&co.seq(&co))),
        rf: steps(rf),
    }
}
