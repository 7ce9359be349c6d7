//! From all expressions ever made to those of the model.

use crate::build::{Builder, Renumbering};
use crate::model::{Axiom, Causality, Flag, Model, RecId, Rel, RelId, SetId};
use crate::uses::{Operand, operands, set_operands};
use std::collections::{BTreeMap, BTreeSet};

/// The model: what the axioms and flags use, renumbered without gaps in the order it was made.
pub(super) fn collect(
    build: &Builder,
    (axioms, flags): (&[Axiom], &[Flag]),
    names: &[(String, RelId)],
) -> Model {
    let mut used = BTreeSet::new();
    let roots = axioms.iter().map(|a| a.rel);
    let roots = roots.chain(flags.iter().map(|f| f.rel));
    let mut work: Vec<Operand> = roots.map(Operand::Rel).collect();
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
    let flags = flags
        .iter()
        .map(|f| Flag {
            rel: rel_map[&f.rel],
            ..f.clone()
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
        flags,
        names: named,
        tags: BTreeSet::new(),
        causal: Causality::Unknown,
        race: None,
        locks_synchronise: false,
        lifetime: None,
        robust: None,
    }
}
