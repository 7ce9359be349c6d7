//! Reasons: facts of which no execution has all, as an axiom of the model is violated by them.
//!
//! To write down all that an axiom asks for may take millions of clauses, of which a proof needs some. So
//! a bundle may name axioms that are left out, which needs no justification, and say instead what of
//! them it needs: *reasons*. A reason is a list of events that happen, of pairs of base relations and of
//! members of sets. The clause says that not all of that is so.
//!
//! **Why the clause holds.** Take an execution that has all of it. Of each relation of the model some pairs
//! are surely there ([`Surely`]): those that every execution has whose events happen, the given ones, and
//! what follows by the meaning of the operators, from the least values on. Where these pairs alone violate
//! an axiom, the model does not allow the execution. What is subtracted from a relation is taken for as
//! large as it may be. Only the events of the reason are looked at: another one in the middle of a sequence
//! adds nothing, but for what every execution has.
//!
//! That an event happens is not repeated in the clause where it follows by the look of the guards from
//! another one that happens, or as it is an end of reads-from.

use super::axioms::points;
use super::estimates::Estimates;
use super::facts::{Facts, Node};
use super::gates::{Lit, Rule};
use super::graph::EventId;
use super::relations::Relations;
use base::bits::BitMatrix;
use cat::model::{Axiom, AxiomKind, BaseRel, BaseSet, RecId, Rel, RelId, Set, SetId};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Base relations of which executions decide.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Open {
    Rf,
    Co,
    Loc,
    Po,
    Addr,
    Data,
    Ctrl,
    DifferentValues,
}

impl Open {
    /// All of them.
    pub const ALL: [Open; 8] = [
        Open::Rf,
        Open::Co,
        Open::Loc,
        Open::Po,
        Open::Addr,
        Open::Data,
        Open::Ctrl,
        Open::DifferentValues,
    ];

    /// As the model has it.
    pub fn base(self) -> BaseRel {
        match self {
            Open::Rf => BaseRel::Rf,
            Open::Co => BaseRel::Co,
            Open::Loc => BaseRel::Loc,
            Open::Po => BaseRel::Po,
            Open::Addr => BaseRel::Addr,
            Open::Data => BaseRel::Data,
            Open::Ctrl => BaseRel::Ctrl,
            Open::DifferentValues => BaseRel::DifferentValues,
        }
    }
}

/// What no execution has all of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Reason {
    /// Events that happen: all that matter.
    pub events: Vec<EventId>,
    /// Pairs of events.
    pub pairs: Vec<(Open, EventId, EventId)>,
    /// Members of sets, which the model's text numbers.
    pub members: Vec<(u32, EventId)>,
}

/// What a bundle has in place of axioms.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Learnt {
    /// The axioms that are not written down, by their numbers.
    pub axioms: Vec<usize>,
    /// What is needed of them.
    pub reasons: Vec<Reason>,
}

/// The pairs of relations that are surely there.
pub struct Surely<'a> {
    facts: &'a Facts<'a>,
    estimates: &'a Estimates,
    /// The events that happen; matrices have their positions.
    pub nodes: Vec<Node>,
    base: FxHashMap<BaseRel, BitMatrix>,
    members: FxHashSet<(SetId, Node)>,
    /// By step of the fixpoint: the relations met.
    steps: Vec<FxHashMap<RelId, Rc<BitMatrix>>>,
}

