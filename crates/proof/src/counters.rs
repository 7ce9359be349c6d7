//! Counters: cells to which every write adds a number to what its thread read just before.
//!
//! A *step* of a cell writes a constant more than a read of its thread has returned, and nothing comes
//! between what that read reads from and the write in coherence. When all writes but the initial one are
//! steps, the `n`-th of them in coherence writes the initial value and the constants of the first `n`: by
//! induction. So
//!
//! - the cell holds a number between the initial value less all that is taken and the initial value with
//!   all that is given; and none below zero where a step takes one and does not happen at zero;
//! - a read that has every step before it or behind it in program order, and those before it happen
//!   whenever it does, returns the initial value with theirs: coherence has it read from the last of them;
//! - a step that does not happen below some number has so much before it (`counting`).
//!
//! That a write is a step is found in one of two ways, in models that are coherent and have atomic
//! read-modify-writes. Its thread writes nothing else between read and write.
//!
//! **Read-modify-writes**: another write between the two would be by another thread, which the axiom
//! forbids.
//!
//! **Critical sections**: read and write are inside of a section, and all other writes inside of sections of the
//! same lock. If one of these came between, it would be before the read's section, which then reads what is
//! overwritten, or after it, and before the write in coherence ([`super::sections`]).

use super::facts::{Facts, Node};
use super::graph::{EventId, EventKind, Op, Term, TermId};
use super::sections::{Sections, writes_of};
use super::values::{Few, MOST, Values};
use cat::model::BaseRel;
use cat::pattern::{is_atomic, is_coherent};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A write that adds a number to what is there.
pub struct CounterUpdate {
    /// The write.
    pub write: Node,
    /// The read that returns what is there.
    pub read: Node,
    /// The number.
    pub by: i128,
    /// What is there, as the value of the write has it.
    old: TermId,
}

/// A cell that only steps write.
pub struct Counter {
    /// What it holds at first.
    pub init: i128,
    /// What is written to it.
    pub steps: Vec<CounterUpdate>,
    /// What it holds at least.
    pub low: i128,
    /// What it holds at most.
    pub high: i128,
}

/// The counters of a graph.
pub fn counters(facts: &Facts, sections: &Sections) -> Vec<Counter> {
    if !(is_coherent(facts.model) && is_atomic(facts.model)) {
        return Vec::new();
    }
    let writes = writes_of(facts);
    let of_cell = |(cell, writes): (u32, &Vec<Node>)| {
        let steps: Option<Vec<CounterUpdate>> =
            writes.iter().map(|w| step(facts, *w, writes)).collect();
        let steps = steps.filter(|steps| !steps.is_empty())?;
        let atomic = |s: &CounterUpdate| {
            facts.event(s.write).rmw.map(|(r, _)| r) == Some(facts.nodes[s.read])
        };
        let guarded = || {
            let of = |s: &CounterUpdate| sections.step(s.read, s.write);
            let first = of(&steps[0]);
            first.is_some() && steps.iter().all(|s| of(s) == first)
        };
        let sure = steps.iter().all(atomic) || guarded();
        sure.then(|| counter(facts, cell, steps)).flatten()
    };
    (0..).zip(&writes).filter_map(of_cell).collect()
}

/// What reads of counters return, where it is a few numbers.
pub fn values(facts: &Facts, counters: &[Counter]) -> FxHashMap<EventId, Few> {
    let mut out = FxHashMap::default();
    let po = &facts.of(BaseRel::Po).must;
    for counter in counters {
        let cell = &facts.event(counter.steps[0].write).cells;
        let is_read =
            |r: &Node| facts.event(*r).kind == EventKind::Read && facts.event(*r).cells == *cell;
        for r in (0..facts.len()).filter(is_read) {
            let (before, others): (Vec<&CounterUpdate>, Vec<&CounterUpdate>) =
                counter.steps.iter().partition(|s| po.contains(s.write, r));
            let decided = before.iter().all(|s| facts.implies(r, s.write))
                && others.iter().all(|s| po.contains(r, s.write));
            let sum = counter.init + before.iter().map(|s| s.by).sum::<i128>();
            let set = match decided {
                true => sum..=sum,
                false => counter.low..=counter.high,
            };
            if set.end() - set.start() < MOST as i128 {
                let set: BTreeSet<u64> = set.filter_map(|v| u64::try_from(v).ok()).collect();
                out.insert(facts.nodes[r], Some(set));
            }
        }
    }
    out
}

