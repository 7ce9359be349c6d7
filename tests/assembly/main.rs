//! x86 assembly, for a fixed number of threads and for any.

mod systems;
mod threads;
