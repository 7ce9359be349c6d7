//! Symmetry of identical threads: executions that differ in their names alone are looked at once.
//!
//! Exchange two threads in an event graph: each event of the one for the event of the other at the
//! same place. When that maps the graph to itself it maps consistent executions to consistent ones,
//! as a model names no thread. So it is with any permutation of threads that neighbouring exchanges
//! generate; and when it maps what is asked to itself, too, what is asked is found among executions
//! in which the threads come in an order that is chosen here: take one write of each, all to one
//! cell, at the same place. Those threads whose write happens are first, in coherence order of the
//! writes. Some permutation of an execution is of that form, so clauses ask for it.
//!
//! That an exchange maps the graph to itself is seen on the graph, not on the source. Terms are
//! compared by classes: a term has a class where every read counts as itself, and one where reads of
//! the two threads are exchanged; chains of operators that are associative and commutative are
//! compared as multisets. The following has to be the same under the exchange: of events what they
//! do, their order, cells, guard, address, value and dependencies; program order, which is what
//! creations and joins come to; the guards and ends of threads; the checks by kind, guard and
//! condition; whatever else is asked by guard. That some pair of accesses races is the same question
//! then: a race is a pair of a relation of the model. Where deadlocks or lifetimes are asked for, and
//! where there are atomic groups or indeterminate values, nothing is done.
//!
//! **Fences between joins.** A thread that waits for others one after the other has a fence behind
//! each join, and the first of them orders fewer threads than the second. It may be left out: fences
//! are alike, nothing but fences is between the two, what comes behind the first comes behind the
//! second and does not happen without it, so whatever the first orders the second does. That is an
//! argument about relations `a -po-> fence -po-> b`, and so it is made for the built-in models,
//! whose fences are nothing else.

use super::relations::Encoder;
use crate::relations::bounds::{Analysis, Node};
use crate::unroll::event::{EventId, EventKind, Final, ThreadId};
use crate::unroll::term::{Term, TermId, operands};
use base::idx::{Id, IdVec};
use cat::model::{BaseRel, Model};
use ir::program::{BinOp, Fence, FenceTag, PropertyKind};
use ir::property::asks_for_progress;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Terms, events, and parts of chains beyond which nothing is compared.
const MAX_TERMS: usize = 50_000;
const MAX_NODES: usize = 2_000;
const MAX_PARTS: usize = 1_000_000;

/// Numbers of what looks the same.
#[derive(Default)]
struct Classes(FxHashMap<Vec<u64>, u64>);

impl Classes {
    fn of(&mut self, key: Vec<u64>) -> u64 {
        let next = self.0.len() as u64;
        *self.0.entry(key).or_insert(next)
    }
}

/// The graph under an exchange of events.
struct Image {
    events: FxHashMap<EventId, EventId>,
    terms: IdVec<TermId, u64>,
}

impl Image {
    fn event(&self, e: EventId) -> EventId {
        self.events.get(&e).copied().unwrap_or(e)
    }
}

