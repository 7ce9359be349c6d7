//! What every stage stands on: typed indices and their arenas, source files and spans, diagnostics and
//! their codes, names that were probably meant, relations as matrices of bits, streams of tokens.
#![forbid(unsafe_code)]
#![warn(missing_docs)]
// The heads of files are for readers of the code, too, and link to private neighbours.
#![allow(rustdoc::private_intra_doc_links)]

pub mod bits;
pub mod code;
pub mod comment;
pub mod components;
pub mod diag;
pub mod idx;
pub mod nearest;
pub mod source;
pub mod tokens;
