//! Litmus tests from cycles of candidate relaxations.
//!
//! An execution that no interleaving explains has a cycle of program order and communications. The
//! reverse makes tests: write down a cycle, `PodWW Rfe PodRR Fre`, and there is a program with a
//! final condition that only an execution with this cycle meets (message passing). Whether a model
//! or a machine allows it says whether one of the edges is relaxed. The idea and the language are
//! those of `diy` (Alglave, Maranget, Sarkar, Sewell: "Litmus: running tests against hardware",
//! TACAS 2011; "Fences in weak memory models", CAV 2010).
//!
//! ```text
//! text ──► parse ──► edges ──► cycle ──► condition ──► litmus (text)
//!                      ▲        (threads, locations,      ▲
//!      search, suite ──┘         values)                  └── arch, name
//! ```
//!
//! Nothing here reads or writes files or knows another stage: what leaves is text, which the front
//! end reads like any other.

pub mod arch;
pub mod condition;
pub mod cycle;
pub mod edge;
pub mod litmus;
pub mod name;
pub mod normal;
pub mod ordered;
pub mod parse;
pub mod search;
pub mod suite;

use arch::Arch;
use cycle::{Cycle, Malformed};
use edge::Edge;
use litmus::GeneratedTest;
pub use litmus::Left;
use parse::Unreadable;
use search::Search;
use std::collections::BTreeMap;

/// Why a typed cycle is no test.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// It does not consist of edges.
    #[error(transparent)]
    Unreadable(Unreadable),
    /// The edges are no cycle.
    #[error(transparent)]
    Malformed(Malformed),
    /// The cycle has no test.
    #[error(transparent)]
    Left(Left),
}

/// Tests, with different names, and how many cycles have none for which reason.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Generated {
    /// In the order in which the cycles were found.
    pub tests: Vec<GeneratedTest>,
    /// Cycles without a test.
    pub left: BTreeMap<Left, usize>,
}

impl Generated {
    fn add(&mut self, test: Result<GeneratedTest, Left>) {
        match test {
            Ok(test) => self.tests.push(test),
            Err(why) => *self.left.entry(why).or_default() += 1,
        }
    }
}

/// The test of a cycle written by a person.
///
/// # Errors
/// Why there is none.
pub fn one(arch: &dyn Arch, text: &str) -> Result<GeneratedTest, Refused> {
    let edges = parse::cycle(arch, text).map_err(Refused::Unreadable)?;
    let cycle = Cycle::new(&edges).map_err(Refused::Malformed)?;
    litmus::test(arch, cycle).map_err(Refused::Left)
}

/// The tests of these cycles; what is no cycle is passed over.
pub fn of_cycles(arch: &dyn Arch, cycles: &[Vec<Edge>]) -> Generated {
    let mut generated = Generated::default();
    for cycle in cycles.iter().filter_map(|edges| Cycle::new(edges).ok()) {
        generated.add(litmus::test(arch, cycle));
    }
    number(&mut generated.tests);
    generated
}

/// The tests of all cycles that a search finds.
pub fn of_search(arch: &dyn Arch, search: &Search) -> Generated {
    let mut generated = Generated::default();
    for found in search::search(search) {
        let test = litmus::test(arch, found.cycle);
        generated.add(test.map(|test| test.with_candidates(found.relax, found.safe)));
    }
    number(&mut generated.tests);
    generated
}

/// Appends 001, 002, … to names that were there before.
pub fn number(tests: &mut [GeneratedTest]) {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for test in tests {
        let before = seen.entry(test.name.clone()).or_default();
        if *before > 0 {
            test.name = format!("{}{before:03}", test.name);
        }
        *before += 1;
    }
}
