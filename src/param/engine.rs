//! Backward reachability: from the unsafe cubes to the initial states, or to a fixpoint.
//!
//! Nodes wait in a queue ordered by processes first, then by depth, then by size: cubes of few
//! processes subsume many, and among those of as many, a breadth-first order keeps traces short.
//! A node taken from it is compared with the initial states and with the visited nodes; if it is
//! new, its pre-images are computed and it takes the place of the visited nodes it covers. What
//! descends from a covered node is still looked at: to drop it as well, because the descendants of
//! the larger node cover it, is wrong when those were in turn taken for covered by what is dropped.
//!
//! So at the end every pre-image of a remaining node is covered by a remaining node, one by one;
//! that makes the remaining nodes a certificate.
//!
//! Before a node is visited it is widened ([`super::widen`]): what is dropped is covered already.
//!
//! Nodes are taken in batches of the same depth and number of processes, whose pre-images may be
//! computed in parallel; what the nodes of a batch do to each other is settled in their order, so
//! that the result does not depend on the number of threads.
//!
//! An invariant of the file is a visited node that was never unsafe.

use super::cube::{Base, Cube, Kind, Read};
use super::init;
use super::instance::{Binding, Cond, Overflow, disjuncts};
use super::pre::{Model, Pre, TooLarge, bases_of, preimages};
use super::shape::{bases_of_lit, shape};
use super::subsume::{Prepared, covers, prepare};
use super::system::{Form, Memory, Property, SymbolKind, System};
use super::theory::close;
use super::trim;
use super::widen::widen;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::hash_map::Entry;
use std::time::Instant;

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Nodes that may be visited.
    pub max_nodes: usize,
    /// Processes that a cube may have.
    pub max_procs: u8,
    /// Point in time.
    pub until: Option<Instant>,
    /// Threads; as many as the machine has processors when 0. The result does not depend on it.
    pub jobs: usize,
    /// Under flat memory, drop literals of a node whose opposite is covered already; see
    /// [`super::widen`].
    pub widen: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_nodes: 1_000_000,
            max_procs: 12,
            until: None,
            jobs: 1,
            widen: true,
        }
    }
}

/// A transition with its processes.
pub type Call = (usize, Vec<u8>);

/// A node of the search.
#[derive(Clone, Debug)]
pub struct Node {
    /// The cube and its signatures.
    pub prepared: Prepared,
    /// The node after it, the transition in between with the processes of that node, and how those
    /// processes (and new ones) are called here.
    pub next: Option<(usize, Call, Vec<Option<u8>>)>,
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
}

/// Why there is no verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Time.
    Time,
    /// Nodes.
    Nodes,
    /// Processes of a cube.
    Procs,
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
}

impl Node {
    /// It may be added to other nodes. States that an invariant excludes may be, too, unless the
    /// pre-images could forget a part of what excludes them.
    fn widens(&self) -> bool {
        !self.assumed || self.prepared.cube.conj.lits.len() == 1
    }
}

type Key = (u8, u32, usize, usize);

