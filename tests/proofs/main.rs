//! Proofs, and what they are checked by.

mod bundles;
mod counterexamples;
mod dimacs;
mod lrat;
mod mutations;
mod smt;
mod walks;
