//! The C front end and its lowering, on snippets and on the programs of the data set.

#[path = "frontend_c/interpreter.rs"]
mod interpreter;

use interpreter::Machine;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use wmbmc::front::c::{self, Options};
use wmbmc::front::diag::Diag;
use wmbmc::front::source::SourceMap;
use wmbmc::ir::lower::c::lower;
use wmbmc::ir::program::{DataModel, Program};
use wmbmc::ir::validate;

fn lower_file(sources: &mut SourceMap, path: &Path) -> Result<Program, Vec<Diag>> {
    let unit = c::parse(sources, path, &Options::default())?;
    lower(sources, &unit, DataModel::Lp64)
}

fn programs(dir: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            programs(&path, out);
        } else if path.extension().is_some_and(|e| e == "c" || e == "i") {
            out.push(path);
        }
    }
}

/// The programs of `run/` hold their assertions when a C compiler has compiled them; they have to
/// hold them when our lowering is run, too.
#[test]
fn programs_run_as_compiled_ones_do() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frontend_c/run");
    let mut files = Vec::new();
    programs(&dir, &mut files);
    files.sort();
    assert!(!files.is_empty());
    for path in files {
        let mut sources = SourceMap::default();
        let program = lower_file(&mut sources, &path).unwrap_or_else(|diags| {
            let text: String = diags.iter().map(|d| d.render(&sources, false)).collect();
            panic!("{text}");
        });
        validate::check(&program).expect("a lowered program is valid");
        let mut machine = Machine::new(&program);
        let main = program
            .main
            .expect("a lowered program has a main procedure");
        let result = machine.run(main, &[]);
        assert_eq!(result, Ok(0), "{}", path.display());
        assert!(machine.held > 5);
    }
}

#[test]
fn data_set_lowers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/c");
    if !root.is_dir() {
        println!("skipped: {} is absent", root.display());
        return;
    }
    let mut files = Vec::new();
    programs(&root, &mut files);
    files.sort();
    let outcomes: Vec<(PathBuf, Result<(), String>)> = files
        .into_par_iter()
        .map(|path| {
            let mut sources = SourceMap::default();
            let result = match lower_file(&mut sources, &path) {
                Ok(program) => {
                    let _ = program.to_string();
                    validate::check(&program).map_err(|e| format!("INVALID {e}"))
                }
                Err(diags) => Err(diags[0].render(&sources, false)),
            };
            (path, result)
        })
        .collect();
    let good = outcomes.iter().filter(|(_, r)| r.is_ok()).count();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for (path, result) in &outcomes {
        if let Err(message) = result {
            println!("{}:\n{message}", path.display());
            *reasons
                .entry(message.lines().next().unwrap_or(""))
                .or_default() += 1;
        }
    }
    println!("{good} of {} programs lower", outcomes.len());
    for (reason, count) in &reasons {
        println!("{count:4} {reason}");
    }
    assert!(
        reasons.keys().all(|r| !r.contains("INVALID")),
        "a lowered program is not valid"
    );
    assert!(
        good * 100 >= outcomes.len() * 95,
        "fewer than 95 % of the programs lower"
    );
}
