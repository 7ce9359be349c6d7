//! Lazy consistency: axioms as judges of candidate executions (CAAT: Haas, Maseli, Meyer, Ponce de
//! León, OOPSLA 2022).
//!
//! On weak models nearly all of an eager formula is about pairs of derived relations that the search
//! never looks at. Here the formula has the values, read-from, coherence and the axioms about single
//! locations. Its satisfying assignments are *candidates*: each is read off as concrete relations
//! ([`candidate`]), and if an axiom is violated, clauses are learnt that forbid what the violation
//! follows from. Then the solver goes on, until it finds a candidate that every axiom allows, or
//! none.
//!
//! - **Violations**: a pair of an `empty` relation, an event related to itself, cycles. Of cycles,
//!   for each event that an edge that is not static leaves, one with the fewest such edges
//!   ([`paths`]).
//! - **Reasons** ([`reasons`]): edges are derived from literals of read-from, from-read, coherence,
//!   addresses and dependencies; what is known statically drops out. Events of the cycle and of
//!   derivations have to happen; one that happens with another one drops out, too.
//! - **Tied reads** (see [`relations`](super::relations)) of the axiom: "the write is before the
//!   read" is an edge of its own. A candidate of the read that is earlier in coherence gives the
//!   weaker premise, hence the stronger clause.
//!
//! *Soundness.* A reason is a set of facts from which the violation follows by the definitions of
//! the model's relations and by what the static bounds say of every execution, so each clause holds
//! in every execution of the model. *Termination*: the facts of a reason hold in the candidate, so
//! its assignment is excluded; there are finitely many. *Completeness*: a candidate without
//! violations is an execution of the model; it is validated again by [`cat::eval`](mod@cat::eval)
//! before it counts as one.
//!
//! Differences of relations are as in the eager encoding: the literals of what is subtracted are
//! made eagerly and must be exact, else the model is refused.
//!
//! *Cost*: a candidate takes some operations on bit matrices for each relation, and a search for
//! each event of a violated order. What that saves is the cubic part of the eager encoding.

pub mod candidate;
pub mod facts;
pub mod order;
pub mod paths;
pub mod reasons;
pub mod size;

use super::order::Backend;
use super::relations::Encoder;
use crate::relations::bounds::Node;
use candidate::Candidate;
use cat::model::{AxiomKind, Rel, RelId};
use cat::pattern::is_per_location;
use facts::{Axiom, Facts};
use order::{OrderGraph, cyclic_components};
use paths::Weighted;
use reasons::{Reason, Reasons};
use rustc_hash::{FxHashMap, FxHashSet};
use size::derivations;
use smt::sat::cnf::Lit;

/// Ways to derive pairs of an axiom's relations up to which it is encoded eagerly, where that is to be
/// decided by size.
const MAX_EAGER: usize = 2_000;

/// The same where nothing is derived: a union of communication and static pairs needs no clauses but
/// those of its order, which then orders most of what the other axioms ask for, too.
const MAX_DIRECT: usize = 100_000;

/// Clauses learnt from one candidate at most; the shortest are kept.
const MAX_CLAUSES: usize = 1000;

/// The axioms of a model that are judged lazily.
pub struct LazyAxioms {
    facts: Facts,
}

impl Encoder<'_> {
    /// Whether an axiom is judged lazily.
    pub fn is_lazy(&self, axiom: usize) -> bool {
        match self.backend {
            Backend::Matrix | Backend::Clocks => false,
            Backend::Lazy => self.can_be_lazy(axiom),
            Backend::Auto => {
                let of = &self.analysis.model.axioms[axiom];
                let is_direct =
                    of.kind == AxiomKind::Acyclic && self.direct_parts(of.rel).is_none();
                let most = match is_direct {
                    true => MAX_DIRECT,
                    false => MAX_EAGER,
                };
                self.can_be_lazy(axiom)
                    && !(is_direct && self.is_mostly_tied())
                    && derivations(self.analysis, of.rel) > most
            }
        }
    }

    /// Orders decide the source of most reads that have several; see
    /// [`direct_parts`](Self::direct_parts).
    pub(super) fn is_mostly_tied(&self) -> bool {
        let mut sources: FxHashMap<Node, usize> = FxHashMap::default();
        self.rf
            .keys()
            .for_each(|(_, r)| *sources.entry(*r).or_default() += 1);
        let open = sources.values().filter(|n| **n > 1).count();
        2 * self.sources_by_order.len() > open
    }

    /// An axiom relates more than one location at a time, and is not a small one without closures.
    fn can_be_lazy(&self, axiom: usize) -> bool {
        let (model, analysis) = (self.analysis.model, self.analysis);
        let axiom = &model.axioms[axiom];
        match axiom.kind {
            AxiomKind::Acyclic => !is_per_location(model, axiom.rel),
            AxiomKind::Irreflexive | AxiomKind::Empty => {
                analysis.rels[axiom.rel].may.count() > 8 * analysis.nodes.len()
                    || self.is_closure(axiom.rel)
            }
        }
    }

    /// A relation is made of closures or recursive ones that executions decide.
    fn is_closure(&self, rel: RelId) -> bool {
        let bounds = &self.analysis.rels[rel];
        bounds.may != bounds.must
            && match self.analysis.model.rels[rel] {
                Rel::Plus(_) | Rel::Rec(_) => true,
                Rel::Union(x, y) | Rel::Inter(x, y) | Rel::Seq(x, y) | Rel::Diff(x, y) => {
                    self.is_closure(x) || self.is_closure(y)
                }
                Rel::Inverse(x) => self.is_closure(x),
                _ => false,
            }
    }

    /// What is needed to judge some axioms lazily.
    pub fn judge_lazily(&mut self, axioms: &[usize]) -> LazyAxioms {
        // A tied read has one source whether or not the axiom that orders it is satisfied: what is
        // before it is so together with every earlier candidate.
        let sources: Vec<_> = self
            .sources_by_order
            .values()
            .map(|source| source.chain.clone())
            .collect();
        for chain in sources {
            let mut later = Lit::FALSE;
            for (w, before) in chain.into_iter().rev() {
                self.cnf.clause(&[!later, before]);
                let happens = self.exec(w);
                let here = self.cnf.and(before, happens);
                later = self.cnf.or(later, here);
            }
        }
        LazyAxioms {
            facts: Facts::new(self, axioms),
        }
    }
}

