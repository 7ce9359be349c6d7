//! The one small language every front end is lowered to, and the lowerings.

pub mod bounds;
pub mod display;
pub mod foresee;
pub mod litmus;
pub mod lower;
pub mod order;
pub mod program;
pub mod property;
pub mod validate;
