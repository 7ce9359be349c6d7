//! Why a pair is in a relation: literals of the formula, as few as can be.
//!
//! A pair that every execution relates has no reason. Others are derived as the model's text says:
//! of two operands of a union the one that costs less, of the events in the middle of a sequence
//! the cheapest one, of a closure the cheapest path, of recursion the earliest step of the fixpoint.
//! What is left are literals of read-from, coherence, addresses and dependencies, and the events in
//! the middle, which have to happen.
//!
//! *From-read* of a tied read is one literal: the write is not before the read. That is so for
//! whatever the read reads from, as the literals of its candidates are monotone along coherence.

use super::candidate::Candidate;
use super::facts::Facts;
use super::paths::Weighted;
use cat::model::{BaseRel, Rel, RelId};
use rustc_hash::FxHashMap;
use smt::sat::cnf::Lit;

/// What a violation follows from: literals that are true, and events that happen.
#[derive(Clone, Default)]
pub struct Reason {
    /// Literals.
    pub lits: Vec<Lit>,
    /// Events.
    pub events: Vec<usize>,
}

/// Pairs whose cost is kept; what would be more is taken to cost one.
const MAX_COSTS: usize = 1 << 18;

/// Explains the pairs of one candidate.
pub struct Reasons<'c, 'f> {
    candidate: &'c Candidate<'f>,
    costs: FxHashMap<(RelId, usize, usize, usize), u32>,
}

impl<'c, 'f> Reasons<'c, 'f> {
    /// Nothing explained yet.
    pub fn new(candidate: &'c Candidate<'f>) -> Self {
        Reasons {
            candidate,
            costs: FxHashMap::default(),
        }
    }

