//! Deadlocks, as a literal to ask for: every thread has ended or waits forever, and some thread waits.
//!
//! A thread that waits has read from memory that it cannot go on, and does nothing any more. It
//! waits forever when the write it has read from is the last one to its place: then it might look
//! again as often as it likes. Threads that spin in a loop of the program do not count as waiting,
//! nor do those that reach a bound. The end of an object wakes no thread that waits there.

use super::relations::Encoder;
use crate::relations::bounds::Node;
use crate::unroll::event::{EventId, EventKind, Wait};
use base::idx::Id;
use cat::model::BaseRel;
use smt::sat::cnf::Lit;

impl Encoder<'_> {
    /// The execution ends in a deadlock.
    pub fn deadlock(&mut self) -> Lit {
        let graph = self.analysis.graph;
        if graph.waits.is_empty() {
            return Lit::FALSE;
        }
        let waits: Vec<Lit> = graph.waits.iter().map(|w| self.waits(w)).collect();
        let mut all = vec![self.cnf.any(&waits)];
        for (id, thread) in graph.threads.iter_enumerated() {
            let mut ways = vec![!self.lit(thread.guard), self.lit(thread.ended)];
            let own = graph
                .waits
                .iter()
                .zip(&waits)
                .filter(|(w, _)| w.thread == id);
            ways.extend(own.map(|(_, l)| *l));
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
            all.push(self.reads_last(*read));
        }
        self.cnf.all(&all)
    }

    /// What the read has read, if it happens, is never overwritten.
    fn reads_last(&mut self, read: EventId) -> Lit {
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
            let last = self.is_never_overwritten(w);
            all.push(self.cnf.or(!lit, last));
        }
        self.cnf.all(&all)
    }

    fn is_never_overwritten(&mut self, w: Node) -> Lit {
        let co = &self.analysis.base[&BaseRel::Co].may;
        let later: Vec<usize> = co.successors(w.index()).collect();
        let mut all = Vec::new();
        let wakes = |n: &Node| !matches!(self.analysis.event(*n).kind, EventKind::Lifetime(_));
        let later: Vec<Node> = later.into_iter().map(Node::from_index).collect();
        for other in later.into_iter().filter(wakes).collect::<Vec<_>>() {
            let (happens, order) = (self.exec(other), self.coherence(w, other));
            all.push(!self.cnf.and(happens, order));
        }
        self.cnf.all(&all)
    }
}
