//! Which places of a program executions get to, asked of the solver one by one.
//!
//! An answer has three values: when a limit passes, a place is neither reached nor out of reach.

use super::goals::{is_undefined, looks_before_failures};
use super::outcome::LoopAtBound;
use crate::encode::Encoding;
use crate::unroll::event::{EventGraph, EventKind, StopReason, ThreadId, Unsupported};
use crate::unroll::lifetime::ALIVE;
use base::source::Span;
use ir::program::PropertyKind;
use smt::sat::cnf::Lit;
use smt::sat::{SatResult, Solver};

/// Places that executions get to, each once.
#[derive(PartialEq, Debug)]
pub(super) struct Reached<T> {
    /// Some execution gets there.
    pub certain: Vec<T>,
    /// A limit passed before that was known.
    pub open: Vec<T>,
}

impl<T: PartialEq> Reached<T> {
    /// Asks about each of some places.
    fn of(places: impl Iterator<Item = (T, Lit)>, solver: &mut impl Solver) -> Reached<T> {
        let (mut certain, mut open) = (Vec::new(), Vec::new());
        for (place, lit) in places {
            if lit == Lit::FALSE || certain.contains(&place) {
                continue;
            }
            match solver.solve(&[lit]) {
                SatResult::Unsat => {}
                SatResult::Sat => certain.push(place),
                SatResult::Interrupted if open.contains(&place) => {}
                SatResult::Interrupted => open.push(place),
            }
        }
        open.retain(|place| !certain.contains(place));
        Reached { certain, open }
    }

    /// Both.
    fn and(mut self, other: Reached<T>) -> Reached<T> {
        self.certain.extend(other.certain);
        self.open.extend(other.open);
        self
    }

    /// All that are not known to be out of reach.
    pub fn possible(mut self) -> Vec<T> {
        self.certain.append(&mut self.open);
        self.certain
    }
}

/// A sentence and its place.
type Reason = (String, Span);

/// Those of some unsupported constructs that executions get to.
pub(super) fn unsupported(
    unsupported: &[Unsupported],
    reached: &[Lit],
    solver: &mut impl Solver,
) -> Reached<Reason> {
    let all = unsupported.iter().zip(reached);
    Reached::of(all.map(|(g, l)| ((g.reason.clone(), g.span), *l)), solver)
}

/// The unsupported constructs that executions reach, and what is violated but not checked.
pub(super) fn undefined(
    graph: &EventGraph,
    checked: &[PropertyKind],
    encoding: &Encoding,
    solver: &mut impl Solver,
) -> Reached<Reason> {
    let mut reached = unsupported(&graph.unsupported, &encoding.unsupported, solver);
    if !checked.contains(&PropertyKind::Memory) {
        reached = reached.and(unsupported(&graph.unresolved, &encoding.unresolved, solver));
        let uses = encoding.outside_lifetime.iter().map(|((a, b), lit)| {
            let access = match graph.events[*a].kind {
                EventKind::Lifetime(_) => *b,
                _ => *a,
            };
            let reason = format!("not checked, but reachable: the property that {ALIVE}");
            ((reason, graph.events[access].span), *lit)
        });
        reached = reached.and(Reached::of(uses, solver));
    }
    let stop_at_failures = checked.is_empty() || !checked.iter().all(|k| looks_before_failures(*k));
    let matters = |kind: PropertyKind| {
        let stops = kind == PropertyKind::Assertion && stop_at_failures;
        (is_undefined(kind) || stops) && !checked.contains(&kind)
    };
    let all = graph.checks.iter().zip(&encoding.violated);
    let unchecked = all.filter(|(check, _)| matters(check.property.kind));
    let unchecked = unchecked.map(|(check, lit)| {
        let text = &check.property.text;
        let reason = format!("not checked, but reachable: the property that {text}");
        ((reason, check.span), *lit)
    });
    reached.and(Reached::of(unchecked, solver))
}

