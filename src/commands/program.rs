//! A concurrent program of guarded commands over mathematical integers.
//!
//! Each thread is a graph of locations; a [`Step`] leads from one to the next when its guard holds,
//! and assigns to all its variables at once, atomically. A step of a program as it is extracted
//! touches memory at most once: it loads one shared variable or stores one, or it is an atomic
//! read-modify-write. What is to be atomic beyond that goes through locations that are `atomic`: while
//! a thread is at one of them, nobody else moves.
//!
//! Arrays have a variable for each element. [`Program::flushes`] are steps of nobody in particular,
//! always possible: what a store buffer does by itself.

use super::arith::{Cond, Linear, VarId};
use base::id;
use base::idx::IdVec;
use base::source::Span;
use ir::program::{Fence, MemoryOrder};
use std::collections::{BTreeMap, BTreeSet};

id!(
    /// A thread of a program.
    ThreadId,
    "t"
);
id!(
    /// A location of a thread.
    LocId,
    "L"
);

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// All variables.
    pub vars: IdVec<VarId, Variable>,
    /// The threads; the first is `main`, and it alone runs at the beginning.
    pub threads: IdVec<ThreadId, Thread>,
    /// What buffers do by themselves; their locations mean nothing.
    pub flushes: Vec<(ThreadId, Step)>,
    /// What must not be possible while no thread is within an atomic section: steps that fail.
    pub invariants: Vec<Step>,
    /// Store buffers that are variables of the program.
    pub buffers: Vec<Buffer>,
    /// The accesses to memory, as the source has them.
    pub accesses: Vec<Access>,
    /// Registers that always hold the number of their thread: no other thread has the same, and each is at least 0 and
    /// smaller than how many there are.
    pub own_numbers: BTreeSet<VarId>,
}

/// An access of the source.
#[derive(Clone, Debug)]
pub struct Access {
    /// Whose.
    pub thread: ThreadId,
    /// Before it.
    pub at: LocId,
    /// What it may access.
    pub variables: Vec<VarId>,
    /// Its memory order.
    pub order: MemoryOrder,
    /// Where it is.
    pub span: Span,
}

/// A store buffer of a thread: of one shared variable (PSO), or of all that it stores (TSO).
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Whose.
    pub thread: ThreadId,
    /// How many entries it has.
    pub count: VarId,
    /// Its entries, the oldest first.
    pub cells: Vec<BufferCell>,
    /// The variables that may be in it.
    pub stores: Vec<VarId>,
    /// The thread fences between any two stores: it has at most one entry in all its buffers.
    pub fenced: bool,
}

/// An entry of a buffer.
#[derive(Clone, Copy, Debug)]
pub struct BufferCell {
    /// Holds the number of the variable in [`Buffer::stores`]; none when there is one only.
    pub target: Option<VarId>,
    /// Holds the value.
    pub value: VarId,
}

/// A step of somebody.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Move {
    /// Of a thread, by its number there.
    Thread(ThreadId, usize),
    /// Of a buffer, by its number.
    Flush(usize),
    /// An invariant is violated.
    Invariant(usize),
}

/// What a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariableKind {
    /// Memory.
    Shared,
    /// Memory: an array with an element for each thread, which is at its number.
    PerThread,
    /// How many threads with numbers there are.
    Count,
    /// A local variable with a name.
    Local(ThreadId),
    /// A local variable that holds what was loaded, within a statement.
    Temporary(ThreadId),
    /// Part of the buffer of a thread.
    Buffer(ThreadId),
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name: of a shared one as the source has it, with the index of an element; of a local one
    /// without its thread.
    pub name: String,
    /// What it is.
    pub kind: VariableKind,
    /// What it is at the beginning; anything when unknown.
    pub initial: Option<i128>,
}

/// A thread.
#[derive(Clone, Debug)]
pub struct Thread {
    /// The name of its procedure, with a number when several threads run it.
    pub name: String,
    /// Its locations; the first is where it begins.
    pub locations: IdVec<LocId, Location>,
    /// Where it has ended.
    pub end: LocId,
    /// What it does.
    pub steps: Vec<Step>,
    /// How many there are of it.
    pub instances: Instances,
}

