//! Critical sections, found in the event graph: of every lock that is taken by a compare-exchange.
//!
//! A cell is a *lock* when all its writes are of two forms (initial writes and others that are coherence-before or
//! -after all of these by themselves do not matter). An *acquisition* is the write of a read-modify-write that
//! happens only when its read returns `v`, the same number for all acquisitions, and writes something else. A
//! *release* is any other write, behind an acquisition of its own in program order, without which it does not
//! happen; no acquisition has two of those that happen together.
//!
//! **Sections come one after another.** Where the model is coherent and read-modify-writes are atomic, take the
//! writes of a lock in coherence order. What is immediately before an acquisition writes `v`, so it is no
//! acquisition. So what is immediately after an acquisition `L` is its own release, or nothing is: let `L` be the
//! first one for which it is another `U'`. Then the acquisition `L'` of `U'` is before `U'`, so before `L`, and
//! being before `L` it is immediately followed by its own `U'`, not by `L`. So for two sections `S` and `T` that
//! happen, all writes of `S` to the lock are before all of `T`, or all after; and when some of `T` are after those
//! of `S`, `S` has been released.
//!
//! **What is inside is ordered with them**, in a model with an axiom `acyclic X` where `X` contains
//! coherence between threads. An access `a` is inside when `X` surely orders the acquisition before `a`
//! and `a` before each release that happens beside it. For `a` of `S` and `b` of `T`, `S` before
//! `T`, in different threads and of one location:
//!
//! - not `b -co-> a`, as `b -co-> a -X-> U(S) -co-> L(T) -X-> b` is a cycle of `X`;
//! - not `b -rf-> a`, where `rf; r` is within `X` for some `r` that surely orders `a` before `U(S)`;
//! - not `b -fr-> a`, likewise.
//!
//! **Or by happens-before**, in a model with an axiom `irreflexive hb; (rf | co | fr)^+` (RC11), for a lock whose
//! releases are read by its acquisitions in `hb`: whatever of them reads from whichever, that is a pair of `hb`, as
//! a release that an acquire reads from is. What is immediately behind a release is the acquisition that reads from
//! it, or nothing. So `hb` leads from one section to each that comes later. An access is inside when `hb` surely
//! orders the read of the acquisition before it, and it before each release that happens beside it. Then `a -hb->
//! b` for the two accesses above, and none of the three holds.
//!
//! So coherence of the two is that of the sections, and a read inside returns what the last section
//! before its own has written there. For accesses of one thread coherence says the same. Nothing is
//! assumed of what is not inside by the look of `X`: an access that may leave its section in a weak
//! model is none of it.

use super::bounds::{Analysis, Bounds, Node};
use crate::unroll::event::{CellId, EventKind};
use crate::unroll::state::conjuncts;
use crate::unroll::term::Term;
use base::idx::{Id, IdVec};
use cat::model::{AxiomKind, BaseRel, Model, Rel, RelId};
use cat::pattern::{communicates, happens_before, is_atomic, union_parts};
use ir::program::BinOp;
use rustc_hash::FxHashMap;

/// A critical section.
#[derive(Clone, Debug)]
pub struct CriticalSection {
    /// The lock.
    pub lock: CellId,
    /// The write that acquires it.
    pub acquire: Node,
    /// The writes that release it, of which at most one happens.
    pub releases: Vec<Node>,
}

/// Critical sections and what is inside of them.
#[derive(Default, Debug)]
pub struct Sections {
    /// The sections.
    pub all: Vec<CriticalSection>,
    /// The section of a write, by which it is ordered with others of its location: of its lock for
    /// the writes of a lock, of the lock that guards most of its writes for any other location.
    pub of_write: FxHashMap<Node, usize>,
    /// The section of a read, of the lock that orders the writes of its location.
    pub of_read: FxHashMap<Node, usize>,
    /// The relation of the axiom by which what is inside is ordered with its section.
    pub order: Option<RelId>,
}

