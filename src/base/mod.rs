//! What every stage stands on: typed indices and their arenas, source files and spans, diagnostics and
//! their codes, names that were probably meant.

pub mod code;
pub mod diag;
pub mod idx;
pub mod nearest;
pub mod source;
