//! Dependencies: which reads a value or a branch depends on, and under which condition.
//!
//! Dependencies are the syntactic ones of the architectures: a register computed from a loaded
//! value depends on the load even when the value cancels out (`r ^ r`). Where two paths meet, a
//! dependency of one path holds under the condition of that path.

use super::event::{Deps, EventId};
use super::term::{TermId, Terms};
use base::id;
use base::idx::IdVec;
use rustc_hash::FxHashMap;

id!(
    /// An interned set of dependencies.
    DepId,
    "d"
);

/// All dependency sets of one pass, interned.
#[derive(Debug)]
pub struct DepSets {
    sets: IdVec<DepId, Deps>,
    index: FxHashMap<Deps, DepId>,
}

impl Default for DepSets {
    fn default() -> Self {
        DepSets::new()
    }
}

impl DepSets {
    /// With the empty set as [`DepSets::EMPTY`].
    pub fn new() -> Self {
        let mut sets = DepSets {
            sets: IdVec::new(),
            index: FxHashMap::default(),
        };
        sets.intern(Vec::new());
        sets
    }

    /// No dependency.
    pub const EMPTY: DepId = DepId(0);

    fn intern(&mut self, set: Vec<(EventId, TermId)>) -> DepId {
        let set: Deps = set.into();
        if let Some(id) = self.index.get(&set) {
            return *id;
        }
        let id = self.sets.push(set.clone());
        self.index.insert(set, id);
        id
    }

    /// The members of a set.
    pub fn get(&self, id: DepId) -> Deps {
        self.sets[id].clone()
    }

    /// The set of one read, unconditionally.
    pub fn read(&mut self, event: EventId, terms: &mut Terms) -> DepId {
        let always = terms.bool(true);
        self.intern(vec![(event, always)])
    }

    /// Both sets together.
    pub fn union(&mut self, a: DepId, b: DepId, terms: &mut Terms) -> DepId {
        if a == b || b == Self::EMPTY {
            return a;
        }
        if a == Self::EMPTY {
            return b;
        }
        let (left, right) = (self.get(a), self.get(b));
        let mut out = Vec::with_capacity(left.len() + right.len());
        let (mut i, mut j) = (0, 0);
        while i < left.len() || j < right.len() {
            let take_left = j == right.len() || (i < left.len() && left[i].0 <= right[j].0);
            let take_right = i == left.len() || (j < right.len() && right[j].0 <= left[i].0);
            if take_left && take_right {
                out.push((left[i].0, terms.or(left[i].1, right[j].1)));
            } else {
                out.push(if take_left { left[i] } else { right[j] });
            }
            i += usize::from(take_left);
            j += usize::from(take_right);
        }
        self.intern(out)
    }

    /// The set under a condition.
    pub fn under(&mut self, a: DepId, cond: TermId, terms: &mut Terms) -> DepId {
        if a == Self::EMPTY || terms.is_true(cond) {
            return a;
        }
        let set = self.get(a);
        let mut out: Vec<_> = set.iter().map(|(e, c)| (*e, terms.and(*c, cond))).collect();
        out.retain(|(_, c)| !terms.is_false(*c));
        self.intern(out)
    }

    /// What a choice between two values depends on: each side's dependencies under its condition.
    pub fn choose(&mut self, cond: TermId, a: DepId, b: DepId, terms: &mut Terms) -> DepId {
        if a == b {
            return a;
        }
        let not_cond = terms.not(cond);
        let a = self.under(a, cond, terms);
        let b = self.under(b, not_cond, terms);
        self.union(a, b, terms)
    }
}
