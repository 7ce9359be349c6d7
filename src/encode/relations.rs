//! Literals for the pairs of a model's relations, made on demand.
//!
//! `pair(rel, a, b)` says "rel relates a and b", *given that both happen*. What [`Analysis`]
//! decides is a constant; everything else is a gate over read-from, coherence, addresses and
//! dependencies, so only pairs that an axiom can use in a cycle cost anything.
//!
//! - **Read-from** (Alg. 1): see [`super::read_from`].
//! - **Coherence** (Alg. 2): one literal an unordered pair of writes.
//! - **From-read** (Alg. 3): implied by its definition; for tied reads the negation of "before".
//! - **Recursion and closure** (`let rec`, `+`): a literal that is implied by each way to derive
//!   the pair. Used positively, as axioms do, the solver may choose the least such literals, which
//!   is the least fixpoint. Negative uses must be decided statically and are refused otherwise.
//! - **Sequences** (`;`) and from-read that only axioms use, and those positively, have such literals,
//!   too: one clause a way, where a gate would need a variable and some clauses more for each.
//! - **Questions** are not axioms: the literal of a pair is asked to be true. There it is the other
//!   way round. A recursive relation that is subtracted has literals that are true of all its pairs
//!   and maybe of others; the solver, who wants the difference, may choose the least ones. So what
//!   it finds is one, and it finds what there is. A closure in what is asked itself has exact
//!   literals, see [`queried_closures`]; recursive relations are used there in what is subtracted alone.

use super::bits::Blaster;
use super::circuit::equal;
use super::detours::{detours_from, step_of};
use super::order::Backend;
use super::purpose;
use super::reductions::{Reductions, SectionOrder};
use crate::relations::bounds::{Analysis, Case, Node};
use crate::relations::critical::Sections;
use crate::relations::lockset::Locksets;
use crate::unroll::range::Range;
use crate::unroll::term::TermId;
use crate::unroll::value_sets::ValueSets;
use base::idx::{Id, IdVec};
use cat::model::{BaseRel, BaseSet, Model, Rel, RelId, Set, SetId};
use cat::pattern::is_atomic;
use cat::uses::exact_uses;
use rustc_hash::FxHashMap;
use smt::sat::cnf::{Cnf, Lit};
use std::collections::{BTreeMap, BTreeSet};

/// A read whose source is decided by an order.
#[derive(Clone, Debug)]
pub struct SourceByOrder {
    /// The axiom whose order decides.
    pub axiom: usize,
    /// Candidates in coherence order, each with "it is before the read".
    pub chain: Vec<(Node, Lit)>,
}

/// Why there is no formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EncodeError {
    /// A negative use of a relation that is recursive and not known statically.
    #[error("a relation that is recursive and depends on the execution is subtracted")]
    NotStatic(RelId),
    /// `interrupt` answered true.
    #[error("interrupted")]
    Interrupted,
}

/// The state of encoding.
pub struct Encoder<'a> {
    /// What is known statically.
    pub analysis: &'a Analysis<'a>,
    /// The formula.
    pub cnf: Cnf,
    /// Values.
    pub blaster: Blaster,
    /// Which order backend axioms use.
    pub backend: Backend,
    /// What reads may return, where that is known.
    pub values: Option<ValueSets<'a>>,
    /// Which addresses an access may have when it happens, where that is known.
    pub places: FxHashMap<Node, Range>,
    /// Read-from literals, by write and read.
    pub rf: BTreeMap<(Node, Node), Lit>,
    /// Tied reads.
    pub sources_by_order: BTreeMap<Node, SourceByOrder>,
    /// Coherence literals: the first, with the smaller number, before the second.
    pub co: BTreeMap<(Node, Node), Lit>,
    /// Critical sections and counters.
    pub section_order: SectionOrder,
    /// The locks that threads have.
    pub locksets: Locksets,
    /// Which reductions to use.
    pub reductions: Reductions,
    /// The model asks for atomicity of read-modify-writes: `empty rmw & (fre;coe)`.
    pub atomic: bool,
    /// Why the formula is of no use.
    pub error: Option<EncodeError>,
    /// What is encoded is a question, see the head of this file.
    pub asking: bool,
    /// Whether to give up; answers true ever after it has once.
    pub interrupt: &'a dyn Fn() -> bool,
    /// How often it could have been asked.
    polls: u32,
    pairs: FxHashMap<(RelId, Node, Node), Lit>,
    /// By relations `x`, `z` and an event: see [`detours_from`].
    detours: FxHashMap<(RelId, RelId, Node), Vec<bool>>,
    /// From-read literals made so far, by read and write.
    pub fr: FxHashMap<(Node, Node), Lit>,
    todo: Vec<(RelId, Node, Node, Lit)>,
    /// By relation: its literals have to be false where it does not hold.
    exact: IdVec<RelId, bool>,
    /// Those of from-read have to be so, too.
    exact_from_read: bool,
    /// Closures whose literals have to be false where there is no path.
    queried_closures: IdVec<RelId, bool>,
    /// Of each read the writes that it may read from.
    pub sources: IdVec<Node, Vec<Node>>,
}

