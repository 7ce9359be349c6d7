//! Three engines on one system: backward reachability for any number of processes, the machine with
//! buffers and bounded model checking for fixed ones.

mod cub_programs;

use cub_programs::{Dice, program};
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

/// Random systems: with a fixed number of processes, or with any.
fn systems(seed: u64, count: usize, any: bool) -> Vec<String> {
    let mut dice = Dice(seed);
    let mut all = Vec::new();
    while all.len() < count {
        let text = program(&mut dice);
        if !any {
            all.push(text);
        } else if !text.contains("= #") {
            let (_, rest) = text.split_once('\n').expect("it begins with number_procs");
            all.push(rest.to_string());
        }
    }
    all
}

/// How many systems are compared: `WMBMC_RANDOM_CASES`, if that is set.
fn cases(usual: usize) -> usize {
    let wanted = std::env::var("WMBMC_RANDOM_CASES");
    wanted.ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

fn cross_text(text: &str, model: &str, options: &CrossOptions) -> CrossOutcome {
    let mut session = SessionOptions::default();
    session.system.max_nodes = 2000;
    session.system.max_procs = 6;
    let session = Session::read(&Input::text("random.cub", text), &session);
    let outcome = session.and_then(|s| s.cross(model, options, Limits::default()));
    outcome.unwrap_or_else(|e| panic!("{model}: {e}\n{text}"))
}

/// No process of a random system has more transitions than these.
const LONGEST: u32 = 5;

/// Compares systems on all models; how often bounded model checking says SAFE and UNSAFE.
fn compare(texts: &[String]) -> [usize; 2] {
    let mut options = CrossOptions::default();
    options.steps = Some(LONGEST);
    let one = |(text, model): (&String, &str)| {
        let outcome = cross_text(text, model, &options);
        let shown = shown(Path::new("random.cub"), &outcome);
        assert_eq!(outcome.disagreements, [], "{shown}\n{text}");
        let mut count = [0, 0];
        for a in &outcome.answers {
            match (&a.verdict, a.engine) {
                (CrossVerdict::Unsafe(run), CrossEngine::Bounded) => {
                    assert!(run.run.is_some(), "{shown}\n{text}");
                    count[1] += 1;
                }
                (CrossVerdict::SafeUpToBound(_), CrossEngine::Bounded) => count[0] += 1,
                (CrossVerdict::Unknown(_), CrossEngine::Bounded) => {
                    panic!("{shown}\n{text}")
                }
                _ => {}
            }
        }
        count
    };
    let jobs = texts
        .par_iter()
        .flat_map_iter(|t| ["sc", "tso", "pso"].map(|m| (t, m)));
    let add = |a: [usize; 2], b: [usize; 2]| [a[0] + b[0], a[1] + b[1]];
    jobs.map(one).reduce(|| [0, 0], add)
}

#[test]
fn the_engines_agree_on_random_systems() {
    let fixed = compare(&systems(0x5eed_0031, cases(150), false));
    let any = compare(&systems(0x5eed_0032, cases(300), true));
    println!("SAFE and UNSAFE: {fixed:?} with a fixed number of processes, {any:?} with any");
    for [safe, bad] in [fixed, any] {
        assert!(
            safe > bad / 5 && bad > safe / 20,
            "the generator is one-sided"
        );
    }
}
