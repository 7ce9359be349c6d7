//! Tickets: numbers that threads take from a counter, no two of them the same. Such a number is what an addition of one
//! returns, or what is read under a lock and made more before the lock is given back.
//!
//! Let all writes to the counter, since there are threads, be atomic additions of one. Then it never becomes less in
//! coherence, and each addition reads another number. Or let them be stores of more than what the thread has read there, with one
//! lock from the read to the store; then it is more at the end of each such section than where it began, and the sections come
//! one after another. That it does not wrap around is an assumption.

use crate::analysis::Analysis;
use crate::graph::NodeId;
use crate::locks::{Lock, Locks};
use crate::threads::{Access, Change, Source};
use crate::value::{At, KindId, StaticBytes, Sym, SymId, ValId};
use ir::program::sign_extend;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// How a counter is raised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Raised {
    Atomically,
    /// Under this lock.
    With(ValId),
}

/// Counters that were looked at.
#[derive(Default)]
pub struct Tickets {
    known: FxHashMap<StaticBytes, Option<Raised>>,
}

impl Tickets {
    /// Which kind of thread has taken a ticket, and the counter: no other ticket of any thread is the same.
    pub fn counter(
        &mut self,
        analysis: &Analysis,
        locks: &mut Locks,
        sym: SymId,
    ) -> Option<(KindId, StaticBytes)> {
        let Sym::Result(at) = *analysis.threads.values.of_sym(sym) else {
            return None;
        };
        if !analysis.has_company(at) {
            return None;
        }
        let counter = read(analysis, at.0, sym)?;
        let known = self.known.get(&counter).copied();
        let raised = known.unwrap_or_else(|| raised(analysis, locks, counter));
        self.known.insert(counter, raised);
        let is_ticket = match raised? {
            Raised::Atomically => {
                let mut accesses = analysis.conducts[at.0].accesses.iter();
                accesses.any(|a| a.at == at && matches!(a.write, Some((Change::Add, _))))
            }
            Raised::With(lock) => Section::new(analysis, at, lock).is_raised(counter),
        };
        is_ticket.then_some((at.0, counter))
    }
}

/// Where a symbol was read, if that is one place.
fn read(analysis: &Analysis, kind: KindId, sym: SymId) -> Option<StaticBytes> {
    match analysis.conducts[kind].sources.get(&sym)? {
        Source::Memory(addr, size) => analysis.threads.values.static_bytes(*addr, *size),
        Source::OneOf(_) | Source::Returned => None,
    }
}

/// How all writes to a counter raise it, since there are threads.
fn raised(analysis: &Analysis, locks: &mut Locks, counter: StaticBytes) -> Option<Raised> {
    let mut all: Option<Raised> = None;
    for access in analysis.writes_beside_threads(counter) {
        if analysis
            .threads
            .values
            .static_bytes(access.addr, access.size?)
            != Some(counter)
        {
            return None;
        }
        let (change, _) = access.write?;
        let how = match change {
            Change::Add => Raised::Atomically,
            _ => Raised::With(section_of(analysis, locks, access, counter)?),
        };
        if *all.get_or_insert(how) != how {
            return None;
        }
    }
    all
}

/// The lock that a thread has from where it reads a counter to where it stores more there.
fn section_of(
    analysis: &Analysis,
    locks: &mut Locks,
    store: &Access,
    counter: StaticBytes,
) -> Option<ValId> {
    let (kind, node) = store.at;
    let conduct = &analysis.conducts[kind];
    let sym = more_than(analysis, *conduct.stored.get(&node)?)?;
    let Sym::Result(at) = *analysis.threads.values.of_sym(sym) else {
        return None;
    };
    if at.0 != kind || read(analysis, kind, sym)? != counter {
        return None;
    }
    let held = &conduct.points.get(&at.1)?.held;
    let mut common = held.intersection(&store.held).copied();
    common.find(|lock| {
        let sum = analysis.threads.values.of(*lock);
        let is_one = |sym: SymId| matches!(analysis.threads.values.of_sym(sym), Sym::Global(_));
        sum.terms.iter().all(|(sym, _)| is_one(*sym))
            && locks.of(analysis, *lock) != Lock::None
            && Section::new(analysis, at, *lock).is_the_only_way_to(node)
    })
}

