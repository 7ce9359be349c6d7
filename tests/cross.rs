//! Three engines on one system: backward reachability for any number of processes, the machine with
//! buffers and bounded model checking for fixed ones.

use rayon::prelude::*;
use std::path::{Path, PathBuf};
use wmbmc::driver::cross::{CrossEngine, CrossOptions, CrossOutcome, CrossVerdict};
use wmbmc::driver::{Input, Limits, Session, SessionOptions};

fn folder(name: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let files = std::fs::read_dir(folder).expect("the folder is there");
    let files = files.map(|e| e.expect("it is readable").path());
    let mut files: Vec<_> = files
        .filter(|p| p.extension().is_some_and(|e| e == "cub"))
        .collect();
    files.sort();
    files
}

fn cross(path: &Path, model: &str, options: &CrossOptions, seconds: f64) -> CrossOutcome {
    let session = Session::read(&Input::file(path), &SessionOptions::default());
    let outcome = session.and_then(|s| s.cross(model, options, Limits::seconds(seconds)));
    outcome.unwrap_or_else(|e| panic!("{} on {model}: {e}", path.display()))
}

/// A line for each answer.
fn shown(path: &Path, outcome: &CrossOutcome) -> String {
    let name = path
        .file_stem()
        .expect("files have names")
        .to_string_lossy();
    let mut out = String::new();
    for a in &outcome.answers {
        let engine = match a.engine {
            CrossEngine::Parameterized => "any",
            CrossEngine::Machine => "machine",
            CrossEngine::Bounded => "bounded",
            _ => "?",
        };
        let verdict = match &a.verdict {
            CrossVerdict::Safe => "SAFE".to_string(),
            CrossVerdict::SafeUpToBound(bound) => format!("SAFE up to {bound}"),
            CrossVerdict::Unsafe(run) => format!("UNSAFE {} {}", run.longest, run.calls.join(" ")),
            CrossVerdict::Unknown(reason) => format!("UNKNOWN {reason}"),
            _ => "?".to_string(),
        };
        out += &format!(
            "{name} {} {engine} {:?} {:?} {verdict} {:.2}\n",
            outcome.model, a.processes, a.steps, a.seconds
        );
    }
    out
}

#[test]
fn the_engines_agree_on_the_benchmarks() {
    let files = folder("benchmarks/parameterized");
    assert!(files.len() >= 20);
    let jobs: Vec<(&PathBuf, &str)> = files
        .iter()
        .flat_map(|f| ["sc", "tso", "pso"].map(|m| (f, m)))
        .collect();
    jobs.par_iter().for_each(|(path, model)| {
        let outcome = cross(path, model, &CrossOptions::default(), 20.0);
        let shown = shown(path, &outcome);
        print!("{shown}");
        assert_eq!(outcome.disagreements, [], "{shown}");
    });
}
