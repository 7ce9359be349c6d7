//! Limits of time, memory and size.

#[path = "../common/mod.rs"]
mod common;

mod kept;
mod passed;
