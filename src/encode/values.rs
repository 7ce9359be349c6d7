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
use super::range::Range;
use crate::base::idx::{Id, IdVec};
use crate::ir::program::{BinOp, MemoryOrder, UnOp, eval_cast, eval_unary};
use crate::mm::bits::BitMatrix;
use crate::mm::bounds::{Analysis, Node};
use crate::mm::components::components;
use crate::mm::dependencies::has_causes;
use crate::mm::model::{BaseRel, Causality};
use crate::unroll::event::{Event, EventId, EventKind};
use crate::unroll::state::conjuncts;
use crate::unroll::term::{Term, TermId, Terms, operands};
use rustc_hash::{FxHashMap, FxHashSet};

/// More iterations than this are not worth while: what has not settled by then is anything.
const MAX_ROUNDS: usize = 256;
/// Operators that are evaluated in all.
const MAX_STEPS: u64 = 5_000_000;
/// Operators that are evaluated for one component by position.
const MORE_STEPS: u64 = 1_000_000;
/// Operators of a term that is evaluated by itself.
const NEAR: u64 = 200;

/// Sets of values by term, as far as they are not every number.
type Known = FxHashMap<TermId, Range>;

/// What reads may return.
pub struct Values<'a> {
    terms: &'a Terms,
    of: FxHashMap<EventId, Range>,
    /// What guards of writes are made of, as far as it narrows what is written.
    narrowing: FxHashMap<Node, Vec<TermId>>,
    /// What large terms may be, as things are.
    far: Known,
    steps: u64,
}

