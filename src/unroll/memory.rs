//! Memory objects, their scalar slots, and what is assumed of them from one pass to the next.

use super::event::NamedObject;
pub use super::id::{ObjId, SlotId, ThreadKey};
use super::placed::Candidates;
use super::points_to::{Offsets, PointsTo};
use base::idx::{Id, IdVec};
use ir::places::{self, Wanted};
use ir::program::{GlobalId, LayoutId, ProcId, Program, ScalarKind, Width};
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
    pub(super) finest: FxHashMap<(ObjId, u64), u8>,
    threads: IdVec<ThreadKey, Creation>,
    thread_index: FxHashMap<Creation, ThreadKey>,
    /// Slots whose accesses are events: several threads touch them, or the machine must see it.
    pub shared: FxHashSet<SlotId>,
    /// Slots that several threads touch, while one of them writes; all of them are shared.
    pub contended: FxHashSet<SlotId>,
    /// Shared slots for which it matters to other threads when their object begins.
    pub begins: FxHashSet<SlotId>,
    /// Shared slots for which it matters to other threads when their object ends.
    pub ends: FxHashSet<SlotId>,
    /// Threads that write a shared slot.
    pub writers: FxHashMap<SlotId, BTreeSet<ThreadKey>>,
    /// What reads of a shared slot may return as pointers.
    pub contents: FxHashMap<SlotId, PointsTo>,
    /// Numbers that threads write to a shared slot; `None` when not only some known ones.
    pub values: FxHashMap<SlotId, Option<BTreeSet<u64>>>,
    /// Shared slots with accesses that are not atomic.
    pub plain: FxHashSet<SlotId>,
    /// Shared slots that may hold indeterminate bits.
    pub tainted: FxHashSet<SlotId>,
    /// Objects of which other threads may have the address before they see what was written last.
    pub published_early: FxHashSet<ObjId>,
    /// Scalars of static objects that others access beside a thread.
    pub accessed_beside: FxHashSet<(ThreadKey, SlotId)>,
    /// Scalars that no mutex guards though one was assumed to.
    pub unguarded: FxHashSet<SlotId>,
    /// Loops (by procedure and back edge) that were followed too far and count as non-terminating.
    pub non_terminating: FxHashSet<(ProcId, usize)>,
    /// Atomic sections that write and that some path does not come to the end of.
    pub unfinished: BTreeSet<(ProcId, usize)>,
    /// Treat all memory that is not on one thread's stack as shared, to end refinement.
    pub coarse: bool,
    /// Give up an object as a whole when another one of its scalars is contended.
    pub by_object: bool,
    /// What accesses at unknown places of large objects may touch, as far as there are some.
    pub(super) selected: FxHashMap<ObjId, Selected>,
    /// How often more was selected.
    pub(super) selections: u32,
    /// Objects of which every scalar is treated as contended.
    pub given_up: FxHashSet<ObjId>,
    /// Objects and threads that may be in the place of others, as far as it matters.
    pub(super) candidates: Candidates,
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
            coarse: false,
            by_object: false,
            selected: FxHashMap::default(),
            selections: 0,
            given_up: FxHashSet::default(),
            candidates: Candidates::new(),
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

    /// Several threads touch a slot, and one of them writes; true when that is new.
    pub fn contend(&mut self, slot: SlotId) -> bool {
        self.shared.insert(slot);
        let new = self.contended.insert(slot);
        if new && self.by_object {
            self.given_up.insert(self.slots[slot].object);
        }
        new
    }

    /// Selects scalars of an object, all of them for `None`; true when that is more than before.
    pub(super) fn select(&mut self, object: ObjId, offsets: Option<&Vec<u64>>) -> bool {
        let none = Selected::Some(BTreeSet::new());
        let selected = self.selected.entry(object).or_insert(none);
        match (&mut *selected, offsets) {
            (Selected::All, _) => false,
            (Selected::Some(known), Some(offsets)) => {
                let before = known.len();
                known.extend(offsets);
                known.len() > before
            }
            (Selected::Some(_), None) => {
                *selected = Selected::All;
                true
            }
        }
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
        // An address a little before an object borrows from the object's number; such a pointer
        // may be computed but never dereferenced, so the nearest object below is good enough.
        let number = address >> self.offset_bits;
        let offset = address & ((1 << self.offset_bits) - 1);
        (number != 0 && (number as usize) < self.objects.len())
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
