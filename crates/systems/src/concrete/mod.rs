//! The machine with buffers for a fixed number of processes.

mod eval;
mod explore;
mod machine;
mod property;
mod step;

pub use explore::{ExplorationLimits, ExplorationResult, Run, explore, reach, replay};
pub use machine::{Machine, MachineState, Step, TooLarge};