impl<'a> Values<'a> {
    /// Of the reads of an event graph; `None` when nothing can be said, or when `interrupt`
    /// answers true.
    pub fn new(analysis: &'a Analysis, interrupt: &dyn Fn() -> bool) -> Option<Values<'a>> {
        if !has_causes(analysis.model) || hides_causes(analysis) {
            return None;
        }
        let mut values = Values {
            terms: &analysis.graph.terms,
            of: FxHashMap::default(),
            narrowing: FxHashMap::default(),
            far: Known::default(),
            steps: 0,
        };
        let is_read = |n: &Node| analysis.event(*n).kind == EventKind::Read;
        let mut sources: IdVec<Node, Vec<Node>> =
            analysis.nodes.ids().map(|_| Vec::new()).collect();
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
                    .or_insert_with(|| values.causes(analysis, *w));
                of.iter().for_each(|l| uses.insert(r.index(), l.index()));
            }
        }
        let component = components(&uses);
        let mut order: Vec<Node> = analysis.nodes.ids().filter(is_read).collect();
        // What a component uses has been found before it.
        order.sort_by_key(|r| (component[r.index()], r.index()));
        for r in &order {
            values.of.insert(analysis.nodes[*r], Range::NONE);
        }
        for together in order.chunk_by(|a, b| component[a.index()] == component[b.index()]) {
            if interrupt() {
                return None;
            }
            values.iterate(analysis, together, &sources);
            values.by_position(analysis, together, &sources, &causes);
        }
        (values.steps <= MAX_STEPS).then_some(values)
    }

    /// The iterations over reads that depend on each other.
    fn iterate(&mut self, analysis: &Analysis, reads: &[Node], sources: &IdVec<Node, Vec<Node>>) {
        let mut changed = true;
        for _ in 0..reads.len().min(MAX_ROUNDS) {
            if !changed || self.steps > MAX_STEPS {
                break;
            }
            changed = false;
            self.far.clear();
            let mut written: FxHashMap<Node, Range> = FxHashMap::default();
            for r in reads {
                let mut set = Range::NONE;
                for w in &sources[*r] {
                    let of = written.entry(*w);
                    set = set.join(of.or_insert_with(|| self.written(analysis, *w)));
                }
                let known = self.of.get_mut(&analysis.nodes[*r]);
                let known = known.expect("every read has a set");
                changed |= set != *known;
                *known = set;
            }
        }
        self.far.clear();
        if changed && reads.len() > MAX_ROUNDS {
            for r in reads {
                let all = Range::all(self.terms.width(analysis.event(*r).value));
                self.of.insert(analysis.nodes[*r], all);
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
        let is_few = |r: &Node| matches!(self.of[&analysis.nodes[*r]], Range::Listed(_));
        if reads.len() < 2 || reads.iter().all(is_few) || self.steps > MAX_STEPS {
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
                known.insert(*w, self.written(analysis, *w));
            }
        }
        let before: Vec<(EventId, Range)> = reads
            .iter()
            .map(|r| (analysis.nodes[*r], self.of[&analysis.nodes[*r]].clone()))
            .collect();
        let steps = self.steps;
        let found = component.solve(analysis, &known, &mut |w, reads| {
            if self.steps > steps + MORE_STEPS {
                return None;
            }
            for (r, set) in reads {
                self.of.insert(analysis.nodes[r], set);
            }
            self.far.clear();
            Some(self.written(analysis, w))
        });
        // What this took is not missing elsewhere.
        self.steps = steps;
        self.far.clear();
        self.of.extend(before);
        for (r, set) in found.into_iter().flatten() {
            let known = self.of.get_mut(&analysis.nodes[r]);
            let known = known.expect("every read has a set");
            *known = known.meet(&set);
        }
    }

    /// The reads that a term is computed from; `None` when it is larger than `limit`.
    fn leaves(&self, root: TermId, limit: usize) -> Option<Vec<EventId>> {
        let (mut work, mut leaves) = (vec![root], Vec::new());
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            if seen.len() > limit {
                return None;
            }
            match self.terms.get(term) {
                Term::Read(e) => leaves.push(e),
                other => work.extend(operands(other).into_iter().flatten()),
            }
        }
        Some(leaves)
    }

    /// Notes which comparisons narrow what a write writes; the reads that all that is computed from.
    /// A comparison counts only if the write depends on what is compared: a cause is one by that.
    fn causes(&mut self, analysis: &Analysis, w: Node) -> Vec<Node> {
        let event = analysis.event(w);
        let mut all = self.leaves(event.value, usize::MAX).unwrap_or_default();
        let deps = [&event.addr_deps, &event.data_deps, &event.ctrl_deps];
        let depends = |e: &EventId| {
            analysis.model.causal != Causality::Known
                || deps.iter().any(|d| d.iter().any(|(on, _)| on == e))
        };
        let mut parts = Vec::new();
        if !all.is_empty() {
            for part in conjuncts(self.terms, event.guard).into_iter().rev() {
                match self.leaves(part, NEAR as usize) {
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

    /// What a write may write when it happens.
    fn written(&mut self, analysis: &Analysis, w: Node) -> Range {
        let event = analysis.event(w);
        if let Some(value) = self.terms.as_const(event.value) {
            return Range::only(value);
        }
        let parts = self.narrowing.get(&w).cloned().unwrap_or_default();
        let said = self.said(&parts);
        self.eval(event.value, &said)
    }

    /// What a guard says of the operands of the comparisons that it is made of.
    pub fn under(&mut self, guard: TermId) -> Known {
        // In the order in which the path came to them.
        let parts: Vec<TermId> = conjuncts(self.terms, guard).into_iter().rev().collect();
        self.said(&parts)
    }

    fn said(&mut self, parts: &[TermId]) -> Known {
        let mut said = Known::default();
        for part in parts.iter().copied() {
            let (part, holds) = match self.terms.get(part) {
                Term::Not(inner) => (inner, false),
                _ => (part, true),
            };
            let Term::Binary(op, a, b) = self.terms.get(part) else {
                continue;
            };
            if !matches!(op, BinOp::Eq | BinOp::Ult) {
                continue;
            }
            let of = |v: &mut Self, t: TermId, said: &Known| match said.get(&t) {
                Some(set) => set.clone(),
                None => v.eval(t, &Known::default()),
            };
            let (x, y) = (of(self, a, &said), of(self, b, &said));
            let (left, right) = narrowed(op, holds, &x, &y);
            said.insert(a, left);
            said.insert(b, right);
        }
        said
    }

    /// What a term may be, when some terms are `said` to be something. That is forgotten where the
    /// term is large.
    pub fn eval(&mut self, root: TermId, said: &Known) -> Range {
        if let Some(set) = self.eval_within(root, &mut said.clone(), NEAR) {
            return set;
        }
        let mut far = std::mem::take(&mut self.far);
        let set = self.eval_within(root, &mut far, MAX_STEPS.saturating_sub(self.steps));
        self.far = far;
        set.unwrap_or(Range::all(self.terms.width(root)))
    }

    /// What a term may be, beside terms that are known; `None` when that takes too many steps.
    fn eval_within(&mut self, root: TermId, known: &mut Known, limit: u64) -> Option<Range> {
        let mut stack = vec![root];
        let most = self.steps + limit;
        while let Some(&id) = stack.last() {
            if known.contains_key(&id) {
                stack.pop();
                continue;
            }
            let term = self.terms.get(id);
            let width = self.terms.width(id);
            let before = stack.len();
            let missing = operands(term).into_iter().flatten();
            stack.extend(missing.filter(|o| !known.contains_key(o)));
            if stack.len() > before {
                continue;
            }
            self.steps += 1;
            if self.steps > most {
                return None;
            }
            let at = |o: TermId| &known[&o];
            let set = match term {
                Term::Const(v) => Range::only(v),
                Term::Nondet(_) => Range::all(width),
                Term::Read(e) => match self.of.get(&e) {
                    Some(set) => set.clone(),
                    None => Range::all(width),
                },
                Term::Not(a) => at(a).not(width),
                Term::Ite(c, a, b) => match at(c).single() {
                    Some(1) => at(a).clone(),
                    Some(_) => at(b).clone(),
                    None => at(a).join(at(b)),
                },
                Term::ZeroExtend(a) => at(a).clone(),
                Term::SignExtend(a) => at(a).sign_extend(self.terms.width(a), width),
                Term::Truncate(a) => at(a).truncate(width),
                Term::Float(f, a) => at(a).map(width, |v| eval_unary(UnOp::Float(f), v, width)),
                Term::Convert(cast, a) => {
                    let from = self.terms.width(a);
                    at(a).map(width, |v| eval_cast(cast, v, from, width))
                }
                // Of two truth values, one may be computed from a read that does not happen when the
                // other one decides.
                Term::Binary(BinOp::And, a, b)
                    if width == 1 && (at(a).is_none() || at(b).is_none()) =>
                {
                    at(a).join(at(b)).meet(&Range::only(0))
                }
                Term::Binary(op, a, b) => Range::binary(op, at(a), at(b), self.terms.width(a)),
            };
            known.insert(id, set);
            stack.pop();
        }
        known.get(&root).cloned()
    }

    /// The bits that do not change of the operators that some terms are made of: which ones, and what
    /// they are. Of a term whose value nothing depends on, as a read that it is computed from does not
    /// happen, they may be anything.
    pub fn constant_bits(
        &mut self,
        roots: impl Iterator<Item = TermId>,
    ) -> Vec<(TermId, u64, u64)> {
        let mut known = Known::default();
        let steps = std::mem::take(&mut self.steps);
        for root in roots {
            let limit = MAX_STEPS.saturating_sub(self.steps);
            if self.eval_within(root, &mut known, limit).is_none() {
                break;
            }
        }
        self.steps = steps;
        let operators = known.iter().filter(|(term, set)| {
            matches!(self.terms.get(**term), Term::Binary(..)) && !set.is_none()
        });
        let bits = operators.map(|(term, set)| {
            let (which, bits) = set.known_bits(self.terms.width(*term));
            (*term, which, bits)
        });
        bits.filter(|(_, which, _)| *which != 0).collect()
    }

    /// The values of each read.
    pub fn reads(&self) -> impl Iterator<Item = (EventId, &Range)> {
        self.of.iter().map(|(e, set)| (*e, set))
    }
}

/// True when a value may be computed from a read that it does not depend on: whether a store was
/// done follows from its address and that of the load it is linked to. Where program order has the
/// causes that does not matter.
fn hides_causes(analysis: &Analysis) -> bool {
    let linked = |e: &Event| e.rmw_read.is_some() && e.order == MemoryOrder::Plain;
    analysis.model.causal == Causality::Known && analysis.graph.events.iter().any(linked)
}

/// What is left of two sets when a comparison of their numbers holds, or does not.
fn narrowed(op: BinOp, holds: bool, x: &Range, y: &Range) -> (Range, Range) {
    let (Some((xl, xh)), Some((yl, yh))) = (x.ends(), y.ends()) else {
        return (x.clone(), y.clone());
    };
    match (op, holds) {
        (BinOp::Eq, true) => {
            let both = x.meet(y);
            (both.clone(), both)
        }
        (BinOp::Eq, false) => {
            let less = |x: &Range, y: &Range| match y.single() {
                Some(value) => x.without(value),
                None => x.clone(),
            };
            (less(x, y), less(y, x))
        }
        (_, true) if yh == 0 || xl == u64::MAX => (Range::NONE, Range::NONE),
        (_, true) => (x.clip(0, yh - 1), y.clip(xl + 1, u64::MAX)),
        (_, false) => (x.clip(yl, u64::MAX), y.clip(0, xh)),
    }
}
