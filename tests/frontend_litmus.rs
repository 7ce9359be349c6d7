//! The litmus front end against tests that nobody here wrote.

#[path = "frontend_litmus/sc.rs"]
mod sc;

use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use wmbmc::front::diag::Diag;
use wmbmc::front::litmus;
use wmbmc::front::source::SourceMap;
use wmbmc::ir::litmus::Test;
use wmbmc::ir::{lower, validate};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/litmus")
}

/// All litmus tests below a folder next to the repository.
fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in ["x86", "ppc", "ppc-campaign"] {
        let Ok(entries) = std::fs::read_dir(data().join(folder)) else {
            continue;
        };
        files.extend(entries.filter_map(|e| Some(e.ok()?.path())));
    }
    files.retain(|f| f.extension().is_some_and(|e| e == "litmus"));
    files.sort();
    files
}

/// Reads and lowers a file; messages as the user would see them.
fn lowered(path: &Path) -> Result<Test, String> {
    let mut sources = SourceMap::default();
    let render = |sources: &SourceMap, errors: Vec<Diag>| {
        let all = errors.iter().map(|e| e.render(sources, false));
        all.collect::<String>()
    };
    let test = litmus::parse(&mut sources, path).map_err(|e| render(&sources, e))?;
    let test = lower::litmus::lower(&sources, &test).map_err(|e| render(&sources, e))?;
    validate::check(&test.program).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(test)
}

#[test]
fn every_recorded_test_is_accepted() {
    let files = files();
    if files.is_empty() {
        println!("skipped: ../shared/data/litmus is absent");
        return;
    }
    let refused: Vec<String> = files.par_iter().filter_map(|f| lowered(f).err()).collect();
    assert!(
        refused.is_empty(),
        "{} refused:\n{}",
        refused.len(),
        refused.join("\n")
    );
}

/// The recorded answers: for each file its columns by name.
fn verdicts() -> BTreeMap<String, BTreeMap<String, String>> {
    let mut all = BTreeMap::new();
    let text = std::fs::read_to_string(data().join("verdicts.csv")).unwrap_or_default();
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or("").split(',').collect();
    for line in lines {
        let fields = head.iter().zip(line.split(','));
        let row: BTreeMap<String, String> = fields
            .map(|(k, v)| (k.to_string(), v.to_string()))
            .collect();
        all.insert(row["file"].clone(), row);
    }
    all
}

/// How many final states there are in which the condition holds, and in which not.
fn count(test: &Test) -> Result<Option<(usize, usize)>, String> {
    let program = &test.program;
    let address = sc::address_of(program);
    let Some(finals) = sc::final_states(test)? else {
        return Ok(None);
    };
    let shown: BTreeMap<Vec<u64>, bool> = finals
        .iter()
        .map(|state| {
            let value = |id| state[&id];
            let seen = test.question.shown.iter().map(|id| state[id]).collect();
            let holds = test.question.condition.holds(&value, &address, program);
            (seen, holds)
        })
        .collect();
    let holding = shown.values().filter(|h| **h).count();
    Ok(Some((holding, shown.len() - holding)))
}

#[test]
fn answers_under_sequential_consistency_are_herds() {
    let verdicts = verdicts();
    if verdicts.is_empty() {
        println!("skipped: ../shared/data/litmus is absent");
        return;
    }
    let wrong: Vec<String> = files()
        .par_iter()
        .filter_map(|path| {
            let name = path.strip_prefix(data()).ok()?;
            let row = verdicts.get(&format!("litmus/{}", name.display()))?;
            if !matches!(row["threads"].as_str(), "1" | "2") {
                // Left to the tests of the whole pipeline.
                return None;
            }
            let counted = lowered(path).and_then(|t| count(&t));
            differs(row, &counted).then(|| format!("{}: {counted:?} {row:?}", name.display()))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// True unless herd saw the same; what was too much to count is left out.
fn differs(
    row: &BTreeMap<String, String>,
    counted: &Result<Option<(usize, usize)>, String>,
) -> bool {
    match counted {
        Ok(Some((_, 0))) => row["SC"] != "Always",
        Ok(Some((0, _))) => row["SC"] != "Never",
        Ok(Some(_)) => row["SC"] != "Sometimes",
        Ok(None) => false,
        Err(_) => true,
    }
}
