//! Programs that say in their head comment what they are for: `// run:` lines with options, each
//! followed by an `// expect:` line with a verdict per model.
//!
//! ```text
//! // run: -DFENCED --unwind 3
//! // expect: sc,tso=SAFE power=UNSAFE
//! ```
//!
//! `all` names all seven models. Verdicts are `SAFE`, `BOUND` (safe up to the bound), `HOLDS`
//! (either of the two), `UNSAFE` and `UNKNOWN`. A program without a `run` line is run without options.
#![allow(dead_code, reason = "each test program uses a part of it")]

pub mod concurrent;
pub mod cub_programs;
pub mod interpreter;
pub mod litmus;
pub mod two_threads;

use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use wmbmc::base::source::SourceMap;
use wmbmc::cat;
use wmbmc::front::c;
use wmbmc::ir::program::{DataModel, Program};
use wmbmc::lower::c::{LoweringOptions, lower_for};

/// The built-in models that `all` names in what is expected of a program.
pub const MODELS: [&str; 7] = ["sc", "tso", "pso", "rmo", "alpha", "power2010", "power"];

/// The built-in models that two ways to an answer are compared on: all but that of the kernel, which gives no
/// meaning to C11's atomics.
pub fn models() -> Vec<&'static str> {
    let names = cat::names().map(|(name, _)| name);
    names.filter(|name| *name != "lkmm").collect()
}

/// `count` of [`models`]: each in turn, from one number to the next.
pub fn some_models(number: usize, count: usize) -> impl Iterator<Item = &'static str> {
    let models = models();
    let first = number * count;
    (first..first + count).map(move |i| models[i % models.len()])
}

/// A C program as it is lowered, from its text.
pub fn lowered(text: &str, options: &LoweringOptions) -> (SourceMap, Program) {
    let mut sources = SourceMap::default();
    let folder = tempfile::tempdir().expect("the folder for temporary files is writable");
    let file = folder.path().join("program.c");
    std::fs::write(&file, text).expect("it is writable");
    let unit = c::parse(&mut sources, &file, &c::ParseOptions::default());
    let unit = unit.unwrap_or_else(|e| panic!("{e:?}: {text}"));
    let program = lower_for(&sources, &unit, DataModel::Lp64, options);
    (sources, program.unwrap_or_else(|e| panic!("{e:?}: {text}")))
}

/// One run of one program.
#[derive(Clone, Debug)]
pub struct Case {
    /// The program, relative to the root of the repository.
    pub file: PathBuf,
    /// Options of the command line.
    pub options: Vec<String>,
    /// Model to verdict.
    pub expect: BTreeMap<String, String>,
}

