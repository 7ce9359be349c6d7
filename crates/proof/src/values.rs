//! What reads may return, as far as that is plain: sets of a few numbers.
//!
//! A read returns what one of its candidates writes, and what is written is a term over reads that are
//! before the write in program order. So sets go round, from nothing: of a read, the union over its
//! candidates; of a write, the values of its term, with those values of a read left out for which the
//! guard of the write does not hold.
//!
//! **Why that is right.** Where reads are preserved before the writes that follow them, and coherence is
//! asked for, no read depends on itself through reads-from and what written values are computed from
//! (`cat::dependencies` has the argument). Take the longest such chain that leads to a read: by induction
//! over its length `k` the value of the read is in the set after `k` iterations, and no chain is longer than
//! there are reads. Of other models the sets begin as everything, and each iteration is right by itself, as
//! what was known before it is.
//!
//! What is known of reads of counters ([`super::counters`](mod@super::counters)) holds in each iteration.
//!
//! A read that does not happen may have any value in the formula, so one of these as well.

use super::facts::{Facts, Node};
use super::graph::{EventId, EventKind, Graph, Op, Term, TermId};
use cat::model::BaseRel;
use cat::pattern::{is_coherent, keeps_reads_before_writes};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The most numbers that are kept; beyond that it may be any.
pub const MOST: usize = 32;
/// Iterations where each is right by itself.
const ROUNDS: usize = 8;
/// Terms that are evaluated for one write at most.
const LARGE: usize = 400;

/// Some numbers; `None` is any.
pub type Few = Option<BTreeSet<u64>>;

/// What reads may return.
pub struct Values<'a> {
    graph: &'a Graph,
    of: FxHashMap<EventId, Few>,
}

