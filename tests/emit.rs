//! Litmus tests written as C programs mean what they meant.

mod common;

use common::{MODELS, root, wmbmc};
use rayon::prelude::*;
use std::collections::BTreeMap;

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
        let object: serde_json::Value = serde_json::from_str(line).expect("one object a line");
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
            let recorded = row[column.expect("a column a model")];
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