/// The numbers of which a step may read one, so that it happens.
pub fn read_by(facts: &Facts, counter: &Counter, step: &CounterUpdate) -> Vec<i128> {
    let all = counter.low..=counter.high;
    all.filter(|v| u64::try_from(*v).is_ok_and(|v| may_happen(facts, step, v)))
        .collect()
}

/// A step may happen when its read returns a number.
fn may_happen(facts: &Facts, step: &CounterUpdate, value: u64) -> bool {
    let unknown = Values::unknown(facts.graph);
    let source = facts.event(step.read).value;
    let mut parts = facts
        .graph
        .conjuncts(facts.event(step.write).guard)
        .into_iter();
    parts.all(|part| {
        let set = Some(BTreeSet::from([value]));
        let mut known = FxHashMap::from_iter([(source, set.clone()), (step.old, set)]);
        let result = unknown.eval(part, &mut known, 100);
        result.is_none_or(|result| result.contains(&1))
    })
}

fn counter(facts: &Facts, cell: u32, steps: Vec<CounterUpdate>) -> Option<Counter> {
    let graph = facts.graph;
    let init = graph.event(graph.cells[cell as usize]).value;
    let width = graph.width(init);
    let init = i128::from(graph.constant(init)?);
    let sum = |sign: i128| steps.iter().map(|s| (s.by * sign).max(0)).sum::<i128>();
    let mut counter = Counter {
        init,
        low: init - sum(-1),
        high: init + sum(1),
        steps,
    };
    let stops = |s: &CounterUpdate| s.by >= 0 || s.by == -1 && !may_happen(facts, s, 0);
    if counter.steps.iter().all(stops) {
        counter.low = counter.low.max(0);
    }
    let fits = counter.low >= 0 && counter.high < 1 << width;
    fits.then_some(counter)
}

/// A write as a step, if nothing comes between.
fn step(facts: &Facts, w: Node, writes: &[Node]) -> Option<CounterUpdate> {
    let (graph, event) = (facts.graph, facts.event(w));
    let Term::Op(Op::Add, x, y) = *graph.term(event.value) else {
        return None;
    };
    let (old, by) = match (graph.constant(x), graph.constant(y)) {
        (None, Some(by)) => (x, by),
        (Some(by), None) => (y, by),
        _ => return None,
    };
    let unused = 64 - graph.width(event.value);
    let by = i128::from((by << unused) as i64 >> unused);
    let po = facts.of(BaseRel::Po);
    let alone = |r: Node| {
        let between = |v: &Node| po.may.contains(r, *v) && po.may.contains(*v, w);
        facts.stores[r].iter().all(|v| *v == w) && !writes.iter().any(between)
    };
    let says = |r: Node| {
        let source = facts.event(r).value;
        let same = |part: &TermId| match *graph.term(*part) {
            Term::Op(Op::Eq, a, b) => (a, b) == (old, source) || (b, a) == (old, source),
            _ => false,
        };
        old == source || graph.conjuncts(event.guard).iter().any(same)
    };
    let is_source = |r: &Node| {
        let of = facts.event(*r);
        of.kind == EventKind::Read
            && of.thread == event.thread
            && of.group.is_none()
            && of.cells == event.cells
            && po.must.contains(*r, w)
            && facts.implies(w, *r)
            && says(*r)
            && alone(*r)
    };
    let single = event.kind == EventKind::Write && event.cells.len() == 1 && event.group.is_none();
    let mut reads = match event.rmw {
        Some((read, _)) => facts.node_of[read as usize].into_iter().collect::<Vec<_>>(),
        None => (0..facts.len()).collect(),
    };
    reads.retain(|r| single && is_source(r));
    let read = reads.pop()?;
    Some(CounterUpdate {
        write: w,
        read,
        by,
        old,
    })
}