/// The symbol of which a value is a little more.
fn more_than(analysis: &Analysis, value: ValId) -> Option<SymId> {
    let sum = analysis.threads.values.of(value);
    match sum.terms[..] {
        [(sym, 1)] if (1..=1 << 16).contains(&sign_extend(sum.constant, sum.width)) => Some(sym),
        _ => None,
    }
}

/// What a thread does from a point on as long as it has a lock.
struct Section<'a> {
    analysis: &'a Analysis,
    from: At,
    lock: ValId,
}

impl<'a> Section<'a> {
    fn new(analysis: &'a Analysis, from: At, lock: ValId) -> Section<'a> {
        Section {
            analysis,
            from,
            lock,
        }
    }

    fn next(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<'a> {
        let graph = &self.analysis.threads.graphs[self.from.0];
        let points = &self.analysis.conducts[self.from.0].points;
        let next = graph.next[node].iter().map(|(_, to)| *to);
        next.filter(|to| points.contains_key(to))
    }

    fn has_lock(&self, node: NodeId) -> bool {
        let point = &self.analysis.conducts[self.from.0].points[&node];
        point.held.contains(&self.lock)
    }

    /// Where the thread may come to before it gives the lock back or begins again.
    fn inside(&self) -> BTreeSet<NodeId> {
        let mut inside = BTreeSet::new();
        let mut open = vec![self.from.1];
        while let Some(node) = open.pop() {
            let next = self.next(node).filter(|to| self.has_lock(*to));
            open.extend(next.filter(|to| *to != self.from.1 && inside.insert(*to)));
        }
        inside
    }

    /// Whether more than what was read, then or later, is stored in a counter before the lock is given back, whatever way
    /// the thread takes.
    fn is_raised(&self, counter: StaticBytes) -> bool {
        let conduct = &self.analysis.conducts[self.from.0];
        let inside = self.inside();
        let is_later = |at: At| {
            let is_behind = at.0 == self.from.0 && inside.contains(&at.1);
            let later = || Section::new(self.analysis, at, self.lock);
            at == self.from || is_behind && !later().inside().contains(&self.from.1)
        };
        let raises = |node: NodeId| {
            let sym = more_than(self.analysis, *conduct.stored.get(&node)?)?;
            let Sym::Result(at) = *self.analysis.threads.values.of_sym(sym) else {
                return None;
            };
            let is_of_counter = read(self.analysis, self.from.0, sym) == Some(counter);
            (is_of_counter && is_later(at)).then_some(())
        };
        let mut seen: BTreeSet<NodeId> = BTreeSet::new();
        let mut open = vec![self.from.1];
        while let Some(node) = open.pop() {
            let mut ends = true;
            for to in self.next(node) {
                ends = false;
                if raises(to).is_some() || !seen.insert(to) {
                    continue;
                }
                if to == self.from.1 || !self.has_lock(to) {
                    return false;
                }
                open.push(to);
            }
            if ends {
                return false;
            }
        }
        self.has_lock(self.from.1)
    }

    /// Whether the thread comes to a point from where it begins with the lock alone, unless it begins again.
    fn is_the_only_way_to(&self, node: NodeId) -> bool {
        let mut seen: BTreeSet<(NodeId, bool)> = BTreeSet::new();
        let mut open = vec![(self.from.1, self.has_lock(self.from.1))];
        while let Some((at, holds)) = open.pop() {
            for to in self.next(at).filter(|to| *to != self.from.1) {
                let holds = holds && self.has_lock(to);
                if to == node && !holds {
                    return false;
                }
                if seen.insert((to, holds)) {
                    open.push((to, holds));
                }
            }
        }
        true
    }
}
