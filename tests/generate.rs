//! The generator against the tests that others generated, and against the project's own folder.

mod common;

use common::wmbmc;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use wmbmc::generate;
use wmbmc::generate::arch::{Arch, ppc::Ppc, x86::X86};
use wmbmc::generate::parse;

fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut files = BTreeMap::new();
    for entry in entries {
        let path = entry.expect("the folder is readable").path();
        let name = path.file_name().expect("a file").to_string_lossy();
        // A few tests of the literature are not in UTF-8.
        let bytes = std::fs::read(&path).expect("the file is readable");
        files.insert(
            name.to_string(),
            String::from_utf8_lossy(&bytes).to_string(),
        );
    }
    files
}

#[test]
fn the_folder_is_what_the_generator_writes() {
    for arch in ["x86", "ppc"] {
        let written = tempfile::tempdir().expect("a temporary folder");
        let out = written.path().to_str().expect("UTF-8");
        let output = wmbmc([
            "generate", "--arch", arch, "--suite", "classic", "--out", out,
        ]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let kept = files(&common::root().join("litmus").join(arch));
        let fresh = files(written.path());
        assert_eq!(
            kept.keys().collect::<Vec<_>>(),
            fresh.keys().collect::<Vec<_>>(),
            "regenerate litmus/{arch}"
        );
        for (name, text) in fresh {
            assert_eq!(kept[&name], text, "regenerate litmus/{arch}/{name}");
        }
    }
}

#[test]
fn errors_name_the_edge() {
    let output = wmbmc(["generate", "--arch", "ppc", "Podrw Rfe"]);
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        error,
        "error: unknown edge `Podrw`; did you mean `PodRW`?\n"
    );
    let output = wmbmc(["generate", "--arch", "ppc", "PodRW Rfe"]);
    assert_eq!(output.status.code(), Some(1));
    let output = wmbmc(["generate", "--arch", "ppc"]);
    assert_eq!(output.status.code(), Some(1));
}

/// A test that names its cycle.
struct Published {
    file: PathBuf,
    name: String,
    cycle: String,
    /// The test without layout: threads and condition.
    meaning: Option<(Vec<Vec<String>>, String)>,
}

fn published(folder: &Path) -> Vec<Published> {
    files(folder)
        .into_iter()
        .filter_map(|(file, text)| {
            let line = |key: &str| text.lines().find_map(|l| l.strip_prefix(key));
            let cycle = line("Orig=").or_else(|| line("Cycle="))?;
            Some(Published {
                file: folder.join(&file),
                name: file.trim_end_matches(".litmus").to_string(),
                cycle: cycle.to_string(),
                meaning: meaning(&text),
            })
        })
        .collect()
}

/// Threads as columns of instructions, and the conjuncts of the condition in order; `None` unless
/// the condition is `exists`.
fn meaning(text: &str) -> Option<(Vec<Vec<String>>, String)> {
    let body = text.split_once("}\n")?.1;
    let (program, condition) = body.split_once("exists")?;
    if program.trim_end().ends_with('~') {
        return None;
    }
    let mut threads: Vec<Vec<String>> = Vec::new();
    for row in program.lines().filter(|l| l.trim_end().ends_with(';')) {
        for (i, cell) in row.trim_end().trim_end_matches(';').split('|').enumerate() {
            if threads.len() <= i {
                threads.push(Vec::new());
            }
            let cell: Vec<&str> = cell.split_whitespace().collect();
            if !cell.is_empty() {
                threads[i].push(cell.join(" "));
            }
        }
    }
    let condition = condition.split("(*").next()?;
    let condition = condition.replace(['(', ')', '\n', ' '], "");
    let mut atoms: Vec<&str> = condition.split("/\\").collect();
    atoms.sort_unstable();
    Some((threads, atoms.join(" ")))
}

/// How many of the tests with a family's name come out the same: name, and threads and condition.
fn agreement(arch: &dyn Arch, folder: &Path) -> [usize; 4] {
    let [mut names, mut same_names, mut tests, mut same_tests] = [0; 4];
    for published in published(folder) {
        if parse::cycle(arch, &published.cycle).is_err() {
            continue;
        }
        let numbered = published.name.ends_with(|c: char| c.is_ascii_digit());
        let Ok(test) = generate::one(arch, &published.cycle) else {
            continue;
        };
        let expected = published.name.replace("wsi", "coi");
        if published.name.contains('+') && !numbered {
            names += 1;
            same_names += usize::from(test.name == expected);
            if test.name != expected {
                println!("{}: {} is called {}", arch.name(), expected, test.name);
            }
        }
        if let Some(meaning) = published.meaning {
            tests += 1;
            let same = self::meaning(&test.text()).as_ref() == Some(&meaning);
            same_tests += usize::from(same);
            if !same {
                println!("{} differs:\n{}", published.file.display(), test.text());
            }
        }
    }
    [names, same_names, tests, same_tests]
}

#[test]
fn names_and_programs_are_those_of_published_tests() {
    let data = common::root().join("../shared/data/litmus");
    if !data.is_dir() {
        println!("skipped: the published litmus tests are not there");
        return;
    }
    let folders: [(&dyn Arch, &str); 3] = [(&X86, "x86"), (&Ppc, "ppc"), (&Ppc, "ppc-campaign")];
    for (arch, folder) in folders {
        let [names, same_names, tests, same_tests] = agreement(arch, &data.join(folder));
        println!("{folder}: {same_names} of {names} names, {same_tests} of {tests} tests");
        assert!(
            10 * same_names > 9 * names,
            "{folder}: {same_names} of {names} names"
        );
        assert!(
            10 * same_tests > 9 * tests,
            "{folder}: {same_tests} of {tests} tests"
        );
    }
}
