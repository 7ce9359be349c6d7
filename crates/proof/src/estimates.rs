//! May and must of every relation and set of the model's text, by the meaning of its operators.
//!
//! The base relations are those of [`Facts`]. A recursive relation begins as nothing and grows with its
//! body until nothing changes. Must of a sequence asks that the event in the middle happens when one of
//! the ends does.

use super::facts::{Estimate, Facts, Node};
use base::bits::BitMatrix;
use base::idx::IdVec;
use cat::model::{BaseSet, Model, RecId, Rel, RelId, Set, SetId};
use std::rc::Rc;

type Members = (Vec<bool>, Vec<bool>);

/// Estimates of what the axioms and queries depend on.
pub struct Estimates {
    rels: IdVec<RelId, Option<Rc<Estimate>>>,
    sets: IdVec<SetId, Option<Rc<Members>>>,
    recs: IdVec<RecId, Estimate>,
    /// Evaluated with recursive relations as they were then.
    depends: IdVec<RelId, bool>,
}

impl Estimates {
    /// Of what some relations depend on.
    pub fn new(facts: &Facts, roots: &[RelId]) -> Estimates {
        let model = facts.model;
        let nothing = || Estimate {
            may: facts.none(),
            must: facts.none(),
        };
        let mut made = Estimates {
            rels: model.rels.ids().map(|_| None).collect(),
            sets: model.sets.ids().map(|_| None).collect(),
            recs: model.recs.ids().map(|_| nothing()).collect(),
            depends: model.rels.ids().map(|_| false).collect(),
        };
        loop {
            for root in roots {
                made.rel(facts, *root);
            }
            let mut grown = false;
            for rec in model.recs.ids() {
                // Those that nothing depends on have not been met.
                let Some(body) = made.rels[model.recs[rec]].clone() else {
                    continue;
                };
                let value = &mut made.recs[rec];
                if *value != *body {
                    *value = (*body).clone();
                    grown = true;
                }
            }
            if !grown {
                return made;
            }
            made.forget(model);
        }
    }

    /// May and must of a relation.
    pub fn of(&self, rel: RelId) -> &Estimate {
        let made = self.rels[rel].as_ref();
        made.expect("what the axioms depend on has been evaluated")
    }

    /// The same, of a relation that may have nothing to do with the axioms.
    pub fn known(&self, rel: RelId) -> Option<&Estimate> {
        self.rels[rel].as_deref()
    }

    /// The axioms depend on a set.
    pub fn has(&self, set: SetId) -> bool {
        self.sets[set].is_some()
    }

    /// A relation depends on recursive ones.
    pub fn is_recursive(&self, rel: RelId) -> bool {
        self.depends[rel]
    }

    /// May and must of a set, by node.
    pub fn members(&self, set: SetId) -> &Members {
        let made = self.sets[set].as_ref();
        made.expect("what the axioms depend on has been evaluated")
    }

    /// Drops all that depends on a recursive relation.
    fn forget(&mut self, model: &Model) {
        let mut depends: IdVec<RelId, bool> = model.rels.ids().map(|_| false).collect();
        let mut by_set: IdVec<SetId, bool> = model.sets.ids().map(|_| false).collect();
        loop {
            let mut grown = false;
            for r in model.rels.ids() {
                let now = match model.rels[r] {
                    Rel::Rec(_) => true,
                    Rel::Union(a, b) | Rel::Inter(a, b) | Rel::Diff(a, b) | Rel::Seq(a, b) => {
                        depends[a] || depends[b]
                    }
                    Rel::Inverse(a) | Rel::Plus(a) => depends[a],
                    Rel::Identity(s) => by_set[s],
                    Rel::Cross(s, t) => by_set[s] || by_set[t],
                    Rel::Base(_) | Rel::Empty => false,
                };
                grown |= now && !std::mem::replace(&mut depends[r], now);
            }
            for s in model.sets.ids() {
                let now = match model.sets[s] {
                    Set::Union(a, b) | Set::Inter(a, b) | Set::Diff(a, b) => by_set[a] || by_set[b],
                    Set::Domain(r) | Set::Range(r) => depends[r],
                    Set::Base(_) | Set::All | Set::Empty => false,
                };
                grown |= now && !std::mem::replace(&mut by_set[s], now);
            }
            if !grown {
                break;
            }
        }
        for r in model.rels.ids().filter(|r| depends[*r]) {
            self.rels[r] = None;
        }
        for s in model.sets.ids().filter(|s| by_set[*s]) {
            self.sets[s] = None;
        }
        self.depends = depends;
    }

