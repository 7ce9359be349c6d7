//! What is asked of a formula: for each kind of property a literal that it is violated, and what
//! makes the answer depend on things that are not known.

use crate::encode::Encoding;
use crate::unroll::event::{EventGraph, EventId, ThreadId};
use ir::program::PropertyKind;
use rustc_hash::FxHashMap;
use smt::sat::cnf::Lit;
use std::collections::BTreeMap;

/// The questions, each a literal.
pub(super) struct Goals {
    /// One for each kind that is checked.
    pub kinds: Vec<Goal>,
    /// The execution reaches an unsupported construct, or violates what is not checked and is
    /// undefined after that.
    pub undefined: Lit,
    /// An access or a call goes where the event graph cannot follow.
    pub unresolved: Lit,
    /// The execution reaches the bound of a loop.
    pub bound_reached: Lit,
}

/// The question about one kind of property.
pub(super) struct Goal {
    /// Which.
    pub kind: PropertyKind,
    /// It is violated.
    pub violated: Lit,
    /// Executions that do not count: what they do is undefined.
    pub excluded: Lit,
}

/// The questions for the kinds of property that are checked. The races of the encoding lose those
/// behind an assertion that fails.
pub(super) fn goals(graph: &EventGraph, checks: &[PropertyKind], encoding: &mut Encoding) -> Goals {
    let unsupported = encoding.cnf.any(&encoding.unsupported.clone());
    let of_kind = |encoding: &Encoding, wanted: &dyn Fn(PropertyKind) -> bool| -> Vec<Lit> {
        let all = graph.checks.iter().zip(&encoding.violated);
        all.filter(|(c, _)| wanted(c.property.kind))
            .map(|(_, l)| *l)
            .collect()
    };
    // An execution ends where an assertion fails: what comes before is looked at nevertheless.
    let unchecked = |k: PropertyKind| !checks.contains(&k);
    let undefined = of_kind(encoding, &|k| unchecked(k) && is_undefined(k));
    let uses: Vec<Lit> = encoding
        .outside_lifetime
        .iter()
        .map(|(_, lit)| *lit)
        .collect();
    let used = encoding.cnf.any(&uses);
    let mut undefined = encoding.cnf.any(&undefined);
    if unchecked(PropertyKind::Memory) {
        undefined = encoding.cnf.or(undefined, used);
    }
    let undefined = encoding.cnf.or(unsupported, undefined);
    let failed = of_kind(encoding, &|k| unchecked(k) && k == PropertyKind::Assertion);
    let failed = encoding.cnf.any(&failed);
    let any_failed = of_kind(encoding, &|k| k == PropertyKind::Assertion);
    let any_failed = encoding.cnf.any(&any_failed);
    let undefined_or_failed = encoding.cnf.or(undefined, failed);
    let mut kinds = Vec::new();
    for kind in checks {
        let goal = match kind {
            PropertyKind::Race => real_races(graph, encoding),
            PropertyKind::Robust => vec![encoding.not_robust],
            PropertyKind::Deadlock => {
                vec![encoding.cnf.and(encoding.no_progress.deadlock, !any_failed)]
            }
            PropertyKind::Termination => {
                vec![encoding.cnf.and(encoding.no_progress.spins, !any_failed)]
            }
            PropertyKind::Memory => {
                let mut goal = of_kind(encoding, &|k| k == *kind);
                goal.push(used);
                goal
            }
            _ => of_kind(encoding, &|k| k == *kind),
        };
        let before = match kind {
            // An indeterminate pointer leads anywhere: that it is used comes before.
            PropertyKind::Uninitialised => encoding.cnf.or(unsupported, failed),
            kind if looks_before_failures(*kind) => undefined,
            _ => undefined_or_failed,
        };
        kinds.push(Goal {
            kind: *kind,
            violated: encoding.cnf.any(&goal),
            // What a read from the end of an object returns means nothing: that it happens is what
            // counts.
            excluded: match kind {
                PropertyKind::Memory => before,

                _ => encoding.cnf.or(before, used),
            },
        });
    }
    Goals {
        kinds,
        undefined: match checks.iter().all(|k| looks_before_failures(*k)) {
            true => undefined,
            false => undefined_or_failed,
        },
        unresolved: encoding.cnf.any(&encoding.unresolved.clone()),
        bound_reached: encoding.cnf.any(&encoding.bounds_reached.clone()),
    }
}

/// True for kinds of property without which the rest of an execution is undefined.
pub(super) fn is_undefined(kind: PropertyKind) -> bool {
    matches!(kind, PropertyKind::Memory | PropertyKind::Misuse)
}

/// True for kinds of property that make sense of an execution up to where an assertion fails, and of robustness, for
/// which an assertion ends nothing.
pub(super) fn looks_before_failures(kind: PropertyKind) -> bool {
    matches!(
        kind,
        PropertyKind::Race
            | PropertyKind::Deadlock
            | PropertyKind::Termination
            | PropertyKind::Robust
    )
}

/// The races, without those behind an assertion that fails: the thread does not come there.
fn real_races(graph: &EventGraph, encoding: &mut Encoding) -> Vec<Lit> {
    let mut failing: BTreeMap<ThreadId, Vec<(usize, Lit)>> = BTreeMap::new();
    for (check, lit) in graph.checks.iter().zip(&encoding.violated) {
        if check.property.kind == PropertyKind::Assertion {
            let of_thread = failing.entry(check.thread).or_default();
            of_thread.push((check.position, *lit));
        }
    }
    let mut position: FxHashMap<EventId, usize> = FxHashMap::default();
    for thread in graph.threads.iter() {
        position.extend(thread.events.iter().enumerate().map(|(i, e)| (*e, i)));
    }
    let mut races = Vec::new();
    for ((a, b), lit) in &mut encoding.races {
        let mut parts = vec![*lit];
        for e in [*a, *b] {
            let thread = graph.events[e].thread;
            let failing = thread.and_then(|t| failing.get(&t)).into_iter().flatten();
            let before = failing.filter(|(p, _)| position.get(&e).is_some_and(|at| p <= at));
            parts.extend(before.map(|(_, failed)| !*failed));
        }
        *lit = encoding.cnf.all(&parts);
        races.push(*lit);
    }
    races
}
