//! What is known at a point of a thread whenever it is there.

use crate::graph::{FrameId, NodeId};
use crate::value::{KindId, StaticBytes, ValId};
use ir::program::{LocalId, Width};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A register: what it is one of, and which; the last one of a procedure is what it returns.
pub type Register = (FrameId, LocalId);

/// Conditions with their values.
pub type Tests = BTreeSet<(ValId, bool)>;

/// Where a thread keeps the handles of the threads that a loop of it starts, whose numbers are the count of the loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Handles {
    /// The address, of any count.
    pub addr: ValId,
    /// The loop, by its header.
    pub header: NodeId,
    /// Conditions that held for the number when it was started, of any count.
    pub tests: Tests,
}

/// Which threads of a kind a thread has started.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Started {
    /// At least one, at some time.
    pub ever: bool,
    /// One in an earlier iteration of the loop around its creation may run.
    pub earlier: bool,
    /// One in this iteration may run.
    pub current: bool,
    /// Where the handles of all of them are; of all but the last one if that is not complete.
    pub handles: Option<Rc<Handles>>,
    /// The last one's is there, too.
    pub complete: bool,
}

impl Started {
    /// Whether one may run.
    pub fn runs(&self) -> bool {
        self.earlier || self.current
    }
}

/// How a loop creates threads at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Created {
    /// Each iteration that has ended has created one.
    pub each: bool,
    /// This iteration has.
    pub now: bool,
    /// Conditions of the number of the iteration in which the loop was left before it created one, of any count.
    pub left: Option<Tests>,
}

impl Created {
    /// Where the loop has not been entered.
    const NOT_YET: Created = Created {
        each: true,
        now: false,
        left: None,
    };

    fn meet(&mut self, other: &Created) {
        self.each &= other.each;
        self.now &= other.now;
        self.left = match (self.left.take(), &other.left) {
            (None, None) => None,
            (Some(mine), Some(theirs)) => Some(mine.intersection(theirs).copied().collect()),
            _ => Some(Tests::new()),
        };
    }
}

/// How a thread that has read a location learns what came before the write.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Via {
    /// The read acquires.
    Acquire,
    /// The thread has had this lock when it read.
    Lock(ValId),
}

/// A location that a thread has read and not found to have certain values, or where it has stored another one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Flag {
    /// Where.
    pub bytes: StaticBytes,
    /// Bit `n`: the value is not `n`.
    pub not: u8,
    /// How.
    pub via: Via,
}

/// What a thread has seen, at some time.
pub type Seen = BTreeSet<Flag>;

/// See the file's head.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct State {
    /// Registers; those that are missing were not set.
    pub locals: BTreeMap<Register, ValId>,
    /// What memory has at an address, where no other thread writes.
    pub memory: BTreeMap<(ValId, Width), ValId>,
    /// Conditions.
    pub known: BTreeMap<ValId, bool>,
    /// Locks that the thread has, by their addresses.
    pub held: BTreeSet<ValId>,
    /// What it has seen.
    pub seen: Rc<Seen>,
    /// Addresses from which it has read the handles of threads that it has joined.
    pub joined: Rc<BTreeSet<ValId>>,
    /// Conditions that say that the thread has got a lock, of attempts since which it has not written there.
    pub pending: BTreeSet<ValId>,
    /// Groups of accesses that are open.
    pub groups: u32,
    /// The outermost of them is an atomic section.
    pub section: bool,
    /// Threads that were started, by their kinds.
    pub started: BTreeMap<KindId, Started>,
    /// Places in loops that create threads.
    pub created: BTreeMap<NodeId, Created>,
    /// Of threads that a loop has started and loops that join them: whether the thread with the number that is the
    /// count of the joining loop is joined, too. Those of smaller numbers are.
    pub joining: BTreeMap<(KindId, NodeId), bool>,
    /// By header of a loop: conditions, of any count, that held in each of its iterations that has ended; all where
    /// none has.
    pub passed: BTreeMap<NodeId, Option<Tests>>,
}

