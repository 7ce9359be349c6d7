//! Backward reachability over the generic cubes: Algorithm 1 of the TSO paper.
//!
//! Nodes wait by processes first, then depth, then size. One that meets the initial states is the
//! answer; one that a visited node covers is left; otherwise its pre-images follow. Visited nodes
//! that a new one covers are not compared with any more.

use super::Rules;
use super::covers::{Prepared, covers, prepare};
use super::cube::{Cube, forget};
use super::image::{Pre, preimages, writes_everywhere};
use crate::param::cube::{self, Kind};
use crate::param::engine::{Call, Options, Reason, Verdict};
use crate::param::expand::{assignments, cubes, has_others};
use crate::param::init;
use crate::param::instance::Cond;
use crate::param::pre::Model;
use crate::param::system::{SymbolKind, System, Transition};
use crate::param::trace::{self, Next, Trace};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A node of the search.
#[derive(Clone, Debug)]
pub struct Node {
    prepared: Prepared,
    /// The node after it, the transition in between with the processes of that node, and how those
    /// (and new ones) are called here.
    next: Option<Next>,
    /// An invariant of the file: it was never unsafe.
    assumed: bool,
}

/// The search and its result.
pub struct Search<'s> {
    model: Model<'s>,
    rules: Rules,
    /// All nodes.
    pub nodes: Vec<Node>,
    /// The visited nodes that are not covered.
    pub active: Vec<usize>,
    /// The verdict.
    pub verdict: Verdict,
    /// How many nodes were visited.
    pub visited: usize,
}

/// Nodes that wait: processes, depth, size, number.
type Queue = BinaryHeap<Reverse<(u8, u32, usize, usize)>>;

/// Explores a system, resolved for buffers, under the rules of a model.
pub fn search<'s>(system: &'s System, rules: Rules, options: &Options) -> Search<'s> {
    let mut s = Search {
        model: Model::new(system, system.procs),
        rules,
        nodes: Vec::new(),
        active: Vec::new(),
        verdict: Verdict::Safe,
        visited: 0,
    };
    s.verdict = s.run(options).unwrap_or_else(Verdict::Unknown);
    s
}

