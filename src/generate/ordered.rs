//! Suites of a language: the shapes that the literature names, with all memory orders.
//!
//! A thread of a shape has its accesses in every combination of orders. Where all of them are the weakest, what
//! is between two accesses may also be a fence or a dependency. The threads vary independently of each other.
//! Accesses that are not atomic are left out: they race in nearly every shape, and a test with a data race
//! has no answer.

use super::arch::{self, Arch};
use super::edge::{AccessOrder, Dir, Edge, Place, RelaxationKind, Through};
use super::normal;
use super::parse;
use super::suite::{ALWAYS, LONG, SHORT, WITH_EXCHANGES, WITH_SINGLE_WRITES};
use rustc_hash::FxHashSet;

/// Exchanges where a thread takes part in a shape of two threads by one.
const EXCHANGES: [&str; 8] = [
    "PodWR Rmw Coe PodWR Fre",
    "PodWR Rmw Coe PodWW Coe",
    "PodWW Rfe Rmw PodWR Fre",
    "PodWR Rmw Rfe Rmw PodWR Fre",
    "PodRR Rmw Rfe PodRW Rfe",
    "Rfe Rmw PodWW Rfe PodRW",
    "PodWW Rfe Rmw PodWW Coe",
    "PodWR Rmw Rfe PodRW Coe",
];

/// Shapes of two threads, and those with exchanges.
pub fn classic(arch: &dyn Arch) -> Vec<Vec<Edge>> {
    of_shapes(arch, &[&SHORT, &EXCHANGES])
}

/// All shapes.
pub fn systematic(arch: &dyn Arch) -> Vec<Vec<Edge>> {
    let all: [&[&str]; 6] = [
        &SHORT,
        &EXCHANGES,
        &WITH_EXCHANGES,
        &ALWAYS,
        &WITH_SINGLE_WRITES,
        &LONG,
    ];
    of_shapes(arch, &all)
}

/// The variants of shapes: cycles in canonical form, each once, shape by shape.
fn of_shapes(arch: &dyn Arch, lists: &[&[&str]]) -> Vec<Vec<Edge>> {
    let mut seen = FxHashSet::default();
    let mut all = Vec::new();
    for text in lists.iter().copied().flatten() {
        let shape = parse::cycle(arch, text).expect("every language has these edges");
        for cycle in variants(arch, &shape) {
            if let Some(cycle) = normal::canonical(&cycle)
                && seen.insert(cycle.clone())
            {
                all.push(cycle);
            }
        }
    }
    all
}

/// The cycles whose threads are variants of those of a shape.
fn variants(arch: &dyn Arch, shape: &[Edge]) -> Vec<Vec<Edge>> {
    let Some(shape) = normal::canonical(shape) else {
        return Vec::new();
    };
    let mut cycles: Vec<Vec<Edge>> = vec![Vec::new()];
    for thread in normal::threads(&shape) {
        let threads = threads(arch, thread);
        let longer = cycles.iter().flat_map(|cycle| {
            let each = threads.iter();
            each.map(move |thread| [cycle.as_slice(), thread.as_slice()].concat())
        });
        cycles = longer.collect();
    }
    for cycle in &mut cycles {
        close(cycle);
    }
    cycles
}

/// The variants of a thread; its last edge, which leaves it, knows the order it starts from alone.
fn threads(arch: &dyn Arch, thread: &[Edge]) -> Vec<Vec<Edge>> {
    let mut all = Vec::new();
    for orders in assignments(arch, thread) {
        let mut variant = Vec::new();
        for (i, edge) in thread.iter().enumerate() {
            let to = orders.get(i + 1).copied().unwrap_or(AccessOrder::Plain);
            variant.push(edge.with_orders((orders[i], to)));
        }
        let (_, inner) = variant.split_last().unwrap_or((&variant[0], &[]));
        if inner.iter().any(|e| !arch::may_have(*e, e.orders)) {
            continue;
        }
        if orders.iter().all(|o| arch.orders().first() == Some(o)) {
            all.extend(stronger(arch, &variant));
        }
        all.push(variant);
    }
    all
}