/// A way from one event to another: the step to an event in the middle, that this happens, and the
/// step from there.
type Way = [Lit; 3];

impl<'a> Encoder<'a> {
    /// Nothing encoded yet; what is known of values is noted.
    pub fn new(
        analysis: &'a Analysis<'a>,
        backend: Backend,
        reductions: Reductions,
        interrupt: &'a dyn Fn() -> bool,
    ) -> Self {
        let sections = match reductions.sections {
            true => Sections::find(analysis),
            false => Sections::default(),
        };
        let mut sources: IdVec<Node, Vec<Node>> =
            analysis.nodes.ids().map(|_| Vec::new()).collect();
        for (w, r) in analysis.base[&BaseRel::Rf].may.pairs() {
            sources[Node::from_index(r)].push(Node::from_index(w));
        }
        let exact = exact_uses(analysis.model);
        let mut uses = analysis.model.rels.iter_enumerated();
        let exact_from_read = uses.any(|(id, r)| *r == Rel::Base(BaseRel::Fr) && exact[id]);
        let mut encoder = Encoder {
            analysis,
            cnf: Cnf::new(),
            blaster: Blaster::default(),
            backend,
            values: None,
            places: FxHashMap::default(),
            rf: BTreeMap::new(),
            sources_by_order: BTreeMap::new(),
            co: BTreeMap::new(),
            locksets: Locksets::find(analysis, &sections),
            section_order: SectionOrder::new(sections),
            reductions,
            atomic: is_atomic(analysis.model),
            error: None,
            asking: false,
            interrupt,
            polls: 0,
            pairs: FxHashMap::default(),
            detours: FxHashMap::default(),
            fr: FxHashMap::default(),
            todo: Vec::new(),
            exact,
            exact_from_read,
            queried_closures: queried_closures(analysis.model),
            sources,
        };
        encoder.read_values();
        encoder
    }

    /// A truth value of the event graph.
    pub fn lit(&mut self, term: TermId) -> Lit {
        self.blaster
            .lit(&mut self.cnf, &self.analysis.graph.terms, term)
    }

    /// The event happens.
    pub fn exec(&mut self, n: Node) -> Lit {
        let guard = self.analysis.event(n).guard;
        self.lit(guard)
    }

    /// Both accesses have the same address.
    pub fn same_address(&mut self, a: Node, b: Node) -> Lit {
        if self.analysis.same_cell(a, b) {
            return Lit::TRUE;
        }
        let apart = match (self.places.get(&a), self.places.get(&b)) {
            (Some(x), Some(y)) => x.meet(y).is_none(),
            _ => false,
        };
        if apart || !self.analysis.may_alias(a, b) {
            return Lit::FALSE;
        }
        let before = self.cnf.turn_to(purpose::ADDRESSES);
        let terms = &self.analysis.graph.terms;
        let (x, y) = (self.analysis.event(a).addr, self.analysis.event(b).addr);
        let x = self.blaster.bits(&mut self.cnf, terms, x);
        let y = self.blaster.bits(&mut self.cnf, terms, y);
        let same = equal(&mut self.cnf, &x, &y);
        self.cnf.turn_to(before);
        same
    }

