//! Does a cube hold in some state of a finite instance?
//!
//! The machine with buffers explores forwards with a fixed number of processes, as far as a limit
//! allows. Each literal, with processes of the machine for those of the cube, is a set of states,
//! computed once; a cube holds in the states of the intersection of its literals' sets, and all
//! ways to choose its processes are tried.
//!
//! Pending reads: a cube whose reads are at one timestamp holds in a state in which their values
//! can be seen at once, after what has to reach memory before them has done so. As every state from
//! which that is possible by emptying queues alone leads to one in which it is, and the states are
//! closed under emptying queues, looking at the latter is enough.
//!
//! The answer is a hint. A limit, or a cell that is still open (it counts as any value), makes it
//! wrong on one side or the other, never the proof.

use crate::concrete::{ExplorationLimits, ExplorationResult, Run, reach};
use crate::concrete::{Machine, MachineState};
use crate::cube::literals::{Base, BaseKind, Literal, bases_of_lit};
use crate::cube::timestamp::PendingRead;
use crate::cube::tso::Cube;
use crate::system::{Rel, StoreOrder, System};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// A set of states, a bit each.
type States = Arc<Vec<u64>>;

/// A value in a state, for the machine's processes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum OracleTerm {
    Value(i64),
    Memory(u32),
    Seen(u8, u32),
}

/// A question about a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum StatePredicate {
    In(OracleTerm, u128),
    Same(OracleTerm, OracleTerm, bool),
    Less(OracleTerm, OracleTerm, bool),
    Diff(OracleTerm, OracleTerm, Rel, i64),
    /// The queue of a process is empty.
    Drained(u8),
    /// No queue has an update of a cell.
    Settled(u32),
}

/// The states of a finite instance.
pub struct Oracle<'s> {
    machine: Machine<'s>,
    states: Vec<MachineState>,
    extensions: Mutex<FxHashMap<StatePredicate, States>>,
}