/// An axiom that orders what is inside of sections: see the head of this file.
enum Guarding {
    /// An acyclic relation, and what it has behind communication.
    Acyclic {
        order: RelId,
        after_rf: Vec<RelId>,
        after_fr: Vec<RelId>,
    },
    /// Happens-before, with the locks that it synchronises by.
    HappensBefore { hb: RelId, locks: Vec<CellId> },
}

impl Sections {
    /// Those of an event graph under a model.
    pub fn find(a: &Analysis) -> Sections {
        let mut sections = Sections::default();
        if !a.coherent || !is_atomic(a.model) {
            return sections;
        }
        let writes = a.writes_by_cell();
        for (cell, writes) in writes.iter_enumerated() {
            let Some(found) = of_lock(a, cell, writes) else {
                continue;
            };
            for section in found {
                let index = sections.all.len();
                let own = std::iter::once(section.acquire).chain(section.releases.iter().copied());
                sections.of_write.extend(own.map(|w| (w, index)));
                sections.all.push(section);
            }
        }
        if sections.all.is_empty() {
            return sections;
        }
        let by_order = guarding(a);
        if let Some(Guarding::Acyclic { order, .. }) = by_order {
            sections.order = Some(order);
        }
        if let Some(guarding) = by_order.or_else(|| synchronising(a, &sections.all)) {
            sections.guarded(a, &guarding, &writes);
        }
        sections
    }

    /// The section of an access.
    pub fn of(&self, n: Node) -> Option<usize> {
        self.of_write.get(&n).or(self.of_read.get(&n)).copied()
    }

    /// Finds the locations whose accesses are inside of sections of one lock.
    fn guarded(&mut self, a: &Analysis, guarding: &Guarding, writes: &IdVec<CellId, Vec<Node>>) {
        let mut reads: IdVec<CellId, Vec<Node>> = writes.iter().map(|_| Vec::new()).collect();
        for r in a.nodes.ids() {
            let event = a.event(r);
            if let (EventKind::Read, [cell]) = (event.kind, &event.cells[..]) {
                reads[*cell].push(r);
            }
        }
        for (cell, writes) in writes.iter_enumerated() {
            if writes.iter().any(|w| self.of_write.contains_key(w)) || a.stopped() {
                continue;
            }
            let single = |w: &&Node| a.event(**w).cells.len() == 1;
            let mut inside: FxHashMap<CellId, Vec<(Node, usize)>> = FxHashMap::default();
            for w in writes.iter().filter(single) {
                for (index, section) in self.all.iter().enumerate() {
                    if is_inside(a, guarding, section, *w) {
                        inside.entry(section.lock).or_default().push((*w, index));
                    }
                }
            }
            let most = inside
                .into_iter()
                .max_by_key(|(lock, all)| (all.len(), *lock));
            let Some((lock, inside)) = most.filter(|(_, all)| all.len() > 1) else {
                continue;
            };
            self.of_write.extend(inside);
            for r in &reads[cell] {
                let mut sections = self.all.iter().enumerate();
                let own = sections.find(|(_, s)| s.lock == lock && is_inside(a, guarding, s, *r));
                self.of_read.extend(own.map(|(index, _)| (*r, index)));
            }
        }
    }
}