    /// The relation holds between two events, given that both happen.
    pub fn pair(&mut self, rel: RelId, a: Node, b: Node) -> Lit {
        let bounds = &self.analysis.rels[rel];
        if bounds.must.contains(a.index(), b.index()) {
            return Lit::TRUE;
        }
        if !bounds.may.contains(a.index(), b.index()) {
            return Lit::FALSE;
        }
        if self.stopped() {
            return Lit::FALSE;
        }
        if let Some(lit) = self.pairs.get(&(rel, a, b)) {
            return *lit;
        }
        let lit = match self.analysis.model.rels[rel] {
            Rel::Base(base) => self.base(base, a, b),
            Rel::Empty => Lit::FALSE,
            Rel::Union(x, y) => {
                let (x, y) = (self.pair(x, a, b), self.pair(y, a, b));
                self.cnf.or(x, y)
            }
            Rel::Inter(x, y) => {
                let (x, y) = (self.pair(x, a, b), self.pair(y, a, b));
                self.cnf.and(x, y)
            }
            Rel::Diff(x, y) => {
                let x = self.pair(x, a, b);
                self.negative(y);
                let y = self.pair(y, a, b);
                self.cnf.and(x, !y)
            }
            Rel::Seq(x, y) => {
                let ways = self.through(x, y, a, b);
                if self.exact[rel] {
                    let ways: Vec<Lit> = ways.iter().map(|way| self.cnf.all(way)).collect();
                    self.cnf.any(&ways)
                } else {
                    self.implied(&ways)
                }
            }
            Rel::Inverse(x) => self.pair(x, b, a),
            Rel::Identity(s) => self.member(s, a),
            Rel::Cross(s, t) => {
                let (s, t) = (self.member(s, a), self.member(t, b));
                self.cnf.and(s, t)
            }
            Rel::Plus(x) if self.queried_closures[rel] => self.closure(x, a, b),
            Rel::Plus(_) | Rel::Rec(_) => {
                let lit = self.cnf.fresh();
                self.todo.push((rel, a, b, lit));
                lit
            }
        };
        self.pairs.insert((rel, a, b), lit);
        lit
    }

    /// Asks now and then whether to give up; what is made after that is of no use.
    pub fn stopped(&mut self) -> bool {
        self.polls = self.polls.wrapping_add(1);
        if self.polls.is_multiple_of(256) && (self.interrupt)() {
            self.error = Some(EncodeError::Interrupted);
        }
        self.error == Some(EncodeError::Interrupted)
    }

    /// A literal that is true when all of one of some ways are, and maybe otherwise.
    fn implied(&mut self, ways: &[Way]) -> Lit {
        let holds = |way: &Way| way.iter().all(|l| *l == Lit::TRUE);
        let mut open = ways.iter().filter(|way| !way.contains(&Lit::FALSE));
        match (open.next(), open.next()) {
            (None, _) => return Lit::FALSE,
            (Some(way), None) => return self.cnf.all(way),
            _ if ways.iter().any(holds) => return Lit::TRUE,
            _ => {}
        }
        let lit = self.cnf.fresh();
        for way in ways {
            self.cnf.implies(way, lit);
        }
        lit
    }

    /// The ways through an event in the middle.
    fn through(&mut self, x: RelId, y: RelId, a: Node, b: Node) -> Vec<Way> {
        let (first, second) = (&self.analysis.rels[x].may, &self.analysis.rels[y].may);
        let mut middles: Vec<usize> = first
            .successors(a.index())
            .filter(|m| second.contains(*m, b.index()))
            .collect();
        if let Some(z) = step_of(self.analysis.model, y) {
            let detours = self.detours.entry((x, z, a));
            let detours = detours.or_insert_with(|| detours_from(self.analysis, x, z, a));
            middles.retain(|m| !detours[*m]);
        }
        let mut parts = Vec::with_capacity(middles.len());
        for m in middles {
            let m = Node::from_index(m);
            let left = self.pair(x, a, m);
            let right = self.pair(y, m, b);
            let happens = if self.analysis.implies(a, m) || self.analysis.implies(b, m) {
                Lit::TRUE
            } else {
                self.exec(m)
            };
            parts.push([left, happens, right]);
        }
        parts
    }

