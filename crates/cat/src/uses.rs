//! What relations and sets of a model are made of.

use super::model::{Model, Rel, RelId, Set, SetId};
use base::idx::{Id, IdVec};
use std::collections::BTreeSet;

/// An operand of something.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operand {
    /// A relation.
    Rel(RelId),
    /// A set.
    Set(SetId),
}

/// The operands of a relation.
pub fn operands(rel: &Rel) -> impl Iterator<Item = Operand> + use<> {
    use Operand::{Rel as R, Set as S};
    let both = match *rel {
        Rel::Base(_) | Rel::Empty | Rel::Rec(_) => [None, None],
        Rel::Union(a, b) | Rel::Inter(a, b) | Rel::Diff(a, b) | Rel::Seq(a, b) => {
            [Some(R(a)), Some(R(b))]
        }
        Rel::Inverse(a) | Rel::Plus(a) => [Some(R(a)), None],
        Rel::Identity(s) => [Some(S(s)), None],
        Rel::Cross(s, t) => [Some(S(s)), Some(S(t))],
    };
    both.into_iter().flatten()
}

/// The operands of a set.
pub fn set_operands(set: &Set) -> impl Iterator<Item = Operand> + use<> {
    use Operand::{Rel as R, Set as S};
    let both = match *set {
        Set::Base(_) | Set::All | Set::Empty => [None, None],
        Set::Union(a, b) | Set::Inter(a, b) | Set::Diff(a, b) => [Some(S(a)), Some(S(b))],
        Set::Domain(r) | Set::Range(r) => [Some(R(r)), None],
    };
    both.into_iter().flatten()
}

/// The relations and sets that an axiom or a question depends on.
pub fn used(model: &Model) -> (IdVec<RelId, bool>, IdVec<SetId, bool>) {
    let mut rels: IdVec<RelId, bool> = model.rels.ids().map(|_| false).collect();
    let mut sets: IdVec<SetId, bool> = model.sets.ids().map(|_| false).collect();
    let mut work: Vec<Operand> = model.roots().map(Operand::Rel).collect();
    while let Some(next) = work.pop() {
        match next {
            Operand::Rel(r) if !std::mem::replace(&mut rels[r], true) => match &model.rels[r] {
                Rel::Rec(v) => work.push(Operand::Rel(model.recs[*v])),
                made => work.extend(operands(made)),
            },
            Operand::Set(s) if !std::mem::replace(&mut sets[s], true) => {
                work.extend(set_operands(&model.sets[s]));
            }
            _ => {}
        }
    }
    (rels, sets)
}

/// The relations that are asked for, subtracted, or taken the ends of, and what these are made of.
pub fn exact_uses(model: &Model) -> IdVec<RelId, bool> {
    let mut exact: IdVec<RelId, bool> = model.rels.ids().map(|_| false).collect();
    let (rels, sets) = used(model);
    let mut work: Vec<RelId> = model.queries().collect();
    let rels = model.rels.ids().filter(|rel| rels[*rel]);
    work.extend(rels.filter_map(|rel| match model.rels[rel] {
        Rel::Diff(_, subtracted) => Some(subtracted),
        _ => None,
    }));
    let sets = model.sets.ids().filter(|set| sets[*set]);
    work.extend(sets.filter_map(|set| match model.sets[set] {
        Set::Domain(of) | Set::Range(of) => Some(of),
        _ => None,
    }));
    while let Some(rel) = work.pop() {
        if !std::mem::replace(&mut exact[rel], true) {
            match &model.rels[rel] {
                Rel::Rec(variable) => work.push(model.recs[*variable]),
                made => work.extend(operands(made).filter_map(|operand| match operand {
                    Operand::Rel(r) => Some(r),
                    Operand::Set(_) => None,
                })),
            }
        }
    }
    exact
}

/// For every relation and every set the recursive variables in it, through everything but other
/// variables' bodies.
pub fn direct_uses(model: &Model) -> Uses {
    let mut uses = Uses {
        rels: model.rels.iter().map(|_| BTreeSet::new()).collect(),
        sets: model.sets.iter().map(|_| BTreeSet::new()).collect(),
    };
    // Relations and sets alternate at most a few times, so a few iterations reach the end.
    loop {
        let mut grown = false;
        for (s, set) in model.sets.iter_enumerated() {
            let of = uses.of(set_operands(set));
            grown |= of.len() > uses.sets[s].len();
            uses.sets[s] = of;
        }
        for (r, rel) in model.rels.iter_enumerated() {
            let mut of = uses.of(operands(rel));
            if let Rel::Rec(v) = rel {
                of.insert(v.index());
            }
            grown |= of.len() > uses.rels[r].len();
            uses.rels[r] = of;
        }
        if !grown {
            return uses;
        }
    }
}

/// Recursive variables by relation and by set.
pub struct Uses {
    /// By relation.
    pub rels: IdVec<RelId, BTreeSet<usize>>,
    /// By set.
    pub sets: IdVec<SetId, BTreeSet<usize>>,
}

impl Uses {
    fn of(&self, operands: impl Iterator<Item = Operand>) -> BTreeSet<usize> {
        let used = |operand| match operand {
            Operand::Rel(r) => &self.rels[r],
            Operand::Set(s) => &self.sets[s],
        };
        operands.flat_map(used).copied().collect()
    }
}
