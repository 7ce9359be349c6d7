//! What every stage stands on: typed indices and their arenas, source files and spans, diagnostics and
//! their codes, names that were probably meant, relations as matrices of bits.

pub mod bits;
pub mod code;
pub mod components;
pub mod diag;
pub mod idx;
pub mod nearest;
pub mod source;
