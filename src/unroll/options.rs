//! How far to unwind, which accesses are events, and why there may be no event graph.

use base::source::Span;
use ir::bounds::Bounds;
use ir::sites::OpenOrders;

/// How far to unwind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnrollOptions {
    /// How often the back edge of a loop is taken, and how deep a procedure recurs.
    pub bounds: Bounds,
    /// Accesses to static objects, and those whose address depends on a read, are events even where
    /// only one thread looks, and so are plain reads of what only the reader writes: needed for
    /// models in which dependencies order what comes after them.
    pub address_dependencies: bool,
    /// What a thread does to one location is as if it were alone: a read of what no other thread
    /// writes returns what the thread wrote last, though it be an event.
    pub coherent: bool,
    /// No read depends on itself by what values are read from and computed from.
    pub values_have_causes: bool,
    /// Control dependencies end as the model of the Linux kernel has it ([`ControlScope::Kernel`]).
    ///
    /// [`ControlScope::Kernel`]: ir::program::ControlScope::Kernel
    pub kernel: bool,
    /// Values that nothing has determined must not decide anything
    /// ([`PropertyKind::Uninitialised`]).
    ///
    /// [`PropertyKind::Uninitialised`]: ir::program::PropertyKind::Uninitialised
    pub uninitialised: bool,
    /// A plain load at an address that is in no object returns any value, and is no violation.
    pub loads_outside: bool,
    /// Which iterations of a loop change nothing.
    pub awaits: Awaits,
    /// A program with more events is too large.
    pub max_events: usize,
    /// Sites whose memory order is chosen when the graph is solved; all others have the program's.
    pub open_orders: OpenOrders,
}

/// Programs with more events are too large for every purpose.
pub const MAX_EVENTS: usize = 200_000;

/// What an iteration that changes nothing may have written; each includes the ones before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum WriteBacks {
    /// Nothing: the model is not known.
    #[default]
    None,
    /// A mutex that it gave back and took again.
    Sections,
    /// What it read, by the read-modify-write it begins with, or one with a full fence behind it.
    Leading,
    /// The same, and by read-modify-writes that acquire.
    Acquiring,
    /// What it read, by read-modify-writes.
    All,
}

/// When a read takes place, whatever memory order it has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Reading {
    /// Perhaps behind later writes of its thread.
    #[default]
    Late,
    /// Before what it could cause: program order and read-from have no cycle, and nothing else depends on
    /// what is computed from it.
    Causal,
    /// Before all that follows it in its thread.
    InOrder,
}

/// What keeps the writes to an object before the write that tells other threads its address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Publishing {
    /// Nothing is known to.
    #[default]
    Unknown,
    /// A fence between them.
    Fenced,
    /// Program order.
    Ordered,
}

/// Which iterations change nothing, for who asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Awaits {
    /// What they may have written.
    pub writes: WriteBacks,
    /// `writes` speaks of memory that has atomic accesses alone.
    pub writes_atomic: bool,
    /// When they may have written to what other threads do not know yet.
    pub publishing: Publishing,
    /// `publishing` speaks of writes that are not atomic alone: who sees another value races, and races are
    /// looked for.
    pub publishes_plain: bool,
    /// When a read takes place.
    pub reading: Reading,
    /// `writes` holds in programs with atomic sections, too.
    pub atomic_sections: bool,
    /// Races are looked for.
    pub races: bool,
    /// What is accessed under one mutex does not race.
    pub mutexes: bool,
    /// It is asked for threads that make no progress.
    pub progress: bool,
    /// It is asked whether executions are sequentially consistent, for which every iteration counts.
    pub robustness: bool,
}

/// The loop and the object that most events of a graph belong to; there may be neither.
#[derive(Clone, Debug, Default)]
pub struct Largest {
    /// The loop whose finished iterations made the most.
    pub in_loop: Option<LargestLoop>,
    /// The object that most of them access.
    pub object: Option<LargestObject>,
}

/// A loop by what its iterations made.
#[derive(Clone, Debug)]
pub struct LargestLoop {
    /// As `--unwindset` names it.
    pub name: String,
    /// Where its iterations end.
    pub span: Span,
    /// The most iterations on any path.
    pub iterations: u32,
    /// How many events its iterations made, in all threads.
    pub events: usize,
}

/// An object by its events.
#[derive(Clone, Debug)]
pub struct LargestObject {
    /// As the source names it.
    pub name: String,
    /// Elements of the array that it is; otherwise 1.
    pub elements: u64,
    /// How many events may access it.
    pub events: usize,
    /// One of them.
    pub span: Span,
}

/// Why there is no event graph.
#[derive(Clone, Debug, thiserror::Error)]
pub enum UnrollError {
    /// The program has no `main`.
    #[error("the program has no function `main`")]
    NoMain,
    /// More events than the limit; where the limit was passed.
    #[error("the program has more than {limit} events")]
    TooLarge {
        /// The limit.
        limit: usize,
        /// The instruction that passed it.
        span: Span,
        /// What has the most of them.
        largest: Box<Largest>,
    },
    /// `interrupt` answered true.
    #[error("interrupted")]
    Interrupted,
}
