//! The races of an execution, and its accesses to what does not exist, as literals to ask for.
//!
//! A pair of events is asked about once, whichever way round the relation has it.

use super::relations::Encoder;
use crate::relations::bounds::Node;
use crate::unroll::event::EventId;
use base::idx::Id;
use cat::model::RelId;
use smt::sat::cnf::Lit;

/// Pairs of events, each with the literal that both happen and are related.
pub type Pairs = Vec<((EventId, EventId), Lit)>;

impl Encoder<'_> {
    /// The pairs that may be in a relation that is asked for, each once.
    pub(super) fn open_pairs(&self, relation: RelId) -> Vec<(Node, Node)> {
        let a = self.analysis;
        let may = &a.rels[relation].may;
        let pairs = may.pairs().filter(|(x, y)| x <= y || !may.contains(*y, *x));
        let pairs = pairs.map(|(x, y)| (Node::from_index(x), Node::from_index(y)));
        let is_race = a.model.race == Some(relation);
        let open = pairs.filter(|(x, y)| !(is_race && self.locksets.keep_apart(a, *x, *y)));
        open.collect()
    }

    /// The pairs of a relation that is asked for, of which there are none when it is not.
    pub fn query_pairs(&mut self, relation: Option<RelId>) -> Pairs {
        let Some(relation) = relation else {
            return Vec::new();
        };
        self.asking = true;
        let mut pairs = Vec::new();
        for (a, b) in self.open_pairs(relation) {
            if self.stopped() {
                break;
            }
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

    /// An iteration that changed nothing is followed only where one of its accesses is wrong
    /// ([`Followed`](crate::unroll::event::Followed)).
    pub fn require_wrong_access(&mut self, queried: &[&Pairs]) {
        for followed in &self.analysis.graph.followed {
            let wrong = queried.iter().flat_map(|pairs| pairs.iter());
            let mine = |e: &EventId| followed.accesses.contains(e);
            let wrong = wrong.filter(|((a, b), _)| mine(a) || mine(b));
            let mut clause: Vec<Lit> = wrong.map(|(_, wrong)| *wrong).collect();
            clause.push(!self.lit(followed.when));
            self.cnf.clause(&clause);
        }
    }
}
