//! What is plain from the graph: which events there are, what their guards say of each other by their
//! look, and for each base relation the pairs that may be related and those that surely are.
//!
//! *May*: no execution relates any other two events. *Must*: every execution in which both happen
//! relates them. All of it is a first estimate: a pair that is in may without need costs clauses, never
//! an answer.

use super::graph::{EventId, EventKind, Graph, GraphError, Group, Rmw, TermId, ThreadId};
use base::bits::{BitMatrix, BitSet};
use cat::model::{BaseRel, BaseSet, Model, Set};
use cat::pattern::is_coherent;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// An event that matters, by its position in [`Facts::nodes`].
pub type Node = usize;

/// May and must.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Estimate {
    /// No others are related.
    pub may: BitMatrix,
    /// These are, when both happen.
    pub must: BitMatrix,
}

/// Ways in which two events come to be related, each a conjunction.
pub type Ways = Vec<Vec<TermId>>;

/// See the head of this file.
pub struct Facts<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// The model.
    pub model: &'a Model,
    /// Events that may happen, but for fences that the model does not speak of.
    pub nodes: Vec<EventId>,
    /// The node of an event.
    pub node_of: Vec<Option<Node>>,
    /// Base relations.
    pub base: BTreeMap<BaseRel, Rc<Estimate>>,
    /// Of pairs that may be related: when they are. None where they are when both happen.
    pub ways: FxHashMap<(BaseRel, Node, Node), Ways>,
    /// By node: the writes of the read-modify-write that it is the read of.
    pub stores: Vec<Vec<Node>>,
    conjuncts: Vec<Vec<TermId>>,
    implies: BitMatrix,
    exclusive: BitMatrix,
}

