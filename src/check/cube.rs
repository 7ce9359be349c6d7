//! Cubes: parts of a formula that are solved apart.
//!
//! A cube is a conjunction of decisions ([`crate::encode::decision`]), each taken one way. The cubes of
//! a [`Split`] are the leaves of a binary tree in which every inner node asks about one decision, so
//! together they are a tautology: every execution is in one of them.
//!
//! A cube says in words what it is about, and is checked only for the very formula that was split: the
//! [`fingerprint`] tells.

use crate::encode::Encoding;
use crate::encode::decision::Decision;
use crate::unroll::event::{EventGraph, EventId, EventKind};
use base::idx::Id;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use smt::sat::cnf::Lit;

/// A decision taken one way.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Literal {
    /// Which.
    pub decision: Decision,
    /// Whether it holds.
    pub holds: bool,
    /// What that means, for people.
    pub words: String,
}

/// A conjunction of literals.
pub type Cube = Vec<Literal>;

/// A formula that was split.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Split {
    /// Tells the formula from others.
    pub fingerprint: String,
    /// The leaves of the tree.
    pub leaves: Vec<Leaf>,
}

/// A leaf of the tree.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Leaf {
    /// The way to it.
    pub cube: Cube,
    /// A short search has not solved it.
    pub hard: bool,
}

/// Tells a formula from all others: a SHA-256 of its clauses.
pub fn fingerprint(encoding: &Encoding) -> String {
    let mut hash = Sha256::new();
    hash.update(encoding.cnf.num_vars().to_le_bytes());
    for lit in &encoding.cnf.flat {
        hash.update(lit.to_le_bytes());
    }
    let of_goals = [
        &encoding.violated,
        &encoding.unsupported,
        &encoding.unresolved,
        &encoding.bounds_reached,
    ];
    for lits in of_goals {
        hash.update((lits.len() as u64).to_le_bytes());
        for lit in lits {
            hash.update(lit.0.to_le_bytes());
        }
    }
    hash.finalize().iter().map(|b| format!("{b:02x}")).collect()
}

/// The literals of a cube in a formula.
///
/// # Errors
/// A sentence: the formula has no such decision.
pub fn literals(encoding: &Encoding, cube: &[Literal]) -> Result<Vec<Lit>, String> {
    let each = cube.iter().map(|literal| {
        let lit = encoding.decided_by(literal.decision);
        let lit = lit.ok_or_else(|| format!("the formula does not decide {:?}", literal.words))?;
        Ok(if literal.holds { lit } else { !lit })
    });
    each.collect()
}

/// A decision taken one way, with its words.
pub(super) fn literal(graph: &EventGraph, decision: Decision, holds: bool) -> Literal {
    let (a, b) = decision.events();
    let words = match (decision, holds) {
        (Decision::Order(..), true) => format!("{} before {}", event(graph, a), event(graph, b)),
        (Decision::Order(..), false) => format!("{} before {}", event(graph, b), event(graph, a)),
        (Decision::ReadFrom(..), true) => {
            format!("{} returns {}", event(graph, b), event(graph, a))
        }
        (Decision::ReadFrom(..), false) => {
            format!("{} does not return {}", event(graph, b), event(graph, a))
        }
    };
    Literal {
        decision,
        holds,
        words,
    }
}

/// An event in words: `write 3 of m by thread 2 (worker)`.
fn event(graph: &EventGraph, id: EventId) -> String {
    let event = &graph.events[id];
    let what = match event.kind {
        EventKind::Read => "read",
        _ => "write",
    };
    let cells: Vec<&str> = event
        .cells
        .iter()
        .map(|c| graph.cells[*c].name.as_str())
        .collect();
    let cells = cells.join(" or ");
    let Some(thread) = event.thread else {
        return format!("the initial write of {cells}");
    };
    let own = &graph.threads[thread];
    let alike = own.events.iter().filter(|e| {
        let other = &graph.events[**e];
        other.kind == event.kind && other.cells == event.cells && **e <= id
    });
    let (number, index, name) = (alike.count(), thread.index(), &own.name);
    format!("{what} {number} of {cells} by thread {index} ({name})")
}
