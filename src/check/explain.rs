//! Why an execution needs a weak model, and what would forbid it.
//!
//! An execution that is not sequentially consistent has a cycle of program order and
//! communications. The shortest one is shown; its edges that the model does not preserve are
//! where the execution is weak. [`super::remedy`] says what would forbid it.

use super::outcome::{CycleEdge, EdgeKind};
use base::bits::BitMatrix;
use cat::edges;
use cat::execution::Execution;
use cat::model::{BaseRel, Model};
use cat::pattern::{acyclic_axioms, intersected, is_base, union_parts};

/// A shortest cycle of `po | rf | co | fr`, over positions in the run's events; `None` when the
/// execution is sequentially consistent.
pub fn weak_cycle(model: &Model, execution: &Execution) -> Option<Vec<CycleEdge>> {
    let get = |r: BaseRel| {
        execution
            .rels
            .get(&r)
            .cloned()
            .unwrap_or_else(|| BitMatrix::new(execution.len))
    };
    let (po, rf, co, fr) = (
        get(BaseRel::Po),
        get(BaseRel::Rf),
        get(BaseRel::Co),
        get(BaseRel::Fr),
    );
    let all = po.union(&rf).union(&co).union(&fr);
    let cycle = at_points(execution, &all).cycle()?;
    let preserved = at_points(execution, &preserved(model, execution));
    let mut out = Vec::new();
    for (i, from) in cycle.iter().enumerate() {
        let to = cycle[(i + 1) % cycle.len()];
        let (from, to) = between_points(execution, &all, *from, to);
        let kind = if rf.contains(from, to) {
            EdgeKind::Rf
        } else if co.contains(from, to) {
            EdgeKind::Co
        } else if fr.contains(from, to) {
            EdgeKind::Fr
        } else {
            EdgeKind::Po
        };
        out.push(CycleEdge {
            from,
            to,
            kind,
            relaxed: !preserved.contains(from, to),
        });
    }
    Some(out)
}

/// The events that happen at the same point as this one: those of its atomic group, if that has no
/// fences. A group with fences needs no care: the fences order it as a whole.
fn point(execution: &Execution, event: usize) -> Vec<usize> {
    match execution.groups[event].filter(|g| !g.is_fenced()) {
        None => vec![event],
        group => (0..execution.len)
            .filter(|e| execution.groups[*e] == group)
            .collect(),
    }
}

/// A relation between the points of its events: whatever is related to one event of a point is so to
/// all of them. What it relates within a point is left out.
pub(super) fn at_points(execution: &Execution, relation: &BitMatrix) -> BitMatrix {
    if execution.groups.iter().flatten().all(|g| g.is_fenced()) {
        return relation.clone();
    }
    let mut out = BitMatrix::new(relation.len());
    for (a, b) in relation.pairs() {
        let (from, to) = (point(execution, a), point(execution, b));
        if from != to {
            from.iter()
                .for_each(|a| to.iter().for_each(|b| out.insert(*a, *b)));
        }
    }
    out
}

/// A pair of a relation between the points of two events.
fn between_points(
    execution: &Execution,
    relation: &BitMatrix,
    from: usize,
    to: usize,
) -> (usize, usize) {
    let (sources, targets) = (point(execution, from), point(execution, to));
    let pairs = sources
        .iter()
        .flat_map(|a| targets.iter().map(move |b| (*a, *b)));
    let mut related = pairs.filter(|(a, b)| relation.contains(*a, *b));
    related.next().unwrap_or((from, to))
}

/// What the model's global orders preserve: the relations of its acyclicity axioms, coherence by
/// itself left out.
fn preserved(model: &Model, execution: &Execution) -> BitMatrix {
    let mut out = BitMatrix::new(execution.len);
    for axiom in acyclic_axioms(model) {
        let coherence_only = union_parts(model, axiom.rel)
            .iter()
            .any(|p| intersected(model, *p).any(|(a, _)| is_base(model, a, BaseRel::Loc)));
        if !coherence_only {
            out = out.union(&edges(model, execution, axiom.rel).plus());
        }
    }
    out
}
