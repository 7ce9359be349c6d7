//! The litmus front end against tests that nobody here wrote.

use rayon::prelude::*;
use std::path::{Path, PathBuf};
use wmbmc::front::litmus;
use wmbmc::front::source::SourceMap;
use wmbmc::ir::{lower, validate};

/// All litmus tests below a folder next to the repository.
fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/litmus");
    let mut files = Vec::new();
    for folder in ["x86", "ppc", "ppc-campaign"] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else {
            continue;
        };
        files.extend(entries.filter_map(|e| Some(e.ok()?.path())));
    }
    files.retain(|f| f.extension().is_some_and(|e| e == "litmus"));
    files.sort();
    files
}

fn lower_one(path: &Path) -> Result<(), String> {
    let mut sources = SourceMap::default();
    let render = |sources: &SourceMap, errors: Vec<wmbmc::front::diag::Diag>| {
        errors
            .iter()
            .map(|e| e.render(sources, false))
            .collect::<String>()
    };
    let test = litmus::parse(&mut sources, path).map_err(|e| render(&sources, e))?;
    let test = lower::litmus::lower(&sources, &test).map_err(|e| render(&sources, e))?;
    validate::check(&test.program).map_err(|e| format!("{}: {e}", path.display()))
}

#[test]
fn every_recorded_test_is_accepted() {
    let files = files();
    if files.is_empty() {
        println!("skipped: ../shared/data/litmus is absent");
        return;
    }
    let refused: Vec<String> = files
        .par_iter()
        .filter_map(|f| lower_one(f).err())
        .collect();
    assert!(
        refused.is_empty(),
        "{} refused:\n{}",
        refused.len(),
        refused.join("\n")
    );
}
