//! Queries beside a memory model: data races, accesses to objects that do not exist, and what is not sequentially
//! consistent.
//!
//! A query is cat text like the models (`models/lib/race.cat`, `lifetime.cat`, `robust.cat`): a relation
//! over the executions of any model, of which the encoding looks for pairs and [`super::edges`]
//! computes for one execution. Happens-before is subtracted from the races, and it is recursive;
//! see `encode::relations` for why that is sound in a query.

use super::build::Renumbering;
use super::compile::compile;
use super::library;
use super::model::{Flag, FlagKind, Model, RecId, RelId, SetId};
use base::source::{FileId, SourceMap, Span};

/// The model with the relations of its races ([`Model::race`]) and of its accesses to objects that
/// do not exist ([`Model::lifetime`]), as far as they are enabled; its executions are the same. A model
/// that flags races has its own definition; other flags are left out.
pub fn with_queries(model: &Model, races: bool, lifetimes: bool) -> Model {
    let synchronises = locks_synchronise(model);
    let mut model = model.clone();
    let own = model.flags.iter().find(|f| f.is_race()).map(|f| f.rel);
    model.flags.retain(|f| f.kind == FlagKind::Wrong);
    if races {
        model.locks_synchronise = synchronises;
        model.race = Some(own.unwrap_or_else(|| add(&mut model, "race.cat")));
    }
    if lifetimes {
        model.lifetime = Some(add(&mut model, "lifetime.cat"));
    }
    model
}

/// The model with the relation of which a cycle makes an execution not sequentially consistent
/// ([`Model::robust`]).
pub fn with_robustness(model: &Model) -> Model {
    let mut model = model.clone();
    model.robust = Some(add(&mut model, "robust.cat"));
    model
}

/// The mark of executions that are not sequentially consistent ([`with_robustness_mark`]).
pub const NOT_ROBUST: &str = "not robust";

/// The model with a mark of executions that are not sequentially consistent, in place of its own marks: for who
/// looks at executions one by one.
pub fn with_robustness_mark(model: &Model) -> Model {
    let mut model = model.clone();
    let rel = add(&mut model, "not-robust.cat");
    model.flags = vec![Flag {
        kind: FlagKind::Mark,
        rel,
        name: NOT_ROBUST.to_string(),
        // It stands in no text of the user's.
        span: Span {
            file: FileId(0),
            start: 0,
            end: 0,
        },
    }];
    model
}

/// Whether what is under one lock does not race, by the definition of races that is used with a model: that of
/// `race.cat`, or that of RC11 or of the Linux kernel; `relations::lockset` says why.
pub fn locks_synchronise(model: &Model) -> bool {
    let is_text_of = |name| super::builtin(name).is_some_and(|text| model.says_the_same_as(&text));
    !model.flags.iter().any(|f| f.is_race()) || ["rc11", "lkmm"].into_iter().any(is_text_of)
}

/// Adds what a text defines; the relation of its only axiom.
fn add(model: &mut Model, name: &str) -> RelId {
    let mut sources = SourceMap::default();
    let text = library::text(name).expect("the text is built in");
    let file = sources.add(format!("<{name}>"), text);
    // The text is constant, and a test compiles it.
    let query = compile(&mut sources, file, name).expect("the built-in text compiles");
    let (rels, sets, recs) = (model.rels.len(), model.sets.len(), model.recs.len());
    let numbers = Renumbering {
        rel: &|r| RelId(r.0 + rels as u32),
        set: &|s| SetId(s.0 + sets as u32),
        rec: &|r| RecId(r.0 + recs as u32),
    };
    for rel in query.rels.iter() {
        model.rels.push(numbers.of_rel(rel));
    }
    for set in query.sets.iter() {
        model.sets.push(numbers.of_set(set));
    }
    for body in query.recs.iter() {
        model.recs.push((numbers.rel)(*body));
    }
    let axiom = query.axioms.first();
    (numbers.rel)(axiom.expect("the built-in text has an axiom").rel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_takes_queries() {
        for (name, _) in crate::names() {
            let model = crate::builtin(name).expect("the model is built in");
            let extended = with_queries(&model, true, true);
            for query in [extended.race, extended.lifetime] {
                assert!(query.is_some_and(|r| extended.rels.ids().any(|id| id == r)));
            }
            assert_eq!(extended.axioms.len(), model.axioms.len());
            let silent = with_queries(&model, false, false);
            assert_eq!((silent.race, silent.lifetime), (None, None));
        }
    }
}