    /// Whether steps lead from one event to another: which events they lead to in one, two, … steps. There are
    /// no more in a path than events, and mostly far fewer.
    fn closure(&mut self, step: RelId, a: Node, b: Node) -> Lit {
        let may = &self.analysis.rels[step].may;
        let mut found = Vec::new();
        let mut reached = BTreeMap::from([(a, Lit::TRUE)]);
        for _ in self.analysis.nodes.ids() {
            let mut next: BTreeMap<Node, Vec<Lit>> = BTreeMap::new();
            for (from, path) in reached {
                for to in may.successors(from.index()).map(Node::from_index) {
                    if self.stopped() {
                        return Lit::FALSE;
                    }
                    let taken = self.pair(step, from, to);
                    let happens = self.exec(to);
                    next.entry(to)
                        .or_default()
                        .push(self.cnf.all(&[path, taken, happens]));
                }
            }
            found.extend(next.remove(&b).into_iter().flatten());
            // A path that comes back to where it began is no shorter one.
            next.remove(&a);
            let ways = next.into_iter().map(|(to, ways)| (to, self.cnf.any(&ways)));
            reached = ways.filter(|(_, lit)| *lit != Lit::FALSE).collect();
            if reached.is_empty() {
                break;
            }
        }
        self.cnf.any(&found)
    }

    /// Defines the literals of recursion that [`pair`](Self::pair) has handed out.
    pub fn finish_recursion(&mut self) {
        while let Some((rel, a, b, lit)) = self.todo.pop() {
            if self.stopped() {
                return;
            }
            match self.analysis.model.rels[rel] {
                Rel::Rec(r) => {
                    let body = self.analysis.model.recs[r];
                    let body = self.pair(body, a, b);
                    self.cnf.clause(&[!body, lit]);
                }
                Rel::Plus(x) => {
                    let once = self.pair(x, a, b);
                    self.cnf.clause(&[!once, lit]);
                    for way in self.through(x, rel, a, b) {
                        self.cnf.implies(&way, lit);
                    }
                }
                _ => {}
            }
        }
    }

    /// Notes a negative use of a relation whose literals may be too often true.
    pub(super) fn negative(&mut self, rel: RelId) {
        if self.asking || self.is_exact(rel, &mut BTreeSet::new()) {
            return;
        }
        let bounds = &self.analysis.rels[rel];
        if bounds.may != bounds.must {
            self.error.get_or_insert(EncodeError::NotStatic(rel));
        }
    }

    fn is_exact(&self, rel: RelId, seen: &mut BTreeSet<RelId>) -> bool {
        if !seen.insert(rel) {
            return true;
        }
        match self.analysis.model.rels[rel] {
            Rel::Base(_) | Rel::Empty | Rel::Identity(_) | Rel::Cross(..) => true,
            Rel::Union(a, b) | Rel::Inter(a, b) | Rel::Diff(a, b) | Rel::Seq(a, b) => {
                self.is_exact(a, seen) && self.is_exact(b, seen)
            }
            Rel::Inverse(a) => self.is_exact(a, seen),
            Rel::Plus(_) | Rel::Rec(_) => false,
        }
    }

    pub(super) fn base(&mut self, base: BaseRel, a: Node, b: Node) -> Lit {
        match base {
            BaseRel::Rf => self.rf.get(&(a, b)).copied().unwrap_or(Lit::FALSE),
            BaseRel::Co => self.coherence(a, b),
            BaseRel::Fr => {
                let before = self.cnf.turn_to(purpose::FROM_READ);
                let lit = self.reads_before(a, b);
                self.cnf.turn_to(before);
                lit
            }
            BaseRel::Loc => self.same_address(a, b),
            BaseRel::DifferentValues => {
                let terms = &self.analysis.graph.terms;
                let (x, y) = (self.analysis.event(a).value, self.analysis.event(b).value);
                let x = self.blaster.bits(&mut self.cnf, terms, x);
                let y = self.blaster.bits(&mut self.cnf, terms, y);
                !equal(&mut self.cnf, &x, &y)
            }
            BaseRel::Po => match self.analysis.po_cond.get(&(a, b)).cloned() {
                Some(ways) => {
                    let mut lits = Vec::new();
                    for way in ways {
                        let way: Vec<Lit> = way.iter().map(|c| self.lit(*c)).collect();
                        lits.push(self.cnf.all(&way));
                    }
                    self.cnf.any(&lits)
                }
                None => Lit::TRUE,
            },
            BaseRel::Addr | BaseRel::Data | BaseRel::Ctrl => {
                match self.analysis.dep_cond.get(&(base, a, b)) {
                    Some(cond) => self.lit(*cond),
                    None => Lit::TRUE,
                }
            }
            BaseRel::Rmw
            | BaseRel::Amo
            | BaseRel::Lxsx
            | BaseRel::Int
            | BaseRel::Ext
            | BaseRel::Group
            | BaseRel::SameAccess => Lit::TRUE,
        }
    }

