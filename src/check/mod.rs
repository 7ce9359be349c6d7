//! Checking: questions to the formula, executions out of its models, and their re-validation.

pub mod bmc;
pub mod bundle;
pub mod combine;
mod consistent;
pub mod cover;
pub mod cube;
pub mod decode;
mod ending;
pub mod enumerated;
pub mod explain;
pub mod explored;
pub mod foreign;
mod goals;
pub mod houdini;
pub mod litmus;
pub mod loops;
mod machine;
pub mod orders;
pub mod outcome;
mod reach;
mod remedy;
pub mod replay;
pub mod split;
pub mod task;
pub mod trace;
mod violation;
pub mod walk;
