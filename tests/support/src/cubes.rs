//! Sets of cubes that are certificates of a search: each pre-image is subsumed by one of them.

use wmbmc::systems::cube::Cube;
use wmbmc::systems::search::SearchOptions;
use wmbmc::systems::search::expand::{cubes as cubes_of, expand};
use wmbmc::systems::search::tso::Tso;
use wmbmc::systems::subsume::embedding::prepare;
use wmbmc::systems::subsume::tso::subsumes;
use wmbmc::systems::theory::SystemContext;

/// Every unsafe formula, and every pre-image of a cube, is subsumed by a single cube or invariant of the file.
pub fn subsume_one_by_one(context: &SystemContext, cubes: &[Cube]) -> bool {
    let options = SearchOptions {
        max_procs: u8::MAX,
        ..SearchOptions::default()
    };
    let invariants = cubes_of(context, &context.system.invariants).expect("small numbers");
    let all = cubes.iter().cloned().chain(invariants);
    let big: Vec<_> = all.filter_map(|c| prepare(context, c)).collect();
    let is_subsumed = |small: Cube| {
        let small = prepare(context, small);
        small.is_none_or(|small| big.iter().any(|b| subsumes(context, b, &small)))
    };
    let unsafes = cubes_of(context, &context.system.unsafes).expect("small numbers");
    unsafes.into_iter().all(&is_subsumed)
        && cubes.iter().all(|cube| {
            let images = expand(&Tso::default(), context, cube, &options);
            let (images, _) = images.expect("there are no limits");
            images.into_iter().all(|(_, pre)| is_subsumed(pre.cube))
        })
}
