//! The global order (ghb): a strict partial order of few timestamps, kept transitively closed.

use crate::cube::timestamp::{Timestamps, each};

/// Moments and, for each, those after it.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// What comes after each timestamp; closed.
    pub after: Vec<Timestamps>,
    /// An edge was added that closes a cycle.
    pub cyclic: bool,
}

impl Graph {
    /// A new timestamp, in no order with others.
    pub fn add(&mut self) -> usize {
        self.after.push(0);
        self.after.len() - 1
    }

    /// `a` is before `b`.
    pub fn edge(&mut self, a: usize, b: usize) {
        let add = self.after[b] | 1 << b;
        if add >> a & 1 == 1 {
            self.cyclic = true;
            return;
        }
        if self.after[a] & add == add {
            return;
        }
        for (x, set) in self.after.iter_mut().enumerate() {
            if x == a || *set >> a & 1 == 1 {
                *set |= add;
            }
        }
    }

    /// `a` is before all of these.
    pub fn edges(&mut self, a: usize, all: Timestamps) {
        each(all).for_each(|b| self.edge(a, b));
    }

    /// The set with everything that comes after it.
    pub fn closed(&self, set: Timestamps) -> Timestamps {
        each(set).fold(set, |all, m| all | self.after[m])
    }
}
