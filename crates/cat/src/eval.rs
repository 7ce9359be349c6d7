//! Judging one concrete execution: every relation as a matrix, every axiom looked at.
//!
//! This is the reference meaning of a model. It shares nothing with the symbolic encoding but the
//! [`Model`], so that a counterexample found there is checked by other means here.
//!
//! Recursive variables are least fixpoints, found by iteration from nothing. Variables that use
//! each other are iterated together, after those they use (`strata`); the compiler has made sure
//! that bodies grow with their variables, so the iteration ends after at most `n^2` steps each.
//!
//! *Atomic groups.* Events of a group happen at one point of every global order. For an `acyclic`
//! axiom that means: the relation with every group made one node has no cycle, and neither has the
//! relation inside any one group. Without groups this is the plain check. An axiom about one
//! location at a time (coherence) judges access by access what is not fenced: a write of a group may
//! wait in a buffer where its own thread alone sees it, at a place of that location's order that is
//! before the moment at which the whole group reaches memory.

use super::execution::{AtomicGroup, Execution};
use super::model::{AxiomKind, BaseRel, BaseSet, Model, Rel, RelId, Set, SetId};
use super::pattern::is_per_location;
use super::uses::{Operand, Uses, direct_uses, operands, set_operands};
use base::bits::BitMatrix;
use base::idx::{Id, IdVec};
use std::collections::BTreeSet;

/// Why an execution is not one of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Which axiom of [`Model::axioms`].
    pub axiom: usize,
    /// Events of the cycle, each related to the next, the last to the first; where the next one is
    /// in the same atomic group as this one, they may stand for one point instead. For
    /// `irreflexive` the one event, for `empty` the two of the pair.
    pub cycle: Vec<usize>,
}

/// Judges an execution. For many executions of one model, make an [`Evaluator`] once.
///
/// # Errors
/// The first axiom that fails.
pub fn eval(model: &Model, exec: &Execution) -> Result<(), Violation> {
    Evaluator::new(model).eval(exec)
}

/// The pairs of one relation of the model in an execution, for counterexamples.
pub fn edges(model: &Model, exec: &Execution, rel: RelId) -> BitMatrix {
    Evaluator::new(model).edges(exec, rel)
}

/// A model with the order its relations are evaluated in.
pub struct Evaluator<'m> {
    /// The model.
    pub model: &'m Model,
    uses: Uses,
    /// Recursive variables that use each other, those used first.
    strata: Vec<Vec<usize>>,
    /// By axiom: it is about one location at a time.
    per_location: Vec<bool>,
    /// What cannot be kept from one execution to the next, see [`Evaluator::consistency_check`].
    varies: (IdVec<RelId, bool>, IdVec<SetId, bool>),
}

