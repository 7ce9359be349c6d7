//! Predicate abstraction.

#[path = "../common/mod.rs"]
mod common;

mod benchmarks;
mod certificate;
mod discovery;
mod fences;
mod json;
mod naive;
mod random;
mod symmetry;
