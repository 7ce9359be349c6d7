//! What symbolic execution carries along a path: guard, private memory, registers, and their
//! joining where paths meet.

use super::deps::{DepId, DepSets};
use super::event::{EventId, GroupId};
use super::held::Held;
use super::memory::{ObjId, SlotId};
use super::notes::Notes;
use super::slot_map::SlotMap;
use super::term::{Term, TermId, Terms};
use base::idx::Id;
use ir::program::{BinOp, LocalId, Proc};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A value with the reads it depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SymbolicValue {
    /// The value.
    pub term: TermId,
    /// Its dependencies.
    pub deps: DepId,
    /// Its indeterminate bits ([`ir::shadow`]); `None`: there are none, or nobody asks.
    pub shadow: Option<TermId>,
}

/// Registers by number; `None` was never set.
pub type Registers = Rc<Vec<Option<SymbolicValue>>>;

/// What a path of one thread has come to.
#[derive(Clone, Debug)]
pub struct State {
    /// The path is taken when this holds.
    pub guard: TermId,
    /// Memory that only this thread touches, where it differs from its initial value.
    pub memory: SlotMap<SymbolicValue>,
    /// Reads that branches so far depended on.
    pub ctrl: DepId,
    /// Those where control dependencies began that end somewhere, the innermost last.
    pub scopes: Rc<Vec<DepId>>,
    /// The open atomic group and how deep it is nested.
    pub group: Option<(GroupId, u32)>,
    /// The loads that may have made the reservation the thread holds.
    pub reservation: Rc<[Reservation]>,
    /// Objects that have ended to exist, each where this holds.
    pub dead: Rc<BTreeMap<ObjId, TermId>>,
    /// Objects, by their addresses, and threads, by their handles, that had ended before a join did,
    /// each where this holds.
    pub gone: Rc<BTreeMap<u64, TermId>>,
    /// What the thread remembers.
    pub notes: Notes,
    /// Mutexes that the thread may hold, with the guard of the write that acquired each: it holds one where
    /// that happened ([`super::guarded`]).
    pub held: Held,
    /// Writes made before the first thread was created have become events, or initial values.
    pub flushed: bool,
}

/// A load that may have made the reservation a thread holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reservation {
    /// It has, when this holds.
    pub cond: TermId,
    /// The load, a piece each; `None` where it was of private memory.
    pub reads: Rc<[Option<EventId>]>,
    /// The location.
    pub addr: TermId,
}

/// A loop a path is in.
#[derive(Clone, Debug)]
pub struct LoopState {
    /// How often its back edge was taken.
    pub count: u32,
    /// How often it is taken at most, where the trip count is known.
    pub end: Option<u32>,
    /// What was so behind its first test, the last time the path came there.
    pub tested: Option<Rc<LoopState>>,
    /// What was so when the iteration before began.
    pub before: Option<Rc<LoopState>>,
    /// The last iteration changed nothing and was followed nevertheless.
    pub idled: bool,
    /// What held at its head when this iteration began.
    pub guard: TermId,
    /// Registers then.
    pub locals: Registers,
    /// Private memory then.
    pub memory: SlotMap<SymbolicValue>,
    /// Objects that had ended to exist then.
    pub dead: Rc<BTreeMap<ObjId, TermId>>,
    /// What the thread remembered then.
    pub notes: Notes,
    /// How many events the thread had then.
    pub events: usize,
    /// How many events all threads had then.
    pub all_events: usize,
    /// How many threads there were then.
    pub threads: usize,
    /// How many checks there were then.
    pub checks: usize,
    /// How many unsupported constructs there were then.
    pub unsupported: usize,
    /// How many unresolved accesses there were then.
    pub unresolved: usize,
    /// How many arbitrary values there were then.
    pub choices: usize,
    /// How many objects existed then.
    pub time: u64,
}

impl LoopState {
    /// Without what was so earlier still.
    pub fn alone(&self) -> LoopState {
        LoopState {
            before: None,
            tested: None,
            ..self.clone()
        }
    }

    /// The loop where a path joins another one.
    pub fn joined(self, other: LoopState) -> LoopState {
        let tested = match (&self.tested, &other.tested) {
            (Some(a), Some(b)) if Rc::ptr_eq(a, b) => self.tested.clone(),
            _ => None,
        };
        let before = match (&self.before, &other.before) {
            (Some(a), Some(b)) if Rc::ptr_eq(a, b) => self.before.clone(),
            _ => None,
        };
        LoopState {
            before,
            count: self.count.max(other.count),
            end: self.end.max(other.end),
            idled: self.idled && other.idled,
            tested,
            ..self
        }
    }
}

