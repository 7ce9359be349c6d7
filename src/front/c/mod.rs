//! C: preprocessing, parsing, our own syntax tree, types.
//!
//! The text takes these steps: [`preprocess`] runs `cc -E` when needed, on a text
//! in which macros of the command line may count (`redefine`); [`rewrite`] closes the
//! gaps of the parser; lang-c parses; [`adapt`] turns its tree into [`ast`]. [`library`] adds
//! functions that are given in C; [`flags`] are those of a compiler,
//! [`target`] has the machines that a text is read for. [`position`] keeps the way back to the lines people wrote.
//! [`types`], [`record`], [`bits`] and [`compatible`] are C's type system with sizes and layouts, used by the
//! lowering.

pub mod adapt;
pub mod ast;
pub mod bits;
pub mod compatible;
pub mod flags;
pub mod library;
mod options;
pub mod position;
pub mod preprocess;
pub mod record;
mod redefine;
pub mod rewrite;
pub mod scan;
pub mod syntax;
pub mod target;
pub mod types;

use base::code::Code;
use base::diag::Diag;
use base::source::{SourceMap, Span};
pub use options::{ParseOptions, Reader};
use std::ops::Range;
use std::path::Path;

/// Reads, preprocesses and parses a C file.
///
/// # Errors
/// The file cannot be read or preprocessed, has a syntax error, or uses a construct that the
/// parser has to refuse; each names its place.
pub fn parse(
    sources: &mut SourceMap,
    path: &Path,
    options: &ParseOptions,
) -> Result<ast::TranslationUnit, Vec<Diag>> {
    let preprocessed = preprocess::preprocess(sources, path, options)?;
    let file = preprocessed.positions.main();
    let replaced = redefine::replaced(&sources.file(file).text, options);
    let kept = preprocessed.kept.clone();
    let mut unit = parse_preprocessed(sources, preprocessed, options.pointer_width)?;
    let span = |part: Range<usize>| Span {
        file,
        start: part.start as u32,
        end: part.end as u32,
    };
    let replaced = replaced.into_iter().map(|part| {
        let message = "this definition is left out: that of -D counts";
        Diag::warning(Code::MacroReplaced, span(part), message)
    });
    let kept = kept.into_iter().map(|span| {
        let message = "this definition counts, and that of -D has no effect behind it";
        let note = "in a header `#ifndef` around it lets -D count";
        Diag::warning(Code::MacroWithoutEffect, span, message).note(note)
    });
    unit.warnings = replaced.chain(kept).collect();
    Ok(unit)
}

/// Parses a text that needs no preprocessor, under the name `name`.
///
/// # Errors
/// As [`parse`].
pub fn parse_text(
    sources: &mut SourceMap,
    name: &str,
    text: &str,
    pointer_width: u8,
) -> Result<ast::TranslationUnit, Vec<Diag>> {
    let preprocessed = preprocess::Preprocessed {
        text: text.to_string(),
        positions: position::Positions::Direct(sources.add(name, text)),
        kept: Vec::new(),
    };
    parse_preprocessed(sources, preprocessed, pointer_width)
}

/// Parses a text in memory under a name. Where it has directives the preprocessor is given a
/// temporary file; headers beside `name` are found through [`ParseOptions::include_dirs`] only.
///
/// # Errors
/// As [`parse`].
pub fn parse_source(
    sources: &mut SourceMap,
    name: &Path,
    text: &str,
    options: &ParseOptions,
) -> Result<ast::TranslationUnit, Vec<Diag>> {
    let shown = name.display().to_string();
    let is_preprocessed = name.extension().is_some_and(|e| e == "i");
    if is_preprocessed || (!options.changes_plain_text() && !scan::has_directives(text)) {
        return parse_text(sources, &shown, text, options.pointer_width);
    }
    let unwritten = |e: std::io::Error| {
        let message = format!("cannot write `{shown}` to a temporary file: {e}");
        vec![Diag::bare(message).with_code(Code::File)]
    };
    let folder = tempfile::tempdir().map_err(unwritten)?;
    let path = folder.path().join("input.c");
    std::fs::write(&path, text).map_err(unwritten)?;
    let parsed = parse(sources, &path, options);
    if let Some(file) = sources.find(&path.display().to_string()) {
        sources.rename(file, shown);
    }
    parsed
}

fn parse_preprocessed(
    sources: &mut SourceMap,
    preprocessed: preprocess::Preprocessed,
    pointer_width: u8,
) -> Result<ast::TranslationUnit, Vec<Diag>> {
    let library = library::wanted(&preprocessed.text);
    let mut unit = syntax::parse(sources, preprocessed, pointer_width)?;
    library::add(&library, &mut unit, sources, pointer_width)?;
    Ok(unit)
}
