//! Which scalars of an object an access at an unknown place of it may touch.
//!
//! By its points-to set, an access `a[i]` may be one of every element, and each read of the array then
//! meets each write. A pointer that was computed by arithmetic may even lie across other scalars, so that
//! all of them are accessed in pieces ([`super::pieces`]). Mostly the index or the pointer has few values:
//! the number of a thread, a ticket, a link of a list that lies in an array, an entry of a buffer in which
//! an allocator keeps its entries. So no scalar is a target at first but those that are *selected*
//! ([`Facts::selected`](super::memory::Facts)), and when a pass contradicts nothing else, sets of numbers say where its
//! accesses may go: of each read, the union of what is written to its scalars, in as many iterations
//! as there are reads that depend on each other ([`ValueSets::iterate`]). Where that is more than is
//! selected, the pass is repeated with it.
//!
//! Sets like these hold where values have causes, which is for the model to say
//! ([`UnrollOptions::values_have_causes`](super::UnrollOptions)). Yet no answer rests on them: an access
//! that is not to a selected scalar is an unresolved one, whose guard is asked for like any other. What
//! such an access reads is in no set: nothing is concluded from executions that have one.

use super::access_log::WideAccess;
use super::event::{CellId, Event, EventId, EventKind};
use super::executor::Executor;
use super::memory::{ObjId, Selected};
use super::range::Range;
use super::term::TermId;
use super::value_sets::{MAX_STEPS, ValueSets};
use base::bits::BitMatrix;
use base::components::components;
use base::idx::IdVec;
use ir::program::MemoryOrder;

/// An access at more places of an object than this is at all of them when half of them are possible.
const FEW_PLACES: usize = 32;

/// How often more scalars may be selected.
const MAX_SELECTIONS: u32 = 24;

impl Executor<'_> {
    /// Leaves of the places at which an access may be in an object those that are selected.
    pub(super) fn select(
        &mut self,
        addr: TermId,
        guard: TermId,
        object: ObjId,
        places: &mut Vec<u64>,
    ) {
        if places.len() < 2 || !self.options.values_have_causes {
            return;
        }
        let selected = self.facts.selected(object);
        if matches!(selected, Some(Selected::All)) {
            return;
        }
        self.accesses.note_wide(WideAccess {
            addr,
            guard,
            object,
            count: places.len(),
            places: match places.len() <= FEW_PLACES {
                true => places.clone(),
                false => Vec::new(),
            },
        });
        match selected {
            Some(Selected::Some(offsets)) => places.retain(|place| offsets.contains(place)),
            _ => places.clear(),
        }
    }

    /// Selects what the accesses of this pass may touch.
    pub(super) fn select_more(&mut self) {
        let wide = self.accesses.take_wide();
        if wide.is_empty() {
            return;
        }
        let found = match self.facts.selections() < MAX_SELECTIONS {
            true => self.places_by_value(&wide),
            false => None,
        };
        self.facts.begin_selection();
        for (number, access) in wide.iter().enumerate() {
            let offsets = found.as_ref().and_then(|found| found[number].as_ref());
            self.facts.select(access.object, offsets);
        }
    }

    /// The offsets at which each access may be in its object; `None` where these are too many.
    fn places_by_value(&self, wide: &[WideAccess]) -> Option<Vec<Option<Vec<u64>>>> {
        let mut sets = self.value_sets()?;
        let places = wide.iter().map(|access| {
            let known = sets.under(access.guard);
            let base = self.facts.address(access.object, 0);
            let end = base + self.facts.objects[access.object].size;
            let all = sets
                .eval(access.addr, &known)
                .clip(base, end.saturating_sub(1));
            match all.members(FEW_PLACES.max(access.count / 2)) {
                Some(few) => Some(few.into_iter().map(|addr| addr - base).collect()),
                None if access.count <= FEW_PLACES => Some(access.places.clone()),
                None => None,
            }
        });
        let places = places.collect();
        (sets.steps <= MAX_STEPS).then_some(places)
    }

    /// What reads may return when each may read whatever is written to one of its cells.
    fn value_sets(&self) -> Option<ValueSets<'_>> {
        let graph = &self.graph;
        // Whether a conditional store is done follows from more than what it depends on.
        let is_linked = |e: &Event| e.rmw_read.is_some() && e.order == MemoryOrder::Plain;
        // Nor is it known what a load returns that is outside of every object.
        if self.options.loads_outside || graph.events.iter().any(is_linked) {
            return None;
        }
        let mut writes: IdVec<CellId, Vec<EventId>> =
            graph.cells.ids().map(|_| Vec::new()).collect();
        for (id, event) in graph.events.iter_enumerated() {
            if event.kind.writes() {
                event.cells.iter().for_each(|cell| writes[*cell].push(id));
            }
        }
        let mut sets = ValueSets::new(&graph.terms);
        sets.without.extend(self.accesses.outside());
        let events = graph.events.iter_enumerated();
        let reads: Vec<EventId> = events
            .filter(|(_, event)| event.kind == EventKind::Read)
            .map(|(id, _)| id)
            .collect();
        let sources: Vec<Vec<EventId>> = reads
            .iter()
            .map(|read| {
                let cells = graph.events[*read].cells.iter();
                let mut all: Vec<EventId> = cells.flat_map(|c| &writes[*c]).copied().collect();
                all.sort_unstable();
                all.dedup();
                all
            })
            .collect();
        let number = |read: EventId| reads.binary_search(&read).ok();
        let mut uses = BitMatrix::new(reads.len());
        for (r, sources) in sources.iter().enumerate() {
            for w in sources {
                let causes = sets.leaves(graph.events[*w].value, usize::MAX);
                let causes = causes.into_iter().flatten().filter_map(number);
                causes.for_each(|cause| uses.insert(r, cause));
            }
            if self.progress.is_interrupted() {
                return None;
            }
        }
        let component = components(&uses);
        let mut order: Vec<usize> = (0..reads.len()).collect();
        order.sort_by_key(|r| (component[*r], *r));
        for read in &reads {
            sets.of.insert(*read, Range::NONE);
        }
        for together in order.chunk_by(|a, b| component[*a] == component[*b]) {
            let together: Vec<(EventId, &[EventId])> = together
                .iter()
                .map(|r| (reads[*r], &sources[*r][..]))
                .collect();
            let none = Default::default();
            let settled =
                sets.iterate(&together, |sets, w| sets.eval(graph.events[w].value, &none));
            if !settled {
                together.iter().for_each(|(read, _)| {
                    sets.of.remove(read);
                });
            }
        }
        Some(sets)
    }
}
