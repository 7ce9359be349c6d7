//! Backward reachability: from the unsafe cubes to the initial states, or to a fixpoint.
//!
//! Nodes wait in a queue ([`super::order`]), by default those of few processes first and breadth
//! first among those of as many, which keeps traces short.
//! A node taken from it is compared with the initial states and with the visited nodes; if it is
//! new, its pre-images are computed and it takes the place of the visited nodes it covers. What
//! descends from a covered node is still looked at: to drop it as well, because the descendants of
//! the larger node cover it, is wrong when those were in turn taken for covered by what is dropped.
//!
//! So at the end every pre-image of a remaining node is covered by a remaining node, one by one;
//! that makes the remaining nodes a certificate.
//!
//! Before a node is visited another cube may take its place: it is widened ([`super::widen`]), what
//! is dropped being covered already, or a guess is made ([`super::brab`]).
//!
//! Nodes are taken in batches of the same depth and number of processes, whose pre-images may be
//! computed in parallel; what the nodes of a batch do to each other is settled in their order, so
//! that the result does not depend on the number of threads.
//!
//! An invariant of the file is a visited node that was never unsafe.
//!
//! What a cube is, and so what covers it and what is before it, is a [`Strategy`]'s matter.

use super::cube::Cube;
use super::expand::{Images, cubes, expand};
use super::init;
use super::instance::{Cond, Overflow};
use super::matching::{Prepared, prepare};
use super::order::{Key, SearchOrder};
use super::pre::{Model, Pre, TooLarge};
use super::question::is_empty;
use super::strategy::{AnyCube, Change, Changed, Strategy};
use super::system::System;
use super::trace::{self, Next};
use super::tso::Tso;
use crate::base::idx::position;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

pub use super::expand::assignments;
pub use super::trace::{Call, Trace};

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub struct Options {
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
    /// Under flat memory, drop literals of a node whose opposite is covered already; see
    /// [`super::widen`].
    pub widen: bool,
    /// Which node comes next.
    pub order: SearchOrder,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_nodes: 1_000_000,
            max_procs: 12,
            until: None,
            full: None,
            jobs: 1,
            widen: true,
            order: SearchOrder::default(),
        }
    }
}

impl Options {
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

/// A node of the search.
#[derive(Clone, Debug)]
pub struct Node<C = Cube> {
    /// The cube and its signatures.
    pub prepared: Prepared<C>,
    /// The node after it, the transition in between with the processes of that node, and how those
    /// processes (and new ones) are called here.
    pub next: Option<Next>,
    /// How many transitions lie between it and the unsafe formula.
    pub depth: u32,
    /// It was visited: it is no part of what was visited before.
    pub visited: bool,
    /// It was covered by a later one.
    pub covered: bool,
    /// It is an invariant of the file.
    pub assumed: bool,
    /// A guess took its place, or it was one from the beginning.
    pub guessed: bool,
    /// It was widened.
    pub widened: bool,
}

impl<C> Node<C> {
    fn new(prepared: Prepared<C>) -> Node<C> {
        Node {
            prepared,
            next: None,
            depth: 0,
            visited: false,
            covered: false,
            assumed: false,
            guessed: false,
            widened: false,
        }
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
    /// Numbers or points beyond what is represented.
    Size(TooLarge),
}

/// What was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
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
    pub model: Model<'s>,
    /// All nodes.
    pub nodes: Vec<Node<C>>,
    /// The visited nodes that are not covered, in order of their visit.
    pub active: Vec<usize>,
    /// The verdict.
    pub verdict: Verdict,
    /// How many nodes were visited.
    pub visited: usize,
    /// The limits, which trimming the certificate keeps to as well.
    pub options: Box<Options>,
    /// What may hold initially, by the number of processes, as far as nodes were compared with it.
    pub starts: Vec<Vec<Cond>>,
}

/// Explores a system by the strategy for TSO and flat memory, without guesses.
pub fn search<'s>(system: impl Into<Cow<'s, System>>, options: &Options) -> Search<'s> {
    let strategy = Tso {
        widen: options.widen,
        guesses: None,
    };
    explore(&strategy, system, options)
}

