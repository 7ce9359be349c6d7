//! Shortest paths and cycles of a relation, where some pairs cost nothing.

use base::bits::{BitMatrix, BitSet};

/// A relation whose pairs cost one, but for those that are `free`.
pub struct Weighted<'a> {
    /// All pairs.
    pub pairs: &'a BitMatrix,
    /// Pairs that cost nothing, as far as both ends are among `pairs`' events.
    pub free: &'a BitMatrix,
}

impl Weighted<'_> {
    /// The cheapest path of one or more pairs, and of those one with few pairs, that stays `within`
    /// some events: the events from `start` to `goal`. A breadth-first search in layers of one
    /// cost, each closed under the pairs that are free.
    pub fn path(&self, start: usize, goal: usize, within: &BitSet) -> Option<Vec<usize>> {
        let mut left = within.clone();
        let mut from = vec![usize::MAX; self.pairs.len()];
        let mut layer = vec![start];
        if start != goal {
            left.remove(start);
        }
        while !layer.is_empty() {
            let mut next = 0;
            while let Some(a) = layer.get(next).copied() {
                next += 1;
                if step(self.free, a, &mut left, &mut from, &mut layer, goal) {
                    return Some(back(&from, start, goal));
                }
            }
            let mut later = Vec::new();
            for a in layer {
                if step(self.pairs, a, &mut left, &mut from, &mut later, goal) {
                    return Some(back(&from, start, goal));
                }
            }
            layer = later;
        }
        None
    }
}

/// Goes from `a` to what is left; true when that is the goal.
fn step(
    pairs: &BitMatrix,
    a: usize,
    left: &mut BitSet,
    from: &mut [usize],
    layer: &mut Vec<usize>,
    goal: usize,
) -> bool {
    if !left.meets(pairs.row(a)) {
        return false;
    }
    let mut new = pairs.set(a);
    new.inter(left.words());
    if new.contains(goal) {
        from[goal] = a;
        return true;
    }
    left.diff(new.words());
    for b in new.iter() {
        from[b] = a;
        layer.push(b);
    }
    false
}

fn back(from: &[usize], start: usize, goal: usize) -> Vec<usize> {
    let mut path = vec![goal];
    let mut at = from[goal];
    while at != start {
        path.push(at);
        at = from[at];
    }
    path.push(start);
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_pairs_are_preferred() {
        let mut pairs = BitMatrix::new(5);
        let mut free = BitMatrix::new(5);
        [(0, 1), (1, 2), (2, 0)]
            .into_iter()
            .for_each(|(a, b)| pairs.insert(a, b));
        [(0, 3), (3, 4), (4, 2)]
            .into_iter()
            .for_each(|(a, b)| free.insert(a, b));
        let graph = Weighted {
            pairs: &pairs,
            free: &free,
        };
        let all = BitSet::full(5);
        assert_eq!(graph.path(0, 2, &all), Some(vec![0, 3, 4, 2]));
        assert_eq!(graph.path(0, 0, &all), Some(vec![0, 3, 4, 2, 0]));
        assert_eq!(graph.path(1, 0, &all), Some(vec![1, 2, 0]));
        let mut some = BitSet::full(5);
        some.remove(4);
        assert_eq!(graph.path(0, 2, &some), Some(vec![0, 1, 2]));
        assert_eq!(graph.path(2, 1, &some), Some(vec![2, 0, 1]));
        some.remove(1);
        assert_eq!(graph.path(0, 2, &some), None);
    }
}