impl<'s> Oracle<'s> {
    /// Explores forwards.
    ///
    /// # Errors
    /// A run to an unsafe state, if there is one in reach.
    pub fn new(
        system: &'s System,
        procs: u8,
        order: StoreOrder,
        limits: ExplorationLimits,
    ) -> Result<Oracle<'s>, Box<Run>> {
        let machine = Machine::new(system, procs, order, &[]);
        match reach(&machine, limits) {
            (ExplorationResult::Unsafe(run), _) => Err(run),
            (_, states) => Ok(Oracle {
                machine,
                states,
                extensions: Mutex::default(),
            }),
        }
    }

    /// How many processes its states have.
    pub fn procs(&self) -> u8 {
        self.machine.procs()
    }

    /// There is no state at all.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Some state satisfies these literals, whose reads are those of the cube and at one timestamp.
    pub fn is_reached(&self, cube: &Cube, lits: &[Literal], fixed: u8) -> bool {
        let mut used: Vec<u8> = Vec::new();
        let mut see = |p: u8| {
            if !used.contains(&p) {
                used.push(p);
            }
        };
        for b in lits.iter().flat_map(bases_of_lit) {
            match b.kind() {
                BaseKind::Read(k) => {
                    let r = cube.reads[usize::from(k)];
                    see(r.by);
                    r.cell.processes().for_each(&mut see);
                }
                _ => b.processes().for_each(&mut see),
            }
        }
        used.sort_unstable();
        let mut names = vec![u8::MAX; usize::from(cube.procs)];
        self.assign(cube, lits, &used, fixed, &mut names)
    }

    /// Tries all processes of the machine for those of the cube.
    fn assign(
        &self,
        cube: &Cube,
        lits: &[Literal],
        used: &[u8],
        fixed: u8,
        names: &mut [u8],
    ) -> bool {
        let Some((p, rest)) = used.split_first() else {
            return self.holds(cube, lits, names);
        };
        for q in 0..self.procs() {
            if names.contains(&q) || (*p < fixed || q < fixed) && *p != q {
                continue;
            }
            names[usize::from(*p)] = q;
            if self.assign(cube, lits, rest, fixed, names) {
                return true;
            }
            names[usize::from(*p)] = u8::MAX;
        }
        false
    }

    fn holds(&self, cube: &Cube, lits: &[Literal], names: &[u8]) -> bool {
        let mut predicates = Vec::new();
        let mut timestamp = None;
        for l in lits {
            let Some(q) = self.predicate(l, &cube.reads, names) else {
                // What cannot be asked may hold.
                continue;
            };
            for b in bases_of_lit(l) {
                if let BaseKind::Read(k) = b.kind() {
                    timestamp = Some(cube.reads[usize::from(k)].timestamp);
                }
            }
            predicates.push(q);
        }
        if let Some(timestamp) = timestamp {
            let before = |set: u64| set >> timestamp & 1 == 1;
            for (p, set) in cube.writes.iter().enumerate() {
                if before(*set) && names[p] != u8::MAX {
                    predicates.push(StatePredicate::Drained(names[p]));
                }
            }
            for (cell, set) in &cube.cells {
                if before(*set)
                    && let Some(cell) = self.cell(*cell, names)
                {
                    predicates.push(StatePredicate::Settled(cell));
                }
            }
        }
        let sets: Vec<States> = predicates.iter().map(|q| self.extension(*q)).collect();
        (0..self.states.len().div_ceil(64))
            .any(|w| sets.iter().fold(u64::MAX, |all, s| all & s[w]) & self.word(w) != 0)
    }

    /// The bits of a word that stand for states.
    fn word(&self, at: usize) -> u64 {
        match self.states.len() - at * 64 {
            n if n >= 64 => u64::MAX,
            n => (1 << n) - 1,
        }
    }

    fn cell(&self, b: Base, names: &[u8]) -> Option<u32> {
        let BaseKind::Cell(sym, ..) = b.kind() else {
            return None;
        };
        let index: Vec<u8> = b.processes().map(|p| names[usize::from(p)]).collect();
        self.machine.cell_at(sym, &index)
    }

    fn term(&self, b: Base, reads: &[PendingRead], names: &[u8]) -> Option<OracleTerm> {
        Some(match b.kind() {
            BaseKind::Zero => OracleTerm::Value(0),
            BaseKind::Proc(p) => OracleTerm::Value(i64::from(names[usize::from(p)])),
            BaseKind::Cell(..) => OracleTerm::Memory(self.cell(b, names)?),
            BaseKind::Read(k) => {
                let r = reads[usize::from(k)];
                OracleTerm::Seen(names[usize::from(r.by)], self.cell(r.cell, names)?)
            }
            BaseKind::Some(_) => return None,
        })
    }

    fn predicate(
        &self,
        lit: &Literal,
        reads: &[PendingRead],
        names: &[u8],
    ) -> Option<StatePredicate> {
        let term = |b: Base| self.term(b, reads, names);
        Some(match *lit {
            Literal::In(a, mask) => StatePredicate::In(term(a)?, mask),
            Literal::Eq(a, b) => StatePredicate::Same(term(a)?, term(b)?, true),
            Literal::Ne(a, b) => StatePredicate::Same(term(a)?, term(b)?, false),
            Literal::Less(a, b) => StatePredicate::Less(term(a)?, term(b)?, true),
            Literal::LessEq(a, b) => StatePredicate::Less(term(a)?, term(b)?, false),
            Literal::Diff {
                a, b, rel, bound, ..
            } => StatePredicate::Diff(term(a)?, term(b)?, rel, bound),
        })
    }

    /// The states of which the answer is yes.
    fn extension(&self, predicate: StatePredicate) -> States {
        let mut extensions = self.extensions.lock().unwrap_or_else(|e| e.into_inner());
        let set = extensions.entry(predicate).or_insert_with(|| {
            let mut set = vec![0u64; self.states.len().div_ceil(64)];
            for (i, state) in self.states.iter().enumerate() {
                set[i / 64] |= u64::from(self.holds_in(state, predicate)) << (i % 64);
            }
            Arc::new(set)
        });
        set.clone()
    }

    fn holds_in(&self, state: &MachineState, predicate: StatePredicate) -> bool {
        let value = |t: OracleTerm| match t {
            OracleTerm::Value(v) => Some(v),
            OracleTerm::Memory(cell) => Machine::memory(state, cell),
            OracleTerm::Seen(by, cell) => self.machine.seen(state, by, cell),
        };
        let both = |a: OracleTerm, b: OracleTerm| value(a).zip(value(b));
        match predicate {
            StatePredicate::In(a, mask) => value(a).is_none_or(|v| mask >> (v & 127) & 1 == 1),
            StatePredicate::Same(a, b, equal) => both(a, b).is_none_or(|(a, b)| (a == b) == equal),
            StatePredicate::Less(a, b, strict) => {
                both(a, b).is_none_or(|(a, b)| if strict { a < b } else { a <= b })
            }
            StatePredicate::Diff(a, b, rel, bound) => both(a, b).is_none_or(|(a, b)| {
                let difference = a.wrapping_sub(b);
                match rel {
                    Rel::Eq => difference == bound,
                    Rel::Ne => difference != bound,
                    Rel::Lt => difference < bound,
                    Rel::Le => difference <= bound,
                }
            }),
            StatePredicate::Drained(p) => Machine::queues(state)[usize::from(p)].is_empty(),
            StatePredicate::Settled(cell) => {
                let mut queued = Machine::queues(state).iter().flatten().flatten();
                queued.all(|(c, _)| *c != cell)
            }
        }
    }
}
