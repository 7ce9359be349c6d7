//! x86 programs for any number of threads (`.asm`): text to syntax. The language is that of
//! PMCx86: Conchon, Declerck, Zaïdi, "Compiling Parameterized X86-TSO Concurrent Programs to
//! Cubicle-W", ICFEM 2017, Sec. 3 and Appendix A, with what its figures use beyond the appendix:
//! comments, `dword`, labels that stand alone, `init_code`, `eip[$t]`, `dd N`.
//!
//! A program has sections, `begin NAME` to `end NAME`, each at most once and in any order:
//! `shared_data`, `thread_data`, `init_code`, `thread_code` and `unsafe_prop`; the last two must be
//! there. Instructions are those of litmus tests for x86 ([`crate::front::litmus::x86`]), as far as
//! the fragment has them; all others are refused by name. A line that cannot be read is reported
//! and skipped, so that the errors of the next ones are seen.

#![cfg_attr(not(test), deny(clippy::cast_possible_truncation))]

pub mod ast;
mod instr;
mod lex;
mod names;
mod property;
mod section;

use base::code::Code;
use base::diag::{Diag, specifically};
use base::source::{FileId, SourceMap};
use lex::Parser;

/// Reads an `.asm` program.
///
/// # Errors
/// Every line that cannot be read, then every name that is used wrongly, in the order of the text.
pub fn parse(sources: &SourceMap, file: FileId) -> Result<ast::Program, Vec<Diag>> {
    let mut parser = Parser::new(lex::lex(&sources.file(file).text, file));
    let sections = section::sections(&mut parser);
    let sections = parser
        .finish(sections)
        .map_err(specifically(Code::Syntax))?;
    names::resolve(sections)
}

#[cfg(test)]
mod tests;
