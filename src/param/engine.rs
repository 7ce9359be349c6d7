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
//! Before a node is visited it is widened ([`super::widen`]): what is dropped is covered already.
//! Or a guess takes its place ([`super::brab`]).
//!
//! Nodes are taken in batches of the same depth and number of processes, whose pre-images may be
//! computed in parallel; what the nodes of a batch do to each other is settled in their order, so
//! that the result does not depend on the number of threads.
//!
//! An invariant of the file is a visited node that was never unsafe.

use super::brab::Guesses;
use super::cube::{Base, Cube, Kind};
use super::expand::{cubes, expand};
use super::init;
use super::instance::{Cond, Overflow};
use super::order::{Key, SearchOrder};
use super::pre::{Model, Pre, TooLarge, bases_of};
use super::question::is_empty;
use super::subsume::{Prepared, covers, prepare};
use super::system::{Memory, SymbolKind, System};
use super::trace::{self, Next};
use super::trim;
use super::widen::widen;
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
pub struct Node {
    /// The cube and its signatures.
    pub prepared: Prepared,
    /// The node after it, the transition in between with the processes of that node, and how those
    /// processes (and new ones) are called here.
    pub next: Option<Next>,
    /// Which unsafe formula it comes from.
    pub property: usize,
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

impl Node {
    fn new(prepared: Prepared) -> Node {
        Node {
            prepared,
            next: None,
            property: 0,
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
pub struct Search<'s> {
    /// The system.
    pub model: Model<'s>,
    /// All nodes.
    pub nodes: Vec<Node>,
    /// The visited nodes that are not covered, in order of their visit.
    pub active: Vec<usize>,
    /// The verdict.
    pub verdict: Verdict,
    /// How many nodes were visited.
    pub visited: usize,
    /// The limits, which trimming the certificate keeps to as well.
    pub options: Box<Options>,
    /// What may hold initially, by the number of processes.
    starts: Vec<Vec<Cond>>,
}

impl Node {
    /// It may be added to other nodes. States that an invariant excludes may be, too, unless the
    /// pre-images could forget a part of what excludes them.
    fn widens(&self) -> bool {
        !self.assumed || self.prepared.cube.conj.lits.len() == 1
    }
}

/// Explores a system.
pub fn search<'s>(system: impl Into<Cow<'s, System>>, options: &Options) -> Search<'s> {
    guided(system, options, None)
}

/// Explores a system with guesses.
pub fn guided<'s>(
    system: impl Into<Cow<'s, System>>,
    options: &Options,
    guesses: Option<&Guesses>,
) -> Search<'s> {
    let mut s = Search::new(system);
    *s.options = *options;
    s.verdict = match run(&mut s, options, guesses) {
        Ok(verdict) => verdict,
        Err(reason) => Verdict::Unknown(reason),
    };
    s
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

/// Whether a node's cube is taken as it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Widened,
    Guessed,
}

/// A node to be visited: its cube if it is another one, and its pre-images; whether some have too
/// many processes.
struct Images {
    change: Option<(Change, Pre)>,
    images: Vec<(Call, Pre)>,
    cut: bool,
}

/// Nodes to be looked at.
#[derive(Default)]
struct Queue {
    heap: BinaryHeap<Reverse<(Key, usize)>>,
    seen: FxHashSet<Cube>,
}

