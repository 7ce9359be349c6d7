//! Backward reachability: from the unsafe cubes to the initial states, or to a fixpoint.
//!
//! Nodes wait in a queue ([`super::queue`]), by default those of few processes first and breadth
//! first among those of as many, which keeps traces short. A node taken from it is compared with
//! the initial states and with the visited nodes; if it is new, its pre-images are computed and it
//! takes the place of the visited nodes it subsumes. What descends from a subsumed node is still
//! looked at: to drop it as well, because the descendants of the larger node subsume it, is wrong
//! when those were in turn taken for subsumed by what is dropped.
//!
//! So at the end every pre-image of a remaining node is subsumed by a remaining node, one by one;
//! that makes the remaining nodes a certificate.
//!
//! Before a node is visited another cube may take its place: it is generalized
//! ([`super::generalize`]), what is dropped being subsumed already, or a guess is made
//! (`crate::approx`).
//!
//! Nodes are taken in batches of the same depth and number of processes, whose pre-images may be
//! computed in parallel; what the nodes of a batch do to each other is settled in their order, so
//! that the result does not depend on the number of threads.
//!
//! An invariant of the file is a visited node that was never unsafe.
//!
//! What a cube is, and so what subsumes it and what is before it, is a [`Strategy`]'s matter.

use super::expand::{Images, cubes, expand};
use super::options::{Reason, SearchOptions};
use super::queue::QueueKey;
use super::space::{Search, SearchNode, SearchVerdict};
use super::strategy::{Change, Changed, Strategy};
use super::tso::Tso;
use crate::cube::any::AnyCube;
use crate::cube::formula::Overflow;
use crate::init::initial_disjuncts;
use crate::preimage::image::PreImage;
use crate::subsume::embedding::prepare;
use crate::system::System;
use crate::theory::query::is_empty;
use base::idx::position;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Explores a system by the strategy for TSO and flat memory, without guesses.
pub fn search<'s>(system: impl Into<Cow<'s, System>>, options: &SearchOptions) -> Search<'s> {
    let strategy = Tso {
        generalize: options.generalize,
    };
    explore(&strategy, system, options)
}

/// Explores a system.
pub fn explore<'s, S: Strategy>(
    strategy: &S,
    system: impl Into<Cow<'s, System>>,
    options: &SearchOptions,
) -> Search<'s, S::Cube> {
    let mut exploration = Exploration {
        strategy,
        options,
        queue: BinaryHeap::new(),
        seen: FxHashSet::default(),
        left_out: false,
        search: Search {
            options: Box::new(*options),
            ..Search::new(system)
        },
    };
    let verdict = exploration.run();
    let mut search = exploration.search;
    search.verdict = verdict.unwrap_or_else(SearchVerdict::Unknown);
    search
}

/// Nodes that are looked at together: enough for a few threads, and few enough that little is
/// computed for nodes that others of the batch subsume.
const BATCH: usize = 16;

/// Nodes that one is compared with between two looks at the limits.
const BETWEEN_LOOKS: usize = 256;

/// The next nodes of the queue that are alike.
fn take(queue: &mut BinaryHeap<Reverse<(QueueKey, usize)>>) -> Vec<usize> {
    let mut batch = Vec::new();
    let mut like = None;
    while let Some(Reverse((key, id))) = queue.peek().copied() {
        if batch.len() == BATCH || like.is_some_and(|l| l != key.batch) {
            break;
        }
        like = Some(key.batch);
        batch.push(id);
        queue.pop();
    }
    batch
}

/// A node to be visited: its cube if it is another one, and its pre-images.
struct Visit<C> {
    change: Changed<C>,
    images: Images<C>,
}

/// A search in progress.
struct Exploration<'a, 's, S: Strategy> {
    strategy: &'a S,
    options: &'a SearchOptions,
    /// Nodes to be looked at.
    queue: BinaryHeap<Reverse<(QueueKey, usize)>>,
    /// All cubes that were ever in the queue.
    seen: FxHashSet<S::Cube>,
    /// Some pre-images were left out because they have too many processes.
    left_out: bool,
    search: Search<'s, S::Cube>,
}

impl<S: Strategy> Exploration<'_, '_, S> {
    fn run(&mut self) -> Result<SearchVerdict, Reason> {
        let pool = match self.options.jobs {
            1 => None,
            // Without threads of its own the search goes on in this one.
            n => rayon::ThreadPoolBuilder::new().num_threads(n).build().ok(),
        };
        self.begin()?;
        while !self.queue.is_empty() {
            self.options.look_at_limits()?;
            let batch = take(&mut self.queue);
            for id in &batch {
                if self.is_initial(*id)? {
                    return Ok(SearchVerdict::Unsafe(*id));
                }
            }
            let images = |id: &usize| self.images(*id);
            let images: Vec<Option<Result<Visit<S::Cube>, Reason>>> = match &pool {
                Some(pool) => pool.install(|| batch.par_iter().map(images).collect()),
                None => batch.iter().map(images).collect(),
            };
            // What the batch's nodes do to each other, in their order.
            let mut first = self.search.active.len();
            for (id, images) in batch.into_iter().zip(images) {
                if let Some(images) = images {
                    self.settle(id, images?, &mut first)?;
                }
            }
        }
        if self.left_out {
            return Err(Reason::Procs);
        }
        Ok(SearchVerdict::Safe)
    }

