//! The way from a node to the unsafe formula.

use super::space::{Call, Search, SearchNode};
use crate::cube::any::AnyCube;

/// The way from a node that meets the initial states to the unsafe formula, processes numbered
/// from 0.
#[derive(Clone, Debug)]
pub struct AbstractTrace {
    /// What fires.
    pub calls: Vec<Call>,
    /// For each call the processes that the cubes around it speak of.
    pub known: Vec<Vec<u8>>,
    /// How many processes there are: as few as the cubes allow.
    pub procs: u8,
}

impl<C: AnyCube> Search<'_, C> {
    /// The calls from a node that meets the initial states to the unsafe formula.
    pub fn trace(&self, id: usize) -> AbstractTrace {
        trace(&self.nodes, id, self.context.system.fixed)
    }
}

/// The trace from a node. The first `fixed` processes are always there.
fn trace<C: AnyCube>(nodes: &[SearchNode<C>], id: usize, fixed: u8) -> AbstractTrace {
    let known_by = |at: usize| nodes[at].prepared.cube.procs();
    let mut names: Vec<u8> = (0..known_by(id)).collect();
    let mut procs = known_by(id).max(fixed);
    let (mut calls, mut known, mut at) = (Vec::new(), Vec::new(), id);
    while let Some((next, (t, args), map)) = &nodes[at].next {
        // A process that the earlier cube does not name may be any that it does not name.
        let mut used = names.clone();
        let mut all = Vec::new();
        for m in map {
            let name = match m {
                Some(p) => names[usize::from(*p)],
                None => (0..=u8::MAX).find(|n| !used.contains(n)).unwrap_or(u8::MAX),
            };
            used.push(name);
            all.push(name);
            procs = procs.max(name.saturating_add(1));
        }
        calls.push((*t, args.iter().map(|a| all[usize::from(*a)]).collect()));
        known.push(all.clone());
        names = all;
        names.truncate(usize::from(known_by(*next)));
        at = *next;
    }
    AbstractTrace {
        calls,
        known,
        procs: procs.max(1),
    }
}