/// Explores a system.
pub fn explore<'s, S: Strategy>(
    strategy: &S,
    system: impl Into<Cow<'s, System>>,
    options: &Options,
) -> Search<'s, S::Cube> {
    let mut exploration = Exploration {
        strategy,
        options,
        queue: BinaryHeap::new(),
        seen: FxHashSet::default(),
        cut: false,
        search: Search {
            options: Box::new(*options),
            ..Search::new(system)
        },
    };
    let verdict = exploration.run();
    let mut search = exploration.search;
    search.verdict = verdict.unwrap_or_else(Verdict::Unknown);
    search
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

/// Nodes that are looked at together: enough for a few threads, and few enough that little is
/// computed for nodes that others of the batch cover.
const BATCH: usize = 16;

/// Nodes that one is compared with between two looks at the limits.
const BETWEEN_LOOKS: usize = 256;

/// The next nodes of the queue that are alike.
fn take(queue: &mut BinaryHeap<Reverse<(Key, usize)>>) -> Vec<usize> {
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
    options: &'a Options,
    /// Nodes to be looked at.
    queue: BinaryHeap<Reverse<(Key, usize)>>,
    /// All cubes that were ever in the queue.
    seen: FxHashSet<S::Cube>,
    /// Some pre-images were left out because they have too many processes.
    cut: bool,
    search: Search<'s, S::Cube>,
}

impl<S: Strategy> Exploration<'_, '_, S> {
    fn run(&mut self) -> Result<Verdict, Reason> {
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
                    return Ok(Verdict::Unsafe(*id));
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
        if self.cut {
            return Err(Reason::Procs);
        }
        Ok(Verdict::Safe)
    }

    /// The invariants of the file are visited; guesses and unsafe cubes are where to begin.
    fn begin(&mut self) -> Result<(), Reason> {
        let strategy = self.strategy;
        let system = &self.search.model.system;
        let invariants = cubes(&self.search.model, &system.invariants)?;
        let unsafes = cubes(&self.search.model, &system.unsafes)?;
        for formula in invariants {
            let cube = strategy.invariant(&self.search.model, formula);
            if let Some(prepared) = prepare(&self.search.model, cube) {
                self.search.active.push(self.search.nodes.len());
                self.search.nodes.push(Node {
                    visited: true,
                    assumed: true,
                    ..Node::new(prepared)
                });
            }
        }
        for cube in strategy.guesses() {
            self.enqueue(cube.clone(), |node| node.guessed = true);
        }
        for formula in unsafes {
            let cube = strategy.unsafe_cube(&self.search.model, formula);
            self.enqueue(cube, |_| {});
        }
        Ok(())
    }

    /// A cube joins the queue unless it was there before.
    fn enqueue(&mut self, cube: S::Cube, set: impl FnOnce(&mut Node<S::Cube>)) {
        if !self.seen.insert(cube.clone()) {
            return;
        }
        let Some(prepared) = prepare(&self.search.model, cube) else {
            return;
        };
        let mut node = Node::new(prepared);
        set(&mut node);
        let id = self.search.nodes.len();
        let key = Key::new(self.options.order, &node, id);
        self.queue.push(Reverse((key, id)));
        self.search.nodes.push(node);
    }

    /// Some initial state is a situation of the node.
    fn is_initial(&mut self, id: usize) -> Result<bool, Overflow> {
        let Search {
            model,
            nodes,
            starts,
            ..
        } = &mut self.search;
        let cube = &nodes[id].prepared.cube;
        let procs = usize::from(cube.procs());
        while starts.len() <= procs {
            starts.push(init::instances(model, position(starts.len()))?);
        }
        self.strategy.is_initial(model, cube, &starts[procs])
    }

    /// The pre-images of a node that no visited one covers.
    fn images(&self, id: usize) -> Option<Result<Visit<S::Cube>, Reason>> {
        if let Err(reason) = self.options.look_at_limits() {
            return Some(Err(reason));
        }
        let model = &self.search.model;
        let cube = &self.search.nodes[id].prepared.cube;
        match self.is_covered(id, 0) {
            Ok(false) if !is_empty(model, cube) => {}
            Ok(_) => return None,
            Err(reason) => return Some(Err(reason)),
        }
        let change = match self.strategy.change(&self.search, id) {
            Ok(change) => change,
            Err(e) => return Some(Err(e.into())),
        };
        let cube = change.as_ref().map_or(cube, |(_, other)| &other.cube);
        let images = expand(self.strategy, model, cube, self.options);
        Some(images.map(|images| Visit { change, images }))
    }