impl Encoder<'_> {
    /// Asks for one order of identical threads.
    pub fn symmetry(&mut self, enabled: &[PropertyKind]) {
        let (a, graph) = (self.analysis, self.analysis.graph);
        if asks_for_progress(enabled)
            || !graph.groups.is_empty()
            || !graph.shadows.is_empty()
            || graph.terms.len() > MAX_TERMS
            || a.nodes.len() > MAX_NODES
            || graph.bounds_reached.iter().any(|b| b.section.is_some())
            || a.nodes
                .ids()
                .any(|n| matches!(a.event(n).kind, EventKind::Lifetime(_)))
        {
            return;
        }
        let ignored = ignored_fences(a);
        let mut classes = Classes::default();
        let mut same: Option<Image> = None;
        let threads: Vec<ThreadId> = graph.threads.ids().skip(1).collect();
        for pair in threads.windows(2) {
            if self.stopped() || !alike(a, pair[0], pair[1]) {
                continue;
            }
            if same.is_none() {
                same = image(a, &mut classes, FxHashMap::default());
            }
            let Some(same) = &same else {
                return;
            };
            let (first, second) = (
                &graph.threads[pair[0]].events,
                &graph.threads[pair[1]].events,
            );
            let there = first.iter().copied().zip(second.iter().copied());
            let both = there.flat_map(|(x, y)| [(x, y), (y, x)]).collect();
            let Some(other) = image(a, &mut classes, both) else {
                return;
            };
            if is_same(a, same, &other, &ignored, (pair[0], pair[1])) {
                self.ordered(pair[0], pair[1]);
            }
        }
    }

    /// The first thread is before the second.
    fn ordered(&mut self, first: ThreadId, second: ThreadId) {
        let (a, graph) = (self.analysis, self.analysis.graph);
        let co = &a.base[&BaseRel::Co].may;
        let there = graph.threads[first].events.iter();
        let mut there = there.zip(&graph.threads[second].events);
        // The threads are the same, so this is the same place for each pair of neighbours.
        let found = there.find_map(|(x, y)| {
            let (x, y) = (*a.node_of.get(x)?, *a.node_of.get(y)?);
            let write = a.event(x).kind == EventKind::Write && a.event(x).cells.len() == 1;
            write.then_some((x, y))
        });
        let comes = |x: Node, y: Node| co.contains(x.index(), y.index());
        if let Some((x, y)) = found.filter(|(x, y)| comes(*x, *y) && comes(*y, *x)) {
            let (first, second) = (self.exec(x), self.exec(y));
            let order = self.coherence(x, y);
            self.cnf.clause(&[!second, first]);
            self.cnf.clause(&[!first, !second, order]);
            self.section_order.reduced.symmetric += 1;
        }
    }
}

/// Two threads that may be the same by their looks.
fn alike(a: &Analysis, first: ThreadId, second: ThreadId) -> bool {
    let (graph, pair) = (a.graph, [first, second]);
    let (x, y) = (&graph.threads[first], &graph.threads[second]);
    x.name == y.name
        && x.parent == y.parent
        && x.created_after == y.created_after
        && x.events.len() == y.events.len()
        && !x.events.is_empty()
        && graph
            .threads
            .iter()
            .all(|t| t.parent.is_none_or(|p| !pair.contains(&p)))
}

/// The classes of all terms when events are exchanged; `None` when there is too much to compare.
fn image(
    a: &Analysis,
    classes: &mut Classes,
    events: FxHashMap<EventId, EventId>,
) -> Option<Image> {
    let terms = &a.graph.terms;
    let mut left = MAX_PARTS;
    let mut of: IdVec<TermId, u64> = IdVec::new();
    // By term that is a chain: the classes of its parts, in order.
    let mut chains: FxHashMap<TermId, (BinOp, Vec<u64>)> = FxHashMap::default();
    for id in terms.ids() {
        let term = terms.get(id);
        let width = u64::from(terms.width(id));
        let mut key = match term {
            Term::Const(v) => vec![0, v],
            Term::Read(e) => {
                let e = events.get(&e).copied().unwrap_or(e);
                vec![1, e.index() as u64]
            }
            Term::Nondet(n) => vec![2, u64::from(n)],
            Term::Not(_) => vec![3],
            Term::Ite(..) => vec![4],
            Term::ZeroExtend(_) => vec![5],
            Term::SignExtend(_) => vec![6],
            Term::Truncate(_) => vec![7],
            Term::Binary(op, ..) => vec![8, op as u64],
            Term::Float(f, _) => vec![9, f as u64],
            Term::Convert(cast, _) => vec![10, cast as u64],
        };
        key.push(width);
        match term {
            Term::Binary(op, x, y) if is_chain(op) => {
                let mut parts = Vec::new();
                for o in [x, y] {
                    match chains.get(&o) {
                        Some((inner, of)) if *inner == op => parts.extend(of),
                        _ => parts.push(of[o]),
                    }
                }
                parts.sort_unstable();
                if matches!(op, BinOp::And | BinOp::Or) {
                    parts.dedup();
                }
                left = left.checked_sub(parts.len())?;
                key.extend(&parts);
                chains.insert(id, (op, parts));
            }
            Term::Binary(BinOp::Eq | BinOp::Ne, x, y) => {
                let (x, y) = (of[x], of[y]);
                key.extend([x.min(y), x.max(y)]);
            }
            _ => key.extend(operands(term).into_iter().flatten().map(|o| of[o])),
        }
        of.push(classes.of(key));
    }
    Some(Image { events, terms: of })
}

