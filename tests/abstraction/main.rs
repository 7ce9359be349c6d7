//! Predicate abstraction.

mod benchmarks;
mod certificate;
mod discovery;
mod fences;
mod json;
mod naive;
mod random;
mod symmetry;
