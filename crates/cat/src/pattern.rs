//! Axioms by their look: what a model's text asks for in so many words.
//!
//! Each function answers "yes" only for a syntactic form that surely has the effect. A model that
//! says the same in other words loses a shortcut, never an answer.

use super::model::{Axiom, AxiomKind, BaseRel, BaseSet, Model, Rel, RelId, Set, SetId};

/// The operands of a nest of unions.
pub fn union_parts(model: &Model, rel: RelId) -> Vec<RelId> {
    match model.rels[rel] {
        Rel::Union(a, b) => {
            let mut out = union_parts(model, a);
            out.extend(union_parts(model, b));
            out
        }
        _ => vec![rel],
    }
}

/// The axioms that forbid cycles.
pub fn acyclic_axioms(model: &Model) -> impl Iterator<Item = &Axiom> {
    let axioms = model.axioms.iter();
    axioms.filter(|a| a.kind == AxiomKind::Acyclic)
}

/// The operands of the unions that must not have a cycle, axiom by axiom.
pub fn acyclic_unions(model: &Model) -> impl Iterator<Item = Vec<RelId>> {
    acyclic_axioms(model).map(|a| union_parts(model, a.rel))
}

/// `base`
pub fn is_base(model: &Model, rel: RelId, base: BaseRel) -> bool {
    model.rels[rel] == Rel::Base(base)
}

/// The operands of an intersection, in both orders; none of anything else.
pub fn intersected(model: &Model, rel: RelId) -> impl Iterator<Item = (RelId, RelId)> + use<> {
    let both = match model.rels[rel] {
        Rel::Inter(a, b) => Some([(a, b), (b, a)]),
        _ => None,
    };
    both.into_iter().flatten()
}

/// `x & y`
pub fn is_intersection(model: &Model, rel: RelId, x: BaseRel, y: BaseRel) -> bool {
    let mut both = intersected(model, rel);
    both.any(|(a, b)| is_base(model, a, x) && is_base(model, b, y))
}

/// `base`, or `base & ext`: the pairs of different threads are in it.
pub fn communicates(model: &Model, rel: RelId, base: BaseRel) -> bool {
    is_base(model, rel, base) || is_intersection(model, rel, base, BaseRel::Ext)
}

/// `base`, or a union of it and others.
fn contains_set(model: &Model, set: SetId, base: &BaseSet) -> bool {
    match &model.sets[set] {
        Set::All => true,
        Set::Base(b) => b == base,
        Set::Union(a, b) => contains_set(model, *a, base) || contains_set(model, *b, base),
        _ => false,
    }
}

/// True when a relation surely relates accesses to one location only.
pub fn is_per_location(model: &Model, rel: RelId) -> bool {
    let all = |rels: [RelId; 2]| rels.into_iter().all(|r| is_per_location(model, r));
    match model.rels[rel] {
        Rel::Base(base) => matches!(
            base,
            BaseRel::Rf | BaseRel::Co | BaseRel::Fr | BaseRel::Loc | BaseRel::Amo
        ),
        Rel::Empty => true,
        Rel::Union(a, b) | Rel::Seq(a, b) => all([a, b]),
        Rel::Inter(a, b) => is_per_location(model, a) || is_per_location(model, b),
        Rel::Diff(a, _) | Rel::Inverse(a) | Rel::Plus(a) => is_per_location(model, a),
        Rel::Identity(_) | Rel::Cross(..) | Rel::Rec(_) => false,
    }
}

/// Some axiom is `acyclic po-loc | rf | co | fr`, or of more, or it is `irreflexive po-loc; (rf | co | fr)^+`
/// with more in each of its two parts. What one thread does to one location is then as if it were alone. Both
/// say the same (herding cats, 4.2: the five patterns that uniproc forbids are one step of `po-loc` and
/// one of communication).
pub fn is_coherent(model: &Model) -> bool {
    acyclic_unions(model)
        .any(|parts| orders_a_location(model, &parts) && communicated(model, &parts))
        || happens_before(model).is_some()
}

/// The first part of an axiom `irreflexive hb; (rf | co | fr)^+`, or of more, where `hb` has at least the
/// program order of each location.
pub fn happens_before(model: &Model) -> Option<RelId> {
    // The operands of what is repeated, or happens once.
    let repeated = |rel: RelId| {
        let parts = union_parts(model, rel).into_iter();
        let closed = parts.filter_map(|p| match model.rels[p] {
            Rel::Plus(inner) => Some(union_parts(model, inner)),
            _ => None,
        });
        closed.collect::<Vec<_>>()
    };
    let is_order = |rel: RelId| {
        orders_a_location(model, &union_parts(model, rel))
            || repeated(rel)
                .iter()
                .any(|parts| orders_a_location(model, parts))
    };
    let irreflexive = model.axioms.iter();
    let irreflexive = irreflexive.filter(|a| a.kind == AxiomKind::Irreflexive);
    let mut steps = irreflexive.flat_map(|a| union_parts(model, a.rel));
    steps.find_map(|step| match model.rels[step] {
        Rel::Seq(a, b) => {
            let found = is_order(a) && repeated(b).iter().any(|p| communicated(model, p));
            found.then_some(a)
        }
        _ => None,
    })
}

fn orders_a_location(model: &Model, parts: &[RelId]) -> bool {
    parts.iter().any(|p| {
        is_base(model, *p, BaseRel::Po) || is_intersection(model, *p, BaseRel::Po, BaseRel::Loc)
    })
}