    /// Coherence (Alg. 2): one literal for both directions.
    pub fn coherence(&mut self, a: Node, b: Node) -> Lit {
        let co = &self.analysis.base[&BaseRel::Co];
        if co.must.contains(a.index(), b.index()) {
            return Lit::TRUE;
        }
        if !co.may.contains(a.index(), b.index()) {
            return Lit::FALSE;
        }
        let same = self.same_address(a, b);
        if !co.may.contains(b.index(), a.index()) {
            return same;
        }
        let key = (a.min(b), a.max(b));
        if let Some((x, y)) = self.acquisitions(a, b) {
            let lit = self.coherence(x, y);
            if self.section_order.shared.insert(key) {
                self.section_order.reduced.orders += 1;
                self.co.insert(key, if a < b { lit } else { !lit });
            }
            return lit;
        }
        let lit = match self.co.get(&key) {
            Some(lit) => *lit,
            None => {
                let lit = self.cnf.fresh();
                self.co.insert(key, lit);
                lit
            }
        };
        let order = if a < b { lit } else { !lit };
        let before = self.cnf.turn_to(purpose::COHERENCE);
        let lit = self.cnf.and(order, same);
        self.cnf.turn_to(before);
        lit
    }

    /// From-read (Alg. 3).
    fn reads_before(&mut self, r: Node, w: Node) -> Lit {
        if let Some(lit) = self.fr.get(&(r, w)) {
            return *lit;
        }
        let tied = self
            .sources_by_order
            .get(&r)
            .and_then(|t| t.chain.iter().find(|(v, _)| *v == w))
            .map(|(_, b)| !*b);
        let decided = self.section_order.before.get(&(r, w)).map(|b| !*b);
        let lit = match tied.or(decided) {
            Some(lit) => lit,
            None => {
                let mut ways = Vec::new();
                for v in self.sources[r].clone() {
                    if v == w {
                        continue;
                    }
                    let order = self.coherence(v, w);
                    let rf = self.rf.get(&(v, r)).copied().unwrap_or(Lit::FALSE);
                    ways.push([rf, Lit::TRUE, order]);
                }
                match self.exact_from_read {
                    true => {
                        let ways: Vec<Lit> = ways.iter().map(|way| self.cnf.all(way)).collect();
                        self.cnf.any(&ways)
                    }
                    false => self.implied(&ways),
                }
            }
        };
        self.fr.insert((r, w), lit);
        lit
    }

