//! x86 assembly, for a fixed number of threads and for any.

#[path = "../common/mod.rs"]
mod common;

mod systems;
mod threads;
