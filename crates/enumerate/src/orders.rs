//! The coherence orders and sources of reads that one location may have.
//!
//! Where every model asks for `acyclic po-loc | rf | co | fr`, a choice is left out that has such a
//! cycle. A cycle stays within one location, so locations are looked at one by one. With writes at
//! places 1, 2, … of coherence, the initial one at 0, and a read at the place of its source, there
//! is none exactly if, along program order, from write to write and from read to write places grow,
//! and from write to read and from read to read they do not shrink: then `co`, `fr` and `po-loc` to
//! a write go to a later place, and what is left does not go back and is acyclic itself.

use super::objects::Initial;
use base::bits::BitMatrix;
use ir::shadow::Word;

/// Accesses to one location, as numbers of events.
pub(super) struct Location {
    pub writes: Vec<usize>,
    pub reads: Vec<usize>,
    /// What it contains initially.
    pub initial: Initial,
    /// The write that its object begins with, of what it contains initially: the first one.
    pub begin: Option<usize>,
}

/// What is asked of the events at all locations.
pub(super) struct Around<'a> {
    /// By event: what it reads or writes.
    pub values: &'a [Word],
    /// By event: no other thread sees it, as its atomic section does not end.
    pub unseen: &'a [bool],
    /// By event: its thread.
    pub threads: &'a [usize],
    /// By event: for the read of a read-modify-write that happened, the write.
    pub updates: &'a [Option<usize>],
    pub po: &'a BitMatrix,
    pub coherent: bool,
    /// Nothing of another thread may come between the read and the write of a read-modify-write.
    pub atomic: bool,
}

/// One way in which a location may be accessed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct LocationWitness {
    /// The writes in coherence order, without the initial one.
    pub order: Vec<usize>,
    /// By read, in the order of [`Location::reads`]: the place of the write it reads; 0 is the
    /// initial one.
    pub sources: Vec<usize>,
}

/// How far to look for choices.
pub(super) struct Limit {
    /// So many choices of a location, at most.
    pub found: usize,
    /// So many steps of the search are left for all locations of all combinations.
    pub steps: u64,
}

/// The choices of a location, and whether these are all.
pub(super) fn witnesses(
    at: &Location,
    around: &Around,
    limit: &mut Limit,
) -> (Vec<LocationWitness>, bool) {
    let mut search = CoherenceSearch {
        at,
        around,
        limit,
        order: Vec::new(),
        sources: Vec::new(),
        out: Vec::new(),
    };
    search.next_write();
    let all = !search.is_over();
    (search.out, all)
}

struct CoherenceSearch<'a> {
    at: &'a Location,
    around: &'a Around<'a>,
    limit: &'a mut Limit,
    order: Vec<usize>,
    sources: Vec<usize>,
    out: Vec<LocationWitness>,
}

