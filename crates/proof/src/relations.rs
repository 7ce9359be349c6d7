//! Literals of what an execution is, and of what it relates.
//!
//! The literal of a pair says "the relation has it", *given that both events happen*; what
//! [`Estimates`] decide is a constant. Relations are defined by gates, as the model's text defines
//! them. For sequences, closures, recursive relations and from-read each way to derive a pair implies its
//! literal: of the values that satisfy these clauses the least ones are what the text means.

use super::counters::{self, Counter};
use super::estimates::Estimates;
use super::facts::{Facts, Node};
use super::gates::{FALSE, Gates, Lit, Rule, TRUE};
use super::graph::{EventKind, TermId};
use super::sections::Sections;
use super::values::Values;
use super::words::{self, Words};
use base::bits::BitSet;
use base::idx::IdVec;
use cat::model::{BaseRel, BaseSet, Model, Rel, RelId, Set, SetId};
use cat::pattern::union_parts;
use cat::uses::exact_uses;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The formula as far as it is made.
pub struct Relations<'a> {
    /// What is plain.
    pub facts: &'a Facts<'a>,
    /// What relations may and must have.
    pub estimates: &'a Estimates,
    /// Critical sections.
    pub sections: &'a Sections,
    /// The clauses.
    pub gates: Gates,
    /// Bits of terms.
    pub words: Words<'a>,
    /// Read-from: the write, the read.
    pub rf: BTreeMap<(Node, Node), Lit>,
    /// Of each read: its candidates.
    pub sources: Vec<Vec<Node>>,
    co: FxHashMap<(Node, Node), Lit>,
    fr: FxHashMap<(Node, Node), Lit>,
    pairs: FxHashMap<(RelId, Node, Node), Lit>,
    /// Closures and recursive relations: pairs whose ways are still to be said.
    open: Vec<(RelId, Node, Node, Lit)>,
    /// Relations of which it is asked that they have a pair, or lack one.
    exact: IdVec<RelId, bool>,
    /// From-read is among them.
    exact_from_read: bool,
    /// By two relations and an event: see [`detours`].
    detours: FxHashMap<(RelId, RelId, Node), BitSet>,
}

/// The relation `z` of a closure `z+`, or of a recursive relation `y = r | z;y`: who takes a step to where
/// that goes on is in it himself.
fn step_of(model: &Model, rel: RelId) -> Option<RelId> {
    match model.rels[rel] {
        Rel::Plus(step) => Some(step),
        Rel::Rec(variable) => {
            let parts = union_parts(model, model.recs[variable]);
            parts.iter().find_map(|part| match model.rels[*part] {
                Rel::Seq(step, rest) if rest == rel => Some(step),
                _ => None,
            })
        }
        _ => None,
    }
}

/// The events that `x;y`, where `y` goes on by steps `z`, need not go to from one: it surely goes to an
/// earlier event of which `z` surely leads there. A path that goes on from the later one goes on from the
/// earlier one, too.
fn detours(facts: &Facts, estimates: &Estimates, x: RelId, z: RelId, a: Node) -> BitSet {
    let (first, then) = (&estimates.of(x).must, &estimates.of(z).must);
    let mut out = BitSet::new(facts.len());
    for n in first.successors(a).filter(|n| *n > a) {
        for m in then.successors(n).filter(|m| *m > n) {
            if facts.implies(a, n) || facts.implies(m, n) {
                out.insert(m);
            }
        }
    }
    out
}

