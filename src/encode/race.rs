//! The races of an execution, as literals to ask for.
//!
//! A pair of events is asked about once, whichever way round the relation has it.

use super::cnf::Lit;
use super::relations::Encoder;
use crate::idx::Id;
use crate::mm::bounds::Node;

impl Encoder<'_> {
    /// The pairs that may race, each with the literal that both happen and do. None when the model
    /// does not say what a race is.
    pub fn races(&mut self) -> Vec<((Node, Node), Lit)> {
        let Some(race) = self.analysis.model.race else {
            return Vec::new();
        };
        self.asking = true;
        let may = &self.analysis.rels[race].may;
        let mut races = Vec::new();
        for (a, b) in may.pairs().filter(|(a, b)| a < b || !may.contains(*b, *a)) {
            let (a, b) = (Node::from_index(a), Node::from_index(b));
            let unordered = self.pair(race, a, b);
            let (x, y) = (self.exec(a), self.exec(b));
            races.push(((a, b), self.cnf.all(&[unordered, x, y])));
        }
        self.finish_recursion();
        self.asking = false;
        races
    }
}