/// All orders of the accesses of a thread.
fn assignments(arch: &dyn Arch, thread: &[Edge]) -> Vec<Vec<AccessOrder>> {
    let mut all = vec![Vec::new()];
    for edge in thread {
        let fitting = arch.orders().iter().filter(|o| o.applies_to(edge.source));
        let fitting: Vec<AccessOrder> = fitting.copied().collect();
        let longer = all.iter().flat_map(|before: &Vec<AccessOrder>| {
            let each = fitting.iter();
            each.map(move |order| [before.as_slice(), &[*order]].concat())
        });
        all = longer.collect();
    }
    all
}

/// The thread with a fence or dependency in the place of its only edge between different locations.
fn stronger(arch: &dyn Arch, thread: &[Edge]) -> Vec<Vec<Edge>> {
    let is_bare = |e: &Edge| e.kind == RelaxationKind::Po(Place::Different);
    let mut bare = thread.iter().enumerate().filter(|(_, e)| is_bare(e));
    let (Some((at, edge)), None) = (bare.next(), bare.next()) else {
        return Vec::new();
    };
    let fences = arch.fences().iter();
    let fences = fences.map(|f| RelaxationKind::Fenced(f, Place::Different));
    let deps = arch.deps().iter();
    let deps = deps.map(|d| RelaxationKind::Dep(d, Place::Different));
    let kinds = fences.chain(deps).filter(|kind| orders(*kind, *edge, arch));
    let replaced = kinds.map(|kind| {
        let mut variant = thread.to_vec();
        variant[at].kind = kind;
        variant
    });
    replaced.collect()
}

/// Leaves out what orders nothing, and of dependencies all but one, and in the kernel a branch.
fn orders(kind: RelaxationKind, edge: Edge, arch: &dyn Arch) -> bool {
    match kind {
        RelaxationKind::Fenced(fence, _) => match fence.name {
            "FenceAcq" => edge.source == Dir::R,
            "FenceRel" => edge.target == Dir::W,
            "FenceAcqRel" => (edge.source, edge.target) != (Dir::W, Dir::R),
            "FenceRmb" => (edge.source, edge.target) == (Dir::R, Dir::R),
            "FenceWmb" => (edge.source, edge.target) == (Dir::W, Dir::W),
            _ => true,
        },
        RelaxationKind::Dep(dep, _) => {
            let branches = arch.orders().contains(&AccessOrder::Once);
            edge.source == Dir::R
                && match edge.target {
                    Dir::R => dep.through == Through::Address,
                    Dir::W => {
                        dep.through == Through::Data || branches && dep.through == Through::Control
                    }
                }
        }
        _ => false,
    }
}

/// Gives the edges that leave a thread the order of the access they lead to.
fn close(cycle: &mut [Edge]) {
    for i in 0..cycle.len() {
        let next = cycle[(i + 1) % cycle.len()].orders.0;
        cycle[i].orders.1 = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::arch::c11::C11;
    use crate::generate::of_cycles;
    use std::collections::BTreeSet;

    #[test]
    fn tens_of_thousands_of_different_tests() {
        let cycles = systematic(&C11);
        let generated = of_cycles(&C11, &cycles);
        assert!(generated.tests.len() > 20_000, "{}", generated.tests.len());
        let names: BTreeSet<&str> = generated.tests.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(names.len(), generated.tests.len(), "names differ");
        for name in [
            "MP+porlxrel+poacqrlx",
            "SB+poscscs",
            "LB+datarlxrlxs",
            "IRIW+poscscs",
        ] {
            let found = names.iter().any(|n| n.starts_with(name));
            assert!(found, "there is no {name}");
        }
    }
}
