//! What reads may return, found out before anything is encoded.
//!
//! A read returns what one of its read-from candidates writes, and what is written is a term over
//! other reads. So sets of values ([`Range`]) go round: of a read, the union over its candidates;
//! of a candidate, the value of its term, where its guard says something of the operands (a count
//! that is taken from is not zero) on the numbers for which that holds. Bits that all values of a
//! read share are constants of the formula; for a counter, a flag or a pointer to one of a few
//! nodes most of them are.
//!
//! **Sound where values have causes.** In an execution in which no read depends on itself, through
//! reads-from, through what written values are computed from and the comparisons that narrow them,
//! take the longest such chain that leads to a read. By induction over its length `k` the value of
//! the read is in the set that `k` iterations from empty sets give. A chain has no read twice, so
//! as many iterations as there are reads that depend on each other are enough, *whether or not
//! anything has settled by then*: a counter that ten writes increase is at most ten iterations from
//! where it began, and no widening is needed that forgets it. Where values may come out of thin air
//! that is not so, and nothing is done; see [`has_causes`].
//!
//! A read that does not happen may have any value in the formula. That it must have one of these
//! then forbids no execution.

use super::positions::Component;
use crate::relations::bounds::{Analysis, Node};
use crate::relations::dependencies::has_causes;
use crate::unroll::event::{Event, EventId, EventKind};
use crate::unroll::range::Range;
use crate::unroll::state::conjuncts;
use crate::unroll::term::TermId;
use crate::unroll::value_sets::{MAX_STEPS, NEAR, ValueSets};
use base::bits::BitMatrix;
use base::components::components;
use base::idx::{Id, IdVec};
use cat::model::{BaseRel, Causality};
use ir::program::MemoryOrder;
use rustc_hash::{FxHashMap, FxHashSet};

/// Operators that are evaluated for one component by position.
const MORE_STEPS: u64 = 1_000_000;

/// The search for sets.
struct ValueSearch<'a> {
    sets: ValueSets<'a>,
    /// What guards of writes are made of, as far as it narrows what is written.
    narrowing: FxHashMap<Node, Vec<TermId>>,
}

/// What the reads of an event graph may return; `None` when nothing can be said, or when `interrupt`
/// answers true.
pub fn values<'a>(analysis: &'a Analysis, interrupt: &dyn Fn() -> bool) -> Option<ValueSets<'a>> {
    if !has_causes(analysis.model) || hides_causes(analysis) {
        return None;
    }
    let mut search = ValueSearch {
        sets: ValueSets::new(&analysis.graph.terms),
        narrowing: FxHashMap::default(),
    };
    let is_read = |n: &Node| analysis.event(*n).kind == EventKind::Read;
    let mut sources: IdVec<Node, Vec<Node>> = analysis.nodes.ids().map(|_| Vec::new()).collect();
    for (w, r) in analysis.base[&BaseRel::Rf].may.pairs() {
        sources[Node::from_index(r)].push(Node::from_index(w));
    }
    // From a read to those that its candidates are computed from.
    let mut uses = BitMatrix::new(analysis.nodes.len());
    let mut causes: FxHashMap<Node, Vec<Node>> = FxHashMap::default();
    for r in analysis.nodes.ids().filter(is_read) {
        for w in &sources[r] {
            let of = causes
                .entry(*w)
                .or_insert_with(|| search.causes(analysis, *w));
            of.iter().for_each(|l| uses.insert(r.index(), l.index()));
        }
    }
    let component = components(&uses);
    let mut order: Vec<Node> = analysis.nodes.ids().filter(is_read).collect();
    // What a component uses has been found before it.
    order.sort_by_key(|r| (component[r.index()], r.index()));
    for r in &order {
        search.sets.of.insert(analysis.nodes[*r], Range::NONE);
    }
    for together in order.chunk_by(|a, b| component[a.index()] == component[b.index()]) {
        if interrupt() {
            return None;
        }
        search.iterate(analysis, together, &sources);
        search.by_position(analysis, together, &sources, &causes);
    }
    (search.sets.steps <= MAX_STEPS).then_some(search.sets)
}

