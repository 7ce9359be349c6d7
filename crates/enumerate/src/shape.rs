//! What can be seen of a model by the look of its axioms, to leave out executions early.
//!
//! Each question is answered "yes" only for a syntactic form that surely has the effect; a model
//! that says the same in other words is judged without help.

use cat::model::{BaseRel, BaseSet, Model, Rel, RelId, Set, SetId};
use cat::pattern::{
    acyclic_unions, intersected, is_base, is_coherent, is_intersection, union_parts,
};

/// What all models are known to ask for.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub coherent: bool,
    pub atomic: bool,
}

/// `acyclic rf | addr | data | ctrl`, or of more; or, in a coherent model, `acyclic rfe | …` of what
/// takes a value from a read to a write of its thread ([`carries`]).
pub(super) fn is_thin(model: &Model) -> bool {
    let coherent = is_coherent(model);
    acyclic_unions(model).any(|parts| {
        let has = |base| parts.iter().any(|p| is_base(model, *p, base));
        let dependent = [BaseRel::Addr, BaseRel::Data, BaseRel::Ctrl].map(has);
        let communicated = parts
            .iter()
            .any(|p| is_intersection(model, *p, BaseRel::Rf, BaseRel::Ext));
        let carried = parts.iter().any(|p| carries(model, *p));
        (has(BaseRel::Rf) && (has(BaseRel::Po) || dependent == [true; 3]))
            || (coherent && communicated && carried)
    })
}

/// Whether a relation contains every way in which a thread makes what it writes from what it read:
/// a chain of dependencies in which it may read its own writes. A branch matters for all that
/// follows, so only the last dependency need be looked at for it: `[R]; (y | x+; y); [W]` with
/// `addr`, `data` and `rfi` in `x`, and `addr`, `data` and `ctrl` in `y`.
fn carries(model: &Model, rel: RelId) -> bool {
    let in_set = |set: SetId, wanted: &BaseSet| match &model.sets[set] {
        Set::All => true,
        set => *set == Set::Base(wanted.clone()),
    };
    intersected(model, rel).any(|(rel, ends)| match model.rels[ends] {
        Rel::Cross(from, to) => {
            in_set(from, &BaseSet::R) && in_set(to, &BaseSet::W) && has_chains(model, rel)
        }
        _ => false,
    })
}

/// `y | x+; y`, or more.
fn has_chains(model: &Model, rel: RelId) -> bool {
    let own = |p: &RelId| is_intersection(model, *p, BaseRel::Rf, BaseRel::Int);
    let is_chain = |p: &RelId| match model.rels[*p] {
        Rel::Plus(x) => {
            let x = union_parts(model, x);
            has_all(model, &x, &[BaseRel::Addr, BaseRel::Data]) && x.iter().any(own)
        }
        _ => false,
    };
    let depends = |parts: Vec<RelId>| {
        let once = parts.into_iter().flat_map(|p| match model.rels[p] {
            Rel::Plus(y) => union_parts(model, y),
            _ => vec![p],
        });
        let dependencies = [BaseRel::Addr, BaseRel::Data, BaseRel::Ctrl];
        has_all(model, &once.collect::<Vec<_>>(), &dependencies)
    };
    let all = union_parts(model, rel);
    let followed = |p: &RelId| match model.rels[*p] {
        Rel::Seq(a, b) => {
            union_parts(model, a).iter().any(is_chain) && depends(union_parts(model, b))
        }
        _ => false,
    };
    all.iter().any(followed) && depends(all)
}

fn has_all(model: &Model, parts: &[RelId], wanted: &[BaseRel]) -> bool {
    let has = |base: &BaseRel| parts.iter().any(|p| is_base(model, *p, *base));
    wanted.iter().all(has)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::source::SourceMap;
    use cat::pattern::is_atomic;

    /// Models of languages say the same in other words, or do not ask for it.
    #[test]
    fn built_in_models_of_machines_are_coherent_and_atomic() {
        let names = cat::names().map(|(name, _)| name);
        for name in names.filter(|name| !["rc11", "lkmm"].contains(name)) {
            let model = cat::builtin(name).expect("built in");
            assert!(is_coherent(&model) && is_atomic(&model), "{name}");
            assert!(is_thin(&model), "{name}");
        }
    }

    #[test]
    fn less_is_not_enough() {
        let model = |text: &str| {
            let mut sources = SourceMap::default();
            let file = sources.add("m.cat", text);
            cat::compile(&mut sources, file, "m").expect("the text is right")
        };
        for text in [
            "acyclic po-loc | rf | co",
            "acyclic (po-loc & (W * W)) | rf | co | fr",
            "irreflexive po-loc | rf | co | fr",
            "acyclic po-loc | (rf & ext) | co | fr",
            "irreflexive po-loc; (rf | co)^+",
            "irreflexive po-loc; (rf | co | fr)",
            "irreflexive (po & ext); (rf | co | fr)^+",
        ] {
            assert!(!is_coherent(&model(text)), "{text}");
        }
        for text in [
            "irreflexive po-loc; (rf | co | fr)^+",
            "let hb = (po | rf)^+ let eco = (rf | co | fr)^+ irreflexive hb; eco?",
        ] {
            assert!(is_coherent(&model(text)), "{text}");
        }
        assert!(!is_atomic(&model("empty rmw & ((fr & int); co)")));
        assert!(is_atomic(&model("empty rmw & (fr; co)")));
        let own = "let rfi = rf & int let rfe = rf & ext acyclic po-loc | rf | co | fr as c\n";
        assert!(is_thin(&model(&format!(
            "{own} let x = (addr | data | rfi)+ acyclic rfe | ([R]; (x?; (addr | data | ctrl)); [W])"
        ))));
        for text in [
            "acyclic rf | addr | data",
            "acyclic (rf & ext) | addr | data | ctrl",
            "let x = (addr | data)+ acyclic rfe | ([R]; (x?; (addr | data | ctrl)); [W])",
            "let x = (addr | data | rfi)+ acyclic rfe | ([R]; (x; (addr | data | ctrl)); [W])",
            "let x = (addr | data | rfi)+ acyclic rfe | ([R]; (x?; (addr | data)); [W])",
            "let x = (addr | data | rfi)+ acyclic rfe | ([W]; (x?; (addr | data | ctrl)); [W])",
        ] {
            assert!(!is_thin(&model(&format!("{own} {text}"))), "{text}");
        }
    }
}
