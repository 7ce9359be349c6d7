//! Critical sections: they come one after another, and what is inside is ordered with them.
//!
//! In models that are coherent and have atomic read-modify-writes. A *lock* is a cell with *acquisitions*: writes of
//! read-modify-writes that happen only where one number is read, the same for all, and write another one. Other
//! writes come behind a taking of their thread, without which they do not happen: they *give back*; or they are
//! surely before or behind all these in coherence. No two that give back the same taking happen both. In
//! coherence a taking comes immediately behind a write of that number, so behind none of a taking. So what comes immediately behind a taking `L` gives it back, if anything does:
//! let `L` be the first of which that is another `U'`. Its taking `L'` is before `U'`, so before `L`, so
//! immediately before the one that gives it back, which is `U'`: no. So of two sections `S` and `T` all writes to
//! the lock of one are before those of the other; and the first has been given back.
//!
//! Let `X` be acyclic, with coherence between threads and, alone or with a relation `rest` behind, from-read
//! between threads. A write `w` is *inside* when `X` surely orders the taking before it, and it before each giving
//! back that happens beside it, and so does `rest`. So is a read, with a relation `rest` of read-from. Let `S` be
//! before `T`, in different threads, with writes `w` and `v` to one cell inside, and reads `q` and `r` of it. Then
//!
//! - `w` is before `v` in coherence: otherwise `v -co-> w -X-> U(S) -co-> L(T) -X-> v` is a cycle of `X`;
//! - `r` is not before `w` in from-read: otherwise `r -fr-> w -rest-> U(S) -co-> L(T) -X-> r` is one. For that it is
//!   enough that `X` surely orders `r` behind the taking of `T`; it need not be inside;
//! - `q` does not read from `v`: otherwise `v -rf-> q -rest-> U(S) -co-> L(T) -X-> v` is one.
//!
//! So coherence of writes in sections is that of the acquisitions, and one variable stands for all. What is inside
//! communicates in the order of the sections; the order of events need not say so once more ([`Sections::brings`]).

use super::estimates::Estimates;
use super::facts::{Facts, Node};
use super::graph::{EventKind, Op, Term, TermId};
use cat::model::{AxiomKind, BaseRel, Rel, RelId};
use cat::pattern::{communicates, is_atomic, is_coherent, is_per_location, union_parts};
use rustc_hash::{FxHashMap, FxHashSet};

/// A critical section: the write that takes a lock, and those that give it back.
struct Section {
    taken: Node,
    given: Vec<Node>,
}

/// The sections of one lock.
type Lock = Vec<Section>;

/// A read is surely behind the taking of a section.
struct Behind {
    lock: usize,
    taken: Node,
    is_inside: bool,
}

/// Critical sections, and what is inside.
#[derive(Default)]
pub struct Sections {
    /// By write of a lock or inside: the lock and the taking.
    writes: FxHashMap<Node, (usize, Node)>,
    reads: FxHashMap<Node, Vec<Behind>>,
    /// The order by which they are inside.
    order: Option<RelId>,
    /// Cells of which each access is inside of a section of one lock.
    guarded: FxHashSet<u32>,
}

/// An order by which what is inside of sections is ordered with them.
struct Guarding {
    order: RelId,
    /// What may stand for `rest`, of from-read and of read-from.
    after_fr: Vec<RelId>,
    after_rf: Vec<RelId>,
}

/// The writes of each cell, but for the initial ones.
pub fn writes_of(facts: &Facts) -> Vec<Vec<Node>> {
    let mut writes: Vec<Vec<Node>> = vec![Vec::new(); facts.graph.cells.len()];
    for n in (0..facts.len()).filter(|n| facts.event(*n).kind.writes()) {
        for cell in &facts.event(n).cells {
            if facts.event(n).kind != EventKind::Init {
                writes[*cell as usize].push(n);
            }
        }
    }
    writes
}

