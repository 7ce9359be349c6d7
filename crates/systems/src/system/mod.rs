//! Weak array-based transition systems: a `.cub` file resolved and typed, history variables and counts, and
//! the tuples of processes that formulas are instantiated with.

pub mod access;
pub mod counts;
mod decl;
mod expr;
mod history;
mod outside;
mod ownership;
mod rename;
mod robust;
mod scope;
mod subst;
pub mod tuples;
pub mod types;
pub mod values;

pub use decl::resolve;
pub use expr::each_process;
pub use history::original;
pub use rename::map_form;
pub use robust::{RACE, Strongest};
pub use types::*;