impl Search<'_> {
    fn run(&mut self, options: &Options) -> Result<Verdict, Reason> {
        let mut queue = Queue::new();
        let mut seen = FxHashSet::default();
        let mut starts: FxHashMap<u8, Vec<Cond>> = FxHashMap::default();
        let mut cut = false;
        for (_, cube) in cubes(&self.model, &self.model.system.invariants)? {
            let cube = always(&self.model, last(cube));
            if let Some(prepared) = prepare(&self.model, cube) {
                self.active.push(self.nodes.len());
                self.nodes.push(Node {
                    prepared,
                    next: None,
                    assumed: true,
                });
            }
        }
        for (_, cube) in cubes(&self.model, &self.model.system.unsafes)? {
            self.enqueue(&mut queue, &mut seen, last(cube), None, 0);
        }
        while let Some(Reverse((procs, depth, _, id))) = queue.pop() {
            options.look_at_limits()?;
            if let std::collections::hash_map::Entry::Vacant(e) = starts.entry(procs) {
                e.insert(init::instances(&self.model, procs)?);
            }
            if self.is_initial(id, &starts[&procs])? {
                return Ok(Verdict::Unsafe(id));
            }
            let covered = |v: &usize| self.covers(*v, id);
            if self.active.iter().any(covered) {
                continue;
            }
            self.visited += 1;
            if self.visited > options.max_nodes {
                return Err(Reason::Nodes);
            }
            let active = std::mem::take(&mut self.active);
            let stays = |v: &usize| self.nodes[*v].assumed || !self.covers(id, *v);
            self.active = active.into_iter().filter(stays).collect();
            self.active.push(id);
            for (call, (cube, names)) in self.expand(id, options)? {
                if cube.procs > options.max_procs {
                    cut = true;
                    continue;
                }
                let next = Some((id, call, names));
                self.enqueue(&mut queue, &mut seen, cube, next, depth + 1);
            }
        }
        if cut {
            return Err(Reason::Procs);
        }
        Ok(Verdict::Safe)
    }

    fn enqueue(
        &mut self,
        queue: &mut Queue,
        seen: &mut FxHashSet<Cube>,
        cube: Cube,
        next: Option<Next>,
        depth: u32,
    ) {
        if !seen.insert(cube.clone()) {
            return;
        }
        let Some(prepared) = prepare(&self.model, cube) else {
            return;
        };
        let id = self.nodes.len();
        let size = prepared.cube.size();
        queue.push(Reverse((prepared.cube.procs, depth, size, id)));
        self.nodes.push(Node {
            prepared,
            next,
            assumed: false,
        });
    }

    fn covers(&self, big: usize, small: usize) -> bool {
        let (big, small) = (&self.nodes[big].prepared, &self.nodes[small].prepared);
        covers(&self.model, self.rules, big, small)
    }

    /// A pending read reads the initial value of its cell: of none may an overwritten write come
    /// before it.
    fn is_initial(&self, id: usize, start: &[Cond]) -> Result<bool, Reason> {
        let cube = &self.nodes[id].prepared.cube;
        if !cube.overs.is_empty() {
            return Ok(false);
        }
        let plain = cube::Cube {
            procs: cube.procs,
            conj: cube.conj.clone(),
            reads: cube.reads.clone(),
            ..cube::Cube::default()
        };
        Ok(init::meets(&self.model, &plain, start)?)
    }

    /// All pre-images of a node, with the calls that lead to it.
    fn expand(&self, id: usize, options: &Options) -> Result<Vec<(Call, Pre)>, Reason> {
        let (cube, system) = (&self.nodes[id].prepared.cube, &*self.model.system);
        let bases = cube.bases();
        let mut out = Vec::new();
        for (i, t) in system.transitions.iter().enumerate() {
            for (args, mut procs) in assignments(t.params.len(), cube.procs, system.fixed) {
                options.look_at_limits()?;
                if let Some(n) = self.model.limit {
                    if procs > n {
                        continue;
                    }
                    if self.sees_all(t) {
                        procs = n;
                    }
                }
                let at = (t, args.as_slice());
                let images = preimages(&self.model, self.rules, cube, &bases, at, procs)?;
                out.extend(images.into_iter().map(|pre| ((i, args.clone()), pre)));
            }
        }
        Ok(out)
    }

    /// The transition concerns processes that it does not name.
    fn sees_all(&self, t: &Transition) -> bool {
        let order = !self.rules.firings_in_order;
        has_others(&t.guard) || order && writes_everywhere(&self.model, t)
    }

    /// The calls from a node that meets the initial states to the unsafe formula; see
    /// [`trace::trace`].
    pub fn trace(&self, id: usize) -> Trace {
        trace::trace(&self.nodes, id, self.model.system.fixed)
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

/// The cube of an unsafe formula: all its reads are at the end.
fn last(cube: cube::Cube) -> Cube {
    let n = usize::from(cube.procs);
    Cube {
        procs: cube.procs,
        last: vec![None; cube.reads.len()],
        bars: vec![0; cube.reads.len()],
        fires: vec![u64::from(cube.snapshot); n],
        commits: vec![0; n],
        conj: cube.conj,
        reads: cube.reads,
        snapshot: cube.snapshot,
        after: cube.after,
        ..Cube::default()
    }
}

/// An invariant that speaks of constants and of what processes see holds at every moment at which
/// they read, not only at the end.
fn always(model: &Model, mut cube: Cube) -> Cube {
    let constant = |b: &cube::Base| match b.kind() {
        Kind::Cell(s, ..) => model.system.symbols[s].kind == SymbolKind::Const,
        _ => true,
    };
    if cube.snapshot && cube.bases().iter().all(constant) {
        cube.snapshot = false;
        cube.fires.iter_mut().for_each(|s| *s = 0);
    }
    forget(model, cube).0
}