impl<'a> Relations<'a> {
    /// Nothing yet but where reads read from.
    pub fn new(
        facts: &'a Facts,
        estimates: &'a Estimates,
        sections: &'a Sections,
        counters: &[Counter],
    ) -> Relations<'a> {
        let exact = exact_uses(facts.model);
        let mut rels = facts.model.rels.iter_enumerated();
        let exact_from_read = rels.any(|(id, rel)| exact[id] && *rel == Rel::Base(BaseRel::Fr));
        let mut made = Relations {
            facts,
            estimates,
            sections,
            gates: Gates::default(),
            words: Words::new(Values::new(facts, &counters::values(facts, counters))),
            rf: BTreeMap::new(),
            sources: vec![Vec::new(); facts.len()],
            co: FxHashMap::default(),
            fr: FxHashMap::default(),
            pairs: FxHashMap::default(),
            open: Vec::new(),
            exact,
            exact_from_read,
            detours: FxHashMap::default(),
        };
        made.read_from();
        made
    }

    /// A truth value of the graph.
    pub fn lit(&mut self, term: TermId) -> Lit {
        self.words.lit(&mut self.gates, self.facts.graph, term)
    }

    /// The event happens.
    pub fn happens(&mut self, n: Node) -> Lit {
        self.lit(self.facts.event(n).guard)
    }

    /// Both have one address.
    pub fn same_address(&mut self, a: Node, b: Node) -> Lit {
        let loc = self.facts.of(BaseRel::Loc);
        if loc.must.contains(a, b) {
            return TRUE;
        }
        if !loc.may.contains(a, b) {
            return FALSE;
        }
        let graph = self.facts.graph;
        let mut bits = |n: Node| {
            self.words
                .bits(&mut self.gates, graph, self.facts.event(n).addr)
        };
        let (x, y) = (bits(a), bits(b));
        words::equal(&mut self.gates, &x, &y)
    }

    /// Where reads read from (Alg. 1).
    fn read_from(&mut self) {
        let facts = self.facts;
        for (w, r) in facts.of(BaseRel::Rf).may.pairs() {
            self.sources[r].push(w);
        }
        for r in (0..facts.len()).filter(|n| facts.event(*n).kind == EventKind::Read) {
            let happens = self.happens(r);
            let value = self.value(r);
            let mut some = Vec::new();
            for w in self.sources[r].clone() {
                let reads = self.gates.fresh();
                self.rf.insert((w, r), reads);
                let premises = [happens, self.happens(w), self.same_address(w, r)];
                for premise in premises {
                    self.gates.implies(Rule::ReadFrom, &[reads], premise);
                }
                let written = self.value(w);
                for (x, y) in value.iter().zip(written.iter()) {
                    self.gates.clause(Rule::ReadValue, &[!reads, !*x, *y]);
                    self.gates.clause(Rule::ReadValue, &[!reads, *x, !*y]);
                }
                self.read_shadow(r, w, reads);
                some.push(reads);
                if let Some((own, other)) = self.sections.of_read(facts, r, w, true) {
                    let before = self.coherence(other, own);
                    self.gates.implies(Rule::Section, &[reads], before);
                }
            }
            self.at_most_one(&some);
            some.push(!happens);
            self.gates.clause(Rule::Source, &some);
        }
    }

    /// An atomic section that does not end is the last thing that happens: no other thread reads what it
    /// writes, or writes after it.
    pub fn unfinished_sections(&mut self) {
        let facts = self.facts;
        for unseen in &facts.graph.unseen {
            let Some(w) = facts.node_of[unseen.write as usize] else {
                continue;
            };
            let when = self.lit(unseen.when);
            let is_other = |n: &Node| facts.event(*n).thread != facts.event(w).thread;
            for r in facts.of(BaseRel::Rf).may.successors(w).filter(is_other) {
                let reads = self.rf[&(w, r)];
                self.gates.clause(Rule::Unfinished, &[!when, !reads]);
            }
            for v in facts.of(BaseRel::Co).may.successors(w).filter(is_other) {
                let (before, happens) = (self.coherence(w, v), self.happens(v));
                let clause = [!when, !before, !happens];
                self.gates.clause(Rule::Unfinished, &clause);
            }
        }
    }

    /// What is indeterminate of what is written is so of what is read.
    fn read_shadow(&mut self, r: Node, w: Node, reads: Lit) {
        let facts = self.facts;
        let Some(read) = facts.event(r).shadow else {
            return;
        };
        let read = self.words.bits(&mut self.gates, facts.graph, read);
        let written = match facts.event(w).shadow {
            Some(term) => self.words.bits(&mut self.gates, facts.graph, term),
            None => vec![FALSE; read.len()].into(),
        };
        for (x, y) in read.iter().zip(written.iter()) {
            self.gates.clause(Rule::ReadValue, &[!reads, !*x, *y]);
            self.gates.clause(Rule::ReadValue, &[!reads, *x, !*y]);
        }
    }

    fn value(&mut self, n: Node) -> std::rc::Rc<[Lit]> {
        let value = self.facts.event(n).value;
        self.words.bits(&mut self.gates, self.facts.graph, value)
    }

    /// By a running disjunction.
    fn at_most_one(&mut self, lits: &[Lit]) {
        let mut before = FALSE;
        for l in lits {
            self.gates.clause(Rule::OneSource, &[!*l, !before]);
            before = self.gates.any(&[before, *l]);
        }
    }

    /// Coherence (Alg. 2): the first before the second, both of one address. One variable for both
    /// directions, and for all writes of two critical sections of one lock in different threads.
    pub fn coherence(&mut self, a: Node, b: Node) -> Lit {
        let co = self.facts.of(BaseRel::Co);
        if co.must.contains(a, b) {
            return TRUE;
        }
        if !co.may.contains(a, b) {
            return FALSE;
        }
        let same = self.same_address(a, b);
        if !co.may.contains(b, a) {
            return same;
        }
        let apart = self.facts.event(a).thread != self.facts.event(b).thread;
        let acquisitions = self
            .sections
            .acquisitions(a, b)
            .filter(|_| apart && same == TRUE);
        if let Some((first, second)) = acquisitions {
            return self.coherence(first, second);
        }
        let gates = &mut self.gates;
        let order = self.co.entry((a.min(b), a.max(b)));
        let order = *order.or_insert_with(|| gates.fresh());
        self.gates.and(if a < b { order } else { !order }, same)
    }

    /// From-read (Alg. 3).
    fn reads_before(&mut self, r: Node, w: Node) -> Lit {
        if let Some(lit) = self.fr.get(&(r, w)) {
            return *lit;
        }
        let mut ways = Vec::new();
        for v in self.sources[r].clone() {
            if v != w {
                ways.push([self.rf[&(v, r)], self.coherence(v, w)]);
            }
        }
        let lit = match self.exact_from_read {
            true => {
                let ways: Vec<Lit> = ways.iter().map(|way| self.gates.all(way)).collect();
                self.gates.any(&ways)
            }
            false => {
                let lit = self.gates.fresh();
                for way in &ways {
                    self.gates.implies(Rule::FromRead, way, lit);
                }
                lit
            }
        };
        if let Some((own, other)) = self.sections.of_read(self.facts, r, w, false) {
            let both = [lit, self.happens(r), self.happens(w)];
            let behind = self.coherence(own, other);
            self.gates.implies(Rule::Section, &both, behind);
        }
        self.fr.insert((r, w), lit);
        lit
    }

    /// A relation has a pair, given that both events happen.
    pub fn pair(&mut self, rel: RelId, a: Node, b: Node) -> Lit {
        let estimate = self.estimates.of(rel);
        if estimate.must.contains(a, b) {
            return TRUE;
        }
        if !estimate.may.contains(a, b) {
            return FALSE;
        }
        if let Some(lit) = self.pairs.get(&(rel, a, b)) {
            return *lit;
        }
        let lit = match self.facts.model.rels[rel] {
            Rel::Base(base) => self.base(base, a, b),
            Rel::Empty => FALSE,
            Rel::Union(x, y) => {
                let parts = [self.pair(x, a, b), self.pair(y, a, b)];
                self.gates.any(&parts)
            }
            Rel::Inter(x, y) => {
                let parts = [self.pair(x, a, b), self.pair(y, a, b)];
                self.gates.all(&parts)
            }
            Rel::Diff(x, y) => {
                let parts = [self.pair(x, a, b), !self.pair(y, a, b)];
                self.gates.all(&parts)
            }
            Rel::Seq(x, y) => {
                let ways = self.through(x, y, a, b, self.exact[rel]);
                self.one_of(rel, &ways)
            }
            Rel::Inverse(x) => self.pair(x, b, a),
            Rel::Identity(s) => self.member(s, a),
            Rel::Cross(s, t) => {
                let parts = [self.member(s, a), self.member(t, b)];
                self.gates.all(&parts)
            }
            Rel::Plus(_) | Rel::Rec(_) => {
                let lit = self.gates.fresh();
                self.open.push((rel, a, b, lit));
                lit
            }
        };
        self.pairs.insert((rel, a, b), lit);
        lit
    }

    /// One of some ways; where no one asks for the contrary it may hold without.
    fn one_of(&mut self, rel: RelId, ways: &[[Lit; 3]]) -> Lit {
        let open = ways.iter().filter(|way| !way.contains(&FALSE)).count();
        if self.exact[rel] || open <= 1 || ways.contains(&[TRUE; 3]) {
            let ways: Vec<Lit> = ways.iter().map(|way| self.gates.all(way)).collect();
            return self.gates.any(&ways);
        }
        let lit = self.gates.fresh();
        for way in ways {
            self.gates.implies(Rule::Relation, way, lit);
        }
        lit
    }

    /// The ways by an event in the middle: the step there, that it happens, the step on. Unless it is all
    /// of them that are wanted, those are left out that have a shorter one.
    fn through(&mut self, x: RelId, y: RelId, a: Node, b: Node, all: bool) -> Vec<[Lit; 3]> {
        let (first, second) = (&self.estimates.of(x).may, &self.estimates.of(y).may);
        let middles = first.successors(a).filter(|m| second.contains(*m, b));
        let mut middles: Vec<Node> = middles.collect();
        if let Some(step) = step_of(self.facts.model, y).filter(|_| !all) {
            let known = self.detours.entry((x, step, a));
            let (facts, estimates) = (self.facts, self.estimates);
            let detours = known.or_insert_with(|| detours(facts, estimates, x, step, a));
            middles.retain(|m| !detours.contains(*m));
        }
        let mut ways = Vec::new();
        for m in middles {
            let sure = self.facts.implies(a, m) || self.facts.implies(b, m);
            let happens = if sure { TRUE } else { self.happens(m) };
            ways.push([self.pair(x, a, m), happens, self.pair(y, m, b)]);
        }
        ways
    }

    /// Says the ways of closures and recursive relations.
    pub fn finish(&mut self) {
        while let Some((rel, a, b, lit)) = self.open.pop() {
            match self.facts.model.rels[rel] {
                Rel::Rec(v) => {
                    let body = self.pair(self.facts.model.recs[v], a, b);
                    self.gates.implies(Rule::Relation, &[body], lit);
                }
                Rel::Plus(x) => {
                    let step = self.pair(x, a, b);
                    self.gates.implies(Rule::Relation, &[step], lit);
                    for way in self.through(x, rel, a, b, false) {
                        self.gates.implies(Rule::Relation, &way, lit);
                    }
                }
                _ => {}
            }
        }
    }

    /// A base relation has a pair, given that both events happen.
    pub fn base_pair(&mut self, base: BaseRel, a: Node, b: Node) -> Lit {
        let of = self.facts.of(base);
        match (of.must.contains(a, b), of.may.contains(a, b)) {
            (true, _) => TRUE,
            (_, false) => FALSE,
            _ => self.base(base, a, b),
        }
    }

    fn base(&mut self, base: BaseRel, a: Node, b: Node) -> Lit {
        match base {
            BaseRel::Rf => self.rf.get(&(a, b)).copied().unwrap_or(FALSE),
            BaseRel::Co => self.coherence(a, b),
            BaseRel::Fr => self.reads_before(a, b),
            BaseRel::Loc => self.same_address(a, b),
            BaseRel::DifferentValues => {
                let (x, y) = (self.value(a), self.value(b));
                !words::equal(&mut self.gates, &x, &y)
            }
            BaseRel::Po | BaseRel::Addr | BaseRel::Data | BaseRel::Ctrl => {
                let ways = self.facts.ways.get(&(base, a, b)).cloned();
                let mut lits = Vec::new();
                for way in ways.unwrap_or_default() {
                    let way: Vec<Lit> = way.iter().map(|c| self.lit(*c)).collect();
                    lits.push(self.gates.all(&way));
                }
                self.gates.any(&lits)
            }
            BaseRel::Rmw
            | BaseRel::Amo
            | BaseRel::Lxsx
            | BaseRel::Int
            | BaseRel::Ext
            | BaseRel::Group
            | BaseRel::SameAccess => TRUE,
        }
    }

    /// A set has an event, given that it happens.
    pub fn member(&mut self, set: SetId, n: Node) -> Lit {
        let members = self.estimates.members(set);
        if members.1[n] {
            return TRUE;
        }
        if !members.0[n] {
            return FALSE;
        }
        match self.facts.model.sets[set].clone() {
            Set::Union(a, b) => {
                let parts = [self.member(a, n), self.member(b, n)];
                self.gates.any(&parts)
            }
            Set::Inter(a, b) => {
                let parts = [self.member(a, n), self.member(b, n)];
                self.gates.all(&parts)
            }
            Set::Diff(a, b) => {
                let parts = [self.member(a, n), !self.member(b, n)];
                self.gates.all(&parts)
            }
            Set::Domain(r) => self.is_end(r, n, false),
            Set::Range(r) => self.is_end(r, n, true),
            Set::Base(BaseSet::FW) => self.is_last(n),
            Set::Base(BaseSet::Rmw) => {
                let writes = self.facts.stores[n].clone();
                let happens: Vec<Lit> = writes.iter().map(|w| self.happens(*w)).collect();
                self.gates.any(&happens)
            }
            Set::Base(BaseSet::Tag(tag)) => {
                let own = self.facts.has_tag(n, &tag);
                let writes = self.facts.stores[n].clone();
                let others = writes
                    .iter()
                    .filter(|w| self.facts.gives_tag(**w, &tag) != own);
                let others: Vec<Node> = others.copied().collect();
                let happens: Vec<Lit> = others.iter().map(|w| self.happens(*w)).collect();
                let other = self.gates.any(&happens);
                if own { !other } else { other }
            }
            Set::Base(_) | Set::All | Set::Empty => TRUE,
        }
    }

    fn is_end(&mut self, rel: RelId, n: Node, range: bool) -> Lit {
        let may = &self.estimates.of(rel).may;
        let pair = |m: Node| if range { (m, n) } else { (n, m) };
        let others = (0..self.facts.len()).filter(|m| may.contains(pair(*m).0, pair(*m).1));
        let mut ways = Vec::new();
        for m in others.collect::<Vec<_>>() {
            let (a, b) = pair(m);
            let parts = [self.pair(rel, a, b), self.happens(m)];
            ways.push(self.gates.all(&parts));
        }
        self.gates.any(&ways)
    }

    /// No write that happens comes after it in coherence.
    pub fn is_last(&mut self, w: Node) -> Lit {
        let later = self.facts.of(BaseRel::Co).may.successors(w);
        self.none_after(w, &later.collect::<Vec<_>>())
    }

    /// Of some writes none that happens comes after this one in coherence.
    pub fn none_after(&mut self, w: Node, others: &[Node]) -> Lit {
        let mut none = Vec::new();
        for other in others {
            let parts = [self.happens(*other), self.coherence(w, *other)];
            none.push(!self.gates.all(&parts));
        }
        self.gates.all(&none)
    }
}
