//! The limits and the order of a search.

use crate::cube::formula::Overflow;
use crate::preimage::image::TooLarge;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions {
    /// Nodes that may be visited.
    pub max_nodes: usize,
    /// Processes that a cube may have.
    pub max_procs: u8,
    /// Point in time.
    pub until: Option<Instant>,
    /// True while more memory is in use than may be.
    pub full: Option<&'static AtomicBool>,
    /// Threads; as many as the machine has processors when 0. The result does not depend on it.
    pub jobs: usize,
    /// Under flat memory, drop literals of a node whose opposite is subsumed already; see
    /// [`super::generalize`].
    pub generalize: bool,
    /// Which node comes next.
    pub order: SearchOrder,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            max_nodes: 1_000_000,
            max_procs: 12,
            until: None,
            full: None,
            jobs: 1,
            generalize: true,
            order: SearchOrder::default(),
        }
    }
}

impl SearchOptions {
    /// Time and memory.
    ///
    /// # Errors
    /// The one that is used up.
    pub fn look_at_limits(&self) -> Result<(), Reason> {
        if self.until.is_some_and(|u| Instant::now() > u) {
            return Err(Reason::Time);
        }
        if self.full.is_some_and(|f| f.load(Ordering::Relaxed)) {
            return Err(Reason::Memory);
        }
        Ok(())
    }
}

/// Why there is no verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Time.
    Time,
    /// Memory.
    Memory,
    /// Nodes.
    Nodes,
    /// Processes of a cube.
    Procs,
    /// Wrong guesses.
    Guesses,
    /// Numbers or timestamps beyond what is represented.
    Size(TooLarge),
}

impl From<TooLarge> for Reason {
    fn from(t: TooLarge) -> Reason {
        Reason::Size(t)
    }
}

impl From<Overflow> for Reason {
    fn from(_: Overflow) -> Reason {
        Reason::Size(TooLarge::Numbers)
    }
}

/// Which node comes next; see [`super::queue`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum SearchOrder {
    /// Breadth first.
    #[default]
    Bfs,
    /// Depth first.
    Dfs,
    /// Fewer literals first, then breadth.
    Bfsh,
    /// Fewer literals first, then depth.
    Dfsh,
    /// Approximations first, then breadth.
    Bfsa,
    /// Approximations first, then depth.
    Dfsa,
}
