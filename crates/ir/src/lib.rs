//! The one small language every front end is lowered to.
#![forbid(unsafe_code)]
#![warn(missing_docs)]
// The heads of files are for readers of the code, too, and link to private neighbours.
#![allow(rustdoc::private_intra_doc_links)]

pub mod addresses;
pub mod awaits;
pub mod bounds;
pub mod claim;
pub mod client;
pub mod display;
pub mod eval;
pub mod float;
pub mod hidden;
pub mod kernel;
pub mod layout;
pub mod litmus;
pub mod nothing_to_violate;
pub mod operands;
pub mod operator;
pub mod order;
pub mod pair;
pub mod placement;
pub mod places;
pub mod platform;
pub mod program;
pub mod property;
pub mod read_only;
mod renaming;
pub mod shadow;
pub mod sites;
pub mod trip_count;
pub mod validate;
