//! Dense sets of events and relations over them, as rows of bits.

/// A set of events numbered from 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// The empty set of events below `n`.
    pub fn new(n: usize) -> Self {
        BitSet {
            words: vec![0; n.div_ceil(64)],
        }
    }

    /// All events below `n`.
    pub fn full(n: usize) -> Self {
        let mut words = vec![u64::MAX; n.div_ceil(64)];
        if let (Some(last), 1..) = (words.last_mut(), n % 64) {
            *last = (1 << (n % 64)) - 1;
        }
        BitSet { words }
    }

    /// True when the set has `a`.
    pub fn contains(&self, a: usize) -> bool {
        self.words[a / 64] >> (a % 64) & 1 == 1
    }

    /// Adds `a`.
    pub fn insert(&mut self, a: usize) {
        self.words[a / 64] |= 1 << (a % 64);
    }

    /// Removes `a`.
    pub fn remove(&mut self, a: usize) {
        self.words[a / 64] &= !(1 << (a % 64));
    }

    /// The set as words of bits.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Adds what another set has.
    pub fn union(&mut self, other: &[u64]) {
        self.zip(other, |a, b| a | b);
    }

    /// Keeps what another set has, too.
    pub fn inter(&mut self, other: &[u64]) {
        self.zip(other, |a, b| a & b);
    }

    /// Removes what another set has.
    pub fn diff(&mut self, other: &[u64]) {
        self.zip(other, |a, b| a & !b);
    }

    fn zip(&mut self, other: &[u64], f: impl Fn(u64, u64) -> u64) {
        let pairs = self.words.iter_mut().zip(other);
        pairs.for_each(|(a, b)| *a = f(*a, *b));
    }

    /// How many events the set has.
    pub fn count(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// True when the set has something in common with another one.
    pub fn meets(&self, other: &[u64]) -> bool {
        self.words.iter().zip(other).any(|(a, b)| a & b != 0)
    }

    /// The events of the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        ones(&self.words)
    }
}

/// The numbers of the bits that are set, ascending.
fn ones(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(w, bits)| {
        let mut bits = *bits;
        std::iter::from_fn(move || {
            (bits != 0).then(|| {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                w * 64 + bit
            })
        })
    })
}

/// A square matrix of bits: a relation over events numbered from 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BitMatrix {
    n: usize,
    words: usize,
    rows: Vec<u64>,
}

/// The rows of a matrix, up to the first at which `stop` answers true. It is asked once for some rows: it may
/// look at a clock, which takes longer than a short row.
fn rows_until(n: usize, stop: &dyn Fn() -> bool) -> impl Iterator<Item = usize> {
    (0..n).take_while(move |row| row % 16 != 15 || !stop())
}

impl BitMatrix {
    /// The empty relation over `n` events.
    pub fn new(n: usize) -> Self {
        let words = n.div_ceil(64);
        BitMatrix {
            n,
            words,
            rows: vec![0; words * n],
        }
    }

    /// The identity over `n` events.
    pub fn identity(n: usize) -> Self {
        let mut m = BitMatrix::new(n);
        (0..n).for_each(|i| m.insert(i, i));
        m
    }

    /// How many events.
    pub fn len(&self) -> usize {
        self.n
    }

    /// True when there are no events.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// True when `(a, b)` is in the relation.
    pub fn contains(&self, a: usize, b: usize) -> bool {
        self.rows[a * self.words + b / 64] >> (b % 64) & 1 == 1
    }

    /// Adds `(a, b)`.
    pub fn insert(&mut self, a: usize, b: usize) {
        self.rows[a * self.words + b / 64] |= 1 << (b % 64);
    }

    /// Removes `(a, b)`.
    pub fn remove(&mut self, a: usize, b: usize) {
        self.rows[a * self.words + b / 64] &= !(1 << (b % 64));
    }

    /// The successors of `a` as words of bits.
    pub fn row(&self, a: usize) -> &[u64] {
        &self.rows[a * self.words..(a + 1) * self.words]
    }

    /// The successors of `a` as a set.
    pub fn set(&self, a: usize) -> BitSet {
        BitSet {
            words: self.row(a).to_vec(),
        }
    }

    /// Adds `(a, b)` for every `b` of a set.
    pub fn insert_all(&mut self, a: usize, to: &BitSet) {
        self.or_row(a, &to.words);
    }