/// Explores a system.
pub fn search<'s>(system: &'s System, options: &Options) -> Search<'s> {
    let mut s = Search {
        model: Model::new(system, system.procs),
        nodes: Vec::new(),
        active: Vec::new(),
        verdict: Verdict::Safe,
        visited: 0,
    };
    s.verdict = match run(&mut s, options) {
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

/// The next nodes of the queue that are of the same depth and number of processes.
fn take(queue: &mut BinaryHeap<Reverse<Key>>) -> Vec<usize> {
    let mut batch = Vec::new();
    let mut like: Option<(u8, u32)> = None;
    while let Some(Reverse((procs, depth, _, id))) = queue.peek().copied() {
        if batch.len() == BATCH || like.is_some_and(|l| l != (procs, depth)) {
            break;
        }
        like = Some((procs, depth));
        batch.push(id);
        queue.pop();
    }
    batch
}

/// A node to be visited: its cube, widened, and its pre-images; whether some have too many
/// processes.
struct Images {
    wider: Option<Pre>,
    images: Vec<(Call, Pre)>,
    cut: bool,
}

fn run(s: &mut Search, options: &Options) -> Result<Verdict, Reason> {
    let system = s.model.system;
    let pool = match options.jobs {
        1 => None,
        // Without threads of its own the search goes on in this one.
        n => rayon::ThreadPoolBuilder::new().num_threads(n).build().ok(),
    };
    let mut queue: BinaryHeap<Reverse<Key>> = BinaryHeap::new();
    let mut seen: FxHashSet<Cube> = FxHashSet::default();
    let mut instances: FxHashMap<u8, Vec<Cond>> = FxHashMap::default();
    let mut cut = false;
    for p in &system.invariants {
        for mut cube in cubes(&s.model, p)? {
            relax(&s.model, &mut cube);
            if let Some(prepared) = prepare(&s.model, cube) {
                s.active.push(s.nodes.len());
                s.nodes.push(Node {
                    prepared,
                    next: None,
                    property: 0,
                    depth: 0,
                    visited: true,
                    covered: false,
                    assumed: true,
                });
            }
        }
    }
    for (i, p) in system.unsafes.iter().enumerate() {
        for cube in cubes(&s.model, p)? {
            enqueue(s, &mut queue, &mut seen, cube, None, i, 0);
        }
    }
    while !queue.is_empty() {
        if options.until.is_some_and(|u| Instant::now() > u) {
            return Err(Reason::Time);
        }
        let batch = take(&mut queue);
        for id in &batch {
            let cube = &s.nodes[*id].prepared.cube;
            let start = match instances.entry(cube.procs) {
                Entry::Occupied(e) => e.into_mut(),
                Entry::Vacant(e) => e.insert(init::instances(&s.model, cube.procs)?),
            };
            if init::meets(&s.model, cube, start)? {
                return Ok(Verdict::Unsafe(*id));
            }
        }
        let images: Vec<Option<Result<Images, TooLarge>>> = match &pool {
            Some(pool) => {
                pool.install(|| batch.par_iter().map(|id| s.images(*id, options)).collect())
            }
            None => batch.iter().map(|id| s.images(*id, options)).collect(),
        };
        // What the batch's nodes do to each other, in their order.
        let mut first = s.active.len();
        for (id, images) in batch.into_iter().zip(images) {
            let Some(images) = images else {
                continue;
            };
            let Images {
                wider,
                images,
                cut: more,
            } = images?;
            if let Some(wider) = wider {
                s.replace(id, wider);
            }
            if s.is_covered(id, first) {
                continue;
            }
            s.visited += 1;
            if s.visited > options.max_nodes {
                return Err(Reason::Nodes);
            }
            first -= s.visit(id, first);
            let (property, depth) = (s.nodes[id].property, s.nodes[id].depth + 1);
            cut |= more;
            for (call, pre) in images {
                let next = Some((id, call, pre.names));
                enqueue(s, &mut queue, &mut seen, pre.cube, next, property, depth);
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

fn enqueue(
    s: &mut Search,
    queue: &mut BinaryHeap<Reverse<Key>>,
    seen: &mut FxHashSet<Cube>,
    cube: Cube,
    next: Option<(usize, Call, Vec<Option<u8>>)>,
    property: usize,
    depth: u32,
) {
    if !seen.insert(cube.clone()) {
        return;
    }
    let Some(prepared) = prepare(&s.model, cube) else {
        return;
    };
    let id = s.nodes.len();
    let key = (prepared.cube.procs, depth, prepared.cube.size(), id);
    s.nodes.push(Node {
        prepared,
        next,
        property,
        depth,
        visited: false,
        covered: false,
        assumed: false,
    });
    queue.push(Reverse(key));
}

impl Search<'_> {
    /// The node meets the initial states.
    pub fn is_bad(&self, id: usize) -> bool {
        self.verdict == Verdict::Unsafe(id)
    }

    /// The cubes that prove safety, none of which could be left out; invariants of the file are no
    /// part of it.
    pub fn certificate(&self) -> Vec<&Cube> {
        // A search that ended has computed the same pre-images before.
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

    /// The pre-images of a node that no visited one covers.
    fn images(&self, id: usize, options: &Options) -> Option<Result<Images, TooLarge>> {
        if self.is_covered(id, 0) {
            return None;
        }
        let cube = &self.nodes[id].prepared.cube;
        // Under buffers it costs more than it saves.
        let widens = options.widen && self.model.system.memory == Memory::Flat;
        let wider = widens.then(|| {
            let covered = |p: &Prepared| {
                let mut active = self.active.iter().map(|v| &self.nodes[*v]);
                active.any(|v| v.widens() && covers(&self.model, &v.prepared, p))
            };
            widen(&self.model, cube, &covered)
        });
        let wider = wider.flatten();
        let cube = wider.as_ref().map_or(cube, |w| &w.cube);
        let images = expand(&self.model, cube, options.max_procs);
        Some(images.map(|(images, cut)| Images { wider, images, cut }))
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
    fn is_covered(&self, id: usize, first: usize) -> bool {
        let small = &self.nodes[id].prepared;
        self.active[first..]
            .iter()
            .any(|v| covers(&self.model, &self.nodes[*v].prepared, small))
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

/// The cubes of a formula about distinct processes, its reads a snapshot.
pub fn cubes(model: &Model, p: &Property) -> Result<Vec<Cube>, Overflow> {
    let system = model.system;
    let mut out = Vec::new();
    for (args, procs) in assignments(p.params.len(), system.fixed, system.fixed) {
        if model.limit.is_some_and(|n| procs > n) {
            continue;
        }
        let mut reads = Vec::new();
        let mut binding = Binding {
            system,
            env: args,
            reads: &mut reads,
            first_read: 0,
            memory: false,
            fixed: system.fixed,
        };
        let body = binding.form(&p.body, &[])?;
        let reads: Vec<Read> = reads
            .into_iter()
            .map(|(by, cell)| Read { point: 0, by, cell })
            .collect();
        for cond in disjuncts(&body, vec![Cond::default()], &|_| true)? {
            let domain = |b: Base| model.domain(&reads, b);
            let Some(closed) = close(&cond.conj, &model.facts(&domain, procs)) else {
                continue;
            };
            let conj = closed.normal(&domain);
            let mut alive = vec![false; reads.len()];
            let lins = conj
                .lins
                .iter()
                .flat_map(|l| l.lin.terms.iter().map(|t| t.1));
            for b in conj.lits.iter().flat_map(bases_of_lit).chain(lins) {
                if let Kind::Read(k) = b.kind() {
                    alive[usize::from(k)] = true;
                }
            }
            let snapshot = u64::from(!reads.is_empty());
            let cube = Cube {
                procs,
                conj,
                reads: reads.clone(),
                snapshot: !reads.is_empty(),
                after: vec![0; usize::from(!reads.is_empty())],
                any: vec![snapshot; usize::from(procs)],
                writes: vec![0; usize::from(procs)],
                ..Cube::default()
            };
            out.push(shape(model, cube, &alive).cube);
        }
    }
    Ok(out)
}

/// All ways to choose `len` distinct processes among `known` ones and new ones; with each, how many
/// processes there then are. The first `fixed` are always there.
pub fn assignments(len: usize, known: u8, fixed: u8) -> Vec<(Vec<u8>, u8)> {
    let mut all = vec![(Vec::new(), known.max(fixed))];
    for _ in 0..len {
        let mut next = Vec::new();
        for (args, procs) in all {
            for p in 0..=procs {
                if !args.contains(&p) {
                    let mut args: Vec<u8> = args.clone();
                    args.push(p);
                    next.push((args, procs.max(p + 1)));
                }
            }
        }
        all = next;
    }
    all
}

/// All pre-images of a cube, with the calls that lead to them; and whether some were left out
/// because they have too many processes.
pub fn expand(
    model: &Model,
    cube: &Cube,
    max_procs: u8,
) -> Result<(Vec<(Call, Pre)>, bool), TooLarge> {
    let system = model.system;
    let bases = bases_of(cube);
    let (mut out, mut cut) = (Vec::new(), false);
    for (i, t) in system.transitions.iter().enumerate() {
        for (args, mut procs) in assignments(t.params.len(), cube.procs, system.fixed) {
            if let Some(n) = model.limit {
                if procs > n {
                    continue;
                }
                if has_others(&t.guard) {
                    procs = n;
                }
            }
            let images = preimages(model, cube, &bases, t, &args, procs)?;
            for pre in images {
                if pre.cube.procs > max_procs {
                    cut = true;
                    continue;
                }
                out.push(((i, args.clone()), pre));
            }
        }
    }
    Ok((out, cut))
}

fn has_others(f: &Form) -> bool {
    match f {
        Form::Others(..) => true,
        Form::And(fs) | Form::Or(fs) => fs.iter().any(has_others),
        _ => false,
    }
}

/// The calls from the initial states to the unsafe formula, with processes numbered from 0, and how
/// many processes there are: as few as the cubes allow.
pub fn trace(s: &Search, id: usize) -> (Vec<Call>, u8) {
    let fixed = s.model.system.fixed;
    let mut names: Vec<u8> = (0..s.nodes[id].prepared.cube.procs).collect();
    let mut count = (names.len() as u8).max(fixed);
    let (mut calls, mut at) = (Vec::new(), id);
    while let Some((next, (t, args), map)) = &s.nodes[at].next {
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
            count = count.max(name.saturating_add(1));
        }
        calls.push((*t, args.iter().map(|a| all[usize::from(*a)]).collect()));
        names = all;
        names.truncate(usize::from(s.nodes[*next].prepared.cube.procs));
        at = *next;
    }
    (calls, count.max(1))
}
