//! Does a cube hold in some state of a finite instance?
//!
//! The machine with buffers explores forwards with a fixed number of processes, as far as a limit
//! allows. Each literal, with processes of the machine for those of the cube, is a set of states,
//! computed once; a cube holds in the states of the intersection of its literals' sets, and all
//! ways to choose its processes are tried.
//!
//! Pending reads: a cube whose reads are at one point holds in a state in which their values can
//! be seen at once, after what has to reach memory before them has done so. As every state from
//! which that is possible by emptying queues alone leads to one in which it is, and the states are
//! closed under emptying queues, looking at the latter is enough.
//!
//! The answer is a hint. A limit, or a cell that is still open (it counts as any value), makes it
//! wrong on one side or the other, never the proof.

use crate::param::concrete::{Limits, Outcome, Run, reach};
use crate::param::concrete::{Machine, State};
use crate::param::cube::literals::{Base, Kind, Lit, bases_of_lit};
use crate::param::cube::timestamp::Read;
use crate::param::cube::tso::Cube;
use crate::param::system::{Rel, StoreOrder, System};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// A set of states, a bit each.
type States = Arc<Vec<u64>>;

/// A value in a state, for the machine's processes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Term {
    Value(i64),
    Memory(u32),
    Seen(u8, u32),
}

/// A question about a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Question {
    In(Term, u128),
    Same(Term, Term, bool),
    Less(Term, Term, bool),
    Diff(Term, Term, Rel, i64),
    /// The queue of a process is empty.
    Drained(u8),
    /// No queue has an update of a cell.
    Settled(u32),
}

/// The states of a finite instance.
pub struct Oracle<'s> {
    machine: Machine<'s>,
    states: Vec<State>,
    answers: Mutex<FxHashMap<Question, States>>,
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
        limits: Limits,
    ) -> Result<Oracle<'s>, Box<Run>> {
        let machine = Machine::new(system, procs, order, &[]);
        match reach(&machine, limits) {
            (Outcome::Unsafe(run), _) => Err(run),
            (_, states) => Ok(Oracle {
                machine,
                states,
                answers: Mutex::default(),
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

    /// Some state satisfies these literals, whose reads are those of the cube and at one point.
    pub fn is_reached(&self, cube: &Cube, lits: &[Lit], fixed: u8) -> bool {
        let mut used: Vec<u8> = Vec::new();
        let mut see = |p: u8| {
            if !used.contains(&p) {
                used.push(p);
            }
        };
        for b in lits.iter().flat_map(bases_of_lit) {
            match b.kind() {
                Kind::Read(k) => {
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
    fn assign(&self, cube: &Cube, lits: &[Lit], used: &[u8], fixed: u8, names: &mut [u8]) -> bool {
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

    fn holds(&self, cube: &Cube, lits: &[Lit], names: &[u8]) -> bool {
        let mut questions = Vec::new();
        let mut point = None;
        for l in lits {
            let Some(q) = self.question(l, &cube.reads, names) else {
                // What cannot be asked may hold.
                continue;
            };
            for b in bases_of_lit(l) {
                if let Kind::Read(k) = b.kind() {
                    point = Some(cube.reads[usize::from(k)].point);
                }
            }
            questions.push(q);
        }
        if let Some(point) = point {
            let before = |set: u64| set >> point & 1 == 1;
            for (p, set) in cube.writes.iter().enumerate() {
                if before(*set) && names[p] != u8::MAX {
                    questions.push(Question::Drained(names[p]));
                }
            }
            for (cell, set) in &cube.cells {
                if before(*set)
                    && let Some(cell) = self.cell(*cell, names)
                {
                    questions.push(Question::Settled(cell));
                }
            }
        }
        let sets: Vec<States> = questions.iter().map(|q| self.answer(*q)).collect();
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
        let Kind::Cell(sym, ..) = b.kind() else {
            return None;
        };
        let index: Vec<u8> = b.processes().map(|p| names[usize::from(p)]).collect();
        self.machine.cell_at(sym, &index)
    }

    fn term(&self, b: Base, reads: &[Read], names: &[u8]) -> Option<Term> {
        Some(match b.kind() {
            Kind::Zero => Term::Value(0),
            Kind::Proc(p) => Term::Value(i64::from(names[usize::from(p)])),
            Kind::Cell(..) => Term::Memory(self.cell(b, names)?),
            Kind::Read(k) => {
                let r = reads[usize::from(k)];
                Term::Seen(names[usize::from(r.by)], self.cell(r.cell, names)?)
            }
            Kind::Some(_) => return None,
        })
    }

    fn question(&self, lit: &Lit, reads: &[Read], names: &[u8]) -> Option<Question> {
        let term = |b: Base| self.term(b, reads, names);
        Some(match *lit {
            Lit::In(a, mask) => Question::In(term(a)?, mask),
            Lit::Eq(a, b) => Question::Same(term(a)?, term(b)?, true),
            Lit::Ne(a, b) => Question::Same(term(a)?, term(b)?, false),
            Lit::Less(a, b) => Question::Less(term(a)?, term(b)?, true),
            Lit::LessEq(a, b) => Question::Less(term(a)?, term(b)?, false),
            Lit::Diff {
                a, b, rel, bound, ..
            } => Question::Diff(term(a)?, term(b)?, rel, bound),
        })
    }

    /// The states of which the answer is yes.
    fn answer(&self, question: Question) -> States {
        let mut answers = self.answers.lock().unwrap_or_else(|e| e.into_inner());
        let set = answers.entry(question).or_insert_with(|| {
            let mut set = vec![0u64; self.states.len().div_ceil(64)];
            for (i, state) in self.states.iter().enumerate() {
                set[i / 64] |= u64::from(self.yes(state, question)) << (i % 64);
            }
            Arc::new(set)
        });
        set.clone()
    }

    fn yes(&self, state: &State, question: Question) -> bool {
        let value = |t: Term| match t {
            Term::Value(v) => Some(v),
            Term::Memory(cell) => Machine::memory(state, cell),
            Term::Seen(by, cell) => self.machine.seen(state, by, cell),
        };
        let both = |a: Term, b: Term| value(a).zip(value(b));
        match question {
            Question::In(a, mask) => value(a).is_none_or(|v| mask >> (v & 127) & 1 == 1),
            Question::Same(a, b, equal) => both(a, b).is_none_or(|(a, b)| (a == b) == equal),
            Question::Less(a, b, strict) => {
                both(a, b).is_none_or(|(a, b)| if strict { a < b } else { a <= b })
            }
            Question::Diff(a, b, rel, bound) => both(a, b).is_none_or(|(a, b)| {
                let difference = a.wrapping_sub(b);
                match rel {
                    Rel::Eq => difference == bound,
                    Rel::Ne => difference != bound,
                    Rel::Lt => difference < bound,
                    Rel::Le => difference <= bound,
                }
            }),
            Question::Drained(p) => Machine::queues(state)[usize::from(p)].is_empty(),
            Question::Settled(cell) => {
                let mut queued = Machine::queues(state).iter().flatten().flatten();
                queued.all(|(c, _)| *c != cell)
            }
        }
    }
}
