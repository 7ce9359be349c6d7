//! Memory models by name: built-in ones, and files of cat text.

use super::error::Error;
use base::code::Code;
use base::diag::Diag;
use base::source::SourceMap;
use cat::model::Model;
use ir::program::{Atomicity, Instr, Op, Program};
use std::path::{Path, PathBuf};

/// A memory model, as named.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ModelName {
    /// One of the built-in models.
    BuiltIn(String),
    /// A file of cat text.
    File(PathBuf),
}

impl ModelName {
    /// As the user wrote it.
    pub fn text(&self) -> String {
        match self {
            ModelName::BuiltIn(name) => name.clone(),
            ModelName::File(path) => path.display().to_string(),
        }
    }

    /// A file with a relative path is one below this folder.
    pub fn below(&mut self, folder: &Path) {
        if let ModelName::File(path) = self {
            *path = folder.join(&path);
        }
    }

    /// Reads the model.
    ///
    /// # Errors
    /// There is no such model, or what is wrong with its text.
    pub fn load(&self, sources: &mut SourceMap) -> Result<Model, Error> {
        let model = match self {
            ModelName::BuiltIn(name) => cat::builtin(name).ok_or_else(|| {
                let message = format!("no memory model is called `{name}`");
                vec![Diag::bare(message).with_code(Code::MemoryModel)]
            }),
            ModelName::File(path) => cat::load(sources, path),
        };
        model.map_err(|diags| Error::refused(sources, diags))
    }
}

/// The built-in models: name, and one line that says what it is.
pub fn built_in() -> impl Iterator<Item = (&'static str, &'static str)> {
    cat::names()
}

/// The cat text of a built-in model.
pub fn built_in_text(name: &str) -> Option<&'static str> {
    cat::text(name)
}

/// Whether a model has a moment at which threads look at memory, if a program needs one: where
/// a read may be performed before what precedes it, a thread that has stopped may have looked
/// before it did.
///
/// # Errors
/// It has none.
pub(super) fn moments(name: &str, program: &Program, model: &Model) -> Result<(), Diag> {
    let snapshot = |i: &Instr| matches!(i.op, Op::AtomicBegin(Atomicity::Snapshot));
    let looks = program.procs.iter().flat_map(|p| &p.body).any(snapshot);
    if !looks || ["sc", "tso", "pso"].contains(&model.name.as_str()) {
        return Ok(());
    }
    let message = format!(
        "{name}: what threads see of shared memory at one moment (`$t:x`) is known on sc, tso and pso, not on {}",
        model.name
    );
    Err(Diag::bare(message))
}
