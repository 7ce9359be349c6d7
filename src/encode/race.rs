//! The races of an execution, and its uses of what is freed, as literals to ask for.
//!
//! A pair of events is asked about once, whichever way round the relation has it.

use super::bits::equal;
use super::cnf::Lit;
use super::relations::Encoder;
use crate::idx::Id;
use crate::mm::bounds::Node;
use crate::mm::model::RelId;
use crate::unroll::event::EventId;

/// Pairs of events, each with the literal that both happen and are related.
pub type Pairs = Vec<((EventId, EventId), Lit)>;

impl Encoder<'_> {
    /// The pairs of a relation that is asked for, of which there are none when it is not.
    pub fn asked(&mut self, relation: Option<RelId>) -> Pairs {
        let Some(relation) = relation else {
            return Vec::new();
        };
        self.asking = true;
        let may = &self.analysis.rels[relation].may;
        let mut pairs = Vec::new();
        for (a, b) in may.pairs().filter(|(a, b)| a < b || !may.contains(*b, *a)) {
            if self.stopped() {
                break;
            }
            let (a, b) = (Node::from_index(a), Node::from_index(b));
            let (there, back) = (self.pair(relation, a, b), self.pair(relation, b, a));
            let related = self.cnf.or(there, back);
            let (x, y) = (self.exec(a), self.exec(b));
            let event = |n| self.analysis.nodes[n];
            let events = (event(a), event(b));
            pairs.push((events, self.cnf.all(&[related, x, y])));
        }
        self.finish_recursion();
        self.asking = false;
        pairs
    }

    /// `free` frees the object that `other` uses or frees.
    pub fn same_object(&mut self, free: Node, other: Node) -> Lit {
        let graph = self.analysis.graph;
        let (mine, theirs) = (self.analysis.objects(free), self.analysis.objects(other));
        let is_free = |n: Node| graph.frees.contains_key(&self.analysis.nodes[n]);
        let frees_too = is_free(other);
        let mut ways = Vec::new();
        for object in mine.iter().filter(|o| theirs.contains(o)) {
            let freed = self.has_address(free, *object);
            let used = if frees_too {
                self.has_address(other, *object)
            } else if theirs.len() == 1 {
                Lit::TRUE
            } else {
                let cells = self.analysis.event(other).cells.iter();
                let inside = cells.filter(|c| graph.cells[**c].object == *object);
                let addresses: Vec<u64> = inside.map(|c| graph.cells[*c].addr).collect();
                let at: Vec<Lit> = addresses
                    .iter()
                    .map(|a| self.has_address(other, *a))
                    .collect();
                self.cnf.any(&at)
            };
            ways.push(self.cnf.and(freed, used));
        }
        self.cnf.any(&ways)
    }

    fn has_address(&mut self, n: Node, addr: u64) -> Lit {
        let terms = &self.analysis.graph.terms;
        let bits = self
            .blaster
            .bits(&mut self.cnf, terms, self.analysis.event(n).addr);
        let wanted: Vec<Lit> = (0..bits.len())
            .map(|i| Lit::constant(i < 64 && addr >> i & 1 == 1))
            .collect();
        equal(&mut self.cnf, &bits, &wanted)
    }
}