impl CoherenceSearch<'_> {
    fn is_over(&self) -> bool {
        self.out.len() >= self.limit.found || self.limit.steps == 0
    }

    fn next_write(&mut self) {
        if self.is_over() {
            return;
        }
        self.limit.steps -= 1;
        if self.order.len() == self.at.writes.len() {
            return self.next_read();
        }
        let free = |w: &usize| !self.order.contains(w);
        let left: Vec<usize> = self.at.writes.iter().copied().filter(free).collect();
        for w in &left {
            if self.order.is_empty() && self.at.begin.is_some_and(|begin| begin != *w) {
                continue;
            }
            let po = self.around.po;
            if self.around.coherent && left.iter().any(|v| po.contains(*v, *w)) {
                continue;
            }
            let hidden = |v: &usize| self.is_hidden(*v, *w);
            if self.order.iter().any(hidden) || !self.may_follow(*w) {
                continue;
            }
            self.order.push(*w);
            self.next_write();
            self.order.pop();
        }
    }

    /// Whether an event must not come after a write, as nobody sees the latter.
    fn is_hidden(&self, write: usize, from: usize) -> bool {
        let threads = self.around.threads;
        self.around.unseen[write] && threads[write] != threads[from]
    }

    /// Whether a write may come next: one of a read-modify-write comes right behind what is read,
    /// but for writes of its own thread.
    fn may_follow(&self, write: usize) -> bool {
        let around = self.around;
        let updates = |r: &&usize| around.updates[**r] == Some(write);
        let Some(read) = self.at.reads.iter().find(updates).filter(|_| around.atomic) else {
            return true;
        };
        let value = around.values[*read];
        let begins = |w: &&usize| self.at.begin == Some(**w);
        for before in self.order.iter().rev().take_while(|w| !begins(w)) {
            if around.values[*before] == value {
                return true;
            }
            if around.threads[*before] != around.threads[write] {
                return false;
            }
        }
        match self.at.initial {
            Initial::Known(initial) => initial == value,
            Initial::Arbitrary(shadow) => shadow == value.shadow,
        }
    }

    fn next_read(&mut self) {
        if self.is_over() {
            return;
        }
        self.limit.steps -= 1;
        let Some(read) = self.at.reads.get(self.sources.len()).copied() else {
            let (order, sources) = (self.order.clone(), self.sources.clone());
            self.out.push(LocationWitness { order, sources });
            return;
        };
        for place in 0..=self.order.len() {
            if self.fits(read, place) {
                self.sources.push(place);
                self.next_read();
                self.sources.pop();
            }
        }
    }

    fn fits(&self, read: usize, place: usize) -> bool {
        let around = self.around;
        let value = around.values[read];
        let earlier = || self.at.reads.iter().copied().zip(&self.sources);
        let first = usize::from(self.at.begin.is_some());
        let same = match self.at.initial {
            _ if place > first => around.values[self.order[place - 1]] == value,
            Initial::Known(initial) => initial == value,
            // It is one value, whatever it is.
            Initial::Arbitrary(shadow) => {
                let mut earlier = earlier();
                let same = earlier.all(|(r, p)| *p > first || around.values[r] == value);
                same && shadow == value.shadow
            }
        };
        if !same || place > 0 && self.is_hidden(self.order[place - 1], read) {
            return false;
        }
        if let (true, Some(write)) = (around.atomic, around.updates[read]) {
            let end = self.order.iter().position(|w| *w == write);
            let between = self.order.get(place..end.unwrap_or(0)).unwrap_or(&[]);
            let foreign = |w: &usize| around.threads[*w] != around.threads[read];
            if between.iter().any(foreign) {
                return false;
            }
        }
        if !around.coherent {
            return true;
        }
        let places = self.order.iter().zip(1..);
        let mut writes = places.map(|(w, at)| {
            let (before, after) = (around.po.contains(*w, read), around.po.contains(read, *w));
            (!before || at <= place) && (!after || place < at)
        });
        let mut reads = earlier().map(|(r, at)| {
            let (before, after) = (around.po.contains(r, read), around.po.contains(read, r));
            (!before || *at <= place) && (!after || place <= *at)
        });
        writes.all(|fits| fits) && reads.all(|fits| fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(coherent: bool, po: &[(usize, usize)], at: &Location, values: &[u64]) -> usize {
        let mut matrix = BitMatrix::new(values.len());
        po.iter().for_each(|(a, b)| matrix.insert(*a, *b));
        let around = Around {
            values: &values.iter().map(|v| Word::known(*v)).collect::<Vec<_>>(),
            unseen: &vec![false; values.len()],
            threads: &vec![0; values.len()],
            updates: &vec![None; values.len()],
            po: &matrix,
            coherent,
            atomic: false,
        };
        let (found, steps) = (1000, 1000);
        witnesses(at, &around, &mut Limit { found, steps }).0.len()
    }

    #[test]
    fn coherence_prunes() {
        // Two writes of 1 in order, and a read of 1 after the first, before the second.
        let at = Location {
            writes: vec![0, 2],
            reads: vec![1],
            initial: Initial::Known(Word::known(0)),
            begin: None,
        };
        let po = [(0, 1), (1, 2), (0, 2)];
        assert_eq!(count(true, &po, &at, &[1, 1, 1]), 1);
        assert_eq!(count(false, &po, &at, &[1, 1, 1]), 4);
        assert_eq!(count(true, &[], &at, &[1, 1, 1]), 4);
        assert_eq!(count(true, &po, &at, &[1, 0, 1]), 0);
    }

    #[test]
    fn reads_of_one_thread_do_not_go_back() {
        let at = Location {
            writes: vec![0],
            reads: vec![1, 2],
            initial: Initial::Known(Word::known(0)),
            begin: None,
        };
        assert_eq!(count(true, &[(1, 2)], &at, &[1, 1, 0]), 0);
        assert_eq!(count(true, &[(1, 2)], &at, &[1, 0, 1]), 1);
    }
}
