//! Sets of cubes: the disjunction of their elements.
//!
//! A set keeps its cubes by the predicates that they speak of; there are few such masks, so whether a
//! cube of the set is weaker than a given one costs one look-up for each mask. A cube that a weaker one
//! covers is left out, so no cube of a set extends another.

use super::cube::Cube;
use rustc_hash::{FxHashMap, FxHashSet};

/// Cubes none of which extends another: their disjunction.
#[derive(Clone, Default, Debug)]
pub struct CubeSet {
    values: FxHashMap<u128, FxHashSet<u128>>,
}

impl CubeSet {
    /// A cube of the set that is the given one without some of its literals, or with all.
    pub fn weaker(&self, cube: Cube) -> Option<Cube> {
        let within = self.values.iter().filter(|(m, _)| cube.mask & **m == **m);
        let mut weaker = within.filter(|(m, values)| values.contains(&(cube.value & **m)));
        weaker.next().map(|(m, _)| cube.within(*m))
    }

    /// There is such a cube.
    pub fn covers(&self, cube: Cube) -> bool {
        self.weaker(cube).is_some()
    }

    /// Exactly this cube is in the set.
    pub fn contains(&self, cube: Cube) -> bool {
        let values = self.values.get(&cube.mask);
        values.is_some_and(|v| v.contains(&cube.value))
    }

    /// Adds a cube, unless one of the set covers it, and takes away those that it covers; whether it
    /// was added.
    pub fn insert(&mut self, cube: Cube) -> bool {
        if self.covers(cube) {
            return false;
        }
        for (mask, values) in &mut self.values {
            if *mask & cube.mask == cube.mask {
                values.retain(|v| v & cube.mask != cube.value);
            }
        }
        self.values.retain(|_, values| !values.is_empty());
        self.values.entry(cube.mask).or_default().insert(cube.value);
        true
    }

    /// The cubes, sorted.
    pub fn sorted(&self) -> Vec<Cube> {
        let all = self.values.iter();
        let all = all.flat_map(|(mask, values)| {
            values.iter().map(|value| Cube {
                mask: *mask,
                value: *value,
            })
        });
        let mut all: Vec<Cube> = all.collect();
        all.sort_unstable();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `+` true, `-` false, `.` unknown.
    fn cube(text: &str) -> Cube {
        let known = text.chars().enumerate().filter(|(_, c)| *c != '.');
        known.fold(Cube::default(), |cube, (i, c)| cube.with(i, c == '+'))
    }

    #[test]
    fn a_set_keeps_the_weakest_cubes() {
        let mut set = CubeSet::default();
        assert!(set.insert(cube("+-+")));
        assert!(set.insert(cube("--+")));
        assert!(!set.insert(cube("+-++")));
        assert!(set.covers(cube("+-+-")) && !set.covers(cube("+-.")));
        assert!(set.insert(cube("+-.")));
        assert_eq!(set.sorted(), [cube("+-."), cube("--+")]);
        assert!(!set.contains(cube("+-+")) && set.covers(cube("+-+")));
        assert!(set.insert(Cube::default()));
        assert_eq!(set.sorted(), [Cube::default()]);
    }
}
