//! The base relations of an event graph: program order, dependencies, and the candidates of
//! read-from, coherence and from-read (the paper's Alg. 1-3 say which pairs are candidates at all).

use super::arch;
use super::bounds::{Analysis, Bounds, Node};
use super::model::BaseRel;
use crate::idx::Id;
use crate::unroll::event::{EventKind, JoinEdge, ThreadId};
use crate::unroll::term::TermId;
use std::collections::BTreeMap;

/// Events with the ways in which they come earlier: each a conjunction of conditions.
type Past = BTreeMap<Node, Vec<Vec<TermId>>>;

/// A point of a thread, by the number of its events before.
#[derive(Clone, Copy)]
enum Moment {
    /// The next event happens, or the thread ends.
    Event(usize),
    /// It creates another thread.
    Creation(usize),
}

impl Analysis<'_> {
    pub(super) fn base_relations(&mut self) {
        self.program_order();
        self.dependencies();
        let n = self.nodes.len();
        let all: Vec<Node> = self.nodes.ids().collect();
        let (mut loc, mut int, mut ext) = (self.both(), self.both(), self.both());
        let mut group = self.both();
        for a in all.iter().take_while(|_| !self.stopped()) {
            for b in &all {
                let (i, j) = (a.index(), b.index());
                if self.exclusive(*a, *b) {
                    continue;
                }
                if self.may_alias(*a, *b) {
                    loc.may.insert(i, j);
                    if self.same_cell(*a, *b) {
                        loc.must.insert(i, j);
                    }
                }
                let groups = (self.event(*a).group, self.event(*b).group);
                if groups.0.is_some() && groups.0 == groups.1 {
                    group.may.insert(i, j);
                    group.must.insert(i, j);
                }
                let same = self.event(*a).thread == self.event(*b).thread;
                let side = if same { &mut int } else { &mut ext };
                side.may.insert(i, j);
                side.must.insert(i, j);
            }
        }
        debug_assert_eq!(n, loc.may.len());
        self.base.insert(BaseRel::Loc, loc);
        self.base.insert(BaseRel::Int, int);
        self.base.insert(BaseRel::Ext, ext);
        self.base.insert(BaseRel::Group, group);
        self.coherence();
        self.read_from();
        self.reads_before();
    }

    pub(super) fn both(&self) -> Bounds {
        Bounds {
            may: self.empty(),
            must: self.empty(),
        }
    }

    /// Program order: what is past for each event of each thread. Threads without events pass
    /// order on all the same, from what precedes their creation, and from the threads they join,
    /// to whoever joins them.
    pub(super) fn program_order(&mut self) {
        let mut po = self.both();
        let mut conds = BTreeMap::new();
        let mut ends: BTreeMap<ThreadId, Past> = BTreeMap::new();
        for thread in self.graph.threads.ids() {
            let events = &self.graph.threads[thread].events;
            for (position, event) in events.iter().enumerate() {
                let Some(b) = self.node_of.get(event).copied() else {
                    continue;
                };
                if self.stopped() {
                    break;
                }
                for (a, ways) in self.past(thread, Moment::Event(position), &mut ends) {
                    if self.exclusive(a, b) {
                        continue;
                    }
                    po.may.insert(a.index(), b.index());
                    let sure =
                        |way: &Vec<TermId>| way.iter().all(|c| self.cond_is_implied(*c, a, b));
                    if ways.iter().any(sure) {
                        po.must.insert(a.index(), b.index());
                    } else {
                        conds.insert((a, b), ways);
                    }
                }
            }
        }
        self.po_cond = conds;
        self.base.insert(BaseRel::Po, po);
    }

    /// Everything before a thread comes to `moment`.
    fn past(&self, thread: ThreadId, moment: Moment, ends: &mut BTreeMap<ThreadId, Past>) -> Past {
        let t = &self.graph.threads[thread];
        let mut past = match t.parent {
            Some(parent) => self.past(parent, Moment::Creation(t.created_after), ends),
            None => Past::new(),
        };
        let (position, later) = match moment {
            Moment::Event(position) => (position, position + 1),
            // A join at the very position of a creation comes later.
            Moment::Creation(position) => (position, position),
        };
        self.add_own_past(thread, position, &mut past);
        let joins = &self.graph.joins;
        let joins = joins
            .iter()
            .filter(|j| j.thread == thread && j.position < later);
        self.add_joined(joins, &mut past, ends);
        past
    }

    pub(super) fn add_own_past(&self, thread: ThreadId, position: usize, past: &mut Past) {
        for e in &self.graph.threads[thread].events[..position] {
            if let Some(a) = self.node_of.get(e) {
                past.insert(*a, vec![Vec::new()]);
            }
        }
    }

    /// Adds what the joined threads did, each under the condition of its join.
    pub(super) fn add_joined<'j>(
        &self,
        joins: impl Iterator<Item = &'j JoinEdge>,
        past: &mut Past,
        ends: &mut BTreeMap<ThreadId, Past>,
    ) {
        for join in joins {
            if !ends.contains_key(&join.joined) {
                let position = self.graph.threads[join.joined].events.len();
                let end = self.past(join.joined, Moment::Event(position), ends);
                ends.insert(join.joined, end);
            }
            for (a, ways) in &ends[&join.joined] {
                let known = past.entry(*a).or_default();
                if known.contains(&Vec::new()) {
                    continue;
                }
                for way in ways {
                    let mut way = way.clone();
                    if !self.graph.terms.is_true(join.cond) {
                        way.push(join.cond);
                    }
                    known.push(way);
                }
            }
        }
    }

    pub(super) fn dependencies(&mut self) {
        let (mut addr, mut data, mut ctrl) = (self.both(), self.both(), self.both());
        let (mut rmw, mut amo, mut lxsx) = (self.both(), self.both(), self.both());
        for b in self.nodes.ids() {
            let event = self.event(b);
            for (rel, bounds, deps) in [
                (BaseRel::Addr, &mut addr, &event.addr_deps),
                (BaseRel::Data, &mut data, &event.data_deps),
                (BaseRel::Ctrl, &mut ctrl, &event.ctrl_deps),
            ] {
                for (read, cond) in deps.iter() {
                    let Some(a) = self.node_of.get(read).copied() else {
                        continue;
                    };
                    if self.exclusive(a, b) {
                        continue;
                    }
                    bounds.may.insert(a.index(), b.index());
                    if self.cond_is_implied(*cond, a, b) {
                        bounds.must.insert(a.index(), b.index());
                    } else {
                        self.dep_cond.insert((rel, a, b), *cond);
                    }
                }
            }
            if let Some(a) = event.rmw_read.and_then(|r| self.node_of.get(&r).copied()) {
                let kind = match arch::rmw_of(self.model.arch, event.order) {
                    BaseRel::Amo => &mut amo,
                    _ => &mut lxsx,
                };
                for bounds in [&mut rmw, kind] {
                    bounds.may.insert(a.index(), b.index());
                    bounds.must.insert(a.index(), b.index());
                }
            }
        }
        for (rel, bounds) in [
            (BaseRel::Addr, addr),
            (BaseRel::Data, data),
            (BaseRel::Ctrl, ctrl),
            (BaseRel::Rmw, rmw),
            (BaseRel::Amo, amo),
            (BaseRel::Lxsx, lxsx),
        ] {
            self.base.insert(rel, bounds);
        }
    }

    pub(super) fn is_write(&self, n: Node) -> bool {
        self.event(n).kind.writes()
    }

    pub(super) fn coherence(&mut self) {
        let mut co = self.both();
        let writes: Vec<Node> = self.nodes.ids().filter(|n| self.is_write(*n)).collect();
        let po = &self.base[&BaseRel::Po].must;
        for a in writes.iter().take_while(|_| !self.stopped()) {
            for b in &writes {
                if a == b || self.exclusive(*a, *b) || !self.may_alias(*a, *b) {
                    continue;
                }
                let (i, j) = (a.index(), b.index());
                let same = self.same_cell(*a, *b);
                let (first, second) = (self.event(*a).kind, self.event(*b).kind);
                if second.rank() < first.rank() || (self.coherent && same && po.contains(j, i)) {
                    continue;
                }
                co.may.insert(i, j);
                if same && (first.rank() < second.rank() || (self.coherent && po.contains(i, j))) {
                    co.must.insert(i, j);
                }
            }
        }
        self.base.insert(BaseRel::Co, co);
    }

    pub(super) fn read_from(&mut self) {
        let mut rf = self.both();
        let (po, co) = (&self.base[&BaseRel::Po].must, &self.base[&BaseRel::Co].must);
        let reads = self.nodes.ids();
        let reads = reads.filter(|n| self.event(*n).kind == EventKind::Read);
        for r in reads.take_while(|_| !self.stopped()) {
            let candidates: Vec<Node> = self
                .nodes
                .ids()
                .filter(|w| self.is_write(*w) && self.may_alias(*w, r) && !self.exclusive(*w, r))
                .filter(|w| !(self.coherent && po.contains(r.index(), w.index())))
                .collect();
            for w in &candidates {
                let shadowed = self.coherent
                    && candidates.iter().any(|v| {
                        co.contains(w.index(), v.index())
                            && po.contains(v.index(), r.index())
                            && self.same_cell(*v, r)
                            && (self.implies(r, *v) || self.implies(*w, *v))
                    });
                if !shadowed {
                    rf.may.insert(w.index(), r.index());
                }
            }
        }
        self.base.insert(BaseRel::Rf, rf);
    }

    pub(super) fn reads_before(&mut self) {
        let (rf, co) = (&self.base[&BaseRel::Rf], &self.base[&BaseRel::Co]);
        let mut may = rf.may.inverse().seq(&co.may);
        let mut must = self.empty();
        let po = &self.base[&BaseRel::Po].must;
        let pairs: Vec<(usize, usize)> = may.pairs().collect();
        for (i, j) in pairs {
            let (r, w) = (Node::from_index(i), Node::from_index(j));
            if self.exclusive(r, w) || !self.may_alias(r, w) {
                may.remove(i, j);
            } else if self.coherent && self.same_cell(r, w) && po.contains(i, j) {
                must.insert(i, j);
            }
        }
        self.base.insert(BaseRel::Fr, Bounds { may, must });
    }
}