/// The loops whose bound executions reach, sorted.
pub(super) fn bounds_reached(
    graph: &EventGraph,
    encoding: &Encoding,
    solver: &mut impl Solver,
) -> Reached<LoopAtBound> {
    let all = graph.bounds_reached.iter().zip(&encoding.bounds_reached);
    let all = all.map(|(bound_reached, lit)| {
        let bound_reached = LoopAtBound {
            name: bound_reached.name.clone(),
            span: bound_reached.span,
            bound: bound_reached.bound,
            section: bound_reached.section.is_some(),
            trips: bound_reached.trips,
            blocks: false,
        };
        (bound_reached, *lit)
    });
    let mut reached = Reached::of(all, solver);
    reached.certain.sort();
    reached.open.sort();
    reached
}

/// Marks those loops whose bound every execution reaches.
pub(super) fn mark_blocking(
    loops: &mut [LoopAtBound],
    graph: &EventGraph,
    encoding: &Encoding,
    solver: &mut impl Solver,
) {
    if encoding.ends == Lit::TRUE || solver.solve(&[encoding.ends]) != SatResult::Unsat {
        return;
    }
    for l in loops.iter_mut().filter(|l| !l.section) {
        let all = graph.bounds_reached.iter().zip(&encoding.bounds_reached);
        let others = all.filter(|(b, _)| (&b.name, b.span) == (&l.name, l.span));
        let others: Vec<Lit> = others.map(|(_, lit)| !*lit).collect();
        l.blocks = solver.solve(&others) == SatResult::Unsat;
    }
}

/// Where the threads of an execution stop that does not end; `None` where some execution ends.
pub(super) fn no_end(
    graph: &EventGraph,
    encoding: &Encoding,
    solver: &mut impl Solver,
) -> Result<Option<Vec<Reason>>, Interrupted> {
    if encoding.ends == Lit::TRUE {
        return Ok(None);
    }
    match solver.solve(&[encoding.ends]) {
        SatResult::Sat => return Ok(None),
        SatResult::Unsat => {}
        SatResult::Interrupted => return Err(Interrupted),
    }
    let thread = |id: ThreadId| match graph.threads[id].parent {
        None => "main".to_string(),
        Some(_) => format!("thread `{}`", graph.threads[id].name),
    };
    let waits = graph.waits.iter();
    let waits = waits.map(|w| (format!("{} waits here", thread(w.thread)), w.span));
    let stops = graph.stops.iter().map(|s| {
        let what = match s.reason {
            StopReason::Assumption => "an assumption fails here in",
            StopReason::Await => "this loop waits in",
        };
        (format!("{what} {}", thread(s.thread)), s.span)
    });
    let mut reasons = Vec::new();
    if solver.solve(&[]) == SatResult::Sat {
        for (reason, lit) in waits.chain(stops).zip(&encoding.halted) {
            let holds = *lit == Lit::TRUE || solver.value(Lit(lit.0.abs())) == (lit.0 > 0);
            if holds && !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
    }
    Ok(Some(reasons))
}

/// A limit was passed.
pub(super) struct Interrupted;

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers one question after the other.
    struct Script(Vec<SatResult>);

    impl Solver for Script {
        fn add(&mut self, _: &[i32]) {}
        fn solve(&mut self, _: &[Lit]) -> SatResult {
            self.0.remove(0)
        }
        fn value(&mut self, _: Lit) -> bool {
            false
        }
        fn failed(&mut self, _: Lit) -> bool {
            false
        }
        fn conflicts(&self) -> u64 {
            0
        }
    }

    #[test]
    fn what_was_not_answered_stays_open() {
        let places = ["a", "b", "a", "c", "d", "b"];
        let literals = (2..).map(Lit);
        use SatResult::{Interrupted, Sat, Unsat};
        let answers = vec![Sat, Unsat, Interrupted, Interrupted, Sat];
        let reached = Reached::of(places.into_iter().zip(literals), &mut Script(answers));
        assert_eq!(reached.certain, ["a", "b"]);
        assert_eq!(reached.open, ["c", "d"]);
        assert_eq!(reached.possible(), ["a", "b", "c", "d"]);
    }
}
