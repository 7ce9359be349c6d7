//! What makes the formula smaller without changing what it says, and how much it did.

use crate::relations::bounds::Node;
use crate::relations::critical::Sections;
use crate::unroll::event::CellId;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use smt::sat::cnf::Lit;

/// Reductions to use; all by default. Leaving one out changes no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reductions {
    /// What reads may return is found first ([`super::values`]): read-from candidates at other
    /// addresses are dropped, bits that never change are constants.
    pub values: bool,
    /// Critical sections are ordered as units (`section_order`).
    pub sections: bool,
    /// Reads of counters return sums (`sums`).
    pub sums: bool,
    /// Identical threads come in one order (`symmetry`).
    pub symmetry: bool,
}

impl Reductions {
    /// None of them.
    pub const NONE: Reductions = Reductions {
        values: false,
        sections: false,
        sums: false,
        symmetry: false,
    };
}

impl Default for Reductions {
    fn default() -> Reductions {
        Reductions {
            values: true,
            sections: true,
            sums: true,
            symmetry: true,
        }
    }
}

/// What reductions did to one formula.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reduced {
    /// Critical sections found.
    pub sections: usize,
    /// Pairs of writes that are ordered by the literal of their sections.
    pub orders: usize,
    /// Reads whose source the order of sections decides.
    pub reads: usize,
    /// Edges of orders that the order of sections brings anyway.
    pub edges: usize,
    /// Reads of counters that return a sum.
    pub sums: usize,
    /// Pairs of identical threads that come in one order.
    pub symmetric: usize,
}

/// The initial value of a counter, and what each of its writes adds.
pub type Counter = (u64, FxHashMap<Node, u64>);

/// What is known of critical sections and counters while a formula is made.
#[derive(Default, Debug)]
pub struct SectionOrder {
    /// Critical sections.
    pub sections: Sections,
    /// Pairs of writes whose coherence literal is that of their sections.
    pub shared: FxHashSet<(Node, Node)>,
    /// By read and write: the write is before the read, where sections decide that.
    pub before: FxHashMap<(Node, Node), Lit>,
    /// Reads of which sections decide what they read from.
    pub decided: FxHashSet<Node>,
    /// Counters.
    pub counters: FxHashMap<CellId, Counter>,
    /// Reads of counters that return one number.
    pub constant: FxHashSet<Node>,
    /// What was reduced.
    pub reduced: Reduced,
}

impl SectionOrder {
    /// With these sections.
    pub fn new(sections: Sections) -> SectionOrder {
        let reduced = Reduced {
            sections: sections.all.len(),
            ..Reduced::default()
        };
        SectionOrder {
            sections,
            reduced,
            ..SectionOrder::default()
        }
    }
}