impl<'a> Values<'a> {
    /// Nothing is known of any read.
    pub fn unknown(graph: &'a Graph) -> Values<'a> {
        Values {
            graph,
            of: FxHashMap::default(),
        }
    }

    /// Of a graph and a model; of some reads it is known what they return.
    pub fn new(facts: &Facts<'a>, known: &FxHashMap<EventId, Few>) -> Values<'a> {
        let mut values = Values::unknown(facts.graph);
        let model = facts.model;
        let is_read = |n: &Node| facts.event(*n).kind == EventKind::Read;
        let reads: Vec<Node> = (0..facts.len()).filter(is_read).collect();
        let sources: Vec<Vec<Node>> = {
            let into = facts.of(BaseRel::Rf).may.inverse();
            let of = |r: &Node| into.successors(*r).collect();
            reads.iter().map(of).collect()
        };
        let causal = is_coherent(model) && keeps_reads_before_writes(model);
        for r in &reads {
            let known = known.get(&facts.nodes[*r]).cloned().flatten();
            let first = if causal { Some(BTreeSet::new()) } else { known };
            values.of.insert(facts.nodes[*r], first);
        }
        let rounds = if causal { reads.len() } else { ROUNDS };
        for _ in 0..rounds {
            let mut written: FxHashMap<Node, Few> = FxHashMap::default();
            let mut next: Vec<(EventId, Few)> = Vec::new();
            for (r, sources) in reads.iter().zip(&sources) {
                let mut all: Few = Some(BTreeSet::new());
                for w in sources {
                    let of = written.entry(*w);
                    all = join(all, of.or_insert_with(|| values.written(facts, *w)));
                }
                let known = known.get(&facts.nodes[*r]).cloned().flatten();
                next.push((facts.nodes[*r], meet(all, known)));
            }
            let changed = next.iter().any(|(r, set)| values.of[r] != *set);
            values.of.extend(next);
            if !changed {
                break;
            }
        }
        // What never happens may be anything.
        values
            .of
            .retain(|_, set| set.as_ref().is_some_and(|s| !s.is_empty()));
        values
    }

    /// The graph without cells that accesses cannot touch, as their addresses are none of the numbers that
    /// they may be; `None` where there are no such cells.
    pub fn narrowed(&self, facts: &Facts) -> Option<Graph> {
        let graph = facts.graph;
        let mut out: Option<Graph> = None;
        for n in (0..facts.len()).filter(|n| facts.event(*n).cells.len() > 1) {
            let event = facts.event(n);
            let Some(places) = self.when_it_happens(facts, n, event.addr) else {
                continue;
            };
            let mut cells = event.cells.clone();
            cells.retain(|cell| {
                let init = graph.event(graph.cells[*cell as usize]);
                let place = graph.constant(init.addr);
                place.is_none_or(|place| places.contains(&place))
            });
            if !cells.is_empty() && cells.len() < event.cells.len() {
                let graph = out.get_or_insert_with(|| graph.clone());
                graph.events[facts.nodes[n] as usize].cells = cells;
            }
        }
        out
    }

    /// Bits of a term that do not change: which ones, and what they are.
    pub fn constant_bits(&self, term: TermId, known: &mut FxHashMap<TermId, Few>) -> (u64, u64) {
        match self.eval(term, known, usize::MAX) {
            Some(set) => {
                let all = set.iter().fold(u64::MAX, |all, v| all & v);
                let any = set.iter().fold(0, |any, v| any | v);
                (all | !any, all)
            }
            None => (0, 0),
        }
    }

    /// What a write may write when it happens.
    fn written(&self, facts: &Facts, w: Node) -> Few {
        self.when_it_happens(facts, w, facts.event(w).value)
    }

    /// What a term of an event may be when that happens.
    pub fn when_it_happens(&self, facts: &Facts, w: Node, term: TermId) -> Few {
        let event = facts.event(w);
        let po = &facts.of(BaseRel::Po).must;
        let mut known: FxHashMap<TermId, Few> = FxHashMap::default();
        let (mut leaves, mut seen) = (Vec::new(), 0);
        self.leaves(term, &mut leaves, &mut seen);
        if seen > LARGE {
            return None;
        }
        for (leaf, read) in &leaves {
            let before = facts.node_of[*read as usize].is_some_and(|r| po.contains(r, w));
            if !before {
                known.insert(*leaf, None);
            }
        }
        for part in self.graph.conjuncts(event.guard) {
            let (mut of, mut seen) = (Vec::new(), 0);
            self.leaves(part, &mut of, &mut seen);
            of.sort_unstable();
            of.dedup();
            let [(leaf, read)] = of[..] else { continue };
            if seen > LARGE || known.get(&leaf) == Some(&None) || !leaves.contains(&(leaf, read)) {
                continue;
            }
            let set = known
                .get(&leaf)
                .cloned()
                .unwrap_or(self.of.get(&read).cloned().flatten());
            let Some(set) = set else { continue };
            let holds = |v: &u64| {
                let mut here = FxHashMap::from_iter([(leaf, Some(BTreeSet::from([*v])))]);
                let value = self.eval(part, &mut here, LARGE);
                value.is_none_or(|value| value.contains(&1))
            };
            known.insert(leaf, Some(set.into_iter().filter(holds).collect()));
        }
        self.eval(term, &mut known, LARGE)
    }

    /// The reads that a term is computed from, each with its term; how many terms were looked at.
    fn leaves(&self, root: TermId, out: &mut Vec<(TermId, EventId)>, seen: &mut usize) {
        let (mut work, mut done) = (vec![root], BTreeSet::new());
        while let Some(term) = work.pop() {
            if *seen > LARGE || !done.insert(term) {
                continue;
            }
            *seen += 1;
            match self.graph.term(term) {
                Term::Read(e) => out.push((term, *e)),
                other => work.extend(other.operands()),
            }
        }
    }

    /// What a term may be, beside terms that are known.
    pub fn eval(&self, root: TermId, known: &mut FxHashMap<TermId, Few>, limit: usize) -> Few {
        let (mut work, mut steps) = (vec![root], 0);
        while let Some(&next) = work.last() {
            if known.contains_key(&next) {
                work.pop();
                continue;
            }
            let operands = self.graph.term(next).operands();
            let missing = operands.iter().filter(|o| !known.contains_key(o));
            let missing: Vec<TermId> = missing.copied().collect();
            if missing.is_empty() {
                steps += 1;
                if steps > limit {
                    return None;
                }
                let set = self.term(next, known);
                known.insert(next, set.filter(|s| s.len() <= MOST));
                work.pop();
            }
            work.extend(missing);
        }
        known[&root].clone()
    }

    fn term(&self, id: TermId, known: &FxHashMap<TermId, Few>) -> Few {
        let width = self.graph.width(id);
        let at = |t: &TermId| known[t].as_ref();
        let mask = |v: u64| v & (u64::MAX >> (64 - width));
        let map = |t: &TermId, f: &dyn Fn(u64) -> u64| -> Few {
            Some(at(t)?.iter().map(|v| mask(f(*v))).collect())
        };
        match self.graph.term(id) {
            Term::Const(v) => Some(BTreeSet::from([*v])),
            Term::Read(e) => self.of.get(e)?.clone(),
            Term::Any(_) | Term::Uninterpreted(..) => None,
            Term::Not(a) => map(a, &|v| !v),
            Term::ZeroExtend(a) | Term::Truncate(a) => map(a, &|v| v),
            Term::SignExtend(a) => {
                let from = self.graph.width(*a);
                map(a, &|v| signed(v, from) as u64)
            }
            Term::Ite(c, a, b) => match at(c).map(|c| (c.contains(&1), c.contains(&0))) {
                Some((true, false)) => at(a).cloned(),
                Some((false, true)) => at(b).cloned(),
                _ => join(Some(at(a)?.clone()), &Some(at(b)?.clone())),
            },
            Term::Op(op, a, b) => {
                let of = self.graph.width(*a);
                let zero = BTreeSet::from([0]);
                // A factor or conjunct that is 0 decides.
                let decides = matches!(op, Op::And | Op::Mul);
                if decides && (at(a) == Some(&zero) || at(b) == Some(&zero)) {
                    return Some(zero);
                }
                let (a, b) = (at(a)?, at(b)?);
                let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (*x, *y)));
                Some(pairs.map(|(x, y)| mask(compute(*op, x, y, of))).collect())
            }
        }
    }
}

