//! Refinement: traces are confirmed by the machine, and a spurious one adds a history variable.

pub mod history;
pub mod spurious;
