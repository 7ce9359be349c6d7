//! Acyclicity as an order: one interface, two backends.
//!
//! A relation is acyclic when its pairs agree with some strict total order. An [`Instance`] asks
//! for that: edges that hold, or hold when a literal does. [`matrix`] has a literal for each pair
//! that matters and makes them transitive; [`clocks`] gives every node a number, as the paper does
//! (Sec. 5). Both answer `before(a, b)`.

pub mod clocks;
mod instance;
pub mod matrix;

pub use instance::Instance;

use smt::sat::cnf::Cnf;

/// Which backend to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Backend {
    /// For each axiom: order literals where the formula is small, else judged lazily.
    #[default]
    Auto,
    /// Order literals with eager transitivity.
    Matrix,
    /// Bit-vector clocks.
    Clocks,
    /// Axioms judge each satisfying assignment, see [`lazy`](super::lazy); what is left to order
    /// eagerly has order literals.
    Lazy,
}

/// Triangles above which clocks are used instead of the matrix.
const MAX_TRIANGLES: usize = 3_000_000;

impl Backend {
    /// The backend for a formula that has to be complete by itself.
    pub fn eager(self) -> Backend {
        match self {
            Backend::Auto | Backend::Lazy => Backend::Matrix,
            eager => eager,
        }
    }
}

impl Instance {
    /// Adds the requirement to a formula; a part of it when `stop`, asked now and then, answers
    /// true.
    pub fn assert(&self, cnf: &mut Cnf, backend: Backend, stop: &dyn Fn() -> bool) {
        let Some(reduced) = self.reduce(stop) else {
            cnf.clause(&[]);
            return;
        };
        if reduced.len == 0 {
            return;
        }
        let plan = match backend {
            Backend::Clocks => None,
            _ => matrix::Plan::new(&reduced, MAX_TRIANGLES, stop),
        };
        match plan {
            Some(plan) => matrix::assert(cnf, &reduced, &plan, stop),
            None => clocks::assert(cnf, &reduced, stop),
        }
    }
}
