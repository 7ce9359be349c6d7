//! Parameterized systems: safe for every number of processes, or not.

pub mod certificate;
pub mod cube;
pub mod engine;
pub mod init;
pub mod instance;
mod linear;
pub mod machine;
pub mod pre;
pub mod shape;
pub mod subsume;
pub mod system;
pub mod theory;
