//! The reachable states of an abstraction under all interleavings: the invariant of a certificate.
//!
//! The search leaves interleavings out where threads are by themselves, so that what it has visited
//! is closed under fewer steps than the program has. Here all are taken; what is left out instead
//! are cubes that a weaker cube at the same locations covers. In the end only cubes are kept that cover the
//! initial one, or what follows from one that is kept.

use super::certificate::{Interleavings, Locations};
use super::cube::Cube;
use super::cube_set::CubeSet;
use super::post::Post;
use crate::commands::program::{Effect, Move, Program};
use std::collections::{BTreeMap, VecDeque};

/// Cubes by locations.
type States = BTreeMap<Locations, CubeSet>;

/// Why there is no closed set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotClosed {
    /// A limit was reached.
    #[error("a limit was reached")]
    Limit,
    /// A step that fails is possible in the abstraction, in an interleaving that the search does not need.
    #[error("the predicates are too coarse for all interleavings")]
    Fails(Move),
}

/// The states of a program that is safe by its abstraction, at most `limit` cubes; `stop` says
/// when to stop.
///
/// # Errors
/// There are too many, or the predicates do not suffice.
pub fn closure(
    program: &Program,
    post: &mut dyn Post,
    limit: usize,
    stop: &dyn Fn() -> bool,
) -> Result<BTreeMap<Locations, Vec<Cube>>, NotClosed> {
    let interleavings = Interleavings::new(program);
    let mut states = States::new();
    let mut count = 0;
    let mut open: VecDeque<(Locations, Cube)> = VecDeque::new();
    let initial = interleavings.initial();
    add(&mut states, &mut open, initial, post.initial());
    while let Some((at, cube)) = open.pop_front() {
        // A weaker cube may have come since.
        if !states.get(&at).is_some_and(|s| s.contains(cube)) {
            continue;
        }
        count += 1;
        if count > limit || count % 256 == 0 && stop() {
            return Err(NotClosed::Limit);
        }
        for m in interleavings.moves(&at) {
            let Some(after) = post.after(m, cube) else {
                continue;
            };
            if matches!(program.step(m).effect, Effect::Fail(_)) {
                return Err(NotClosed::Fails(m));
            }
            add(&mut states, &mut open, interleavings.after(&at, m), after);
        }
    }
    let kept = needed(program, post, &interleavings, &states).into_iter();
    Ok(kept.map(|(at, cubes)| (at, cubes.sorted())).collect())
}

/// The states of a closed set that suffice: from the initial one on, one that covers each successor.
fn needed(
    program: &Program,
    post: &mut dyn Post,
    interleavings: &Interleavings,
    states: &States,
) -> States {
    let mut kept = States::new();
    let mut open = vec![(interleavings.initial(), post.initial())];
    while let Some((at, cube)) = open.pop() {
        let set: &mut CubeSet = kept.entry(at.clone()).or_default();
        if set.covers(cube) {
            continue;
        }
        let cover = states.get(&at).and_then(|s| s.weaker(cube));
        let cover = cover.expect("the set is closed");
        set.insert(cover);
        for m in interleavings.moves(&at) {
            let fails = matches!(program.step(m).effect, Effect::Fail(_));
            let after = post.after(m, cover).filter(|_| !fails);
            open.extend(after.map(|after| (interleavings.after(&at, m), after)));
        }
    }
    kept
}

fn add(states: &mut States, open: &mut VecDeque<(Locations, Cube)>, at: Locations, cube: Cube) {
    let set: &mut CubeSet = states.entry(at.clone()).or_default();
    if set.insert(cube) {
        open.push_back((at, cube));
    }
}
