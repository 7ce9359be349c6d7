//! A model is its text: that of a built-in one, in a file under another name, has the same formulas and
//! verdicts.

use rayon::prelude::*;
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{root, wmbmc};
use wmbmc::cat;

/// Programs, and what is checked of them.
const PROGRAMS: [(&str, &[&str]); 7] = [
    ("benchmarks/ticket_lock.c", &[]),
    ("benchmarks/store_buffer.c", &[]),
    (
        "benchmarks/spsc_queue.c",
        &["--unwind", "3", "--check", "race"],
    ),
    (
        "benchmarks/counter_mutex.c",
        &["--check", "assert,deadlock"],
    ),
    ("benchmarks/textbook/treiber_stack.c", &[]),
    ("benchmarks/textbook/ttas_lock.c", &[]),
    ("benchmarks/textbook/condition_flag.c", &[]),
];

/// Of the verdict and the formula all but times and the name of the model.
fn answer(file: &str, model: &str, options: &[&str]) -> Value {
    let args = [file, "--mm", model, "--format", "json", "--stats"];
    // Which engine answers first is a matter of time.
    let engine = ["--engine", "sat"];
    let out = wmbmc(args.iter().chain(&engine).chain(options));
    let text = String::from_utf8(out.stdout).expect("JSON is UTF-8");
    let Ok(mut value) = serde_json::from_str::<Value>(&text) else {
        // A refusal, in the words of the messages.
        let text = String::from_utf8_lossy(&out.stderr).replace(model, "MODEL");
        return Value::String(text);
    };
    let stats = value["stats"].take();
    let size = |name: &str| stats[name].clone();
    let sizes = ["events", "rf", "variables", "clauses"].map(size);
    Value::Array(
        [value["verdict"].take(), value["properties"].take()]
            .into_iter()
            .chain(sizes)
            .collect(),
    )
}

fn copies(folder: &Path) -> Vec<(&'static str, String)> {
    let names = cat::names().map(|(name, _)| name);
    let copy = |name: &'static str| {
        let file = folder.join(format!("own_{name}.cat"));
        let text = wmbmc(["models", name]).stdout;
        std::fs::write(&file, text).expect("the folder is writable");
        (name, file.display().to_string())
    };
    names.map(copy).collect()
}

#[test]
fn programs_have_the_same_formulas() {
    let folder = tempfile::tempdir().expect("there is a directory for temporary files");
    let models = copies(folder.path());
    assert_eq!(models.len(), 12);
    let formulas = AtomicUsize::new(0);
    let differ: Vec<String> = models
        .par_iter()
        .flat_map(|(name, own)| PROGRAMS.par_iter().map(move |p| (name, own, p)))
        .filter_map(|(name, own, (file, options))| {
            let file = root().join(file).display().to_string();
            let (theirs, ours) = (answer(&file, own, options), answer(&file, name, options));
            formulas.fetch_add(usize::from(ours.is_array()), Ordering::Relaxed);
            let theirs = theirs.to_string().replace(own.as_str(), "MODEL");
            let ours = ours.to_string().replace(&format!("`{name}`"), "`MODEL`");
            (ours != theirs).then(|| format!("{file} on {name}:\n{ours}\n{theirs}"))
        })
        .collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    // The kernel's model refuses C11's atomics.
    let formulas = formulas.into_inner();
    println!("{formulas} formulas");
    assert!(formulas >= 10 * PROGRAMS.len());
}

#[test]
fn litmus_tests_have_the_same_verdicts() {
    let folder = tempfile::tempdir().expect("there is a directory for temporary files");
    let suites = root().join("litmus");
    let counts: Vec<usize> = copies(folder.path())
        .par_iter()
        .map(|(name, own)| {
            let lines = |model: &str| {
                let suite = suites.display().to_string();
                let out = wmbmc(["suite", &suite, "--mm", model, "--format", "json"]);
                let text = String::from_utf8(out.stdout).expect("JSON is UTF-8");
                let tests = text.lines().map(|line| {
                    let test: Value = serde_json::from_str(line).expect("a line is a test");
                    let clauses = test["stats"]["clauses"].clone();
                    (test["input"].clone(), test["verdict"].clone(), clauses)
                });
                tests.collect::<Vec<_>>()
            };
            let (ours, theirs) = (lines(name), lines(own));
            assert_eq!(ours, theirs, "{name}");
            ours.len()
        })
        .collect();
    println!("{} verdicts", counts.iter().sum::<usize>());
    assert!(counts.iter().sum::<usize>() >= 200);
}
