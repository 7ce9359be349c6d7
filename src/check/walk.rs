//! Random executions of an event graph.
//!
//! One event after another: a thread is chosen at random among those that can go on, and its next event
//! happens. A write is last in coherence; a read returns the last write to its address, or now and then
//! an older one that its thread does not know to be old, which store buffers and caches may do; fences do
//! nothing. Arbitrary values are random. So what comes out is an execution on sequential consistency, or nearly one; whether
//! a model allows it is for [`Run::validate`] to say.
//!
//! That the program does the same, and no more, is for [`super::replay::follow`]. Together they compare
//! the event graph with the program on executions that no solver has chosen: what the graph has lost
//! shows as soon as the program does it.

use super::decode::{Mismatch, Run};
use super::replay::{follow, replay};
use crate::unroll::event::{EventGraph, EventId, EventKind, ThreadId, Wait};
use crate::unroll::term::{Term, TermId};
use base::idx::IdVec;
use cat::eval::Evaluator;
use cat::model::Model;
use enumerate::code::Code;
use ir::program::{Lifetime, Program, PropertyKind, mask};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// How often a read returns an older write where there is one: one of these for each walk.
const OLDER: [f64; 5] = [0.0, 0.0, 0.02, 0.1, 0.3];
/// How often a thread goes on to where it waits forever, while others can go on.
const WAITS: f64 = 0.05;
/// Constants of the program that arbitrary values are taken from.
const MAX_CONSTANTS: usize = 64;

/// What has come of random executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Walks {
    /// The model allows them, and the program does the same.
    pub followed: usize,
    /// Of these, all threads end.
    pub whole: usize,
    /// Of these, a property of the wanted kinds is violated.
    pub violating: usize,
    /// Of these, something is reached that the event graph does not follow: the bound of a loop, or a
    /// construct that is not supported.
    pub cut: usize,
    /// The model forbids them.
    pub forbidden: usize,
    /// A pointer leads to where the event graph does not follow it, which no verdict rests on.
    pub astray: usize,
}

impl Walks {
    /// How many executions there are.
    pub fn all(&self) -> usize {
        self.followed + self.forbidden + self.astray
    }
}

/// Compares a program with its event graph on so many random executions, fewer when `stop` says so;
/// `kinds` are those of the properties that the graph has.
///
/// # Errors
/// The two differ.
pub fn compare(
    program: &Program,
    graph: &EventGraph,
    model: &Model,
    kinds: &[PropertyKind],
    (number, seed): (usize, u64),
    stop: &dyn Fn() -> bool,
) -> Result<Walks, Mismatch> {
    let mut random = fastrand::Rng::with_seed(seed);
    let evaluator = Evaluator::new(model);
    let code = program.procs.iter().map(Code::of).collect();
    let mut walks = Walks::default();
    while walks.all() < number && !stop() {
        let allowed = |run: &Run| {
            let spurious = !model.linked && graph.spurious.iter().any(|t| run.holds(*t));
            !spurious && run.validate(&evaluator).is_ok()
        };
        let Some(run) = walk(graph, &mut random)?.filter(allowed) else {
            walks.forbidden += 1;
            continue;
        };
        if graph.unresolved.iter().any(|u| run.holds(u.guard)) {
            walks.astray += 1;
            continue;
        }
        follow(program, &run, kinds, &code)?;
        let mut violated = false;
        // What comes after an unsupported construct is not replayed: no verdict rests on it.
        let mut unsupported = graph.unsupported.iter();
        let supported = !unsupported.any(|u| run.holds(u.guard));
        for check in &graph.checks {
            if run.holds(check.guard) && !run.holds(check.cond) {
                violated |= kinds.contains(&check.property.kind);
                if supported {
                    replay(program, &run, check)?;
                }
            }
        }
        let mut threads = graph.threads.iter();
        let whole = threads.all(|t| !run.holds(t.guard) || run.holds(t.ended));
        walks.followed += 1;
        walks.whole += usize::from(whole);
        walks.violating += usize::from(violated);
        let bounds = graph.bounds_reached.iter().filter(|b| b.section.is_none());
        let bounds = bounds.map(|b| b.guard);
        let mut ends = bounds.chain(graph.unsupported.iter().map(|u| u.guard));
        walks.cut += usize::from(ends.any(|g| run.holds(g)));
    }
    Ok(walks)
}