fn join(a: Few, b: &Few) -> Few {
    let (mut all, more) = (a?, b.as_ref()?);
    all.extend(more);
    (all.len() <= MOST).then_some(all)
}

fn meet(a: Few, b: Few) -> Few {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.intersection(&b).copied().collect()),
        (a, b) => a.or(b),
    }
}

fn signed(value: u64, width: usize) -> i64 {
    let unused = 64 - width;
    (value << unused) as i64 >> unused
}

/// What an operator computes; bits beyond the width are left to the caller.
fn compute(op: Op, a: u64, b: u64, width: usize) -> u64 {
    let (x, y) = (signed(a, width), signed(b, width));
    match op {
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::Udiv => a.checked_div(b).unwrap_or(u64::MAX),
        Op::Urem => a.checked_rem(b).unwrap_or(a),
        Op::Sdiv if b == 0 => {
            if x < 0 {
                1
            } else {
                u64::MAX
            }
        }
        Op::Sdiv => x.wrapping_div(y) as u64,
        Op::Srem if b == 0 => a,
        Op::Srem => x.wrapping_rem(y) as u64,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl => {
            if b >= width as u64 {
                0
            } else {
                a << b
            }
        }
        Op::Lshr => {
            if b >= width as u64 {
                0
            } else {
                a >> b
            }
        }
        Op::Ashr => (x >> b.min(63)) as u64,
        Op::Eq => u64::from(a == b),
        Op::Ne => u64::from(a != b),
        Op::Ult => u64::from(a < b),
        Op::Ule => u64::from(a <= b),
        Op::Slt => u64::from(x < y),
        Op::Sle => u64::from(x <= y),
    }
}