impl Case {
    /// `benchmarks/fibonacci.c -DN=5`
    pub fn name(&self) -> String {
        format!("{} {}", self.file.display(), self.options.join(" "))
            .trim_end()
            .to_string()
    }
}

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The crates beside the main one, sorted.
pub fn crates() -> Vec<String> {
    let entries = std::fs::read_dir(root().join("crates")).expect("it is readable");
    let names = entries.map(|e| e.expect("it is readable").file_name());
    let mut names: Vec<String> = names.map(|n| n.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The sources of the crates, sorted.
pub fn sources() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root().join("src")];
    folders.extend(
        crates()
            .iter()
            .map(|c| root().join("crates").join(c).join("src")),
    );
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("src is readable") {
            let path = entry.expect("src is readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Runs the program under test in the root of the repository.
pub fn wmbmc<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wmbmc"));
    command
        .current_dir(root())
        .args(args)
        .env_remove("NO_COLOR");
    command
        .output()
        .expect("the program under test was built by cargo")
}

/// What a test may lack.
#[derive(Clone, Copy, Debug)]
pub enum Missing<'a> {
    /// A folder or file of the data beside the repository.
    Data(&'a str),
    /// A program that `.ci/run` installs.
    Tool(&'a str),
    /// Something that is not installed for the tests.
    Extra(&'a str),
}

/// The data beside the repository: programs and verdicts of others.
pub fn data() -> PathBuf {
    root().join("../shared/data")
}

/// Says that nothing is tested here, and why. In CI (`CI=true`) that is a failure where it need not
/// be so: the data are there but for this, or the tool should have been installed and
/// `WMBMC_WITHOUT`, a list with commas, does not name it.
pub fn skipped(missing: Missing) {
    let set = |name: &str| std::env::var(name).unwrap_or_default();
    let (what, excused) = match missing {
        Missing::Data(name) => (format!("../shared/data/{name}"), !data().is_dir()),
        Missing::Tool(name) => {
            let excused = set("WMBMC_WITHOUT").split(',').any(|n| n == name);
            (name.to_string(), excused)
        }
        Missing::Extra(name) => (name.to_string(), true),
    };
    println!("skipped: {what} is missing");
    assert!(
        excused || set("CI") != "true",
        "{what} is missing, and CI skips nothing"
    );
}

/// The cases of every C program in a folder.
pub fn cases(folder: &str) -> Vec<Case> {
    let entries =
        std::fs::read_dir(root().join(folder)).expect("the folder is part of the repository");
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("readable").path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "c"));
    files.sort();
    assert!(!files.is_empty(), "no programs in {folder}");
    files.iter().flat_map(|f| cases_of(f)).collect()
}

fn cases_of(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).expect("programs are UTF-8");
    let file = path
        .strip_prefix(root())
        .expect("below the root")
        .to_path_buf();
    let mut options = Vec::new();
    let mut cases = Vec::new();
    for line in text.lines().take_while(|l| l.starts_with("//")) {
        if let Some(run) = line.strip_prefix("// run:") {
            options = run.split_whitespace().map(str::to_string).collect();
        } else if let Some(expect) = line.strip_prefix("// expect:") {
            let expect = expectations(expect, &file);
            cases.push(Case {
                file: file.clone(),
                options: std::mem::take(&mut options),
                expect,
            });
        }
    }
    assert!(
        !cases.is_empty(),
        "{}: no `// expect:` line",
        file.display()
    );
    cases
}

fn expectations(text: &str, file: &Path) -> BTreeMap<String, String> {
    let mut expect = BTreeMap::new();
    for group in text.split_whitespace() {
        let (models, verdict) = group.split_once('=').expect("model,..=VERDICT");
        assert!(
            ["SAFE", "BOUND", "HOLDS", "UNSAFE", "UNKNOWN"].contains(&verdict),
            "{}: no verdict: {verdict}",
            file.display()
        );
        let models: Vec<&str> = if models == "all" {
            MODELS.to_vec()
        } else {
            models.split(',').collect()
        };
        for model in models {
            assert!(
                wmbmc::model(model).is_some(),
                "{}: no model: {model}",
                file.display()
            );
            expect.insert(model.to_string(), verdict.to_string());
        }
    }
    expect
}

/// Runs all cases on all models that have a verdict, in parallel, and fails with a list of those
/// that answer differently. What has no verdict is printed.
pub fn check(cases: &[Case], extra: &[&str]) {
    let runs: Vec<(&Case, &str)> = cases
        .iter()
        .flat_map(|c| {
            let stated = c.expect.keys().map(String::as_str);
            let others = stated.filter(|m| !MODELS.contains(m));
            MODELS.iter().copied().chain(others).map(move |m| (c, m))
        })
        .collect();
    let failures: Vec<String> = runs
        .par_iter()
        .filter_map(|(case, model)| compare(case, model, extra))
        .collect();
    for (case, model) in runs.iter().filter(|(c, m)| !c.expect.contains_key(*m)) {
        println!(
            "not compared, no verdict is stated: {} on {model}",
            case.name()
        );
    }
    assert!(
        failures.is_empty(),
        "{} of {} differ:\n{}",
        failures.len(),
        runs.len(),
        failures.join("\n")
    );
}

fn compare(case: &Case, model: &str, extra: &[&str]) -> Option<String> {
    let expected = case.expect.get(model)?;
    let mut args: Vec<String> = vec![case.file.display().to_string()];
    args.extend(case.options.iter().cloned());
    args.extend(["--mm", model, "--format", "json"].map(str::to_string));
    args.extend(extra.iter().map(|a| a.to_string()));
    let output = wmbmc(&args);
    let verdict = serde_json::from_slice::<serde_json::Value>(&output.stdout)
        .ok()
        .and_then(|v| v["verdict"].as_str().map(str::to_string))
        .unwrap_or_else(|| "no JSON".to_string());
    let agrees = match expected.as_str() {
        "BOUND" => verdict == "SAFE_UP_TO_BOUND",
        "HOLDS" => verdict == "SAFE" || verdict == "SAFE_UP_TO_BOUND",
        other => verdict == other,
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    (!agrees).then(|| {
        format!(
            "{} on {model}: expected {expected}, got {verdict} {errors}",
            case.name()
        )
    })
}

/// The answers of z3, one line each; nothing when it is not installed.
pub fn z3(script: String) -> Option<Vec<String>> {
    let child = Command::new("z3")
        .args(["-in", "-smt2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        skipped(Missing::Tool("z3"));
        return None;
    };
    let mut input = child.stdin.take().expect("it is piped");
    let feeder = std::thread::spawn(move || input.write_all(script.as_bytes()));
    let output = child.wait_with_output().expect("z3 ends");
    feeder.join().expect("no panic").expect("z3 reads all");
    let text = String::from_utf8(output.stdout).expect("z3 answers in ASCII");
    Some(text.lines().map(str::to_string).collect())
}

/// The answers of z3, or of cvc5 where that is what is installed.
pub fn smt_solver(script: String) -> Option<Vec<String>> {
    let there = |name: &str| Command::new(name).arg("--version").output().is_ok();
    if there("z3") || !there("cvc5") {
        return z3(script);
    }
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(script.as_bytes()).expect("it is written");
    let output = Command::new("cvc5")
        .args(["--incremental", "--lang=smt2"])
        .arg(file.path())
        .output();
    let text = String::from_utf8(output.expect("cvc5 runs").stdout).expect("ASCII");
    Some(text.lines().map(str::to_string).collect())
}
