//! Programs of the repository as sessions of the driver, for tests about all of them.

use crate::{builtin, files};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use wmbmc::base::source::SourceMap;
use wmbmc::driver::parsed::ParsedProgram;
use wmbmc::driver::program::{Context, Extent, ProgramSession};
use wmbmc::driver::{Input, Limits, SessionOptions};

/// Folders with C programs about everything.
pub const FOLDERS: [&str; 4] = [
    "benchmarks",
    "benchmarks/textbook",
    "benchmarks/races",
    "tests/c",
];

/// The C programs of folders, each on some models; these may depend on the program's number.
pub fn programs_on<M: IntoIterator<Item = &'static str>>(
    folders: &[&str],
    models: impl Fn(usize) -> M,
) -> Vec<(PathBuf, &'static str)> {
    let mut programs: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| files(folder, "c"))
        .collect();
    programs.sort();
    let mut rows = Vec::new();
    for (number, file) in programs.iter().enumerate() {
        rows.extend(
            models(number)
                .into_iter()
                .map(|model| (file.clone(), model)),
        );
    }
    rows
}

/// Hands on what can be done with a C program within a few seconds; `None` if it is refused.
pub fn with_session<R>(
    file: &Path,
    of: impl FnOnce(ProgramSession, &Context) -> Option<R>,
) -> Option<R> {
    let mut sources = SourceMap::default();
    let options = SessionOptions::default().program;
    let parsed = ParsedProgram::read(&mut sources, &Input::file(file), &options).ok()?;
    let lowered = parsed.lower(&sources, &options).ok()?;
    let context = Context {
        sources: &sources,
        options: &options,
        limits: Limits::seconds(5.0),
        progress: &|_| {},
    };
    of(ProgramSession::new(lowered, &options), &context)
}

/// A program with its event graph on a model; `None` when there is none within a few seconds.
pub fn unwound(file: &Path, model: &str) -> Option<ProgramSession> {
    with_session(file, |mut session, context| {
        session
            .unroll(&[&builtin(model)], Extent::Whole, context)
            .ok()?;
        Some(session)
    })
}

/// What `of` answers, for each of the inputs: programs nest deep, as do terms.
pub fn in_parallel<T: Sync, R: Send>(inputs: &[T], of: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    let pool = rayon::ThreadPoolBuilder::new().stack_size(1 << 27).build();
    let pool = pool.expect("threads can be started");
    pool.install(|| inputs.par_iter().map(of).collect())
}
