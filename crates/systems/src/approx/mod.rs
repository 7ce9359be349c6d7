//! Approximations of cubes from finite instances, with backtracking on those that are refuted.

pub mod brab;
pub mod candidate;
pub mod oracle;
