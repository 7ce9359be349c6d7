//! Questions beside a memory model: data races, and accesses to objects that do not exist.
//!
//! What is asked for is cat text like the models (`models/lib/race.cat`, `lifetime.cat`): a relation
//! over the executions of any model, which the encoding asks for pairs of and [`super::edges`]
//! computes for one execution. Happens-before is subtracted from the races, and it is recursive;
//! see `encode::relations` for why that is sound in a question.

use super::build::Renumbering;
use super::compile::compile;
use super::library;
use super::model::{Model, RecId, RelId, SetId};
use crate::base::source::SourceMap;

/// The model with the relations of its races ([`Model::race`]) and of its accesses to objects that
/// do not exist ([`Model::lifetime`]), as far as they are asked for; its executions are the same.
pub fn with_queries(model: &Model, races: bool, lifetimes: bool) -> Model {
    let mut model = model.clone();
    if races {
        model.race = Some(add(&mut model, "race.cat"));
    }
    if lifetimes {
        model.lifetime = Some(add(&mut model, "lifetime.cat"));
    }
    model
}

/// Adds what a text defines; the relation that its only axiom asks for.
fn add(model: &mut Model, name: &str) -> RelId {
    let mut sources = SourceMap::default();
    let text = library::text(name).expect("the text is built in");
    let file = sources.add(format!("<{name}>"), text);
    // The text is constant, and a test compiles it.
    let question = compile(&mut sources, file, name).expect("the built-in text compiles");
    let (rels, sets, recs) = (model.rels.len(), model.sets.len(), model.recs.len());
    let numbers = Renumbering {
        rel: &|r| RelId(r.0 + rels as u32),
        set: &|s| SetId(s.0 + sets as u32),
        rec: &|r| RecId(r.0 + recs as u32),
    };
    for rel in question.rels.iter() {
        model.rels.push(numbers.of_rel(rel));
    }
    for set in question.sets.iter() {
        model.sets.push(numbers.of_set(set));
    }
    for body in question.recs.iter() {
        model.recs.push((numbers.rel)(*body));
    }
    let axiom = question.axioms.first();
    (numbers.rel)(axiom.expect("the built-in text has an axiom").rel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mm;

    #[test]
    fn every_model_can_be_asked() {
        for (name, _) in mm::names() {
            let model = mm::builtin(name).expect("the model is built in");
            let asked = with_queries(&model, true, true);
            for question in [asked.race, asked.lifetime] {
                assert!(question.is_some_and(|r| asked.rels.ids().any(|id| id == r)));
            }
            assert_eq!(asked.axioms.len(), model.axioms.len());
            let silent = with_queries(&model, false, false);
            assert_eq!((silent.race, silent.lifetime), (None, None));
        }
    }
}