impl ValueSearch<'_> {
    /// The iterations over reads that depend on each other.
    fn iterate(&mut self, analysis: &Analysis, reads: &[Node], sources: &IdVec<Node, Vec<Node>>) {
        let events: Vec<(EventId, &[Node])> = reads
            .iter()
            .map(|r| (analysis.nodes[*r], &sources[*r][..]))
            .collect();
        let narrowing = &self.narrowing;
        let settled = self
            .sets
            .iterate(&events, |sets, w| written(sets, narrowing, analysis, w));
        if !settled {
            for r in reads {
                let all = Range::all(analysis.graph.terms.width(analysis.event(*r).value));
                self.sets.of.insert(analysis.nodes[*r], all);
            }
        }
    }

    /// What more is known of reads that depend on each other by their positions. Where a few numbers
    /// are left that is enough.
    fn by_position(
        &mut self,
        analysis: &Analysis,
        reads: &[Node],
        sources: &IdVec<Node, Vec<Node>>,
        causes: &FxHashMap<Node, Vec<Node>>,
    ) {
        let is_few = |r: &Node| matches!(self.sets.of[&analysis.nodes[*r]], Range::Listed(_));
        if reads.len() < 2 || reads.iter().all(is_few) || self.sets.steps > MAX_STEPS {
            return;
        }
        let inside: FxHashSet<Node> = reads.iter().copied().collect();
        let mut component = Component {
            reads,
            sources: reads.iter().map(|r| (*r, sources[*r].clone())).collect(),
            causes: FxHashMap::default(),
        };
        let mut known = FxHashMap::default();
        for w in reads.iter().flat_map(|r| &sources[*r]) {
            let of = causes[w].iter().filter(|r| inside.contains(r));
            let mut of: Vec<Node> = of.copied().collect();
            of.sort_unstable();
            of.dedup();
            if !of.is_empty() {
                component.causes.insert(*w, of);
            } else if !known.contains_key(w) {
                known.insert(*w, written(&mut self.sets, &self.narrowing, analysis, *w));
            }
        }
        let before: Vec<(EventId, Range)> = reads
            .iter()
            .map(|r| {
                (
                    analysis.nodes[*r],
                    self.sets.of[&analysis.nodes[*r]].clone(),
                )
            })
            .collect();
        let steps = self.sets.steps;
        let found = component.solve(analysis, &known, &mut |w, reads| {
            if self.sets.steps > steps + MORE_STEPS {
                return None;
            }
            for (r, set) in reads {
                self.sets.of.insert(analysis.nodes[r], set);
            }
            self.sets.forget_terms();
            Some(written(&mut self.sets, &self.narrowing, analysis, w))
        });
        // What this took is not missing elsewhere.
        self.sets.steps = steps;
        self.sets.forget_terms();
        self.sets.of.extend(before);
        for (r, set) in found.into_iter().flatten() {
            let known = self.sets.of.get_mut(&analysis.nodes[r]);
            let known = known.expect("every read has a set");
            *known = known.meet(&set);
        }
    }

    /// Notes which comparisons narrow what a write writes; the reads that all that is computed from.
    /// A comparison counts only if the write depends on what is compared: a cause is one by that.
    fn causes(&mut self, analysis: &Analysis, w: Node) -> Vec<Node> {
        let event = analysis.event(w);
        let mut all = self
            .sets
            .leaves(event.value, usize::MAX)
            .unwrap_or_default();
        let deps = [&event.addr_deps, &event.data_deps, &event.ctrl_deps];
        let depends = |e: &EventId| {
            analysis.model.causal != Causality::Known
                || deps.iter().any(|d| d.iter().any(|(on, _)| on == e))
        };
        let mut parts = Vec::new();
        if !all.is_empty() {
            for part in conjuncts(&analysis.graph.terms, event.guard)
                .into_iter()
                .rev()
            {
                match self.sets.leaves(part, NEAR as usize) {
                    Some(reads) if reads.iter().all(depends) => {
                        all.extend(reads);
                        parts.push(part);
                    }
                    _ => {}
                }
            }
        }
        self.narrowing.insert(w, parts);
        let nodes = all.iter().filter_map(|e| analysis.node_of.get(e));
        nodes.copied().collect()
    }
}

/// What a write may write when it happens.
fn written(
    sets: &mut ValueSets,
    narrowing: &FxHashMap<Node, Vec<TermId>>,
    analysis: &Analysis,
    w: Node,
) -> Range {
    let event = analysis.event(w);
    if let Some(value) = analysis.graph.terms.as_const(event.value) {
        return Range::only(value);
    }
    let parts = narrowing.get(&w).map_or(&[][..], Vec::as_slice);
    let said = sets.said(parts);
    sets.eval(event.value, &said)
}

/// True when a value may be computed from a read that it does not depend on: whether a store was
/// done follows from its address and that of the load it is linked to. Where program order has the
/// causes that does not matter.
fn hides_causes(analysis: &Analysis) -> bool {
    let linked = |e: &Event| e.rmw_read.is_some() && e.order == MemoryOrder::Plain;
    analysis.model.causal == Causality::Known && analysis.graph.events.iter().any(linked)
}
