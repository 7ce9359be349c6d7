//! The graph of a thread: which locations are inside of atomic sections, which steps are in loops.

use super::unsupported::{Unsupported, unsupported};
use crate::commands::program::{LocId, Location, Step, reachable};
use base::idx::IdVec;
use std::collections::BTreeMap;

/// Marks the locations inside of atomic sections. `sections` says which steps begin one (1) or end one (-1).
pub fn mark_sections(
    locations: &mut IdVec<LocId, Location>,
    steps: &[Step],
    sections: &BTreeMap<usize, i32>,
    end: LocId,
) -> Result<(), Unsupported> {
    let mut depth: IdVec<LocId, Option<i32>> = locations.iter().map(|_| None).collect();
    depth[LocId(0)] = Some(0);
    let mut work = vec![LocId(0)];
    while let Some(at) = work.pop() {
        let here = depth[at].unwrap_or_default();
        for (i, s) in steps.iter().enumerate().filter(|(_, s)| s.from == at) {
            let after = here + sections.get(&i).copied().unwrap_or_default();
            match depth[s.to] {
                // Where the process has halted nobody moves, in a section or not.
                _ if locations[s.to].atomic => {}
                None => {
                    depth[s.to] = Some(after);
                    work.push(s.to);
                }
                Some(other) if other != after => {
                    return Err(unsupported(
                        s.span,
                        "an atomic section that begins on one way alone",
                    ));
                }
                Some(_) => {}
            }
        }
    }
    for (l, d) in depth.iter_enumerated() {
        if d.is_some_and(|d| d < 0 || d > 0 && l == end) {
            let span = locations[l].span;
            return Err(unsupported(
                span,
                "an atomic section that does not begin and end here",
            ));
        }
        if d.is_some_and(|d| d > 0) {
            locations[l].atomic = true;
        }
    }
    Ok(())
}

/// The step may be taken again.
pub fn is_in_loop(steps: &[Step], step: &Step) -> bool {
    reachable(steps, step.to).contains(&step.from)
}