    fn rel(&mut self, facts: &Facts, rel: RelId) -> Rc<Estimate> {
        if let Some(made) = &self.rels[rel] {
            return made.clone();
        }
        let mut get = |r: RelId| self.rel(facts, r);
        let made = match facts.model.rels[rel] {
            Rel::Base(base) => facts.base[&base].clone(),
            Rel::Empty => Rc::new(Estimate {
                may: facts.none(),
                must: facts.none(),
            }),
            Rel::Union(a, b) => {
                let (a, b) = (get(a), get(b));
                Rc::new(Estimate {
                    may: a.may.union(&b.may),
                    must: a.must.union(&b.must),
                })
            }
            Rel::Inter(a, b) => {
                let (a, b) = (get(a), get(b));
                Rc::new(Estimate {
                    may: a.may.inter(&b.may),
                    must: a.must.inter(&b.must),
                })
            }
            Rel::Diff(a, b) => {
                let (a, b) = (get(a), get(b));
                Rc::new(Estimate {
                    may: a.may.diff(&b.must),
                    must: a.must.diff(&b.may),
                })
            }
            Rel::Seq(a, b) => {
                let (a, b) = (get(a), get(b));
                Rc::new(Estimate {
                    may: a.may.seq(&b.may),
                    must: sequence(facts, &a.must, &b.must),
                })
            }
            Rel::Inverse(a) => {
                let a = get(a);
                Rc::new(Estimate {
                    may: a.may.inverse(),
                    must: a.must.inverse(),
                })
            }
            Rel::Plus(a) => {
                let a = get(a);
                Rc::new(Estimate {
                    may: a.may.plus(),
                    must: closure(facts, &a.must),
                })
            }
            Rel::Identity(s) => {
                let members = self.set(facts, s);
                let diagonal = |of: &[bool]| product(of, of, &|a, b| a == b);
                Rc::new(Estimate {
                    may: diagonal(&members.0),
                    must: diagonal(&members.1),
                })
            }
            Rel::Cross(s, t) => {
                let (s, t) = (self.set(facts, s), self.set(facts, t));
                let any = |_, _| true;
                Rc::new(Estimate {
                    may: product(&s.0, &t.0, &any),
                    must: product(&s.1, &t.1, &any),
                })
            }
            Rel::Rec(v) => {
                let value = Rc::new(self.recs[v].clone());
                self.rels[rel] = Some(value.clone());
                // Its body is evaluated as well, for the next iteration.
                self.rel(facts, facts.model.recs[v]);
                value
            }
        };
        self.rels[rel] = Some(made.clone());
        made
    }

    fn set(&mut self, facts: &Facts, set: SetId) -> Rc<Members> {
        if let Some(made) = &self.sets[set] {
            return made.clone();
        }
        let n = facts.len();
        let zip = |a: &[bool], b: &[bool], f: fn(bool, bool) -> bool| -> Vec<bool> {
            a.iter().zip(b).map(|(x, y)| f(*x, *y)).collect()
        };
        let minus = |x: bool, y: bool| x && !y;
        let made = match &facts.model.sets[set] {
            Set::Base(base) => facts.base_set(base),
            Set::All => (vec![true; n], vec![true; n]),
            Set::Empty => (vec![false; n], vec![false; n]),
            Set::Union(a, b) => {
                let (a, b) = (self.set(facts, *a), self.set(facts, *b));
                let or = |x, y| x || y;
                (zip(&a.0, &b.0, or), zip(&a.1, &b.1, or))
            }
            Set::Inter(a, b) => {
                let (a, b) = (self.set(facts, *a), self.set(facts, *b));
                let and = |x, y| x && y;
                (zip(&a.0, &b.0, and), zip(&a.1, &b.1, and))
            }
            Set::Diff(a, b) => {
                let (a, b) = (self.set(facts, *a), self.set(facts, *b));
                (zip(&a.0, &b.1, minus), zip(&a.1, &b.0, minus))
            }
            Set::Domain(r) => ends(facts, &self.rel(facts, *r), false),
            Set::Range(r) => ends(facts, &self.rel(facts, *r), true),
        };
        let made = Rc::new(self.set_by_cases(facts, set, made));
        self.sets[set] = Some(made.clone());
        made
    }