impl Sections {
    /// Those of a graph. Inside of which one order counts: that of the first axiom that has some.
    pub fn new(facts: &Facts, estimates: &Estimates) -> Sections {
        let mut sections = Sections::default();
        if !(is_coherent(facts.model) && is_atomic(facts.model)) {
            return sections;
        }
        let writes = writes_of(facts);
        let locks = (0..).zip(&writes);
        let locks = locks.filter_map(|(cell, writes)| lock(facts, cell, writes));
        let locks: Vec<Lock> = locks.filter(|sections| sections.len() > 1).collect();
        for (number, lock) in locks.iter().enumerate() {
            for section in lock {
                let own = std::iter::once(section.taken).chain(section.given.iter().copied());
                sections
                    .writes
                    .extend(own.map(|w| (w, (number, section.taken))));
            }
        }
        for by in guarding(facts, estimates) {
            let known = sections.writes.len();
            sections.inside(facts, estimates, &by, &locks, &writes);
            if sections.writes.len() > known {
                sections.order = Some(by.order);
                break;
            }
        }
        let cells = (0..).zip(&writes).map(|(cell, _)| cell);
        let guarded = cells.filter(|cell| sections.guards(facts, *cell));
        sections.guarded = guarded.collect();
        sections
    }

    /// Adds what is inside by an order; of each cell for the lock that has most of its writes inside.
    fn inside(
        &mut self,
        facts: &Facts,
        estimates: &Estimates,
        by: &Guarding,
        locks: &[Lock],
        writes: &[Vec<Node>],
    ) {
        // Of another order, which had nothing inside.
        self.reads.clear();
        for writes in writes {
            let single = |w: &&Node| {
                let event = facts.event(**w);
                event.kind == EventKind::Write
                    && event.cells.len() == 1
                    && !self.writes.contains_key(w)
            };
            let of_lock = |(number, lock): (usize, &Lock)| -> Vec<(Node, (usize, Node))> {
                let section = |w: &Node| {
                    let mut lock = lock.iter();
                    let own = lock.find(|s| is_inside(facts, estimates, by, s, *w));
                    own.map(|s| (*w, (number, s.taken)))
                };
                writes.iter().filter(single).filter_map(section).collect()
            };
            let all: Vec<_> = locks.iter().enumerate().map(of_lock).collect();
            let most = all.into_iter().max_by_key(Vec::len);
            self.writes.extend(most.unwrap_or_default());
        }
        for r in (0..facts.len()).filter(|n| facts.event(*n).kind == EventKind::Read) {
            for (number, lock) in locks.iter().enumerate() {
                let behind = lock
                    .iter()
                    .filter(|s| is_behind(facts, estimates, by, s, r));
                let behind = behind.map(|s| Behind {
                    lock: number,
                    taken: s.taken,
                    is_inside: is_inside(facts, estimates, by, s, r),
                });
                self.reads.entry(r).or_default().extend(behind);
            }
        }
    }

    /// The lock by which a read and a write of one thread are inside of one section.
    pub fn step(&self, read: Node, write: Node) -> Option<usize> {
        let own = self.writes.get(&write)?;
        let mut reads = self.reads.get(&read)?.iter();
        reads.any(|b| (b.lock, b.taken) == *own).then_some(own.0)
    }

    /// The accesses to a cell are inside of sections of one lock, but for the initial write.
    fn guards(&self, facts: &Facts, cell: u32) -> bool {
        let lock = |n: &Node| self.writes.get(n).map(|own| own.0);
        let touches = |n: &Node| {
            let event = facts.event(*n);
            event.cells.contains(&cell) && event.kind != EventKind::Init
        };
        let accesses = (0..facts.len()).filter(touches);
        let (reads, writes): (Vec<Node>, Vec<Node>) =
            accesses.partition(|n| facts.event(*n).kind == EventKind::Read);
        let Some(own) = writes.first().and_then(lock) else {
            return false;
        };
        let inside = |b: &Behind| b.lock == own && b.is_inside;
        let is_inside = |r: &Node| self.reads.get(r).is_some_and(|all| all.iter().any(inside));
        writes.iter().all(|w| lock(w) == Some(own)) && reads.iter().all(is_inside)
    }