fn is_chain(op: BinOp) -> bool {
    matches!(
        op,
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Add | BinOp::Mul
    )
}

/// The exchange maps the graph, but for some fences, and what is asked to themselves.
fn is_same(
    a: &Analysis,
    same: &Image,
    other: &Image,
    ignored: &FxHashSet<Node>,
    (first, second): (ThreadId, ThreadId),
) -> bool {
    let graph = a.graph;
    let term = |x: TermId, y: TermId| same.terms[x] == other.terms[y];
    let nodes = a.nodes.ids().filter(|n| !ignored.contains(n));
    let nodes: Vec<Node> = nodes.collect();
    let to = |n: Node| a.node_of.get(&other.event(a.nodes[n])).copied();
    for n in &nodes {
        let (here, x) = (a.nodes[*n], a.event(*n));
        let Some(there) = to(*n).filter(|there| !ignored.contains(there)) else {
            return false;
        };
        let y = a.event(there);
        let deps = |image: &Image, deps: &[(EventId, TermId)]| {
            let of = |(e, cond): &(EventId, TermId)| (image.event(*e), image.terms[*cond]);
            let mut all: Vec<(EventId, u64)> = deps.iter().map(of).collect();
            all.sort_unstable();
            all
        };
        let all = [
            (&x.addr_deps, &y.addr_deps),
            (&x.data_deps, &y.data_deps),
            (&x.ctrl_deps, &y.ctrl_deps),
        ];
        // What is here is, exchanged, what is there.
        let equal = (x.kind, x.order, &x.cells) == (y.kind, y.order, &y.cells)
            && x.alternatives == y.alternatives
            && term(y.guard, x.guard)
            && term(y.addr, x.addr)
            && term(y.value, x.value)
            && x.rmw_read.map(|r| other.event(r)) == y.rmw_read
            && all.iter().all(|(v, w)| deps(other, v) == deps(same, w))
            && (other.event(here) != here || x.thread == y.thread);
        if !equal {
            return false;
        }
    }
    // Threads.
    for (id, thread) in graph.threads.iter_enumerated() {
        let image = match id {
            _ if id == first => second,
            _ if id == second => first,
            _ => id,
        };
        let image = &graph.threads[image];
        if !term(image.guard, thread.guard) || !term(image.ended, thread.ended) {
            return false;
        }
    }
    is_same_order(a, same, other, &nodes) && is_same_query(a, same, other)
}

/// Program order is mapped to itself.
fn is_same_order(a: &Analysis, same: &Image, other: &Image, nodes: &[Node]) -> bool {
    let po = &a.base[&BaseRel::Po];
    let ways = |image: &Image, pair: (Node, Node)| {
        let ways = a.po_cond.get(&pair).into_iter().flatten();
        let of = |way: &Vec<TermId>| {
            let mut way: Vec<u64> = way.iter().map(|c| image.terms[*c]).collect();
            way.sort_unstable();
            way.dedup();
            way
        };
        let mut ways: Vec<Vec<u64>> = ways.map(of).collect();
        ways.sort_unstable();
        ways.dedup();
        ways
    };
    let image: FxHashMap<Node, Node> = nodes
        .iter()
        .filter_map(|n| Some((*n, *a.node_of.get(&other.event(a.nodes[*n]))?)))
        .collect();
    let moved: Vec<Node> = nodes.iter().copied().filter(|n| image[n] != *n).collect();
    moved.iter().all(|x| {
        nodes.iter().all(|y| {
            let (v, w) = (image[x], image[y]);
            [((*x, *y), (v, w)), ((*y, *x), (w, v))]
                .iter()
                .all(|(here, there)| {
                    let at = |m: &base::bits::BitMatrix, p: &(Node, Node)| {
                        m.contains(p.0.index(), p.1.index())
                    };
                    let open = at(&po.may, here) && !at(&po.must, here);
                    at(&po.may, here) == at(&po.may, there)
                        && at(&po.must, here) == at(&po.must, there)
                        && (!open || ways(other, *here) == ways(same, *there))
                })
        })
    })
}

