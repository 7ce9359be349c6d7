//! Approximations of cubes, guessed and taken back.

pub mod brab;
pub mod candidate;
pub mod oracle;
