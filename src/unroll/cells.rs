//! The scalars of a pass: which are cells of the event graph, and what each contains at first.

use super::id::CellId;
use super::memory::SlotId;
use super::state::SymbolicValue;
use base::idx::IdVec;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Cells {
    of_slot: FxHashMap<SlotId, CellId>,
    slots: IdVec<CellId, SlotId>,
    initial: FxHashMap<SlotId, SymbolicValue>,
    replaced: BTreeMap<SlotId, SymbolicValue>,
}

impl Cells {
    /// The cell of a slot, if it has one.
    pub(super) fn find(&self, slot: SlotId) -> Option<CellId> {
        self.of_slot.get(&slot).copied()
    }

    /// The slot of a cell.
    pub(super) fn slot(&self, cell: CellId) -> SlotId {
        self.slots[cell]
    }

    /// A slot has the next cell.
    pub(super) fn add(&mut self, slot: SlotId) {
        let cell = self.slots.push(slot);
        self.of_slot.insert(slot, cell);
    }

    /// All cells with their slots.
    pub(super) fn iter(&self) -> impl Iterator<Item = (CellId, SlotId)> + '_ {
        self.slots
            .iter_enumerated()
            .map(|(cell, slot)| (cell, *slot))
    }

    /// What a slot contains before the program runs, or when the first thread is created; `None`
    /// where nobody has looked.
    pub(super) fn initial(&self, slot: SlotId) -> Option<SymbolicValue> {
        self.initial.get(&slot).copied()
    }

    pub(super) fn set_initial(&mut self, slot: SlotId, value: SymbolicValue) {
        self.initial.insert(slot, value);
    }

    /// What a slot contains when the first thread is created is what it contains at first; that was
    /// `before`.
    pub(super) fn replace_initial(
        &mut self,
        slot: SlotId,
        before: SymbolicValue,
        value: SymbolicValue,
    ) {
        self.replaced.insert(slot, before);
        self.initial.insert(slot, value);
    }

    /// What slots contained at first, where that was replaced.
    pub(super) fn replaced(&self) -> impl Iterator<Item = (SlotId, SymbolicValue)> + '_ {
        self.replaced.iter().map(|(slot, value)| (*slot, *value))
    }
}
