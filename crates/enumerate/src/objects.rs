//! Memory objects by number, what they contain before any write, and the names of threads.
//!
//! Names are made when they are first needed and never again: an allocation by the same thread at
//! the same instruction, for the same time, has the same address in every execution.

use super::value::{ConcreteValue, eval, plain};
use base::id;
use base::idx::{Id, IdVec};
use ir::program::*;
use ir::read_only::ReadOnly;
use ir::shadow::Word;
use rustc_hash::FxHashMap;

id!(
    /// A thread, the same in all executions.
    ThreadKey,
    "t"
);

/// The thread that is created first.
pub(super) const MAIN: ThreadKey = ThreadKey(0);

/// What tells threads apart: the creator, the instruction, how often that creator had executed it
/// before, and the procedure that runs.
pub(super) type Creation = (Option<ThreadKey>, Site, u32, ProcId);

/// An instruction.
pub(super) type Site = (ProcId, usize);

/// What an object is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum ObjectKind {
    Null,
    Proc(ProcId),
    Static(GlobalId),
    ThreadLocal(GlobalId, ThreadKey),
    /// The thread, the instruction, how often the thread had executed it before, and the size.
    Alloc(ThreadKey, Site, u32, u64),
}

struct Object {
    kind: ObjectKind,
    bytes: u64,
    how: Made,
}

/// How an object is made.
#[derive(Clone, Copy)]
pub(super) struct Made {
    /// It can be freed.
    pub heap: bool,
    /// All zero but for initialisers; arbitrary otherwise.
    pub zeroed: bool,
    /// It is arbitrary, but determined: what the process brings along.
    pub process: bool,
    /// Bytes of alignment.
    pub align: u64,
}

/// What is there from the beginning.
const STATIC: Made = Made {
    heap: false,
    zeroed: true,
    process: false,
    align: 1,
};

/// What memory contains initially.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Initial {
    Known(Word),
    /// Any number, with these indeterminate bits.
    Arbitrary(u64),
}

/// All objects and threads of one enumeration.
pub(super) struct Objects<'p> {
    program: &'p Program,
    /// What nobody has written is indeterminate.
    shadows: bool,
    read_only: ReadOnly<'p>,
    objects: Vec<Object>,
    numbers: FxHashMap<ObjectKind, u64>,
    threads: IdVec<ThreadKey, Creation>,
    keys: FxHashMap<Creation, ThreadKey>,
}

