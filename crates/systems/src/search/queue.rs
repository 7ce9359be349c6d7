//! In which order nodes are looked at: Cubicle's six strategies.
//!
//! Cubes of few processes subsume many, so in every order a node of fewer processes comes first.
//! Among those of as many: breadth first (`bfs`), depth first (`dfs`), or by the number of
//! literals, ties broken by depth one way or the other (`bfsh`, `dfsh`). `bfsa` and `dfsa` look at
//! what descends from approximations (`crate::approx`) before all else, so that a wrong one is
//! found early; without approximations they are `bfs` and `dfs`.

use super::options::SearchOrder;
use super::space::SearchNode;
use crate::cube::any::AnyCube;

/// The place of a node in the queue; the smallest comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct QueueKey {
    /// Nodes that differ here are not looked at together.
    pub batch: (bool, u8, i64),
    rest: i64,
    tie: i64,
}

impl QueueKey {
    /// Of a node at a position.
    pub fn new<C: AnyCube>(order: SearchOrder, node: &SearchNode<C>, id: usize) -> QueueKey {
        let cube = &node.prepared.cube;
        let (depth, size) = (i64::from(node.depth), cube.size() as i64);
        let later = match order {
            SearchOrder::Bfsa | SearchOrder::Dfsa => !node.guessed,
            _ => false,
        };
        let old = id as i64;
        let (first, rest, tie) = match order {
            SearchOrder::Bfs | SearchOrder::Bfsa => (depth, size, old),
            SearchOrder::Dfs | SearchOrder::Dfsa => (-depth, size, -old),
            SearchOrder::Bfsh => (size, depth, old),
            SearchOrder::Dfsh => (size, -depth, old),
        };
        QueueKey {
            batch: (later, cube.procs(), first),
            rest,
            tie,
        }
    }
}