    pub(super) fn member(&mut self, set: SetId, n: Node) -> Lit {
        let (may, must) = self.analysis.set_bounds(set);
        if must[n.index()] {
            return Lit::TRUE;
        }
        if !may[n.index()] {
            return Lit::FALSE;
        }
        match self.analysis.model.sets[set].clone() {
            Set::Union(a, b) => {
                let (a, b) = (self.member(a, n), self.member(b, n));
                self.cnf.or(a, b)
            }
            Set::Inter(a, b) => {
                let (a, b) = (self.member(a, n), self.member(b, n));
                self.cnf.and(a, b)
            }
            Set::Diff(a, b) => {
                let (a, b) = (self.member(a, n), self.member(b, n));
                self.cnf.and(a, !b)
            }
            Set::Domain(r) => self.end_of(r, n, false),
            Set::Range(r) => self.end_of(r, n, true),
            Set::Base(BaseSet::FW) => {
                let mut last = Vec::new();
                for w in self.analysis.nodes.ids() {
                    if w != n
                        && self.analysis.base[&BaseRel::Co]
                            .may
                            .contains(n.index(), w.index())
                    {
                        let order = self.coherence(n, w);
                        let happens = self.exec(w);
                        last.push(!self.cnf.and(order, happens));
                    }
                }
                self.cnf.all(&last)
            }
            Set::Base(BaseSet::Rmw) => {
                let writes: Vec<Node> = self.analysis.stores(n).collect();
                let happens: Vec<Lit> = writes.iter().map(|w| self.exec(*w)).collect();
                if happens.is_empty() {
                    Lit::TRUE
                } else {
                    self.cnf.any(&happens)
                }
            }
            Set::Base(BaseSet::Tag(tag)) => self.tagged(n, &tag),
            Set::Base(_) | Set::All | Set::Empty => Lit::TRUE,
        }
    }

    /// A node has a tag. The read of a compare-exchange has the tags of its write if that happens.
    fn tagged(&mut self, n: Node, tag: &str) -> Lit {
        let analysis = self.analysis;
        let own = self.in_cases(n, |case| case.has_tag(tag));
        let stores: Vec<Node> = analysis.stores(n).collect();
        let mut lit = own;
        for w in stores {
            let given = self.in_cases(w, |case| case.gives_tag(tag));
            if given != own {
                let happens = self.exec(w);
                lit = self.cnf.ite(happens, given, lit);
            }
        }
        lit
    }

    /// What a node is meets a condition.
    fn in_cases(&mut self, n: Node, meets: impl Fn(&Case) -> bool) -> Lit {
        let mut ways = Vec::new();
        for case in self.analysis.cases(n) {
            if meets(case) {
                ways.push(case.when.map_or(Lit::TRUE, |when| self.lit(when)));
            }
        }
        self.cnf.any(&ways)
    }

    fn end_of(&mut self, rel: RelId, n: Node, range: bool) -> Lit {
        self.negative(rel);
        let may = &self.analysis.rels[rel].may;
        let others: Vec<usize> = (0..self.analysis.nodes.len())
            .filter(|m| {
                if range {
                    may.contains(*m, n.index())
                } else {
                    may.contains(n.index(), *m)
                }
            })
            .collect();
        let mut ways = Vec::new();
        for m in others {
            let m = Node::from_index(m);
            let related = if range {
                self.pair(rel, m, n)
            } else {
                self.pair(rel, n, m)
            };
            let happens = self.exec(m);
            ways.push(self.cnf.and(related, happens));
        }
        self.cnf.any(&ways)
    }
}

/// The closures that a question asks for, other than in what it subtracts.
fn queried_closures(model: &Model) -> IdVec<RelId, bool> {
    let mut queried: IdVec<RelId, bool> = model.rels.ids().map(|_| false).collect();
    let mut work: Vec<RelId> = model.queries().collect();
    let mut sets: Vec<SetId> = Vec::new();
    let mut seen: BTreeSet<RelId> = BTreeSet::new();
    loop {
        while let Some(set) = sets.pop() {
            match model.sets[set] {
                Set::Union(s, t) | Set::Inter(s, t) => sets.extend([s, t]),
                Set::Diff(s, _) => sets.push(s),
                Set::Domain(rel) | Set::Range(rel) => work.push(rel),
                Set::Base(_) | Set::All | Set::Empty => {}
            }
        }
        let Some(rel) = work.pop() else {
            return queried;
        };
        if !seen.insert(rel) {
            continue;
        }
        match model.rels[rel] {
            Rel::Union(x, y) | Rel::Inter(x, y) | Rel::Seq(x, y) => work.extend([x, y]),
            Rel::Diff(x, _) | Rel::Inverse(x) => work.push(x),
            Rel::Plus(x) => {
                queried[rel] = true;
                work.push(x);
            }
            Rel::Identity(s) => sets.push(s),
            Rel::Cross(s, t) => sets.extend([s, t]),
            Rel::Rec(v) => work.push(model.recs[v]),
            Rel::Base(_) | Rel::Empty => {}
        }
    }
}