impl<'p> Objects<'p> {
    /// Null, procedures and static objects.
    pub fn new(program: &'p Program, shadows: bool) -> Objects<'p> {
        let mut all = Objects {
            program,
            shadows,
            read_only: ReadOnly::of(program),
            objects: Vec::new(),
            numbers: FxHashMap::default(),
            threads: IdVec::new(),
            keys: FxHashMap::default(),
        };
        all.intern(ObjectKind::Null, 0, STATIC);
        for p in program.procs.ids() {
            all.intern(ObjectKind::Proc(p), 0, STATIC);
        }
        for g in program.globals.ids() {
            let bytes = program.size_of(program.globals[g].layout);
            let align = program.alignment(program.globals[g].layout);
            all.intern(ObjectKind::Static(g), bytes, Made { align, ..STATIC });
        }
        all
    }

    fn intern(&mut self, kind: ObjectKind, bytes: u64, how: Made) -> u64 {
        let next = self.objects.len() as u64;
        let number = *self.numbers.entry(kind.clone()).or_insert(next);
        if number == next {
            self.objects.push(Object { kind, bytes, how });
        }
        number << self.program.data_model.offset_bits()
    }

    /// The address of a new object.
    pub fn alloc(&mut self, by: ThreadKey, site: Site, time: u32, bytes: u64, how: Made) -> u64 {
        self.intern(ObjectKind::Alloc(by, site, time, bytes), bytes, how)
    }

    /// Whether there is an object on the heap at an address.
    pub fn is_on_heap(&self, address: u64) -> bool {
        let found = self.locate(address);
        found.is_some_and(|(object, offset)| object.how.heap && offset == 0)
    }

    /// Whether two strings of the program are equal, and the first is the later one.
    pub fn is_a_later_string(&self, address: u64, other: u64) -> bool {
        let string = |address: u64| match self.locate(address)?.0.kind {
            ObjectKind::Static(g) if self.program.strings.contains(&g) => Some(g),
            _ => None,
        };
        let globals = &self.program.globals;
        match (string(address), string(other)) {
            (Some(a), Some(b)) => {
                a > b
                    && globals[a].init == globals[b].init
                    && globals[a].layout == globals[b].layout
            }
            _ => false,
        }
    }

    /// Whether an object with static storage or on the stack begins at an address, which may be right
    /// behind another one.
    pub fn may_adjoin(&self, address: u64) -> bool {
        self.locate(address).is_some_and(|(object, offset)| {
            let is_one = match &object.kind {
                ObjectKind::Null | ObjectKind::Proc(_) => false,
                ObjectKind::Static(g) => !self.program.strings.contains(g),
                ObjectKind::ThreadLocal(..) => true,
                ObjectKind::Alloc(_, site, ..) => {
                    let op = &self.program.procs[site.0].body[site.1].op;
                    matches!(
                        op,
                        Op::Alloc {
                            storage: Storage::Stack(_),
                            ..
                        }
                    )
                }
            };
            is_one && offset == 0 && object.bytes > 0
        })
    }

    /// Where a static object is for a thread; thread-local ones are made when first spoken of.
    pub fn address(&self, thread: ThreadKey, g: GlobalId) -> u64 {
        if !self.program.globals[g].thread_local {
            return self.program.static_address(g);
        }
        let number = self
            .numbers
            .get(&ObjectKind::ThreadLocal(g, thread))
            .copied();
        number.unwrap_or(0) << self.program.data_model.offset_bits()
    }

    /// The objects that a thread has for itself.
    pub fn thread_locals(&self, thread: ThreadKey) -> Vec<u64> {
        let globals = self.program.globals.iter_enumerated();
        let own = globals.filter(|(_, global)| global.thread_local);
        own.map(|(g, _)| self.address(thread, g)).collect()
    }

    /// The same, with what they are.
    pub fn own_objects(&self, thread: ThreadKey) -> Vec<(GlobalId, u64)> {
        let globals = self.program.globals.iter_enumerated();
        let own = globals.filter(|(_, global)| global.thread_local);
        own.map(|(g, _)| (g, self.address(thread, g))).collect()
    }

    /// How many of a thread and those it descends from began with this procedure.
    pub fn generations(&self, key: ThreadKey, runs: ProcId) -> u32 {
        let line = std::iter::successors(Some(key), |k| self.threads[*k].0);
        line.filter(|k| self.threads[*k].3 == runs).count() as u32
    }

    /// The thread that is created so.
    pub fn thread(&mut self, creation: Creation) -> ThreadKey {
        if let Some(key) = self.keys.get(&creation) {
            return *key;
        }
        let key = self.threads.push(creation);
        self.keys.insert(creation, key);
        for (g, global) in self.program.globals.iter_enumerated() {
            if global.thread_local {
                let bytes = self.program.size_of(global.layout);
                let align = self.program.alignment(global.layout);
                let how = Made { align, ..STATIC };
                self.intern(ObjectKind::ThreadLocal(g, key), bytes, how);
            }
        }
        key
    }

    /// What names a thread as a value of the program.
    pub fn handle(key: ThreadKey) -> u64 {
        key.index() as u64 + 1
    }

    /// The thread a value names.
    pub fn by_handle(&self, handle: u64) -> Option<ThreadKey> {
        let index = usize::try_from(handle.checked_sub(1)?).ok()?;
        (index < self.threads.len()).then(|| ThreadKey::from_index(index))
    }

    /// The procedure at an address.
    pub fn procedure(&self, address: u64) -> Option<ProcId> {
        self.program
            .procs
            .ids()
            .find(|p| self.program.procedure_address(*p) == address)
    }

    fn locate(&self, address: u64) -> Option<(&Object, u64)> {
        let bits = self.program.data_model.offset_bits();
        let object = self.objects.get(usize::try_from(address >> bits).ok()?)?;
        Some((object, address & ((1 << bits) - 1)))
    }

    /// Whether an access of `width` bits lies in an object.
    pub fn contains(&self, address: u64, width: Width) -> bool {
        self.locate(address)
            .is_some_and(|(object, offset)| offset + u64::from(width) / 8 <= object.bytes)
    }

    /// Whether an instruction must not write the object at an address.
    pub fn is_read_only(&self, address: u64, writes: Site) -> bool {
        !self.read_only.is_empty()
            && self
                .locate(address)
                .is_some_and(|(object, _)| match &object.kind {
                    ObjectKind::Null | ObjectKind::Proc(_) => false,
                    ObjectKind::Static(g) | ObjectKind::ThreadLocal(g, _) => {
                        self.read_only.is_static(*g)
                    }
                    ObjectKind::Alloc(_, site, ..) => self.read_only.is_local(*site, writes),
                })
    }

    /// The object, if it is one that no file defines and the access is to what is not known of it.
    pub fn hidden(&self, address: u64, width: Width) -> Option<GlobalId> {
        let (object, offset) = self.locate(address)?;
        let ObjectKind::Static(global) = object.kind else {
            return None;
        };
        let hidden = self.program.undefined.get(&global)?;
        hidden.is_at(offset, u64::from(width) / 8).then_some(global)
    }

    /// Whether the machine makes an access at one point.
    pub fn is_one_access(&self, address: u64, width: Width, order: MemoryOrder) -> bool {
        let bytes = u64::from(width) / 8;
        self.locate(address).is_some_and(|(object, offset)| {
            let align = object.how.align;
            self.program.is_one_access(bytes, offset, align, order)
        })
    }

    /// Whether an address is in memory that all threads know from the beginning.
    pub fn is_static(&self, address: u64) -> bool {
        self.locate(address)
            .is_some_and(|(object, _)| matches!(object.kind, ObjectKind::Static(_)))
    }

    /// The address of the object that an address lies in.
    pub fn base(&self, address: u64) -> u64 {
        let bits = self.program.data_model.offset_bits();
        address >> bits << bits
    }

    /// Whether there is an object at an address.
    pub fn exists(&self, base: u64) -> bool {
        self.locate(base).is_some()
    }

    /// The first address behind the object at an address.
    pub fn behind(&self, base: u64) -> u64 {
        base + self.locate(base).map_or(0, |(object, _)| object.bytes)
    }

    /// The thread that allocated the object at an address, if one did.
    pub fn maker(&self, address: u64) -> Option<ThreadKey> {
        match self.locate(address)?.0.kind {
            ObjectKind::Alloc(by, ..) => Some(by),
            _ => None,
        }
    }

    /// The addresses that belong to the object at an address.
    pub fn range(&self, base: u64) -> std::ops::Range<u64> {
        base..base + (1 << self.program.data_model.offset_bits())
    }

    /// What memory contains before the program runs, little-endian; initialisers may have been
    /// written as another member of a union.
    pub fn initial(&self, address: u64, width: Width) -> Initial {
        let Some((object, offset)) = self.locate(address) else {
            return Initial::Arbitrary(0);
        };
        let (ObjectKind::Static(g) | ObjectKind::ThreadLocal(g, _)) = object.kind else {
            return if object.how.zeroed {
                Initial::Known(Word::known(0))
            } else if self.shadows && !object.how.process {
                Initial::Arbitrary(mask(width))
            } else {
                Initial::Arbitrary(0)
            };
        };
        let mut number = 0;
        for i in 0..u64::from(width) / 8 {
            number |= u64::from(self.static_byte(g, offset + i)) << (8 * i);
        }
        Initial::Known(Word::known(number))
    }

    fn static_byte(&self, g: GlobalId, offset: u64) -> u8 {
        let covers = |start: u64, width: Width| {
            start <= offset && offset < start + u64::from(width.div_ceil(8))
        };
        let mut init = self.program.globals[g].initial(offset, offset + 1).iter();
        let Some((start, _, e)) = init.find(|(start, width, _)| covers(*start, *width)) else {
            return 0;
        };
        let address = |g| self.program.static_address(g);
        let value = eval(e, self.program, &|_| None, &address, &plain);
        (value.number >> (8 * (offset - start))) as u8
    }

    /// [`Objects::initial`] as a value.
    pub fn initial_value(&self, address: u64, width: Width) -> Option<ConcreteValue> {
        match self.initial(address, width) {
            Initial::Known(word) => Some(ConcreteValue::fixed(word.number, width)),
            Initial::Arbitrary(_) => None,
        }
    }
}
