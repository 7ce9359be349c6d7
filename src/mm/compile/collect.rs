//! From all expressions ever made to those of the model.

use super::super::build::{Builder, Operand, operands, set_operands};
use super::super::model::{Axiom, Model, RecId, Rel, RelId, Set, SetId};
use crate::idx::IdVec;
use std::collections::{BTreeMap, BTreeSet};

/// The model: what the axioms use, renumbered without gaps in the order it was made.
pub(super) fn collect(build: &Builder, axioms: &[Axiom], names: &[(String, RelId)]) -> Model {
    let mut used = BTreeSet::new();
    let mut work: Vec<Operand> = axioms.iter().map(|a| Operand::Rel(a.rel)).collect();
    while let Some(operand) = work.pop() {
        if !used.insert(operand) {
            continue;
        }
        let (rels, sets) = match operand {
            Operand::Rel(r) => match &build.rels[r] {
                Rel::Rec(id) => (build.recs[*id].into_iter().collect(), vec![]),
                rel => operands(rel),
            },
            Operand::Set(s) => set_operands(&build.sets[s]),
        };
        work.extend(rels.into_iter().map(Operand::Rel));
        work.extend(sets.into_iter().map(Operand::Set));
    }
    let mut rel_map = BTreeMap::new();
    let mut set_map = BTreeMap::new();
    let mut rec_map: BTreeMap<RecId, RecId> = BTreeMap::new();
    for operand in &used {
        match operand {
            Operand::Rel(r) => {
                rel_map.insert(*r, RelId(rel_map.len() as u32));
                if let Rel::Rec(id) = build.rels[*r] {
                    rec_map.insert(id, RecId(rec_map.len() as u32));
                }
            }
            Operand::Set(s) => drop(set_map.insert(*s, SetId(set_map.len() as u32))),
        }
    }
    let mut rels = IdVec::new();
    for r in rel_map.keys() {
        rels.push(match build.rels[*r].clone() {
            Rel::Union(a, b) => Rel::Union(rel_map[&a], rel_map[&b]),
            Rel::Inter(a, b) => Rel::Inter(rel_map[&a], rel_map[&b]),
            Rel::Diff(a, b) => Rel::Diff(rel_map[&a], rel_map[&b]),
            Rel::Seq(a, b) => Rel::Seq(rel_map[&a], rel_map[&b]),
            Rel::Inverse(a) => Rel::Inverse(rel_map[&a]),
            Rel::Plus(a) => Rel::Plus(rel_map[&a]),
            Rel::Identity(s) => Rel::Identity(set_map[&s]),
            Rel::Cross(s, t) => Rel::Cross(set_map[&s], set_map[&t]),
            Rel::Rec(id) => Rel::Rec(rec_map[&id]),
            rel @ (Rel::Base(_) | Rel::Empty) => rel,
        });
    }
    let mut sets = IdVec::new();
    for s in set_map.keys() {
        sets.push(match build.sets[*s].clone() {
            Set::Union(a, b) => Set::Union(set_map[&a], set_map[&b]),
            Set::Inter(a, b) => Set::Inter(set_map[&a], set_map[&b]),
            Set::Diff(a, b) => Set::Diff(set_map[&a], set_map[&b]),
            Set::Domain(r) => Set::Domain(rel_map[&r]),
            Set::Range(r) => Set::Range(rel_map[&r]),
            set @ (Set::Base(_) | Set::All | Set::Empty) => set,
        });
    }
    let recs = rec_map
        .keys()
        .filter_map(|id| build.recs[*id])
        .map(|body| rel_map[&body])
        .collect();
    let axioms = axioms
        .iter()
        .map(|a| Axiom {
            rel: rel_map[&a.rel],
            ..a.clone()
        })
        .collect();
    let named = names
        .iter()
        .filter_map(|(n, r)| rel_map.get(r).map(|r| (n.clone(), *r)))
        .collect();
    Model {
        name: String::new(),
        title: String::new(),
        arch: None,
        rels,
        sets,
        recs,
        axioms,
        names: named,
        tags: BTreeSet::new(),
    }
}
