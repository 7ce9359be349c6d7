//! The model's axioms as clauses.
//!
//! `empty` and `irreflexive` forbid their pairs one by one. `acyclic` becomes an order instance a
//! strongly connected component of the may-graph: an edge outside of all components is on no
//! cycle and costs nothing. A component whose edges another axiom orders anyway is dropped; so
//! coherence as a separate axiom costs nothing under SC, and under TSO only where a thread reads
//! what it wrote itself.
//!
//! Static edges are relative to both events happening. They are asserted without that condition
//! where the static relation is closed through the event (`a -> x -> b` only if `a -> b`): an
//! event that does not happen then passes no order on. Elsewhere the events' guards are part of
//! the edge.
//!
//! Atomic groups are one point of every order: the component graph is taken over groups, and the
//! order inside a group is an instance of its own. Those without fences are not where an axiom is
//! about one location at a time ([`cat::eval`](mod@cat::eval) says why).
//!
//! The read and the write of a locked read-modify-write are one point, too, where the relation
//! orders everything around them alike: what comes in between would have to be coherence-between
//! the write read and the write, which atomicity forbids. That halves the nodes of lock-heavy
//! programs.

use super::lazy::LazyAxioms;
use super::order::Instance;
use super::purpose;
use super::relations::Encoder;
use crate::relations::bounds::Node;
use crate::unroll::event::{CellId, EventKind, GroupId};
use base::bits::BitMatrix;
use base::components::components;
use base::idx::{Id, IdVec};
use cat::model::{AxiomKind, BaseRel, RelId};
use cat::pattern::{self, is_per_location, union_parts};
use ir::program::Atomicity;
use smt::sat::cnf::Lit;
use std::collections::BTreeMap;

/// What an order already ensures.
struct Ordered {
    /// Relative literals of pairs.
    edges: BTreeMap<(Node, Node), Lit>,
    must: RelId,
    /// Its points are single accesses though there are groups without fences.
    per_access: bool,
}