/// How many threads there are of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instances {
    /// One.
    One,
    /// Any number, none included.
    Any,
}

/// A location.
#[derive(Clone, Copy, Debug)]
pub struct Location {
    /// What comes next.
    pub span: Span,
    /// Nobody else moves while the thread is here.
    pub atomic: bool,
}

/// What a variable is assigned.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Update {
    /// A value before the step.
    Set(Linear),
    /// Anything.
    Any,
}

/// A guarded command.
#[derive(Clone, Debug)]
pub struct Step {
    /// From here.
    pub from: LocId,
    /// To there.
    pub to: LocId,
    /// When it is possible.
    pub guard: Cond,
    /// What it assigns, each variable once.
    pub updates: Vec<(VarId, Update)>,
    /// What else it does.
    pub effect: Effect,
    /// The registers with the numbers of the elements that it accesses, by array.
    pub elements: BTreeMap<VarId, VarId>,
    /// What it does with a register that goes through the numbers of threads.
    pub scan: Option<Scan>,
    /// Where it comes from.
    pub span: Span,
}

/// A loop over the numbers of threads. In what order they come is left open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scan {
    /// The register that has the number.
    pub register: VarId,
    /// What the step does with it.
    pub act: ScanAct,
}

/// What a step does with a register that goes through the numbers of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScanAct {
    /// No number has been passed.
    Begin,
    /// It is at a number.
    At {
        /// How that compares.
        which: Which,
        /// It has not been passed, and the register has it from this step on; otherwise the register has had it
        /// before.
        next: bool,
        /// It is passed.
        passed: bool,
    },
    /// All of these have been passed.
    Done(Numbers),
}

impl ScanAct {
    /// What two steps do with a register, one right after the other, if that is what one step can do; `Some(None)` if the
    /// second one is not possible then.
    pub fn then(self, second: ScanAct) -> Option<Option<ScanAct>> {
        let (
            ScanAct::At {
                which,
                next,
                passed: false,
            },
            ScanAct::At {
                which: same,
                next: false,
                passed,
            },
        ) = (self, second)
        else {
            return None;
        };
        let both = which.and(same);
        Some(both.map(|which| ScanAct::At {
            which,
            next,
            passed,
        }))
    }
}

/// Numbers of threads, as they compare with that of the thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Numbers {
    /// Smaller ones.
    pub smaller: bool,
    /// Its own.
    pub own: bool,
    /// Larger ones.
    pub larger: bool,
}

/// How a number compares with that of the thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Which {
    /// It is smaller.
    Smaller,
    /// It is the same.
    Own,
    /// It is larger.
    Larger,
    /// It is smaller or larger.
    Other,
}

impl Which {
    /// It is both, if it can be.
    fn and(self, other: Which) -> Option<Which> {
        match (self, other) {
            (a, b) if a == b => Some(a),
            (Which::Other, Which::Own) | (Which::Own, Which::Other) => None,
            (Which::Other, finer) | (finer, Which::Other) => Some(finer),
            _ => None,
        }
    }
}

/// What a step does beside assigning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing.
    None,
    /// It waits until what the thread has stored is ordered as the fence says.
    Fence(Fence),
    /// A load of one variable, and a store of it where it is updated, that nothing comes between.
    Rmw(MemoryOrder),
    /// A thread begins.
    Spawn(ThreadId),
    /// It waits for a thread to end.
    Join(ThreadId),
    /// A property is violated.
    Fail(Failure),
}

/// What is violated.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Failure {
    /// An assertion, as the source has it.
    Assertion(String),
    /// An invariant of the predicates file.
    Invariant(String),
    /// An element that an array does not have.
    Bounds(String),
    /// A store into a full buffer: the bound is too small.
    Overflow,
}

impl Program {
    /// The name of a variable as a predicates file has it: `thread:local`.
    pub fn name(&self, x: VarId) -> String {
        let v = &self.vars[x];
        match v.kind {
            VariableKind::Shared | VariableKind::PerThread | VariableKind::Count => v.name.clone(),
            VariableKind::Local(t) | VariableKind::Temporary(t) => {
                format!("{}:{}", self.threads[t].name, v.name)
            }
            VariableKind::Buffer(_) => v.name.clone(),
        }
    }

