//! The event graph: the symbolic event structure of the paper (Sec. 4).
//!
//! Every path of the unwound program is in it at once. An event carries its guard (the condition
//! under which it executes), the term of its address and of its value, and the reads it depends
//! on; threads list their events in program order. Nothing here depends on a memory model.

pub use super::id::{CellId, EventId, GroupId, ThreadId};
use super::term::{TermId, Terms};
use base::idx::IdVec;
use base::source::Span;
use ir::bounds::Trips;
use ir::program::{Atomicity, FenceTag, Lifetime, ScalarKind};
use ir::program::{GlobalId, LocalId, MemoryOrder, ObservableId, ProcId, Property, Width};
use ir::sites::Site;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Reads something depends on, each with the condition under which it does, ascending by event.
pub type Deps = Arc<[(EventId, TermId)]>;

/// What an event does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// The initial write of a cell; belongs to no thread.
    Init,
    /// A read.
    Read,
    /// A write.
    Write,
    /// A write that no instruction makes: an object begins or ends to exist.
    Lifetime(Lifetime),
    /// A fence.
    Fence(FenceTag),
}

impl EventKind {
    /// Whether it is in coherence.
    pub fn writes(self) -> bool {
        matches!(
            self,
            EventKind::Init | EventKind::Write | EventKind::Lifetime(_)
        )
    }

    /// Writes of a lower rank come first in coherence: initial ones, then beginnings, then the rest.
    pub fn rank(self) -> u8 {
        match self {
            EventKind::Init => 0,
            EventKind::Lifetime(Lifetime::Begin) => 1,
            _ => 2,
        }
    }
}

/// One event.
#[derive(Clone, Debug)]
pub struct Event {
    /// What it does.
    pub kind: EventKind,
    /// Its thread; `None` for initial writes.
    pub thread: Option<ThreadId>,
    /// Executed when this holds.
    pub guard: TermId,
    /// Memory order in the source. The read of a compare-exchange has that of a failure, and the
    /// order of its write instead when that happens.
    pub order: MemoryOrder,
    /// The address, of pointer width; a constant when `cells` has one member. For a fence without a
    /// location: the constant 0.
    pub addr: TermId,
    /// The cells it may touch; empty for a fence, but for a grace period of a location.
    pub cells: Vec<CellId>,
    /// What is read or written, of the width of the cells; the constant 0 for a fence.
    pub value: TermId,
    /// Reads the address depends on.
    pub addr_deps: Deps,
    /// Reads the written value depends on.
    pub data_deps: Deps,
    /// Reads that branches before this event depend on.
    pub ctrl_deps: Deps,
    /// For the write of a read-modify-write: its read. A linked load may have several such writes,
    /// of which at most one happens.
    pub rmw_read: Option<EventId>,
    /// The write of a conditional store: the linked load that it belongs to has an order of its own.
    pub conditional: bool,
    /// The atomic group it is in.
    pub group: Option<GroupId>,
    /// What it may be instead where the order at its site is open ([`ir::sites`]): `kind` and `order` are then the
    /// weakest of these. Empty where it is one thing alone.
    pub alternatives: Arc<[Alternative]>,
    /// Where in the source.
    pub span: Span,
}

impl Event {
    /// Whether it is an atomic access, perhaps.
    pub fn may_be_atomic(&self) -> bool {
        let mut alternatives = self.alternatives.iter();
        self.order.is_atomic() || alternatives.any(|other| other.order.is_atomic())
    }

    /// The event as one of its alternatives.
    pub fn chosen(&self, alternative: &Alternative) -> Event {
        Event {
            kind: alternative.kind,
            order: alternative.order,
            alternatives: Arc::new([]),
            ..self.clone()
        }
    }
}

/// What an event is if the order at its site is a certain one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alternative {
    /// It is this when this holds: of the alternatives of an event that happens exactly one does.
    pub when: TermId,
    /// See [`Event::kind`].
    pub kind: EventKind,
    /// See [`Event::order`].
    pub order: MemoryOrder,
}

/// Events that happen at one point.
#[derive(Clone, Debug)]
pub struct AtomicGroup {
    /// What that means.
    pub kind: Atomicity,
    /// Its events, those of a thread in program order.
    pub events: Vec<EventId>,
    /// The instruction that has begun it, of a section.
    pub site: Option<(ProcId, usize)>,
    /// The ways in which its thread comes to its end, of a section.
    pub ends: Vec<TermId>,
}