    /// The invariants of the file are visited; guesses and unsafe cubes are where to begin.
    fn begin(&mut self) -> Result<(), Reason> {
        let strategy = self.strategy;
        let system = &self.search.context.system;
        let invariants = cubes(&self.search.context, &system.invariants)?;
        let unsafes = cubes(&self.search.context, &system.unsafes)?;
        for formula in invariants {
            let cube = strategy.invariant(&self.search.context, formula);
            if let Some(prepared) = prepare(&self.search.context, cube) {
                self.search.active.push(self.search.nodes.len());
                self.search.nodes.push(SearchNode {
                    visited: true,
                    assumed: true,
                    ..SearchNode::new(prepared)
                });
            }
        }
        for cube in strategy.guesses() {
            self.enqueue(cube.clone(), |node| node.guessed = true);
        }
        for formula in unsafes {
            let cube = strategy.unsafe_cube(&self.search.context, formula);
            self.enqueue(cube, |_| {});
        }
        Ok(())
    }

    /// A cube joins the queue unless it was there before.
    fn enqueue(&mut self, cube: S::Cube, set: impl FnOnce(&mut SearchNode<S::Cube>)) {
        if !self.seen.insert(cube.clone()) {
            return;
        }
        let Some(prepared) = prepare(&self.search.context, cube) else {
            return;
        };
        let mut node = SearchNode::new(prepared);
        set(&mut node);
        let id = self.search.nodes.len();
        let key = QueueKey::new(self.options.order, &node, id);
        self.queue.push(Reverse((key, id)));
        self.search.nodes.push(node);
    }

    /// Some initial state is in the node's cube.
    fn is_initial(&mut self, id: usize) -> Result<bool, Overflow> {
        let Search {
            context,
            nodes,
            starts,
            ..
        } = &mut self.search;
        let cube = &nodes[id].prepared.cube;
        let procs = usize::from(cube.procs());
        while starts.len() <= procs {
            starts.push(initial_disjuncts(context, position(starts.len()))?);
        }
        self.strategy.is_initial(context, cube, &starts[procs])
    }

    /// The pre-images of a node that no visited one subsumes.
    fn images(&self, id: usize) -> Option<Result<Visit<S::Cube>, Reason>> {
        if let Err(reason) = self.options.look_at_limits() {
            return Some(Err(reason));
        }
        let context = &self.search.context;
        let cube = &self.search.nodes[id].prepared.cube;
        match self.is_subsumed(id, 0) {
            Ok(false) if !is_empty(context, cube) => {}
            Ok(_) => return None,
            Err(reason) => return Some(Err(reason)),
        }
        let change = match self.strategy.change(&self.search, id) {
            Ok(change) => change,
            Err(e) => return Some(Err(e.into())),
        };
        let cube = change.as_ref().map_or(cube, |(_, other)| &other.cube);
        let images = expand(self.strategy, context, cube, self.options);
        Some(images.map(|images| Visit { change, images }))
    }

    /// The node is visited, unless one that was visited in the same batch subsumes it; those are
    /// the ones from position `first` on.
    fn settle(
        &mut self,
        id: usize,
        visit: Visit<S::Cube>,
        first: &mut usize,
    ) -> Result<(), Reason> {
        let Visit {
            change,
            images: (images, left_out),
        } = visit;
        if self.is_subsumed(id, *first)? {
            return Ok(());
        }
        if let Some((change, other)) = change {
            self.replace(id, change, other);
            if self.is_subsumed(id, *first)? {
                return Ok(());
            }
        }
        self.search.visited += 1;
        if self.search.visited > self.options.max_nodes {
            return Err(Reason::Nodes);
        }
        *first -= self.visit(id, *first);
        let node = &self.search.nodes[id];
        let depth = node.depth + 1;
        self.left_out |= left_out;
        for (call, pre) in images {
            self.enqueue(pre.cube, |node| {
                node.next = Some((id, call, pre.names));
                node.depth = depth;
            });
        }
        Ok(())
    }

    /// Another cube takes the place of the node's.
    fn replace(&mut self, id: usize, change: Change, other: PreImage<S::Cube>) {
        let node = &mut self.search.nodes[id];
        match change {
            Change::Generalized => node.generalized = true,
            Change::Guessed => node.guessed = true,
        }
        let Some(prepared) = prepare(&self.search.context, other.cube) else {
            return;
        };
        node.prepared = prepared;
        if let Some((_, _, names)) = &mut node.next {
            for n in names.iter_mut() {
                *n = n.and_then(|p| other.names[usize::from(p)]);
            }
        }
    }

    fn subsumes(&self, big: usize, small: usize) -> bool {
        let Search { context, nodes, .. } = &self.search;
        let (big, small) = (&nodes[big].prepared, &nodes[small].prepared);
        self.strategy.subsumes(context, big, small)
    }

    /// A visited node subsumes this one; only those from position `first` on are looked at.
    fn is_subsumed(&self, id: usize, first: usize) -> Result<bool, Reason> {
        for some in self.search.active[first..].chunks(BETWEEN_LOOKS) {
            if some.iter().any(|v| self.subsumes(*v, id)) {
                return Ok(true);
            }
            self.options.look_at_limits()?;
        }
        Ok(false)
    }

    /// The node joins the visited ones and replaces those it subsumes; returns how many of those
    /// before position `first` it replaces.
    fn visit(&mut self, id: usize, first: usize) -> usize {
        let mut active = std::mem::take(&mut self.search.active);
        let (mut at, mut replaced) = (0, 0);
        active.retain(|v| {
            let subsumed = !self.search.nodes[*v].assumed && self.subsumes(id, *v);
            if subsumed {
                self.search.nodes[*v].subsumed = true;
                replaced += usize::from(at < first);
            }
            at += 1;
            !subsumed
        });
        active.push(id);
        self.search.active = active;
        self.search.nodes[id].visited = true;
        replaced
    }
}
