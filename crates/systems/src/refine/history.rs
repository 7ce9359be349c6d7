//! Refinement with history variables: which [`History`] variable would have stopped a spurious
//! trace.

use crate::search::trace::AbstractTrace;
use crate::system::{History, System, Variable, has_others};
use base::idx::position;

/// More variables than these are not added.
const MOST: usize = 8;

/// Adds what keeps a trace from passing the guard of one of these calls, which a run of the
/// machine cannot; false when nothing is left to be added. The trace is one of `system`, which
/// has no history variables.
pub fn refine(
    history: &mut History,
    system: &System,
    trace: &AbstractTrace,
    stuck: &[usize],
) -> bool {
    if history.variables.len() == MOST || system.procs.is_some() {
        return false;
    }
    for k in stuck {
        let (u, args) = &trace.calls[*k];
        if !has_others(&system.transitions[*u].guard) {
            continue;
        }
        // Who did something before and is not seen by the guard, the latest first.
        for j in (0..*k).rev() {
            let (t, doing) = &trace.calls[j];
            for (param, x) in doing.iter().enumerate() {
                if args.contains(x) || trace.known[*k].contains(x) {
                    continue;
                }
                let both = doing.iter().position(|p| args.contains(p));
                let at = both.and_then(|i| args.iter().position(|p| *p == doing[i]));
                let variable = Variable {
                    transition: *t,
                    param: position(param),
                    key: both.map(position),
                };
                if history.add(variable, at.map(|_| *u), at.map(position)) {
                    return true;
                }
            }
        }
    }
    false
}
