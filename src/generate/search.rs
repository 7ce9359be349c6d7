//! All cycles up to a size over given candidates.
//!
//! As in `diy`, some candidates are under test ("relax"), the others are believed to be safe: each
//! cycle has a candidate under test, the same one wherever it has one, unless they may be mixed.
//! Which candidates may follow each other is restricted so that a cycle is not a smaller one in
//! disguise: `Rfe Fre` is a coherence edge, a fence after bare program order says no more than the
//! fence.

use super::cycle::Cycle;
use super::edge::{Com, Dir, Edge, Place, RelaxationKind, Side, spell};
use super::normal;
use super::parse::Chunk;
use rustc_hash::FxHashSet;
use std::ops::RangeInclusive;

/// What to search for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Search {
    /// Candidates under test; without any, cycles are over the safe ones.
    pub relax: Vec<Chunk>,
    /// Other candidates.
    pub safe: Vec<Chunk>,
    /// A cycle may have several candidates under test.
    pub mix: bool,
    /// Most candidates of a cycle.
    pub size: usize,
    /// How many threads.
    pub threads: RangeInclusive<usize>,
    /// Most accesses of a thread.
    pub accesses: usize,
}

/// A cycle and the candidates that it tests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The cycle.
    pub cycle: Cycle,
    /// Candidates under test in it.
    pub relax: String,
    /// Its other candidates.
    pub safe: String,
}

/// The cycles, each once, in the order of the candidates.
pub fn search(search: &Search) -> Vec<Found> {
    let safe: Vec<Candidate> = search
        .safe
        .iter()
        .filter(|c| !search.relax.contains(c))
        .map(|chunk| Candidate {
            chunk,
            relax: false,
        })
        .collect();
    let relax: Vec<Candidate> = search
        .relax
        .iter()
        .map(|chunk| Candidate { chunk, relax: true })
        .collect();
    let mut state = State {
        search,
        path: Vec::new(),
        seen: FxHashSet::default(),
        found: Vec::new(),
    };
    if relax.is_empty() {
        state.start_from(&safe, &safe);
    } else if search.mix {
        state.start_from(&relax, &[&relax[..], &safe].concat());
    } else {
        for one in &relax {
            state.start_from(&[*one], &[&[*one][..], &safe].concat());
        }
    }
    state.found
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Candidate<'a> {
    chunk: &'a Chunk,
    relax: bool,
}

impl Candidate<'_> {
    fn first(&self) -> Option<Edge> {
        self.chunk.first().copied()
    }
}

struct State<'a> {
    search: &'a Search,
    path: Vec<Candidate<'a>>,
    seen: FxHashSet<Vec<Edge>>,
    found: Vec<Found>,
}

impl<'a> State<'a> {
    fn start_from(&mut self, firsts: &[Candidate<'a>], all: &[Candidate<'a>]) {
        for first in firsts {
            self.path.push(*first);
            self.extend(all);
            self.path.pop();
        }
    }