    /// What is known of a set that is made of others: the read of a read-modify-write has its own tags or those
    /// that a write gives it, so it is a member if it is one in each case, and none if it is none in each.
    fn set_by_cases(&self, facts: &Facts, set: SetId, (mut may, mut must): Members) -> Members {
        let is_made = matches!(
            facts.model.sets[set],
            Set::Union(..) | Set::Inter(..) | Set::Diff(..)
        );
        let open: Vec<Node> = (0..facts.len()).filter(|n| may[*n] && !must[*n]).collect();
        for n in open.into_iter().filter(|_| is_made) {
            let written = facts.stores[n].iter().map(|w| Some(*w));
            let always = facts.stores[n].iter().any(|w| facts.implies(n, *w));
            let cases = written.chain((!always).then_some(None));
            let cases = cases.map(|write| self.in_case(facts, set, n, write));
            let cases: Vec<(bool, bool)> = cases.collect();
            may[n] = cases.iter().any(|case| case.0);
            must[n] = cases.iter().all(|case| case.1);
        }
        (may, must)
    }

    /// An event may be, and surely is, a member where this write of its read-modify-write happens, or none.
    fn in_case(&self, facts: &Facts, set: SetId, n: Node, write: Option<Node>) -> (bool, bool) {
        let of = |part: SetId| self.in_case(facts, part, n, write);
        match facts.model.sets[set] {
            Set::Base(BaseSet::Tag(ref tag)) => {
                let own = || facts.has_tag(n, tag);
                let has = write.map_or_else(own, |w| facts.gives_tag(w, tag));
                (has, has)
            }
            Set::Union(a, b) => {
                let ((x, sure), (y, other)) = (of(a), of(b));
                (x || y, sure || other)
            }
            Set::Inter(a, b) => {
                let ((x, sure), (y, other)) = (of(a), of(b));
                (x && y, sure && other)
            }
            Set::Diff(a, b) => {
                let ((x, sure), (y, other)) = (of(a), of(b));
                (x && !other, sure && !y)
            }
            _ => {
                let known = self.sets[set].as_ref();
                let members = known.expect("parts are estimated before what is made of them");
                (members.0[n], members.1[n])
            }
        }
    }
}

fn product(from: &[bool], to: &[bool], related: &dyn Fn(Node, Node) -> bool) -> BitMatrix {
    let mut out = BitMatrix::new(from.len());
    for a in (0..from.len()).filter(|a| from[*a]) {
        let to = (0..to.len()).filter(|b| to[*b] && related(a, *b));
        to.for_each(|b| out.insert(a, b));
    }
    out
}

/// The middle happens when one of the ends does.
fn sequence(facts: &Facts, first: &BitMatrix, second: &BitMatrix) -> BitMatrix {
    let mut out = facts.none();
    for a in 0..facts.len() {
        for m in first.successors(a) {
            for b in second.successors(m) {
                if facts.implies(a, m) || facts.implies(b, m) {
                    out.insert(a, b);
                }
            }
        }
    }
    out
}

fn closure(facts: &Facts, step: &BitMatrix) -> BitMatrix {
    let mut out = step.clone();
    for a in 0..facts.len() {
        let mut work: Vec<Node> = step.successors(a).collect();
        while let Some(m) = work.pop() {
            for b in step.successors(m) {
                let sure = facts.implies(a, m) || facts.implies(b, m);
                if sure && !out.contains(a, b) {
                    out.insert(a, b);
                    work.push(b);
                }
            }
        }
    }
    out
}

fn ends(facts: &Facts, of: &Estimate, range: bool) -> Members {
    let mut members = (vec![false; facts.len()], vec![false; facts.len()]);
    for (a, b) in of.may.pairs() {
        members.0[if range { b } else { a }] = true;
    }
    for (a, b) in of.must.pairs() {
        let (this, other) = if range { (b, a) } else { (a, b) };
        members.1[this] |= facts.implies(this, other);
    }
    members
}
