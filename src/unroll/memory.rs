//! Memory objects, their scalar slots, and what is assumed of them from one pass to the next.

use super::event::NamedObject;
pub use super::id::{ObjId, SlotId, ThreadKey};
use super::placed::{Candidates, OrderedSets};
use super::points_to::{Offsets, PointsTo};
use base::idx::{Id, IdVec};
use ir::places::{self, Wanted};
use ir::program::{GlobalId, LayoutId, Lifetime, ProcId, Program, ScalarKind, Width};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// What an object is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ObjKind {
    /// Null: no object.
    Null,
    /// A procedure.
    Proc(ProcId),
    /// Static storage; of one thread when thread-local.
    Global(GlobalId, Option<ThreadKey>),
    /// The `n`-th execution of an allocation by a thread.
    Alloc {
        /// Who allocated.
        thread: ThreadKey,
        /// The instruction.
        site: (ProcId, usize),
        /// How many times that thread had executed it before.
        occurrence: u32,
    },
}

/// A memory object.
#[derive(Clone, Debug)]
pub struct Object {
    /// What it is.
    pub kind: ObjKind,
    /// As the source names it.
    pub name: String,
    /// Its type, or the type of its elements on the heap.
    pub layout: Option<LayoutId>,
    /// Bytes.
    pub size: u64,
    /// Bytes of alignment.
    pub align: u64,
    /// Initially zero; otherwise arbitrary. Static objects have their initialisers besides.
    pub zeroed: bool,
}

/// A scalar of an object.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Its object.
    pub object: ObjId,
    /// Byte offset.
    pub offset: u64,
    /// Bits.
    pub width: Width,
}

/// An access that may lie at more places of one object than this is not split over them.
const MAX_PLACES: usize = 1 << 15;

/// What is selected of an object.
#[derive(Clone, Debug)]
pub(super) enum Selected {
    /// Scalars at these offsets.
    Some(BTreeSet<u64>),
    /// All.
    All,
}

/// What tells threads apart: the creator, the instruction, how often that creator had executed it
/// before, and the procedure that runs.
type Creation = (Option<ThreadKey>, (ProcId, usize), u32, ProcId);

/// Everything that holds from pass to pass: objects and slots by stable keys, and the assumptions
/// a pass is run under.
#[derive(Debug)]
pub struct Facts {
    /// All objects; the number of an object is the high part of its address.
    pub objects: IdVec<ObjId, Object>,
    object_index: FxHashMap<ObjKind, ObjId>,
    /// All slots.
    pub slots: IdVec<SlotId, Slot>,
    slot_index: FxHashMap<(ObjId, u64), SlotId>,
    slots_of: FxHashMap<ObjId, BTreeSet<u64>>,
    /// Bytes that accesses of different sizes touch: how large the pieces are that they are accessed
    /// in at most.
    finest: FxHashMap<(ObjId, u64), u8>,
    threads: IdVec<ThreadKey, Creation>,
    thread_index: FxHashMap<Creation, ThreadKey>,
    /// Slots whose accesses are events: several threads touch them, or the machine must see it.
    shared: FxHashSet<SlotId>,
    /// Slots that several threads touch, while one of them writes; all of them are shared.
    contended: FxHashSet<SlotId>,
    begins: FxHashSet<SlotId>,
    ends: FxHashSet<SlotId>,
    writers: FxHashMap<SlotId, BTreeSet<ThreadKey>>,
    contents: FxHashMap<SlotId, PointsTo>,
    values: FxHashMap<SlotId, Option<BTreeSet<u64>>>,
    plain: FxHashSet<SlotId>,
    tainted: FxHashSet<SlotId>,
    published_early: FxHashSet<ObjId>,
    accessed_beside: FxHashSet<(ThreadKey, SlotId)>,
    unguarded: FxHashSet<SlotId>,
    non_terminating: FxHashSet<(ProcId, usize)>,
    unfinished: BTreeSet<(ProcId, usize)>,
    /// Treat all memory that is not on one thread's stack as shared, to end refinement.
    is_coarse: bool,
    /// Give up an object as a whole when another one of its scalars is contended.
    is_by_object: bool,
    selected: FxHashMap<ObjId, Selected>,
    selections: u32,
    /// Objects of which every scalar is treated as contended.
    given_up: FxHashSet<ObjId>,
    candidates: Candidates,
    ordered: OrderedSets,
    is_contradicted: bool,
    offset_bits: u32,
    pointer_width: Width,
}

