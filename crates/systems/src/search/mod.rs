//! Backward reachability.

pub mod engine;
pub mod event;
pub mod expand;
pub mod generalize;
pub mod minimize;
pub mod options;
pub mod queue;
pub mod space;
pub mod strategy;
pub mod trace;
pub mod tso;

pub use engine::{explore, search};
pub use options::{Reason, SearchOptions, SearchOrder};
pub use space::{Call, Search, SearchVerdict};
pub use trace::AbstractTrace;
