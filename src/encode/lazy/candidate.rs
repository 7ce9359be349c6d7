//! A candidate execution: an assignment of the formula as concrete relations.
//!
//! Relations are evaluated bottom up as matrices over the events that happen. What is known
//! statically to hold is put in at every level: it holds in every execution of the model, so a
//! clause learnt may use it, and its reason is empty. Recursive relations are iterated from there
//! to their least fixpoint; the value of each step is kept, for a pair is derived from pairs of
//! earlier steps.
//!
//! Cost: a few operations on matrices of bits for each relation that executions decide, and step of
//! the fixpoint.

use super::facts::Facts;
use base::bits::{BitMatrix, BitSet};
use base::idx::IdVec;
use cat::model::{BaseRel, Rel, RelId};
use rustc_hash::FxHashMap;
use smt::sat::cnf::Lit;

/// See the head of this file.
pub struct Candidate<'f> {
    /// What it is made of.
    pub facts: &'f Facts,
    /// Events that happen.
    pub exec: BitSet,
    /// By read that happens: the write it reads from, and the literal.
    pub source: Vec<Option<(usize, Lit)>>,
    /// Coherence.
    co: BitMatrix,
    /// Relations, once evaluated.
    rels: IdVec<RelId, Option<BitMatrix>>,
    /// By step of the fixpoint: the relations that recursive ones are made of.
    steps: Vec<FxHashMap<RelId, BitMatrix>>,
    /// The relation is one of those in `steps`.
    iterated: IdVec<RelId, bool>,
}

impl<'f> Candidate<'f> {
    /// Reads it off an assignment; a part of it when `stop`, asked now and then, answers true.
    pub fn new(facts: &'f Facts, value: &dyn Fn(Lit) -> bool, stop: &dyn Fn() -> bool) -> Self {
        let mut exec = BitSet::new(facts.len);
        let happens = (0..facts.len).filter(|n| value(facts.exec[*n]));
        happens.for_each(|n| exec.insert(n));
        let source = (0..facts.len).map(|r| {
            let mut sources = facts.sources[r].iter();
            let read = |(w, lit): &&(usize, Lit)| exec.contains(*w) && value(*lit);
            sources.find(read).copied().filter(|_| exec.contains(r))
        });
        let source = source.collect();
        let mut candidate = Candidate {
            facts,
            exec,
            source,
            co: BitMatrix::default(),
            rels: facts.rels.iter().map(|_| None).collect(),
            steps: Vec::new(),
            iterated: facts.rels.iter().map(|_| false).collect(),
        };
        let co = facts.co.within(&candidate.exec);
        candidate.co = co.union(&candidate.open(BaseRel::Co, value));
        candidate.evaluate(value, stop);
        candidate
    }

    /// A relation; at a step of the fixpoint if it is one of those that are iterated.
    pub fn rel(&self, rel: RelId, step: usize) -> &BitMatrix {
        let evaluated = "relations are evaluated before what uses them";
        if self.iterated[rel] {
            let last = self.steps.len() - 1;
            return self.steps[step.min(last)].get(&rel).expect(evaluated);
        }
        self.rels[rel].as_ref().expect(evaluated)
    }

    /// After the last step of the fixpoint.
    pub fn last_step(&self) -> usize {
        self.steps.len()
    }

    /// The step that matters for a relation.
    pub fn step_of(&self, rel: RelId, step: usize) -> usize {
        match self.iterated[rel] {
            true => step.min(self.steps.len() - 1),
            false => self.steps.len(),
        }
    }

    /// The first step before this one after which the body of a recursive relation has a pair.
    pub fn derived(&self, body: RelId, step: usize, (a, b): (usize, usize)) -> Option<usize> {
        let has = |s: &usize| match self.iterated[body] {
            true => self.steps[*s][&body].contains(a, b),
            false => self.rel(body, *s).contains(a, b),
        };
        (0..step.min(self.steps.len())).find(has)
    }

    fn evaluate(&mut self, value: &dyn Fn(Lit) -> bool, stop: &dyn Fn() -> bool) {
        let facts = self.facts;
        let (inside, above) = recursive(facts);
        let needed = |wanted: &dyn Fn(RelId) -> bool| -> Vec<RelId> {
            let needed = facts.needed.iter().copied();
            needed.filter(|r| wanted(*r)).collect()
        };
        let plain = needed(&|r| !inside[r] && !above[r]);
        let iterated = needed(&|r| inside[r]);
        let above = needed(&|r| above[r]);
        let roots = facts.axioms.iter().map(|a| a.rel);
        let fixed = roots.filter(|r| facts.fixed[*r]);
        for rel in fixed.chain(plain) {
            self.relation(rel, value, stop);
        }
        iterated.iter().for_each(|r| self.operands(*r));
        self.iterated = inside;
        while !iterated.is_empty() {
            let step = self.steps.len();
            self.steps.push(FxHashMap::default());
            for rel in &iterated {
                let made = match stop() {
                    true => BitMatrix::new(facts.len),
                    false => self.make(*rel, step, value),
                };
                self.steps[step].insert(*rel, made);
            }
            let grown = |rel: &RelId| self.steps[step][rel] != self.steps[step - 1][rel];
            if stop() || step > 0 && !iterated.iter().any(grown) {
                break;
            }
        }
        for rel in above {
            self.relation(rel, value, stop);
        }
    }

    /// Evaluates a relation whose operands are; it is empty when `stop` answers true.
    fn relation(&mut self, rel: RelId, value: &dyn Fn(Lit) -> bool, stop: &dyn Fn() -> bool) {
        self.operands(rel);
        let made = match stop() {
            true => BitMatrix::new(self.facts.len),
            false => self.make(rel, self.steps.len(), value),
        };
        self.rels[rel] = Some(made);
    }