impl Facts {
    /// Nothing assumed; procedures and static objects numbered in the order of the program.
    pub fn new(program: &Program) -> Facts {
        let mut facts = Facts {
            objects: IdVec::new(),
            object_index: FxHashMap::default(),
            slots: IdVec::new(),
            slot_index: FxHashMap::default(),
            slots_of: FxHashMap::default(),
            finest: FxHashMap::default(),
            threads: IdVec::new(),
            thread_index: FxHashMap::default(),
            shared: FxHashSet::default(),
            contended: FxHashSet::default(),
            begins: FxHashSet::default(),
            ends: FxHashSet::default(),
            writers: FxHashMap::default(),
            contents: FxHashMap::default(),
            values: FxHashMap::default(),
            plain: FxHashSet::default(),
            tainted: FxHashSet::default(),
            published_early: FxHashSet::default(),
            accessed_beside: FxHashSet::default(),
            unguarded: FxHashSet::default(),
            non_terminating: FxHashSet::default(),
            unfinished: BTreeSet::new(),
            is_coarse: false,
            is_by_object: false,
            selected: FxHashMap::default(),
            selections: 0,
            given_up: FxHashSet::default(),
            candidates: Candidates::new(),
            ordered: OrderedSets::new(),
            is_contradicted: false,
            offset_bits: program.data_model.offset_bits(),
            pointer_width: program.data_model.pointer_width(),
        };
        let object = |kind, name: &str, layout: Option<LayoutId>, size| Object {
            kind,
            name: name.to_string(),
            layout,
            size,
            align: layout.map_or(1, |l| program.alignment(l)),
            zeroed: true,
        };
        facts.intern(object(ObjKind::Null, "null", None, 0));
        for (id, proc) in program.procs.iter_enumerated() {
            facts.intern(object(ObjKind::Proc(id), &proc.name, None, 0));
        }
        for (id, global) in program.globals.iter_enumerated() {
            let size = program.size_of(global.layout);
            facts.intern(object(
                ObjKind::Global(id, None),
                &global.name,
                Some(global.layout),
                size,
            ));
        }
        facts
    }

    /// The object of this kind, new or known.
    pub fn intern(&mut self, object: Object) -> ObjId {
        if let Some(id) = self.object_index.get(&object.kind) {
            self.objects[*id] = object;
            return *id;
        }
        let kind = object.kind.clone();
        let id = self.objects.push(object);
        self.object_index.insert(kind, id);
        id
    }

    /// The scalars of an object that some access touched.
    pub fn slots_of(&self, object: ObjId) -> Vec<SlotId> {
        let offsets = self.slots_of.get(&object).into_iter().flatten();
        offsets.map(|o| self.slot_index[&(object, *o)]).collect()
    }

    /// The known object of this kind.
    pub fn find(&self, kind: &ObjKind) -> Option<ObjId> {
        self.object_index.get(kind).copied()
    }

    /// Where objects with static storage begin, those of threads excepted.
    pub fn statics(&self, program: &Program) -> IdVec<GlobalId, u64> {
        let object = |g| self.find(&ObjKind::Global(g, None));
        let address = |g| object(g).map_or(0, |object| self.address(object, 0));
        program.globals.ids().map(address).collect()
    }

    /// The stable key of a thread.
    pub fn thread(
        &mut self,
        parent: Option<ThreadKey>,
        site: (ProcId, usize),
        occurrence: u32,
        runs: ProcId,
    ) -> ThreadKey {
        let key = (parent, site, occurrence, runs);
        if let Some(id) = self.thread_index.get(&key) {
            return *id;
        }
        let id = self.threads.push(key);
        self.thread_index.insert(key, id);
        id
    }

    pub(super) fn pointer_width(&self) -> Width {
        self.pointer_width
    }

    /// The address of byte `offset` of an object.
    pub fn address(&self, object: ObjId, offset: u64) -> u64 {
        ((object.index() as u64) << self.offset_bits).wrapping_add(offset)
    }

    /// The address of a slot.
    pub fn slot_address(&self, slot: SlotId) -> u64 {
        self.address(self.slots[slot].object, self.slots[slot].offset)
    }

    /// The object a constant address lies in and the offset there; null is `None`.
    pub fn locate(&self, address: u64) -> Option<(ObjId, i64)> {
        // An address a little before an object borrows from the object's number, and no object ends there
        // ([`ir::program::DataModel::largest_object`]).
        let distance = 1 << self.offset_bits;
        let number = address.wrapping_add(distance / 8) >> self.offset_bits;
        let offset = address.wrapping_sub(number << self.offset_bits);
        (address >= distance && (number as usize) < self.objects.len())
            .then(|| (ObjId::from_index(number as usize), offset as i64))
    }

