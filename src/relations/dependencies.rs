//! What a model's text says of dependencies and of coherence, for those who choose which accesses
//! become events.
//!
//! **Dependencies may order nothing.** The models of the paper forbid values out of thin air by
//! `acyclic rf | addr | data | ctrl`, whatever they preserve of program order. Where reads are
//! preserved before all that follows them (SC, TSO, PSO), other axioms say so already:
//!
//! Take a cycle of that axiom. Fences have no edge that leaves them, so all of it are accesses.
//! Its dependencies go forward in program order; so do its reads-from inside a thread, for a read
//! that is followed by its source is a cycle of `po-loc | rf`, which coherence forbids. Program
//! order has no cycle, so some reads-from of the cycle is between threads. From where one ends to
//! where the next one begins there is a path of forward edges in one thread, from a read to a
//! write: a pair of `po & (R * W)`. So there is a cycle of `rfe | po & (R * W)`, and an axiom
//! `acyclic … | rfe | … | po & (R * M)` or of more forbids it.
//!
//! The text must show all that in so many words, as those of the built-in models do; of any other
//! one that mentions `addr` it is assumed that dependencies order accesses.

use super::idle::awaits;
use crate::unroll::{MAX_EVENTS, UnrollOptions};
use cat::arch;
use cat::model::{BaseRel, Causality, Model, Rel, RelId, Set, SetId};
use cat::pattern::{is_coherent, is_thin_air, keeps_reads_before_writes};
use ir::bounds::Bounds;
use ir::program::PropertyKind;
use ir::sites::OpenOrders;

/// How to unwind a program for some models at once.
pub fn unwinding<'m>(
    bounds: Bounds,
    models: impl IntoIterator<Item = &'m Model>,
    checks: &[PropertyKind],
) -> UnrollOptions {
    let models: Vec<&Model> = models.into_iter().collect();
    let mut options = UnrollOptions {
        bounds,
        address_dependencies: false,
        coherent: true,
        values_have_causes: true,
        kernel: models.iter().all(|m| arch::is_kernel(m)),
        uninitialised: checks.contains(&PropertyKind::Uninitialised),
        loads_outside: false,
        awaits: awaits(&models, checks),
        max_events: MAX_EVENTS,
        open_orders: OpenOrders::default(),
    };
    for model in models {
        options.address_dependencies |= dependencies_order(model);
        options.coherent &= is_coherent(model);
        options.values_have_causes &= has_causes(model);
    }
    options
}

/// True unless it is known that address dependencies order nothing in a model.
pub fn dependencies_order(model: &Model) -> bool {
    let implied = is_coherent(model) && keeps_reads_before_writes(model);
    model
        .axioms
        .iter()
        .filter(|axiom| mentions(model, axiom.rel, &mut Vec::new()))
        .any(|axiom| !(implied && is_thin_air(model, axiom)))
}

/// True when no execution has a value out of thin air: none has a cycle of reads-from and of pairs
/// of a read and a write that is computed from it, in the thread itself or in one that it creates
/// or waits for.
///
/// Where reads are preserved before the writes that follow them, such a pair is in program order,
/// creation and join included, and the argument at the head of this file says the rest. Of the
/// built-in Power it is [`Model::causal`]; why is said in its text.
pub fn has_causes(model: &Model) -> bool {
    model.causal == Causality::Known || is_coherent(model) && keeps_reads_before_writes(model)
}

/// True when a relation is made of address dependencies, among others. `seen` are the relations
/// looked at.
fn mentions(model: &Model, rel: RelId, seen: &mut Vec<RelId>) -> bool {
    if seen.contains(&rel) {
        return false;
    }
    seen.push(rel);
    let sets = |s: &SetId, seen: &mut Vec<RelId>| set_mentions(model, *s, seen);
    match &model.rels[rel] {
        Rel::Base(base) => *base == BaseRel::Addr,
        Rel::Empty => false,
        Rel::Union(a, b) | Rel::Inter(a, b) | Rel::Diff(a, b) | Rel::Seq(a, b) => {
            mentions(model, *a, seen) || mentions(model, *b, seen)
        }
        Rel::Inverse(a) | Rel::Plus(a) => mentions(model, *a, seen),
        Rel::Rec(r) => mentions(model, model.recs[*r], seen),
        Rel::Identity(s) => sets(s, seen),
        Rel::Cross(s, t) => sets(s, seen) || sets(t, seen),
    }
}

fn set_mentions(model: &Model, set: SetId, seen: &mut Vec<RelId>) -> bool {
    match &model.sets[set] {
        Set::Base(_) | Set::All | Set::Empty => false,
        Set::Union(a, b) | Set::Inter(a, b) | Set::Diff(a, b) => {
            set_mentions(model, *a, seen) || set_mentions(model, *b, seen)
        }
        Set::Domain(r) | Set::Range(r) => mentions(model, *r, seen),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::source::SourceMap;
    use cat::{builtin, compile};

    fn model(text: &str) -> Model {
        let mut sources = SourceMap::default();
        let file = sources.add("test.cat".to_string(), text);
        compile(&mut sources, file, "test").expect("the text is right")
    }

    #[test]
    fn of_the_built_in_models_three_need_no_dependencies() {
        let order = |name: &&str| dependencies_order(&builtin(name).expect("built-in"));
        assert!(!["sc", "tso", "pso"].iter().any(order));
        assert!(
            ["rmo", "alpha", "power2010", "power", "armv7"]
                .iter()
                .all(order)
        );
        let mut names = cat::names().map(|(name, _)| name);
        assert!(names.all(|n| is_coherent(&builtin(n).expect("built-in"))));
    }

    #[test]
    fn a_text_must_show_that_dependencies_order_nothing() {
        let uniproc = "acyclic po-loc | rf | co | fr as uniproc\n";
        let thin = "acyclic rf | addr | data | ctrl as thin\n";
        let kept = "acyclic rfe | (po & (R * M)) as kept\n";
        let order = |parts: &[&str]| dependencies_order(&model(&parts.concat()));
        assert!(!order(&["\"a\"\n", uniproc, thin, kept]));
        assert!(!order(&["\"a\"\n", uniproc]));
        for fewer in [[uniproc, thin], [thin, kept], [thin, thin]] {
            assert!(order(&["\"a\"\n", fewer[0], fewer[1]]));
        }
        let reads_only = "acyclic rfe | (po & (R * R)) as kept\n";
        assert!(order(&["\"a\"\n", uniproc, thin, reads_only]));
        let more = "acyclic rf | addr | data | ctrl | (po & (W * W)) as thin\n";
        assert!(order(&["\"a\"\n", uniproc, more, kept]));
    }
}
