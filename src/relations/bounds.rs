//! May and must: what can be said of a model's relations on an event graph before solving.
//!
//! A pair is in `may` unless no execution relates the two events, and in `must` when every
//! execution in which both happen does. Everything is *relative*: whether the events happen at all
//! is not asked. What is left to the solver is `may` without `must`.
//!
//! The base relations come from the event graph: program order is the threads' lists, closed over
//! thread creation and joins; read-from and coherence candidates share a cell. Candidates that
//! every execution would refuse by coherence (*uniproc*, the paper's Sec. 3) are dropped, provided
//! the model asks for coherence: a read does not read what is overwritten before it, nor what comes
//! after it in program order.

use super::guards::{Guards, conjuncts_of};
pub use super::node::Node;
use crate::unroll::event::{CellId, Event, EventGraph, EventId, EventKind};
use crate::unroll::term::TermId;
use base::bits::{BitMatrix, BitSet};
use base::idx::{Id, IdVec};
use base::source::Span;
use cat::arch;
use cat::model::{BaseRel, BaseSet, Model, Rel, RelId, Set, SetId};
use cat::pattern::is_coherent;
use cat::uses::{direct_uses, used};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// May and must of one relation.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Pairs some execution relates.
    pub may: BitMatrix,
    /// Pairs every execution relates in which both events happen.
    pub must: BitMatrix,
}

/// What is known of a model's relations on one event graph.
pub struct Analysis<'a> {
    /// The graph.
    pub graph: &'a EventGraph,
    /// The model.
    pub model: &'a Model,
    /// Events that matter: accesses, and fences the model knows.
    pub nodes: IdVec<Node, EventId>,
    /// The node of an event.
    pub node_of: FxHashMap<EventId, Node>,
    /// By relation expression; nothing is known of those that no axiom and no question depends on.
    pub rels: IdVec<RelId, Rc<Bounds>>,
    /// Base relations.
    pub base: BTreeMap<BaseRel, Rc<Bounds>>,
    /// Program order across joins: the ways it may come about, each a conjunction; other pairs of
    /// `po` are unconditional.
    pub po_cond: BTreeMap<(Node, Node), Vec<Vec<TermId>>>,
    /// Conditions of dependencies, by relation.
    pub dep_cond: BTreeMap<(BaseRel, Node, Node), TermId>,
    /// The model asks for coherence.
    pub coherent: bool,
    /// Of each node what it may be.
    cases: IdVec<Node, Vec<Case>>,
    guards: Guards,
    /// By relation: some axiom or question depends on it.
    pub(super) used: IdVec<RelId, bool>,
    used_sets: IdVec<SetId, bool>,
    sets: IdVec<SetId, Members>,
    interrupt: &'a dyn Fn() -> bool,
}

/// Why there are no bounds.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AnalysisError {
    /// The program has a fence, or an access that needs one, which the model does not know.
    #[error(transparent)]
    Fence(#[from] UnknownFence),
    /// `interrupt` answered true.
    #[error("interrupted")]
    Interrupted,
}

/// A fence or an access of the program that the model gives no meaning to.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct UnknownFence {
    /// A sentence that names both.
    pub reason: String,
    /// The fence, or the access that needs it.
    pub span: Span,
}

/// What an event is to a model: in any case, or if the order at its site is a certain one.
#[derive(Clone, Debug)]
pub struct Case {
    /// It is this when this holds, of which exactly one does for an event that happens; `None` where there is one
    /// case alone.
    pub when: Option<TermId>,
    /// Its tags.
    tags: Tags,
    /// The tags that the read of a read-modify-write has if this write of it happens.
    read_tags: Tags,
}

/// Tags of a machine, and those that every model of a language has.
#[derive(Clone, Copy, Debug)]
struct Tags([&'static [&'static str]; 2]);

impl Tags {
    fn contain(self, tag: &str) -> bool {
        self.0.iter().any(|some| some.contains(&tag))
    }
}

/// May and must of a set, by node.
pub type Members = (Vec<bool>, Vec<bool>);

impl Bounds {
    /// Of a relation that is the same in all executions.
    pub(super) fn exact(pairs: BitMatrix) -> Bounds {
        Bounds {
            must: pairs.clone(),
            may: pairs,
        }
    }
}