    /// The slot at `offset` of an object for accesses of `width` bits, which fit the others: see
    /// [`Facts::piece`].
    pub fn slot(&mut self, object: ObjId, offset: u64, width: Width) -> SlotId {
        if let Some(id) = self.slot_index.get(&(object, offset)) {
            return *id;
        }
        self.slots_of.entry(object).or_default().insert(offset);
        let id = self.slots.push(Slot {
            object,
            offset,
            width,
        });
        self.slot_index.insert((object, offset), id);
        id
    }

    /// The scalars of an object that some bytes are in, each by its first byte and its size.
    pub(super) fn scalars_in(
        &self,
        object: ObjId,
        offset: u64,
        bytes: u64,
    ) -> impl Iterator<Item = (u64, u64)> + '_ {
        let all = self.slots_of.get(&object).into_iter();
        let near = all.flat_map(move |all| all.range(offset.saturating_sub(7)..offset + bytes));
        let sized = near.map(move |start| {
            let slot = self.slot_index[&(object, *start)];
            (*start, u64::from(self.slots[slot].width) / 8)
        });
        sized.filter(move |(start, size)| start + size > offset)
    }

    /// The scalar that begins at `offset` of an object, if some access touched it, and its size.
    pub(super) fn scalar_at(&self, object: ObjId, offset: u64) -> Option<(SlotId, u64)> {
        let slot = *self.slot_index.get(&(object, offset))?;
        Some((slot, u64::from(self.slots[slot].width) / 8))
    }

    /// The scalar at `offset` of an object is accessed as a whole no longer.
    pub(super) fn forget(&mut self, object: ObjId, offset: u64) {
        self.slot_index.remove(&(object, offset));
        if let Some(offsets) = self.slots_of.get_mut(&object) {
            offsets.remove(&offset);
        }
    }

    /// How the source writes the scalar at `offset` of an object.
    pub fn describe(&self, program: &Program, object: ObjId, offset: u64) -> String {
        let o = &self.objects[object];
        if offset >= o.size {
            return o.name.clone();
        }
        let path = match o.layout {
            Some(layout) => {
                let size = program.size_of(layout).max(1);
                if o.size > size {
                    format!("[{}]{}", offset / size, program.path(layout, offset % size))
                } else {
                    program.path(layout, offset)
                }
            }
            None if offset == 0 => String::new(),
            None => format!("+{offset}"),
        };
        format!("{}{path}", o.name)
    }

    /// What there is at `offset` of an object by its type.
    pub fn scalar_kind(&self, program: &Program, object: ObjId, offset: u64) -> ScalarKind {
        let size = |layout| program.size_of(layout).max(1);
        let layout = self.objects[object].layout;
        let kind = layout.map(|layout| program.scalar_kind(layout, offset % size(layout)));
        kind.unwrap_or_default()
    }

    /// The objects that a program has, for those who read addresses.
    pub fn named_objects(&self) -> BTreeMap<u64, NamedObject> {
        let objects = self.objects.iter_enumerated();
        let named = objects
            .filter(|(_, o)| o.kind != ObjKind::Null)
            .map(|(id, o)| {
                let name = o.name.clone();
                (self.address(id, 0), NamedObject { name, size: o.size })
            });
        named.collect()
    }

    /// Those of some offsets of an object at which an access of `width` bits may lie, by its type, or
    /// anywhere if it has nothing of this size there; `None` when there are too many to distinguish.
    pub fn places(
        &self,
        program: &Program,
        object: ObjId,
        offsets: &Offsets,
        width: Width,
    ) -> Option<Vec<u64>> {
        let o = &self.objects[object];
        let bytes = u64::from(width) / 8;
        let inside = |offset: &u64| offset.checked_add(bytes).is_some_and(|end| end <= o.size);
        let (base, stride) = match offsets {
            Offsets::Exact(all) => {
                let all = all.iter().filter_map(|o| u64::try_from(*o).ok());
                return Some(all.filter(inside).collect());
            }
            Offsets::Stride { base, stride } => (*base, *stride),
        };
        let wanted = Wanted {
            width,
            base,
            stride,
        };
        let mut places = match o.layout {
            Some(layout) => {
                let size = program.size_of(layout).max(1);
                let count = (o.size / size).max(1);
                let typed = places::places(program, layout, count, wanted, MAX_PLACES)?;
                match typed.is_empty() {
                    true => places::untyped(o.size, wanted, MAX_PLACES)?,
                    false => typed,
                }
            }
            None => places::untyped(o.size, wanted, MAX_PLACES)?,
        };
        places.retain(inside);
        Some(places)
    }
}