/// A path within one activation of a procedure.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The thread's part.
    pub state: State,
    /// Registers; `None` was never set.
    pub locals: Registers,
    /// Loops the path is in, by their back edge.
    pub loops: BTreeMap<usize, LoopState>,
}

/// The condition that tells path `a` from path `b`, given that one of them is taken: `a`'s guard
/// without what both guards say.
pub fn distinguishing(terms: &mut Terms, a: TermId, b: TermId) -> TermId {
    let (left, right) = (conjuncts(terms, a), conjuncts(terms, b));
    let only_a: Vec<TermId> = left
        .iter()
        .copied()
        .filter(|c| !right.contains(c))
        .collect();
    let only_b: Vec<TermId> = right
        .iter()
        .copied()
        .filter(|c| !left.contains(c))
        .collect();
    if only_b.len() == 1 && only_a.len() != 1 {
        return terms.not(only_b[0]);
    }
    terms.all(&only_a)
}

/// The conjuncts of a truth value.
pub fn conjuncts(terms: &Terms, mut a: TermId) -> Vec<TermId> {
    let mut out = Vec::new();
    while let Term::Binary(BinOp::And, x, y) = terms.get(a) {
        out.push(y);
        a = x;
    }
    out.push(a);
    out
}

/// Whether a truth value is implied by another one, by their looks.
pub fn is_implied(terms: &Terms, value: TermId, by: TermId) -> bool {
    let known = conjuncts(terms, by);
    let parts = conjuncts(terms, value);
    let mut parts = parts.iter();
    parts.all(|part| terms.is_true(*part) || known.contains(part))
}

/// `a` if `cond`, else `b`.
pub fn choose(
    terms: &mut Terms,
    deps: &mut DepSets,
    cond: TermId,
    a: SymbolicValue,
    b: SymbolicValue,
) -> SymbolicValue {
    SymbolicValue {
        term: terms.ite(cond, a.term, b.term),
        deps: deps.choose(cond, a.deps, b.deps, terms),
        shadow: chosen_shadow(terms, cond, a, b),
    }
}

/// Joins two paths of a thread. `initial` gives the value of a slot a path has not written.
pub fn merge_states(
    terms: &mut Terms,
    deps: &mut DepSets,
    a: State,
    b: State,
    initial: &mut dyn FnMut(&mut Terms, SlotId) -> SymbolicValue,
) -> (State, TermId) {
    let cond = distinguishing(terms, a.guard, b.guard);
    let guard = terms.or(a.guard, b.guard);
    let ctrl = deps.choose(cond, a.ctrl, b.ctrl, terms);
    let scopes = if a.scopes == b.scopes {
        a.scopes
    } else {
        let both = a.scopes.iter().zip(b.scopes.iter());
        let chosen = both.map(|(x, y)| deps.choose(cond, *x, *y, terms));
        Rc::new(chosen.collect())
    };
    let mut memory = a.memory.clone();
    for slot in a.memory.unshared(&b.memory) {
        let (x, y) = (a.memory.get(slot), b.memory.get(slot));
        if x == y {
            continue;
        }
        let x = x.unwrap_or_else(|| initial(terms, slot));
        let y = y.unwrap_or_else(|| initial(terms, slot));
        memory.insert(slot, choose(terms, deps, cond, x, y));
    }
    let reservation = if a.reservation == b.reservation {
        a.reservation
    } else {
        let not_a = terms.not(cond);
        let sides = [(cond, a.reservation), (not_a, b.reservation)];
        let mut merged = Vec::new();
        for (side, reservations) in sides {
            merged.extend(reservations.iter().map(|r| Reservation {
                cond: terms.and(side, r.cond),
                ..r.clone()
            }));
        }
        merged.into()
    };
    let dead = merge_ends(terms, cond, a.dead, b.dead);
    let gone = merge_ends(terms, cond, a.gone, b.gone);
    let notes = Notes::merged(a.notes, b.notes, cond, terms);
    let held = held_on_both(terms, a.guard, a.held, b.guard, b.held);
    // An atomic group that is open on one path only ends where the paths meet; the executor
    // reports it.
    let group = if a.group == b.group { a.group } else { None };
    (
        State {
            guard,
            memory,
            ctrl,
            scopes,
            group,
            reservation,
            dead,
            gone,
            notes,
            held,
            flushed: a.flushed && b.flushed,
        },
        cond,
    )
}