impl<'m> Evaluator<'m> {
    /// Prepares a model.
    pub fn new(model: &'m Model) -> Evaluator<'m> {
        let uses = direct_uses(model);
        let bodies: Vec<_> = model
            .recs
            .iter()
            .map(|body| uses.rels[*body].clone())
            .collect();
        Evaluator {
            model,
            varies: varying(model, &uses),
            uses,
            strata: strata(&bodies),
            per_location: model
                .axioms
                .iter()
                .map(|a| is_per_location(model, a.rel))
                .collect(),
        }
    }

    /// A judge of executions that differ in nothing but what each write order and source of reads
    /// decides: `Rf`, `Co`, `Fr` and the set of final writes.
    pub fn consistency_check(&self) -> ConsistencyCheck<'_, 'm> {
        let model = self.model;
        ConsistencyCheck {
            evaluator: self,
            rels: model.rels.iter().map(|_| None).collect(),
            sets: model.sets.iter().map(|_| None).collect(),
        }
    }

    /// The pairs of one relation of the model in an execution.
    pub fn edges(&self, exec: &Execution, rel: RelId) -> BitMatrix {
        let mut run = Evaluation::new(self, exec);
        run.rel(rel);
        run.take(rel)
    }

    /// Judges an execution.
    ///
    /// # Errors
    /// The first axiom that fails.
    pub fn eval(&self, exec: &Execution) -> Result<(), Violation> {
        let mut run = Evaluation::new(self, exec);
        for (index, axiom) in self.model.axioms.iter().enumerate() {
            run.rel(axiom.rel);
            let relation = run.get(axiom.rel);
            let cycle = match axiom.kind {
                AxiomKind::Acyclic => cycle(relation, &points(exec, self.per_location[index])),
                AxiomKind::Irreflexive => (0..exec.len)
                    .find(|e| relation.contains(*e, *e))
                    .map(|e| vec![e]),
                AxiomKind::Empty => relation.pairs().next().map(|(a, b)| vec![a, b]),
            };
            if let Some(cycle) = cycle {
                return Err(Violation {
                    axiom: index,
                    cycle,
                });
            }
        }
        Ok(())
    }
}

/// See [`Evaluator::consistency_check`].
pub struct ConsistencyCheck<'e, 'm> {
    evaluator: &'e Evaluator<'m>,
    /// What is the same for all executions, as far as it was needed.
    rels: IdVec<RelId, Option<BitMatrix>>,
    sets: IdVec<SetId, Option<Vec<bool>>>,
}

impl ConsistencyCheck<'_, '_> {
    /// Whether the model allows an execution.
    pub fn allows(&mut self, exec: &Execution) -> bool {
        let evaluator = self.evaluator;
        let mut run = Evaluation::new(evaluator, exec);
        std::mem::swap(&mut run.rels, &mut self.rels);
        std::mem::swap(&mut run.sets, &mut self.sets);
        let axioms = evaluator.model.axioms.iter().zip(&evaluator.per_location);
        let allowed = axioms.into_iter().all(|(axiom, per_location)| {
            run.rel(axiom.rel);
            let relation = run.get(axiom.rel);
            match axiom.kind {
                AxiomKind::Acyclic => is_acyclic(relation, &points(exec, *per_location)),
                AxiomKind::Irreflexive => (0..exec.len).all(|e| !relation.contains(e, e)),
                AxiomKind::Empty => relation.is_none(),
            }
        });
        for r in evaluator.varies.0.ids() {
            if evaluator.varies.0[r] {
                run.rels[r] = None;
            }
        }
        for s in evaluator.varies.1.ids() {
            if evaluator.varies.1[s] {
                run.sets[s] = None;
            }
        }
        self.rels = run.rels;
        self.sets = run.sets;
        allowed
    }
}

/// Relations and sets that depend on what executions of the same events differ in, see
/// [`Evaluator::consistency_check`].
fn varying(model: &Model, uses: &Uses) -> (IdVec<RelId, bool>, IdVec<SetId, bool>) {
    let mut rels: IdVec<RelId, bool> = uses.rels.iter().map(|used| !used.is_empty()).collect();
    let mut sets: IdVec<SetId, bool> = uses.sets.iter().map(|used| !used.is_empty()).collect();
    let varies = |o, rels: &IdVec<RelId, bool>, sets: &IdVec<SetId, bool>| match o {
        Operand::Rel(r) => rels[r],
        Operand::Set(s) => sets[s],
    };
    loop {
        let before = (rels.clone(), sets.clone());
        for (r, rel) in model.rels.iter_enumerated() {
            let base = matches!(rel, Rel::Base(BaseRel::Rf | BaseRel::Co | BaseRel::Fr));
            rels[r] |= base || operands(rel).any(|o| varies(o, &rels, &sets));
        }
        for (s, set) in model.sets.iter_enumerated() {
            let base = matches!(set, Set::Base(BaseSet::FW));
            sets[s] |= base || set_operands(set).any(|o| varies(o, &rels, &sets));
        }
        if (&rels, &sets) == (&before.0, &before.1) {
            return before;
        }
    }
}

/// The groups that are one point of an axiom's order.
fn points(exec: &Execution, per_location: bool) -> Vec<Option<u32>> {
    if exec.groups.iter().all(Option::is_none) {
        return Vec::new();
    }
    let one_point = |g: &AtomicGroup| g.is_fenced() || !per_location;
    let groups = exec.groups.iter();
    let number = |g: &Option<AtomicGroup>| g.filter(one_point).map(|g| g.number);
    groups.map(number).collect()
}

/// Whether [`cycle`] finds none.
fn is_acyclic(relation: &BitMatrix, groups: &[Option<u32>]) -> bool {
    if groups.iter().all(Option::is_none) {
        return relation.is_acyclic();
    }
    cycle(relation, groups).is_none()
}

/// Strongly connected components of "uses", a component after those it uses.
fn strata(uses: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    let mut reach = BitMatrix::identity(uses.len());
    for (v, used) in uses.iter().enumerate() {
        used.iter().for_each(|u| reach.insert(v, *u));
    }
    let reach = reach.plus();
    let mut order: Vec<usize> = (0..uses.len()).collect();
    // Whoever reaches fewer is used by whoever reaches more.
    order.sort_by_key(|v| (reach.successors(*v).count(), *v));
    let mut out: Vec<Vec<usize>> = Vec::new();
    for v in order {
        match out.last_mut() {
            Some(last) if reach.contains(v, last[0]) && reach.contains(last[0], v) => last.push(v),
            _ => {
                let together = out
                    .iter_mut()
                    .find(|c| reach.contains(v, c[0]) && reach.contains(c[0], v));
                match together {
                    Some(component) => component.push(v),
                    None => out.push(vec![v]),
                }
            }
        }
    }
    out
}

/// Evaluation of one execution.
struct Evaluation<'e, 'm> {
    evaluator: &'e Evaluator<'m>,
    exec: &'e Execution,
    rels: IdVec<RelId, Option<BitMatrix>>,
    sets: IdVec<SetId, Option<Vec<bool>>>,
    recs: Vec<BitMatrix>,
    /// The strata that are done.
    done: usize,
}

impl<'e, 'm> Evaluation<'e, 'm> {
    fn new(evaluator: &'e Evaluator<'m>, exec: &'e Execution) -> Self {
        let model = evaluator.model;
        Evaluation {
            evaluator,
            exec,
            rels: model.rels.iter().map(|_| None).collect(),
            sets: model.sets.iter().map(|_| None).collect(),
            recs: vec![BitMatrix::new(exec.len); model.recs.len()],
            done: 0,
        }
    }