/// How many passes refine the assumptions one by one before everything shared is given up as
/// shared at once.
const MAX_PASSES: u32 = 40;

/// How many passes treat the scalars of an object one by one. A search through a table comes to one
/// place more with each pass that finds the last one contended; after so many, the rest of the table
/// is given up with it.
const MAX_PASSES_BY_SCALAR: u32 = 8;

/// The assumptions: each with how it is looked up and how it is refined. What refines one contradicts the
/// pass that finds it.
impl Facts {
    /// Nothing has been contradicted in a pass that begins.
    pub(super) fn begin_pass(&mut self, pass: u32) {
        let refinements = pass - self.selections;
        self.is_coarse = refinements >= MAX_PASSES;
        self.is_by_object = refinements >= MAX_PASSES_BY_SCALAR;
        self.is_contradicted = false;
    }

    pub(super) fn contradict(&mut self) {
        self.is_contradicted = true;
    }

    pub(super) fn is_contradicted(&self) -> bool {
        self.is_contradicted
    }

    pub(super) fn is_shared(&self, slot: SlotId) -> bool {
        self.shared.contains(&slot) || self.is_given_up(slot)
    }

    pub(super) fn share(&mut self, slot: SlotId) {
        self.is_contradicted |= self.shared.insert(slot);
    }

    pub(super) fn is_contended(&self, slot: SlotId) -> bool {
        self.contended.contains(&slot) || self.is_given_up(slot)
    }

    /// Several threads touch a slot, and one of them writes.
    pub(super) fn contend(&mut self, slot: SlotId) {
        self.shared.insert(slot);
        if self.contended.insert(slot) {
            self.is_contradicted = true;
            if self.is_by_object {
                self.given_up.insert(self.slots[slot].object);
            }
        }
    }

    fn is_given_up(&self, slot: SlotId) -> bool {
        let object = self.slots[slot].object;
        let of_one_thread = matches!(self.objects[object].kind, ObjKind::Global(_, Some(_)));
        self.is_coarse && !of_one_thread || self.given_up.contains(&object)
    }

    /// Whether it matters to other threads when the object of a shared slot begins or ends.
    pub(super) fn matters(&self, life: Lifetime, slot: SlotId) -> bool {
        match life {
            Lifetime::Begin => self.begins.contains(&slot),
            Lifetime::End | Lifetime::Free => self.ends.contains(&slot),
        }
    }

    pub(super) fn note_that_begin_matters(&mut self, slot: SlotId) {
        self.contend(slot);
        self.is_contradicted |= self.begins.insert(slot);
    }

    pub(super) fn note_that_end_matters(&mut self, slot: SlotId) {
        self.contend(slot);
        self.is_contradicted |= self.ends.insert(slot);
    }

    /// The thread that alone writes to a shared slot.
    pub(super) fn only_writer(&self, slot: SlotId) -> Option<ThreadKey> {
        let writers = self.writers.get(&slot).filter(|w| w.len() == 1)?;
        writers.first().copied()
    }

    /// Whether a slot has one writer is what is assumed; which of several does not matter.
    pub(super) fn note_writers(&mut self, slot: SlotId, writers: &BTreeSet<ThreadKey>) {
        let known = self.writers.entry(slot).or_default();
        let before = known.len();
        known.extend(writers);
        self.is_contradicted |= known.len() != before && (before == 1 || known.len() == 1);
    }

    /// What reads of a shared slot may return as pointers.
    pub(super) fn contents(&self, slot: SlotId) -> Option<&PointsTo> {
        self.contents.get(&slot)
    }

    pub(super) fn note_contents(&mut self, slot: SlotId, contents: &PointsTo) {
        self.is_contradicted |= self.contents.entry(slot).or_default().join(contents);
    }

    /// Numbers that threads write to a shared slot; `None` when not only some known ones.
    pub(super) fn values(&self, slot: SlotId) -> Option<BTreeSet<u64>> {
        let known = self.values.get(&slot).cloned();
        known.unwrap_or(Some(BTreeSet::new()))
    }

    /// Takes them out, to be put back with more. Who concludes something from them compares later
    /// ([`super::assumed`]).
    pub(super) fn take_values(&mut self, slot: SlotId) -> Option<BTreeSet<u64>> {
        let known = self.values.remove(&slot);
        known.unwrap_or(Some(BTreeSet::new()))
    }

    pub(super) fn set_values(&mut self, slot: SlotId, values: Option<BTreeSet<u64>>) {
        self.values.insert(slot, values);
    }

    /// Whether a shared slot has accesses that are not atomic.
    pub(super) fn is_plain(&self, slot: SlotId) -> bool {
        self.plain.contains(&slot)
    }

