//! What follows from literals: a closure that decides nearly all of it, and queries to the SMT
//! solver.

pub mod closure;
pub mod context;
pub mod incompleteness;
pub mod linear;
pub mod query;

pub use context::SystemContext;
