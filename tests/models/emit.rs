//! Litmus tests written as C programs mean what they meant.

use rayon::prelude::*;
use std::collections::BTreeMap;
use support::{MODELS, root, wmbmc};
use wmbmc::generate::arch::c11::C11;
use wmbmc::generate::{of_cycles, ordered};

/// One in so many of the classic tests is looked at.
const SAMPLE: usize = 5;

/// The verdicts of the program a test is written as, by model; `None` when C cannot express it.
fn verdicts_as_c(file: &str) -> Option<BTreeMap<String, String>> {
    let written = wmbmc([file, "--emit", "c"]);
    if written.status.code() == Some(2) {
        let why = String::from_utf8_lossy(&written.stderr);
        assert!(why.contains("C cannot express this"), "{file}: {why}");
        return None;
    }
    assert_eq!(written.status.code(), Some(0), "{file}");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("test.c");
    std::fs::write(&path, &written.stdout).expect("a file can be written");
    let path = path.to_str().expect("the path is UTF-8");
    let output = wmbmc([path, "--mm", &MODELS.join(","), "--format", "json"]);
    let lines = String::from_utf8(output.stdout).expect("output is UTF-8");
    let answer = |line: &str| {
        let object: serde_json::Value = serde_json::from_str(line).expect("one object per line");
        let field = |name: &str| object[name].as_str().expect("a string").to_string();
        (field("model"), field("verdict"))
    };
    Some(lines.lines().map(answer).collect())
}

#[test]
fn the_classic_tests_mean_the_same_in_c() {
    let table = std::fs::read_to_string(root().join("litmus/verdicts.csv"));
    let table = table.expect("the table exists");
    let mut lines = table.lines();
    let head: Vec<&str> = lines.next().expect("a head").split(',').collect();
    let rows: Vec<Vec<&str>> = lines
        .step_by(SAMPLE)
        .map(|l| l.split(',').collect())
        .collect();
    let compared = rows.par_iter().filter(|row| {
        let Some(verdicts) = verdicts_as_c(row[2]) else {
            return false;
        };
        for model in MODELS {
            let column = head.iter().position(|h| h.eq_ignore_ascii_case(model));
            let recorded = row[column.expect("a column per model")];
            let expected = if recorded == "Allowed" {
                "UNSAFE"
            } else {
                "SAFE"
            };
            assert_eq!(verdicts[model], expected, "{} on {model}", row[2]);
        }
        true
    });
    let compared = compared.count();
    assert!(
        compared * 10 >= rows.len() * 9,
        "{compared} of {}",
        rows.len()
    );
}

/// One in so many of the tests in C11 is looked at.
const SAMPLE_OF_C11: usize = 60;

/// Tests of two threads with all memory orders, on the model of the language.
#[test]
fn tests_in_c11_mean_the_same_in_c() {
    let tests = of_cycles(&C11, &ordered::classic(&C11)).tests;
    let tests: Vec<_> = tests.iter().step_by(SAMPLE_OF_C11).collect();
    assert!(tests.len() > 10, "{} tests", tests.len());
    tests.par_iter().for_each(|test| {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let written = |name: &str, text: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("a file can be written");
            path.to_str().expect("the path is UTF-8").to_string()
        };
        let file = written("test.litmus", test.text().as_bytes());
        let answer = wmbmc([&file, "--mm", "rc11"]);
        let answer = String::from_utf8(answer.stdout).expect("output is UTF-8");
        let emitted = wmbmc([&file, "--emit", "c"]);
        assert_eq!(emitted.status.code(), Some(0), "{}", test.name);
        let program = written("test.c", &emitted.stdout);
        let verdict = wmbmc([&program, "--mm", "rc11", "--check", "assert"]);
        let expected = if answer.contains("\nOk\n") { 10 } else { 0 };
        assert_eq!(
            verdict.status.code(),
            Some(expected),
            "{}: {answer}",
            test.name
        );
    });
}

/// What is not written, and what the message names.
const REFUSED: [(&str, &str); 3] = [
    (
        "P0(int *x) { int r0; do { r0 = READ_ONCE(*x); } while (r0 == 1); }",
        "a loop of a test",
    ),
    (
        "P0(int *x) { WRITE_ONCE(*x, 1); int r0 = READ_ONCE(*x) / 2; }",
        "a division is not written in C",
    ),
    (
        "P0(spinlock_t *x) { spin_lock(x); int r0 = READ_ONCE(*x); }",
        "C cannot express this",
    ),
];

#[test]
fn what_a_program_of_the_kernel_would_not_mean_is_refused() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (thread, expected) in REFUSED {
        let path = folder.path().join("test.litmus");
        let text = format!("C refused\n{{}}\n{thread}\nexists (0:r0=1)\n");
        std::fs::write(&path, text).expect("a file can be written");
        let emitted = wmbmc([path.to_str().expect("UTF-8"), "--emit", "c"]);
        let why = String::from_utf8_lossy(&emitted.stderr);
        assert_eq!(emitted.status.code(), Some(2), "{thread}: {why}");
        assert!(
            why.contains(expected) && why.contains("test.litmus:3:"),
            "{thread}: {why}"
        );
    }
}
