//! An execution that ends, looked for at random before a formula is written.
//!
//! That some execution comes to its end is a question of its own ([`super::reach::no_end`]): where none
//! does, that nothing is violated says little. For nearly every program a few random executions answer
//! it, and then neither the ends of threads nor that question are in the formula.

use super::walk::walk;
use crate::unroll::event::EventGraph;
use cat::eval::Evaluator;
use cat::model::Model;

/// Executions that are tried.
const MOST_WALKS: usize = 8;
/// Events of a program for which they are tried: to judge an execution takes cubic time.
const MOST_EVENTS: usize = 1_000;

/// Whether an execution is found in which all threads end or the process does. It is the same one each time,
/// so that all parts of a divided search have the same formula; none is looked for once `stop` answers true.
pub(super) fn is_found(graph: &EventGraph, model: &Model, stop: &dyn Fn() -> bool) -> bool {
    if graph.surely_ends() {
        return true;
    }
    if graph.events.len() > MOST_EVENTS {
        return false;
    }
    let evaluator = Evaluator::new(model);
    let mut random = fastrand::Rng::with_seed(0);
    (0..MOST_WALKS).take_while(|_| !stop()).any(|_| {
        let Ok(Some(run)) = walk(graph, &mut random) else {
            return false;
        };
        let mut threads = graph.threads.iter();
        let ends = graph.halts.iter().any(|halt| run.holds(*halt))
            || threads.all(|t| !run.holds(t.guard) || run.holds(t.ended));
        let unknown = graph.unsupported.iter().chain(&graph.unresolved);
        let bounds = graph.bounds_reached.iter().map(|bound| bound.guard);
        let mut cut = unknown.map(|place| place.guard).chain(bounds);
        let spurious = !model.linked && graph.spurious.iter().any(|t| run.holds(*t));
        ends && !spurious && !cut.any(|guard| run.holds(guard)) && run.validate(&evaluator).is_ok()
    })
}