impl LazyAxioms {
    /// Clauses that hold in every execution and not in the candidate that an assignment stands for;
    /// none when the axioms allow it, or when `stop`, asked now and then, answers true.
    pub fn refute(&self, value: &dyn Fn(Lit) -> bool, stop: &dyn Fn() -> bool) -> Vec<Vec<Lit>> {
        let candidate = Candidate::new(&self.facts, value, stop);
        let mut reasons = Reasons::new(&candidate);
        let mut clauses: FxHashSet<Vec<Lit>> = FxHashSet::default();
        for axiom in &self.facts.axioms {
            let relation = candidate.rel(axiom.rel, candidate.last_step());
            let mut found = Vec::new();
            match axiom.kind {
                AxiomKind::Empty => found.extend(relation.pairs()),
                _ => found.extend(relation.pairs().filter(|(a, b)| a == b)),
            }
            for (a, b) in found {
                let mut reason = Reason::default();
                reasons.explain(axiom.rel, (a, b), &mut reason);
                reason.events.extend([a, b]);
                clauses.insert(self.clause(reason));
            }
            if axiom.kind == AxiomKind::Acyclic {
                self.cycles(axiom, &candidate, &mut reasons, stop, &mut |reason| {
                    clauses.insert(self.clause(reason));
                });
            }
        }
        let mut clauses: Vec<Vec<Lit>> = clauses.into_iter().collect();
        clauses.sort_by_key(|c| (c.len(), c.clone()));
        clauses.truncate(MAX_CLAUSES);
        let mut kept: Vec<Vec<Lit>> = Vec::new();
        for clause in clauses {
            let within = |small: &Vec<Lit>| small.iter().all(|l| clause.binary_search(l).is_ok());
            if !kept.iter().any(within) {
                kept.push(clause);
            }
        }
        assert!(
            kept.iter().flatten().all(|l| !value(*l)),
            "a reason holds in the candidate that it refutes"
        );
        kept
    }

    /// The clause that forbids a reason, without events that happen with others.
    fn clause(&self, reason: Reason) -> Vec<Lit> {
        let facts = &self.facts;
        let ends = reason.lits.iter().filter_map(|l| facts.chosen.get(l));
        let ends: Vec<usize> = ends.flat_map(|(w, r)| [*w, *r]).collect();
        let mut events = reason.events;
        events.sort_unstable();
        events.dedup();
        let mut i = 0;
        while i < events.len() {
            let n = events[i];
            let implied = |m: &usize| facts.implied.contains(*m, n);
            let mut others = events.iter().filter(|m| **m != n);
            if ends.iter().any(implied) || ends.contains(&n) || others.any(implied) {
                events.remove(i);
            } else {
                i += 1;
            }
        }
        let happens = events.into_iter().map(|n| facts.exec[n]);
        let mut clause: Vec<Lit> = reason.lits.into_iter().chain(happens).map(|l| !l).collect();
        clause.retain(|l| *l != Lit::FALSE);
        clause.sort_unstable();
        clause.dedup();
        clause
    }

    /// Shortest cycles of an order, each as its reason.
    fn cycles(
        &self,
        axiom: &Axiom,
        candidate: &Candidate,
        reasons: &mut Reasons,
        stop: &dyn Fn() -> bool,
        found: &mut dyn FnMut(Reason),
    ) {
        let graph = OrderGraph::new(&self.facts, axiom, candidate);
        for part in &graph.parts {
            if part.edges.is_acyclic() {
                continue;
            }
            let weighted = Weighted {
                pairs: &part.edges,
                free: &part.free,
            };
            for component in cyclic_components(&part.edges) {
                for start in component.iter() {
                    let mut leaving = part.edges.set(start);
                    leaving.diff(part.free.row(start));
                    if stop() || !leaving.meets(component.words()) {
                        continue;
                    }
                    let cycle = weighted.path(start, start, &component);
                    let mut reason = Reason::default();
                    for hop in cycle.unwrap_or_default().windows(2) {
                        let (a, b) = graph.pair(part, (hop[0], hop[1]));
                        match graph.candidate_before((a, b)) {
                            Some(lit) => reason.lits.push(lit),
                            None => reasons.explain(axiom.rel, (a, b), &mut reason),
                        }
                        reason.events.extend([a, b]);
                    }
                    if !reason.events.is_empty() {
                        found(reason);
                    }
                }
            }
        }
    }
}
