//! Programs with the answers that their heads expect.

#[path = "../common/mod.rs"]
mod common;

mod benchmarks;
mod regressions;
mod reports;
