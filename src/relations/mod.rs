//! What a memory model says of an event graph: which pairs its relations may and must have, which events no
//! model orders, and what may be left out under it.

pub mod bounds;
pub mod critical;
pub mod dependencies;
mod given;
mod guards;
pub mod idle;
pub mod lockset;
mod node;
mod releases;