/// A write inside of an atomic section that its thread may not come to the end of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unseen {
    /// The write.
    pub write: EventId,
    /// It happens and the section does not end: no other thread reads what it writes, or writes after it.
    pub when: TermId,
}

/// A cell: a scalar of a memory object that several threads touch.
#[derive(Clone, Debug)]
pub struct Cell {
    /// How the source writes it: `x`, `queue.slot[2]`, `node@push.c:14.next`.
    pub name: String,
    /// Its address as a number.
    pub addr: u64,
    /// Bits.
    pub width: Width,
    /// What it is declared as.
    pub kind: ScalarKind,
    /// Its initial write.
    pub init: EventId,
    /// The only thread that writes it; plain reads of that thread are not events.
    pub owner: Option<ThreadId>,
}

/// An object as those who read a run know it.
#[derive(Clone, Debug)]
pub struct NamedObject {
    /// How the source names it.
    pub name: String,
    /// Bytes.
    pub size: u64,
}

/// A thread instance.
#[derive(Clone, Debug)]
pub struct Thread {
    /// The procedure it runs.
    pub name: String,
    /// Who created it; `None` for main.
    pub parent: Option<ThreadId>,
    /// How many events of the parent come before its creation.
    pub created_after: usize,
    /// It runs when this holds.
    pub guard: TermId,
    /// It ran to its end when this holds.
    pub ended: TermId,
    /// Its events in program order.
    pub events: Vec<EventId>,
    /// Where it was created, or main's definition.
    pub span: Span,
    /// What names it as a value of the program; never 0.
    pub handle: u64,
}

/// `joined` has ended before the events of `thread` from position `position` on, when `cond`
/// holds.
#[derive(Clone, Copy, Debug)]
pub struct JoinEdge {
    /// The thread that ended.
    pub joined: ThreadId,
    /// The thread that waited.
    pub thread: ThreadId,
    /// How many events of `thread` come before the join.
    pub position: usize,
    /// Condition.
    pub cond: TermId,
}

/// A property instance: violated when `guard` holds and `cond` does not.
#[derive(Clone, Debug)]
pub struct Check {
    /// What must hold.
    pub property: Property,
    /// Where.
    pub span: Span,
    /// Which thread.
    pub thread: ThreadId,
    /// How many events of the thread come before it.
    pub position: usize,
    /// How many choices come before it, those of other threads among them.
    pub choices: usize,
    /// Reached when this holds.
    pub guard: TermId,
    /// Must hold then.
    pub cond: TermId,
}

/// A place where a thread may wait forever.
#[derive(Clone, Debug)]
pub struct Wait {
    /// Which thread.
    pub thread: ThreadId,
    /// The operation that waits.
    pub span: Span,
    /// The thread comes here, and cannot go on as things are.
    pub guard: TermId,
    /// The reads that say how things are: it waits forever when no thread overwrites what they read.
    pub reads: Vec<EventId>,
}

/// A loop in which a thread may spin forever: it goes no further behind an iteration that has changed nothing, and
/// that it repeats as long as it reads the same. Of the accesses those count that happen.
#[derive(Clone, Debug)]
pub struct Spin {
    /// Which thread.
    pub thread: ThreadId,
    /// The procedure and the back edge.
    pub back: (ProcId, usize),
    /// The end of the loop.
    pub span: Span,
    /// The thread comes here.
    pub guard: TermId,
    /// The loop may wait for other threads ([`ir::awaits`]).
    pub is_await: bool,
    /// The reads of the iteration.
    pub reads: Vec<EventId>,
    /// Its writes, which write back what is there.
    pub writes: Vec<EventId>,
    /// Or they are this critical section.
    pub section: Option<Section>,
}

impl Spin {
    /// Whether a read of the iteration depends on the mutex of its critical section, which others may take and give
    /// back, too.
    pub fn reads_mutex(&self, graph: &EventGraph, read: EventId) -> bool {
        self.section.is_some_and(|section| {
            let taken = graph.events[section.taken].rmw_read;
            taken == Some(read) || (section.taken..section.given).contains(&read)
        })
    }
}

/// A place where a thread goes no further, though no operation waits there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stop {
    /// Which thread.
    pub thread: ThreadId,
    /// The assumption, or the end of the loop.
    pub span: Span,
    /// It stops here when this holds.
    pub guard: TermId,
    /// Why.
    pub reason: StopReason,
}

