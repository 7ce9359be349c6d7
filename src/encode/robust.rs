//! That an execution is not sequentially consistent, as a literal to ask for.
//!
//! The relation of `robust.cat` has a cycle if and only if some points can each be left for another one of them:
//! a path that never ends comes to a point again. So for each point there is a literal that implies such a step.

use super::relations::Encoder;
use crate::relations::bounds::Node;
use base::idx::Id;
use cat::model::RelId;
use ir::program::Atomicity;
use smt::sat::cnf::Lit;
use std::collections::BTreeMap;

/// What happens at one point: an event, or the events of an atomic group that has no fences.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Point {
    Event(Node),
    Group(usize),
}

impl Encoder<'_> {
    /// That a relation has a cycle; false where it is not asked for.
    pub fn cycle(&mut self, relation: Option<RelId>) -> Lit {
        let Some(relation) = relation else {
            return Lit::FALSE;
        };
        let a = self.analysis;
        let point = |node: Node| -> Point {
            let group = a.event(node).group;
            let group = group.filter(|g| a.graph.groups[*g].kind != Atomicity::Section);
            group.map_or(Point::Event(node), |group| Point::Group(group.index()))
        };
        let may = &a.rels[relation].may;
        let pairs = may.pairs();
        let pairs = pairs.map(|(x, y)| (Node::from_index(x), Node::from_index(y)));
        let pairs: Vec<(Node, Node)> = pairs.filter(|(x, y)| point(*x) != point(*y)).collect();
        let mut on_cycle: BTreeMap<Point, Lit> = BTreeMap::new();
        for (x, _) in &pairs {
            on_cycle.entry(point(*x)).or_insert(Lit::FALSE);
        }
        for lit in on_cycle.values_mut() {
            *lit = self.cnf.fresh();
        }
        self.asking = true;
        let mut steps: BTreeMap<Point, Vec<Lit>> = BTreeMap::new();
        for (x, y) in pairs {
            if self.stopped() {
                break;
            }
            let Some(next) = on_cycle.get(&point(y)).copied() else {
                continue;
            };
            let (related, first, second) = (self.pair(relation, x, y), self.exec(x), self.exec(y));
            let step = self.cnf.all(&[related, first, second, next]);
            steps.entry(point(x)).or_default().push(step);
        }
        self.finish_recursion();
        self.asking = false;
        for (point, lit) in &on_cycle {
            let mut clause = steps.remove(point).unwrap_or_default();
            clause.push(!*lit);
            self.cnf.clause(&clause);
        }
        let all: Vec<Lit> = on_cycle.into_values().collect();
        self.cnf.any(&all)
    }
}
