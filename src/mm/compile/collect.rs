//! From all expressions ever made to those of the model.

use crate::mm::build::{Builder, Operand, Renumbering, operands, set_operands};
use crate::mm::model::{Axiom, Model, RecId, Rel, RelId, SetId};
use std::collections::{BTreeMap, BTreeSet};

/// The model: what the axioms use, renumbered without gaps in the order it was made.
pub(super) fn collect(build: &Builder, axioms: &[Axiom], names: &[(String, RelId)]) -> Model {
    let mut used = BTreeSet::new();
    let mut work: Vec<Operand> = axioms.iter().map(|a| Operand::Rel(a.rel)).collect();
    while let Some(operand) = work.pop() {
        if !used.insert(operand) {
            continue;
        }
        match operand {
            Operand::Rel(r) => match &build.rels[r] {
                Rel::Rec(id) => work.extend(build.recs[*id].map(Operand::Rel)),
                rel => work.extend(operands(rel)),
            },
            Operand::Set(s) => work.extend(set_operands(&build.sets[s])),
        }
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
    let numbers = Renumbering {
        rel: &|r| rel_map[&r],
        set: &|s| set_map[&s],
        rec: &|id| rec_map[&id],
    };
    let rels = rel_map.keys().map(|r| numbers.of_rel(&build.rels[*r]));
    let rels = rels.collect();
    let sets = set_map.keys().map(|s| numbers.of_set(&build.sets[*s]));
    let sets = sets.collect();
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
        linked: true,
        rels,
        sets,
        recs,
        axioms,
        names: named,
        tags: BTreeSet::new(),
        causal: false,
        race: None,
        lifetime: None,
    }
}
