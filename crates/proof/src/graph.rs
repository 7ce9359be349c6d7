//! The event graph of a bundle: `graph.json`.
//!
//! Plain data, with numbers for references, so that any tool can read it. It holds what the bounded
//! check is about and nothing of how it was answered: events, guards, terms, the orders that the
//! program fixes, and the query. What refers to what is not there is refused ([`Graph::validate`]).

use serde::{Deserialize, Serialize};

/// A term of [`Graph::terms`].
pub type TermId = u32;
/// An event of [`Graph::events`].
pub type EventId = u32;
/// A cell of [`Graph::cells`].
pub type CellId = u32;
/// A thread of [`Graph::threads`].
pub type ThreadId = u32;

/// Operators with two operands of one width; those of comparison have width 1. What is not said by
/// their names: division by zero gives all ones (signed: all ones, or 1 where the dividend is
/// negative), its remainder is the dividend; a shift by the width or more gives 0, `ashr` copies of
/// the sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Udiv,
    Sdiv,
    Urem,
    Srem,
    And,
    Or,
    Xor,
    Shl,
    Lshr,
    Ashr,
    Eq,
    Ne,
    Ult,
    Ule,
    Slt,
    Sle,
}

impl Op {
    /// Its result is a truth value.
    pub fn compares(self) -> bool {
        use Op::{Eq, Ne, Sle, Slt, Ule, Ult};
        matches!(self, Eq | Ne | Ult | Ule | Slt | Sle)
    }
}

/// A term; its operands come before it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Term {
    /// A number.
    Const(u64),
    /// What a read returns.
    Read(EventId),
    /// An arbitrary value, numbered.
    Any(u32),
    /// Bitwise complement.
    Not(TermId),
    /// `cond ? then : otherwise`
    Ite(TermId, TermId, TermId),
    /// More bits, zeros.
    ZeroExtend(TermId),
    /// More bits, copies of the sign.
    SignExtend(TermId),
    /// Fewer bits.
    Truncate(TermId),
    /// An operator.
    Op(Op, TermId, TermId),
    /// An operator of floating-point numbers, by name. The formula lets it have any value, the same
    /// for the same operands: what is shown is shown whatever it computes.
    Uninterpreted(String, Vec<TermId>),
}

impl Term {
    /// The operands.
    pub fn operands(&self) -> Vec<TermId> {
        match self {
            Term::Const(_) | Term::Read(_) | Term::Any(_) => Vec::new(),
            Term::Not(a) | Term::ZeroExtend(a) | Term::SignExtend(a) | Term::Truncate(a) => {
                vec![*a]
            }
            Term::Ite(a, b, c) => vec![*a, *b, *c],
            Term::Op(_, a, b) => vec![*a, *b],
            Term::Uninterpreted(_, of) => of.clone(),
        }
    }
}

/// What an event does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// The initial write of a cell.
    Init,
    /// A read.
    Read,
    /// A write.
    Write,
    /// An object begins to exist: a write that no instruction makes, second in coherence.
    Begin,
    /// An object ceases to exist: a write that no instruction makes.
    End,
    /// A fence.
    Fence,
}

impl EventKind {
    /// Whether it is in coherence.
    pub fn writes(self) -> bool {
        !matches!(self, EventKind::Read | EventKind::Fence)
    }

    /// Writes of a lower rank come first in coherence.
    pub fn rank(self) -> u8 {
        match self {
            EventKind::Init => 0,
            EventKind::Begin => 1,
            _ => 2,
        }
    }
}

/// Which machine instruction a read-modify-write is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rmw {
    /// One locked instruction.
    Amo,
    /// A linked load and a conditional store.
    Lxsx,
}

/// One event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Event {
    /// What it does.
    pub kind: EventKind,
    /// Its thread; none for initial writes.
    pub thread: Option<ThreadId>,
    /// It happens when this holds.
    pub guard: TermId,
    /// Its address.
    pub addr: TermId,
    /// Where it may be; one cell, or the address is that of one of several.
    pub cells: Vec<CellId>,
    /// What is read or written.
    pub value: TermId,
    /// Its indeterminate bits, where there may be some: a read has those of the write that it reads from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow: Option<TermId>,
    /// Address dependencies: reads, each with the condition.
    pub addr_deps: Vec<(EventId, TermId)>,
    /// Data dependencies.
    pub data_deps: Vec<(EventId, TermId)>,
    /// Control dependencies.
    pub ctrl_deps: Vec<(EventId, TermId)>,
    /// Of the write of a read-modify-write: its read, and the instruction.
    pub rmw: Option<(EventId, Rmw)>,
    /// The atomic group it is in.
    pub group: Option<u32>,
    /// The sets of the model it is in: fences by name, orders, what it is to the language.
    pub tags: Vec<String>,
    /// Of the write of a read-modify-write: those that its read is in, in place of its own, if this
    /// happens.
    pub read_tags: Vec<String>,
}

