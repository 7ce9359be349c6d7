//! Kinds of threads, and what each does: its accesses, stores, objects, and the threads that it creates.

use crate::answer::Unproved;
use crate::graph::{Graph, NodeId, Targets};
use crate::state::{Register, Seen, Started};
use crate::value::{At, KindId, Sym, SymId, ValId, Values};
use base::idx::{Id, IdVec};
use base::source::Span;
use ir::program::{LayoutId, ProcId, Program};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Kinds of threads at most.
const MOST_KINDS: usize = 64;

/// A kind of thread.
pub struct ThreadKind {
    /// Its start routine.
    pub start: ProcId,
    /// Where it is created; none of main.
    pub creation: Option<At>,
}

/// Where a symbol comes from, for those that are not what they say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// One of these values.
    OneOf(BTreeSet<ValId>),
    /// So many bytes at an address.
    Memory(ValId, u64),
    /// What some thread has returned.
    Returned,
}

/// What a write does to a location that is a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// From 0 to something else (this number, where it is known), or from something that is not 0 to something else that
    /// is not; it acquires.
    Take(Option<u64>),
    /// One less, from something that is not 0; it acquires.
    TakePermit,
    /// One more.
    Add,
    /// A number.
    Number(u64),
    /// Something that is not 0.
    NotZero,
    /// Anything.
    Any,
}

/// An access to memory.
#[derive(Clone, Debug)]
pub struct Access {
    /// Where.
    pub at: At,
    /// In the source.
    pub span: Span,
    /// The address.
    pub addr: ValId,
    /// Bytes; none of an object that ends as a whole.
    pub size: Option<u64>,
    /// The object ends with its scope, if it was ever made.
    pub scope: bool,
    /// What it writes, and whether it releases; none of a read.
    pub write: Option<(Change, bool)>,
    /// Atomic for the language.
    pub atomic: bool,
    /// In an atomic section.
    pub section: bool,
    /// Locks that the thread has.
    pub held: BTreeSet<ValId>,
    /// What the thread has seen.
    pub seen: Rc<Seen>,
    /// Where the handles were of threads that it has joined.
    pub joined: Rc<BTreeSet<ValId>>,
    /// Threads that it has started.
    pub started: Rc<BTreeMap<KindId, Started>>,
}

impl Access {
    /// Whether no thread was created before it.
    pub fn is_before_threads(&self) -> bool {
        self.at.0.index() == 0 && self.started.values().all(|s| !s.ever)
    }
}

/// The object that an allocation makes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allocation {
    /// On the stack.
    pub stack: bool,
    /// Its name and type, where it has them.
    pub name: Option<(String, LayoutId)>,
    /// What it takes the place of.
    pub replaces: Option<ValId>,
}

/// How a register changes with a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// By so much in each iteration.
    Adds(u64),
    /// In any way.
    Any,
}

/// What a thread has whenever it is at a point.
#[derive(Clone, Debug)]
pub struct Point {
    /// Locks.
    pub held: BTreeSet<ValId>,
    /// Threads that it has started.
    pub started: Rc<BTreeMap<KindId, Started>>,
    /// It is in an atomic section.
    pub section: bool,
    /// What the thread has seen.
    pub seen: Rc<Seen>,
}

/// The creation of a thread.
#[derive(Clone, Debug)]
pub struct Creation {
    /// What it is given.
    pub argument: ValId,
    /// Threads that were started before.
    pub started: BTreeMap<KindId, Started>,
}