impl<'a> Surely<'a> {
    /// Of some events and what is so of them; pairs are of positions in `nodes`.
    pub fn new(
        facts: &'a Facts<'a>,
        estimates: &'a Estimates,
        nodes: Vec<Node>,
        pairs: &[(Open, usize, usize)],
        members: FxHashSet<(SetId, Node)>,
    ) -> Surely<'a> {
        let mut base: FxHashMap<BaseRel, BitMatrix> = FxHashMap::default();
        for (open, a, b) in pairs {
            let of = base.entry(open.base());
            let of = of.or_insert_with(|| BitMatrix::new(nodes.len()));
            of.insert(*a, *b);
        }
        let mut surely = Surely {
            facts,
            estimates,
            nodes,
            base,
            members,
            steps: Vec::new(),
        };
        surely.base = Open::ALL
            .map(|open| surely.of_base(open))
            .into_iter()
            .collect();
        let communication = [BaseRel::Rf, BaseRel::Co].map(|b| &surely.base[&b]);
        let mut from_read = communication[0].inverse().seq(communication[1]);
        (0..surely.nodes.len()).for_each(|n| from_read.remove(n, n));
        let sure = surely.within(&facts.of(BaseRel::Fr).must);
        surely.base.insert(BaseRel::Fr, from_read.union(&sure));
        surely
    }

    /// A base relation: what is given, and what every execution has.
    fn of_base(&self, open: Open) -> (BaseRel, BitMatrix) {
        let sure = self.within(&self.facts.of(open.base()).must);
        let made = match self.base.get(&open.base()) {
            Some(given) => given.union(&sure),
            None => sure,
        };
        (open.base(), made)
    }

    /// The part of a relation of all events that is between those that happen.
    pub fn within(&self, of: &BitMatrix) -> BitMatrix {
        let mut out = BitMatrix::new(self.nodes.len());
        for (i, a) in self.nodes.iter().enumerate() {
            for (j, b) in self.nodes.iter().enumerate() {
                if of.contains(*a, *b) {
                    out.insert(i, j);
                }
            }
        }
        out
    }

    /// A relation that an axiom is about.
    pub fn of(&mut self, rel: RelId) -> Rc<BitMatrix> {
        self.steps = vec![FxHashMap::default()];
        loop {
            let step = self.steps.len() - 1;
            let made = self.rel(rel, step);
            let recursive: Vec<(RelId, RecId)> = self.steps[step]
                .keys()
                .filter_map(|r| match self.facts.model.rels[*r] {
                    Rel::Rec(v) => Some((*r, v)),
                    _ => None,
                })
                .collect();
            let mut grown = false;
            for (rel, v) in recursive {
                let body = self.rel(self.facts.model.recs[v], step);
                grown |= !body.is_subset(&self.steps[step][&rel]);
            }
            if !grown {
                return made;
            }
            let mut next = self.steps[step].clone();
            next.retain(|rel, _| !self.estimates.is_recursive(*rel));
            self.steps.push(next);
        }
    }

    /// The step of the fixpoint after which nothing changed.
    pub fn last_step(&self) -> usize {
        self.steps.len() - 1
    }

    /// A relation at a step of the fixpoint: recursive ones are what their bodies are at the step before.
    pub fn rel(&mut self, rel: RelId, step: usize) -> Rc<BitMatrix> {
        if let Some(made) = self.steps[step].get(&rel) {
            return made.clone();
        }
        let model = self.facts.model;
        let made = match model.rels[rel] {
            Rel::Base(base) => self.base.get(&base).cloned().unwrap_or_default(),
            Rel::Empty => BitMatrix::new(self.nodes.len()),
            Rel::Union(x, y) => self.rel(x, step).union(&self.rel(y, step)),
            Rel::Inter(x, y) => self.rel(x, step).inter(&self.rel(y, step)),
            Rel::Diff(x, y) => {
                let may = self.within(&self.estimates.of(y).may);
                self.rel(x, step).diff(&may)
            }
            Rel::Seq(x, y) => self.rel(x, step).seq(&self.rel(y, step)),
            Rel::Inverse(x) => self.rel(x, step).inverse(),
            Rel::Plus(x) => self.rel(x, step).plus(),
            Rel::Rec(_) if step == 0 => BitMatrix::new(self.nodes.len()),
            Rel::Rec(v) => (*self.rel(model.recs[v], step - 1)).clone(),
            Rel::Identity(s) => self.product(s, s, step, true),
            Rel::Cross(s, t) => self.product(s, t, step, false),
        };
        let sure = self.within(&self.estimates.of(rel).must);
        let made = match made.is_empty() {
            true => sure,
            false => made.union(&sure),
        };
        let made = Rc::new(made);
        self.steps[step].insert(rel, made.clone());
        made
    }

    fn product(&mut self, s: SetId, t: SetId, step: usize, identity: bool) -> BitMatrix {
        let mut out = BitMatrix::new(self.nodes.len());
        let all = 0..self.nodes.len();
        let [from, to] = [s, t].map(|set| -> Vec<usize> {
            let all = all.clone();
            all.filter(|n| self.member(set, *n, step)).collect()
        });
        for a in &from {
            for b in to.iter().filter(|b| !identity || *b == a) {
                out.insert(*a, *b);
            }
        }
        out
    }

    /// The event at a position is surely in a set.
    pub fn member(&mut self, set: SetId, at: usize, step: usize) -> bool {
        let n = self.nodes[at];
        if self.estimates.members(set).1[n] || self.members.contains(&(set, n)) {
            return true;
        }
        match self.facts.model.sets[set].clone() {
            Set::Union(a, b) => self.member(a, at, step) || self.member(b, at, step),
            Set::Inter(a, b) => self.member(a, at, step) && self.member(b, at, step),
            Set::Diff(a, b) => self.member(a, at, step) && !self.estimates.members(b).0[n],
            Set::Domain(r) => self.rel(r, step).successors(at).next().is_some(),
            Set::Range(r) => {
                let rel = self.rel(r, step);
                (0..self.nodes.len()).any(|m| rel.contains(m, at))
            }
            Set::Base(_) | Set::All | Set::Empty => false,
        }
    }

    /// The pairs violate an axiom.
    fn violate(&mut self, axiom: &Axiom) -> bool {
        let rel = self.of(axiom.rel);
        match axiom.kind {
            AxiomKind::Empty => !rel.is_none(),
            AxiomKind::Irreflexive => rel.pairs().any(|(a, b)| a == b),
            AxiomKind::Acyclic => {
                let [inside, between] = self.parts(axiom.rel, &rel);
                !inside.is_acyclic() || !between.is_acyclic()
            }
        }
    }

    /// An order inside of its points, and between them; each point has the position of one of its events.
    pub fn parts(&self, axiom: RelId, rel: &BitMatrix) -> [BitMatrix; 2] {
        let point = self.points(axiom);
        let new = || BitMatrix::new(self.nodes.len());
        let (mut inside, mut between) = (new(), new());
        for (a, b) in rel.pairs() {
            match point[a] == point[b] {
                true => inside.insert(a, b),
                false => between.insert(point[a], point[b]),
            }
        }
        [inside, between]
    }

    /// By position: that of the first event that is one point with it.
    pub fn points(&self, axiom: RelId) -> Vec<usize> {
        let points = points(self.facts, axiom);
        let first = |n: &Node| self.nodes.iter().position(|m| points[*m] == points[*n]);
        let first = |n: &Node| first(n).unwrap_or_default();
        self.nodes.iter().map(first).collect()
    }
}

