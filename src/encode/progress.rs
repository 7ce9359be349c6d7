//! Executions in which no thread makes progress any more, as literals to ask for: each thread has ended, waits forever,
//! or spins forever.
//!
//! A thread that waits has read from memory that it cannot go on, and does nothing any more. It
//! waits forever when the write it has read from is the last one to its place: then it might look
//! again as often as it likes. The end of an object wakes no thread that waits there. So it is with a
//! loop whose last iteration changed nothing ([`Spin`]), where the writes of others that do so, too, and that
//! leave what was there, do not count: the thread reads from them as well. A thread that reaches a bound goes on.
//!
//! Of a deadlock some thread waits for the library, of one that does not terminate some thread is in a loop. A loop
//! that is not left because of what it reads is no wait; with others that wait for its thread it is no deadlock.

use super::relations::Encoder;
use crate::relations::bounds::Node;
use crate::unroll::event::{EventId, EventKind, Spin, ThreadId, Wait};
use base::idx::Id;
use cat::model::BaseRel;
use smt::sat::cnf::Lit;
use std::collections::BTreeMap;

/// No thread makes progress any more.
#[derive(Clone, Copy, Debug)]
pub struct NoProgress {
    /// Some thread waits.
    pub deadlock: Lit,
    /// Some thread spins.
    pub spins: Lit,
}

impl NoProgress {
    /// Not asked for.
    pub const NONE: NoProgress = NoProgress {
        deadlock: Lit::FALSE,
        spins: Lit::FALSE,
    };
}

/// Writes that leave what was there, each with the condition that its thread spins: those of a critical section, and
/// others.
#[derive(Default)]
struct Repeated {
    sections: BTreeMap<Node, Vec<Lit>>,
    others: BTreeMap<Node, Vec<Lit>>,
}

impl Encoder<'_> {
    /// The execution ends so.
    pub fn no_progress(&mut self) -> NoProgress {
        let graph = self.analysis.graph;
        if graph.waits.is_empty() && graph.spins.is_empty() {
            return NoProgress::NONE;
        }
        let waits: Vec<Lit> = graph.waits.iter().map(|w| self.waits(w)).collect();
        let repeated = self.repeated();
        let spins: Vec<Lit> = graph
            .spins
            .iter()
            .map(|spin| self.spins(spin, &repeated))
            .collect();
        let all = graph.waits.iter().map(|w| w.thread).zip(waits.clone());
        let all: Vec<_> = all.collect();
        let looping = || graph.spins.iter().zip(&spins);
        let awaits = looping().filter(|(spin, _)| spin.is_await);
        let awaits = awaits.map(|(spin, lit)| (spin.thread, *lit));
        let awaits: Vec<_> = all.iter().copied().chain(awaits).collect();
        let all: Vec<_> = all
            .into_iter()
            .chain(looping().map(|(spin, lit)| (spin.thread, *lit)))
            .collect();
        let [deadlock, spins] = [(waits, awaits), (spins, all)].map(|(some, ways)| {
            let some = self.cnf.any(&some);
            let standing = match some {
                Lit::FALSE => Lit::FALSE,
                _ => self.stand(&ways),
            };
            self.cnf.and(some, standing)
        });
        NoProgress { deadlock, spins }
    }

    /// Each thread has ended, or is in one of some places, and the process has not ended.
    fn stand(&mut self, places: &[(ThreadId, Lit)]) -> Lit {
        let graph = self.analysis.graph;
        let mut all = Vec::new();
        for (id, thread) in graph.threads.iter_enumerated() {
            let mut ways = vec![!self.lit(thread.guard), self.lit(thread.ended)];
            let own = places.iter().filter(|(thread, _)| *thread == id);
            ways.extend(own.map(|(_, lit)| *lit));
            all.push(self.cnf.any(&ways));
        }
        for halt in &graph.halts {
            all.push(!self.lit(*halt));
        }
        self.cnf.all(&all)
    }

    /// The thread has come there and waits forever.
    fn waits(&mut self, wait: &Wait) -> Lit {
        let mut all = vec![self.lit(wait.guard)];
        for read in &wait.reads {
            all.push(self.reads_last(*read, &BTreeMap::new()));
        }
        self.cnf.all(&all)
    }

    /// The thread has come there and spins forever.
    fn spins(&mut self, spin: &Spin, repeated: &Repeated) -> Lit {
        let graph = self.analysis.graph;
        let mut all = vec![self.lit(spin.guard)];
        for read in &spin.reads {
            let but = match spin.reads_mutex(graph, *read) {
                true => &repeated.sections,
                false => &repeated.others,
            };
            all.push(self.reads_last(*read, but));
        }
        self.cnf.all(&all)
    }

    fn repeated(&mut self) -> Repeated {
        let mut found = Repeated::default();
        for spin in &self.analysis.graph.spins {
            let guard = self.lit(spin.guard);
            for write in &spin.writes {
                let Some(node) = self.analysis.node_of.get(write) else {
                    continue;
                };
                let writes = match spin.section {
                    Some(_) => &mut found.sections,
                    None => &mut found.others,
                };
                writes.entry(*node).or_default().push(guard);
            }
        }
        found
    }

    /// What the read has read, if it happens, is never overwritten, but by some writes under their conditions.
    fn reads_last(&mut self, read: EventId, but: &BTreeMap<Node, Vec<Lit>>) -> Lit {
        let Some(r) = self.analysis.node_of.get(&read).copied() else {
            return Lit::TRUE;
        };
        let sources: Vec<(Node, Lit)> = self
            .rf
            .iter()
            .filter(|((_, to), _)| *to == r)
            .map(|((w, _), l)| (*w, *l))
            .collect();
        let mut all = Vec::new();
        for (w, lit) in sources {
            let last = self.is_never_overwritten(w, but);
            all.push(self.cnf.or(!lit, last));
        }
        self.cnf.all(&all)
    }

    fn is_never_overwritten(&mut self, w: Node, but: &BTreeMap<Node, Vec<Lit>>) -> Lit {
        let co = &self.analysis.base[&BaseRel::Co].may;
        let later: Vec<usize> = co.successors(w.index()).collect();
        let mut all = Vec::new();
        let wakes = |n: &Node| !matches!(self.analysis.event(*n).kind, EventKind::Lifetime(_));
        let later: Vec<Node> = later.into_iter().map(Node::from_index).collect();
        for other in later.into_iter().filter(wakes).collect::<Vec<_>>() {
            let (happens, order) = (self.exec(other), self.coherence(w, other));
            let overwrites = self.cnf.and(happens, order);
            let mut ways = but.get(&other).cloned().unwrap_or_default();
            ways.push(!overwrites);
            all.push(self.cnf.any(&ways));
        }
        self.cnf.all(&all)
    }
}