/// The sections of a cell, when it is a lock that at least two of them take.
fn of_lock(a: &Analysis, cell: CellId, writes: &[Node]) -> Option<Vec<CriticalSection>> {
    let mut sections: Vec<CriticalSection> = Vec::new();
    let mut freed = writes.iter().filter_map(|w| takes(a, *w));
    let free = freed.next()?;
    if freed.any(|other| other != free) {
        return None;
    }
    let takes = |w: Node| takes(a, w).is_some();
    for w in writes.iter().copied().filter(|w| takes(*w)) {
        sections.push(CriticalSection {
            lock: cell,
            acquire: w,
            releases: Vec::new(),
        });
    }
    if sections.len() < 2 {
        return None;
    }
    let po = &a.base[&BaseRel::Po].must;
    let mut outer = Vec::new();
    for w in writes.iter().copied().filter(|w| !takes(*w)) {
        let event = a.event(w);
        if event.cells.len() != 1 {
            return None;
        }
        let behind = |s: &&mut CriticalSection| {
            a.event(s.acquire).thread == event.thread
                && po.contains(s.acquire.index(), w.index())
                && a.implies(w, s.acquire)
        };
        match sections.iter_mut().filter(behind).last() {
            Some(own) if event.kind == EventKind::Write => own.releases.push(w),
            _ => outer.push(w),
        }
    }
    for section in &sections {
        for (i, u) in section.releases.iter().enumerate() {
            if section.releases[i + 1..]
                .iter()
                .any(|v| !a.exclusive(*u, *v))
            {
                return None;
            }
        }
    }
    let co = &a.base[&BaseRel::Co];
    let inner: Vec<Node> = writes
        .iter()
        .copied()
        .filter(|w| !outer.contains(w))
        .collect();
    let is_before = |v: Node, w: Node| {
        co.must.contains(v.index(), w.index())
            || !co.may.contains(v.index(), w.index()) && !co.may.contains(w.index(), v.index())
    };
    let apart = |w: &Node| {
        inner.iter().all(|x| is_before(*w, *x)) || inner.iter().all(|x| is_before(*x, *w))
    };
    outer.iter().all(apart).then_some(sections)
}

/// Of the write of a read-modify-write that happens only when the read returns some number, and that
/// writes another one: the former.
fn takes(a: &Analysis, w: Node) -> Option<u64> {
    let (event, terms) = (a.event(w), &a.graph.terms);
    let id = event.rmw_read?;
    let (source, read) = (&a.graph.events[id], *a.node_of.get(&id)?);
    let new = terms.as_const(event.value)?;
    let free = |part: &_| match terms.get(*part) {
        Term::Binary(BinOp::Eq, x, y) if x == source.value => {
            terms.as_const(y).filter(|old| *old != new)
        }
        _ => None,
    };
    let po = &a.base[&BaseRel::Po].may;
    let between = |v: Node| {
        let own = a.event(v).kind.writes() && a.event(v).cells.contains(&event.cells[0]);
        own && po.contains(v.index(), w.index())
    };
    let mut behind = po.successors(read.index()).map(Node::from_index);
    let is_one = event.cells.len() == 1
        && source.cells == event.cells
        && a.stores(read).count() == 1
        && !behind.any(between);
    let guards = conjuncts(terms, event.guard);
    is_one.then(|| guards.iter().find_map(free)).flatten()
}

/// The axiom to order what is inside: that which orders most of all.
fn guarding(a: &Analysis) -> Option<Guarding> {
    let acyclic = a
        .model
        .axioms
        .iter()
        .filter(|x| x.kind == AxiomKind::Acyclic);
    let of = acyclic.filter_map(|axiom| {
        let order = axiom.rel;
        let parts = union_parts(a.model, order);
        let co = parts.iter().any(|p| communicates(a.model, *p, BaseRel::Co));
        let after = |base| after(a.model, order, &parts, base);
        let (after_rf, after_fr) = (after(BaseRel::Rf), after(BaseRel::Fr));
        (co && !after_rf.is_empty() && !after_fr.is_empty()).then_some(Guarding::Acyclic {
            order,
            after_rf,
            after_fr,
        })
    });
    of.max_by_key(|g| match g {
        Guarding::Acyclic { order, .. } => a.rels[*order].must.count(),
        Guarding::HappensBefore { .. } => 0,
    })
}

