//! Where graphs go on in several ways.

use super::graph::{Graph, Saved};
use super::runs::RunId;

/// A write that a read may read from, and how its thread goes on then.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub source: usize,
    pub run: RunId,
    pub is_first_way: bool,
}

/// A graph that goes on in several ways, and those that are left.
pub(super) struct Branch {
    /// The graph before.
    pub saved: Saved,
    pub ways: Ways,
    /// See [`Progress::share`](super::Progress::share): of each way.
    pub weight: f64,
}

impl Branch {
    /// The runs that it refers to.
    pub fn runs(&self) -> impl Iterator<Item = RunId> {
        let (candidates, revisits, aside) = match &self.ways {
            Ways::Read { candidates, .. } => (&candidates[..], &[][..], None),
            Ways::Write {
                revisits, aside, ..
            } => (&[][..], &revisits[..], aside.as_ref()),
            Ways::Choice { .. } | Ways::Places { .. } => (&[][..], &[][..], None),
        };
        let aside = aside.into_iter().flat_map(|graph| graph.runs());
        let all = candidates
            .iter()
            .map(|c| c.run)
            .chain(revisits.iter().map(|r| r.run));
        all.chain(aside).chain(self.saved.runs())
    }
}

/// The ways in which a graph goes on, the next one last.
pub(super) enum Ways {
    /// A thread reads from a location.
    Read {
        thread: usize,
        location: usize,
        candidates: Vec<Candidate>,
    },
    /// A thread goes one of several ways.
    Choice { thread: usize, ways: Vec<usize> },
    /// A write that was added is read by reads that were there before, and then has its places in coherence.
    Write {
        write: usize,
        revisits: Vec<Revisit>,
        /// The graph, while that of a revisit is looked at.
        aside: Option<Box<Graph>>,
        is_placed: bool,
    },
    /// A write has a place in coherence.
    Places { write: usize, places: Vec<usize> },
}

impl Ways {
    /// How many are left.
    pub fn count(&self) -> usize {
        match self {
            Ways::Read { candidates, .. } => candidates.len(),
            Ways::Choice { ways, .. } => ways.len(),
            Ways::Write { revisits, .. } => revisits.len() + 1,
            Ways::Places { places, .. } => places.len(),
        }
    }
}

/// A read that was there before a write reads from it, and its thread goes on so.
#[derive(Clone, Copy)]
pub(super) struct Revisit {
    pub read: usize,
    pub run: RunId,
    pub is_first_way: bool,
}