impl<'a> Analysis<'a> {
    /// Computes the bounds of every relation of the model; `interrupt` is asked now and then whether
    /// to give up, and answers true ever after it has once.
    ///
    /// # Errors
    /// See [`AnalysisError`].
    pub fn new(
        graph: &'a EventGraph,
        model: &'a Model,
        interrupt: &'a dyn Fn() -> bool,
    ) -> Result<Analysis<'a>, AnalysisError> {
        let mut nodes = IdVec::new();
        let mut node_of = FxHashMap::default();
        let mut all_cases = IdVec::new();
        for (id, event) in graph.events.iter_enumerated() {
            let cases = cases(graph, model, event)?;
            let fence = matches!(event.kind, EventKind::Fence(_));
            let mut all = cases.iter().flat_map(|case| case.tags.0).flatten();
            let matters = !fence || all.any(|t| has_effect(model, t));
            if matters && !graph.terms.is_false(event.guard) {
                node_of.insert(id, nodes.push(id));
                all_cases.push(cases);
            }
        }
        let guards = Guards::new(graph, &nodes, interrupt);
        if interrupt() {
            return Err(AnalysisError::Interrupted);
        }
        let (used, used_sets) = used(model);
        let mut analysis = Analysis {
            graph,
            model,
            nodes,
            node_of,
            rels: IdVec::new(),
            base: BTreeMap::new(),
            po_cond: BTreeMap::new(),
            dep_cond: BTreeMap::new(),
            coherent: is_coherent(model),
            cases: all_cases,
            guards,
            used,
            used_sets,
            sets: IdVec::new(),
            interrupt,
        };
        analysis.base_relations();
        analysis.expressions()?;
        if analysis.stopped() {
            return Err(AnalysisError::Interrupted);
        }
        Ok(analysis)
    }

    /// True when the bounds are not wanted any more; loops then end early.
    pub(super) fn stopped(&self) -> bool {
        (self.interrupt)()
    }

    pub(super) fn interrupt(&self) -> &'a dyn Fn() -> bool {
        self.interrupt
    }

    /// The event of a node.
    pub fn event(&self, n: Node) -> &'a Event {
        &self.graph.events[self.nodes[n]]
    }

    /// True when `b` happens whenever `a` does, by the look of their guards.
    pub fn implies(&self, a: Node, b: Node) -> bool {
        self.guards.implied(a).contains(b.index())
    }

    /// True when the node happens in every execution.
    pub fn always(&self, a: Node) -> bool {
        self.guards.conjuncts(a).is_empty()
    }

    /// True when never both nodes happen, by the look of their guards.
    pub fn exclusive(&self, a: Node, b: Node) -> bool {
        self.exclusive_with(a).contains(b.index())
    }

    /// The nodes that never happen beside this one.
    pub(super) fn exclusive_with(&self, a: Node) -> &BitSet {
        self.guards.exclusive(a)
    }

    /// The nodes that happen whenever this one does.
    pub fn implied_by(&self, a: Node) -> &BitSet {
        self.guards.implied(a)
    }

    pub(super) fn cond_is_implied(&self, cond: TermId, a: Node, b: Node) -> bool {
        let (a, b) = (self.guards.conjuncts(a), self.guards.conjuncts(b));
        conjuncts_of(&self.graph.terms, cond)
            .iter()
            .all(|c| a.contains(c) || b.contains(c))
    }

    /// True when two accesses certainly touch the same cell.
    pub fn same_cell(&self, a: Node, b: Node) -> bool {
        let (x, y) = (self.event(a), self.event(b));
        !x.cells.is_empty() && x.addr == y.addr && x.cells == y.cells
    }

    /// True when two accesses may touch the same cell, if both happen.
    pub fn may_alias(&self, a: Node, b: Node) -> bool {
        self.base[&BaseRel::Loc].may.contains(a.index(), b.index())
    }

    pub(super) fn empty(&self) -> BitMatrix {
        BitMatrix::new(self.nodes.len())
    }

    fn expressions(&mut self) -> Result<(), AnalysisError> {
        let model = self.model;
        // Relations and sets refer to each other; both arenas list operands first, but only within
        // themselves, so sets over relations are resolved by turns.
        let nothing = Rc::new(Bounds::exact(BitMatrix::default()));
        let unused = |used: bool| (!used).then(|| nothing.clone());
        let mut rels: IdVec<RelId, Option<Rc<Bounds>>> =
            self.used.iter().map(|u| unused(*u)).collect();
        let unused = |used: bool| (!used).then(|| (Vec::new(), Vec::new()));
        let mut sets: IdVec<SetId, Option<Members>> =
            self.used_sets.iter().map(|u| unused(*u)).collect();
        let needed = model.recs.iter().map(|body| self.used[*body]);
        let needed: Vec<bool> = needed.collect();
        let none = |needed: &bool| {
            if *needed {
                self.both()
            } else {
                (*nothing).clone()
            }
        };
        let mut recs: Vec<Bounds> = needed.iter().map(none).collect();
        let mut uses = None;
        loop {
            let mut progress = true;
            while progress {
                progress = false;
                for id in model.sets.ids() {
                    if sets[id].is_none() {
                        let made = self.set(&model.sets[id], &rels, &sets);
                        sets[id] = made.map(|made| self.set_by_cases(id, made, &sets));
                        progress |= sets[id].is_some();
                    }
                }
                for id in model.rels.ids() {
                    if rels[id].is_none() {
                        if self.stopped() {
                            return Err(AnalysisError::Interrupted);
                        }
                        rels[id] = self.relation(&model.rels[id], &rels, &sets, &recs);
                        progress |= rels[id].is_some();
                    }
                }
            }
            let mut grown = BTreeSet::new();
            for (rec, body) in model.recs.iter_enumerated() {
                if !needed[rec.index()] {
                    continue;
                }
                let body = rels[*body]
                    .as_ref()
                    .expect("expressions are acyclic but for recursion variables");
                let rec = (rec.index(), &mut recs[rec.index()]);
                if !body.may.is_subset(&rec.1.may) || !body.must.is_subset(&rec.1.must) {
                    rec.1.may = rec.1.may.union(&body.may);
                    rec.1.must = rec.1.must.union(&body.must);
                    grown.insert(rec.0);
                }
            }
            if grown.is_empty() {
                break;
            }
            // What was made with smaller values of the variables is made again.
            let uses = uses.get_or_insert_with(|| direct_uses(model));
            let old = |uses: &BTreeSet<usize>| !uses.is_disjoint(&grown);
            for id in model.rels.ids().filter(|id| self.used[*id]) {
                if old(&uses.rels[id]) {
                    rels[id] = None;
                }
            }
            for id in model.sets.ids().filter(|id| self.used_sets[*id]) {
                if old(&uses.sets[id]) {
                    sets[id] = None;
                }
            }
        }
        let done = "the loop above ends with every expression evaluated";
        self.rels = rels.iter().map(|b| b.clone().expect(done)).collect();
        self.sets = sets.iter().map(|s| s.clone().expect(done)).collect();
        Ok(())
    }

    fn relation(
        &self,
        rel: &Rel,
        rels: &IdVec<RelId, Option<Rc<Bounds>>>,
        sets: &IdVec<SetId, Option<Members>>,
        recs: &[Bounds],
    ) -> Option<Rc<Bounds>> {
        let get = |id: &RelId| rels[*id].as_ref();
        Some(Rc::new(match rel {
            Rel::Base(base) => return Some(self.base[base].clone()),
            Rel::Empty => self.both(),
            Rel::Union(a, b) => {
                let (a, b) = (get(a)?, get(b)?);
                Bounds {
                    may: a.may.union(&b.may),
                    must: a.must.union(&b.must),
                }
            }
            Rel::Inter(a, b) => {
                let (a, b) = (get(a)?, get(b)?);
                Bounds {
                    may: a.may.inter(&b.may),
                    must: a.must.inter(&b.must),
                }
            }
            Rel::Diff(a, b) => {
                let (a, b) = (get(a)?, get(b)?);
                Bounds {
                    may: a.may.diff(&b.must),
                    must: a.must.diff(&b.may),
                }
            }
            Rel::Seq(a, b) => {
                let (a, b) = (get(a)?, get(b)?);
                Bounds {
                    may: a.may.seq_until(&b.may, self.interrupt),
                    must: self.seq_must(&a.must, &b.must),
                }
            }
            Rel::Inverse(a) => {
                let a = get(a)?;
                Bounds {
                    may: a.may.inverse_until(self.interrupt),
                    must: a.must.inverse_until(self.interrupt),
                }
            }
            Rel::Plus(a) => {
                let a = get(a)?;
                Bounds {
                    may: a.may.plus_until(self.interrupt),
                    must: self.plus_must(&a.must),
                }
            }
            Rel::Identity(s) => {
                let (may, must) = sets[*s].as_ref()?;
                let mut out = self.both();
                for i in 0..may.len() {
                    if may[i] {
                        out.may.insert(i, i);
                    }
                    if must[i] {
                        out.must.insert(i, i);
                    }
                }
                out
            }
            Rel::Cross(s, t) => {
                let (s, t) = (sets[*s].as_ref()?, sets[*t].as_ref()?);
                let mut out = self.both();
                let (may, must) = (bit_set(&t.0), bit_set(&t.1));
                let left = self.nodes.ids().filter(|a| s.0[a.index()]);
                for a in left.take_while(|_| !self.stopped()) {
                    let mut row = may.clone();
                    row.diff(self.exclusive_with(a).words());
                    out.may.insert_all(a.index(), &row);
                    if s.1[a.index()] {
                        row.inter(must.words());
                        out.must.insert_all(a.index(), &row);
                    }
                }
                out
            }
            Rel::Rec(r) => recs[r.index()].clone(),
        }))
    }

    /// Composition of must relations: the event in the middle has to happen when an end does.
    fn seq_must(&self, a: &BitMatrix, b: &BitMatrix) -> BitMatrix {
        let mut out = self.empty();
        for x in (0..a.len()).take_while(|_| !self.stopped()) {
            for m in a.successors(x) {
                out.insert_all(x, &self.through(x, m, b));
            }
        }
        out
    }

    /// Where a must relation leads from `m`, for what comes from `x`.
    fn through(&self, x: usize, m: usize, relation: &BitMatrix) -> BitSet {
        let (nx, nm) = (Node::from_index(x), Node::from_index(m));
        let mut to = relation.set(m);
        if !self.implies(nx, nm) {
            to.inter(self.guards.implying(nm).words());
        }
        to
    }

    /// The closure of a must relation under [`Analysis::seq_must`] with itself on the right: each
    /// event that is found is followed once.
    fn plus_must(&self, a: &BitMatrix) -> BitMatrix {
        let mut out = a.clone();
        for x in (0..a.len()).take_while(|_| !self.stopped()) {
            let mut found = a.set(x);
            let mut work: Vec<usize> = found.iter().collect();
            while let Some(m) = work.pop() {
                let mut new = self.through(x, m, a);
                new.diff(found.words());
                work.extend(new.iter());
                found.union(new.words());
            }
            out.insert_all(x, &found);
        }
        out
    }

    fn set(
        &self,
        set: &Set,
        rels: &IdVec<RelId, Option<Rc<Bounds>>>,
        sets: &IdVec<SetId, Option<Members>>,
    ) -> Option<Members> {
        let zip = |a: &[bool], b: &[bool], f: fn(bool, bool) -> bool| -> Vec<bool> {
            a.iter().zip(b).map(|(x, y)| f(*x, *y)).collect()
        };
        Some(match set {
            Set::Base(base) => {
                let may: Vec<bool> = self
                    .nodes
                    .ids()
                    .map(|n| self.in_base_set(base, n))
                    .collect();
                let must = match base {
                    BaseSet::FW => vec![false; may.len()],
                    BaseSet::Tag(tag) => {
                        let has = |n: Node| self.cases(n).iter().all(|case| case.has_tag(tag));
                        let gives = |w: Node| self.cases(w).iter().all(|case| case.gives_tag(tag));
                        let sure = |n: Node| has(n) && self.stores(n).all(gives);
                        self.nodes.ids().map(sure).collect()
                    }
                    BaseSet::Rmw => {
                        let sure = |n: Node| may[n.index()] && self.surely_rmw(n);
                        self.nodes.ids().map(sure).collect()
                    }
                    _ => may.clone(),
                };
                (may, must)
            }
            Set::All => (vec![true; self.nodes.len()], vec![true; self.nodes.len()]),
            Set::Empty => (vec![false; self.nodes.len()], vec![false; self.nodes.len()]),
            Set::Union(a, b) => {
                let (a, b) = (sets[*a].as_ref()?, sets[*b].as_ref()?);
                (
                    zip(&a.0, &b.0, |x, y| x || y),
                    zip(&a.1, &b.1, |x, y| x || y),
                )
            }
            Set::Inter(a, b) => {
                let (a, b) = (sets[*a].as_ref()?, sets[*b].as_ref()?);
                (
                    zip(&a.0, &b.0, |x, y| x && y),
                    zip(&a.1, &b.1, |x, y| x && y),
                )
            }
            Set::Diff(a, b) => {
                let (a, b) = (sets[*a].as_ref()?, sets[*b].as_ref()?);
                (
                    zip(&a.0, &b.1, |x, y| x && !y),
                    zip(&a.1, &b.0, |x, y| x && !y),
                )
            }
            Set::Domain(r) => self.ends(rels[*r].as_ref()?, false),
            Set::Range(r) => self.ends(rels[*r].as_ref()?, true),
        })
    }

    /// The bounds of a set made of tags, for what has one of several: the read of a read-modify-write has its own
    /// tags or those that one of its writes gives it, and an event of a site whose order is open those of
    /// one order. So what holds in each case holds.
    fn set_by_cases(
        &self,
        set: SetId,
        (mut may, mut must): Members,
        sets: &IdVec<SetId, Option<Members>>,
    ) -> Members {
        if !matches!(
            self.model.sets[set],
            Set::Union(..) | Set::Inter(..) | Set::Diff(..)
        ) {
            return (may, must);
        }
        for n in self.nodes.ids() {
            if !may[n.index()] || must[n.index()] {
                continue;
            }
            let stores: Vec<Node> = self.stores(n).collect();
            let alone = (!stores.iter().any(|w| self.implies(n, *w))).then_some(n);
            let own = alone.iter().flat_map(|n| self.cases(*n));
            let own = own.map(|case| case.tags);
            let given = stores.iter().flat_map(|w| self.cases(*w));
            let given = given.map(|case| case.read_tags);
            let cases: Vec<(bool, bool)> = own
                .chain(given)
                .map(|tags| self.member(set, (n, tags), sets))
                .collect();
            may[n.index()] = cases.iter().any(|(may, _)| *may);
            must[n.index()] = cases.iter().all(|(_, must)| *must);
        }
        (may, must)
    }

    /// Whether a node may, and must, be in a set, where it has these tags.
    fn member(
        &self,
        set: SetId,
        (n, tags): (Node, Tags),
        sets: &IdVec<SetId, Option<Members>>,
    ) -> (bool, bool) {
        let of = |part: &SetId| self.member(*part, (n, tags), sets);
        match &self.model.sets[set] {
            Set::Base(BaseSet::Tag(tag)) => {
                let has = tags.contain(tag);
                (has, has)
            }
            Set::Union(a, b) => {
                let (a, b) = (of(a), of(b));
                (a.0 || b.0, a.1 || b.1)
            }
            Set::Inter(a, b) => {
                let (a, b) = (of(a), of(b));
                (a.0 && b.0, a.1 && b.1)
            }
            Set::Diff(a, b) => {
                let (a, b) = (of(a), of(b));
                (a.0 && !b.1, a.1 && !b.0)
            }
            _ => {
                let known = sets[set].as_ref();
                let (may, must) = known.expect("parts come before what is made of them");
                (may[n.index()], must[n.index()])
            }
        }
    }

    fn ends(&self, r: &Bounds, range: bool) -> Members {
        let n = self.nodes.len();
        let (mut may, mut must) = (vec![false; n], vec![false; n]);
        for (a, b) in r.may.pairs() {
            may[if range { b } else { a }] = true;
        }
        for (a, b) in r.must.pairs() {
            let (this, other) = if range { (b, a) } else { (a, b) };
            must[this] |= self.implies(Node::from_index(this), Node::from_index(other));
        }
        (may, must)
    }

    /// By cell: what may write it, initial writes left out.
    pub fn writes_by_cell(&self) -> IdVec<CellId, Vec<Node>> {
        let cells = self.graph.cells.iter();
        let mut writes: IdVec<CellId, Vec<Node>> = cells.map(|_| Vec::new()).collect();
        for n in self.nodes.ids() {
            let event = self.event(n);
            if event.kind.writes() && event.kind != EventKind::Init {
                event.cells.iter().for_each(|c| writes[*c].push(n));
            }
        }
        writes
    }

    /// The writes of the read-modify-write that a read belongs to, of which at most one happens;
    /// several only when the read is a linked load.
    pub fn stores(&self, read: Node) -> impl Iterator<Item = Node> {
        let writes = self.base[&BaseRel::Rmw].may.successors(read.index());
        writes.map(Node::from_index)
    }

    /// True when a read-modify-write surely counts as one: a locked instruction does even when it
    /// stores nothing, a load-linked that no store follows is an ordinary load.
    fn surely_rmw(&self, n: Node) -> bool {
        let arch = self.model.arch;
        let sure =
            |w: Node| arch::rmw_of(arch, self.event(w).order) == BaseRel::Amo || self.implies(n, w);
        self.stores(n).next().is_none() || self.stores(n).any(sure)
    }

    /// True when a node belongs to a base set. Final writes are every write here: which one is last
    /// depends on the execution.
    fn in_base_set(&self, set: &BaseSet, n: Node) -> bool {
        let event = self.event(n);
        match set {
            BaseSet::R => event.kind == EventKind::Read,
            BaseSet::W | BaseSet::FW => self.is_write(n),
            BaseSet::IW => event.kind == EventKind::Init,
            BaseSet::F => matches!(event.kind, EventKind::Fence(_)),
            BaseSet::Rmw => event.rmw_read.is_some() || self.stores(n).next().is_some(),
            BaseSet::Tag(tag) => {
                let has = self.cases(n).iter().any(|case| case.has_tag(tag));
                let gives = |w: Node| self.cases(w).iter().any(|case| case.gives_tag(tag));
                has || self.stores(n).any(gives)
            }
        }
    }

    /// What a node may be.
    pub fn cases(&self, n: Node) -> &[Case] {
        &self.cases[n]
    }

    /// May and must of a set expression.
    pub fn set_bounds(&self, set: SetId) -> &Members {
        &self.sets[set]
    }
}

