//! Critical sections that were left out with an iteration, as a literal for what forbids that.
//!
//! A section may be left out when no thread writes the mutex between its two writes, and no thread sees
//! that it is taken but to wait for the mutex: see `unroll::idle`. A read-modify-write that comes
//! between reads from the first write, so it is among those that see it.

use super::relations::Encoder;
use crate::relations::bounds::Node;
use crate::unroll::event::{EventId, Section};
use base::idx::Id;
use cat::model::BaseRel;
use smt::sat::cnf::Lit;

impl Encoder<'_> {
    /// Another thread disturbs the section.
    pub fn disturbed(&mut self, section: &Section) -> Lit {
        let node = |e: &EventId| self.analysis.node_of.get(e).copied();
        let (Some(taken), Some(given)) = (node(&section.taken), node(&section.given)) else {
            return Lit::TRUE;
        };
        let thread = self.analysis.event(taken).thread;
        let mut all = Vec::new();
        let co = &self.analysis.base[&BaseRel::Co].may;
        let later: Vec<usize> = co.successors(taken.index()).collect();
        for w in later.into_iter().map(Node::from_index) {
            let event = self.analysis.event(w);
            if event.thread == thread || event.rmw_read.is_some() {
                continue;
            }
            let parts = [
                self.exec(w),
                self.coherence(taken, w),
                self.coherence(w, given),
            ];
            all.push(self.cnf.all(&parts));
        }
        let readers: Vec<(Node, Lit)> = self
            .rf
            .iter()
            .filter(|((w, _), _)| *w == taken)
            .map(|((_, r), lit)| (*r, *lit))
            .collect();
        for (r, lit) in readers {
            if self.analysis.event(r).thread != thread {
                let (happens, waits) = (self.exec(r), self.waits_behind(r));
                all.push(self.cnf.all(&[happens, lit, !waits]));
            }
        }
        self.cnf.any(&all)
    }

    /// The thread goes no further behind a read, but waits.
    fn waits_behind(&mut self, r: Node) -> Lit {
        let read = self.analysis.nodes[r];
        let graph = self.analysis.graph;
        let waits = graph.waits.iter().filter(|w| w.reads == [read]);
        let waits: Vec<Lit> = waits.map(|w| self.lit(w.guard)).collect();
        self.cnf.any(&waits)
    }
}
