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
pub use options::{Options, Reason, SearchOrder};
pub use space::{Call, Search, Verdict};
pub use trace::Trace;