    /// Operands that every execution decides alike.
    fn operands(&mut self, rel: RelId) {
        let facts = self.facts;
        let of = match facts.rels[rel] {
            Rel::Union(x, y) | Rel::Inter(x, y) | Rel::Seq(x, y) => vec![x, y],
            Rel::Inverse(x) | Rel::Plus(x) | Rel::Diff(x, _) => vec![x],
            Rel::Rec(v) => vec![facts.recs[v]],
            _ => Vec::new(),
        };
        for rel in of.into_iter().chain([rel]).filter(|r| facts.fixed[*r]) {
            if self.rels[rel].is_none() {
                self.rels[rel] = Some(facts.bounds[rel].must.within(&self.exec));
            }
        }
    }

    fn make(&self, rel: RelId, step: usize, value: &dyn Fn(Lit) -> bool) -> BitMatrix {
        let facts = self.facts;
        let known = facts.bounds[rel].must.within(&self.exec);
        if facts.fixed[rel] {
            return known;
        }
        let get = |r: RelId| self.rel(r, step);
        let member = |set, n: usize| self.exec.contains(n) && value(facts.members[&set][n]);
        let more = match facts.rels[rel] {
            Rel::Empty => return known,
            Rel::Base(base) => self.base(base, value),
            Rel::Union(x, y) => get(x).union(get(y)),
            Rel::Inter(x, y) => get(x).inter(get(y)),
            Rel::Diff(x, y) => {
                let mut out = get(x).diff(&facts.bounds[y].must);
                let lits = facts.subtracted[&y].iter();
                let related = lits.filter(|(_, lit)| value(**lit));
                related.for_each(|((a, b), _)| out.remove(*a, *b));
                out
            }
            Rel::Seq(x, y) => get(x).seq(get(y)),
            Rel::Inverse(x) => get(x).inverse(),
            Rel::Plus(x) => get(x).plus(),
            Rel::Rec(_) if step == 0 => return known,
            Rel::Rec(v) => self.rel(facts.recs[v], step - 1).clone(),
            Rel::Identity(s) => {
                let mut out = BitMatrix::new(facts.len);
                let members = (0..facts.len).filter(|n| member(s, *n));
                members.for_each(|n| out.insert(n, n));
                out
            }
            Rel::Cross(s, t) => {
                let mut to = BitSet::new(facts.len);
                let members = (0..facts.len).filter(|n| member(t, *n));
                members.for_each(|n| to.insert(n));
                let mut out = BitMatrix::new(facts.len);
                let members = (0..facts.len).filter(|n| member(s, *n));
                members.for_each(|n| out.insert_all(n, &to));
                out.inter(&facts.bounds[rel].may)
            }
        };
        more.union(&known)
    }

    fn base(&self, base: BaseRel, value: &dyn Fn(Lit) -> bool) -> BitMatrix {
        let facts = self.facts;
        let mut out = BitMatrix::new(facts.len);
        match base {
            BaseRel::Rf => {
                let pairs = self.source.iter().enumerate();
                let pairs = pairs.filter_map(|(r, s)| s.map(|(w, _)| (w, r)));
                pairs.for_each(|(w, r)| out.insert(w, r));
            }
            BaseRel::Co => return self.co.clone(),
            BaseRel::Fr => {
                let pairs = self.source.iter().enumerate();
                for (r, w) in pairs.filter_map(|(r, s)| s.map(|(w, _)| (r, w))) {
                    out.insert_all(r, &self.co.set(w));
                }
            }
            _ => return self.open(base, value),
        }
        out
    }

    /// The pairs of a base relation that hold in this execution, and not in all.
    fn open(&self, base: BaseRel, value: &dyn Fn(Lit) -> bool) -> BitMatrix {
        let mut out = BitMatrix::new(self.facts.len);
        let lits = self.facts.open.get(&base).into_iter().flatten();
        for ((a, b), lit) in lits {
            if self.exec.contains(*a) && self.exec.contains(*b) && value(*lit) {
                out.insert(*a, *b);
            }
        }
        out
    }
}

/// Of the relations to evaluate: those that recursive ones are made of and that depend on recursive
/// ones themselves, and the others that depend on recursive ones.
fn recursive(facts: &Facts) -> (IdVec<RelId, bool>, IdVec<RelId, bool>) {
    let operands = |rel: RelId| match facts.rels[rel] {
        Rel::Union(x, y) | Rel::Inter(x, y) | Rel::Seq(x, y) => vec![x, y],
        Rel::Inverse(x) | Rel::Plus(x) | Rel::Diff(x, _) => vec![x],
        _ => Vec::new(),
    };
    let none = || -> IdVec<RelId, bool> { facts.rels.iter().map(|_| false).collect() };
    let (mut depends, mut inside) = (none(), none());
    let mut work = Vec::new();
    for rel in &facts.needed {
        depends[*rel] = match facts.rels[*rel] {
            Rel::Rec(v) => {
                work.extend([*rel, facts.recs[v]]);
                true
            }
            _ => operands(*rel).into_iter().any(|r| depends[r]),
        };
    }
    while let Some(rel) = work.pop() {
        if depends[rel] && !std::mem::replace(&mut inside[rel], true) {
            work.extend(operands(rel));
        }
    }
    let mut above = depends;
    for rel in &facts.needed {
        above[*rel] &= !inside[*rel];
    }
    (inside, above)
}
