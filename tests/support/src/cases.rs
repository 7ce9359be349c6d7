//! Programs that say in their head comment what they are for: `// run:` lines with options, each
//! followed by an `// expect:` line with a verdict per model.
//!
//! ```text
//! // run: -DFENCED --unwind 3
//! // expect: sc,tso=SAFE power=UNSAFE
//! ```
//!
//! `all` names all of [`MODELS`]. Verdicts are `SAFE`, `BOUND` (safe up to the bound), `HOLDS`
//! (either of the two), `UNSAFE` and `UNKNOWN`. A program without a `run` line is run without options.

use crate::{MODELS, files, root, wmbmc};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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

/// The cases of every C program in a folder.
pub fn cases(folder: &str) -> Vec<Case> {
    cases_of_kind(folder, "c")
}

/// The cases of every program in a folder that has this extension, in a language whose comments are those of C.
pub fn cases_of_kind(folder: &str, extension: &str) -> Vec<Case> {
    let files = files(folder, extension);
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

/// Whether `WMBMC_CASES=all` asks for all cases of tests that usually take some.
pub fn all_cases() -> bool {
    std::env::var("WMBMC_CASES").is_ok_and(|wanted| wanted == "all")
}

/// One in so many of some cases; all of them with `WMBMC_CASES=all`.
pub fn some<T>(all: impl IntoIterator<Item = T>, one_in: usize) -> Vec<T> {
    let step = if all_cases() { 1 } else { one_in };
    all.into_iter().step_by(step).collect()
}

/// Of the models that a case has a verdict on: `sc` and two others, others for the next case; all of them with
/// `WMBMC_CASES=all`.
fn usual_models(case: &Case, number: usize) -> Vec<&str> {
    let stated: Vec<&str> = case.expect.keys().map(String::as_str).collect();
    if all_cases() || stated.len() <= 3 {
        return stated;
    }
    let (first, others): (Vec<&str>, Vec<&str>) = stated.into_iter().partition(|m| *m == "sc");
    let taken = (0..2).map(|i| others[(2 * number + i) % others.len()]);
    first.into_iter().chain(taken).collect()
}

/// One model that a case has a verdict on, another one for the next case; all of them with `WMBMC_CASES=all`.
fn one_model(case: &Case, number: usize) -> Vec<&str> {
    let stated: Vec<&str> = case.expect.keys().map(String::as_str).collect();
    match all_cases() {
        true => stated,
        // Cases come in pairs, a right one and a broken one.
        false => vec![stated[(number + number / 2) % stated.len()]],
    }
}

/// Runs all cases on models that have a verdict, in parallel, and fails with a list of those that answer
/// differently. How many are not run, and what has no verdict, is printed.
pub fn check(cases: &[Case], extra: &[&str]) {
    check_on(cases, usual_models, extra);
}

/// The same where a run takes long: each case on one model.
pub fn check_on_one_model(cases: &[Case], extra: &[&str]) {
    check_on(cases, one_model, extra);
}

fn check_on(cases: &[Case], models: fn(&Case, usize) -> Vec<&str>, extra: &[&str]) {
    let runs: Vec<(&Case, &str)> = cases
        .iter()
        .enumerate()
        .flat_map(|(i, case)| models(case, i).into_iter().map(move |m| (case, m)))
        .collect();
    let stated: usize = cases.iter().map(|case| case.expect.len()).sum();
    println!("{} of {stated} runs; all with WMBMC_CASES=all", runs.len());
    let failures: Vec<String> = runs
        .par_iter()
        .filter_map(|(case, model)| compare(case, model, extra))
        .collect();
    for case in cases {
        let open = MODELS.iter().filter(|m| !case.expect.contains_key(**m));
        for model in open {
            println!(
                "not compared, no verdict is stated: {} on {model}",
                case.name()
            );
        }
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