impl State {
    /// What is known where ways come together, registers apart.
    pub fn meet(&mut self, other: &State) {
        let known = |values: &BTreeMap<ValId, bool>, c: &ValId, v: &bool| values.get(c) == Some(v);
        self.memory
            .retain(|cell, value| other.memory.get(cell) == Some(value));
        self.known.retain(|c, v| known(&other.known, c, v));
        self.held.retain(|lock| other.held.contains(lock));
        if self.seen != other.seen {
            Rc::make_mut(&mut self.seen).retain(|flag| other.seen.contains(flag));
        }
        self.groups = self.groups.min(other.groups);
        self.section &= other.section;
        if self.joined != other.joined {
            Rc::make_mut(&mut self.joined).retain(|handle| other.joined.contains(handle));
        }
        self.pending.retain(|lock| other.pending.contains(lock));
        for (header, theirs) in &other.passed {
            match (self.passed.get_mut(header), theirs) {
                (Some(Some(mine)), Some(theirs)) => mine.retain(|test| theirs.contains(test)),
                (Some(Some(_)), None) => {}
                (Some(mine @ None), _) => *mine = theirs.clone(),
                (None, _) => {
                    self.passed.insert(*header, theirs.clone());
                }
            }
        }
        let creations = self.created.keys().chain(other.created.keys());
        for place in creations.copied().collect::<BTreeSet<NodeId>>() {
            let theirs = other.created.get(&place).unwrap_or(&Created::NOT_YET);
            self.creates_at(place).meet(theirs);
        }
        // Where none runs, all are joined.
        let runs =
            |state: &State, kind: &KindId| state.started.get(kind).is_some_and(Started::runs);
        let mut joining = BTreeMap::new();
        for key in self.joining.keys().chain(other.joining.keys()) {
            let of = |state: &State| match state.joining.get(key) {
                None if !runs(state, &key.0) => Some(true),
                known => known.copied(),
            };
            if let (Some(mine), Some(theirs)) = (of(self), of(other)) {
                joining.insert(*key, mine && theirs);
            }
        }
        self.joining = joining;
        for (kind, theirs) in &other.started {
            match self.started.get_mut(kind) {
                None => {
                    self.started.insert(*kind, theirs.clone());
                }
                Some(mine) => {
                    let handles = match (mine.runs(), theirs.runs()) {
                        (true, true) => joined_handles(mine, theirs),
                        (true, false) => mine.handles.clone(),
                        (false, _) => theirs.handles.clone(),
                    };
                    let is_complete = |s: &Started| !s.runs() || s.complete;
                    mine.complete = is_complete(mine) && is_complete(theirs);
                    mine.handles = handles;
                    mine.ever |= theirs.ever;
                    mine.earlier |= theirs.earlier;
                    mine.current |= theirs.current;
                }
            }
        }
    }

    /// How the loop around a place creates threads there.
    pub fn creates_at(&mut self, place: NodeId) -> &mut Created {
        self.created.entry(place).or_insert(Created::NOT_YET)
    }

    /// What is left of it where a loop comes back to its header, beside what is known at its beginning.
    pub fn come_back(&mut self, header: NodeId, tests: &Tests, inside: &dyn Fn(KindId) -> bool) {
        let passed = match self.passed.remove(&header).flatten() {
            Some(before) => before.intersection(tests).copied().collect(),
            None => tests.clone(),
        };
        self.passed.insert(header, Some(passed));
        for (kind, started) in &mut self.started {
            if inside(*kind) {
                started.earlier |= started.current;
                started.current = false;
                if !started.complete {
                    started.handles = None;
                }
            }
        }
        // The count grows, so what held of it holds of another number now.
        self.joining.retain(|(_, by), this| *by != header || *this);
        for ((_, by), this) in &mut self.joining {
            if *by == header {
                *this = false;
            }
        }
    }
}

fn joined_handles(a: &Started, b: &Started) -> Option<Rc<Handles>> {
    let (a, b) = (a.handles.as_ref()?, b.handles.as_ref()?);
    if (a.addr, a.header) != (b.addr, b.header) {
        return None;
    }
    let tests = a.tests.intersection(&b.tests).copied().collect();
    Some(Rc::new(Handles {
        tests,
        ..(**a).clone()
    }))
}
