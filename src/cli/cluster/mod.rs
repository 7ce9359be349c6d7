//! One check on many machines: `wmbmc plan` makes a folder of independent jobs, `wmbmc job` does one of
//! them, `wmbmc merge` puts their results together, `wmbmc progress` says how far they are.
//!
//! There is no scheduler, no daemon and no network here: whoever has a cluster has a scheduler, and the
//! jobs share nothing but the [`folder`].
//!
//! ```text
//! plan ─────▶ DIR/plan.json, DIR/inputs ─────▶ job 0 … job N-1 ─────▶ DIR/results ─────▶ merge
//! ```

pub mod answer;
pub mod folder;
pub mod job;
pub mod merge;
pub mod plan;
pub mod progress;
mod task;