    /// The node is visited, unless one that was visited in the same batch covers it; those are the
    /// ones from position `first` on.
    fn settle(
        &mut self,
        id: usize,
        visit: Visit<S::Cube>,
        first: &mut usize,
    ) -> Result<(), Reason> {
        let Visit {
            change,
            images: (images, cut),
        } = visit;
        if self.is_covered(id, *first)? {
            return Ok(());
        }
        if let Some((change, other)) = change {
            self.replace(id, change, other);
            if self.is_covered(id, *first)? {
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
        self.cut |= cut;
        for (call, pre) in images {
            self.enqueue(pre.cube, |node| {
                node.next = Some((id, call, pre.names));
                node.depth = depth;
            });
        }
        Ok(())
    }

    /// Another cube takes the place of the node's.
    fn replace(&mut self, id: usize, change: Change, other: Pre<S::Cube>) {
        let node = &mut self.search.nodes[id];
        match change {
            Change::Widened => node.widened = true,
            Change::Guessed => node.guessed = true,
        }
        let Some(prepared) = prepare(&self.search.model, other.cube) else {
            return;
        };
        node.prepared = prepared;
        if let Some((_, _, names)) = &mut node.next {
            for n in names.iter_mut() {
                *n = n.and_then(|p| other.names[usize::from(p)]);
            }
        }
    }

    fn covers(&self, big: usize, small: usize) -> bool {
        let Search { model, nodes, .. } = &self.search;
        let (big, small) = (&nodes[big].prepared, &nodes[small].prepared);
        self.strategy.covers(model, big, small)
    }

    /// A visited node covers this one; only those from position `first` on are looked at.
    fn is_covered(&self, id: usize, first: usize) -> Result<bool, Reason> {
        for some in self.search.active[first..].chunks(BETWEEN_LOOKS) {
            if some.iter().any(|v| self.covers(*v, id)) {
                return Ok(true);
            }
            self.options.look_at_limits()?;
        }
        Ok(false)
    }

    /// The node joins the visited ones and replaces those it covers; returns how many of those
    /// before position `first` it replaces.
    fn visit(&mut self, id: usize, first: usize) -> usize {
        let mut active = std::mem::take(&mut self.search.active);
        let (mut at, mut replaced) = (0, 0);
        active.retain(|v| {
            let covered = !self.search.nodes[*v].assumed && self.covers(id, *v);
            if covered {
                self.search.nodes[*v].covered = true;
                replaced += usize::from(at < first);
            }
            at += 1;
            !covered
        });
        active.push(id);
        self.search.active = active;
        self.search.nodes[id].visited = true;
        replaced
    }
}

impl<'s, C: AnyCube> Search<'s, C> {
    /// Nothing explored yet, and nothing known.
    pub fn new(system: impl Into<Cow<'s, System>>) -> Search<'s, C> {
        let system = system.into();
        let limit = system.procs;
        Search {
            model: Model::new(system, limit),
            nodes: Vec::new(),
            active: Vec::new(),
            verdict: Verdict::Unknown(Reason::Nodes),
            visited: 0,
            options: Box::default(),
            starts: Vec::new(),
        }
    }

    /// The calls from a node that meets the initial states to the unsafe formula; see
    /// [`trace::trace`].
    pub fn trace(&self, id: usize) -> Trace {
        trace::trace(&self.nodes, id, self.model.system.fixed)
    }

    /// The node meets the initial states.
    pub fn is_bad(&self, id: usize) -> bool {
        self.verdict == Verdict::Unsafe(id)
    }

    /// A node that is left, by its position, and whether it is an invariant of the file.
    pub fn kept(&self, at: usize) -> (&Prepared<C>, bool) {
        let node = &self.nodes[self.active[at]];
        (&node.prepared, node.assumed)
    }
}
