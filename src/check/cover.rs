//! Whether cubes cover everything: their disjunction is a tautology.
//!
//! Plain code that knows nothing of how cubes come to be. It takes a decision that is asked about, and
//! looks at what is left of the cubes when it holds and when it does not; it says which case is left
//! out. Of the leaves of a tree every cube asks about the decision at the root, so the one that most
//! cubes ask about is taken, and the cost is about the size of the tree times its depth.

use std::collections::BTreeMap;

/// A cube: decisions, each with the way in which it is taken.
pub type Ways<D> = Vec<(D, bool)>;

/// A case that no cube covers, as the decisions that lead to it; `None` when there is none.
pub fn uncovered<D: Copy + Ord>(cubes: &[Ways<D>]) -> Option<Ways<D>> {
    if cubes.iter().any(Vec::is_empty) {
        return None;
    }
    let mut mentions: BTreeMap<D, usize> = BTreeMap::new();
    for (decision, _) in cubes.iter().flatten() {
        *mentions.entry(*decision).or_default() += 1;
    }
    // Without a cube everything is left out.
    let most = mentions.iter().max_by_key(|(_, count)| **count);
    let Some((decision, _)) = most else {
        return Some(Vec::new());
    };
    for way in [true, false] {
        let taken = (*decision, way);
        let left = cubes
            .iter()
            .filter(|cube| !cube.contains(&(*decision, !way)));
        let left = left.map(|cube| {
            let others = cube.iter().filter(|literal| **literal != taken);
            others.copied().collect()
        });
        let left: Vec<Ways<D>> = left.collect();
        if let Some(mut case) = uncovered(&left) {
            case.insert(0, taken);
            return Some(case);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn leaves_of_a_tree_cover() {
        let leaves = [
            vec![(1, true), (2, true)],
            vec![(1, true), (2, false)],
            vec![(1, false), (3, true)],
            vec![(1, false), (3, false), (2, true)],
            vec![(1, false), (3, false), (2, false)],
        ];
        assert_eq!(uncovered(&leaves), None);
        for gone in 0..leaves.len() {
            let mut fewer = leaves.to_vec();
            let cube = fewer.remove(gone);
            let case = uncovered(&fewer).expect("a leaf is missing");
            assert!(cube.iter().all(|literal| case.contains(literal)), "{gone}");
        }
        assert_eq!(uncovered::<u32>(&[]), Some(vec![]));
        assert_eq!(uncovered::<u32>(&[vec![]]), None);
    }

    proptest! {
        /// The answer is that of all assignments, one by one.
        #[test]
        fn it_is_what_every_assignment_says(
            cubes in prop::collection::vec(
                prop::collection::btree_map(0..4u32, any::<bool>(), 0..3), 0..10),
        ) {
            let cubes: Vec<Ways<u32>> = cubes.into_iter().map(|c| c.into_iter().collect()).collect();
            let holds = |bits: u32, (d, way): &(u32, bool)| (bits >> d & 1 == 1) == *way;
            let covered = |bits: &u32| cubes.iter().any(|c| c.iter().all(|l| holds(*bits, l)));
            let all = (0..16).all(|bits| covered(&bits));
            let case = uncovered(&cubes);
            prop_assert_eq!(case.is_none(), all);
            if let Some(case) = case {
                let inside = (0..16).filter(|b| case.iter().all(|l| holds(*b, l)));
                prop_assert!(inside.into_iter().all(|bits| !covered(&bits)));
            }
        }
    }
}