/// What two paths hold where they meet: what both surely hold, or have acquired together.
fn held_on_both(terms: &mut Terms, a: TermId, held_a: Held, b: TermId, held_b: Held) -> Held {
    if held_a == held_b {
        return held_a;
    }
    let always = terms.bool(true);
    let both = held_a.iter().filter_map(|(slot, acquired)| {
        let other = held_b.get(slot)?;
        let surely = is_implied(terms, *acquired, a) && is_implied(terms, *other, b);
        let guard = if acquired == other { *acquired } else { always };
        (acquired == other || surely).then_some((*slot, guard))
    });
    Rc::new(both.collect())
}

/// What has ended on either path.
fn merge_ends<K: Copy + Ord>(
    terms: &mut Terms,
    cond: TermId,
    a: Rc<BTreeMap<K, TermId>>,
    b: Rc<BTreeMap<K, TermId>>,
) -> Rc<BTreeMap<K, TermId>> {
    if Rc::ptr_eq(&a, &b) {
        return a;
    }
    let no = terms.bool(false);
    let mut merged = (*a).clone();
    for key in a.keys().chain(b.keys()) {
        let x = a.get(key).copied().unwrap_or(no);
        let y = b.get(key).copied().unwrap_or(no);
        merged.insert(*key, terms.ite(cond, x, y));
    }
    Rc::new(merged)
}

/// Joins registers where paths meet; those that are not live there are dropped.
pub fn merge_locals(
    terms: &mut Terms,
    deps: &mut DepSets,
    proc: &Proc,
    live: &[LocalId],
    cond: TermId,
    a: &Registers,
    b: &Registers,
) -> Registers {
    if Rc::ptr_eq(a, b) {
        return a.clone();
    }
    let mut merged = vec![None; a.len()];
    for local in live {
        let (x, y) = (a[local.index()], b[local.index()]);
        if x == y {
            merged[local.index()] = x;
            continue;
        }
        let or_any = |v: Option<SymbolicValue>, terms: &mut Terms| {
            v.unwrap_or_else(|| SymbolicValue {
                term: terms.nondet(proc.locals[*local].width),
                deps: DepSets::EMPTY,
                shadow: None,
            })
        };
        let (x, y) = (or_any(x, terms), or_any(y, terms));
        merged[local.index()] = Some(choose(terms, deps, cond, x, y));
    }
    Rc::new(merged)
}

/// A term under a condition: choices that the condition decides are decided.
pub fn under(terms: &mut Terms, known: &[TermId], id: TermId) -> TermId {
    decide(terms, known, id, &mut FxHashMap::default())
}

/// Choices share parts, of which each is looked at once: `done` has what became of them.
fn decide(
    terms: &mut Terms,
    known: &[TermId],
    id: TermId,
    done: &mut FxHashMap<TermId, TermId>,
) -> TermId {
    let Term::Ite(c, a, b) = terms.get(id) else {
        return id;
    };
    if let Some(decided) = done.get(&id) {
        return *decided;
    }
    let not_c = terms.not(c);
    let decided = if known.contains(&c) {
        decide(terms, known, a, done)
    } else if known.contains(&not_c) {
        decide(terms, known, b, done)
    } else {
        let (a, b) = (decide(terms, known, a, done), decide(terms, known, b, done));
        terms.ite(c, a, b)
    };
    done.insert(id, decided);
    decided
}

/// The shadow of `if cond { a } else { b }`, where the condition is the path's.
pub(super) fn chosen_shadow(
    terms: &mut Terms,
    cond: TermId,
    a: SymbolicValue,
    b: SymbolicValue,
) -> Option<TermId> {
    if a.shadow.is_none() && b.shadow.is_none() {
        return None;
    }
    let (a, b) = (bits_of(terms, a), bits_of(terms, b));
    let shadow = terms.ite(cond, a, b);
    not_nothing(terms, shadow)
}

/// The shadow as a term, where there is none as 0.
pub(super) fn bits_of(terms: &mut Terms, value: SymbolicValue) -> TermId {
    let width = terms.width(value.term);
    value.shadow.unwrap_or_else(|| terms.constant(0, width))
}

/// The shadow, unless it is surely 0.
pub(super) fn not_nothing(terms: &Terms, shadow: TermId) -> Option<TermId> {
    (terms.as_const(shadow) != Some(0)).then_some(shadow)
}
