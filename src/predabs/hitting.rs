//! Smallest hitting sets, by branch and bound.
//!
//! A clause is a set of elements one of which has to be chosen. The search goes by size; within a
//! size it branches over the elements of a smallest clause that is not hit, each time without those
//! that were tried before, so that no set comes twice. Clauses without a common element need an element
//! each: when there are more of them than elements left, the branch ends.

use std::collections::BTreeSet;

/// Sets of elements, a bit each, that all have to be hit.
#[derive(Clone, Debug, Default)]
pub struct Clauses {
    all: Vec<u64>,
}

impl Clauses {
    /// Another one; those that follow from it go.
    pub fn add(&mut self, clause: u64) {
        if self.all.iter().any(|c| c & !clause == 0) {
            return;
        }
        self.all.retain(|c| clause & !c != 0);
        self.all.push(clause);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// There is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// These and others.
    pub fn and(&self, others: &Clauses) -> Clauses {
        let mut both = self.clone();
        others.all.iter().for_each(|c| both.add(*c));
        both
    }

    /// Each has an element of the set.
    pub fn are_hit_by(&self, set: u64) -> bool {
        self.all.iter().all(|c| c & set != 0)
    }

    /// A smallest set of at least `least` of the elements below `count` that hits all clauses and is
    /// none of those passed over.
    pub fn smallest(&self, count: usize, least: usize, passed_over: &BTreeSet<u64>) -> Option<u64> {
        let elements = match count {
            0 => 0,
            n => u64::MAX >> (64 - n),
        };
        (least..=count).find_map(|size| self.extend(0, elements, size, passed_over))
    }

    /// The set with so many more of the elements that are left.
    fn extend(
        &self,
        set: u64,
        mut left: u64,
        more: usize,
        passed_over: &BTreeSet<u64>,
    ) -> Option<u64> {
        if (left.count_ones() as usize) < more {
            return None;
        }
        let open = self.all.iter().filter(|c| **c & set == 0);
        let mut open: Vec<u64> = open.map(|c| c & left).collect();
        open.sort_by_key(|c| (c.count_ones(), *c));
        let mut apart = (0, 0_usize);
        for c in &open {
            if c & apart.0 == 0 {
                apart = (apart.0 | c, apart.1 + 1);
            }
        }
        if apart.1 > more {
            return None;
        }
        if more == 0 {
            return (!passed_over.contains(&set)).then_some(set);
        }
        let mut branches = open.first().copied().unwrap_or(left);
        while branches != 0 {
            let element = branches & branches.wrapping_neg();
            branches &= !element;
            left &= !element;
            if let Some(found) = self.extend(set | element, left, more - 1, passed_over) {
                return Some(found);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clauses(all: &[u64]) -> Clauses {
        let mut clauses = Clauses::default();
        all.iter().for_each(|c| clauses.add(*c));
        clauses
    }

    #[test]
    fn a_smallest_set_hits_all_clauses() {
        let none = BTreeSet::new();
        assert_eq!(clauses(&[]).smallest(3, 0, &none), Some(0));
        assert_eq!(clauses(&[0b011, 0b110]).smallest(3, 0, &none), Some(0b010));
        assert_eq!(clauses(&[0b001, 0b110]).smallest(3, 0, &none), Some(0b011));
        assert_eq!(clauses(&[0b001, 0b111]).len(), 1);
        assert_eq!(clauses(&[0]).smallest(3, 0, &none), None);
    }

    /// Against all sets, one by one: the size, and that every set comes up once.
    #[test]
    fn all_sets_come_by_size() {
        let clauses = clauses(&[0b10011, 0b00110, 0b11000, 0b01010]);
        let hit = |s: &u64| clauses.are_hit_by(*s);
        let expected: BTreeSet<u64> = (0..32).filter(hit).collect();
        let mut seen = BTreeSet::new();
        let mut sizes = Vec::new();
        while let Some(next) = clauses.smallest(5, 0, &seen) {
            assert!(hit(&next) && seen.insert(next));
            sizes.push(next.count_ones());
        }
        assert_eq!(seen, expected);
        assert!(sizes.is_sorted());
    }
}