/// Why a thread goes no further.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum StopReason {
    /// An assumption fails.
    Assumption,
    /// An iteration of a loop changes nothing, and the next one would be the same.
    Await,
}

/// Where the value of an observable is when all threads have ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Final {
    /// A register: the value.
    Value(TermId),
    /// Memory: what the last write to the cell has written.
    Cell(CellId),
}

/// A place where unwinding stopped: deeper executions exist when `guard` is satisfiable.
#[derive(Clone, Debug)]
pub struct BoundReached {
    /// The loop (`main.0`) or the recursive procedure, as `--unwindset` names it.
    pub name: String,
    /// Its back edge, or the call.
    pub span: Span,
    /// How often it was unwound.
    pub bound: u32,
    /// Reached when this holds.
    pub guard: TermId,
    /// A critical section that was left out with the iterations beyond: they are missed only where
    /// others disturb it.
    pub section: Option<Section>,
    /// How often it would be taken.
    pub trips: Trips,
}

/// A critical section that changes nothing. Others disturb it when they write the mutex within it,
/// or see it taken and go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Section {
    /// The write that takes the mutex.
    pub taken: EventId,
    /// The write that gives it back.
    pub given: EventId,
}

/// An iteration that changed nothing and is followed all the same: some of its accesses may be races, or
/// go to what does not exist, which is known only when all threads are there. So `when` is an arbitrary
/// truth value. Executions in which it holds and none of the accesses is wrong are among those in which it
/// does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Followed {
    /// The iteration is followed when this holds.
    pub when: TermId,
    /// The accesses.
    pub accesses: Vec<EventId>,
}

/// How far a loop or a recursion was followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Unwinding {
    /// The most often that its back edge was taken on any path, or how deep it recurred.
    pub most: u32,
    /// Some path reached the bound.
    pub bound_reached: bool,
    /// Some iteration changed nothing, so that no further ones were needed.
    pub awaits: bool,
}

/// A reachable unsupported construct: the verdict is `UNKNOWN` when `guard` is satisfiable.
#[derive(Clone, Debug)]
pub struct Unsupported {
    /// What it is, as a sentence.
    pub reason: String,
    /// Where.
    pub span: Span,
    /// Reached when this holds.
    pub guard: TermId,
}

/// A nondeterministic choice: neither instructions nor reads determine it. Only the replay
/// of an execution needs to know.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Which thread.
    pub thread: ThreadId,
    /// Taken when this holds.
    pub guard: TermId,
    /// What is taken.
    pub what: ChoiceKind,
    /// How many events of the thread come before.
    pub after: usize,
    /// How many threads there were.
    pub threads: usize,
    /// The instruction, when it is one of the program that takes any value.
    pub span: Option<Span>,
}

/// What a [`Choice`] takes.
#[derive(Clone, Copy, Debug)]
pub enum ChoiceKind {
    /// An arbitrary value, for the instruction the thread is at.
    Value(TermId),
    /// The value of a register that is read before it is set, as its procedure begins.
    Register(ProcId, LocalId, TermId),
    /// Nothing: the thread executes a claim or a release.
    Claim,
    /// A new object.
    Object {
        /// The allocation.
        site: (ProcId, usize),
        /// Its address.
        addr: u64,
        /// Its size in bytes.
        bytes: TermId,
    },
}

/// An object or a thread that may be in the place of another one ([`ir::placement`]).
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Its address, or its handle.
    pub name: u64,
    /// The address or the handle that it has then.
    pub at: u64,
    /// It does when this holds.
    pub when: TermId,
}

/// An object whose place in the order of memory is chosen ([`ir::placement`]).
#[derive(Clone, Copy, Debug)]
pub struct Ordered {
    /// Its address.
    pub name: u64,
    /// The address of the object in whose stead it comes.
    pub at: TermId,
}

