//! Memory models: `.cat` text, the relations it defines, and judging an execution by them.
#![forbid(unsafe_code)]
#![warn(missing_docs)]
// The heads of files are for readers of the code, too, and link to private neighbours.
#![allow(rustdoc::private_intra_doc_links)]

pub mod arch;
mod build;
pub mod compile;
mod dialect;
pub mod eval;
pub mod execution;
pub mod incremental;
mod library;
pub mod model;
pub mod pattern;
mod query;
pub mod syntax;
pub mod texts;
pub mod uses;

pub use compile::compile;
pub use eval::{Evaluator, Violation, edges, eval};
pub use query::{
    NOT_ROBUST, locks_synchronise, with_queries, with_robustness, with_robustness_mark,
};

use base::code::Code;
use base::diag::Diag;
use base::source::SourceMap;
use model::Model;
use std::path::Path;
use std::sync::OnceLock;

/// The built-in models: name and one line.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    library::MODELS.iter().map(|(name, line, _)| (*name, *line))
}

/// The cat text of a built-in model, or of a file models include (`wmm.cat`).
pub fn text(name: &str) -> Option<&'static str> {
    library::model(name).or_else(|| library::text(name))
}

/// A built-in model by name; compiled when it is first asked for.
pub fn builtin(name: &str) -> Option<Model> {
    static COMPILED: [OnceLock<Model>; library::MODELS.len()] =
        [const { OnceLock::new() }; library::MODELS.len()];
    let mut models = library::MODELS.iter().zip(&COMPILED);
    let ((_, _, text), compiled) = models.find(|((n, ..), _)| *n == name)?;
    let model = compiled.get_or_init(|| {
        let mut sources = SourceMap::default();
        let file = sources.add(format!("<{name}.cat>"), *text);
        // The texts are constant, and a test compiles each.
        let model = compile(&mut sources, file, name).expect("built-in models compile");
        Model {
            causal: library::causality(name),
            ..model
        }
    });
    Some(model.clone())
}

/// A model from a file, which may be a built-in one under another name; includes are looked for beside it,
/// then among the built-in ones.
///
/// # Errors
/// The file cannot be read, or everything that is wrong with it.
pub fn load(sources: &mut SourceMap, path: &Path) -> Result<Model, Vec<Diag>> {
    let shown = path.display().to_string();
    let file = match sources.find(&shown) {
        Some(file) => file,
        None => sources.load(path).map_err(|e| {
            let message = format!("cannot read `{shown}`: {}", e.reason);
            vec![Diag::bare(message).with_code(Code::File)]
        })?,
    };
    let model = compile(sources, file, &shown)?;
    // What is known of a built-in model is known of its text.
    let mut known = names().filter_map(|(name, _)| builtin(name));
    let known = known.find(|known| model.says_the_same_as(known));
    Ok(Model {
        causal: known.map_or(model.causal, |known| known.causal),
        ..model
    })
}