impl Case {
    /// Whether the event has a tag by itself. The read of a read-modify-write has the tags of its
    /// write instead when that happens: they differ for a compare-exchange, whose read has another
    /// order when it fails.
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.contain(tag)
    }

    /// Whether the read of a read-modify-write has a tag if its write, which this is a case of, happens.
    pub fn gives_tag(&self, tag: &str) -> bool {
        self.read_tags.contain(tag)
    }
}

fn cases(graph: &EventGraph, model: &Model, event: &Event) -> Result<Vec<Case>, UnknownFence> {
    let case = |when: Option<TermId>, event: &Event| {
        let said = read_order(graph, event);
        Ok(Case {
            when,
            tags: Tags([event_tags(model, event)?, language_tags(event)]),
            read_tags: Tags([read_tags(model, said), language_tags(said)]),
        })
    };
    if event.alternatives.is_empty() {
        return Ok(vec![case(None, event)?]);
    }
    let all = event.alternatives.iter();
    all.map(|chosen| case(Some(chosen.when), &event.chosen(chosen)))
        .collect()
}

/// [`arch::language_tags`] of an event.
pub fn language_tags(event: &Event) -> &'static [&'static str] {
    match event.kind {
        EventKind::Fence(tag) => arch::language_tags(Some(tag), event.order),
        EventKind::Lifetime(life) => arch::life_tags(life),
        _ => arch::language_tags(None, event.order),
    }
}

