//! LLVM IR as text (`.ll`), as LLVM 14 to 22 write it: text to syntax. The language is that of the Language Reference
//! and of LLVM's own parser, with typed pointers and with opaque ones.
//!
//! What only promises something to the optimiser is read over: most attributes, fast-math flags, operand bundles, most
//! attachments, use-list orders, summaries. Constant expressions and instructions that the tree has no shape for are
//! kept by their name. Implicit numbers of values and blocks are made explicit, so that every name of a function is
//! written in the tree. A function or a global that cannot be read is reported once and skipped, so that the errors of
//! the next ones are seen.
//!
//! Names keep what they say: escapes are resolved, and a quoted name that looks like a number keeps its quotes, because
//! `%"5"` and `%5` are two names.

#![cfg_attr(not(test), deny(clippy::cast_possible_truncation))]

pub mod ast;
mod attributes;
mod calls;
pub mod compile;
mod constants;
mod definitions;
mod expressions;
mod floats;
mod functions;
mod globals;
mod instructions;
mod lex;
mod memory;
mod metadata;
mod module;
mod names;
mod parser;
pub mod rust;
mod types;

use base::code::Code;
use base::diag::{Diag, specifically};
use base::source::{FileId, SourceMap};
use parser::Parser;

/// Reads a module.
///
/// # Errors
/// What cannot be read, once for every function and every other entity of the module; then names of the module that are
/// used and not declared.
pub fn parse(sources: &SourceMap, file: FileId) -> Result<ast::Module, Vec<Diag>> {
    Parser::new(&sources.file(file).text, file)
        .parse()
        .map_err(specifically(Code::Syntax))
}
