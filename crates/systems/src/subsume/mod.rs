//! Subsumption of cubes: an embedding of processes, then of what the domain adds.

pub mod embedding;
pub mod event;
pub mod tso;
