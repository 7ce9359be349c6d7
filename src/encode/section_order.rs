//! Critical sections as units of order.
//!
//! In every execution the sections of a lock come one after another, and what is inside of them is
//! ordered with them ([`relations::critical`](crate::relations::critical) says when, and why). So:
//!
//! - **Coherence.** Two writes of one location in two sections are in the order of the sections: the
//!   literal of one pair of writes of the lock, the two that take it, stands for all pairs.
//! - **Read-from.** A read inside of a section returns what the last write before it has written. Of
//!   each write of the location "it is before the read" is known: the order of the two sections,
//!   program order in its own one. So who is read from is a function of the order of sections, and
//!   from-read is the negation of "before". The same is true of a read that has
//!   all writes before or behind it in program order, creation and join included, as far as writes
//!   are in sections.
//!
//! - **Orders.** What communication between accesses inside orders is then ordered by way of the
//!   sections. Let `a` of `S` communicate to `b` of `T` in another thread. By the two above `S` is
//!   before `T`, so `a -X-> U(S) -co-> L(T) -X-> b` in the axiom `acyclic X` that has them inside,
//!   and a cycle through the edge from `a` to `b` is one without it. The edge is left out, and with
//!   it mostly the events. That `U(S)` happens follows from what is said of the lock alone, whose
//!   edges stay. Of an axiom about one location at a time all edges of a location are left out that
//!   has every read decided: all of them go forward in the order of sections, and in a section in
//!   that of the program.
//!
//! The literals say what the events do *when they happen*. In particular the literal of two sections
//! is no order of events that do not happen, whatever stands before and after these in program order:
//! only the pair that it is named after may be a pair of an order instance outright.

use super::relations::Encoder;
use crate::relations::bounds::Node;
use crate::unroll::event::{CellId, EventKind};
use base::idx::{Id, IdVec};
use cat::model::{BaseRel, RelId};
use cat::pattern::{communicates, is_per_location, union_parts};
use smt::sat::cnf::Lit;

/// Writes of a location beyond which reads choose their source: the definitions are cubic.
const MAX_WRITES: usize = 64;