/// What a kind of thread does.
#[derive(Default)]
pub struct Conduct {
    /// Its accesses.
    pub accesses: Vec<Access>,
    /// What it stores: at which address, bytes, value.
    pub stores: Vec<(ValId, u64, ValId)>,
    /// Threads that it creates, by their kinds.
    pub creations: BTreeMap<KindId, Creation>,
    /// What stores store, by where.
    pub stored: BTreeMap<NodeId, ValId>,
    /// What it returns.
    pub returns: BTreeSet<ValId>,
    /// Its symbols.
    pub sources: FxHashMap<SymId, Source>,
    /// Its objects.
    pub allocations: BTreeMap<NodeId, Allocation>,
    /// Locations that must be semaphores with one permit, or else something is not supported there.
    pub permits: Vec<(ValId, Span, String)>,
    /// Calls through pointers, and creations of threads.
    pub calls: Vec<((ProcId, usize), ValId, Span)>,
    /// Points that it comes to.
    pub points: BTreeMap<NodeId, Point>,
    /// What registers have at the headers of loops.
    pub headers: BTreeMap<NodeId, BTreeMap<Register, ValId>>,
    /// Registers that change with loops, by the loops' headers.
    pub modes: FxHashMap<(NodeId, Register), Mode>,
    /// Keys of what it notes, by where.
    pub notes: BTreeMap<NodeId, ValId>,
    /// Handles of threads that it joins or detaches, by where.
    pub claims: BTreeMap<NodeId, ValId>,
    /// Those of them of which a loop has created the thread, and another loop looks at each once.
    pub covered: BTreeSet<NodeId>,
    /// Conditions of branches, assumptions and assertions.
    pub conditions: BTreeSet<ValId>,
}

/// All kinds of threads, and their values.
#[derive(Default)]
pub struct Threads {
    /// The kinds.
    pub kinds: IdVec<KindId, ThreadKind>,
    /// Their graphs.
    pub graphs: IdVec<KindId, Rc<Graph>>,
    /// By creation and start routine.
    ids: FxHashMap<(At, ProcId), KindId>,
    /// Values.
    pub values: Values,
}

impl Threads {
    /// The kind that begins with a procedure.
    ///
    /// # Errors
    /// Those of [`Graph::new`]; too many kinds.
    pub fn kind(
        &mut self,
        program: &Program,
        start: ProcId,
        creation: Option<At>,
        targets: &Targets,
    ) -> Result<KindId, Unproved> {
        if let Some(at) = creation
            && let Some(id) = self.ids.get(&(at, start))
        {
            return Ok(*id);
        }
        if self.kinds.len() >= MOST_KINDS {
            return Err(Unproved::TooLarge);
        }
        let graph = Graph::new(program, start, targets)?;
        let id = self.kinds.push(ThreadKind { start, creation });
        self.graphs.push(Rc::new(graph));
        if let Some(at) = creation {
            self.ids.insert((at, start), id);
        }
        Ok(id)
    }

    /// The kinds that one creation starts.
    pub fn started_at(&self, at: At) -> Vec<KindId> {
        let all = self.kinds.iter_enumerated();
        let started = all.filter(|(_, kind)| kind.creation == Some(at));
        started.map(|(id, _)| id).collect()
    }

    /// Whether a value is the same in all iterations of a loop of a kind of thread.
    pub fn is_invariant(&self, value: ValId, kind: KindId, header: NodeId) -> bool {
        let mut terms = self.values.of(value).terms.iter();
        terms.all(|(sym, _)| match self.values.of_sym(*sym) {
            Sym::Initial(..) => false,
            Sym::Phi(at, ..)
            | Sym::Result(at)
            | Sym::Done(at)
            | Sym::Object(at)
            | Sym::Thread(at)
            | Sym::Count(at) => at.0 != kind || !self.graphs[kind].loops[at.1].contains(&header),
            Sym::ThreadOfCount(_, by) => !self.graphs[kind].loops[*by].contains(&header),
            Sym::Global(_)
            | Sym::ThreadLocal(..)
            | Sym::Proc(_)
            | Sym::Argument(_)
            | Sym::Itself(_)
            | Sym::AnyCount => true,
            Sym::Term(_, operands) => operands.iter().all(|o| self.is_invariant(*o, kind, header)),
        })
    }
}
