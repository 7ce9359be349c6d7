//! What can be seen of a model by the look of its axioms, to leave out executions early.
//!
//! Each question is answered "yes" only for a syntactic form that surely has the effect; a model
//! that says the same in other words is judged without help.

use crate::mm::model::{AxiomKind, BaseRel, Model, Rel, RelId};

/// The operands of a nest of unions.
fn parts(model: &Model, rel: RelId) -> Vec<RelId> {
    let (mut out, mut work) = (Vec::new(), vec![rel]);
    while let Some(rel) = work.pop() {
        match model.rels[rel] {
            Rel::Union(a, b) => work.extend([a, b]),
            _ => out.push(rel),
        }
    }
    out
}

fn is(model: &Model, rel: RelId, base: BaseRel) -> bool {
    model.rels[rel] == Rel::Base(base)
}

/// Whether `rel` is the intersection of two base relations.
fn both(model: &Model, rel: RelId, x: BaseRel, y: BaseRel) -> bool {
    match model.rels[rel] {
        Rel::Inter(a, b) => {
            (is(model, a, x) && is(model, b, y)) || (is(model, a, y) && is(model, b, x))
        }
        _ => false,
    }
}

/// `acyclic po-loc | rf | co | fr`, or of more.
pub(super) fn is_coherent(model: &Model) -> bool {
    acyclic(model).any(|parts| {
        let has = |base| parts.iter().any(|p| is(model, *p, base));
        let po_loc = |p: &RelId| both(model, *p, BaseRel::Po, BaseRel::Loc);
        let ordered = has(BaseRel::Po) || parts.iter().any(po_loc);
        ordered && has(BaseRel::Rf) && has(BaseRel::Co) && has(BaseRel::Fr)
    })
}

/// `acyclic rf | addr | data | ctrl`, or of more.
pub(super) fn is_thin(model: &Model) -> bool {
    acyclic(model).any(|parts| {
        let has = |base| parts.iter().any(|p| is(model, *p, base));
        let dependent = [BaseRel::Addr, BaseRel::Data, BaseRel::Ctrl].map(has);
        has(BaseRel::Rf) && (has(BaseRel::Po) || dependent == [true; 3])
    })
}

/// `empty rmw & (fre; coe)`.
pub(super) fn is_atomic(model: &Model) -> bool {
    let between = |rel: RelId| match model.rels[rel] {
        Rel::Seq(a, b) => {
            both(model, a, BaseRel::Fr, BaseRel::Ext) && both(model, b, BaseRel::Co, BaseRel::Ext)
        }
        _ => false,
    };
    let empty = model.axioms.iter().filter(|a| a.kind == AxiomKind::Empty);
    empty.into_iter().any(|axiom| match model.rels[axiom.rel] {
        Rel::Inter(a, b) => {
            (is(model, a, BaseRel::Rmw) && between(b)) || (is(model, b, BaseRel::Rmw) && between(a))
        }
        _ => false,
    })
}

/// The parts of each relation that must be acyclic.
fn acyclic(model: &Model) -> impl Iterator<Item = Vec<RelId>> + '_ {
    let asked = model.axioms.iter().filter(|a| a.kind == AxiomKind::Acyclic);
    asked.map(|a| parts(model, a.rel))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::source::SourceMap;
    use crate::mm;

    #[test]
    fn built_in_models_are_coherent_and_atomic() {
        for (name, _) in mm::names() {
            let model = mm::builtin(name).expect("built in");
            assert!(is_coherent(&model) && is_atomic(&model), "{name}");
            assert_eq!(is_thin(&model), name != "power", "{name}");
        }
    }

    #[test]
    fn less_is_not_enough() {
        let model = |text: &str| {
            let mut sources = SourceMap::default();
            let file = sources.add("m.cat", text);
            mm::compile(&mut sources, file, "m").expect("the text is right")
        };
        for text in [
            "acyclic po-loc | rf | co",
            "acyclic (po-loc & (W * W)) | rf | co | fr",
            "irreflexive po-loc | rf | co | fr",
            "acyclic po-loc | (rf & ext) | co | fr",
        ] {
            assert!(!is_coherent(&model(text)), "{text}");
        }
        assert!(!is_atomic(&model("empty rmw & (fr; co)")));
        assert!(!is_thin(&model("acyclic rf | addr | data")));
    }
}
