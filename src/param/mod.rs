//! Parameterized systems: safe for every number of processes, or not.

pub mod system;
pub mod machine;
