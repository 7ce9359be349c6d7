//! The nodes that a search has made, and its verdict.

use super::options::{Reason, SearchOptions};
use crate::cube::any::AnyCube;
use crate::cube::formula::Disjunct;
use crate::cube::tso::Cube;
use crate::subsume::embedding::{Prepared, prepare};
use crate::system::System;
use crate::theory::context::SystemContext;
use std::borrow::Cow;

/// A node of the search.
#[derive(Clone, Debug)]
pub struct SearchNode<C = Cube> {
    /// The cube and its signatures.
    pub prepared: Prepared<C>,
    /// The node after it, the transition in between with the processes of that node, and how those
    /// processes (and new ones) are called here.
    pub next: Option<Next>,
    /// How many transitions lie between it and the unsafe formula.
    pub depth: u32,
    /// It was visited: it is no part of what was visited before.
    pub visited: bool,
    /// It was subsumed by a later one.
    pub subsumed: bool,
    /// It is an invariant of the file.
    pub assumed: bool,
    /// A guess took its place, or it was one from the beginning.
    pub guessed: bool,
    /// It was generalized.
    pub generalized: bool,
}

impl<C> SearchNode<C> {
    /// Not visited yet.
    pub fn new(prepared: Prepared<C>) -> SearchNode<C> {
        SearchNode {
            prepared,
            next: None,
            depth: 0,
            visited: false,
            subsumed: false,
            assumed: false,
            guessed: false,
            generalized: false,
        }
    }
}

/// What was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchVerdict {
    /// The visited nodes are closed under pre-images and meet no initial state.
    Safe,
    /// This node meets the initial states.
    Unsafe(usize),
    /// A limit was reached.
    Unknown(Reason),
}

/// The search and its result.
pub struct Search<'s, C = Cube> {
    /// The system.
    pub context: SystemContext<'s>,
    /// All nodes.
    pub nodes: Vec<SearchNode<C>>,
    /// The visited nodes that are not subsumed, in order of their visit.
    pub active: Vec<usize>,
    /// The verdict.
    pub verdict: SearchVerdict,
    /// How many nodes were visited.
    pub visited: usize,
    /// The limits, which minimizing the certificate keeps to as well.
    pub options: Box<SearchOptions>,
    /// The cubes that are left cover pre-images together, and each of them is needed; otherwise each pre-image is
    /// subsumed by one.
    pub joint: bool,
    /// What may hold initially, by the number of processes, as far as nodes were compared with it.
    pub starts: Vec<Vec<Disjunct>>,
}

impl<'s, C: AnyCube> Search<'s, C> {
    /// Nothing explored yet, and nothing known.
    pub fn new(system: impl Into<Cow<'s, System>>) -> Search<'s, C> {
        let system = system.into();
        let limit = system.procs;
        Search {
            context: SystemContext::new(system, limit),
            nodes: Vec::new(),
            active: Vec::new(),
            verdict: SearchVerdict::Unknown(Reason::Nodes),
            visited: 0,
            options: Box::default(),
            joint: false,
            starts: Vec::new(),
        }
    }

    /// The node meets the initial states.
    pub fn is_bad(&self, id: usize) -> bool {
        self.verdict == SearchVerdict::Unsafe(id)
    }

    /// The cubes that are left, without the invariants of the file: they prove safety when the
    /// search says so.
    pub fn proof(&self) -> impl Iterator<Item = &C> {
        let kept = (0..self.active.len()).map(|i| self.kept(i));
        kept.filter(|(_, assumed)| !assumed).map(|(p, _)| &p.cube)
    }

    /// A node that is left, by its position, and whether it is an invariant of the file.
    pub fn kept(&self, at: usize) -> (&Prepared<C>, bool) {
        let node = &self.nodes[self.active[at]];
        (&node.prepared, node.assumed)
    }
}

impl<'s> Search<'s> {
    /// Safe, by these cubes, which cover their pre-images together.
    pub fn of_proof(
        system: impl Into<Cow<'s, System>>,
        cubes: Vec<Cube>,
        options: &SearchOptions,
    ) -> Search<'s> {
        let mut search = Search {
            verdict: SearchVerdict::Safe,
            options: Box::new(*options),
            joint: true,
            ..Search::new(system)
        };
        for prepared in cubes
            .into_iter()
            .filter_map(|c| prepare(&search.context, c))
        {
            search.active.push(search.nodes.len());
            search.nodes.push(SearchNode {
                visited: true,
                ..SearchNode::new(prepared)
            });
        }
        search.visited = search.nodes.len();
        search
    }
}

/// A transition with its processes.
pub type Call = (usize, Vec<u8>);

/// The node after another one, the transition in between with the processes of that node, and how
/// those processes (and new ones) are called here.
pub type Next = (usize, Call, Vec<Option<u8>>);