fn communicated(model: &Model, parts: &[RelId]) -> bool {
    let has = |base| parts.iter().any(|p| is_base(model, *p, base));
    [BaseRel::Rf, BaseRel::Co, BaseRel::Fr].into_iter().all(has)
}

/// Some axiom is `empty rmw & (fre; coe)`, or of more.
pub fn is_atomic(model: &Model) -> bool {
    let mut axioms = model.axioms.iter();
    axioms.any(|axiom| is_atomicity(model, axiom))
}

/// `empty rmw & (fre; coe)`
pub fn is_atomicity(model: &Model, axiom: &Axiom) -> bool {
    let between = |rel: RelId| match model.rels[rel] {
        Rel::Seq(a, b) => {
            communicates(model, a, BaseRel::Fr) && communicates(model, b, BaseRel::Co)
        }
        _ => false,
    };
    let mut both = intersected(model, axiom.rel);
    axiom.kind == AxiomKind::Empty
        && both.any(|(a, b)| is_base(model, a, BaseRel::Rmw) && between(b))
}

/// `acyclic rf | addr | data | ctrl`, or of less.
pub fn is_thin_air(model: &Model, axiom: &Axiom) -> bool {
    use BaseRel::{Addr, Ctrl, Data, Rf};
    let mut parts = union_parts(model, axiom.rel).into_iter();
    axiom.kind == AxiomKind::Acyclic
        && parts.all(|p| matches!(model.rels[p], Rel::Base(Rf | Addr | Data | Ctrl)))
}

/// Some axiom is `acyclic rfe | po & (R * W)`, or of more.
pub fn keeps_reads_before_writes(model: &Model) -> bool {
    acyclic_unions(model).any(|parts| {
        let reads_from = parts.iter().any(|p| communicates(model, *p, BaseRel::Rf));
        reads_from && keeps(model, &parts, &BaseSet::R, &BaseSet::W)
    })
}

/// Some part is the program order between accesses of two kinds, or more.
pub fn keeps(model: &Model, parts: &[RelId], first: &BaseSet, second: &BaseSet) -> bool {
    let between = |product: RelId| {
        matches!(model.rels[product], Rel::Cross(s, t)
            if contains_set(model, s, first) && contains_set(model, t, second))
    };
    parts.iter().any(|part| {
        let mut both = intersected(model, *part);
        is_base(model, *part, BaseRel::Po)
            || both.any(|(a, b)| is_base(model, a, BaseRel::Po) && between(b))
    })
}

/// No pair of a relation comes in when events are left out, whatever the others read from and in
/// whichever order they write.
pub fn only_loses(model: &Model, rel: RelId) -> bool {
    let both = |a, b| only_loses(model, a) && only_loses(model, b);
    match model.rels[rel] {
        Rel::Base(base) => is_of_the_program(base),
        Rel::Empty => true,
        Rel::Union(a, b) | Rel::Inter(a, b) | Rel::Seq(a, b) => both(a, b),
        Rel::Diff(a, b) => only_loses(model, a) && is_of_two(model, b),
        Rel::Inverse(a) | Rel::Plus(a) => only_loses(model, a),
        Rel::Identity(set) => set_only_loses(model, set),
        Rel::Cross(s, t) => set_only_loses(model, s) && set_only_loses(model, t),
        Rel::Rec(_) => false,
    }
}

/// Whether a pair is in a relation depends on the two events alone.
fn is_of_two(model: &Model, rel: RelId) -> bool {
    let both = |a, b| is_of_two(model, a) && is_of_two(model, b);
    match model.rels[rel] {
        Rel::Base(base) => is_of_the_program(base),
        Rel::Empty => true,
        Rel::Union(a, b) | Rel::Inter(a, b) | Rel::Diff(a, b) => both(a, b),
        Rel::Inverse(a) => is_of_two(model, a),
        Rel::Identity(set) => is_of_one(model, set),
        Rel::Cross(s, t) => is_of_one(model, s) && is_of_one(model, t),
        Rel::Seq(..) | Rel::Plus(_) | Rel::Rec(_) => false,
    }
}

/// A base relation that an execution has from the program, not from memory.
fn is_of_the_program(base: BaseRel) -> bool {
    use BaseRel::*;
    match base {
        Po | Addr | Data | Ctrl | Rmw | Amo | Lxsx | Loc | Int | Ext | Group | SameAccess => true,
        Rf | Co | Fr | DifferentValues => false,
    }
}

fn set_only_loses(model: &Model, set: SetId) -> bool {
    let both = |a, b| set_only_loses(model, a) && set_only_loses(model, b);
    match &model.sets[set] {
        Set::Base(base) => *base != BaseSet::FW,
        Set::All | Set::Empty => true,
        Set::Union(a, b) | Set::Inter(a, b) => both(*a, *b),
        Set::Diff(a, b) => set_only_loses(model, *a) && is_of_one(model, *b),
        Set::Domain(rel) | Set::Range(rel) => only_loses(model, *rel),
    }
}

/// Whether an event is in a set depends on it alone, or on its being a part of a read-modify-write: none
/// is left out in part.
fn is_of_one(model: &Model, set: SetId) -> bool {
    match &model.sets[set] {
        Set::Base(base) => *base != BaseSet::FW,
        Set::All | Set::Empty => true,
        Set::Union(a, b) | Set::Inter(a, b) | Set::Diff(a, b) => {
            is_of_one(model, *a) && is_of_one(model, *b)
        }
        Set::Domain(rel) | Set::Range(rel) => {
            let rmw = [BaseRel::Rmw, BaseRel::Amo, BaseRel::Lxsx];
            rmw.into_iter().any(|base| is_base(model, *rel, base))
        }
    }
}