/// What is asked is mapped to itself.
fn is_same_query(a: &Analysis, same: &Image, other: &Image) -> bool {
    let graph = a.graph;
    let all = |image: &Image| {
        let mut all: BTreeMap<(String, u64, u64), usize> = BTreeMap::new();
        let mut add = |name: String, x: u64, y: u64| *all.entry((name, x, y)).or_default() += 1;
        for check in &graph.checks {
            let kind = format!("{:?} {}", check.property.kind, check.property.text);
            add(kind, image.terms[check.guard], image.terms[check.cond]);
        }
        let unsupported = graph.unsupported.iter().map(|g| ("unsupported", g));
        let unresolved = graph.unresolved.iter().map(|g| ("unresolved", g));
        for (what, g) in unsupported.chain(unresolved) {
            let name = format!("{what} {} {:?}", g.reason, g.span);
            add(name, image.terms[g.guard], 0);
        }
        for bound in &graph.bounds_reached {
            let name = format!("bound {} {:?}", bound.name, bound.span);
            add(name, image.terms[bound.guard], 0);
        }
        for guard in &graph.spurious {
            add("spurious".to_string(), image.terms[*guard], 0);
        }
        for (id, last) in graph.finals.iter_enumerated() {
            let value = match last {
                Final::Value(term) => image.terms[*term],
                Final::Cell(_) => 0,
            };
            add(format!("final {}", id.index()), value, 0);
        }
        all
    };
    all(same) == all(other)
}

/// Fences that another one makes superfluous: see the head of this file.
fn ignored_fences(a: &Analysis) -> FxHashSet<Node> {
    let mut ignored = FxHashSet::default();
    if !is_built_in(a.model) {
        return ignored;
    }
    let posix = EventKind::Fence(FenceTag::Explicit(Fence::Posix));
    let po = &a.base[&BaseRel::Po];
    for thread in a.graph.threads.iter() {
        let events: Vec<Node> = thread
            .events
            .iter()
            .filter_map(|e| a.node_of.get(e).copied())
            .collect();
        for pair in events.windows(2) {
            let (fence, next) = (pair[0], pair[1]);
            if a.event(fence).kind != posix || a.event(next).kind != posix {
                continue;
            }
            let mut behind = po.may.successors(fence.index()).map(Node::from_index);
            let covered = behind.all(|b| {
                b == next || po.must.contains(next.index(), b.index()) && a.implies(b, next)
            });
            if covered {
                ignored.insert(fence);
            }
        }
    }
    ignored
}

/// Whether the axioms of a model are those of a built-in one; what is asked of it stands behind them.
fn is_built_in(model: &Model) -> bool {
    let mut names = cat::names().filter_map(|(name, _)| cat::builtin(name));
    names.any(|m| {
        m.rels.iter().eq(model.rels.iter().take(m.rels.len()))
            && m.sets.iter().eq(model.sets.iter().take(m.sets.len()))
            && m.recs.iter().eq(model.recs.iter().take(m.recs.len()))
            && m.axioms.len() == model.axioms.len()
            && m.axioms
                .iter()
                .zip(&model.axioms)
                .all(|(x, y)| (x.kind, x.rel) == (y.kind, y.rel))
    })
}
