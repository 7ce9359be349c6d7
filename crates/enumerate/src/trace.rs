//! What one thread does in one execution, as far as it can be said without the other threads.

use super::objects::ThreadKey;
use super::value::Deps;
use base::id;
use base::source::Span;
use ir::program::*;
use ir::shadow::Word;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Something is in the place of something else, or so many bytes behind it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct SharedAddress {
    /// The address of an object or the handle of a thread, which is smaller.
    pub name: u64,
    pub other: u64,
    pub behind: u64,
}

/// What a thread decides of where objects lie.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum AddressChoice {
    /// Whether something is in the place of something else.
    Shares(SharedAddress),
    /// Whether the object with the smaller address comes first in memory.
    InOrder(u64, u64),
}

id!(
    /// A thread with the argument it is started with.
    InstanceId,
    "i"
);

id!(
    /// What main's memory contained when the first thread was created.
    SnapshotId,
    "m"
);

/// How a thread is started. What it does depends on nothing else but what it reads.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Instance {
    pub key: ThreadKey,
    pub proc: ProcId,
    /// The argument, and whether it is the same in every execution.
    pub arg: Option<(Word, bool)>,
    /// Addresses of objects that have ended to exist before.
    pub dead: BTreeSet<u64>,
    /// Threads that those who created it had joined before.
    pub gone: BTreeSet<ThreadKey>,
    pub snapshot: Option<SnapshotId>,
}

/// What an event does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ActionKind {
    Read,
    Write,
    /// A write that no instruction makes: an object begins or ends to exist.
    Lifetime(Lifetime),
    Fence(FenceTag),
}

impl ActionKind {
    /// Whether it is in coherence.
    pub fn writes(self) -> bool {
        matches!(self, ActionKind::Write | ActionKind::Lifetime(_))
    }
}

/// An access to memory or a fence.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub kind: ActionKind,
    /// 0 for a fence without a location.
    pub addr: u64,
    /// Bits; 0 for a fence without a location.
    pub width: Width,
    /// What is read or written.
    pub value: u64,
    /// The indeterminate bits of that.
    pub shadow: u64,
    pub order: MemoryOrder,
    pub addr_deps: Deps,
    pub data_deps: Deps,
    pub ctrl_deps: Deps,
    /// For the write of a read-modify-write: its read.
    pub rmw: Option<usize>,
    /// The write of a conditional store: the linked load that it belongs to has an order of its own.
    pub conditional: bool,
    /// The read of a single read-modify-write instruction, whether it then writes or not.
    pub updates: bool,
    /// The atomic group, counted within the thread, and what it is.
    pub group: Option<(u32, Atomicity)>,
    pub span: Span,
}

impl Event {
    /// What is read or written.
    pub fn word(&self) -> Word {
        Word {
            number: self.value,
            shadow: self.shadow,
        }
    }
}

/// An iteration that has changed nothing, and that its thread repeats as long as it reads the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Spinning {
    /// The loop may wait for other threads ([`ir::awaits`]).
    pub is_await: bool,
    /// Its reads, as events of the thread.
    pub reads: Vec<usize>,
    /// Its writes, which write back what is there.
    pub writes: Vec<usize>,
    /// They are a critical section of this mutex.
    pub mutex: Option<u64>,
}

/// Why a thread goes no further.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// It has ended, with a value and whether that is the same in every execution.
    Ended(Option<(Word, bool)>),
    /// It waits forever unless another thread overwrites what these events have read; or it joins a
    /// thread that does not end, and these are none.
    Waits(Vec<usize>, Span),
    /// It spins forever unless another thread overwrites what its last iteration has read.
    Spins(Spinning, Span),
    /// It is in a grace period, of RCU or of a location, and stays there.
    WaitsForReaders(Option<u64>, Span),
    /// It must not go on, for this reason.
    Blocked(&'static str, Span),
    /// It has ended the process.
    Halted,
    /// The bound is reached.
    BoundReached,
    /// What follows is not supported.
    Unsupported(String, Span),
}

impl End {
    /// Why and where a thread stops before its end, if it does.
    pub fn stop(&self) -> Option<(String, Span)> {
        match self {
            End::Blocked(why, span) => Some(((*why).to_string(), *span)),
            End::Spins(_, span) => Some(("this loop waits".to_string(), *span)),
            End::Waits(_, span) | End::WaitsForReaders(_, span) => {
                Some(("a thread waits here".to_string(), *span))
            }
            _ => None,
        }
    }
}