    /// The step of a move.
    pub fn step(&self, m: Move) -> &Step {
        match m {
            Move::Thread(t, i) => &self.threads[t].steps[i],
            Move::Flush(i) => &self.flushes[i].1,
            Move::Invariant(i) => &self.invariants[i],
        }
    }

    /// All moves, in order.
    pub fn moves(&self) -> Vec<Move> {
        let of_threads = self.threads.iter_enumerated();
        let of_threads = of_threads
            .flat_map(|(t, thread)| (0..thread.steps.len()).map(move |i| Move::Thread(t, i)));
        of_threads
            .chain((0..self.flushes.len()).map(Move::Flush))
            .chain((0..self.invariants.len()).map(Move::Invariant))
            .collect()
    }

    /// A step that is possible with the initial values only, and changes nothing.
    pub fn initially(&self) -> Step {
        let known = self.vars.iter_enumerated();
        let known = known.filter_map(|(x, v)| Some(Cond::is(x, v.initial?)));
        let span = self.threads[ThreadId(0)].locations[LocId(0)].span;
        Step {
            guard: Cond::and(known),
            ..Step::new(LocId(0), LocId(0), span)
        }
    }

    /// The thread that a variable is a register or part of the buffer of.
    pub fn owner(&self, x: VarId) -> Option<ThreadId> {
        match self.vars[x].kind {
            VariableKind::Shared | VariableKind::PerThread | VariableKind::Count => None,
            VariableKind::Local(t) | VariableKind::Temporary(t) | VariableKind::Buffer(t) => {
                Some(t)
            }
        }
    }

    /// The variable is memory.
    pub fn is_shared(&self, x: VarId) -> bool {
        self.vars[x].kind.is_memory()
    }
}

impl VariableKind {
    /// It is memory.
    pub fn is_memory(self) -> bool {
        matches!(self, VariableKind::Shared | VariableKind::PerThread)
    }
}

impl Failure {
    /// The property, as text.
    pub fn text(&self) -> &str {
        match self {
            Failure::Assertion(text) | Failure::Invariant(text) | Failure::Bounds(text) => text,
            Failure::Overflow => "no buffer overflows",
        }
    }
}

/// The locations that are reached from one.
pub fn reachable(steps: &[Step], from: LocId) -> BTreeSet<LocId> {
    let mut seen = BTreeSet::from([from]);
    let mut work = vec![from];
    while let Some(at) = work.pop() {
        for s in steps.iter().filter(|s| s.from == at) {
            if seen.insert(s.to) {
                work.push(s.to);
            }
        }
    }
    seen
}

impl Step {
    /// From one location to another, nothing else.
    pub fn new(from: LocId, to: LocId, span: Span) -> Step {
        Step {
            from,
            to,
            guard: Cond::Const(true),
            updates: Vec::new(),
            effect: Effect::None,
            elements: BTreeMap::new(),
            scan: None,
            span,
        }
    }

    /// What it assigns to a variable.
    pub fn update(&self, x: VarId) -> Option<&Update> {
        self.updates.iter().find(|(y, _)| *y == x).map(|(_, u)| u)
    }

    /// The variables that it reads.
    pub fn reads(&self) -> BTreeSet<VarId> {
        let mut vars = self.guard.vars();
        for (_, u) in &self.updates {
            if let Update::Set(value) = u {
                vars.extend(value.terms.keys());
            }
        }
        vars
    }

    /// Reads or writes memory or a buffer, or is about other threads.
    pub fn is_visible(&self, vars: &IdVec<VarId, Variable>) -> bool {
        let shared = |x: &VarId| {
            let kind = vars[*x].kind;
            kind.is_memory() || matches!(kind, VariableKind::Buffer(_))
        };
        !matches!(self.effect, Effect::None | Effect::Fail(_))
            || self.scan.is_some()
            || self.reads().iter().any(shared)
            || self.updates.iter().any(|(x, _)| shared(x))
    }
}
