//! Proofs, and what they are checked by.

#[path = "../common/mod.rs"]
mod common;

mod bundles;
mod counterexamples;
mod dimacs;
mod lrat;
mod mutations;
mod smt;
mod walks;
