//! Why an execution needs a weak model, and what would forbid it.
//!
//! An execution that is not sequentially consistent has a cycle of program order and
//! communications. The shortest one is shown; its edges that the model does not preserve are
//! where the execution is weak. As a remedy full fences are put on those edges and the model is
//! asked again.

use super::decode::Run;
use super::outcome::{CycleEdge, EdgeKind};
use base::bits::BitMatrix;
use cat::arch;
use cat::execution::{Access, Execution, ExecutionEvent};
use cat::model::{BaseRel, Model};
use cat::pattern::{acyclic_axioms, intersected, is_base, union_parts};
use cat::{edges, eval};
use ir::program::FenceTag;
use ir::program::{Fence, MemoryOrder};

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

/// Full fences, as pairs of positions between which one has to stand, that make the model forbid
/// the execution; the fewest of the relaxed program-order edges of the cycle that do.
pub fn fences_that_forbid(
    run: &Run,
    model: &Model,
    execution: &Execution,
    cycle: &[CycleEdge],
) -> Option<Vec<(usize, usize)>> {
    let relaxed: Vec<(usize, usize)> = cycle
        .iter()
        .filter(|e| e.relaxed && e.kind == EdgeKind::Po)
        .map(|e| (e.from, e.to))
        .collect();
    let in_program_order: Vec<(usize, usize)> = cycle
        .iter()
        .filter(|e| e.kind == EdgeKind::Po)
        .map(|e| (e.from, e.to))
        .collect();
    let mut attempts: Vec<Vec<(usize, usize)>> = relaxed.iter().map(|e| vec![*e]).collect();
    attempts.push(relaxed);
    attempts.push(in_program_order);
    attempts.into_iter().find(|places| {
        !places.is_empty()
            && with_fences(run, model, execution, places)
                .is_some_and(|fenced| eval(model, &fenced).is_err())
    })
}

/// The execution with a full fence between each of the given pairs of one thread.
fn with_fences(
    run: &Run,
    model: &Model,
    execution: &Execution,
    places: &[(usize, usize)],
) -> Option<Execution> {
    let tags = arch::tags(model, FenceTag::Explicit(Fence::C11(MemoryOrder::SeqCst))).ok()?;
    let old = execution.len;
    let n = old + places.len();
    let mut nodes = run.nodes(model).ok()?;
    let mut rels: std::collections::BTreeMap<BaseRel, BitMatrix> = execution
        .rels
        .iter()
        .filter(|(r, _)| {
            !matches!(
                r,
                BaseRel::Fr | BaseRel::Int | BaseRel::Ext | BaseRel::Loc | BaseRel::Rmw
            )
        })
        .map(|(r, m)| {
            let mut wide = BitMatrix::new(n);
            m.pairs().for_each(|(a, b)| wide.insert(a, b));
            (*r, wide)
        })
        .collect();
    let po = rels.get_mut(&BaseRel::Po)?;
    for (k, (a, b)) in places.iter().enumerate() {
        let fence = old + k;
        nodes.push(ExecutionEvent {
            access: Access::Fence,
            thread: nodes[*a].thread,
            location: None,
            value: None,
            tags: tags.to_vec(),
            group: None,
        });
        po.insert(*a, fence);
        po.insert(fence, *b);
    }
    *po = po.plus();
    Some(Execution::new(&nodes, rels))
}