/// What it means that events are in a group: see `docs/models.md`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// A critical section: one point of every order.
    Section,
    /// One point of orders between locations.
    Node,
    /// What several threads see at one moment: one point of orders between locations.
    Snapshot,
    /// The pieces of one access: one point of orders between locations.
    Access,
}

/// A write of an atomic section that happens, while the section does not end, when `when` holds: no other
/// thread reads it then, or writes after it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Unseen {
    /// The write.
    pub write: EventId,
    /// When this holds.
    pub when: TermId,
}

/// A thread; a thread comes after its parent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Thread {
    /// Who created it.
    pub parent: Option<ThreadId>,
    /// How many events of the parent come before.
    pub created_after: usize,
    /// It runs when this holds.
    pub guard: TermId,
    /// It ran to its end when this holds.
    pub ended: TermId,
    /// Its events in program order.
    pub events: Vec<EventId>,
}

/// A thread has ended before another one goes on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Join {
    /// The thread that ended.
    pub joined: ThreadId,
    /// The thread that waited.
    pub thread: ThreadId,
    /// How many of its events come before.
    pub position: usize,
    /// When this holds.
    pub cond: TermId,
}

/// A property at one place: violated where `guard` holds and `cond` does not.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Check {
    /// Its kind, as `--check` names it.
    pub kind: String,
    /// Which thread.
    pub thread: ThreadId,
    /// How many events of the thread come before.
    pub position: usize,
    /// Reached when this holds.
    pub guard: TermId,
    /// Must hold then.
    pub cond: TermId,
}

/// A place where a thread may wait forever.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Wait {
    /// Which thread.
    pub thread: ThreadId,
    /// It comes there and cannot go on as things are.
    pub guard: TermId,
    /// The reads that say so.
    pub reads: Vec<EventId>,
}

/// A bound of a loop, reached when `guard` holds; with a section only when others disturb that: its
/// write that takes the mutex and the one that gives it back.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Bound {
    /// Which loop.
    pub name: String,
    /// Reached when this holds.
    pub guard: TermId,
    /// See above.
    pub section: Option<(EventId, EventId)>,
}

/// An iteration of a loop that changed nothing, and is there all the same when `when` holds, an arbitrary
/// truth value: some of its accesses may be races, or go to what does not exist. Executions in which none is
/// wrong are among those without it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Followed {
    /// The iteration is there.
    pub when: TermId,
    /// Its accesses.
    pub accesses: Vec<EventId>,
}

/// The value of an observable when all threads have ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Final {
    /// A term.
    Value(TermId),
    /// What the last write to a cell has written.
    Cell(CellId),
}

/// A condition on final values.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// All hold.
    All(Vec<Condition>),
    /// One holds.
    Any(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
    /// An observable of [`Graph::finals`] has a value.
    Is(u32, u64),
    /// Two observables have the same value.
    Same(u32, u32),
}

/// What no execution does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Query {
    /// It violates a property of one of these kinds, or does something after which nothing is known.
    Violation {
        /// The kinds of property, as `--check` names them.
        kinds: Vec<String>,
        /// Nor does it reach the bound of a loop.
        complete: bool,
    },
    /// All its threads end and the condition holds, or something happens after which nothing is known,
    /// or the bound of a loop is reached.
    FinalState(Condition),
}

/// A bounded check: an unwound program and what is asked of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Graph {
    /// What no execution does.
    pub query: Query,
    /// Width in bits, from 1 to 64, and term.
    pub terms: Vec<(u8, Term)>,
    /// Events.
    pub events: Vec<Event>,
    /// Threads.
    pub threads: Vec<Thread>,
    /// Cells: the initial write of each.
    pub cells: Vec<EventId>,
    /// Atomic groups.
    pub groups: Vec<Group>,
    /// Writes of atomic sections that do not end.
    pub unseen: Vec<Unseen>,
    /// Joins.
    pub joins: Vec<Join>,
    /// Properties.
    pub checks: Vec<Check>,
    /// Where threads may wait forever.
    pub waits: Vec<Wait>,
    /// The whole process ends when one of these holds.
    pub halts: Vec<TermId>,
    /// Bounds of loops.
    pub bounds: Vec<Bound>,
    /// Iterations that changed nothing.
    pub followed: Vec<Followed>,
    /// Constructs and accesses that are not followed: reached when one of these holds.
    pub unknown: Vec<TermId>,
    /// A compare-exchange fails for no reason, which machines with a linked pair alone do.
    pub spurious: Vec<TermId>,
    /// Final values.
    pub finals: Vec<Final>,
}

