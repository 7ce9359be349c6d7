//! The one small language every front end is lowered to, and the lowerings.

pub mod lower;
pub mod program;