/// A random execution; `None` if a read has returned an older write that no model lets it return, as the
/// event graph knows what is read there.
///
/// # Errors
/// The event graph does not fit itself.
pub fn walk<'a>(
    graph: &'a EventGraph,
    random: &mut fastrand::Rng,
) -> Result<Option<Run<'a>>, Mismatch> {
    let mut walk = Walk::new(graph, random);
    let ended = walk.go_on(random);
    let stale = walk.stale;
    let run = ended.and_then(|()| Run::of(graph, walk.leaves, walk.source, walk.coherence));
    match run {
        Err(_) if stale => Ok(None),
        run => run.map(Some),
    }
}

/// An execution on its way.
struct Walk<'a> {
    graph: &'a EventGraph,
    leaves: FxHashMap<Term, u64>,
    memo: FxHashMap<TermId, u64>,
    /// By thread: how many of its events have happened, or do not happen.
    next: IdVec<ThreadId, usize>,
    source: BTreeMap<EventId, EventId>,
    coherence: BTreeMap<u64, Vec<EventId>>,
    /// By thread and address: the latest write that the thread knows, by its place in coherence.
    known: FxHashMap<(ThreadId, u64), usize>,
    /// A thread in the middle of what happens at one point.
    inside: Option<ThreadId>,
    /// By write: its value.
    written: FxHashMap<EventId, u64>,
    /// By read: where a thread may wait that reads this.
    waits: FxHashMap<EventId, Vec<&'a Wait>>,
    /// By read of a read-modify-write: its writes.
    updates: FxHashMap<EventId, Vec<EventId>>,
    older: f64,
    /// A read has returned an older write.
    stale: bool,
}