impl Encoder<'_> {
    /// For two writes in sections of one lock and in different threads: the writes that take it.
    pub fn acquisitions(&self, a: Node, b: Node) -> Option<(Node, Node)> {
        let sections = &self.section_order.sections;
        let (i, j) = (*sections.of_write.get(&a)?, *sections.of_write.get(&b)?);
        let (s, t) = (&sections.all[i], &sections.all[j]);
        let thread = |n: Node| self.analysis.event(n).thread;
        let apart = i != j && s.lock == t.lock && thread(s.acquire) != thread(t.acquire);
        (apart && (s.acquire, t.acquire) != (a, b)).then_some((s.acquire, t.acquire))
    }

    /// The sources of a read that the order of sections decides, with a literal each.
    pub fn last_before(&mut self, r: Node, sources: &[Node]) -> Option<Vec<(Node, Lit)>> {
        let writes = self.before(r)?;
        if writes.len() > MAX_WRITES || sources.len() < 2 {
            return None;
        }
        let mut here: Vec<(Node, Lit)> = Vec::new();
        for (w, before) in &writes {
            let happens = self.exec(*w);
            here.push((*w, self.cnf.and(*before, happens)));
        }
        let mut out = Vec::new();
        for (w, lit) in here.iter().filter(|(w, _)| sources.contains(w)) {
            let last = match *lit {
                Lit::FALSE => Lit::FALSE,
                _ => self.cnf.fresh(),
            };
            self.cnf.clause(&[!last, *lit]);
            for (other, there) in here.iter().filter(|(other, _)| other != w) {
                let later = self.coherence(*w, *other);
                self.cnf.clause(&[!last, !later, !*there]);
            }
            out.push((*w, last));
        }
        // By the order of sections all others are not the last, so the literals are a function of it.
        let happens = self.exec(r);
        let mut some: Vec<Lit> = out.iter().map(|(_, l)| *l).collect();
        some.push(!happens);
        self.cnf.clause(&some);
        self.section_order.reduced.reads += 1;
        self.section_order.decided.insert(r);
        for (w, before) in writes {
            self.section_order.before.insert((r, w), before);
        }
        Some(out)
    }

    /// The writes of a read's location, each with the literal that it is before the read.
    pub fn before(&mut self, r: Node) -> Option<Vec<(Node, Lit)>> {
        let writes = self.writes_beside(r)?;
        let sections = &self.section_order.sections;
        let in_sections = |w: &Node| sections.of_write.contains_key(w);
        let is_init = |w: &Node| self.analysis.event(*w).kind == EventKind::Init;
        if !writes.iter().all(|w| is_init(w) || in_sections(w)) {
            return None;
        }
        if let Some(placed) = self.placed(r, &writes) {
            let literals = placed.into_iter();
            return Some(literals.map(|(w, b)| (w, Lit::constant(b))).collect());
        }
        let own = *sections.of_read.get(&r)?;
        let (own, lock) = (own, sections.all[own].lock);
        let po = &self.analysis.base[&BaseRel::Po].must;
        let mut out = Vec::new();
        for w in writes {
            let before = match self.section_order.sections.of_write.get(&w).copied() {
                None => Lit::TRUE,
                Some(section) if section == own => match () {
                    () if po.contains(w.index(), r.index()) => Lit::TRUE,
                    () if po.contains(r.index(), w.index()) => Lit::FALSE,
                    () => return None,
                },
                Some(section) => {
                    let all = &self.section_order.sections.all;
                    if all[section].lock != lock {
                        return None;
                    }
                    let (theirs, ours) = (all[section].acquire, all[own].acquire);
                    self.coherence(theirs, ours)
                }
            };
            out.push((w, before));
        }
        Some(out)
    }

    /// The writes that may happen beside a read, of just its location; `None` when there are others
    /// that may be to it.
    pub fn writes_beside(&self, r: Node) -> Option<Vec<Node>> {
        let a = self.analysis;
        let beside = a.base[&BaseRel::Loc].may.successors(r.index());
        let writes = beside.map(Node::from_index);
        let writes: Vec<Node> = writes.filter(|w| a.event(*w).kind.writes()).collect();
        let plain = |w: &Node| {
            matches!(a.event(*w).kind, EventKind::Init | EventKind::Write) && a.same_cell(*w, r)
        };
        (a.event(r).cells.len() == 1 && writes.iter().all(plain)).then_some(writes)
    }

    /// Which of some writes are before a read in program order; `None` unless all are before or
    /// behind it.
    pub fn placed(&self, r: Node, writes: &[Node]) -> Option<Vec<(Node, bool)>> {
        let po = &self.analysis.base[&BaseRel::Po].must;
        let place = |w: &Node| {
            let init = self.analysis.event(*w).kind == EventKind::Init;
            let before = init || po.contains(w.index(), r.index());
            (before || po.contains(r.index(), w.index())).then_some((*w, before))
        };
        writes.iter().map(place).collect()
    }

    /// The cells of which sections decide every read.
    pub fn decided_cells(&self) -> IdVec<CellId, bool> {
        let a = self.analysis;
        let mut decided: IdVec<CellId, bool> = a.graph.cells.iter().map(|_| false).collect();
        for w in self.section_order.sections.of_write.keys() {
            decided[a.event(*w).cells[0]] = true;
        }
        for n in a.nodes.ids() {
            let event = a.event(n);
            let own = match event.kind {
                EventKind::Init | EventKind::Fence(_) => true,
                EventKind::Read => self.section_order.decided.contains(&n),
                _ => self.section_order.sections.of_write.contains_key(&n),
            };
            if !own || event.cells.len() > 1 {
                event.cells.iter().for_each(|c| decided[*c] = false);
            }
        }
        for section in &self.section_order.sections.all {
            decided[section.lock] = false;
        }
        decided
    }

    /// An edge of an axiom that the order of sections brings anyway.
    pub fn follows(&self, rel: RelId, a: Node, b: Node, decided: &IdVec<CellId, bool>) -> bool {
        let analysis = self.analysis;
        let (x, y) = (analysis.event(a), analysis.event(b));
        let ([cell], true) = (&x.cells[..], x.cells == y.cells) else {
            return false;
        };
        if decided[*cell] && is_per_location(analysis.model, rel) {
            return true;
        }
        let sections = &self.section_order.sections;
        let (Some(i), Some(j)) = (sections.of(a), sections.of(b)) else {
            return false;
        };
        let (s, t) = (&sections.all[i], &sections.all[j]);
        let apart = sections.order == Some(rel)
            && i != j
            && s.lock == t.lock
            && s.lock != *cell
            && x.thread != y.thread;
        let known = match (x.kind, y.kind) {
            (EventKind::Write, EventKind::Write) => true,
            (EventKind::Write, EventKind::Read) => self.section_order.before.contains_key(&(b, a)),
            (EventKind::Read, EventKind::Write) => self.section_order.before.contains_key(&(a, b)),
            _ => false,
        };
        let tells = |part: &RelId| {
            let bases = [BaseRel::Rf, BaseRel::Co, BaseRel::Fr];
            let mut bases = bases.into_iter();
            !analysis.rels[*part].may.contains(a.index(), b.index())
                || bases.any(|base| communicates(analysis.model, *part, base))
        };
        apart && known && union_parts(analysis.model, rel).iter().all(tells)
    }
}