fn run(s: &mut Search, options: &Options, guesses: Option<&Guesses>) -> Result<Verdict, Reason> {
    let pool = match options.jobs {
        1 => None,
        // Without threads of its own the search goes on in this one.
        n => rayon::ThreadPoolBuilder::new().num_threads(n).build().ok(),
    };
    let mut queue = Queue::default();
    let mut cut = false;
    for (_, mut cube) in cubes(&s.model, &s.model.system.invariants)? {
        relax(&s.model, &mut cube);
        if let Some(prepared) = prepare(&s.model, cube) {
            s.active.push(s.nodes.len());
            s.nodes.push(Node {
                visited: true,
                assumed: true,
                ..Node::new(prepared)
            });
        }
    }
    for cube in guesses.iter().flat_map(|g| &g.kept) {
        s.enqueue(&mut queue, options, cube.clone(), |node| {
            node.guessed = true
        });
    }
    for (i, cube) in cubes(&s.model, &s.model.system.unsafes)? {
        s.enqueue(&mut queue, options, cube, |node| node.property = i);
    }
    while !queue.heap.is_empty() {
        options.look_at_limits()?;
        let batch = take(&mut queue.heap);
        for id in &batch {
            s.start(s.nodes[*id].prepared.cube.procs)?;
            if s.is_initial(&s.nodes[*id].prepared.cube)? {
                return Ok(Verdict::Unsafe(*id));
            }
        }
        let images = |id: &usize| s.images(*id, options, guesses);
        let images: Vec<Option<Result<Images, Reason>>> = match &pool {
            Some(pool) => pool.install(|| batch.par_iter().map(images).collect()),
            None => batch.iter().map(images).collect(),
        };
        // What the batch's nodes do to each other, in their order.
        let mut first = s.active.len();
        for (id, images) in batch.into_iter().zip(images) {
            let Some(images) = images else {
                continue;
            };
            let Images {
                change,
                images,
                cut: more,
            } = images?;
            if s.is_covered(id, first)? {
                continue;
            }
            if let Some((change, wider)) = change {
                s.replace(id, wider);
                match change {
                    Change::Widened => s.nodes[id].widened = true,
                    Change::Guessed => s.nodes[id].guessed = true,
                }
                if s.is_covered(id, first)? {
                    continue;
                }
            }
            s.visited += 1;
            if s.visited > options.max_nodes {
                return Err(Reason::Nodes);
            }
            first -= s.visit(id, first);
            let (property, depth) = (s.nodes[id].property, s.nodes[id].depth + 1);
            cut |= more;
            for (call, pre) in images {
                s.enqueue(&mut queue, options, pre.cube, |node| {
                    node.next = Some((id, call, pre.names));
                    node.property = property;
                    node.depth = depth;
                });
            }
        }
    }
    if cut {
        return Err(Reason::Procs);
    }
    Ok(Verdict::Safe)
}

/// An invariant that speaks of constants and of what processes see holds at every moment at which
/// they read, not only at the end.
fn relax(model: &Model, cube: &mut Cube) {
    let constant = |b: &Base| match b.kind() {
        Kind::Cell(s, ..) => model.system.symbols[s].kind == SymbolKind::Const,
        _ => true,
    };
    if cube.snapshot && bases_of(cube).iter().all(constant) {
        cube.snapshot = false;
        cube.any.iter_mut().for_each(|s| *s = 0);
    }
}

