//! The cat language in which memory models are written: text to syntax.
//!
//! A cat file is a title and a list of statements. `let` names relations, sets and functions,
//! `acyclic`/`irreflexive`/`empty` ask something of a relation, `include` brings in another file.
//! The grammar is herd7's (Alglave, Cousot, Maranget: "Syntax and semantics of the weak consistency
//! model specification language cat", 2016); what it means is the business of `crate::compile`.
//!
//! Binding, loosest first: `|`, `++`, `;`, `\`, `&`, then `*` and `~`, then `+ * ? ^-1` and
//! application. `|`, `++`, `;` and `&` group to the right, `\` to the left. A `*` is the product of
//! sets when an operand follows and the closure otherwise.
//!
//! Statements of the wider language that describe instructions or search (`enum`, `instructions`,
//! `forall`, …) are refused by name. A wrong statement does not hide the errors of the next ones.

pub mod ast;
mod expr;
mod item;
mod lex;

use base::code::Code;
use base::diag::{Diag, specifically};
use base::source::{FileId, SourceMap};

/// Reads a cat file.
///
/// # Errors
/// Every wrong or unsupported statement, in the order of the text.
pub fn parse(sources: &SourceMap, file: FileId) -> Result<ast::File, Vec<Diag>> {
    let mut parser = lex::Parser::new(lex::lex(&sources.file(file).text, file));
    let parsed = item::file(&mut parser);
    parser.finish(parsed).map_err(specifically(Code::Syntax))
}

#[cfg(test)]
mod tests;
