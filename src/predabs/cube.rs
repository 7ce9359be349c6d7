//! Cubes: conjunctions of predicates and negated predicates, as bits.

/// Predicates of an abstraction at most.
pub const MAX_PREDICATES: usize = 128;

/// A conjunction of predicates and negated predicates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cube {
    /// Those it speaks of.
    pub mask: u128,
    /// Those that are true, within `mask`.
    pub value: u128,
}

impl Cube {
    /// One literal.
    pub fn literal(predicate: usize, holds: bool) -> Cube {
        Cube {
            mask: 1 << predicate,
            value: u128::from(holds) << predicate,
        }
    }

    /// All literals of the other cube are in this one.
    pub fn extends(self, other: Cube) -> bool {
        self.mask & other.mask == other.mask && self.value & other.mask == other.value
    }

    /// Both; nothing when they contradict each other.
    pub fn and(self, other: Cube) -> Option<Cube> {
        let common = self.mask & other.mask;
        (self.value & common == other.value & common).then_some(Cube {
            mask: self.mask | other.mask,
            value: self.value | other.value,
        })
    }

    /// The literals of these predicates only.
    pub fn within(self, mask: u128) -> Cube {
        Cube {
            mask: self.mask & mask,
            value: self.value & mask,
        }
    }

    /// Whether a predicate holds, if it is known.
    pub fn truth(self, predicate: usize) -> Option<bool> {
        (self.mask >> predicate & 1 == 1).then_some(self.value >> predicate & 1 == 1)
    }

    /// With a predicate known; what was known of it before is forgotten.
    pub fn with(self, predicate: usize, holds: bool) -> Cube {
        let others = self.within(!(1 << predicate));
        let literal = Cube::literal(predicate, holds);
        Cube {
            mask: others.mask | literal.mask,
            value: others.value | literal.value,
        }
    }

    /// How many literals it has.
    pub fn size(self) -> u32 {
        self.mask.count_ones()
    }

    /// The predicates, and whether they hold.
    pub fn literals(self) -> impl Iterator<Item = (usize, bool)> {
        (0..MAX_PREDICATES)
            .filter(move |i| self.mask >> i & 1 == 1)
            .map(move |i| (i, self.value >> i & 1 == 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_changed_one_by_one() {
        let cube = Cube::literal(0, true).with(2, false);
        assert_eq!(cube.literals().collect::<Vec<_>>(), [(0, true), (2, false)]);
        assert_eq!((cube.truth(1), cube.truth(2)), (None, Some(false)));
        let other = Cube::literal(0, false).with(1, true).with(2, false);
        assert_eq!(cube.with(0, false).with(1, true), other);
        assert_eq!(other.within(0b110), Cube::literal(1, true).with(2, false));
    }
}
