//! One way to write a cycle: of all rotations that begin with a thread, the least.
//!
//! Threads compare first by what their end points do, in the order that makes `WW+RR` of message
//! passing and `W+RW+RR` of write-to-read causality; then by their length and edges. Two cycles are
//! the same test exactly if their canonical rotations are equal, and names are made from them.

use super::edge::{Com, Dir, Edge, RelaxationKind};
use std::fmt;

/// What the first and the last access of a thread do; one access is both.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Ends {
    /// A single write.
    W,
    /// From write to write.
    WW,
    /// From read to read.
    RR,
    /// From read to write.
    RW,
    /// From write to read.
    WR,
    /// A single read.
    R,
}

impl fmt::Display for Ends {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// The threads of a cycle that begins with a thread: the edges from its accesses, the last of them
/// leaves it. A cycle in a single thread begins after a communication.
pub fn threads(edges: &[Edge]) -> Vec<&[Edge]> {
    edges.split_inclusive(|e| e.is_external()).collect()
}

/// The end points of a thread.
pub fn ends(thread: &[Edge]) -> Ends {
    match (thread.len(), thread.first(), thread.last()) {
        (1, Some(edge), _) if edge.source == Dir::W => Ends::W,
        (_, Some(first), Some(last)) if thread.len() > 1 => match (first.source, last.source) {
            (Dir::W, Dir::W) => Ends::WW,
            (Dir::W, Dir::R) => Ends::WR,
            (Dir::R, Dir::W) => Ends::RW,
            (Dir::R, Dir::R) => Ends::RR,
        },
        _ => Ends::R,
    }
}

/// The canonical rotation; `None` when no edge ends a thread.
pub fn canonical(edges: &[Edge]) -> Option<Vec<Edge>> {
    let ends_thread = if edges.iter().any(|e| e.is_external()) {
        Edge::is_external
    } else {
        Edge::is_com
    };
    let rotations = (0..edges.len())
        .filter(|i| ends_thread(edges[*i]))
        .map(|end| {
            let mut rotated = edges.to_vec();
            rotated.rotate_left(end + 1);
            rotated
        });
    rotations.min_by_key(|rotated| sort_key(rotated))
}

/// End points of the threads, length of the first, edges.
fn sort_key(edges: &[Edge]) -> (Vec<Ends>, usize, Vec<(u8, Edge)>) {
    let threads = threads(edges);
    (
        threads.iter().map(|t| ends(t)).collect(),
        threads.first().map_or(0, |t| t.len()),
        edges.iter().map(|e| (group(*e), *e)).collect(),
    )
}

/// Where edges of a kind stand among those of other kinds: what orders more comes first.
fn group(edge: Edge) -> u8 {
    match edge.kind {
        RelaxationKind::Com(Com::Fr | Com::Co, _) => 0,
        RelaxationKind::Fenced(..) => 1,
        RelaxationKind::Dep(..) => 2,
        RelaxationKind::Com(Com::Rf, _) => 3,
        RelaxationKind::Po(_) => 4,
        RelaxationKind::Rmw => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::arch::ppc::Ppc;
    use crate::generate::edge::spell;
    use crate::generate::parse;

    fn check(cycle: &str, expect: &str) {
        let edges = parse::cycle(&Ppc, cycle).expect("edges exist");
        assert_eq!(spell(&canonical(&edges).expect("has threads")), expect);
    }

    #[test]
    fn every_rotation_has_one_canonical_form() {
        check("Rfe PodRR Fre PodWW", "PodWW Rfe PodRR Fre");
        check("PodRR Fre PodWW Rfe", "PodWW Rfe PodRR Fre");
        check("Fre Rfe PodRR Fre Rfe PodRR", "Rfe PodRR Fre Rfe PodRR Fre");
        check("PosWW Coi", "PosWW Coi");
    }

    #[test]
    fn fences_come_before_dependencies_before_bare_order() {
        check("PodRW Rfe DpDatadW Rfe", "DpDatadW Rfe PodRW Rfe");
        check("DpDatadW Rfe SyncdRW Rfe", "SyncdRW Rfe DpDatadW Rfe");
        check("Rfi PodRR Fre SyncdWR Fre", "SyncdWR Fre Rfi PodRR Fre");
    }
}
