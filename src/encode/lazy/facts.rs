//! What the axioms that are judged lazily are made of, as literals of the formula.
//!
//! Everything that an execution decides about a model's base relations and sets has a literal here,
//! made before the first solving: the judge reads an assignment off them, and clauses learnt are
//! made of them, so that learning needs no new variables.

use crate::encode::relations::Encoder;
use crate::relations::bounds::{Bounds, Node};
use base::bits::BitMatrix;
use base::idx::{Id, IdVec};
use cat::model::{AxiomKind, BaseRel, RecId, Rel, RelId, Set, SetId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::sat::cnf::Lit;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Literals by pair of events.
pub type Literals = FxHashMap<(usize, usize), Lit>;

/// An axiom that is judged lazily.
pub struct Axiom {
    /// What is asked.
    pub kind: AxiomKind,
    /// Of which relation.
    pub rel: RelId,
    /// By event: the event that stands for its point of the order.
    pub point: Vec<usize>,
    /// Reads that are tied to this axiom, with their candidates in coherence order, each with "it
    /// is before the read".
    pub sources: Vec<(usize, Vec<(usize, Lit)>)>,
}

/// See the head of this file.
pub struct Facts {
    /// How many events.
    pub len: usize,
    /// The model's relations.
    pub rels: IdVec<RelId, Rel>,
    /// Bodies of recursive relations.
    pub recs: IdVec<RecId, RelId>,
    /// May and must of each relation.
    pub bounds: IdVec<RelId, Rc<Bounds>>,
    /// The axioms.
    pub axioms: Vec<Axiom>,
    /// The relations to evaluate, operands first.
    pub needed: Vec<RelId>,
    /// Every execution relates the same events, if they happen.
    pub fixed: IdVec<RelId, bool>,
    /// By event: it happens.
    pub exec: Vec<Lit>,
    /// The first does not happen without the second.
    pub implied: BitMatrix,
    /// Coherence that every execution has.
    pub co: BitMatrix,
    /// By read: the writes it may read from.
    pub sources: Vec<Vec<(usize, Lit)>>,
    /// Read-from literals that imply that both events happen.
    pub chosen: FxHashMap<Lit, (usize, usize)>,
    /// Of base relations but from-read: the pairs that executions decide.
    pub open: BTreeMap<BaseRel, Literals>,
    /// From-read, as far as there are literals: of tied reads, and of what else is encoded.
    pub fr: Literals,
    /// By set and event: it is a member.
    pub members: FxHashMap<SetId, Vec<Lit>>,
    /// By relation that is subtracted from another one: its pairs that executions decide.
    pub subtracted: FxHashMap<RelId, Literals>,
}

impl Facts {
    /// Of some axioms of the encoder's model.
    pub fn new(e: &mut Encoder, axioms: &[usize]) -> Facts {
        let analysis = e.analysis;
        let (model, len) = (analysis.model, analysis.nodes.len());
        let mut implied = BitMatrix::new(len);
        for n in analysis.nodes.ids() {
            implied.insert_all(n.index(), analysis.implied_by(n));
        }
        let exec = analysis.nodes.ids().collect::<Vec<_>>();
        let exec = exec.into_iter().map(|n| e.exec(n)).collect();
        let fixed = analysis.rels.iter().map(|b| b.may == b.must).collect();
        let axioms = axioms.iter().map(|i| axiom(e, *i)).collect();
        let mut facts = Facts {
            len,
            rels: model.rels.clone(),
            recs: model.recs.clone(),
            bounds: analysis.rels.clone(),
            axioms,
            needed: Vec::new(),
            fixed,
            exec,
            implied,
            co: analysis.base[&BaseRel::Co].must.clone(),
            sources: vec![Vec::new(); len],
            chosen: FxHashMap::default(),
            open: BTreeMap::new(),
            fr: Literals::default(),
            members: FxHashMap::default(),
            subtracted: FxHashMap::default(),
        };
        facts.communication(e);
        facts.relations(e);
        facts
    }

    fn communication(&mut self, e: &mut Encoder) {
        for ((w, r), lit) in &e.rf {
            self.sources[r.index()].push((w.index(), *lit));
            if !e.sources_by_order.contains_key(r) && !e.section_order.decided.contains(r) {
                self.chosen.insert(*lit, (w.index(), r.index()));
            }
        }
        for ((r, w), lit) in &e.fr {
            self.fr.insert((r.index(), w.index()), *lit);
        }
        for (r, source) in &e.sources_by_order {
            for (w, before) in &source.chain {
                self.fr.insert((r.index(), w.index()), !*before);
            }
        }
        self.pairs(e, BaseRel::Co);
    }

    /// The pairs of a base relation that executions decide.
    fn pairs(&mut self, e: &mut Encoder, base: BaseRel) {
        self.open.entry(base).or_insert_with(|| {
            let bounds = e.analysis.base[&base].clone();
            literals(e, &bounds, &bounds.may, |e, a, b| e.base(base, a, b))
        });
    }

    /// Goes from the axioms down to the base relations that they are made of.
    fn relations(&mut self, e: &mut Encoder) {
        let mut seen: FxHashSet<RelId> = FxHashSet::default();
        let mut work: Vec<RelId> = self.axioms.iter().map(|a| a.rel).collect();
        // Where same location is asked of pairs of some relation only, no others need a literal.
        let (mut same, mut located): (Vec<RelId>, Vec<RelId>) = (Vec::new(), Vec::new());
        let is_loc = |r: RelId, f: &Facts| f.rels[r] == Rel::Base(BaseRel::Loc);
        while let Some(rel) = work.pop() {
            if self.fixed[rel] || e.stopped() || !seen.insert(rel) {
                continue;
            }
            match self.rels[rel].clone() {
                Rel::Empty => {}
                Rel::Base(BaseRel::Fr | BaseRel::Rf | BaseRel::Co) => {}
                Rel::Base(base) => self.pairs(e, base),
                Rel::Inter(x, y) if is_loc(x, self) || is_loc(y, self) => {
                    same.push(rel);
                    for operand in [x, y] {
                        match is_loc(operand, self) {
                            true => located.push(operand),
                            false => work.push(operand),
                        }
                    }
                }
                Rel::Union(x, y) | Rel::Inter(x, y) | Rel::Seq(x, y) => work.extend([x, y]),
                Rel::Diff(x, y) => {
                    e.negative(y);
                    let (bounds, among) = (self.bounds[y].clone(), &self.bounds[rel].may);
                    let lits = literals(e, &bounds, among, |e, a, b| e.pair(y, a, b));
                    self.subtracted.entry(y).or_default().extend(lits);
                    work.push(x);
                }
                Rel::Inverse(x) | Rel::Plus(x) => work.push(x),
                Rel::Rec(v) => work.push(self.recs[v]),
                Rel::Identity(s) => self.set(e, s),
                Rel::Cross(s, t) => [s, t].into_iter().for_each(|s| self.set(e, s)),
            }
        }
        let loc = e.analysis.base[&BaseRel::Loc].clone();
        let known = self.open.entry(BaseRel::Loc).or_default();
        for rel in same {
            let among = &self.bounds[rel].may;
            let lits = literals(e, &loc, among, |e, a, b| e.same_address(a, b));
            known.extend(lits);
        }
        seen.extend(located);
        self.needed = seen.into_iter().collect();
        self.needed.sort_unstable();
    }

    fn set(&mut self, e: &mut Encoder, set: SetId) {
        if self.members.contains_key(&set) {
            return;
        }
        // The literal of a member is exact, so it may stand for not being one of another set.
        if let Set::Domain(of) | Set::Range(of) = e.analysis.model.sets[set] {
            e.negative(of);
        }
        let nodes: Vec<Node> = e.analysis.nodes.ids().collect();
        let lits = nodes.into_iter().map(|n| e.member(set, n)).collect();
        self.members.insert(set, lits);
    }
}

/// The literals of the pairs of a relation, `among` some, that executions decide.
fn literals(
    e: &mut Encoder,
    bounds: &Bounds,
    among: &BitMatrix,
    literal: impl Fn(&mut Encoder, Node, Node) -> Lit,
) -> Literals {
    let open = bounds.may.inter(among).diff(&bounds.must);
    let mut out = Literals::default();
    for (a, b) in open.pairs() {
        if e.stopped() {
            break;
        }
        let lit = literal(e, Node::from_index(a), Node::from_index(b));
        if lit != Lit::FALSE {
            out.insert((a, b), lit);
        }
    }
    out
}

fn axiom(e: &Encoder, number: usize) -> Axiom {
    let axiom = &e.analysis.model.axioms[number];
    let point = match axiom.kind {
        AxiomKind::Acyclic => e
            .representatives(axiom.rel)
            .iter()
            .map(|p| p.index())
            .collect(),
        _ => e.analysis.nodes.ids().map(|n| n.index()).collect(),
    };
    let must = &e.analysis.rels[axiom.rel].must;
    // "Before the read" is a path of the order where every later candidate is after the earlier ones.
    let is_ordered = |chain: &[(Node, Lit)]| {
        let mut pairs = chain.iter().enumerate();
        pairs.all(|(i, (v, _))| {
            let mut later = chain[i + 1..].iter();
            later.all(|(w, _)| must.contains(v.index(), w.index()))
        })
    };
    let sources = e.sources_by_order.iter();
    let sources = sources.filter(|(_, source)| source.axiom == number && is_ordered(&source.chain));
    let sources = sources.map(|(r, source)| {
        let chain = source.chain.iter().map(|(w, lit)| (w.index(), *lit));
        (r.index(), chain.collect())
    });
    Axiom {
        kind: axiom.kind,
        rel: axiom.rel,
        point,
        sources: sources.collect(),
    }
}
