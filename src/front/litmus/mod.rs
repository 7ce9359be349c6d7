//! Litmus tests in herd's format: text to syntax.
//!
//! ```text
//! PPC MP+lwsync+addr                  instruction set and name
//! "LwSyncdWW Rfe DpAddrdR Fre"        documentation
//! Cycle=Rfe DpAddrdR Fre LwSyncdWW    fields, a line each
//! { 0:r2=x; 0:r4=y; 1:r2=y; 1:r5=x; } initial state, everything else is 0
//!  P0           | P1            ;     a column per thread
//!  li r1,1      | lwz r1,0(r2)  ;
//!  stw r1,0(r2) | xor r3,r1,r1  ;
//! exists (1:r1=1 /\ 1:r4=0)           a question about the final states
//! ```
//!
//! The format is described in the manual of the diy tools (Alglave, Maranget: "A don't-quite-know
//! user guide", <https://diy.inria.fr/doc/herd.html>). Everything up to the initial state is read
//! by `header`, line by line; the rest is read from tokens, by `init`, `columns` and `condition`.
//! Each instruction set has a file and a row in `sets`.
//!
//! Inline assembly in C has the same instructions: [`template`] reads them. Those of x86 have another
//! syntax there (`att`), and those of 32-bit ARM are read as those of AArch64 (`arm`).
//!
//! A wrong cell does not hide the errors of the next ones.

mod aarch64;
mod arm;
pub mod ast;
mod att;
mod c;
mod columns;
mod condition;
mod header;
mod init;
pub mod instruction;
mod lex;
pub mod operand;
mod parser;
mod ppc;
mod riscv;
mod sets;
pub mod template;
pub mod x86;

pub use sets::{register_named, register_rank, shown_register};

use base::code::Code;
use base::diag::{Diag, specifically};
use base::source::{FileId, SourceMap};
use parser::{Parsed, Parser};
use std::path::Path;

/// Reads a litmus test from disk.
///
/// # Errors
/// The file cannot be read, or everything that is wrong with it, in the order of the text.
pub fn parse(sources: &mut SourceMap, path: &Path) -> Result<ast::Test, Vec<Diag>> {
    let file = sources.load(path).map_err(|e| vec![Diag::unreadable(&e)])?;
    parse_file(sources, file)
}

/// Reads a litmus test that is already in memory.
///
/// # Errors
/// Everything that is wrong with it, in the order of the text.
pub fn parse_file(sources: &SourceMap, file: FileId) -> Result<ast::Test, Vec<Diag>> {
    let text = &sources.file(file).text;
    let header = header::read(text, file).map_err(|e| specifically(Code::Syntax)(vec![*e]))?;
    let mut parser = Parser {
        tokens: lex::lex(
            text,
            file,
            header.rest,
            header.set.machine == ast::Machine::C,
        ),
        at: 0,
        depth: 0,
        set: header.set,
        errors: Vec::new(),
        statement: None,
    };
    let test = rest(&mut parser, header.test);
    let test = match test {
        Ok(test) if parser.errors.is_empty() => Ok(test),
        Ok(_) => Err(parser.errors),
        Err(last) => {
            parser.errors.push(*last);
            Err(parser.errors)
        }
    };
    test.map_err(specifically(Code::Syntax))
}

/// What stands behind the header.
fn rest(parser: &mut Parser, mut test: ast::Test) -> Parsed<ast::Test> {
    test.init = init::section(parser)?;
    test.threads = match test.machine {
        ast::Machine::C => c::section(parser)?,
        _ => columns::section(parser)?,
    };
    condition::section(parser, &mut test)?;
    Ok(test)
}
