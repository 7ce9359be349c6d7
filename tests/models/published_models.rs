//! Published models, loaded unchanged, against ours of the same machine.
//!
//! The texts are those that herd7 and Dartagnan come with; they and the tests are not part of the repository,
//! and where they are absent this is skipped. What is compared is whether the condition of a test can hold and
//! whether it can fail.
//!
//! A sample is taken; `WMBMC_LITMUS=all` takes all tests, and `WMBMC_LITMUS=<text>` those whose path contains
//! a text.

use rayon::prelude::*;
use std::path::{Path, PathBuf};
use support::Missing;
use support::litmus::{outcomes, read};
use wmbmc::base::source::SourceMap;
use wmbmc::cat;
use wmbmc::cat::model::Model;

/// A text, the folder of its tests, our model, and one in how many tests is looked at.
const TEXTS: [(&str, &str, &str, usize); 7] = [
    ("cats/aarch64.cat", "AARCH64", "aarch64", 10),
    ("cats-dat3m/aarch64.cat", "AARCH64", "aarch64", 10),
    ("cats/riscv.cat", "RISCV", "riscv", 10),
    ("cats-dat3m/riscv.cat", "RISCV", "riscv", 10),
    ("cats/rc11.cat", "C11", "rc11", 1),
    ("cats-dat3m/rc11.cat", "C11", "rc11", 1),
    ("cats-dat3m/linux-kernel.cat", "LKMM", "lkmm", 10),
];

/// Tests that may be skipped, of a hundred.
const SKIPPED: usize = 3;

fn folder() -> PathBuf {
    support::data().join("litmus-more")
}

fn load(path: &Path) -> Result<Model, String> {
    let mut sources = SourceMap::default();
    cat::load(&mut sources, path).map_err(|errors| {
        let all = errors.iter().map(|e| e.render(&sources, false));
        all.collect()
    })
}

/// The tests of a folder, as the table lists them.
fn tests(of: &str) -> Option<Vec<String>> {
    let table = std::fs::read_to_string(folder().join("verdicts.csv")).ok()?;
    let files = table.lines().filter_map(|line| line.split(',').next());
    let files = files.filter(|file| file.starts_with(&format!("{of}/")));
    Some(files.map(str::to_string).collect())
}

/// What comes of a test.
enum Compared {
    Same,
    Different(String),
    /// The test is not supported, or an answer is not complete.
    Skipped(String),
}

fn compared(file: &str, text: &Model, ours: &Model) -> Compared {
    let (sources, test) = match read(&folder().join(file)) {
        Ok(read) => read,
        Err(reason) => return Compared::Skipped(reason),
    };
    let answer = |model| outcomes(&sources, &test.program, &test.final_condition, model);
    match (answer(text), answer(ours)) {
        (Err(reason), _) | (_, Err(reason)) => Compared::Skipped(reason),
        (Ok(theirs), Ok(ours)) if theirs == ours => Compared::Same,
        (Ok(theirs), Ok(ours)) => Compared::Different(format!("{theirs:?}, ours {ours:?}")),
    }
}

#[test]
fn published_models_load_unchanged_and_agree_with_ours() {
    let wanted = std::env::var("WMBMC_LITMUS").unwrap_or_default();
    let mut wrong = Vec::new();
    for (text, of, builtin, sample) in TEXTS {
        let Some(mut files) = tests(of) else {
            support::skipped(Missing::Data("litmus-more"));
            return;
        };
        if wanted.is_empty() {
            files = files.into_iter().step_by(sample).collect();
        } else if wanted != "all" {
            files.retain(|file| file.contains(&wanted));
        }
        let mut published = load(&folder().join(text)).unwrap_or_else(|e| panic!("{text}:\n{e}"));
        let mut ours = cat::builtin(builtin).expect("built in");
        published.flags.clear();
        ours.flags.clear();
        let outcomes = files
            .par_iter()
            .map(|f| (f, compared(f, &published, &ours)));
        let outcomes: Vec<(&String, Compared)> = outcomes.collect();
        let (mut different, mut skipped) = (0, 0);
        for (file, outcome) in &outcomes {
            match outcome {
                Compared::Same => {}
                Compared::Different(what) => {
                    different += 1;
                    wrong.push(format!("{text}: {file}: {what}"));
                }
                Compared::Skipped(reason) => {
                    skipped += 1;
                    println!("skipped: {file} on {text}: {}", reason.trim());
                }
            }
        }
        let all = files.len();
        println!("{text}: {different} of {all} tests differ, {skipped} skipped");
        assert!(
            skipped * 100 <= SKIPPED * all,
            "{skipped} of {all} tests are skipped on {text}"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Texts that are refused, and what the message names.
const REFUSED: [(&str, &str); 4] = [
    ("cats/aarch64-obsolete.cat", "`ctrlisb` is not defined"),
    ("cats/doc64.cat", "`ctrlisb` is not defined"),
    ("cats/c11_orig.cat", "`linearisations` chooses an order"),
    ("cats/riscv-total.cat", "`linearisations` chooses an order"),
];

#[test]
fn what_is_not_supported_is_refused_by_name() {
    if tests("C11").is_none() {
        support::skipped(Missing::Data("litmus-more"));
        return;
    }
    for (text, expected) in REFUSED {
        let error = load(&folder().join(text)).err().unwrap_or_default();
        assert!(error.contains(expected), "{text}: {error}");
    }
}