impl Encoder<'_> {
    /// Adds all axioms of the model but those that are to be judged lazily, and answers those.
    pub fn axioms(&mut self) -> Option<LazyAxioms> {
        let model = self.analysis.model;
        let mut acyclic: Vec<usize> = Vec::new();
        let mut lazy: Vec<usize> = Vec::new();
        for (i, axiom) in model.axioms.iter().enumerate() {
            self.cnf.turn_to(purpose::axiom(i));
            match axiom.kind {
                _ if self.is_lazy(i) => lazy.push(i),
                AxiomKind::Acyclic => acyclic.push(i),
                AxiomKind::Irreflexive => self.irreflexive(axiom.rel),
                AxiomKind::Empty => self.empty(axiom.rel),
            }
        }
        // The largest first: it may contain the others.
        acyclic.sort_by_key(|i| {
            (
                std::cmp::Reverse(self.analysis.rels[model.axioms[*i].rel].may.count()),
                *i,
            )
        });
        let eager = acyclic.clone();
        let decided = self.decided_cells();
        let mut done: Vec<Ordered> = Vec::new();
        for i in acyclic {
            self.cnf.turn_to(purpose::axiom(i));
            let ordered = self.acyclic(i, &[model.axioms[i].rel], &done, &decided);
            done.push(ordered);
        }
        if self.is_mostly_tied() {
            let acyclic = |i: &usize| model.axioms[*i].kind == AxiomKind::Acyclic;
            for i in lazy.iter().copied().filter(acyclic) {
                if let Some(direct) = self.direct_parts(model.axioms[i].rel) {
                    self.cnf.turn_to(purpose::axiom(i));
                    let ordered = self.acyclic(i, &direct, &done, &decided);
                    done.push(ordered);
                }
            }
        }
        let co_is_ordered = eager.into_iter().any(|axiom| {
            let parts = union_parts(model, model.axioms[axiom].rel);
            let mut parts = parts.iter();
            parts.any(|p| pattern::is_base(model, *p, BaseRel::Co))
        });
        if !co_is_ordered {
            self.cnf.turn_to(purpose::COHERENCE);
            self.order_coherence();
        }
        self.cnf.turn_to(purpose::OTHER);
        let lazy = match lazy.is_empty() {
            true => None,
            false => Some(self.judge_lazily(&lazy)),
        };
        self.finish_recursion();
        lazy
    }

    fn happens_both(&mut self, a: Node, b: Node, lit: Lit) -> Lit {
        let (x, y) = (self.exec(a), self.exec(b));
        self.cnf.all(&[lit, x, y])
    }

    fn irreflexive(&mut self, rel: RelId) {
        for n in self.analysis.nodes.ids() {
            if !self.stopped() && self.analysis.rels[rel].may.contains(n.index(), n.index()) {
                let lit = self.pair(rel, n, n);
                let happens = self.exec(n);
                self.cnf.clause(&[!lit, !happens]);
            }
        }
    }

    fn empty(&mut self, rel: RelId) {
        let pairs: Vec<(usize, usize)> = self.analysis.rels[rel].may.pairs().collect();
        for (a, b) in pairs {
            if self.stopped() {
                return;
            }
            let (a, b) = (Node::from_index(a), Node::from_index(b));
            let lit = self.pair(rel, a, b);
            let (x, y) = (self.exec(a), self.exec(b));
            self.cnf.clause(&[!lit, !x, !y]);
        }
    }

    /// Coherence is a total order a location even when no axiom says so.
    fn order_coherence(&mut self) {
        let may = self.analysis.base[&BaseRel::Co].may.clone();
        let mut instance = Instance {
            len: self.analysis.nodes.len(),
            ..Instance::default()
        };
        for (a, b) in may.pairs() {
            if self.stopped() {
                return;
            }
            let (x, y) = (Node::from_index(a), Node::from_index(b));
            if self.analysis.event(x).kind == EventKind::Init {
                continue;
            }
            let lit = self.coherence(x, y);
            let lit = self.happens_both(x, y, lit);
            instance.edges.insert((a, b), lit);
        }
        let (backend, stop) = (self.backend, self.interrupt);
        instance.assert(&mut self.cnf, backend, stop);
    }

    /// The operands of the union of an `acyclic` axiom that are read-from, coherence or from-read;
    /// `None` when all others are static, so that nothing is derived.
    ///
    /// Where orders decide the source of most reads, these parts of an axiom that is judged lazily are
    /// ordered eagerly, together with what is static of it: else sources are hardly constrained,
    /// candidates have values out of thin air, and they would be refuted one by one.
    pub(super) fn direct_parts(&self, rel: RelId) -> Option<Vec<RelId>> {
        let model = self.analysis.model;
        let is_direct = |part: &RelId| {
            let mut bases = [BaseRel::Rf, BaseRel::Co, BaseRel::Fr].into_iter();
            bases.any(|base| pattern::communicates(model, *part, base))
        };
        let is_static = |part: &RelId| {
            let bounds = &self.analysis.rels[*part];
            bounds.may == bounds.must
        };
        let parts = union_parts(model, rel);
        let derived = parts
            .iter()
            .any(|part| !is_direct(part) && !is_static(part));
        derived.then(|| parts.into_iter().filter(is_direct).collect())
    }

    /// One acyclicity axiom, of some `parts` of its relation and the static pairs; `done` are the
    /// orders asserted before, and of the cells `decided` sections decide every read.
    fn acyclic(
        &mut self,
        axiom: usize,
        parts: &[RelId],
        done: &[Ordered],
        decided: &IdVec<CellId, bool>,
    ) -> Ordered {
        let rel = self.analysis.model.axioms[axiom].rel;
        let bounds = &self.analysis.rels;
        let may = parts.iter().map(|part| &bounds[*part].may);
        let may = may.fold(bounds[rel].must.clone(), |all, part| all.union(part));
        let groups = self.representatives(rel);
        let mut ordered = Ordered {
            edges: BTreeMap::new(),
            must: rel,
            per_access: self.is_per_access(rel),
        };
        let mut contracted = BitMatrix::new(may.len());
        for (a, b) in may.pairs() {
            let (x, y) = (groups[Node::from_index(a)], groups[Node::from_index(b)]);
            if a == b {
                let n = Node::from_index(a);
                let lit = self.related(rel, parts, n, n);
                let happens = self.exec(n);
                self.cnf.clause(&[!lit, !happens]);
            } else if x != y {
                contracted.insert(x.index(), y.index());
            }
        }
        let component = components(&contracted);
        let mut by_component: BTreeMap<usize, Vec<(Node, Node)>> = BTreeMap::new();
        let mut inside: BTreeMap<Node, Vec<(Node, Node)>> = BTreeMap::new();
        for (a, b) in may.pairs().filter(|(a, b)| a != b) {
            let (a, b) = (Node::from_index(a), Node::from_index(b));
            let (x, y) = (groups[a], groups[b]);
            if x == y {
                inside.entry(x).or_default().push((a, b));
            } else if component[x.index()] == component[y.index()] {
                by_component
                    .entry(component[x.index()])
                    .or_default()
                    .push((a, b));
            }
        }
        let closed = self.closed_nodes(rel);
        for edges in by_component.values().chain(inside.values()) {
            let mut relative: Vec<((Node, Node), Lit)> = Vec::with_capacity(edges.len());
            for (a, b) in edges {
                if self.stopped() {
                    return ordered;
                }
                relative.push(((*a, *b), self.edge(axiom, parts, *a, *b)));
            }
            let as_coarse = |order: &&Ordered| ordered.per_access || !order.per_access;
            let subsumed = done.iter().filter(as_coarse).any(|order| {
                relative.iter().all(|((a, b), lit)| {
                    *lit == Lit::FALSE
                        || self.analysis.rels[order.must]
                            .must
                            .contains(a.index(), b.index())
                        || order.edges.get(&(*a, *b)) == Some(lit)
                })
            });
            ordered.edges.extend(relative.iter().copied());
            if !subsumed {
                let all = relative.len();
                relative.retain(|((a, b), _)| !self.follows(rel, *a, *b, decided));
                self.section_order.reduced.edges += all - relative.len();
                self.order(axiom, &relative, &groups, &closed, done.is_empty());
            }
        }
        ordered
    }

    /// The literal of an edge: that of the relation, and for reads tied to this axiom "the write
    /// is before the read" in place of read-from.
    fn edge(&mut self, axiom: usize, parts: &[RelId], a: Node, b: Node) -> Lit {
        let rel = self.analysis.model.axioms[axiom].rel;
        let lit = self.related(rel, parts, a, b);
        let tied = self.sources_by_order.get(&b).filter(|t| t.axiom == axiom);
        match tied.and_then(|t| t.chain.iter().find(|(w, _)| *w == a)) {
            Some((_, before)) => {
                let before = *before;
                self.cnf.or(lit, before)
            }
            None => lit,
        }
    }

    /// Some parts of a relation, or what is static of it, relate two events that happen.
    fn related(&mut self, rel: RelId, parts: &[RelId], a: Node, b: Node) -> Lit {
        if self.analysis.rels[rel].must.contains(a.index(), b.index()) {
            return Lit::TRUE;
        }
        let lits: Vec<Lit> = parts.iter().map(|part| self.pair(*part, a, b)).collect();
        self.cnf.any(&lits)
    }

    fn order(
        &mut self,
        axiom: usize,
        edges: &[((Node, Node), Lit)],
        groups: &IdVec<Node, Node>,
        closed: &IdVec<Node, bool>,
        first: bool,
    ) {
        let within = edges.iter().all(|((a, b), _)| groups[*a] == groups[*b]);
        let point = |n: Node| if within { n } else { groups[n] };
        let mut instance = Instance {
            len: self.analysis.nodes.len(),
            ..Instance::default()
        };
        let rel = self.analysis.model.axioms[axiom].rel;
        let nodes = self.analysis.nodes.ids();
        let single = nodes.map(|n| within || (groups[n] == n && self.group(rel, n).is_none()));
        let single: IdVec<Node, bool> = single.collect();
        let mut alternatives: BTreeMap<(usize, usize), Vec<Lit>> = BTreeMap::new();
        for ((a, b), relative) in edges {
            if self.stopped() {
                return;
            }
            let (x, y) = (point(*a), point(*b));
            let mut parts = vec![*relative];
            for n in [*a, *b] {
                let free = *relative == Lit::TRUE && single[n] && closed[n];
                if !free {
                    parts.push(self.exec(n));
                }
            }
            let lit = self.cnf.all(&parts);
            alternatives
                .entry((x.index(), y.index()))
                .or_default()
                .push(lit);
        }
        for ((x, y), lits) in alternatives {
            if lits.contains(&Lit::TRUE) {
                instance.fixed.push((x, y));
            } else {
                let lit = self.cnf.any(&lits);
                instance.edges.insert((x, y), lit);
            }
        }
        for (x, y) in instance.edges.keys().filter(|(x, y)| x < y) {
            let (a, b) = (Node::from_index(*x), Node::from_index(*y));
            let Some(lit) = self.co.get(&(a, b)) else {
                continue;
            };
            let sure =
                self.analysis.always(a) && self.analysis.always(b) && self.analysis.same_cell(a, b);
            let both = instance.edges.contains_key(&(*y, *x));
            let own = first && !self.section_order.shared.contains(&(a, b));
            if both && single[a] && single[b] && (own || sure) {
                instance.decided.insert((*x, *y), *lit);
            }
        }
        for (r, tie) in self
            .sources_by_order
            .iter()
            .filter(|(_, t)| t.axiom == axiom)
        {
            for (w, before) in &tie.chain {
                let key = (w.index(), r.index());
                if before.var() != 1
                    && single[*w]
                    && single[*r]
                    && instance.edges.contains_key(&key)
                {
                    instance.decided.insert(key, *before);
                }
            }
        }
        let (backend, stop) = (self.backend, self.interrupt);
        instance.assert(&mut self.cnf, backend, stop);
    }

    /// The node that stands for a node's atomic group or read-modify-write, or the node itself.
    pub(super) fn representatives(&self, rel: RelId) -> IdVec<Node, Node> {
        let mut first: BTreeMap<GroupId, Node> = BTreeMap::new();
        let mut point: IdVec<Node, Node> = self
            .analysis
            .nodes
            .ids()
            .map(|n| match self.group(rel, n) {
                Some(g) => *first.entry(g).or_insert(n),
                None => n,
            })
            .collect();
        let going_on = |_: &Node| !(self.interrupt)();
        for r in self.analysis.nodes.ids().take_while(going_on) {
            let mut writes = self.analysis.stores(r);
            if let (Some(w), None) = (writes.next(), writes.next())
                && self.analysis.event(r).group.is_none()
                && self.is_one_point(rel, r, w)
            {
                point[w] = r;
            }
        }
        point
    }

    /// The group that an event is in, if it is one point of the order of a relation.
    fn group(&self, rel: RelId, n: Node) -> Option<GroupId> {
        let group = self.analysis.event(n).group?;
        let fenced = self.analysis.graph.groups[group].kind == Atomicity::Section;
        (fenced || !is_per_location(self.analysis.model, rel)).then_some(group)
    }

    /// Groups without fences are not points of the order of a relation.
    fn is_per_access(&self, rel: RelId) -> bool {
        let mut groups = self.analysis.graph.groups.iter();
        groups.any(|g| g.kind != Atomicity::Section) && is_per_location(self.analysis.model, rel)
    }

    /// True when a relation contains all communication between threads, and orders the read and
    /// the write of a read-modify-write alike with whatever else their thread does.
    fn is_one_point(&self, rel: RelId, r: Node, w: Node) -> bool {
        let a = self.analysis;
        let parts = union_parts(a.model, rel);
        let communicates = |base: BaseRel| {
            parts
                .iter()
                .any(|p| pattern::communicates(a.model, *p, base))
        };
        if !self.atomic
            || ![BaseRel::Rf, BaseRel::Co, BaseRel::Fr]
                .into_iter()
                .all(communicates)
        {
            return false;
        }
        let (must, may) = (&a.rels[rel].must, &a.rels[rel].may);
        if !must.contains(r.index(), w.index()) {
            return false;
        }
        let po = &a.base[&BaseRel::Po].may;
        let is_fence = |n: Node| matches!(a.event(n).kind, EventKind::Fence(_));
        a.nodes
            .ids()
            .filter(|n| *n != r && *n != w && !is_fence(*n))
            .all(|n| {
                let (i, x, y) = (n.index(), r.index(), w.index());
                let before = !po.contains(i, x) || must.contains(i, x) || !may.contains(i, y);
                let after = !po.contains(y, i) || must.contains(y, i) || !may.contains(x, i);
                let between = po.contains(x, i) && po.contains(i, y);
                before && after && !between
            })
    }

    /// Nodes that surely happen, or through which the static part of a relation is closed.
    fn closed_nodes(&self, rel: RelId) -> IdVec<Node, bool> {
        let must = &self.analysis.rels[rel].must;
        let before = must.inverse_until(self.interrupt);
        let closed = |n: Node| {
            (self.interrupt)()
                || self.analysis.always(n)
                || before.successors(n.index()).all(|a| {
                    must.row(n.index())
                        .iter()
                        .zip(must.row(a))
                        .all(|(from_n, from_a)| from_n & !from_a == 0)
                })
        };
        self.analysis.nodes.ids().map(closed).collect()
    }
}
