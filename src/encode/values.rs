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
//! reads-from and through what written values are computed from, take the longest such chain that
//! leads to a read. By induction over its length `k` the value of the read is in the set that `k`
//! rounds from empty sets give. A chain has no read twice, so as many rounds as there are reads
//! that depend on each other are enough, *whether or not anything has settled by then*: a counter
//! that ten writes increase is at most ten rounds from where it began, and no widening is needed
//! that forgets it. Where values may come out of thin air that is not so, and nothing is done; see
//! [`has_causes`](crate::mm::dependencies::has_causes).
//!
//! A read that does not happen may have any value in the formula. That it must have one of these
//! then forbids no execution.

use super::axioms::components;
use super::range::Range;
use crate::idx::{Id, IdVec};
use crate::ir::program::{BinOp, Order};
use crate::mm::bits::BitMatrix;
use crate::mm::bounds::{Analysis, Node};
use crate::mm::dependencies::has_causes;
use crate::mm::model::BaseRel;
use crate::unroll::event::{Event, EventId, EventKind};
use crate::unroll::state::conjuncts;
use crate::unroll::term::{Term, TermId, Terms, operands};
use rustc_hash::FxHashMap;

/// More rounds than this are not worth while: what has not settled by then is anything.
const MAX_ROUNDS: usize = 256;
/// Operators that are evaluated in all.
const MAX_STEPS: u64 = 20_000_000;

/// Sets of values by term, as far as they are not every number.
type Known = FxHashMap<TermId, Range>;

/// What reads may return.
pub struct Values<'a> {
    terms: &'a Terms,
    of: FxHashMap<EventId, Range>,
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
        let mut leaves: FxHashMap<Node, Vec<Node>> = FxHashMap::default();
        for r in analysis.nodes.ids().filter(is_read) {
            for w in &sources[r] {
                let of = leaves
                    .entry(*w)
                    .or_insert_with(|| values.leaves(analysis, *w));
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
            if interrupt() || values.steps > MAX_STEPS {
                return None;
            }
            values.rounds(analysis, together, &sources);
        }
        Some(values)
    }

    /// The rounds of reads that depend on each other.
    fn rounds(&mut self, analysis: &Analysis, reads: &[Node], sources: &IdVec<Node, Vec<Node>>) {
        let mut changed = true;
        for _ in 0..reads.len().min(MAX_ROUNDS) {
            if !changed || self.steps > MAX_STEPS {
                break;
            }
            changed = false;
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
        if changed && reads.len() > MAX_ROUNDS {
            for r in reads {
                let all = Range::all(self.terms.width(analysis.event(*r).value));
                self.of.insert(analysis.nodes[*r], all);
            }
        }
    }

    /// The reads that the value of a write is computed from.
    fn leaves(&self, analysis: &Analysis, w: Node) -> Vec<Node> {
        let (mut work, mut seen) = (vec![analysis.event(w).value], Vec::new());
        let mut known: FxHashMap<TermId, ()> = FxHashMap::default();
        while let Some(term) = work.pop() {
            if known.insert(term, ()).is_some() {
                continue;
            }
            match self.terms.get(term) {
                Term::Read(e) => seen.extend(analysis.node_of.get(&e).copied()),
                other => work.extend(operands(other).into_iter().flatten()),
            }
        }
        seen
    }

    /// What a write may write when it happens.
    fn written(&mut self, analysis: &Analysis, w: Node) -> Range {
        let event = analysis.event(w);
        if let Some(value) = self.terms.as_const(event.value) {
            return Range::only(value);
        }
        let mut known = self.under(event.guard);
        self.eval(event.value, &mut known)
    }

    /// What a guard says of the operands of the comparisons that it is made of.
    pub fn under(&mut self, guard: TermId) -> Known {
        let mut said = Known::default();
        // In the order in which the path came to them.
        for part in conjuncts(self.terms, guard).into_iter().rev() {
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
                None => v.eval(t, &mut Known::default()),
            };
            let (x, y) = (of(self, a, &said), of(self, b, &said));
            let (left, right) = narrowed(op, holds, &x, &y);
            said.insert(a, left);
            said.insert(b, right);
        }
        said
    }

    /// What a term may be; `known` are terms of which that is known already.
    pub fn eval(&mut self, root: TermId, known: &mut Known) -> Range {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if known.contains_key(&id) {
                stack.pop();
                continue;
            }
            let term = self.terms.get(id);
            let width = self.terms.width(id);
            let missing = operands(term).into_iter().flatten();
            let missing: Vec<TermId> = missing.filter(|o| !known.contains_key(o)).collect();
            // Where the limit is passed nothing is used of all this.
            if !missing.is_empty() && self.steps <= MAX_STEPS {
                stack.extend(missing);
                continue;
            }
            self.steps += 1;
            let at = |o: TermId| known.get(&o).cloned().unwrap_or(Range::NONE);
            let set = match term {
                Term::Const(v) => Range::only(v),
                Term::Nondet(_) => Range::all(width),
                Term::Read(e) => match self.of.get(&e) {
                    Some(set) => set.clone(),
                    None => Range::all(width),
                },
                Term::Not(a) => at(a).not(width),
                Term::Ite(c, a, b) => match at(c).single() {
                    Some(1) => at(a),
                    Some(_) => at(b),
                    None => at(a).join(&at(b)),
                },
                Term::ZeroExtend(a) => at(a),
                Term::SignExtend(a) => at(a).sign_extend(self.terms.width(a), width),
                Term::Truncate(a) => at(a).truncate(width),
                Term::Binary(op, a, b) => Range::binary(op, &at(a), &at(b), self.terms.width(a)),
            };
            known.insert(id, set);
            stack.pop();
        }
        known[&root].clone()
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
    let linked = |e: &Event| e.rmw_read.is_some() && e.order == Order::Plain;
    analysis.model.causal && analysis.graph.events.iter().any(linked)
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
