//! Names of tests: the family by the end points of the threads, then what is between them.
//!
//! `MP+sync+addr` is message passing with `sync` in the writer and an address dependency in the
//! reader. What all threads have in common is said once (`MP+syncs`), plain program order not at all
//! when there is nothing else (`MP`). The names of the families are those of Maranget, Sarkar and
//! Sewell ("A tutorial introduction to the ARM and POWER relaxed memory models", 2012) and of `diy`.
//! A cycle of no family is called by its end points. Directions inside of a thread are not said, so
//! that different cycles may have one name; whoever collects tests numbers them.

use super::edge::{Com, Edge, Place, RelaxationKind};
use super::normal;

/// End points of the threads and the name of the family.
const FAMILIES: [(&str, &str); 29] = [
    ("WW+RR", "MP"),
    ("WR+WR", "SB"),
    ("WR+WR+WR", "3.SB"),
    ("WR+WR+WR+WR", "4.SB"),
    ("RW+RW", "LB"),
    ("RW+RW+RW", "3.LB"),
    ("RW+RW+RW+RW", "4.LB"),
    ("WW+WW", "2+2W"),
    ("WW+WW+WW", "3.2W"),
    ("WW+WW+WW+WW", "4.2W"),
    ("WW+WR", "R"),
    ("WW+RW", "S"),
    ("W+RW+RR", "WRC"),
    ("W+RR+WR", "RWC"),
    ("W+RW+RW", "WWC"),
    ("W+RW+WR", "WRW+WR"),
    ("W+RR+WW", "WRR+2W"),
    ("W+RW+WW", "WRW+2W"),
    ("WW+RR+WR", "W+RWC"),
    ("WW+RW+RR", "ISA2"),
    ("W+RR+W+RR", "IRIW"),
    ("W+RR+W+RW", "IRRWIW"),
    ("W+RW+W+RW", "IRWIW"),
    ("WW+RW+WR", "Z6.0"),
    ("WW+WW+RW", "Z6.1"),
    ("WW+RW+RW", "Z6.2"),
    ("WW+WW+RR", "Z6.3"),
    ("WW+WR+WR", "Z6.4"),
    ("WW+WW+WR", "Z6.5"),
];

/// The same for cycles that stay at one location.
const COHERENCE: [(&str, &str); 6] = [
    ("WW", "CoWW"),
    ("RW", "CoRW1"),
    ("WR", "CoWR0"),
    ("W+RW", "CoRW2"),
    ("W+WR", "CoWR"),
    ("W+RR", "CoRR"),
];

/// The name of a canonical cycle.
pub fn name(cycle: &[Edge]) -> String {
    let mut name = family(cycle);
    for part in parts(cycle) {
        name.push('+');
        name.push_str(&part);
    }
    name
}

/// The family of a canonical cycle, or its end points.
pub fn family(cycle: &[Edge]) -> String {
    let ends: Vec<String> = normal::threads(cycle)
        .into_iter()
        .map(|t| normal::ends(t).to_string())
        .collect();
    let ends = ends.join("+");
    let families: &[(&str, &str)] = if cycle.iter().any(|e| e.changes_location()) {
        &FAMILIES
    } else {
        &COHERENCE
    };
    let known = families.iter().find(|(key, _)| *key == ends);
    known.map_or(ends, |(_, family)| (*family).to_string())
}

fn parts(cycle: &[Edge]) -> Vec<String> {
    let parts: Vec<String> = normal::threads(cycle)
        .into_iter()
        .filter_map(|thread| {
            // The edge that leaves the thread is not part of it.
            let (_, inner) = thread.split_last()?;
            (!inner.is_empty()).then(|| part(inner))
        })
        .collect();
    let Some(first) = parts.first() else {
        return parts;
    };
    if parts.iter().any(|p| p != first) {
        return parts;
    }
    match (first.as_str(), parts.len()) {
        ("po", _) | ("pos", 1) => Vec::new(),
        (_, 1) => parts,
        (all, _) => vec![format!("{all}s")],
    }
}

/// Edges of a thread.
fn part(edges: &[Edge]) -> String {
    let words: Vec<String> = edges.iter().map(|e| word(*e)).collect();
    words.join("-")
}

fn word(edge: Edge) -> String {
    kind(edge) + &edge.orders_text().to_lowercase()
}

fn kind(edge: Edge) -> String {
    let base = match edge.kind {
        RelaxationKind::Com(Com::Rf, _) => return "rfi".to_string(),
        RelaxationKind::Com(Com::Fr, _) => return "fri".to_string(),
        RelaxationKind::Com(Com::Co, _) => return "coi".to_string(),
        RelaxationKind::Rmw => return "rmw".to_string(),
        RelaxationKind::Po(_) => "po".to_string(),
        RelaxationKind::Fenced(fence, _) => fence.name.to_lowercase(),
        RelaxationKind::Dep(dep, _) => dep.name.to_lowercase(),
    };
    match edge.place() {
        Place::Same => format!("{base}s"),
        Place::Different => base,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::arch::{Arch, ppc::Ppc, x86::X86};
    use crate::generate::parse;

    fn check(arch: &dyn Arch, cycle: &str, expect: &str) {
        let edges = parse::cycle(arch, cycle).expect("edges exist");
        let canonical = normal::canonical(&edges).expect("has threads");
        assert_eq!(name(&canonical), expect);
    }

    #[test]
    fn names_as_in_the_literature() {
        check(&Ppc, "PodWR Fre PodWR Fre", "SB");
        check(&Ppc, "SyncdWW Rfe DpAddrdR Fre", "MP+sync+addr");
        check(&Ppc, "Rfe SyncdRR Fre Rfe SyncdRR Fre", "IRIW+syncs");
        check(
            &Ppc,
            "LwSyncdWW Wse Rfi DpDatadW Wse",
            "2+2W+lwsync+rfi-data",
        );
        check(
            &Ppc,
            "Rfe DpDatadW Rfe DpCtrlIsyncdR Fre",
            "WRC+data+ctrlisync",
        );
        check(
            &Ppc,
            "PodWW Rfe PodRW Wse PodWR Fre PodWW Coe",
            "WW+WW+RW+WR",
        );
        check(&X86, "Rfi PodRR Fre Rfi PodRR Fre", "SB+rfi-pos");
        check(&X86, "MFencedWR Fre PodWR Fre", "SB+mfence+po");
    }

    #[test]
    fn names_of_coherence_tests() {
        check(&Ppc, "PosWW Coi", "CoWW");
        check(&Ppc, "Rfi PosRW", "CoRW1");
        check(&Ppc, "Rfe PosRW Coe", "CoRW2");
        check(&Ppc, "Coe PosWR Fre", "CoWR");
        check(&Ppc, "Rfe PosRR Fre", "CoRR");
    }

    #[test]
    fn edges_of_a_thread_are_joined() {
        check(&Ppc, "SyncdWW Rfe PosRR PodRR Fre", "MP+sync+pos-po");
        check(
            &Ppc,
            "SyncdWW Rfe DpAddrdR Fri Rfi DpAddrdR Fre",
            "MP+sync+addr-fri-rfi-addr",
        );
    }
}