/// Happens-before as what orders what is inside, with the locks for which that is so.
fn synchronising(a: &Analysis, sections: &[CriticalSection]) -> Option<Guarding> {
    let hb = happens_before(a.model)?;
    let mut locks: Vec<CellId> = sections.iter().map(|s| s.lock).collect();
    locks.dedup();
    locks.retain(|lock| {
        let own = || sections.iter().filter(|s| s.lock == *lock);
        let given = own().flat_map(|s| &s.releases);
        let reads: Option<Vec<Node>> = own().map(|s| read_of(a, s)).collect();
        let reads = reads.unwrap_or_default();
        let mut pairs = given.flat_map(|u| reads.iter().map(move |r| (*u, *r)));
        !reads.is_empty() && pairs.all(|pair| has_when_read(a, hb, pair, pair))
    });
    Some(Guarding::HappensBefore { hb, locks })
}

/// The read of an acquisition.
fn read_of(a: &Analysis, section: &CriticalSection) -> Option<Node> {
    let read = a.event(section.acquire).rmw_read?;
    a.node_of.get(&read).copied()
}

/// Whether a relation surely has a pair in executions that have another one in read-from.
fn has_when_read(a: &Analysis, rel: RelId, (x, y): (Node, Node), rf: (Node, Node)) -> bool {
    if a.rels[rel].must.contains(x.index(), y.index()) {
        return true;
    }
    let has = |rel: RelId, pair: (Node, Node)| has_when_read(a, rel, pair, rf);
    match a.model.rels[rel] {
        Rel::Base(BaseRel::Rf) => (x, y) == rf,
        Rel::Union(p, q) => has(p, (x, y)) || has(q, (x, y)),
        Rel::Inter(p, q) => has(p, (x, y)) && has(q, (x, y)),
        Rel::Seq(p, q) => [x, y].iter().any(|z| has(p, (x, *z)) && has(q, (*z, y))),
        Rel::Plus(p) => has(p, (x, y)),
        _ => false,
    }
}

/// The relations `r` such that `X` contains `base; r` between threads, or `base` and `r`.
fn after(model: &Model, order: RelId, parts: &[RelId], base: BaseRel) -> Vec<RelId> {
    let mut out = Vec::new();
    for part in parts {
        if communicates(model, *part, base) {
            out.push(order);
        }
        if let Rel::Seq(first, rest) = model.rels[*part] {
            let first = union_parts(model, first);
            if first.iter().any(|p| communicates(model, *p, base)) {
                out.push(rest);
            }
        }
    }
    out
}

/// An access of one cell is inside of a section.
fn is_inside(a: &Analysis, guarding: &Guarding, section: &CriticalSection, n: Node) -> bool {
    let po = &a.base[&BaseRel::Po].must;
    let kind = a.event(n).kind;
    if !matches!(kind, EventKind::Read | EventKind::Write)
        || a.event(section.acquire).thread != a.event(n).thread
        || !po.contains(section.acquire.index(), n.index())
        || !a.implies(n, section.acquire)
    {
        return false;
    }
    let sure = |bounds: &Bounds, x: Node, y: Node| bounds.must.contains(x.index(), y.index());
    let before = |u: &Node| po.contains(n.index(), u.index());
    let mut given = section.releases.iter().filter(|u| !a.exclusive(n, **u));
    match guarding {
        Guarding::Acyclic {
            order,
            after_rf,
            after_fr,
        } => {
            let after = if kind == EventKind::Read {
                after_rf
            } else {
                after_fr
            };
            let order = &a.rels[*order];
            sure(order, section.acquire, n)
                && given.all(|u| {
                    before(u)
                        && sure(order, n, *u)
                        && after.iter().any(|rest| sure(&a.rels[*rest], n, *u))
                })
        }
        Guarding::HappensBefore { hb, locks } => {
            let hb = &a.rels[*hb];
            locks.contains(&section.lock)
                && read_of(a, section).is_some_and(|read| sure(hb, read, n))
                && given.all(|u| before(u) && sure(hb, n, *u))
        }
    }
}