    fn extend(&mut self, all: &[Candidate<'a>]) {
        let edges: Vec<Edge> = self.path.iter().flat_map(|c| c.chunk.clone()).collect();
        if self.path.len() > self.search.size || self.too_large(&edges) {
            return;
        }
        let (Some(first), Some(last)) = (edges.first(), edges.last()) else {
            return;
        };
        if may_follow(*last, *first) {
            self.close(&edges);
        }
        for next in all {
            if next.first().is_some_and(|next| may_follow(*last, next)) {
                self.path.push(*next);
                self.extend(all);
                self.path.pop();
            }
        }
    }

    fn too_large(&self, edges: &[Edge]) -> bool {
        let external = edges.iter().filter(|e| e.is_external()).count();
        let mut threads = edges.split(|e| e.is_external());
        external > *self.search.threads.end() || threads.any(|t| t.len() >= self.search.accesses)
    }

    /// Keeps the path if it is a cycle of its own.
    fn close(&mut self, edges: &[Edge]) {
        let external = edges.iter().filter(|e| e.is_external()).count();
        if !self.search.threads.contains(&external) {
            return;
        }
        let changes = edges.iter().filter(|e| e.changes_location()).count();
        let Some(canonical) = normal::canonical(edges).filter(|_| external > 1 && changes > 1)
        else {
            return;
        };
        if self.too_large(&canonical) || !self.seen.insert(canonical) {
            return;
        }
        let cycle = match Cycle::new(edges) {
            Ok(cycle) if !cycle.breaks_coherence() => cycle,
            _ => return,
        };
        self.found.push(Found {
            cycle,
            relax: self.candidates(true),
            safe: self.candidates(false),
        });
    }

    /// The candidates of the path, each once.
    fn candidates(&self, relax: bool) -> String {
        let mut names: Vec<String> = Vec::new();
        for candidate in self.path.iter().filter(|c| c.relax == relax) {
            let name = match candidate.chunk.as_slice() {
                [edge] => edge.to_string(),
                edges => format!("[{}]", spell(edges).replace(' ', ",")),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(" ")
    }
}

/// May the second edge come right after the first?
fn may_follow(first: Edge, second: Edge) -> bool {
    if !first.meets(second) {
        return false;
    }
    match (first.kind, second.kind) {
        // Together they are one communication.
        (RelaxationKind::Com(Com::Co | Com::Fr, a), RelaxationKind::Com(Com::Co, b))
        | (RelaxationKind::Com(Com::Rf, a), RelaxationKind::Com(Com::Fr, b)) => a != b,
        // A fence that is not cumulative does nothing for what was read or will be.
        (RelaxationKind::Com(Com::Rf, _), RelaxationKind::Fenced(fence, _))
        | (RelaxationKind::Fenced(fence, _), RelaxationKind::Com(Com::Rf, _))
            if !fence.cumulative =>
        {
            false
        }
        _ if first.is_external() || second.is_external() => true,
        _ => stay_apart(first, second),
    }
}

/// From read to read.
const READS: (Dir, Dir) = (Dir::R, Dir::R);

/// From a write to a read of it.
const FORWARDING: (Dir, Dir) = (Dir::W, Dir::R);

/// Do two edges in a thread say more than the thread's order from the first access to the last?
fn stay_apart(first: Edge, second: Edge) -> bool {
    let local = |e: Edge| {
        matches!(e.kind, RelaxationKind::Com(_, Side::Internal))
            || matches!(e.kind, RelaxationKind::Po(Place::Same) if (e.source, e.target) != READS)
    };
    let forwards = |e: Edge| local(e) && (e.source, e.target) == FORWARDING;
    let onwards = |e: Edge| {
        matches!(
            e.kind,
            RelaxationKind::Dep(..) | RelaxationKind::Po(Place::Different)
        )
    };
    let same = |e: Edge| e.kind == RelaxationKind::Po(Place::Same);
    let away = |e: Edge| onwards(e) && e.changes_location();
    let is_dep = |e: Edge| matches!(e.kind, RelaxationKind::Dep(..));
    (local(first) && onwards(second))
        || (onwards(first) && local(second))
        || (away(first) && away(second) && is_dep(first) != is_dep(second))
        || (forwards(first) && same(second))
        || (same(first) && forwards(second))
        || first.kind == RelaxationKind::Rmw
        || second.kind == RelaxationKind::Rmw
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::arch::{Arch, ppc::Ppc, x86::X86};
    use crate::generate::{of_search, parse};

    fn names(arch: &dyn Arch, relax: &str, safe: &str, size: usize, mix: bool) -> Vec<String> {
        let candidates = |text| parse::candidates(arch, text).expect("edges exist");
        let generated = of_search(
            arch,
            &Search {
                relax: candidates(relax),
                safe: candidates(safe),
                mix,
                size,
                threads: 2..=4,
                accesses: 4,
            },
        );
        generated.tests.into_iter().map(|t| t.name).collect()
    }

    #[test]
    fn one_candidate_under_test() {
        assert_eq!(names(&X86, "PodWR", "Fre", 4, false), ["SB"]);
        assert_eq!(names(&X86, "PodWR", "Fre", 6, false), ["SB", "3.SB"]);
        assert_eq!(
            names(&X86, "PodWR MFencedWR", "Fre", 4, false),
            ["SB", "SB+mfences"]
        );
    }

    #[test]
    fn mixed_candidates() {
        assert_eq!(
            names(&X86, "PodWR MFencedWR", "Fre", 4, true),
            ["SB", "SB+mfence+po", "SB+mfences"]
        );
    }

    #[test]
    fn all_shapes_of_two_threads() {
        let mut found = names(&Ppc, "Pod**", "Rfe Fre Coe", 4, true);
        found.sort();
        assert_eq!(found, ["2+2W", "LB", "MP", "R", "S", "SB"]);
    }

    #[test]
    fn composite_candidates_count_as_one() {
        assert_eq!(names(&X86, "[Rfi,PodRR]", "Fre", 4, false), ["SB+rfi-pos"]);
    }

    #[test]
    fn cycles_that_are_smaller_ones_in_disguise_are_left_out() {
        assert!(names(&Ppc, "Rfe Fre", "PosRR PodRR", 4, true).is_empty());
        assert!(names(&Ppc, "ISyncdRR", "Rfe Fre PodWW", 4, false).is_empty());
    }
}
