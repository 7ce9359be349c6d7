//! Final states: the values that observables have when all threads have ended.
//!
//! A register's value is a term. Memory keeps what the last write in coherence order has written:
//! a write is last when no other one that happens comes after it.

use super::relations::Encoder;
use crate::relations::bounds::Node;
use crate::unroll::event::{CellId, Final};
use base::idx::{Id, IdVec};
use cat::model::BaseRel;
use ir::program::ObservableId;
use smt::sat::cnf::Lit;

/// Final values as literals.
#[derive(Clone, Debug)]
pub struct Finals {
    /// All threads that were created have ended.
    pub ended: Lit,
    /// Bits of each observable, lowest first; they mean something when all threads have ended.
    pub values: IdVec<ObservableId, Vec<Lit>>,
}

impl Encoder<'_> {
    /// The final values of the graph's observables.
    pub fn finals(&mut self) -> Finals {
        let graph = self.analysis.graph;
        let mut ended = Vec::new();
        if !graph.finals.is_empty() {
            for thread in graph.threads.iter() {
                let (runs, ends) = (self.lit(thread.guard), self.lit(thread.ended));
                ended.push(self.cnf.or(!runs, ends));
            }
        }
        let ended = self.cnf.all(&ended);
        let mut values = IdVec::new();
        for last in graph.finals.iter() {
            values.push(match last {
                Final::Value(term) => {
                    let bits = self.blaster.bits(&mut self.cnf, &graph.terms, *term);
                    bits.to_vec()
                }
                Final::Cell(cell) => self.last_written(*cell),
            });
        }
        Finals { ended, values }
    }

    fn last_written(&mut self, cell: CellId) -> Vec<Lit> {
        let graph = self.analysis.graph;
        let nodes = self.analysis.nodes.ids();
        let writes: Vec<Node> = nodes
            .filter(|n| {
                let event = self.analysis.event(*n);
                event.kind.writes() && event.cells.contains(&cell)
            })
            .collect();
        let width = usize::from(graph.cells[cell].width);
        let mut ways: Vec<Vec<Lit>> = vec![Vec::new(); width];
        for w in &writes {
            let last = self.is_last(*w, cell, &writes);
            let value = self.analysis.event(*w).value;
            let bits = self.blaster.bits(&mut self.cnf, &graph.terms, value);
            for (way, bit) in ways.iter_mut().zip(bits.iter()) {
                way.push(self.cnf.and(last, *bit));
            }
        }
        ways.iter().map(|way| self.cnf.any(way)).collect()
    }

    /// The write is one to the cell, and comes after all others to it.
    fn is_last(&mut self, w: Node, cell: CellId, writes: &[Node]) -> Lit {
        let mut all = vec![self.exec(w), self.touches(w, cell)];
        for other in writes.iter().filter(|o| **o != w) {
            let may = |a: Node, b: Node| {
                let co = &self.analysis.base[&BaseRel::Co].may;
                co.contains(a.index(), b.index())
            };
            if !may(w, *other) {
                continue;
            }
            let happens = self.exec(*other);
            let touches = self.touches(*other, cell);
            let later = self.coherence(w, *other);
            let later = self.cnf.all(&[happens, touches, later]);
            all.push(!later);
        }
        self.cnf.all(&all)
    }

    /// The address of an access is that of one of its cells.
    fn touches(&mut self, n: Node, cell: CellId) -> Lit {
        let graph = self.analysis.graph;
        let init = graph.cells[cell].init;
        match self.analysis.node_of.get(&init) {
            Some(init) => self.same_address(n, *init),
            None => Lit::TRUE,
        }
    }
}
