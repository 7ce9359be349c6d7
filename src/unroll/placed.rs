//! What a pass of symbolic execution knows of where objects lie ([`super::placement`] decides it).

use super::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// An object by its address, or a thread by its handle; the latter are smaller.
pub(super) type Name = u64;

/// The objects and threads that may be in the place of others, and how far behind each.
pub(super) type Candidates = BTreeMap<Name, BTreeMap<Name, u64>>;

/// Objects among which comparisons may see the order of memory, each set by itself.
pub(super) type OrderedSets = Vec<BTreeSet<Name>>;

/// The choices of a pass, and what it learns of comparisons.
#[derive(Default)]
pub(super) struct Placements {
    chosen: BTreeMap<(Name, Name), TermId>,
    at: FxHashMap<Name, TermId>,
    /// Words with their addresses put in place, by the names that were looked for.
    words: FxHashMap<(TermId, Rc<[Name]>), TermId>,
    compared: FxHashSet<(TermId, TermId)>,
    /// By object: the address of the one in whose stead it comes in the order of memory.
    order: BTreeMap<Name, TermId>,
    words_in_order: FxHashMap<TermId, TermId>,
    compared_in_order: FxHashSet<(TermId, TermId)>,
    ended_before: BTreeMap<Name, BTreeSet<Name>>,
}

impl Placements {
    /// The first is in the place of the second when the condition holds.
    pub(super) fn choose(&mut self, name: Name, other: Name, when: TermId) {
        self.chosen.insert((name, other), when);
    }

    pub(super) fn chosen(&self, name: Name, other: Name) -> TermId {
        self.chosen[&(name, other)]
    }

    /// Those in whose place one may be, each with when it is.
    pub(super) fn chosen_for(&self, name: Name) -> Vec<(Name, TermId)> {
        let chosen = self.chosen.range((name, 0)..=(name, Name::MAX));
        chosen.map(|((_, other), when)| (*other, *when)).collect()
    }

    /// When the first is in another place, or another one in that of the second.
    pub(super) fn excluding(&self, name: Name, other: Name) -> Vec<TermId> {
        let chosen = self.chosen.iter();
        let taken = chosen.filter(|((n, o), _)| *n == name || *o == other);
        taken.map(|(_, when)| *when).collect()
    }

    /// Where an object or a thread is, if that was chosen.
    pub(super) fn place(&self, name: Name) -> Option<TermId> {
        self.at.get(&name).copied()
    }

    pub(super) fn set_place(&mut self, name: Name, at: TermId) {
        self.at.insert(name, at);
    }

    /// The names below a limit that have places, ascending, with these.
    pub(super) fn places_below(&self, limit: Name) -> Vec<(Name, TermId)> {
        let places = self.at.iter().map(|(name, at)| (*name, *at));
        let mut places: Vec<(Name, TermId)> = places.filter(|(name, _)| *name < limit).collect();
        places.sort_unstable();
        places
    }

    pub(super) fn word(&self, word: TermId, names: &Rc<[Name]>) -> Option<TermId> {
        self.words.get(&(word, names.clone())).copied()
    }

    pub(super) fn keep_word(&mut self, word: TermId, names: &Rc<[Name]>, placed: TermId) {
        self.words.insert((word, names.clone()), placed);
    }

    /// Words are compared.
    pub(super) fn note_compared(&mut self, a: TermId, b: TermId) {
        self.compared.insert((a, b));
    }

    pub(super) fn take_compared(&mut self) -> FxHashSet<(TermId, TermId)> {
        std::mem::take(&mut self.compared)
    }

    pub(super) fn set_order(&mut self, name: Name, at: TermId) {
        self.order.insert(name, at);
    }

    /// The objects whose order is chosen, each with the address in whose stead it comes.
    pub(super) fn order(&self) -> &BTreeMap<Name, TermId> {
        &self.order
    }

    pub(super) fn word_in_order(&self, word: TermId) -> Option<TermId> {
        self.words_in_order.get(&word).copied()
    }

    pub(super) fn keep_word_in_order(&mut self, word: TermId, at: TermId) {
        self.words_in_order.insert(word, at);
    }

    /// Two words are compared by which comes first in memory.
    pub(super) fn note_compared_in_order(&mut self, a: TermId, b: TermId) {
        self.compared_in_order.insert((a, b));
    }

    pub(super) fn take_compared_in_order(&mut self) -> FxHashSet<(TermId, TermId)> {
        std::mem::take(&mut self.compared_in_order)
    }

    /// What may have ended before something was made.
    pub(super) fn note_ended_before(&mut self, name: Name, ended: BTreeSet<Name>) {
        self.ended_before.insert(name, ended);
    }

    pub(super) fn ended_before(&self, name: Name) -> Option<&BTreeSet<Name>> {
        self.ended_before.get(&name)
    }

    /// The names below a limit, each with what may have ended before.
    pub(super) fn made_below(&self, limit: Name) -> impl Iterator<Item = (Name, &BTreeSet<Name>)> {
        let made = self.ended_before.range(..limit);
        made.map(|(name, ended)| (*name, ended))
    }
}
