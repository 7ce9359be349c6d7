//! Values of slots, as paths know them of private memory.
//!
//! Paths that have come from one share what neither has written since, chunk by chunk, so that a path that
//! goes on, a loop that remembers where it was, and a comparison of two paths cost as much as differs.

use super::memory::SlotId;
use base::idx::Id;
use std::rc::Rc;

/// Slots of a chunk.
const CHUNK: usize = 32;

type Chunk<V> = [Option<V>; CHUNK];

/// The values of slots that were written.
#[derive(Clone, Debug)]
pub struct SlotMap<V> {
    /// Chunk by chunk; none of those in which nothing was written.
    chunks: Rc<Vec<Option<Rc<Chunk<V>>>>>,
}

impl<V> Default for SlotMap<V> {
    fn default() -> Self {
        let chunks = Rc::default();
        SlotMap { chunks }
    }
}

impl<V: Copy> SlotMap<V> {
    /// What a slot holds, if it was written.
    pub fn get(&self, slot: SlotId) -> Option<V> {
        let chunk = self.chunks.get(slot.index() / CHUNK)?.as_ref()?;
        chunk[slot.index() % CHUNK]
    }

    /// Writes a slot.
    pub fn insert(&mut self, slot: SlotId, value: V) {
        let chunks = Rc::make_mut(&mut self.chunks);
        let at = slot.index() / CHUNK;
        if at >= chunks.len() {
            chunks.resize(at + 1, None);
        }
        let chunk = chunks[at].get_or_insert_with(|| Rc::new([None; CHUNK]));
        Rc::make_mut(chunk)[slot.index() % CHUNK] = Some(value);
    }

    /// The slots that were written, in their order, with what they hold.
    pub fn iter(&self) -> impl Iterator<Item = (SlotId, V)> {
        (0..self.chunks.len()).flat_map(|at| self.of_chunk(at))
    }

    /// The slots of which the other map may hold something else, in their order: written here or there,
    /// and not shared.
    pub fn unshared(&self, other: &SlotMap<V>) -> Vec<SlotId> {
        if Rc::ptr_eq(&self.chunks, &other.chunks) {
            return Vec::new();
        }
        let all = 0..self.chunks.len().max(other.chunks.len());
        let slots = all.flat_map(|at| {
            let [a, b] = [self, other].map(|m| m.chunks.get(at).and_then(Option::as_ref));
            let is_shared = match (a, b) {
                (Some(a), Some(b)) => Rc::ptr_eq(a, b),
                (a, b) => a.is_none() && b.is_none(),
            };
            let within = 0..if is_shared { 0 } else { CHUNK };
            let is_written = move |i: &usize| [a, b].into_iter().flatten().any(|c| c[*i].is_some());
            within.filter(is_written).map(move |i| slot(at, i))
        });
        slots.collect()
    }

    fn of_chunk(&self, at: usize) -> impl Iterator<Item = (SlotId, V)> {
        let chunk = self.chunks[at].iter();
        let values = chunk.flat_map(|chunk| chunk.iter().copied().enumerate());
        values.filter_map(move |(i, value)| Some((slot(at, i), value?)))
    }
}

fn slot(chunk: usize, within: usize) -> SlotId {
    SlotId::from_index(chunk * CHUNK + within)
}