/// A set of which executions decide, as a fact of its own: what sets are made of otherwise follows.
pub fn is_open(set: &Set) -> bool {
    matches!(
        set,
        Set::Diff(..) | Set::Base(BaseSet::FW | BaseSet::Rmw | BaseSet::Tag(_))
    )
}

impl Relations<'_> {
    /// Adds the clause of a reason. False when it is none.
    pub fn learn(&mut self, reason: &Reason, axioms: &[usize]) -> bool {
        let Some(clause) = self.clause(reason, axioms) else {
            return false;
        };
        self.finish();
        self.gates.clause(Rule::Learnt, &clause);
        true
    }

    fn clause(&mut self, reason: &Reason, axioms: &[usize]) -> Option<Vec<Lit>> {
        let (facts, model) = (self.facts, self.facts.model);
        let node = |e: &EventId| facts.node_of.get(*e as usize).copied().flatten();
        let nodes: Option<Vec<Node>> = reason.events.iter().map(node).collect();
        let mut nodes = nodes?;
        nodes.sort_unstable();
        nodes.dedup();
        let at = |e: &EventId| nodes.binary_search(&node(e)?).ok();
        let pairs = reason.pairs.iter();
        let pairs = pairs.map(|(open, a, b)| Some((*open, at(a)?, at(b)?)));
        let pairs: Vec<(Open, usize, usize)> = pairs.collect::<Option<_>>()?;
        let mut sets: FxHashMap<u32, SetId> = FxHashMap::default();
        let numbered = model.sets.iter_enumerated().zip(0..);
        sets.extend(numbered.filter_map(|((id, set), number)| {
            let known = self.estimates.has(id) && is_open(set);
            known.then_some((number, id))
        }));
        let members = reason.members.iter();
        let members = members.map(|(set, e)| Some((*sets.get(set)?, nodes[at(e)?])));
        let members: FxHashSet<(SetId, Node)> = members.collect::<Option<_>>()?;

        let mut surely = Surely::new(
            facts,
            self.estimates,
            nodes.clone(),
            &pairs,
            members.clone(),
        );
        let mut violated = axioms.iter().filter_map(|a| model.axioms.get(*a));
        if !violated.any(|axiom| surely.violate(axiom)) {
            return None;
        }
        let mut clause = Vec::new();
        let mut ends = Vec::new();
        for (open, a, b) in &pairs {
            let (a, b) = (nodes[*a], nodes[*b]);
            if *open == Open::Rf {
                ends.extend([a, b]);
            }
            clause.push(!self.base_pair(open.base(), a, b));
        }
        let mut members: Vec<(SetId, Node)> = members.into_iter().collect();
        members.sort_unstable();
        for (set, n) in members {
            clause.push(!self.member(set, n));
        }
        // Of two that happen together one is enough.
        let implied = |n: Node, by: &[Node]| by.iter().any(|m| *m == n || facts.implies(*m, n));
        let mut left = nodes;
        let mut i = 0;
        while i < left.len() {
            let n = left.swap_remove(i);
            if !implied(n, &ends) && !implied(n, &left) {
                left.push(n);
                let last = left.len() - 1;
                left.swap(i, last);
                i += 1;
            }
        }
        left.sort_unstable();
        clause.extend(left.into_iter().map(|n| !self.happens(n)));
        Some(clause)
    }
}