/// The unwound program.
#[derive(Clone, Debug, Default)]
pub struct EventGraph {
    /// Terms of guards, addresses and values.
    pub terms: Terms,
    /// Events; reads and writes of one thread ascend in program order.
    pub events: IdVec<EventId, Event>,
    /// Threads; main is the first, a thread comes after its parent.
    pub threads: IdVec<ThreadId, Thread>,
    /// Cells.
    pub cells: IdVec<CellId, Cell>,
    /// By address: all objects, procedures among them.
    pub objects: BTreeMap<u64, NamedObject>,
    /// Atomic groups.
    pub groups: IdVec<GroupId, AtomicGroup>,
    /// Writes of sections that do not end.
    pub unseen: Vec<Unseen>,
    /// The ways in which a thread stops before a section that it might not come to the end of.
    pub unbegun: Vec<(ThreadId, TermId)>,
    /// Joins.
    pub joins: Vec<JoinEdge>,
    /// Where threads may wait forever.
    pub waits: Vec<Wait>,
    /// Where threads may spin forever.
    pub spins: Vec<Spin>,
    /// Where threads stop else.
    pub stops: Vec<Stop>,
    /// The ways in which the whole process ends: it is left, or main returns.
    pub halts: Vec<TermId>,
    /// Properties.
    pub checks: Vec<Check>,
    /// Final values of the program's observables.
    pub finals: IdVec<ObservableId, Final>,
    /// Addresses of the program's objects with static storage, those of threads excepted.
    pub statics: IdVec<GlobalId, u64>,
    /// Where unwinding stopped.
    pub bounds_reached: Vec<BoundReached>,
    /// How far loops were followed, by procedure and back edge: those that some thread was in.
    pub loops: BTreeMap<(ProcId, usize), Unwinding>,
    /// Iterations that are followed though they changed nothing.
    pub followed: Vec<Followed>,
    /// How deep procedures called themselves.
    pub recursions: BTreeMap<ProcId, Unwinding>,
    /// Unsupported constructs.
    pub unsupported: Vec<Unsupported>,
    /// Unresolved accesses: outside the points-to set of their pointer. At these a check of
    /// [`PropertyKind::Memory`](ir::program::PropertyKind) fails that does not fail in the
    /// program: the pointer is that of an object after all.
    pub unresolved: Vec<Unsupported>,
    /// What threads take from outside, for each thread in program order.
    pub choices: Vec<Choice>,
    /// The ways in which compare-exchanges fail for no reason that only machines with a linked pair
    /// have.
    pub spurious: Vec<TermId>,
    /// Contents of memory that is not initialised: address, bits, value.
    pub uninitialised: Vec<(u64, Width, TermId)>,
    /// What may be in the place of something else.
    pub placements: Vec<Placed>,
    /// The order of objects in memory, where some comparison sees it.
    pub order: Vec<Ordered>,
    /// Objects with what the program is called with: name, address, bytes.
    pub arguments: Vec<(String, u64, u64)>,
    /// Writes to objects that other threads do not know yet: what others read there comes from
    /// these, or from what coherence has behind them.
    pub initialising: Vec<EventId>,
    /// Indeterminate bits are followed.
    pub shadowed: bool,
    /// The indeterminate bits of what an event reads or writes, where there may be some
    /// ([`ir::shadow`]): a read has those of the write that it reads from.
    pub shadows: BTreeMap<EventId, TermId>,
    /// Addresses of thread-local objects.
    pub thread_locals: Vec<(ThreadId, GlobalId, u64)>,
    /// Write events that no instruction makes, ascending: what main wrote before the first thread
    /// was created, on paths whose values are not the initial ones.
    pub carried: Vec<EventId>,
    /// The orders of sites that are open, each with the condition that it is chosen.
    pub open_orders: BTreeMap<Site, Vec<(MemoryOrder, TermId)>>,
}

impl EventGraph {
    /// Whether every execution comes to the end of main, or of the process.
    pub fn surely_ends(&self) -> bool {
        let mut ends = self.halts.iter();
        ends.any(|halt| self.terms.is_true(*halt))
    }

    /// How the source writes the address of something: `&node`, `&queue.slot[2]`, `&worker`.
    pub fn address_text(&self, addr: u64) -> Option<String> {
        let (base, object) = self.objects.range(..=addr).next_back()?;
        let offset = addr - base;
        if offset == 0 {
            return Some(format!("&{}", object.name));
        }
        // Behind the last byte there is an address, but nothing at it.
        if offset > object.size {
            return None;
        }
        let cell = self.cells.iter().find(|c| c.addr == addr);
        Some(match cell {
            Some(cell) => format!("&{}", cell.name),
            None => format!("&{}+{offset}", object.name),
        })
    }
}
