//! Literals, and cubes over them in the two domains: with the pending reads of TSO, and with
//! events.

pub mod any;
pub mod canonical;
pub mod event;
pub mod formula;
pub mod instantiate;
pub mod literals;
pub mod rules;
pub mod text;
pub mod timestamp;
pub mod tso;

pub use any::AnyCube;
pub use rules::Rules;
pub use tso::Cube;
