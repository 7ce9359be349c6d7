//! Weak array-based transition systems (`.cub`): text to syntax.
//!
//! The language is Cubicle's, with the weak memory of Cubicle-W: `weak var` and `weak array` are
//! read and written through store buffers, `fence()` holds when the performing process's buffer is
//! empty. Two notations are in circulation and both are read: `transition t ([p] q)` with bare `X`,
//! and `transition t (p q)` with `p @ X` (also `[p]X`) and `fence(p)`. Whether a file uses them
//! consistently is a question of types (`crate::system`), not of syntax.
//!
//! Binding, tightest first: `not`, `if then else`, `&&`, `||`, `=>` and `<=>` (to the right),
//! quantifiers, whose body reaches as far as it can. A declaration that cannot be read is reported
//! and skipped up to the next word that begins one, so that the errors of the next ones are seen.
//!
//! Systems that are made of programs are made of the same syntax: [`build`] has its pieces, and [`finite`]
//! makes enumerations of integers that hold few constants.

#![cfg_attr(not(test), deny(clippy::cast_possible_truncation))]

pub mod ast;
pub mod build;
mod decl;
mod expr;
pub mod finite;
mod lex;
mod parser;

use base::code::Code;
use base::diag::{Diag, specifically};
use base::source::{FileId, SourceMap};

/// Reads a `.cub` file.
///
/// # Errors
/// Every declaration that cannot be read, in the order of the text.
pub fn parse(sources: &SourceMap, file: FileId) -> Result<ast::File, Vec<Diag>> {
    let mut parser = parser::Parser::new(lex::lex(&sources.file(file).text, file));
    let parsed = decl::file(&mut parser);
    parser.finish(parsed).map_err(specifically(Code::Syntax))
}

#[cfg(test)]
mod tests;
