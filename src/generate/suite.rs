//! Suites: the shapes that the literature names, with the fences and dependencies that an
//! architecture has; and a large systematic one for Power.
//!
//! A shape is a cycle over bare program order between different locations (`PodWW Rfe PodRR Fre`).
//! Its variants put a stronger edge in the place of each of these: for the short shapes every
//! worthwhile one everywhere, for the longer ones a selection.

use super::arch::{self, Arch};
use super::edge::{Com, Dir, Edge, Place, RelaxationKind, Side, Through};
use super::normal;
use super::parse;
use super::search::Search;

/// Two threads: every variant.
pub(super) const SHORT: [&str; 6] = [
    "PodWR Fre PodWR Fre",
    "PodWW Rfe PodRR Fre",
    "PodRW Rfe PodRW Rfe",
    "PodWW Rfe PodRW Coe",
    "PodWW Coe PodWR Fre",
    "PodWW Coe PodWW Coe",
];

/// Two threads in program order and others: bare order, full and light fences, a dependency.
pub(super) const WITH_SINGLE_WRITES: [&str; 9] = [
    "Rfe PodRW Rfe PodRR Fre",
    "Rfe PodRR Fre PodWR Fre",
    "Rfe PodRW Rfe PodRW Coe",
    "Rfe PodRW Coe PodWR Fre",
    "Rfe PodRR Fre PodWW Coe",
    "Rfe PodRW Coe PodWW Coe",
    "Rfe PodRR Fre Rfe PodRR Fre",
    "Rfe PodRR Fre Rfe PodRW Coe",
    "Rfe PodRW Coe Rfe PodRW Coe",
];

/// Three threads in program order: the same strength everywhere, or dependencies where possible.
pub(super) const LONG: [&str; 11] = [
    "PodWR Fre PodWR Fre PodWR Fre",
    "PodRW Rfe PodRW Rfe PodRW Rfe",
    "PodWW Coe PodWW Coe PodWW Coe",
    "PodWW Rfe PodRR Fre PodWR Fre",
    "PodWW Rfe PodRW Rfe PodRR Fre",
    "PodWW Rfe PodRW Coe PodWR Fre",
    "PodWW Coe PodWW Rfe PodRW Coe",
    "PodWW Rfe PodRW Rfe PodRW Coe",
    "PodWW Coe PodWW Rfe PodRR Fre",
    "PodWW Coe PodWR Fre PodWR Fre",
    "PodWW Coe PodWW Coe PodWR Fre",
];

/// One location, and reads that see the store of their own thread early.
pub(super) const ALWAYS: [&str; 9] = [
    "PosWW Coi",
    "PosRW Rfi",
    "PosWR Fri",
    "Rfe PosRW Coe",
    "Coe PosWR Fre",
    "Rfe PosRR Fre",
    "Rfi PodRR Fre Rfi PodRR Fre",
    "PodWR Fre Rfi PodRR Fre",
    "PodWW Rfe PosRR PodRR Fre",
];

/// With exchanges, for architectures that have them.
pub(super) const WITH_EXCHANGES: [&str; 4] = [
    "PodWR Rmw Coe PodWR Rmw Coe",
    "Rmw PodWR Fre Rfe Rmw PodWR Fre Rfe",
    "PodWR Rmw Rfe PodRR Fre",
    "Rfe Rmw Coe",
];

/// The classic shapes: cycles in canonical form, each once, shape by shape.
pub fn classic(arch: &dyn Arch) -> Vec<Vec<Edge>> {
    let mut cycles = Vec::new();
    for shape in shapes(arch, &SHORT) {
        cycles.extend(products(&shape, |edge| variants(arch, edge, is_worthwhile)));
    }
    for shape in shapes(arch, &WITH_SINGLE_WRITES) {
        cycles.extend(products(&shape, |edge| variants(arch, edge, is_usual)));
    }
    for shape in shapes(arch, &LONG) {
        cycles.extend(uniform(arch, &shape));
    }
    cycles.extend(shapes(arch, &ALWAYS));
    if arch.has_exchange() {
        cycles.extend(shapes(arch, &WITH_EXCHANGES));
    }
    let mut canonical: Vec<Vec<Edge>> = Vec::new();
    for cycle in cycles.iter().filter_map(|c| normal::canonical(c)) {
        if !canonical.contains(&cycle) {
            canonical.push(cycle);
        }
    }
    canonical
}

/// Everything of up to six candidates and four threads over the worthwhile edges, also where a thread
/// reads its own write and goes on from there: thousands of tests for Power, as the experiments of
/// the CAV 2013 paper used.
pub fn systematic(arch: &dyn Arch) -> Search {
    let rfi = Edge::com(Com::Rf, Side::Internal);
    let (mut relax, mut safe) = (Vec::new(), Vec::new());
    for edge in arch::edges(arch) {
        if edge.is_external() {
            safe.push(vec![edge]);
        } else if edge.changes_location() && is_worthwhile(edge) {
            relax.push(vec![edge]);
            if edge.source == Dir::R && !matches!(edge.kind, RelaxationKind::Fenced(..)) {
                relax.push(vec![rfi, edge]);
            }
        }
    }
    Search {
        relax,
        safe,
        mix: true,
        size: 6,
        threads: 2..=4,
        accesses: 4,
    }
}