impl<'a> Facts<'a> {
    /// What is plain from a graph.
    ///
    /// # Errors
    /// A thread waits for the end of one that waits for it.
    pub fn new(graph: &'a Graph, model: &'a Model) -> Result<Facts<'a>, GraphError> {
        let speaks_of = |tag: &str| {
            let is_tag = |s: &Set| matches!(s, Set::Base(BaseSet::Tag(t)) if t == tag);
            model.sets.iter().any(is_tag)
        };
        let matters = |e: &EventId| {
            let event = graph.event(*e);
            let known = event.kind != EventKind::Fence || event.tags.iter().any(|t| speaks_of(t));
            known && graph.constant(event.guard) != Some(0)
        };
        let nodes: Vec<EventId> = (0..graph.events.len() as u32).filter(matters).collect();
        let mut node_of = vec![None; graph.events.len()];
        for (n, e) in nodes.iter().enumerate() {
            node_of[*e as usize] = Some(n);
        }
        let size = nodes.len();
        let conjuncts = nodes.iter().map(|e| graph.conjuncts(graph.event(*e).guard));
        let mut facts = Facts {
            graph,
            model,
            conjuncts: conjuncts.collect(),
            stores: vec![Vec::new(); size],
            base: BTreeMap::new(),
            ways: FxHashMap::default(),
            implies: BitMatrix::new(size),
            exclusive: BitMatrix::new(size),
            nodes,
            node_of,
        };
        facts.guards();
        facts.program_order()?;
        facts.dependencies();
        facts.places();
        facts.coherence();
        facts.read_from();
        Ok(facts)
    }

    /// How many nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The event of a node.
    pub fn event(&self, n: Node) -> &'a super::graph::Event {
        self.graph.event(self.nodes[n])
    }

    /// The first happens only when the second does.
    pub fn implies(&self, a: Node, b: Node) -> bool {
        self.implies.contains(a, b)
    }

    /// They do not happen both, by the look of their guards.
    pub fn excludes(&self, a: Node, b: Node) -> bool {
        self.exclusive.contains(a, b)
    }

    /// It happens in every execution.
    pub fn always(&self, n: Node) -> bool {
        self.conjuncts[n].is_empty()
    }

    /// May and must of a base relation.
    pub fn of(&self, base: BaseRel) -> &Estimate {
        &self.base[&base]
    }

    /// A relation without pairs.
    pub fn none(&self) -> BitMatrix {
        BitMatrix::new(self.len())
    }

    /// Guards are sets of conjuncts: one implies another that is part of it, and two are exclusive
    /// where one has a conjunct and the other one its negation.
    fn guards(&mut self) {
        let n = self.len();
        let mut having: FxHashMap<TermId, BitSet> = FxHashMap::default();
        for (i, conjuncts) in self.conjuncts.iter().enumerate() {
            for c in conjuncts {
                having.entry(*c).or_insert_with(|| BitSet::new(n)).insert(i);
            }
        }
        let negated = |c: TermId| match self.graph.term(c) {
            super::graph::Term::Not(of) => having.get(of),
            _ => None,
        };
        for (i, conjuncts) in self.conjuncts.iter().enumerate() {
            // Those whose guard has all conjuncts of this one happen only when it does.
            let mut implying = BitSet::full(n);
            for c in conjuncts {
                implying.inter(having[c].words());
                if let Some(others) = negated(*c) {
                    for other in others.iter() {
                        self.exclusive.insert(i, other);
                        self.exclusive.insert(other, i);
                    }
                }
            }
            implying.iter().for_each(|a| self.implies.insert(a, i));
        }
    }

    fn follows(&self, cond: TermId, a: Node, b: Node) -> bool {
        let (a, b) = (&self.conjuncts[a], &self.conjuncts[b]);
        let conjuncts = self.graph.conjuncts(cond);
        let known = |c: &TermId| a.contains(c) || b.contains(c);
        conjuncts.iter().all(known)
    }

    /// Adds pairs with the ways in which they come about.
    fn insert(&mut self, base: BaseRel, estimate: &mut Estimate, a: Node, b: Node, ways: Ways) {
        if self.exclusive.contains(a, b) {
            return;
        }
        estimate.may.insert(a, b);
        let sure = |way: &Vec<TermId>| way.iter().all(|c| self.follows(*c, a, b));
        if ways.iter().any(sure) {
            estimate.must.insert(a, b);
            self.ways.remove(&(base, a, b));
        } else if !estimate.must.contains(a, b) {
            self.ways.entry((base, a, b)).or_default().extend(ways);
        }
    }

    fn estimate(&self) -> Estimate {
        Estimate {
            may: self.none(),
            must: self.none(),
        }
    }

    /// Program order: the lists of the threads; what comes before its creation is before a thread, and
    /// what a thread does is before all that comes after it was joined.
    fn program_order(&mut self) -> Result<(), GraphError> {
        let mut po = self.estimate();
        for (t, thread) in self.graph.threads.iter().enumerate() {
            for (position, e) in thread.events.iter().enumerate() {
                let Some(b) = self.node_of[*e as usize] else {
                    continue;
                };
                let past = self.past(t as u32, position, position + 1, 0)?;
                for (a, ways) in past {
                    self.insert(BaseRel::Po, &mut po, a, b, ways);
                }
            }
        }
        self.base.insert(BaseRel::Po, Rc::new(po));
        Ok(())
    }

    /// What is before a thread's event at `position`, given the joins at positions below `joined`.
    fn past(
        &self,
        thread: ThreadId,
        position: usize,
        joined: usize,
        depth: usize,
    ) -> Result<BTreeMap<Node, Ways>, GraphError> {
        // Whoever comes by each creation and each join once has not come back.
        if depth > self.graph.threads.len() + self.graph.joins.len() {
            let text = "a thread waits for the end of one that waits for it";
            return Err(GraphError(text.to_string()));
        }
        let of = &self.graph.threads[thread as usize];
        // A join at the very position of a creation comes later.
        let mut past = match of.parent {
            Some(parent) => self.past(parent, of.created_after, of.created_after, depth + 1)?,
            None => BTreeMap::new(),
        };
        for e in &of.events[..position] {
            if let Some(n) = self.node_of[*e as usize] {
                past.insert(n, vec![Vec::new()]);
            }
        }
        let joins = self.graph.joins.iter();
        for join in joins.filter(|j| j.thread == thread && j.position < joined) {
            let end = self.graph.threads[join.joined as usize].events.len();
            for (n, ways) in self.past(join.joined, end, end + 1, depth + 1)? {
                let known = past.entry(n).or_default();
                for mut way in ways {
                    if self.graph.constant(join.cond) != Some(1) {
                        way.push(join.cond);
                    }
                    known.push(way);
                }
            }
        }
        Ok(past)
    }

    fn dependencies(&mut self) {
        let graph = self.graph;
        for base in [BaseRel::Addr, BaseRel::Data, BaseRel::Ctrl] {
            let mut estimate = self.estimate();
            for b in 0..self.len() {
                let event = graph.event(self.nodes[b]);
                let deps = match base {
                    BaseRel::Addr => &event.addr_deps,
                    BaseRel::Data => &event.data_deps,
                    _ => &event.ctrl_deps,
                };
                for (read, cond) in deps {
                    if let Some(a) = self.node_of[*read as usize] {
                        self.insert(base, &mut estimate, a, b, vec![vec![*cond]]);
                    }
                }
            }
            self.base.insert(base, Rc::new(estimate));
        }
        let [mut rmw, mut amo, mut lxsx] = [self.none(), self.none(), self.none()];
        for b in 0..self.len() {
            let Some((read, kind)) = self.event(b).rmw else {
                continue;
            };
            if let Some(a) = self.node_of[read as usize] {
                self.stores[a].push(b);
                rmw.insert(a, b);
                match kind {
                    Rmw::Amo => amo.insert(a, b),
                    Rmw::Lxsx => lxsx.insert(a, b),
                }
            }
        }
        for (base, pairs) in [
            (BaseRel::Rmw, rmw),
            (BaseRel::Amo, amo),
            (BaseRel::Lxsx, lxsx),
        ] {
            self.exactly(base, pairs);
        }
    }

    fn exactly(&mut self, base: BaseRel, pairs: BitMatrix) {
        let estimate = Estimate {
            must: pairs.clone(),
            may: pairs,
        };
        self.base.insert(base, Rc::new(estimate));
    }

    fn pairs(&self, related: &dyn Fn(Node, Node) -> bool) -> BitMatrix {
        let mut out = self.none();
        for a in 0..self.len() {
            for b in 0..self.len() {
                if !self.exclusive.contains(a, b) && related(a, b) {
                    out.insert(a, b);
                }
            }
        }
        out
    }

    fn places(&mut self) {
        let event = |n: Node| self.graph.event(self.nodes[n]);
        let meet = |a: Node, b: Node| {
            let cells = &event(b).cells;
            event(a).cells.iter().any(|c| cells.contains(c))
        };
        let group = |n: Node| event(n).group;
        let of_access = |g: u32| self.graph.groups[g as usize] == Group::Access;
        let together = |a: Node, b: Node, access: bool| {
            let group = group(a).filter(|g| of_access(*g) == access);
            group.is_some() && group == event(b).group
        };
        let loc = Estimate {
            may: self.pairs(&meet),
            must: self.pairs(&|a, b| {
                let (x, y) = (event(a), event(b));
                let there = x.cells.len() == 1 || x.addr == y.addr && !x.cells.is_empty();
                there && x.cells == y.cells
            }),
        };
        let int = self.pairs(&|a, b| event(a).thread == event(b).thread);
        let ext = self.pairs(&|a, b| event(a).thread != event(b).thread);
        let groups = self.pairs(&|a, b| together(a, b, false));
        let access = self.pairs(&|a, b| a != b && together(a, b, true));
        self.base.insert(BaseRel::Loc, Rc::new(loc));
        let value = |n: Node| (event(n).kind != EventKind::Fence).then_some(event(n).value);
        let width = |term: TermId| self.graph.terms[term as usize].0;
        let differ = |a: Node, b: Node| match (value(a), value(b)) {
            (Some(x), Some(y)) => x != y && width(x) == width(y),
            _ => false,
        };
        let different = Estimate {
            may: self.pairs(&differ),
            must: self.none(),
        };
        self.base
            .insert(BaseRel::DifferentValues, Rc::new(different));
        self.exactly(BaseRel::Int, int);
        self.exactly(BaseRel::Ext, ext);
        self.exactly(BaseRel::Group, groups);
        self.exactly(BaseRel::SameAccess, access);
    }

    /// Coherence: writes of one place; initial ones first, then those with which objects begin. Where
    /// the model asks for coherence (`acyclic po-loc | rf | co | fr`), program order is part of it.
    fn coherence(&mut self) {
        let (loc, po) = (self.of(BaseRel::Loc), &self.of(BaseRel::Po).must);
        let coherent = is_coherent(self.model);
        let rank = |n: Node| self.event(n).kind.rank();
        let writes = |n: Node| self.event(n).kind.writes();
        let ordered = |a: Node, b: Node| coherent && po.contains(a, b) && loc.must.contains(a, b);
        let may = self.pairs(&|a, b| {
            let first = rank(a) < rank(b) || rank(a) == rank(b) && rank(a) > 0;
            a != b && writes(a) && writes(b) && loc.may.contains(a, b) && first && !ordered(b, a)
        });
        let must = self.pairs(&|a, b| {
            let sure = rank(a) < rank(b) || ordered(a, b);
            may.contains(a, b) && loc.must.contains(a, b) && sure
        });
        self.base
            .insert(BaseRel::Co, Rc::new(Estimate { may, must }));
    }

    /// Candidates of reads. Where the model asks for coherence, none comes after the read in program
    /// order, and none is overwritten between.
    fn read_from(&mut self) {
        let (loc, po) = (self.of(BaseRel::Loc), &self.of(BaseRel::Po).must);
        let co = self.of(BaseRel::Co);
        let coherent = is_coherent(self.model);
        let before = po.inverse();
        let mut rf = self.none();
        let mut fr = self.estimate();
        for r in (0..self.len()).filter(|n| self.event(*n).kind == EventKind::Read) {
            // Writes of its past to its place.
            let mut past = before.set(r);
            past.inter(loc.must.row(r));
            let overwritten = |w: Node| {
                let mut over = past.clone();
                over.inter(co.must.row(w));
                let mut over = over.iter();
                over.any(|o| self.implies(r, o) || self.implies(w, o))
            };
            for w in 0..self.len() {
                let writes = self.event(w).kind.writes() && loc.may.contains(w, r);
                let late = coherent && po.contains(r, w);
                if writes && !late && !(coherent && overwritten(w)) {
                    rf.insert(w, r);
                    let mut later = co.may.set(w);
                    later.inter(loc.may.row(r));
                    fr.may.insert_all(r, &later);
                }
            }
            if coherent {
                let mut sure = fr.may.set(r);
                sure.inter(loc.must.row(r));
                sure.inter(po.row(r));
                fr.must.insert_all(r, &sure);
            }
        }
        let rf = Estimate {
            may: rf,
            must: self.none(),
        };
        self.base.insert(BaseRel::Rf, Rc::new(rf));
        self.base.insert(BaseRel::Fr, Rc::new(fr));
    }

    /// A base set as it looks: the events that may be in it, and those that surely are.
    pub fn base_set(&self, set: &BaseSet) -> (Vec<bool>, Vec<bool>) {
        let all =
            |holds: &dyn Fn(Node) -> bool| -> Vec<bool> { (0..self.len()).map(holds).collect() };
        let kind = |n: Node| self.event(n).kind;
        let sure = |holds: &dyn Fn(Node) -> bool| (all(holds), all(holds));
        match set {
            BaseSet::R => sure(&|n| kind(n) == EventKind::Read),
            BaseSet::W => sure(&|n| kind(n).writes()),
            BaseSet::IW => sure(&|n| kind(n) == EventKind::Init),
            BaseSet::F => sure(&|n| kind(n) == EventKind::Fence),
            BaseSet::FW => (all(&|n| kind(n).writes()), all(&|_| false)),
            BaseSet::Rmw => (
                all(&|n| self.event(n).rmw.is_some() || !self.stores[n].is_empty()),
                all(&|n| match &self.stores[n][..] {
                    [] => self.event(n).rmw.is_some(),
                    // A locked instruction is one even when it stores nothing.
                    stores => stores.iter().any(|w| {
                        let locked = matches!(self.event(*w).rmw, Some((_, Rmw::Amo)));
                        locked || self.implies(n, *w)
                    }),
                }),
            ),
            BaseSet::Tag(tag) => {
                let (own, stores) = (|n| self.has_tag(n, tag), &self.stores);
                let given = |w: &Node| self.gives_tag(*w, tag);
                (
                    all(&|n| own(n) || stores[n].iter().any(given)),
                    all(&|n| own(n) && stores[n].iter().all(given)),
                )
            }
        }
    }

    /// An event has a tag by itself. The read of a read-modify-write has those that its write gives it
    /// instead when that happens.
    pub fn has_tag(&self, n: Node, tag: &str) -> bool {
        self.event(n).tags.iter().any(|t| t == tag)
    }

    /// The read of a read-modify-write has a tag if its write `w` happens.
    pub fn gives_tag(&self, w: Node, tag: &str) -> bool {
        self.event(w).read_tags.iter().any(|t| t == tag)
    }
}