    /// It has; true when that is new. Who looks at that decides whether it contradicts the pass.
    pub(super) fn note_plain(&mut self, slot: SlotId) -> bool {
        self.plain.insert(slot)
    }

    /// Whether a shared slot may hold indeterminate bits.
    pub(super) fn is_tainted(&self, slot: SlotId) -> bool {
        self.tainted.contains(&slot)
    }

    pub(super) fn taint(&mut self, slot: SlotId) {
        self.is_contradicted |= self.tainted.insert(slot);
    }

    /// Whether other threads may have the address of an object before they see what was written last.
    pub(super) fn is_published_early(&self, object: ObjId) -> bool {
        self.published_early.contains(&object)
    }

    pub(super) fn note_published_early(&mut self, object: ObjId) {
        self.is_contradicted |= self.published_early.insert(object);
    }

    /// Whether others access a scalar of a static object beside a thread.
    pub(super) fn is_accessed_beside(&self, thread: ThreadKey, slot: SlotId) -> bool {
        self.accessed_beside.contains(&(thread, slot))
    }

    pub(super) fn note_accessed_beside(&mut self, thread: ThreadKey, slot: SlotId) {
        self.is_contradicted |= self.accessed_beside.insert((thread, slot));
    }

    /// Whether no mutex guards a scalar though one was assumed to.
    pub(super) fn is_unguarded(&self, slot: SlotId) -> bool {
        self.unguarded.contains(&slot)
    }

    pub(super) fn note_unguarded(&mut self, slot: SlotId) {
        self.is_contradicted |= self.unguarded.insert(slot);
    }

    /// Whether a loop was followed too far and counts as non-terminating.
    pub(super) fn is_non_terminating(&self, back_edge: (ProcId, usize)) -> bool {
        self.non_terminating.contains(&back_edge)
    }

    pub(super) fn note_non_terminating(&mut self, back_edge: (ProcId, usize)) {
        self.is_contradicted |= self.non_terminating.insert(back_edge);
    }

    /// Whether an atomic section writes and some path does not come to its end.
    pub(super) fn is_unfinished(&self, section: (ProcId, usize)) -> bool {
        self.unfinished.contains(&section)
    }

    pub(super) fn note_unfinished(&mut self, section: (ProcId, usize)) {
        self.is_contradicted |= self.unfinished.insert(section);
    }

    /// What accesses at unknown places of a large object may touch, as far as there are some.
    pub(super) fn selected(&self, object: ObjId) -> Option<&Selected> {
        self.selected.get(&object)
    }

    /// How often more was selected.
    pub(super) fn selections(&self) -> u32 {
        self.selections
    }

    pub(super) fn begin_selection(&mut self) {
        self.selections += 1;
    }

    /// Selects scalars of an object, all of them for `None`.
    pub(super) fn select(&mut self, object: ObjId, offsets: Option<&Vec<u64>>) {
        let none = Selected::Some(BTreeSet::new());
        let selected = self.selected.entry(object).or_insert(none);
        match (&mut *selected, offsets) {
            (Selected::All, _) => {}
            (Selected::Some(known), Some(offsets)) => {
                let before = known.len();
                known.extend(offsets);
                self.is_contradicted |= known.len() > before;
            }
            (Selected::Some(_), None) => {
                *selected = Selected::All;
                self.is_contradicted = true;
            }
        }
    }

    /// Objects and threads that may be in the place of others, as far as it matters.
    pub(super) fn candidates(&self) -> &Candidates {
        &self.candidates
    }

    pub(super) fn set_candidates(&mut self, candidates: Candidates) {
        self.is_contradicted |= candidates != self.candidates;
        self.candidates = candidates;
    }

    /// Objects among which some comparison may see the order of memory.
    pub(super) fn ordered(&self) -> &OrderedSets {
        &self.ordered
    }

    pub(super) fn set_ordered(&mut self, ordered: OrderedSets) {
        self.is_contradicted |= ordered != self.ordered;
        self.ordered = ordered;
    }

    /// Whether some bytes are accessed in pieces.
    pub(super) fn has_pieces(&self) -> bool {
        !self.finest.is_empty()
    }

    /// How large the pieces of a byte's accesses are at most, where these are of different sizes.
    pub(super) fn finest(&self, object: ObjId, byte: u64) -> Option<u64> {
        self.finest.get(&(object, byte)).copied().map(u64::from)
    }

    pub(super) fn note_finest(&mut self, object: ObjId, byte: u64, piece: u8) {
        let finest = self.finest.entry((object, byte)).or_insert(u8::MAX);
        *finest = piece.min(*finest);
    }
}
