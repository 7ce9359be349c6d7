//! The base relations of an event graph: program order, dependencies, and the candidates of
//! read-from, coherence and from-read (the paper's Alg. 1-3 say which pairs are candidates at all).

use super::bounds::{Analysis, Bounds, Node};
use crate::unroll::event::{CellId, EventKind, GroupId, JoinEdge, ThreadId};
use crate::unroll::term::TermId;
use base::bits::BitSet;
use base::idx::{Id, IdVec};
use cat::arch;
use cat::model::{BaseRel, Rel};
use ir::program::Atomicity;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The events before a moment.
#[derive(Clone)]
struct Past {
    /// Those that are before it whenever both happen.
    sure: BitSet,
    /// Others, with the ways in which they come earlier: each a conjunction of conditions.
    maybe: BTreeMap<Node, Vec<Vec<TermId>>>,
}

impl Past {
    fn new(n: usize) -> Past {
        Past {
            sure: BitSet::new(n),
            maybe: BTreeMap::new(),
        }
    }

    fn add(&mut self, n: Node) {
        self.sure.insert(n.index());
        self.maybe.remove(&n);
    }
}

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
        self.places();
        self.program_order();
        self.dependencies();
        self.threads_and_groups();
        self.different_values();
        self.coherence();
        self.read_from();
        self.reads_before();
    }

    /// What the model does not speak of is not computed.
    fn is_used(&self, base: BaseRel) -> bool {
        let mut rels = self.model.rels.iter_enumerated();
        rels.any(|(id, rel)| *rel == Rel::Base(base) && self.used[id])
    }

    /// Who may touch the same cell, and who certainly does.
    fn places(&mut self) {
        let mut loc = self.both();
        let n = self.nodes.len();
        let mut touching: IdVec<CellId, Vec<usize>> =
            self.graph.cells.ids().map(|_| Vec::new()).collect();
        let mut classes: FxHashMap<(TermId, &[CellId]), BitSet> = FxHashMap::default();
        for a in self.nodes.ids() {
            let event = self.event(a);
            event
                .cells
                .iter()
                .for_each(|c| touching[*c].push(a.index()));
            if !event.cells.is_empty() {
                let same = classes.entry((event.addr, &event.cells));
                same.or_insert_with(|| BitSet::new(n)).insert(a.index());
            }
        }
        for a in self.nodes.ids().take_while(|_| !self.stopped()) {
            let event = self.event(a);
            let mut row = BitSet::new(n);
            for cell in &event.cells {
                touching[*cell].iter().for_each(|b| row.insert(*b));
            }
            row.diff(self.exclusive_with(a).words());
            loc.may.insert_all(a.index(), &row);
            if let Some(same) = classes.get(&(event.addr, &event.cells[..])) {
                row.inter(same.words());
                loc.must.insert_all(a.index(), &row);
            }
        }
        self.base.insert(BaseRel::Loc, Rc::new(loc));
    }

    /// Who is of the same thread and of the same atomic group.
    fn threads_and_groups(&mut self) {
        let n = self.nodes.len();
        let mut threads: BTreeMap<Option<ThreadId>, BitSet> = BTreeMap::new();
        let mut groups: BTreeMap<GroupId, BitSet> = BTreeMap::new();
        for a in self.nodes.ids() {
            let event = self.event(a);
            let thread = threads.entry(event.thread);
            let thread = thread.or_insert_with(|| BitSet::new(n));
            thread.insert(a.index());
            if let Some(group) = event.group {
                let group = groups.entry(group).or_insert_with(|| BitSet::new(n));
                group.insert(a.index());
            }
        }
        let all = BitSet::full(n);
        let (mut int, mut ext) = (self.empty(), self.empty());
        let (mut group, mut same_access) = (self.empty(), self.empty());
        let wanted = |base| self.is_used(base);
        let (ints, exts) = (wanted(BaseRel::Int), wanted(BaseRel::Ext));
        for a in self.nodes.ids().take_while(|_| !self.stopped()) {
            let (event, exclusive) = (self.event(a), self.exclusive_with(a));
            let own = &threads[&event.thread];
            if ints {
                let mut row = own.clone();
                row.diff(exclusive.words());
                int.insert_all(a.index(), &row);
            }
            if exts {
                let mut row = all.clone();
                row.diff(own.words());
                row.diff(exclusive.words());
                ext.insert_all(a.index(), &row);
            }
            if let Some(of) = event.group {
                let mut row = groups[&of].clone();
                row.diff(exclusive.words());
                if self.graph.groups[of].kind == Atomicity::Access {
                    row.remove(a.index());
                    same_access.insert_all(a.index(), &row);
                } else {
                    group.insert_all(a.index(), &row);
                }
            }
        }
        for (base, pairs) in [
            (BaseRel::Int, int),
            (BaseRel::Ext, ext),
            (BaseRel::Group, group),
            (BaseRel::SameAccess, same_access),
        ] {
            if self.is_used(base) {
                self.base.insert(base, Rc::new(Bounds::exact(pairs)));
            }
        }
    }

    /// Accesses of one width whose values may differ.
    fn different_values(&mut self) {
        let mut different = self.both();
        if self.is_used(BaseRel::DifferentValues) {
            let terms = &self.graph.terms;
            let accesses = self.nodes.ids();
            let accesses = accesses.filter(|n| !matches!(self.event(*n).kind, EventKind::Fence(_)));
            let values: Vec<(Node, TermId)> = accesses.map(|n| (n, self.event(n).value)).collect();
            for (a, x) in &values {
                let others = values.iter().filter(|(b, y)| {
                    x != y && terms.width(*x) == terms.width(*y) && !self.exclusive(*a, *b)
                });
                for (b, _) in others {
                    different.may.insert(a.index(), b.index());
                }
            }
        }
        let different = Rc::new(different);
        self.base.insert(BaseRel::DifferentValues, different);
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
    fn program_order(&mut self) {
        // Rows are the pasts of events, so everything is the other way round until the end.
        let (mut may, mut must) = (self.empty(), self.empty());
        let mut conds = BTreeMap::new();
        let mut ends: BTreeMap<ThreadId, Past> = BTreeMap::new();
        for thread in self.graph.threads.ids() {
            let mut past = self.past(thread, Moment::Event(0), &mut ends);
            let mut joins = self.joins_of(thread, 1);
            for (position, event) in self.graph.threads[thread].events.iter().enumerate() {
                let (now, later) = joins
                    .into_iter()
                    .partition(|j| position > 0 && j.position == position);
                joins = later;
                self.add_joined(now, &mut past, &mut ends);
                let Some(b) = self.node_of.get(event).copied() else {
                    continue;
                };
                if self.stopped() {
                    break;
                }
                let exclusive = self.exclusive_with(b);
                let mut row = past.sure.clone();
                row.diff(exclusive.words());
                may.insert_all(b.index(), &row);
                must.insert_all(b.index(), &row);
                for (a, ways) in &past.maybe {
                    if exclusive.contains(a.index()) {
                        continue;
                    }
                    may.insert(b.index(), a.index());
                    let sure =
                        |way: &Vec<TermId>| way.iter().all(|c| self.cond_is_implied(*c, *a, b));
                    if ways.iter().any(sure) {
                        must.insert(b.index(), a.index());
                    } else {
                        conds.insert((*a, b), ways.clone());
                    }
                }
                past.add(b);
            }
        }
        self.po_cond = conds;
        let po = Bounds {
            may: may.inverse_until(self.interrupt()),
            must: must.inverse_until(self.interrupt()),
        };
        self.base.insert(BaseRel::Po, Rc::new(po));
    }

    /// Everything before a thread comes to `moment`.
    fn past(&self, thread: ThreadId, moment: Moment, ends: &mut BTreeMap<ThreadId, Past>) -> Past {
        let t = &self.graph.threads[thread];
        let mut past = match t.parent {
            Some(parent) => self.past(parent, Moment::Creation(t.created_after), ends),
            None => Past::new(self.nodes.len()),
        };
        let (position, later) = match moment {
            Moment::Event(position) => (position, position + 1),
            // A join at the very position of a creation comes later.
            Moment::Creation(position) => (position, position),
        };
        for e in &t.events[..position] {
            if let Some(a) = self.node_of.get(e) {
                past.add(*a);
            }
        }
        let joins = self.joins_of(thread, 0);
        let joins = joins.into_iter().filter(|j| j.position < later);
        self.add_joined(joins.collect(), &mut past, ends);
        past
    }

    /// The joins of a thread from one of its positions on.
    fn joins_of(&self, thread: ThreadId, from: usize) -> Vec<&JoinEdge> {
        let joins = self.graph.joins.iter();
        joins
            .filter(|j| j.thread == thread && j.position >= from)
            .collect()
    }

    /// Adds what the joined threads did, each under the condition of its join.
    fn add_joined(
        &self,
        joins: Vec<&JoinEdge>,
        past: &mut Past,
        ends: &mut BTreeMap<ThreadId, Past>,
    ) {
        for join in joins {
            if self.stopped() {
                return;
            }
            if !ends.contains_key(&join.joined) {
                let position = self.graph.threads[join.joined].events.len();
                let end = self.past(join.joined, Moment::Event(position), ends);
                ends.insert(join.joined, end);
            }
            let end = &ends[&join.joined];
            let always = self.graph.terms.is_true(join.cond);
            if always {
                past.sure.union(end.sure.words());
                past.maybe.retain(|n, _| !end.sure.contains(n.index()));
            }
            let sure = end.sure.iter().filter(|_| !always).map(Node::from_index);
            let once = [Vec::new()];
            let sure = sure.map(|n| (n, &once[..]));
            for (a, ways) in sure.chain(end.maybe.iter().map(|(n, ways)| (*n, &ways[..]))) {
                if past.sure.contains(a.index()) {
                    continue;
                }
                let known = past.maybe.entry(a).or_default();
                for way in ways {
                    let mut way = way.clone();
                    if !always {
                        way.push(join.cond);
                    }
                    known.push(way);
                }
            }
        }
    }

    fn dependencies(&mut self) {
        let (mut addr, mut data, mut ctrl) = (self.both(), self.both(), self.both());
        let (mut rmw, mut amo, mut lxsx) = (self.both(), self.both(), self.both());
        let used = [BaseRel::Addr, BaseRel::Data, BaseRel::Ctrl].map(|base| self.is_used(base));
        for b in self.nodes.ids() {
            if self.stopped() {
                break;
            }
            let event = self.event(b);
            let kinds = [
                (BaseRel::Addr, &mut addr, &event.addr_deps),
                (BaseRel::Data, &mut data, &event.data_deps),
                (BaseRel::Ctrl, &mut ctrl, &event.ctrl_deps),
            ];
            let kinds = kinds.into_iter().zip(used).filter(|(_, used)| *used);
            for ((rel, bounds, deps), _) in kinds {
                for (read, cond) in deps.iter() {
                    let Some(a) = self.node_of.get(read).copied() else {
                        continue;
                    };
                    let reported = self.is_write(a) && !arch::store_reports(self.model.arch);
                    if reported || self.exclusive(a, b) {
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
            self.base.insert(rel, Rc::new(bounds));
        }
    }

    pub(super) fn is_write(&self, n: Node) -> bool {
        self.event(n).kind.writes()
    }

    fn writes(&self) -> BitSet {
        let mut writes = BitSet::new(self.nodes.len());
        let all = self.nodes.ids().filter(|n| self.is_write(*n));
        all.for_each(|n| writes.insert(n.index()));
        writes
    }

    fn coherence(&mut self) {
        let mut co = self.both();
        let (loc, po) = (&self.base[&BaseRel::Loc], &self.base[&BaseRel::Po].must);
        let past = po.inverse_until(self.interrupt());
        let writes = self.writes();
        let rank = |n: usize| self.event(Node::from_index(n)).kind.rank();
        let from_rank = |least: u8| {
            let mut some = BitSet::new(self.nodes.len());
            let all = writes.iter().filter(|n| rank(*n) >= least);
            all.for_each(|n| some.insert(n));
            some
        };
        let later = [1, 1, 2, 3].map(from_rank);
        for a in writes.iter().take_while(|_| !self.stopped()) {
            let first = usize::from(rank(a));
            let mut row = later[first].clone();
            row.inter(loc.may.row(a));
            row.remove(a);
            if self.coherent {
                let mut before = past.set(a);
                before.inter(loc.must.row(a));
                row.diff(before.words());
            }
            co.may.insert_all(a, &row);
            row.inter(loc.must.row(a));
            let mut ranked = row.clone();
            ranked.inter(later[first + 1].words());
            co.must.insert_all(a, &ranked);
            if self.coherent {
                row.inter(po.row(a));
                co.must.insert_all(a, &row);
            }
        }
        self.base.insert(BaseRel::Co, Rc::new(co));
    }

    fn read_from(&mut self) {
        // Rows are the sources of reads, so everything is the other way round until the end.
        let mut rf = self.empty();
        let (loc, po) = (&self.base[&BaseRel::Loc], &self.base[&BaseRel::Po].must);
        let co = &self.base[&BaseRel::Co].must;
        let past = po.inverse_until(self.interrupt());
        // What coherence has before writes to objects that other threads do not know yet.
        let before = co.inverse_until(self.interrupt());
        let initial: Vec<_> = self
            .graph
            .initialising
            .iter()
            .filter_map(|e| {
                let write = self.node_of.get(e)?;
                let mut overwritten = BitSet::new(self.nodes.len());
                overwritten.union(before.row(write.index()));
                Some((self.graph.events[*e].thread, overwritten))
            })
            .collect();
        let writes = self.writes();
        let reads = self.nodes.ids();
        let reads = reads.filter(|n| self.event(*n).kind == EventKind::Read);
        for r in reads.take_while(|_| !self.stopped()) {
            let mut candidates = writes.clone();
            candidates.inter(loc.may.row(r.index()));
            if !self.coherent {
                rf.insert_all(r.index(), &candidates);
                continue;
            }
            candidates.diff(po.row(r.index()));
            for (thread, overwritten) in &initial {
                if self.event(r).thread != *thread {
                    candidates.diff(overwritten.words());
                }
            }
            // Writes before the read that overwrite whatever is before them.
            let mut over = candidates.clone();
            over.inter(past.row(r.index()));
            let mut surely = over.clone();
            surely.inter(self.implied_by(r).words());
            for w in candidates.iter() {
                let shadowed = surely.meets(co.row(w)) || {
                    let mut over = over.clone();
                    over.inter(self.implied_by(Node::from_index(w)).words());
                    over.meets(co.row(w))
                };
                if !shadowed {
                    rf.insert(r.index(), w);
                }
            }
        }
        let rf = Bounds {
            may: rf.inverse_until(self.interrupt()),
            must: self.empty(),
        };
        self.base.insert(BaseRel::Rf, Rc::new(rf));
    }

    fn reads_before(&mut self) {
        let (rf, co) = (&self.base[&BaseRel::Rf], &self.base[&BaseRel::Co]);
        let loc = &self.base[&BaseRel::Loc];
        let sources = rf.may.inverse_until(self.interrupt());
        let mut fr = self.both();
        let po = &self.base[&BaseRel::Po].must;
        for r in self.nodes.ids().take_while(|_| !self.stopped()) {
            let mut row = BitSet::new(self.nodes.len());
            for w in sources.successors(r.index()) {
                row.union(co.may.row(w));
            }
            row.inter(loc.may.row(r.index()));
            fr.may.insert_all(r.index(), &row);
            if self.coherent {
                row.inter(loc.must.row(r.index()));
                row.inter(po.row(r.index()));
                fr.must.insert_all(r.index(), &row);
            }
        }
        self.base.insert(BaseRel::Fr, Rc::new(fr));
    }
}