    fn facts(&self) -> &'f Facts {
        self.candidate.facts
    }

    /// Adds why a pair of events that happen is in a relation.
    pub fn explain(&mut self, rel: RelId, pair: (usize, usize), reason: &mut Reason) {
        self.at(rel, pair, self.candidate.last_step(), reason);
    }

    fn is_sure(&self, rel: RelId, (a, b): (usize, usize)) -> bool {
        self.facts().bounds[rel].must.contains(a, b)
    }

    fn holds(&self, rel: RelId, (a, b): (usize, usize), step: usize) -> bool {
        self.is_sure(rel, (a, b)) || self.candidate.rel(rel, step).contains(a, b)
    }

    fn at(&mut self, rel: RelId, pair: (usize, usize), step: usize, reason: &mut Reason) {
        let facts = self.facts();
        let (a, b) = pair;
        if self.is_sure(rel, pair) {
            return;
        }
        match facts.rels[rel] {
            Rel::Empty => {}
            Rel::Base(base) => self.base(base, pair, reason),
            Rel::Union(x, y) => {
                let (left, right) = (self.cost(x, pair, step), self.cost(y, pair, step));
                let cheaper = if right < left { y } else { x };
                self.at(cheaper, pair, step, reason);
            }
            Rel::Inter(x, y) => {
                self.at(x, pair, step, reason);
                self.at(y, pair, step, reason);
            }
            Rel::Diff(x, y) => {
                self.at(x, pair, step, reason);
                reason
                    .lits
                    .extend(facts.subtracted[&y].get(&pair).map(|l| !*l));
            }
            Rel::Seq(x, y) => {
                if let Some((_, m)) = self.middle((x, y), pair, step) {
                    reason.events.push(m);
                    self.at(x, (a, m), step, reason);
                    self.at(y, (m, b), step, reason);
                }
            }
            Rel::Inverse(x) => self.at(x, (b, a), step, reason),
            Rel::Plus(x) => {
                let path = self.path(rel, x, pair, step);
                for hop in path.windows(2) {
                    let hop = (hop[0], hop[1]);
                    if !self.is_sure(rel, hop) {
                        self.at(x, hop, step, reason);
                    }
                }
                reason.events.extend(&path);
            }
            Rel::Rec(v) => {
                let (body, step) = (facts.recs[v], self.candidate.step_of(rel, step));
                if let Some(earlier) = self.candidate.derived(body, step, pair) {
                    self.at(body, pair, earlier, reason);
                }
            }
            Rel::Identity(s) => reason.lits.push(facts.members[&s][a]),
            Rel::Cross(s, t) => {
                let members = [facts.members[&s][a], facts.members[&t][b]];
                reason.lits.extend(members);
            }
        }
    }

    fn base(&self, base: BaseRel, (a, b): (usize, usize), reason: &mut Reason) {
        let facts = self.facts();
        match base {
            BaseRel::Rf => {
                let source = self.candidate.source[b];
                reason.lits.extend(source.map(|(_, lit)| lit));
            }
            BaseRel::Fr => match (facts.fr.get(&(a, b)), self.candidate.source[a]) {
                (Some(lit), _) => reason.lits.push(*lit),
                (None, Some((w, lit))) => {
                    reason.lits.push(lit);
                    reason.lits.extend(facts.open[&BaseRel::Co].get(&(w, b)));
                }
                (None, None) => {}
            },
            _ => {
                let lits = facts.open.get(&base);
                reason.lits.extend(lits.and_then(|l| l.get(&(a, b))));
            }
        }
    }

    /// The cheapest event in the middle of a sequence, and its cost.
    fn middle(
        &mut self,
        (x, y): (RelId, RelId),
        (a, b): (usize, usize),
        step: usize,
    ) -> Option<(u32, usize)> {
        let candidate = self.candidate;
        let mut middles: Vec<usize> = candidate.rel(x, step).successors(a).collect();
        middles.retain(|m| candidate.rel(y, step).contains(*m, b));
        let mut best: Option<(u32, usize)> = None;
        for m in middles {
            let happens = |n: usize| self.facts().implied.contains(n, m);
            let free = self.facts().exec[m] == Lit::TRUE || happens(a) || happens(b);
            let mut cost = u32::from(!free);
            for (rel, pair) in [(x, (a, m)), (y, (m, b))] {
                if best.is_none_or(|(least, _)| cost < least) {
                    cost = cost.saturating_add(self.cost(rel, pair, step));
                }
            }
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, m));
            }
            if cost == 0 {
                break;
            }
        }
        best
    }

    /// The cheapest path of a closure.
    fn path(&self, plus: RelId, x: RelId, (a, b): (usize, usize), step: usize) -> Vec<usize> {
        let graph = Weighted {
            pairs: self.candidate.rel(x, step),
            free: &self.facts().bounds[plus].must,
        };
        let path = graph.path(a, b, &self.candidate.exec);
        path.expect("a pair of a closure has a path")
    }

    /// How many literals the reason of a pair has; the largest number where the pair is not in the
    /// relation.
    fn cost(&mut self, rel: RelId, pair: (usize, usize), step: usize) -> u32 {
        if self.is_sure(rel, pair) {
            return 0;
        }
        if !self.holds(rel, pair, step) {
            return u32::MAX;
        }
        let step = self.candidate.step_of(rel, step);
        let key = (rel, pair.0, pair.1, step);
        if let Some(cost) = self.costs.get(&key) {
            return *cost;
        }
        if self.costs.len() > MAX_COSTS {
            return 1;
        }
        let facts = self.facts();
        let cost = match facts.rels[rel] {
            Rel::Empty => 0,
            Rel::Base(BaseRel::Fr) if !facts.fr.contains_key(&pair) => 2,
            Rel::Base(_) => 1,
            Rel::Union(x, y) => self.cost(x, pair, step).min(self.cost(y, pair, step)),
            Rel::Inter(x, y) => {
                let left = self.cost(x, pair, step);
                left.saturating_add(self.cost(y, pair, step))
            }
            Rel::Diff(x, y) => {
                let more = u32::from(facts.subtracted[&y].contains_key(&pair));
                self.cost(x, pair, step).saturating_add(more)
            }
            Rel::Seq(x, y) => {
                let middle = self.middle((x, y), pair, step);
                middle.map_or(u32::MAX, |(cost, _)| cost)
            }
            Rel::Inverse(x) => self.cost(x, (pair.1, pair.0), step),
            Rel::Plus(x) => {
                let path = self.path(rel, x, pair, step);
                let hops = path.windows(2).map(|hop| (hop[0], hop[1]));
                let open = hops.filter(|hop| !self.is_sure(rel, *hop)).count();
                u32::try_from(open).unwrap_or(u32::MAX)
            }
            Rel::Rec(v) => {
                let body = facts.recs[v];
                match self.candidate.derived(body, step, pair) {
                    Some(earlier) => self.cost(body, pair, earlier),
                    None => u32::MAX,
                }
            }
            Rel::Identity(s) => u32::from(facts.members[&s][pair.0] != Lit::TRUE),
            Rel::Cross(s, t) => {
                let members = [facts.members[&s][pair.0], facts.members[&t][pair.1]];
                let open = members.iter().filter(|l| **l != Lit::TRUE).count();
                u32::try_from(open).unwrap_or(u32::MAX)
            }
        };
        self.costs.insert(key, cost);
        cost
    }
}
