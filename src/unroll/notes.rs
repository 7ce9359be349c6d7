//! What threads remember of the objects of the library.
//!
//! Which locks a thread holds is known to the thread alone, so it needs no memory and no events: a
//! path carries numbers by the address of the lock. They are right up to the first misuse, as
//! no other thread can release what a thread holds.

use super::term::{TermId, Terms};
use ir::program::NOTE_WIDTH;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Numbers of [`NOTE_WIDTH`] bits by key; 0 where there is none. Keys that turn out to be equal
/// have equal numbers.
#[derive(Clone, Debug, Default)]
pub struct Notes(Rc<BTreeMap<TermId, TermId>>);

impl Notes {
    /// True when both are the same without looking.
    pub(super) fn is(&self, other: &Notes) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// The keys and what is remembered of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&TermId, &TermId)> {
        self.0.iter()
    }

    /// What is remembered of a key.
    pub fn get(&self, terms: &mut Terms, key: TermId) -> TermId {
        if let Some(value) = self.0.get(&key) {
            return *value;
        }
        let mut value = terms.constant(0, NOTE_WIDTH);
        for (other, noted) in self.0.iter() {
            let same = terms.eq(key, *other);
            value = terms.ite(same, *noted, value);
        }
        value
    }

    /// Remembers a number of a key, when the condition holds.
    pub fn set(&mut self, terms: &mut Terms, key: TermId, value: TermId, when: TermId) {
        let before = self.get(terms, key);
        let notes = Rc::make_mut(&mut self.0);
        for (other, noted) in notes.iter_mut() {
            let same = terms.eq(key, *other);
            let same = terms.and(when, same);
            *noted = terms.ite(same, value, *noted);
        }
        notes.insert(key, terms.ite(when, value, before));
    }

    /// What two paths remember where they meet: that of `a` if `cond`, else that of `b`.
    pub fn merged(a: Notes, b: Notes, cond: TermId, terms: &mut Terms) -> Notes {
        if Rc::ptr_eq(&a.0, &b.0) {
            return a;
        }
        let keys: BTreeSet<TermId> = a.0.keys().chain(b.0.keys()).copied().collect();
        let merged = keys.into_iter().map(|key| {
            let (x, y) = (a.get(terms, key), b.get(terms, key));
            (key, terms.ite(cond, x, y))
        });
        Notes(Rc::new(merged.collect()))
    }
}