fn shapes(arch: &dyn Arch, texts: &[&str]) -> Vec<Vec<Edge>> {
    texts
        .iter()
        .map(|text| parse::cycle(arch, text).expect("every architecture has these edges"))
        .collect()
}

/// All cycles that have one of the variants in the place of each edge.
fn products(shape: &[Edge], variants: impl Fn(Edge) -> Vec<Edge>) -> Vec<Vec<Edge>> {
    let mut cycles = vec![Vec::new()];
    for edge in shape {
        let variants = variants(*edge);
        cycles = cycles
            .iter()
            .flat_map(|cycle| {
                variants.iter().map(move |variant| {
                    let mut longer: Vec<Edge> = cycle.clone();
                    longer.push(*variant);
                    longer
                })
            })
            .collect();
    }
    cycles
}

/// Edges of the kinds chosen that may stand for bare program order between different locations,
/// itself included; any other edge stands for itself.
fn variants(arch: &dyn Arch, edge: Edge, chosen: fn(Edge) -> bool) -> Vec<Edge> {
    if edge.kind != RelaxationKind::Po(Place::Different) {
        return vec![edge];
    }
    let all = arch::edges(arch).into_iter();
    all.filter(|e| e.changes_location() && e.source == edge.source && e.target == edge.target)
        .filter(|e| chosen(*e))
        .collect()
}

/// Bare everywhere, each fence everywhere, each fence where no dependency is possible.
fn uniform(arch: &dyn Arch, shape: &[Edge]) -> Vec<Vec<Edge>> {
    let mut cycles = vec![shape.to_vec()];
    for fence in arch.fences() {
        let fenced = |edge: Edge| {
            let mut edges = variants(arch, edge, is_usual);
            edges.retain(|e| {
                e.is_com() || matches!(e.kind, RelaxationKind::Fenced(f, _) if f == fence)
            });
            edges
        };
        let dependent = |edge: Edge| {
            let mut edges = variants(arch, edge, is_usual);
            edges.retain(|e| matches!(e.kind, RelaxationKind::Dep(..)));
            if edges.is_empty() {
                fenced(edge)
            } else {
                edges
            }
        };
        cycles.extend(products(shape, fenced));
        cycles.extend(products(shape, dependent));
    }
    cycles
}

/// Leaves out what orders nothing, or what a simpler edge orders too.
fn is_worthwhile(edge: Edge) -> bool {
    let ends = (edge.source, edge.target);
    match edge.kind {
        RelaxationKind::Fenced(fence, _) if fence.name == "Eieio" => ends == (Dir::W, Dir::W),
        RelaxationKind::Fenced(fence, _) => fence.cumulative,
        RelaxationKind::Dep(dep, _) => dep.fence.is_none() || edge.target == Dir::R,
        _ => true,
    }
}

/// Of each sort the most common one.
fn is_usual(edge: Edge) -> bool {
    match edge.kind {
        RelaxationKind::Fenced(fence, _) => fence.cumulative && fence.name != "Eieio",
        RelaxationKind::Dep(dep, _) => match edge.target {
            Dir::R => dep.through == Through::Address,
            Dir::W => dep.through == Through::Data,
        },
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::arch::{ppc::Ppc, x86::X86};
    use crate::generate::edge::spell;
    use crate::generate::{of_cycles, of_search};
    use std::collections::BTreeSet;

    fn classic_names(arch: &dyn Arch) -> BTreeSet<String> {
        let cycles = classic(arch);
        let generated = of_cycles(arch, &cycles);
        assert_eq!(generated.tests.len(), cycles.len(), "{:?}", generated.left);
        let names: BTreeSet<String> = generated.tests.into_iter().map(|t| t.name).collect();
        assert_eq!(names.len(), cycles.len(), "names differ");
        names
    }

    #[test]
    fn classic_shapes() {
        let families = [
            "SB", "MP", "LB", "R", "S", "2+2W", "IRIW", "WRC", "RWC", "WWC", "WRW+WR", "WRR+2W",
            "WRW+2W", "IRRWIW", "IRWIW", "ISA2", "W+RWC", "3.SB", "3.LB", "3.2W", "Z6.0", "Z6.1",
            "Z6.2", "Z6.3", "Z6.4", "Z6.5", "CoWW", "CoRW1", "CoWR0", "CoRW2", "CoWR", "CoRR",
        ];
        for arch in [&X86 as &dyn Arch, &Ppc] {
            let names = classic_names(arch);
            for family in families {
                assert!(names.contains(family), "{} has no {family}", arch.name());
            }
        }
        assert!(classic_names(&Ppc).contains("MP+lwsync+ctrlisync"));
        assert!(classic_names(&Ppc).contains("ISA2+sync+data+addr"));
        assert!(classic_names(&X86).contains("SB+mfences"));
    }

    #[test]
    fn thousands_of_different_tests() {
        let generated = of_search(&Ppc, &systematic(&Ppc));
        assert!(generated.tests.len() >= 4500, "{}", generated.tests.len());
        let texts: BTreeSet<String> = generated
            .tests
            .iter()
            .map(|t| spell(&t.cycle.edges))
            .collect();
        assert_eq!(texts.len(), generated.tests.len());
    }
}
