//! Programs with the answers that their heads expect.

mod benchmarks;
mod regressions;
mod repairs;
mod reports;