/// The creation of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Spawned {
    pub child: InstanceId,
    /// How many events come before.
    pub position: usize,
    pub span: Span,
}

/// Waiting for a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Joined {
    pub key: ThreadKey,
    /// How many events come before.
    pub position: usize,
    /// What it has returned; `None` when it has not ended.
    pub end: Option<Option<(Word, bool)>>,
}

/// When an object or a thread is made.
#[derive(Clone, Debug)]
pub(super) struct Made {
    /// Objects that have ended for the thread that makes it.
    pub ended: BTreeSet<u64>,
    /// Threads that it has joined.
    pub joined: Vec<ThreadKey>,
}

/// Something that a thread takes from outside, as neither its instructions nor its reads determine it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// How many events of the thread come before.
    pub position: usize,
    /// How many threads it has created before.
    pub spawned: usize,
    /// What it takes.
    pub what: TakenKind,
}

/// What a thread takes from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TakenKind {
    /// An arbitrary value of so many bits, which a register has from an instruction on.
    Value {
        /// The value; 0 where it does not matter.
        number: u64,
        /// Its bits.
        width: Width,
        /// The instruction.
        span: Span,
    },
    /// Nothing: it executes a claim or a release.
    Claim,
    /// A new object.
    Object {
        /// The instruction.
        site: (ProcId, usize),
        /// Its address.
        addr: u64,
        /// Its size.
        bytes: u64,
    },
}

/// A property that does not hold.
#[derive(Clone, Debug)]
pub(super) struct Violated {
    pub kind: PropertyKind,
    pub span: Span,
    pub text: String,
    /// How many events come before.
    pub position: usize,
    /// How many choices come before.
    pub taken: usize,
}

/// What may be done only once with a key.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub key: u64,
    /// `None`: the key is released. Otherwise what it is, and the property that a second claim
    /// violates.
    pub claims: Option<(Claimed, String)>,
    pub span: Span,
    /// How many events come before.
    pub position: usize,
}

/// Something that was not looked at, and where.
pub(super) type Note = (String, Span);

/// What a thread does.
#[derive(Clone, Debug)]
pub(super) struct ThreadTrace {
    pub events: Vec<Rc<Event>>,
    pub spawned: Vec<Spawned>,
    pub joined: Vec<Joined>,
    pub observed: BTreeMap<ObservableId, u64>,
    pub violated: Vec<Violated>,
    pub claims: Vec<Claim>,
    /// What names the thread as a value of the program.
    pub handle: u64,
    pub notes: Vec<Note>,
    /// Objects on the heap it has allocated, and where.
    pub allocated: Vec<(u64, Span)>,
    /// Addresses of objects it has freed.
    pub freed: Vec<u64>,
    /// Objects that have ended for it.
    pub dead: BTreeSet<u64>,
    /// By address or handle: objects and threads that it has made.
    pub made: BTreeMap<u64, Made>,
    /// What is in the place of what, as far as it has looked.
    pub decided: BTreeMap<AddressChoice, bool>,
    /// A compare-exchange failed for no reason that only machines with a linked pair have.
    pub spurious: bool,
    /// What it takes from outside; `None`: not all of it is known.
    pub taken: Option<Vec<Taken>>,
    /// Its procedure has returned; of main that ends the process.
    pub returned: bool,
    /// The atomic section that it has begun and does not end, as its number within the thread.
    pub unfinished: Option<u32>,
    /// For main: see [`SnapshotId`]; `None` when it created no thread.
    pub snapshot: Option<SnapshotId>,
    pub end: End,
}

impl ThreadTrace {
    /// Whether the thread has ended.
    pub fn ended(&self) -> bool {
        matches!(self.end, End::Ended(_))
    }

    /// Whether the process ends with what the thread does; `is_main`: it is main.
    pub fn ends_process(&self, is_main: bool) -> bool {
        self.end == End::Halted || is_main && self.returned && self.ended()
    }

    /// Why and where the thread stops before its end, if it does.
    pub fn stop(&self) -> Option<(String, Span)> {
        self.end.stop()
    }

    /// Whether this is a write of a section that does not end: no other thread sees it.
    pub fn is_unseen(&self, event: &Event) -> bool {
        let group = event.group.map(|(number, _)| number);
        event.kind.writes() && group.is_some() && group == self.unfinished
    }
}
