//! The one small language every front end is lowered to.

pub mod bounds;
pub mod claim;
pub mod display;
pub mod eval;
pub mod float;
pub mod kernel;
pub mod litmus;
pub mod nothing_to_violate;
pub mod operands;
pub mod operator;
pub mod order;
pub mod placement;
pub mod places;
pub mod program;
pub mod property;
pub mod read_only;
pub mod shadow;
pub mod trip_count;
pub mod validate;
