//! Candidate relaxations: the edges that cycles are made of, and their names.
//!
//! An edge leads from one memory access to the next. Communications (`Rf` read-from, `Fr` from-read,
//! `Co` coherence) stay at one location and either stay in the thread (`i`) or leave it (`e`);
//! everything else is program order, at the same location (`s`) or a different one (`d`): bare
//! (`Po`), with a fence in between, or as a dependency. The names are those of herdtools' `diy`
//! (Alglave, Maranget et al., "Fences in weak memory models", CAV 2010, and its manual), so that its
//! users can read and write them.
//!
//! Which fences and dependencies exist is said by the architecture: an edge points into the tables
//! of [`super::arch`], and compares by their order.

use std::fmt;

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dir {
    /// It writes.
    W,
    /// It reads.
    R,
}

/// The memory order of an access, in languages that have one. Edges name it by the words of `diy`:
/// `PodWWRlxRel` leads from a relaxed write to a releasing one, in the Linux kernel `PodWWOnceRelease`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AccessOrder {
    /// None: the access is not atomic, or the architecture has no orders.
    Plain,
    /// `memory_order_relaxed`
    Relaxed,
    /// `memory_order_acquire`
    Acquire,
    /// `memory_order_release`
    Release,
    /// `memory_order_seq_cst`
    SeqCst,
    /// `READ_ONCE`, `WRITE_ONCE`
    Once,
    /// `smp_load_acquire`
    LoadAcquire,
    /// `smp_store_release`
    StoreRelease,
}

impl AccessOrder {
    /// Whether accesses in this direction have it.
    pub fn applies_to(self, dir: Dir) -> bool {
        match self {
            AccessOrder::Acquire | AccessOrder::LoadAcquire => dir == Dir::R,
            AccessOrder::Release | AccessOrder::StoreRelease => dir == Dir::W,
            AccessOrder::Plain | AccessOrder::Relaxed | AccessOrder::SeqCst | AccessOrder::Once => {
                true
            }
        }
    }
}

/// How two accesses of one location communicate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Com {
    /// From a write to a read of its value.
    Rf,
    /// From a read to a write that overwrites the value read.
    Fr,
    /// From a write to one that overwrites it.
    Co,
}

/// Does an edge stay in its thread?
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// Both ends are in one thread.
    Internal,
    /// The ends are in different threads.
    External,
}

/// Does an edge stay at its location?
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    /// Both ends access one location.
    Same,
    /// The ends access different locations.
    Different,
}

/// A fence of an architecture. Fences compare by `rank`, their row in the table.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fence {
    /// Row in the architecture's table.
    pub rank: u8,
    /// In names of edges, as in `LwSyncdWW`.
    pub name: &'static str,
    /// The instruction.
    pub instruction: &'static str,
    /// Orders what other threads did before, too: may stand next to a read-from edge.
    pub cumulative: bool,
}

impl Fence {
    /// A row of a table.
    pub const fn new(rank: u8, name: &'static str, instruction: &'static str) -> Fence {
        Fence {
            rank,
            name,
            instruction,
            cumulative: true,
        }
    }

    /// The fence, if it orders accesses of its own thread alone.
    pub const fn local(self) -> Fence {
        Fence {
            cumulative: false,
            ..self
        }
    }
}

/// How a dependency reaches the later access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Through {
    /// The value read decides which address is accessed.
    Address,
    /// The value read decides which value is written.
    Data,
    /// The value read decides a branch.
    Control,
}

/// A dependency of an architecture. Dependencies compare by `rank`, their row in the table.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Dep {
    /// Row in the architecture's table.
    pub rank: u8,
    /// In names of edges, as in `DpAddrdR`.
    pub name: &'static str,
    /// Where the value goes.
    pub through: Through,
    /// The fence after the branch, as in `DpCtrlIsyncdR`.
    pub fence: Option<&'static Fence>,
}

impl Dep {
    /// A row of a table.
    pub const fn new(rank: u8, name: &'static str, through: Through) -> Dep {
        Dep {
            rank,
            name,
            through,
            fence: None,
        }
    }

    /// The dependency with a fence behind its branch.
    pub const fn with(self, fence: &'static Fence) -> Dep {
        Dep {
            fence: Some(fence),
            ..self
        }
    }
}

