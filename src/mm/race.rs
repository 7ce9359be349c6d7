//! Data races as a relation beside a memory model.
//!
//! What a race is, is cat text like the models (`models/lib/race.cat`): a relation over the
//! executions of any model, which the encoding asks for pairs of and [`super::edges`] computes for
//! one execution. Happens-before is subtracted there, and it is recursive; see
//! `encode::relations` for why that is sound in a question.

use super::build::Renumbering;
use super::compile::compile;
use super::library;
use super::model::{Axiom, AxiomKind, BaseRel, Model, RecId, Rel, RelId, SetId};
use crate::front::source::SourceMap;

/// The file that defines what a race is.
const TEXT: &str = "race.cat";

/// The model with the relations of its races ([`Model::race`]) and of its uses of what is freed
/// ([`Model::lifetime`]); its executions are the same.
pub fn with_races(model: &Model) -> Model {
    let mut sources = SourceMap::default();
    let text = library::text(TEXT).expect("the text is built in");
    let file = sources.add(format!("<{TEXT}>"), text);
    // The text is constant, and a test compiles it.
    let races = compile(&mut sources, file, TEXT).expect("the built-in text compiles");
    let mut model = model.clone();
    let (rels, sets, recs) = (model.rels.len(), model.sets.len(), model.recs.len());
    let numbers = Renumbering {
        rel: &|r| RelId(r.0 + rels as u32),
        set: &|s| SetId(s.0 + sets as u32),
        rec: &|r| RecId(r.0 + recs as u32),
    };
    for rel in races.rels.iter() {
        model.rels.push(numbers.of_rel(rel));
    }
    for set in races.sets.iter() {
        model.sets.push(numbers.of_set(set));
    }
    for body in races.recs.iter() {
        model.recs.push((numbers.rel)(*body));
    }
    let asked = |name: &str| {
        let axiom = races.axioms.iter().find(|axiom| axiom.name == name);
        axiom.map(|axiom| (numbers.rel)(axiom.rel))
    };
    model.race = asked("race");
    model.lifetime = asked(match takes_turns(&model) {
        true => "turns",
        false => "lifetime",
    });
    model
}

/// Whether an axiom says that accesses take turns: `acyclic po | rf | co | fr`, or of more.
fn takes_turns(model: &Model) -> bool {
    let acyclic = |axiom: &&Axiom| axiom.kind == AxiomKind::Acyclic;
    model.axioms.iter().filter(acyclic).any(|axiom| {
        let (mut found, mut work) = (Vec::new(), vec![axiom.rel]);
        while let Some(rel) = work.pop() {
            match &model.rels[rel] {
                Rel::Union(a, b) => work.extend([*a, *b]),
                Rel::Base(base) => found.push(*base),
                _ => {}
            }
        }
        let turns = [BaseRel::Po, BaseRel::Rf, BaseRel::Co, BaseRel::Fr];
        turns.iter().all(|base| found.contains(base))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mm;

    #[test]
    fn threads_take_turns_on_sc_alone() {
        for (name, _) in mm::names() {
            let model = mm::builtin(name).expect("the model is built in");
            assert_eq!(takes_turns(&model), name == "sc", "{name}");
        }
    }

    #[test]
    fn every_model_can_be_asked_for_races() {
        for (name, _) in mm::names() {
            let model = mm::builtin(name).expect("the model is built in");
            let asked = with_races(&model);
            for question in [asked.race, asked.lifetime] {
                assert!(question.is_some_and(|r| asked.rels.ids().any(|id| id == r)));
            }
            assert_eq!(asked.axioms.len(), model.axioms.len());
        }
    }
}