impl<'s> Search<'s> {
    /// Nothing explored yet, and nothing known.
    pub fn new(system: impl Into<Cow<'s, System>>) -> Search<'s> {
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
}

impl trace::Step for Node {
    fn procs(&self) -> u8 {
        self.prepared.cube.procs
    }

    fn next(&self) -> Option<&Next> {
        self.next.as_ref()
    }
}

impl Search<'_> {
    /// The calls from a node that meets the initial states to the unsafe formula; see
    /// [`trace::trace`].
    pub fn trace(&self, id: usize) -> Trace {
        trace::trace(&self.nodes, id, self.model.system.fixed)
    }

    /// The node meets the initial states.
    pub fn is_bad(&self, id: usize) -> bool {
        self.verdict == Verdict::Unsafe(id)
    }

    /// The cubes that prove safety, none of which could be left out; invariants of the file are no
    /// part of it.
    pub fn certificate(&self) -> Vec<&Cube> {
        // A search that ended has computed the same pre-images before, but time may be up.
        let needed = trim::needed(self).unwrap_or_else(|_| (0..self.active.len()).collect());
        let kept = needed.into_iter().map(|i| self.kept(i));
        kept.filter(|(_, assumed)| !assumed)
            .map(|(p, _)| &p.cube)
            .collect()
    }

    /// A node that is left, by its position, and whether it is an invariant of the file.
    pub fn kept(&self, at: usize) -> (&Prepared, bool) {
        let node = &self.nodes[self.active[at]];
        (&node.prepared, node.assumed)
    }

    /// A cube joins the queue unless it was there before.
    fn enqueue(
        &mut self,
        queue: &mut Queue,
        options: &Options,
        cube: Cube,
        set: impl FnOnce(&mut Node),
    ) {
        if !queue.seen.insert(cube.clone()) {
            return;
        }
        let Some(prepared) = prepare(&self.model, cube) else {
            return;
        };
        let mut node = Node::new(prepared);
        set(&mut node);
        let id = self.nodes.len();
        queue
            .heap
            .push(Reverse((Key::new(options.order, &node, id), id)));
        self.nodes.push(node);
    }

    /// Finds what may hold initially of up to so many processes.
    fn start(&mut self, procs: u8) -> Result<(), Overflow> {
        while self.starts.len() <= usize::from(procs) {
            let next = self.starts.len() as u8;
            self.starts.push(init::instances(&self.model, next)?);
        }
        Ok(())
    }

    /// Some initial state is a situation of the cube.
    fn is_initial(&self, cube: &Cube) -> Result<bool, Overflow> {
        init::meets(&self.model, cube, &self.starts[usize::from(cube.procs)])
    }

    /// The pre-images of a node that no visited one covers.
    fn images(
        &self,
        id: usize,
        options: &Options,
        guesses: Option<&Guesses>,
    ) -> Option<Result<Images, Reason>> {
        if let Err(reason) = options.look_at_limits() {
            return Some(Err(reason));
        }
        let cube = &self.nodes[id].prepared.cube;
        match self.is_covered(id, 0) {
            Ok(false) if !is_empty(&self.model, cube) => {}
            Ok(_) => return None,
            Err(reason) => return Some(Err(reason)),
        }
        let change = match self.change(id, options, guesses) {
            Ok(change) => change,
            Err(e) => return Some(Err(e.into())),
        };
        let cube = change.as_ref().map_or(cube, |(_, wider)| &wider.cube);
        Some(match expand(&self.model, cube, options) {
            Ok((images, cut)) => Ok(Images {
                change,
                images,
                cut,
            }),
            Err(reason) => Err(reason),
        })
    }

    /// The cube that takes the place of a node's, if one does.
    fn change(
        &self,
        id: usize,
        options: &Options,
        guesses: Option<&Guesses>,
    ) -> Result<Option<(Change, Pre)>, Overflow> {
        let node = &self.nodes[id];
        let cube = &node.prepared.cube;
        if let Some(guesses) = guesses
            && !node.guessed
            && let Some(guess) = guesses.of(&self.model, cube)
            && !self.is_initial(&guess.cube)?
        {
            return Ok(Some((Change::Guessed, guess)));
        }
        // Under buffers it costs more than it saves.
        if !options.widen || self.model.system.memory != Memory::Flat {
            return Ok(None);
        }
        let covered = |p: &Prepared| {
            let mut active = self.active.iter().map(|v| &self.nodes[*v]);
            options.look_at_limits().is_ok()
                && active.any(|v| v.widens() && covers(&self.model, &v.prepared, p))
        };
        let wider = widen(&self.model, cube, &covered).filter(|wider| {
            let prepared = || prepare(&self.model, wider.cube.clone());
            guesses.is_none_or(|g| prepared().is_none_or(|p| !g.is_bad(&self.model, &p)))
        });
        Ok(wider.map(|w| (Change::Widened, w)))
    }

    /// The node's cube is replaced by a wider one.
    fn replace(&mut self, id: usize, wider: Pre) {
        let Some(prepared) = prepare(&self.model, wider.cube) else {
            return;
        };
        let node = &mut self.nodes[id];
        node.prepared = prepared;
        if let Some((_, _, names)) = &mut node.next {
            for n in names.iter_mut() {
                *n = n.and_then(|p| wider.names[usize::from(p)]);
            }
        }
    }

    /// A visited node covers this one; only those from position `first` on are looked at.
    fn is_covered(&self, id: usize, first: usize) -> Result<bool, Reason> {
        let small = &self.nodes[id].prepared;
        let covers = |v: &usize| covers(&self.model, &self.nodes[*v].prepared, small);
        for some in self.active[first..].chunks(BETWEEN_LOOKS) {
            if some.iter().any(covers) {
                return Ok(true);
            }
            self.options.look_at_limits()?;
        }
        Ok(false)
    }

    /// The node joins the visited ones and replaces those it covers; returns how many of those
    /// before position `first` it replaces.
    fn visit(&mut self, id: usize, first: usize) -> usize {
        let mut active = std::mem::take(&mut self.active);
        let (mut at, mut replaced) = (0, 0);
        active.retain(|v| {
            let old = &self.nodes[*v];
            let covered =
                !old.assumed && covers(&self.model, &self.nodes[id].prepared, &old.prepared);
            if covered {
                self.nodes[*v].covered = true;
                replaced += usize::from(at < first);
            }
            at += 1;
            !covered
        });
        active.push(id);
        self.active = active;
        self.nodes[id].visited = true;
        replaced
    }
}