    /// For a read and a write of one cell in sections of one lock, in different threads: the acquisitions of the
    /// read's and of the write's. Whether the read must be inside, or behind the taking is enough.
    pub fn of_read(&self, facts: &Facts, r: Node, w: Node, inside: bool) -> Option<(Node, Node)> {
        let (read, write) = (facts.event(r), facts.event(w));
        let (lock, taken) = *self.writes.get(&w)?;
        let apart = read.thread != write.thread && facts.event(taken).cells != write.cells;
        if !apart || read.cells.len() > 1 || read.cells != write.cells {
            return None;
        }
        let own = self.reads.get(&r)?.iter();
        let mut own = own.filter(|b| b.lock == lock && (b.is_inside || !inside));
        // What is true of one is of all; the last one says most.
        Some((own.next_back()?.taken, taken))
    }

    /// An edge of an acyclic relation that the order of sections brings anyway: communication of what is inside.
    pub fn brings(
        &self,
        facts: &Facts,
        estimates: &Estimates,
        rel: RelId,
        (a, b): (Node, Node),
    ) -> bool {
        let (x, y, model) = (facts.event(a), facts.event(b), facts.model);
        let ([cell], true) = (&x.cells[..], x.cells == y.cells && x.thread != y.thread) else {
            return false;
        };
        let ordered = match (x.kind, y.kind) {
            (EventKind::Write, EventKind::Write) => self.acquisitions(a, b),
            (EventKind::Read, EventKind::Write) => self.of_read(facts, a, b, true),
            (EventKind::Write, EventKind::Read) => self.of_read(facts, b, a, true),
            _ => None,
        };
        let is_lock = |(own, _): (Node, Node)| facts.event(own).cells == x.cells;
        let known =
            self.order == Some(rel) || is_per_location(model, rel) && self.guarded.contains(cell);
        let tells = |part: &RelId| {
            let bases = [BaseRel::Rf, BaseRel::Co, BaseRel::Fr];
            !estimates.of(*part).may.contains(a, b)
                || bases.iter().any(|base| communicates(model, *part, *base))
        };
        known
            && ordered.is_some_and(|own| !is_lock(own))
            && union_parts(model, rel).iter().all(tells)
    }

    /// The acquisitions of the sections that two writes are in, of one lock; none when they are these acquisitions.
    pub fn acquisitions(&self, a: Node, b: Node) -> Option<(Node, Node)> {
        let (one, other) = (self.writes.get(&a)?, self.writes.get(&b)?);
        let apart = one.0 == other.0 && one.1 != other.1 && (a, b) != (one.1, other.1);
        apart.then_some((one.1, other.1))
    }
}

/// The sections of a cell, if it is a lock.
fn lock(facts: &Facts, cell: u32, writes: &[Node]) -> Option<Lock> {
    let free: Vec<Option<u64>> = writes.iter().map(|w| takes(facts, *w, writes)).collect();
    let mut numbers = free.iter().flatten();
    let number = numbers.next()?;
    if numbers.any(|other| other != number) {
        return None;
    }
    let (po, past) = (
        &facts.of(BaseRel::Po).must,
        facts.of(BaseRel::Po).must.inverse(),
    );
    let taken = writes.iter().zip(&free).filter(|(_, free)| free.is_some());
    let section = |(w, _): (&Node, _)| Section {
        taken: *w,
        given: Vec::new(),
    };
    let mut sections: Lock = taken.map(section).collect();
    let mut outer = Vec::new();
    for (w, _) in writes.iter().zip(&free).filter(|(_, free)| free.is_none()) {
        let event = facts.event(*w);
        if event.cells != [cell] {
            return None;
        }
        let behind = |s: &&mut Section| {
            facts.event(s.taken).thread == event.thread
                && po.contains(s.taken, *w)
                && facts.implies(*w, s.taken)
        };
        // The last one of its past.
        let own = sections.iter_mut().filter(behind);
        let own = own.max_by_key(|s| past.set(s.taken).count());
        match own.filter(|_| event.kind == EventKind::Write && event.group.is_none()) {
            Some(own) if own.given.iter().any(|u| !facts.excludes(*u, *w)) => return None,
            Some(own) => own.given.push(*w),
            None => outer.push(*w),
        }
    }
    let co = &facts.of(BaseRel::Co).must;
    let inner = |s: &Section| std::iter::once(s.taken).chain(s.given.clone());
    let apart = |o: &Node| {
        let mut inner = sections.iter().flat_map(inner);
        let before = inner.clone().all(|w| co.contains(*o, w));
        before || inner.all(|w| co.contains(w, *o))
    };
    outer.iter().all(apart).then_some(sections)
}