    /// The successors of `a`, ascending.
    pub fn successors(&self, a: usize) -> impl Iterator<Item = usize> + '_ {
        ones(self.row(a))
    }

    /// All pairs, ascending.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.n).flat_map(move |a| self.successors(a).map(move |b| (a, b)))
    }

    /// How many pairs.
    pub fn count(&self) -> usize {
        self.rows.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// True when no pair is in the relation.
    pub fn is_none(&self) -> bool {
        self.rows.iter().all(|w| *w == 0)
    }

    fn zip(&self, other: &BitMatrix, f: impl Fn(u64, u64) -> u64) -> BitMatrix {
        let rows = self
            .rows
            .iter()
            .zip(&other.rows)
            .map(|(a, b)| f(*a, *b))
            .collect();
        BitMatrix {
            n: self.n,
            words: self.words,
            rows,
        }
    }

    /// `self | other`
    pub fn union(&self, other: &BitMatrix) -> BitMatrix {
        self.zip(other, |a, b| a | b)
    }

    /// `self & other`
    pub fn inter(&self, other: &BitMatrix) -> BitMatrix {
        self.zip(other, |a, b| a & b)
    }

    /// `self \ other`
    pub fn diff(&self, other: &BitMatrix) -> BitMatrix {
        self.zip(other, |a, b| a & !b)
    }

    /// `self ; other`
    pub fn seq(&self, other: &BitMatrix) -> BitMatrix {
        self.seq_until(other, &|| false)
    }

    /// `self ; other`, or a part of it when `stop`, asked now and then, answers true.
    pub fn seq_until(&self, other: &BitMatrix, stop: &dyn Fn() -> bool) -> BitMatrix {
        let mut out = BitMatrix::new(self.n);
        for a in rows_until(self.n, stop) {
            for b in self.successors(a) {
                out.or_row(a, other.row(b));
            }
        }
        out
    }

    fn or_row(&mut self, a: usize, row: &[u64]) {
        let words = self.words;
        self.rows[a * words..(a + 1) * words]
            .iter_mut()
            .zip(row)
            .for_each(|(x, y)| *x |= y);
    }

    /// `self^-1`
    pub fn inverse(&self) -> BitMatrix {
        self.inverse_until(&|| false)
    }

    /// `self^-1`, or a part of it when `stop`, asked now and then, answers true.
    pub fn inverse_until(&self, stop: &dyn Fn() -> bool) -> BitMatrix {
        let mut out = BitMatrix::new(self.n);
        for a in rows_until(self.n, stop) {
            self.successors(a).for_each(|b| out.insert(b, a));
        }
        out
    }

    /// `self^+`, by Warshall's algorithm on rows.
    pub fn plus(&self) -> BitMatrix {
        self.plus_until(&|| false)
    }

    /// `self^+`, or a part of it when `stop`, asked now and then, answers true.
    pub fn plus_until(&self, stop: &dyn Fn() -> bool) -> BitMatrix {
        let mut out = self.clone();
        for via in rows_until(self.n, stop) {
            let row = out.row(via).to_vec();
            for a in 0..self.n {
                if out.contains(a, via) {
                    out.or_row(a, &row);
                }
            }
        }
        out
    }

    /// The pairs with both ends in a set.
    pub fn within(&self, set: &BitSet) -> BitMatrix {
        let mut out = BitMatrix::new(self.n);
        for a in set.iter() {
            let mut row = self.set(a);
            row.inter(&set.words);
            out.or_row(a, &row.words);
        }
        out
    }

    /// True when every pair of `self` is in `other`.
    pub fn is_subset(&self, other: &BitMatrix) -> bool {
        self.rows.iter().zip(&other.rows).all(|(a, b)| a & !b == 0)
    }

    /// True when the relation has no cycle.
    pub fn is_acyclic(&self) -> bool {
        // What leads nowhere but to what is gone goes too; a cycle is what remains.
        let mut left: Vec<usize> = (0..self.n).collect();
        let mut gone = vec![0u64; self.words];
        loop {
            let before = left.len();
            left.retain(|a| {
                let stays = self
                    .row(*a)
                    .iter()
                    .zip(&gone)
                    .any(|(to, gone)| to & !gone != 0);
                if !stays {
                    gone[a / 64] |= 1 << (a % 64);
                }
                stays
            });
            if left.is_empty() || left.len() == before {
                return left.is_empty();
            }
        }
    }

    /// A shortest cycle, as its events in order; `None` when the relation is acyclic.
    pub fn cycle(&self) -> Option<Vec<usize>> {
        if self.is_acyclic() {
            return None;
        }
        let mut best: Option<Vec<usize>> = None;
        for start in 0..self.n {
            let mut from = vec![usize::MAX; self.n];
            let mut queue = std::collections::VecDeque::from([start]);
            'search: while let Some(a) = queue.pop_front() {
                for b in self.successors(a) {
                    if b == start {
                        let mut path = vec![a];
                        while *path.last().expect("the path starts with one event") != start {
                            path.push(from[*path.last().expect("as above")]);
                        }
                        path.reverse();
                        if best.as_ref().is_none_or(|p| path.len() < p.len()) {
                            best = Some(path);
                        }
                        break 'search;
                    }
                    if from[b] == usize::MAX {
                        from[b] = a;
                        queue.push_back(b);
                    }
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closure_and_cycles() {
        let mut r = BitMatrix::new(70);
        r.insert(0, 65);
        r.insert(65, 3);
        assert!(r.cycle().is_none() && r.is_acyclic());
        assert!(r.plus().contains(0, 3));
        r.insert(3, 0);
        assert!(!r.is_acyclic());
        assert_eq!(r.cycle(), Some(vec![0, 65, 3]));
        assert_eq!(
            r.seq(&r).pairs().collect::<Vec<_>>(),
            vec![(0, 3), (3, 65), (65, 0)]
        );
    }
}