    /// A relation that [`Evaluation::rel`] has made.
    fn get(&self, r: RelId) -> &BitMatrix {
        self.rels[r]
            .as_ref()
            .expect("operands are evaluated before what uses them")
    }

    fn take(&mut self, r: RelId) -> BitMatrix {
        self.rels[r].take().expect("it has just been evaluated")
    }

    /// Makes sure `root` is evaluated, recursive variables first.
    fn rel(&mut self, root: RelId) {
        let needs_variables = !self.evaluator.uses.rels[root].is_empty();
        if needs_variables && self.done < self.evaluator.strata.len() {
            for stratum in &self.evaluator.strata {
                self.fixpoint(stratum);
                self.done += 1;
            }
        }
        self.operands_first(root);
    }

    /// Iterates the variables of one stratum to their least values.
    fn fixpoint(&mut self, stratum: &[usize]) {
        let model = self.evaluator.model;
        let bodies: Vec<RelId> = model.recs.iter().copied().collect();
        loop {
            self.forget(stratum);
            stratum.iter().for_each(|v| self.operands_first(bodies[*v]));
            let mut grown = false;
            for v in stratum {
                let value = self.get(bodies[*v]).clone();
                grown |= value != self.recs[*v];
                self.recs[*v] = value;
            }
            if !grown {
                break;
            }
        }
    }