/// Of a taking: the number that it has to read.
fn takes(facts: &Facts, w: Node, writes: &[Node]) -> Option<u64> {
    let (graph, po, event) = (facts.graph, facts.of(BaseRel::Po), facts.event(w));
    let r = event.rmw.and_then(|(r, _)| facts.node_of[r as usize])?;
    let (new, source) = (graph.constant(event.value)?, facts.event(r));
    let free = |part: &TermId| match *graph.term(*part) {
        Term::Op(Op::Eq, a, b) if a == source.value => graph.constant(b),
        Term::Op(Op::Eq, a, b) if b == source.value => graph.constant(a),
        _ => None,
    };
    let between = |v: &Node| po.may.contains(r, *v) && po.may.contains(*v, w);
    let is_one = event.cells.len() == 1
        && event.kind == EventKind::Write
        && event.group.is_none()
        && source.cells == event.cells
        && facts.stores[r] == [w]
        && facts.implies(w, r)
        && !writes.iter().any(between);
    let guards = graph.conjuncts(event.guard);
    let free = guards.iter().find_map(free).filter(|free| *free != new);
    free.filter(|_| is_one)
}

/// The orders that have what is said at the head of this file.
fn guarding(facts: &Facts, estimates: &Estimates) -> Vec<Guarding> {
    let model = facts.model;
    let axioms = model.axioms.iter().filter(|a| a.kind == AxiomKind::Acyclic);
    let of = axioms.filter_map(|axiom| {
        let order = axiom.rel;
        let parts = union_parts(model, order);
        let coherence = parts.iter().any(|p| communicates(model, *p, BaseRel::Co));
        let after = |base| after(facts, estimates, order, base);
        let (after_fr, after_rf) = (after(BaseRel::Fr), after(BaseRel::Rf));
        (coherence && !after_fr.is_empty()).then_some(Guarding {
            order,
            after_fr,
            after_rf,
        })
    });
    of.collect()
}

/// The relations `rest` such that `X` has `base; rest` between threads, or `base` and `rest`.
fn after(facts: &Facts, estimates: &Estimates, order: RelId, base: BaseRel) -> Vec<RelId> {
    let model = facts.model;
    let mut rest = Vec::new();
    for part in union_parts(model, order) {
        if communicates(model, part, base) {
            rest.push(order);
        }
        if let Rel::Seq(first, then) = model.rels[part] {
            let first = union_parts(model, first);
            if first.iter().any(|p| communicates(model, *p, base)) {
                rest.push(then);
            }
        }
    }
    rest.retain(|r| estimates.known(*r).is_some());
    rest
}

/// A read or write is inside of a section.
fn is_inside(
    facts: &Facts,
    estimates: &Estimates,
    by: &Guarding,
    section: &Section,
    n: Node,
) -> bool {
    let po = &facts.of(BaseRel::Po).must;
    let must = |rel: RelId, a: Node, b: Node| estimates.of(rel).must.contains(a, b);
    let after = match facts.event(n).kind {
        EventKind::Read => &by.after_rf,
        _ => &by.after_fr,
    };
    let given = |u: &Node| {
        facts.excludes(n, *u)
            || po.contains(n, *u)
                && must(by.order, n, *u)
                && after.iter().any(|rest| must(*rest, n, *u))
    };
    is_behind(facts, estimates, by, section, n) && section.given.iter().all(given)
}

/// An access is ordered behind the taking of a section of its thread, with which it happens.
fn is_behind(
    facts: &Facts,
    estimates: &Estimates,
    by: &Guarding,
    section: &Section,
    n: Node,
) -> bool {
    let taken = section.taken;
    facts.event(taken).thread == facts.event(n).thread
        && facts.event(n).group.is_none()
        && facts.implies(n, taken)
        && facts.of(BaseRel::Po).must.contains(taken, n)
        && estimates.of(by.order).must.contains(taken, n)
}