impl<'a> Walk<'a> {
    fn new(graph: &'a EventGraph, random: &mut fastrand::Rng) -> Walk<'a> {
        let mut waits: FxHashMap<EventId, Vec<&Wait>> = FxHashMap::default();
        for wait in &graph.waits {
            for read in &wait.reads {
                waits.entry(*read).or_default().push(wait);
            }
        }
        let mut updates: FxHashMap<EventId, Vec<EventId>> = FxHashMap::default();
        for (id, event) in graph.events.iter_enumerated() {
            if let Some(read) = event.rmw_read {
                updates.entry(read).or_default().push(id);
            }
        }
        let mut walk = Walk {
            graph,
            leaves: arbitrary(graph, random),
            memo: FxHashMap::default(),
            next: graph.threads.iter().map(|_| 0).collect(),
            source: BTreeMap::new(),
            coherence: BTreeMap::new(),
            known: FxHashMap::default(),
            inside: None,
            written: FxHashMap::default(),
            waits,
            updates,
            older: OLDER[random.usize(..OLDER.len())],
            stale: false,
        };
        for cell in graph.cells.iter() {
            let value = walk.eval(graph.events[cell.init].value);
            walk.coherence.insert(cell.addr, vec![cell.init]);
            walk.written.insert(cell.init, value.unwrap_or(0));
        }
        walk
    }

    /// The value of a term, if it is known yet.
    fn eval(&mut self, term: TermId) -> Option<u64> {
        let leaves = &self.leaves;
        let leaf = |t: Term| leaves.get(&t).copied();
        self.graph.terms.eval_known(term, &mut self.memo, &leaf)
    }

    /// Whether nothing more happens in a thread.
    fn is_finished(&self, id: ThreadId) -> bool {
        self.next[id] == self.graph.threads[id].events.len()
    }

    /// Whether a thread has begun; one that never does is finished.
    fn has_begun(&mut self, id: ThreadId) -> bool {
        let thread = &self.graph.threads[id];
        let Some(parent) = thread.parent else {
            return true;
        };
        if self.next[parent] < thread.created_after || !self.has_begun(parent) {
            return false;
        }
        match self.eval(thread.guard) {
            Some(1) => true,
            Some(_) => {
                self.skip(id, thread.events.len());
                false
            }
            None => false,
        }
    }

    /// Events up to a position do not happen.
    fn skip(&mut self, id: ThreadId, to: usize) {
        for e in &self.graph.threads[id].events[self.next[id]..to] {
            self.leaves.entry(Term::Read(*e)).or_insert(0);
        }
        self.next[id] = to;
    }

    /// The next event of a thread, if it can happen now.
    fn front(&mut self, id: ThreadId) -> Option<EventId> {
        if self.is_finished(id) || !self.has_begun(id) {
            return None;
        }
        let graph = self.graph;
        loop {
            let position = self.next[id];
            let e = *graph.threads[id].events.get(position)?;
            for join in graph.joins.iter().filter(|j| j.thread == id) {
                let waits = join.position <= position && !self.is_finished(join.joined);
                if waits && self.eval(join.cond) != Some(0) {
                    return None;
                }
            }
            // That of a compare-and-exchange happens if the read behind it returns what is expected.
            if matches!(graph.events[e].kind, EventKind::Fence(_)) {
                self.skip(id, position + 1);
                continue;
            }
            match self.eval(graph.events[e].guard)? {
                1 => return Some(e),
                _ => self.skip(id, position + 1),
            }
        }
    }

    /// Goes on until nothing can happen any more.
    fn go_on(&mut self, random: &mut fastrand::Rng) -> Result<(), Mismatch> {
        while self.step(random)? {}
        for id in self.graph.events.ids() {
            self.leaves.entry(Term::Read(id)).or_insert(0);
        }
        Ok(())
    }

    /// The next event of each thread that can go on.
    fn ready(&mut self) -> Vec<(ThreadId, EventId)> {
        loop {
            let before = self.next.clone();
            let mut ready = Vec::new();
            for id in self.graph.threads.ids() {
                ready.extend(self.front(id).map(|e| (id, e)));
            }
            // A thread that turns out to be finished may be what another one waits for.
            if !ready.is_empty() || self.next == before {
                return ready;
            }
        }
    }

    /// One event happens; false when none can.
    fn step(&mut self, random: &mut fastrand::Rng) -> Result<bool, Mismatch> {
        let mut ready = self.ready();
        if let Some(inside) = self.inside.take()
            && let Some((id, e)) = ready.iter().find(|(id, _)| *id == inside).copied()
        {
            let value = self.returns(id, e, random)?;
            self.happen(id, e, value)?;
            return Ok(true);
        }
        let mut postponed = None;
        while !ready.is_empty() {
            let (id, e) = ready.swap_remove(random.usize(..ready.len()));
            let value = self.returns(id, e, random)?;
            if self.waits_with(e, value) && random.f64() >= WAITS {
                postponed = Some((id, e, value));
                continue;
            }
            self.happen(id, e, value)?;
            return Ok(true);
        }
        match postponed {
            None => Ok(false),
            Some((id, e, value)) => {
                self.happen(id, e, value)?;
                Ok(true)
            }
        }
    }

    /// Where an access goes.
    fn address(&mut self, e: EventId) -> Result<u64, Mismatch> {
        let addr = self.eval(self.graph.events[e].addr);
        let addr = addr.filter(|a| self.coherence.contains_key(a));
        addr.ok_or_else(|| Mismatch(format!("the address of {e} is that of no cell")))
    }

    /// The write that a read reads from; nothing of another event.
    fn returns(
        &mut self,
        id: ThreadId,
        e: EventId,
        random: &mut fastrand::Rng,
    ) -> Result<Option<EventId>, Mismatch> {
        if self.graph.events[e].kind != EventKind::Read {
            return Ok(None);
        }
        let addr = self.address(e)?;
        let writes = &self.coherence[&addr];
        let last = writes.len() - 1;
        let oldest = self.known.get(&(id, addr)).copied().unwrap_or(0);
        let updates = self.updates.contains_key(&e);
        let older = !updates && oldest < last && random.f64() < self.older;
        let at = if older {
            random.usize(oldest..last)
        } else {
            last
        };
        Ok(Some(writes[at]))
    }

    /// Whether a thread waits when one of its reads reads from this.
    fn waits_with(&mut self, e: EventId, from: Option<EventId>) -> bool {
        let (Some(waits), Some(from)) = (self.waits.get(&e).cloned(), from) else {
            return false;
        };
        let value = self.written[&from];
        let leaves = &self.leaves;
        let leaf = |t: Term| match t {
            Term::Read(read) if read == e => Some(value),
            _ => leaves.get(&t).copied(),
        };
        let mut memo = FxHashMap::default();
        let mut holds = |t| self.graph.terms.eval_known(t, &mut memo, &leaf) == Some(1);
        waits.iter().any(|w| holds(w.guard))
    }

    fn happen(&mut self, id: ThreadId, e: EventId, from: Option<EventId>) -> Result<(), Mismatch> {
        let graph = self.graph;
        let event = &graph.events[e];
        if let Some(from) = from {
            let addr = self.address(e)?;
            let value = self.written[&from] & mask(graph.terms.width(event.value));
            self.leaves.insert(Term::Read(e), value);
            self.source.insert(e, from);
            // What is indeterminate of what was written is so of what is read.
            if let Some(shadow) = graph.shadows.get(&e).map(|s| graph.terms.get(*s))
                && matches!(shadow, Term::Nondet(_))
            {
                let written = graph.shadows.get(&from).map_or(Some(0), |s| self.eval(*s));
                self.leaves.insert(shadow, written.unwrap_or(0));
            }
            let place = self.coherence[&addr].iter().position(|w| *w == from);
            let place = place.unwrap_or(0);
            self.stale |= place + 1 < self.coherence[&addr].len();
            self.known.insert((id, addr), place);
        } else if event.kind.writes() {
            let addr = self.address(e)?;
            let value = self.eval(event.value);
            let value = value.ok_or_else(|| Mismatch(format!("{e} writes what is not known")))?;
            self.written.insert(e, value);
            let writes = self.coherence.entry(addr).or_default();
            let place = match event.kind {
                EventKind::Lifetime(Lifetime::Begin) => 1,
                _ => writes.len(),
            };
            writes.insert(place, e);
            self.known.insert((id, addr), place);
        }
        self.next[id] += 1;
        let next = self.front(id);
        let goes_on = next.is_some_and(|next| {
            let same = event.group.is_some() && graph.events[next].group == event.group;
            let updates = self.updates.get(&e);
            same || updates.is_some_and(|writes| writes.contains(&next))
        });
        if goes_on {
            self.inside = Some(id);
        }
        Ok(())
    }
}

/// Values that nothing determines: small ones, constants of the program and what is next to them, others.
fn arbitrary(graph: &EventGraph, random: &mut fastrand::Rng) -> FxHashMap<Term, u64> {
    let terms = || {
        graph
            .terms
            .ids()
            .map(|id| (graph.terms.get(id), graph.terms.width(id)))
    };
    let constants: FxHashSet<u64> = terms()
        .filter_map(|(term, _)| match term {
            Term::Const(value) => Some(value),
            _ => None,
        })
        .take(MAX_CONSTANTS)
        .collect();
    let mut constants: Vec<u64> = constants.into_iter().collect();
    constants.sort_unstable();
    let mut number = |width| {
        let near = constants.get(random.usize(..constants.len().max(1)));
        let near = near.copied().unwrap_or(0);
        let value = match random.u8(..8) {
            0..3 => random.u64(..4),
            3 | 4 => near,
            5 => near.wrapping_add(1),
            6 => near.wrapping_sub(1),
            _ => random.u64(..),
        };
        value & mask(width)
    };
    let leaves = terms().filter(|(term, _)| matches!(term, Term::Nondet(_)));
    leaves.map(|(term, width)| (term, number(width))).collect()
}