/// The tags of an event under a model: of fences those of the machine, of accesses their order.
///
/// # Errors
/// The model gives the fence or the access no meaning.
pub fn event_tags(model: &Model, event: &Event) -> Result<&'static [&'static str], UnknownFence> {
    match event.kind {
        EventKind::Fence(tag) => arch::tags(model, tag).map_err(|reason| UnknownFence {
            reason,
            span: event.span,
        }),
        _ => match arch::knows_order(model, event.order) {
            Ok(()) => Ok(arch::access_tags(model, event.order, event.kind.writes())),
            Err(reason) => Err(UnknownFence {
                reason,
                span: event.span,
            }),
        },
    }
}

/// The event whose order the read of a read-modify-write has if this write of it happens: the write, but
/// for a conditional store, whose linked load has its own.
pub fn read_order<'g>(graph: &'g EventGraph, write: &'g Event) -> &'g Event {
    match write.rmw_read {
        Some(read) if write.conditional => &graph.events[read],
        _ => write,
    }
}

/// The tags that the read of a read-modify-write has with the order of [`read_order`].
pub fn read_tags(model: &Model, write: &Event) -> &'static [&'static str] {
    arch::access_tags(model, write.order, false)
}

fn bit_set(members: &[bool]) -> BitSet {
    let mut out = BitSet::new(members.len());
    let all = members.iter().enumerate().filter(|(_, member)| **member);
    all.for_each(|(i, _)| out.insert(i));
    out
}

/// True when some axiom depends on a tag; a model may also mention one without effect.
fn has_effect(model: &Model, tag: &str) -> bool {
    let is_tag = |s: &Set| matches!(s, Set::Base(BaseSet::Tag(t)) if t == tag);
    model.sets.iter().any(is_tag)
}