    /// Drops what was made with older values of these variables.
    fn forget(&mut self, stratum: &[usize]) {
        let (model, uses) = (self.evaluator.model, &self.evaluator.uses);
        let old = |used: &BTreeSet<usize>| stratum.iter().any(|v| used.contains(v));
        for r in model.rels.ids().filter(|r| old(&uses.rels[*r])) {
            self.rels[r] = None;
        }
        for s in model.sets.ids().filter(|s| old(&uses.sets[*s])) {
            self.sets[s] = None;
        }
    }

    /// Evaluates `root` and what it needs, without recursion: models may be deep.
    fn operands_first(&mut self, root: RelId) {
        let mut work = vec![Operand::Rel(root)];
        while let Some(todo) = work.last().copied() {
            let before = work.len();
            let missing = |operand: &Operand| match *operand {
                Operand::Rel(r) => self.rels[r].is_none(),
                Operand::Set(s) => self.sets[s].is_none(),
            };
            match todo {
                Operand::Rel(r) if self.rels[r].is_none() => {
                    let rel = &self.evaluator.model.rels[r];
                    work.extend(operands(rel).filter(missing));
                    if work.len() == before {
                        self.rels[r] = Some(self.make_rel(r));
                    }
                }
                Operand::Set(s) if self.sets[s].is_none() => {
                    let set = &self.evaluator.model.sets[s];
                    work.extend(set_operands(set).filter(missing));
                    if work.len() == before {
                        self.sets[s] = Some(self.make_set(s));
                    }
                }
                _ => {}
            }
            if work.len() == before {
                work.pop();
            }
        }
    }

    fn members(&self, s: SetId) -> &[bool] {
        self.sets[s]
            .as_ref()
            .expect("operands are evaluated before what uses them")
    }

    fn make_rel(&self, r: RelId) -> BitMatrix {
        let n = self.exec.len;
        match self.evaluator.model.rels[r] {
            Rel::Base(base) => self.base(base),
            Rel::Empty => BitMatrix::new(n),
            Rel::Union(a, b) => self.get(a).union(self.get(b)),
            Rel::Inter(a, b) => self.get(a).inter(self.get(b)),
            Rel::Diff(a, b) => self.get(a).diff(self.get(b)),
            Rel::Seq(a, b) => self.get(a).seq(self.get(b)),
            Rel::Inverse(a) => self.get(a).inverse(),
            Rel::Plus(a) => self.get(a).plus(),
            Rel::Identity(s) => {
                let members = self.members(s);
                let mut out = BitMatrix::new(n);
                (0..n)
                    .filter(|e| members[*e])
                    .for_each(|e| out.insert(e, e));
                out
            }
            Rel::Cross(s, t) => {
                let (from, to) = (self.members(s), self.members(t));
                let mut out = BitMatrix::new(n);
                for a in (0..n).filter(|a| from[*a]) {
                    (0..n).filter(|b| to[*b]).for_each(|b| out.insert(a, b));
                }
                out
            }
            Rel::Rec(v) => self.recs[v.index()].clone(),
        }
    }

    fn base(&self, base: BaseRel) -> BitMatrix {
        self.exec
            .rels
            .get(&base)
            .cloned()
            .unwrap_or_else(|| BitMatrix::new(self.exec.len))
    }

    fn make_set(&self, s: SetId) -> Vec<bool> {
        let n = self.exec.len;
        let zip = |a: SetId, b: SetId, f: fn(bool, bool) -> bool| -> Vec<bool> {
            self.members(a)
                .iter()
                .zip(self.members(b))
                .map(|(x, y)| f(*x, *y))
                .collect()
        };
        match &self.evaluator.model.sets[s] {
            Set::Base(base) => self.base_set(base),
            Set::All => vec![true; n],
            Set::Empty => vec![false; n],
            Set::Union(a, b) => zip(*a, *b, |x, y| x || y),
            Set::Inter(a, b) => zip(*a, *b, |x, y| x && y),
            Set::Diff(a, b) => zip(*a, *b, |x, y| x && !y),
            Set::Domain(r) => (0..n)
                .map(|e| self.get(*r).successors(e).next().is_some())
                .collect(),
            Set::Range(r) => {
                let mut out = vec![false; n];
                self.get(*r).pairs().for_each(|(_, b)| out[b] = true);
                out
            }
        }
    }