/// What is wrong with a graph.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("graph.json: {0}")]
pub struct GraphError(pub String);

impl Graph {
    /// What is the first thing that another graph has in another way, in the order of the fields.
    pub fn difference(&self, other: &Graph) -> Option<&'static str> {
        let parts = [
            ("query", self.query == other.query),
            ("terms", self.terms == other.terms),
            ("events", self.events == other.events),
            ("threads", self.threads == other.threads),
            ("cells", self.cells == other.cells),
            ("groups", self.groups == other.groups),
            ("unseen", self.unseen == other.unseen),
            ("joins", self.joins == other.joins),
            ("checks", self.checks == other.checks),
            ("waits", self.waits == other.waits),
            ("followed", self.followed == other.followed),
            ("halts", self.halts == other.halts),
            ("bounds", self.bounds == other.bounds),
            ("unknown", self.unknown == other.unknown),
            ("spurious", self.spurious == other.spurious),
            ("finals", self.finals == other.finals),
        ];
        parts
            .into_iter()
            .find(|(_, same)| !same)
            .map(|(part, _)| part)
    }

    /// The width of a term.
    pub fn width(&self, term: TermId) -> usize {
        usize::from(self.terms[term as usize].0)
    }

    /// The term itself.
    pub fn term(&self, term: TermId) -> &Term {
        &self.terms[term as usize].1
    }

    /// An event.
    pub fn event(&self, event: EventId) -> &Event {
        &self.events[event as usize]
    }

    /// A number that does not change.
    pub fn constant(&self, term: TermId) -> Option<u64> {
        match self.term(term) {
            Term::Const(v) => Some(*v),
            _ => None,
        }
    }

    /// The conjuncts of a truth value; none of what is always true.
    pub fn conjuncts(&self, term: TermId) -> Vec<TermId> {
        let (mut out, mut work) = (Vec::new(), vec![term]);
        while let Some(next) = work.pop() {
            match self.term(next) {
                Term::Const(1) => {}
                Term::Op(Op::And, a, b) if self.width(next) == 1 => work.extend([*a, *b]),
                _ => out.push(next),
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Everything refers to what is there, operands come before the terms that use them and have
    /// the widths that these ask for, each event of a thread is in its list once, and threads come
    /// after those that create them.
    ///
    /// # Errors
    /// The first thing that is not so.
    pub fn validate(&self) -> Result<(), GraphError> {
        let wrong = |text: String| Err(GraphError(text));
        for (i, (width, term)) in self.terms.iter().enumerate() {
            if !(1..=64).contains(width) {
                return wrong(format!("term {i} has a width of {width}"));
            }
            if term.operands().iter().any(|o| *o as usize >= i) {
                return wrong(format!("term {i} comes before one of its operands"));
            }
            let of = |t: TermId| self.terms[t as usize].0;
            let fits = match term {
                Term::Const(v) => *width == 64 || v >> width == 0,
                Term::Read(e) => self.events.get(*e as usize).is_some(),
                Term::Any(_) => true,
                Term::Not(a) => of(*a) == *width,
                Term::Ite(c, a, b) => of(*c) == 1 && of(*a) == *width && of(*b) == *width,
                Term::ZeroExtend(a) | Term::SignExtend(a) => of(*a) <= *width,
                Term::Truncate(a) => of(*a) >= *width,
                Term::Op(op, a, b) => {
                    let result = if op.compares() { 1 } else { of(*a) };
                    of(*a) == of(*b) && result == *width
                }
                Term::Uninterpreted(..) => true,
            };
            if !fits {
                return wrong(format!("term {i} does not fit its operands"));
            }
        }
        self.references()
    }

    fn references(&self) -> Result<(), GraphError> {
        let wrong = |text: String| Err(GraphError(text));
        let is_term = |t: &TermId, width: Option<u8>| {
            let term = self.terms.get(*t as usize);
            term.is_some_and(|(w, _)| width.is_none_or(|width| *w == width))
        };
        let is_event = |e: &EventId| (*e as usize) < self.events.len();
        let is_thread = |t: &ThreadId| (*t as usize) < self.threads.len();
        let mut listed = vec![0; self.events.len()];
        for (i, thread) in self.threads.iter().enumerate() {
            let parent = thread.parent.is_none_or(|p| (p as usize) < i);
            let created = match thread.parent {
                Some(p) if parent => thread.created_after <= self.threads[p as usize].events.len(),
                _ => true,
            };
            let guards = [thread.guard, thread.ended];
            if !parent || !created || !guards.iter().all(|t| is_term(t, Some(1))) {
                return wrong(format!("thread {i} refers to what is not there"));
            }
            for e in &thread.events {
                match self.events.get(*e as usize) {
                    Some(event) if event.thread == Some(i as u32) => listed[*e as usize] += 1,
                    _ => return wrong(format!("thread {i} lists what is no event of it")),
                }
            }
        }
        for (i, event) in self.events.iter().enumerate() {
            let deps = [&event.addr_deps, &event.data_deps, &event.ctrl_deps];
            let mut deps = deps.into_iter().flatten();
            let there = is_term(&event.guard, Some(1))
                && is_term(&event.addr, None)
                && is_term(&event.value, None)
                && event.shadow.is_none_or(|shadow| {
                    let width = self.terms.get(event.value as usize).map(|(w, _)| *w);
                    is_term(&shadow, width)
                })
                && event.cells.iter().all(|c| (*c as usize) < self.cells.len())
                && deps.all(|(e, c)| is_event(e) && is_term(c, Some(1)))
                && event.rmw.iter().all(|(e, _)| is_event(e))
                && event
                    .group
                    .iter()
                    .all(|g| (*g as usize) < self.groups.len());
            if !there {
                return wrong(format!("event {i} refers to what is not there"));
            }
            if listed[i] != usize::from(event.thread.is_some()) {
                return wrong(format!("event {i} is not once in the list of its thread"));
            }
            if event.kind != EventKind::Fence && event.cells.is_empty() {
                return wrong(format!("event {i} is no fence and has no cells"));
            }
        }
        for (i, init) in self.cells.iter().enumerate() {
            let event = self.events.get(*init as usize);
            if event.is_none_or(|e| e.kind != EventKind::Init || e.cells != [i as u32]) {
                return wrong(format!("cell {i} has no initial write"));
            }
        }
        for (i, unseen) in self.unseen.iter().enumerate() {
            let writes = |e: &Event| e.kind.writes() && e.thread.is_some();
            let write = self.events.get(unseen.write as usize);
            if !write.is_some_and(writes) || !is_term(&unseen.when, Some(1)) {
                return wrong(format!("unseen write {i} refers to what is not there"));
            }
        }
        for (i, wait) in self.waits.iter().enumerate() {
            let reads = wait.reads.iter().all(is_event);
            if !is_thread(&wait.thread) || !is_term(&wait.guard, Some(1)) || !reads {
                return wrong(format!("wait {i} refers to what is not there"));
            }
        }
        for (i, join) in self.joins.iter().enumerate() {
            let threads = is_thread(&join.joined) && is_thread(&join.thread);
            if !threads || !is_term(&join.cond, Some(1)) {
                return wrong(format!("join {i} refers to what is not there"));
            }
        }
        for (i, check) in self.checks.iter().enumerate() {
            let terms = [check.guard, check.cond];
            if !is_thread(&check.thread) || !terms.iter().all(|t| is_term(t, Some(1))) {
                return wrong(format!("check {i} refers to what is not there"));
            }
        }
        let sections = self.bounds.iter().filter_map(|b| b.section);
        let truths = self.halts.iter().chain(&self.unknown).chain(&self.spurious);
        let mut truths = truths.chain(self.bounds.iter().map(|b| &b.guard));
        let finals = self.finals.iter().all(|f| match f {
            Final::Value(t) => is_term(t, None),
            Final::Cell(c) => (*c as usize) < self.cells.len(),
        });
        if !truths.all(|t| is_term(t, Some(1)))
            || !sections
                .into_iter()
                .all(|(a, b)| is_event(&a) && is_event(&b))
            || !finals
            || !self.condition_refers()
        {
            return wrong("the query refers to what is not there".to_string());
        }
        Ok(())
    }

    fn condition_refers(&self) -> bool {
        let mut work = match &self.query {
            Query::Violation { .. } => return true,
            Query::FinalState(condition) => vec![condition],
        };
        let is_final = |o: &u32| (*o as usize) < self.finals.len();
        while let Some(next) = work.pop() {
            let there = match next {
                Condition::All(of) | Condition::Any(of) => {
                    work.extend(of);
                    true
                }
                Condition::Not(of) => {
                    work.push(of);
                    true
                }
                Condition::Is(o, _) => is_final(o),
                Condition::Same(a, b) => is_final(a) && is_final(b),
            };
            if !there {
                return false;
            }
        }
        true
    }
}
