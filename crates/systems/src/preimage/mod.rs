//! Pre-images of cubes by transitions.

pub mod event;
pub mod graph;
pub mod image;
pub mod instances;
pub mod tso;