    fn base_set(&self, base: &BaseSet) -> Vec<bool> {
        self.exec
            .sets
            .get(base)
            .cloned()
            .unwrap_or_else(|| vec![false; self.exec.len])
    }
}

/// A cycle of `relation` when every group is one point; see the module's head.
fn cycle(relation: &BitMatrix, groups: &[Option<u32>]) -> Option<Vec<usize>> {
    if groups.iter().all(Option::is_none) {
        return relation.cycle();
    }
    let n = relation.len();
    // A group is represented by its first event.
    let group = |e: usize| groups.get(e).copied().flatten();
    let point: Vec<usize> = (0..n)
        .map(|e| {
            group(e)
                .and_then(|g| (0..e).find(|f| group(*f) == Some(g)))
                .unwrap_or(e)
        })
        .collect();
    let (mut inside, mut between) = (BitMatrix::new(n), BitMatrix::new(n));
    for (a, b) in relation.pairs() {
        if point[a] != point[b] {
            between.insert(point[a], point[b]);
        } else {
            inside.insert(a, b);
        }
    }
    if let Some(found) = inside.cycle() {
        return Some(found);
    }
    let points = between.cycle()?;
    // Each step between points is a pair of events; a point left by another event than it was
    // entered by is listed twice.
    let steps = points.iter().enumerate().map(|(i, from)| {
        let to = points[(i + 1) % points.len()];
        relation
            .pairs()
            .find(|(a, b)| point[*a] == *from && point[*b] == to)
            .expect("`between` has a pair for it")
    });
    let steps: Vec<(usize, usize)> = steps.collect();
    let mut out = Vec::new();
    for (i, (from, to)) in steps.iter().enumerate() {
        if out.last() != Some(from) {
            out.push(*from);
        }
        if i + 1 < steps.len() || *to != steps[0].0 {
            out.push(*to);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relation(n: usize, pairs: &[(usize, usize)]) -> BitMatrix {
        let mut out = BitMatrix::new(n);
        pairs.iter().for_each(|(a, b)| out.insert(*a, *b));
        out
    }

    #[test]
    fn a_group_is_one_point() {
        // 0 and 1 are a group; 2 comes after 0 and before 1: not one point.
        let r = relation(3, &[(0, 2), (2, 1)]);
        assert_eq!(cycle(&r, &[None, None, None]), None);
        assert_eq!(cycle(&r, &[Some(0), Some(0), None]), Some(vec![0, 2, 1]));
    }

    #[test]
    fn the_order_inside_a_group_counts() {
        let r = relation(3, &[(0, 1), (1, 0), (1, 2)]);
        assert_eq!(cycle(&r, &[Some(0), Some(0), None]), Some(vec![0, 1]));
        let r = relation(3, &[(0, 1), (1, 2), (0, 2)]);
        assert_eq!(cycle(&r, &[Some(0), Some(0), None]), None);
    }

    #[test]
    fn variables_are_iterated_after_those_they_use() {
        let uses = |u: &[&[usize]]| {
            u.iter()
                .map(|v| v.iter().copied().collect())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            strata(&uses(&[&[1], &[1, 2], &[2]])),
            vec![vec![2], vec![1], vec![0]]
        );
        assert_eq!(
            strata(&uses(&[&[1, 2], &[0], &[]])),
            vec![vec![2], vec![0, 1]]
        );
    }
}