/// What an edge is, its ends apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RelaxationKind {
    /// Communication, at one location.
    Com(Com, Side),
    /// A fence between two accesses.
    Fenced(&'static Fence, Place),
    /// A dependency of the second access on the first, a read.
    Dep(&'static Dep, Place),
    /// Program order and nothing more.
    Po(Place),
    /// The read and the write of one atomic exchange.
    Rmw,
}

/// A candidate relaxation. Edges compare as threads are sorted in canonical cycles.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// What it is.
    pub kind: RelaxationKind,
    /// The access it starts from.
    pub source: Dir,
    /// The access it leads to.
    pub target: Dir,
    /// The memory orders of the two accesses.
    pub orders: (AccessOrder, AccessOrder),
}

/// Both ends of an edge have no order.
const PLAIN: (AccessOrder, AccessOrder) = (AccessOrder::Plain, AccessOrder::Plain);

impl Edge {
    /// An edge between accesses without an order.
    pub fn new(kind: RelaxationKind, source: Dir, target: Dir) -> Edge {
        Edge {
            kind,
            source,
            target,
            orders: PLAIN,
        }
    }

    /// The same edge between accesses with these orders.
    pub fn with_orders(self, orders: (AccessOrder, AccessOrder)) -> Edge {
        Edge { orders, ..self }
    }

    /// Whether the access it leads to can be the one that the next edge starts from.
    pub fn meets(self, next: Edge) -> bool {
        self.target == next.source && self.orders.1 == next.orders.0
    }

    /// The orders of its ends as names have them: `RlxRel`; empty when there are none.
    pub fn orders_text(self) -> String {
        match self.orders {
            PLAIN => String::new(),
            (from, to) => format!("{from}{to}"),
        }
    }

    /// A communication; its ends follow.
    pub fn com(com: Com, side: Side) -> Edge {
        let (source, target) = match com {
            Com::Rf => (Dir::W, Dir::R),
            Com::Fr => (Dir::R, Dir::W),
            Com::Co => (Dir::W, Dir::W),
        };
        Edge::new(RelaxationKind::Com(com, side), source, target)
    }

    /// True when it leads to another thread.
    pub fn is_external(self) -> bool {
        matches!(self.kind, RelaxationKind::Com(_, Side::External))
    }

    /// True when both ends communicate through memory.
    pub fn is_com(self) -> bool {
        matches!(self.kind, RelaxationKind::Com(..))
    }

    /// The location of its ends.
    pub fn place(self) -> Place {
        match self.kind {
            RelaxationKind::Com(..) | RelaxationKind::Rmw => Place::Same,
            RelaxationKind::Po(place)
            | RelaxationKind::Fenced(_, place)
            | RelaxationKind::Dep(_, place) => place,
        }
    }

    /// True when the two accesses are at different locations.
    pub fn changes_location(self) -> bool {
        self.place() == Place::Different
    }
}

impl fmt::Display for Dir {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Dir::R => "R",
            Dir::W => "W",
        })
    }
}

impl fmt::Display for AccessOrder {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            AccessOrder::Plain => "Na",
            AccessOrder::Relaxed => "Rlx",
            AccessOrder::Acquire => "Acq",
            AccessOrder::Release => "Rel",
            AccessOrder::SeqCst => "Sc",
            AccessOrder::Once => "Once",
            AccessOrder::LoadAcquire => "Acquire",
            AccessOrder::StoreRelease => "Release",
        })
    }
}

impl fmt::Display for Com {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Com::Rf => "Rf",
            Com::Fr => "Fr",
            Com::Co => "Co",
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Place::Same => "s",
            Place::Different => "d",
        })
    }
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (source, target) = (self.source, self.target);
        match self.kind {
            RelaxationKind::Com(com, Side::Internal) => write!(f, "{com}i"),
            RelaxationKind::Com(com, Side::External) => write!(f, "{com}e"),
            RelaxationKind::Po(place) => write!(f, "Po{place}{source}{target}"),
            RelaxationKind::Fenced(fence, place) => {
                write!(f, "{}{place}{source}{target}", fence.name)
            }
            RelaxationKind::Dep(dep, place) => write!(f, "Dp{}{place}{target}", dep.name),
            RelaxationKind::Rmw => f.write_str("Rmw"),
        }?;
        f.write_str(&self.orders_text())
    }
}

/// Edges in a row, separated by spaces: how a cycle is written.
pub fn spell(edges: &[Edge]) -> String {
    let names: Vec<String> = edges.iter().map(Edge::to_string).collect();
    names.join(" ")
}
