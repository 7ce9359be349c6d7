//! Checking: questions to the formula, executions out of its models, and their re-validation.

pub mod bmc;
pub mod bundle;
mod consistent;
pub mod decode;
pub mod enumerated;
pub mod explain;
mod goals;
pub mod litmus;
pub mod loops;
mod machine;
pub mod outcome;
mod reach;
pub mod replay;
pub mod task;
pub mod trace;
mod violation;
pub mod walk;
